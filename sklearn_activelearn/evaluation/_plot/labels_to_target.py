"""Labels needed against the error to be reached."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator, RowsLike
from ..._validation import check_number
from .._label_curve import check_error
from .._labels_to_target import labels_to_target
from .._measures import ERRORS, measure_name
from ._base import (
    CONSTANT,
    Curves,
    check_matplotlib,
    draw_band,
    first_of,
    log_ticks,
    measured,
    named_curves,
    start_plot,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@documented(DISPLAY)
class LabelsToTargetDisplay:
    """Labels needed for each target error, one line for each learner.

    A line reaches down to the lowest error that all runs got to; the dot marks it. A
    thin grey line is the error of a constant answer.

    Parameters
    ----------
    curves : LabelCurve or dict of LabelCurve
        By the name of the learner; scored after each purchase, or at many counts.
    {passive}
    errors : float or array-like of float, default=None
        Target errors. None: 40 from 0.5 (of a loss: the highest) to the lowest error of
        any curve.
    {scoring}

    Attributes
    ----------
    {ax_, figure_, lines_}

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import GreedyOnlineClassifier
    >>> from sklearn_activelearn.evaluation import LabelsToTargetDisplay, label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> learner, at = GreedyOnlineClassifier(), range(5, 201, 5)
    >>> curve = label_curve(learner, X, y == 0, at=at, random_state=0)
    >>> display = LabelsToTargetDisplay.from_curves({"m = 5": curve}, errors=[0.05])
    >>> display.lines_[0].get_label()
    'm = 5'
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(
        self,
        curves: Curves,
        *,
        passive: Curves | None = None,
        errors: ArrayLike | None = None,
        scoring: str | None = None,
    ):
        self.curves = named_curves(curves, "learner", scoring)
        self.passive = named_curves(passive, "passive learning", scoring)
        best = first_of(self.curves, self.passive).best
        if errors is None:
            ends = [
                best - np.append(curve.scores, curve.final_scores)
                for curve in [*self.curves.values(), *self.passive.values()]
            ]
            every = np.concatenate(ends)
            highest = 0.5 if best == 1 else np.nanmax(every, initial=1e-3)
            lowest = np.nanmin(every, initial=highest)
            errors = np.geomspace(highest, max(lowest, 1e-3), 40)
        self.errors = np.sort(np.atleast_1d(np.asarray(errors, dtype=float)))
        if len(self.errors) == 0:
            raise ValueError("errors holds no target error.")
        for error in self.errors:
            check_error(error, "errors", best)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowsLike,
        y: ArrayLike,
        *,
        passive: Estimator | None = None,
        errors: ArrayLike | None = None,
        ax: "Axes | None" = None,
        **experiment: Any,
    ) -> Self:
        """Measure a learner, and a passive one on the same runs, and draw them.

        Parameters
        ----------
        estimator : learner, or Pipeline that ends in one
            Not changed.
        X, y : array-like
            Data, as for `label_curve`.
        passive : learner or Pipeline, default=None
            The baseline.
        errors : array-like of float, default=None
            As for the class.
        {ax}
        **experiment : dict
            The other arguments of `label_curve`; `random_state` is 0 if left out. Of
            several measures the first is drawn.

        {returns}
        """
        check_matplotlib(cls.__name__)
        curves, baseline = measured(estimator, passive, X, y, experiment)
        return cls(curves, passive=baseline, errors=errors).plot(ax)

    @classmethod
    def from_curves(
        cls,
        curves: Curves,
        *,
        passive: Curves | None = None,
        errors: ArrayLike | None = None,
        scoring: str | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw curves that `label_curve` returned.

        Parameters
        ----------
        curves, passive, errors, scoring
            As for the class.
        {ax, **style}

        {returns}
        """
        display = cls(curves, passive=passive, errors=errors, scoring=scoring)
        return display.plot(ax, **style)

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
        for name, curve, style in styled(self.curves, self.passive):
            needed = [labels_to_target(curve, error) for error in self.errors]
            reached = np.array([n.n_failed == 0 for n in needed], dtype=bool)
            labels = np.array([n.labels for n in needed]).T[:, reached]
            errors = self.errors[reached]
            label = name if reached.any() else f"{name} (never)"
            self.lines_.append(draw_band(ax, errors, labels, band, label, style))
            if reached.any():
                ax.plot(errors[:1], labels[:, :1].mean(axis=0), "o", markersize=5,
                        color=style["color"])  # fmt: skip
        first = first_of(self.curves, self.passive)
        ax.set(xlabel=target_label(first), ylabel="labels needed", xscale="log")
        ends = np.maximum(self.errors[[0, -1]], 1e-3)  # the axis ends above 0
        ax.set_xlim(ends[0] / 1.1, ends[1] * 1.1)
        log_ticks(ax.xaxis, percent=first.best == 1)
        constant = first.best - first.constant_score
        if ends[0] <= constant <= ends[1]:
            ax.axvline(constant, label="constant answer", **CONSTANT)
        if any(len(line.get_xdata()) for line in self.lines_):
            ax.set_yscale("log")
            log_ticks(ax.yaxis)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize="small")
        return self


def target_label(curve):
    """Return what stands below the axis of targets."""
    if curve.scoring == "score" or curve.scoring in ERRORS:
        return f"target {measure_name(curve.scoring).replace('score', 'error')}"
    name = measure_name(curve.scoring)
    return f"target {name}" if curve.best == 0 else f"target of 1 - {name}"
