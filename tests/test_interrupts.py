"""Ctrl-C, by a real signal, at random moments while a learner of each family works.

More moments: ``pytest tests/test_interrupts.py --hypothesis-profile=explore``.
"""

import dis
import pickle
import signal
import sys
import threading
import time
from functools import cache
from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest
from sklearn import config_context

from sklearn_activelearn.base import _transaction
from sklearn_activelearn.base._interrupts import ask_oracle, ensure_done
from tests.learners import explores, ways
from tests.tools import RecordingOracle, fresh, problem, state

pytestmark = [
    pytest.mark.every_learner,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals"),
    # where Python discards the interrupt of a clean-up
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STREAM_FAMILIES = ways("first order, margin loss, dual, matrix, second order, kernel")
POOL_FAMILIES = ways(
    "passive, uncertainty, warm start, graph, FASSL", n_initial=4, batch_size=3,
    budget=24,
) | ways("ALMS", n_initial=6, batch_size=3, budget=15)  # fmt: skip
FAMILIES = STREAM_FAMILIES | POOL_FAMILIES

X, y = problem(50, 4, noise=1.0)
CLASSES = ["no", "yes"]

#: Where verbs begin and end.
PLACES = ("_base.py", "_verbs.py", "_transaction.py")

#: Called with a learner and the rows that it waits for.
VERBS = {
    "query": lambda learner, out: learner.query(X, exclude=range(35)),
    "teach": lambda learner, out: learner.teach(X[out], y[out], CLASSES),
    "skip": lambda learner, out: learner.skip(X[out[1:]], refund=True),
    "correct": lambda learner, out: learner.correct(X[:3], y[3:6]),
}


def begun(prototype):
    """Return a learner that was taught, and the rows that it waits for."""
    learner = fresh(prototype).teach(X[:8], y[:8], CLASSES)
    return learner, learner.query(X, exclude=np.arange(8), limit=6)


@pytest.fixture(autouse=True)
def _in_the_main_thread():
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("only the main thread handles signals")


def interrupted(call, *arguments):
    """Call a function many times, each time with copies; press Ctrl-C meanwhile.

    Yields
    ------
    has_ended : bool
        Whether it ended before.
    out : object
        What it returned then.
    copies : objects
        The arguments that it had.
    """
    n_wanted = 200 if explores() else 2
    file = pickle.dumps(arguments)
    moments = np.random.RandomState(crc32(file))  # other ones for each learner and verb
    longest = 1.3 * min(duration(call, pickle.loads(file)) for _ in range(3))
    n_interrupted = 0
    for _ in range(50 * n_wanted):  # a signal may come late, and short calls be over
        copies = pickle.loads(file)
        delay = max(moments.uniform(0, longest), 1e-6)
        has_ended, out = with_ctrl_c(call, copies, delay)
        yield has_ended, out, *copies
        n_interrupted += not has_ended
        if n_interrupted == n_wanted:
            return
    pytest.fail(f"only {n_interrupted} calls were interrupted")


def duration(call, arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def with_ctrl_c(call, arguments, delay):
    """Return whether a call ended before Ctrl-C, and what it returned then."""
    is_over = False  # Python may be late to notice a signal

    def press(number, frame):
        if not is_over and frame.f_code is not with_ctrl_c.__code__:
            raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, press)
    with config_context():  # scikit-learn's own, which an interrupt may leave changed
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            out = call(*arguments)
        except KeyboardInterrupt:
            return False, None
        else:
            return True, out
        finally:
            is_over = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)


def check_all_or_nothing(call, learner, *arguments):
    """Check that a call that is interrupted does nothing, and can be made again."""
    before, done = state(learner), pickle.loads(pickle.dumps(learner))
    expected = call(done, *arguments)
    for has_ended, result, copy, *_ in interrupted(call, learner, *arguments):
        if not has_ended:
            assert state(copy) == before
            result = call(copy, *arguments)
        if result is not copy:
            np.testing.assert_array_equal(result, expected)
            is_out = np.isin(copy.pending(X), learner.pending(X), invert=True)
            assert sorted(copy.pending(X)[is_out]) == sorted(result)
        assert state(copy) == state(done)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_verb_is_all_or_nothing(family, verb):
    if verb == "correct" and family in STREAM_FAMILIES:
        pytest.skip("no stream learner can unlearn")
    check_all_or_nothing(VERBS[verb], *begun(FAMILIES[family]))


