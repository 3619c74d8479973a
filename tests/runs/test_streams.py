"""The stream learners beside their peers: runs, curves, tables, and the peers."""

import csv

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import _peers
from benchmarks.results import append_run, read_runs
from benchmarks.sets import streams, streams_report
from benchmarks.sets.streams import (
    METHODS,
    PASSIVE,
    PROBLEMS,
    StreamResult,
    cuts,
    method,
    run,
    written,
)
from benchmarks.sets.streams_report import (
    Curve,
    best,
    curves,
    envelope,
    labels_to,
    passive_error,
)
from sklearn_activelearn import CBGZClassifier


@pytest.fixture(scope="module")
def tumours():
    X, y = PROBLEMS["tumours"].load()
    return PROBLEMS["tumours"].split(X, y, 1)


class TestMethods:
    def test_settings_are_all_combinations(self):
        row = method(dict, {"a": 1, "b": "x"}, a=[1, 2], b=["x", "y", "z"])
        assert len(row.settings) == 6
        assert written({"b": "x", "a": 1}) == "a=1, b=x"

    def test_the_default_must_be_tried(self):
        with pytest.raises(ValueError, match="is not among the settings"):
            method(dict, {"a": 3}, a=[1, 2])

    @pytest.mark.parametrize("name", METHODS)
    def test_defaults_are_those_of_the_class(self, name):
        row = METHODS[name]
        loss = {name: row.default[name] for name in {"loss"} & row.default.keys()}
        learner, usual = row.make(**row.default), row.make(**loss)
        assert learner.get_params() == usual.get_params()

    def test_passive_ones_buy_all_labels(self, tumours):
        for name in PASSIVE:
            row = METHODS[name]
            result = run((*"abc", 1), row, row.default, tumours, False)
            assert result.labels == cuts(len(tumours.y)).tolist()


class TestRuns:
    def test_pieces_are_one_pass(self, tumours):
        row = METHODS["CBGZ"]
        result = run((*"abc", 5), row, {"b": 0.3}, tumours, False)
        learner = CBGZClassifier(0.3, random_state=5)
        learner.partial_fit(tumours.X, tumours.y, classes=[0, 1])
        assert result.labels[-1] == learner.n_queries_
        wrong = learner.predict(tumours.X_test) != tumours.y_test
        assert result.errors[-1] == np.mean(wrong)
        assert (result.order, result.n_rows, result.n_test) == (5, 300, 269)
        assert len(result.errors) == len(result.labels) == 3


@pytest.fixture
def _no_peers(monkeypatch):
    monkeypatch.setattr(_peers, "NAMES", [])


