"""Rules on what the model says of the rows that are left."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..._validation import check_flag, check_number
from ...losses import make_loss
from .._utility import entropy, scores_of, smallest_margin
from ._registry import Progress, StoppingRule, named

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
