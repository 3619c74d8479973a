"""Labels of a pool that are bought for two sets: one to train, one to validate."""

import numpy as np

from ..._containers import take
from ._refitted_models import calibrated

#: What a label is for.
TRAIN, VALIDATION = "train", "validation"


class TwoSets:
    """A pool learner whose requests say which set the label is for.

    Rows that nobody asked for are training data: they are no random sample.
    """

    @property
    def _is_validation(self):
        """Which of the labelled rows validate."""
        return self._requests.purposes[self._requests.taught] == VALIDATION

    @property
    def allocation_(self):
        """What each label is for, in the order in which they were taught."""
        return np.where(self._is_validation, VALIDATION, TRAIN)

    @property
    def labeled_indices_(self):
        """Rows of the pool whose labels were bought, for each of the two sets."""
        numbers = self._requests.rows[self._requests.taught]
        bought = numbers >= 0
        return {
            TRAIN: numbers[bought & ~self._is_validation],
            VALIDATION: numbers[bought & self._is_validation],
        }

    @property
    def _can_validate(self):
        """Whether models can be trained on one set and judged by the other."""
        known = self._labelled.codes[~self._is_validation]
        return self._is_validation.any() and len(np.unique(known)) > 1

    def _is_cold(self, n_known):
        enough = self._can_validate and self._is_validation.sum() > 1
        return n_known < self.n_initial or not enough

    def _at_random(self, X, rows, n_wanted, seed):
        bought = super()._at_random(X, rows, n_wanted, seed)
        turns = (self.n_queries_ + np.arange(len(bought.rows))) % 2
        return bought._replace(purposes=np.where(turns == 0, TRAIN, VALIDATION))

    def predict_proba(self, X):
        """Return the class probabilities of the chosen model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet. If the model has only
            decision values, a sigmoid fitted on the validation set.
        """
        return self._probabilities(self._model(), self._check_rows(X, reset=False))

    def _probabilities(self, model, X):
        rows = np.flatnonzero(self._is_validation)
        if not hasattr(model, "predict_proba"):
            labels = self.classes_[self._labelled.codes[rows]]
            model = calibrated(model, take(self._labelled.rows, rows), labels)
        return super()._probabilities(model, X)
