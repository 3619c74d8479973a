"""Records put together from calls, and checkpoints, against learners that made them."""

import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron

from sklearn_activelearn import MinMarginClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.labeling import _display
from sklearn_activelearn.labeling._calls import RecordedCall
from sklearn_activelearn.labeling._checkpoints import N_LAST, Checkpoints
from sklearn_activelearn.labeling._replay import RecordedLearner, replay, restored_from
from sklearn_activelearn.pool import NoError
from tests.tools import NaiveBayes

CLASSES = ["no", "yes", "never"]
LEARNER = UncertaintySamplingClassifier(
    NaiveBayes(),
    n_initial=3,
    batch_size=2,
    stopping=["stable_predictions", NoError(9)],
    budget=None,
    random_state=0,
)


def made(learner, pool, classes, *, have_ids=True):
    test = np.array([0], dtype=np.int64)
    own = type(learner)(**learner.get_params(deep=False))
    return RecordedLearner(own, pool, len(pool), test, test[:0], classes, have_ids)


def calls_of(recorded, seed, n_steps):
    """Let a learner make random calls; return what a journal would have of them."""
    rng, calls = np.random.default_rng(seed), []
    for _ in range(n_steps):
        if rng.uniform() < 0.5:
            outcome = recorded.ask()
            recorded.accept(outcome)
            probabilities, progress = outcome.probabilities, outcome.progress
            body = {"probabilities": probabilities, "learner": progress}
            body |= {"stop": outcome.stop, "chunk": None}
            calls.append(RecordedCall("ask", body, outcome.rows))
        else:
            known = [*recorded.out, *recorded.taught, *rng.integers(1, 14, 2).tolist()]
            rows = rng.permutation(known)[: rng.integers(1, 4)].tolist()
            answers = rng.choice(["no", "yes", None], len(rows)).tolist()
            labels = dict(zip(rows, answers, strict=True))
            # nobody skips what was not asked for, or what has a label
            labels = [
                (row, label)
                for row, label in labels.items()
                if label or row in recorded.out - recorded.taught.keys()
            ]
            recorded.teach(labels)
            calls.append(RecordedCall("teach", {}, labels=labels))
    return calls


@settings(max_examples=6 * settings.default.max_examples)
@given(
    seed=st.integers(0, 2**16),
    n_steps=st.integers(1, 20),
    n_values=st.integers(1, 9),
    shift=st.sampled_from([0, 1e-13]),
    classes=st.sampled_from([None, CLASSES]),
    have_ids=st.booleans(),
)
def test_a_record_of_calls_is_that_of_the_learner(
    seed, n_steps, n_values, shift, classes, have_ids
):
    rng = np.random.default_rng(seed)
    pool = rng.integers(-n_values, n_values + 1, size=(14, 1)) / 7
    pool = pool + shift * rng.integers(0, 2, size=pool.shape)
    recorded = made(LEARNER, pool, classes, have_ids=have_ids)
    calls = calls_of(recorded, seed, n_steps)
    again = made(LEARNER, pool, classes, have_ids=have_ids)
    assert restored_from(again, calls)
    assert (again.taught, again.out) == (recorded.taught, recorded.out)
    if hasattr(recorded.learner, "_ledger"):
        records = [each.learner.record() for each in (recorded, again)]
        for record in records:
            del record["dtype"]  # as wide as the longest text that there was
        assert records[0] == records[1]
    outcomes = [each.ask() for each in (recorded, again)]
    assert outcomes[0][1:] == outcomes[1][1:]


def test_a_learner_that_cannot_be_restored_goes_back_to_a_checkpoint():
    pool = np.random.default_rng(0).standard_normal((300, 2))
    learner = MinMarginClassifier(
        Perceptron(), incremental=True, n_initial=3, budget=None, random_state=0
    )
    recorded, states = made(learner, pool, CLASSES), Checkpoints()
    calls, coefs = [], {}
    assert not restored_from(recorded, calls)
    for _ in range(90):
        outcome = recorded.ask()
        recorded.accept(outcome)
        calls.append(RecordedCall("ask", {"chunk": None}, outcome.rows))
        states.add(len(calls), recorded)
        coefs[len(calls)] = getattr(recorded.learner, "n_taught_", 0)
        labels = [(row, CLASSES[int(pool[row, 0] > 0)]) for row in outcome.rows]
        recorded.teach(labels)
        calls.append(RecordedCall("teach", {}, labels=labels))
    last = recorded.learner.estimator_.coef_.tobytes()
    n_repeated = []
    for n in (len(calls), len(calls) - 1, len(calls) - 2, 120, 40, 1):
        n_done, before = states.before(n)
        assert n_done <= n
        assert before.learner.n_taught_ == coefs[n_done]
        n_repeated.append(n - n_done)
        made_again = []
        replay(before, calls, n_done, made_again.append)
        assert made_again == list(range(n_done | 1, len(calls), 2))
        assert before.learner.estimator_.coef_.tobytes() == last
    assert n_repeated[:3] == [1, 0, 1]
    assert max(n_repeated) < 40
    assert states.before(0) is None
    assert N_LAST < 90 / 2


def test_a_long_replay_says_how_far_it_is(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    calls = [None] * 1200
    for out in (Terminal(), io.StringIO()):
        assert list(_display.reported(calls, out)) == calls
        assert out.getvalue() == ""
    monkeypatch.setattr(_display, "PATIENCE", 0)
    for out in (Terminal(), io.StringIO()):
        assert list(_display.reported(calls, out)) == calls
        said = out.getvalue().split("\r")[1:]
        assert len(said) == 1200 * out.isatty()
        assert said[-1:] == ["Repeating call 1,200 of 1,200 "] * out.isatty()


def test_few_states_are_kept():
    states = Checkpoints()
    for n in range(2000):
        states.add(n, [])
    assert len(states._last) + len(states._older) <= 2 * N_LAST
    found = [states.before(n)[0] for n in range(1999, -1, -1)]
    assert found[:N_LAST] == list(range(1999, 1999 - N_LAST, -1))
    assert found[-1] == 0
    assert max(np.diff(found[::-1])) < 300
