"""Tables that benchmarks of speed write for the docs."""

import csv

import numpy as np
import pytest

from benchmarks.speed import _results, boosting
from benchmarks.speed._interleave import Case, Timing, column


def number(cell):
    """Return the number in a cell."""
    return float(cell.replace(",", ""))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return what writes a table in a folder of its own and reads it."""
    monkeypatch.setattr(_results, "FOLDER", tmp_path)

    def written(header, lines):
        _results.write("table.csv", header, lines)
        with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    return written


class TestWrite:
    def test_each_row_names_its_processor(self, written):
        rows = written(["rows", "ms"], [["a", 1], ["b", ""]])
        assert [row["rows"] for row in rows] == ["a", "b"]
        assert [row["ms"] for row in rows] == ["1", ""]
        assert {row["processor"] for row in rows} == {_results.processor()}

    @pytest.mark.parametrize("line", [["a"], ["a", 1, 2]])
    def test_a_line_needs_a_cell_for_each_column(self, written, tmp_path, line):
        with pytest.raises(ValueError, match=r"table\.csv: .* has not the cells"):
            written(["rows", "ms"], [["b", 2], line])
        assert not list(tmp_path.iterdir())


class TestBoosting:
    def test_lines_are_relative_to_the_first_learner(self, written):
        rows = written(boosting.HEAD, boosting.report(60, 22, 1))
        assert [row["learner"] for row in rows] == list(boosting.LEARNERS)
        assert not any(row["goal"] for row in rows)
        first, comb, *_ = rows
        assert (first["to FASSL"], first["by steps alone"]) == ("1", "")
        assert comb["by steps alone"] == "20"
        assert number(comb["to FASSL"]) == pytest.approx(
            number(comb["ms a query"]) / number(first["ms a query"]), rel=0.02
        )

    def test_goals_are_those_of_400_rows(self, written):
        rows = written(boosting.HEAD, boosting.report(400, 21, 1))
        assert [row["goal"] for row in rows] == ["", ">= 6", "", ">= 4", ""]


class TestSideBySide:
    CASES = (
        Case("product", None),
        Case("loop", None, "product", at_most=1.15),
        Case("peer", None, "loop", at_least=3.0),
        Case("other", None, "loop"),
    )

    def test_a_column_has_milliseconds_then_ratios_and_goals(self):
        seconds = {"product": 0.002, "loop": 0.003, "peer": 0.012, "other": 0.0015}
        timings = {name: Timing(np.full(3, time)) for name, time in seconds.items()}
        assert column(self.CASES, timings) == {
            ("product", "ms"): "2",
            ("loop", "product"): "1.5 (<= 1.15)",
            ("peer", "loop"): "4 (>= 3)",
            ("other", "loop"): "0.5",
        }
