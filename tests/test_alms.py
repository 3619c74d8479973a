"""Active learning with model selection: the twin, the losses, the two sets."""

import pickle
import signal
from functools import cache
from threading import Lock
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
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
from sklearn.svm import SVC, LinearSVC

from sklearn_activelearn import ALMSClassifier
from sklearn_activelearn.pool import _voi_gram
from sklearn_activelearn.pool._left_out import margins_with_each
from sklearn_activelearn.pool._newton import solve
from sklearn_activelearn.pool._training import Labelled
from sklearn_activelearn.pool._voi import (
    LOSSES,
    Means,
    lower_ends,
    model_probabilities,
    values_of_information,
)
from sklearn_activelearn.pool._voi_gram import GramModels, coordinates, needs_labels
from sklearn_activelearn.pool._voi_refit import PlainSigmoid, RefittedModels, calibrated
from tests.reference import alms as reference
from tests.tools import fresh

LAMS = [2.0**power for power in (10, 0, -10)]


class Exact(ClassifierMixin, BaseEstimator):
    """The slow twin's logistic regression, as scikit-learn would have it."""

    def __init__(self, lam=1.0):
        self.lam = lam

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = reference.Logistic(self.lam).fit(X, y)
        return self

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def problem(seed, n=12, v=4, n_pool=3, d=3, separable=False):
    """Return labelled rows, which of them validate, and a pool."""
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n + n_pool, d))
    noise = 0 if separable else 2 * rng.standard_normal(n + n_pool)
    y = (X[:, 0] + X[:, 1] + noise > 0).astype(np.int32)
    is_validation = np.zeros(n, dtype=bool)
    is_validation[rng.permutation(n)[:v]] = True
    training = np.flatnonzero(~is_validation)
    y[training[:2]] = 0, 1
    return X[:n], y[:n], is_validation, X[n:]


def engines(X, y, is_validation, pool, lams=LAMS):
    """Return the same models refitted and trained together."""
    known = Labelled(X, y), is_validation
    rest = LOSSES["log_loss"], pool, len(pool)
    exact = [Exact(lam) for lam in lams]
    logistic = [LogisticRegression(C=1 / lam) for lam in lams]
    return (
        RefittedModels(exact, *known, np.arange(2), *rest),
        GramModels(logistic, *known, *rest, None),
    )


def values(models, pairing="averaged"):
    return values_of_information(
        models,
        lambda losses: model_probabilities(lower_ends(losses)),
        temperature=None,
        pairing=pairing,
        n_pairs=None,
        n_jobs=None,
        rng=np.random.default_rng(0),
    )


@settings(max_examples=8)
@given(
    seed=st.integers(0, 999),
    v=st.integers(2, 4),
    d=st.sampled_from([2, 4, 20]),
    separable=st.booleans(),
)
def test_values_are_those_of_the_slow_twin(seed, v, d, separable):
    X, y, is_validation, pool = problem(seed, v=v, d=d, separable=separable)
    T, V = (X[~is_validation], y[~is_validation]), (X[is_validation], y[is_validation])
    models = [reference.Logistic(lam) for lam in LAMS]
    _, _, training, selection = reference.one_round(models, T, V, pool)
    refitted, together = engines(X, y, is_validation, pool)
    for own, other in zip(values(refitted), (training, selection), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-6)
    own = values(together)
    np.testing.assert_allclose(own[0], training, rtol=2e-3)
    np.testing.assert_allclose(own[1], selection, rtol=1e-5)


