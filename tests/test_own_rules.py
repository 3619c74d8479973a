"""Query rules and update rules that a user writes in Python."""

import signal

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc
from scipy.sparse import csr_array

from sklearn_activelearn import CBGZClassifier, DKMClassifier
from sklearn_activelearn.losses import HingeLoss
from sklearn_activelearn.stream import (
    ConstantRule,
    InverseMarginRule,
    LossUpdate,
    PerceptronUpdate,
    QueryRule,
    StreamClassifier,
    UpdateRule,
)
from tests.test_first_order import gaussian_stream
from tests.tools import RecordingOracle, state


class Inverse(QueryRule):
    def __init__(self, b=0.1):
        self.b = b

    def probability(self, margin, norm, clock, memory):
        return self.b / (self.b + margin)


class AdaptiveInverse(QueryRule):
    uses_norm = True

    def initial_memory(self, n_dims):
        return [0.0]

    def probability(self, margin, norm, clock, memory):
        largest = max(norm, memory[0])
        b = largest * largest * np.sqrt(1.0 + clock.n_updates)
        return 1.0 / (1.0 + margin / b) if margin > 0 else 1.0

    def observe(self, margin, norm, clock, memory):
        memory[0] = max(norm, memory[0])


class Halving(QueryRule):
    seeds = is_threshold = True

    def initial_memory(self, n_dims):
        return [1.0, 0.0]

    def probability(self, margin, norm, clock, memory):
        return margin <= memory[0] * (1 + 1e-12)

    def learned(self, mistake, clock, memory):
        memory[1] = 0 if mistake else memory[1] + 1
        if memory[1] >= 8:
            memory[:] = memory[0] / 2, 0


class Step(UpdateRule):
    def step(self, z, squared_norm, probability, clock):
        return 1.0 if z <= 0 else 0.0


class OwnClassifier(StreamClassifier):
    def __init__(self, query_rule=None, update_rule=None, *, random_state=None):
        super().__init__(random_state=random_state)
        self.query_rule, self.update_rule = query_rule, update_rule

    def _make_rules(self):
        return (self.query_rule or Inverse)(), (self.update_rule or Step)()


PAIRS = [
    (Inverse, CBGZClassifier()),
    (AdaptiveInverse, CBGZClassifier(b="adaptive")),
    (Halving, DKMClassifier(R=8)),
]


