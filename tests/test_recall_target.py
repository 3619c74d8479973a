"""The rule that stops at a recall, and what is said of the recall so far."""

import json
import pickle
from math import ceil, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import MinMarginClassifier, RelevanceSamplingClassifier
from sklearn_activelearn.audit._recall import price_of, rows_to_recall, shares_explored
from sklearn_activelearn.evaluation import recall_estimate, recall_price, recall_so_far
from sklearn_activelearn.pool import AllOf, RecallTarget
from sklearn_activelearn.pool.stopping._base import AskedRows
from sklearn_activelearn.sources import Source
from sklearn_activelearn.utils import _statistics as bounds
from tests.reference import recall as slow
from tests.tools import peak_memory


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


def searching(seed=0, **params):
    rule = RecallTarget(**params)
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
        args = relevant[:n_read], drawn[:n_read], len(y), total
        return slow.odds(*args, 0.8) >= 20

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


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (RecallTarget(recall=0), "recall == "),
        (RecallTarget(recall=1.1), "recall == "),
        (RecallTarget(confidence=1), "confidence == "),
    ],
)
def test_bad_input(rule, message):
    learner = RelevanceSamplingClassifier(stopping=rule)
    with pytest.raises(ValueError, match=message):
        learner.query(np.eye(5))


class TestPositiveIsNoClass:
    message = r"RecallTarget: positive must be one of the classes, \['no', 'yes'\], got"
    X, is_relevant = rows_with_late_cluster(n=60, n_relevant=20, n_late=2)
    y = np.where(is_relevant, "yes", "no")

    @pytest.mark.parametrize("wrap", [lambda rule: rule, lambda r: AllOf([r, r])])
    def test_of_declared_ones(self, wrap):
        rule = wrap(RecallTarget(positive="yess"))
        learner = MinMarginClassifier(stopping=rule, random_state=0)
        with pytest.raises(ValueError, match=self.message):
            learner.teach(self.X[:1], self.y[:1], classes=["no", "yes"])
        with pytest.raises(ValueError, match=self.message):
            learner.fit(self.X, self.y)
        assert not hasattr(learner, "classes_")

    def test_of_those_that_have_labels_and_none_is_lost(self):
        rule = RecallTarget(positive="yess")
        learner = MinMarginClassifier(n_initial=1, stopping=rule, random_state=0)
        learner.teach(self.X[:20], self.y[:20])
        with pytest.raises(ValueError, match=self.message):
            learner.query(self.X)
        assert learner.n_taught_ == 20
        learner.set_params(stopping=RecallTarget(positive="yes"))
        assert len(learner.query(self.X))


class TestPositiveOfTheLearner:
    X, is_relevant = rows_with_late_cluster(2, n=150, n_relevant=40, n_late=0)
    y = np.where(is_relevant, "a", "z")  # the last class is not looked for

    def search(self, rule):
        return RelevanceSamplingClassifier(
            positive="a", batch_size=0.25, stopping=rule, random_state=0
        )

    @pytest.mark.parametrize("wrap", [lambda rule: rule, lambda r: AllOf([r, r])])
    def test_it_is_that_of_a_rule_without_one(self, wrap):
        rules = [RecallTarget(0.8, positive=each) for each in (None, "a")]
        ours, theirs = (self.search(wrap(rule)).fit(self.X, self.y) for rule in rules)
        assert ours.stop_reason_ == type(wrap(rules[0])).__name__
        np.testing.assert_array_equal(ours.queried_indices_, theirs.queried_indices_)


def test_rows_that_are_out_hold_back_the_evidence_after_them():
    """And draws from a part of the pool are not taken for random."""
    p = np.array([1, 1 / 9, 1 / 8, 1, 1 / 6, 1 / 5, 1 / 3])
    purposes = np.array(["", *["audit"] * 6])
    places = np.array([0, 1, -1, 2, -2, 3, 4])
    asked = AskedRows(np.arange(7), places, p, purposes, 10)
    assert asked.drawn.tolist() == [False, True, True, False, True, True, False]
    reads = asked.reads(np.array([True, False, True, False, False]))
    assert reads.relevant.tolist() == [True, False, True, False, False]
    assert reads.drawn.tolist() == [False, True, False, False, False]
    assert reads.n_rows == 9  # without the one that was skipped


