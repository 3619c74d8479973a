"""The rule that stops at a recall, and what is said of the recall so far."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import RelevanceSamplingClassifier
from sklearn_activelearn import _recall_bounds as bounds
from sklearn_activelearn.evaluation import (
    recall_estimate,
    recall_price,
    recall_so_far,
)
from sklearn_activelearn.pool import RecallTarget
from sklearn_activelearn.pool.stopping._reads import AskedRows, relevance_probabilities
from tests.reference import recall as slow


def rows_with_late_cluster(seed=0, n=600, n_relevant=60, n_late=12):
    """Rows of which some are relevant, the last ones of these unlike the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = np.zeros(n, dtype=bool)
    y[:n_relevant] = True
    X[: n_relevant - n_late, 0] += 4
    X[n_relevant - n_late : n_relevant, 0] -= 1
    order = rng.permutation(n)
    return X[order], y[order]


def searching(method="audit", seed=0, **params):
    rule = RecallTarget(method=method, **params)
    return RelevanceSamplingClassifier(
        batch_size=0.1, budget=None, stopping=rule, random_state=seed
    )


@pytest.fixture(scope="module")
def searched():
    X, y = rows_with_late_cluster(n=250, n_relevant=40, n_late=3)
    return X, y, searching(recall=0.8).fit(X, y)


def test_an_audit_draws_random_rows_and_says_so(searched):
    _, y, learner = searched
    assert learner.stop_reason_ == "RecallTarget"
    record = learner.record()
    is_audit = np.array(record["purposes"]) == "audit"
    probabilities = np.array(record["probabilities"])
    assert is_audit.any()
    first = int(np.argmax(is_audit))
    assert is_audit[first:].all()
    start = first
    while start < len(is_audit):  # each batch is a share of what was left
        share = probabilities[start]
        n = round(share * (len(y) - start))
        assert np.allclose(probabilities[start : start + n], n / (len(y) - start))
        start += n
    assert (probabilities[1:first] == 1).sum() > 0


def test_it_stops_when_the_odds_say_so_and_not_before(searched):
    _, y, learner = searched
    record = learner.record()
    relevant = y[record["rows"]].tolist()
    drawn = [purpose == "audit" for purpose in record["purposes"]]

    def is_certain(n_read):
        found = sum(relevant[:n_read])
        total = slow.least_bad_total(found, 0.8)
        if total - found > len(y) - n_read:
            return True
        first = sum(relevant[: drawn.index(True)])
        n_missed = slow.least_bad_total(first, 0.8) - first
        numbers, weights = bounds.prior(n_missed, total)
        stakes = list(zip(map(int, numbers), weights, strict=True))
        args = relevant[:n_read], drawn[:n_read], len(y), total
        return slow.odds(*args, stakes) >= 20

    assert is_certain(len(relevant))
    probabilities = record["probabilities"]
    last = probabilities.count(probabilities[-1])  # one batch
    assert not is_certain(len(relevant) - last)


def test_it_is_the_same_with_records_and_pickles_in_between(searched):
    X, y, whole = searched
    learner, labels = clone(whole), []
    while len(rows := learner.query(X)):
        if len(labels) % 3 == 0:
            learner = pickle.loads(pickle.dumps(learner))
        learner.teach(X[rows], y[rows])
        labels += y[rows].tolist()
        stored = json.loads(json.dumps(learner.record()))
        learner = clone(whole).restore(X, stored, labels)
    assert learner.stop_reason_ == "RecallTarget"
    now, then = learner.record(), whole.record()
    for name in ("rows", "purposes", "probabilities", "stopping", "n_rounds"):
        assert now[name] == then[name]


def test_the_hypergeometric_rule_is_the_test():
    X, y = rows_with_late_cluster(1, n=300, n_relevant=30, n_late=3)
    learner = searching("hypergeometric", recall=0.8).fit(X, y)
    relevant = y[learner.queried_indices_].tolist()
    assert learner.stop_reason_ == "RecallTarget"
    assert slow.hypergeometric_p(relevant, len(y), 0.8) < 0.05
    n_batch = max(1, int(0.1 * len(relevant) / 1.1))
    assert slow.hypergeometric_p(relevant[:-n_batch], len(y), 0.8) >= 0.05


