"""Losses that a user writes in Python, and losses as parameters of learners."""

import pickle
import signal
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sklearn_activelearn import (
    BatchMarginLossClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
)
from sklearn_activelearn.losses import (
    HingeLoss,
    LogRampLoss,
    MarginLoss,
    RampLoss,
    RootRampLoss,
    make_loss,
)
from tests.learners import TanhLoss
from tests.test_first_order import gaussian_stream
from tests.tools import RecordingOracle, state

LEARNERS = [MarginLossClassifier, GreedyOnlineClassifier, BatchMarginLossClassifier]
each_learner = pytest.mark.parametrize("learner", LEARNERS)


class OwnLogRamp(MarginLoss):
    """The log-ramp, in Python."""

    def __init__(self, t=1.0):
        self.t = t

    def value(self, z):
        tail = self.t + 1 + np.log1p(np.maximum(-self.t - z, 0))
        return np.where(z >= -self.t, np.maximum(1 - z, 0), tail)

    def derivative(self, z):
        tail = -1 / (1 + np.maximum(-self.t - z, 0))
        return np.where(z >= 1, 0, np.where(z >= -self.t, -1, tail))


class Interrupted(OwnLogRamp):
    """Gets Ctrl-C when its derivative is called for the k-th time."""

    def __init__(self, t=1.0, k=0):
        super().__init__(t)
        self.k = k

    def derivative(self, z):
        self.k -= 1
        if self.k == 0:
            signal.raise_signal(signal.SIGINT)
        return super().derivative(z)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("k", range(1, 31))
def test_ctrl_c_in_the_derivative_loses_no_label(k):
    X, codes = gaussian_stream(0, 2, n_rows=60)
    loss, oracle = Interrupted(), RecordingOracle(codes)
    learner = MarginLossClassifier(loss, random_state=0).partial_fit(X[:1], [0], [0, 1])
    learner.loss.k = k
    with pytest.raises(KeyboardInterrupt):
        learner.learn(X, oracle)
    assert learner.n_taught_ == 1 + len(oracle.asked)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("make", [MarginLossClassifier, GreedyOnlineClassifier])