@pytest.mark.parametrize(("rule", "compiled"), PAIRS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("convert", [np.asarray, csr_array])
def test_they_do_what_compiled_ones_do(rule, compiled, n_classes, convert):
    X, y = gaussian_stream(0, n_classes, n_rows=150)
    X, ours = convert(X), OwnClassifier(rule, random_state=0)
    theirs = compiled.set_params(random_state=0)
    for one, other in (
        (ours.fit(X, y), theirs.fit(X, y)),
        (ours.partial_fit(X[:40], y[:40]), theirs.partial_fit(X[:40], y[:40])),
        (ours.learn(X, RecordingOracle(y)), theirs.learn(X, RecordingOracle(y))),
        (ours.teach(X[:9], y[:9]), theirs.teach(X[:9], y[:9])),
    ):
        np.testing.assert_array_equal(one.queried_indices_, other.queried_indices_)
        np.testing.assert_array_equal(one.coef_, other.coef_)
        assert one._learned.counts == other._learned.counts
        np.testing.assert_array_equal(one._learned.memory, other._learned.memory)
    for learner in (ours, theirs):
        learner.set_params(random_state=0)
    rows, q = ours.query(X, return_probability=True)
    same, same_q = theirs.query(X, return_probability=True)
    np.testing.assert_array_equal(rows, same)
    np.testing.assert_array_equal(q, same_q)


@pytest.mark.parametrize("answer", [np.nan, -0.1, np.inf, "many", None, 1.5, [0.5] * 2])
def test_answers_that_are_no_probability_or_no_step(answer):
    class Wrong(Inverse):
        def probability(self, *arguments):
            late = arguments[-2].n_seen > 40
            return answer if late else super().probability(*arguments)

    class WrongStep(Step):
        def step(self, z, squared_norm, probability, clock):
            return answer if clock.n_taught > 9 else 1.0

    words = r"Wrong.probability\(.*\) must .*in \[0, 1\], got"
    raises_and_changes_nothing(Wrong, None, words)
    if answer != 1.5:
        words = r"WrongStep.step\(.*\) must .*finite and >= 0, got"
        raises_and_changes_nothing(None, WrongStep, words)


def raises_and_changes_nothing(query_rule, update_rule, words, error=ValueError):
    X, y = gaussian_stream(0, 2, n_rows=200)
    learner = OwnClassifier(query_rule, update_rule, random_state=0)
    learner.partial_fit(X[:20], y[:20], [0, 1])
    before = state(learner)
    for call in (
        lambda: learner.partial_fit(X, y),
        lambda: [learner.query(X[20:]), learner.teach(X, y)],
    ):
        with pytest.raises(error, match=words):
            call()
    fresh = OwnClassifier(query_rule, update_rule, random_state=0)
    with pytest.raises(error, match=words):
        fresh.learn(X, RecordingOracle(y), [0, 1])
    n = fresh.n_seen_
    assert 0 < n < 200
    expected = OwnClassifier(query_rule, update_rule, random_state=0)
    expected.partial_fit(X[:n], y[:n], [0, 1])
    assert state(fresh) == state(expected)
    assert fresh.queried_indices_.tolist() == expected.queried_indices_.tolist()
    learner = OwnClassifier(query_rule, update_rule, random_state=0)
    learner.partial_fit(X[:20], y[:20], [0, 1])
    assert state(learner) == before


@pytest.mark.parametrize("method", ["probability", "observe", "learned"])
def test_an_error_in_the_middle_changes_nothing(method):
    class Fails(AdaptiveInverse):
        uses_norm = True

        def learned(self, mistake, clock, memory):
            memory[0] += 1

    def fails(self, *arguments):
        clock = arguments[-2]
        if clock.n_seen > 60:
            raise KeyError("no such row")
        return getattr(super(Fails, self), method)(*arguments)

    setattr(Fails, method, fails)
    raises_and_changes_nothing(Fails, None, "no such row", KeyError)


def test_an_error_in_a_step_gives_up_the_label_just_bought():
    class Fails(Step):
        def step(self, z, squared_norm, probability, clock):
            if clock.n_taught == 9 and fails:
                fails.clear()
                raise KeyError("no such row")
            return 1.0

    X, y = gaussian_stream(0, 2, n_rows=200)
    fails, oracle = [True], RecordingOracle(y)
    learner = OwnClassifier(None, Fails, random_state=0)
    with pytest.raises(KeyError):
        learner.learn(X, oracle, [0, 1])
    assert (len(oracle.asked), learner.n_queries_, learner.n_taught_) == (10, 9, 9)
    assert learner.n_seen_ == oracle.asked[-1]
    again = RecordingOracle(y[learner.n_seen_ :])
    learner.learn(X[learner.n_seen_ :], again)
    assert again.asked[0] == 0
    assert state(learner) == state(
        OwnClassifier(None, Fails, random_state=0).learn(X, RecordingOracle(y), [0, 1])
    )


@pytest.mark.parametrize("method", ["observe", "learned"])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_memory_must_stay_finite_and_keep_its_length(method, n):
    class Spoils(AdaptiveInverse):
        def probability(self, margin, norm, clock, memory):
            assert not memory.flags.writeable
            return 1.0

    def spoils(self, *arguments):
        if arguments[-2].n_seen > 30:
            arguments[-1].resize(n, refcheck=False)
            arguments[-1][:1] = np.nan

    setattr(Spoils, method, spoils)
    what = "nan" if n == 1 else f"{n} numbers"
    raises_and_changes_nothing(Spoils, None, f"Spoils.{method} left {what} in the mem")


@pytest.mark.parametrize("memory", [None, 1.0, [[1.0]], [np.nan], "many", [np.inf]])
def test_a_memory_must_begin_with_finite_numbers(memory):
    class Begins(Inverse):
        def initial_memory(self, n_dims):
            return memory

    X, y = gaussian_stream(0, 2, n_rows=20)
    learner = OwnClassifier().fit(X, y).set_params(query_rule=Begins)
    for call in (lambda: learner.query(X), lambda: learner.fit(X, y)):
        with pytest.raises(
            ValueError, match=r"Begins.initial_memory\(n_dims\) must ret"
        ):
            call()


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("method", ["step", "learned", "observe"])
@pytest.mark.parametrize("k", [1, 7])
def test_ctrl_c_in_a_rule_loses_no_label(method, k):
    X, y = gaussian_stream(0, 2, n_rows=60)
    calls = [k]

    def interrupted(self, *arguments):
        calls[0] -= 1
        if calls[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return 1.0

    class Rule(AdaptiveInverse):
        def probability(self, margin, norm, clock, memory):
            return 1.0

    class Update(Step):
        pass

    setattr(Update if method == "step" else Rule, method, interrupted)
    oracle, learner = RecordingOracle(y), OwnClassifier(Rule, Update, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.learn(X, oracle, [0, 1])
    assert len(oracle.asked) == k
    assert learner.n_taught_ == k


def test_a_rule_that_ignores_margins_may_buy_before_it_was_taught():
    class Often(QueryRule):
        ignores_margin = True

        def probability(self, margin, norm, clock, memory):
            return 0.5

    X, _ = gaussian_stream(0, 2, n_rows=100)
    assert len(OwnClassifier(Often, random_state=0).query(X)) > 30
    assert len(OwnClassifier(Inverse, random_state=0).query(X)) == 1


def test_rows_in_groups():
    class OfThree(QueryRule):
        group = 3

        def probability(self, margin, norm, clock, memory):
            return 1.0

    X, y = gaussian_stream(0, 2, n_rows=90)
    learner = OwnClassifier(OfThree, random_state=0).partial_fit(X, y, [0, 1])
    assert (learner.n_queries_, learner._group) == (30, 3)

    def grouped():  # of those that score rows together
        rule = ConstantRule(1.0)
        rule.group = 3
        return rule

    learner = OwnClassifier(grouped, random_state=0).partial_fit(X, y, [0, 1])
    assert learner.n_queries_ == 30

    for wrong in (0, 2.5, "all"):
        kind = type("OfNone", (OfThree,), {"group": wrong})
        with pytest.raises(ValueError, match=f"OfNone.group must be .* got {wrong!r}"):
            OwnClassifier(kind).partial_fit(X, y, [0, 1])


@pytest.mark.parametrize(
    "rules",
    [(Step(), Inverse()), Inverse(), (Inverse(),), (Inverse, Step), None],
    ids=["swapped", "one", "single", "classes", "none"],
)
def test_rules_that_are_no_pair(rules):
    class Wrong(StreamClassifier):
        def _make_rules(self):
            return rules

    X, y = gaussian_stream(0, 2, n_rows=20)
    for call in (
        lambda: Wrong().fit(X, y),
        lambda: Wrong().query(X),
        lambda: Wrong()._group,
    ):
        with pytest.raises(TypeError, match=r"Wrong._make_rules\(\) must return a Qu"):
            call()


def test_norms_are_for_those_who_ask():
    class Update(UpdateRule):
        def step(self, z, squared_norm, probability, clock):
            assert np.isnan(squared_norm) != self.uses_norm
            return 1.0

    class Normed(Update):
        uses_norm = True

    X, y = gaussian_stream(0, 2, n_rows=20)
    for update in (Update, Normed):
        OwnClassifier(None, update).fit(X, y)


def test_what_a_rule_lacks_is_said():
    class Nothing(QueryRule):
        pass

    class NoStep(UpdateRule):
        pass

    X, y = gaussian_stream(0, 2, n_rows=20)
    with pytest.raises(NotImplementedError, match=r"Nothing needs .* probability\("):
        OwnClassifier(Nothing).fit(X, y)
    with pytest.raises(NotImplementedError, match=r"NoStep needs .* step\("):
        OwnClassifier(None, NoStep).fit(X, y)
    with pytest.raises(NotImplementedError, match="StreamClassifier needs _make_rules"):
        StreamClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("base", "method"),
    [(InverseMarginRule, "probability"), (ConstantRule, "initial_memory")],
)
def test_a_method_of_a_compiled_rule_cannot_be_replaced(base, method):
    kind = type("Own", (base,), {method: lambda self, *arguments: [1.0]})
    X, y = gaussian_stream(0, 2, n_rows=20)
    with pytest.raises(TypeError, match=f"Own replaces {method} of {base.__name__}"):
        OwnClassifier(lambda: kind(0.5)).fit(X, y)
    same = type("Same", (base,), {})  # other methods may be added
    OwnClassifier(lambda: same(0.5)).fit(X, y)


class Held(QueryRule):
    """Hands all questions to a compiled rule."""

    by_margin = True

    def __init__(self, inner):
        self.inner = inner

    def initial_memory(self, n_classes):
        return self.inner.initial_memory(n_classes)

    def probability(self, margin, norm, clock, memory):
        return self.inner.probability(margin, norm, clock, memory)

    def observe(self, margin, norm, clock, memory):
        self.inner.observe(margin, norm, clock, memory)

    def learned(self, mistake, clock, memory):
        self.inner.learned(mistake, clock, memory)


class HeldDKMClassifier(DKMClassifier):
    def _make_rules(self):
        query, update = super()._make_rules()
        return Held(query), update


def test_a_rule_that_holds_a_compiled_one_buys_the_same():
    X, y = gaussian_stream(0, 2, n_rows=400)
    bought = [
        kind(R=4, budget=None, random_state=0).fit(X, y).queried_indices_.tolist()
        for kind in (DKMClassifier, HeldDKMClassifier)
    ]
    assert bought[0] == bought[1]
    assert 0 < len(bought[0]) < 200


def test_compiled_rules_can_be_asked():
    class Capped(QueryRule):
        def __init__(self):
            self.inner = InverseMarginRule(b=0.5)

        def probability(self, margin, norm, clock, memory):
            return min(self.inner.probability(margin, norm, clock, memory), 0.9)

    X, y = gaussian_stream(0, 2, n_rows=60)
    assert 0 < OwnClassifier(Capped, random_state=0).fit(X, y).n_queries_ < 60
    threshold, _ = DKMClassifier(R=2)._make_rules()
    assert threshold.probability(0.6, 1.0, None, np.array([0.5, 0.0])) == 0
    assert not [name for name in dir(threshold) if "as_memory" in name]
    with pytest.raises(ValueError, match="needs a memory of 2 numbers, got 0"):
        threshold.probability(0.6, 1.0, None, [])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ConstantRule(1.5), "rate"),
        (lambda: InverseMarginRule(0.0), "b must be .* got 0.0"),
        (lambda: PerceptronUpdate(np.nan), "eta0"),
        (lambda: LossUpdate(HingeLoss(), power_t=-1.0), "power_t"),
    ],
)
def test_parameters_of_compiled_rules(make, words):
    with pytest.raises(ValueError, match=words):
        make()
    with pytest.raises(TypeError):
        LossUpdate(None)


LOSS = {"loss": HingeLoss(), "eta0": 0.1, "power_t": 0.0, "n_warm_start": 0}


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        (ConstantRule, {"rate": 0.5}),
        (InverseMarginRule, {"b": 0.5}),
        (PerceptronUpdate, {"eta0": 1.0}),
        (LossUpdate, LOSS),
    ],
)
def test_documented_parameters_are_taken(kind, params):
    """A compiled class has no signature to compare with."""
    kind(**params)
    assert [entry.name for entry in ClassDoc(kind)["Parameters"]] == list(params)
