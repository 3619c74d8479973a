"""The model of a pool learner as a value: when it is trained, and how it is scaled."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn.base._target import LabelTarget
from sklearn_activelearn.pool import Trained, Trainer
from sklearn_activelearn.pool._ledger import KeptPool, Labelled, Ledger, TeachCall
from sklearn_activelearn.pool._training import LearnerModel

UNTRAINED = LearnerModel()
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


def known_of(codes, model=UNTRAINED):
    """Return what a trainer gets of rows with these codes."""
    codes = np.array(codes, dtype=np.int32)
    X = np.arange(2.0 * len(codes)).reshape(-1, 2)
    ledger = Ledger(labelled=Labelled(X, codes)).mark_taught(codes.astype(np.uint64))
    return model.known([GaussianNB()], ledger, TARGET, KeptPool(), 0)


def scaler_of(n_rows):
    return SimpleNamespace(n_samples_seen_=n_rows)


@pytest.mark.parametrize(
    ("codes", "n_labels", "expected"),
    [
        ([], 0, False),
        ([0], 0, False),
        ([0, 0, 0], 0, False),
        ([0, 1], 0, True),
        ([0, 1, 1], 2, True),
        ([0, 1, 1], 3, False),
    ],
)
def test_new_labels_of_two_classes_train_it(codes, n_labels, expected):
    labelled = Labelled(codes=np.array(codes, dtype=np.int32))
    assert LearnerModel(n_labels=n_labels).can_learn_from(labelled) == expected


def test_a_training_makes_another_value():
    first, trainer = LearnerModel(), Recorder()
    second = first.train(trainer, known_of([0, 1]))
    third = second.train(trainer, known_of([0, 1, 1], second))
    assert (first.trained, first.n_labels, first.attributes) == (None, 0, {})
    assert (second.n_labels, third.n_labels) == (2, 3)
    assert trainer.seen == [(2, 0, None), (3, 2, 2)]
    assert third.attributes == {"estimator_": third.trained.model, "n_rows_": 3}


def test_what_is_forgotten_is_the_training_not_the_pool():
    model = (
        LearnerModel().offer_pool(scaler_of(9), 4).train(Recorder(), known_of([0, 1]))
    )
    assert model.forget() == LearnerModel().offer_pool(model.scaler, 4)


def test_the_past_calls_are_trained_in_turn():
    codes = [0, 0, 0, 1, 1, 0, 1, 1]
    calls = tuple(TeachCall(n, ("no", "yes")) for n in (2, 4, 5, 7, 8))
    trainer = Recorder(failing=[5])
    model = LearnerModel(n_labels=8).train_in_turn(
        trainer, known_of(codes), TARGET, calls
    )
    # two labels are of one class, five fail, and the last call is not trained
    assert trainer.seen == [(4, 0, None), (5, 4, 4), (7, 4, 4)]
    assert (model.n_labels, model.trained.memory) == (7, 7)
    trainer.goes_on = False
    model = model.train_in_turn(trainer, known_of(codes), TARGET, calls)
    assert (model.n_labels, model.trained, len(trainer.seen)) == (0, None, 3)


def test_the_first_pool_counts_the_labels_and_the_last_one_scales():
    model = LearnerModel().offer_pool(None, 3)
    assert (model.scaler, model.n_before_pool) == (None, 3)
    first, second = scaler_of(50), scaler_of(60)
    model = model.offer_pool(first, 5).offer_pool(second, 7).offer_pool(None, 8)
    assert model.scaler is second
    assert model.n_before_pool == 3


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
    model = LearnerModel(scaler=scaler, n_before_pool=n_before)
    assert model.scaler_for(n_labels) is (scaler if is_scaled else None)
    known = known_of([0, 1] * 2, model)
    assert known.scaler is model.scaler_for(4)


def test_labels_reach_the_trainer_with_their_purposes_and_classes():
    known = known_of([1, 0, 1])
    assert known.labels.tolist() == ["yes", "no", "yes"]
    assert known.purposes.tolist() == ["", "", ""]
    assert (known.n_before, known.label_names, known.scaler) == (0, None, None)
