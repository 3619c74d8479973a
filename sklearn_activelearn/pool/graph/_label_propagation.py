"""Active label propagation: buy the label that leaves the smallest expected risk."""

from typing import Literal

import numpy as np
from joblib import Parallel, delayed

from ...base._labels import encode
from ...base._parameters import check_limit
from ...base._verbs import unfitted_copy
from ...sources._containers import hash_rows, n_rows, to_memory
from ...utils._compat import count_threads
from ...utils.typing import Floats, Labels, Seed, Stopping
from .._base import PoolClassifier
from .._distances import numbers, warn_if_distances_mislead
from .._passive import passive_baseline
from .._rule import Rule
from .._selection import (
    DistinctFirst,
    find_best,
    find_best_different,
    ranked_purchase,
)
from .._training import Trained, Trainer
from ._graph import GraphClassifier, LabelledGraph, check_has_distances

#: With "auto", all rows of a pool of up to MOST_ROWS rows are considered, and
#: N_CANDIDATES rows of a larger pool.
MOST_ROWS, N_CANDIDATES = 2_000, 100


class GraphTrainer(Trainer):
    """Connects the rows of the pool, and spreads the labels over them.

    Parameters
    ----------
    graph : GraphClassifier
        Prototype of the graph, with its parameters.
    n_first : int
        Number of labels that are clamped at once.
    n_candidates : int, "auto" or None
        As for `ActiveLabelPropagationClassifier`.
    """

    keeps_pool = True

    def __init__(self, graph, *, n_first, n_candidates):
        self.estimators, self.n_first = [graph], n_first
        self.n_candidates = n_candidates

    def check(self):
        """Raise an error for a parameter outside its range."""
        self.estimators[0].check()
        if self.n_candidates == "auto":
            return
        if isinstance(self.n_candidates, str):
            raise TypeError(
                'n_candidates must be a whole number, "auto" or None, got '
                f"{self.n_candidates!r}."
            )
        check_limit(self.n_candidates, "n_candidates", 1)

    def check_rows(self, learner, X, *y, **how):
        """Return checked rows, and labels if given; distances must be finite."""
        checked = super().check_rows(learner, X, *y, **how)
        check_has_distances(to_memory(checked[0] if y else checked))
        return checked

    def n_considered(self, pool):
        """Return the number of rows that are considered, None for all rows."""
        if self.estimators[0].kernel != "knn" or self.n_candidates is None:
            return None
        n_pool = 0 if pool.X is None else n_rows(pool.X)
        if self.n_candidates == "auto":
            return N_CANDIDATES if n_pool > MOST_ROWS else None
        # for all rows the inverse is faster and smaller
        return None if 0 < n_pool <= self.n_candidates else self.n_candidates

    def connect(self, known, before):
        """Return the graph of the pool with all labels taught.

        The steps to its field depend on the labels, not on the time of teaching: the
        first labels, and all labels up to the last one from outside the pool, are
        clamped at once; in a sparse graph all labels.
        """
        pool, labelled = known.pool, known.labelled
        is_sparse = self.n_considered(pool) is not None
        n_solved = len(labelled)
        if not is_sparse:
            (outside,) = np.nonzero(pool.places < 0)
            n_solved = max(min(self.n_first, n_solved), *(outside[-1:] + 1), 0)
        prototype = unfitted_copy(known.prototypes[0])
        settings = tuple(prototype.get_params().values())
        out = LabelledGraph(
            pool.fitted(settings, prototype.connect, labelled.rows),
            is_sparse,
            0 if pool.X is None else n_rows(pool.X),
            pool.places,
            labelled.codes,
            len(known.classes),
            n_solved,
        )
        if is_sparse:
            name = (*settings, "edges")
            out.edges = pool.fitted(name, lambda _: out.edges, labelled.rows)
        if before and before.memory:
            out.continue_from(before.memory)
        return out

    def for_pool(self, known, trained):
        """Return the result of a training, with the graph of the present pool."""
        return trained._replace(memory=self.connect(known, trained))

    def train(self, known, before):
        """Return the graph with the class probabilities of its nodes."""
        graph = self.connect(known, before)
        distributions = graph.distributions()
        model = graph.graph.with_distributions(distributions, known.classes)
        return Trained(model, memory=graph)