@settings(max_examples=6)
@given(seed=st.integers(0, 999), d=st.sampled_from([3, 30]), separable=st.booleans())
@pytest.mark.parametrize(
    ("tol", "most", "mean"), [(1e-2, 0.1, 2e-3), (1e-9, 1e-5, 1e-6)]
)
def test_losses_left_out(tol, most, mean, seed, d, separable):
    X, y, is_validation, pool = problem(seed, n=24, v=6, d=d, separable=separable)
    refitted, together = engines(X, y, is_validation, pool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_voi_gram, "TOLERANCE", tol)
        rng = np.random.default_rng(seed)
        pairs = np.transpose(np.triu_indices(6, 1))[rng.permutation(15)[:3]]
        guesses = rng.integers(2, size=len(pool))  # wrong ones too
        error = together.without_but_with(pairs, guesses)
        error = np.abs(error - refitted.without_but_with(pairs, guesses))
    assert error.max() < most
    assert error.mean() < mean
    np.testing.assert_allclose(
        together.without(pairs), refitted.without(pairs), rtol=1e-5, atol=1e-7
    )
    rows = np.arange(2)
    for own, other in zip(
        together.without_one(rows, guesses),
        refitted.without_one(rows, guesses),
        strict=True,
    ):
        np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-7)
    for own, other in zip(together.trained(), refitted.trained(), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-7)


def test_all_ways_to_train_with_one_more_row_are_taken():
    X, y, _, pool = problem(0, n=30, n_pool=40, separable=True)
    A, B = coordinates(X, pool, True)
    lams, none = np.array(LAMS), np.empty((1, 0), dtype=np.intp)
    sign = 2.0 * y - 1
    start = solve(A, sign, True, none, None, lams)[0]
    pairs, counts = np.array([[0, 1], [2, 3]]), np.zeros((3, 4), dtype=np.int64)
    margins_with_each(
        A, sign, True, pairs, start, lams, B, -np.sign(pool[:, 0]), 1e-2, counts
    )
    assert counts.sum(axis=1).tolist() == [80] * 3
    assert counts[0, 0] == 80
    assert (counts[-1] > 0).all()


@pytest.mark.parametrize("lam", LAMS)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_solution_has_no_slope(lam, fit_intercept):
    X, y, _, _ = problem(1, n=20, d=30)
    A, _ = coordinates(X, None, fit_intercept)
    none, sign = np.empty((1, 0), dtype=np.intp), 2.0 * y - 1
    w = solve(A, sign, fit_intercept, none, None, np.array([lam]))[0, 0]

    def objective(w):
        weights = w[:-1] if fit_intercept else w
        return np.logaddexp(0, -sign * (A @ w)).sum() + lam / 2 * weights @ weights

    for step in 1e-5 * np.eye(len(w)):
        slope = (objective(w + step) - objective(w - step)) / 2e-5
        assert abs(slope) < 1e-6 * max(1, objective(w))


@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
@pytest.mark.parametrize("d", [20, 200])
def test_weak_penalties_and_large_features(d, scale):
    X, y, is_validation, pool = problem(0, n=24, v=8, d=d)
    refitted, together = engines(scale * X, y, is_validation, scale * pool)
    (losses, _), (expected, _) = together.trained(), refitted.trained()
    np.testing.assert_allclose(losses, expected, rtol=1e-3, atol=1e-3)


class Interrupted(Exception):
    """Raised by a signal."""


@pytest.mark.parametrize("name", ["without", "without_but_with"])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
def test_ctrl_c_does_not_wait(name):
    _, together = engines(*problem(0, n=60, v=30, n_pool=10, d=60))
    pairs = np.transpose(np.triu_indices(30, 1))
    guesses = () if name == "without" else (np.zeros(10, dtype=int),)
    train = getattr(together, name)

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    start = perf_counter()
    try:
        with pytest.raises(Interrupted):
            train(np.tile(pairs, (100, 1)), *guesses)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    stopped = perf_counter() - start
    start = perf_counter()
    train(pairs, *guesses)
    assert stopped < 0.05 + 10 * (perf_counter() - start)


def test_coordinates_keep_inner_products():
    rng = np.random.RandomState(0)
    X, others = rng.standard_normal((6, 20)), rng.standard_normal((4, 20))
    for rows, pool in (
        (X, others),
        (csr_array(X), csr_array(others)),
        (X[:, :3], others[:, :3]),
    ):
        A, B = coordinates(rows, pool, False)
        dense, pool = (part @ np.eye(part.shape[1]) for part in (rows, pool))
        np.testing.assert_allclose(A @ A.T, dense @ dense.T, atol=1e-10)
        np.testing.assert_allclose(B @ A.T, pool @ dense.T, atol=1e-10)
        np.testing.assert_allclose((B**2).sum(axis=1), (pool**2).sum(axis=1))


