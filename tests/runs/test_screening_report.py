"""What the runs of the screening benchmark come to, and the tables of the docs."""

import csv
from pathlib import Path

import numpy as np
import pytest

from benchmarks.results import append_run, read_runs
from benchmarks.screening import report
from benchmarks.screening.results import Run, run_of

RESULTS = Path(__file__).parents[2] / "docs" / "results"
RUNS = [
    Run("a", "ASReview", "3", 0, 100, 10, 20, None, 1.0),
    Run("a", "mine", "1", 0, 100, 10, 15, 40, 1.0),
    Run("a", "mine", "1", 1, 100, 10, 95, 99, 1.0),  # no other ran this seed
    Run("b", "ASReview", "3", 0, 200, 5, 40, None, 1.0),
    Run("b", "mine", "1", 0, 200, 5, 46, 50, 1.0),
    Run("c", "mine", "1", 0, 200, 5, 46, 50, 1.0),
]


def test_tables_of_a_few_runs(tmp_path):
    for run in RUNS:
        append_run(tmp_path / "runs.csv", run, "a command")
    assert read_runs(tmp_path / "runs.csv", Run) == RUNS
    tables = report.tables_of([tmp_path / "runs.csv"])
    head, *lines = tables["screening_tasks.csv"]
    assert head[4:] == ["ASReview", "mine"]
    assert lines == [
        ["b", 200, 5, 1, "0.750", "0.720"],
        ["a", 100, 10, 1, "0.750", "0.800"],
    ]
    _, (method, share, worst, mean, _) = tables["screening_summary.csv"]
    assert (method, share, worst, mean) == ("mine", "50% of 2", "-0.030", "+0.010")


def test_rows_read_of_an_order():
    y = np.arange(50) % 2 == 1
    run = run_of("t", "m", "1", 0, y, np.arange(49), 0.04)
    assert (run.rows, run.relevant, run.read_95, run.read_100) == (50, 25, 48, None)
    assert run.wss(0.95) == pytest.approx(2 / 50 - 0.05)
    assert run.wss(1.0) is None
    assert run_of("t", "m", "1", 0, y, np.arange(50), 0.04).read_100 == 50


@pytest.mark.parametrize("name", ["screening_tasks.csv", "screening_summary.csv"])
def test_tables_of_the_docs_are_those_of_their_runs(name):
    files = [RESULTS / f"screening_{which}.csv" for which in ("asreview", "ranking")]
    with open(RESULTS / name, newline="", encoding="utf-8") as file:
        written = list(csv.reader(file))
    made = report.tables_of(files)[name]
    assert written == [[*map(str, line)] for line in made]
