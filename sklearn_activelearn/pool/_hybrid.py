"""Hybrid sampling: a mixture of uncertain, representative and random rows."""

import numpy as np

from ..base._scores import (
    label_logits,
    logits_of,
    uncertainty_of_labels,
    uncertainty_of_logits,
)
from ..batch import BlendClassifier
from ..sources._containers import hash_rows
from ..utils.typing import Classifier, Embedding, Initial, Seed, Stopping
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._selection import (
    BEST_PER_ROW,
    COVERING,
    NO_PURCHASE,
    UNCERTAIN,
    choose_without_copies,
    draw_positions,
    find_best_different,
    merge_purchases,
    ranked_purchase,
)
from ._training import OneModel
from ._uncertainty_herding import CoveringRule

#: Share of the smallest margins among the rows that a model chooses, with two classes,
#: and with N classes once there are LABELS_PER_CLASS * max(N, MANY_CLASSES) labels.
MARGIN_SHARE = 0.75
LABELS_PER_CLASS, MANY_CLASSES = 10, 10

#: Number of the least certain rows among which rows far apart are chosen.
N_BEST = 500

#: Number of uncertain rows of a large pool that are found with a quick model.
N_FOUND = 2_000

#: Makes the draw of positions differ from other draws of a round.
POSITIONS = 3


class HybridRule(CoveringRule):
    """Uncertain rows, and rows that cover uncertain ones.

    Parameters
    ----------
    n_coverage, n_candidates
        As for `HybridSamplingClassifier`.
    """

    def utility(self, model, X):
        """Return the uncertainty of the part of a blend that chooses rows."""
        model = getattr(model, "row_estimator_", model)
        return uncertainty_of_logits(logits_of(model, X))

    def label_set_utility(self, model, X):
        """Return the uncertainty of the least certain label."""
        logits = label_logits(getattr(model, "row_estimator_", model), X)
        return uncertainty_of_labels(logits, model)

    def quick_utility(self, model, X):
        """Return the uncertainty of the first candidate of a blend."""
        model = getattr(model, "first_estimator_", model)
        return uncertainty_of_logits(logits_of(model, X))

    def n_best(self, round):
        """Return the number of uncertain rows of a large pool."""
        is_margin = round.initial is None and self._margin_share(round) > 0
        return max(N_FOUND, BEST_PER_ROW * round.n_batch) if is_margin else 0

    def select(self, round):
        """Choose uncertain rows, and rows that cover other uncertain ones."""
        rows = round.rows
        # a batch that is cut short begins as the whole one does
        n_batch = min(round.n_batch, len(rows))
        uncertain = NO_PURCHASE
        rng = np.random.default_rng((*round.seed, POSITIONS))
        is_margin = draw_positions(self._margin_share(round), n_batch, rng)
        if n_uncertain := np.count_nonzero(is_margin):
            uncertain = self._choose_uncertain(round, n_uncertain)
        is_margin, representative = is_margin[: round.n_wanted], NO_PURCHASE
        if n_others := round.n_wanted - np.count_nonzero(is_margin):
            keys = round.points.keys
            rows = without_chosen(keys, rows, uncertain.rows, n_others)
            coverage = self.coverage(round.space.with_known(uncertain.rows))
            weights = round.score(coverage.reference)
            round.warn_if_equal(weights)
            others = round._replace(candidates=rows, n_wanted=n_others)
            representative = others.choose_covering(coverage, weights)
            representative = representative._replace(reasons=COVERING)
        return merge_purchases(is_margin, uncertain, representative)

    def _margin_share(self, round):
        """Return the share of the smallest margins in the next purchase.

        Of several labels for a row some label is nearly always uncertain: rows that
        cover the uncertain ones are better, and no set is worse than with random rows.
        """
        if round.has_label_sets:
            return 0.0
        codes = round.known.labelled.codes
        n_classes = len(np.unique(codes))
        n_enough = LABELS_PER_CLASS * max(n_classes, MANY_CLASSES)
        return MARGIN_SHARE if n_classes == 2 or len(codes) >= n_enough else 0.0

    def _choose_uncertain(self, round, n_wanted):
        """Choose rows with small gaps, no near-copies of chosen or known rows."""
        X, rows = round.X, round.rows
        utility = round.score(rows)
        round.warn_if_equal(utility)
        keys = [lambda some: hash_rows(X, rows[some])]
        n_best = min(max(N_BEST, BEST_PER_ROW * n_wanted), len(rows))
        chosen = find_best_different(utility, n_best, round.seed, keys)
        apart = choose_without_copies(
            round.space, rows[chosen], n_wanted, self.n_reference
        )
        chosen = chosen[apart]
        return ranked_purchase(rows[chosen], utility[chosen], reasons=UNCERTAIN)