SMALL_LAMS = (0.01, 1.0, 30.0)
TWINS = [reference.Logistic(lam) for lam in SMALL_LAMS]


def small_pool():
    rng = np.random.RandomState(3)
    X = rng.standard_normal((18, 3))
    return X, (X[:, 0] + rng.standard_normal(18) > 0).astype(int)


@cache
def slow_run(seed):
    return reference.purchases(
        TWINS, *small_pool(), n_initial=6, budget=11, random_state=seed
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("estimator", "name", "voi"),
    [
        (Exact(), "lam", "refit"),
        (LogisticRegression(), "C", "gram"),
        (LogisticRegression(), "C", "auto"),
    ],
)
def test_purchases_are_those_of_the_slow_twin(seed, estimator, name, voi):
    X, y = small_pool()
    bought, rounds = slow_run(seed)
    grid = [lam if name == "lam" else 1 / lam for lam in SMALL_LAMS]
    learner = ALMSClassifier(
        estimator, {name: grid}, voi=voi, n_initial=6, budget=11, random_state=seed
    ).fit(X, y)
    rows, purposes = zip(*bought, strict=True)
    assert learner.queried_indices_.tolist() == list(rows)
    assert learner.allocation_.tolist() == list(purposes)
    expected = [[training.max(), selection.max()] for *_, training, selection in rounds]
    np.testing.assert_allclose(learner.voi_history_, expected, rtol=2e-3)
    weights = learner.model_probabilities_[-1 - len(rounds) : -1]
    np.testing.assert_allclose(weights, [found[0] for found in rounds], rtol=1e-4)
    T, V = (
        [row for row, what in bought if what == purpose]
        for purpose in ("train", "validation")
    )
    assert learner.labeled_indices_["train"].tolist() == T
    assert learner.labeled_indices_["validation"].tolist() == V
    best = reference.best_on_validation(TWINS, (X[T], y[T]), (X[V], y[V]))
    assert learner.best_index_ == best
    assert learner.best_params_ == {name: grid[best]}
    model = reference.Logistic(SMALL_LAMS[best]).fit(X[list(rows)], y[list(rows)])
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(learner.predict_proba(X), probabilities, atol=1e-3)


def test_slow_runs_buy_for_both_sets():
    later = {purpose for seed in range(3) for _, purpose in slow_run(seed)[0][6:]}
    assert later == {"train", "validation"}


def test_a_scaler_is_trained_on_the_pool():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((60, 4)) * [1, 10, 100, 1] + 5
    y = X[:, 1] + 10 * rng.standard_normal(60) > 5
    grid = {"logisticregression__C": [0.1, 10.0]}
    params = {"n_candidates": 5, "n_pairs": 5, "budget": 20, "random_state": 0}
    own = ALMSClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()),
        grid,
        voi="gram",
        **params,
    ).fit(X, y)
    frozen = FrozenEstimator(StandardScaler().fit(X))
    steps = [("frozen", frozen), ("logisticregression", LogisticRegression(tol=1e-8))]
    other = ALMSClassifier(
        type(own.estimator_)(steps), grid, voi="refit", **params
    ).fit(X, y)
    assert own.queried_indices_.tolist() == other.queried_indices_.tolist()
    assert own.allocation_.tolist() == other.allocation_.tolist()
    np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(X), atol=1e-3)
    np.testing.assert_allclose(own.estimator_[0].mean_, X.mean(axis=0))


