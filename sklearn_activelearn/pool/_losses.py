"""Proper scoring losses: how far class probabilities are from the class, row by row."""

from functools import partial

import numpy as np

from .._labels import encode

#: Probabilities are not below this when their logarithm is taken.
EPS = np.finfo(np.float64).eps


def log_loss(codes, probabilities):
    """Minus the logarithm of the probability of the right class."""
    return -np.log(np.maximum(probabilities[np.arange(len(codes)), codes], EPS))


def brier_loss(codes, probabilities):
    """Squared distance of the probabilities from those that know the class."""
    right = probabilities[np.arange(len(codes)), codes]
    return (probabilities**2).sum(axis=1) + 1 - 2 * right


#: By the names that `ALMSClassifier` takes; with "neg_", of scores.
LOSSES = {"log_loss": log_loss, "brier": brier_loss}


def checked_loss_values(loss, codes, probabilities):
    """Return what a user's loss says, if that is a finite number for each row."""
    losses = np.asarray(loss(codes, probabilities), dtype=np.float64)
    if losses.shape != codes.shape:
        raise ValueError(
            f"loss must return one number for each of {len(codes)} rows, got shape "
            f"{losses.shape}."
        )
    if not np.isfinite(losses).all():
        row = np.argmin(np.isfinite(losses))
        raise ValueError(
            f"loss must be finite, got {losses[row]} for class {codes[row]} and "
            f"probabilities {probabilities[row].tolist()}."
        )
    return losses


def loss_of(loss):
    """Return the loss of this name, or the user's own, checked."""
    return partial(checked_loss_values, loss) if callable(loss) else LOSSES[loss]


def probabilities_of_all(model, X, classes):
    """Return class probabilities with a column for every class, 0 where unknown."""
    p = model.predict_proba(X)
    if len(model.classes_) == len(classes):
        return p
    out = np.zeros((len(p), len(classes)))
    out[:, encode(model.classes_, classes)] = p
    return out
