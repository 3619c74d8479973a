"""Error, or score, against labels bought."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY
from ..._documented import documented
from ..._typing import Estimator, RowsLike
from ..._validation import check_number, check_option
from ._base import (
    Curves,
    check_matplotlib,
    draw_band,
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
class LabelCurveDisplay:
    """Held-out error against labels bought, one line for each learner.

    A line is the mean over the runs and its band the middle share of them. It ends
    in a dot, at the labels that the learner bought on average.

    Parameters
    ----------
    curves : LabelCurve or dict of LabelCurve
        By the name of the learner.
    {passive}
    target : float, default=None
        Error to be reached; drawn as a line across.

    Attributes
    ----------
    {ax_, figure_, lines_}

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import GreedyOnlineClassifier, RandomSamplingClassifier
    >>> from sklearn_activelearn.evaluation import LabelCurveDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> display = LabelCurveDisplay.from_estimator(
    ...     GreedyOnlineClassifier(), X, y == 0, target=0.02, at=range(5, 201, 5),
    ...     passive=RandomSamplingClassifier(rate=1.0), random_state=0,
    ... )
    >>> [line.get_label() for line in display.lines_]
    ['GreedyOnlineClassifier', 'passive learning']
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(
        self,
        curves: Curves,
        *,
        passive: Curves | None = None,
        target: float | None = None,
    ):
        if target is not None:
            check_number(target, "target", 0, 1, closed="both")
        self.curves = named_curves(curves, "learner")
        self.passive = named_curves(passive, "passive learning")
        self.target = target

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowsLike,
        y: ArrayLike,
        *,
        passive: Estimator | None = None,
        target: float | None = None,
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
            The baseline, such as ``RandomSamplingClassifier(rate=1.0)`` or
            ``PassiveClassifier(budget=None)``.
        target : float, default=None
            Error to be reached.
        {ax}
        **experiment : dict
            The other arguments of `label_curve`. Both learners get the same folds,
            also if `random_state` is left out: it is 0 then.

        {returns}
        """
        check_matplotlib(cls.__name__)
        curves, baseline = measured(estimator, passive, X, y, experiment)
        return cls(curves, passive=baseline, target=target).plot(ax)

    @classmethod
    def from_curves(
        cls,
        curves: Curves,
        *,
        passive: Curves | None = None,
        target: float | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw curves that `label_curve` returned.

        Parameters
        ----------
        curves, passive, target
            As for the class.
        {ax, **style}

        {returns}
        """
        return cls(curves, passive=passive, target=target).plot(ax, **style)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        kind: Literal["error", "score"] = "error",
        band: float = 0.8,
        score_name: str = "score",
    ) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        kind : {"error", "score"}, default="error"
            1 - score on a logarithmic axis, for accuracies; or the score as it is.
        band : float in [0, 1), default=0.8
            Middle share of the runs to shade; 0 for none.
        score_name : str, default="score"
            What the score is called on its axis.

        {returns}
        """
        check_option(kind, "kind", ("error", "score"))
        check_number(band, "band", 0, 1, closed="left")
        ax = start_plot(self, ax)
        is_error = kind == "error"
        self.lines_, ends = [], []
        for name, curve, style in styled(self.curves, self.passive):
            labels, scores = drawn_part(curve)
            values = 1 - scores if is_error else scores
            self.lines_.append(draw_band(ax, labels, values, band, name, style))
            end = values[:, -1].mean()
            ax.plot(labels[-1:], [end], "o", color=style["color"], markersize=5)
            ends.append(end)
        if self.target is not None:
            height = self.target if is_error else 1 - self.target
            ends.append(height)
            ax.axhline(height, color="black", linewidth=0.8, linestyle=":")
            ax.annotate(
                f"target {100 * self.target:.3g} % error", (0.01, height),
                (0, 2), xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize="small", annotation_clip=True,
            )  # fmt: skip
        ax.set(xscale="log", xlabel="labels bought")
        ax.set_ylabel("test error" if is_error else score_name)
        log_ticks(ax.xaxis)
        if is_error:
            self._scale_errors(ax, ends)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize="small")
        return self

    def _scale_errors(self, ax, ends):
        """Let the error axis reach from below the best end to the worst beginning."""
        ends = [end for end in ends if end > 0]
        if not ends:  # nobody ever errs
            return
        highest = max(np.nanmax(line.get_ydata()) for line in self.lines_)
        ax.set_yscale("log")
        ax.set_ylim(max(0.6 * min(ends), 1e-4), min(1.2 * max([highest, *ends]), 1.05))
        log_ticks(ax.yaxis, percent=True)


def drawn_part(curve):
    """Return label counts up to what runs bought on average, and the scores there."""
    end = max(curve.n_bought.mean(), 1)
    kept = curve.n_labels < end
    scores = np.column_stack([curve.carried_scores[:, kept], curve.final_scores])
    return np.append(curve.n_labels[kept], end), scores