def test_a_small_pool_does_not_spoil_a_scaler():
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    params = {"n_initial": 6, "budget": 9, **SMALL}
    learner = ALMSClassifier(scaled, **params).fit(X, y)
    others = X[:2] + 0.1
    learner.set_params(budget=20)
    rows = learner.query(others)
    learner.teach(others[rows], y[rows])
    taught = X[learner.queried_indices_]
    seen = np.vstack([others, taught])
    np.testing.assert_allclose(learner.estimator_[0].mean_, seen.mean(axis=0))
    learner.teach(others[:1] + 1, y[:1])  # from elsewhere
    seen = np.vstack([seen, others[:1] + 1])
    np.testing.assert_allclose(learner.estimator_[0].mean_, seen.mean(axis=0))

    by_hand, left = fresh(learner).set_params(budget=9), X
    answers = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
    while len(rows := by_hand.query(left)):
        labels = [answers[row.tobytes()] for row in left[rows]]
        by_hand.teach(left[rows], labels)
        assert by_hand.estimator_[0].n_samples_seen_ == len(X)
        left = np.delete(left, rows, axis=0)
    np.testing.assert_allclose(by_hand.estimator_[0].mean_, X.mean(axis=0))


def test_a_pipeline_keeps_its_parameters(tmp_path):
    steps = ("scaler", StandardScaler()), ("model", LogisticRegression())
    pipeline = Pipeline(steps, memory=str(tmp_path), transform_input=["sample_weight"])
    learner = ALMSClassifier(pipeline, voi="gram", budget=11, **SMALL).fit(X, y)
    assert learner.estimator_.memory == str(tmp_path)
    assert learner.estimator_.transform_input == ["sample_weight"]
    assert [name for name, _ in learner.estimator_.steps] == ["scaler", "model"]
    assert pipeline.steps is steps
    assert not hasattr(pipeline[0], "mean_")


def test_model_probabilities():
    errors = np.array([0.1, 0.5, 2.0])
    expected = 1 - np.exp(errors) / np.exp(errors).sum()
    np.testing.assert_allclose(model_probabilities(errors), expected / 2)
    assert model_probabilities(np.array([3.0])).tolist() == [1.0]
    cold = model_probabilities(errors, temperature=0.01)
    np.testing.assert_allclose(cold, [1, 0, 0], atol=1e-6)
    assert lower_ends(np.array([[1.0], [2.0]])).tolist() == [1.0, 2.0]
    losses = np.array([[0.1, 0.3, 0.2], [1.0, 5.0, 0.0]])
    np.testing.assert_allclose(
        lower_ends(losses), [reference.lower_end(row) for row in losses]
    )
    assert lower_ends(losses)[1] == 0


def test_means_over_pairs():
    losses = np.random.RandomState(0).uniform(size=(3, 5, 2))
    weights = np.array([model_probabilities(losses[:, :, k]) for k in (0, 1)])
    expected = np.mean(
        [weights[k][:, p] @ losses[:, p, 1 - k] for p in range(5) for k in (0, 1)]
    )
    means = Means.of(losses, None)
    np.testing.assert_allclose(means.system_loss("paired"), expected)
    expected = weights.mean(axis=(0, 2)) @ losses.mean(axis=(1, 2))
    np.testing.assert_allclose(means.system_loss("averaged"), expected)
    parts = Means.of(losses[:, :2], None).mixed(Means.of(losses[:, 2:], None), 0.6)
    for pairing in ("paired", "averaged"):
        np.testing.assert_allclose(
            parts.system_loss(pairing), means.system_loss(pairing)
        )


def test_blocks_of_pairs_and_threads_do_not_matter(monkeypatch):
    _, together = engines(*problem(0, n=20, v=7))
    expected = values(together)
    monkeypatch.setattr("sklearn_activelearn.pool._voi.BLOCK", 200)
    np.testing.assert_allclose(values(together), expected, rtol=1e-12)


