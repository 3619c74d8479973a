"""Learners that measure distances, on pools of which they look at some rows only."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    RelevanceSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import _choice
from tests.learners import each, seldom
from tests.sources import SOURCES, in_some_source
from tests.tools import fresh, streams

LEARNERS = [
    HybridSamplingClassifier(LogisticRegression(), batch_size=3, n_initial=5),
    UncertaintyHerdingClassifier(batch_size=3, n_initial=5, calibrate=False),
    UncertaintyHerdingClassifier(
        GaussianNB(), radius="local", explore=0.4, batch_size=3, n_initial=6
    ),
    MinMarginClassifier(LinearSVC(), batch="cluster", batch_size=3, n_initial=5),
    RelevanceSamplingClassifier(batch="cluster", batch_size=3, n_initial=5),
    UncertaintySamplingClassifier(
        batch="herding", initial="mixed", explore=0.3, batch_size=3, n_initial=5
    ),
    UncertaintySamplingClassifier(
        initial=np.ones((1, 4)), embedding=PCA(2), batch="cluster", batch_size=3
    ),
]


def look_at(monkeypatch, n_sampled):
    """Have every pool be large, and be represented by this number of rows."""
    monkeypatch.setattr(_choice, "MOST_MEASURED", 0)
    monkeypatch.setattr(_choice, "MOST_ROWS", n_sampled // 2)
    monkeypatch.setattr(_choice, "N_SAMPLED", n_sampled)


def problem():
    """Return rows, equal ones among them, and labels of two classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    X[50:70] = X[20:40]
    return X, (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)


def bought(learner, X, y):
    """Return the purchases of four rounds; some rows stay pending, four are free."""
    said = []
    for k in range(4):
        rows, *numbers = learner.query(X, return_probability=True, return_utility=True)
        said.append([rows.tolist(), *map(np.ndarray.tolist, numbers)])
        learner.teach(X[rows[k % 2 :]], y[rows[k % 2 :]])
        if k == 1:
            free = np.arange(40, 44)
            learner.teach(X[free], y[free])
    return said


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert one[0] == other[0]
        np.testing.assert_allclose(one[1:], other[1:], rtol=1e-9, atol=1e-12)


@pytest.mark.every_learner
@each(LEARNERS[:-1])
@seldom
@given(stream=streams(min_rows=50, max_rows=55, min_features=2))
def test_a_sample_of_all_rows_gives_the_rows_of_a_small_pool(prototype, stream):
    X, y = stream
    y = (y != y[0]).astype(int)
    expected = bought(fresh(prototype), X, y)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(_choice, "MOST_MEASURED", 0)
        assert_same(bought(fresh(prototype), X, y), expected)


@pytest.mark.every_learner
@in_some_source(LEARNERS)
def test_blocks_do_not_matter(prototype, make, monkeypatch, tmp_path):
    look_at(monkeypatch, 40)
    X, y = problem()
    expected = bought(fresh(prototype), X, y)
    source = make(X, [1, 75, 75], tmp_path)
    assert_same(bought(fresh(prototype), source, y), expected)


@pytest.mark.usefixtures("quick_blend")
@pytest.mark.parametrize("model", [LogisticRegression(), None], ids=["one", "blend"])
def test_the_least_certain_row_of_all_is_bought(model, monkeypatch):
    look_at(monkeypatch, 20)
    X, y = problem()
    learner = HybridSamplingClassifier(model, batch_size=5, explore=0, random_state=0)
    learner.teach(X[:30], y[:30])
    gap = np.abs(np.diff(learner.predict_proba(X[30:]))).ravel()
    assert 30 + gap.argmin() in learner.query(X)


