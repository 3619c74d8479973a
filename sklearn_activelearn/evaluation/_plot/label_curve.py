"""Error, or score, against labels bought."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator, RowsLike
from ..._validation import check_number, check_option
from .._label_curve import check_error
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
class LabelCurveDisplay:
    """Held-out error against labels bought, one line for each learner.

    A line is the mean over the runs and its band the middle share of them. It ends
    in a dot, at the labels that the learner bought on average. A thin grey line is the
    level of a constant answer.

    Parameters
    ----------
    curves : LabelCurve or dict of LabelCurve
        By the name of the learner.
    {passive}
    target : float, default=None
        Error to be reached; drawn as a line across.
    {scoring}

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
        scoring: str | None = None,
    ):
        self.curves = named_curves(curves, "learner", scoring)
        self.passive = named_curves(passive, "passive learning", scoring)
        if target is not None:
            best = first_of(self.curves, self.passive).best
            check_error(target, "target", best)
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
            also if `random_state` is left out: it is 0 then. Of several measures the
            first is drawn.

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
        scoring: str | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw curves that `label_curve` returned.

        Parameters
        ----------
        curves, passive, target, scoring
            As for the class.
        {ax, **style}

        {returns}
        """
        display = cls(curves, passive=passive, target=target, scoring=scoring)
        return display.plot(ax, **style)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        kind: Literal["error", "score"] | None = None,
        band: float = 0.8,
        score_name: str | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        kind : {"error", "score"}, default=None
            1 - score on a logarithmic axis (of losses: the loss), or the score as it
            is. None: the error of accuracies, of losses and of functions, the score
            of other measures.
        band : float in [0, 1), default=0.8
            Middle share of the runs to shade; 0 for none.
        score_name : str, default=None
            What the score is called on its axis; None: as it is called in the curves.

        {returns}
        """
        if kind is not None:
            check_option(kind, "kind", ("error", "score"))
        check_number(band, "band", 0, 1, closed="left")
        ax = start_plot(self, ax)
        first = first_of(self.curves, self.passive)
        scoring, best = first.scoring, first.best
        is_share = scoring in ERRORS or scoring == "score"
        is_error = kind == "error" or (kind is None and (is_share or best == 0))
        self.lines_, ends = [], []
        for name, curve, style in styled(self.curves, self.passive):
            labels, scores = drawn_part(curve)
            values = best - scores if is_error else scores
            self.lines_.append(draw_band(ax, labels, values, band, name, style))
            end = values[:, -1].mean()
            ax.plot(labels[-1:], [end], "o", color=style["color"], markersize=5)
            ends.append(end)
        if not np.isnan(constant := first.constant_score):
            height = best - constant if is_error else constant
            ends.append(height)
            ax.axhline(height, label="constant answer", **CONSTANT)
        if self.target is not None:
            height = self.target if is_error else best - self.target
            ends.append(height)
            ax.axhline(height, color="black", linewidth=0.8, linestyle=":")
            text = f"{100 * self.target:.3g} % error" if is_share else f"{height:.3g}"
            ax.annotate(
                f"target {text}", (0.01, height),
                (0, 2), xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize="small", annotation_clip=True,
            )  # fmt: skip
        ax.set(xscale="log", xlabel="labels bought")
        ax.set_ylabel(axis_label(scoring, is_error, score_name))
        log_ticks(ax.xaxis)
        if is_error:
            self._scale_errors(ax, ends, is_share or best == 1)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize="small")
        return self

    def _scale_errors(self, ax, ends, is_share):
        """Let the error axis reach from below the best end to the worst beginning."""
        ends = [end for end in ends if end > 0]
        if not ends:  # nobody ever errs
            return
        highest = max(np.nanmax(line.get_ydata()) for line in self.lines_)
        ax.set_yscale("log")
        top = 1.2 * max([highest, *ends])
        ax.set_ylim(max(0.6 * min(ends), 1e-4), min(top, 1.05) if is_share else top)
        log_ticks(ax.yaxis, percent=is_share)


def axis_label(scoring, is_error, score_name):
    """Return what stands beside the axis."""
    name = measure_name(scoring)
    if not is_error:
        plain = scoring.replace("_", " ") if scoring in ERRORS else name
        return score_name or plain
    if scoring == "score":
        return "test error"
    if scoring in ERRORS or scoring.startswith("neg_"):
        return f"test {name}"
    return f"1 - {name}"


def drawn_part(curve):
    """Return label counts up to what runs bought on average, and the scores there."""
    end = max(curve.n_bought.mean(), 1)
    kept = curve.n_labels < end
    scores = np.column_stack([curve.carried_scores[:, kept], curve.final_scores])
    return np.append(curve.n_labels[kept], end), scores
