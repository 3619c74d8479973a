"""A learner that was restored from its record is the one that was not interrupted."""

import json
import pickle
import warnings
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import (
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.base._transaction import shallow_copy
from sklearn_activelearn.pool import (
    AllOf,
    LabelPrice,
    NoError,
    NoNewClass,
    StablePredictions,
    StoppingRule,
)
from sklearn_activelearn.pool._ledger import Ledger
from sklearn_activelearn.pool.stopping._base import Remembered
from tests.learners import FAMILIES, POOL_LEARNERS, explores, name_of
from tests.learners import each as each_of
from tests.tools import NaiveBayes, fresh, frozen, problem, state, streams

STOPPING = [
    UncertaintySamplingClassifier(NaiveBayes(), n_initial=3, stopping=rules)
    for rules in (
        StablePredictions(patience=10),
        NoNewClass(2),
        [NoError(30), LabelPrice(cost=900, label=0.1, n_labels=4)],
        AllOf([NoNewClass(9), StablePredictions(patience=9)]),
    )
]
SOME = POOL_LEARNERS if explores() else FAMILIES
LEARNERS = [learner for learner in [*SOME, *STOPPING] if hasattr(learner, "restore")]
OTHERS = [learner for learner in POOL_LEARNERS if not hasattr(learner, "restore")]

each_learner = each_of(LEARNERS)
steps = st.lists(
    st.sampled_from(["ask", "ask", "teach", "teach", "unasked", "skip", "correct"]),
    min_size=4,
    max_size=16,
)


def go(learner, X, y, steps, labels, seed, names=None):
    """Take steps; the labels that were taught are put at the end of a list."""
    rng = np.random.default_rng(seed)

    def named(rows):
        return {} if names is None else {"ids": names[rows]}

    def teach(rows):
        answers = rng.permutation(y[rows]) if rng.uniform() < 0.2 else y[rows]
        learner.teach(X[rows], answers, **named(rows))
        labels.extend(answers.tolist())

    for step in steps:
        pending = learner.pending(X, ids=names)
        if step == "ask":
            learner.query(X, ids=names)
        elif step == "teach" and len(pending):
            teach(rng.permutation(pending)[: 1 + rng.integers(len(pending))])
        elif step == "unasked":
            rows = rng.integers(len(X), size=2)
            if names is not None:  # an id has one label
                taught = names_of_labelled(learner)
                rows = np.array([row for row in {*rows} if names[row] not in taught])
            if len(rows):
                teach(rows)
        elif step == "skip" and len(pending):
            refund = bool(rng.integers(2))
            learner.skip(X[pending[:1]], refund=refund, **named(pending[:1]))
        elif step == "correct" and labels:
            # of equal rows any may be meant: what it has is asked of the learner
            first = {} if names is None else {"ids": names_of_labelled(learner)[:1]}
            learner.correct(
                learner._ledger.labelled.rows[:1], rng.choice(y, 1), **first
            )
            labels[:] = learner.classes_[learner._ledger.labelled.codes].tolist()
    return learner


def names_of_labelled(learner):
    ledger = getattr(learner, "_ledger", Ledger())
    return [ledger.ids[entry] for entry in ledger.taught]


def known(learner):
    """Return all that a learner knows, but for models at hand and where rows were."""
    learner, ledger = shallow_copy(learner), learner._ledger
    ledger = replace(
        ledger, found=ledger.rows, n_pool_rows=0, n_searched=0, searched_pool=None
    )
    remembered = learner._state.stopping_memory
    # points are made when they are needed
    made = {"points": None, "stopping_memory": Remembered()}
    learner._state = learner._state._replace(ledger=ledger, **made)
    # rules and models at hand are not in a record; memory and `has_stopped` are
    memory = frozen(remembered.memory), remembered.has_stopped
    return state(learner), json.dumps(memory)


@each_learner
@given(
    stream=streams(min_rows=12, max_rows=30),
    steps=steps,
    more=steps,
    kind=st.sampled_from([None, int, str]),
)
def test_a_restored_learner_is_the_one_that_was_not_interrupted(
    prototype, stream, steps, more, kind
):
    X, y = stream
    names = kind and np.random.default_rng(0).permutation(len(X)).astype(kind)
    labels, seed = [], len(steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        learner = go(fresh(prototype), X, y, steps, labels, seed, names)
        if not hasattr(learner, "_ledger"):
            return
        stored = json.loads(json.dumps([learner.record(), labels]))
        restored = fresh(prototype).restore(X, *stored, ids=names)
        assert known(restored) == known(learner)
        for each in (learner, restored):
            go(each, X, y, more, list(labels), seed + 1, names)
        assert known(restored) == known(learner)
        rows = [each.query(X, ids=names).tolist() for each in (learner, restored)]
    assert rows[0] == rows[1]


X, Y = problem(60, 4, noise=0.5)
NAMES = np.array([f"row {i}" for i in range(60)], dtype=object)


def labelled(learner, X=X, n=30):
    """Return a learner after some rounds, and the labels in their order."""
    labels = []
    while len(rows := learner.query(X, limit=n - len(labels))):
        learner.teach(X[rows], Y[rows])
        labels += Y[rows].tolist()
    return learner, labels


def test_a_simulation_has_a_record():
    learner = PassiveClassifier(NaiveBayes(), budget=0.4).fit(X, Y)
    rows = learner.queried_indices_
    restored = PassiveClassifier(NaiveBayes(), budget=0.4)
    restored.restore(X, learner.record(), Y[rows])
    assert known(restored) == known(learner)
    assert restored.queried_indices_.tolist() == rows.tolist()


def test_a_rule_gets_its_earlier_models_again():
    rule = LabelPrice(cost=1e4, label=0.1, n_labels=10)
    learner = MinMarginClassifier(
        LogisticRegression(), batch_size=4, stopping=rule, random_state=0
    )
    learner, labels = labelled(learner)
    restored = MinMarginClassifier(**learner.get_params(deep=False))
    restored.restore(X, learner.record(), labels)
    models = learner._state.stopping_memory.models
    assert len(models) > 2
    assert not restored._state.stopping_memory.models
    for each in (learner, restored):
        each.query(X, limit=0)
        again = each._state.stopping_memory.models
    assert set(again) < {*models, len(labels)}
    for n, model in again.items():
        assert model.coef_.tobytes() == models[n].coef_.tobytes()


def test_numbers_of_labels_that_have_no_model_are_refused():
    class Asks(StoppingRule):
        n_labels = 0

        def judge(self, progress, memory):
            progress.model_after(self.n_labels)
            return False, memory

    rule = Asks()
    learner = UncertaintySamplingClassifier(NaiveBayes(), n_initial=10, stopping=rule)
    learner.teach(X[:10], Y[:10])
    for rule.n_labels in (0, 11, 2.5):
        with pytest.raises((ValueError, TypeError), match="n_labels"):
            learner.query(X)


@pytest.mark.parametrize("learner", [*OTHERS, RandomSamplingClassifier()], ids=name_of)
def test_learners_that_are_a_history_have_no_record(learner):
    assert not hasattr(learner, "record")
    assert not hasattr(learner, "restore")


def test_a_model_that_could_not_be_trained_is_trained_again(monkeypatch):
    def fail(self, X, y):
        raise TypeError("it is broken")

    learner = UncertaintySamplingClassifier(GaussianNB(), n_initial=6, random_state=0)
    learner, labels = labelled(learner, n=10)
    with monkeypatch.context() as context:
        context.setattr(GaussianNB, "fit", fail)
        with pytest.warns(FitFailedWarning, match="it is broken"):
            learner.teach(X[-1:], Y[-1:])
    record = learner.record()
    labels.append(Y[-1])
    restored = UncertaintySamplingClassifier(GaussianNB(), n_initial=6, random_state=0)
    restored.restore(X, record, labels)
    np.testing.assert_array_equal(
        restored.estimator_.predict_proba(X), learner.predict_proba(X)
    )
    assert restored.query(X).tolist() == learner.query(X).tolist()


TEXTS = [f"{'fine' if y == 'yes' else 'poor'} {i % 7}" for i, y in enumerate(Y)]
POOLS = {
    "sparse": (csr_array(X), None),
    "frame": (pd.DataFrame(X, columns=list("abcd")), None),
    "float32": (X.astype(np.float32), None),
    "texts": (TEXTS, make_pipeline(CountVectorizer(), LogisticRegression())),
}


@pytest.mark.parametrize("kind", POOLS)
def test_rows_may_be_in_any_container(kind):
    pool, model = POOLS[kind]
    learner = UncertaintySamplingClassifier(model, batch_size=3, random_state=0)
    first, labels = deepcopy(learner), []
    for _ in range(5):
        rows = first.query(pool)
        some = pool.iloc[rows] if kind == "frame" else [TEXTS[i] for i in rows]
        some = some if kind in ("frame", "texts") else pool[rows]
        first.teach(some, Y[rows])
        labels += Y[rows].tolist()
    second = deepcopy(learner).restore(pool, first.record(), labels)
    assert first.predict_proba(pool).tobytes() == second.predict_proba(pool).tobytes()
    assert first.query(pool).tolist() == second.query(pool).tolist()
    assert first.record() == second.record()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("taught", [0, 0, *range(2, 9)]),
        ("taught", list(range(1, 10))),
        ("skipped", [0]),
        ("rows", [10**30] * 9),
        ("rows", [0]),
        ("probabilities", [7.0] * 9),
        ("purposes", [None] * 9),
        ("keys", [1, 2, 3]),
        ("keys", [-1] * 9),
        ("ids", ["a"]),
        ("calls", []),
        ("calls", [[9, []], [4, []]]),
        ("calls", [[9, []], [4, []], [9, []]]),
        ("n_queries", -5),
        ("n_rounds", None),
        ("n_offered", True),
        ("seed", "x"),
        ("queried", [-1]),
        ("queried", [0, -1, 3]),
        ("queried", [0, False, 3]),
        ("rows", [*range(8), "8"]),
        ("purposes", [*["query"] * 8, None]),
        ("stop_reason", 3),
        ("has_stopped", None),
        ("may_grow", 1),
        ("declared", None),
        ("stopping", {}),
        ("dtype", "no type"),
        ("dtype", "(2,"),
        ("dtype", "|V8"),
        ("dtype", "<i8"),
        ("dtype", "<U1"),
        ("calls", [[0, 0], [9, []]]),
        ("calls", [[0, "ab"], [9, []]]),
        ("classes", []),
        ("classes", ["no", "no", "yes"]),
        ("classes", [["no", "yes"]]),
        ("classes", ["no", ["yes"]]),
    ],
)
def test_impossible_records_are_refused_by_name(recorded, name, value):
    learner, labels = recorded
    other = fresh(learner)
    with pytest.raises(ValueError, match="not the record of a learner") as refusal:
        other.restore(X, {**learner.record(), name: value}, labels)
    assert name in str(refusal.value) or name in (
        "skipped",
        "dtype",
        "rows",
    )
    assert not hasattr(other, "n_queries_")


