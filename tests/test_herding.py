"""Coverage: the first rows, the spread of a batch, Uncertainty Herding."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

from sklearn_activelearn import (
    MinMarginClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from tests.learners import POOL_LEARNERS, each, seldom
from tests.reference import herding as reference
from tests.tools import fresh, problem, state, streams

X, y = problem(60, 3, noise=0.5)


@pytest.mark.parametrize(
    ("radius", "calibrate", "batch_size"),
    [
        ("local", True, 1),
        ("local", False, 3),
        ("global", True, 3),
        ("global", False, 1),
    ],
)
@seldom
@given(stream=streams(min_rows=5, max_rows=14, min_features=2))
def test_purchases_are_those_of_the_slow_twin(radius, calibrate, batch_size, stream):
    X, y = stream
    params = {"n_initial": 3, "batch_size": batch_size, "budget": 7}
    params |= {"calibrate": calibrate, "radius": radius}
    estimator = LogisticRegression()
    learner = fresh(UncertaintyHerdingClassifier(estimator), **params).fit(X, y)
    expected = reference.purchases(estimator, X, y, random_state=0, **params)
    assert learner.queried_indices_.tolist() == expected


@given(stream=streams(min_rows=5, max_rows=16, min_features=2))
def test_first_rows_cover_the_pool(stream):
    X, y = stream
    learner = fresh(MinMarginClassifier(), initial="herding", n_initial=5, budget=5)
    expected = reference.maximal_coverage(X, 5, 0)
    assert learner.query(X).tolist() == expected
    assert learner.fit(X, y).queried_indices_.tolist() == expected


@each(
    [
        row
        for row in POOL_LEARNERS
        if "initial" in row.get_params()
        and row.get_params().get("n_candidates") is None
    ]
)
def test_no_learner_buys_equal_rows_together(prototype):
    pool, labels = np.repeat(X[:10], 4, axis=0), np.repeat(y[:10], 4)
    learner = fresh(prototype, n_initial=5, batch_size=5, budget=20, stopping=None)
    if "explore" in learner.get_params():  # random rows may be equal to any
        learner.set_params(explore=0.0)
    if prototype.initial == "mixed":
        learner.set_params(initial="herding")
    while len(rows := learner.query(pool)):
        assert len(np.unique(pool[rows], axis=0)) == 5
        learner.teach(pool[rows], labels[rows])


def test_shares_of_first_rows_are_those_of_their_draws():
    pool = X[[0, 0, 0, 0, 1, 1, 2, 3]]
    counts, shares = np.zeros(8), np.zeros(8)
    for seed in range(400):
        learner = MinMarginClassifier(n_initial=3, random_state=seed)
        rows, share = learner.query(pool, return_probability=True)
        counts[rows] += 1
        shares[rows] = share
    np.testing.assert_allclose(shares, [*[3 / 16] * 4, *[3 / 8] * 2, *[3 / 4] * 2])
    np.testing.assert_allclose(counts / 400, shares, atol=0.06)

    learner = MinMarginClassifier(n_initial=6, random_state=0)
    rows, share = learner.query(pool, return_probability=True)
    expected = {4: 1 / 4 + 3 / 4 * 2 / 4, 2: 1 / 2 + 1 / 2 * 2 / 4, 1: 1.0}
    sizes = [4 if row < 4 else 2 if row < 6 else 1 for row in rows]
    np.testing.assert_allclose(share, [expected[size] for size in sizes])


@pytest.mark.parametrize("batch", ["cluster", "herding"])
def test_a_batch_spreads(batch):
    rng = np.random.RandomState(0)
    centres = np.array([[0.0, 9.0], [0.0, 3.0], [0.0, -3.0], [0.0, -9.0]])
    near = np.repeat(centres, 10, axis=0) + 0.01 * rng.standard_normal((40, 2))
    far = np.array([[-9.0, 0.0], [9.0, 0.0]])
    pool = np.vstack([far, near])
    learner = MinMarginClassifier(batch=batch, batch_size=4, random_state=0)
    learner.teach(np.repeat(far, 5, axis=0), np.repeat([0, 1], 5))
    rows = learner.query(pool)
    assert sorted((rows - 2) // 10) == [0, 1, 2, 3]


def test_near_duplicates_cover_each_other():
    rng = np.random.RandomState(0)
    pool = np.repeat(X[:10], 6, axis=0) + 1e-6 * rng.standard_normal((60, 3))
    learner = UncertaintyHerdingClassifier(batch_size=10, random_state=0)
    assert sorted(learner.query(pool) // 6) == list(range(10))


def test_rows_taught_from_elsewhere_cover_the_pool():
    pool = X * [100.0, 1.0, 0.01]
    learner = MinMarginClassifier(initial="herding", n_initial=4, random_state=0)
    expected = fresh(learner).query(pool)
    learner.teach(pool[expected[:1]] * 1.001, y[expected[:1]])
    assert learner.query(pool).tolist() == expected[1:].tolist()


def herded(pool, **params):
    """Return the first rows that cover a pool."""
    learner = MinMarginClassifier(initial="herding", random_state=0, **params)
    return learner.query(pool).tolist()


def test_texts_are_put_to_one_length():
    rng = np.random.RandomState(0)
    counts = rng.poisson(0.03, size=(60, 80)) * rng.randint(1, 9, size=(60, 1))
    counts[:, 0] += 1
    assert (counts != 0).mean() < 0.05
    expected = herded(csr_array(counts * 1.0), embedding=Normalizer())
    assert herded(csr_array(counts * 1.0)) == herded(counts * 1.0) == expected


def test_another_pool_has_other_points():
    learner = MinMarginClassifier(initial="herding", n_initial=4, random_state=0)
    learner.query(X[:30], limit=0)
    learner.query(X[:30], limit=1)
    learner.skip()
    assert learner.query(X[30:]).tolist() == herded(X[30:], n_initial=4)[:4]


def test_rows_that_are_out_cover_the_pool():
    learner = MinMarginClassifier(initial="herding", n_initial=6, random_state=0)
    expected = fresh(learner).query(X).tolist()
    assert learner.query(X, limit=2).tolist() == expected[:2]
    assert learner.query(X, limit=4).tolist() == expected[2:]


def test_the_radius_never_grows():
    learner = UncertaintyHerdingClassifier(n_initial=2, random_state=0)
    far = np.array([X.min(axis=0), X.max(axis=0)])
    learner.teach(far, [0, 1])
    _, gains = learner.query(X, return_utility=True)
    learner = UncertaintyHerdingClassifier(n_initial=2, random_state=0)
    distances = pdist(X / X.std(axis=0), "sqeuclidean")
    learner.set_params(radius=np.median(distances) ** 0.5)
    _, expected = learner.teach(far, [0, 1]).query(X, return_utility=True)
    np.testing.assert_allclose(gains, expected)


def test_radii():
    pool = np.vstack([0.01 * X[:30], 50 + X[30:] * 10])  # dense, sparse
    near = UncertaintyHerdingClassifier(
        radius="local", embedding=lambda rows: rows, n_initial=4, random_state=0
    )
    assert sum(near.query(pool) < 30) == 2
    numbers = (
        fresh(near, radius=2.0),
        fresh(near, radius=4.0).set_params(embedding=lambda rows: 2 * rows),
    )
    found = [each.query(pool, return_utility=True) for each in numbers]
    np.testing.assert_array_equal(*(rows for rows, _ in found))
    np.testing.assert_array_equal(*(gains for _, gains in found))


def test_equal_rows_have_a_radius():
    pool = np.repeat(X[:2], 30, axis=0)
    learner = UncertaintyHerdingClassifier(radius="local", n_initial=2, random_state=0)
    assert {*learner.query(pool) // 30} == {0, 1}


def test_samples_stand_for_the_pool():
    rng = np.random.RandomState(0)
    pool = rng.standard_normal((600, 2))
    whole = UncertaintyHerdingClassifier(n_initial=8, random_state=0)
    _, best = whole.query(pool, return_utility=True)
    few = fresh(whole, n_coverage=200, n_candidates=100)
    rows = few.query(pool)
    similarity = np.exp(
        -((pool[:, None] - pool[rows]) ** 2).sum(axis=2)
        / pool.var(axis=0).mean()
        / whole._state.points.points.typical
    )
    assert similarity.max(axis=1).mean() > 0.9 * best.sum()
    among_all = fresh(whole, n_coverage=200).query(pool)
    assert rows.tolist() != among_all.tolist()


TEXTS = ["cheap pills", "meeting at noon", "free pills", "lunch at noon"] * 6
LABELS = np.array([1, 0, 1, 0] * 6)
VECTORS = make_pipeline(TfidfVectorizer(), TruncatedSVD(2))


def test_texts_are_embedded():
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    for learner in (
        UncertaintyHerdingClassifier(model, embedding=VECTORS, n_initial=4),
        UncertaintySamplingClassifier(
            model, initial="herding", batch="cluster", embedding=VECTORS, n_initial=4
        ),
    ):
        learner.set_params(batch_size=4, budget=12, random_state=0)
        bought = learner.fit(TEXTS, LABELS).queried_indices_
        assert set(bought[:4] % 4) == {0, 1, 2, 3}
        assert learner.score(TEXTS, LABELS) == 1
        again = pickle.loads(pickle.dumps(learner))
        assert again.query(TEXTS).tolist() == learner.query(TEXTS).tolist()
        assert state(again) == state(learner)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"embedding": lambda X: np.zeros((3, 2))}, "returned 3 for 24 rows"),
        ({"embedding": lambda X: np.full((24, 2), np.nan)}, "finite.*nan"),
        ({"embedding": lambda X: 1 / 0}, "failed on the pool: ZeroDivisionError"),
        ({"embedding": StandardScaler()}, "failed on the pool: ValueError: could not"),
    ],
)
@pytest.mark.parametrize(
    "learner",
    [
        UncertaintyHerdingClassifier(SVC()),
        MinMarginClassifier(batch="cluster"),
        MinMarginClassifier(initial="herding"),
    ],
    ids=str,
)
def test_what_cannot_be_embedded_is_refused_before_it_is_bought(learner, params, words):
    model = make_pipeline(TfidfVectorizer(), SVC())
    learner = fresh(learner, estimator=model, **params)
    with pytest.raises(ValueError, match=f"(?s){words}"):
        learner.query(TEXTS)
    assert vars(learner) == learner.get_params(deep=False)


def test_temperature_is_high_for_a_model_that_is_too_sure():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((200, 2))
    y = (X[:, 0] + 2 * rng.standard_normal(200) > 0).astype(int)
    sure = LogisticRegression(C=1e6)
    bernoulli = BernoulliNB(alpha=1e-6)
    wide = np.repeat(X > 0, 8, axis=1)  # the same evidence, counted eight times
    learner = UncertaintyHerdingClassifier(bernoulli, random_state=0).teach(wide, y)
    assert learner.temperature_ > 3
    learner = UncertaintyHerdingClassifier(sure, random_state=0).teach(X, y)
    assert 0.7 < learner.temperature_ < 1.5
    learner.set_params(calibrate=False).teach(X[:1], y[:1])
    assert learner.temperature_ == 1
