"""The command that finds all rows with a label."""

import csv

import numpy as np
import pytest

from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import label as label_command
from sklearn_activelearn._cli.tables import read_table
from sklearn_activelearn._cli.tasks import read_task
from sklearn_activelearn.evaluation import recall_price
from sklearn_activelearn.labeling import LabelingSession, load_model
from sklearn_activelearn.labeling._export import stored_state
from sklearn_activelearn.labeling._view import LabelingView
from sklearn_activelearn.pool import RecallTarget, RelevanceSamplingClassifier

WORDS = ["apple", "pear", "plum", "fig", "kiwi", "lime", "nut", "oat", "rye", "hop"]


@pytest.fixture
def refs(tmp_path):
    """A file of 120 titles, of which 20 are relevant."""
    rng = np.random.default_rng(0)
    file = tmp_path / "refs.csv"
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(["title", "include"])
        for i in range(120):
            relevant = i % 6 == 0
            words = [*rng.choice(WORDS, 5), "stroke" if relevant else "soil", f"n{i}"]
            writer.writerow([" ".join(words), "yes" if relevant else "not yes"])
    return file


def label(refs, *argv):
    out = refs.with_suffix(".session")
    return main(["label", str(refs), "--text", "title", "--out", str(out), *argv])


def test_it_ends_when_the_recall_is_certain(refs, capsys):
    argv = ["--find", "yes", "--recall", "0.8", "--labelled", "include"]
    assert label(refs, *argv, "--rehearse", "--test-size", "5") == 0
    out = capsys.readouterr()[0]
    assert out.count("A recall of 80% is certain, at a confidence of 95%: ") == 1


def test_the_price_is_said_when_somebody_stops(refs, capsys, tmp_path):
    answers = tmp_path / "answers"
    answers.write_text("1\n2\n" * 15)
    assert label(refs, "--find", "yes", "--answers", str(answers)) == 0
    assert "15 found of" in (out := capsys.readouterr()[0])
    assert "To a recall of 95%: about" in out


def test_nothing_is_said_of_the_recall_before_a_relevant_row(refs, capsys, tmp_path):
    answers = tmp_path / "answers"
    answers.write_text("2\n" * 3)
    assert label(refs, "--find", "yes", "--answers", str(answers)) == 0
    assert "No relevant row is known yet among" in capsys.readouterr()[0]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--recall", "0.9", "--classes", "a,b"], "which label is to be found"),
        (["--find", "a", "--classes", "a,b,c"], "--find takes two classes, got 3"),
        (["--find", "d", "--classes", "a,b"], "'d' is none of a, b"),
        (["--find", "a", "--learner", "Passive"], "leave out --learner"),
        (["--find", "a", "--recall", "2"], "2 is not between"),
    ],
)
def test_options_that_do_not_go_together(refs, capsys, argv, message):
    assert label(refs, *argv) == 2
    assert message in capsys.readouterr()[1]
    assert not refs.with_suffix(".session").exists()


def test_a_session_resumes_in_the_middle_of_an_audit(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4))
    y = X[:, 0] > 1.2
    learner = RelevanceSamplingClassifier(
        positive="yes",
        batch_size=0.1,
        budget=None,
        stopping=RecallTarget(0.8, positive="yes"),
        random_state=0,
    )
    labels, orders = np.where(y, "yes", "no").tolist(), []
    for n_pause in (200, 12):
        path, order, done = tmp_path / f"{n_pause}.session", [], False
        while not done:
            with LabelingSession(
                learner, X, path, ids=range(150), classes=["no", "yes"], ahead=1
            ) as session:
                for _ in range(n_pause):
                    if done := (row := session.next()) is None:
                        break
                    order.append(row)
                    session.label(row, labels[row])
                record = session.learner.record()
                reason = session.stop_reason
        orders.append(order)
        assert "audit" in record["purposes"]
        assert reason == "RecallTarget"
    assert orders[0] == orders[1]


