"""Variants of ALMS in the experiments, compared with the slow twin."""

import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks.papers.alms import variant
from tests.reference import alms as reference
from tests.test_alms import SMALL_LAMS, TWINS, check_purchases, slow_run, smaller_pool

GRID = {"C": [1 / lam for lam in SMALL_LAMS]}
ALL = {"n_candidates": 99, "n_pairs": 99, "n_initial": 6}


@pytest.mark.parametrize("seed", [0, 1])
def test_choice_on_the_validation_set(seed):
    X, y = smaller_pool()
    bought, rounds = slow_run(seed)
    learner = variant(
        None, selection="validation", param_grid=GRID, budget=8, random_state=seed,
        **ALL,
    ).fit(X, y)  # fmt: skip
    T, V = check_purchases(learner, bought, rounds)
    assert len(V) > 1
    best = reference.best_on_validation(TWINS, (X[T], y[T]), (X[V], y[V]))
    assert learner.best_index_ == best


def test_temperature_and_leave_one_out():
    X, y = smaller_pool()
    bought, rounds = slow_run(3, budget=8, temperature=0.1)
    learner = variant(
        None, temperature=0.1, selection="leave_one_out", param_grid=GRID, budget=8,
        random_state=3, **ALL,
    ).fit(X, y)  # fmt: skip
    T, V = check_purchases(learner, bought, rounds)
    sets = (X[T], y[T]), (X[V], y[V])
    assert learner.best_index_ == reference.best_left_one_out(TWINS, *sets)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [(LogisticRegression(), GRID), (reference.Exact(), {"lam": list(SMALL_LAMS)})],
)
def test_each_label_in_turn(estimator, grid):
    X, y = smaller_pool()
    bought, rounds = slow_run(1, budget=8, label="expected")
    learner = variant(
        estimator, label="expected", param_grid=grid, cv=3, budget=8, random_state=1,
        **ALL,
    ).fit(X, y)  # fmt: skip
    check_purchases(learner, bought, rounds)
    rows = [row for row, _ in bought]
    best = reference.best_in_cross_validation(TWINS, X[rows], y[rows], 3)
    assert learner.best_index_ == best
