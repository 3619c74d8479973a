"""The models behind ALMS: losses when rows are left out, against the slow twin."""

import signal
from functools import partial
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_activelearn import ALMSClassifier
from sklearn_activelearn.pool._ledger import Labelled
from sklearn_activelearn.pool.alms import _candidate_models
from sklearn_activelearn.pool.alms._candidate_models import (
    JointModels,
    PlainSigmoid,
    RefittedModels,
    calibrated,
    log_loss,
)
from sklearn_activelearn.pool.alms._value_of_information import (
    model_probabilities,
    values_of_information,
)
from tests.learners import seldom
from tests.reference import alms as reference

LAMS = [2.0**power for power in (10, 0, -10)]


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
    exact = [reference.Exact(lam) for lam in lams]
    logistic = [LogisticRegression(C=1 / lam) for lam in lams]
    return (
        RefittedModels(exact, *known, np.arange(2), pool),
        JointModels(logistic, *known, pool),
    )


def values(models):
    rng = np.random.default_rng(0)
    return values_of_information(models, model_probabilities, None, None, rng)


@seldom
@given(
    seed=st.integers(0, 999),
    v=st.integers(2, 3),
    d=st.sampled_from([2, 4, 20]),
    separable=st.booleans(),
)
def test_values_are_those_of_the_slow_twin(seed, v, d, separable):
    X, y, is_validation, pool = problem(
        seed, n=8, v=v, n_pool=2, d=d, separable=separable
    )
    T, V = (X[~is_validation], y[~is_validation]), (X[is_validation], y[is_validation])
    models = [reference.Logistic(lam) for lam in LAMS]
    _, _, training, selection = reference.one_round(models, T, V, pool)
    refitted, together = engines(X, y, is_validation, pool)
    expected = training, selection
    for own, other in zip(values(refitted), expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_candidate_models, "TOLERANCE", 1e-6)
        for own, other in zip(values(together), expected, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-6)
    np.testing.assert_allclose(values(together)[0], training, atol=1e-5)


class Interrupted(Exception):
    """Raised by a signal."""


@pytest.mark.parametrize("name", ["without", "without_but_with"])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
def test_ctrl_c_does_not_wait(name):
    _, together = engines(*problem(0, n=50, v=24, n_pool=10, d=50))
    pairs = np.transpose(np.triu_indices(24, 1))
    train = together.without
    if name == "without_but_with":
        train = partial(
            together.without_but_with, np.arange(10), guesses=np.zeros(10, dtype=int)
        )

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    start = perf_counter()
    try:
        with pytest.raises(Interrupted):
            train(np.tile(pairs, (100, 1)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    stopped = perf_counter() - start
    start = perf_counter()
    train(pairs)
    assert stopped < 0.05 + 10 * (perf_counter() - start)


def test_calibration():
    X, labels, *_ = problem(0, n=80, separable=True)
    model = LinearSVC().fit(X, labels)
    own = calibrated(model, X, np.arange(20), labels[:20])
    expected = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid")
    expected.fit(X[:20], labels[:20])
    np.testing.assert_allclose(own.predict_proba(X), expected.predict_proba(X))
    scores = model.decision_function(X)
    few = calibrated(model, X, np.arange(4), labels[:4]).predict_proba(X)
    np.testing.assert_allclose(few[:, 1], 1 / (1 + np.exp(-scores)))
    one_class = calibrated(model, X, np.arange(20), np.zeros(20, int))
    assert isinstance(one_class, PlainSigmoid)
    bayes = GaussianNB().fit(X, labels)
    assert calibrated(bayes, X, np.arange(80), labels) is bayes


class PerRow(LogisticRegression):
    """A penalty that grows with the rows."""

    def fit(self, X, y):
        return LogisticRegression(C=1 / self.l2_weight(len(X)), tol=1e-8).fit(X, y)

    def l2_weight(self, n_rows):
        return n_rows**3 / 1000


def test_a_penalty_may_depend_on_the_number_of_rows(monkeypatch):
    monkeypatch.setattr(_candidate_models, "TOLERANCE", 1e-9)
    X, y, is_validation, pool = problem(0)
    known = Labelled(X, y), is_validation
    refitted = RefittedModels([PerRow()], *known, np.arange(2), pool)
    together = JointModels([PerRow()], *known, pool)
    pairs, guesses = np.array([[0, 1], [1, 3]]), np.array([0, 1, 0])
    close = partial(np.testing.assert_allclose, rtol=1e-6)
    close(together.trained()[0], refitted.trained()[0])
    close(together.without(pairs), refitted.without(pairs))
    for own, other in zip(
        together.without_one(np.arange(3), guesses),
        refitted.without_one(np.arange(3), guesses),
        strict=True,
    ):
        close(own, other)
    with_each = np.arange(len(pool)), pairs, guesses
    close(together.without_but_with(*with_each), refitted.without_but_with(*with_each))


def test_sigmoids_are_fitted_to_the_validation_rows_that_are_left():
    X, y, is_validation, pool = problem(0, n=30, v=12)
    known = Labelled(X, y), is_validation
    models = RefittedModels([LinearSVC()], *known, np.arange(2), pool)
    T, V = np.flatnonzero(~is_validation), np.flatnonzero(is_validation)

    def expected(rows, left, judged):
        model = calibrated(LinearSVC().fit(X[rows], y[rows]), X, left, y[left])
        return log_loss(y[judged], model.predict_proba(X[judged]))

    np.testing.assert_allclose(models.trained()[0], [expected(T, V, V)])
    left = np.delete(V, [2, 5])
    losses = expected(np.sort([*T, *left]), left, V[[2, 5]])
    np.testing.assert_allclose(models.without(np.array([[2, 5]])), [[losses]])
    fold = np.array([T[0], V[1], V[4]])
    left = np.setdiff1d(V, fold)
    losses = expected(np.setdiff1d(np.arange(30), fold), left, fold)
    np.testing.assert_allclose(models.without_fold(fold), [losses])


def test_classes_without_training_rows_have_their_column():
    X, y, is_validation, pool = problem(0, n=20, n_pool=5)
    known = Labelled(X, 2 * y), is_validation
    models = RefittedModels([GaussianNB()], *known, np.arange(3), pool)
    losses, probabilities = models.trained()
    model = GaussianNB().fit(X[~is_validation], y[~is_validation])
    assert (probabilities[0, :, 1] == 0).all()
    np.testing.assert_allclose(probabilities[0, :, ::2], model.predict_proba(pool))
    said = model.predict_proba(X[is_validation])
    expected = log_loss(y[is_validation], said)
    np.testing.assert_allclose(losses[0], expected)


def test_models_trained_together_buy_what_exact_ones_buy(monkeypatch):
    # two candidates whose values differ by less than a coarse tolerance
    X, y = make_classification(600, n_informative=5, flip_y=0.1, random_state=0)
    rows = np.random.RandomState(8).permutation(600)[:80]
    X, y = StandardScaler().fit_transform(X)[rows], y[rows]
    learner = ALMSClassifier(
        LogisticRegression(),
        param_grid={"C": [2.0**power for power in range(-10, 11, 2)]},
        budget=14,
        random_state=8,
    )
    bought = learner.fit(X, y).queried_indices_
    monkeypatch.setattr(_candidate_models, "TOLERANCE", 1e-9)
    assert bought.tolist() == learner.fit(X, y).queried_indices_.tolist()
