"""Displays of curves over repeated runs; matplotlib is imported to draw them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from ..audit._recall import RecallCurve
from ._curves import LabelCurve, check_error
from ._measures import ERRORS, NamedMeasure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One curve, or several by name.
Curves: TypeAlias = LabelCurve | Mapping[str, LabelCurve]

#: Okabe and Ito's colours, which nearly everybody can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: Shares of the runs between which bands are drawn.
BAND = (0.1, 0.9)

#: Recall at which a line is drawn.
RECALL = 0.95

#: Errors that span a smaller factor are drawn on a linear axis.
DECADE = 10

#: Styles of curves in the background.
OTHERS = [
    {"color": "0.7", "linestyle": style, "linewidth": 0.8, "zorder": 1}
    for style in ("-", "--", "-.", ":")
]

#: Styles of the passive baselines.
PASSIVE = [
    {"color": color, "linestyle": style}
    for color, style in (("0.3", "--"), ("0.5", "-."), ("0.5", ":"), ("0.7", "--"))
]


class Display:
    """Base of the displays: the axes, and elements that several of them draw."""

    def _start(self, ax):
        """Return the axes to draw on."""
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__} needs matplotlib: pip install matplotlib"
            ) from error
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_, self.lines_ = ax, ax.figure, []
        return ax

    def _finish(self, **legend):
        """Add a grid and a legend."""
        self.ax_.grid(alpha=0.3)
        self.ax_.legend(frameon=False, **{"fontsize": "small", **legend})
        return self

    def _draw_runs(self, x, values, label, style, has_band=True):
        """Draw the mean over runs, and the middle share of the runs as a band."""
        (line,) = self.ax_.plot(x, values.mean(axis=0), label=label, **style)
        if has_band:
            ends = np.quantile(values, BAND, axis=0)
            self.ax_.fill_between(
                x, *ends, color=style["color"], alpha=0.15, linewidth=0
            )
        self.lines_.append(line)
        return line


def curves_by_name(curves, name):
    """Return curves as a dict; a single curve gets the name, None gives no curve."""
    if curves is None:
        return {}
    return dict(curves) if hasattr(curves, "items") else {name: curves}


def color_style(i):
    """Return the style of the i-th learner."""
    return {"color": COLORS[i % len(COLORS)]}


def set_log_ticks(axis, *, percent=False):
    """Put plain numbers at 1, 2, 5, 10, ... on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(
        FuncFormatter(lambda v, _: f"{100 * v:g} %" if percent else f"{v:g}")
    )
    axis.set_minor_formatter(NullFormatter())


