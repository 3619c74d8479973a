"""Rules on what the last labels were."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import cohen_kappa_score
from sklearn.utils import check_consistent_length

from ..._scores import entropy, scores_of, smallest_margin
from ..._statistics import changes, net_share
from ..._typing import RowsLike
from ..._validation import check_flag, check_number
from ...losses import make_loss
from ...sources._containers import take
from ._base import Progress, StoppingRule, named


@named("no_new_class")
@dataclass(frozen=True)
class NoNewClass(StoppingRule):
    """Stop when none of the last labels was of a class not seen before.

    It says nothing of how good the model is: use it in `AllOf`, to hold back a rule
    that would end before all classes are known. If the labels are those of random rows,
    classes that are still unseen make up less than 3 / `n_labels` of the rows, with
    95 % confidence; rows that the learner chose may meet new classes more often or
    less.

    Parameters
    ----------
    n_labels : int >= 1, default=100
        How many labels in a row, in the order in which they were taught.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a number outside its range.

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

    needs = ()

    def check(self) -> None:
        """Raise if the number is out of its range."""
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        _, first = np.unique(progress.labels, return_index=True)
        n_since = len(progress.labels) - 1 - first.max()
        return bool(n_since >= self.n_labels), memory


@named("no_error")
@dataclass(frozen=True)
class NoError(StoppingRule):
    """Stop when the model knew the last labels before it was taught them.

    Each label is compared with what the model of the last purchase predicted for its
    row. Rows that the learner chose are the hard ones, so a model that knows them knows
    the others; on data with wrong labels this rule hardly ever ends it. It begins to
    count with the first model, and again when a label is corrected.

    Parameters
    ----------
    n_labels : int >= 1, default=20
        How many labels in a row.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a number outside its range.

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
        """Raise if the number is out of its range."""
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
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


def times_in_a_row(progress, memory, agree):
    """Return how often in a row successive models agreed, and what to remember.

    Parameters
    ----------
    progress : Progress
        Where the learner stands.
    memory : list of int or None
        The labels of the model at the last query, and how often until then.
    agree : callable
        Whether two lists of predicted classes agree.
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
    measured on the rows that may still be bought, and models that predict one class
    only do not count as agreeing.

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
        From the learner that has it, for a parameter outside its range.

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
        """Raise if a parameter is out of its range."""
        check_number(self.threshold, "threshold", 0, 1, closed="right")
        check_number(self.patience, "patience", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        n_times, memory = times_in_a_row(
            progress, memory, lambda *both: kappa(*both) >= self.threshold
        )
        return n_times >= self.patience, memory


def kappa(first, second):
    """Cohen's kappa of two lists of labels; 0 if both are one label throughout."""
    if len(np.unique(np.append(first, second))) == 1:
        return 0.0
    return cohen_kappa_score(first, second)


@named("classification_change")
@dataclass(frozen=True)
class ClassificationChange(StoppingRule):
    """Stop when a purchase changes the predicted class of no row that may be bought.

    One label changes little: buy ten or more at a time, or raise `patience`. Unlike
    `StablePredictions` this also ends a model that predicts one class for all rows.

    Parameters
    ----------
    threshold : float in [0, 1), default=0
        Largest share of the rows whose predicted class may change.
    patience : int >= 1, default=1
        How many purchases in a row.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a parameter outside its range.

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

    threshold: float = 0
    patience: int = 1

    needs = ("predict",)

    def check(self) -> None:
        """Raise if a parameter is out of its range."""
        check_number(self.threshold, "threshold", 0, 1, closed="left")
        check_number(self.patience, "patience", 1, closed="left", integer=True)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        n_times, memory = times_in_a_row(
            progress,
            memory,
            lambda before, now: np.mean(before != now) <= self.threshold,
        )
        return n_times >= self.patience, memory


#: Classes of such models without a parameter `loss`, whichever package has them.
MACHINES = ("SVC", "NuSVC", "BoostedClassifier")

#: Names of losses that are 0 for margins of 1 and more.
UNIT_MARGIN_LOSSES = ("hinge", "squared_hinge", "modified_huber")


def has_unit_margin(model):
    """Whether the loss of an unfitted model, or of the one inside it, ends at margin 1.

    Inside of a pipeline, a search or one-vs-rest machines.
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

    Inside means a decision value between -1 and 1. For more than two classes it
    means that the two highest ones are less than 2 apart, which takes one-vs-rest
    machines, such as `LinearSVC`: the decision values of an `SVC` are votes then,
    and this rule never ends it.

    Only models whose loss is 0 from a margin of 1 on have that margin: `SVC`, `NuSVC`,
    estimators whose parameter `loss` is "hinge", "squared_hinge" or "modified_huber",
    or a loss of this package of that kind, pipelines and searches around them, and
    committees that are boosted. Others are refused: those of logistic regression, for
    one, can have all decision values beyond 1 long before the labels are enough.

    Parameters
    ----------
    any_model : bool, default=False
        Take every model that has decision values, if you know that its margin is 1.

    Raises
    ------
    TypeError, ValueError
        From the learner that has it, before anything is bought: for a model without
        a margin of 1, and for `any_model` that is no flag.

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

    any_model: bool = False

    needs = ("decision_function",)

    def check(self) -> None:
        """Raise if the parameter is no flag."""
        check_flag(self.any_model, "any_model")

    def check_model(self, model: Any) -> None:
        """Raise for a model that has no margin of 1."""
        if not (self.any_model or has_unit_margin(model)):
            raise TypeError(
                f"The rule margin_exhausted needs a model with a margin of 1, such as "
                f"an SVM; {model} has none. Use LinearSVC or SVC, another rule, or "
                "MarginExhausted(any_model=True) if you know better."
            )

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        scores = progress.of_left(partial(scores_of, progress.model))
        width = 1 if scores.ndim == 1 else 2
        return bool(smallest_margin(scores).max() <= -width), memory


@named("overall_uncertainty")
@dataclass(frozen=True)
class OverallUncertainty(StoppingRule):
    """Stop when the model is sure of the rows that may be bought, on the whole.

    A model may be sure and wrong, and one that was trained on hard rows is often
    unsure for good: where the classes overlap this rule never ends it.

    Parameters
    ----------
    threshold : float in (0, 1), default=0.05
        Largest mean entropy of the class probabilities, as a share of the entropy
        of a guess among all classes.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a threshold outside its range.

    References
    ----------
    .. [1] J. Zhu, H. Wang, E. Hovy, "Multi-Criteria-Based Strategy to Stop Active
       Learning for Data Annotation", COLING 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> from sklearn_activelearn.pool import OverallUncertainty
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = UncertaintySamplingClassifier(
    ...     stopping=OverallUncertainty(0.1), batch_size=10, budget=None, random_state=0
    ... )
    >>> print(learner.fit(X, y).n_queries_, "labels of", len(y))
    80 labels of 569
    """

    threshold: float = 0.05

    needs = ("predict_proba",)

    def check(self) -> None:
        """Raise if the threshold is out of its range."""
        check_number(self.threshold, "threshold", 0, 1)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        probabilities = progress.of_left(progress.model.predict_proba)
        of_a_guess = np.log(probabilities.shape[1])
        share = entropy(probabilities).mean() / of_a_guess
        return bool(share <= self.threshold), memory


@dataclass(frozen=True, kw_only=True)
class LabelPrice(StoppingRule):
    """Stop when what the last labels gained is worth less than what they cost.

    It compares the model with that of some labels before, from `n_labels` labels after
    the first model on. The predictions that have changed for the rows of the pool bound
    what was gained, in either direction. Of these, 30 % net are taken to have become
    right (65 % right and 35 % wrong, if there are two classes): about what was measured
    on many data sets (see the user guide). Rows put aside correct that figure.

    Parameters
    ----------
    error : float > 0
        Price of all errors if every prediction were wrong: what one error costs, times
        the predictions that the model will be used for. The rows of the pool should be
        like those.
    label : float > 0
        Price of a label, in the same unit.
    n_labels : int >= 1, default=50
        How many labels are weighed at a time, at least. Fewer are quicker to stop, and
        more often by chance.
    validation : tuple (X, y), default=None
        Rows drawn at random that are never taught, and their labels. They weigh as
        much as the assumption if a hundred of their predictions have changed, so it
        takes hundreds of them to make a difference.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a price or a number outside its range, and
        rows that do not match their labels.

    Notes
    -----
    With n labels now, m at the model before, and different predictions for c of the N
    rows of the pool, it stops if::

        error * (c + 1) / (N + 1) * net < label * (n - m)
        net = (30 + right - wrong) / (100 + changed)

    One more is counted than has changed, because a small pool in which nothing changes
    proves little. The other counts are those of the validation rows, 0 without. The
    labels of these rows are paid for already and not weighed. Where learning pauses and
    goes on later, this rule ends it in the pause.

    References
    ----------
    .. [1] Z. Pullar-Strecker, K. Dost, E. Frank, J. Wicker, "Hitting the Target:
       Stopping Active Learning at the Cost-Based Optimum", Machine Learning, 2022 (the
       cost that stopping criteria should keep low).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import LabelPrice
    >>> X, y = load_digits(return_X_y=True)
    >>> for n_predictions in (1_000, 10_000):
    ...     rule = LabelPrice(error=0.5 * n_predictions, label=0.1)
    ...     learner = MinMarginClassifier(
    ...         batch_size=10, stopping=rule, budget=None, random_state=0
    ...     )
    ...     print(learner.fit(X / 16, y).n_queries_, learner.stop_reason_)
    190 LabelPrice
    410 LabelPrice
    """

    error: float
    label: float
    n_labels: int = 50
    validation: tuple[RowsLike, ArrayLike] | None = field(
        default=None, repr=False, compare=False
    )
    #: Rules are looked up by their values, and arrays cannot be.
    _rows: str = field(init=False, repr=False)

    needs = ("predict",)

    def __post_init__(self):
        object.__setattr__(self, "_rows", joblib.hash(self.validation))

    def check(self) -> None:
        """Raise if a price or number is out of its range, or rows do not match."""
        check_number(self.error, "error", 0)
        check_number(self.label, "label", 0)
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)
        if self.validation is None:
            return
        if not isinstance(self.validation, tuple) or len(self.validation) != 2:
            raise TypeError("validation must be a tuple of rows and their labels.")
        check_consistent_length(*self.validation)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        n = len(progress.labels)
        past = memory or []
        if not past or n - past[-1] >= self.n_labels / 5:
            past = [*past, n]
        n_before = [n_then for n_then in past if n - n_then >= self.n_labels]
        if not n_before:
            return False, past
        past = past[len(n_before) - 1 :]
        gain = self._gain(progress, progress.model_after(past[0]))
        return bool(self.error * gain < self.label * (n - past[0])), past

    def _gain(self, progress, before):
        """Return what accuracy the model has gained since an earlier one, about."""
        models = before, progress.model
        changed = np.not_equal(*(progress.of_all(model.predict) for model in models))
        share = (changed.sum() + 1) / (len(changed) + 1)
        if self.validation is None:
            return share * net_share()
        X, y = self.validation
        counts = changes(*(model.predict(X) for model in models), np.asarray(y))
        return share * net_share(*counts)