class GraphRule(Rule):
    """Rows whose labels leave the smallest expected risk.

    Parameters
    ----------
    trainer : GraphTrainer
        Trainer of the graph.
    n_jobs : int or None
        Number of threads.
    """

    reason = "informative"
    samples = False

    def __init__(self, trainer, n_jobs):
        self.trainer, self.n_jobs = trainer, n_jobs

    def select(self, round):
        """Choose rows whose labels leave the smallest expected risk."""
        X, rows, n_wanted, seed = round.X, round.rows, round.n_wanted, round.seed
        warn_if_distances_mislead(
            round,
            lambda: numbers(round.known.labelled.rows),
            "Scale the features, pass others, or take HybridSamplingClassifier.",
        )
        graph = round.trained.memory
        n_considered = self.trainer.n_considered(round.known.pool)
        field, probabilities = graph.field, graph.free_distributions()
        apart, chosen, utilities = DistinctFirst(hash_rows(X, rows)), [], []
        while True:
            left = np.searchsorted(field.free, rows[apart.open])
            is_lost = field.is_lost[left]
            if is_lost.any():
                left = left[is_lost]
            elif n_considered:
                # enough rows for the whole batch, also if the batch is cut short
                n, n_considered = max(n_considered, round.choice.batch_size), None
                some = most_influential(field, probabilities, rows, apart, n, seed)
                field = field.considering(np.searchsorted(field.free, rows[some]))
                apart.keep(some)
                left = np.searchsorted(field.free, rows[apart.open])
            risk = self._expected_risk(field, probabilities, left)
            # relative to the number of correct rows, rounding errors are ties
            (first,) = find_best(len(field.free) - risk, 1, seed)
            k = left[first]
            chosen.append(field.free[k])
            apart.choose(np.searchsorted(rows, chosen[-1]))
            utilities.append(-risk[first])
            if len(chosen) == n_wanted:
                return ranked_purchase(np.array(chosen), np.array(utilities))
            # on average over the labels, the other rows keep their probabilities
            field = field.clamped(chosen[-1], probabilities[k])
            probabilities = np.delete(probabilities, k, axis=0)

    def _expected_risk(self, field, probabilities, candidates):
        """Return the expected risk of each candidate; compute it in threads."""
        n_jobs = count_threads(self.n_jobs)
        return np.concatenate(
            Parallel(n_jobs=n_jobs, require="sharedmem")(
                delayed(field.expected_risk)(probabilities, block)
                for block in np.array_split(candidates, min(n_jobs, len(candidates)))
            )
        )