class HybridSamplingClassifier(PoolClassifier):
    r"""Pool learner to try first: buys uncertain, representative and random rows.

    It works with any classifier that has `predict_proba` or `decision_function`. No
    single rule is right on every pool. This learner mixes three, so that none can
    mislead it for long: rows of which the model is least certain, rows that are similar
    to many uncertain rows, and some random rows, which also measure how good the model
    is.

    Parameters
    ----------
    estimator : classifier, default=None
        The model, with `predict_proba` or `decision_function`. None:
        ``BlendClassifier()``, whose first candidate chooses the rows while there are
        few labels or rare classes.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    explore : float in [0, 1], default=0.1
        Share of each purchase that is random; `explored_score` needs them.

    n_coverage : int >= 1, default=None
        Number of random rows on which the coverage of the pool is measured. None: all
        rows, or 2,000 rows of a larger pool.

    n_candidates : int >= 1, default=None
        Number of random rows among which rows that cover the pool are chosen, at least
        `n_initial` and `batch_size`. None: all, or 2,000 of a larger pool.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"mixed", "random", "herding"}, callable or rows, default="mixed"
        Which rows are bought first, as for `MinMarginClassifier`.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

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
        Seed of all draws, of the choice among ties, and of an estimator or an embedding
        without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The model, trained on all labels: a `BlendClassifier`, unless `estimator` is
        given.

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
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator has neither probabilities nor decision values
        for each class, an embedding or a kernel fails on the pool, the tags of the
        estimator refuse the rows, or a label is not one of the classes.

    See Also
    --------
    UncertaintyHerdingClassifier : Buys only representative rows.
    UncertaintySamplingClassifier, MinMarginClassifier : Buy only uncertain rows, also
        from pools that have no distances.

    Notes
    -----
    Two in five of the first rows are random, and the others cover the pool. In each
    later purchase a share `explore` is random. With two known classes, and with more
    once there are 100 labels and ten for each class, three quarters of the other rows
    are those with the smallest gap between the two highest probabilities (the softmax
    of the decision values, if there are no probabilities). All other rows are chosen as
    by `UncertaintyHerdingClassifier` with ``radius="local"`` and ``calibrate=False``,
    as if the rows before had their labels. A fraction of a row is rounded up with that
    probability, else down.

    Rows with small gaps are no near-copies of each other or of labelled rows, if others
    are left. The distances of a row to the nearest tenth of the rows that represent the
    pool, in order, have a widest gap, where a distance is the largest multiple of the
    distance before. A row is a near-copy of another one at less than a third of the
    distance that ends the gap.

    A pool of more than 50,000 rows is too large to measure the distances among all
    rows. They are measured among 10,000 random rows (or `n_coverage` or `n_candidates`,
    if larger) and the 2,000 rows with the smallest gaps (or ten times `batch_size`, if
    larger). One pass over the pool finds the smallest gaps, with the first candidate of
    a blend.

    References
    ----------
    .. [1] W. Bae, G. L. Oliveira, D. J. Sutherland, "Uncertainty Herding: One Active
       Learning Method for All Label Budgets", ICLR 2025.
    .. [2] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, TR 1648, 2009, section 3.1 (margin sampling).
    .. [3] X. Zhan, Q. Wang, K. Huang, H. Xiong, D. Dou, A. B. Chan, "A Comparative
       Survey of Deep Active Learning", arXiv:2203.13450, 2022 (hybrid strategies).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import HybridSamplingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = HybridSamplingClassifier(
    ...     batch_size=20, budget=30, random_state=0
    ... ).fit(X[:900] / 16, y[:900])
    >>> print(f"{learner.n_queries_} labels, accuracy "
    ...       f"{learner.score(X[900:] / 16, y[900:]):.2f}")
    30 labels, accuracy 0.85
    """

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        embedding: Embedding | None = None,
        explore: float = 0.1,
        n_coverage: int | None = None,
        n_candidates: int | None = None,
        n_initial: int = 10,
        initial: Initial = "mixed",
        batch_size: int = 1,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.embedding = embedding
        self.explore = explore
        self.n_coverage = n_coverage
        self.n_candidates = n_candidates
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def make_rule(self):
        """Return the rule."""
        return HybridRule(self.n_coverage, self.n_candidates)

    def make_trainer(self):
        """Return the trainer of `estimator`, or of a blend."""
        return OneModel(self.estimator, default=BlendClassifier())

    _passive_baseline = passive_baseline


def without_chosen(keys, rows, chosen, n_wanted):
    """Return rows that were not chosen, without equal ones if enough are left."""
    rows = np.setdiff1d(rows, chosen, assume_unique=True)
    different = rows[~np.isin(keys[rows], keys[chosen])]
    return different if len(different) >= n_wanted else rows
