"""Relevance sampling: buy the row that is most likely of one class."""

from functools import partial
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.svm import LinearSVC

from ..base._parameters import is_share
from ..base._scores import score_of_class
from ..batch import RankAverageClassifier
from ..utils.typing import Classifier, Embedding, Initial, Label, Seed, Stopping
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rule import Rule
from ._selection import unit_of
from ._training import OneModel

#: Weight of all labels of the class to find together, where the estimator, or a part or
#: member of it, has ``class_weight="balanced"``; the other labels together weigh 1.
POSITIVE_WEIGHT = 10.0


class WeightedModel(OneModel):
    """Trainer of one estimator, in which one class has a weight.

    Parameters
    ----------
    estimator : classifier or None
        The estimator. None: a linear support vector machine.
    positive : label or None
        The class; None: the last one.
    """

    def __init__(self, estimator, positive):
        super().__init__(estimator, LinearSVC(C=0.1, class_weight="balanced"))
        self.positive = positive

    def train(self, known, before):
        """Return the next model."""
        known = known._replace(prototypes=[self._weigh_classes(known)])
        trained = super().train(known, before)
        return trained._replace(
            rule_model=LabelledModel(trained.model, known.classes[-1])
        )

    def _weigh_classes(self, known):
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
        share = POSITIVE_WEIGHT / (1 + POSITIVE_WEIGHT)
        weights = dict.fromkeys(
            np.unique(labels).tolist(), (1 - share) * n / (n - n_positive)
        )
        weights[positive] = share * n / n_positive
        return clone(prototype).set_params(**dict.fromkeys(balanced, weights))


def with_members(estimator):
    """Return an estimator with the default members of rank averages as parameters."""
    own = {
        f"{name}__estimators".removeprefix("__"): part._members()
        for name, part in {"": estimator, **estimator.get_params()}.items()
        if isinstance(part, RankAverageClassifier) and part.estimators is None
    }
    return clone(estimator).set_params(**own) if own else estimator


class LabelledModel(NamedTuple):
    """A model, and the last of the classes that the learner knows."""

    model: Any
    last: Any


class RelevanceRule(Rule):
    """The rows that are most likely of one class.

    Parameters
    ----------
    positive
        As for `RelevanceSamplingClassifier`.
    """

    needs = "decision_function", "predict_proba"
    advice = "It has no decision_function, either."
    reason = "wanted"
    share_of_labels = 1
    advice_if_one_class = (
        "A search begins with a row of the class to find and another one: raise the "
        "budget, teach it one that is known, or pass some as initial."
    )
    advice_if_constant = (
        "The search does not suffer: rows are bought by their scores, and what counts "
        "is the recall. Only for its predictions, set class_weight='balanced' in its "
        "estimator, if that has it."
    )

    def __init__(self, positive):
        self.positive = positive

    def check(self):
        """Raise an error for a class that is no label."""
        if not isinstance(self.positive, str | Real | np.bool_ | None):
            raise TypeError(f"positive must be a label, got {self.positive!r}.")
        if isinstance(self.positive, Real) and not np.isfinite(self.positive):
            raise ValueError(f"positive must be a label, got {self.positive!r}.")

    def check_classes(self, classes):
        """Raise an error if the class to find is not one of the classes."""
        if self.positive is not None and self.positive not in classes:
            raise ValueError(
                f"positive must be one of the classes, {classes}, got "
                f"{self.positive!r}. If its labels are still to come, pass all classes "
                "to teach."
            )

    def can_choose(self, ledger, classes):
        """Return True if the class to find has a label, and another class, too."""
        if not super().can_choose(ledger, classes):
            return False
        known = classes.tolist()
        self.check_classes(known)  # without it, the class is probably misspelt
        code = len(known) - 1 if self.positive is None else known.index(self.positive)
        return code in ledger.labelled.codes

    def utility(self, model, X):
        """Return the score of the class to find."""
        return self._score(*model, X)

    def utilities(self, round):
        """Return scores, or the mean ranks that averaged models give the candidates."""
        average, last = round.model
        if not isinstance(average, RankAverageClassifier):
            return super().utilities(round)
        ranks = np.zeros(len(round.candidates))
        for member in average.estimators_:
            score = partial(self._score, member, last)
            scores = round.score(round.candidates, score, member)
            ranks += rankdata(np.round(scores / unit_of(scores)))  # ties share a rank
        return ranks / (len(average.estimators_) * len(ranks))

    def _score(self, model, last, X):
        label = last if self.positive is None else self.positive
        column = int(np.flatnonzero(model.classes_ == label)[0])
        return score_of_class(model, X, column)


