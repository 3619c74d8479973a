"""Uncertainty Herding: cover the rows whose class is uncertain."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.linear_model import LogisticRegression

from .._docstrings import HERDING, documented
from .._typing import Classifier, Embedding, Initial, Seed, Stopping
from .._validation import check_flag, check_limit, check_number, check_option
from ._base import PoolClassifier
from ._distances import MOST_ROWS, Coverage, check_kernel, warn_if_distances_mislead
from ._input_checks import NEEDS_ALL
from ._passive import passive_baseline
from ._selection import Selection, finite_scores, ranked, scored
from ._training import CalibratedModel, logit_method_of, logits_of
from ._utilities import small_gap


@documented(HERDING)
class UncertaintyHerdingClassifier(PoolClassifier):
    r"""Pool learner that buys rows that stand for many uncertain ones.

    Around any classifier with `predict_proba` or `decision_function`. The first rows
    cover the pool. Then each is chosen to be similar to many rows that the model is
    not certain of and that are not similar to a row that was bought before. It suits
    a pool with several classes, few labels, and batches.

    Parameters
    ----------
    {estimator, embedding}
    kernel : {"rbf", "cosine"} or callable, default="rbf"
        Similarity of points: :math:`\exp(-\gamma d^2)` of their distance, the cosine of
        their angle, or ``kernel(first, second)``, at most 1, of shape (n_first,
        n_second).
    radius : {"global", "local"} or float > 0, default="global"
        Of the kernel "rbf". "global": one for all rows that shrinks as labelled rows
        come closer together. "local": each row has its own, so that sparse regions are
        covered like dense ones; see the notes. A number: this distance.
    gamma : float > 0, default=None
        Of the kernel "rbf", with ``radius="global"`` only: the reciprocal of the
        squared radius. None: the radius is the root of the median squared distance
        between rows or, where labelled rows lie closer together, their median distance
        to the nearest other one.
    calibrate : bool, default=True
        Whether the probabilities that choose rows are scaled by a temperature, found
        by cross-validation on the labels. `predict_proba` is the estimator's own.
    {n_coverage}
    n_candidates : int >= 1, default=None
        Among how many random rows those of a purchase are chosen, no fewer than
        `n_initial` and `batch_size`. None: all, or 4,000 of a larger pool.
    {n_initial}
    initial : {"herding", "random", "mixed"}, callable or rows, default="herding"
        Which rows are bought first, as for `MinMarginClassifier`; those that cover the
        pool do so with this `kernel` and `gamma`.
    {batch_size, explore, budget}
    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row lies inside the margin of an SVM.
        "stable_predictions": stop when successive models agree. The first rule
        of a list that is met ends it. None: the budget is spent.
    {n_jobs}
    random_state : int, RandomState instance or None, default=None
        Seed of the rows that stand for the pool, of the choice among ties, and of the
        estimator and the embedding if they have none of their own.

    Attributes
    ----------
    {estimator_}
    temperature_ : float
        What the logits are divided by; 1 without `calibrate`.
    {attributes_of_all}

    {failing_embedding}

    See Also
    --------
    UncertaintySamplingClassifier : The uncertain rows themselves; also with
        ``initial="herding"`` and ``batch="herding"``.

    Notes
    -----
    With the similarity :math:`k`, the labelled rows :math:`L` and the uncertainty
    :math:`u(x)` (1 minus the gap between the two highest probabilities; 1 before the
    first model), the row with the largest gain of

    .. math:: \frac{1}{n} \sum_x u(x) \max_{z \in L} k(x, z)

    is bought, and the next one of a batch as if that one had its label. The
    radius shrinks as labelled rows come closer to each other, so that coverage counts
    at first and uncertainty later.

    With ``radius="local"`` the similarity is :math:`\exp(-d^2 / (\sigma_x \sigma_z))`,
    where :math:`\sigma` is the distance of a row to its k-th neighbour and k a tenth of
    the rows that stand for the pool [3]_. It does not shrink.

    Once 50 labels are known, a warning says so if the nearest other one predicts them
    no better than the most frequent class does.

    The logits (logarithms of probabilities, or decision values) are divided by the
    temperature :math:`T` that maximises the likelihood of the labels in stratified
    5-fold cross-validation times a standard normal density of :math:`\ln T`, which
    decides while labels are few; while no two classes have two labels each,
    :math:`T = 1`. Folds on which the estimator cannot be trained are left out. The
    paper takes the :math:`T \ge 1` with the least calibration error on a part of the
    labels, and the distance of the closest two labelled rows as the radius.
    Calibration costs five more trainings for each one.

    A purchase takes time and memory in proportion to `n_coverage` times `n_candidates`,
    and time in proportion to `n_coverage` times the number of labelled rows. The
    distances of all rows to those that stand for the pool are kept if they are no more
    than 2\ :sup:`24`, else computed for each purchase.

    References
    ----------
    .. [1] W. Bae, G. L. Oliveira, D. J. Sutherland, "Uncertainty Herding: One Active
       Learning Method for All Label Budgets", ICLR 2025.
    .. [2] W. Bae, J. Noh, D. J. Sutherland, "Generalized Coverage for More Robust
       Low-Budget Active Learning", ECCV 2024 (MaxHerding).
    .. [3] L. Zelnik-Manor, P. Perona, "Self-Tuning Spectral Clustering", NIPS 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import UncertaintyHerdingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = UncertaintyHerdingClassifier(
    ...     batch_size=10, budget=50, random_state=0
    ... ).fit(X[:900] / 16, y[:900])
    >>> print(f"{learner.n_queries_} labels, accuracy "
    ...       f"{learner.score(X[900:] / 16, y[900:]):.2f}")
    50 labels, accuracy 0.89
    """

    _search_grid = {"calibrate": [True, False]}

    temperature_: float

    initial = "herding"  # of pickles that lack it

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        embedding: Embedding | None = None,
        kernel: Literal["rbf", "cosine"] | Callable[..., Any] = "rbf",
        radius: float | Literal["global", "local"] = "global",
        gamma: float | None = None,
        calibrate: bool = True,
        n_coverage: int | None = None,
        n_candidates: int | None = None,
        n_initial: int = 10,
        initial: Initial = "herding",
        batch_size: int = 1,
        explore: float = 0.0,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.embedding = embedding
        self.kernel = kernel
        self.radius = radius
        self.gamma = gamma
        self.calibrate = calibrate
        self.n_coverage = n_coverage
        self.n_candidates = n_candidates
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.explore = explore
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
        return CalibratedModel(estimator, self.calibrate)

    def _why_in_memory(self, trainer):
        return NEEDS_ALL

    def _check_parameters(self):
        super()._check_parameters()
        check_flag(self.calibrate, "calibrate")
        check_kernel(self.kernel)
        if isinstance(self.radius, str):
            check_option(self.radius, "radius", ("global", "local"))
        else:
            check_number(self.radius, "radius", 0)
        if self.gamma is not None:
            check_number(self.gamma, "gamma", 0)
            if self.radius != "global":
                raise ValueError(
                    f'gamma needs radius="global", got radius={self.radius!r}.'
                )
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
            return self._herd(self._coverage(), rows, n_wanted, seed)
        return super()._start(X, rows, n_wanted, seed)

    def _select(self, X, rows, n_wanted, seed):
        warn_if_distances_mislead(
            self,
            lambda: self._points.further(self._labelled.rows),
            "Pass an embedding that brings rows of one class together, or take "
            "HybridSamplingClassifier or MinMarginClassifier.",
        )
        coverage = self._coverage()
        standing = coverage.standing
        weights = scored(self._uncertainty, X, standing, self.n_jobs, self._prototypes)
        weights = finite_scores(weights, standing, self.estimator_)
        if not weights.any():  # a model that is certain of all: coverage alone
            weights = np.ones(len(weights))
        return self._herd(coverage, rows, n_wanted, seed, weights)

    def _coverage(self):
        space = self._space
        if self.radius == "global":
            gamma = space.gamma if self.gamma is None else self.gamma
        else:
            gamma = None if self.radius == "local" else 1 / self.radius**2
        return Coverage(space, self.kernel, gamma, self.n_coverage or MOST_ROWS)

    def _herd(self, coverage, rows, n_wanted, seed, weights=None):
        n_candidates = self.n_candidates or MOST_ROWS
        n_candidates = max(n_candidates, self.n_initial, self.batch_size)
        return ranked(*coverage.herd(rows, n_wanted, seed, weights, n_candidates))

    def _uncertainty(self, X):
        """Return 1 minus the gap between the two highest probabilities."""
        return small_gap(logits_of(self.estimator_, X) / self.temperature_)