class ActiveLabelPropagationClassifier(PoolClassifier):
    r"""Pool learner that spreads labels over a graph and minimises the expected risk.

    Rows are nodes of a graph, and similar rows are joined. An unlabelled row has the
    mean class probabilities of its neighbours. The next row to be labelled is the one
    whose label leaves the smallest expected number of errors on the whole pool.

    Parameters
    ----------
    kernel : {"knn", "rbf"}, default="knn"
        Edges of weight 1 from each row to its nearest neighbours, or between all
        rows, of weight ``exp(-gamma * distance**2)``.

    gamma : float > 0, default=None
        Parameter of "rbf". None: 8 divided by the squared median distance of a row to
        its `n_neighbors`-th neighbour, over the rows that are not equal to it.

    n_neighbors : int >= 1, default=7
        Number of neighbours that a row is joined to, and that predict a new row.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    batch_size : int >= 1, default=1
        Labels bought between two trainings. The rows are chosen one after the other, as
        if the labels of the rows before were known.

    n_candidates : int >= 1, "auto" or None, default="auto"
        Number of rows whose expected risk is computed for a batch, for "knn": the rows
        whose labels may change most (see the notes). If it is smaller than the pool,
        sparse linear systems are solved. Otherwise, and with None, all rows are
        considered, and the inverse of a matrix of all rows is computed. "auto": None
        for a pool of up to 2,000 rows, 100 for a larger pool. "rbf" has no sparse
        graph, and always considers all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "stable_predictions": stop when successive models agree. Others: see the
        guide. The first rule of a list that is met ends it. None: the budget is spent.

    n_jobs : int, default=None
        Threads that compute the expected risk, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows and of the choice among ties.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the pool rows; 0 and 1 for labelled rows. They are
        computed when labels are taught: they do not exist before the first label, and
        describe another pool from the first label on that is taught after its query.

    transduction_ : ndarray of shape (n_samples,)
        Most probable class of each pool row.

    estimator_ : classifier
        The nodes and their class probabilities; it predicts other rows.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were skipped and not taught later.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: a parameter out
        of its range, NaN or infinity, labels outside the classes, a stopping rule
        that needs decision values.

    See Also
    --------
    sklearn.semi_supervised.LabelPropagation : The same model, without queries.
    MinMarginClassifier : Any classifier, which learns from labelled rows only.

    Notes
    -----
    With weights :math:`W`, degrees :math:`D` and :math:`\Delta = D - W`, the rows
    :math:`u` without a label have the harmonic function
    :math:`f_u = \Delta_{uu}^{-1} W_{ul} f_l`. Its risk is
    :math:`R(f) = \sum_{i \in u} (1 - \max_c f_{ic})`, and the row :math:`k` with the
    smallest expected risk :math:`\sum_y f_{ky} R(f^{+(k,y)})` is bought, where

    .. math:: f^{+(k,y)}_u = f_u + (\Delta_{uu}^{-1})_{\cdot k}
        (e_y - f_k) / (\Delta_{uu}^{-1})_{kk} .

    A label removes a row and a column from the inverse, in :math:`O(u^2)`, and all
    risks together take :math:`O(u^2 K)` for :math:`K` classes. The inverse is computed
    in :math:`O(u^3)` for each new pool, for each `teach` among the first `n_initial`
    labels, for each label in a part of the graph without labels, and for taught rows
    that are not in the pool, which become further nodes. Therefore pass the whole pool
    to each `query`, and the unlabelled rows as `candidates`.

    Memory of the inverse: :math:`2 n^2` numbers of 8 bytes for "knn", :math:`3 n^2` for
    "rbf"; another :math:`n^2` when several labels are bought or taught at once, and
    :math:`n^2` or :math:`2 n^2` while a new pool replaces a pool of the same size.

    If `n_candidates` is smaller than the pool, nothing of size :math:`n^2` is kept.
    Each `teach` solves a sparse system for each class by
    preconditioned conjugate gradients, to residuals of 1e-10 or, where that takes more,
    in 1,000 steps. A batch is chosen among the rows :math:`k` with the highest

    .. math:: (1 - \sum_c f_{kc}^2) \, d_k \, (\Delta_{uu}^{-1} 1)_k ,

    where :math:`d_k` is the degree of a node. The first factor is the squared change to
    expect of the row's own probabilities, the others bound the sum of the changes of
    all rows, as shares of it. One more system for each of these rows, to residuals of
    1e-4, gives its column of the inverse, and with it the expected risk. Memory: some
    :math:`n` times `n_neighbors` numbers for the graph, and :math:`10 n` numbers of 4
    bytes for each candidate. The graph is built once for each pool, again when rows are
    taught that are not in the pool, and after a pickle.

    A pool row that is taught unasked keeps its node. A row that is taught again, or
    offered again after its label, becomes a further node, and both labels count.

    Where a part of the graph has no label, :math:`\Delta_{uu}` is singular. Its rows
    get the class prior, the shares of the classes among the labels, and are bought
    first. (Each step of the random walk behind :math:`f` ends nowhere with
    probability 1e-10; a part where most walks end nowhere counts as a part without a
    label, also if it has edges of tiny weights.)

    A new row gets the mean of the nodes' class probabilities, weighted by `kernel`. So
    does a pool row in `predict`, while `transduction_` has the prediction of the graph.

    Scale the features first, so that distances carry information. Once 50 labels are
    known, a warning is given if the nearest other labelled row predicts them no better
    than the most frequent class. Nearest neighbours gave better results than the kernel
    on most data that were tried.

    References
    ----------
    .. [1] X. Zhu, J. Lafferty, Z. Ghahramani, "Combining Active Learning and
       Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions", ICML
       Workshop on the Continuum from Labeled to Unlabeled Data, 2003, section 3.
    .. [2] X. Zhu, Z. Ghahramani, J. Lafferty, "Semi-Supervised Learning Using
       Gaussian Fields and Harmonic Functions", ICML 2003, equation 5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import ActiveLabelPropagationClassifier
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> learner = ActiveLabelPropagationClassifier(budget=20, random_state=0)
    >>> learner = learner.fit(X[:500], y[:500])
    >>> print(f"the pool {(learner.transduction_ == y[:500]).mean():.2f}, "
    ...       f"new rows {learner.score(X[500:], y[500:]):.2f}")
    the pool 1.00, new rows 0.99
    """

    def __init__(
        self,
        kernel: Literal["knn", "rbf"] = "knn",
        *,
        gamma: float | None = None,
        n_neighbors: int = 7,
        n_initial: int = 10,
        batch_size: int = 1,
        n_candidates: int | Literal["auto"] | None = "auto",
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def make_rule(self):
        """Return the rule."""
        return GraphRule(self.make_trainer(), self.n_jobs)

    def make_trainer(self):
        """Return the trainer of the graph."""
        graph = GraphClassifier(self.kernel, self.gamma, self.n_neighbors)
        return GraphTrainer(
            graph, n_first=self.n_initial, n_candidates=self.n_candidates
        )

    _passive_baseline = passive_baseline

    @property
    def label_distributions_(self) -> Floats:
        """Probability of each class for each row of the pool."""
        labelled, n_classes = self._ledger.labelled, len(self.classes_)
        if trained := self._state.trained:
            columns = encode(self.estimator_.classes_, self.classes_)
            n_pool = trained.memory.n_pool
            known = self.estimator_.label_distributions_[:n_pool]
            return known @ np.eye(n_classes)[columns]
        if not len(labelled) or labelled.has_two_classes:
            raise AttributeError("label_distributions_ needs a label.")
        n_pool = 0 if self._state.pool.X is None else n_rows(self._state.pool.X)
        return np.repeat(np.eye(n_classes)[labelled.codes[:1]], n_pool, axis=0)

    @property
    def transduction_(self) -> Labels:
        return self.classes_[self.label_distributions_.argmax(axis=1)]


def most_influential(field, probabilities, rows, apart, n, seed):
    """Return the positions of the n rows with the most influential labels, ascending.

    Parameters
    ----------
    field : SparseHarmonicField
        The field. Every remaining row has a path to a labelled node in it.
    probabilities : ndarray of shape (n_free, n_classes)
        Class probabilities of the free nodes.
    rows : ndarray of int
        Row numbers.
    apart : DistinctFirst
        The remaining rows, whose duplicates are chosen last.
    n : int
        Number of rows to return.
    seed : tuple of int
        Breaks ties.
    """
    left = np.flatnonzero(apart.is_left)
    score = field.screened(probabilities)[np.searchsorted(field.free, rows[left])]
    trait = apart.keys[left].__getitem__
    return np.sort(left[find_best_different(score, min(n, len(left)), seed, [trait])])
