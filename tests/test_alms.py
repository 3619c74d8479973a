"""Active learning with model selection: the twin, the two sets, what is refused."""

import pickle
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler, TargetEncoder
from sklearn.svm import SVC

from sklearn_activelearn import ALMSClassifier
from sklearn_activelearn.pool.alms import _alms
from sklearn_activelearn.pool.alms._candidate_models import (
    JointModels,
    calibrated,
    needs_labels,
)
from sklearn_activelearn.pool.alms._logistic import NotSolved
from tests.reference import alms as reference
from tests.tools import fresh, problem

SMALL_LAMS = (0.01, 1.0, 30.0)
TWINS = [reference.Logistic(lam) for lam in SMALL_LAMS]


class Refitted(LogisticRegression):
    """Logistic regression that is not trained jointly."""


def small_pool():
    rng = np.random.RandomState(3)
    X = rng.standard_normal((18, 3))
    return X, (X[:, 0] + rng.standard_normal(18) > 0).astype(int)


def smaller_pool():
    return tuple(part[:13] for part in small_pool())


@cache
def slow_run(seed, budget=8, **how):
    params = {"n_initial": 6, "budget": budget, "random_state": seed}
    return reference.purchases(TWINS, *smaller_pool(), **params, **how)


def check_purchases(learner, bought, rounds):
    """Check rows, sets and values against the slow twin's; return the rows by set."""
    rows, purposes = zip(*bought, strict=True)
    assert learner.queried_indices_.tolist() == list(rows)
    assert learner.allocation_.tolist() == list(purposes)
    expected = [[training.max(), selection.max()] for *_, training, selection in rounds]
    np.testing.assert_allclose(learner.voi_history_, expected, rtol=2e-3)
    return (
        [row for row, what in bought if what == purpose]
        for purpose in ("train", "validation")
    )


@pytest.mark.parametrize(
    ("seed", "estimator", "name"),
    [
        (0, reference.Exact(), "lam"),  # refitted
        (1, LogisticRegression(), "C"),
    ],
)
def test_purchases_are_those_of_the_slow_twin(seed, estimator, name):
    X, y = smaller_pool()
    bought, rounds = slow_run(seed)
    grid = [lam if name == "lam" else 1 / lam for lam in SMALL_LAMS]
    learner = ALMSClassifier(
        estimator,
        param_grid={name: grid},
        n_candidates=99,
        n_pairs=99,
        n_initial=6,
        budget=8,
        random_state=seed,
    ).fit(X, y)
    T, V = check_purchases(learner, bought, rounds)
    weights = learner.model_probabilities_[-1 - len(rounds) : -1]
    np.testing.assert_allclose(weights, [found[0] for found in rounds], rtol=1e-4)
    assert learner.labeled_indices_["train"].tolist() == T
    assert learner.labeled_indices_["validation"].tolist() == V
    rows = [row for row, _ in bought]
    best = reference.best_in_cross_validation(TWINS, X[rows], y[rows], 5)
    assert learner.best_index_ == best
    assert learner.best_params_ == {name: grid[best]}
    model = reference.Logistic(SMALL_LAMS[best]).fit(X[rows], y[rows])
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(learner.predict_proba(X), probabilities, atol=1e-3)


@pytest.mark.parametrize("estimator", [LogisticRegression(), Refitted()])
def test_without_a_validation_set_its_loss_in_cross_validation_chooses(estimator):
    for seed in range(3):
        rng = np.random.RandomState(seed)
        X = rng.standard_normal((30, 3))
        names = np.where(X[:, 0] + rng.standard_normal(30) > 0, "b", "a")
        learner = ALMSClassifier(estimator, param_grid={"C": [100.0, 1.0, 0.01]})
        learner.teach(X, names)
        codes = (names == "b").astype(int)
        models = [reference.Logistic(lam) for lam in (0.01, 1.0, 100.0)]
        best = reference.best_in_cross_validation(models, X, codes, 5)
        assert learner.best_index_ == best


def test_nothing_to_choose_by_takes_the_middle_candidate():
    learner = ALMSClassifier(param_grid={"C": [0.01, 0.1, 1.0, 10.0]})
    learner.teach(X[[0, 1, 2]], [0, 0, 1])  # one row of a class: no folds
    assert learner.best_index_ == 1


@given(
    estimator=st.sampled_from([LogisticRegression(), Refitted(tol=1e-8)]),
    n_rows=st.integers(8, 14),
    n_features=st.sampled_from([1, 3, 40]),  # 40: more than rows
    lams=st.lists(
        st.sampled_from([0.1, 1.0, 5.0]), min_size=1, max_size=2, unique=True
    ),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=10, deadline=None)
