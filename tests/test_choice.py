"""The choice of rows and the target as values, called without a learner."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
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
from sklearn_activelearn.pool._choice import RowChoice
from sklearn_activelearn.pool._distances import Embedder
from sklearn_activelearn.pool._ledger import KeptPool, Labelled, Ledger
from sklearn_activelearn.pool._selection import draw_explored
from sklearn_activelearn.pool._state import LearnerState
from tests.tools import fresh

X = np.random.default_rng(0).normal(size=(60, 2))
y = (X[:, 0] > 0).astype(int)
ROWS = np.arange(10, 60)


class FirstColumn(Rule):
    """The rows with the largest number in the first column."""

    n_scored = 0

    def utility(self, model, X):
        self.n_scored += len(X)
        return X[:, 0]


class OneTooFew(Rule):
    def utility(self, model, X):
        return np.zeros(len(X) - 1)


class TwoForEach(Rule):
    def utility(self, model, X):
        return np.zeros((len(X), 2))


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


def ruled(rule, **params):
    """Return a learner with a rule of one's own."""

    class Ruled(PoolClassifier):
        def make_rule(self):
            return rule

    return Ruled(**params)


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


def test_rows_of_different_utilities_need_no_model_that_tells_rows_apart():
    constant = DummyClassifier().fit(X, y)
    choice, n_labels = RowChoice(FirstColumn()), 20
    given = {"n_labels": n_labels, "rows": np.arange(n_labels, 60)}
    purchase = decide(choice, train=lambda: Trained(constant), **given).purchase
    assert purchase.rows == [n_labels + X[n_labels:, 0].argmax()]

    class Same(Rule):
        def utility(self, model, X):
            return np.zeros(len(X))

    with pytest.raises(ValueError, match="all 40 rows"):
        decide(RowChoice(Same()), train=lambda: Trained(constant), **given)


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


@pytest.mark.parametrize("rule", [Rule(), None, "margin"])
def test_a_learner_without_a_rule_buys_nothing(rule):
    learner = ruled(rule)
    with pytest.raises((NotImplementedError, TypeError), match="must return a Rule"):
        learner.query(X)
    assert not hasattr(learner, "n_queries_")


@pytest.mark.parametrize("wrong", [OneTooFew, TwoForEach])
@pytest.mark.parametrize("candidates", [None, range(30, 45)])
def test_a_utility_is_one_number_for_each_row(wrong, candidates):
    learner = ruled(wrong(), n_initial=5, random_state=0).teach(X[:30], y[:30])
    with pytest.raises(ValueError, match=rf"{wrong.__name__}\.utility must return one"):
        learner.query(X, candidates=candidates)


def test_a_rule_of_ones_own_scores_all_rows_or_a_sample():
    rule = FirstColumn()
    learner = ruled(rule, random_state=0).teach(X[:10], y[:10])
    assert learner.query(X).tolist() == [10 + X[10:, 0].argmax()]
    rule.n_scored = 0
    _, (probability,) = learner.set_params(n_candidates=20).query(
        X, return_probability=True
    )
    assert (rule.n_scored, probability) == (20, 1)


class FewestLikely(Rule):
    """The rows with the lowest sum of probabilities."""

    needs = "predict_proba"
    takes_label_sets = True

    def utility(self, model, X):
        return -model.predict_proba(X).max(axis=1)

    def label_set_utility(self, model, X):
        return -model.predict_proba(X).sum(axis=1)


def test_a_rule_of_ones_own_may_take_label_sets():
    sets = np.column_stack([y, X[:, 1] > 0, X[:, 1] > 0.5]).astype(int)
    learner = ruled(FewestLikely(), random_state=0).teach(X[:20], sets[:20])
    rows, (utility,) = learner.query(X, candidates=ROWS[10:], return_utility=True)
    expected = learner.estimator_.predict_proba(X[20:]).sum(axis=1)
    assert expected[rows[0] - 20] == expected.min() == pytest.approx(-utility)
    assert fresh(learner).teach(X[:20], y[:20]).query(X).shape == (1,)
    refused = ruled(FewestLikely(), estimator=LinearSVC())
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
    learner = ruled(Remembers(), random_state=0).teach(X[:10], y[:10])
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


def test_random_positions_of_a_batch_that_is_cut_are_those_of_the_whole():
    for seed in range(20):
        cut, whole = (draw_explored(0.5, np.arange(100), 9, n, (seed,)) for n in (4, 9))
        assert cut[0].tolist() == whole[0][:4].tolist()
