"""When to stop asking. One small class for each rule, used by every pool learner.

A rule holds parameters only. ``judge(model, X, within, memory)`` gets the model,
rows of the pool, which of them may be bought, and what it remembered at the last
query (None at first); it answers whether to stop and what to remember. A model is
never changed after it was trained, so it may be remembered itself.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import cohen_kappa_score

from .._validation import check_number
from ._utility import scores_of, smallest_margin


@dataclass(frozen=True)
class MarginExhausted:
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

    needs = "decision_function"

    def check(self):
        """Nothing can be wrong: it has no parameters."""

    def judge(self, model, X, within, memory):
        """Return whether to stop, and what to remember."""
        scores = scores_of(model, X)[within]
        width = 1 if scores.ndim == 1 else 2
        return bool(smallest_margin(scores).max() <= -width), memory


@dataclass(frozen=True)
class StablePredictions:
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

    needs = "predict"

    def check(self):
        """Raise if a parameter is out of its range."""
        check_number(self.threshold, "threshold", 0, 1, closed="right")
        check_number(self.patience, "patience", 1, closed="left", integer=True)

    def judge(self, model, X, within, memory):
        """Return whether to stop, and what to remember."""
        before, n_agreed = memory or (model, 0)
        if before is model:  # nothing was taught since
            return n_agreed >= self.patience, (model, n_agreed)
        agreement = kappa(before.predict(X)[within], model.predict(X)[within])
        n_agreed = n_agreed + 1 if agreement >= self.threshold else 0
        return n_agreed >= self.patience, (model, n_agreed)


def kappa(first, second):
    """Cohen's kappa of two lists of labels; 0 if both are one label throughout."""
    if len(np.unique(np.append(first, second))) == 1:
        return 0.0
    return cohen_kappa_score(first, second)


#: By the names that `stopping` takes.
STOPPING_RULES = {
    "margin_exhausted": MarginExhausted(),
    "stable_predictions": StablePredictions(),
}


def name_of(rule):
    """Return what a rule is called: by `stopping`, else by its class."""
    names = {type(known): name for name, known in STOPPING_RULES.items()}
    return names.get(type(rule), type(rule).__name__)


def find_rules(stopping):
    """Return the rules that a name, a rule or a list of them stands for."""
    rules = []
    for item in stopping if isinstance(stopping, list | tuple) else [stopping]:
        rule = STOPPING_RULES.get(item) if isinstance(item, str) else item
        if rule is None and item is None:
            continue
        if isinstance(rule, type) or not hasattr(rule, "judge"):
            raise ValueError(
                f"stopping must be one of {sorted(STOPPING_RULES)}, a stopping rule "
                f"or a list of them, got {item!r}."
            )
        rule.check()
        rules.append(rule)
    return rules