@pytest.mark.usefixtures("_no_peers")
class TestCommand:
    @pytest.fixture(autouse=True)
    def _elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def start(self, *options):
        streams.main(["--only", "tumours", "--results", "runs.csv", *options])
        return read_runs("runs.csv", StreamResult)

    def test_only_what_is_missing_is_run(self, tmp_path):
        file = tmp_path / "runs.csv"
        first = self.start("--methods", "CBGZ", "--orders", "1")
        assert len(first) == len(METHODS["CBGZ"].settings)
        text = file.read_text()
        more = self.start("--methods", "CBGZ", "--orders", "2")
        assert file.read_text().startswith(text)
        assert len(more) == 2 * len(first)
        assert {r.order for r in more} == {1, 2}

    def test_a_set_without_its_file_is_left_out(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", str(tmp_path))
        streams.main(["--only", "money-fx", "--orders", "1"])
        assert "money-fx is left out: " in capsys.readouterr().out


def made_up(name, of, setting, order, labels, errors, n_rows=1_000):
    return StreamResult(name, of, setting, order, n_rows, 500, 0.1, labels, errors)


class TestCurves:
    def test_means_over_orders(self):
        (curve,) = curves(
            [
                made_up("a", "m", "s", 1, [10, 20], [0.4, 0.2]),
                made_up("a", "m", "s", 2, [30, 40], [0.2, 0.2]),
            ]
        )
        assert curve.orders == 2
        np.testing.assert_allclose(curve.labels, [20, 30])
        np.testing.assert_allclose(curve.errors, [0.3, 0.2])
        np.testing.assert_allclose(curve.spread, [0.1, 0])

    def test_a_setting_that_failed_once_is_left_out(self):
        whole = [made_up("a", "m", "s", order, [10], [0.4]) for order in (1, 2)]
        part = made_up("a", "m", "t", 1, [10], [0.1])
        other = made_up("b", "m", "t", 1, [10], [0.1])
        kept = [(c.set, c.setting) for c in curves([*whole, part, other])]
        assert kept == [("a", "s"), ("b", "t")]

    @staticmethod
    def curve(labels, errors, setting="s", n_rows=1_000):
        labels, errors = np.array(labels, float), np.array(errors)
        return Curve("a", "m", setting, 3, n_rows, 500, labels, errors, 0 * errors)

    @pytest.mark.parametrize(
        ("target", "expected"),
        [(0.5, 10), (0.3, 15), (0.2, 20), (0.15, 60), (0.1, 100), (0.05, np.inf)],
    )
    def test_labels_to_a_target(self, target, expected):
        curve = self.curve([10, 20, 40, 100], [0.4, 0.2, 0.3, 0.1])
        # from .3 at 40 labels down to .1 at 100: .15 is at 85
        expected = 85 if target == 0.15 else expected
        assert labels_to(curve, target) == pytest.approx(expected)

    def test_best_setting(self):
        quick = self.curve([10, 20], [0.4, 0.3], "quick")
        good = self.curve([50, 90], [0.2, 0.1], "good")
        assert best([quick, good], 0.35)[1].setting == "quick"
        fewest, curve = best([quick, good], 0.15)
        assert (fewest, curve.setting) == (pytest.approx(70), "good")
        assert best([quick, good], 0.01)[0] == np.inf
        assert best([], 0.1) == (np.inf, None)

    def test_envelope(self):
        labels, errors = envelope(
            [self.curve([10, 30, 50], [0.4, 0.3, 0.35]), self.curve([20, 60], [0.2, 1])]
        )
        np.testing.assert_array_equal(labels, [10, 20, 60])
        np.testing.assert_array_equal(errors, [0.4, 0.2, 0.2])

    def test_error_with_every_label(self):
        all_of_them = self.curve([100, 1_000], [0.3, 0.2])
        fewer = self.curve([100, 998], [0.3, 0.1])
        assert passive_error([all_of_them, fewer]) == 0.2


@pytest.mark.usefixtures("_no_peers")
class TestReport:
    @pytest.fixture
    def report_of(self, tmp_path, capsys):
        for order in (1, 2):
            for setting, final in (("b=0.1", 0.11), ("b=1.0", 0.1)):
                bought = [50, 200 if setting == "b=0.1" else 300]
                errors = [0.2, final]
                result = made_up("tumours", "CBGZ", setting, order, bought, errors)
                append_run(tmp_path / "runs.csv", result, "a command")
            all_of_them = [100, 1_000], [0.2, 0.1]
            hinge = made_up("tumours", PASSIVE[0], "eta0=0.1", order, *all_of_them)
            append_run(tmp_path / "runs.csv", hinge, "a command")
        streams_report.main(
            ["--results", str(tmp_path / "runs.csv"), "--out", str(tmp_path / "docs")]
        )
        return capsys.readouterr().out

    def table(self, tmp_path, name):
        with (tmp_path / "docs/results" / name).open(encoding="utf-8") as stream:
            return list(csv.reader(stream))

    def test_tables(self, report_of, tmp_path):
        head, ours, hinge = self.table(tmp_path, "streams_best_1.1.csv")
        assert head == ["", "tumours: 11.0 %"]
        assert ours == ["CBGZ", "200"]
        assert hinge == [PASSIVE[0], "910"]
        _, ours, _ = self.table(tmp_path, "streams_default_1.1.csv")
        assert ours == ["CBGZ", "200"]
        _, ours, _ = self.table(tmp_path, "streams_chosen_1.1.csv")
        assert ours == ["tumours", "CBGZ", "200", "b=0.1", "200"]
        _, line, *_ = self.table(tmp_path, "streams.csv")
        assert line[:6] == ["tumours", "CBGZ", "b=0.1", "2", "1000", "500"]
        assert line[6:] == ["50 200", "20.00 11.00", "0.00 0.00"]
        for kind in ("best", "default"):
            picture = tmp_path / f"docs/images/streams_{kind}.png"
            assert picture.stat().st_size > 5_000


class TestPeers:
    def test_who_is_not_installed_is_left_out(self, monkeypatch, capsys):
        monkeypatch.setattr(_peers, "NAMES", ["scikit_learn", "no_such_peer"])
        (module,) = _peers.installed()
        assert module.__name__ == "benchmarks._peers.scikit_learn"
        assert "without no_such_peer: No module named" in capsys.readouterr().out

    @pytest.mark.parametrize("loss", ["squared", "logistic"])
    def test_vowpal_wabbit(self, tumours, tmp_path, loss):
        pytest.importorskip("vowpalwabbit")
        from vowpalwabbit import Workspace

        from benchmarks._peers.vowpal_wabbit import VowpalWabbit, features, lines

        rows = features(csr_array(tumours.X))
        learner = VowpalWabbit(mellowness=0.01, loss=loss)
        learner.partial_fit(rows[:100], tumours.y[:100])
        learner.partial_fit(rows[100:], tumours.y[100:])

        file = tmp_path / "rows.txt"
        file.write_text("\n".join(lines(rows, tumours.y)) + "\n")
        options = f"-d {file} --active --simulation --mellowness 0.01"
        alone = Workspace(f"{options} --loss_function {loss}", enable_logging=True)
        alone.finish()
        assert f"total queries = {learner.n_queries_}" in alone.get_log()
        assert 10 < learner.n_queries_ < 290

        margins = learner.decision_function(tumours.X_test)
        # its own predictions are clipped to the labels seen
        predicted = [learner.workspace.predict(r) for r in features(tumours.X_test)]
        inside = np.abs(predicted) < 0.99
        np.testing.assert_allclose(
            margins[inside], np.array(predicted)[inside], atol=1e-4
        )
        np.testing.assert_array_equal(
            learner.predict(tumours.X_test), np.array(predicted) > 0
        )

    def test_river(self, tumours):
        pytest.importorskip("river")
        from benchmarks._peers.river import EntropySampler, dicts

        X = csr_array([[0.0, 2.0], [3.0, 0.0]])
        assert dicts(X) == [{1: 2.0}, {0: 3.0}]
        rows = dicts(tumours.X)
        learner, again = EntropySampler(lr=0.1), EntropySampler(lr=0.1)
        learner.partial_fit(rows, tumours.y)
        for start in (0, 100, 200):
            piece = slice(start, start + 100)
            again.partial_fit(rows[piece], tumours.y[piece])
        assert 10 < learner.n_queries_ == again.n_queries_ < 290
        expected = [learner.model.predict_one(row) for row in dicts(tumours.X_test)]
        np.testing.assert_array_equal(learner.predict(tumours.X_test), expected)

    def test_skactiveml(self, tumours):
        pytest.importorskip("skactiveml")
        from skactiveml.stream import Split

        from benchmarks._peers.skactiveml import Strategy

        dense, sparse = (Strategy(Split, budget=0.2, step=0.1) for _ in "ds")
        dense.partial_fit(tumours.X[:200], tumours.y[:200])
        sparse.partial_fit(csr_array(tumours.X[:200]), tumours.y[:200])
        assert 10 < dense.n_queries_ == sparse.n_queries_ < 100
        np.testing.assert_array_equal(
            dense.predict(tumours.X_test), dense.model.predict(tumours.X_test)
        )
        assert np.mean(dense.predict(tumours.X_test) == tumours.y_test) > 0.8
