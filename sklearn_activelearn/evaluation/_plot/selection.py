"""What a learner that also chooses its model did with its labels, and believed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator
from ._base import COLORS, check_matplotlib, fitted, start_plot, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D


@documented(DISPLAY)
class AllocationDisplay:
    """How many labels went into training and how many into validation.

    Parameters
    ----------
    allocation : array-like of {"train", "validation"} of shape (n_labels,)
        What each label was for, in the order in which they were taught.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        Labels for training, and for validation.

    Examples
    --------
    >>> from sklearn_activelearn.evaluation import AllocationDisplay
    >>> display = AllocationDisplay(["train", "validation", "train"]).plot()
    >>> [line.get_label() for line in display.lines_]
    ['training: 2 of 3', 'validation: 1 of 3']
    """

    ax_: "Axes"
    figure_: "Figure"
    lines_: "list[Line2D]"

    def __init__(self, allocation: ArrayLike):
        self.allocation = np.asarray(allocation)
        unknown = np.setdiff1d(self.allocation, ["train", "validation"])
        if self.allocation.ndim != 1 or len(unknown):
            raise ValueError(
                'allocation must be a 1-D array of "train" and "validation"'
                + (f", not {unknown[0]!r}." if len(unknown) else ".")
            )

    @classmethod
    def from_estimator(cls, estimator: Estimator, *, ax: "Axes | None" = None) -> Self:
        """Draw the allocation of a fitted learner.

        Parameters
        ----------
        estimator : fitted learner, or Pipeline that ends in one
            With ``allocation_``.
        {ax}

        {returns}
        """
        check_matplotlib(cls.__name__)
        allocation = fitted(
            estimator, "allocation_", "learner that divides labels, as ALMS does"
        )
        return cls(allocation).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}

        {returns}
        """
        ax = start_plot(self, ax)
        n = len(self.allocation)
        labels = np.arange(n + 1)
        self.lines_ = []
        for color, part, name in (
            (COLORS[0], "train", "training"),
            (COLORS[1], "validation", "validation"),
        ):
            bought = self.allocation == part
            count = np.concatenate([[0], np.cumsum(bought)])
            label = f"{name}: {count[-1]} of {n}"
            self.lines_ += ax.plot(
                labels, count, color=color, label=label, drawstyle="steps-post"
            )
            ax.plot(
                labels[1:][bought],
                np.full(bought.sum(), 0.03),
                "|",
                color=color,
                transform=ax.get_xaxis_transform(),
                markersize=10,
            )
        ax.set(xlabel="labels taught", ylabel="labels so far", xlim=(0, n + 1))
        ax.set_ylim(0, max(max(line.get_ydata()) for line in self.lines_) * 1.05 + 1)
        whole_numbers(ax.xaxis, ax.yaxis)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, loc="upper left")
        return self


@documented(DISPLAY)
class ModelProbabilityDisplay:
    """How likely each candidate model was held to be the best, round by round.

    The dot marks the most probable one of each round.

    Parameters
    ----------
    probabilities : array-like of shape (n_rounds, n_models)
        Rows sum to 1.
    names : sequence of str of shape (n_models,)
        The candidates.

    Attributes
    ----------
    {ax_, figure_}
    image_ : matplotlib AxesImage
        The probabilities.

    Examples
    --------
    >>> from sklearn_activelearn.evaluation import ModelProbabilityDisplay
    >>> rounds = [[0.5, 0.5], [0.4, 0.6], [0.2, 0.8]]
    >>> display = ModelProbabilityDisplay(rounds, ["C=0.1", "C=10"]).plot()
    >>> display.image_.get_array().shape
    (2, 3)
    """

    ax_: "Axes"
    figure_: "Figure"
    image_: "AxesImage"

    def __init__(self, probabilities: ArrayLike, names: Iterable[str]):
        self.probabilities = np.asarray(probabilities, dtype=float)
        self.names = list(names)
        if self.probabilities.shape[1:] != (len(self.names),):
            raise ValueError(
                f"probabilities of shape {self.probabilities.shape} do not fit "
                f"{len(self.names)} names."
            )

    @classmethod
    def from_estimator(cls, estimator: Estimator, *, ax: "Axes | None" = None) -> Self:
        """Draw the probabilities of a fitted learner.

        Parameters
        ----------
        estimator : fitted learner, or Pipeline that ends in one
            With ``model_probabilities_`` and ``model_names_``.
        {ax}

        {returns}
        """
        check_matplotlib(cls.__name__)
        owner = "learner that weighs candidate models, as ALMS does"
        return cls(
            fitted(estimator, "model_probabilities_", owner),
            fitted(estimator, "model_names_", owner),
        ).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}

        {returns}
        """
        ax = start_plot(self, ax)
        n_rounds, n_models = self.probabilities.shape
        self.image_ = ax.imshow(
            self.probabilities.T, aspect="auto", cmap="Blues", interpolation="nearest",
            extent=(0.5, n_rounds + 0.5, n_models - 0.5, -0.5), vmin=0,
        )  # fmt: skip
        best = self.probabilities.argmax(axis=1)
        ax.plot(np.arange(1, n_rounds + 1), best, ".", color=COLORS[1], markersize=5)
        ax.set_yticks(range(n_models), self.names)
        ax.set(xlabel="round (dot: most probable model)")
        whole_numbers(ax.xaxis)
        self.figure_.colorbar(self.image_, ax=ax, label="probability")
        return self
