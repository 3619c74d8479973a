"""`learn` with oracles that fail, answer badly or look at the learner meanwhile."""

import pickle
import sys
from contextlib import suppress
from itertools import islice

import numpy as np
import pytest

from tests.learners import (
    DEFAULTS,
    STREAM_DEFAULTS,
    each_pool_family,
    each_stream_family,
    families_of,
)
from tests.tools import RecordingOracle, fresh, group_of, state

X = np.random.RandomState(0).standard_normal((60, 3))
y = np.where(X[:, 0] > 0.2, "yes", "no")
CLASSES = ["no", "yes"]


class Unreliable(RecordingOracle):
    """An oracle that fails once, at its k-th call."""

    def __init__(self, y, k, failure):
        super().__init__(y)
        self.k, self.failure = k, failure

    def __call__(self, rows):
        if len(self.asked) == self.k:
            self.asked += rows.tolist()
            return self.failure(rows)
        return super().__call__(rows)


def seen_before(prototype, row):
    """Return how many rows a learner has decided when it asks for that one."""
    return row - row % group_of(prototype)


class CtrlC:
    """Interrupts at the k-th line that runs between the n-th answer and its keeping.

    A context; `was_pressed` tells if there were so many lines.
    """

    def __init__(self, n, k):
        self.n, self.k, self.was_pressed = n, k, False

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.look)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def look(self, frame, event, arg):
        if frame.f_code is RecordingOracle.__call__.__code__:
            self.n -= event == "return"
        elif self.n == 0:
            kept = frame.f_code.co_name in ("encode_answers", "_buy")
            self.n -= kept and event == "return"
            self.k -= event in ("call", "line")
            if self.k == 0:
                self.was_pressed = True
                raise KeyboardInterrupt
        return self.look


def interrupted(prototype, n, answers, step=1):
    """Yield learners that were interrupted at each line after the n-th answer."""
    k, was_pressed = 0, True
    while was_pressed:
        k += step
        learner, oracle = fresh(prototype), RecordingOracle(answers)
        with suppress(KeyboardInterrupt), CtrlC(n, k) as ctrl_c:
            learner.learn(X[:20], oracle, CLASSES)
        was_pressed = ctrl_c.was_pressed
        if was_pressed:
            assert learner.queried_indices_.tolist() == oracle.asked
            assert learner.n_queries_ == len(oracle.asked)
            yield learner
    assert k > 2  # several lines were tried


@each_stream_family
@pytest.mark.parametrize(
    ("answers", "most"),
    [(y.astype(object), None), (y, 5)],
    ids=["kept by Python", "kept by compiled code before the next line"],
)
def test_ctrl_c_right_after_an_answer_loses_no_label(prototype, answers, most):
    expected = fresh(prototype).partial_fit(X[:20], y[:20], classes=CLASSES)
    for learner in islice(interrupted(prototype, 2, answers), most):
        n = learner.n_seen_
        assert n < 20
        learner.learn(X[n:20], RecordingOracle(y[n:20]))
        assert state(learner) == state(expected)


@each_pool_family
def test_ctrl_c_right_after_a_batch_of_answers_loses_no_label(prototype):
    for learner in interrupted(prototype, 1, y, step=37):
        rows = learner.queried_indices_
        np.testing.assert_array_equal(learner._ledger.labelled.rows, X[rows])
        np.testing.assert_array_equal(learner._ledger.labelled.codes, y[rows] == "yes")


BAD_ANSWERS = {
    "none": (lambda rows: None, ValueError, "shape"),
    "too few": (lambda rows: [], ValueError, r"got labels of shape \(0,\)"),
    "too many": (lambda rows: ["no", "no"], ValueError, r"got labels of shape \(2,\)"),
    "a number": (lambda rows: "no", ValueError, "shape"),
    "nested": (lambda rows: [["no"]], ValueError, r"\(1, 1\)"),
    "ragged": (lambda rows: [["no"], []], ValueError, "oracle|inhomogeneous"),
    "unknown": (lambda rows: ["maybe"], ValueError, "'maybe' for row"),
    "other type": (lambda rows: [1], ValueError, "1 for row"),
    "NaN": (lambda rows: [np.nan], ValueError, "nan for row"),
    "None in it": (lambda rows: [None], ValueError, "None for row"),
    "unknown in an array": (lambda rows: y[:1] + "?", ValueError, r"\?' for row"),
    "column": (lambda rows: y[:1, None], ValueError, r"\(1, 1\)"),
    "array of none": (lambda rows: y[:0], ValueError, r"got labels of shape \(0,\)"),
    "array of no length": (lambda rows: np.array("no"), ValueError, "shape"),
}


@pytest.mark.every_learner
@pytest.mark.parametrize("answer", BAD_ANSWERS)
@pytest.mark.parametrize("k", [0, 3])
@pytest.mark.parametrize(
    "prototype", families_of(STREAM_DEFAULTS), ids=lambda row: type(row).__name__
)
def test_bad_answers(prototype, answer, k):
    failure, error, words = BAD_ANSWERS[answer]
    oracle = Unreliable(y, k, failure)
    learner = fresh(prototype)
    with pytest.raises(error, match=words):
        learner.learn(X, oracle, classes=CLASSES)
    seen = seen_before(prototype, oracle.asked[-1])
    assert learner.queried_indices_.tolist() == oracle.asked[:-1]
    learner.learn(X[seen:], RecordingOracle(y[seen:]))
    expected = fresh(prototype).learn(X, RecordingOracle(y), classes=CLASSES)
    assert state(learner) == state(expected)


@pytest.mark.parametrize("oracle", [None, "no", y])
def test_the_oracle_is_a_function(oracle):
    learner = fresh(DEFAULTS[0])
    with pytest.raises(TypeError, match="oracle"):
        learner.learn(X, oracle, classes=CLASSES)
    assert vars(learner) == learner.get_params()


@pytest.mark.parametrize("container", [list, tuple, np.array])
def test_answers_come_in_any_container(container):
    oracle = RecordingOracle(y)
    learner = fresh(DEFAULTS[0])
    learner.learn(X, lambda rows: container(oracle(rows)), classes=CLASSES)
    expected = fresh(DEFAULTS[0]).partial_fit(X, y, classes=CLASSES)
    assert state(learner) == state(expected)


@each_stream_family
def test_the_oracle_sees_the_learner_just_before_the_row(prototype):
    seen = []
    learner = fresh(prototype)

    def oracle(rows):
        learner.predict(X)
        assert rows.dtype == np.int64
        seen.append((rows[0], state(pickle.loads(pickle.dumps(learner)))))
        return y[rows]

    learner.learn(X, oracle, classes=CLASSES)
    assert len(seen) == learner.n_queries_ > 1
    for row, before in seen[1:]:
        past = slice(seen_before(prototype, row))
        until = fresh(prototype).partial_fit(X[past], y[past], classes=CLASSES)
        assert before == state(until)
