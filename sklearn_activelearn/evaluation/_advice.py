"""What the next labels are worth, in one sentence."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.utils import column_or_1d

from .._statistics import Estimate, changes, net_share, score_interval
from .._validation import check_number

#: Half the width of the interval, as a share of the predictions that change, at most
#: (Wilson's upper end, with this normal quantile).
SPREAD, Z = 0.25, norm.ppf(0.95)
#: What `benchmarks.evaluation.stopping` found on sets that had no say in the above.
CONFIDENCE = 0.8


@dataclass(frozen=True)
class LabelAdvice:
    """What the next labels are worth. Printed, it is one sentence.

    Attributes
    ----------
    n_labels : int
        How many labels are meant.
    gain : Estimate
        What they add to the accuracy, between -1 and 1.
    n_before : int
        Labels of the earlier model that the present one is compared with.
    n_changed : int
        Rows put aside for which the two predict different classes.
    n_right, n_wrong : int
        How many of these became right, and how many became wrong.
    """

    n_labels: int
    gain: Estimate
    n_before: int
    n_changed: int
    n_right: int
    n_wrong: int

    def __str__(self) -> str:
        low, high = 100 * self.gain.low, 100 * self.gain.high
        gain = f"gain {low:.1f}–{high:.1f} points"
        if low < 0:
            gain = f"change the accuracy by {low:+.1f} to {high:+.1f} points"
        return (
            f"The next {self.n_labels} labels are expected to {gain}: since "
            f"{self.n_before} labels {self.n_changed} of {self.gain.n_labels} "
            f"predictions have changed, {self.n_right} became right and "
            f"{self.n_wrong} wrong."
        )


def advice(
    history: Iterable[tuple[int, ArrayLike]], y: ArrayLike, *, n_labels: int = 50
) -> LabelAdvice:
    """Say what the next labels are worth, from rows put aside.

    The present model is compared with one of at most half its labels. What it predicts
    otherwise for rows that neither was taught tells how much it is still learning.

    Parameters
    ----------
    history : list of (int, array-like of shape (n_rows,))
        For each model, how many labels it was trained on and what it predicts for the
        rows put aside. The last one is the present model.
    y : array-like of shape (n_rows,)
        The labels of these rows, which were drawn at random and never taught.
    n_labels : int >= 1, default=50
        How many labels ahead, at most as many as the present model has.

    Returns
    -------
    advice : LabelAdvice
        Its ``gain`` is an interval for the accuracy on all rows like these, at 80 %.

    Raises
    ------
    ValueError
        For a history without a model of at most half the labels, predictions that do
        not match `y`, or more labels ahead than the present model has.

    Notes
    -----
    Of m rows put aside, c changed; they went from k to n labels, and N are asked
    about::

        step  = log((n + N) / n) / log(n / k)
        value = c / m * net * step, net = (30 + right - wrong) / (100 + c)
        ends  = value ± upper * sqrt(step) / 4

    with upper the upper end of Wilson's 90 % interval for c / m. The first line is the
    gain of a learning curve that falls in equal steps as the labels double, and ``net``
    is explained in `LabelPrice`. The last one is no theorem: the factor 1/4 held more
    than 90 % of the gains that came true on the data sets on which it was chosen, and
    about 80 % on others. The user guide has the figures. A model that has not begun to
    learn changes nothing, and then its gains are underrated.

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
        raise ValueError("history must hold a prediction for each label of y.")
    for n, _ in history:
        check_number(n, "history: labels of a model", 1, closed="left", integer=True)
    n, now = history[-1]
    earlier = [(n_then, then) for n_then, then in history if n_then <= n / 2]
    if not earlier or not len(y):
        raise ValueError(
            f"history must hold a model of at most half of {n} labels, and y a label."
        )
    if n_labels > n:
        raise ValueError(f"n_labels == {n_labels}, must be at most {n}, those so far.")
    n_before, before = earlier[-1]
    counts = changes(before, now, y)
    changed = counts[0] / len(y)
    _, upper = score_interval(changed, Z**2 / len(y), 0, 1, -1)
    step = np.log1p(n_labels / n) / np.log(n / n_before)
    value = float(changed * net_share(*counts) * step)
    half = float(SPREAD * upper * np.sqrt(step))
    gain = Estimate(value, value - half, value + half, len(y), CONFIDENCE)
    return LabelAdvice(n_labels, gain, n_before, *counts)