@each(LEARNERS)
def test_candidates_are_rows_of_the_caller(prototype, monkeypatch):
    look_at(monkeypatch, 20)
    X, y = problem()
    learner = fresh(prototype, n_initial=5).teach(X[:10], y[:10])
    allowed = np.arange(100, 150, 4)
    sold = []
    while len(rows := learner.query(X, candidates=allowed)):
        assert set(rows) <= set(allowed)
        learner.teach(X[rows], y[rows])
        sold += rows.tolist()
    assert sorted(sold) == allowed.tolist()
    first = fresh(prototype, n_initial=5).query(X, candidates=allowed)
    assert len(set(first) & set(allowed)) == 5


def test_pending_rows_count_as_known(monkeypatch):
    """Rows near a pending row are not bought, although nobody has taught it yet."""
    look_at(monkeypatch, 30)
    centres = np.array([[0, 0], [0, 50], [50, 0], [50, 50]])
    rng = np.random.default_rng(0)
    X = np.repeat(centres, 30, axis=0) + 0.1 * rng.standard_normal((120, 2))
    for seed in range(6):  # rows 0 and 30 are rarely among the random rows
        learner = UncertaintyHerdingClassifier(n_initial=4, random_state=seed)
        assert len(learner.query(X, candidates=[0, 30])) == 2
        assert sorted(learner.query(X) // 30) == [2, 3]


def test_random_first_rows_come_from_all_rows(monkeypatch):
    look_at(monkeypatch, 20)
    X, _ = problem()
    learner = MinMarginClassifier(batch="cluster", n_initial=60, random_state=0)
    rows, shares = learner.query(X, return_probability=True)
    assert len(rows) == 60
    assert shares.max() < 1
    failing = fresh(learner, embedding=lambda rows: 1 / 0)
    before = vars(failing).copy()
    with pytest.raises(ValueError, match=r"embedding .* failed"):
        failing.query(X)
    assert vars(failing) == before


SCORING = [
    MinMarginClassifier(),
    UncertaintySamplingClassifier(measure="entropy"),
    RelevanceSamplingClassifier(positive=1),
]


@each(SCORING)
def test_the_best_rows_of_parts_are_those_of_the_pool(prototype):
    """As an engine does: the best of each shard, and one query on these rows."""
    X, y = make_classification(600, 8, random_state=1)
    ids = np.array([f"r{row}" for row in range(600)])
    whole, parts = (fresh(prototype, batch_size=4, n_initial=40) for _ in "ab")
    found = whole.query(X, ids=ids)
    assert parts.query(X, ids=ids).tolist() == found.tolist()
    for _ in range(4):
        for learner in (whole, parts):
            learner.teach(X[found], y[found], ids=ids[found])
        is_left = ~np.isin(ids, parts.record()["ids"])
        best = []
        for part in np.array_split(np.arange(600), 3):
            left = part[is_left[part]]
            best += left[np.argsort(-parts.utility(X[left]))[:4]].tolist()
        found = np.array(best)[parts.query(X[best], ids=ids[best])]
        assert found.tolist() == whole.query(X, ids=ids).tolist()
    assert parts.n_queries_ == whole.n_queries_ == 56


@pytest.mark.parametrize("make", SOURCES.values(), ids=list(SOURCES))
def test_utility_of_a_source(make, tmp_path):
    X, y = problem()
    source = make(X, [70], tmp_path)
    learner = fresh(MinMarginClassifier()).teach(source[np.arange(20)], y[:20])
    found = learner.utility(source)
    assert type(found).__module__.startswith("dask") == (make is SOURCES["dask"])
    expected = fresh(MinMarginClassifier()).teach(X[:20], y[:20]).utility(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_utility_needs_a_model_and_a_rule_that_scores_rows():
    X, _ = problem()
    assert not any(hasattr(learner, "utility") for learner in LEARNERS[:3])
    learner = fresh(MinMarginClassifier())
    with pytest.raises(NotFittedError):
        learner.utility(X)
    learner.teach(X[:2], [1, 1])
    with pytest.raises(ValueError, match=r"2 labels are too few or of one class\. Buy"):
        learner.utility(X)