@pytest.mark.parametrize(
    ("initial", "batch_size", "explore"),
    [
        ("random", 1, 0.3),
        ("mixed", 5, 0.3),
        ("random", 0.2, 0.3),
        ("mixed", 7, 0.05),
        ("random", 4, 1.0),
    ],
)
def test_explored_rows_come_first_in_their_purchase(initial, batch_size, explore):
    X, y = rows_with_late_cluster(n=200, n_relevant=40, n_late=1)
    learner = RelevanceSamplingClassifier(
        positive=True, n_initial=10, initial=initial, batch_size=batch_size,
        explore=explore, budget=None, random_state=0,
    )  # fmt: skip
    order, is_random = [], []
    while len(order) < 50:
        rows = learner.query(X)
        purposes = learner.record()["purposes"][-len(rows) :]
        drawn = np.array(purposes) == "explored"
        drawn |= not order and initial == "random"
        first = np.argsort(~drawn, kind="stable")
        order += rows[first].tolist()
        is_random += drawn[first].tolist()
        learner.teach(X[rows], y[rows])
    asked = AskedRows.of(learner._ledger, len(y) - len(order))
    is_relevant = learner._ledger.labelled.codes == 1
    reads = asked.reads(is_relevant, shares=shares_explored(learner))
    assert reads.relevant.tolist() == y[order].tolist()
    assert reads.drawn.tolist() == is_random
    assert recall_so_far(learner, X).n_drawn == sum(is_random)


def test_rows_explored_among_some_of_the_pool_only_do_not_count():
    X, y = rows_with_late_cluster(n=400, n_relevant=80, n_late=1)
    learner = RelevanceSamplingClassifier(
        positive=True, batch_size=5, explore=0.4, budget=None, random_state=0
    ).teach(X[:30], y[:30])
    for _ in range(8):
        rows = learner.query(X, candidates=np.arange(30, 317))
        learner.teach(X[rows], y[rows])
    assert "explored" in learner.record()["purposes"]
    assert recall_so_far(learner, X).n_drawn == 0


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
    assert found <= estimate.n_relevant <= estimate.most_relevant


def test_a_sample_of_all_rows_leaves_no_doubt():
    assert recall_estimate([True, False], [True, True], 2).value == 1


def test_rows_that_are_found_after_the_sample_are_counted():
    flags, drawn = [False] * 5 + [True] * 10, np.arange(15) < 5
    assert recall_estimate(flags, drawn, 20).low == 1  # the sample allows fewer than 10


def test_all_rows_were_read():
    X, y = rows_with_late_cluster(n=40, n_relevant=8, n_late=1)
    learner = RelevanceSamplingClassifier(positive=True, random_state=0).teach(X, y)
    estimate, price = recall_so_far(learner, X), recall_price(learner, X)
    assert (estimate.value, estimate.low, estimate.found) == (1, 1, 8)
    assert (price.n_expected, price.n_certain, price.n_relevant) == (0, 0, 8)
    assert price.likely_rows == (0, 0)


def test_rows_that_were_excluded_are_not_in_the_pool():
    X, y = rows_with_late_cluster(n=200, n_relevant=60, n_late=1)
    test = np.arange(0, 200, 4)
    learner = RelevanceSamplingClassifier(
        positive=True, budget=40, batch_size=10, explore=0.3, random_state=0
    )
    for _ in range(3):
        rows = learner.query(X, exclude=test)
        learner.teach(X[rows], y[rows], classes=[False, True])
    rest, is_test = np.delete(X, test, axis=0), np.isin(np.arange(200), test)
    alone = recall_so_far(learner, rest)
    assert alone.n_drawn > 0
    assert recall_so_far(learner, X, exclude=test) == alone
    assert recall_so_far(learner, X, exclude=is_test) == alone
    assert recall_price(learner, X, exclude=test) == recall_price(learner, rest)
    with_labels = [*test, *rows]
    assert recall_so_far(learner, X, exclude=with_labels) == alone
    with pytest.raises(ValueError, match="exclude"):
        recall_so_far(learner, X, exclude=[200])


