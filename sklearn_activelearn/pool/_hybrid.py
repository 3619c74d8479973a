"""A mixture of rules that is never much worse than random rows."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from .._docstrings import HERDING, documented
from .._typing import Classifier, Embedding, Initial, Seed, Stopping
from .._validation import check_limit
from ..sources._containers import hash_rows
from ._base import PoolClassifier
from ._distances import MOST_ROWS, Coverage, far_apart
from ._input_checks import NEEDS_ALL
from ._passive import passive_baseline
from ._ranking import best_of_different
from ._selection import (
    NOTHING,
    SPREAD,
    Selection,
    finite_scores,
    mixed,
    places_of,
    ranked,
    scored,
)
from ._training import OneModel, logit_method_of, logits_of
from ._utilities import small_gap

#: Of the rows that a model chooses, the share with the smallest margins where there
#: are two classes; with more of them the others stand for many rows each.
MARGIN_SHARE = 0.75

#: Among how many of the least certain rows those are taken that are far apart.
N_BEST = 500

#: Makes the draw of a part of a row differ from other draws of a round.
PART = 3


@documented(HERDING)
class HybridSamplingClassifier(PoolClassifier):
    r"""Pool learner to take first: uncertain, representative and random rows.

    Around any classifier with `predict_proba` or `decision_function`. No single rule
    is right on every pool. This one mixes three, so that none can mislead it for long:
    rows that the model is least certain of, rows that stand for many uncertain ones,
    and some random rows, which also tell how good the model is.

    Parameters
    ----------
    {estimator, embedding}
    explore : float in [0, 1], default=0.1
        Share of each purchase that is random; `explored_score` needs them.
    {n_coverage}
    n_candidates : int >= 1, default=None
        Among how many random rows those of a purchase that cover the pool are chosen,
        no fewer than `n_initial` and `batch_size`. None: all, or 4,000 of a larger
        pool.
    {n_initial}
    initial : {"mixed", "random", "herding"}, callable or rows, default="mixed"
        Which rows are bought first, as for `MinMarginClassifier`.
    {batch_size, budget, stopping, n_jobs}
    random_state : int, RandomState instance or None, default=None
        Seed of all draws, of the choice among ties, and of the estimator and the
        embedding if they have none of their own.

    Attributes
    ----------
    {estimator_, attributes_of_all}

    {failing_embedding}

    See Also
    --------
    UncertaintyHerdingClassifier : Only rows that stand for many uncertain ones.
    UncertaintySamplingClassifier, MinMarginClassifier : Only the smallest margins;
        also for pools that have no distances, or do not fit in memory.

    Notes
    -----
    Of the first rows two in five are random, and the others cover the pool. Of each
    later purchase a share `explore` is random. While two classes are known, three
    quarters of the others have the smallest gap between the two highest probabilities,
    the softmax of the decision values if there are none. What is left, with more
    classes all of it, is chosen as by `UncertaintyHerdingClassifier` with
    ``radius="local"`` and ``calibrate=False``, as if the rows before had their labels.
    A part of a row is drawn with that probability.

    The shares were chosen on other data sets than those on which the guide compares
    the rules.

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
    ...     batch_size=10, budget=50, random_state=0
    ... ).fit(X[:900] / 16, y[:900])
    >>> print(f"{learner.n_queries_} labels, accuracy "
    ...       f"{learner.score(X[900:] / 16, y[900:]):.2f}")
    50 labels, accuracy 0.87
    """

    _search_grid = {"explore": [0.0, 0.3]}

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

    @property
    def _needs(self):
        return logit_method_of(*self._make_trainer().estimators)

    _advice_without_method = "It has no predict_proba, either."

    def _make_trainer(self):
        estimator = LogisticRegression() if self.estimator is None else self.estimator
        return OneModel(estimator, incremental=False)

    def _why_in_memory(self, trainer):
        return NEEDS_ALL

    def _check_parameters(self):
        super()._check_parameters()
        check_limit(self.n_coverage, "n_coverage", 1)
        check_limit(self.n_candidates, "n_candidates", 1)

    _passive_baseline = passive_baseline

    @property
    def _selection(self):
        sizes = self.n_initial, self.batch_size
        return Selection(*sizes, self.initial, "herding", self.embedding)

    def _start(self, X, rows, n_wanted, seed):
        initial = self._selection.initial_for(self._n_first())
        if isinstance(initial, str) and initial != "random":
            return self._representative(X, rows, n_wanted, seed, self._space)
        return super()._start(X, rows, n_wanted, seed)

    def _select(self, X, rows, n_wanted, seed):
        # a batch that is cut short begins as the whole one does
        n_batch = min(self.batch_size, len(rows))
        is_margin, certain, others = np.zeros(n_batch, dtype=bool), NOTHING, NOTHING
        if len(np.unique(self._labelled.codes)) == 2:
            rng = np.random.default_rng((*seed, PART))
            is_margin = places_of(MARGIN_SHARE, n_batch, rng)
        if n_certain := np.count_nonzero(is_margin):
            certain = self._least_certain(X, rows, n_certain, seed)
        is_margin = is_margin[:n_wanted]
        if n_others := n_wanted - np.count_nonzero(is_margin):
            rows = self._others(rows, certain.rows, n_others)
            given = n_others, seed, self._space.beside(certain.rows)
            others = self._representative(X, rows, *given, self._uncertainties)
        return mixed(is_margin, certain, others)

    def _others(self, rows, chosen, n_wanted):
        """Return the rows that were not chosen; none equal to these if enough."""
        rows = np.setdiff1d(rows, chosen, assume_unique=True)
        keys = self._points.keys
        different = rows[~np.isin(keys[rows], keys[chosen])]
        return different if len(different) >= n_wanted else rows

    def _least_certain(self, X, rows, n_wanted, seed):
        """Choose rows with small gaps, no two of them close to each other."""
        utility = self._uncertainties(X, rows)
        equal = [lambda some: hash_rows(X, rows[some])]
        n_best = min(max(N_BEST, SPREAD * n_wanted), len(rows))
        chosen = best_of_different(utility, n_best, seed, equal)
        n_coverage = self.n_coverage or MOST_ROWS
        chosen = chosen[far_apart(self._space, rows[chosen], n_wanted, n_coverage)]
        return ranked(rows[chosen], utility[chosen])

    def _representative(self, X, rows, n_wanted, seed, space, weigh=None):
        """Choose rows that stand for many others, weighed if there is a model."""
        n_coverage = self.n_coverage or MOST_ROWS
        coverage = Coverage(space, gamma=None, n_coverage=n_coverage)
        n_candidates = self.n_candidates or MOST_ROWS
        n_candidates = max(n_candidates, self.n_initial, self.batch_size)
        weights = None if weigh is None else weigh(X, coverage.standing)
        return ranked(*coverage.herd(rows, n_wanted, seed, weights, n_candidates))

    def _uncertainties(self, X, rows):
        utility = scored(self._uncertainty, X, rows, self.n_jobs, self._prototypes)
        return finite_scores(utility, rows, self.estimator_)

    def _uncertainty(self, X):
        return small_gap(logits_of(self.estimator_, X))
