"""Uncertainty Herding: buy rows that cover the rows whose class is uncertain."""

from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np

from ..base._labels import stratified_folds
from ..base._parameters import check_flags, check_limit, check_number, check_option
from ..base._scores import (
    fit_temperature,
    label_logits,
    logits_of,
    uncertainty_of_labels,
    uncertainty_of_logits,
)
from ..base._verbs import unfitted_copy
from ..utils.typing import Classifier, Embedding, Initial, Seed, Stopping
from ._base import PoolClassifier
from ._distances import MOST_ROWS, Coverage, warn_if_distances_mislead
from ._passive import passive_baseline
from ._rule import Rule
from ._selection import COVERING
from ._training import OneModel, fit_with

#: Number of folds that calibrate a model, if there are enough labels.
N_FOLDS = 5


class TemperedModel(NamedTuple):
    """A model, and the temperature by which its logits are divided."""

    model: Any
    temperature: float


class CalibratedModel(OneModel):
    """Trainer of one estimator, which also finds its temperature.

    Parameters
    ----------
    estimator : classifier
        The estimator.
    calibrate : bool
        False: the temperature is 1.
    """

    def __init__(self, estimator, calibrate):
        super().__init__(estimator)
        self.calibrate = calibrate

    def check(self):
        """Refuse a value of `calibrate` that is no truth value."""
        super().check()
        check_flags(calibrate=self.calibrate)

    def train(self, known, before):
        """Return the model, with `temperature_`."""
        trained, temperature = super().train(known, before), 1.0
        if self.calibrate:
            (prototype,) = known.prototypes
            temperature = temperature_of(prototype, known)
        attributes = {"temperature_": temperature}
        tempered = TemperedModel(trained.model, temperature)
        return trained._replace(attributes=attributes, rule_model=tempered)


def temperature_of(prototype, known):
    """Return the temperature with the highest posterior density.

    The likelihood of the labels comes from stratified cross-validation. The logarithm
    of the temperature has a standard normal prior, which decides while labels are few.
    Folds on which the estimator cannot be trained are left out, and so are the rows of
    a class that the other folds lack.
    """
    labelled, classes, names = known.labelled, known.classes, known.label_names
    are_label_sets = classes.ndim == 2
    fold, n_folds = stratified_folds(labelled.codes, N_FOLDS, are_label_sets)
    if n_folds < 2:
        return 1.0
    scores = []
    for k in range(n_folds):
        training = labelled.part(np.flatnonzero(fold != k))
        seen = np.unique(training.codes)
        is_test = (fold == k) & (np.isin(labelled.codes, seen) | are_label_sets)
        test = labelled.part(np.flatnonzero(is_test))
        with suppress(Exception):  # too few rows to train on, say
            model = fit_with(unfitted_copy(prototype), training, classes, names)
            if are_label_sets:  # each label of each row is a row of two classes
                logits = label_logits(model, test.rows).ravel()
                logits = np.column_stack([0 * logits, logits])
                scores.append((logits, classes[test.codes].ravel()))
                continue
            logits = logits_of(model, test.rows)
            scores.append((logits, np.searchsorted(seen, test.codes)))
    return fit_temperature(scores)


class CoveringRule(Rule):
    """Base class of rules that choose rows that cover uncertain ones.

    Parameters
    ----------
    n_coverage, n_candidates
        As for `UncertaintyHerdingClassifier`.
    """

    needs = "predict_proba", "decision_function"
    advice = "It has no predict_proba, either."
    takes_label_sets = True
    reason = COVERING
    samples = False
    measures_distances = True

    def __init__(self, n_coverage, n_candidates):
        self.n_coverage, self.n_covering = n_coverage, n_candidates

    def check(self):
        """Raise an error for a number of rows that is not at least 1."""
        check_limit(self.n_coverage, "n_coverage", 1)
        check_limit(self.n_covering, "n_candidates", 1)

    @property
    def n_reference(self):
        """Number of reference rows."""
        return self.n_coverage or MOST_ROWS

    def coverage(self, space):
        """Return the coverage of a pool in which each row has a radius."""
        return Coverage(space, None, self.n_reference)


