"""What the experiments measured, as CSV files.

An experiment takes ``--results DIR`` and writes one file for each table or figure, a
row for each measurement. The first lines of a file, which begin with "#", say where its
rows come from. They have the columns of `PROVENANCE`, and a number, which is the last
cell of each row. An empty cell means that it was not recorded. Files of single
runs are compressed. The pages and figures of the docs are made from the files in
``docs/results``.
"""

import argparse
import csv
import gzip
import io
import math
import shlex
import sys
from datetime import date
from itertools import chain
from pathlib import Path

import numpy as np

from sklearn_activelearn import __version__

from ._provenance import DATA, commit, libraries

PROVENANCE = (
    *("command", "seed", "runs", "version", "date"),
    *("commit", "libraries", "data_sha256"),
)

#: Options, each with a value, that do not change what is measured.
MACHINE = ("--jobs", "--results", "--cache", "--out")


def parser_of(doc):
    """Return the parser of an experiment, with ``--results`` and ``--quick``."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument(
        "--results", metavar="DIR", type=Path, help="write what is measured to CSV"
    )
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    return parser


class Results:
    """The files of one run of an experiment.

    It is made before the data are loaded: each row names those loaded since.

    Parameters
    ----------
    folder : Path or None
        Where they are; None: nothing is written.
    experiment : str
        The module's name; with its folder if that is not ``papers``.
    argv : list of str or None
        Its arguments; None: those of the process.
    seed : int or str
        The seed, or the seeds as "0 to 9".
    """

    def __init__(self, folder, experiment, argv, seed):
        self.folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)  # fails before the long run
        DATA.clear()
        where = "" if "." in experiment else "papers."
        words = [f"benchmarks.{where}{experiment}", *without_machine(argv)]
        self.constant = {
            "command": f"python -m {shlex.join(words)}",
            "seed": seed,
            "version": __version__,
            "date": date.today().isoformat(),
            "commit": commit(),
            "libraries": libraries(),
        }

    def write(self, name, rows, *, key, runs, each=()):
        """Add rows to a file; those there with the same key are replaced.

        Parameters
        ----------
        name : str
            Of the file, without ".csv".
        rows : list of dict
            All with the same keys, which are the columns. Values are str, numbers,
            bool, or None for what is not known.
        key : sequence of str
            The columns that identify a row, or the rows that are replaced together.
        runs : int
            The number of repetitions that a figure is the mean of.
        each : list of dict
            The single repetitions, with the columns of `key` and "run": written to a
            file of their own, with "_runs" after its name.
        """
        if self.folder is None or not rows:
            return
        self.write(f"{name}_runs", each, key=key, runs=1)
        file = self.folder / f"{name}.csv{'.gz' * name.endswith('_runs')}"
        known = {**self.constant, "runs": runs, "data_sha256": DATA.cell()}
        origin = {column: known[column] for column in PROVENANCE}
        new = [
            {column: as_text(value) for column, value in {**row, **origin}.items()}
            for row in rows
        ]
        old = read_texts(file)
        if old and old[0].keys() != new[0].keys():
            raise ValueError(f"{file} has other columns; move it away first.")
        kept = grouped(old, key) | grouped(new, key)
        write_texts(file, [*chain.from_iterable(kept.values())])


def write_texts(file, rows):
    """Write rows of texts, whose last columns are the columns of `PROVENANCE`."""
    origins, lines = {}, []
    for row in rows:
        origin = tuple(row[column] for column in PROVENANCE)
        number = origins.setdefault(origin, len(origins))
        cells = [row[name] for name in row if name not in PROVENANCE]
        lines.append([*cells, number])
    head = [name for name in rows[0] if name not in PROVENANCE]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["#origin", *PROVENANCE])
    writer.writerows([f"#{number}", *origin] for origin, number in origins.items())
    writer.writerows([[*head, "origin"], *lines])
    data = text.getvalue().encode()
    part = file.with_suffix(".part")
    part.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)
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


def deviation(values):
    """Return standard deviations over the first axis, n - 1; NaN for fewer than two."""
    values = np.asarray(values, dtype=float)
    return (
        values.std(axis=0, ddof=1) if len(values) > 1 else values.sum(axis=0) * np.nan
    )


def as_text(value):
    """Return a cell: numbers with six digits, nothing for what is not known."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def grouped(rows, key):
    """Return the rows with the same key, for each key."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in key), []).append(row)
    return groups


def read_texts(file):
    """Return the rows of a file, compressed or not, as texts; none if it is not there.

    Rows of files with origins get the columns of `PROVENANCE`.
    """
    packed = file.with_name(f"{file.name}.gz")
    file = packed if packed.exists() else file
    if not file.exists():
        return []
    data = file.read_bytes()
    if file.suffix == ".gz":
        data = gzip.decompress(data)
    head, *lines = csv.reader(io.StringIO(data.decode()))
    if head[0] != "#origin":
        return [dict(zip(head, line, strict=True)) for line in lines]
    origins, n = {}, 0
    while lines[n][0].startswith("#"):
        origins[lines[n][0][1:]] = dict(zip(head[1:], lines[n][1:], strict=True))
        n += 1
    names = lines[n][:-1]
    return [
        dict(zip(names, cells, strict=True)) | origins[number]
        for *cells, number in lines[n + 1 :]
    ]


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


def published(table):
    """Return values and deviations of ``published.csv`` by problem and column."""
    rows = by(read(Path(__file__).parent, "published"), "table")[table]
    names = ("problem", "column", "value", "deviation")
    cells = [tuple(row[name] for name in names) for row in rows]
    return {cell[:2]: cell[2:] for cell in cells}


def by(rows, name):
    """Return the rows for each value of a column, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault(row[name], []).append(row)
    return groups


def column(rows, name):
    """Return a column as a list."""
    return [row[name] for row in rows]
