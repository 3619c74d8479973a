"""Rules that stop at a state of the model, or at the price of labels."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ...base._parameters import check_number
from ...base._scores import scores_of, smallest_margin
from ...losses import make_loss
from ...sources._containers import take
from ...utils._statistics import net_share
from ._base import Progress, StoppingRule, named


@named("no_new_class")
@dataclass(frozen=True)
class NoNewClass(StoppingRule):
    """Stop when none of the last labels was of a class not seen before.

    The rule does not judge the model. Use it in `AllOf`, to delay a rule that would
    stop before all classes are known. If the labels belong to random rows, unseen
    classes make up less than 3 / `n_labels` of the rows, with 95 % confidence. Chosen
    rows may meet new classes more often or less often.

    Parameters
    ----------
    n_labels : int >= 1, default=100
        Number of consecutive labels, in the order of teaching.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a number outside its range.

    References
    ----------
    .. [1] J. A. Hanley, A. Lippman-Hand, "If Nothing Goes Wrong, Is Everything All
       Right? Interpreting Zero Numerators", JAMA 249, 1983 (the rule of three).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import NoNewClass
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = MinMarginClassifier(
    ...     stopping=NoNewClass(30), batch_size=10, budget=None, random_state=0
    ... )
    >>> learner = learner.fit(X / 16, y)
    >>> n_classes = len(set(y[learner.queried_indices_]))
    >>> print(learner.n_queries_, "labels of", n_classes, "classes")
    60 labels of 10 classes
    """

    n_labels: int = 100

    def check(self) -> None:
        """Raise an error if the number is outside its range."""
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        _, first = np.unique(progress.labels, return_index=True)
        n_since = len(progress.labels) - 1 - first.max()
        return bool(n_since >= self.n_labels), memory


@named("no_error")
@dataclass(frozen=True)
class NoError(StoppingRule):
    """Stop when the model predicted the last labels before they were taught.

    Each label is compared with the prediction of the model that bought its row. The
    chosen rows are the hard ones, so a model that predicts them also predicts the
    others. On data with wrong labels the rule hardly ever stops. The count begins with
    the first model, and again when a label is corrected.

    Parameters
    ----------
    n_labels : int >= 1, default=20
        Number of consecutive labels.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a number outside its range.

    References
    ----------
    .. [1] J. Zhu, E. Hovy, "Active Learning for Word Sense Disambiguation with Methods
       for Addressing the Class Imbalance Problem", EMNLP-CoNLL 2007 (min-error).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import NoError
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = MinMarginClassifier(
    ...     stopping=NoError(10), batch_size=10, budget=None, random_state=0
    ... )
    >>> print(learner.fit(X, y).n_queries_, "labels of", len(y))
    110 labels of 569
    """

    n_labels: int = 20

    needs = ("predict",)

    def check(self) -> None:
        """Raise an error if the number is outside its range."""
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        n_known = len(progress.labels)
        n_before, n_right = memory or (n_known, 0)
        if n_known > n_before:
            before = progress.model_after(n_before)
            predicted = before.predict(take(progress.rows, slice(n_before, None)))
            (wrong,) = np.nonzero(predicted != progress.labels[n_before:])
            n_right += n_known - n_before
            if len(wrong):
                n_right = n_known - n_before - 1 - int(wrong[-1])
        return n_right >= self.n_labels, [n_known, n_right]


#: The agreement of two models is measured on at most this number of rows.
MOST_COMPARED = 10_000


def stop_set(left):
    """Return at most `MOST_COMPARED` row numbers, nearly the same ones each time.

    A row is preferred by a hash of its number. So a row that is bought is replaced by
    another one, and the other rows of the set stay.
    """
    if len(left) <= MOST_COMPARED:
        return left
    number = left.astype(np.uint64)  # the finalizer of splitmix64
    number = (number ^ (number >> 30)) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> 27)) * np.uint64(0x94D049BB133111EB)
    order = np.argpartition(number ^ (number >> 31), MOST_COMPARED)
    return np.sort(left[order[:MOST_COMPARED]])


def times_in_a_row(progress, memory, agree):
    """Count the consecutive agreements of successive models.

    Parameters
    ----------
    progress : Progress
        State of the learner.
    memory : list of int or None
        Number of labels at the last query, and the count until then.
    agree : callable
        Returns True if two arrays of predicted classes agree.

    Returns
    -------
    n_times : int
        The count.
    memory : list of int
        Values to remember.
    """
    n_labels = len(progress.labels)
    n_before, n_times = memory or (n_labels, 0)
    if n_before != n_labels:  # else nothing was taught since
        models = progress.model_after(n_before), progress.model
        agreed = agree(*(progress.of_left(model.predict) for model in models))
        n_times = n_times + 1 if agreed else 0
    return n_times, [n_labels, n_times]


@named("stable_predictions")
@dataclass(frozen=True)
class StablePredictions(StoppingRule):
    """Stop when the models before and after a purchase agree several times in a row.

    Models that are one label apart agree most of the time: with ``batch_size=1``
    this ends early, so buy ten or more at a time, or raise `patience`. Agreement is
    measured on the rows that may still be bought, or on 10,000 of them, which are drawn
    at random once. Models that predict one class only do not count as agreeing.

    Parameters
    ----------
    threshold : float in (0, 1], default=0.99
        Least agreement: Cohen's kappa of the labels that two successive models
        predict for the rows that may be bought.
    patience : int >= 1, default=3
        How many times in a row.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a parameter outside its range.

    References
    ----------
    .. [1] M. Bloodgood, K. Vijay-Shanker, "A Method for Stopping Active Learning
       Based on Stabilizing Predictions and the Need for User-Adjustable
       Stopping", CoNLL 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import StablePredictions
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = MinMarginClassifier(
    ...     stopping=StablePredictions(patience=5), budget=None, random_state=0
    ... )
    >>> print(learner.fit(X, y).n_queries_, "labels of", len(y))
    44 labels of 569
    """

    threshold: float = 0.99
    patience: int = 3

    needs = ("predict",)

    def check(self) -> None:
        """Raise an error if a parameter is outside its range."""
        check_number(self.threshold, "threshold", 0, 1, closed="right")
        check_number(self.patience, "patience", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        progress = progress._replace(left=stop_set(progress.left))
        n_times, memory = times_in_a_row(
            progress, memory, lambda *both: kappa(*both) >= self.threshold
        )
        return n_times >= self.patience, memory


def kappa(first, second):
    """Return Cohen's kappa of two arrays of labels; 0 if all labels are equal."""
    if len(np.unique(np.append(first, second))) == 1:
        return 0.0  # chance alone agrees on one class, and kappa would be 0 / 0
    return cohen_kappa_score(first, second)


