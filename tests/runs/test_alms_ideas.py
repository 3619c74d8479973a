"""Validation ideas beside ALMS: what is bought, and how a model is chosen."""

from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from sklearn.metrics import log_loss

from benchmarks.evaluation import alms_ideas
from benchmarks.papers import _alms_purchases as purchases
from benchmarks.papers import alms
from sklearn_activelearn import PassiveClassifier, QueryByCommitteeClassifier

LAMS = purchases.GRID["lam"]


@pytest.fixture(scope="module")
def pool():
    X, y, X_test, y_test = alms.split(*alms.toy(), 0)
    return SimpleNamespace(X=X, sign=1.0 * y, X_test=X_test, sign_test=1.0 * y_test)


def trained(pool, rows, lam):
    return alms.Logistic(lam, "mean").fit(pool.X[rows], pool.sign[rows])


def test_choices_are_those_of_models_trained_one_by_one(pool):
    rows = np.random.default_rng(0).permutation(len(pool.X))[:20]
    is_random, is_validation = np.arange(20) < 12, np.arange(20) < 8
    free = np.setdiff1d(np.arange(len(pool.X)), rows)
    found = alms_ideas.choices(
        pool, purchases.Labelled(pool, rows), is_random, is_validation, free
    )
    by_cv = PassiveClassifier(
        purchases.MODEL,
        param_grid=purchases.GRID,
        scoring="neg_log_loss",
        budget=None,
    ).teach(pool.X[rows], pool.sign[rows])
    assert found["cross-validation"].argmax() == by_cv.best_index_
    left_out = np.empty((len(LAMS), 20))
    for k in range(20):
        others, row = np.delete(rows, k), rows[k]
        for m, lam in enumerate(LAMS):
            p = trained(pool, others, lam).predict_proba(pool.X[[row]])[0]
            left_out[m, k] = -np.log(p[int(pool.sign[row] > 0)])
    assert found["random rows"].argmax() == left_out[:, :12].sum(axis=1).argmin()
    weights = np.exp(-left_out.sum(axis=1))
    np.testing.assert_allclose(found["pseudo-BMA"], weights / weights.sum(), atol=1e-7)
    sets = {"validation set": (rows[8:], rows[:8]), "10 free": (rows, free[:10])}
    for name, (training, judges) in sets.items():
        losses = [
            log_loss(
                pool.sign[judges],
                trained(pool, training, lam).predict_proba(pool.X[judges]),
                labels=[-1, 1],
            )
            for lam in LAMS
        ]
        assert found[name].argmax() == np.argmin(losses), name


def test_disagreement_is_that_of_the_committee(pool):
    rows = np.random.default_rng(1).permutation(len(pool.X))
    rows, left = rows[:16], np.sort(rows[16:])
    committee = QueryByCommitteeClassifier(
        purchases.MODEL, param_grid=purchases.GRID, scoring="neg_log_loss", budget=None
    ).teach(pool.X[rows], pool.sign[rows])
    known, rng = purchases.Labelled(pool, rows), np.random.default_rng(0)
    found = purchases.utility("QBC", known, left, rng)
    np.testing.assert_allclose(found, committee._utility(pool.X[left]), atol=1e-8)


@pytest.mark.parametrize(
    ("method", "most"), [("ALMS, V <= 1/3", 4), ("ALMS, expected, V <= 0", 0)]
)
def test_the_validation_set_is_bounded(pool, method, most):
    first = np.random.default_rng(1).permutation(len(pool.X))[:10]
    rows, is_random = alms_ideas.by_alms(method, pool, first, 22, 0)
    assert rows[:10].tolist() == first.tolist()
    assert len(set(rows)) == 22
    assert is_random[:10].all()
    assert is_random[10:].sum() == most


@pytest.mark.parametrize(
    ("share", "draw", "random"), [(0, 0, False), (33, 32, True), (33, 33, False)]
)
def test_a_share_of_the_rows_is_random(pool, share, draw, random):
    method = "uncertainty" + (f", {share} % random" if share else "")
    rng = Mock(wraps=np.random.default_rng(0), integers=lambda n: draw)
    first = np.random.default_rng(2).permutation(len(pool.X))[:10]
    rows, is_random = alms_ideas.mixed(method, pool, first, 15, rng)
    assert len(set(rows)) == 15
    assert is_random.tolist() == [True] * 10 + [random] * 5


def test_first_labels_of_one_class():
    X, y = alms.toy()
    kept = np.r_[np.flatnonzero(y < 0)[:40], np.flatnonzero(y > 0)[:2]]
    rows = X[kept], y[kept], X, y
    (learner,) = alms.learners("heart", "mean", "ALMS")
    scores, _ = alms.curves(learner, rows, [4, 8], 0, alms.SELECTIONS)
    for found in scores.values():
        assert len(found) == 2
        assert found[0][0] == np.mean(y < 0)  # it knows one class
