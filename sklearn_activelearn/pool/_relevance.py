"""Relevance sampling: ask for the row that is most likely of one class."""

from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Literal

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.svm import LinearSVC

from .._docstrings import POOL, documented
from .._typing import Classifier, Embedding, Initial, Label, Seed, Stopping
from .._validation import check_number, is_share
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rank_average import RankAverageClassifier
from ._ranking import coarse
from ._selection import finite_scores, scored
from ._training import OneModel
from ._utilities import score_of_class


class WeightedModel(OneModel):
    """Trains one estimator, in which the labels of a class have a weight together.

    Parameters
    ----------
    estimator, incremental
        As for `OneModel`.
    positive : label or None
        That of the class; None: the last.
    weight : float
        Of its labels, if all others weigh 1.
    """

    def __init__(self, estimator, incremental, positive, weight):
        super().__init__(estimator, incremental)
        self.positive, self.weight = positive, weight

    def train(self, known, before):
        """Return the next model."""
        if self.weight != 1 and not self.incremental:
            known = known._replace(prototypes=[self._weighted(known)])
        return super().train(known, before)

    def _weighted(self, known):
        """Return the prototype with weights of the classes in place of "balanced"."""
        (prototype,), labels = map(with_members, known.prototypes), known.labels
        positive = known.classes[-1] if self.positive is None else self.positive
        balanced = [
            name
            for name, value in prototype.get_params().items()
            if name.split("__")[-1] == "class_weight" and value == "balanced"
        ]
        n, n_positive = len(labels), np.count_nonzero(labels == positive)
        if not balanced or n_positive in (0, n):
            return prototype
        share = self.weight / (1 + self.weight)
        weights = dict.fromkeys(
            np.unique(labels).tolist(), (1 - share) * n / (n - n_positive)
        )
        weights[positive] = share * n / n_positive
        return clone(prototype).set_params(**dict.fromkeys(balanced, weights))


def with_members(estimator):
    """Return an estimator in which the members of each rank average are parameters."""
    own = {
        f"{name}__estimators".removeprefix("__"): part._members()
        for name, part in {"": estimator, **estimator.get_params()}.items()
        if isinstance(part, RankAverageClassifier) and part.estimators is None
    }
    return clone(estimator).set_params(**own) if own else estimator