def test_the_sample_rule_waits_for_the_rank_in_the_sample():
    X, y = rows_with_late_cluster(2, n_late=0)
    sample = np.random.default_rng(0).permutation(len(y))[:300]
    rule = {"recall": 0.8, "sample": (sample, y[sample])}
    learner = searching("sample", **rule).fit(X, y)
    rank = slow.rank_in_sample(int(y[sample].sum()), 0.8, 0.05)
    asked = learner.queried_indices_
    n_of_sample = np.cumsum(y[asked] & np.isin(asked, sample))
    assert learner.stop_reason_ == "RecallTarget"
    assert n_of_sample[-1] >= rank
    assert n_of_sample[int(len(asked) / 1.1) - 1] < rank


def test_a_sample_may_be_a_list_of_arrays():
    sample = [np.arange(60), np.ones(60, dtype=int)]
    rule = RecallTarget(method="sample", sample=sample)
    assert rule == pickle.loads(pickle.dumps(rule))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (RecallTarget(recall=0), "recall == "),
        (RecallTarget(recall=1.1), "recall == "),
        (RecallTarget(confidence=1), "confidence == "),
        (RecallTarget(method="guess"), "method must be"),
        (RecallTarget(method="sample"), "sample=.rows, y. goes with"),
        (RecallTarget(sample=([1], [1])), "sample=.rows, y. goes with"),
        (RecallTarget(1, method="hypergeometric"), "recall=1 takes"),
        (RecallTarget(1, method="sample", sample=([1], [1])), "recall=1 takes"),
        (RecallTarget(method="sample", sample=([1, 2], [1])), "sample must be"),
        (
            RecallTarget(method="sample", sample=([True, False] * 60, [1] * 120)),
            "sample must have row numbers, no mask",
        ),
        (RecallTarget(method="sample", sample=([-1, 2], [1, 1])), "row numbers"),
        (
            RecallTarget(method="sample", sample=([*range(60), 0], [1] * 61)),
            "sample has a row more than once",
        ),
        (
            RecallTarget(method="sample", sample=(range(9), [1] * 9)),
            "9 relevant rows, which can certify a recall of 0.716; 0.95 takes 59",
        ),
    ],
)
def test_bad_input(rule, message):
    learner = RelevanceSamplingClassifier(stopping=rule)
    with pytest.raises(ValueError, match=message):
        learner.query(np.eye(5))


def asked_rows(places, probabilities, purposes, n_rows):
    rows = np.arange(len(places))
    columns = np.array(places), np.array(probabilities), np.array(purposes)
    return AskedRows(rows, *columns, n_rows)


def test_rows_that_are_out_hold_back_the_evidence_after_them():
    places = [0, 1, -1, 2, -2, 3]
    p = [1, 1 / 9, 1 / 8, 1, 1 / 6, 1 / 5]
    asked = asked_rows(places, p, ["", *["audit"] * 5], 10)
    assert asked.drawn.tolist() == [False, True, True, False, True, True]
    reads = asked.reads(np.array([True, False, True, False]))
    assert reads.relevant.tolist() == [True, False, True, False]
    assert reads.drawn.tolist() == [False, True, False, False]
    assert reads.n_rows == 9  # without the one that was skipped


def test_draws_from_a_part_of_the_pool_are_not_taken_for_random():
    asked = asked_rows([0, 1], [1 / 5, 1 / 9], ["audit", "audit"], 10)
    assert asked.drawn.tolist() == [False, True]


@given(
    flags=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20),
    n_unread=st.integers(0, 20),
    always_valid=st.booleans(),
)
def test_recall_estimates(flags, n_unread, always_valid):
    relevant, drawn = map(list, zip(*flags, strict=True))
    n_rows, found = len(flags) + n_unread, sum(relevant)
    estimate = recall_estimate(relevant, drawn, n_rows, always_valid=always_valid)
    most = found + n_unread
    at = [i for i, was_drawn in enumerate(drawn) if was_drawn]
    if at and at == [*range(at[0], at[-1] + 1)] and not always_valid:
        hits, before = sum(relevant[i] for i in at), sum(relevant[: at[0]])
        args = n_rows - at[0], len(at), hits, 0.05
        most = min(most, max(found, before + slow.most_by_sample(*args)))
    elif at:
        reads = bounds.Reads(np.array(relevant), np.array(drawn), n_rows)
        most = bounds.most_relevant(reads, 0.05, 0.95)
    assert estimate.most_relevant == most
    assert estimate.found == found
    assert estimate.low == (found / most if most else 0)
    assert estimate.n_drawn == len(at)
    assert found <= estimate.n_relevant


