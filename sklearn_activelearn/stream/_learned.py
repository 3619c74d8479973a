"""The memory of a stream learner between calls: weights, counts and sums."""

from typing import Any, NamedTuple

import numpy as np

from ..utils.typing import Floats


class Weights(NamedTuple):
    """Weights of every class, and their difference from the mean over the labels."""

    coef: Floats  # (n_vectors, n_features)
    intercept: Floats  # (n_vectors,)
    coef_drift: Floats
    intercept_drift: Floats


class Counts(NamedTuple):
    """Counts of rows and labels."""

    n_seen: int = 0  # rows decided
    n_queries: int = 0  # labels bought
    n_taught: int = 0  # labels learned, bought or not
    n_updates: int = 0  # labels that changed the weights
    n_idle: int = 0  # rows since the last purchase
    n_alike: int = 0  # consecutive rows for which the same class was predicted
    last_guess: int = -1  # this class


class ClassSums(NamedTuple):
    """Number of labels and mean scores of each class, over the labels taught.

    Each score is computed before the learner is trained on its label. After the
    training, the score would be biased towards this label.
    """

    n_labels: Floats  # (n_classes,): sum of 1 / q; of 1 without class weights
    n_taught: Floats  # (n_classes,): labels
    shares: Floats  # (n_classes,): sum of the weights of the mean scores
    means: Floats  # (n_vectors, n_classes): mean scores
    mean_means: Floats  # the same for the mean of the weights


class Sums(NamedTuple):
    """Sums over the rows of a stream; q is the probability of buying a label."""

    n_rows: float = 0.0  # rows that could be bought
    excess: float = 0.0  # sum of (1 - q) / q over these rows; infinite if a q was 0
    n_asked: float = 0.0  # rows bought
    n_labels: float = 0.0  # labels learned of rows bought
    weights: float = 0.0  # sum of 1 / q over these labels
    mistakes: float = 0.0  # sum of 1 / q over the mistakes
    squares: float = 0.0  # sum of 1 / q^2 over the mistakes


class Tallied(NamedTuple):
    """Sums over a stream, from which the error of its learner is estimated."""

    sums: Floats  # fields of `Sums`
    marks: Floats  # (n_spacings, 17, 7): earlier values of `sums`

    def since(self, window):
        """Return the sums over the last rows.

        Parameters
        ----------
        window : int or None
            Minimum number of rows. The sums start at the latest mark that covers
            this many rows. None: all rows.
        """
        if window is None:
            return Sums(*self.sums.tolist())
        n_sums = len(Sums._fields)
        marks = np.concatenate([np.zeros((1, n_sums)), self.marks.reshape(-1, n_sums)])
        marks = marks[marks[:, 0] <= max(self.sums[0] - window, 0)]
        return Sums(*(self.sums - marks[marks[:, 0].argmax()]).tolist())


class Scales(NamedTuple):
    """Sizes of features and rows, from the labelled rows; for adaptive steps."""

    squares: Floats  # (n_features,): sum of squares
    n_present: Floats  # (n_features,): rows whose value is not 0
    gain: float = 0.0  # sum over rows of the change of the margin by a step of 1
    n_rows: int = 0  # rows that are not all 0


class Learned(NamedTuple):
    """Everything that a loop over rows changes; arrays are copied before that."""

    weights: Weights
    memory: Any  # numbers that the query rule remembers
    counts: Counts
    tallied: Tallied
    class_sums: ClassSums
    details: Any = None  # `Scales`, or the inverse matrix of a second-order learner