@documented(POOL)
class RelevanceSamplingClassifier(PoolClassifier):
    r"""Pool learner that buys the rows that are most likely of one class.

    To find all rows of a rare class early: papers for a review, documents for a court,
    reports of one kind of accident. Around any classifier with `decision_function` or
    `predict_proba`: train on the labels bought, buy the rows that the model puts first,
    and again.

    Parameters
    ----------
    estimator : classifier, default=None
        Has `decision_function` or `predict_proba`. Cloned, never changed. None:
        ``LinearSVC(C=0.1, class_weight="balanced")``.
    positive : label or None, default=None
        That of the rows to find: a str, a finite number or a bool. None: the last of
        `classes_`.
    positive_weight : float > 0, default=10.0
        What the labels of `positive` weigh, all together, if all others weigh 1:
        wherever ``class_weight="balanced"`` in the estimator, or in a part or member of
        it. 1: balanced as it is.
    n_initial : int >= 1, default=1
        Labels known before the first model. While labels of `positive`, or of all other
        classes, are missing, further rows are random, `batch_size` at a time, unless
        `initial` is a function or rows. Labels that nobody asked for count.
    {initial}
    batch_size : int >= 1 or float in (0, 1), default=1
        Labels bought between two trainings. A float is a share of the labels taught so
        far: batches grow, from one row on, as a single label changes less.
    {batch, embedding, explore, n_candidates}
    budget : int >= 0, float in [0, 1] or None, default=None
        Labels it may buy between one `fit` and the next, as for `MinMarginClassifier`.
        None: no limit, as a search ends by a stopping rule, or by yours.
    {stopping, incremental, n_jobs, random_state}

    Attributes
    ----------
    {estimator_, attributes_of_all}

    {raises}

    See Also
    --------
    RankAverageClassifier : Several models in one, each of which has a say.
    UncertaintySamplingClassifier : For a model of all classes from few labels.

    Notes
    -----
    The utility of a row is the decision value of `positive`. A classifier without
    `decision_function`, or with more than two classes and `predict_proba`, is asked
    for probabilities, and the utility is :math:`\ln p - \ln(1 - p)`. Of a
    `RankAverageClassifier` it is the mean of the ranks that its members give to the
    rows that may be bought. Ties are broken at random.

    Rows are bought by the order of their scores alone. `predict` leans to `positive`,
    whose labels weigh so much: it may name several times as many rows as there are. If
    the predictions count, set ``positive_weight=1``, or train another model on the
    labels.

    The rows bought are no sample of the pool: their share of positive rows says nothing
    about the rest.

    References
    ----------
    .. [1] D. D. Lewis, W. A. Gale, "A Sequential Algorithm for Training Text
       Classifiers", SIGIR 1994, section 2 (relevance sampling).
    .. [2] G. V. Cormack, M. R. Grossman, "Autonomy and Reliability of Continuous Active
       Learning for Technology-Assisted Review", arXiv:1504.06868, 2015 (batches that
       grow).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> is_eight = y == 8
    >>> learner = RelevanceSamplingClassifier(
    ...     positive=True, batch_size=0.05, budget=300, random_state=0
    ... ).fit(X / 16, is_eight)
    >>> print(f"{is_eight[learner.queried_indices_].sum()} of {is_eight.sum()} eights "
    ...       f"in {learner.n_queries_} of {len(X)} rows")
    151 of 174 eights in 300 of 1797 rows
    """

    _advice_without_method = "It has no decision_function, either."

    _advice_if_one_class = (
        "A search begins with a row of the class to find and another one: raise the "
        "budget, teach it one that is known, or pass some as initial."
    )
    _advice_if_constant = (
        "The search does not suffer: rows are bought by their scores, and what counts "
        "is the recall. Only for its predictions, set class_weight='balanced' in its "
        "estimator, if that has it."
    )

    _search_grid = {"batch_size": [1, 0.2]}

    _samples = True

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        positive: Label | None = None,
        positive_weight: float = 10.0,
        n_initial: int = 1,
        initial: Initial = "random",
        batch_size: int | float = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = None,
        stopping: Stopping | None = None,
        incremental: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.positive = positive
        self.positive_weight = positive_weight
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.incremental = incremental
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_trainer(self):
        if self.estimator is None:
            estimator = LinearSVC(C=0.1, class_weight="balanced")
        else:
            estimator = self.estimator
        return WeightedModel(
            estimator, self.incremental, self.positive, self.positive_weight
        )

    @property
    def _needs(self):
        (estimator,) = self._make_trainer().estimators
        has_scores = hasattr(estimator, "decision_function")
        return "decision_function" if has_scores else "predict_proba"

    def _check_parameters(self):
        if not isinstance(self.positive, str | Real | np.bool_ | None):
            raise TypeError(f"positive must be a label, got {self.positive!r}.")
        if isinstance(self.positive, Real) and not np.isfinite(self.positive):
            raise ValueError(f"positive must be a label, got {self.positive!r}.")
        check_number(self.positive_weight, "positive_weight", 0)
        if is_share(self.batch_size):
            check_number(self.batch_size, "batch_size", 0, 1)
        super()._check_parameters()

    def _passive_baseline(self):
        baseline = passive_baseline(self)
        return baseline.set_params(batch_size=self._n_batch(0))

    def _set_classes(self, classes):
        super()._set_classes(classes)
        self._positive_code()

    def _positive_code(self):
        """Return the code of the class to find.

        If two classes are known and it is none of them, it is misspelt more likely than
        still to come.
        """
        known = self.classes_.tolist()
        if self.positive is None:
            return len(known) - 1
        if self.positive not in known:
            raise ValueError(
                f"positive must be one of the classes, {known}, got {self.positive!r}. "
                "If its labels are still to come, pass all classes to teach."
            )
        return known.index(self.positive)

    def _is_cold_start(self, n_first):
        if super()._is_cold_start(n_first):
            return True
        return self._positive_code() not in self._labelled.codes

    def _n_batch(self, n_labels):
        """Return how many rows are bought with so many labels known."""
        if is_share(self.batch_size):
            return max(1, int(self.batch_size * n_labels))
        return self.batch_size

    @property
    def _selection(self):
        n_labels = len(vars(self).get("_labelled", ()))
        return replace(super()._selection, batch_size=self._n_batch(n_labels))

    def _n_rounds_left(self, n_open):
        n_labels = len(self._labelled)
        n_left = min(self._n_left(), n_open)
        n_first = min(self._n_first(), n_left)
        n_rounds, n_bought = int(n_first > 0), n_first
        while n_bought < n_left:
            n_bought += self._n_batch(n_labels + n_bought)
            n_rounds += 1
        return n_rounds

    def _utilities(self, X, rows):
        model = self.estimator_
        if not isinstance(model, RankAverageClassifier):
            return super()._utilities(X, rows)
        ranks = np.zeros(len(rows))
        for member in model.estimators_:
            score = partial(score_of_class, member, column=self._column)
            scores = scored(score, X, rows, self.n_jobs, self._prototypes)
            ranks += rankdata(coarse(finite_scores(scores, rows, member)))
        return ranks / (len(model.estimators_) * len(rows))

    def _utility(self, X):
        return score_of_class(self.estimator_, X, self._column)

    @property
    def _column(self):
        """The place of the class to find among those of the model."""
        label = self.classes_[self._positive_code()]
        return int(np.flatnonzero(self.estimator_.classes_ == label)[0])