@pytest.mark.parametrize("verb", ["query", "teach"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_call_is_all_or_nothing(family, verb):
    check_all_or_nothing(VERBS[verb], fresh(FAMILIES[family]), np.arange(6))


def learn(learner, oracle):
    learner.learn(X[: len(oracle.y)], oracle, CLASSES)


def uninterrupted(learner, y=y):
    """Return a learner after `learn`, and the rows that it buys."""
    oracle, learner = RecordingOracle(y), pickle.loads(pickle.dumps(learner))
    learn(learner, oracle)
    return learner, oracle.asked


def n_labels(learner):
    """Return the labels billed and taught."""
    if hasattr(learner, "_ledger"):
        return np.array([learner.n_queries_, learner.n_taught_])
    return np.zeros(2)


def check_no_label_lost(copy, oracle, learner, done, purchases):
    """Check a learner after `learn` was interrupted, and that the rest can be bought.

    Before it was as `learner`; without an interrupt it would be `done`.
    """
    # an answer sheet notes what it was asked just before it returns
    assert (n_labels(copy) - n_labels(learner) == len(oracle.asked)).all()
    if hasattr(copy, "patience"):
        n = getattr(copy, "n_seen_", 0) - getattr(learner, "n_seen_", 0)
        rest = RecordingOracle(oracle.y[n:])
        copy.learn(X[n : len(oracle.y)], rest, CLASSES)
        oracle.asked += [n + row for row in rest.asked]
    else:
        learn(copy, oracle)
    assert oracle.asked == purchases
    assert state(copy) == state(done)


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_learn_loses_no_label(family, is_new):
    learner = fresh(FAMILIES[family]) if is_new else begun(FAMILIES[family])[0]
    expected = uninterrupted(learner)
    for _, _, copy, oracle in interrupted(learn, learner, RecordingOracle(y)):
        check_no_label_lost(copy, oracle, learner, *expected)


@cache
def places_in(code):
    """Return where a function's instructions follow a call, or begin."""
    names = {step.offset: step.opname for step in dis.get_instructions(code)}
    return {
        after: names[before].startswith("CALL")
        for before, after in pairwise(names)
        if names[before].startswith(("CALL", "RESUME"))
    }


def at_each_moment(call, *arguments):
    """Call a function with copies of the arguments; interrupt it at its k-th moment.

    Moments are those at which CPython looks for signals while a verb begins or ends: a
    function is called, or one in C has returned. Few random ones fall in between.

    Yields
    ------
    copies : objects
        The arguments that it had, for k = 1, 2, ...
    """

    def look(frame, event, arg):
        nonlocal left
        if event == "call":
            callers.add(frame.f_back)
        if not frame.f_code.co_filename.endswith(PLACES):
            return None
        frame.f_trace_opcodes = True
        if event != "opcode":
            return look
        is_after_call = places_in(frame.f_code).get(frame.f_lasti)
        # CPython does not look when a function written in Python returns
        if is_after_call is not None and not (is_after_call and frame in callers):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        callers.discard(frame)
        return look

    def note_c_return(frame, event, arg):
        if event == "c_return":
            callers.discard(frame)

    file, k, has_ended = pickle.dumps(arguments), 0, False
    while not has_ended:
        k += 1
        copies, left, callers = pickle.loads(file), k, set()
        before = sys.getprofile(), sys.gettrace()
        sys.setprofile(note_c_return)
        sys.settrace(look)
        try:
            call(*copies)
        except KeyboardInterrupt:
            yield copies
        else:
            has_ended = True
        finally:
            sys.settrace(before[1])
            sys.setprofile(before[0])
    assert k > 5


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("family", ["first order", "uncertainty"])
def test_a_verb_is_all_or_nothing_at_each_moment(family, verb):
    learner, out = begun(FAMILIES[family])
    if hasattr(learner, verb):
        for copy, _ in at_each_moment(VERBS[verb], learner, out):
            assert state(copy) == state(learner)


@pytest.mark.parametrize("family", ["first order", "uncertainty"])
def test_learn_loses_no_label_at_each_moment(family):
    learner, out = begun(FAMILIES[family])
    learner.set_params(budget=len(out) + 2)
    few = y[:10]
    expected = uninterrupted(learner, few)
    for copy, oracle in at_each_moment(learn, learner, RecordingOracle(few)):
        check_no_label_lost(copy, oracle, learner, *expected)


def test_of_calls_with_one_row_each_is_all_or_nothing_at_each_moment():
    def partial_fit(learner, ended):
        for k in range(len(ended), 3):
            learner.partial_fit(X[[10 + k]], y[[10 + k]])
            ended.append(k)

    learner, _ = begun(FAMILIES["first order"])
    states, done = [], pickle.loads(pickle.dumps(learner))
    for k in range(3):
        states.append(state(done))
        done.partial_fit(X[[10 + k]], y[[10 + k]])
    n_ended = set()
    for copy, ended in at_each_moment(partial_fit, learner, []):
        n_ended.add(len(ended))
        assert state(copy) == states[len(ended)]
        partial_fit(copy, ended)
        assert state(copy) == state(done)
    assert n_ended == {0, 1, 2}


def test_an_interrupt_while_learn_ends_leaves_nothing_under_way(monkeypatch):
    def end_exclusive(learner):
        calls.append(learner)
        if len(calls) == 1:
            raise KeyboardInterrupt
        really(learner)

    calls, really = [], _transaction.end_exclusive
    monkeypatch.setattr(_transaction, "end_exclusive", end_exclusive)
    learner, _ = begun(FAMILIES["first order"])
    with pytest.raises(KeyboardInterrupt):
        learner.learn(X, RecordingOracle(y))
    assert "_under_way" not in vars(learner)


def test_a_step_that_an_interrupt_ends_is_taken_again():
    def step():
        taken.append(1)
        if len(taken) < 3:
            raise error

    for error in (KeyboardInterrupt(), TimeoutError()):
        taken = []
        with pytest.raises(type(error)):
            ensure_done(step)
        assert len(taken) == 2
    assert ensure_done(lambda: 7) == 7


def test_an_answer_is_kept_once_it_has_come():
    def keep(labels):
        kept.append(labels)
        if len(kept) == 1:
            raise KeyboardInterrupt

    kept = []
    with pytest.raises(KeyboardInterrupt):
        ask_oracle(lambda rows: rows + 1, np.arange(2), keep)
    assert [labels.tolist() for labels in kept] == [[1, 2], [1, 2]]
    with pytest.raises(ZeroDivisionError):
        ask_oracle(lambda rows: 1 // 0, np.arange(2), keep)
    assert len(kept) == 2
