"""Which points were bought, in the plane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length

from ..._docstrings import DISPLAY, documented
from ..._typing import Estimator, Floats, Ints, Labels, RowsLike
from ..._validation import check_number
from .._measures import learner_of
from ._base import COLORS, check_matplotlib, fitted, start_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

#: Of arrays, which have none.
FEATURE_NAMES = ("feature 0", "feature 1")


@documented(DISPLAY)
class QueryDisplay:
    """Rows with two features: those bought, the others, and what is predicted where.

    Rows that were not bought are grey, because their labels are not known.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        The rows that were offered.
    rows : ndarray of int of shape (n_queries,)
        Row numbers of those bought.
    codes : ndarray of int of shape (n_queries,)
        Positions of their labels in `classes`.
    classes : ndarray of shape (n_classes,)
        Labels.
    grid : tuple of two ndarrays of shape (n_y, n_x)
        Coordinates of points all over the plane.
    response : ndarray of int of shape (n_y, n_x)
        Positions in `classes` of what is predicted there.
    feature_names : sequence of two str, default=("feature 0", "feature 1")
        For the axes.

    Attributes
    ----------
    {ax_, figure_}
    surface_ : matplotlib QuadMesh
        The background.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.evaluation import QueryDisplay
    >>> X, y = make_blobs(300, centers=2, random_state=0)
    >>> learner = MinMarginClassifier(budget=30, random_state=0).fit(X, y)
    >>> display = QueryDisplay.from_estimator(learner, X, y)
    >>> len(display.rows)
    30
    """

    ax_: "Axes"
    figure_: "Figure"
    surface_: "QuadMesh"

    def __init__(
        self,
        X: Floats,
        rows: Ints,
        codes: Ints,
        classes: Labels,
        grid: tuple[Floats, Floats],
        response: Ints,
        feature_names: Sequence[str] = FEATURE_NAMES,
    ):
        self.X = X
        self.rows = rows
        self.codes = codes
        self.classes = classes
        self.grid = grid
        self.response = response
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowsLike,
        y: ArrayLike,
        *,
        grid_resolution: int = 200,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw what a fitted learner bought in its last `fit`.

        Parameters
        ----------
        estimator : fitted learner, or Pipeline that ends in one
            With ``queried_indices_``.
        X : array-like of shape (n_samples, 2)
            The rows it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels; those of rows that were not bought are not used.
        grid_resolution : int >= 2, default=200
            Points of the background in each direction.
        {ax, **style}

        {returns}
        """
        check_matplotlib(cls.__name__)
        check_number(grid_resolution, "grid_resolution", 2, closed="left", integer=True)
        names = getattr(X, "columns", FEATURE_NAMES)
        points = check_array(X, dtype=float)
        check_consistent_length(points, y)
        if points.shape[1] != 2:
            raise ValueError(f"X must have two features, its shape is {points.shape}.")
        rows = fitted(estimator, "queried_indices_", "learner")
        if len(rows) and rows.max() >= len(points):
            raise ValueError(
                f"row {rows.max()} was bought, but X has {len(points)} rows: pass "
                "the X of `fit`."
            )
        classes = learner_of(estimator).classes_
        margin = 0.05 * np.ptp(points, axis=0)
        low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
        grid = np.meshgrid(*np.linspace(low, high, grid_resolution).T)
        plane = np.column_stack([axis.ravel() for axis in grid])
        if hasattr(X, "columns"):
            plane = type(X)(plane, columns=X.columns)
        position = {label: code for code, label in enumerate(classes.tolist())}
        response = [position[label] for label in estimator.predict(plane).tolist()]
        codes = [position[label] for label in np.asarray(y)[rows].tolist()]
        return cls(
            points, rows, np.array(codes, dtype=int), classes, tuple(grid),
            np.reshape(response, grid[0].shape), tuple(names),
        ).plot(ax, **style)  # fmt: skip

    def plot(self, ax: "Axes | None" = None, *, size: float = 36) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        size : float, default=36
            Of the points that were bought, as matplotlib's scatter has it.

        {returns}
        """
        ax = start_plot(self, ax)
        from matplotlib.colors import ListedColormap

        colors = [COLORS[i % len(COLORS)] for i in range(len(self.classes))]
        self.surface_ = ax.pcolormesh(
            *self.grid, self.response, cmap=ListedColormap(colors), alpha=0.18,
            vmin=-0.5, vmax=len(colors) - 0.5, shading="nearest", linewidth=0,
            rasterized=True,
        )  # fmt: skip
        others = np.setdiff1d(np.arange(len(self.X)), self.rows)
        ax.scatter(*self.X[others].T, s=size / 6, color="0.55", linewidth=0,
                   label=f"not bought ({len(others)})")  # fmt: skip
        for code, label in enumerate(self.classes):
            bought = self.X[self.rows[self.codes == code]]
            ax.scatter(*bought.T, s=size, color=colors[code], edgecolor="black",
                       linewidth=0.8, label=f"{label} ({len(bought)})")  # fmt: skip
        ax.set(
            xlabel=self.feature_names[0],
            ylabel=self.feature_names[1],
            title=f"{len(self.rows)} of {len(self.X)} labels bought",
        )
        ax.legend(fontsize="small", framealpha=0.9)
        return self
