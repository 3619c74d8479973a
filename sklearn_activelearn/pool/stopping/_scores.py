"""Rules on what the model says of the rows that are left."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..._validation import check_number
from .._utility import entropy, scores_of, smallest_margin
from ._registry import Progress, StoppingRule, named


@named("margin_exhausted")
@dataclass(frozen=True)
class MarginExhausted(StoppingRule):
    """Stop when no row that may be bought lies inside the margin of the SVM.

    Inside means a decision value between -1 and 1. For more than two classes it
    means that the two highest ones are less than 2 apart, which takes one-vs-rest
    machines, such as `LinearSVC`: the decision values of an `SVC` are votes then,
    and this rule never ends it.

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

    def check(self) -> None:
        """Nothing can be wrong: it has no parameters."""

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
