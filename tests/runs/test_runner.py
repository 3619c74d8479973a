"""What all experiments share: options, and runs that are not repeated."""

import csv
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.options import at_least, one_of, parse, parts_of
from benchmarks.provenance import commit
from benchmarks.results import append_run, read_runs
from benchmarks.runner import Runner
from sklearn_activelearn import __version__

OPTIONS = {
    "parts": parts_of(["first", "second"]),
    "sets": {"a": 1, "b": 2},
    "models": ["m", "n"],
    "orders": 10,
    "splits": at_least(2, 5),
    "shares": [0.5, 1.0],
    "names": [str],
    "rows": int,
    "kind": one_of(("x", "y"), "x"),
    "few": False,
    "out": Path("docs"),
}


def options(*argv, **quick):
    return parse("An experiment.\n\nMore.", list(argv), quick, **OPTIONS)


class Run(NamedTuple):
    """A run of nothing."""

    name: str
    seed: int
    last: int | None
    is_even: bool
    curve: list

    @property
    def key(self):
        return self.name, self.seed


def doubled(key, factor):
    name, seed = key
    if name == "bad":
        raise ValueError("no such thing")
    return Run(name, seed, None, seed % 2 == 0, [factor * seed, 1 / 3])


class TestOptions:
    def test_defaults(self, capsys):
        args = options()
        assert capsys.readouterr().out == "An experiment.\n"
        assert (args.parts, args.sets, args.names, args.rows) == ([], None, None, None)
        assert args.models is None
        assert (args.orders, args.splits, args.shares) == (10, 5, [0.5, 1.0])
        assert (args.kind, args.few, args.out) == ("x", False, Path("docs"))

    def test_values(self):
        args = options(
            *("second", "--sets", "a", "--sets", "b", "--rows", "7", "--few"),
            *("--shares", "2", "--names", "u", "v", "--kind", "y", "--out", "here"),
        )
        assert (args.parts, args.sets, args.rows) == (["second"], ["a", "b"], 7)
        assert (args.shares, args.names, args.few) == ([2.0], ["u", "v"], True)
        assert (args.kind, args.out) == ("y", Path("here"))

    def test_toy_runs_have_values_of_their_own(self):
        assert options(orders=2).orders == 10
        args = options("--quick", "--orders", "5", orders=2)
        assert (args.quick, args.orders) == (True, 2)

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (["third"], "invalid choice: 'third'"),
            (["--sets", "c"], "invalid choice: 'c'"),
            (["--models", "o"], "invalid choice: 'o'"),
            (["--splits", "1"], "--splits: 1 is not at least 2"),
            (["--kind", "z"], "invalid choice: 'z'"),
        ],
    )
    def test_refused(self, argv, message, capsys):
        with pytest.raises(SystemExit):
            options(*argv)
        assert message in capsys.readouterr().err

    def test_the_docstring_is_the_help(self, capsys):
        with pytest.raises(SystemExit):
            options("--help")
        assert "More." in capsys.readouterr().out


class TestRunner:
    KEYS = (("a", 1), ("a", 2), ("b", 1))

    def runner(self, file, jobs=1):
        return Runner(file, Run, "sets.nothing", ["--jobs", "2", "--rows", "5"], jobs)

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_runs_come_back_as_they_were_written(self, tmp_path, jobs):
        file = tmp_path / "new" / "runs.csv"
        runs = self.runner(file, jobs).run((key, doubled, 2) for key in self.KEYS)
        assert sorted(run.key for run in runs) == [*self.KEYS]
        found = {run.key: run for run in read_runs(file, Run)}
        assert found["a", 2] == Run("a", 2, None, True, [4.0, 0.3333])
        assert found["b", 1] == Run("b", 1, None, False, [2.0, 0.3333])

    def test_only_what_is_missing_is_run(self, tmp_path):
        file = tmp_path / "runs.csv"
        self.runner(file).run([(self.KEYS[0], doubled, 2)])
        before = file.read_text(encoding="utf-8")
        again = self.runner(file)
        assert [*again.done] == [*self.KEYS[:1]]
        runs = again.run((key, doubled, 3) for key in self.KEYS)
        assert [run.key for run in runs] == [*self.KEYS[1:]]
        assert [*again.done] == [*self.KEYS]
        assert file.read_text(encoding="utf-8").startswith(before)

    def test_every_row_says_where_it_comes_from(self, tmp_path):
        file = tmp_path / "runs.csv"
        self.runner(file).run((key, doubled, 2) for key in self.KEYS)
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) == 3
        for row in rows:
            assert row["command"] == "python -m benchmarks.sets.nothing --rows 5"
            assert (row["version"], row["commit"]) == (__version__, commit())
            assert len(row["date"]) == 10

    def test_a_run_that_fails_is_said_and_left_out(self, tmp_path, capsys):
        runner = self.runner(tmp_path / "runs.csv")
        runner.run((key, doubled, 2) for key in [("bad", 7), ("a", 1)])
        assert "bad, 7: ValueError: no such thing" in capsys.readouterr().out
        assert [*runner.done] == [("a", 1)]

    def test_nothing_is_written_unasked(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (run,) = self.runner(None).run([(("a", 1), doubled, 2)])
        assert run.curve == [2, 1 / 3]
        assert not list(tmp_path.iterdir())

    def test_a_file_with_other_columns_is_left_alone(self, tmp_path):
        file = tmp_path / "runs.csv"
        file.write_text("name,seed\na,1\n", encoding="utf-8")
        with pytest.raises(ValueError, match="has other columns"):
            append_run(file, Run("a", 1, 2, True, []), "a command")
        assert file.read_text(encoding="utf-8") == "name,seed\na,1\n"

    def test_numbers_that_are_not_known_are_empty(self, tmp_path):
        file = tmp_path / "runs.csv"
        for last in (None, 3):
            append_run(file, Run("a", 1, last, True, []), "a command")
        assert [run.last for run in read_runs(file, Run)] == [None, 3]