def test_on_the_pool_purchases_are_those_of_the_slow_twin(
    estimator, n_rows, n_features, lams, seed
):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n_rows, n_features))
    y = (X[:, 0] + rng.standard_normal(n_rows) > 0).astype(int)
    assume(2 <= y.sum() <= n_rows - 2)
    params = {"n_initial": 5, "budget": 7, "random_state": seed}
    bought, rounds = reference.purchases_on_pool(
        [reference.Logistic(lam) for lam in lams], X, y, **params
    )
    grid = {"C": [1 / lam for lam in lams]}
    learner = ALMSClassifier(
        estimator, param_grid=grid, validation="pool", n_candidates=99, **params
    ).fit(X, y)
    assert learner.queried_indices_.tolist() == bought
    assert set(learner.allocation_) == {"train"}
    best = [values.max() for _, values in rounds]
    np.testing.assert_allclose(learner.voi_history_[:, 0], best, rtol=2e-3)
    assert np.isnan(learner.voi_history_[:, 1]).all()
    weights = learner.model_probabilities_[: len(rounds)]
    np.testing.assert_allclose(weights, [found[0] for found in rounds], rtol=1e-3)


def test_on_the_pool_all_labels_train_also_those_that_validated():
    learner = ALMSClassifier(n_initial=6, budget=8, **SMALL).fit(X, y)
    assert set(learner.allocation_) == {"train", "validation"}
    learner.set_params(validation="pool", budget=10)
    rows = learner.query(X)
    assert set(learner.allocation_) == {"train"}
    learner.teach(X[rows], y[rows])
    assert np.isnan(learner.voi_history_[-1, 1])
    with pytest.raises(ValueError, match="validation must be one of"):
        ALMSClassifier(validation="train").fit(X, y)


def test_sparse_texts_on_the_pool_are_bought_as_dense_ones():
    rng = np.random.RandomState(1)
    X = (rng.random((20, 300)) < 0.05) * rng.random((20, 300))
    y = (X[:, :20].sum(axis=1) > np.median(X[:, :20].sum(axis=1))).astype(int)
    params = {"n_initial": 6, "budget": 9, "param_grid": {"C": [0.1, 10.0]}}
    params |= {"validation": "pool", "random_state": 0}
    dense, sparse = (
        ALMSClassifier(**params).fit(rows, y) for rows in (X, csr_array(X))
    )
    refitted = ALMSClassifier(Refitted(tol=1e-8), n_candidates=99, **params).fit(X, y)
    bought = dense.queried_indices_.tolist()
    assert bought == sparse.queried_indices_.tolist()
    assert bought == refitted.queried_indices_.tolist()


def test_slow_runs_buy_for_both_sets():
    later = {purpose for seed in range(2) for _, purpose in slow_run(seed)[0][6:]}
    assert later == {"train", "validation"}


def test_a_scaler_is_trained_on_the_pool():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((60, 4)) * [1, 10, 100, 1] + 5
    y = X[:, 1] + 10 * rng.standard_normal(60) > 5
    grid = {"logisticregression__C": [0.1, 10.0]}
    params = {"n_initial": 8, "budget": 10, **SMALL}
    own = ALMSClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), param_grid=grid, **params
    ).fit(X, y)
    frozen = FrozenEstimator(StandardScaler().fit(X))
    steps = [("frozen", frozen), ("logisticregression", Refitted(tol=1e-8))]
    other = ALMSClassifier(type(own.estimator_)(steps), param_grid=grid, **params).fit(
        X, y
    )
    assert own.queried_indices_.tolist() == other.queried_indices_.tolist()
    assert own.allocation_.tolist() == other.allocation_.tolist()
    np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(X), atol=1e-3)
    np.testing.assert_allclose(own.estimator_[0].mean_, X.mean(axis=0))


def test_a_small_pool_does_not_spoil_a_scaler():
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    params = {"n_initial": 6, "budget": 9, **SMALL}
    learner = ALMSClassifier(scaled, **params).fit(X, y)
    others = X[:2] + 0.1
    seen = np.vstack([others, X[learner.queried_indices_]])
    learner.set_params(budget=20)
    rows = learner.query(others)
    learner.teach(others[rows], y[rows])
    np.testing.assert_allclose(learner.estimator_[0].mean_, seen.mean(axis=0))
    learner.teach(others[:1] + 1, y[:1])  # from elsewhere
    seen = np.vstack([seen, others[:1] + 1])
    np.testing.assert_allclose(learner.estimator_[0].mean_, seen.mean(axis=0))


X, y = problem(80, 4, noise=0.5)
SMALL = {"n_candidates": 2, "n_pairs": 2, "random_state": 0}


