"""Stopping rules: each against its twin, in the loop, and as a parameter."""

import pickle
from dataclasses import dataclass
from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpydoc.docscrape import ClassDoc
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.pool import (
    AllOf,
    ClassificationChange,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    StablePredictions,
    StoppingRule,
)
from sklearn_activelearn.pool.stopping import _rules
from sklearn_activelearn.pool.stopping._base import Remembered, rule_name
from tests.docstrings import names, refused
from tests.learners import drawn_for
from tests.reference import stopping as reference
from tests.reference.stopping import agreeing, label_price
from tests.tools import (
    NaiveBayes,
    RecordingOracle,
    fresh,
    frozen,
    loop_over_pool,
    problem,
    state,
)

X, y = problem(90, 4, noise=0.3)
BAYES = NaiveBayes()


class AnyMargin(MarginExhausted):
    def check_model(self, model):
        pass


PRICE = LabelPrice(cost=311.3, label=1.0, n_labels=8)
new_class_and_no_error = reference.all_of(
    reference.no_new_class(8), reference.no_error(2)
)
#: Each rule, the same in plain words, and a model that has what it needs.
RULES = [
    (AnyMargin(), reference.margin_exhausted, LogisticRegression(C=1e3)),
    # the kappa of no 30 rows is 0.8001
    (StablePredictions(0.8001, 2), agreeing(reference.kappa, 0.8001, 2), BAYES),
    (ClassificationChange(), agreeing(reference.share_kept, 1.0, 1), BAYES),
    (NoNewClass(7), reference.no_new_class(7), BAYES),
    (NoError(4), reference.no_error(4), BAYES),
    (PRICE, label_price(311.3, 1.0, 8), BAYES),
    (AllOf([NoNewClass(8), NoError(2)]), new_class_and_no_error, BAYES),
]


def each_rule(test):
    """Run over rules."""
    ids = [str(rule) for rule, *_ in RULES]
    rows = pytest.mark.parametrize(("rule", "twin", "model"), RULES, ids=ids)
    return rows(drawn_for(len(RULES), test))


def stopping(rule, model, **params):
    return UncertaintySamplingClassifier(
        model, stopping=rule, budget=None, random_state=0, **params
    )


@st.composite
def pools(draw):
    """Draw a pool whose labels follow the rows more or less, and what is labelled."""
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1), label="seed"))
    labels = draw(st.sampled_from([["no", "yes"], [3, 5, 9]]), label="labels")
    noise = draw(st.sampled_from([0.2, 1.0, 3.0]), label="noise")
    X = rng.standard_normal((30, 4))
    scores = X[:, :3] * 2 + noise * rng.standard_normal((30, 3))
    y = np.array(labels)[scores[:, : len(labels)].argmax(axis=1)]
    y[:2] = labels[:2]
    return X, y


@each_rule
@given(pool=pools(), batch_size=st.integers(1, 4))
def test_a_rule_stops_where_its_twin_does(rule, twin, model, pool, batch_size):
    X, y = pool
    if isinstance(rule, MarginExhausted) and len(np.unique(y)) == 2:
        y = np.where(X[:, 0] > 0, "yes", "no")  # rows lie outside the margin in the end
    params = {"batch_size": batch_size, "n_initial": 4}
    learner = stopping(rule, model, **params).fit(X, y)
    free = stopping(None, model, **params)
    assert learner.n_queries_ == reference.first_stop(free, X, y, twin)
    ended = learner.n_queries_ < len(X)
    assert learner.stop_reason_ == (rule_name(rule) if ended else "no rows")


@dataclass(frozen=True)
class Draws(StoppingRule):
    """Asks for random rows each time."""

    n: int
    draws = True

    def judge(self, progress, memory):
        return False, self.n

    def n_random(self, memory):
        return memory


@pytest.mark.parametrize(
    "rules", [[Draws(2), Draws(5)], AllOf([Draws(5), Draws(2)]), [NoError(), Draws(5)]]
)
def test_the_rule_that_wants_most_random_rows_gets_them(rules):
    learner = stopping(rules, BAYES, n_initial=4, batch_size=10).teach(X[:9], y[:9])
    assert len(learner.query(X)) == 5
    assert learner.record()["purposes"][-5:] == ["audit"] * 5


class Fickle(NaiveBayes):
    """Turns its predictions round after each second label."""

    def fit(self, X, y):
        self.is_turned_ = len(y) // 2 % 2
        return super().fit(X, y)

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0) ^ self.is_turned_]


def test_agreements_that_are_interrupted_are_counted_again():
    rules = StablePredictions(patience=1), StablePredictions(patience=2)
    once, twice = (stopping(rule, Fickle()).fit(X, y) for rule in rules)
    assert once.n_queries_ < 20
    assert twice.stop_reason_ == "no rows"


@each_rule
def test_each_rule_ends_some_run_before_the_pool_does(rule, twin, model):
    labels = np.where(X[:, 0] > 0, "yes", "no")
    learner = stopping(rule, model, batch_size=2).fit(X, labels)
    assert 10 < learner.n_queries_ < len(X)


@each_rule
def test_the_protocol_stops_where_the_simulation_does(rule, twin, model):
    prototype = stopping(rule, model, batch_size=3, n_initial=4)
    fitted = fresh(prototype).fit(X, y)
    learner, bought = loop_over_pool(fresh(prototype), X, y, np.unique(y))
    assert bought == fitted.queried_indices_.tolist()
    assert state(learner) == state(fitted)
    asked = fresh(prototype).learn(X, RecordingOracle(y), np.unique(y))
    assert state(asked) == state(fitted)
    n_bought = len(bought)
    for _ in range(3):  # no label came in: nothing to count
        assert learner.query(X).size == 0
    assert learner.n_queries_ == n_bought
    assert pickle.loads(pickle.dumps(rule)) == clone(prototype).stopping == rule


