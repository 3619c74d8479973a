"""The experiments of each paper, in the order in which they run.

They are the rows of ``steps.csv``, each with the figures and tables of the paper that
need it and its processor time in minutes. ``{out}`` is the folder of the results. If
two steps write the same rows, the step with more runs comes later.
"""

from pathlib import Path

from benchmarks.results import by, column, read_texts

ROWS = by(read_texts(Path(__file__).with_name("steps.csv")), "paper")
STEPS = {paper: column(rows, "command") for paper, rows in ROWS.items()}


def steps_of(paper, figure=None):
    """Return the commands of a paper, or only the commands that a figure needs."""
    return [
        row["command"]
        for row in ROWS[paper]
        if figure is None or figure in row["figures"].split()
    ]


def figures_of(paper):
    """Return the figures and tables of a paper, by their number."""
    found = {name for row in ROWS[paper] for name in row["figures"].split()}
    return sorted(found)
