"""The first-order samplers against their numpy twin, and what the papers say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier
from tests.reference import first_order as twin
from tests.tools import fresh

RULES = {
    "DKM": (DKMClassifier(R=2), lambda d: twin.dkm(R=2)),
    "DKM uniform": (
        DKMClassifier(R=3, threshold="uniform"),
        lambda d: twin.dkm(R=3, threshold=d**-0.5),
    ),
    "DKM 0.8": (
        DKMClassifier(R=1, threshold=0.8),
        lambda d: twin.dkm(R=1, threshold=0.8),
    ),
    "CBGZ": (CBGZClassifier(b=0.3), lambda d: twin.cbgz(b=0.3)),
    "CBGZ adaptive": (
        CBGZClassifier(b="adaptive", eta0=5.0),
        lambda d: twin.cbgz_adaptive(),
    ),
    "random": (RandomSamplingClassifier(rate=0.4), lambda d: twin.random(rate=0.4)),
}
each_rule = pytest.mark.parametrize("rule", RULES)
each_update = pytest.mark.parametrize("update", ["perceptron", "dkm"])
flags = st.booleans()


def gaussian_stream(seed, n_classes, n_rows=60, n_features=5, scale=1.0):
    """Rows whose margins lie nowhere near a threshold."""
    rng = np.random.RandomState(seed)
    X = scale * rng.standard_normal((n_rows, n_features))
    scores = X @ rng.standard_normal((n_features, n_classes))
    noise = scale * rng.standard_normal(scores.shape)
    return X, (scores + noise).argmax(axis=1)


def run_twin(learner, rule, X, codes, n_classes, classes=None):
    """Run the twin with the parameters of a learner, and with its coins."""
    n_dims = X.shape[1] + learner.fit_intercept
    return twin.run(
        X,
        codes,
        n_classes,
        RULES[rule][1](n_dims),
        update=learner.update,
        seeds=learner.update == "dkm" or isinstance(learner, DKMClassifier),
        eta=learner.eta0,
        normalize=learner.normalize,
        fit_intercept=learner.fit_intercept,
        average=learner.average,
        seed=learner._coin_seed,
        budget=np.inf if learner.budget is None else learner.budget,
        patience=np.inf if learner.patience is None else learner.patience,
        classes=classes,
    )


def weights_of(learner):
    """Return the twin's weights as the learner states them.

    A normalised row with an intercept is [x / |x|, 1] / sqrt(2); the learner
    keeps the root in its weights.
    """
    root = np.sqrt(2) if learner.normalize and learner.fit_intercept else 1.0
    W = root * learner.coef_
    if learner.fit_intercept:
        W = np.column_stack([W, root * learner.intercept_])
    else:
        assert not learner.intercept_.any()
    return W if len(W) > 1 else np.concatenate([-W, W])


@each_rule
@each_update
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    scale=st.sampled_from([0.1, 1.0, 30.0]),
    eta0=st.sampled_from([0.25, 1.0, 3.0]),
    normalize=flags,
    fit_intercept=flags,
    average=flags,
    budget=st.sampled_from([None, 9]),
    patience=st.sampled_from([None, 5]),
)
def test_twin(rule, update, seed, n_classes, scale, **params):
    X, codes = gaussian_stream(seed, n_classes, scale=scale)
    if not params["fit_intercept"]:
        X[seed % 7] = 0.0  # with an intercept its margin could be an exact tie
    learner = fresh(RULES[rule][0], random_state=seed, update=update, **params)
    learner.partial_fit(X, codes, classes=np.arange(n_classes))
    expected = run_twin(learner, rule, X, codes, n_classes)
    assert learner.queried_indices_.tolist() == expected["bought"]
    assert learner.n_queries_ == len(expected["bought"])
    assert learner.n_updates_ == expected["n_updates"]
    assert learner.n_seen_ == len(X)
    size = np.abs(expected["W"]).max()
    np.testing.assert_allclose(weights_of(learner), expected["W"], atol=1e-10 * size)
    if isinstance(learner, DKMClassifier):
        assert learner.threshold_ == pytest.approx(expected["memory"]["s"], rel=1e-12)


@each_update
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), average=flags)
def test_taught_rows_weigh_one(update, seed, n_classes, average):
    X, codes = gaussian_stream(seed, n_classes)
    learner = fresh(DKMClassifier(), update=update, average=average)
    learner.teach(X, codes, classes=np.arange(n_classes))
    all_bought = twin.run(
        X, codes, n_classes, twin.random(rate=1.0), update=update, seeds=True, eta=1.0,
        normalize=True, fit_intercept=True, average=average, seed=0,
    )  # fmt: skip
    np.testing.assert_allclose(weights_of(learner), all_bought["W"], atol=1e-10)


def test_coins_are_splitmix64():
    # the first outputs of the public reference implementation for this seed
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    coins = [twin.uniform(1234567, t) for t in range(3)]
    assert coins == [(number >> 11) / 2**53 for number in published]

    X, y = np.ones((2000, 1)), np.arange(2000) % 2
    learner = RandomSamplingClassifier(rate=0.3, random_state=0).partial_fit(
        X, y, [0, 1]
    )
    coins = np.array([twin.uniform(learner._coin_seed, t) for t in range(2000)])
    np.testing.assert_array_equal(learner.queried_indices_, np.flatnonzero(coins < 0.3))
    assert 0.27 < len(learner.queried_indices_) / 2000 < 0.33


@given(seed=st.integers(0, 2**32 - 1))
def test_reported_probabilities(seed):
    X, codes = gaussian_stream(seed, 3)
    params = {"average": False, "random_state": seed}
    learner = CBGZClassifier(b=0.7, **params).fit(X, codes)
    ranked = np.sort(learner.decision_function(X), axis=1)
    margin = (ranked[:, -1] - ranked[:, -2]) / 2
    rows, probabilities = learner.query(X, return_probability=True)
    np.testing.assert_allclose(probabilities, 0.7 / (0.7 + margin[rows]), rtol=1e-12)

    learner = DKMClassifier(**params).fit(X, codes)
    ranked = np.sort(learner.decision_function(X), axis=1)
    margin = (ranked[:, -1] - ranked[:, -2]) / 2
    rows, probabilities = learner.query(X, return_probability=True)
    assert np.all(probabilities == 1)
    assert rows.tolist() == np.flatnonzero(margin <= learner.threshold_).tolist()

    learner = RandomSamplingClassifier(rate=0.7, **params).fit(X, codes)
    assert set(learner.query(X, return_probability=True)[1]) == {0.7}