@pytest.mark.parametrize("selection", ["validation", "leave_one_out"])
def test_work_is_divided_among_workers(selection, monkeypatch):
    parts = []

    def counted(method):
        def wrapped(models, *args):
            parts.append((method.__name__, len(args[0])))
            return method(models, *args)

        return wrapped

    for name in ("without", "without_one", "without_but_with"):
        monkeypatch.setattr(GramModels, name, counted(getattr(GramModels, name)))
    learner = ALMSClassifier(
        voi="gram", selection=selection, budget=12, random_state=0
    ).fit(X, y)
    alone, parts[:] = sorted(parts), []
    other = fresh(learner).set_params(n_jobs=2).fit(X, y)
    expected = [
        (name, len(part))
        for name, size in alone
        for part in np.array_split(np.arange(size), 2)
    ]
    assert sorted(parts) == sorted(expected)
    assert other.queried_indices_.tolist() == learner.queried_indices_.tolist()
    np.testing.assert_array_equal(other.voi_history_, learner.voi_history_)


rng = np.random.RandomState(0)
X = rng.standard_normal((80, 4))
y = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, "yes", "no")
SMALL = {"n_candidates": 3, "n_pairs": 3, "random_state": 0}


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


def test_equal_rows_first_in_first_out():
    pool = np.repeat([[0.0, 1.0], [1.0, 0.0]], 4, axis=0)
    learner = ALMSClassifier(n_initial=8, **SMALL)
    rows = learner.query(pool)
    purposes = np.array(["train", "validation"] * 4)
    order = np.argsort(pool[rows, 0], kind="stable")
    learner.teach(pool[rows[order]], pool[rows[order], 0])
    assert learner.allocation_.tolist() == purposes[order].tolist()
    taught_again = learner.teach(pool[:1], [0.0])
    assert taught_again.allocation_[-1] == "train"


def test_first_labels_alternate_until_both_sets_will_do():
    one_class = np.where(np.arange(80) < 77, "no", "yes")
    learner = ALMSClassifier(n_initial=4, budget=None, **{**SMALL, "random_state": 1})
    learner.learn(X, lambda rows: one_class[rows], classes=["no", "yes"])
    alternating = np.resize(["train", "validation"], 80)
    training = np.where(
        alternating == "train", one_class[learner.queried_indices_], "no"
    )
    n_cold = int(np.argmax(training == "yes")) + 1
    assert 4 < n_cold < 80
    assert learner.allocation_[:n_cold].tolist() == alternating[:n_cold].tolist()
    assert len(learner.voi_history_) == 80 - n_cold


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
    learner = ALMSClassifier(n_initial=6, budget=40, **SMALL)
    left = np.arange(80)
    while len(left) > 40:
        rows, probability = learner.query(X, candidates=left, return_probability=True)
        learner.teach(X[rows], y[rows])
        is_random = (
            learner.allocation_[-1] == "validation" or len(learner.voi_history_) == 0
        )
        expected = len(rows) / len(left) if is_random else 1.0
        np.testing.assert_allclose(probability, expected)
        left = np.setdiff1d(left, rows)
    assert set(learner.allocation_[6:]) == {"train", "validation"}


def test_labels_from_elsewhere_only():
    learner = ALMSClassifier(**SMALL).teach(X, y)
    assert learner.score(X, y) > 0.8
    assert set(learner.allocation_) == {"train"}
    np.testing.assert_allclose(learner.model_probabilities_, 0.2)
    rows = learner.query(X[:30] + 1)  # validation rows are needed
    assert len(rows) == 1


MIXED = [("forest", RandomForestClassifier(5)), ("svm", SVC()), ("bayes", GaussianNB())]


@pytest.mark.parametrize("selection", ["validation", "leave_one_out", "cv"])
def test_any_mix_of_classifiers(selection):
    X, y = load_iris(return_X_y=True)
    params = {**SMALL, "n_candidates": 2, "n_pairs": 2}
    learner = ALMSClassifier(estimators=MIXED, selection=selection, budget=20, **params)
    learner.fit(X, y)
    assert learner.score(X, y) > 0.8
    assert learner.best_params_ == {}
    assert learner.model_probabilities_.shape[1] == 3
    np.testing.assert_allclose(learner.predict_proba(X).sum(axis=1), 1)