@pytest.mark.parametrize("function", [recall_so_far, recall_price])
def test_no_pool_learner(function):
    with pytest.raises(TypeError, match="learner must be a pool learner, got Log"):
        function(LogisticRegression(), np.eye(3))
    with pytest.raises(NotFittedError, match="has no labels"):
        function(RelevanceSamplingClassifier(), np.eye(3))


class Blocks(Source):
    """Rows that note how many of them were taken at a time."""

    def __init__(self, X):
        self.X, self.shape, self.dtype, self.sizes = X, X.shape, X.dtype, []

    def _parts(self, n_jobs):
        return [slice(i, i + 64) for i in range(0, len(self.X), 64)]

    def _take(self, rows):
        self.sizes.append(len(rows))
        return self.X[rows]


def test_rows_that_are_not_in_memory_are_judged_in_blocks():
    X, y = rows_with_late_cluster(n=1_280, n_relevant=80, n_late=1)
    pool = Blocks(X)
    learner = searching().set_params(positive=True)
    learner.teach(X[:50], y[:50])
    in_memory = clone(learner).teach(X[:50], y[:50])
    assert learner.query(pool).tolist() == in_memory.query(X).tolist()
    prices = recall_price(learner, pool), recall_price(in_memory, X)
    assert max(pool.sizes) <= 256
    assert prices[0].n_relevant == prices[1].n_relevant
    memories = [each._state.stopping_memory.memory for each in (learner, in_memory)]
    assert memories[0] == memories[1]


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
    assert done.low >= 0.75  # stakes are those for .95


@pytest.mark.parametrize("recall", [0.5, 0.95, 1.0])
@pytest.mark.parametrize("found", [1, 5, 9])
def test_rows_to_a_recall_are_those_of_each_number_that_misses_it(found, recall):
    p = np.sort(np.random.default_rng(0).beta(0.2, 2, size=60))[::-1]
    n_rows, p_reached = rows_to_recall(found, p, recall)
    # a negative binomial distribution, as a mixture of Poisson ones
    rng = np.random.default_rng(1)
    unread = rng.poisson(p.sum() * rng.gamma(3, 1 / 3, size=200_000))
    unread = unread[unread <= len(p)]
    is_missed = found < recall * (found + unread) - 1e-9
    logs = {}
    for d in np.unique(unread[is_missed]).tolist():
        n_needed = next(k for k in range(d + 1) if found + k >= recall * (found + d))
        goal = (n_needed - 0.5) / d * p.sum()
        logs[d] = np.log(next(n for n in range(1, 61) if p[:n].sum() >= goal))
    mean = np.mean([logs[d] for d in unread[is_missed].tolist()])
    assert n_rows == pytest.approx(np.exp(mean), rel=0.02, abs=0.6)
    assert p_reached == pytest.approx(1 - is_missed.mean(), abs=0.01)


@pytest.mark.parametrize(("n_read", "factors"), [(199, (30, 2)), (200, (6, 5))])
def test_the_range_of_rows_is_wider_while_the_model_learns(n_read, factors):
    p = np.linspace(0.9, 0, 1_000 - n_read) ** 8
    reads = bounds.Reads(np.arange(n_read) < 20, np.zeros(n_read, dtype=bool), 1_000)
    price = price_of(reads, p, 0.95, 0.95)
    fewer, more = factors
    most = min(more * price.n_expected, 1_000 - n_read)
    assert price.likely_rows == (ceil(price.n_expected / fewer), most)
    assert 1 <= price.likely_rows[0] < price.n_expected < price.likely_rows[1]


