"""All candidate models trained again for each part of the rows: any classifiers."""

import numpy as np

from ..._beginning import unfitted_copy
from ..._containers import joined, take
from .._losses import probabilities_of_all
from ._calibration import calibrated


class RefittedModels:
    """The candidate models, as `_value_of_information` wants them.

    Parameters
    ----------
    prototypes : list of classifier
        Cloned for each training.
    labelled, is_validation, loss, X, n_candidates
        As for `GramModels`.
    classes : ndarray of shape (n_classes,)
        All labels.
    """

    prefer = "processes"

    def __init__(
        self, prototypes, labelled, is_validation, classes, loss, X, n_candidates
    ):
        self.prototypes = prototypes
        self.rows, self.codes = labelled.rows, labelled.codes
        self.classes, self.loss = classes, loss
        self.X, self.n_candidates = X, n_candidates
        self.training = np.flatnonzero(~is_validation)
        self.validation = np.flatnonzero(is_validation)
        self.n_validation = len(self.validation)

    def trained(self):
        """Train on the training set."""
        members = [
            self._model(p, self.training, self.validation) for p in self.prototypes
        ]
        losses = np.array([self._losses(member, self.validation) for member in members])
        if not self.n_candidates:
            return losses, None
        return losses, np.array([self._probabilities(m, self.X) for m in members])

    def without(self, pairs):
        """Train without each pair."""
        return np.array(
            [[self._left_out(p, pair) for pair in pairs] for p in self.prototypes]
        )

    def without_one(self, rows, guesses):
        """Train without each row."""
        own, others = [], []
        for prototype in self.prototypes:
            for row in rows:
                member = self._model(prototype, *self._but([row]))
                own.append(self._losses(member, self.validation[[row]])[0])
                if self.n_candidates:
                    predicted = self._probabilities(member, self.X)
                    others.append(self.loss(guesses, predicted))
        shape = len(self.prototypes), len(rows)
        return np.reshape(own, shape), np.reshape(others, (*shape, self.n_candidates))

    def without_fold(self, rows):
        """Train without labelled rows, of either set."""
        kept = np.setdiff1d(np.arange(len(self.codes)), rows)
        validation = np.setdiff1d(self.validation, rows)
        members = [self._model(p, kept, validation) for p in self.prototypes]
        return np.array([self._losses(member, rows) for member in members])

    def without_but_with(self, candidates, pairs, guesses):
        """Train without each pair, with each of these candidates."""
        return np.array(
            [
                [
                    [self._left_out(p, pair, x, guesses[x]) for pair in pairs]
                    for x in candidates
                ]
                for p in self.prototypes
            ]
        )

    def _but(self, left_out):
        """Return the rows of both sets, and of the validation set, but some."""
        kept = np.delete(self.validation, left_out)
        return np.sort(np.append(self.training, kept)), kept

    def _left_out(self, prototype, pair, *candidate):
        """Return the losses on a pair that training went without."""
        member = self._model(prototype, *self._but(pair), *candidate)
        return self._losses(member, self.validation[pair])

    def _model(self, prototype, rows, validation, x=None, code=None):
        """Return a model trained on these rows and a candidate, and calibrated."""
        X, codes = take(self.rows, rows), self.codes[rows]
        if x is not None:
            X, codes = joined(X, take(self.X, [x])), np.append(codes, code)
        model = unfitted_copy(prototype).fit(X, self.classes[codes])
        if hasattr(model, "predict_proba"):
            return model
        labels = self.classes[self.codes[validation]]
        return calibrated(model, take(self.rows, validation), labels)

    def _losses(self, member, rows):
        """Return the losses on rows with these numbers."""
        p = self._probabilities(member, take(self.rows, rows))
        return self.loss(self.codes[rows], p)

    def _probabilities(self, member, X):
        return probabilities_of_all(member, X, self.classes)