def test_calibration():
    labels = (y == "yes").astype(int)
    model = LinearSVC().fit(X, labels)
    own = calibrated(model, X[:20], labels[:20])
    expected = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid")
    expected.fit(X[:20], labels[:20])
    np.testing.assert_allclose(own.predict_proba(X), expected.predict_proba(X))
    scores = model.decision_function(X)
    few = calibrated(model, X[:4], labels[:4]).predict_proba(X)
    np.testing.assert_allclose(few[:, 1], 1 / (1 + np.exp(-scores)))
    one_class = calibrated(model, X[:20], np.zeros(20, int))
    assert isinstance(one_class, PlainSigmoid)
    bayes = GaussianNB().fit(X, labels)
    assert calibrated(bayes, X, labels) is bayes


def test_the_chosen_machine_is_calibrated_on_the_validation_set():
    learner = ALMSClassifier(SVC(), budget=24, **SMALL).fit(X, y)
    rows = learner.labeled_indices_["validation"]
    expected = calibrated(learner.estimator_, X[rows], y[rows]).predict_proba(X)
    np.testing.assert_allclose(learner.predict_proba(X), expected)
    np.testing.assert_array_equal(learner.predict(X), learner.estimator_.predict(X))


def squared(codes, probabilities):
    return ((np.eye(probabilities.shape[1])[codes] - probabilities) ** 2).sum(axis=1)


@pytest.mark.parametrize("voi", ["gram", "refit"])
def test_a_loss_of_ones_own(voi):
    runs = [
        ALMSClassifier(loss=loss, voi=voi, budget=14, **SMALL).fit(X, y)
        for loss in ("brier", squared, "log_loss")
    ]
    np.testing.assert_allclose(runs[0].voi_history_, runs[1].voi_history_)
    assert not np.allclose(runs[0].voi_history_, runs[2].voi_history_)


def test_a_loss_may_return_a_list():
    runs = [
        ALMSClassifier(loss=loss, budget=12, **SMALL).fit(X, y)
        for loss in (squared, lambda *args: squared(*args).tolist())
    ]
    np.testing.assert_array_equal(*[run.voi_history_ for run in runs])


@pytest.mark.parametrize("voi", ["gram", "refit"])
@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda codes, p: 1.0, "shape"),
        (lambda codes, p: p, "shape"),
        (lambda codes, p: squared(codes, p) * np.nan, "finite, got nan for class 0"),
        (lambda codes, p: np.full(len(codes), np.inf), "finite, got inf"),
    ],
)
def test_a_loss_is_tried_before_labels_are_bought(voi, loss, words):
    learner = ALMSClassifier(loss=loss, voi=voi)
    with pytest.raises(ValueError, match=words):
        learner.query(X)
    assert vars(learner) == learner.get_params(deep=False)


@pytest.mark.parametrize("voi", ["gram", "refit"])
def test_a_loss_is_checked_later_on(voi):
    def rough(codes, probabilities):
        return np.where(len(codes) == 2, 0, np.inf) + 0 * codes

    with pytest.raises(ValueError, match="loss must be finite"):
        ALMSClassifier(loss=rough, voi=voi, budget=14, **SMALL).fit(X, y)


