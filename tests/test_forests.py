"""The forests of the default model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from sklearn_activelearn.batch import QuickExtraTrees, QuickForest
from sklearn_activelearn.batch._trees import grow_trees, mean_of_leaves
from tests.reference import forest as reference

FORESTS = [QuickForest(random_state=0), QuickExtraTrees(random_state=0)]


@given(
    seed=st.integers(0, 2**31 - 1), n_rows=st.integers(2, 60),
    n_columns=st.integers(1, 4), n_classes=st.integers(2, 4), n_tried=st.integers(1, 3),
    min_leaf=st.integers(1, 4), is_extra=st.booleans(),
)  # fmt: skip
def test_trees_are_those_of_the_reference(
    seed, n_rows, n_columns, n_classes, n_tried, min_leaf, is_extra
):
    rng = np.random.default_rng(seed)
    # a column of few values, and one that may be constant
    X = rng.integers(0, 40, (n_rows, n_columns)) + rng.normal(size=n_columns)
    X[:, 0] = rng.integers(0, 3, n_rows)
    targets = np.eye(n_classes)[rng.integers(0, n_classes, n_rows)]
    # sums of such weights are exact, so that both sides find the same ties
    weights = 2.0 ** rng.integers(-1, 2, n_rows)
    arguments = X, targets, weights, 3, n_tried, min_leaf, is_extra, seed
    expected = reference.grow(*arguments)
    found = mean_of_leaves(X, *grow_trees(*arguments))
    np.testing.assert_allclose(found, [reference.predict(expected, row) for row in X])


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        *zip(
            FORESTS, [RandomForestClassifier(50), ExtraTreesClassifier(50)], strict=True
        )
    ],
)
def test_forests_are_as_accurate_as_those_of_scikit_learn(own, theirs):
    X, y = load_digits(return_X_y=True)
    scores = []
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(len(y))
        known, others = rows[:150], rows[150:]
        scores.append(
            [
                clone(model).set_params(random_state=seed).fit(X[known], y[known])
                .score(X[others], y[others])
                for model in (own, theirs)
            ]
        )  # fmt: skip
    ours, other = np.mean(scores, axis=0)
    assert ours == pytest.approx(other, abs=0.02)


def test_a_leaf_keeps_its_number_of_rows_and_classes_their_weights():
    X, y = np.arange(30.0)[:, None], np.array(["b"] * 24 + ["a"] * 6)
    model = QuickForest(min_samples_leaf=3, random_state=0).fit(X, y)
    assert model.predict_proba(X).min(axis=0)[0] < 0.2
    constant = QuickForest(min_samples_leaf=16, random_state=0)
    assert len(np.unique(constant.fit(X, y).predict_proba(X), axis=0)) == 1
    plain = constant.predict_proba(X)[0]
    balanced = clone(constant).set_params(class_weight="balanced").fit(X, y)
    assert plain[0] == pytest.approx(0.2, abs=0.05)
    assert balanced.predict_proba(X)[0, 0] == pytest.approx(0.5, abs=0.08)


def test_the_labels_are_predicted_and_a_seed_repeats_them():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in y])
    for forest in FORESTS:
        model = clone(forest).fit(X[:100], names[:100])
        np.testing.assert_array_equal(model.predict(X[:100]), names[:100])
        again = clone(forest).fit(X[:100], names[:100]).predict_proba(X)
        np.testing.assert_array_equal(model.predict_proba(X), again)
        other = clone(forest).set_params(random_state=1).fit(X[:100], names[:100])
        assert not np.array_equal(other.predict_proba(X), again)


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [(0, 0, -1), (0, 0, 10**6), (1, 0, 64), (1, 0, -2), (1, -1, 0), (3, 0, 0),
     (3, 0, 10**6), (3, -1, -1), (3, -1, 10**6)],
)  # fmt: skip
def test_damaged_trees_are_refused(part, place, value):
    X, y = load_digits(return_X_y=True)
    model = QuickForest(random_state=0).fit(X[:50], y[:50])
    model.trees_[part][place] = value
    with pytest.raises(ValueError, match="do not fit rows of 64 features"):
        model.predict_proba(X)


def test_trees_of_other_shapes_are_refused():
    X, y = load_digits(return_X_y=True)
    model = QuickForest(random_state=0).fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="do not fit rows of 3 features"):
        model.predict_proba(X[:, :3])
    for part in (1, 2, 3):
        damaged = QuickForest(random_state=0).fit(X[:50], y[:50])
        damaged.trees_[part] = damaged.trees_[part][:-1]
        with pytest.raises(ValueError, match="do not fit rows of 64 features"):
            damaged.predict_proba(X)
    model.trees_[0] = model.trees_[0][:0]  # no tree
    with pytest.raises(ValueError, match="do not fit rows of 64 features"):
        model.predict_proba(X)
    model.classes_ = model.classes_[:-1]
    with pytest.raises(ValueError, match="and 9 classes"):
        model.predict_proba(X)