def test_classes_that_their_type_cannot_hold_are_refused(recorded):
    learner, labels = recorded
    record = learner.record() | {"dtype": "<i8", "classes": [10**30, 1]}
    with pytest.raises(ValueError, match="its 'classes' is wrong"):
        fresh(learner).restore(X, record, labels)


@dataclass
class Numbered(StoppingRule):
    """A rule that remembers what JSON would give back in another form."""

    memory: object = None

    def judge(self, progress, memory):
        return False, self.memory


def test_pending_rows_were_bought():
    new = UncertaintySamplingClassifier(n_initial=3, random_state=0)
    learner = deepcopy(new)
    learner.query(X)
    record = learner.record()
    with pytest.raises(ValueError, match="its 'n_queries' is wrong"):
        deepcopy(new).restore(X, record | {"n_queries": 2}, [])
    assert deepcopy(new).restore(X, record, []).n_pending_ == 3


@pytest.mark.parametrize(
    "memory", [{0: 1}, [{"a": {None: 1}}], {1.5}, np.nan, NaiveBayes()], ids=str
)
def test_memory_that_json_changes_is_refused(memory):
    learner = UncertaintySamplingClassifier(
        NaiveBayes(), n_initial=3, stopping=Numbered(memory), random_state=0
    )
    learner, _ = labelled(learner, n=6)
    with pytest.raises(TypeError, match="memory of the stopping rule Numbered"):
        learner.record()


