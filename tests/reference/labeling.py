"""What a labelling session shows, written as the plain loop that it stands for."""

import csv
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from tests.tools import group_of


@contextmanager
def quick_folder():
    """Give a folder in memory where there is one: thousands of commits are cheap."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def run_python(*argv, **options):
    """Run Python with our modules; return what it printed, and with which code."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    options = {"capture_output": True, "encoding": "utf-8", "env": env, **options}
    return subprocess.run([sys.executable, *argv], **options)


@contextmanager
def started(*argv, **options):
    """Run Python in a process that is killed at the end; give the process."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    options = {"stdout": subprocess.PIPE, "text": True, "env": env, **options}
    process = subprocess.Popen([sys.executable, *argv], **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_rows(path):
    """Return the rows of a table as dicts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    """Write dicts as a table."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def answer_rows(session, answer_of, n=None, who=None):
    """Answer `n` rows, or as long as there are any; return their ids."""
    shown = []
    while len(shown) != n and (id := session.next(who)) is not None:
        session.label(id, answer_of(id), who)
        shown.append(id)
    return shown


def labels_of(session):
    """Return the labels of all labelled rows by id."""
    return {row.id: row.label for row in session.review(limit=1000).rows}


def shown_rows(learner, X, y, classes, ahead):
    """Return the rows that one person sees who answers each with its label.

    With `ahead`, the labels of a batch are taught when the next but one is asked for.
    But a stream learner is told the first one at once: until then it lets rows pass.
    """
    is_stream = hasattr(learner, "shuffle")
    ask = (asks_stream if is_stream else asks_pool)(learner, X)
    shown, untaught = [], []
    for rows in ask:
        shown += rows
        untaught.append(rows)
        if len(untaught) > ahead or (is_stream and learner.n_taught_ == 0):
            taught = untaught.pop(0)
            learner.teach(X[taught], y[taught], classes=classes)
    return shown


def asks_pool(learner, X):
    """Yield batches until there are none."""
    while len(rows := learner.query(X)):
        yield rows.tolist()


def asks_stream(learner, X):
    """Yield the row that is bought of each group, if one is."""
    for start in range(0, len(X), group_of(learner)):
        rows = learner.query(X[start : start + group_of(learner)])
        if len(rows):
            yield (start + rows).tolist()