def finding(path, n_labels, n_rows=150, **settings):
    """Return a session of rows with names, with so many labels, and its rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] > 1.2, "yes", "no").tolist()
    params = {"budget": None, "random_state": 0} | settings.pop("learner", {})
    learner = RelevanceSamplingClassifier(
        positive="yes", batch_size=0.1, stopping=RecallTarget(0.8), **params
    )
    names = [f"row{i}" for i in range(n_rows)]
    session = LabelingSession(
        learner, X, path, ids=names, classes=["no", "yes"], **settings
    )
    for _ in range(n_labels):
        if (row := session.next()) is not None:
            session.label(row, y[int(row[3:])])
    session.next()
    return session, X


def test_the_price_is_advice(tmp_path):
    session, X = finding(tmp_path / "a.session", 30)
    with session:
        price = recall_price(session.learner, X, recall=0.8, ids=np.arange(150))
        assert price.found > 5
        assert session.advice() == str(price)
        assert LabelingView(session, "table").progress()["advice"] == str(price)
        assert "missed among 120 unread takes about 3 x 120 / k random" in str(price)


def test_advice_on_the_rows_put_aside_comes_after_the_price(tmp_path):
    session, _ = finding(tmp_path / "a.session", 40, test_size=10)
    with session:
        assert " found of about " in (advice := session.advice())
        assert advice.index(" found of ") < advice.index("rows put aside")


def test_a_session_says_what_is_certain(tmp_path):
    session, _ = finding(tmp_path / "a.session", 50, n_rows=50)
    with session:
        labels = session.status().by_class
        assert session.advice() == (
            "A recall of 80% is certain, at a confidence of 95%: "
            f"{labels['yes']} found in {sum(labels.values())} rows read."
        )


def test_a_budget_without_a_relevant_row(tmp_path):
    few = {"budget": 1, "random_state": 1}
    session, _ = finding(tmp_path / "a.session", 1, learner=few)
    with session:
        advice = session.advice()
        assert advice.startswith("No relevant row is known yet among 1 labels")
        assert advice.endswith("The budget is spent: a larger one goes on.")
    session, _ = finding(tmp_path / "b.session", 0)
    with session:
        assert session.advice() == "No row has a label yet."


def test_texts_are_ranked_by_words_and_directions(refs, capsys, tmp_path):
    pytest.importorskip("skops")
    model, predicted = tmp_path / "model.skops", tmp_path / "predicted.csv"
    argv = ["--find", "yes", "--start-with", "stroke", "--labelled", "include"]
    assert label(refs, *argv, "--save-model", str(model)) == 0
    assert "up to 100 principal directions of 120 texts" in capsys.readouterr()[1]
    begun = stored_state(refs.with_suffix(".session")).begin["learner"]["params"]
    assert begun["estimator"]["class"].endswith(".RankAverageClassifier")
    assert begun["initial"]["params"]["words"] == "stroke"
    assert main(["predict", str(model), str(refs), "--out", str(predicted)]) == 0
    scores = load_model(model).decision_function(read_table(refs))
    assert {*np.argsort(-scores)[:20] % 6} == {0}
    assert capsys.readouterr()[0].endswith("120 predicted.\n")


def test_the_words_to_start_with_are_those_of_the_texts(refs):
    task = read_task(refs, text="title", start_with="stroke", n_directions=5)
    scores = task.start(task.X)
    assert task.X.shape[1] == len(task.encoder.vectorizer_.vocabulary_) + 5
    assert {*np.argsort(-scores)[:20] % 6} == {0}
    words = read_task(refs, text="title", start_with="stroke")
    np.testing.assert_allclose(scores, words.start(words.X), atol=1e-5)


def test_a_session_that_began_without_directions_goes_on_without(
    refs, capsys, tmp_path, monkeypatch
):
    answers = tmp_path / "answers"
    answers.write_text("1\n2\n")
    argv = ["--find", "yes", "--answers", str(answers)]
    with monkeypatch.context() as patch:
        patch.setattr(label_command, "n_directions_for", lambda args, begun: 0)
        assert label(refs, *argv) == 0
    assert label(refs, *argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("The same command resumes.") == 2
