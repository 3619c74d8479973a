"""One learner and two threads: no label is lost, none counts twice, nothing waits."""

import pickle
import sys
import threading

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_activelearn import CBGZClassifier
from sklearn_activelearn.base import _coded_classifiers
from sklearn_activelearn.base._coded_classifiers import fit_on_labels
from sklearn_activelearn.utils._threads import limit_threads
from tests.learners import explores, ways
from tests.tools import fresh, problem, responses, state

STREAM_FAMILIES = ways("first order, margin loss, second order, stored rows, kernel")
POOL_FAMILIES = ways(
    "passive, uncertainty, FASSL", n_initial=4, batch_size=2, budget=20
)
FAMILIES = STREAM_FAMILIES | POOL_FAMILIES

X, y = problem(200, 3, noise=1.0)
CLASSES = ["no", "yes"]
LONG = 20  # seconds, for what does not wait

each_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture
def _many_turns():
    """Have Python switch between threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


class Thread(threading.Thread):
    """A thread that has begun, and that is asked what its function returned."""

    def __init__(self, function, *arguments):
        super().__init__(daemon=True)
        self.function, self.arguments, self.error = function, arguments, None
        self.start()

    def run(self):
        try:
            self.out = self.function(*self.arguments)
        except BaseException as error:
            self.error = error

    def result(self):
        self.join(LONG)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.out


def together(function, *arguments):
    """Call a function with each argument in a thread of its own, all at once."""
    barrier = threading.Barrier(len(arguments))

    def call(argument):
        barrier.wait(LONG)
        return function(argument)

    return [thread.result() for thread in [Thread(call, each) for each in arguments]]


def insist(call):
    """Make a call again until the call is not refused."""
    for _ in range(1000):
        try:
            return call()
        except RuntimeError as error:
            if "changed during" not in str(error):
                raise
    return pytest.fail("it never gets its turn")


@pytest.mark.parametrize("family", ["uncertainty"])
def test_what_is_predicted_belongs_to_one_state(family):
    others = np.where(X[:, 1] > 1, "other", y)
    before = fresh(FAMILIES[family]).teach(X[:30], y[:30])
    after = pickle.loads(pickle.dumps(before)).fit(X, others)
    expected = [learner.predict_proba(X) for learner in (before, after)]
    n_lines, is_done = 0, False
    while not is_done:
        learner = pickle.loads(pickle.dumps(before))
        left, is_done = n_lines, True

        def change(frame, event, argument, learner=learner):
            nonlocal left, is_done
            if frame.f_code.co_filename.endswith("pool/_base.py") and event == "line":
                left -= 1
                if left < 0 and is_done:
                    is_done = False
                    sys.settrace(None)
                    learner.fit(X, others)
            return change

        sys.settrace(change)
        try:
            found = learner.predict_proba(X)
        finally:
            sys.settrace(None)
        assert any(np.array_equal(found, each) for each in expected)
        n_lines += 1
    assert n_lines > 10


@pytest.mark.usefixtures("_many_turns")
@each_family
def test_two_threads_teach(family):
    learner = fresh(FAMILIES[family]).teach(X[:0], y[:0], CLASSES)
    asked = learner.query(X)

    def teach(rows):
        for row in rows:
            insist(lambda row=row: learner.teach(X[[row]], y[[row]]))

    together(teach, np.arange(100), np.arange(100, 200))
    assert learner.n_taught_ == 200
    assert learner.n_queries_ == len(asked) > 0
    assert learner.n_pending_ == 0
    if family in POOL_FAMILIES:
        kept, codes = learner._ledger.labelled.rows, learner._ledger.labelled.codes
    elif family == "stored rows":
        kept, codes = (
            learner._learned.details.stored.rows,
            learner._learned.details.codes,
        )
    else:
        return
    order, expected = np.argsort(kept[:, 0]), np.argsort(X[:, 0])
    np.testing.assert_array_equal(kept[order], X[expected])
    np.testing.assert_array_equal(codes[order], y[expected] == "yes")


@pytest.mark.usefixtures("_many_turns")
@each_family
def test_two_threads_query(family):
    learner = fresh(FAMILIES[family]).teach(X[:10], y[:10], CLASSES)

    def query(_):
        answers = [insist(lambda: learner.query(X[:60], limit=3)) for _ in range(7)]
        return np.concatenate(answers)

    rows = np.concatenate(together(query, 0, 1))
    assert learner.n_queries_ == learner.n_pending_ == len(rows) >= 14
    if family in POOL_FAMILIES:
        assert len(set(rows.tolist()) - set(range(10))) == len(rows) == 20


@pytest.mark.usefixtures("_many_turns")
def test_two_threads_learn_rows_one_by_one():
    """Rows so wide that the other thread begins a call while one is learned."""
    rows = np.tile(X, (1, 40_000))
    learner = CBGZClassifier(b=5.0, random_state=0)
    learner.partial_fit(rows[:2], y[:2], classes=CLASSES)

    def learn(numbers):
        for k in numbers:
            insist(lambda k=k: learner.partial_fit(rows[[k]], y[[k]]))

    together(learn, range(2, 22), range(22, 42))
    assert learner.n_seen_ == 42
    assert learner.n_queries_ == learner.n_taught_ == learner._learned.counts.n_queries


class SlowOracle:
    """An oracle that waits before its first answer until somebody says so."""

    def __init__(self):
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def __call__(self, rows):
        self.asked.set()
        assert self.may_answer.wait(LONG), "somebody waits for learn"
        return y[rows]


VERBS = {
    "query": lambda learner: learner.query(X),
    "teach": lambda learner: learner.teach(X[:1], y[:1]),
    "skip": lambda learner: learner.skip(X[:0]),
    "correct": lambda learner: learner.correct(X[:1], y[:1]),
    "set_params": lambda learner: learner.set_params(budget=100),
    "learn": lambda learner: learner.learn(X, SlowOracle(), CLASSES),
    "partial_fit": lambda learner: learner.partial_fit(X[:16], y[:16]),
    "fit": lambda learner: learner.fit(X, y),
}


@each_family
def test_while_learn_is_under_way_nothing_else_changes_the_learner(family):
    learner = fresh(FAMILIES[family]).teach(X[:10], y[:10], CLASSES)
    undisturbed = pickle.loads(pickle.dumps(learner))
    verbs = [call for verb, call in VERBS.items() if hasattr(learner, verb)]
    oracle = SlowOracle()
    thread = Thread(learner.learn, X, oracle)
    assert oracle.asked.wait(LONG)
    before, params = state(pickle.loads(pickle.dumps(learner))), learner.get_params()
    for call in verbs:
        with pytest.raises(RuntimeError, match="is running"):
            call(learner)
    responses(learner, X)
    learner.pending(X)
    assert state(pickle.loads(pickle.dumps(learner))) == before
    assert learner.get_params() == params
    oracle.may_answer.set()
    thread.result()
    undisturbed.learn(X, lambda rows: y[rows])
    assert state(learner) == state(undisturbed)
    for call in verbs:
        if call is not VERBS["learn"]:
            call(learner)


class Pausing(Thread):
    """A thread that pauses where CPython may switch to another one, the k-th time.

    That is when a function begins, or when one in C returns. `is_paused` tells if
    there are so many such moments where verbs begin and end.
    """

    PLACES = ("_base.py", "_verbs.py", "_transaction.py", "weakref.py")

    def __init__(self, k, function, *arguments):
        self.k, self.resume, self.is_paused = k, threading.Event(), threading.Event()
        super().__init__(function, *arguments)

    def run(self):
        sys.setprofile(self.look)
        super().run()

    def look(self, frame, event, arg):
        if event in ("call", "c_return"):
            self.k -= frame.f_code.co_filename.endswith(self.PLACES)
            if self.k == 0 and not self.is_paused.is_set():
                self.is_paused.set()
                assert self.resume.wait(LONG), "another call waits"


def wait_for(event, thread):
    """Wait until a thread sets an event, or ends; return whether it did."""
    while not event.wait(0.001):
        if not thread.is_alive():
            break
    return event.is_set()


def is_done(thread):
    """Wait until a thread ends; return whether it was not refused."""
    try:
        thread.result()
    except RuntimeError as error:
        if "changed during" in str(error) or "is running" in str(error):
            return False
        raise
    return True


def learn(learner):
    learner.learn(X[:16], lambda rows: y[rows])


IN_TURN = ["query", "teach", "set_params", "partial_fit", "learn"]


@pytest.mark.every_learner
@pytest.mark.parametrize("verb", IN_TURN)
@pytest.mark.parametrize("comes_first", [True, False])
@pytest.mark.parametrize("family", ["first order", "uncertainty"])
def test_a_verb_and_learn_in_two_threads_are_one_after_the_other(
    family, comes_first, verb
):
    begun = fresh(FAMILIES[family], budget=3).teach(X[:10], y[:10], CLASSES)
    call = learn if verb == "learn" else VERBS[verb]

    def after(*calls):
        learner = pickle.loads(pickle.dumps(begun))
        for each in calls:
            each(learner)
        return state(learner)

    possible = {
        (True, True): [after(call, learn), after(learn, call)],
        (True, False): [after(call)],
        (False, True): [after(learn)],
    }
    # a third of the many moments of a verb; `explore` has time for all
    step = 1 if explores() or not comes_first else 3
    k, was_paused = IN_TURN.index(verb) % step + 1 - step, True
    while was_paused:
        k += step
        learner, oracle = pickle.loads(pickle.dumps(begun)), SlowOracle()
        if comes_first:
            other = Pausing(k, call, learner)
            was_paused = wait_for(other.is_paused, other)
        learning = Thread(learner.learn, X[:16], oracle)
        was_asked = wait_for(oracle.asked, learning)
        if comes_first:
            other.resume.set()
            is_other_done = is_done(other)
            oracle.may_answer.set()
            has_learned = is_done(learning)
        else:
            other = Pausing(k, call, learner)
            was_paused = wait_for(other.is_paused, other)
            oracle.may_answer.set()
            has_learned = is_done(learning)
            other.resume.set()
            is_other_done = is_done(other)
        assert has_learned or not was_asked
        assert state(learner) in possible[is_other_done, has_learned]
    assert k > 5


def count_blas_threads():
    """Return the largest number of threads that a BLAS library may use."""
    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    return max(each["num_threads"] for each in found)


class CountsThreads:
    """Mixin of a classifier that notes the number of threads while it is trained."""

    def fit(self, X, y):
        self.n_threads_ = count_blas_threads()
        return super().fit(X, y)


class CountingRegression(CountsThreads, LogisticRegression):
    pass


class CountingBayes(CountsThreads, GaussianNB):
    pass


class TestBlasThreads:
    """Small logistic regressions use one thread of BLAS, whatever else runs."""

    @pytest.fixture(autouse=True)
    def _two_threads(self):
        with threadpool_limits(2, user_api="blas"):
            if count_blas_threads() < 2:
                pytest.skip("BLAS has one thread here")
            yield

    def test_small_training(self):
        assert fit_on_labels(CountingRegression(), X, y).n_threads_ == 1
        assert count_blas_threads() == 2

    def test_two_trainings_that_overlap_give_the_threads_back(self):
        first, second = limit_threads(), limit_threads()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert count_blas_threads() == 1
        second.__exit__(None, None, None)
        assert count_blas_threads() == 2

    def test_other_trainings_keep_their_threads(self, monkeypatch):
        assert fit_on_labels(CountingBayes(), X, y).n_threads_ == 2
        monkeypatch.setattr(_coded_classifiers, "LARGE", X.size)
        assert fit_on_labels(CountingRegression(), X, y).n_threads_ == 2

    def test_failed_training(self):
        with pytest.raises(ValueError, match="C"):
            fit_on_labels(CountingRegression(C=-1.0), X, y)
        assert count_blas_threads() == 2
