"""Probabilities for models that have decision values only."""

import numpy as np
from scipy.special import expit
from sklearn.frozen import FrozenEstimator

from ..._containers import take
from .._utility import scores_of

#: Fewest validation rows that a sigmoid is fitted to.
FEWEST = 5


def calibrated(model, rows, labels):
    """Return a model that has probabilities: a sigmoid fitted to rows (Platt).

    With few rows, or not the model's classes among them, it is 1 / (1 + exp(-f)).
    """
    if hasattr(model, "predict_proba"):
        return model
    from sklearn.calibration import CalibratedClassifierCV  # slow to import

    known = np.isin(labels, model.classes_)
    rows, labels = take(rows, np.flatnonzero(known)), labels[known]
    if len(labels) < FEWEST or len(np.unique(labels)) < len(model.classes_):
        return PlainSigmoid(model)
    # the model is not trained again: one fold of all rows will do
    fold = 2 * (np.arange(len(labels)),)
    sigmoid = CalibratedClassifierCV(
        FrozenEstimator(model), method="sigmoid", cv=[fold]
    )
    return sigmoid.fit(rows, labels)


class PlainSigmoid:
    """Probabilities 1 / (1 + exp(-f)) of decision values f, scaled to sum 1.

    Parameters
    ----------
    model : classifier
        Trained.
    """

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_

    def predict_proba(self, X):
        """Return the class probabilities."""
        scores = scores_of(self.model, X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        p = expit(scores)
        return p / np.maximum(p.sum(axis=1, keepdims=True), np.finfo(float).tiny)
