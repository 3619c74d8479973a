"""Steps that follow the sizes of features and rows, beyond what their twin says."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from sklearn_activelearn import (
    GreedyOnlineClassifier,
    MarginLossClassifier,
    OnePassSearchCV,
)
from sklearn_activelearn.losses import (
    LOSSES,
    LogRampLoss,
    MarginLoss,
    RampLoss,
    make_loss,
)
from sklearn_activelearn.stream._margin_loss import margin_gain
from tests.test_first_order import gaussian_stream
from tests.test_margin_loss import check_twin
from tests.tools import frozen, state

#: Of the share of a step, at the first label and at the third.
FIRST, THIRD = 1 / 11, 3 / 13


def adaptive(loss="log_ramp", **params):
    """Return a learner through the origin, with last weights."""
    given_ = {"fit_intercept": False, "average": False, "random_state": 0, **params}
    return MarginLossClassifier(loss, learning_rate="adaptive", **given_)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    scale=st.sampled_from([0.01, 1.0, 100.0]),
    n_warm_start=st.sampled_from([0, 12]),
    normalize=st.booleans(),
    fit_intercept=st.booleans(),
)
def test_twin(loss, seed, n_classes, scale, **params):
    X, y = gaussian_stream(seed, n_classes, scale=scale)
    X[::3, 0] = 0
    check_twin(adaptive(loss, random_state=seed, **params), X, y, n_classes)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_first_step_moves_its_row_by_an_eleventh_of_the_gain(
    normalize, fit_intercept
):
    params = {"normalize": normalize, "fit_intercept": fit_intercept}
    learner = adaptive("hinge", **params)
    row = np.array([[3.0, -4.0, 0.0]])
    learner.teach(row, [1], classes=[0, 1])
    np.testing.assert_allclose(learner.decision_function(row), 2 * FIRST)
    assert learner.coef_[0, 2] == 0


def test_a_feature_is_divided_by_its_root_mean_square_where_it_is_not_zero():
    learner = adaptive("hinge")
    rows = np.array([[1.0, 0.0], [0.0, 5.0], [7.0, 0.0]])
    learner.teach(rows[:2], [1, 1], classes=[0, 1])
    before = learner.coef_[0].copy()
    learner.teach(rows[2:], [0])
    rms = np.sqrt((1 + 49) / 2)
    gain = (1 + 5 + 49 / rms) / 3
    expected = [before[0] - 2 * THIRD * 7 / rms / gain, before[1]]
    np.testing.assert_allclose(learner.coef_[0], expected)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    power=st.integers(-40, 40),
    loss=st.sampled_from(sorted(LOSSES)),
)
def test_what_all_rows_are_multiplied_by_does_not_matter(seed, n_classes, power, loss):
    X, y = gaussian_stream(seed, n_classes)
    learner = adaptive(loss, average=True, random_state=seed)
    classes = np.arange(n_classes)
    one = clone(learner).partial_fit(X, y, classes=classes)
    other = learner.partial_fit(X * 4.0**power, y, classes=classes)
    assert one.queried_indices_.tolist() == other.queried_indices_.tolist()
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X * 4.0**power), rtol=1e-9
    )


def test_stored_zeros_are_zeros():
    X, y = gaussian_stream(3, 3)
    X[::2, 0] = X[1::3, 2] = 0
    stored = csr_array(np.where(X == 0, 1.0, X))
    stored.data[X.ravel() == 0] = 0
    assert stored.nnz == X.size
    learner = adaptive(random_state=0)
    dense = clone(learner).partial_fit(X, y, classes=range(3))
    sparse = learner.partial_fit(stored, y, classes=range(3))
    assert dense.queried_indices_.tolist() == sparse.queried_indices_.tolist()
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-10)


def test_zero_rows_do_not_count():
    X, y = gaussian_stream(5, 2)
    learner = adaptive("hinge")
    X_more = np.vstack([np.zeros((30, X.shape[1])), X])
    y_more = np.append(np.zeros(30, dtype=int), y)
    with_zeros = clone(learner).partial_fit(X_more, y_more, classes=[0, 1])
    without = learner.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(with_zeros.coef_, without.coef_)


def test_labels_that_change_nothing_tell_the_sizes():
    learner = adaptive("hinge")
    learner.teach([[1.0]] * 40, [1] * 40, classes=[0, 1])
    assert learner.decision_function([[1.0]]) > 1
    other = pickle.loads(pickle.dumps(learner)).teach([[100.0]] * 3, [1] * 3)
    assert other.n_updates_ == learner.n_updates_
    np.testing.assert_array_equal(other.coef_, learner.coef_)
    for each in (learner, other):
        each.teach([[1.0]], [0])
    steps = [each.coef_[0, 0] - 2 for each in (learner, other)]
    assert steps[1] > steps[0]  # 1 is small now


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_a_row_at_the_separator_stays_where_its_loss_asks(loss):
    loss = make_loss(loss)
    gain = margin_gain(loss)
    assert 0 < gain <= 2
    assert loss.query_probability(gain) > 0
    assert gain == 2 or loss.query_probability(gain + 0.01) == 0


def test_gains_follow_the_parameters_of_a_loss():
    assert margin_gain(LogRampLoss(t=9.0)) == margin_gain(RampLoss(t=2.5)) == 2
    assert margin_gain(RampLoss(t=1.5)) == pytest.approx(1.49)


def test_a_loss_that_asks_nowhere_near_the_separator_can_be_used():
    class FarLoss(MarginLoss):
        def value(self, z):
            return np.maximum(0.0, -z - 5)

        def derivative(self, z):
            return np.where(z < -5, -1.0, 0.0)

    X, y = gaussian_stream(0, 2)
    learner = adaptive(FarLoss(), query_probability=np.ones_like)
    assert np.isfinite(learner.partial_fit(X, y, classes=[0, 1]).coef_).all()


@pytest.mark.parametrize("cls", [MarginLossClassifier, GreedyOnlineClassifier])
def test_eta0_is_not_used(cls):
    X, y = gaussian_stream(1, 3)
    learner = cls(learning_rate="adaptive", random_state=0)
    expected = state(clone(learner).fit(X, y))
    changed = learner.set_params(eta0=77.0).fit(X, y)
    np.testing.assert_array_equal(changed.coef_, clone(changed).fit(X, y).coef_)
    changed.set_params(eta0=0.1)
    assert state(changed) == expected


def test_the_learning_rate_may_change_on_the_way():
    X, y = gaussian_stream(2, 2)
    learner = adaptive("hinge").partial_fit(X[:20], y[:20], classes=[0, 1])
    scales = learner._learned.details
    learner.set_params(learning_rate="constant").partial_fit(X[20:], y[20:])
    assert learner._learned.details.n_rows == scales.n_rows == 20
    learner.set_params(learning_rate="adaptive").partial_fit(X, y)
    assert learner._learned.details.n_rows == 20 + len(X)
    learner.fit(X, y)
    assert learner._learned.details.n_rows == len(X)


def test_a_learner_does_not_share_its_scales_with_its_copies():
    X, y = gaussian_stream(4, 2)
    learner = adaptive("hinge").partial_fit(X, y, classes=[0, 1])
    before = frozen(learner._learned.details)
    copy = deepcopy(learner).partial_fit(3 * X, y)
    assert frozen(copy._learned.details) != before
    learner.query(X)
    learner.set_params(budget=0).partial_fit(X, y)
    assert frozen(learner._learned.details) == before


@pytest.mark.parametrize("value", [1e160, 1e300])
def test_rows_whose_squares_overflow_are_refused_before_they_are_paid_for(value):
    X, y = gaussian_stream(0, 2)
    learner = adaptive().partial_fit(X, y, classes=[0, 1])
    before, n_queries = learner.coef_.copy(), learner.n_queries_
    row = np.zeros((1, X.shape[1]))
    row[0, 0] = value
    with pytest.raises(ValueError, match=r"Row 0 of X: .*set normalize=True"):
        learner.teach(row, [1])
    learner = adaptive().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"Row 0 of X"):
        learner.set_params(query_probability=np.ones_like).partial_fit(row, [1])
    assert learner.n_queries_ == n_queries
    np.testing.assert_array_equal(learner.coef_, before)
    normalized = adaptive(normalize=True, query_probability=np.ones_like)
    normalized.partial_fit(np.vstack([row, X]), [1, *y], classes=[0, 1])
    assert np.isfinite(normalized.coef_).all()


class CliffLoss(MarginLoss):
    """A hinge whose slope is beyond all bounds on the wrong side of -1/2."""

    def value(self, z):
        return np.maximum(0.0, 1 - z) + 1e290 * np.maximum(0.0, -z - 0.5)

    def derivative(self, z):
        return np.where(z < 1, -1.0, 0.0) - 1e290 * (z < -0.5)


def test_a_row_whose_step_overflows_is_not_learned():
    X, y = np.ones((60, 1)), np.repeat([1, 0], [50, 10])
    learner = adaptive(CliffLoss(), query_probability=np.ones_like)
    with pytest.raises(ValueError, match=r"Row 50 of X: .*overflow"):
        learner.learn(X, lambda rows: y[rows], classes=[0, 1])
    assert learner._learned.details.n_rows == learner.n_taught_ == 50
    assert learner._learned.details.n_present.tolist() == [50]
    before, coef = frozen(learner._learned.details), learner.coef_.copy()
    with pytest.raises(ValueError, match=r"Row 1 of X: .*overflow"):
        learner.teach(X[:2], [1, 0])
    assert frozen(learner._learned.details) == before
    np.testing.assert_array_equal(learner.coef_, coef)


@pytest.mark.parametrize("value", [1e-200, 1e-310, 5e-324])
def test_rows_whose_squares_vanish_teach_nothing(value):
    learner = adaptive("hinge").teach([[value, 0.0]], [1], classes=[0, 1])
    assert not learner.coef_.any()
    assert np.isfinite(learner.teach([[1.0, value]], [1]).coef_).all()
    assert learner._learned.details.n_rows == 1


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_a_search_over_learning_rates_is_that_of_scikit_learn(make):
    X, y = gaussian_stream(1, 3)
    learner = MarginLossClassifier(random_state=0)
    grid = {"learning_rate": ["adaptive", "constant"], "loss": ["hinge", "log_ramp"]}
    search = OnePassSearchCV(learner, grid, cv=3).fit(make(X), y)
    expected = GridSearchCV(learner, grid, cv=3).fit(make(X), y)
    assert search.fused_.tolist() == [False, False, True, True]
    scores = [each.cv_results_["mean_test_score"] for each in (search, expected)]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_raw_data_needs_no_tuning(load):
    X, y = load(return_X_y=True)
    learner = MarginLossClassifier(learning_rate="adaptive", random_state=0)
    n_train = 3 * len(y) // 4
    learner.fit(X[:n_train], y[:n_train])
    assert learner.score(X[n_train:], y[n_train:]) > 0.85
    assert learner.n_queries_ < 0.9 * n_train


def test_a_run_that_stops_asking_is_told_what_helps():
    X = np.ones((200, 1))
    learner = adaptive("ramp", average=True)
    learner.teach(X[:60], [1] * 60, classes=[0, 1])
    with pytest.warns(ConvergenceWarning, match="adaptive length.* n_warm_start"):
        learner.partial_fit(X, np.zeros(200, dtype=int))
    assert learner.n_queries_ == 0