@each_rule
def test_a_rule_forgets_when_a_label_is_corrected(rule, twin, model):
    wrong = np.where(y == "yes", "no", "yes")
    learner = stopping(None, model, batch_size=3, n_initial=12)
    learner.learn(X, RecordingOracle(y), candidates=np.arange(60))
    judged = fresh(learner, stopping=rule)
    taught = learner.queried_indices_
    judged.teach(X[taught[:-1]], y[taught[:-1]])
    judged.query(X, limit=0)
    judged.teach(X[taught[-1:]], wrong[taught[-1:]])
    judged.query(X, limit=0)
    judged.correct(X[taught[-1:]], y[taught[-1:]])
    learner.set_params(stopping=rule)
    learner._state = learner._state._replace(stopping_memory=Remembered())
    for each in (judged, learner):
        each.query(X, limit=0)
    assert judged.stop_reason_ == learner.stop_reason_
    memories = [each._state.stopping_memory for each in (judged, learner)]
    assert frozen(memories[0]) == frozen(memories[1])


#: What is wrong with a parameter beyond what its type in the docstring says.
BAD_PARAMS = {
    "rules": [
        (["no_error"], ValueError),
        ("no_error", ValueError),
        (["no_error", "never"], ValueError),
        (["no_error", NoError], ValueError),
    ]
}


def cases():
    """Yield rules with a parameter that is excluded, and the error."""
    for kind, rule in {type(rule): rule for rule, *_ in RULES}.items():
        params = {name: getattr(rule, name) for name in signature(kind).parameters}
        for entry in ClassDoc(kind)["Parameters"]:
            for name in names([entry]):
                for value, error in refused(entry.type) + BAD_PARAMS.get(name, []):
                    wrong = kind(**{**params, name: value})
                    id = f"{kind.__name__}-{name}-{value}"[:60]
                    yield pytest.param(wrong, error, id=id)


@pytest.mark.parametrize(("rule", "error"), list(cases()))
def test_wrong_parameters_are_refused_by_the_learner(rule, error):
    learner = stopping(rule, BAYES)
    before = frozen(vars(learner))
    for verb in (lambda: learner.fit(X, y), lambda: learner.query(X)):
        with pytest.raises(error):
            verb()
    assert frozen(vars(learner)) == before


def test_all_of_needs_what_each_of_its_rules_needs():
    rule = AllOf(["margin_exhausted", "no_error"])
    assert rule.needs == ("decision_function", "predict")
    with pytest.raises(TypeError, match=r"AllOf.* needs .* with decision_function"):
        stopping(rule, BAYES).fit(X, y)


def test_of_two_rules_that_are_met_the_first_is_named():
    class Always(StoppingRule):
        def judge(self, progress, memory):
            return True, memory

    always, known = Always(), NoNewClass(1)
    for rules, name in (([always, known], "Always"), ([known, always], "no_new_class")):
        learner = stopping(rules, BAYES, n_initial=20).fit(X, y)
        assert (learner.n_queries_, learner.stop_reason_) == (20, name)


def price(cost=1000, label=1.0):
    rule = LabelPrice(cost=cost, label=label, n_labels=8)
    return stopping(rule, LogisticRegression(), batch_size=2)


def test_a_dearer_label_stops_earlier_and_a_dearer_error_later():
    prices = [(10, 5.0), (2000, 5.0), (2000, 1.0), (1e9, 1.0)]
    n_labels = [price(*each).fit(X, y).n_queries_ for each in prices]
    assert n_labels == sorted(n_labels)
    assert n_labels[0] < n_labels[1] < n_labels[2] < n_labels[3] == len(X)


def test_only_some_models_are_remembered():
    rule = LabelPrice(cost=1e9, label=0.1, n_labels=18)
    learner = stopping(rule, BAYES, n_initial=4).fit(X, y)
    (past,), models = learner._state.stopping_memory[1:3]
    assert past == [*models] == [69, 73, 77, 81, 85, 89]


class Counts(StoppingRule):
    fails = False

    def judge(self, progress, memory):
        memory = [] if memory is None else memory
        memory.append(len(progress.labels))
        if Counts.fails:
            raise RuntimeError("the rule fails")
        return False, memory


def test_a_rule_may_write_into_its_memory(monkeypatch):
    rule = Counts()
    learner = stopping(rule, BAYES, n_initial=4).teach(X[:20], y[:20])
    learner.query(X)
    record = learner.record()
    record["stopping"][0].append("what others write")
    monkeypatch.setattr(Counts, "fails", True)
    with pytest.raises(RuntimeError, match="the rule fails"):
        learner.query(X)
    record = learner.record()
    assert record["stopping"] == [[20]]
    learner.restore(X, record, y[:20])
    record["stopping"][0].append("what others write")
    assert learner.record()["stopping"] == [[20]]


class SaysYes(StoppingRule):
    def judge(self, progress, memory):
        return True


def test_a_rule_of_ones_own_must_return_what_it_remembers():
    with pytest.raises(TypeError, match=r"SaysYes\.judge must return .* got True"):
        stopping(SaysYes(), BAYES, n_initial=4).fit(X, y)


def test_rows_on_which_models_are_compared_stay(monkeypatch):
    monkeypatch.setattr(_rules, "MOST_COMPARED", 50)
    left = np.arange(1_000)
    first = _rules.stop_set(left)
    assert len(set(first)) == 50
    assert first.min() < 200 < 800 < first.max()
    kept = np.delete(left, first[:5])
    assert set(first[5:]) < set(_rules.stop_set(kept))
    assert _rules.stop_set(left[:50]).tolist() == left[:50].tolist()
