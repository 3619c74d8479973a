"""Published results: pages, and the files they are made from."""

import json
import re
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from subprocess import check_output

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.papers._steps import ROWS, STEPS
from benchmarks.papers.figures import DRAWN
from benchmarks.provenance import checksum, commit, libraries, recorded
from benchmarks.results import (
    PROVENANCE,
    Results,
    as_text,
    read,
    read_texts,
    without_machine,
)
from sklearn_activelearn import __version__
from tests.runs.test_benchmarks import has_numbers

#: Toy runs are too short to learn.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.OneClassWarning"
)

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reproduced").glob("*.rst"))
#: Those of single runs are compressed.
FILES = sorted(
    file
    for file in (
        path.with_name(path.name.removesuffix(".gz"))
        for path in (DOCS / "results").glob("*.csv*")
    )
    if "benchmarks.papers." in read_texts(file)[0].get("command", "")
)
COMMAND = r"python -m benchmarks\.papers\.(\w+)([^\\\n]*(?:\\\n[^\\\n]*)*)"
TABLE = r":file: \.\./generated/results/(\w+)\.csv"


@pytest.fixture(scope="module")
def tables():
    sys.path.insert(0, str(DOCS))
    try:
        return import_module("results_tables")
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Return a function that runs an experiment at toy size, once."""
    folders = {}

    def run(name, *options):
        if (name, *options) not in folders:
            folder = tmp_path_factory.mktemp(name)
            experiment = import_module(f"benchmarks.papers.{name}")
            printed = StringIO()
            with redirect_stdout(printed):
                experiment.main([*options, "--quick", "--results", str(folder)])
            assert has_numbers(printed.getvalue()), printed.getvalue()
            folders[name, *options] = folder
        return folders[name, *options]

    return run


def tables_with_commands():
    """Yield each table of the pages, and the last command before it."""
    for page in PAGES:
        text, experiment, options = page.read_text(encoding="utf-8"), None, ""
        for match in re.finditer(f"{COMMAND}|{TABLE}", text):
            if match[1]:
                experiment, options = match[1], match[2]
            elif match[3] != f"steps_{page.stem}":
                yield page.stem, match[3], experiment, options


def telling(options):
    """Return the options that decide which file is written, or which rows."""
    told = r"--(?:alphas|reached|gini|batches|again|lam \S+|penalty \w+|paper \w+)"
    return " ".join(re.findall(told, options)).split()


SHOWN = list(tables_with_commands())


def test_answers_of_compare_are_counted(tables, tmp_path):
    answers = ["right", "none", "right", "wrong", "right"]
    rows = [
        {
            "example": "table",
            "data": i,
            "repeats": 2 * i,
            "seconds": i + 0.4,
            "answer": each,
        }
        for i, each in enumerate(answers)
    ]
    results = Results(tmp_path, "evaluation.labels_saved", [], 0)
    results.write("compare_examples", rows, key=("example", "data"), runs=1)
    _, line = tables.compare_examples(tmp_path)
    assert line == ["table", 5, 3, 1, 1, "4", "2", "4"]


class TestPages:
    def test_every_table_is_on_a_page_once(self, tables):
        made = {table.__name__ for table in tables.TABLES} - {"runs"}
        assert sorted(name for _, name, *_ in SHOWN) == sorted(made)

    def test_every_paper_has_its_claims(self, tables):
        page = (DOCS / "reproduced.rst").read_text(encoding="utf-8")
        shown = re.findall(r"results/claims_(\w+)\.csv", page)
        assert sorted(shown) == sorted(ROWS)
        assert sorted(shown) == sorted(page.stem for page in PAGES)

    @pytest.mark.parametrize(
        ("page", "table", "experiment", "options"), SHOWN, ids=[s[1] for s in SHOWN]
    )
    def test_a_table_is_what_its_command_measures(
        self, page, table, experiment, options, quick, tables
    ):
        assert experiment, f"{page}: {table} names no command"
        folder = quick(experiment, *telling(options))
        head, *rows = getattr(tables, table)(folder)
        assert rows
        assert all(len(row) == len(head) for row in rows)

    def test_pictures_are_drawn(self, tables):
        drawn = {name for pictures in DRAWN.values() for name in pictures}
        named = {
            name
            for page in PAGES
            for name in re.findall(
                r"generated/results/(\w+)\.png", page.read_text(encoding="utf-8")
            )
        }
        known = {file.stem for file in FILES}
        assert named == drawn & known

    def test_all_is_written(self, tables, tmp_path, monkeypatch):
        def draw(drawn, folder, out):
            for name in drawn:
                (out / f"{name}.png").touch()

        monkeypatch.setattr(tables, "draw", draw)
        tables.write(DOCS / "results", tmp_path)
        written = {file.name for file in tmp_path.iterdir()}
        for page in DOCS.glob("**/*.rst"):
            text = page.read_text(encoding="utf-8")
            assert set(re.findall(r"generated/results/(\S+)", text)) <= written

    def test_tables_of_speed_have_a_processor_in_each_row(self, tables):
        for head, *rows in tables.speed(DOCS / "results").values():
            place = head.index("processor")
            assert all(row[place] for row in rows)
            assert not {"caches", "versions"} & set(head)

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
    def test_a_page_shows_its_steps_and_its_pictures(self, page):
        text = page.read_text(encoding="utf-8")
        assert text.count(f"generated/results/steps_{page.stem}.csv") == 1
        pictures = re.findall(r"generated/results/(\w+)\.png", text)
        assert sorted(pictures) == sorted(DRAWN[page.stem])
        needed = {name for row in ROWS[page.stem] for name in row["figures"].split()}
        for kind, number in re.findall(r"_(figure|table)_(\d)", " ".join(pictures)):
            assert f"{'table-' * (kind == 'table')}{number}" in needed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reproduce_runs_what_the_page_shows(page):
    steps = [
        " ".join(without_machine(step.replace("{out}", "out").split()))
        for step in STEPS[page.stem]
    ]
    shown = re.findall(COMMAND, page.read_text(encoding="utf-8"))
    assert shown
    for name, options in shown:
        words = without_machine(options.replace("\\\n", " ").split())
        command = " ".join([name, *words])
        whole = re.sub(r" --only \S+", "", command)
        assert {command, whole} & {*steps}


class TestFiles:
    @pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
    def test_every_row_says_where_it_comes_from(self, file):
        for row in read_texts(file):
            assert tuple(row)[-len(PROVENANCE) :] == PROVENANCE
            assert all(row[name] for name in PROVENANCE[:5]), row
            # not recorded at first; whoever records one records all
            assert len({bool(row[name]) for name in PROVENANCE[5:]}) == 1, row
            assert "--quick" not in row["command"]
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"])

    @pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
    def test_the_quick_run_writes_the_same_columns(self, file, quick):
        row = read_texts(file)[0]
        experiment, options = re.match(COMMAND, row["command"]).groups()
        options = telling(options)
        if experiment == "readings_again":  # the name in the commit of these rows
            experiment, options = "readings", ["--again"]
        elif "batches" in file.name:
            options = ["--batches"]
        elif "gini" in file.name:
            options = ["--gini"]
        if experiment == "error_reduction":
            pytest.importorskip("skactiveml")  # it is measured beside
        folder = quick(experiment, *options)
        written = read_texts(folder / file.name)
        assert written[0].keys() == row.keys()
        for row in written:
            assert row["libraries"] == libraries()
            assert re.fullmatch("[0-9a-f]{12}( [0-9a-f]{12})*", row["data_sha256"])


class TestResults:
    @staticmethod
    def row(**values):
        return {"learner": "a", "labels": 1.0, **values}

    def test_a_row_is_replaced_by_its_key(self, tmp_path):
        results = Results(tmp_path, "ocr", ["--problem", "USPS 0vAll"], 0)
        rows = [self.row(), self.row(learner="b")]
        results.write("table", rows, key=["learner"], runs=5)
        results.write("table", [self.row(labels=2.0)], key=["learner"], runs=6)
        found = read(tmp_path, "table")
        assert [(row["learner"], row["labels"]) for row in found] == [
            ("a", 2),
            ("b", 1),
        ]
        assert [row["runs"] for row in found] == [6, 5]
        command = "python -m benchmarks.papers.ocr --problem 'USPS 0vAll'"
        assert found[0]["command"] == command
        assert found[0]["version"] == __version__
        assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]

    def test_other_columns_are_refused(self, tmp_path):
        results = Results(tmp_path, "ocr", [], 0)
        results.write("table", [self.row()], key=["learner"], runs=1)
        before = (tmp_path / "table.csv").read_text(encoding="utf-8")
        with pytest.raises(ValueError, match=r"table\.csv has other columns"):
            results.write("table", [self.row(std=1)], key=["learner"], runs=1)
        assert (tmp_path / "table.csv").read_text(encoding="utf-8") == before

    def test_rows_name_the_data_loaded_since(self, tmp_path):
        a, b, c = ((np.full((2, 2), k), np.arange(2)) for k in range(3))
        load = recorded(lambda pair: (*pair, "the rest"))
        assert load(a) == (*a, "the rest")
        results = Results(tmp_path, "ocr", [], 0)

        def cells(learner, *pairs):
            for pair in pairs:
                load(pair)
            for table in ("t", "u"):
                row = self.row(learner=learner)
                results.write(table, [row], key=["learner"], runs=1)
            t, u = (read_texts(tmp_path / f"{table}.csv")[-1] for table in "tu")
            assert t == u
            return t["data_sha256"]

        one, two, three = (checksum(*pair) for pair in (a, b, c))
        assert cells("none") == ""
        assert cells("b", b) == two
        assert cells("b again", b, b) == two
        assert cells("of the same data") == two
        assert cells("two sets", a, c) == f"{one} {three}"

    def test_where_rows_come_from_stands_once(self, tmp_path):
        for seed in range(3):
            results = Results(tmp_path, "ocr", ["--problem", "0v1"], min(seed, 1))
            rows = [self.row(learner=f"{seed}{k}") for k in range(4)]
            each = [{**row, "run": run} for row in rows for run in range(2)]
            results.write("t", rows, key=["learner"], runs=2, each=each)
        assert {file.name for file in tmp_path.iterdir()} == {"t.csv", "t_runs.csv.gz"}
        head, first, second, names, *lines = (
            (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()
        )
        assert head == ",".join(["#origin", *PROVENANCE])
        assert first.startswith("#0,python -m benchmarks.papers.ocr --problem 0v1,0,2,")
        assert second.startswith(
            "#1,python -m benchmarks.papers.ocr --problem 0v1,1,2,"
        )
        assert names == "learner,labels,origin"
        assert lines[3:5] == ["03,1,0", "10,1,1"]
        found = read(tmp_path, "t_runs")
        assert [row["run"] for row in found] == [0, 1] * 12
        assert [row["seed"] for row in found] == [0] * 8 + [1] * 16
        packed = (tmp_path / "t_runs.csv.gz").read_bytes()
        results.write("t", [], key=[], runs=2)
        results.write("t_runs", each, key=["learner"], runs=1)
        assert (tmp_path / "t_runs.csv.gz").read_bytes() == packed

    def test_nothing_is_written_unasked(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Results(None, "ocr", [], 0).write("table", [self.row()], key=[], runs=1)
        Results(tmp_path, "ocr", [], 0).write("table", [], key=[], runs=1)
        assert not list(tmp_path.iterdir())

    def test_cells(self):
        cells = [None, np.nan, 1 / 3, 12345678.0, np.inf, 7, "a, b"]
        texts = ["", "", "0.333333", "1.23457e+07", "inf", "7", "a, b"]
        assert [as_text(cell) for cell in cells] == texts

    def test_numbers_come_back(self, tmp_path):
        row = self.row(failed=3, published=None, problem="0v1")
        Results(tmp_path, "ocr", [], "0 to 9").write("t", [row], key=[], runs=1)
        (found,) = read(tmp_path, "t")
        assert found["failed"] == 3
        assert np.isnan(found["published"])
        assert found["problem"] == "0v1"
        assert found["seed"] == "0 to 9"
        assert read(tmp_path, "none") == []

    def test_options_of_the_machine_are_not_in_the_command(self, monkeypatch):
        argv = ["--jobs", "1", "--rows", "5", "--results=x", "--cache", "d", "--starts"]
        assert without_machine(argv) == ["--rows", "5", "--starts"]
        monkeypatch.setattr(sys, "argv", ["script", *argv])
        assert without_machine(None) == ["--rows", "5", "--starts"]


class TestProvenance:
    def test_a_checksum_is_of_types_shapes_and_values(self):
        X = np.arange(6.0).reshape(2, 3)
        others = [X.T, X[:, ::-1], X.astype(np.float32), X.ravel(), csr_array(X)]
        others += [csr_array(X + 1), csr_array(np.c_[X, [0, 0]])]
        assert len({checksum(other) for other in (X, *others)}) == 8
        assert checksum(X) == checksum(np.asfortranarray(X))
        assert checksum(X, X) not in (checksum(X), checksum(np.vstack([X, X])))

    def test_the_commit_of_a_checkout(self, tmp_path):
        def git(*words):
            identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
            words = ["git", "-C", str(tmp_path), *identity, *words]
            return check_output(words, encoding="utf-8").strip()

        package = tmp_path / "package"
        package.mkdir()
        (package / "__init__.py").touch()
        assert commit(package) == ""
        git("init", "--quiet")
        git("commit", "--quiet", "--allow-empty", "--message", "nothing")
        commit.cache_clear()
        assert commit(package) == ""  # not tracked: an environment in a checkout
        git("add", ".")
        git("commit", "--quiet", "--message", "all")
        commit.cache_clear()
        expected = git("rev-parse", "HEAD")[:12]
        assert commit(package) == expected
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "results.csv").touch()
        commit.cache_clear()
        assert commit(package) == expected
        (tmp_path / "benchmarks").mkdir()
        (tmp_path / "benchmarks" / "another.py").touch()
        commit.cache_clear()
        assert commit(package) == f"{expected}-dirty"


class TestTables:
    @staticmethod
    def write(folder, name, rows):
        Results(folder, "ocr", [], 0).write(name, rows, key=list(rows[0]), runs=10)

    def test_published_figures_stand_below(self, tables, tmp_path):
        row = {"problem": "0v1", "target_error": 0.01, "labels_std": 5.0}
        row |= {"published": 20.0, "published_std": 4.0}
        found = [
            ("DKM²", 24.0, 0, {"R": 1}),
            ("DKMperc", 1234.0, 2, {"R": 2, "eta0": 3.0}),
            ("CBGZperc", None, 10, {"b": 0.01}),
        ]
        self.write(
            tmp_path,
            "ocr",
            [
                {
                    **row,
                    "learner": name,
                    "labels": labels,
                    "failed": failed,
                    "parameters": json.dumps(params),
                }
                for name, labels, failed, params in found
            ],
        )
        assert tables.ocr(tmp_path) == [
            ["problem (target)", "DKM²", "DKMperc", "CBGZperc"],
            ["0v1 (0.01)", "24 ± 5", r"1,234 ± 5\*‡ (2)", "never (10)"],
            ["*published*", "20 ± 4", "20 ± 4", "20 ± 4"],
        ]

    def test_runs_are_told_apart(self, tables, tmp_path):
        for repeats in ("2", "5"):
            results = Results(tmp_path, "ocr", ["--repeats", repeats], 0)
            rows = [{"labels": f"{repeats}{k}"} for k in range(3)]
            results.write("t", rows, key=["labels"], runs=int(repeats))
        head, *lines = tables.runs(tmp_path)
        assert head == ["file", *PROVENANCE[:-1]]
        assert [line[3] for line in lines] == ["2", "5"]