def test_what_it_knew_is_forgotten(recorded):
    learner, labels = recorded
    other = fresh(learner).teach(X[:5], Y[:5], ids=NAMES[:5])
    other.restore(X, learner.record(), labels)
    assert known(other) == known(fresh(learner).restore(X, learner.record(), labels))


class TestRowsWithIds:
    @pytest.fixture
    def stored(self):
        learner = fresh(MinMarginClassifier(LogisticRegression(), n_initial=4))
        rows = learner.query(X, ids=NAMES, limit=6)
        learner.teach(X[rows], Y[rows], ids=NAMES[rows])
        learner.teach(X[50:52], Y[50:52], ids=NAMES[50:52])
        labels = [*Y[rows].tolist(), *Y[50:52].tolist()]
        return learner, json.loads(json.dumps(learner.record())), labels

    def test_the_pool_may_be_another_one(self, stored):
        learner, record, labels = stored
        order = np.random.default_rng(1).permutation(60)
        pool = np.hstack([X[order] * 2, X[order, :1]])
        restored = fresh(learner).restore(pool, record, labels, ids=NAMES[order])
        learner.query(pool, ids=NAMES[order], limit=0)
        assert restored.estimator_.coef_.tobytes() == learner.estimator_.coef_.tobytes()
        rows = [each.query(pool, ids=NAMES[order]) for each in (learner, restored)]
        assert rows[0].tolist() == rows[1].tolist()

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            (None, "ids are missing"),
            (list(range(60)), "ids must be texts, .* got whole numbers, for example 0"),
            ([f"other {i}" for i in range(60)], "6 of the rows .* are not in X: 'row"),
            (["row 1"] * 60, "must be unique"),
            (["row 1"], "got 1 ids for 60 rows"),
        ],
    )
    def test_other_ids_are_refused(self, stored, ids, message):
        learner, record, labels = stored
        other = fresh(learner)
        with pytest.raises(ValueError, match=message):
            other.restore(X, record, labels, ids=ids)
        assert not hasattr(other, "n_queries_")

    def test_a_record_without_ids_gets_none(self, recorded):
        learner, labels = recorded
        with pytest.raises(ValueError, match="ids are given"):
            fresh(learner).restore(X, learner.record(), labels, ids=NAMES)


