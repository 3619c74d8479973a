"""Draws in what share of the readings of a paper each claim holds, level by level.

From the files that `benchmarks.papers.readings --results DIR` wrote: a line for each
claim, a column for each level of each factor.

    python -m benchmarks.papers.readings_figures DIR [--out DIR]
"""

import numpy as np

from benchmarks.drawing import main_of, save, subplots
from benchmarks.results import as_text, by


def levels(rows, out):
    """Draw the shares as a table in colours."""
    claims = by(rows, "claim")
    columns = list(
        dict.fromkeys((row["factor"], as_text(row["level"])) for row in rows)
    )
    shares = np.full((len(claims), len(columns)), np.nan)
    for line, of in enumerate(claims.values()):
        for row in of:
            column = columns.index((row["factor"], as_text(row["level"])))
            shares[line, column] = row["share"]
    size = 4.5 + 0.42 * len(columns), 2.6 + 0.3 * len(claims)
    figure, ((axis,),) = subplots(1, 1, size)
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
    for (line, column), share in np.ndenumerate(shares):
        axis.text(column, line, f"{share:.0%}", ha="center", va="center", fontsize=7)
    factors = [factor for factor, _ in columns]
    for column in range(1, len(columns)):
        if factors[column] != factors[column - 1]:
            axis.axvline(column - 0.5, color="black", linewidth=0.8)
    shown = [f"{factor}: {level}" for factor, level in columns]
    axis.set_xticks(range(len(columns)), shown, rotation=60, ha="right", fontsize=7)
    axis.set_yticks(range(len(claims)), claims, fontsize=7)
    save(figure, out)


DRAWN = {"readings_ali2014_levels": levels, "readings_wang2009_levels": levels}

main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
