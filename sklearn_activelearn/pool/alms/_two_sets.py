"""A pool learner that buys labels for two sets: one to train, one to validate."""

from ..._typing import Floats, Labels, RowNumbers, RowsLike
from .._base import PoolClassifier
from ._allocation import Allocation, in_turn


class TwoSetsClassifier(PoolClassifier):
    """A `PoolClassifier` whose labels have purposes; the first ones in turn."""

    @property
    def allocation_(self) -> Labels:
        """What each label is for, in the order in which they were taught."""
        return self._allocation().names

    @property
    def labeled_indices_(self) -> dict[str, RowNumbers]:
        """Rows of the pool whose labels were bought, for each of the two sets."""
        return self._allocation().divided(self._requests.rows[self._requests.taught])

    def predict_proba(self, X: RowsLike) -> Floats:
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
        model, X = self._model(), self._rows(X)
        model = self._allocation().calibrated(model, self.classes_)
        return self._probabilities(model, X)

    def _follows_from_labels(self):
        return False  # it tells labels for training from those for validation

    def _allocation(self):
        purposes = self._requests.purposes[self._requests.taught]
        return Allocation(self._labelled, purposes)

    def _is_cold(self, n_known):
        return n_known < self.n_initial or not self._allocation().is_enough

    def _start(self, X, rows, n_wanted, seed):
        bought = self._at_random(X, rows, n_wanted, seed)
        return in_turn(bought, self.n_queries_)