def test_sparse_rows_and_texts():
    learner = ALMSClassifier(budget=16, **SMALL).fit(X, y)
    sparse = fresh(learner).fit(csr_array(X), y)
    assert sparse.queried_indices_.tolist() == learner.queried_indices_.tolist()
    texts = ["cheap pills", "lunch at noon", "free pills now", "notes at noon"] * 10
    labels = ["pills" in text for text in texts]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    learner = ALMSClassifier(
        model, {"logisticregression__C": [1.0, 10.0]}, budget=14, **SMALL
    ).fit(texts, labels)
    assert len(learner.estimator_[0].vocabulary_) == 8  # of all texts
    assert learner.score(texts, labels) == 1


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"estimator": SVC(decision_function_shape="ovo")}, 'shape="ovr"'),
        ({"voi": "gram", "estimator": SVC()}, "not LogisticRegression"),
        ({"voi": "gram", "estimator": LogisticRegression(l1_ratio=0.5)}, "L2"),
        ({"voi": "gram", "estimator": LogisticRegression(C=np.inf)}, "no penalty"),
        ({"voi": "gram", "param_grid": {"C": [1.0, 0.0]}}, "C is not positive"),
        ({"voi": "gram", "estimator": LogisticRegression(C=-1)}, "C is not positive"),
        (
            {"voi": "gram", "estimator": LogisticRegression(class_weight="balanced")},
            "class_weight",
        ),
        (
            {"voi": "gram", "estimator": LogisticRegression(solver="liblinear")},
            "intercept",
        ),
        (
            {
                "voi": "gram",
                "estimator": make_pipeline(SelectKBest(k=2), LogisticRegression()),
            },
            "need labels",
        ),
    ],
)
def test_what_is_refused(params, words):
    learner = ALMSClassifier(**params)
    with pytest.raises((TypeError, ValueError), match=words):
        learner.query(X)
    assert vars(learner) == learner.get_params(deep=False)


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
    with pytest.raises(ValueError, match="need labels"):
        learner.set_params(voi="gram").query(X)


def test_some_transformers_need_no_labels():
    assert needs_labels(ColumnTransformer([("codes", TargetEncoder(), [0])]))
    frozen = FrozenEstimator(SelectKBest(k=2).fit(X, y))
    union = make_union(StandardScaler(), frozen)
    assert not needs_labels(union)
    for step in (None, "passthrough", union):
        model = Pipeline([("step", step), ("model", LogisticRegression())])
        learner = ALMSClassifier(model, voi="gram", budget=11, **SMALL).fit(X, y)
        assert learner.score(X, y) > 0.6


@pytest.mark.parametrize("voi", ["gram", "refit"])
def test_transformers_without_a_name(voi):
    lock = Lock()

    def doubled(X):
        with lock:
            return 2 * X

    runs = [
        ALMSClassifier(
            make_pipeline(FunctionTransformer(function), LogisticRegression()),
            {"logisticregression__C": [0.1, 10.0]},
            voi=voi,
            budget=12,
            **SMALL,
        ).fit(X, y)
        for function in (np.positive, lambda X: X, doubled)
    ]
    assert runs[1].queried_indices_.tolist() == runs[0].queried_indices_.tolist()
    np.testing.assert_allclose(runs[1].voi_history_, runs[0].voi_history_)
    assert not np.allclose(runs[2].voi_history_, runs[0].voi_history_)


def test_auto_takes_what_it_can():
    pipeline = make_pipeline(FunctionTransformer(), LogisticRegression())
    for estimator, shares in [
        (LogisticRegression(), True),
        (pipeline, True),
        (LogisticRegression(l1_ratio=1, solver="saga"), False),
        (GaussianNB(), False),
    ]:
        learner = ALMSClassifier(estimator, budget=11, **SMALL).fit(X, y)
        assert learner._shares is shares
    three = ALMSClassifier(budget=11, **SMALL).fit(X, np.arange(80) % 3)
    assert not three._shares


def test_gram_refuses_a_third_class():
    three = np.arange(80) % 3
    learner = ALMSClassifier(voi="gram", budget=12, **SMALL)
    for buy in (
        lambda: learner.fit(X, three),
        lambda: learner.learn(X, lambda rows: pytest.fail("bought"), [0, 1, 2]),
    ):
        with pytest.raises(ValueError, match="two classes, got 3"):
            buy()
        assert not hasattr(learner, "n_queries_")
    rows = learner.query(X)
    learner.teach(X[rows[:5]], three[rows[:5]] % 2)
    with pytest.raises(ValueError, match="two classes, got 3"):
        learner.teach(X[rows], three[rows])
    assert learner.n_pending_ == 5
    learner.set_params(voi="auto").teach(X[rows], three[rows])
    with pytest.raises(ValueError, match="two classes, got 3"):
        learner.set_params(voi="gram").query(X)
    assert learner.n_queries_ == 10
    learner.fit(X, y)
