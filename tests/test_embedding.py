"""What distances are measured in: any embedding, any units, large pools."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import _distances as _coverage
from sklearn_activelearn.pool._distances import Points, scales
from tests.tools import fresh, problem

X, y = problem(60, 3, noise=0.5)


def points_of(pool, embedding=None):
    """Return what distances between the rows of a pool are measured in."""
    return Points(embedding, pool, np.arange(len(pool), dtype=np.uint64), 0).rows


def subtract(rows):
    rows -= 1.0
    return rows


@pytest.mark.parametrize("embedding", [StandardScaler(copy=False), subtract])
def test_an_embedding_that_works_in_place_changes_no_pool(embedding):
    pool = X.copy()
    learner = UncertaintyHerdingClassifier(
        embedding=embedding, n_initial=5, random_state=0
    )
    rows = learner.query(pool)
    np.testing.assert_array_equal(pool, X)
    np.testing.assert_array_equal(learner.pending(X), rows)
    learner.teach(X[rows[:2]] + 0.5, y[rows[:2]]).query(pool)  # rows not in the pool
    np.testing.assert_array_equal(pool, X)


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(9),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3),
    ],
    ids=str,
)
def test_a_fold_that_cannot_be_trained_on_is_left_out(estimator):
    labels = (X[:, 0] > 0).astype(int)
    learner = UncertaintyHerdingClassifier(estimator, n_initial=10, random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows], labels[rows])
    assert len(learner.query(X)) == 1


@pytest.mark.parametrize("offset", [1e4, 1e6, 1.7e9])
def test_an_offset_of_a_column_does_not_matter(offset):
    moved = points_of(X + np.array([offset, 0.0, 0.0]))
    np.testing.assert_allclose(moved.std(axis=0), 1.0)
    np.testing.assert_allclose(moved - moved.mean(axis=0), centred(X), atol=1e-5)


def centred(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_no_unit_is_too_large_or_too_small(unit):
    np.testing.assert_allclose(points_of(unit * X), points_of(X))


def test_rows_of_one_length_are_left_as_they_are():
    sphere = X / np.sqrt((X**2).sum(axis=1, keepdims=True)) * [[7.0]]
    np.testing.assert_array_equal(points_of(sphere), sphere)
    shifted = np.column_stack([sphere, np.full(60, 5.0)])
    np.testing.assert_array_equal(points_of(shifted)[:, :3], sphere)
    assert not points_of(np.ones((5, 2))).any()


def test_scales_of_sparse_columns_are_those_of_dense_ones():
    rare = np.where(X > [0.5, -0.5, 0.5], X + 3, 0) * [1e3, 1.0, 1e-3]
    dense, sparse = scales(rare), scales(csr_array(rare))
    np.testing.assert_allclose(dense.toarray(), sparse.toarray(), rtol=1e-12)


def test_uncertainty_counts_however_large_decision_values_are():
    X, y = load_digits(return_X_y=True)
    learner = UncertaintyHerdingClassifier(Perceptron(), batch_size=10, random_state=0)
    for pool in (16 * X, 1_600 * X):
        learner = fresh(learner)
        rows = learner.query(pool)
        learner.teach(pool[rows], y[rows])
        _, gains = learner.query(pool, return_utility=True)
        assert gains[0] > 0
        assert learner.temperature_ > 21


class Sure(LogisticRegression):
    """Its decision values are all that far apart."""

    def __init__(self, gap=34.0):
        super().__init__()
        self.gap = gap

    @property
    def predict_proba(self):
        raise AttributeError

    def decision_function(self, X):
        return self.gap * np.where(super().decision_function(X) > 0, 1.0, -1.0)


def test_a_model_that_is_certain_of_all_rows_leaves_it_to_coverage():
    labels = (X[:, 0] > 0).astype(int)
    learner = UncertaintyHerdingClassifier(calibrate=False, random_state=0)
    learner.set_params(estimator=Sure(34.0)).teach(X[:20], labels[:20])
    rows, gains = learner.query(X, return_utility=True)
    assert 0 < gains[0] < 1e-12
    learner = fresh(learner, estimator=Sure(36.0)).teach(X[:20], labels[:20])
    _, less = learner.query(X, return_utility=True)
    np.testing.assert_allclose(less * np.exp(2), gains)
    learner = fresh(learner, estimator=Sure(1e4)).teach(X[:20], labels[:20])
    only_covered, gains = learner.query(X, return_utility=True)
    np.testing.assert_array_equal(only_covered, rows)
    assert gains[0] > 1e-3


def test_blocks_of_known_rows_cover_as_all_at_once(monkeypatch):
    learner = UncertaintyHerdingClassifier(n_initial=2, batch_size=15, random_state=0)
    taught = np.vstack([X[:20], X[20:40] + 0.1])
    expected = fresh(learner).teach(taught, y[:40]).query(X, return_utility=True)
    learner.teach(taught, y[:40])
    monkeypatch.setattr(_coverage, "KNOWN_BLOCK", 7)
    rows, gains = learner.query(X, return_utility=True)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_allclose(gains, expected[1])


def test_a_batch_of_one_is_the_best_row():
    learner = MinMarginClassifier(random_state=0).teach(X[:20], y[:20])
    best = learner.query(X[20:])
    for batch in ("cluster", "herding"):
        spread = fresh(learner, batch=batch).teach(X[:20], y[:20])
        np.testing.assert_array_equal(spread.query(X[20:]), best)


def test_points_are_made_only_if_distances_count():
    n_calls = []

    def embedding(rows):
        n_calls.append(len(rows))
        return rows

    learner = MinMarginClassifier(embedding=embedding, random_state=0)
    learner.query(X)
    learner = fresh(learner, initial="herding").teach(X[:20], y[:20])
    learner.query(X)
    assert n_calls == []
    fresh(learner).query(X)
    assert n_calls == [60]


def whole_pool_at_once(rows):
    return PCA(min(len(rows), 3)).fit_transform(rows)


def fails_on_few(rows):
    if len(rows) < 10:
        raise RuntimeError("too few")
    return rows


@pytest.mark.parametrize(
    ("embedding", "words"),
    [
        (whole_pool_at_once, "embedding returned 2 columns.*independently"),
        (fails_on_few, "embedding .* failed on rows that are not in the pool: Runtime"),
    ],
)
def test_rows_from_elsewhere_that_cannot_be_embedded(embedding, words):
    learner = UncertaintyHerdingClassifier(embedding=embedding, n_initial=6)
    learner.query(X, limit=2)
    learner.teach(X[:2] * 1.5, y[:2])
    with pytest.raises(ValueError, match=words):
        learner.query(X)


@pytest.mark.parametrize(
    ("embedding", "words"),
    [
        (lambda rows: rows[:, 0], r"\(n_samples, n_dimensions\), got \(60,\)"),
        (lambda rows: rows[:, :0], r"got \(60, 0\)"),
        (lambda rows: rows + 1j, "real numbers"),
        (lambda rows: None, "real numbers|n_dimensions"),
        (lambda rows: rows.astype(str).astype(object) + "a", "real numbers"),
        (lambda rows: rows * 1e200, r"up to 1e\+150"),
    ],
)
def test_what_is_no_embedding_is_said_in_one_sentence(embedding, words):
    learner = UncertaintyHerdingClassifier(embedding=embedding)
    with pytest.raises(ValueError, match=f"embedding must return .*{words}") as refused:
        learner.query(X)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 150


def test_gaps_are_not_texts():
    class Any(LogisticRegression):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = True
            return tags

    pool = np.where(X > 1, np.nan, X)
    with pytest.raises(ValueError, match=r"missing.*SimpleImputer"):
        UncertaintyHerdingClassifier(Any()).query(pool)


def test_an_embedding_may_name_the_columns_of_a_frame():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    embedding = make_column_transformer((StandardScaler(), ["a", "b"]))
    learner = UncertaintySamplingClassifier(
        initial="herding", batch="herding", batch_size=5, budget=20, random_state=0
    )
    by_name = fresh(learner, embedding=embedding).fit(frame, y)
    same = make_column_transformer((StandardScaler(), [0, 1]))
    by_number = fresh(learner, embedding=same).fit(X, y)
    np.testing.assert_array_equal(by_name.queried_indices_, by_number.queried_indices_)
    by_name.teach(frame[:2] * 1.5, y[:2])
    assert len(by_name.set_params(budget=30).query(frame)) == 5


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda p: p[:5, 0], r"each of 40 rows, got .* shape \(5,\)"),
        (lambda p: p[:, :1], r"shape \(40, 1\)"),
        (lambda p: p[:, 0] * 1j, "complex"),
        (lambda p: np.full(40, np.nan), "returned nan for row 0"),
    ],
)
def test_what_is_no_utility(function, words):
    learner = UncertaintySamplingClassifier(measure=function).teach(X[:20], y[:20])
    with pytest.raises(ValueError, match=f"measure .*{words}"):
        learner.query(X[20:])
    assert learner.n_queries_ == 0


MIXED = pd.DataFrame(
    {
        "text": ["fine film", "dull film", "team won", "team lost"] * 10,
        "size": [1.0, np.nan, 3.0, 2.0] * 10,
        "kind": ["a", "b", "b", "a"] * 10,
    }
)
ENCODER = make_column_transformer(
    (TfidfVectorizer(), "text"),
    (SimpleImputer(), ["size"]),
    (OneHotEncoder(), ["kind"]),
)


@pytest.mark.parametrize(
    "options", [{}, {"batch": "cluster"}, {"initial": "herding"}], ids=str
)
@pytest.mark.parametrize("learner", [MinMarginClassifier, HybridSamplingClassifier])
def test_the_steps_of_a_pipeline_measure_distances_of_a_table(learner, options):
    if learner is HybridSamplingClassifier and options:
        pytest.skip("it always measures distances")
    model = make_pipeline(ENCODER, LogisticRegression())
    how = {"n_initial": 4, "batch_size": 4, "random_state": 0}
    own = learner(model, **how, **options)
    given = learner(model, embedding=Scaled(ENCODER), **how, **options)
    labels = np.arange(40) % 4 < 2
    for each in (own, given):
        for _ in range(3):
            rows = each.query(MIXED)
            each.teach(MIXED.iloc[rows], labels[rows])
    assert own._ledger.taught.tolist() == given._ledger.taught.tolist()


class Scaled(BaseEstimator):
    """An embedding that is scaled as rows of numbers are."""

    def __init__(self, encoder):
        self.encoder = encoder

    def fit_transform(self, X):
        numbers = self.encoder.fit_transform(X)
        self.scale_ = scales(np.asarray(getattr(numbers, "todense", lambda: numbers)()))
        return self.transform(X)

    def transform(self, X):
        numbers = self.encoder.transform(X)
        numbers = numbers.toarray() if hasattr(numbers, "toarray") else numbers
        return numbers @ self.scale_


def test_a_table_encoder_measures_distances_where_the_steps_need_labels():
    needs_labels = make_pipeline(OneHotEncoder(), SelectKBest(k=1))
    steps = make_column_transformer((needs_labels, ["kind"]))
    model = make_pipeline(steps, LogisticRegression())
    learner = UncertaintyHerdingClassifier(model, n_initial=4, random_state=0)
    rows = learner.query(MIXED)
    assert {*(rows % 4)} == {0, 1, 2, 3}  # one row of each kind
    learner.teach(MIXED.iloc[rows], rows % 4 < 2).query(MIXED)


def test_texts_are_numbers_by_the_steps_of_a_pipeline():
    model = make_pipeline(TfidfVectorizer(), Perceptron())
    rows = UncertaintyHerdingClassifier(model, n_initial=4).query([*MIXED["text"]])
    assert {*(rows % 4)} == {0, 1, 2, 3}


def test_rows_that_nothing_makes_numbers_of_are_refused():
    needs_labels = make_pipeline(TfidfVectorizer(), SelectKBest(k=1), Perceptron())
    learner = UncertaintyHerdingClassifier(needs_labels)
    with pytest.raises(ValueError, match="These rows have no distances"):
        learner.query([*MIXED["text"]])


def test_an_embedding_set_as_an_attribute_makes_points_anew():
    learner = UncertaintyHerdingClassifier(
        embedding=lambda rows: rows[:, :1], n_initial=5, batch_size=8, random_state=0
    )
    rows = learner.query(X)
    learner.teach(X[rows], y[rows]).query(X, limit=1)  # knows points
    other = deepcopy(learner)
    learner.embedding = embedding = subtract_last
    other.set_params(embedding=embedding)
    np.testing.assert_array_equal(learner.query(X), other.query(X))


def subtract_last(rows):
    return rows[:, 1:] - 1.0
