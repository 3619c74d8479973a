"""The cost of an ensemble as labels come in."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator
from ._base import by_name, check_matplotlib, fitted, start_plot, styled, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@documented(DISPLAY)
class CostCurveDisplay:
    """Semi-supervised cost of boosting after each round, one line for each learner.

    Parameters
    ----------
    curves : array-like of shape (n,) or dict of them
        Costs, by the name of the learner.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        A line for each learner.

    Examples
    --------
    >>> from sklearn_activelearn.evaluation import CostCurveDisplay
    >>> display = CostCurveDisplay.from_curves({"alpha = 0.1": [1.0, 0.7, 0.6]})
    >>> display.lines_[0].get_xdata().tolist()
    [1, 2, 3]
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(self, curves: ArrayLike | Mapping[str, ArrayLike]):
        self.curves = {
            name: np.asarray(curve, dtype=float)
            for name, curve in by_name(curves, "cost").items()
        }
        for name, curve in self.curves.items():
            if curve.ndim != 1:
                raise ValueError(f"curve {name!r} has shape {curve.shape}, not (n,).")

    @classmethod
    def from_estimator(cls, estimator: Estimator, *, ax: "Axes | None" = None) -> Self:
        """Draw the cost curve of a fitted learner.

        Parameters
        ----------
        estimator : fitted learner, or Pipeline that ends in one
            With ``cost_curve_``.
        {ax}

        {returns}
        """
        check_matplotlib(cls.__name__)
        costs = fitted(estimator, "cost_curve_", "boosting learner with a cost")
        return cls(costs).plot(ax)

    @classmethod
    def from_curves(
        cls, curves: ArrayLike | Mapping[str, ArrayLike], *, ax: "Axes | None" = None
    ) -> Self:
        """Draw costs.

        Parameters
        ----------
        curves : array-like of shape (n,) or dict of them
            As for the class.
        {ax}

        {returns}
        """
        return cls(curves).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}

        {returns}
        """
        ax = start_plot(self, ax)
        self.lines_ = []
        for name, curve, style in styled(self.curves, {}):
            rounds = np.arange(1, len(curve) + 1)
            self.lines_ += ax.plot(rounds, curve, label=name, **style)
        ax.set(xlabel="round", ylabel="semi-supervised cost")
        if all((curve > 0).all() for curve in self.curves.values()):
            ax.set_yscale("log")  # a committee that was sure and wrong pays a lot
        whole_numbers(ax.xaxis)
        ax.grid(alpha=0.3)
        if len(self.curves) > 1:
            ax.legend(frameon=False, fontsize="small")
        return self