class HerdingRule(CoveringRule):
    """Rows that cover the rows whose class is uncertain.

    Parameters
    ----------
    radius, n_coverage, n_candidates
        As for `UncertaintyHerdingClassifier`.
    """

    def __init__(self, radius, n_coverage, n_candidates):
        super().__init__(n_coverage, n_candidates)
        self.radius = radius

    def check(self):
        """Raise an error for a parameter out of its range."""
        super().check()
        if isinstance(self.radius, str):
            check_option(self.radius, "radius", ("global", "local"))
        else:
            check_number(self.radius, "radius", 0)

    def n_best(self, round):
        """Return 0, because rows are chosen for the rows that they cover."""
        return 0

    def utility(self, model, X):
        """Return 1 minus the gap of the two highest calibrated probabilities."""
        return uncertainty_of_logits(logits_of(model.model, X) / model.temperature)

    def label_set_utility(self, model, X):
        """Return the uncertainty of the least certain label."""
        logits = label_logits(model.model, X) / model.temperature
        return uncertainty_of_labels(logits, model.model)

    def coverage(self, space):
        """Return the coverage of a pool by its known rows."""
        if self.radius == "local":
            return super().coverage(space)
        gamma = space.gamma if self.radius == "global" else 1 / self.radius**2
        return Coverage(space, gamma, self.n_reference)

    def select(self, round):
        """Choose rows that cover uncertain rows, which no known row covers."""
        if not round.has_label_sets:
            warn_if_distances_mislead(
                round,
                lambda: round.points.embed(round.known.labelled.rows),
                "Pass an embedding that brings rows of one class together, or take "
                "HybridSamplingClassifier or MinMarginClassifier.",
            )
        coverage = self.coverage(round.space)
        weights = round.score(coverage.reference)
        round.warn_if_equal(weights)
        if not weights.any():  # a model that is certain of all: coverage alone
            weights = np.ones(len(weights))
        return round.choose_covering(coverage, weights)


class UncertaintyHerdingClassifier(PoolClassifier):
    r"""Pool learner that buys rows that are similar to many uncertain rows.

    Around any classifier with `predict_proba` or `decision_function`. The first rows
    cover the pool. Each further row is similar to many rows of which the model is
    uncertain and that no earlier row is similar to. It suits a pool with several
    classes, few labels, and batches.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with `predict_proba` or `decision_function`. It is cloned, never
        changed. None: ``LogisticRegression()``.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    radius : {"global", "local"} or float > 0, default="global"
        Distance at which similarity decreases. "global": the median distance between
        rows or, if that is smaller, the median distance of labelled rows to the nearest
        other one. "local": each row has a radius, so that sparse regions are covered
        like dense ones; see the notes. A number: this distance.

    calibrate : bool, default=True
        True: the probabilities that choose rows are scaled by a temperature, found by
        cross-validation on the labels. `predict_proba` is not scaled.

    n_coverage : int >= 1, default=None
        Number of random rows on which the coverage of the pool is measured. None: all
        rows, or 2,000 rows of a larger pool.

    n_candidates : int >= 1, default=None
        Number of random rows among which the rows of a purchase are chosen, at least
        `n_initial` and `batch_size`. None: all, or 2,000 of a larger pool.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"herding", "random", "mixed"}, callable or rows, default="herding"
        Which rows are bought first, as for `MinMarginClassifier`; rows that cover the
        pool are chosen with this `radius`.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row lies inside the margin of an SVM.
        "stable_predictions": stop when successive models agree. The first rule
        of a list that is met ends it. None: the budget is spent.

    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the rows that represent the pool, of the choice among ties, and of an
        estimator or an embedding without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The estimator, trained on all labels taught.

    temperature_ : float
        The number by which logits are divided; 1 without `calibrate`.

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
    UncertaintySamplingClassifier : Buys the uncertain rows themselves, also with
        ``initial="herding"`` and ``batch="herding"``.

    Notes
    -----
    With the similarity :math:`k(x, z) = \exp(-d^2 / r^2)` at the distance :math:`d` and
    the radius :math:`r`, the labelled rows :math:`L` and the uncertainty :math:`u(x)`
    (1 minus the gap between the two highest probabilities; 1 before the first model),
    the row with the largest gain of

    .. math:: \frac{1}{n} \sum_x u(x) \max_{z \in L} k(x, z)

    is bought, and the next row of a batch as if the first one had a label. The
    global radius shrinks as labelled rows come closer to each other, so that coverage
    counts at first and uncertainty later.

    With ``radius="local"`` the similarity is :math:`\exp(-d^2 / (\sigma_x \sigma_z))`,
    where :math:`\sigma` is the distance of a row to its k-th neighbour and k a tenth of
    the rows that represent the pool [3]_. It does not shrink.

    Once 50 labels are known, a warning is given if the nearest other label predicts
    them no better than the most frequent class does.

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
    distances of all rows to the rows that represent the pool are kept if there are at
    most 2\ :sup:`24`, else computed for each purchase. A pool of more than 50,000 rows
    is represented by 10,000 random rows, or `n_coverage` or `n_candidates` if that is
    more.

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

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        embedding: Embedding | None = None,
        radius: float | Literal["global", "local"] = "global",
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
        self.radius = radius
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

    def make_rule(self):
        """Return the rule."""
        return HerdingRule(self.radius, self.n_coverage, self.n_candidates)

    def make_trainer(self):
        """Return the trainer of `estimator` and its temperature."""
        return CalibratedModel(self.estimator, self.calibrate)

    _passive_baseline = passive_baseline
