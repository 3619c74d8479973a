"""Pool learners: the query, the loop, labels and corrections, and prediction."""

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, Literal, Self, overload

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import logit
from sklearn import get_config
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    get_routing_for_object,
    process_routing,
)

from ..base._labels import ONE_LABEL
from ..base._requests import Purchase
from ..base._scores import (
    label_logits,
    label_probabilities,
    label_scores,
    logits_of,
    predict_labels,
    probabilities_of_all,
    scores_of,
    scores_of_all,
    uncertainty_of_logits,
    utility_of_label_sets,
)
from ..base._target import Target
from ..base._transaction import (
    Transaction,
    forget_fitted,
    parameters_of,
    run_exclusively,
    shallow_copy,
)
from ..base._validation import (
    UNLIMITED,
    check_budget,
    check_can_predict,
    check_counts,
    check_flags,
    check_has,
    check_limit,
    check_metadata,
    check_number,
    check_option,
    check_scale,
    check_selection,
    check_single_output,
    has_method,
    has_transformer,
    is_share,
    labels_for,
)
from ..base._verbs import (
    ActiveClassifier,
    draw_seeds,
    seeded,
    validate_and_append,
    validate_and_reset,
)
from ..batch._blend import fit_scaler
from ..exceptions import advice_for_rare_classes, warn_of_constant_answer, warn_user
from ..sources._containers import (
    NO_ROWS,
    RowsExcept,
    hash_rows,
    n_rows,
    restrict_rows,
    rows_of_mask,
    take,
    to_memory,
)
from ..sources._conversion import as_source
from ..sources._identity import VALUES, ByValue, identify, plain_id
from ..sources._source import ArraySource, Source, is_mapped
from ..utils._compat import (
    CALLBACK_ATTRIBUTES,
    CallbackSupportMixin,
    answers_like_input,
    available_if,
    with_callbacks,
)
from ..utils.typing import (
    Classifier,
    Embedding,
    Floats,
    Initial,
    Label,
    Labels,
    RowNumbers,
    RowsLike,
    Seed,
    Stopping,
)
from . import _selection as selection
from ._cold_start import (
    NothingLearned,
    Prior,
    check_distinguishes,
    may_be_cured,
    warn_of_cold_start,
    works_with_more_labels,
)
from ._distances import (
    MOST_ROWS,
    Coverage,
    Points,
    Space,
    check_embedding,
)
from ._ledger import (
    PENDING,
    KeptPool,
    Ledger,
    differ,
    fill_metadata,
)
from ._record import Record
from ._round import Round
from ._training import Known, OneModel, Trainer, requested, route_to_fit
from .stopping import _base as stopping_rules

#: Why a learner takes no source, and what to do.
NEEDS_ALL = (
    "needs all rows of the pool in memory: pass a sample of them as an array, or use a "
    "learner that reads them by blocks, such as HybridSamplingClassifier"
)
NEEDS_SAMPLE = (
    "needs all rows of the pool in memory: set n_candidates, to consider a sample of "
    "them for each purchase"
)

#: Distances are measured among all rows of a pool of at most this size. Of a larger one
#: they are measured among N_SAMPLED random rows and the rows of the highest utilities.
MOST_MEASURED, N_SAMPLED = 50_000, 10_000

#: Makes the draw of rows that represent a large pool differ from the draws of a round.
REPRESENT = 4

#: Makes the draw of rows that scale the default model differ, too.
SCALE = 5

#: Number of pool rows whose predictions are checked for being all the same.
MOST_CHECKED = 1_000

#: With fewer labels one known class, or one predicted class, is nothing unusual.
FEWEST_KNOWN, FEWEST_PREDICTED = 10, 50


def answer_by_blocks(function, X):
    """Return ``function(X)``; the rows of a source are read block by block.

    Estimators convert other numbers to float64: this, too, is done block by block.
    """
    if isinstance(X, Source):
        return X.answers(function)
    is_converted = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    if is_converted and X.dtype != np.float64 and len(X):
        return ArraySource(X).answers(function)
    return function(X)


def check_suits_label_sets(learner):
    """Raise if a parameter of a learner is for one label for each row."""
    if stopping_rules.find_rules(learner.stopping):
        raise ValueError(
            "Stopping rules judge one label for each row. For several labels, leave "
            "stopping out and limit the purchases by the budget."
        )


def _models_have(method):
    return lambda learner: all(
        has_method(model, method) for model in learner._make_trainer().models()
    )


def _scores_rows(learner):
    kind = type(learner)
    has_rule = kind._utility is not PoolClassifier._utility
    return has_rule and kind._select is PoolClassifier._select


def _has_record(learner):
    return learner._follows_from_labels()


