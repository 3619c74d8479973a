"""The loss of each row, for the label that came and for all that could come."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..._containers import n_rows
from ..._labels import encode
from ..._validation import check_option


class RowLoss(NamedTuple):
    """A loss that each row has for itself."""

    method: str  # of the model: what it predicts with
    of: Callable  # of labels, what was predicted, and the model's classes
    is_balanced: bool = False  # averaged within the classes first


def zero_one(y, predicted, classes):
    """Return 1 where the prediction is wrong, else 0."""
    return (np.asarray(y) != predicted).astype(np.float64)


def log_loss_by_label(y, probabilities, classes):
    """Return minus the logarithm of the probability of each label."""
    columns = encode(np.asarray(y), classes)
    return -np.log(probabilities[np.arange(len(columns)), columns])


def own_loss(loss, y, predicted, classes):
    """Return what a callable makes of labels and predictions."""
    return loss(y, predicted)


#: By the names that `ActiveTest` takes.
LOSSES = {
    "balanced_zero_one": RowLoss("predict", zero_one, is_balanced=True),
    "log_loss": RowLoss("predict_proba", log_loss_by_label),
    "zero_one": RowLoss("predict", zero_one),
}


def find_loss(loss, response_method):
    """Return the loss that a name or a callable means."""
    if callable(loss):
        methods = ("decision_function", "predict", "predict_proba")
        check_option(response_method, "response_method", methods)
        return RowLoss(response_method, partial(own_loss, loss))
    return LOSSES[check_option(loss, "loss", LOSSES)]


class ModelPredictions:
    """What finished models say of the rows of a test; it does not change with them.

    Parameters
    ----------
    models : tuple of classifier
        One, or two whose losses are compared: the first's less the second's.
    row_loss : RowLoss
        Which loss.
    X : rows
        The whole test pool.
    """

    def __init__(self, models, row_loss, X):
        self.row_loss = row_loss
        self.classes = [np.asarray(model.classes_) for model in models]
        self.predicted = [
            np.asarray(getattr(model, row_loss.method)(X)) for model in models
        ]
        if row_loss is LOSSES["log_loss"]:
            for probabilities, classes in zip(
                self.predicted, self.classes, strict=True
            ):
                check_positive(probabilities, classes)
        self.n_rows = n_rows(X)

    def losses(self, rows, y):
        """Return the losses of these rows of the pool if those are their labels."""
        of = self.row_loss.of
        each = [
            check_losses(of(y, predicted[rows], classes), len(y))
            for predicted, classes in zip(self.predicted, self.classes, strict=True)
        ]
        return each[0] - each[1] if len(each) == 2 else each[0]

    def table(self, labels):
        """Return the loss of each row for each label: a column for each."""
        rows = np.arange(self.n_rows)
        return np.column_stack(
            [
                self.losses(rows, np.repeat(labels[[k]], len(rows)))
                for k in range(len(labels))
            ]
        )


def check_losses(losses, n):
    """Return one finite number for each of so many rows, or say what is wrong."""
    losses = np.asarray(losses, dtype=np.float64)
    if losses.shape != (n,):
        raise ValueError(
            f"loss returned an array of shape {losses.shape} for {n} rows; one number "
            "for each row is needed."
        )
    if not np.isfinite(losses).all():
        row = int(np.argmin(np.isfinite(losses)))
        raise ValueError(f"loss returned {losses[row]} for row {row}.")
    return losses


def check_positive(probabilities, classes):
    """Refuse probabilities of 0: if such a label came, the log loss was infinite."""
    wrong = np.argwhere(~(probabilities > 0))
    if len(wrong):
        row, column = wrong[0].tolist()
        label = classes[[column]].tolist()[0]
        raise ValueError(
            f"The model gives row {row} of X the probability "
            f"{probabilities[row, column]} for class {label!r}; the log loss needs "
            "probabilities above 0."
        )
