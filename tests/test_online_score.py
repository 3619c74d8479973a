"""A stream learner's own error: right, repeatable, and covered by its intervals."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)
from sklearn_activelearn.evaluation import online_score
from sklearn_activelearn.stream._learned import Sums
from tests.reference import online_score as reference
from tests.reference.first_order import uniform
from tests.tools import RecordingOracle, fresh, streams

LAST = {"average": False, "shuffle": False}
RULES = {
    "CBGZ": (CBGZClassifier(0.3, **LAST), lambda m: 0.3 / (0.3 + m)),
    "CBGZ, small b": (CBGZClassifier(0.02, **LAST), lambda m: 0.02 / (0.02 + m)),
    "random": (RandomSamplingClassifier(0.4, **LAST), lambda m: 0.4),
    "log-ramp": (
        MarginLossClassifier(eta0=1.0, normalize=True, **LAST),
        lambda m: 1 / max(m, 1.0),
    ),
    # rows of length 1: whole numbers would have margins of exactly 0 and 1, where
    # rounding decides
    "hinge": (MarginLossClassifier("hinge", normalize=True, **LAST), lambda m: 1.0),
}
each_rule = pytest.mark.parametrize(("prototype", "rule"), RULES.values(), ids=RULES)


def look(learner, x, first):
    """Return the margin of a row, and the class that the learner predicts."""
    if not hasattr(learner, "classes_"):
        return 0.0, first
    scores = np.atleast_1d(learner.decision_function(x[None])[0])
    if len(scores) == 1:
        return abs(scores[0]), learner.classes_[int(scores[0] > 0)]
    *_, second, best = np.sort(scores)
    return (best - second) / 2, learner.classes_[scores.argmax()]


def followed(learner, X, y, rule, delays=None, kept=None):
    """Offer rows one by one, teach each label so many rows later; note what happens.

    Rows that are not among those `kept` are skipped instead. Return the learner and the
    rows that it could buy.
    """
    classes, rows, out = np.unique(y), [], []
    n_bought = idle = 0
    for i, x in enumerate(X):
        margin, guess = look(learner, x, classes[0])
        is_open = n_bought < (learner.budget if learner.budget is not None else np.inf)
        is_open &= idle < (learner.patience or np.inf)
        bought = len(learner.query(x[None])) == 1
        if is_open:
            rows.append(reference.Row(rule(margin), bought, guess))
        n_bought, idle = n_bought + bought, 0 if bought else idle + is_open
        if bought:
            out.append((i + (0 if delays is None else delays[i]), i, rows[-1]))
        for when, j, row in sorted(out, key=lambda each: each[:2]):
            if when <= i:
                answer(learner, X[j], y[j], row, classes, kept is None or kept[j])
                out.remove((when, j, row))
    return learner, rows


def answer(learner, x, label, row, classes, kept):
    """Teach a label, or skip the row."""
    if kept:
        learner.teach(x[None], [label], classes=classes)
        row.label = label
    else:
        learner.skip(x[None])


def same(estimate, rows, confidence=0.95):
    """Check an estimate against the twin of these rows."""
    assert (estimate.n_rows, estimate.n_labels) == (
        len(rows),
        sum(row.answered for row in rows),
    )
    found = estimate.value, estimate.low, estimate.high
    np.testing.assert_allclose(
        found, reference.estimate(rows, confidence), rtol=1e-6, atol=1e-7
    )


def numbered(X):
    """Return rows that are all different, so that late labels find their own."""
    return np.column_stack([X, np.arange(len(X)) / 100])


def noisy(n_rows, n_classes=2, seed=0):
    """Return rows, and labels of which some are wrong."""
    return make_classification(
        n_rows, 6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=seed
    )


@each_rule
@given(stream=streams(), limits=st.sampled_from([(), (5, None), (None, 3)]))
def test_twin(prototype, rule, stream, limits):
    X, y = stream
    budget, patience = limits or (None, None)
    limited = {"budget": budget, "patience": patience}
    learner, rows = followed(fresh(prototype, **limited), X, y, rule)
    for confidence in (0.5, 0.95):
        same(online_score(learner, confidence=confidence), rows, confidence)
    for kind in (np.asarray, csr_array):
        other = fresh(prototype, **limited)
        other.partial_fit(kind(X[:2]), y[:2], classes=np.unique(y))
        if len(X) > 2:
            other = pickle.loads(pickle.dumps(other)).partial_fit(kind(X[2:]), y[2:])
        same(online_score(other), rows)


@each_rule
@given(stream=streams(), data=st.data())
def test_late_and_missing_labels(prototype, rule, stream, data):
    X, y = numbered(stream[0]), stream[1]
    n = len(X)
    delays = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    kept = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    learner, rows = followed(fresh(prototype), X, y, rule, delays, kept)
    same(online_score(learner), rows)


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "late"),
    [(2_500, 2, False), (1_600, 3, True)],  # blocks enough for marks of three spacings
)
def test_windows(n_rows, n_classes, late):
    prototype, rule = RULES["CBGZ"]
    X, y = noisy(n_rows, n_classes)
    delays = np.random.RandomState(0).randint(0, 300, len(X)) if late else None
    learner, rows = followed(fresh(prototype), X, y, rule, delays)
    for window in (1, 63, 64, 65, 500, 1_000, 1_100, 2_000, 2_436, 2_437, 9_999):
        since = reference.last(rows, window)
        same(online_score(learner, window=window), since)
        extra = len(since) - min(window, len(rows))
        assert 0 <= extra < max(64, window / 8)
    same(online_score(learner), rows)
    if not late:
        whole = fresh(prototype).partial_fit(X, y, classes=np.unique(y))
        np.testing.assert_equal(whole._learned.tallied, learner._learned.tallied)


def test_marks_of_a_long_stream_take_little_room():
    X, y = noisy(40_000)
    learner = fresh(RandomSamplingClassifier(0.1)).partial_fit(X, y, classes=[0, 1])
    assert learner._learned.tallied.marks.nbytes < 10_000
    for window in (100, 3_000, 20_000, 39_000):
        n_rows = online_score(learner, window=window).n_rows
        assert window <= n_rows < window + max(64, window / 8)


@pytest.mark.parametrize("query_probability", ["potential", "margin"])
def test_sole_counts_with_the_least_probability(query_probability):
    X, y = noisy(300)
    learner = SOLEClassifier(0.3, query_probability=query_probability, random_state=0)
    late, n_bought, rows = copy.deepcopy(learner), 0, []
    for i, x in enumerate(X):
        margin, guess = look(late, x, 0)
        if query_probability == "potential":
            margin += margin**2 / 2
        least = 0.3 / (0.3 + margin)
        bought = len(late.query([x])) == 1
        counts = uniform(late._coin_seed, i) < least
        assert bought or not counts
        rows.append(reference.Row(least, counts, guess, y[i] if counts else None))
        n_bought += bought
        if bought:
            late.teach([x], [y[i]], classes=[0, 1])
    assert sum(row.bought for row in rows) < n_bought
    same(online_score(late), rows)
    same(online_score(learner.partial_fit(X, y, classes=[0, 1])), rows)


def test_sole_with_a_probability_of_ones_own_counts_all():
    X, y = noisy(300)
    learner = SOLEClassifier(query_probability=lambda m: 1 / (1 + m), random_state=0)
    assert online_score(learner.fit(X, y)).n_labels == learner.n_queries_


@pytest.mark.parametrize(
    "learner",
    [
        RandomSamplingClassifier(1.0, **LAST),
        MarginLossClassifier("hinge", **LAST),
        GreedyOnlineClassifier(m=1, **LAST),
        SecondOrderPerceptronClassifier(shuffle=False),
        RLSSamplingClassifier(variant="all", shuffle=False),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_with_all_labels_it_is_the_plain_mean(learner):
    X, y = noisy(60, 3)
    _, rows = followed(fresh(learner), X, y, lambda margin: 1.0)
    mean = np.mean([row.mistake for row in rows])
    found = online_score(fresh(learner).fit(X, y))
    assert (found.value, found.low, found.high) == (mean, mean, mean)
    assert found.n_labels == found.n_rows == 60


def progressive(learner, X, y):
    """Return the mistakes of a learner, row by row, its labels learned or not."""
    mistakes = []
    for x, label in zip(X, y, strict=True):
        mistakes.append(look(learner, x, 0)[1] != label)
        learner.partial_fit(x[None], np.array([label]), classes=[0, 1])
    return np.array(mistakes)


@pytest.mark.parametrize(
    "prototype",
    [CBGZClassifier(0.1, average=False), SOLEClassifier(0.3)],
    ids=["CBGZ", "SOLE"],
)
def test_unbiased_and_covered(prototype):
    X, y = noisy(80)
    errors, covered = [], []
    for seed in range(40):
        order = np.random.RandomState(seed).permutation(len(X))
        learner = fresh(prototype, random_state=seed)
        truth = progressive(learner, X[order], y[order])
        sums = Sums(*learner._learned.tallied.sums)
        errors.append(sums.mistakes - truth.sum())
        covered.append(holds(online_score(learner), truth.mean()))
    assert abs(np.mean(errors)) < 2.5 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(covered) > 0.88


def holds(estimate, truth):
    """Whether an interval is one, and holds the truth."""
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize(
    "learner", [DKMClassifier(), GreedyOnlineClassifier(), RLSSamplingClassifier()]
)
def test_thresholds_are_refused_by_name(learner):
    X, y = noisy(60)
    with pytest.raises(ValueError, match=f"{type(learner).__name__}.*threshold"):
        online_score(learner.fit(X, y))


@pytest.mark.parametrize(
    "learner",
    [
        MarginLossClassifier("ramp", normalize=True, eta0=1.0),
        SOLEClassifier(query_probability=lambda margins: 1.0 * (margins < 0.1)),
    ],
    ids=["ramp", "SOLE"],
)
def test_rows_without_a_chance_are_refused(learner):
    X, y = noisy(200)
    name = type(learner).__name__
    with pytest.raises(
        ValueError, match=f"{name} has seen rows that it buys with probability 0"
    ):
        online_score(fresh(learner).fit(X, y))


def test_labels_that_nobody_asked_for_do_not_count():
    X, y = noisy(100)
    learner = CBGZClassifier(random_state=0).fit(X, y)
    before = online_score(learner)
    assert online_score(learner.teach(X[:20] + 0.01, y[:20])) == before
    learner.set_params(budget=learner.n_queries_).learn(X, RecordingOracle(y))
    assert online_score(learner) == before  # no label could be bought


def test_without_a_label():
    learner = RandomSamplingClassifier(1e-9, random_state=0).fit(*noisy(80))
    for params in ({}, {"window": 5}):
        found = online_score(learner, **params)
        assert np.isnan(found.value)
        assert (found.low, found.high, found.n_labels) == (0, 1, 0)


def test_what_an_oracle_sees_and_what_it_breaks():
    X, y = noisy(200)
    learner, seen = CBGZClassifier(random_state=0), []

    def oracle(rows):
        seen.append((online_score(learner), rows[0]))
        if len(seen) == 20:
            raise OSError("gone")
        return y[rows]

    with pytest.raises(OSError, match="gone"):
        learner.learn(X, oracle, classes=[0, 1])
    at = seen[-1][1]
    assert online_score(learner) == seen[-1][0]
    before = CBGZClassifier(random_state=0).partial_fit(X[:at], y[:at], classes=[0, 1])
    np.testing.assert_equal(before._learned.tallied, learner._learned.tallied)


def test_bad_input():
    learner = CBGZClassifier(random_state=0)
    with pytest.raises(NotFittedError, match="CBGZClassifier has not seen a row"):
        online_score(learner)
    learner.fit(*noisy(50))
    for params, error in (
        ({"window": 0}, ValueError),
        ({"window": 2.5}, TypeError),
        ({"confidence": 1.0}, ValueError),
    ):
        with pytest.raises(error, match=next(iter(params))):
            online_score(learner, **params)
    with pytest.raises(TypeError, match=r"MinMarginClassifier.*ActiveTest"):
        online_score(MinMarginClassifier())
