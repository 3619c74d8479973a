"""Recall against rows read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator, Label, RowsLike
from ..._validation import check_number
from .._measures import learner_of
from .._recall import RecallCurve, recall_curve
from ._base import (
    PASSIVE,
    by_name,
    check_matplotlib,
    draw_band,
    fitted,
    start_plot,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@documented(DISPLAY)
class RecallCurveDisplay:
    """Share of the relevant rows found against rows read, one line for each learner.

    A line is the mean over the runs and its band the middle share of them. The dashed
    line is random order.

    Parameters
    ----------
    curves : RecallCurve or dict of RecallCurve
        By the name of the learner; all of the same rows.
    recall : float in (0, 1], default=0.95
        To be reached; drawn as a line across.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        A line for each learner, random order last.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import RecallCurveDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(batch_size=0.2, budget=400)
    >>> display = RecallCurveDisplay.from_estimator(learner, X / 16, y == 8, n_runs=2)
    >>> [line.get_label() for line in display.lines_]
    ['RelevanceSamplingClassifier', 'random order']
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(
        self,
        curves: RecallCurve | Mapping[str, RecallCurve],
        *,
        recall: float = 0.95,
    ):
        self.curves = by_name(curves, "learner")
        if not self.curves:
            raise ValueError("curves: there is none to draw.")
        counts = {(curve.n_rows, curve.n_relevant) for curve in self.curves.values()}
        if len(counts) > 1:
            raise ValueError(
                "curves are of other rows: (rows, relevant rows) are "
                f"{', '.join(map(str, sorted(counts)))}."
            )
        check_number(recall, "recall", 0, 1, closed="right")
        self.recall = recall

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowsLike,
        y: ArrayLike,
        *,
        positive: Label | None = None,
        n_runs: int = 3,
        recall: float = 0.95,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Fit a pool learner several times and draw what it found.

        Parameters
        ----------
        estimator : pool learner, or Pipeline that ends in one
            Cloned; its `random_state` is 0, 1, ... With ``budget=None`` it reads all.
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool.
        y : array-like of shape (n_samples,)
            Labels of all rows.
        positive : label or None, default=None
            As for `recall_curve`.
        n_runs : int >= 1, default=3
            How often.
        recall : float in (0, 1], default=0.95
            To be reached.
        {ax, **style}

        {returns}
        """
        check_matplotlib(cls.__name__)
        check_number(n_runs, "n_runs", 1, closed="left", integer=True)
        orders = []
        for seed in range(n_runs):
            model = clone(estimator)
            learner_of(model).set_params(random_state=seed)
            orders.append(fitted(model.fit(X, y), "queried_indices_", "pool learner"))
        curve = recall_curve(y, orders, positive=positive)
        name = type(learner_of(estimator)).__name__
        return cls({name: curve}, recall=recall).plot(ax, **style)

    @classmethod
    def from_curves(
        cls,
        curves: RecallCurve | Mapping[str, RecallCurve],
        *,
        recall: float = 0.95,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw curves that `recall_curve` returned.

        Parameters
        ----------
        curves, recall
            As for the class.
        {ax, **style}

        {returns}
        """
        return cls(curves, recall=recall).plot(ax, **style)

    def plot(self, ax: "Axes | None" = None, *, band: float = 0.8) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        band : float in [0, 1), default=0.8
            Middle share of the runs to shade; 0 for none.

        {returns}
        """
        check_number(band, "band", 0, 1, closed="left")
        ax = start_plot(self, ax)
        self.lines_ = []
        for name, curve, style in styled(self.curves, {}):
            n = np.arange(curve.n_read.min() + 1)
            line = draw_band(ax, n, curve.recall(n), band, name, style)
            line.set_drawstyle("steps-post")
            self.lines_.append(line)
        random = ax.plot([0, curve.n_rows], [0, 1], label="random order", **PASSIVE[0])
        self.lines_ += random
        ax.axhline(self.recall, color="black", linewidth=0.8, linestyle=":")
        ax.set(xlabel="rows read", ylabel="recall", ylim=(0, 1.02))
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize="small", loc="lower right")
        return self
