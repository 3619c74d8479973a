"""Rows that have names: recognised by them alone, whatever values they have."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import SGDClassifier

from sklearn_activelearn import (
    CBGZClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool._state import LearnerState
from sklearn_activelearn.sources._containers import hash_cells
from sklearn_activelearn.sources._identity import ById
from tests.learners import each_family, each_pool_family, name_of
from tests.tools import (
    NaiveBayes,
    fresh,
    frozen,
    go_through_verbs,
    problem,
    responses,
    state,
)

X = problem(40, 3)[0] * np.where(np.arange(40) % 3, 1, -1)[:, None]
y = np.where(X[:, 0] > 0, "yes", "no")
IDS = [f"row {i}" for i in range(40)]


def make_learner(**params):
    params = {"n_initial": 4, "batch_size": 2, "random_state": 0, **params}
    return UncertaintySamplingClassifier(NaiveBayes(), **params)


def without_names(learner):
    """Return what a learner knows, but for what rows are recognised by."""
    known = state(learner)
    of_pool_learner = zip(LearnerState._fields, known.get("_state", ()), strict=False)
    for values in (known, dict(of_pool_learner)):
        for name in {"_ledger", "ledger", "pool"} & {*values}:
            for part in ("keys", "ids", "searched_pool", "_derived", "_parts"):
                values[name][1].pop(part, None)
    return known


@each_family
def test_numbers_as_ids_change_nothing(prototype):
    rng = np.random.RandomState(1)
    rows = rng.poisson(2.0, size=(40, 4)) + rng.standard_normal((40, 4)) / 100
    labels = np.where(rows[:, 0] + rng.standard_normal(40) > 2, "yes", "no")
    results = []
    for ids in (None, np.arange(40)):
        results.append(go_through_verbs(fresh(prototype), rows, labels, ids))
    (log, learner), (log_with_ids, with_ids) = results
    assert frozen(log) == frozen(log_with_ids)
    assert without_names(learner) == without_names(with_ids)


def taught_afterwards(learner, X, y, rows, ids):
    """Return a learner of the same kind that was taught these values in these calls."""
    other = fresh(learner)
    other.query(X, ids=ids)
    for some in rows:
        other.teach(X[some], y[some], ids=[ids[i] for i in some])
    return other


@each_pool_family
@pytest.mark.parametrize("limit", [0, None])
def test_changed_values_make_the_model_that_they_would_have_made(prototype, limit):
    learner = fresh(prototype, budget=12)
    calls = []
    for _ in range(3):
        rows = learner.query(X, ids=IDS)
        calls.append(rows)
        learner.teach(X[rows], y[rows], ids=[IDS[i] for i in rows])
        if len(learner.classes_) > 1 and learner._ledger.labelled.has_two_classes:
            break
    recomputed = X * 3 - X[:, ::-1]
    more = learner.query(recomputed, ids=IDS, limit=limit)
    taught = np.concatenate(calls)
    assert not set(more) & set(taught)
    other = taught_afterwards(learner, recomputed, y, calls, IDS)
    assert frozen(responses(learner, recomputed)) == frozen(
        responses(other, recomputed)
    )
    np.testing.assert_array_equal(learner._ledger.labelled.rows, recomputed[taught])


@pytest.mark.parametrize("container", [np.asarray, csr_array, pd.DataFrame])
@pytest.mark.parametrize("precisions", [("f4", "f8"), ("f8", "f4")])
def test_another_precision_of_the_labels_is_no_new_value(container, precisions):
    pool, taught = (container((X + 1 / 3).astype(kind)) for kind in precisions)
    take = getattr(taught, "iloc", taught).__getitem__
    learner = make_learner(stopping="stable_predictions", n_initial=10, budget=None)
    while len(rows := learner.query(pool, ids=IDS)):
        model = getattr(learner, "estimator_", None)
        learner.teach(take(rows), y[rows], ids=[IDS[i] for i in rows])
        trained = learner.estimator_
        assert trained is not model
        learner.query(pool, ids=IDS, limit=0)
        assert learner.estimator_ is trained
    assert learner.stop_reason_ == "stable_predictions"
    learner.query(pool * 2, ids=IDS, limit=0)
    assert learner.estimator_ is not trained


def test_another_number_of_columns():
    learner = make_learner()
    rows = learner.query(X, ids=IDS)
    learner.teach(X[rows], y[rows], ids=[IDS[i] for i in rows])
    wide = pd.DataFrame(np.hstack([X, -X]), columns=[*"abcdef"])
    left = np.setdiff1d(np.arange(40), rows[1:2])
    before = state(learner)
    with pytest.raises(ValueError, match=f"id {IDS[rows[1]]!r} is not"):
        learner.query(wide.iloc[left], ids=[IDS[i] for i in left])
    assert state(learner) == before
    assert learner.pending(wide, ids=IDS).tolist() == []
    more = learner.query(wide, ids=IDS)
    assert learner.n_features_in_ == 6
    assert learner.feature_names_in_.tolist() == [*"abcdef"]
    assert not set(more) & set(rows)
    assert learner.pending(X, ids=IDS).tolist() == more.tolist()
    learner.skip(wide.iloc[more[:1]], ids=[IDS[more[0]]])
    learner.teach(wide.iloc[more[1:]], y[more[1:]], ids=[IDS[more[1]]])
    with pytest.raises(ValueError, match="feature names"):
        learner.teach(wide.iloc[:1, :3], y[:1], ids=["new"])


def test_another_container():
    learner = make_learner()
    learner.teach(X[:5], y[:5], ids=IDS[:5])
    sparse = csr_array(np.where(X > 0, X, 0))
    learner.query(csr_array(X), ids=IDS)
    assert learner._ledger.labelled.rows.tobytes() == X[:5].tobytes()
    with pytest.warns(UserWarning, match="3 labelled rows .* and 1 are not in X"):
        pickle.loads(pickle.dumps(learner)).query(sparse[1:], ids=IDS[1:])
    learner.query(sparse, ids=IDS)
    np.testing.assert_array_equal(learner._ledger.labelled.rows, sparse[:5].toarray())


def test_columns_in_another_order_are_others():
    frame = pd.DataFrame(X, columns=[*"abc"])
    learner = make_learner()
    rows = learner.query(frame, ids=IDS)
    learner.teach(frame.iloc[rows], y[rows], ids=[IDS[i] for i in rows])
    before = state(learner)
    left = np.setdiff1d(np.arange(40), rows[:1])
    other, names = frame[[*"bca"]].iloc[left], [IDS[i] for i in left]
    for each in (learner, pickle.loads(pickle.dumps(learner))):
        with pytest.raises(ValueError, match=f"other columns.* {IDS[rows[0]]!r} is"):
            each.query(other, ids=names)
        assert state(each) == before
    learner.query(frame[[*"bca"]], ids=IDS, limit=0)
    assert learner.feature_names_in_.tolist() == [*"bca"]
    np.testing.assert_array_equal(learner._ledger.labelled.rows, X[rows][:, [1, 2, 0]])


def test_messages_name_the_id():
    learner = make_learner()
    learner.teach(X[:5], y[:5], ids=IDS[:5])
    with pytest.raises(ValueError, match="Row 1 of X, 'row 9', was never taught"):
        learner.correct(X[[0, 9]], y[[0, 9]], ids=["row 0", "row 9"])
    with pytest.raises(ValueError, match="Row 0 of X, 'row 9', is not pending"):
        learner.skip(X[[9]], ids=["row 9"])
    stream = CBGZClassifier(random_state=0)
    stream.teach(X[:5], y[:5], ids=IDS[:5], classes=["no", "yes"])
    with pytest.raises(ValueError, match="Row 0 of X, 'row 9', is not pending"):
        stream.skip(X[[9]], ids=["row 9"])


def test_rows_that_left_the_pool_keep_their_values():
    learner = make_learner().teach(X[:6], y[:6], ids=IDS[:6])
    with pytest.warns(UserWarning, match="4 labelled rows have other .* 2 are not in"):
        learner.query(X[2:] * -1, ids=IDS[2:], limit=0)
    rows = np.vstack([X[:2], -X[2:6]])
    np.testing.assert_array_equal(learner._ledger.labelled.rows, rows)
    learner.query(X[2:] * -1, ids=IDS[2:])  # nothing has changed, nothing is said
    learner.query(X[10:], ids=IDS[10:])


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_row_that_was_not_in_one_pool_is_found_in_another_of_that_length(has_ids):
    learner = make_learner()
    names = np.array([f"row {i}" for i in range(40)], dtype=object)

    def named(names):
        return {"ids": names} if has_ids else {}

    elsewhere, new = X[[3]] + 100, np.array(["new"], dtype=object)
    learner.teach(elsewhere, y[[3]], **named(new))
    learner.query(X, limit=1, **named(names))
    others = np.vstack([X[:5], elsewhere, X[6:]])
    names[5] = "new"
    assert learner.query(others, candidates=[5], **named(names)).size == 0


def test_a_history_is_trained_again_as_it_was():
    estimator = SGDClassifier(loss="log_loss", warm_start=True, random_state=0)
    make = UncertaintySamplingClassifier(estimator, n_initial=4, random_state=0)
    learner = fresh(make)
    for part in (slice(0, 4), slice(4, 6), slice(6, 9)):
        learner.teach(X[part], y[part], ids=IDS[part])
    learner.query(X * 2, ids=IDS, limit=0)
    expected = fresh(make)
    for part in (slice(0, 4), slice(4, 6), slice(6, 9)):
        expected.teach(X[part] * 2, y[part], ids=IDS[part])
    np.testing.assert_array_equal(learner.estimator_.coef_, expected.estimator_.coef_)


def test_stopping_rules_forget():
    learner = make_learner(stopping="stable_predictions", budget=30)
    learner.learn(X, lambda rows: y[rows], ids=IDS)
    assert learner._state.stopping_memory
    learner.query(X + 5, ids=IDS, limit=0)
    assert not learner._state.stopping_memory.has_stopped


def test_a_stream_may_be_simulated_between_requests():
    learner = CBGZClassifier(random_state=0)
    learner.query(X[:1], ids=[0])
    learner.partial_fit(X, y, classes=["no", "yes"])
    assert learner.pending(X[:1], ids=[0]).tolist() == [0]


KINDS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda ids: np.array(ids, dtype=object),
    "index": pd.Index,
    "series": pd.Series,
    "category": lambda ids: pd.Series(ids).astype("category"),
    "arrow": lambda ids: pytest.importorskip("pyarrow").array(ids),
    "chunked": lambda ids: pytest.importorskip("pyarrow").chunked_array(
        [ids[:3], ids[3:]]
    ),
    "dask": lambda ids: pytest.importorskip("dask.array").from_array(
        np.array(ids), chunks=7
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    "values", [IDS, list(range(100, 140))], ids=["texts", "numbers"]
)
def test_kinds_of_ids(kind, values):
    learner = make_learner(budget=12)
    ids = kind(values)
    rows = learner.query(X, ids=ids)
    learner.teach(X[rows], y[rows], ids=[values[i] for i in rows])
    again = learner.query(X[::-1], ids=values[::-1])
    assert not set(39 - again) & set(rows)
    assert not set(learner.query(X, ids=ids)) & set(rows)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, object])
def test_equal_numbers_are_one_id_whatever_their_width(dtype):
    learner = make_learner(budget=40, n_initial=3)
    learner.query(X, ids=np.arange(40))
    answered = learner.teach(X[:40], y, ids=np.arange(40).astype(dtype))
    assert answered.n_pending_ == 0


def test_large_numbers():
    large = [2**63 - 1, 2**63, 2**64 - 1, 2**70, -1, -(2**63), -(2**65)]
    found = ById.of(large, 7)
    assert len(set(found.hashes.tolist())) == 7
    assert ById.of(np.array(large[:3], np.uint64), 3).hashes.tolist() == (
        found.hashes[:3].tolist()
    )
    assert ById.of([-1, 5], 2).hashes[0] == found.hashes[4]


WRONG = {
    "twice": (["a", "b", "a"], ValueError, "'a' at positions 0 and 2"),
    "twice, numbers": ([4, 3, 7, 7, 3], ValueError, "7 at positions 2 and 3"),
    "too few": (["a"], ValueError, "1 ids for"),
    "mixed": ([1, "b", 3], ValueError, "1 at position 0 and 'b' at position 1"),
    "flags": ([True, False], TypeError, "True at position 0"),
    "array of flags": (np.array([True, False]), TypeError, "True at position 0"),
    "floats": ([1, 2.0], TypeError, "2.0 at position 1"),
    "array of floats": (np.array([1.0, 2.0]), TypeError, "1.0 at position 0"),
    "gap": (["a", np.nan], TypeError, "nan at position 1"),
    "none": (["a", None], TypeError, "None at position 1"),
    "dates": (pd.date_range("2020", periods=2), TypeError, "at position 0"),
    "spans": (np.array([1, 2], "m8[ns]"), TypeError, "at position 0"),
    "one text": ("ab", TypeError, "'ab'"),
    "a number": (3, TypeError, "got 3"),
    "2-D": (np.eye(2, dtype=int), ValueError, "1-D"),
    "masked": (np.ma.array([1, 2], mask=[False, True]), TypeError, "a masked id"),
}


def calls_with_ids(learner, n):
    """Yield the verbs of a learner with n rows and ids to come."""
    yield lambda ids: learner.query(X[:n], ids=ids)
    yield lambda ids: learner.teach(X[:n], y[:n], classes=["no", "yes"], ids=ids)
    yield lambda ids: learner.pending(X[:n], ids=ids)
    yield lambda ids: learner.skip(X[:n], ids=ids)
    yield lambda ids: learner.learn(X[:n], lambda rows: y[rows], ["no", "yes"], ids=ids)
    if hasattr(learner, "correct"):
        yield lambda ids: learner.correct(X[:n], y[:n], ids=ids)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("prototype", [make_learner(), CBGZClassifier()], ids=name_of)
def test_wrong_ids_are_named_and_change_nothing(prototype, wrong):
    ids, error, message = wrong
    learner = fresh(prototype)
    learner.teach(X[:5], y[:5], classes=["no", "yes"], ids=["c", "d", "e", "f", "g"])
    before, kind = state(learner), learner._known_by
    n = len(ids) if hasattr(ids, "__len__") else 2
    n += message == "1 ids for"
    for call in calls_with_ids(learner, n):
        with pytest.raises(error, match=message):
            call(ids)
        assert state(learner) == before
        assert learner._known_by == kind


@pytest.mark.parametrize("prototype", [make_learner(), CBGZClassifier()], ids=name_of)
def test_ids_come_always_or_never(prototype):
    named, unnamed = fresh(prototype), fresh(prototype)
    named.teach(X[:5], y[:5], classes=["no", "yes"], ids=range(5))
    unnamed.teach(X[:5], y[:5], classes=["no", "yes"])
    for learner, ids, message in [
        (named, None, "ids are missing"),
        (unnamed, range(20, 25), "by their values"),
        (named, [*"vwxyz"], "ids must be whole numbers, .* got texts, for example 'v'"),
    ]:
        before = state(learner)
        for call in calls_with_ids(learner, 5):
            with pytest.raises(ValueError, match=message):
                call(ids)
            assert state(learner) == before
    assert named.skip() is named
    with pytest.raises(ValueError, match="pass X, too"):
        named.skip(ids=[1])


def test_pool_learners_simulate_without_ids():
    learner = make_learner().teach(X[:5], y[:5], ids=range(5))
    with pytest.raises(ValueError, match="ids are missing"):
        learner.partial_fit(X, y)
    learner.fit(X, y)
    with pytest.raises(ValueError, match="by their values"):
        learner.query(X, ids=IDS)


def test_what_stores_nothing_decides_nothing():
    learner = make_learner(budget=0)
    assert len(learner.query(X)) == 0
    learner.teach(X[:0], [], ids=[])
    learner.set_params(budget=5)
    assert len(learner.query(X, ids=IDS))


def test_an_id_with_a_label_is_not_taught_again():
    learner = make_learner().teach(X[:5], y[:5], ids=IDS[:5])
    before = state(learner)
    with pytest.raises(ValueError, match="'row 3' already has a label"):
        learner.teach(X[3:8], y[3:8], ids=IDS[3:8])
    assert state(learner) == before
    with pytest.raises(ValueError, match="never taught"):
        learner.correct(X[4:6], y[4:6], ids=IDS[4:6])
    assert state(learner) == before


def test_dask_ids_are_computed_once():
    da = pytest.importorskip("dask.array")
    computed = []

    def count(block):
        computed.append(1)
        return block

    ids = da.from_array(np.arange(40), chunks=40).map_blocks(
        count, meta=np.empty(0, int)
    )
    learner = make_learner()
    for _ in range(3):
        learner.query(X, ids=ids)
    assert len(computed) == 1


def test_choices_still_put_equal_values_last():
    rows = np.vstack([np.zeros((20, 2)), np.eye(2)])
    learner = make_learner(n_initial=3)
    chosen = learner.query(rows, ids=range(22))
    assert {20, 21} <= set(chosen)


def test_what_the_oracle_sets_stays_set():
    learner = make_learner(budget=30)

    def oracle(rows):
        learner.budget = 6
        return y[rows]

    learner.learn(X, oracle)
    assert learner.budget == learner.n_queries_ == 6


def test_missing_cells_are_one_kind_and_no_text():
    missing, gap, text = (
        hash_cells(np.array([[cell, 1.0]], dtype=object))[0]
        for cell in (None, np.nan, "None")
    )
    assert missing == gap != text
