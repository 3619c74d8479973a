"""Labels of a pool that are bought for two sets: one to train, one to validate."""

import numpy as np

from ..._containers import take
from ._calibration import calibrated

#: What a label is for.
TRAIN, VALIDATION = "train", "validation"


class Allocation:
    """Which labels train the models, and which ones choose among them.

    Rows that nobody asked for are training data: they are no random sample.

    Parameters
    ----------
    labelled : Labelled
        Rows with labels.
    purposes : ndarray of str of shape (n_labelled,)
        What each of them was bought for.
    """

    def __init__(self, labelled, purposes):
        self.labelled = labelled
        self.is_validation = purposes == VALIDATION

    @classmethod
    def of(cls, labelled, requests):
        """Return that of labelled rows and what they were bought for."""
        return cls(labelled, requests.purposes[requests.taught])

    @property
    def names(self):
        """What each label is for."""
        return np.where(self.is_validation, VALIDATION, TRAIN)

    @property
    def can_validate(self):
        """Whether models can be trained on one set and judged by the other."""
        known = self.labelled.codes[~self.is_validation]
        return bool(self.is_validation.any()) and len(np.unique(known)) > 1

    @property
    def is_enough(self):
        """Whether the value of a label for either set can be estimated."""
        return self.can_validate and self.is_validation.sum() > 1

    def divided(self, rows):
        """Return the row numbers of the labels for each set, -1 left out."""
        names = self.names
        return {
            name: rows[(rows >= 0) & (names == name)] for name in (TRAIN, VALIDATION)
        }

    def calibrated(self, model, classes):
        """Return a model that has probabilities, if need be a sigmoid's."""
        rows = np.flatnonzero(self.is_validation)
        labels = classes[self.labelled.codes[rows]]
        return calibrated(model, take(self.labelled.rows, rows), labels)


def in_turn(bought, n_before):
    """Return a random purchase whose rows go to the two sets in turn."""
    turns = (n_before + np.arange(len(bought.rows))) % 2
    return bought._replace(purposes=np.where(turns == 0, TRAIN, VALIDATION))