@named("classification_change")
@dataclass(frozen=True)
class ClassificationChange(StoppingRule):
    """Stop when a purchase changes the predicted class of no row that may be bought.

    One label changes little: buy ten or more at a time. Unlike `StablePredictions`, the
    rule also stops a model that predicts one class for all rows.

    References
    ----------
    .. [1] J. Zhu, H. Wang, E. Hovy, "Multi-Criteria-Based Strategy to Stop Active
       Learning for Data Annotation", COLING 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import ClassificationChange
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = MinMarginClassifier(
    ...     stopping=ClassificationChange(), batch_size=10, budget=None, random_state=0
    ... )
    >>> print(learner.fit(X, y).n_queries_, "labels of", len(y))
    90 labels of 569
    """

    needs = ("predict",)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        n_times, memory = times_in_a_row(
            progress, memory, lambda before, now: not np.mean(before != now)
        )
        return n_times >= 1, memory


#: Names of classes with a margin of 1 that have no parameter `loss`, in any package.
MACHINES = ("SVC", "NuSVC", "BoostedClassifier")

#: Names of losses that are 0 for margins of 1 and more.
UNIT_MARGIN_LOSSES = ("hinge", "squared_hinge", "modified_huber")


def has_unit_margin(model):
    """Return True if the loss of an unfitted model is 0 from a margin of 1 on.

    The model may be inside a pipeline, a search or one-vs-rest machines.
    """
    from sklearn.ensemble import BaseEnsemble  # slow to import

    while not hasattr(model, "loss"):
        if any(kind.__name__ in MACHINES for kind in type(model).__mro__):
            return True
        if getattr(model, "steps", None):
            model = model.steps[-1][1]
        elif hasattr(model, "estimator") and not isinstance(model, BaseEnsemble):
            model = model.estimator
        else:
            return False
    if isinstance(model.loss, str) and model.loss in UNIT_MARGIN_LOSSES:
        return True
    try:
        loss = make_loss(model.loss)
    except (TypeError, ValueError):  # of another package
        return False
    inside, outside = loss.derivative(np.array([1 - 1e-6, 1 + 1e-6]))
    return bool(inside < 0 and outside == 0)


