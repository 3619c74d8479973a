"""The choice of rows and the target as values, called without a learner."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    CBGZClassifier,
    COMBClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    RelevanceSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.base._target import LabelTarget
from sklearn_activelearn.pool import Known, PoolClassifier, Purchase, Rule, Trained
from sklearn_activelearn.pool import _choice as choices
from sklearn_activelearn.pool._choice import RowChoice
from sklearn_activelearn.pool._distances import Embedder
from sklearn_activelearn.pool._ledger import KeptPool, Labelled, Ledger
from sklearn_activelearn.pool._rule import RandomRule
from sklearn_activelearn.pool._selection import draw_explored
from sklearn_activelearn.pool._state import LearnerState
from tests.tools import fresh

X = np.random.default_rng(0).normal(size=(60, 2))
y = (X[:, 0] > 0).astype(int)
ROWS = np.arange(10, 60)


class FirstColumn(Rule):
    """The rows with the largest number in the first column."""

    def utility(self, model, X):
        return X[:, 0]


class Fails(Rule):
    def select(self, round):
        raise ValueError("too few")


class Remembers(Rule):
    """Counts its purchases."""

    def select(self, round):
        n = (round.memory or 0) + 1
        rows = round.rows[: round.n_wanted]
        return Purchase(rows, np.ones(len(rows)), np.zeros(len(rows)), memory=n)


def decide(
    choice,
    n_labels=10,
    rows=ROWS,
    limit=99,
    n_left=99,
    train=None,
    memory=None,
    **values,
):
    """Return the decision of a choice that knows the first labels of X."""
    labelled = Labelled(X[:n_labels], y[:n_labels].astype(np.int32))
    prototypes, purposes = [LogisticRegression()], np.full(n_labels, "")
    known = Known(
        prototypes, labelled, purposes, np.array([0, 1]), KeptPool(), n_labels, 0
    )
    state = LearnerState(0, Ledger(labelled=labelled), n_rounds=1, rule_memory=memory)
    embedder = Embedder(None, 0, None, prototypes[0])

    def train_model():
        return Trained(LogisticRegression().fit(X[:n_labels], y[:n_labels]))

    values = {"embedder": lambda: embedder, **values}
    round = choice.start_round(X, rows, limit, n_left, state, known, None, **values)
    if round.n_wanted and round.initial is None and choice.rule.uses_model:
        trained = (train or train_model)()
        if trained is None:
            round = choice.without_model(round)
        round = round._replace(trained=trained)
    return choice.choose(round, rows, limit, n_left, None, None)


def test_a_model_chooses_the_rows_of_the_highest_utilities():
    choice = RowChoice(FirstColumn(), batch_size=3)
    purchase, stop_reason, memory, remembered = decide(choice)
    assert purchase.rows.tolist() == ROWS[np.argsort(-X[ROWS, 0])[:3]].tolist()
    assert purchase.utilities.tolist() == X[purchase.rows, 0].tolist()
    assert purchase.probabilities.tolist() == [1, 1, 1]
    assert stop_reason is memory is remembered is None


def test_a_model_is_trained_only_if_it_chooses_and_may_be_missing():
    calls = []

    def train():
        calls.append(1)

    choice = RowChoice(FirstColumn(), initial="herding", batch_size=3)
    assert len(decide(choice, n_labels=2, train=train).purchase.rows) == 8
    assert not len(decide(choice, n_left=0, train=train).purchase.rows)
    assert not calls
    purchase = decide(choice, train=train).purchase  # random, for want of a model
    assert len(calls) == 1
    assert purchase.reasons == "first"
    assert np.isnan(purchase.utilities).all()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"n_left": 0}, "budget"),
        ({"rows": ROWS[:0]}, "no rows"),
        ({"limit": 0}, "limit"),
        ({"n_left": 0, "rows": ROWS[:0]}, "budget"),
    ],
)
def test_reasons_to_buy_nothing(given, reason):
    decision = decide(RowChoice(FirstColumn()), **given)
    assert decision.stop_reason == reason
    assert len(decision.purchase.rows) == 0


def test_the_first_rows_are_random_and_count_labels_and_requests():
    for n_labels, n_first in ((0, 10), (1, 9), (2, 8)):
        purchase = decide(RowChoice(FirstColumn(), batch_size=3), n_labels).purchase
        assert len(purchase.rows) == n_first
        assert np.isnan(purchase.utilities).all()
        np.testing.assert_allclose(purchase.probabilities, n_first / len(ROWS))
    assert (
        len(decide(RowChoice(FirstColumn(), n_initial=2, batch_size=3)).purchase.rows)
        == 3
    )


def test_labels_of_two_classes_that_nobody_asked_for_end_the_start():
    labelled, keys = Labelled(X[:3], np.array([0, 1, 0], np.int32)), np.arange(3)
    choice, ledger = RowChoice(FirstColumn()), Ledger(labelled=labelled)
    given = keys.astype(np.uint64), -1, 1.0, "", keys
    assert choice.n_first(ledger) == 7
    assert choice.n_first(ledger.add_entries(*given)) == 0
    one_class = Ledger(labelled=Labelled(X[:3], np.zeros(3, np.int32)))
    assert choice.n_first(one_class.add_entries(*given)) == 7


def test_the_budget_and_the_limit_cut_a_batch():
    choice = RowChoice(FirstColumn(), batch_size=5)
    whole = decide(choice).purchase.rows.tolist()
    assert decide(choice, n_left=2).purchase.rows.tolist() == whole[:2]
    assert decide(choice, limit=3).purchase.rows.tolist() == whole[:3]


def test_a_share_of_the_batch_is_random():
    purchase = decide(RowChoice(FirstColumn(), batch_size=10, explore=0.3)).purchase
    is_random = purchase.purposes == "explored"
    assert is_random.sum() == 3
    assert np.isnan(purchase.utilities[is_random]).all()
    assert len({*purchase.rows.tolist()}) == 10


def test_a_sample_of_candidates_is_scored():
    best = ROWS[X[ROWS, 0].argmax()]
    chosen = {
        decide(RowChoice(FirstColumn(), n_candidates=5), rows=rows).purchase.rows[0]
        for rows in (ROWS, ROWS[:-1], ROWS[:-2], ROWS[:-3])
    }
    assert chosen != {best}
    assert decide(RowChoice(FirstColumn(), n_candidates=50)).purchase.rows == [best]


def test_a_rule_that_fails_is_excused_or_raises():
    choice, seen = RowChoice(Fails(), batch_size=2), []
    with pytest.raises(ValueError, match="too few"):
        decide(choice)
    excuse = lambda error, step: seen.append((str(error), step))  # noqa: E731
    purchase = decide(choice, excuse=excuse).purchase
    assert seen == [("too few", "choice")]
    assert len(purchase.rows) == 2
    assert np.isnan(purchase.utilities).all()


def test_what_a_rule_remembers_comes_back_with_the_purchase():
    for explore in (0.0, 0.5):
        choice = RowChoice(Remembers(), batch_size=4, explore=explore)
        assert decide(choice).purchase.memory == 1
        assert decide(choice, memory=6).memory == 7
    answer = decide(RowChoice(FirstColumn()), memory=6)
    assert (answer.purchase.memory, answer.memory) == (None, 6)
    assert decide(choice, memory=6, limit=0).memory == 6


def test_a_large_pool_is_represented_by_a_sample_and_its_best_rows(monkeypatch):
    seen = []

    class Spy(FirstColumn):
        measures_distances = True

        def n_best(self, round):
            return 4

        def select(self, round):
            seen.append(round)
            return super().select(round)

    monkeypatch.setattr(choices, "MOST_ROWS", 1)
    monkeypatch.setattr(choices, "N_SAMPLED", 20)
    choice = RowChoice(Spy(), n_initial=5)
    small = decide(choice).purchase
    monkeypatch.setattr(choices, "MOST_MEASURED", 30)
    large = decide(choice).purchase
    assert large.rows.tolist() == small.rows.tolist() == [ROWS[X[ROWS, 0].argmax()]]
    whole, part = seen
    assert len(whole.X) == len(X)
    assert 20 <= len(part.X) <= 24
    best = ROWS[np.argsort(-X[ROWS, 0])[:4]]
    assert {*best.tolist()} <= {*part.pool_rows.tolist()}


def test_random_rows_need_no_model():
    choice = RowChoice(RandomRule(), batch_size=5)
    purchase = decide(choice).purchase
    np.testing.assert_allclose(purchase.probabilities, 5 / len(ROWS))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_initial": 0}, "n_initial"),
        ({"batch_size": 0.5}, "batch_size"),
        ({"explore": 1.5}, "explore"),
        ({"batch": "all"}, "batch"),
        ({"n_candidates": 0}, "n_candidates"),
        ({"n_jobs": 0.5}, "n_jobs"),
    ],
)
def test_parameters_out_of_their_range(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        RowChoice(FirstColumn(), **params).check()


def test_rows_may_be_a_share_of_the_labels_if_the_rule_says_so():
    rule = FirstColumn()
    rule.share_of_labels = 2
    choice = RowChoice(rule, batch_size=0.5, n_initial=3)
    choice.check()
    assert len(decide(choice, n_labels=10).purchase.rows) == 5
    assert len(decide(choice, n_labels=3).purchase.rows) == 2


@pytest.mark.parametrize("rule", [Rule(), None, "margin"])
def test_a_learner_without_a_rule_buys_nothing(rule):
    class Learner(PoolClassifier):
        def make_rule(self):
            return rule

    learner = Learner()
    with pytest.raises((NotImplementedError, TypeError), match="must return a Rule"):
        learner.query(X)
    assert not hasattr(learner, "n_queries_")


class FewestLikely(Rule):
    """The rows with the lowest sum of probabilities."""

    needs = "predict_proba"
    takes_label_sets = True

    def utility(self, model, X):
        return -model.predict_proba(X).max(axis=1)

    def label_set_utility(self, model, X):
        return -model.predict_proba(X).sum(axis=1)


class FewestLikelyClassifier(PoolClassifier):
    def make_rule(self):
        return FewestLikely()


def test_a_rule_of_ones_own_may_take_label_sets():
    sets = np.column_stack([y, X[:, 1] > 0, X[:, 1] > 0.5]).astype(int)
    learner = FewestLikelyClassifier(random_state=0)
    learner.teach(X[:20], sets[:20])
    rows, (utility,) = learner.query(X, candidates=ROWS[10:], return_utility=True)
    expected = learner.estimator_.predict_proba(X[20:]).sum(axis=1)
    assert expected[rows[0] - 20] == expected.min() == pytest.approx(-utility)
    assert fresh(learner).teach(X[:20], y[:20]).query(X).shape == (1,)
    refused = FewestLikelyClassifier(LinearSVC())
    with pytest.raises(TypeError, match="needs an estimator with predict_proba"):
        refused.query(X)


def test_parameters_that_are_set_as_attributes_count_and_are_checked():
    learner = MinMarginClassifier(random_state=0).teach(X[:10], y[:10])
    assert len(learner.query(X)) == 1
    learner.batch_size = 4
    assert len(learner.query(X)) == 4
    learner.batch_size = 0
    with pytest.raises(ValueError, match="batch_size"):
        learner.query(X)
    learner.set_params(batch_size=2, estimator=LogisticRegression(C=9.0))
    with pytest.raises(TypeError, match="decision_function"):
        learner.set_params(estimator=GaussianNB()).query(X)


def test_what_a_rule_remembers_is_kept_between_queries():
    class Learner(PoolClassifier):
        def make_rule(self):
            return Remembers()

    learner = Learner(random_state=0).teach(X[:10], y[:10])
    for n in (1, 2, 3):
        learner.query(X)
        assert learner._state.rule_memory == n


# Why a row was chosen

WORDS = {
    MinMarginClassifier: "uncertain",
    UncertaintySamplingClassifier: "uncertain",
    QueryByCommitteeClassifier: "uncertain",
    COMBClassifier: "uncertain",
    UncertaintyHerdingClassifier: "representative",
    RelevanceSamplingClassifier: "wanted",
    ActiveLabelPropagationClassifier: "informative",
    PassiveClassifier: "random",
}


@pytest.mark.parametrize("kind", WORDS)
def test_each_row_has_a_reason(kind):
    learner = kind(n_initial=4, batch_size=3, random_state=0)
    rows, reasons = learner.query(X, return_reason=True)
    first = "random" if kind is PassiveClassifier else "first"
    assert reasons.tolist() == [first] * len(rows)
    learner.teach(X[:10], y[:10])
    given = {"return_utility": True, "return_probability": True, "return_reason": True}
    rows, _, _, reasons = learner.query(X, **given)
    assert reasons.tolist() == [WORDS[kind]] * 3
    assert len(learner.query(X, limit=0, return_reason=True)[1]) == 0


def test_a_mixture_has_several_reasons():
    learner = HybridSamplingClassifier(
        LogisticRegression(), batch_size=20, explore=0.2, random_state=0
    )
    learner.teach(X[:10], y[:10])
    given = {"return_utility": True, "return_reason": True}
    _, utilities, reasons = learner.query(X, **given)
    found = dict(zip(*np.unique(reasons, return_counts=True), strict=True))
    assert found == {"random": 4, "representative": 4, "uncertain": 12}
    assert np.array_equal(reasons == "random", np.isnan(utilities))
    first = HybridSamplingClassifier(random_state=0).query(X, return_reason=True)[1]
    assert {*first.tolist()} == {"first"}


def test_a_rule_of_ones_own_has_its_word():
    assert decide(RowChoice(FirstColumn())).purchase.reasons == "useful"
    rule = FirstColumn()
    rule.reason = "large"
    assert decide(RowChoice(rule)).purchase.reasons == "large"
    assert decide(RowChoice(rule), n_labels=0).purchase.reasons == "first"


@pytest.mark.parametrize(
    ("learner", "word"),
    [(CBGZClassifier(b=9.0), "uncertain"), (RandomSamplingClassifier(), "random")],
)
def test_reasons_of_a_stream(learner, word):
    learner.fit(X, y)
    rows, probabilities, reasons = learner.query(
        X, return_probability=True, return_reason=True
    )
    assert len(rows) == len(probabilities) > 0
    assert reasons.tolist() == [word] * len(rows)
    assert len(learner.query(X, return_reason=True)) == 2
    with pytest.raises(TypeError, match="return_reason"):
        learner.query(X, return_reason="yes")


# The target


def test_new_labels_bring_new_classes_and_keep_codes_apart():
    first = LabelTarget().register(None, np.array(["b", "d"]))
    second = first.register(None, np.array(["a", "d"]))
    assert second.classes.tolist() == ["a", "b", "d"]
    assert second.encode(first.table).tolist() == [1, 2]
    assert second.register(None, np.array(["a"])) is second


def test_declared_classes_are_all_classes():
    target = LabelTarget().register(["z", "a"])
    assert target.classes.tolist() == ["a", "z"]
    assert target.declared == ("z", "a")
    assert target.register(None, np.array(["m"])) is target
    with pytest.raises(ValueError, match="is not one of the classes"):
        target.encode(np.array(["m"]))
    with pytest.raises(ValueError, match="as in earlier calls"):
        target.register(["a", "m"])


def test_classes_without_a_label_go_unless_they_are_declared():
    target = replace(
        LabelTarget().register(None, np.array(list("abcd"))), declared=("b",)
    )
    kept, codes = target.restrict(target.declared, np.array([3, 0, 3], np.int32))
    assert kept.classes.tolist() == ["a", "b", "d"]
    assert kept.table[codes].tolist() == ["d", "a", "d"]


def test_label_sets_have_codes_and_names():
    sets = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    target = LabelTarget().register(["x", "y", "z"]).register(None, sets)
    assert target.has_label_sets
    assert target.names.tolist() == ["x", "y", "z"]
    codes = target.encode(sets)
    assert target.table[codes].tolist() == sets.tolist()
    assert [target.name_of(each) for each in sets[:2]] == ["x, z", "no label"]
    with pytest.raises(ValueError, match="a column for each of the 3 labels"):
        target.register(None, np.array(["x"]))
    kept, codes = target.restrict((), codes[:1])
    assert kept.table[codes].tolist() == sets[:1].tolist()


def test_right_answers_of_an_oracle_count_beside_wrong_ones():
    target = LabelTarget().register(["a", "b"])
    answers, rows = np.array(["b", "?", "a"]), np.array([4, 7, 9])
    _, codes, error = target.register_answers(answers, rows)
    assert codes.tolist() == [1, -1, 0]
    assert "'?' for row 7" in error
    sets = np.array([[1, 0], [2, 0]])
    several = LabelTarget().register(["a", "b"]).register(None, sets[:1])
    after, codes, error = several.register_answers(sets, rows[:2])
    assert codes[0] >= 0 > codes[1]
    assert after.table[codes[0]].tolist() == [1, 0]
    assert "[2, 0] for row 7" in error


def test_first_rows_that_are_pending_are_not_bought_again():
    learner = MinMarginClassifier(n_initial=10, batch_size=3, random_state=0)
    assert [len(learner.query(X, limit=n)) for n in (4, None, None)] == [4, 6, 3]


def test_random_rows_of_a_batch_that_is_cut_have_their_probability():
    draws = [draw_explored(0.5, np.arange(100), 9, 4, (k,)) for k in range(200)]
    (probability,) = {*draws[0][1].probabilities.tolist()}
    n_random = np.mean([np.count_nonzero(is_random) for is_random, _ in draws])
    assert n_random == pytest.approx(100 * probability, abs=0.1)


def test_an_answer_has_the_columns_that_were_asked_for():
    purchase = Purchase(np.array([4, 2]), np.array([0.5, 1]), np.array([3.0, 2]))
    purchase = purchase._replace(reasons="useful")
    assert purchase.answer(False, False, False) is purchase.rows
    answers = purchase.answer(True, True, True)
    expected = [4, 2], [0.5, 1], [3, 2], ["useful", "useful"]
    assert tuple(map(np.ndarray.tolist, answers)) == expected
    rows, utilities = purchase.answer(False, True, False)
    assert (rows is purchase.rows, utilities.tolist()) == (True, [3, 2])
