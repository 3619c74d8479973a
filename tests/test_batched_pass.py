"""Settings that share passes over the data, against each setting by itself."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    OnePassSearchCV,
    RandomSamplingClassifier,
    _rows,
)
from tests.tools import state

RATES = np.geomspace(0.01, 2, 14).tolist()
SETTINGS = {
    "CBGZ": [CBGZClassifier(b, random_state=0) for b in RATES],
    "CBGZ as is": [
        CBGZClassifier(b, normalize=False, average=average, random_state=0)
        for b, average in product(RATES[::2], [False, True])
    ],
    "adaptive among others": [
        CBGZClassifier(b, random_state=0) for b in ["adaptive", *RATES[:3]]
    ],
    "limits": [
        CBGZClassifier(0.3, budget=budget, patience=patience, random_state=0)
        for budget, patience in product([0, 20, None], [2, 9, None])
    ],
    "coins of their own": [CBGZClassifier(0.1, random_state=k) for k in range(4)],
    "class weights": [
        CBGZClassifier(b, class_weight="balanced", random_state=0) for b in RATES[::4]
    ],
    "DKM": [DKMClassifier(R, random_state=0) for R in (1, 2, 4, 8)],
    "random": [RandomSamplingClassifier(q / 2, random_state=0) for q in RATES],
    "ramp": [
        MarginLossClassifier("ramp", eta0=eta0, random_state=0) for eta0 in RATES[::3]
    ],
    "groups of rows": [
        GreedyOnlineClassifier(3, eta0=eta0, random_state=0) for eta0 in RATES
    ],
}


def stream(n_classes):
    """Return rows, some without a usual norm, and codes: long runs of one class."""
    rng = np.random.RandomState(n_classes)
    X = rng.standard_normal((423, 37)) * (rng.random_sample((423, 37)) < 0.4)
    X[[5, 200]] = 0
    X[[6, 201]] *= 1e-200
    codes = (X @ rng.standard_normal((37, n_classes))).argmax(axis=1)
    codes[rng.random_sample(423) < 0.1] = 0
    codes[100:330] = 0
    X[100:330] = np.abs(X[100:330])
    return X, codes.astype(np.int32)


def fitted_together(learners, X, y, cv):
    """Return what settings end with that share passes, by fold."""
    found = []

    def keep(learner, X, y):
        found.append((state(learner), learner.queried_indices_.tolist()))
        return 0.0

    grid = [
        {name: [value] for name, value in learner.get_params().items()}
        for learner in learners
    ]
    search = OnePassSearchCV(
        type(learners[0])(), grid, scoring=keep, cv=cv, refit=False
    ).fit(X, y)
    assert search.fused_.all()
    return found


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["dense", "CSR"])
@pytest.mark.parametrize("name", SETTINGS)
def test_they_end_as_each_does_alone(name, kind, n_classes, shuffle, monkeypatch):
    X, codes = stream(n_classes)
    rows = csr_array(X) if kind == "CSR" else X
    learners = [clone(each).set_params(shuffle=shuffle) for each in SETTINGS[name]]
    every_row = np.arange(len(X))
    cv = [(every_row, every_row[:9]), (every_row[::-1], every_row[:9])]
    alone = []
    for each, (train, _) in product(learners, cv):
        one = clone(each).fit(rows[train], codes[train])
        alone.append((state(one), one.queried_indices_.tolist()))
    for widest in (2, 4, 8):
        monkeypatch.setattr(_rows, "widest", widest)
        np.testing.assert_equal(fitted_together(learners, rows, codes, cv), alone)


@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_rows_whose_squares_leave_the_usual_range_end_alike(kind):
    X, codes = stream(2)
    X = X * np.resize([1.0, 1e-142, 1.0, 1e142], len(X))[:, None]
    rows = csr_array(X) if kind == "CSR" else X
    learner, every_row = CBGZClassifier(0.3, random_state=0), np.arange(len(X))
    one = clone(learner).fit(rows, codes)
    together = fitted_together([learner], rows, codes, [(every_row, every_row[:9])])
    assert together == [(state(one), one.queried_indices_.tolist())]


def test_a_step_along_a_tiny_row_does_nothing_to_others_along_a_large_one():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((400, 20)) * (rng.random_sample((400, 20)) < 0.5)
    y = X @ rng.standard_normal(20) > 0
    X[::2] *= 1e-200
    X[1::2] *= 1e150
    search = OnePassSearchCV(
        CBGZClassifier(random_state=3), {"b": RATES[-10:]}, cv=2, refit=False
    )
    scores = [search.fit(rows, y).cv_results_ for rows in (csr_array(X), X)]
    for name in ("split0_test_score", "split1_test_score"):
        np.testing.assert_array_equal(scores[0][name], scores[1][name])
        assert np.isfinite(scores[0][name]).all()