class RelevanceSamplingClassifier(PoolClassifier):
    r"""Pool learner that buys the rows that are most likely of one class.

    It finds the rows of a rare class early: papers for a review, documents for a court,
    reports of one kind of accident. Around any classifier with `decision_function` or
    `predict_proba`: train on the labels bought, buy the rows with the highest scores,
    and again.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with `decision_function` or `predict_proba`. Cloned, never changed.
        None:
        ``LinearSVC(C=0.1, class_weight="balanced")``.

    positive : label or None, default=None
        Label of the rows to find: a str, a finite number or a bool. None: the last of
        `classes_`.

    n_initial : int >= 1, default=1
        Number of labels known before the first model. While labels of `positive`, or of
        all other classes, are missing, further rows are random, `batch_size` at a time,
        unless `initial` is a function or rows. Labels that nobody asked for count.

    initial : {"random", "herding", "mixed"}, callable or rows, default="random"
        Rule for the first rows. "random": random rows, no two of them equal. "herding":
        rows that cover the pool; each is similar to as many rows as possible that are
        not similar to an earlier one (MaxHerding). "mixed": two in five rows are
        random, the others cover the pool. A function ``initial(X)`` gets rows of the
        pool, a block at a time, and returns a number for each; the rows with the
        highest numbers come first. Rows of the wanted kind, of shape (n, n_features):
        rows of the pool with the highest cosine to one of them come first, in the
        `embedding` if there is one.

    batch_size : int >= 1 or float in (0, 1), default=1
        Number of labels bought between two trainings. A float is a share of the labels
        taught so far: batches begin with one row and grow.

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

    budget : int >= 0, float in [0, 1] or None, default=None
        Number of labels it may buy, as for `MinMarginClassifier`. None: no limit; a
        search ends by a stopping rule, or when you end it.

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
        The estimator, trained on all labels taught.

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
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

    See Also
    --------
    RankAverageClassifier : Combines the scores of several models.
    UncertaintySamplingClassifier : Trains a model of all classes on few labels.

    Notes
    -----
    The utility of a row is the decision value of `positive`. A classifier without
    `decision_function`, or with more than two classes and `predict_proba`, is asked
    for probabilities, and the utility is :math:`\ln p - \ln(1 - p)`. With a
    `RankAverageClassifier` it is the mean of the ranks that its members give to the
    rows that may be bought. Ties are broken at random.

    Where the estimator, or a part or member of it, has ``class_weight="balanced"``, all
    labels of `positive` together weigh ten times as much as all others. Rows are bought
    by the order of their scores alone. Because of its weight, `positive` is predicted
    too often, for several times its number of rows perhaps. If the predictions matter,
    train another model on the labels.

    The rows bought are not a random sample of the pool: their share of positive rows
    says nothing about the other rows.

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

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        positive: Label | None = None,
        n_initial: int = 1,
        initial: Initial = "random",
        batch_size: int | float = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = None,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.positive = positive
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

    def make_rule(self):
        """Return the rule."""
        return RelevanceRule(self.positive)

    def make_trainer(self):
        """Return the trainer of `estimator`, with weights of the classes."""
        return WeightedModel(self.estimator, self.positive)

    def _passive_baseline(self):
        baseline = passive_baseline(self)
        if is_share(self.batch_size):
            baseline.set_params(batch_size=1)
        return baseline
