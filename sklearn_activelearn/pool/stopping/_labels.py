"""Rules on what the last labels were."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._containers import take
from ..._validation import check_number
from ._registry import Progress, StoppingRule, named


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