class PoolClassifier(CallbackSupportMixin, ActiveClassifier):
    """Base class of pool learners, and of a pool learner of your own.

    A subclass provides

    - ``_utility(X)``: a number for each row, higher is bought sooner, usually from the
      trained model, ``self.estimator_``; it gets the pool in blocks. Or, if rows cannot
      be scored one by one, ``_select(round)``, which returns the `Purchase` of
      ``round.n_wanted`` of the row numbers ``round.rows`` of ``round.X``; see `Round`;
    - ``_make_trainer()``: the `Trainer` that makes the model, by default `OneModel`;
    - ``_needs``: the method of the estimator that the utility needs, "predict" by
      default, which is checked before anything is bought;
    - ``_check_parameters()``: raises for a parameter out of its range;
    - ``_takes_label_sets = True``: it takes an indicator matrix, and its utility suits
      a model of several labels for a row;
    - ``_samples = False``: its parameter `n_candidates` has another meaning than here;
    - ``positive``: the class that it looks for, a parameter or an attribute; None, the
      default, if it looks for none;
    - ``__init__``: with the parameters that the user may set, as scikit-learn wants it.

    Parameters
    ----------
    estimator : classifier, default=None
        The model. Cloned, never changed. None: ``LogisticRegression()``.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"random", "herding", "mixed"}, callable or rows, default="random"
        Rule for the first rows. "random": random rows, no two of them equal. "herding":
        rows that cover the pool; each is similar to as many rows as possible that are
        not similar to an earlier one (MaxHerding). "mixed": two in five rows are
        random, the others cover the pool. A function ``initial(X)`` gets rows of the
        pool, a block at a time, and returns a number for each; the rows with the
        highest numbers come first. Rows of the wanted kind, of shape (n, n_features):
        rows of the pool with the highest cosine to one of them come first, in the
        `embedding` if there is one.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Rule that makes a batch of useful rows. "top": the most useful rows. The other
        rules choose among the most useful rows, ten times the number of rows wanted.
        "cluster": the most useful row of each of `batch_size` clusters (k-means).
        "herding": the rows that cover the others best. Equal rows are bought together
        only if no other rows are left.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    n_candidates : int >= 1, default=None
        Number of rows that are considered for each batch: a new random sample of the
        rows that may be bought, never smaller than the batch. Stopping rules see the
        same rows. None: all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row lies inside the margin of an SVM.
        "stable_predictions": successive models agree. The user guide describes more
        rules. None: spend the budget.

    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The model, trained on all labels: `_utility` asks it.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

    See Also
    --------
    sklearn_activelearn.testing.check_learner : Checks the guarantees of a learner.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 2.3 (pool-based sampling).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_activelearn.pool import PoolClassifier
    >>> class GiniSamplingClassifier(PoolClassifier):
    ...     _needs = "predict_proba"
    ...
    ...     def _utility(self, X):
    ...         return 1 - (self.estimator_.predict_proba(X) ** 2).sum(axis=1)
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = GiniSamplingClassifier(budget=30, random_state=0).fit(X, y)
    >>> print(learner.n_queries_, learner.score(X, y) > 0.9)
    30 True
    """

    #: The estimator if the user gives none.
    _default_estimator: Any = LogisticRegression()

    #: False if numbers of any size suit the default estimator, such as trees.
    _needs_scale: bool = True

    #: Method of the estimator that the utility needs, and what to do without it.
    _needs: str = "predict"
    _advice_without_method: str = ""

    #: True: it takes several labels for a row, and `_utility` does.
    _takes_label_sets: bool = False

    #: Classes, and the codes of labels.
    _target: Target = Target()

    #: True: it chooses among `n_candidates` rows that are drawn for each purchase.
    #: False: rows that cover the pool are chosen among `n_candidates` drawn rows.
    _samples: bool = True

    #: Parameters that must be whole numbers of at least 1, and others that may be None.
    _counts: tuple[str, ...] = ("n_initial", "batch_size")
    _optional_counts: tuple[str, ...] = ("n_candidates",)

    #: True if a model decides what to buy, or when to stop.
    _uses_model: bool = True

    #: True if the trainer learns from the rows without labels, too.
    _keeps_pool: bool = False

    #: What to do if all labels are of one class, or all rows are predicted to be.
    _advice_if_one_class: str = advice_for_rare_classes(
        "raise the budget, or begin with what is known of them: teach it such rows, or "
        "pass some as initial"
    )
    _advice_if_constant: str = advice_for_rare_classes(
        "set class_weight='balanced' in its estimator, if that has it, or teach it "
        "more of their rows"
    )

    #: Values for learners without these parameters.
    initial, batch, embedding, explore, n_jobs = "random", "top", None, 0.0, None
    n_candidates: int | None = None
    positive: Label | None = None

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        n_initial: int = 10,
        initial: Initial = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    # What a subclass may replace

    def _make_trainer(self) -> Trainer:
        given = self.estimator
        estimator = self._default_estimator if given is None else given
        return OneModel(estimator)

    def _utility(self, X: Any) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} needs _utility or _select.")

    def _select(self, round: Round) -> Purchase:
        """Choose among the candidates of a round with the model."""
        utility = self._utilities(round.X, round.candidates)
        check_distinguishes(utility, self.estimator_, self._ledger.labelled)
        return selection.choose_batch(round, utility, self.batch)

    def _select_without_model(self, round: Round) -> Purchase:
        """Choose among the candidates of a round by `initial`."""
        X, initial, seed = round.X, round.initial, round.seed
        if isinstance(initial, str) and initial != "random":
            return self._choose_covering(self._coverage(round), round)
        rows = round.rows
        if isinstance(initial, str):
            keys = hash_rows(X, rows)
            return selection.draw_different_rows(keys, rows, round.n_wanted, seed)
        if self.embedding is not None and selection.is_rows(initial):
            points = round.points
            anchors = points.embed(initial)
            if len(points.keys) == n_rows(X):
                utility = selection.nearest_cosine(points.rows[rows], anchors)
                return selection.choose_batch(round, utility)
            score = partial(selection.score_by_anchors, points.to_points, anchors)
        else:
            score = partial(selection.score_by_initial, initial)
        utility = self._utilities(X, rows, score, initial)
        return selection.choose_batch(round, utility)

    def _coverage(self, round, chosen=NO_ROWS):
        """Return the coverage of the pool by the known rows and the chosen rows."""
        space = Space.of(round, self._ledger).with_known(chosen)
        return Coverage(space, 1 / space.points.typical)

    def _choose_covering(self, coverage, round, weights=None):
        """Choose rows that cover the pool, among a sample of a large pool."""
        n = self._n_covering()
        return selection.choose_covering(coverage, round, weights, n)

    def _n_covering(self):
        """Return the number of random rows among which rows that cover are chosen."""
        n = None if self._samples else self.n_candidates
        return max(n or MOST_ROWS, self.n_initial, self._batch_size())

    def _quick_utility(self, X):
        """Return utilities by which the best rows of a large pool are found."""
        return self._utility(X)

    def _n_best(self, round):
        """Return the number of the best rows of a large pool that are looked at."""
        is_spread = round.initial is None and self.batch != "top"
        return selection.BEST_PER_ROW * round.n_batch if is_spread else 0

    def _batch_size(self):
        """Return the number of rows of the next batch."""
        return self.batch_size

    def _follows_from_labels(self):
        """Return True if requests and predictions follow from the labels alone."""
        trainer = self._make_trainer()
        return not (trainer.goes_on or trainer.keeps_pool)

    def _why_in_memory(self, trainer):
        """Return why it needs the pool in memory, "" if it does not."""
        return NEEDS_ALL if trainer.keeps_pool else ""

    def _check_parameters(self) -> None:
        check_counts(self, self._counts, self._optional_counts)
        if self.batch != "top":
            check_option(self.batch, "batch", selection.BATCHES)
        if self.embedding is not None:
            check_embedding(self.embedding)
        if not isinstance(self.initial, str) or self.initial not in selection.STARTS:
            selection.check_initial(self.initial, self.embedding)
        check_budget(self.budget, 0)
        if self.explore != 0:
            check_number(self.explore, "explore", 0, 1, closed="both")
        if self.n_jobs is not None:
            check_number(self.n_jobs, "n_jobs", None, integer=True)
            effective_n_jobs(self.n_jobs)

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        """Return valid rows, and labels if there are any; check the model first.

        NaN is refused unless the model takes it, whatever `finite` is.
        """
        trainer = self._make_trainer()
        trainer.check()
        if not self._takes_label_sets:
            check_single_output(trainer.estimators)
        if self._target.has_label_sets:
            check_suits_label_sets(self)
        name, advice = type(self).__name__, self._advice_without_method
        for estimator in trainer.estimators:
            check_has(self._needs, estimator, name, advice)
        if self.stopping is not None:
            stopping_rules.check_rule_models(self.stopping, trainer.models())
        self._keeps_pool = trainer.keeps_pool
        if type(X) is not np.ndarray and (why := self._why_in_memory(trainer)):
            if is_mapped(X):
                X = np.asarray(X)
            elif as_source(X) is not None:
                raise ValueError(f"{name} {why}.")
        out = trainer.check_rows(self, X, *y, reset=reset, min_rows=min_rows)
        if y and np.ndim(out[1]) == 1:
            check_single_output(trainer.estimators)
        if reset:
            rows, names = out[0] if y else out, getattr(self, "feature_names_in_", None)
            if self._needs_scale and self._has_default_model():
                self._check_scale(rows, names)
            is_first = y or not hasattr(self, "_ledger")
            if is_first and self.embedding is None and selection.is_rows(self.initial):
                selection.check_initial_columns(self.initial, rows, names)
        return out

    def _check_scale(self, rows, names):
        """Refuse numbers that the default model cannot learn from."""
        check_scale(rows, names)

    def _has_default_model(self):
        """Return True if the user has given neither an estimator nor candidates."""
        given = getattr(self, "estimator", self), getattr(self, "estimators", None)
        return given[0] is None and given[1] is None

    def _reset(self):
        (self._seed,) = draw_seeds(self.random_state, 1).tolist()
        self._ledger, self._pool, self._n_rounds = Ledger(), KeptPool(), 0
        self.queried_indices_, self.stop_reason_ = NO_ROWS, None
        self._target = Target()
        self._seeded = self._trained = self._points = self._scaler = None
        self._warned_of = ()
        self._forget_model()

    @property
    def classes_(self) -> Labels:
        """Classes, sorted; of several labels for a row the names of the columns."""
        if self._target.classes is None:
            raise AttributeError("classes_ is not known before the first labels.")
        return self._target.classes

    @property
    def n_queries_(self) -> int:
        """Labels bought since the last `fit`, less refunds."""
        return self._ledger.n_queries

    @property
    def n_taught_(self) -> int:
        """Labels taught, bought or not."""
        return len(self._ledger.labelled)

    @property
    def n_skipped_(self) -> int:
        """Rows that were skipped and not taught later."""
        return self._ledger.n_skipped

    def _may_change_columns(self, ids):
        if ids is None:
            return False
        return bool(ids) if isinstance(ids, list) else getattr(ids, "shape", 1) != (0,)

    # The query

    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[False] = ..., return_utility: Literal[False] = ...,
        ids: ArrayLike | None = ...,
    ) -> RowNumbers: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[True], return_utility: Literal[False] = ...,
        ids: ArrayLike | None = ...,
    ) -> tuple[RowNumbers, Floats]: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[False] = ..., return_utility: Literal[True],
        ids: ArrayLike | None = ...,
    ) -> tuple[RowNumbers, Floats]: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[True], return_utility: Literal[True],
        ids: ArrayLike | None = ...,
    ) -> tuple[RowNumbers, Floats, Floats]: ...  # fmt: skip
    def query(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: bool = False,
        return_utility: bool = False,
        ids: ArrayLike | None = None,
    ) -> RowNumbers | tuple[RowNumbers, *tuple[Floats, ...]]:
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The whole pool, labelled rows included, always in one order. Rows that were
            taught, are pending or were skipped are not asked for again.
        candidates : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that may be bought, or a mask. None: all.
        exclude : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers that may not be bought, or a mask. They are removed from
            `candidates`.
        limit : int >= 0, default=None
            Largest number of rows to return.
        return_probability : bool, default=False
            Also return the probability with which each row was bought: the probability
            of a random draw, else 1.
        return_utility : bool, default=False
            Also return the utility of each row when it was chosen, higher is better;
            NaN for rows that were drawn at random.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none. If the
            values of labelled rows have changed, the model is trained on the values in
            X before rows are chosen.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which to label them. Their labels count as
            bought. If it is empty, ``stop_reason_`` says why.
        probabilities : ndarray of shape (n_queries,)
            Probability with which each row was bought. Only with `return_probability`.
        utilities : ndarray of shape (n_queries,)
            Only with `return_utility`; the last of the returned arrays.

        Raises
        ------
        ValueError
            For rows that the estimator refuses, `candidates` or `exclude` that are no
            rows of X, or a parameter out of its range. If X has other columns than
            before, or comes in another kind of container: for a labelled row that is
            not in it.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs. As
            after each error, the learner is unchanged.

        Warns
        -----
        UserWarning
            If labelled rows have other values than before, and some are not in X: the
            model is trained on the last values of the latter.
        ColdStartWarning
            If labels are too few for the estimator, so that rows are chosen without it.
        """
        check_flags(
            return_probability=return_probability, return_utility=return_utility
        )
        transaction = Transaction(self)
        learner = transaction.learner
        X = learner._validate(X, min_rows=0, ids=ids)
        identity = identify(learner, X, ids, is_pool=True)
        if candidates is not None or exclude is not None:
            candidates = check_selection(candidates, exclude, n_rows(X))
        limit = UNLIMITED if limit is None else check_limit(limit, "limit")
        learner._check_pool(X, identity)
        is_for_sale = learner._find_rows_for_sale(X, identity, candidates)
        stop_reason = learner.stop_reason_
        purchase = learner._choose_purchase(X, rows_of_mask(is_for_sale), limit)
        if learner.stop_reason_ != stop_reason:
            learner._warn_if_constant(X)
        learner._ledger = learner._ledger.add_requests(identity, purchase)
        if len(purchase.rows):
            learner._known_by = identity.kind
        is_returned = return_probability, return_utility
        more = compress((purchase.probabilities, purchase.utilities), is_returned)
        out = (purchase.rows, *more) if any(is_returned) else purchase.rows
        transaction.commit()
        return out

    def _find_rows_for_sale(self, X, identity, candidates):
        """Locate the ledger in X, and return a mask of the rows that may be bought.

        These are the candidates that were neither taught nor skipped and are not
        pending. With ids, the model is trained again if labelled rows have new values
        in X.
        """
        is_for_sale = np.full(n_rows(X), candidates is None)
        if not len(is_for_sale):
            return is_for_sale
        self._fit_scaler(X)
        if candidates is not None:
            is_for_sale[candidates] = True
        self._ledger = ledger = self._ledger.locate(identity, is_for_sale)
        if self._keeps_pool:
            places = ledger.found[ledger.taught]
            rows = np.flatnonzero(is_for_sale)
            self._pool = self._pool.offer(identity, X, rows, places)
        if identity.kind != VALUES:
            self._take_new_values(X)
        is_for_sale[ledger.found[ledger.found >= 0]] = False
        # never less than before: a budget that is a share must not shrink
        n_offered = ledger.n_queries + np.count_nonzero(is_for_sale)
        if n_offered > ledger.n_offered:
            self._ledger = replace(self._ledger, n_offered=n_offered)
        return is_for_sale

    def _fit_scaler(self, X):
        """Fit the scaler of the default model to the pool, or to random rows of it.

        The next training uses it. A model that is trained stays as it is, because a
        query changes no predictions.
        """
        if issparse(X) or not n_rows(X) or not self._make_trainer().needs_scaler:
            return
        if n_rows(X) > MOST_ROWS:
            rng = np.random.default_rng((self._seed, 0, SCALE))
            some = rng.choice(n_rows(X), MOST_ROWS, replace=False, shuffle=False)
            X = take(X, np.sort(some))
        self._scaler = fit_scaler(to_memory(X))

    def _choose_purchase(self, X, rows, limit):
        """Return the next `Purchase` among these rows of X, and set `stop_reason_`.

        The purchase is empty if there is a reason to stop. It is not recorded yet.
        """
        n_left, n_for_sale = self._ledger.n_left(self.budget), len(rows)
        round = self._begin_round(X, rows, n_left, limit)
        has_model = round.initial is None
        if round.n_wanted and has_model and self._uses_model:
            has_model = self._can_train(X)  # the last training may have failed
            if not has_model:
                round = round._replace(initial=self._initial_for(0))
        reason, n_audit = None if n_left else "budget", 0
        if round.n_wanted and has_model and self.stopping is not None:
            reason, n_audit = self._ask_stopping_rules(round, n_for_sale)
        # after the rules: limit=0 is the way to ask them without a purchase
        if reason is None and (n_for_sale == 0 or limit == 0):
            reason = "limit" if n_for_sale else "no rows"
        self.stop_reason_ = reason
        if reason is not None:
            return selection.NO_PURCHASE
        n_wanted = min(round.n_wanted, limit)
        # it seeds the next round: a query that buys nothing can be repeated
        self._n_rounds += 1
        if n_audit := min(n_audit, n_wanted):
            purpose = stopping_rules.AUDIT
            return selection.draw_rows(np.asarray(rows), n_audit, round.seed, purpose)
        share = selection.explored_share(self.explore, round.initial)
        if not share:
            return self._apply_rule(round._replace(n_wanted=n_wanted))
        # drawn before the model chooses, so that their probability is known
        is_random, explored = selection.draw_explored(
            share, rows, round.n_batch, n_wanted, round.seed
        )
        chosen = selection.NO_PURCHASE
        if n_chosen := n_wanted - np.count_nonzero(is_random):
            chosen = self._apply_rule(round.with_explored(explored.rows, n_chosen))
        return selection.merge_purchases(is_random, explored, chosen)

    def _begin_round(self, X, rows, n_left, limit):
        """Return the `Round` that chooses among these rows of X.

        Parameters
        ----------
        X : rows
            The pool.
        rows : ndarray of int or RowsExcept
            Row numbers that may be bought.
        n_left : int
            Number of labels that the budget leaves.
        limit : int
            Largest number of rows that the caller takes.
        """
        n_first, initial = self._n_first(), None
        if n_first or self._is_cold_start():
            initial = self._initial_for(n_first)
        n_batch = min(n_first or self._batch_size(), len(rows))
        # a seed for each round: no random state that an error would have to restore
        seed = self._seed, self._n_rounds
        round = Round(X, rows, min(n_batch, n_left), n_batch, seed, initial)
        if self._samples and self.n_candidates is not None:
            # a whole batch at least: enough are left once its random rows are drawn
            round = round.sample_candidates(max(self.n_candidates, n_batch))
        return round

    def _ask_stopping_rules(self, round, n_for_sale):
        """Return a reason to stop or None, and how many random rows a rule asks for."""
        rules = stopping_rules.find_rules(self.stopping)
        if not rules:
            return None, 0
        stopping_rules.check_rule_classes(rules, self.classes_.tolist())
        labelled = self._ledger.labelled
        progress = stopping_rules.Progress(
            getattr(self, "estimator_", None),  # some rules need none
            round.X,
            round.rows,
            labelled.rows,
            self._target.table[labelled.codes],
            self._model_on,
            stopping_rules.AskedRows.of(self._ledger, n_for_sale),
            self.positive,
            round.sample,
        )
        verdict = stopping_rules.judge(rules, progress, self._stopping_memory)
        self._stopping_memory = verdict.memory
        self._has_stopped = verdict.reason is not None
        return verdict.reason, verdict.n_random

    def _model_on(self, n_labels):
        """Return a model that is trained on the first labels."""
        learner = self._with_first_labels(n_labels)
        learner._forget_model()
        learner._train()
        return learner.estimator_

    def _apply_rule(self, round):
        """Choose rows by the model, or by `initial` while there is none."""
        here, measures = round, self._measures_distances(round.initial)
        if round.initial is not None:
            here = self._with_points(round) if measures else round
            return here.in_pool(self._select_without_model(here))
        if measures:
            try:
                best = self._find_best(round)
            except Exception as error:
                return self._apply_without_model(round, error, "choice")
            # outside the block: an embedding that fails is no reason to go on without
            # a model
            here = self._with_points(round, best)
        try:
            purchase = self._select(here)
        except NothingLearned as error:
            return self._apply_without_model(round, error, "equal scores")
        except Exception as error:
            return self._apply_without_model(round, error, "choice")
        return here.in_pool(purchase)

    def _apply_without_model(self, round, error, step):
        self._go_on_without_model(error, step, round.X)
        return self._apply_rule(round._replace(initial=self._initial_for(0)))

    def _is_represented(self, round):
        """Return True if distances are measured among some rows of a large pool."""
        # with a share below 1, the candidates alone are measured, which are few
        return round.share == 1 and n_rows(round.X) > MOST_MEASURED

    def _find_best(self, round):
        """Return the rows of a large pool among which a model chooses by distances."""
        n_best = self._n_best(round) if self._is_represented(round) else 0
        if not n_best:
            return NO_ROWS
        X, rows, n_best = round.X, round.candidates, min(n_best, len(round.candidates))
        utility = self._utilities(X, rows, self._quick_utility)
        keys = [lambda some: hash_rows(X, rows[some])]
        chosen = selection.find_best_different(utility, n_best, round.seed, keys)
        return rows[chosen]

    def _with_points(self, round, best=NO_ROWS):
        """Return the round with points, between which distances are measured.

        Parameters
        ----------
        round : Round
            Rows of the pool, in memory or not.
        best : ndarray of int
            Rows of a large pool that must be among the points.
        """
        if not self._is_represented(round):
            here = round.in_memory()
            return here._replace(points=self._embed_rows(here.X))
        X, initial, n_covering = round.X, round.initial, self._n_covering()
        n = max(N_SAMPLED, n_covering, getattr(self, "n_coverage", None) or 0)
        rng = np.random.default_rng((self._seed, 0, REPRESENT))
        n = min(n, n_rows(X))
        sample = np.sort(rng.choice(n_rows(X), n, replace=False, shuffle=False))
        if not (initial is None or isinstance(initial, str)) or initial == "random":
            # all rows are scored or drawn; the points check the embedding
            return round._replace(points=self._embed_rows(take(X, sample)))
        positions, found = self._ledger.positions, self._ledger.found
        pending = found[(positions == PENDING) & (found >= 0)]
        others = [best, pending, round.explored]
        if np.count_nonzero(round.are_candidates(sample)) < n_covering:
            others.append(round.sample_candidates(n_covering).rows)
        others = np.setdiff1d(np.concatenate(others), sample)
        here = round.restrict(np.append(sample, others))
        return here._replace(points=self._embed_rows(here.X, n))

    def _go_on_without_model(self, error, step, X):
        """Warn that rows are chosen without a model, or raise the error.

        Parameters
        ----------
        error : Exception
            The error of the estimator.
        step : {"training", "choice", "equal scores"}
            The step that failed. A learner warns once of each.
        X : rows
            The pool.
        """
        labelled, is_new = self._ledger.labelled, step not in self._warned_of
        if step != "equal scores":
            if not may_be_cured(error, labelled):
                raise error
            if is_new and not works_with_more_labels(self, X, step):
                raise error
        if is_new:
            estimator = self._make_trainer().estimators[0]
            warn_of_cold_start(estimator, step, error, labelled)
            self._warned_of += (step,)

    def _embed_rows(self, X, n_fitted=None):
        """Return rows as points; points of equal rows are not made again.

        The embedding is fitted to the first `n_fitted` rows; None: to all of them.
        """
        keys, others = hash_rows(X), None
        if n_fitted is not None:
            X, others = take(X, slice(n_fitted)), take(X, slice(n_fitted, None))
        fitted_keys = keys[:n_fitted]
        if self._points is None or not np.array_equal(self._points.keys, fitted_keys):
            names = getattr(self, "feature_names_in_", None)
            estimator = self._make_trainer().estimators[0]
            given = self.embedding, X, fitted_keys, self._seed, names, estimator
            self._points = Points(*given)
        if others is None or not n_rows(others):
            return self._points
        return self._points.with_others(others, keys[n_fitted:])

    def _n_first(self):
        """Return how many of the `n_initial` first rows are still to be bought.

        None, as soon as labels that nobody asked for are of two classes.
        """
        ledger = self._ledger
        n_missing = self.n_initial - len(ledger.labelled.codes) - len(ledger)
        if n_missing <= 0:
            return 0
        knows = ledger.labelled.has_two_classes and ledger.has_unasked_labels
        return 0 if knows else n_missing

    def _is_cold_start(self):
        """Return True if labels are too few for a model to choose rows."""
        return not self._ledger.labelled.has_two_classes

    def _initial_for(self, n_first):
        """Return the value of `initial` for rows that are bought without a model.

        After the first rows, a model is missing because all labels are of one class.
        Rows that cover the pool have then not shown a second class, so that further
        rows are drawn at random.
        """
        is_kept = n_first or not isinstance(self.initial, str)
        return self.initial if is_kept else "random"

    def _measures_distances(self, initial=None):
        """Return True if the pool is needed as points.

        Parameters
        ----------
        initial : str, callable, rows or None
            The start; None: a model chooses.
        """
        if self.batch != "top":
            return True
        if isinstance(initial, str):
            return initial != "random"
        return self.embedding is not None and selection.is_rows(initial)

    def _warn_if_equal(self, scores, X):
        """Warn if the model scores all rows alike, so that coverage alone decides."""
        try:
            check_distinguishes(scores, self.estimator_, self._ledger.labelled)
        except NothingLearned as error:
            self._go_on_without_model(error, "equal scores", X)

    def _uncertainty(self, model, X, temperature=1.0):
        """Return 1 minus the gap of the two highest probabilities of a model."""
        if not self._target.has_label_sets:
            return uncertainty_of_logits(logits_of(model, X) / temperature)
        logits = label_logits(model, X) / temperature
        thresholds = getattr(self.estimator_, "thresholds_", None)
        if thresholds is not None:  # a label is uncertain near its threshold
            is_proper = (thresholds > 0) & (thresholds < 1)
            logits = logits - logit(np.where(is_proper, thresholds, 0.5))
        return utility_of_label_sets(uncertainty_of_logits, 0 * logits, logits)

    def _utilities(self, X, rows, utility=None, model=None):
        """Return the utilities of some rows of a pool, computed block by block.

        Estimators do not check the values again, unless they have a transformer.

        Parameters
        ----------
        X : rows
            The pool.
        rows : {ndarray of int, RowsExcept}
            Row numbers of X.
        utility : callable, optional
            Returns a number for each row of a block; None: `_utility`.
        model : object, optional
            The classifier or the value of `initial` that an error blames for numbers
            that are not finite; None: the model.
        """
        is_checked = isinstance(X, Source | np.ndarray) or issparse(X)
        is_checked = is_checked and not any(map(has_transformer, self._prototypes))
        score = partial(selection.score_block, utility or self._utility, is_checked)
        if not isinstance(rows, RowsExcept):
            X, within = restrict_rows(X, rows)
            scores = selection.map_blocks(score, X, self.n_jobs)[within]
        else:
            scores, start, n = np.empty(len(rows)), 0, 0
            for values in selection.answers_of_blocks(score, X, self.n_jobs):
                some = rows.of(values, start)
                scores[n : n + len(some)] = some
                start, n = start + len(values), n + len(some)
        model = self.estimator_ if model is None else model
        return selection.check_scores(scores, rows, model)

    def _warn_if_constant(self, X):
        """Warn if all labels are of one class, or one class is predicted for all rows.

        Predictions for the labelled rows are checked first, and only if they are all
        the same, predictions for the pool, or for random rows of a large pool.
        """
        codes, reason = self._ledger.labelled.codes, self.stop_reason_
        if reason in (None, "limit") or self.n_pending_:
            return
        if len(codes) < max(self.n_initial, FEWEST_KNOWN):
            return
        n_classes = len(np.unique(codes))
        if n_classes == 1 and reason == "budget":
            warn_of_constant_answer(
                self,
                self._target.name_of(self._target.table[codes[0]]),
                "predicts {} for every row",
                f"since its {len(codes)} labels are all of that class",
                self._advice_if_one_class,
            )
        if n_classes == 1 or not FEWEST_PREDICTED <= len(codes) <= self._n_trained:
            return
        rows = self._ledger.labelled.rows
        answers = np.unique(predict_labels(self.estimator_, rows), axis=0)
        n = n_checked = n_rows(X)
        if len(answers) == 1 and n:
            some, n_checked = slice(None), min(n, MOST_CHECKED)
            if n > MOST_CHECKED:
                rng = np.random.default_rng((self._seed, self._n_rounds))
                some = np.sort(rng.choice(n, MOST_CHECKED, replace=False))
            others = predict_labels(self.estimator_, take(X, some))
            answers = np.unique(np.concatenate([answers, others]), axis=0)
        if len(answers) == 1:
            warn_of_constant_answer(
                self,
                self._target.name_of(answers[0]),
                f"predicts {{}} for all labelled rows and for {n_checked} of the pool",
                f"although it has been taught labels of {n_classes} classes",
                self._advice_if_constant,
            )

    # Labels, corrections and training

    def _check_metadata(self, fit_params, n_rows):
        given = {k: value for k, value in fit_params.items() if value is not None}
        for name in self._ledger.labelled.metadata.keys() - given.keys():
            fill_metadata(name, None, n_rows)  # raises before a label is bought
        if not given or not self._make_trainer().takes_metadata:
            return super()._check_metadata(given, n_rows)
        if not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"{', '.join(given)} cannot reach the estimator: metadata routing is "
                "off. Call sklearn.set_config(enable_metadata_routing=True), and "
                "set_fit_request of the estimator."
            )
        for estimator in self._make_trainer().estimators:  # raises if not requested
            values = requested(estimator, given)
            if isinstance(get_routing_for_object(estimator), MetadataRouter):
                process_routing(estimator, "fit", **values)
        return {name: check_metadata(given[name], name, n_rows) for name in given}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the requests of the learner and of its estimators.

        Returns
        -------
        router : MetadataRouter
            `fit` and `teach` pass metadata, such as weights, to the estimator's `fit`.
        """
        trainer = self._make_trainer()
        estimators = trainer.estimators if trainer.takes_metadata else []
        return route_to_fit(self, estimators).add_self_request(self)

    def _store_labels(self, X, identity, codes, **metadata):
        X = to_memory(X)
        names = getattr(self, "feature_names_in_", None)
        self._ledger = self._ledger.add_labels(
            identity, X, codes, names, self._target.declared, metadata
        )
        self._pool = self._pool.update(self._ledger)

    def _skip(self, identity):
        n_pending = self.n_pending_
        known = () if identity is None else (identity.keys(), identity.names())
        self._ledger = self._ledger.skip(*known)
        return n_pending - self.n_pending_

    def _refund(self, n_labels):
        n_queries = self._ledger.n_queries - n_labels
        self._ledger = replace(self._ledger, n_queries=n_queries)

    def _after_teach(self, pool=None):
        """Return a trained copy, or the learner if its estimator fails."""
        trained = shallow_copy(self)
        try:
            if pool is None:
                trained._train_if_needed()
            else:
                trained._can_train(pool)
        except Exception as error:
            if pool is None and may_be_cured(error, self._ledger.labelled):
                return self  # the next query goes on without a model, or raises it
            warn_user(
                f"The labels are stored, but the estimator failed on them: "
                f"{type(error).__name__}: {error}",
                FitFailedWarning,
            )
            return self
        return trained

    def _can_train(self, X):
        """Train the model if needed; return False if labels are too few for it."""
        try:
            self._train_if_needed()
        except Exception as error:
            self._go_on_without_model(error, "training", X)
            return False
        return True

    def _train_if_needed(self):
        """Train the model if there are new labels, and labels of two classes."""
        labelled = self._ledger.labelled
        if self._n_trained < len(labelled.codes) and labelled.has_two_classes:
            self._train()

    def _train(self):
        trained = self._make_trainer().train(Known.of(self), self._trained)
        self._trained, self.estimator_ = trained, trained.model
        vars(self).update(trained.attributes)
        self._n_trained = len(self._ledger.labelled.codes)

    def _forget_model(self):
        self._n_trained, self._has_stopped = 0, False
        self._stopping_memory = stopping_rules.Remembered()
        attributes = self._trained.attributes if self._trained else ()
        for name in ("estimator_", *attributes):
            self.__dict__.pop(name, None)
        self._trained = None

    @property
    def _prototypes(self):
        """Clones of the estimators with seeds; made again after `set_params`."""
        if self._seeded is None:
            self._seeded = [
                seeded(estimator, self._seed % 2**32)
                for estimator in self._make_trainer().estimators
            ]
        return self._seeded

    def _set_params(self, params):
        super()._set_params(params)
        if hasattr(self, "_seeded"):  # the next training clones the new estimators
            self._seeded = self._points = None

    def correct(
        self, X: RowsLike, y: ArrayLike, *, ids: ArrayLike | None = None
    ) -> Self:
        """Replace labels that were taught.

        The learner becomes what it would be had it been taught the right labels in the
        same calls, on the pool that it knows now. Row numbers, probabilities and the
        number of labels bought stay; stopping rules forget what they remember.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows that were taught. Of equal rows the one that was taught last is meant,
            among those whose label differs.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Their right labels. A class that has no label any more goes, if nobody gave
            the classes.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            For a row that was never taught, a label outside the classes, rows that do
            not match `y` or the features.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs. As
            after each error, the learner is unchanged.

        Warns
        -----
        FitFailedWarning
            If the estimator cannot be trained on the labels, and they are not few. They
            are stored; the next call that needs the model raises the estimator's error.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0)
        identity = identify(learner, X, ids)
        if len(y):
            learner._register_classes(None, y)
            codes = learner._encode(y)
            learner._ledger = learner._ledger.correct(identity, codes)
            learner._restrict_classes(learner._target.declared)
            learner._forget_model()
            learner._repeat_training()
            transaction.learner = learner._after_teach()
        return transaction.commit()

    def _repeat_training(self):
        """Train after each past call but the last, if models continue earlier models.

        As before, a call on whose labels the estimator fails trains nothing.
        """
        if not self._make_trainer().goes_on:
            return
        known = {name: vars(self)[name] for name in ("_ledger", "_pool", "_target")}
        for call in self._ledger.calls[:-1]:
            learner = self._with_first_labels(call.n_labels)
            with suppress(Exception):  # it was a warning then
                learner._train_if_needed()
                vars(self).update(vars(learner) | known)

    def _take_new_values(self, X):
        """Train again if labelled rows have new values in the pool X."""
        ledger, labelled = self._ledger, self._ledger.labelled
        if not len(labelled):
            return
        entries = ledger.taught
        found = ledger.found[entries]
        (inside,), (outside,) = np.nonzero(found >= 0), np.nonzero(found < 0)
        rows, is_new = take(X, found[inside]), np.ones(len(inside), dtype=bool)
        names = getattr(self, "feature_names_in_", None)
        if labelled.has_columns_of(rows, names):
            is_new = differ(rows, take(labelled.rows, inside))
        elif len(outside):
            missing = plain_id(ledger.ids[entries[outside[0]]])
            raise ValueError(
                "X has other columns than before: all labelled rows must be in it, and "
                f"the row with the id {missing!r} is not."
            )
        if not is_new.any():
            return
        if len(outside):
            warn_user(
                f"{np.count_nonzero(is_new)} labelled rows have other values than "
                f"before, and {len(outside)} are not in X: the model is trained on the "
                "last values of the latter. Pass the whole pool.",
            )
        new = take(rows, np.flatnonzero(is_new))
        labelled = labelled.replace_rows(inside[is_new], new, names)
        self._ledger = replace(ledger, labelled=labelled)
        self._forget_model()
        self._repeat_training()
        self._can_train(X)

    def _with_first_labels(self, n_labels):
        """Return a copy with the present model that knows the first labels only."""
        calls = [call for call in self._ledger.calls if call.n_labels >= n_labels]
        learner = shallow_copy(self)
        learner._ledger = self._ledger.first(n_labels)
        learner._pool = self._pool.first(n_labels)
        learner._restrict_classes(calls[0].declared)
        return learner

    def _restrict_classes(self, declared):
        """Keep the declared classes and the classes that have a label."""
        self._target, codes = self._target.restrict(
            declared, self._ledger.labelled.codes
        )
        self._ledger = self._ledger.recode(codes)

    def _encode(self, y):
        return self._target.encode(y)

    def _register_classes(self, classes, y=()):
        if np.ndim(y) == 2:
            if len(self._ledger.labelled) and not self._target.has_label_sets:
                raise ValueError(
                    f"y has {y.shape[1]} columns, but earlier calls taught one label "
                    "for each row. Use another learner for several labels for a row."
                )
            check_suits_label_sets(self)
        self._set_target(self._target.register(classes, y))

    def _set_target(self, target):
        """Set the target, and code the labels by it."""
        before = self._target
        is_declared = target.declared and before.may_grow and not target.may_grow
        if is_declared and not target.has_label_sets:
            self._check_classes(target.classes.tolist())
        is_same_kind = before.has_label_sets == target.has_label_sets
        is_coded = before.table is not None and target.table is not before.table
        if is_same_kind and is_coded:
            codes = target.encode(before.table)[self._ledger.labelled.codes]
            self._ledger = self._ledger.recode(codes)
        self._target = target

    def _check_classes(self, classes):
        """Refuse classes that a parameter does not suit."""
        stopping_rules.check_rule_classes(getattr(self, "stopping", None), classes)

    def _set_classes(self, classes):
        self._set_target(self._target.declare(classes))

    def _encode_answers(self, labels, rows):
        """Register the labels of an oracle; return their codes and an error.

        A wrong label has the code -1.
        """
        if labels.ndim == 2 and not self._takes_label_sets:
            return np.full(len(rows), -1, dtype=np.int32), ONE_LABEL
        if labels.ndim == 1 and not self._target.has_label_sets:
            check_single_output(self._make_trainer().estimators)
        if labels.ndim == 2:
            try:
                self._register_classes(None, labels[:0].astype(np.int64))
            except ValueError as error:
                return np.full(len(rows), -1, dtype=np.int32), str(error)
        target, codes, error = self._target.register_answers(labels, rows)
        self._set_target(target)
        return codes, error

    # The loop

    def fit(self, X: RowsLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Simulate active learning on a labelled pool, from scratch.

        The label of a row is used only if the learner buys it; the set of classes is
        read at the start. If an error ends the call, purchases made before it stay.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of all rows. The learner uses the labels that it buys.
        **fit_params : dict
            Values for `fit` of the estimator, one for each row, such as
            ``sample_weight``. They need
            ``sklearn.set_config(enable_metadata_routing=True)``, and
            ``set_fit_request`` of the estimator. They are stored with the labels;
            labels taught without weights have the weight 1. Learners that train with
            weights of their own, and stream learners, refuse them: use `class_weight`.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            For labels of one class or continuous ones, rows that the estimator
            refuses, an estimator without the method that is needed, or a
            parameter out of its range.
        """

        def start(learner):
            rows, codes = validate_and_reset(learner, X, y)
            learner._check_pool(rows, ByValue(rows))
            return rows, codes, learner._check_metadata(fit_params, len(codes))

        return run_exclusively(self, start, self._buy_from)

    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Continue to simulate active learning, on another labelled pool.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The next chunk of the pool. If equal rows were bought from earlier chunks,
            the same number of these rows is not bought again.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of all rows. The learner uses the labels that it buys.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. None: the labels of `y` and of earlier calls.
        **fit_params : dict
            Values for `fit` of the estimator, one for each row, such as
            ``sample_weight``. They need
            ``sklearn.set_config(enable_metadata_routing=True)``, and
            ``set_fit_request`` of the estimator. They are stored with the labels;
            labels taught without weights have the weight 1. Learners that train with
            weights of their own, and stream learners, refuse them: use `class_weight`.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            As for `fit`, and for a label outside the declared classes.
        """

        def start(learner):
            rows, codes = validate_and_append(learner, X, y, classes)
            learner._check_pool(rows, identify(learner, rows, None))
            if codes.ndim == 1:
                named = learner.classes_[np.unique(codes)].tolist()
                declared = tuple(dict.fromkeys((*learner._target.declared, *named)))
                learner._target = replace(learner._target, declared=declared)
            return rows, codes, learner._check_metadata(fit_params, len(codes))

        return run_exclusively(self, start, self._buy_from)

    def _buy_from(self, X, codes, metadata):
        y = codes if codes.ndim == 2 else self.classes_[codes]

        def answer(rows, keep):
            values = {name: of_all[rows] for name, of_all in metadata.items()}
            keep(y[rows], **values)

        self._ask(X, ByValue(X), answer, y=y, are_more=True)

    @with_callbacks
    def _ask(self, X, identity, answer, candidates=None, y=None, are_more=False):
        """Buy labels until nothing is chosen; each purchase stays when it is made.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            Keys and ids of its rows.
        answer : callable
            ``answer(rows, keep)`` calls ``keep(labels)``, for row numbers of X.
        candidates : ndarray of int, optional
            Row numbers of X that may be bought; None for all.
        y : ndarray of shape (n_samples,), optional
            All labels, for callbacks that score.
        are_more : bool
            Whether these rows add to the rows of earlier calls, for a budget that is a
            share of them.
        """
        transaction = Transaction(self, in_loop=True)
        learner = transaction.learner
        n_before = learner._ledger.n_offered
        is_for_sale = learner._find_rows_for_sale(X, identity, candidates)
        n_for_sale = np.count_nonzero(is_for_sale)
        if are_more:
            if n_for_sale and learner._has_stopped:  # stopping rules judge again
                learner._stopping_memory = stopping_rules.Remembered()
                learner._has_stopped = False
            n_offered = n_before + n_for_sale
            learner._ledger = replace(learner._ledger, n_offered=n_offered)
        learner.queried_indices_ = NO_ROWS
        transaction.commit()
        info = {"estimator": self, "X": X, "y": y}
        # rules that draw rows may end batches early
        is_known = not stopping_rules.rules_that_draw(self.stopping)
        task = self._init_callback_context(
            max_subtasks=self._n_rounds_left(n_for_sale) if is_known else None
        ).call_on_fit_task_begin(**info)
        stop = False
        while not stop:
            transaction = Transaction(self, in_loop=True)
            purchase = transaction.learner._choose_purchase(
                X, rows_of_mask(is_for_sale), UNLIMITED
            )
            if len(purchase.rows) == 0:
                transaction.commit()
                break
            round_task = task.subcontext("query").call_on_fit_task_begin(**info)
            answer(
                purchase.rows, partial(self._buy, transaction, X, identity, purchase)
            )
            is_for_sale[purchase.rows] = False
            if self._uses_model:
                self._train_and_commit(X)
            stop = round_task.call_on_fit_task_end(**info, reconstruction_attributes={})
        self._train_and_commit(X)
        task.call_on_fit_task_end(**info, reconstruction_attributes={})
        if len(self.queried_indices_):
            self._warn_if_constant(X)
        return self

    def _train_and_commit(self, X):
        transaction = Transaction(self, in_loop=True)
        transaction.learner._can_train(X)
        transaction.commit()

    def _buy(self, transaction, X, identity, purchase, labels, **metadata):
        """Commit a transaction that chose rows, together with their labels.

        Rows with a wrong label stay bought and pending. A parameter that the oracle has
        set stays set.
        """
        learner = shallow_copy(transaction.learner)
        vars(learner).update(parameters_of(self))
        codes, error = learner._encode_answers(labels, purchase.rows)
        learner._ledger = learner._ledger.add_requests(identity, purchase)
        (known,) = np.nonzero(codes >= 0)
        if len(known):
            rows = purchase.rows[known]
            X = take(X, rows)
            metadata = {name: values[known] for name, values in metadata.items()}
            learner._store_labels(X, identity.part(X, rows), codes[known], **metadata)
        learner._known_by = identity.kind
        learner.queried_indices_ = np.append(learner.queried_indices_, purchase.rows)
        transaction.commit(learner)
        if error:
            raise ValueError(error)

    def _n_rounds_left(self, n_for_sale):
        """Return the number of rounds left if no rule stops them; None: unknown."""
        if is_share(self.batch_size):
            return None
        n_left = min(self._ledger.n_left(self.budget), n_for_sale)
        n_first = min(self._n_first(), n_left)
        return (n_first > 0) + -(-(n_left - n_first) // self.batch_size)

    # Records

    @available_if(_has_record)
    def record(self) -> dict[str, Any]:
        """Return the requested and taught rows as JSON, without values and labels.

        The record is JSON. Keep it beside the rows, their ids if they have any, and the
        labels: `restore` makes the same learner of them. Learners whose models depend
        on the models before them, or on rows without labels, have no record.

        Returns
        -------
        record : dict
            ``rows``, ``probabilities``, ``purposes``, ``keys`` and ``ids`` have an item
            for each row that was asked for or taught, in this order: its number in the
            pool (None if nobody asked for it), with which probability it was asked for,
            for which purpose, and a hash of its values or, where rows have ids, its id
            (the other one of the two is None). ``taught`` are the positions of the rows
            that have labels, in the order of teaching, and ``skipped`` the positions of
            the skipped rows. The other items are counts, classes, and the memory of the
            stopping rules. Of a learner with machine
            labels, ``drawn_from`` is the number of rows from which its sample was
            drawn, and ``reached`` are the numbers of the sample rows that the ranking
            has reached.

        Raises
        ------
        NotFittedError
            If it has not seen a pool.
        TypeError
            If JSON cannot hold the memory of a stopping rule.
        """
        if not hasattr(self, "_ledger"):
            raise NotFittedError(f"This {type(self).__name__} has seen no rows yet.")
        return Record.of(self).to_json()

    @available_if(_has_record)
    def restore(
        self,
        X: RowsLike,
        record: dict[str, Any],
        y: ArrayLike,
        *,
        ids: ArrayLike | None = None,
    ) -> Self:
        """Restore the recorded state of a learner with the same parameters.

        It is trained once, on all labels. What it knew before is forgotten.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool. Rows that were taught though nobody asked for them must be in it,
            too, anywhere.
        record : dict
            What `record` returned. ``keys`` may be missing if all numbers of rows are
            known, and ``seed`` and ``queried`` may be missing.
        y : array-like of shape (n_taught,), or (n_taught, n_labels)
            The labels, in the order in which they were taught.
        ids : array-like of int or of str of shape (n_samples,), default=None
            The ids of the rows of X, if the learner that was recorded got ids. The pool
            may then be in another order, and have other values.

        Returns
        -------
        self : object
            The restored learner.

        Raises
        ------
        ValueError
            For rows that are not the rows of the record, ids that are missing or that
            the record does not have, another number of labels, a label outside the
            classes, a dict that is no record; as `query`.
        RuntimeError
            As for `teach`.

        Warns
        -----
        FitFailedWarning
            If the estimator cannot be trained on the labels; as for `teach`.

        Examples
        --------
        >>> import json
        >>> from sklearn.base import clone
        >>> from sklearn.datasets import load_iris
        >>> from sklearn_activelearn import MinMarginClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> learner, labels = MinMarginClassifier(budget=30, random_state=0), []
        >>> while len(rows := learner.query(X)):
        ...     labels += y[rows].tolist()
        ...     learner = learner.teach(X[rows], y[rows])
        >>> stored = json.dumps([learner.record(), labels])
        >>> record, labels = json.loads(stored)
        >>> restored = clone(learner).restore(X, record, labels)
        >>> print(restored.n_queries_, restored.score(X, y) == learner.score(X, y))
        30 True
        """
        transaction = Transaction(self)
        learner = transaction.learner
        learner._check_parameters()
        forget_fitted(learner)
        X = learner._check_rows(X, reset=True, min_rows=0)
        learner._reset()
        learner._known_by = None
        identity = identify(learner, X, ids)
        record = Record.from_json(record)
        learner._load(X, identity, record, labels_for(self, y))
        learner._fit_scaler(X)
        transaction.learner = learner._after_teach(X)
        return transaction.commit()

    def _load(self, X, identity, record, y):
        """Set the state of a record, without the model."""
        ledger, rows = record.to_ledger(X, identity)
        entries = ledger.taught
        shape = (len(entries),)
        if record.several_labels:
            if not self._takes_label_sets:
                raise ValueError(
                    f"The record is of a learner of several labels. {ONE_LABEL}"
                )
            shape = len(entries), len(record.classes)
            y = y if len(entries) else np.empty(shape, dtype=np.int64)
        if y.shape != shape:
            raise ValueError(
                f"y must have {len(entries)} labels, one for each row that was taught, "
                f"got shape {y.shape}; expected {shape}."
            )
        self._target = record.to_target(y)
        if len(y):
            names = getattr(self, "feature_names_in_", None)
            codes = self._encode(y)
            metadata = {
                name: check_metadata(values, name, len(codes))
                for name, values in record.metadata.items()
            }
            labelled = ledger.labelled.add(
                take(X, rows[entries]), codes, names, metadata
            )
            ledger = replace(ledger, labelled=labelled)
        self._ledger, self._pool = ledger, KeptPool().update(ledger)
        self._known_by = identity.kind if len(rows) else None
        self._seed = self._seed if record.seed is None else record.seed
        self.queried_indices_ = np.array(record.queried, dtype=np.int64)
        self._n_rounds = record.n_rounds
        self.stop_reason_ = record.stop_reason
        self._has_stopped = record.has_stopped
        memory, rules = record.stopping, stopping_rules.find_rules(self.stopping)
        if memory and len(memory) != len(rules):
            raise ValueError(
                f"The record is of a learner with {len(memory)} stopping rules, and "
                f"this learner has {len(rules)}."
            )
        if memory:
            memory = tuple(deepcopy(memory))
            self._stopping_memory = stopping_rules.Remembered(tuple(rules), memory)

    # Prediction

    @answers_like_input
    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Labels. While all known labels are of one class, that class. Of several
            labels for a row an indicator matrix.
        """
        learner = self._trained_copy()
        X = learner._rows_to_predict(X)
        return answer_by_blocks(partial(predict_labels, learner.estimator_), X)

    @available_if(_models_have("predict_proba"))
    @answers_like_input
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet. Of several labels for a row the
            probability of each, in shape (n_samples, n_labels).
        """
        learner = self._trained_copy()
        X = learner._rows_to_predict(X)
        return learner._probabilities(learner.estimator_, X)

    def _probabilities(self, model, X):
        answer = partial(probabilities_of_all, model, classes=self.classes_)
        if self._target.has_label_sets:
            answer = partial(label_probabilities, model)
        return answer_by_blocks(answer, X)

    @available_if(_models_have("decision_function"))
    @answers_like_input
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the decision values of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive for ``classes_[1]``. A class without a
            labelled row yet is 1 below the lowest of the others. Of several labels for
            a row a column for each, positive if the label is present.
        """
        learner = self._trained_copy()
        model = learner.estimator_

        def answer(rows):
            if learner._target.has_label_sets:
                return label_scores(model, rows)
            if np.array_equal(model.classes_, learner.classes_):
                return scores_of(model, rows)
            scores = scores_of_all(model, rows, learner.classes_)
            return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

        return answer_by_blocks(answer, learner._rows_to_predict(X))

    @available_if(_scores_rows)
    @answers_like_input
    def utility(self, X: RowsLike) -> Floats:
        """Return the number by which `query` ranks each row; higher is bought sooner.

        Only learners that score rows one by one have this method. Any engine can apply
        it to parts of a pool where they are stored, and keep the best rows of each
        part. `query` on these rows alone then makes the purchase that `query` on the
        whole pool makes: it counts the labels, leaves out labelled and pending rows,
        and breaks ties, at random between utilities that agree in half of their digits.
        Therefore break ties at random among the best rows, too, or keep all rows that
        tie with the last one. Votes of `QueryByCommitteeClassifier` tie on many rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows: the pool, or a part of it.

        Returns
        -------
        utilities : ndarray of shape (n_samples,)
            One number for each row; a dask array for a dask array. Labelled and pending
            rows have a number, too.

        Raises
        ------
        ValueError
            If there is no model yet: before the first labels of two classes. Buy these
            with `query`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn_activelearn import UncertaintySamplingClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X /= X.max(axis=0)
        >>> learner = UncertaintySamplingClassifier(random_state=0)
        >>> learner = learner.teach(X[:50], y[:50])
        >>> best = np.argsort(-learner.utility(X[50:]))[:5] + 50
        >>> print(learner.query(X[best]) == 0, learner.n_queries_)
        [ True] 1
        """
        learner = self._trained_copy()
        if learner._n_trained < max(len(learner._ledger.labelled), 1):
            raise ValueError(
                f"utility needs a model, and {type(self).__name__} has none: its "
                f"{len(learner._ledger.labelled)} labels are too few or of one class. "
                "Buy the first rows with query, and teach their labels."
            )
        X = learner._rows_to_predict(X)
        if isinstance(X, Source):
            return X.answers(partial(selection.score_block, learner._utility, True))
        return learner._utilities(X, np.arange(n_rows(X)))

    def _rows_to_predict(self, X):
        trainer = self._make_trainer()
        trainer.check()
        return trainer.check_rows(self, X, reset=False, min_rows=1)

    def _trained_copy(self, previous=None):
        """Return a copy whose model knows all labels.

        Prediction changes nothing, and does not see what other threads change.

        Parameters
        ----------
        previous : PoolClassifier, optional
            Earlier result of this method, with fewer labels. Its model may save time.
        """
        learner = shallow_copy(self)
        check_can_predict(learner)
        labelled = learner._ledger.labelled
        codes = labelled.codes if len(labelled) else [0]
        if labelled.has_two_classes and learner._n_trained < len(codes):
            if previous is not None and not learner._make_trainer().goes_on:
                learner._trained = previous._trained
                learner._n_trained = previous._n_trained
            try:
                learner._train()
            except Exception as error:
                if not may_be_cured(error, labelled):
                    raise
                if "training" not in self._warned_of:
                    estimator = learner._make_trainer().estimators[0]
                    warn_of_cold_start(estimator, "prediction", error, labelled)
        if learner._n_trained < len(codes):
            table = learner._target.table
            learner.estimator_ = Prior(table[codes] if len(table) else table)
        return learner

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        with suppress(AttributeError, TypeError, ValueError):
            # the verbs refuse a wrong parameter, repr must not
            self._make_trainer().adapt_tags(tags)
        tags.classifier_tags.multi_label = (
            self._takes_label_sets and self.stopping is None
        )
        return tags

    def __repr__(self, N_CHAR_MAX=700):
        text = super().__repr__(N_CHAR_MAX)
        with suppress(AttributeError, TypeError, ValueError):  # new, or a wrong budget
            if self._ledger.n_left(self.budget) == 0:
                text += f" [budget spent: {self.n_queries_} labels bought]"
        return text

    def _repr_mimebundle_(self, **kwargs):
        bundle, text = super()._repr_mimebundle_(**kwargs), repr(self)
        if "text/html" in bundle and text.endswith("]"):
            bundle["text/html"] += f"<p>{text[text.rindex('[') + 1 : -1]}</p>"
        return bundle

    def __getstate__(self):
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in CALLBACK_ATTRIBUTES}
