"""``python -m benchmarks.papers``: the experiments of a paper's page at toy size."""

from pathlib import Path
from urllib.error import URLError

import pytest

from benchmarks import data
from benchmarks.papers import claims
from benchmarks.papers.__main__ import main
from benchmarks.papers._steps import STEPS

ROOT = Path(__file__).resolve().parents[2]


def test_every_step_is_an_experiment():
    known = {path.stem for path in (ROOT / "benchmarks/papers").glob("[!_]*.py")}
    run = {step.split()[0] for steps in STEPS.values() for step in steps}
    assert run == known - {"data", "claims", "step_times"}


def test_tables_pictures_and_verdicts(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", "")
    results = tmp_path / "new" / "folder"
    main(["cavallanti2008", "--quick", "--results", str(results)])
    tables, _, verdicts = capsys.readouterr().out.partition("\n== claims (of toy data")
    assert "\n== second_order" in tables
    found = [line.split()[0] for line in verdicts.splitlines()[1:] if line[0] != " "]
    assert len(found) == sum(claim.paper == "cavallanti2008" for claim in claims.CLAIMS)
    assert set(found) <= {"held", "partly", "not", "untested"}
    assert found.count("untested") <= 2  # toy curves are too short for these
    results /= "quick"  # no real run finds toy results
    assert (results / "second_order_figure_2.csv").exists()
    assert (results / "second_order_figure_2.png").exists()


def test_one_figure(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", "")
    main(["guillory2009", "--figure", "4", "--quick", "--results", str(tmp_path)])
    steps = [line for line in capsys.readouterr().out.splitlines() if line[:2] == "=="]
    assert [line.split()[1] for line in steps] == ["outlier_line", "claims"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["ali2014", "--figure", "9"],
            "has 2, 3, readings, table-1, got 9",
        ),
        (["ali2015"], "invalid choice: 'ali2015'"),
        ([], "the following arguments are required: paper"),
        (["ali2014"], "ali2014: no way to openml.org"),
    ],
)
def test_refused(argv, message, tmp_path, capsys, monkeypatch):
    def unreachable(*_, **__):
        raise URLError("no way to openml.org")

    monkeypatch.setattr(data, "fetch_openml", unreachable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", "")
    with pytest.raises(SystemExit, match="2"):
        main(argv)
    assert message in capsys.readouterr().err
