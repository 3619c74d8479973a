"""The batch classifier: objective, optima, starts, scikit-learn's checks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_activelearn import BatchMarginLossClassifier
from sklearn_activelearn.batch._margin_loss import TEMPERATURE, Objective
from sklearn_activelearn.losses import SmoothHingeLoss, SmoothRampLoss, make_loss
from tests.learners import explores
from tests.tools import peak_memory

SMOOTH = ["smooth_hinge", "smooth_ramp", "sigmoid"]


@pytest.mark.every_learner
@parametrize_with_checks(
    [
        BatchMarginLossClassifier(loss, tol=1e-2, random_state=0)
        for loss in (["smooth_hinge", "sigmoid"] if explores() else ["smooth_hinge"])
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def problem(seed, n_classes, n_rows=20, n_features=3):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n_rows, n_features))
    codes = rng.randint(n_classes, size=n_rows)
    codes[:n_classes] = range(n_classes)
    return X, codes


def slow_objective(X, codes, coef, intercept, loss, alpha):
    """Compute the docstring's formula, a row at a time."""
    total = 0.0
    for x, c in zip(X, codes, strict=True):
        if len(coef) == 1:
            z = (2 * c - 1) * (coef[0] @ x + intercept[0])
        else:
            f = [coef[k] @ x + intercept[k] for k in range(len(coef))]
            rivals = [np.exp(f[k] / TEMPERATURE) for k in range(len(f)) if k != c]
            z = (f[c] - TEMPERATURE * np.log(sum(rivals))) / 2
        total += float(loss.value(z))
    return total / len(X) + alpha / 2 * sum(w @ w for w in coef)


def drawn(seed, n_classes, name, fit_intercept, alpha=0.1):
    X, codes = problem(seed, n_classes)
    objective = Objective(X, codes, n_classes, make_loss(name), alpha, fit_intercept)
    point = np.random.RandomState(seed).standard_normal(objective.n_parameters)
    return objective, point


draws = given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    name=st.sampled_from(SMOOTH),
    fit_intercept=st.booleans(),
)


@draws
def test_gradient(seed, n_classes, name, fit_intercept):
    objective, point = drawn(seed, n_classes, name, fit_intercept)
    step = 1e-5 * np.eye(len(point))
    differences = [
        (objective(point + d)[0] - objective(point - d)[0]) / 2e-5 for d in step
    ]
    np.testing.assert_allclose(objective(point)[1], differences, atol=1e-5)


@draws
def test_objective(seed, n_classes, name, fit_intercept):
    objective, point = drawn(seed, n_classes, name, fit_intercept)
    coef, intercept = objective.split(point)
    assert intercept.any() == fit_intercept
    expected = slow_objective(
        objective.X, objective.codes, coef, intercept, objective.loss, 0.1
    )
    np.testing.assert_allclose(objective(point)[0], expected, rtol=1e-12)


@draws
def test_blocks_make_no_difference(seed, n_classes, name, fit_intercept):
    objective, point = drawn(seed, n_classes, name, fit_intercept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn_activelearn.batch._margin_loss.BLOCK", 7)
        value, slope = objective(point)
    np.testing.assert_allclose(objective(point)[0], value, rtol=1e-12)
    np.testing.assert_allclose(objective(point)[1], slope, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_convex_optimum(n_classes):
    X, codes = problem(1, n_classes, n_rows=60)
    learner = BatchMarginLossClassifier(alpha=0.01, tol=1e-7).fit(X, codes)
    objective = Objective(X, codes, n_classes, make_loss("smooth_hinge"), 0.01, True)
    start = np.random.RandomState(0).standard_normal(objective.n_parameters)
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-8})
    assert learner.objective_ == pytest.approx(found.fun, rel=1e-9)
    point = objective.join(learner.coef_, learner.intercept_)
    assert learner.objective_ == objective(point)[0]


def test_hinge_is_the_support_vector_machine():
    X, codes = problem(2, 2, n_rows=80)
    alpha = 0.01
    svm = LinearSVC(
        C=1 / (len(X) * alpha),
        loss="hinge",
        fit_intercept=False,
        tol=1e-9,
        max_iter=10**6,
    ).fit(X, codes)
    best = slow_objective(X, codes, svm.coef_, [0.0], make_loss("hinge"), alpha)
    params = {"alpha": alpha, "fit_intercept": False}
    hinge = BatchMarginLossClassifier("hinge", **params).fit(X, codes)
    assert best <= hinge.objective_ * (1 + 1e-9)
    assert hinge.objective_ == pytest.approx(best, rel=1e-3)
    narrow = BatchMarginLossClassifier(
        SmoothHingeLoss(h=1e-3), max_iter=10_000, **params
    )
    assert narrow.fit(X, codes).objective_ == pytest.approx(best, rel=1e-3)


def test_ten_classes_are_the_support_vector_machine_of_crammer_and_singer():
    X, y = load_digits(return_X_y=True)
    X, y, alpha = X[:400] / 16, y[:400], 0.01
    svm = LinearSVC(
        multi_class="crammer_singer",
        C=1 / (4 * len(X) * alpha),  # its margin is the whole gap, z half of it
        fit_intercept=False,
        tol=1e-6,
        max_iter=100_000,
    ).fit(X, y)
    learner = BatchMarginLossClassifier(
        SmoothHingeLoss(h=0.01), alpha=alpha, fit_intercept=False
    )
    learner.fit(X, y)

    def hinge(coef):
        f = X @ coef.T
        own = f[np.arange(len(X)), y]
        f[np.arange(len(X)), y] = -np.inf
        losses = make_loss("hinge").value((own - f.max(axis=1)) / 2)
        return losses.mean() + alpha / 2 * np.sum(coef**2)

    assert hinge(2 * svm.coef_) <= hinge(learner.coef_)
    assert hinge(learner.coef_) == pytest.approx(hinge(2 * svm.coef_), rel=0.01)


