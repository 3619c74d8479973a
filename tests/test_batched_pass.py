"""Learners side by side end as each does alone: weights, purchases, counts, sums."""

from itertools import chain, product

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    OnePassSearchCV,
    RandomSamplingClassifier,
    _rows,
)
from sklearn_activelearn.stream._pass import BatchedPass, Products

JOIN = "_join_batched_pass"
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


def led(learner, rows, codes, prepare_pass, order):
    """Return a fresh copy of a learner and its pass, which has not begun."""
    learner = type(learner)(**learner.get_params())
    learner.n_features_in_ = rows.n_features
    learner._reset()
    learner._set_classes(np.unique(codes))
    limits = learner._limits(len(codes))
    return learner, getattr(learner, prepare_pass)(rows, codes, order, limits)


def kept(learner, one, outcome, X, codes):
    """Return all that is left of a pass."""
    learner._finish_pass(one, outcome, X, learner._limits(len(codes)))
    sums = learner._class_sums
    parts = [*learner._weights, *learner._tallied, *sums, learner._memory]
    parts += [learner._counts, learner.queried_indices_]
    return [np.asarray(part) for part in parts], learner.stop_reason_


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["dense", "CSR"])
@pytest.mark.parametrize("name", SETTINGS)
def test_they_end_as_each_does_alone(name, kind, n_classes, monkeypatch):
    X, codes = stream(n_classes)
    rows = csr_array(X) if kind == "CSR" else X
    order = np.random.RandomState(0).permutation(len(X))
    n_vectors = 1 if n_classes == 2 else n_classes
    spare = []
    for some in (None, order):
        squares = None
        if some is order and kind == "dense":  # measured once for all
            squares = _rows.squares(_rows.Rows(rows))
        alone, scores = [], []
        for each in SETTINGS[name]:
            read = _rows.Rows(rows)
            learner, one = led(each, read, codes, "_prepare_pass", some)
            alone.append(kept(learner, one, run(one), rows, codes))
            scores.append(learner.decision_function(rows))
        for widest in (2, 4, 8):
            monkeypatch.setattr(_rows, "widest", widest)
            together, found = [], []
            for group in groups_that_share(SETTINGS[name], n_vectors, kind == "CSR"):
                read = _rows.Rows(rows)
                members = [led(each, read, codes, JOIN, some) for each in group]
                passes = [one for _, one in members]
                batched = BatchedPass(passes, squares, spare)
                outcomes = batched.run()
                batched.hand_back()
                together += [
                    kept(*member, outcome, rows, codes)
                    for member, outcome in zip(members, outcomes, strict=True)
                ]
                batched.average()
                found += batched.scores(read, None, group[0].normalize, squares)
                spare += batched.memory  # has weights in it
            np.testing.assert_equal(together, alone)
            for mine, theirs, each in zip(found, scores, SETTINGS[name], strict=True):
                if each.average:
                    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_rows_whose_squares_leave_the_usual_range_end_alike(kind):
    X, codes = stream(2)
    X = X * np.resize([1.0, 1e-142, 1.0, 1e142], len(X))[:, None]
    rows = csr_array(X) if kind == "CSR" else X
    read = _rows.Rows(rows)
    learner = CBGZClassifier(0.3, random_state=0)
    learner, one = led(learner, read, codes, "_prepare_pass", None)
    alone = kept(learner, one, run(one), rows, codes)
    learner, one = led(learner, read, codes, JOIN, None)
    batched = BatchedPass([one])
    (outcome,) = batched.run()
    batched.hand_back()
    np.testing.assert_equal(kept(learner, one, outcome, rows, codes), alone)


@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_weights_take_the_place_of_others(kind):
    X, codes = stream(2)
    read = _rows.Rows(csr_array(X) if kind == "CSR" else X)
    spare, found = [], []
    for _ in range(3):
        _, one = led(CBGZClassifier(0.3, random_state=0), read, codes, JOIN, None)
        batched = BatchedPass([one], spare=spare)
        assert spare == []
        found.append({*map(id, batched.memory)})
        batched.run()
        spare += batched.memory
    assert found[0] == found[1] == found[2]


def test_spare_arrays_of_another_size_are_left():
    spare = [np.ones(3)]
    products = Products(_rows.Rows(np.ones((2, 5))), None, 1)
    assert not products.zeros(spare).any()
    assert spare == []


def test_groups_are_of_nearly_equal_size():
    learners = list(range(100))
    for n_each, largest in ((1, 12), (5, 2), (10, 1), (20, 1)):
        groups = groups_that_share(learners, n_each, sparse=True)
        assert list(chain.from_iterable(groups)) == learners
        assert {len(group) for group in groups} <= {largest, largest - 1}
        assert max(map(len, groups)) == largest
    assert groups_that_share(learners, 1, sparse=False) == [learners]


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
