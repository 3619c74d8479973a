"""Estimators that cannot be trained yet, or say nothing yet, because labels are few.

Many classifiers need several labels: five neighbours, two rows of each class for early
stopping, as many rows as folds. While labels are few, a learner whose estimator fails
goes on as it began, without a model. An error that cannot come from few labels, such as
a wrong parameter, is raised at once, before more labels are paid for.
"""

import numpy as np

from ..exceptions import ColdStartWarning, warn_user
from ..sources._containers import n_rows

#: Labels are few below this number, and below this number for each known class: ten
#: classes and a held-out tenth with a row of each, as early stopping wants it, need 91.
FEW_LABELS, FEW_PER_CLASS = 50, 10

#: Errors that more labels do not cure. Wrong parameters of scikit-learn's estimators
#: are a TypeError, too.
INCURABLE = (
    AttributeError,
    ImportError,
    MemoryError,
    NameError,
    NotImplementedError,
    TypeError,
)

#: With fewer candidates equal scores are nothing unusual.
FEWEST_EQUAL = 20

#: Parameters that keep a model from learning from few labels.
SMALLEST_LEAVES = ("min_samples_leaf", "min_child_samples", "min_data_in_leaf")

#: Number of characters of an error that are quoted.
LONGEST_QUOTE = 300


class NothingLearned(ValueError):
    """A model that gives all candidates the same score."""


class Prior:
    """Stand-in for a classifier that cannot be trained yet: the shares of the labels.

    Parameters
    ----------
    labels : ndarray of shape (n_labels,)
        Labels, at least one.
    """

    def __init__(self, labels):
        self.classes_, counts = np.unique(labels, return_counts=True)
        self.shares = counts / counts.sum()

    def predict(self, X):
        return np.repeat(self.classes_[[self.shares.argmax()]], n_rows(X))

    def decision_function(self, X):
        scores = np.tile(np.log(self.shares), (n_rows(X), 1))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        return np.tile(self.shares, (n_rows(X), 1))


def n_enough(n_classes):
    """Return the number of labels from which an estimator must be trainable."""
    return max(FEW_LABELS, FEW_PER_CLASS * n_classes)


def is_curable(error, labelled):
    """Return True if more labels may cure an error of the estimator.

    Parameters
    ----------
    error : Exception
        The error of the estimator.
    labelled : Labelled
        The labels that the learner knows.
    """
    if isinstance(error, NothingLearned):
        return True
    n_classes = len(np.unique(labelled.codes))
    return not isinstance(error, INCURABLE) and len(labelled) < n_enough(n_classes)


def warn_of_cold_start(estimator, error, labelled):
    """Warn that rows are bought without a model.

    Parameters
    ----------
    estimator : classifier
        The estimator of the learner.
    error : Exception
        Why the estimator cannot choose rows.
    labelled : Labelled
        The labels that the learner knows.
    """
    name, n = type(estimator).__name__, len(labelled)
    if isinstance(error, NothingLearned):
        warn_user(
            f"{name} gives the same score to {error} after {n} labels: it does not say "
            "which row is worth a label. Rows are chosen without a model while this "
            f"lasts.{advice_for_leaves(estimator)}",
            ColdStartWarning,
        )
        return
    text = " ".join(str(error).split())
    if len(text) > LONGEST_QUOTE:
        text = f"{text[:LONGEST_QUOTE]}…"
    n_needed = n_enough(len(np.unique(labelled.codes)))
    warn_user(
        f"{name} cannot be used with {n} labels: {type(error).__name__}: {text} "
        "The labels are stored. Rows are chosen, and predicted, without a model until "
        f"it can; from {n_needed} labels on the error is raised.",
        ColdStartWarning,
    )


def advice_for_leaves(estimator):
    """Return a sentence on the parameter that keeps leaves too large, or ""."""
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for name, value in params.items():
        is_size = isinstance(value, int) and value > 1
        if is_size and name.split("__")[-1] in SMALLEST_LEAVES:
            return f" {name}={value} needs that many rows in each leaf: lower it."
    return ""


def check_distinguishes(scores):
    """Raise `NothingLearned` if all scores are equal.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates,)
        Finite scores.
    """
    n = len(scores)
    if n < FEWEST_EQUAL or np.ptp(scores) > 1e-12 * abs(scores[0]):
        return
    raise NothingLearned(f"all {n} rows that may be bought")
