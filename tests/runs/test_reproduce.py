"""``python -m benchmarks.papers``: the experiments of a paper's page at toy size."""

from pathlib import Path
from urllib.error import URLError

import pytest

from benchmarks import data
from benchmarks.papers.__main__ import main
from benchmarks.papers._steps import STEPS

ROOT = Path(__file__).resolve().parents[2]


def test_every_step_is_an_experiment():
    known = {path.stem for path in (ROOT / "benchmarks/papers").glob("[!_]*.py")}
    run = {step.split()[0] for steps in STEPS.values() for step in steps}
    assert run == known - {"figures", "claims"}


def test_a_figure_and_its_pictures(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", "")
    results = tmp_path / "new" / "folder"
    main(["wang2009", "--figure", "1", "--quick", "--results", str(results)])
    printed = capsys.readouterr().out
    steps = [line.split()[1] for line in printed.splitlines() if line[:2] == "=="]
    assert steps == ["boosting_costs"]
    assert "boosting_errors is left out" in printed
    results /= "quick"  # no real run finds toy results
    assert {file.name for file in results.iterdir()} == {
        f"boosting_figure_{number}.{kind}" for number in "15" for kind in ("csv", "png")
    } | {"boosting_figure_5_runs.csv.gz"}


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