def test_labels_go_where_they_were_asked_for():
    learner = ALMSClassifier(n_initial=6, **SMALL)
    first = learner.query(X)
    learner = pickle.loads(pickle.dumps(learner))
    late = first[[4, 1]]
    learner.teach(X[first[[0, 2, 3, 5]]], y[first[[0, 2, 3, 5]]])
    learner.teach(X[-5:-3] + 1, y[-5:-3])  # from elsewhere
    learner = pickle.loads(pickle.dumps(learner))
    learner.teach(X[late], y[late])
    assert learner.allocation_.tolist() == [
        *("train", "train", "validation", "validation"),
        *("train", "train"),
        *("train", "validation"),
    ]
    assert learner.labeled_indices_["validation"].tolist() == first[[3, 5, 1]].tolist()
    assert learner.labeled_indices_["train"].tolist() == first[[0, 2, 4]].tolist()
    assert learner.n_pending_ == 0


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
def test_first_labels_alternate_until_both_sets_will_do():
    one_class = np.where(np.arange(50) < 47, "no", "yes")
    learner = ALMSClassifier(n_initial=4, budget=None, **{**SMALL, "random_state": 1})
    learner.learn(X[:50], lambda rows: one_class[rows], classes=["no", "yes"])
    alternating = np.resize(["train", "validation"], 50)
    training = np.where(
        alternating == "train", one_class[learner.queried_indices_], "no"
    )
    n_cold = int(np.argmax(training == "yes")) + 1
    assert 4 < n_cold < 50
    assert learner.allocation_[:n_cold].tolist() == alternating[:n_cold].tolist()
    assert len(learner.voi_history_) == 50 - n_cold


def test_what_was_chosen_does_not_depend_on_later_parameters():
    learner = ALMSClassifier(param_grid={"C": [0.1, 10.0]}, budget=13, **SMALL)
    for name in ("best_params_", "model_probabilities_", "best_index_"):
        assert not hasattr(learner, name)
    learner.fit(X, y)
    params, probabilities = learner.best_params_, learner.model_probabilities_
    assert params == {"C": [0.1, 10.0][learner.best_index_]}
    assert probabilities.shape == (len(learner.voi_history_) + 1, 2)
    learner.set_params(param_grid={"C": [2.0, 3.0]})
    assert learner.best_params_ == params
    np.testing.assert_array_equal(learner.model_probabilities_, probabilities)
    learner.teach(X[:1] + 1, y[:1])
    assert learner.best_params_["C"] in (2.0, 3.0)
    assert learner.model_probabilities_.shape == (1, 2)
    rows = learner.set_params(budget=14).query(X)
    learner.teach(X[rows], y[rows])
    assert learner.model_probabilities_.shape == (2, 2)
    learner.set_params(param_grid={"C": [0.1, 1.0, 10.0]}).teach(X[:1] + 2, y[:1])
    assert learner.model_probabilities_.shape == (1, 3)
    assert not hasattr(learner.set_params(budget=0).fit(X, y), "best_params_")


def test_probabilities_of_purchases():
    learner = ALMSClassifier(n_initial=6, budget=24, **SMALL)
    left = np.arange(80)
    while len(left) > 56:
        rows, probability = learner.query(X, candidates=left, return_probability=True)
        learner.teach(X[rows], y[rows])
        is_random = (
            learner.allocation_[-1] == "validation" or len(learner.voi_history_) == 0
        )
        expected = len(rows) / len(left) if is_random else 1.0
        np.testing.assert_allclose(probability, expected)
        left = np.setdiff1d(left, rows)
    assert set(learner.allocation_[6:]) == {"train", "validation"}


MIXED = [("forest", RandomForestClassifier(2)), ("svm", SVC()), ("bayes", GaussianNB())]


def test_any_mix_of_classifiers():
    X, y = load_iris(return_X_y=True)
    learner = ALMSClassifier(estimators=MIXED, budget=12, **SMALL).fit(X, y)
    assert learner.score(X, y) > 0.6
    assert learner.best_params_ == {}
    assert learner.model_probabilities_.shape[1] == 3
    np.testing.assert_allclose(learner.predict_proba(X).sum(axis=1), 1)


def test_the_chosen_machine_is_calibrated_on_the_validation_set():
    learner = ALMSClassifier(SVC(), n_initial=16, budget=18, **SMALL).fit(X, y)
    rows = learner.labeled_indices_["validation"]
    model = calibrated(learner.estimator_, X, rows, y[rows])
    expected = model.predict_proba(X)
    np.testing.assert_allclose(learner.predict_proba(X), expected)
    np.testing.assert_array_equal(learner.predict(X), learner.estimator_.predict(X))


def test_texts():
    texts = ["cheap pills", "lunch at noon", "free pills now", "notes at noon"] * 10
    labels = ["pills" in text for text in texts]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    learner = ALMSClassifier(
        model, param_grid={"logisticregression__C": [1.0, 10.0]}, budget=14, **SMALL
    ).fit(texts, labels)
    assert len(learner.estimator_[0].vocabulary_) == 8  # of all texts
    assert learner.score(texts, labels) == 1


