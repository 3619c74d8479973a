"""What the displays share: axes, colours, curves by name."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from .._label_curve import LabelCurve, label_curve
from .._measures import learner_of

#: One curve, or several by what they are called.
Curves: TypeAlias = LabelCurve | Mapping[str, LabelCurve]

#: Okabe and Ito's colours, which nearly everybody can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: How passive learning is drawn, whatever else there is.
PASSIVE = [
    {"color": color, "linestyle": style}
    for color, style in (("0.3", "--"), ("0.5", "-."), ("0.5", ":"), ("0.7", "--"))
]


#: How the level of a constant answer is drawn.
CONSTANT = {"color": "0.6", "linewidth": 1.0, "zorder": 0}


def check_matplotlib(who):
    """Say how to get matplotlib, before a long experiment."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{who} needs matplotlib: pip install matplotlib") from error


def start_plot(display, ax):
    """Return the axes for a display, new ones for None, and let it remember them."""
    check_matplotlib(f"{type(display).__name__}.plot")
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    display.ax_, display.figure_ = ax, ax.figure
    return ax


def measured(estimator, passive, X, y, experiment):
    """Return the curve of a learner by its name, and that of a passive one or None."""
    experiment = {"random_state": 0, **experiment}
    curve = label_curve(estimator, X, y, **experiment)
    baseline = None if passive is None else label_curve(passive, X, y, **experiment)
    return {type(learner_of(estimator)).__name__: curve}, baseline


def by_name(curves, name):
    """Return curves as a dict; one without a name gets this one, None is none."""
    if curves is None:
        return {}
    return dict(curves) if hasattr(curves, "items") else {name: curves}


def named_curves(curves, name, scoring):
    """Return label curves by name, each by this measure; None: by its first."""
    return {name: curve.by(scoring) for name, curve in by_name(curves, name).items()}


def first_of(curves, passive):
    """Return the first curve; refuse none, and curves of several measures."""
    every = [*curves.values(), *passive.values()]
    if not every:
        raise ValueError("curves: there is none to draw.")
    measures = sorted({curve.scoring for curve in every})
    if len(measures) > 1:
        raise ValueError(f"curves are of several measures: {', '.join(measures)}.")
    return every[0]


def whole_numbers(*axes):
    """Put ticks of a linear axis at whole numbers only."""
    for axis in axes:
        axis.get_major_locator().set_params(integer=True)


def styled(curves, passive):
    """Yield (name, curve, style), learners in colours and passive ones in greys."""
    for i, (name, curve) in enumerate(curves.items()):
        yield name, curve, {"color": COLORS[i % len(COLORS)]}
    for i, (name, curve) in enumerate(passive.items()):
        yield name, curve, PASSIVE[i % len(PASSIVE)]


def draw_band(ax, x, values, band, label, style):
    """Draw the mean of runs, and the middle share of them as a band."""
    (line,) = ax.plot(x, values.mean(axis=0), label=label, **style)
    if band:
        low, high = np.quantile(values, [(1 - band) / 2, (1 + band) / 2], axis=0)
        ax.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
    return line


def log_ticks(axis, *, percent=False):
    """Put plain numbers at 1, 2, 5, 10, ... on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(
        FuncFormatter(lambda v, _: f"{100 * v:g} %" if percent else f"{v:g}")
    )
    axis.set_minor_formatter(NullFormatter())


def fitted(estimator, name, owner):
    """Return an attribute of a fitted learner, or say who has it."""
    learner = learner_of(estimator)
    if not hasattr(learner, name):
        raise AttributeError(
            f"{type(learner).__name__} has no {name}: needed is a fitted {owner}."
        )
    return getattr(learner, name)
