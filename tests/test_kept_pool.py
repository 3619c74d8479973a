"""The pool that is kept for learners that learn from unlabelled rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import BernoulliNB

from sklearn_activelearn import PassiveClassifier
from sklearn_activelearn.pool._ledger import KeptPool, Ledger
from sklearn_activelearn.pool._selection import NO_ROWS
from sklearn_activelearn.sources._containers import hash_rows
from sklearn_activelearn.sources._identity import ByValue
from tests.tools import loop_over_pool, state


class Keeper(PassiveClassifier):
    """A learner that keeps its pool."""

    keeps = True

    def _make_trainer(self):
        trainer = super()._make_trainer()
        trainer.keeps_pool = self.keeps
        return trainer


def make_keeper(**params):
    return Keeper(BernoulliNB(), n_initial=3, budget=8, random_state=0, **params)


@pytest.fixture
def pool():
    rng = np.random.RandomState(0)
    return rng.standard_normal((20, 3)), np.arange(20) % 2


def test_rows_leave_the_unlabelled_when_they_are_taught(pool):
    X, y = pool
    learner = make_keeper()
    rows = learner.query(X)
    assert learner._pool.unlabelled.tolist() == list(range(20))
    learner.teach(X[rows[:2]], y[rows[:2]])
    left = np.setdiff1d(np.arange(20), rows[:2])
    assert learner._pool.unlabelled.tolist() == left.tolist()
    learner.teach(X[5:7] + 1, y[5:7])  # from elsewhere
    assert learner._pool.unlabelled.tolist() == left.tolist()


def test_every_way_round_keeps_the_same_pool(pool):
    X, y = pool
    fitted = make_keeper().fit(X, y)
    unbought = np.setdiff1d(np.arange(20), fitted.queried_indices_)
    assert fitted._pool.unlabelled.tolist() == unbought.tolist()
    learner, _ = loop_over_pool(make_keeper(), X, y, np.unique(y))
    assert state(learner) == state(fitted)


def test_a_late_label_of_an_earlier_pool_removes_no_other_row(pool):
    X, y = pool
    learner = make_keeper()
    rows = learner.query(X)
    learner.query(X[::-1] + 1)
    learner.teach(X[rows], y[rows])
    assert learner._pool.unlabelled.tolist() == list(range(20))


CONTAINERS = {
    "array": np.asarray,
    "csr": csr_array,
    "frame": pd.DataFrame,
    "list": lambda X: [str(row) for row in X.tolist()],
}


def offered(pool, X, candidates):
    return pool.offer(ByValue(X), X, candidates, NO_ROWS)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_equal_rows_are_the_same_pool(pool, container):
    made = []

    def make(X):
        made.append(X)
        return len(made)

    X = container(pool[0])
    first = offered(KeptPool(), X, np.arange(20))
    assert first.X is not X
    assert first.derived("size", make) == 1
    again = offered(first, container(pool[0].copy()), np.arange(4))
    assert again.X is first.X
    assert again.unlabelled.tolist() == [0, 1, 2, 3]
    assert again.derived("size", make) == 1
    other = offered(first, container(pool[0] + 1), np.arange(20))
    assert other.derived("size", make) == 2
    assert pickle.loads(pickle.dumps(first)).derived("size", make) == 3


def test_a_pool_does_not_change_with_the_array_it_came_in(pool):
    X = pool[0].copy()
    kept = offered(KeptPool(), X, np.arange(20))
    X += 1
    np.testing.assert_array_equal(kept.X, pool[0])
    assert offered(kept, X, np.arange(20)).X is not kept.X


def asked(X, rows):
    return Ledger().add_entries(hash_rows(X[rows]), np.asarray(rows), 1.0)


def test_row_numbers_beyond_the_pool_are_no_rows_of_it(pool):
    kept = offered(KeptPool(), pool[0][:5], np.arange(5))
    taught = kept.update(asked(pool[0], [7]).mark_taught(hash_rows(pool[0][7:8])))
    assert taught.unlabelled.tolist() == [0, 1, 2, 3, 4]
    assert taught.places.tolist() == [-1]


def test_a_row_number_decides_between_equal_rows(pool):
    twice = np.repeat(pool[0], 2, axis=0)
    kept = offered(KeptPool(), twice, np.arange(40))
    ledger = asked(twice, [7]).mark_taught(hash_rows(twice[[6, 6, 6]]))
    taught = kept.update(ledger)
    assert taught.places.tolist() == [7, 6, -1]
    assert np.setdiff1d(kept.unlabelled, taught.unlabelled).tolist() == [6, 7]


def test_a_row_that_is_out_keeps_its_place(pool):
    twice = np.repeat(pool[0], 2, axis=0)
    ledger = asked(twice, [6]).skip().mark_taught(hash_rows(pool[0][:1]))
    ledger = ledger.add_entries(hash_rows(pool[0][3:4]), -1, 1.0, positions=1)
    taught = offered(KeptPool(), twice, np.arange(40)).update(ledger)
    assert taught.places.tolist() == [0, 7]


def test_of_equal_rows_those_that_are_not_for_sale_come_first(pool):
    twice = np.repeat(pool[0], 2, axis=0)
    kept = offered(KeptPool(), twice, np.arange(0, 40, 2))
    taught = kept.update(Ledger().mark_taught(hash_rows(twice[[6, 6]])))
    assert taught.places.tolist() == [7, 6]
    assert 6 not in taught.unlabelled


def test_an_earlier_pool_has_fewer_labels(pool):
    kept = offered(KeptPool(), pool[0], np.arange(3, 20))
    taught = kept.update(Ledger().mark_taught(hash_rows(pool[0][[4, 1, 9]])))
    before = taught.first(1)
    assert before.places.tolist() == [4]
    assert before.unlabelled.tolist() == [1, 3, *range(5, 20)]


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_rows_taught_are_found_in_all_containers(pool, container):
    kept = offered(KeptPool(), container(pool[0]), np.arange(20))
    ledger = Ledger().mark_taught(hash_rows(container(pool[0][[4, 2]])))
    assert kept.update(ledger).places.tolist() == [4, 2]
    is_for_sale = np.arange(19) > 4
    moved = ledger.locate(ByValue(container(pool[0][1:])), is_for_sale)
    assert moved.found.tolist() == [3, 1]


def test_the_first_rows_do_not_change_with_the_array_they_came_in(pool):
    X, y = pool[0].copy(), pool[1]
    learner = make_keeper().teach(X, y)
    X += 1
    np.testing.assert_array_equal(learner._ledger.labelled.rows, pool[0])


def test_an_interrupt_while_a_pool_is_kept_changes_nothing(pool, monkeypatch):
    def offered(self, identity, X, *rows):
        kept = keep(self, identity, X, *rows)
        if len(X) < 20:
            raise KeyboardInterrupt
        return kept

    X, y = pool
    keep = KeptPool.offer
    monkeypatch.setattr(KeptPool, "offer", offered)
    learner = make_keeper()
    before = state(learner.fit(X, y))
    with pytest.raises(KeyboardInterrupt):
        learner.partial_fit(X[:10], y[:10])
    assert state(learner) == before


def test_a_pool_may_be_kept_from_some_time_on(pool):
    X, y = pool
    learner = make_keeper()
    learner.keeps = False
    learner.teach(X[:4], y[:4])
    learner.keeps = True
    learner.query(X, candidates=np.arange(4, 20), limit=0)
    learner.teach(X[7:9], y[7:9])
    assert learner._pool.places.tolist() == [0, 1, 2, 3, 7, 8]
