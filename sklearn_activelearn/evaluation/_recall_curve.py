"""Recall against rows read, and the work that an order of the rows saves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._labels import find_classes, present_labels
from .._typing import Floats, Label, Labels
from .._validation import check_number, check_row_numbers
from ._results import Result, frame

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class RecallCurve(Result):
    """Which share of the relevant rows was found after how many rows.

    Attributes
    ----------
    n_rows : int
        Rows that there are.
    read : ndarray of shape (n_runs, n_relevant)
        Rows read when one, two, ... relevant ones were found; infinity for those that
        a run did not find.
    n_read : ndarray of int of shape (n_runs,)
        Rows that each run has read.
    """

    n_rows: int
    read: np.ndarray
    n_read: np.ndarray

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the curve that `to_dict` took apart."""
        read = [[np.inf if n is None else n for n in run] for run in values["read"]]
        n_read = np.array(values["n_read"], dtype=int)
        return cls(values["n_rows"], np.array(read, dtype=float), n_read)

    @property
    def n_relevant(self) -> int:
        """Relevant rows that there are."""
        return self.read.shape[1]

    def recall(self, n_read: ArrayLike) -> Floats:
        """Return the share of the relevant rows found after so many rows.

        Parameters
        ----------
        n_read : int or array-like of int of shape (n_points,)
            Rows read.

        Returns
        -------
        recall : ndarray of shape (n_runs,) or (n_runs, n_points)
            Of each run; that at its end from there on.
        """
        found = [np.searchsorted(run, n_read, side="right") for run in self.read]
        return np.array(found) / self.n_relevant

    def rows_read(self, recall: float = 0.95) -> Floats:
        """Return how many rows were read when this recall was reached.

        Parameters
        ----------
        recall : float in (0, 1], default=0.95
            Share of the relevant rows.

        Returns
        -------
        n_read : ndarray of shape (n_runs,)
            Infinity for a run that did not reach it.
        """
        check_number(recall, "recall", 0, 1, closed="right")
        # the product may be just above a whole number
        needed = max(int(np.ceil(round(recall * self.n_relevant, 9))), 1)
        return self.read[:, needed - 1]

    def wss(self, recall: float = 0.95) -> Floats:
        """Return the work saved over sampling (WSS).

        Parameters
        ----------
        recall : float in (0, 1], default=0.95
            Share of the relevant rows to be found.

        Returns
        -------
        saved : ndarray of shape (n_runs,)
            Share of the rows not read when it was reached, less that which reading at
            random would have left, ``1 - recall``; NaN for a run that did not reach it.
        """
        read = self.rows_read(recall)
        saved = (self.n_rows - read) / self.n_rows - (1 - recall)
        return np.where(np.isfinite(read), saved, np.nan)

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame: run, rows read, recall, a line for each found."""
        n_runs, n = self.read.shape
        return frame(
            {
                "run": np.repeat(np.arange(n_runs), n),
                "read": self.read.ravel(),
                "recall": np.tile(np.arange(1, n + 1) / n, n_runs),
            }
        )


def recall_curve(
    y: ArrayLike,
    orders: ArrayLike | Sequence[ArrayLike],
    *,
    positive: Label | None = None,
) -> RecallCurve:
    """Return which share of the relevant rows was found after how many rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of all rows.
    orders : array-like of int of shape (n_read,), or list of these
        Row numbers in the order in which they were read, such as
        ``learner.queried_indices_``; a list of runs, or one.
    positive : label or None, default=None
        That of the relevant rows. None: the last of the sorted labels.

    Returns
    -------
    curve : RecallCurve
        With ``recall(n_read)``, ``rows_read(recall)`` and ``wss(recall)``.

    Raises
    ------
    ValueError
        For labels of one class, a label that no row has, or numbers that are no rows or
        come twice.

    References
    ----------
    .. [1] A. M. Cohen, W. R. Hersh, K. Peterson, P.-Y. Yen, "Reducing Workload in
       Systematic Review Preparation Using Automated Citation Classification", JAMIA
       13(2), 2006 (work saved over sampling).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import recall_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(
    ...     positive=True, batch_size=0.1, budget=1_000, random_state=0
    ... ).fit(X / 16, y == 8)
    >>> curve = recall_curve(y == 8, learner.queried_indices_)
    >>> print(curve.rows_read(0.95), curve.wss(0.95).round(2), curve.wss(1.0).round(2))
    [422.] [0.72] [0.45]
    """
    y = np.asarray(present_labels(y))
    is_relevant = y == relevant_label(y, positive)
    one_run = np.ndim(next(iter(orders), 0)) == 0
    runs = [
        check_row_numbers(run, "orders", len(y))
        for run in ([orders] if one_run else orders)
    ]
    read = np.full((len(runs), np.count_nonzero(is_relevant)), np.inf)
    for line, run in zip(read, runs, strict=True):
        found = np.flatnonzero(is_relevant[run])
        line[: len(found)] = found + 1
    return RecallCurve(len(y), read, np.array([len(run) for run in runs]))


def relevant_label(y: Labels, positive: Label | None) -> Label:
    """Return the label of the relevant rows; None: the last."""
    classes = find_classes(y).tolist()
    if positive is None:
        return classes[-1]
    if positive not in classes:
        raise ValueError(
            f"positive must be one of the labels, {classes}, got {positive!r}."
        )
    return positive