@pytest.mark.parametrize(
    "before",
    [
        make_union(StandardScaler(), SelectKBest(chi2, k=2)),
        make_pipeline(FunctionTransformer(), SelectKBest(chi2, k=2)),
        ColumnTransformer([("a", SelectKBest(chi2, k=1), [0, 1]), ("b", "drop", [2])]),
    ],
)
def test_parts_of_transformers_may_need_labels(before):
    model = make_pipeline(before, LogisticRegression())
    learner = ALMSClassifier(model, budget=11, **SMALL).fit(np.exp(X), y)
    assert learner.score(np.exp(X), y) > 0.6
    assert not is_joint(learner)


def test_some_transformers_need_no_labels():
    assert needs_labels(ColumnTransformer([("codes", TargetEncoder(), [0])]))
    frozen = FrozenEstimator(SelectKBest(k=2).fit(X, y))
    union = make_union(StandardScaler(), frozen)
    assert not needs_labels(union)
    for step in (None, "passthrough", union):
        model = Pipeline([("step", step), ("model", LogisticRegression())])
        learner = ALMSClassifier(model, budget=11, **SMALL).fit(X, y)
        assert is_joint(learner)
        assert learner.score(X, y) > 0.6


@pytest.mark.parametrize(
    ("params", "n_candidates", "n_pairs"),
    [
        ({"estimator": GaussianNB()}, 10, 10),
        ({"estimator": GaussianNB(), "n_candidates": 20, "n_pairs": 4}, 20, 4),
        ({}, 60, None),
        ({"n_candidates": 3}, 3, None),
        ({"n_candidates": 3, "batch_size": 5}, 5, None),
    ],
)
def test_how_many_are_looked_at(params, n_candidates, n_pairs, monkeypatch):
    def looked(models, weigh, n_pairs, *_):
        seen.append((models.n_candidates, n_pairs))
        return np.zeros((2, models.n_candidates))

    seen = []
    monkeypatch.setattr(_alms, "values_of_information", looked)
    learner = ALMSClassifier(n_initial=20, random_state=0, **params)
    rows = learner.query(X)
    rows = learner.teach(X[rows], y[rows]).query(
        X, candidates=np.setdiff1d(np.arange(80), rows)
    )
    assert seen == [(n_candidates, n_pairs)]
    assert len(rows) == learner.batch_size


def is_joint(learner):
    """Return True if a learner trains its candidates jointly."""
    known = learner._state.known(learner._parts)
    return learner.make_trainer().is_joint(known)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (LogisticRegression(), True),
        (make_pipeline(FunctionTransformer(), LogisticRegression()), True),
        (LogisticRegression(l1_ratio=1, solver="saga", tol=0.1), False),
        (LogisticRegression(C=np.inf), False),
        (LogisticRegression(class_weight="balanced"), False),
        (LogisticRegression(solver="liblinear"), False),
        (LogisticRegression(solver="liblinear", fit_intercept=False), True),
        (make_pipeline(SelectKBest(k=2), LogisticRegression()), False),
        (GaussianNB(), False),
    ],
)
def test_candidates_are_trained_jointly_if_possible(estimator, expected):
    learner = ALMSClassifier(estimator, n_initial=6, budget=7, **SMALL)
    assert is_joint(learner.fit(X, y)) is expected
    if expected and "liblinear" not in str(estimator):
        assert not is_joint(fresh(learner).teach(X, np.arange(80) % 3))


def test_candidates_are_refitted_if_joint_training_fails(monkeypatch):
    def fail(*_):
        raise NotSolved

    X, y = small_pool()
    learner = ALMSClassifier(
        param_grid={"C": [0.1, 10.0]}, n_candidates=3, n_pairs=2, n_initial=6,
        budget=7, random_state=0,
    )  # fmt: skip
    refitted = clone(learner).set_params(estimator=Refitted()).fit(X, y)
    monkeypatch.setattr(JointModels, "trained", fail)
    with pytest.warns(UserWarning, match="Scale the features") as warned:
        learner.fit(X, y)
    assert len(warned) == 1
    bought = learner.queried_indices_.tolist()
    assert bought == refitted.queried_indices_.tolist()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_joint_training_fails_on_large_numbers():
    X, y = small_pool()
    learner = ALMSClassifier(
        param_grid={"C": [1e-3, 1e6]}, n_candidates=2, n_pairs=2, budget=11,
        random_state=0,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="Scale the features"):
        learner.fit(1e9 * X, y)
    assert learner.n_queries_ == len(learner.allocation_) == 11
