"""The state of a pool learner as a value: when a model is trained, how it is scaled."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import PassiveClassifier
from sklearn_activelearn.base._target import LabelTarget
from sklearn_activelearn.pool import Trained, Trainer
from sklearn_activelearn.pool._ledger import Labelled, Ledger, TeachCall
from sklearn_activelearn.pool._state import LearnerState
from sklearn_activelearn.pool.stopping._base import Remembered
from sklearn_activelearn.sources._identity import ById, ByValue

TARGET = LabelTarget(np.array(["no", "yes"]), ("no", "yes"), may_grow=False)


class Recorder(Trainer):
    """Remembers the numbers of labels of its trainings, and fails on some."""

    goes_on = True

    def __init__(self, failing=()):
        self.estimators, self.failing, self.seen = [GaussianNB()], failing, []

    def train(self, known, before):
        n = len(known.labelled)
        self.seen.append((n, known.n_before, before and before.memory))
        if n in self.failing:
            raise ValueError("too few")
        model = clone(known.prototypes[0]).fit(known.labelled.rows, known.labels)
        return Trained(model, {"n_rows_": n}, memory=n)


def parts_of(trainer):
    """Return what a state needs of the parts of a learner."""
    return SimpleNamespace(
        trainer=trainer, prototypes=trainer.estimators, needs_scaler=False
    )


def state_of(codes, **values):
    """Return the state of a learner that was taught rows with these codes."""
    codes = np.array(codes, dtype=np.int32)
    X = np.arange(2.0 * len(codes)).reshape(-1, 2)
    ledger = Ledger(labelled=Labelled(X, codes)).mark_taught(codes.astype(np.uint64))
    return LearnerState(0, ledger, TARGET, **values)


def teach(state, codes):
    """Return the state after a call that taught as many other rows."""
    first = 2.0 * len(state.ledger.labelled)
    X = first + np.arange(2.0 * len(codes)).reshape(-1, 2)
    return state.add_labels(X, ByValue(X), np.array(codes, np.int32), None, {})


def scaler_of(n_rows):
    return SimpleNamespace(n_samples_seen_=n_rows)


@pytest.mark.parametrize(
    ("codes", "n_trained", "expected"),
    [
        ([], 0, False),
        ([0], 0, False),
        ([0, 0, 0], 0, False),
        ([0, 1], 0, True),
        ([0, 1, 1], 2, True),
        ([0, 1, 1], 3, False),
    ],
)
def test_new_labels_of_two_classes_train_it(codes, n_trained, expected):
    state = state_of(codes, n_trained=n_trained)
    assert state.can_train == expected


def test_a_training_makes_another_state():
    trainer = Recorder()
    first = state_of([0, 1])
    second = first.train(parts_of(trainer))
    third = teach(second, [1]).train(parts_of(trainer))
    assert (first.trained, first.n_trained, first.attributes) == (None, 0, {})
    assert (second.n_trained, third.n_trained) == (2, 3)
    assert trainer.seen == [(2, 0, None), (3, 2, 2)]
    assert third.attributes == {"estimator_": third.trained.model, "n_rows_": 3}


def test_the_past_calls_are_trained_in_turn():
    codes = [0, 0, 0, 1, 1, 0, 1, 1]
    calls = tuple(TeachCall(n, ("no", "yes")) for n in (2, 4, 5, 7, 8))
    trainer = Recorder(failing=[5])
    state = state_of(codes, n_trained=8, scaler=scaler_of(50), n_before_pool=0)
    state = state._replace(ledger=replace(state.ledger, calls=calls))
    again = state.train_in_turn(parts_of(trainer))
    # two labels are of one class, five fail, and the last call is not trained
    assert trainer.seen == [(4, 0, None), (5, 4, 4), (7, 4, 4)]
    assert (again.n_trained, again.trained.memory) == (7, 7)
    trainer.goes_on = False
    again = again.train_in_turn(parts_of(trainer))
    assert (again.n_trained, again.trained, len(trainer.seen)) == (0, None, 3)
    # the training is forgotten, not the pool
    assert (again.scaler, again.n_before_pool) == (state.scaler, 0)


def test_the_first_labels_have_the_classes_of_their_time():
    state = LearnerState(0).with_target(LabelTarget().register(None, np.array(["b"])))
    state = teach(state, [0])
    state = state.with_target(state.target.register(None, np.array(["a"])))
    state, parts = teach(state, [0, 1]), parts_of(Recorder())
    assert state.known(parts).labels.tolist() == ["b", "a", "b"]
    first = state.known_first(parts, 1)
    assert (first.classes.tolist(), first.labels.tolist()) == (["b"], ["b"])
    assert state.earlier_model(parts, 3).classes_.tolist() == ["a", "b"]


def test_the_first_labels_have_the_scale_of_their_time():
    target = LabelTarget().register(None, np.array(["a", "b"]))
    state = teach(LearnerState(0).with_target(target), [0, 1, 0, 1])
    state = state._replace(scaler=scaler_of(50), n_before_pool=2)
    parts = parts_of(Recorder())
    assert state.known(parts).scaler is state.scaler
    assert state.known_first(parts, 3).scaler is state.scaler
    assert state.known_first(parts, 2).scaler is None  # taught before the first pool


def test_a_correction_trains_again_and_drops_a_class():
    target = LabelTarget().register(None, np.array(["a", "b", "c"]))
    state = teach(LearnerState(0).with_target(target), [0, 1, 2])
    trainer = Recorder()
    trainer.goes_on = False
    state = state.train(parts_of(trainer))
    X = state.ledger.labelled.rows[:1]
    after = state.correct(ByValue(X), np.array([1]), parts_of(trainer))
    assert after.target.classes.tolist() == ["b", "c"]
    assert after.known(parts_of(trainer)).labels.tolist() == ["b", "b", "c"]
    assert (after.trained, after.n_trained) == (None, 0)
    assert state.target.classes.tolist() == ["a", "b", "c"]


def test_a_model_that_is_gone_leaves_no_attributes():
    X = np.arange(12.0).reshape(6, 2)
    learner = PassiveClassifier(GaussianNB()).teach(X, list("aaabbb"))
    assert hasattr(learner, "estimator_")
    assert learner.best_index_ == 0
    learner.correct(X[3:], list("aaa"))
    assert not hasattr(learner, "estimator_")
    assert not hasattr(learner, "best_index_")
    assert learner.predict(X[:1]).tolist() == ["a"]


def test_rows_for_sale_and_the_number_of_rows_offered():
    X = np.arange(12.0).reshape(6, 2)
    state = LearnerState(0).with_target(TARGET)
    state = state.add_labels(X[[1]], ByValue(X[[1]]), np.array([0], np.int32), None, {})
    offer = X, ByValue(X)
    given = (parts_of(Recorder()),)
    first, is_for_sale = state.offer(*offer, np.array([0, 1, 2]), *given)
    assert np.flatnonzero(is_for_sale).tolist() == [0, 2]
    assert first.ledger.n_offered == 2
    second, is_for_sale = first.offer(*offer, None, *given)
    assert np.flatnonzero(is_for_sale).tolist() == [0, 2, 3, 4, 5]
    assert second.ledger.n_offered == 5
    fewer, _ = second.offer(*offer, np.array([0]), *given)
    assert fewer.ledger.n_offered == 5  # a budget that is a share does not shrink
    more, _ = second.offer(*offer, np.array([0, 2]), *given, are_more=True)
    assert more.ledger.n_offered == 7
    stopped = second._replace(stopping_memory=Remembered(has_stopped=True))
    again, _ = stopped.offer(*offer, None, *given)
    assert again.stopping_memory.has_stopped
    for rows in (np.array([0, 2]), np.array([1])):  # row 1 is labelled
        again, _ = stopped.offer(*offer, rows, *given, are_more=True)
        assert again.stopping_memory.has_stopped == (1 in rows)  # judge new rows
    nothing, is_for_sale = second.offer(X[:0], ByValue(X[:0]), None, *given)
    assert nothing is second
    assert len(is_for_sale) == 0


def test_new_values_of_labelled_rows_end_the_model():
    X, ids = np.arange(12.0).reshape(6, 2), ById.of(np.arange(6), 6)
    state, parts = LearnerState(0).with_target(TARGET), parts_of(Recorder())
    parts.trainer.goes_on = False
    named = ById.of(np.array([1, 4]), 2)
    state = state.add_labels(X[[1, 4]], named, np.array([0, 1], np.int32), None, {})
    state = state.train(parts)
    state, _ = state.offer(X, ids, None, parts)
    assert state.take_values(X, None, parts) is state
    moved = state.take_values(X + 1, None, parts)
    assert moved.ledger.labelled.rows.tolist() == (X[[1, 4]] + 1).tolist()
    assert (moved.trained, moved.n_trained) == (None, 0)


def test_the_first_pool_counts_the_labels_and_the_last_one_scales():
    state = state_of([0, 1, 1]).with_scaler(None)
    assert (state.scaler, state.n_before_pool) == (None, 3)
    first, second = scaler_of(50), scaler_of(60)
    state = teach(state, [0]).with_scaler(first).with_scaler(second).with_scaler(None)
    assert state.scaler is second
    assert state.n_before_pool == 3


@pytest.mark.parametrize(
    ("n_rows", "n_before", "n_labels", "is_scaled"),
    [
        (50, 3, 3, False),  # all labels were taught before the first pool
        (50, 3, 4, True),
        (50, 3, 50, True),
        (50, 3, 51, False),  # fewer rows than labels
        (2_000, 3, 3_000, True),  # a sample of a large pool
    ],
)
def test_the_scaler_of_a_training(n_rows, n_before, n_labels, is_scaled):
    scaler = scaler_of(n_rows)
    state = state_of([0, 1] * 2, scaler=scaler, n_before_pool=n_before)
    assert state.scaler_for(n_labels) is (scaler if is_scaled else None)
    assert state.known(parts_of(Recorder())).scaler is state.scaler_for(4)


def test_labels_reach_the_trainer_with_their_purposes_and_classes():
    known = state_of([1, 0, 1]).known(parts_of(Recorder()))
    assert known.labels.tolist() == ["yes", "no", "yes"]
    assert known.purposes.tolist() == ["", "", ""]
    assert (known.n_before, known.label_names, known.scaler) == (0, None, None)
