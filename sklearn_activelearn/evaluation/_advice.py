"""The expected value of further labels, in one sentence."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.utils import column_or_1d

from ..base._parameters import check_number
from ..utils._statistics import Estimate, changes, net_share, score_interval

#: Half the width of the interval, as a share of the upper end of Wilson's interval for
#: the share of changed predictions, and the normal quantile of that interval.
SPREAD, Z = 0.25, norm.ppf(0.95)
#: Coverage that `benchmarks.evaluation.stopping` measured on data sets that were not
#: used to choose SPREAD.
CONFIDENCE = 0.8


@dataclass(frozen=True)
class LabelAdvice:
    """Expected gain of further labels. Printed, it is one sentence.

    Attributes
    ----------
    n_labels : int
        Number of further labels.
    gain : Estimate
        Expected gain in accuracy, between -1 and 1.
    n_before : int
        Number of labels of the earlier model, to which the current one is compared.
    n_changed : int
        Held-out rows for which the two models predict different classes.
    n_right, n_wrong : int
        Number of these rows whose prediction became right, or became wrong.
    """

    n_labels: int
    gain: Estimate
    n_before: int
    n_changed: int
    n_right: int
    n_wrong: int

    def __str__(self) -> str:
        low, high = 100 * self.gain.low, 100 * self.gain.high
        counts = f", {self.n_right} became right and {self.n_wrong} wrong"
        return (
            f"The next {self.n_labels} labels are expected to change the accuracy by "
            f"{low:+.1f} to {high:+.1f} points: since {self.n_before} labels "
            f"{self.n_changed} of {self.gain.n_labels} predictions have changed"
            f"{counts * (self.n_right + self.n_wrong > 0)}."
        )


def advice(
    history: Iterable[tuple[int, ArrayLike]], y: ArrayLike, *, n_labels: int = 50
) -> LabelAdvice:
    """Estimate the gain in accuracy of further labels, from held-out rows.

    The present model is compared with a model of at most half its labels. The more
    predictions for held-out rows differ, the more the model is still learning.

    Parameters
    ----------
    history : list of (int, array-like of shape (n_rows,))
        For each model, the number of labels it was trained on, and its predictions for
        the held-out rows. The last one is the present model.
    y : array-like of shape (n_rows,)
        Labels of the held-out rows, which were drawn at random and never taught.
    n_labels : int >= 1, default=50
        Number of further labels, at most the number of labels of the present model.

    Returns
    -------
    advice : LabelAdvice
        ``gain`` has an 80 % interval for the gain in accuracy on rows like these;
        ``n_before``, ``n_changed``, ``n_right`` and ``n_wrong`` are the reasons.

    Raises
    ------
    ValueError
        For a history without a model of at most half the labels, predictions that do
        not match `y`, and more further labels than the present model has.

    Notes
    -----
    From k to n labels, the predictions of c of m held-out rows changed. For N further
    labels::

        step  = log((n + N) / n) / log(n / k)
        value = c / m * net * step, net = (30 + right - wrong) / (100 + c)
        ends  = value ± upper * sqrt(step) / 4

    with ``upper`` the upper end of Wilson's 90 % interval for c / m. ``step`` belongs
    to a learning curve whose error falls by the same amount each time the labels
    double; ``net`` is explained in `LabelPrice`. The interval is empirical: with the
    factor 1/4 it held more than 90 % of the gains on the data sets on which the factor
    was chosen, and about 80 % on others; the user guide has the figures. A model that
    has not begun to learn changes no predictions, and its gains are underestimated.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.evaluation import advice
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_aside, y, y_aside = X[:1600] / 16, X[1600:] / 16, y[:1600], y[1600:]
    >>> learner, history = MinMarginClassifier(batch_size=20, random_state=0), []
    >>> while len(rows := learner.query(X)):
    ...     learner = learner.teach(X[rows], y[rows])
    ...     history.append((learner.n_taught_, learner.predict(X_aside)))
    >>> print(advice(history, y_aside))
    The next 50 labels are expected to change the accuracy by -0.1 to +9.6 points: since
    50 labels 40 of 197 predictions have changed, 29 became right and 3 wrong.
    """
    check_number(n_labels, "n_labels", 1, closed="left", integer=True)
    y = column_or_1d(y)
    history = [(n, np.asarray(predicted)) for n, predicted in history]
    if not history or any(predicted.shape != y.shape for _, predicted in history):
        raise ValueError(
            "history must hold at least one model, with a prediction for each of the "
            f"{len(y)} labels of y."
        )
    for n, _ in history:
        check_number(n, "history: labels of a model", 1, closed="left", integer=True)
    n, now = history[-1]
    earlier = [(n_then, then) for n_then, then in history if n_then <= n / 2]
    if not earlier or not len(y):
        raise ValueError(
            f"history must hold a model of at most {n // 2} labels, half of {n}, and y "
            "must hold a label."
        )
    if n_labels > n:
        raise ValueError(
            f"n_labels must be at most {n}, the labels so far, got {n_labels}."
        )
    n_before, before = earlier[-1]
    counts = changes(before, now, y)
    changed = counts[0] / len(y)
    _, upper = score_interval(changed, Z**2 / len(y), 0, 1, -1)
    step = np.log1p(n_labels / n) / np.log(n / n_before)
    value = float(changed * net_share(*counts) * step)
    half = float(SPREAD * upper * np.sqrt(step))
    gain = Estimate(value, value - half, value + half, len(y), CONFIDENCE)
    return LabelAdvice(n_labels, gain, n_before, *counts)
