"""Margin losses, their slopes and the purchases they imply."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator
from ..._validation import check_option
from ...losses import MarginLoss, make_loss
from ._base import COLORS, fitted, start_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

#: What is drawn for each kind: the label of the axis.
KINDS = {
    "value": "loss l(z)",
    "derivative": "slope l'(z)",
    "query_probability": "probability q to buy the label",
}


@documented(DISPLAY)
class LossDisplay:
    """Margin losses, or when they ask for labels.

    Parameters
    ----------
    losses : dict of MarginLoss
        By the name for the legend.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        A line for each loss.

    Examples
    --------
    >>> from sklearn_activelearn.evaluation import LossDisplay
    >>> display = LossDisplay.from_losses(["hinge", "ramp"], kind="query_probability")
    >>> [line.get_label() for line in display.lines_]
    ['hinge', 'ramp']
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(self, losses: Mapping[str, MarginLoss]):
        self.losses = losses

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: "Axes | None" = None, **style: Any
    ) -> Self:
        """Draw the loss of a learner, fitted or not.

        Parameters
        ----------
        estimator : estimator with a margin loss, or Pipeline that ends in one
            With the parameter `loss`.
        {ax, **style}

        {returns}
        """
        loss = fitted(estimator, "loss", "learner with a margin loss")
        return cls.from_losses([loss], ax=ax, **style)

    @classmethod
    def from_losses(
        cls,
        losses: Iterable[str | MarginLoss],
        *,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw losses by name or as objects.

        Parameters
        ----------
        losses : list of str or MarginLoss
            What to draw.
        {ax, **style}

        {returns}
        """
        return cls({str(loss): make_loss(loss) for loss in losses}).plot(ax, **style)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        kind: Literal["value", "derivative", "query_probability"] = "value",
        z: ArrayLike | None = None,
        line_kw: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        kind : {"value", "derivative", "query_probability"}, default="value"
            What to draw: of the signed margin z = y w·x, or, for the last, of the
            margin ``|w·x|`` of a row whose label is not known.
        z : array-like, default=None
            Margins; None: from -5 to 3, or from 0 to 5.
        line_kw : dict of dict, default=None
            Arguments for matplotlib's ``plot``, by the loss as the legend has it: its
            name, or how an object is written.

        {returns}
        """
        check_option(kind, "kind", KINDS)
        ax = start_plot(self, ax)
        asks = kind == "query_probability"
        if z is None:
            z = np.linspace(0, 5, 501) if asks else np.linspace(-5, 3, 401)
        self.lines_ = []
        for i, (name, loss) in enumerate(self.losses.items()):
            style = {"color": COLORS[i % len(COLORS)], **(line_kw or {}).get(name, {})}
            self.lines_ += ax.plot(z, getattr(loss, kind)(z), label=name, **style)
        ax.set(ylabel=KINDS[kind], xlim=(np.min(z), np.max(z)))
        ax.set_xlabel(
            "margin |w·x| of a row without a label"
            if asks
            else "signed margin z = y w·x"
        )
        if asks:
            ax.set_ylim(0, 1.05)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize="small")
        return self