def test_it_learns_as_the_compiled_one_does(make, n_classes):
    X, codes = gaussian_stream(0, n_classes, n_rows=200)
    ours, theirs = (
        make(loss=loss, random_state=0).fit(X, codes)
        for loss in (OwnLogRamp(t=1.5), LogRampLoss(t=1.5))
    )
    np.testing.assert_array_equal(ours.queried_indices_, theirs.queried_indices_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    rows, q = ours.query(X, return_probability=True)
    same, same_q = theirs.query(X, return_probability=True)
    np.testing.assert_array_equal(rows, same)
    np.testing.assert_allclose(q, same_q, rtol=1e-12)


def test_it_is_fitted_in_batch_as_the_compiled_one_is():
    X, codes = gaussian_stream(0, 3)
    ours, theirs = (
        BatchMarginLossClassifier(loss, random_state=0).fit(X, codes)
        for loss in (OwnLogRamp(), LogRampLoss())
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_curves():
    ours, theirs = OwnLogRamp(t=2.0), LogRampLoss(t=2.0)
    z = np.linspace(-5, 5, 24).reshape(4, 6)
    for kind in ("value", "derivative", "query_probability"):
        expected = getattr(theirs, kind)(z)
        np.testing.assert_allclose(getattr(ours, kind)(z), expected, atol=1e-15)


def test_copies():
    loss = OwnLogRamp(t=2.0)
    assert repr(loss) == "OwnLogRamp(t=2.0)"
    assert loss != OwnLogRamp()
    for copy in (pickle.loads(pickle.dumps(loss)), deepcopy(loss), clone(loss)):
        assert copy is not loss
        assert copy == loss


class Answers(MarginLoss):
    """Slopes that some function gives."""

    def __init__(self, slopes, values=np.zeros_like):
        self.slopes, self.values = slopes, values

    def value(self, z):
        return self.values(z)

    def derivative(self, z):
        return self.slopes(z)

    def __repr__(self):
        return "Answers()"


class NoDerivative(MarginLoss):
    def value(self, z):
        return 1 - z


class Overridden(RampLoss):
    def derivative(self, z):
        return -np.ones_like(z)


def fails(z):
    raise OSError("no such margin")


BAD = [
    (Answers(np.ones_like), ValueError, r"Answers\(\)\.derivative\(.*\) == 1.0"),
    (
        Answers(lambda z: np.full(z.shape, np.nan)),
        ValueError,
        r"derivative\(.*\) == nan",
    ),
    (Answers(lambda z: np.minimum(z, 0)), ValueError, r"derivative\(-inf\) == -inf"),
    (Answers(lambda z: -1.0), ValueError, r"Answers.* returned shape \(\) for margins"),
    (Answers(lambda z: -np.ones(len(z) + 1)), ValueError, "returned shape"),
    (
        Answers(lambda z: -np.ones_like(z) / len(z)),
        ValueError,
        "not that of each alone",
    ),
    (
        Answers(lambda z: np.full(z.shape, "flat")),
        (TypeError, ValueError),
        "cast|convert",
    ),
    (Answers(fails), OSError, "no such margin"),
    (
        Answers(np.zeros_like, lambda z: np.full(z.shape, np.nan)),
        ValueError,
        r"Answers\(\)\.value\(.*\) == nan",
    ),
    (NoDerivative(), NotImplementedError, r"NoDerivative needs derivative\(z\)"),
    (Overridden(), TypeError, "Overridden replaces a method"),
]


@each_learner
@pytest.mark.parametrize(("loss", "error", "words"), BAD)
def test_a_loss_that_will_not_do(learner, loss, error, words):
    X, codes = gaussian_stream(0, 2)
    learner = learner(loss=loss)
    with pytest.raises(error, match=words):
        learner.fit(X, codes)
    assert vars(learner) == learner.get_params(deep=False)


@pytest.mark.parametrize(("loss", "error", "words"), BAD)
@pytest.mark.parametrize("make", [MarginLossClassifier, GreedyOnlineClassifier])
def test_it_is_found_out_before_anything_is_bought(make, loss, error, words):
    X, _ = gaussian_stream(0, 2)
    asked = []
    with pytest.raises(error, match=words):
        make(loss=loss).learn(X, asked.append, classes=[0, 1])
    assert not asked


def test_what_was_asked_is_in_the_note():
    with pytest.raises(OSError, match="no such") as caught:
        make_loss(Answers(fails))
    assert "Answers().derivative is called with an array" in caught.value.__notes__[0]


def steep_near_0(z):
    """Return slopes of which one fails where it was not tried."""
    if len(z) == 1 and 0 < abs(z[0]) < 5e-4:
        raise OSError("no such margin")
    return -np.ones_like(z)


@pytest.mark.parametrize("verb", ["fit", "partial_fit", "query", "learn"])
def test_an_error_at_a_margin_that_was_not_tried(verb):
    X, codes = gaussian_stream(0, 2)
    near = X[:1] * 1e-9
    learner = MarginLossClassifier(fit_intercept=False, shuffle=False, random_state=0)
    learner.teach(X, codes, classes=[0, 1])
    learner.set_params(loss=Answers(steep_near_0))
    before = state(learner)
    calls = {
        "fit": lambda: learner.fit(np.vstack([X, near]), [*codes, 0]),
        "partial_fit": lambda: learner.partial_fit(near, [0]),
        "query": lambda: learner.query(near),
        "learn": lambda: learner.learn(near, lambda asked: [0]),
    }
    with pytest.raises(OSError, match="no such margin"):
        calls[verb]()
    assert state(learner) == before


def test_an_error_in_a_step_leaves_the_learner_before_the_row():
    X, codes = gaussian_stream(0, 2)
    asked, is_broken = [], []

    def slopes(z):
        if is_broken:
            raise OSError("no such slope")
        return -1 / (1 + z**2)

    def oracle(rows):
        asked.extend(rows.tolist())
        is_broken.extend([True] * (len(asked) == 5))
        return codes[rows]

    # this one asks without a look at the loss
    prototype = GreedyOnlineClassifier(m=1, loss=Answers(slopes), random_state=0)
    learner, expected = clone(prototype), clone(prototype)
    with pytest.raises(OSError, match="no such slope"):
        learner.learn(X, oracle, classes=[0, 1])
    is_broken.clear()
    expected.partial_fit(X[:4], codes[:4], classes=[0, 1])
    assert state(learner) == state(expected)
    assert learner.n_seen_ == learner.n_queries_ == learner.n_taught_ == 4
    learner.learn(X[4:], lambda rows: codes[4 + rows])
    assert state(learner) == state(expected.partial_fit(X[4:], codes[4:]))


@each_learner
def test_losses_by_name_and_as_objects(learner):
    X, codes = gaussian_stream(0, 3, n_rows=20)
    names, objects = (
        learner(loss=loss, random_state=0).fit(X, codes)
        for loss in ("ramp", RampLoss())
    )
    np.testing.assert_array_equal(names.coef_, objects.coef_)
    narrow = clone(objects).set_params(loss__t=3.0).fit(X, codes)
    assert objects.loss.t == 1.0
    other = learner(loss=RampLoss(t=3.0), random_state=0).fit(X, codes)
    np.testing.assert_array_equal(narrow.coef_, other.coef_)


@each_learner
@pytest.mark.parametrize(
    "grid",
    [
        {"loss__t": [1.0, 5.0]},
        {"loss": ["hinge", RampLoss(t=2.0), RootRampLoss(s=0.3), TanhLoss(2.0)]},
    ],
)
def test_grid_search(learner, grid):
    X, codes = gaussian_stream(0, 2)
    search = GridSearchCV(learner(loss=RampLoss()), grid, cv=2).fit(X, codes)
    assert search.best_params_.keys() == grid.keys()


def test_a_loss_that_changes_between_calls():
    X, codes = gaussian_stream(0, 2, n_rows=80)
    one, other = (
        MarginLossClassifier(RampLoss(), random_state=0).partial_fit(
            X[:40], codes[:40], classes=[0, 1]
        )
        for _ in range(2)
    )
    one.set_params(loss__t=4.0).partial_fit(X[40:], codes[40:])
    other.set_params(loss=RampLoss(t=4.0)).partial_fit(X[40:], codes[40:])
    assert state(one) == state(other)
    one.set_params(loss=HingeLoss())
    assert len(one.query(X)) == len(X)
    before = state(one)
    with pytest.raises(ValueError, match="t"):
        one.set_params(loss=RampLoss(), loss__t=0.5)
    assert state(one) == before


class Logistic(MarginLoss):
    """Never flat: its probability of asking is 1/2 at margin 0, and 1 far away."""

    def value(self, z):
        return np.logaddexp(0, -z)

    def derivative(self, z):
        return -np.exp(-np.logaddexp(0, z))


def test_a_fresh_learner_asks_for_one_row_whatever_the_loss():
    X, _ = gaussian_stream(0, 2, n_rows=100)
    learner = MarginLossClassifier(Logistic(), random_state=0)
    assert len(learner.query(X)) == 1
    assert len(MarginLossClassifier("hinge", random_state=0).query(X)) == 100


def test_a_compiled_loss_cannot_be_changed_in_python():
    class Dented(RampLoss):
        def derivative(self, z):
            return super().derivative(z) * np.where(np.abs(z) < 0.01, 0.5, 1)

    class Named(RampLoss):
        """The same loss."""

    X, codes = gaussian_stream(0, 2, n_rows=50)
    learner = MarginLossClassifier(Dented(), random_state=0)
    with pytest.raises(TypeError, match="loss Dented replaces"):
        learner.fit(X, codes)
    MarginLossClassifier(Named(t=2.0), random_state=0).fit(X, codes)


def test_its_parameters_are_those_of_its_init():
    assert OwnLogRamp(t=2.0).get_params() == {"t": 2.0}
    assert clone(OwnLogRamp(t=2.0)) == OwnLogRamp(t=2.0) != OwnLogRamp(t=3.0)
    assert Logistic().get_params() == {}
