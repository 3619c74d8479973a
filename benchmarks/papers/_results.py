"""What the experiments measured, as CSV files.

An experiment takes ``--results DIR`` and writes one file for each table or figure, a
row for each measurement. The columns of `PROVENANCE` say where a row comes from. The
pages and figures of the docs are made from the files in ``docs/results``.
"""

import csv
import math
import shlex
import sys
from datetime import date
from pathlib import Path

from sklearn_activelearn import __version__

PROVENANCE = ("command", "seed", "runs", "version", "date")

#: Options, each with a value, that do not change what is measured.
MACHINE = ("--jobs", "--results", "--cache", "--out")


def add_option(parser):
    """Add ``--results`` to the options of an experiment."""
    parser.add_argument(
        "--results", metavar="DIR", type=Path, help="write what is measured to CSV"
    )


class Results:
    """The files of one run of an experiment.

    Parameters
    ----------
    folder : Path or None
        Where they are; None: nothing is written.
    experiment : str
        The module's name.
    argv : list of str or None
        Its arguments; None: those of the process.
    seed : int or str
        The seed, or the seeds as "0 to 9".
    """

    def __init__(self, folder, experiment, argv, seed):
        self.folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)  # fails before the long run
        words = [f"benchmarks.papers.{experiment}", *without_machine(argv)]
        self.constant = {
            "command": f"python -m {shlex.join(words)}",
            "seed": seed,
            "version": __version__,
            "date": date.today().isoformat(),
        }

    def write(self, name, rows, *, key, runs):
        """Add rows to a file; a row that is there already is replaced.

        Parameters
        ----------
        name : str
            Of the file, without ".csv".
        rows : list of dict
            All with the same keys, which are the columns. Values are str, numbers,
            bool, or None for what is not known.
        key : sequence of str
            The columns that identify a row.
        runs : int
            The number of repetitions that a figure is the mean of.
        """
        if self.folder is None or not rows:
            return
        file = self.folder / f"{name}.csv"
        origin = {
            column: {**self.constant, "runs": runs}[column] for column in PROVENANCE
        }
        new = [
            {column: as_text(value) for column, value in {**row, **origin}.items()}
            for row in rows
        ]
        kept = {identity(row, key): row for row in read_texts(file)}
        if kept and new and next(iter(kept.values())).keys() != new[0].keys():
            raise ValueError(f"{file} has other columns; move it away first.")
        kept |= {identity(row, key): row for row in new}
        part = file.with_suffix(".part")
        with part.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, new[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept.values())
        part.replace(file)


def without_machine(argv):
    """Return arguments without the options of `MACHINE` and their values."""
    words = iter(sys.argv[1:] if argv is None else argv)
    kept = []
    for word in words:
        if word in MACHINE:
            next(words, None)
        elif word.partition("=")[0] not in MACHINE:
            kept.append(word)
    return kept


def as_text(value):
    """Return a cell: numbers with six digits, nothing for what is not known."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def identity(row, key):
    """Return what tells a row from the others."""
    return tuple(row[column] for column in key)


def read_texts(file):
    """Return the rows of a file as texts; none if it is not there."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read(folder, name):
    """Return the rows of a file, numbers as float and empty cells as NaN."""
    return [
        {column: as_value(cell) for column, cell in row.items()}
        for row in read_texts(Path(folder) / f"{name}.csv")
    ]


def as_value(cell):
    """Return the number that a cell is; else the text."""
    try:
        return float(cell or "nan")
    except ValueError:
        return cell


def by(rows, name):
    """Return the rows for each value of a column, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault(row[name], []).append(row)
    return groups


def column(rows, name):
    """Return a column as a list."""
    return [row[name] for row in rows]
