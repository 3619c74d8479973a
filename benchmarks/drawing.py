"""Figures, which are drawn from files of results."""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from benchmarks.results import by, column, read


def subplots(n_rows, n_columns, figsize, **shared):
    """Return a figure and its axes, always as an array of two dimensions."""
    return plt.subplots(
        n_rows,
        n_columns,
        figsize=figsize,
        layout="constrained",
        squeeze=False,
        **shared,
    )


def save(figure, out, dpi=110):
    """Write a figure and forget it."""
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=dpi)
    plt.close(figure)
    print(f"wrote {out}")


def band(axis, x, mean, half, color):
    """Shade the mean ± half of the width; nothing where that is not known."""
    mean, half = np.array(mean), np.array(half)
    axis.fill_between(x, mean - half, mean + half, color=color, alpha=0.2, lw=0)


def panels(rows, out, *, group, line, x, y, styles=None, n_columns=3, **settings):
    """Draw a panel for each group of rows, with a line for each of its parts.

    Parameters
    ----------
    rows : list of dict
        From a file of results.
    out : Path
        The picture.
    group, line, x, y : str
        The columns that tell panels and lines apart, and the columns of the points.
    styles : dict of str: (color, dashes), optional
        The style of each line; others are not drawn.
    n_columns : int
        Number of panels side by side, at most.
    **settings
        Of each panel.
    """
    groups = by(rows, group)
    n_columns = min(len(groups), n_columns)
    n_lines = -(-len(groups) // n_columns)
    figure, axes = subplots(n_lines, n_columns, (3.6 * n_columns, 3 * n_lines + 0.6))
    for axis, (name, of_group) in zip(axes.flat, groups.items(), strict=False):
        for part, points in by(of_group, line).items():
            color, dashes = (styles or {part: ("C0", "-")})[part]
            of_line = column(points, x), column(points, y)
            axis.plot(*of_line, dashes, color=color, label=part, lw=1)
        axis.set(xlabel=x.replace("_", " "), ylabel=y, **{"title": name} | settings)
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(groups) :]:
        axis.set_visible(False)
    if styles:
        lines = axes[0, 0].get_legend_handles_labels()
        figure.legend(*lines, loc="outside upper center", ncols=4)
    save(figure, out)


def beside_published(rows, out, *, group, name, value, std, title, **settings):
    """Draw a panel for each group, with a line for each row: ours and the published.

    Lines are means with their deviation, where it is known.
    """
    known = [row for row in rows if np.isfinite(row["published"])]
    panels = by(known or rows, group)
    n_lines, height = -(-len(panels) // 3), 0.7 + 0.2 * max(map(len, panels.values()))
    figure, axes = subplots(n_lines, min(len(panels), 3), (10, height * n_lines + 0.5))
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (key, part) in zip(axes.flat, panels.items(), strict=False):
        at = np.arange(len(part))
        for figures, spread, shift, style in (
            (value, std, 0.15, {"fmt": "o", "label": "here"}),
            ("published", "published_std", -0.15, {"fmt": "s", "mfc": "none"}),
        ):
            error = [row.get(spread, np.nan) for row in part]
            style = {"label": "published", "ms": 4, "lw": 1, **style}
            axis.errorbar(column(part, figures), at + shift, xerr=error, **style)
        axis.set_yticks(at, column(part, name), fontsize=7)
        axis.set(title=key, **settings)
        axis.xaxis.set_minor_formatter("")
        axis.grid(alpha=0.3)
    lines = axes[0, 0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=2, fontsize=7)
    figure.suptitle(title)
    save(figure, out)


def draw(drawn, folder, out):
    """Draw the figures whose files are there.

    Parameters
    ----------
    drawn : dict of str: callable
        For each file of results, what draws its rows; a picture has the same name.
    folder, out : Path
        Of the results, of the pictures.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        rows = read(folder, name)
        if rows:
            figure(rows, out / f"{name}.png")
        else:
            print(f"{name} is left out: {folder / name}.csv is not there")
