"""What is said of the next labels: by the formula, in words, and whether it holds."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_activelearn import PassiveClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.evaluation import advice
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.advice import advised
from tests.tools import NaiveBayes, problem


@st.composite
def histories(draw):
    """Draw predictions of some models that get better, and the labels."""
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1), label="seed"))
    labels = np.array(draw(st.sampled_from([["no", "yes"], [3, 5, 9]]), label="labels"))
    y = rng.choice(labels, size=draw(st.integers(1, 60), label="n_rows"))
    counts = np.cumsum(rng.randint(1, 30, size=draw(st.integers(1, 8), label="n")))
    counts = np.append(counts, 2 * counts[-1] + rng.randint(3))
    history = []
    for n in counts.tolist():
        is_wrong = rng.uniform(size=len(y)) < 1 / np.sqrt(n)
        history.append((n, np.where(is_wrong, rng.choice(labels, len(y)), y)))
    return history, y


@given(drawn=histories(), share=st.floats(0, 1))
def test_it_is_the_formula(drawn, share):
    history, y = drawn
    n_labels = max(int(share * history[-1][0]), 1)
    said = advice([(n, list(p)) for n, p in history], list(y), n_labels=n_labels)
    value, low, high, counts = advised(history, y, n_labels)
    np.testing.assert_allclose(
        [said.gain.value, said.gain.low, said.gain.high], [value, low, high]
    )
    assert (said.n_changed, said.n_right, said.n_wrong) == counts
    assert (said.gain.n_labels, said.gain.confidence) == (len(y), 0.8)
    assert said.n_labels == n_labels


def test_it_is_a_sentence():
    y = np.repeat(["a", "b"], 1000)
    before, now = y.copy(), y.copy()
    before[:300], now[:100], now[-10:] = "b", "b", "a"
    said = advice([(10, y), (20, before), (30, before), (50, now)], y, n_labels=10)
    assert str(said) == (
        "The next 10 labels are expected to change the accuracy by +0.2 to +2.8 "
        "points: since 20 labels 210 of 2000 predictions have changed, 200 became "
        "right and 10 wrong."
    )
    now = y.copy()
    now[:5] = "b"
    said = str(advice([(20, y), (50, now)], y))
    assert re.search(r"to change the accuracy by -0\.\d to \+0\.\d points", said)
    said = str(advice([(20, ["a", "c"]), (50, ["b", "c"])], ["c", "c"], n_labels=1))
    assert said.endswith("since 20 labels 1 of 2 predictions have changed.")


@pytest.mark.parametrize(
    ("history", "y", "n_labels", "error", "words"),
    [
        ([(1, ["a", "b"]), (2, ["a", "b"])], ["a"], 1, ValueError, "prediction"),
        ([(3, ["a"]), (5, ["a"])], ["a"], 1, ValueError, "at most 2 labels, half of 5"),
        ([(1, []), (2, [])], [], 1, ValueError, "must hold a label"),
        ([(2, ["a"]), (5, ["a"])], ["a"], 6, ValueError, "at most 5, the labels so f"),
        ([(2, ["a"]), (5, ["a"])], ["a"], 0, ValueError, "n_labels"),
        ([(0, ["a"]), (5, ["a"])], ["a"], 1, ValueError, "history"),
        ([(2.5, ["a"]), (5, ["a"])], ["a"], 1, TypeError, "history"),
        ([(2, ["a"]), (5, ["a"])], [["a", "b"]], 1, ValueError, "1d array"),
    ],
)
def test_what_cannot_be_judged_is_refused(history, y, n_labels, error, words):
    with pytest.raises(error, match=words):
        advice(history, y, n_labels=n_labels)


def test_most_intervals_hold():
    holds = []
    for seed in range(25):
        rng = np.random.RandomState(seed)
        X = rng.standard_normal((3000, 12))
        y = X @ np.linspace(1, 0, 12) + rng.standard_normal(3000) > 0
        learner = PassiveClassifier(
            NaiveBayes(), batch_size=20, budget=None, random_state=seed
        )
        history, errors = [], {}
        for _ in range(6):
            rows = learner.query(X[:1000])
            learner.teach(X[rows], y[rows])
            history.append((learner.n_taught_, learner.predict(X[1000:1080])))
            errors[learner.n_taught_] = np.mean(learner.predict(X[1080:]) != y[1080:])
        said = advice(history[:-2], y[1000:1080], n_labels=40).gain
        holds.append(said.low <= errors[70] - errors[110] <= said.high)
    assert np.mean(holds) >= 0.8


def test_curve_and_advice_are_of_one_moment(tmp_path, monkeypatch):
    """Another process may write between two reads."""
    learner = UncertaintySamplingClassifier(NaiveBayes(), n_initial=4, random_state=0)
    rows, y = problem(60, 3)
    with LabelingSession(learner, rows, tmp_path / "s.sqlite", test_size=10) as session:
        for _ in range(40):
            id = session.next()
            session.label(id, y[session.ids.index(id)])
        report = session.report()
        assert report.curve == session.curve()
        assert report.advice == session.advice()
        reads, reading = [], session._file.reading
        monkeypatch.setattr(
            session._file, "reading", lambda: reads.append(0) or reading()
        )
        session.report()
        assert len(reads) == 1