@pytest.mark.parametrize("loss", ["smooth_ramp", "sigmoid"])
def test_restarts_find_a_lower_objective(loss):
    X, y = separable_with_outliers()
    once = BatchMarginLossClassifier(loss, n_restarts=0).fit(X, y)
    often = BatchMarginLossClassifier(loss, n_restarts=5, random_state=0).fit(X, y)
    assert (once.n_restarts_, often.n_restarts_) == (0, 5)
    assert often.objective_ < 0.7 * once.objective_
    assert often.score(X, y) > 0.88
    assert once.score(X, y) < 0.7


def separable_with_outliers():
    """Return rows that x1 separates, but for a tenth far on the wrong side."""
    X = np.random.RandomState(0).standard_normal((300, 2))
    y = np.where(X[:, 0] > 0, 1, 0)
    X[:30, 0] *= -50
    return X, y


def test_a_convex_loss_is_not_restarted():
    X, y = separable_with_outliers()
    learner = BatchMarginLossClassifier(n_restarts=5).fit(X, y)
    assert learner.n_restarts_ == 0


@pytest.mark.parametrize("loss", SMOOTH)
def test_warm_start(loss):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    learner = BatchMarginLossClassifier(loss, alpha=0.01, n_restarts=0, warm_start=True)
    cold = learner.fit(X, y).n_iter_
    objective = learner.objective_
    assert learner.fit(X, y).n_iter_ <= cold / 10
    assert learner.objective_ <= objective
    learner.set_params(warm_start=False)
    assert learner.fit(X, y).n_iter_ == cold


def test_warm_start_begins_afresh_with_other_classes_or_features():
    X, y = (part[::3] for part in load_iris(return_X_y=True))
    for others in ((X[:30], y[:30]), (X[:, :2], y), (X, y + 1)):
        fresh = BatchMarginLossClassifier(alpha=0.1).fit(*others)
        learner = clone(fresh).set_params(warm_start=True).fit(X, y).fit(*others)
        assert learner.coef_.tobytes() == fresh.coef_.tobytes()


def test_max_iter():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 iterations. Raise"):
        learner = BatchMarginLossClassifier(max_iter=3).fit(X, y)
    assert learner.n_iter_ == 3


def test_tol():
    X, codes = problem(3, 2, n_rows=60)
    for tol in (1e-2, 1e-6):
        learner = BatchMarginLossClassifier(tol=tol).fit(X, codes)
        loss = make_loss("smooth_hinge")
        objective = Objective(X, codes, 2, loss, learner.alpha, True)
        slope = objective(objective.join(learner.coef_, learner.intercept_))[1]
        assert tol / 1e3 < np.abs(slope).max() <= tol


def test_the_intercept_is_not_penalised():
    X, _ = problem(4, 2, n_rows=60)
    y = X[:, 0] > 0.7
    learner = BatchMarginLossClassifier(alpha=1e4).fit(X, y)
    assert np.abs(learner.coef_).max() < 1e-3
    assert learner.intercept_ < -0.9
    assert not BatchMarginLossClassifier(fit_intercept=False).fit(X, y).intercept_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", SMOOTH)
def test_sparse_and_float32(n_classes, loss):
    X, codes = problem(5, n_classes, n_rows=80, n_features=6)
    X[X < 0] = 0
    X = X.astype(np.float32).astype(float)
    learner = BatchMarginLossClassifier(loss, alpha=0.1, random_state=0)
    expected = learner.fit(X, codes).decision_function(X)
    for other in (X.astype(np.float32), csr_array(X), csr_array(X.astype(np.float32))):
        found = learner.fit(other, codes).decision_function(other)
        np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize(
    ("kind", "dtype"), [(np.asarray, np.float64), (csr_array, np.float32)]
)
def test_rows_are_not_copied(dtype, kind):
    X = np.random.RandomState(0).standard_normal((40_000, 100)).astype(dtype)
    y = X[:, 0] > 0
    X = kind(X)
    learner = BatchMarginLossClassifier("sigmoid", max_iter=2, n_restarts=2, tol=1)
    peak = peak_memory(lambda: learner.fit(X, y).predict(X))
    assert peak < X.size * dtype().itemsize / 3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_tie_is_the_first_class(n_classes):
    X, codes = problem(7, n_classes)
    learner = BatchMarginLossClassifier(fit_intercept=False).fit(X, codes + 5)
    assert learner.predict(np.zeros((1, 3))) == [5]


def test_a_restart_begins_with_the_corner_of_the_loss():
    X, y = (part[::3] for part in load_iris(return_X_y=True))
    for loss, h in ((SmoothRampLoss(h=0.1), 0.1), (make_loss("sigmoid"), 0.5)):
        start = BatchMarginLossClassifier(SmoothHingeLoss(h), alpha=0.1).fit(X, y)
        zero = BatchMarginLossClassifier(loss, n_restarts=0, alpha=0.1).fit(X, y)
        by_hand = clone(zero).set_params(warm_start=True)
        by_hand.classes_ = start.classes_
        by_hand.coef_, by_hand.intercept_ = start.coef_, start.intercept_
        both = clone(zero).set_params(n_restarts=1).fit(X, y)
        lowest = min(by_hand.fit(X, y).objective_, zero.objective_)
        assert both.objective_ == lowest