def test_a_price_is_refused_while_nothing_relevant_is_known():
    X, _ = rows_with_late_cluster()
    learner = RelevanceSamplingClassifier(positive=1).teach(X[:3], [0, 0, 0])
    with pytest.raises(ValueError, match="No relevant row is known yet among 3 labels"):
        recall_price(learner, X)


RECALLS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@st.composite
def reads_of_rows(draw, n_most=14):
    """Some rows that were read, in order, and which of them were drawn."""
    n_rows = draw(st.integers(2, n_most))
    n_read = draw(st.integers(1, n_rows))
    flags = st.lists(st.booleans(), min_size=n_read, max_size=n_read)
    relevant, drawn = np.array(draw(flags)), np.array(draw(flags))
    return bounds.Reads(relevant, drawn, n_rows)


@given(found=st.integers(0, 500), recall=RECALLS)
def test_the_least_total_that_misses_the_target(found, recall):
    expected = slow.least_bad_total(found, recall)
    assert bounds.least_bad_total(found, recall) == expected


@given(st.data())
def test_the_bound_of_a_sample(data):
    n_rows = data.draw(st.integers(1, 30))
    n_drawn = data.draw(st.integers(1, n_rows))
    n_relevant = data.draw(st.integers(0, n_drawn))
    # no draw has exactly one of these chances: rounding would decide
    level = data.draw(st.sampled_from([0.0137, 0.0513, 0.3141]))
    args = n_rows, n_drawn, n_relevant, level
    assert bounds.most_by_sample(*args) == slow.most_by_sample(*args)


@given(found=st.integers(0, 500), recall=RECALLS)
def test_what_was_found_is_the_most_for_the_least_total(found, recall):
    total = bounds.least_bad_total(found, recall)
    assert bounds.most_bad_found(total, recall) == found


@given(reads=reads_of_rows(), recall=RECALLS, more=st.integers(1, 5))
def test_the_odds_are_a_ratio_of_likelihoods(reads, recall, more):
    total = reads.found + more
    assume(more <= reads.n_unread)
    args = reads.relevant.tolist(), reads.drawn.tolist(), reads.n_rows, total
    expected = slow.odds(*args, recall)
    with np.errstate(divide="ignore"):
        expected = np.log(expected)
    assert bounds.log_evidence(reads, total, recall) == pytest.approx(expected)


@given(reads=reads_of_rows(), recall=RECALLS, more=st.integers(1, 5))
def test_a_part_of_the_stakes_waits_for_later_rows(reads, recall, more):
    total = reads.found + more
    assume(more <= reads.n_unread)
    relevant, drawn = reads.relevant.tolist(), reads.drawn.tolist()
    (at,) = np.nonzero(reads.drawn)

    def stakes_from(start):
        first = sum(relevant[: at[start]])
        n_missed = slow.least_bad_total(first, recall) - first
        numbers, weights = bounds.prior(n_missed, total)
        return list(zip(map(int, numbers), weights, strict=True))

    expected = slow.odds_from(relevant, drawn, reads.n_rows, total, stakes_from)
    now = bounds.log_evidence_from(reads, total, recall)
    assert now == pytest.approx(log(expected) if expected < np.inf else np.inf)


@given(reads=reads_of_rows(25), recall=RECALLS, alpha=st.sampled_from([0.05, 0.4]))
def test_the_most_relevant_rows_are_the_largest_total_not_ruled_out(
    reads, recall, alpha
):
    totals = range(reads.found + 1, reads.found + reads.n_unread + 1)
    left = [reads.found] + [
        total
        for total in totals
        if bounds.log_evidence_from(reads, total, recall) < log(1 / alpha)
    ]
    assert bounds.most_relevant(reads, alpha, recall) == max(left)


@given(n_missed=st.integers(1, 400), n_most=st.integers(0, 5_000))
def test_no_more_than_everything_is_staked(n_missed, n_most):
    _, weights = bounds.prior(n_missed, n_most)
    assert (weights > 0).all()
    assert weights.sum() <= 1 + 1e-9


