"""Probabilities as sure as they are right: temperature scaling by cross-validation."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from .._beginning import unfitted_copy
from .._containers import take
from ._cross_validation import stratified_folds
from ._training import OneModel

#: Folds, if there are labels enough.
N_FOLDS = 5

#: The logarithm of a temperature lies between minus this and this.
WIDEST = 10.0

#: No probability of a model is taken for smaller than this.
SMALLEST = 1e-12


class CalibratedModel(OneModel):
    """Trains one estimator on all labels, and finds its temperature.

    Parameters
    ----------
    estimator : classifier
        What to train.
    calibrate : bool
        Whether the temperature is another than 1.
    """

    def __init__(self, estimator, calibrate):
        super().__init__(estimator, incremental=False)
        self.calibrate = calibrate

    def train(self, known, before):
        """Return the model, with `temperature_`."""
        trained, temperature = super().train(known, before), 1.0
        if self.calibrate:
            given = known.labelled, known.classes
            temperature = temperature_of(known.prototypes[0], *given)
        return trained._replace(attributes={"temperature_": temperature})


def temperature_of(prototype, labelled, classes):
    """Return the temperature with the highest posterior density.

    The likelihood is that of the labels, predicted in stratified cross-validation; the
    logarithm of the temperature has a standard normal prior, which decides while
    labels are few. A fold on whose rows the estimator cannot be trained is left out.
    """
    fold, n_folds = stratified_folds(labelled.codes, N_FOLDS)
    if n_folds < 2:
        return 1.0
    scores = []
    for k in range(n_folds):
        try:
            scores.append(held_out_logits(prototype, labelled, classes, fold == k))
        except Exception:  # too few rows to train on, say
            continue

    def loss(log_temperature):
        parts = [
            log_softmax(logits / np.exp(log_temperature), axis=1)[
                np.arange(len(right)), right
            ].sum()
            for logits, right in scores
        ]
        return log_temperature**2 / 2 - sum(parts)

    found = minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded")
    return float(np.exp(found.x))


def held_out_logits(prototype, labelled, classes, is_test):
    """Return the logits of one fold of rows, and the columns of their classes.

    Rows of a class that the others do not have are left out.
    """
    training, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    seen = np.unique(labelled.codes[training])
    test = test[np.isin(labelled.codes[test], seen)]
    rows = take(labelled.rows, training)
    model = unfitted_copy(prototype).fit(rows, classes[labelled.codes[training]])
    logits = logits_of(model, take(labelled.rows, test))
    return logits, np.searchsorted(seen, labelled.codes[test])


def logit_method_of(model):
    """Return the name of the method that `logits_of` asks."""
    has_probabilities = hasattr(model, "predict_proba")
    return "predict_proba" if has_probabilities else "decision_function"


def logits_of(model, X):
    """Return scores of each class whose softmax are probabilities."""
    if logit_method_of(model) == "predict_proba":
        return np.log(np.maximum(model.predict_proba(X), SMALLEST))
    scores = model.decision_function(X)
    return np.column_stack([0 * scores, scores]) if scores.ndim == 1 else scores