@pytest.fixture(scope="module")
def recorded():
    learner = UncertaintySamplingClassifier(
        NaiveBayes(), n_initial=4, stopping=["no_error", "no_new_class"], random_state=0
    )
    return labelled(learner, n=9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": X[:3]}, "it is not the recorded pool"),
        ({"X": X[::-1]}, "is not the row that was asked for"),
        ({"y": Y[:3]}, r"y must have 9 labels, .* got shape \(3,\)"),
        ({"y": ["perhaps"] * 9}, "perhaps"),
        ({"record": {"rows": []}}, r"it has no probabilities, .*, stopping\."),
        ({"record": "rows"}, "it is no dict, but str"),
        ({"stopping": [None]}, "with 1 stopping rules, and this learner has 2"),
        ({"X": np.full_like(X, np.nan)}, "NaN"),
    ],
)
def test_what_does_not_match_changes_nothing(recorded, change, message):
    learner, labels = recorded
    record = {**learner.record(), "classes": ["no", "yes"]}
    if "stopping" in change:
        change = {"record": {**record, **change}}
    arguments = {"X": X, "record": record, "y": labels, **change}
    other = fresh(learner)
    other.teach(X[:5], Y[:5])
    before = pickle.dumps(state(other))
    with pytest.raises(ValueError, match=message):
        other.restore(**arguments)
    assert pickle.dumps(state(other)) == before


def test_rows_that_were_taught_unasked_must_be_there(recorded):
    learner = deepcopy(recorded[0]).teach(X[:1] + 100, Y[:1])
    labels = [*recorded[1], Y[0]]
    with pytest.raises(ValueError, match="1 of the rows that were taught are not in X"):
        fresh(learner).restore(X, learner.record(), labels)
    pool = np.vstack([X, X[:1] + 100])
    restored = fresh(learner).restore(pool, learner.record(), labels)
    assert known(restored) == known(learner)


def test_who_has_seen_nothing_has_no_record():
    with pytest.raises(NotFittedError, match="has seen no rows"):
        MinMarginClassifier().record()


def test_a_restored_estimator_has_the_recorded_seed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = SGDClassifier(loss="log_loss", max_iter=3, tol=None)
    learner = UncertaintySamplingClassifier(model, n_initial=6, budget=12).fit(X, y)
    record = learner.record()
    again = clone(learner).restore(X, record, y[record["rows"]])
    np.testing.assert_array_equal(again.estimator_.coef_, learner.estimator_.coef_)