def test_a_recall_that_is_estimated_by_probabilities():
    p = [0.5, 0.5, 0.25]
    estimate = recall_estimate([True, False], [False, False], 5, probabilities=p)
    assert estimate.n_relevant == 2.25
    assert str(estimate).startswith("recall 0.444, at least 0.25 (95 %, at every look)")
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        recall_estimate([True, False], [False, False], 5, probabilities=[1])


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_bad_probabilities(p):
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]"):
        recall_estimate([True, False], [False, False], 3, probabilities=[p])


def test_an_estimate_lies_above_its_bound():
    drawn = np.arange(230) >= 30
    estimate = recall_estimate(~drawn, drawn, 300, probabilities=np.full(70, 0.9))
    assert estimate.n_relevant == estimate.most_relevant
    assert estimate.value == estimate.low
    assert recall_estimate([True, False], [True, True], 2).value == 1


def test_all_rows_were_read():
    X, y = rows_with_late_cluster(n=40, n_relevant=8, n_late=1)
    learner = RelevanceSamplingClassifier(positive=True, random_state=0).teach(X, y)
    estimate, price = recall_so_far(learner, X), recall_price(learner, X)
    assert (estimate.value, estimate.low, estimate.found) == (1, 1, 8)
    assert (price.n_expected, price.n_certain, price.n_relevant) == (0, 0, 8)


@pytest.mark.parametrize("function", [recall_so_far, recall_price])
def test_no_pool_learner(function):
    with pytest.raises(TypeError, match="learner must be a pool learner, got Log"):
        function(LogisticRegression(), np.eye(3))
    with pytest.raises(NotFittedError, match="has not been taught"):
        function(RelevanceSamplingClassifier(), np.eye(3))


def test_a_sample_of_the_unread_rows_stands_for_all_of_them():
    X, y = rows_with_late_cluster(n=400, n_relevant=80, n_late=1)
    learner = RelevanceSamplingClassifier(
        positive=True, n_candidates=20, stopping=RecallTarget(), random_state=0
    ).teach(X[:100], y[:100])
    learner.query(X)
    ((memory,), left) = learner._stopping_memory.memory, y[100:].sum()
    assert left / 2 < memory["expected"] < 2 * left


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([1, 0], [True, False], 5), "relevant must be"),
        (([True], [True, False], 5), "inconsistent"),
        (([True], [True], 0), "n_rows == "),
    ],
)
def test_bad_reads(args, message):
    with pytest.raises(ValueError, match=message):
        recall_estimate(*args)


def test_the_price_comes_true(searched):
    X, y, stopped = searched
    learner = clone(stopped).set_params(budget=80, stopping=None).fit(X, y)
    price = recall_price(learner, X, recall=0.8)
    assert price.found == y[learner.queried_indices_].sum()
    assert price.likely[0] <= y.sum() <= price.likely[1]
    assert price.n_expected <= price.n_certain <= len(y) - 80
    more = stopped.n_queries_ - 80
    assert more / 2 < price.n_certain < 2 * more
    so_far = recall_so_far(learner, X)
    assert so_far.found == price.found
    assert so_far.n_relevant == pytest.approx(price.n_relevant)
    done = recall_so_far(stopped, X, always_valid=True)
    assert done.low > 0.75  # stakes are those for .95


def test_a_price_is_refused_while_nothing_relevant_is_known():
    X, _ = rows_with_late_cluster()
    learner = RelevanceSamplingClassifier(positive=1).teach(X[:3], [0, 0, 0])
    with pytest.raises(ValueError, match="No relevant row is known yet among 3 labels"):
        recall_price(learner, X)


def test_the_probabilities_of_texts_come_from_the_scores():
    texts = [f"{w} {i % 7}" for i in range(60) for w in ("cat", "dog", "dog")]
    is_cat = np.array([text.startswith("cat") for text in texts])
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    p = relevance_probabilities(model, texts[:90], is_cat[:90], texts[90:])
    assert p.shape == (90,)
    assert abs(p.sum() - is_cat[90:].sum()) < 5
