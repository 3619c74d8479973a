"""Rules that compare the models before and after a purchase."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ..._validation import check_number
from ._registry import Progress, StoppingRule, named


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