@named("margin_exhausted")
@dataclass(frozen=True)
class MarginExhausted(StoppingRule):
    """Stop when no row that may be bought lies inside the margin of the SVM.

    Inside the margin, the decision value lies between -1 and 1. For more than two
    classes, the two highest values are less than 2 apart. This needs one-vs-rest
    machines, such as `LinearSVC`: the decision values of an `SVC` are votes for more
    than two classes, and the rule never stops it.

    The rule needs a model whose loss is 0 from a margin of 1 on: `SVC`, `NuSVC`,
    estimators whose parameter `loss` is "hinge", "squared_hinge" or "modified_huber",
    or a loss of this package of that kind, pipelines and searches around them, and
    committees that are boosted. Other models are refused: logistic regression, for
    example, may have decision values beyond 1 for all rows long before the labels are
    enough.

    Raises
    ------
    TypeError
        From the learner, before anything is bought, for a model without a margin of 1.

    References
    ----------
    .. [1] G. Schohn, D. Cohn, "Less is More: Active Learning with Support Vector
       Machines", ICML 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import MarginExhausted
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = MinMarginClassifier(
    ...     stopping=MarginExhausted(), budget=None, random_state=0
    ... )
    >>> print(learner.fit(X, y).n_queries_, "labels of", len(y))
    68 labels of 569
    """

    needs = ("decision_function",)

    def check_model(self, model: Any) -> None:
        """Raise an error if the model has no margin of 1."""
        if not has_unit_margin(model):
            raise TypeError(
                "The rule margin_exhausted needs a model with a margin of 1, such as "
                f"an SVM; {model} has none. Use LinearSVC or SVC, or another rule."
            )

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        scores = progress.of_left(partial(scores_of, progress.model))
        width = 1 if scores.ndim == 1 else 2
        return bool(smallest_margin(scores).max() <= -width), memory


@dataclass(frozen=True, kw_only=True)
class LabelPrice(StoppingRule):
    """Stop when the gain of the last labels is worth less than the price of the labels.

    The rule compares the model with the model of some labels before, from `n_labels`
    labels after the first model on. The number of changed predictions for the pool
    bounds the gain, in either direction. A net 30 % of the changes are assumed to be
    improvements (65 % right and 35 % wrong, if there are two classes), about the value
    that was measured on many data sets (see the user guide).

    Parameters
    ----------
    cost : float > 0
        Cost of all errors if every prediction were wrong: the cost of one error times
        the number of predictions that the model will make. The rows of the pool should
        resemble the rows of these predictions.
    label : float > 0
        Price of a label, in the same unit.
    n_labels : int >= 1, default=50
        Number of labels that are weighed at a time, at least. With fewer labels the
        rule stops earlier, and more often by chance.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a parameter outside its range.

    Notes
    -----
    With n labels now, m labels at the earlier model, and c changed predictions for the
    N rows of the pool, the rule stops if::

        cost * 0.3 * (c + 1) / (N + 1) < label * (n - m)

    One more change is counted, because a small pool without a change proves little.
    Where learning pauses and goes on later, the rule stops in the pause.

    References
    ----------
    .. [1] Z. Pullar-Strecker, K. Dost, E. Frank, J. Wicker, "Hitting the LabelTarget:
       Stopping Active Learning at the Cost-Based Optimum", Machine Learning, 2022 (the
       cost that stopping criteria should keep low).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import LabelPrice
    >>> X, y = load_digits(return_X_y=True)
    >>> for n_predictions in (1_000, 10_000):
    ...     rule = LabelPrice(cost=0.5 * n_predictions, label=0.1)
    ...     learner = MinMarginClassifier(
    ...         batch_size=10, stopping=rule, budget=None, random_state=0
    ...     )
    ...     print(learner.fit(X / 16, y).n_queries_, learner.stop_reason_)
    190 LabelPrice
    410 LabelPrice
    """

    cost: float
    label: float
    n_labels: int = 50

    needs = ("predict",)

    def check(self) -> None:
        """Raise an error if a parameter is outside its range."""
        check_number(self.cost, "cost", 0)
        check_number(self.label, "label", 0)
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        n = len(progress.labels)
        past = memory or []
        if not past or n - past[-1] >= self.n_labels / 5:
            past = [*past, n]
        n_before = [n_then for n_then in past if n - n_then >= self.n_labels]
        if not n_before:
            return False, past
        past = past[len(n_before) - 1 :]
        gain = self._gain(progress, progress.model_after(past[0]))
        return bool(self.cost * gain < self.label * (n - past[0])), past

    def _gain(self, progress, before):
        """Return the estimated gain in accuracy since an earlier model."""
        models = before, progress.model
        changed = np.not_equal(*(progress.of_all(model.predict) for model in models))
        return (changed.sum() + 1) / (len(changed) + 1) * net_share()