def set_percent_ticks(axis):
    """Show shares in percent on a linear axis."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:.4g} %"))


class LabelCurveDisplay(Display):
    """Held-out error against labels bought, one line for each learner.

    A line is the mean over the runs; the band around it holds the middle share of the
    runs. It ends in a dot, at the mean number of labels that the learner bought. A thin
    grey line is the level of a constant prediction.

    Parameters
    ----------
    curves : LabelCurve or dict of LabelCurve
        Curves of learners, by name.

    passive : LabelCurve or dict of LabelCurve, default=None
        Curves of passive baselines; drawn grey, with broken lines.

    others : LabelCurve or dict of LabelCurve, default=None
        Curves in the background: thin, light grey and without a band.

    target : float, default=None
        Target error; drawn as a horizontal line.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last drawing.

    figure_ : matplotlib Figure
        Figure of the last drawing.

    lines_ : list of matplotlib Line2D
        A line for each learner, for each passive baseline, and for each other curve.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import GreedyOnlineClassifier, RandomSamplingClassifier
    >>> from sklearn_activelearn.evaluation import LabelCurveDisplay, label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> active, passive = (
    ...     label_curve(learner, X, y == 0, at=range(5, 201, 5), random_state=0)
    ...     for learner in (GreedyOnlineClassifier(), RandomSamplingClassifier(1.0))
    ... )
    >>> display = LabelCurveDisplay({"greedy": active}, passive=passive).plot()
    >>> [line.get_label() for line in display.lines_]
    ['greedy', 'passive learning']
    """

    def __init__(
        self,
        curves: Curves,
        *,
        passive: Curves | None = None,
        others: Curves | None = None,
        target: float | None = None,
    ):
        self.curves = curves_by_name(curves, "learner")
        self.passive = curves_by_name(passive, "passive learning")
        self.others = curves_by_name(others, "other learner")
        groups = self.curves, self.passive, self.others
        every = [curve for group in groups for curve in group.values()]
        if not every:
            raise ValueError("curves is empty: pass at least one LabelCurve.")
        measures = sorted({curve.scoring for curve in every})
        if len(measures) > 1:
            raise ValueError(
                f"curves are of several measures, {', '.join(measures)}: choose one "
                "with `by`."
            )
        self._first = every[0]
        if target is not None:
            check_error(target, "target", self._first.best)
        self.target = target

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the curves.

        Accuracies and functions are drawn as errors, 1 - score, and losses as losses,
        on a logarithmic axis if they span a decade; other measures as scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a figure.

        Returns
        -------
        display : object
            The display, drawn.
        """
        ax = self._start(ax)
        scoring, best = self._first.scoring, self._first.best
        is_share = scoring in ERRORS or scoring == "score"
        is_error = is_share or best == 0
        styled = [
            *((*item, color_style(i)) for i, item in enumerate(self.curves.items())),
            *(
                (*item, PASSIVE[i % len(PASSIVE)])
                for i, item in enumerate(self.passive.items())
            ),
            *(
                (*item, OTHERS[i % len(OTHERS)])
                for i, item in enumerate(self.others.items())
            ),
        ]
        heights = []
        for name, curve, style in styled:
            end = max(curve.n_bought.mean(), 1)  # labels that runs bought on average
            kept = curve.n_labels < end
            labels = np.append(curve.n_labels[kept], end)
            scores = np.column_stack(
                [curve.carried_scores[:, kept], curve.final_scores]
            )
            values = best - scores if is_error else scores
            is_other = style in OTHERS
            self._draw_runs(labels, values, name, style, has_band=not is_other)
            heights.append(values[:, -1].mean())
            size = 3 if is_other else 5
            ax.plot([end], heights[-1:], "o", color=style["color"], markersize=size)
        if not np.isnan(constant := self._first.constant_score):
            heights.append(best - constant if is_error else constant)
            ax.axhline(
                heights[-1],
                label="constant prediction",
                color="0.6",
                linewidth=1.0,
                zorder=0,
            )
        if self.target is not None:
            height = self.target if is_error else best - self.target
            heights.append(height)
            ax.axhline(height, color="black", linewidth=0.8, linestyle=":")
            text = f"{100 * self.target:.3g} % error" if is_share else f"{height:.3g}"
            ax.annotate(
                f"target {text}", (0.01, height),
                (0, 2), xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize="small", annotation_clip=True,
            )  # fmt: skip
        ax.set(
            xscale="log", xlabel="labels bought", ylabel=axis_label(scoring, is_error)
        )
        set_log_ticks(ax.xaxis)
        positive = [height for height in heights if height > 0]
        if is_error and positive:
            highest = max(np.nanmax(line.get_ydata()) for line in self.lines_)
            top, bottom = max([highest, *positive]), min(positive)
            if top >= DECADE * bottom:
                ax.set_yscale("log")
                ax.set_ylim(
                    max(0.6 * bottom, 1e-4),
                    min(1.2 * top, 1.05 if is_share else np.inf),
                )
                set_log_ticks(ax.yaxis, percent=is_share)
            else:
                ax.set_ylim(0, min(1.08 * top, 1.0 if is_share else np.inf))
        if is_share and ax.get_yscale() == "linear":
            set_percent_ticks(ax.yaxis)
        return self._finish()


def axis_label(scoring, is_error):
    """Return the label of the axis of scores or errors."""
    if scoring == "score":
        return "test error"
    name = NamedMeasure(scoring).name
    return f"test {name}" if is_error else name


class RecallCurveDisplay(Display):
    """Share of the relevant rows found against rows read, one line for each learner.

    A line is the mean over the runs; the band around it holds the middle share of the
    runs. The dashed line is random order, the dotted line a recall of 95 %.

    Parameters
    ----------
    curves : RecallCurve or dict of RecallCurve
        Curves by name, all of the same rows.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last drawing.

    figure_ : matplotlib Figure
        Figure of the last drawing.

    lines_ : list of matplotlib Line2D
        A line for each learner, random order last.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import RecallCurveDisplay, recall_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(batch_size=0.2, budget=400)
    >>> curve = recall_curve(y == 8, learner.fit(X / 16, y == 8).queried_indices_)
    >>> display = RecallCurveDisplay({"relevance": curve}).plot()
    >>> [line.get_label() for line in display.lines_]
    ['relevance', 'random order']
    """

    def __init__(self, curves: RecallCurve | Mapping[str, RecallCurve]):
        self.curves = curves_by_name(curves, "learner")
        if not self.curves:
            raise ValueError("curves is empty: pass at least one RecallCurve.")
        sizes = {(curve.n_rows, curve.n_relevant) for curve in self.curves.values()}
        if len(sizes) > 1:
            raise ValueError(
                "curves must be of the same rows; their numbers of rows and relevant "
                f"rows are {', '.join(map(str, sorted(sizes)))}."
            )

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a figure.

        Returns
        -------
        display : object
            The display, drawn.
        """
        ax = self._start(ax)
        for i, (name, curve) in enumerate(self.curves.items()):
            n = np.arange(curve.n_read.min() + 1)
            line = self._draw_runs(n, curve.recall(n), name, color_style(i))
            line.set_drawstyle("steps-post")
        ends = [0, curve.n_rows], [0, 1]
        self.lines_ += ax.plot(*ends, label="random order", **PASSIVE[0])
        ax.axhline(RECALL, color="black", linewidth=0.8, linestyle=":")
        ax.set(xlabel="rows read", ylabel="recall", ylim=(0, 1.02))
        return self._finish(loc="lower right")
