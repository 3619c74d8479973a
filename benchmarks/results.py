"""Results of the experiments, as CSV files.

A table or figure of a page is one file, with a row for each measurement. The first
lines of a file, which begin with "#", say where its rows come from. They have the
columns of `PROVENANCE`, and a number, which is the last cell of each row. An empty cell
means that it was not recorded. Files of single runs are compressed. The pages and
figures of the docs are made from the files in ``docs/results``.

What is run for months, method by method, is a file of single runs: a row is appended
when a run has ended, and tells the command, version, commit and date of that run.
"""

import csv
import gzip
import io
import json
import math
import os
import shlex
import sys
from datetime import date
from itertools import chain
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np

from benchmarks.provenance import DATA, commit, libraries
from sklearn_activelearn import __version__

PROVENANCE = (
    *("command", "seed", "runs", "version", "date"),
    *("commit", "libraries", "data_sha256"),
)

#: Rows of a table that are printed.
MOST_SHOWN = 40

#: Options, each with a value, that do not change what is measured.
MACHINE = ("--jobs", "--results", "--cache", "--out")


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
        self.shown = set()
        self.constant = {
            "command": command_of(experiment, argv),
            "seed": seed,
            "version": __version__,
            "date": date.today().isoformat(),
            "commit": commit(),
            "libraries": libraries(),
        }

    def write(self, name, rows, *, key, runs, each=()):
        """Print rows and add them to a file; those with the same key are replaced.

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
        if not rows:
            return
        if not name.endswith("_runs"):
            self.show(name, rows)
        if self.folder is None:
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

    def show(self, name, rows):
        """Print the first rows, under the columns if these are new."""
        if name not in self.shown:
            print(f"\n{name}\n{' | '.join(rows[0])}")
            self.shown.add(name)
        for row in rows[:MOST_SHOWN]:
            print(" | ".join(as_text(cell) or "-" for cell in row.values()), flush=True)
        if len(rows) > MOST_SHOWN:
            print(f"... and {len(rows) - MOST_SHOWN} more", flush=True)


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


def command_of(experiment, argv):
    """Return the command that runs an experiment; of a paper it needs no folder."""
    where = "" if "." in experiment else "papers."
    words = [f"benchmarks.{where}{experiment}", *without_machine(argv)]
    return f"python -m {shlex.join(words)}"


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
    rows = by(read(Path(__file__).parent / "papers", "published"), "table")[table]
    names = ("problem", "column", "value", "deviation")
    cells = [tuple(row[name] for name in names) for row in rows]
    return {cell[:2]: cell[2:] for cell in cells}


def single_runs(row, key, name, values):
    """Return a row for each run: the key of a row, the run's number and its figure."""
    head = {column: row[column] for column in key}
    return [{**head, "run": run, name: value} for run, value in enumerate(values)]


def by(rows, name):
    """Return the rows for each value of a column, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault(row[name], []).append(row)
    return groups


def column(rows, name):
    """Return a column as a list."""
    return [row[name] for row in rows]


def stored(folder, name, compute):
    """Return what a trial found: from its file if there is one.

    Parameters
    ----------
    folder : Path or None
        Where the files are; None: nothing is stored.
    name : sequence
        All that the result depends on: the words of the file's name.
    compute : callable
        Runs the trial; its result must be JSON.
    """
    if folder is None:
        return compute()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{'-'.join(map(str, name)).replace('/', '_')}.json"
    if file.exists():
        return json.loads(file.read_text(encoding="utf-8"))
    found = compute()
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(file)
    return found


def append_run(file, run, command):
    """Write a run, a named tuple, at the end of a file, in one go."""
    file = Path(file)
    where = {"command": command, "version": __version__, "commit": commit()}
    where |= {"date": date.today().isoformat()}
    row = where | run._asdict()  # a run of another program has its version
    row = {name: row[name] for name in dict.fromkeys([*run._fields, *where])}
    is_new = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+", newline="", encoding="utf-8") as stream:
        stream.seek(0)
        head = next(csv.reader(stream), [*row])
        if head != [*row]:
            raise ValueError(f"{file} has other columns; move it away first.")
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(head)
        writer.writerow(
            " ".join(f"{number:.4f}".rstrip("0").rstrip(".") for number in cell)
            if isinstance(cell, list)
            else cell
            for cell in row.values()
        )


def read_runs(file, kind):
    """Return the runs in a file, named tuples of a kind; none if there is no file."""
    if not file or not Path(file).exists():
        return []
    hints = get_type_hints(kind)
    with Path(file).open(newline="", encoding="utf-8") as stream:
        return [
            kind(**{name: field_of(hints[name], row[name]) for name in kind._fields})
            for row in csv.DictReader(stream)
        ]


def field_of(kind, text):
    """Return the value of a kind that a text is."""
    if kind is list:
        return [float(number) for number in text.split()]
    if kind is bool:
        return text == "True"
    if type(None) in get_args(kind):
        kind = next(each for each in get_args(kind) if each is not type(None))
        return kind(text) if text else None
    return kind(text)


def write_csv(file, head, rows):
    """Write a table, and say where it is."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([head, *rows])
    print(f"\nwrote {file}")


def write_table(file, head, rows):
    """Print a table, and write it unless there is no file."""
    rows = list(rows)
    show_table(head, rows)
    if file:
        write_csv(file, head, rows)


def show_table(head, rows):
    """Print a table, a line for each row; what is not known is a dash."""
    for row in [head, *rows]:
        print(" | ".join(as_text(cell) or "-" for cell in row), flush=True)