def audited(reads, total, recall):
    """Return the largest evidence of all moments."""
    ends = range(1, len(reads.relevant) + 1)
    parts = (
        reads._replace(relevant=reads.relevant[:n], drawn=reads.drawn[:n]) for n in ends
    )
    return max(bounds.log_evidence(part, total, recall) for part in parts)


def share_that_is_wrong(choose_random, evidence, n_runs=200, n_rows=60, total=12):
    """Return how often the true total is ever ruled out at a level of .2."""
    n_wrong, rng = 0, np.random.default_rng(0)
    for _ in range(n_runs):
        y = np.zeros(n_rows, dtype=bool)
        y[rng.permutation(n_rows)[:total]] = True
        # as a ranking that is good at first, and then finds nothing for long
        score = y * (rng.random(n_rows) < 0.8) + 0.01 * rng.random(n_rows)
        left, relevant, drawn = list(np.argsort(-score)), [], []
        while left:
            is_random = choose_random(len(drawn), rng)
            drawn.append(is_random)
            row = left.pop(rng.integers(len(left)) if is_random else 0)
            relevant.append(y[row])
        reads = bounds.Reads(np.array(relevant), np.array(drawn), n_rows)
        n_wrong += evidence(reads, total, 0.9) >= log(1 / 0.2)
    return n_wrong / n_runs


@pytest.mark.parametrize(
    ("choose_random", "evidence"),
    [
        (lambda t, rng: t >= 15, audited),
        (lambda t, rng: rng.random() < 0.3, audited),
        (lambda t, rng: rng.random() < 0.3, bounds.log_evidence_from),
        (lambda t, rng: True, audited),
    ],
    ids=["audit", "explored", "explored later", "all"],
)
def test_the_level_holds_at_every_look(choose_random, evidence):
    assert share_that_is_wrong(choose_random, evidence) <= 0.2 + 0.04


@pytest.mark.parametrize(
    ("found", "expected", "n_since", "is_due"),
    [  # of 400 found, 22 would miss the target; of 45, three
        (400, 5.0, 46, True),
        (400, 5.1, 46, False),
        (400, 5.0, 45, False),
        (45, 3.0, 334, True),
        (45, 3.1, 334, False),
        (45, 3.0, 333, False),
    ],
)
def test_an_audit_begins_when_few_are_left(found, expected, n_since, is_due):
    assert bounds.is_audit_due(found, expected, n_since, 5_000, 0.95) == is_due


def test_what_a_certificate_costs():
    # three unread must be ruled out: the share is 1 - .05 ** (1 / 3) if none is seen
    share = bounds.audit_share(45, 0.0, 0.95, 0.05)
    assert share == pytest.approx(1 - 0.05 ** (1 / 3), abs=0.01)
    of_many = bounds.audit_share(400, 0.0, 0.95, 0.05)
    assert of_many == pytest.approx(1 - 0.05 ** (1 / 22), abs=0.01)
    assert bounds.audit_share(45, 2.0, 0.95, 0.05) > share


def test_a_low_recall_costs_no_memory():
    assert peak_memory(lambda: bounds.audit_share(300, 5.0, 0.05, 0.05)) < 50e6


def test_a_plan_ranks_until_few_are_left_and_then_draws():
    relevant = np.append(np.ones(40, dtype=bool), np.zeros(160, dtype=bool))
    reads = bounds.Reads(relevant, np.zeros(200, dtype=bool), 1_000)
    p = np.zeros(800)
    p[:20] = 0.5
    plan = bounds.audit_plan(reads, p, 0.95, 0.05)
    assert 15 <= plan.n_ranked <= 160
    assert 450 < plan.n_rows < 700
    now = bounds.audit_plan(reads, np.zeros(800), 0.95, 0.05)
    assert now.n_ranked == 0
    assert now.n_rows < plan.n_rows
