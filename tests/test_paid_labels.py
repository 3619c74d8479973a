"""What a person who pays for labels relies on: nothing lost, nothing sold twice."""

import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_activelearn import (
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import StablePredictions, StoppingRule
from sklearn_activelearn.testing import _guarantees as guarantees
from tests.learners import (
    each_default,
    each_family,
    each_pool_family,
    each_pool_learner,
    each_stream_family,
)
from tests.tools import RecordingOracle, fresh, frozen, responses, state, streams

X, answers = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def buy_all(learner, X, y, classes=None, **how):
    """Run the loop that the documentation shows; return the rows it bought."""
    bought = []
    while len(rows := learner.query(X, **how)):
        learner.teach(X[rows], y[rows], classes)
        bought += rows.tolist()
    return bought


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    "convert", [pd.DataFrame.to_numpy, lambda t: t.values.tolist()]
)
def test_missing_cells_are_the_same_in_every_container(convert):
    table = pd.DataFrame({"a": [1, None, 2, 3] * 10, "b": ["x", None, pd.NA, "y"] * 10})
    table["a"] = table["a"].astype(object).where(table["a"].notna(), None)
    rows = np.array(convert(table), dtype=object)
    model = make_pipeline(FunctionTransformer(lambda t: np.ones((len(t), 1))))
    model.steps.append(("last", GaussianNB()))
    learner = UncertaintySamplingClassifier(model, n_initial=20)
    learner.teach(rows[:9], answers[:9])
    bought = learner.query(table)
    assert not set(bought.tolist()) & set(range(9))
    learner.teach(rows[bought], answers[bought])
    assert learner.n_pending_ == 0


def test_another_estimator_begins_again():
    learner = UncertaintySamplingClassifier(LogisticRegression(warm_start=True))
    learner = fresh(learner).teach(X[:20], answers[:20])
    learner.set_params(budget=7).teach(X[20:22], answers[20:22])
    for estimator in (BernoulliNB(), BernoulliNB(alpha=9.0)):
        learner.set_params(estimator=estimator).teach(X[22:23], answers[22:23])
        assert repr(learner.estimator_) == repr(estimator)
        assert len(learner.estimator_.classes_) == 2
        assert learner.estimator_.class_count_.sum() == learner.n_taught_


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@each_pool_family
@given(stream=streams(), share=st.floats(0, 1), data=st.data())
def test_a_share_is_the_same_however_the_rows_are_bought(
    prototype, stream, share, data
):
    X, y = stream
    rows = st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1)
    candidates = data.draw(rows)
    params = {"budget": share, "stopping": None}
    expected = int(share * len(candidates) + 1e-9)
    by_hand = fresh(prototype, **params)
    bought = buy_all(by_hand, X, y, np.unique(y), candidates=candidates)
    oracle = RecordingOracle(y)
    learner = fresh(prototype, **params)
    learner.learn(X, oracle, np.unique(y), candidates=candidates)
    assert oracle.asked == bought
    assert len(bought) == learner.n_queries_ == expected
    assert learner.learn(X, oracle, candidates=candidates).n_queries_ == expected

    chunks = fresh(prototype, **params).partial_fit(X, y).partial_fit(X + 0.5, y)
    assert chunks.n_queries_ == int(share * 2 * len(X) + 1e-9)


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
def test_rows_offered_are_those_bought_and_those_for_sale():
    learner = UncertaintySamplingClassifier(
        GaussianNB(), budget=0.5, n_initial=10, random_state=0
    )
    few = buy_all(learner, X, answers, candidates=np.arange(20))
    assert len(few) == 10
    more = buy_all(learner, X, answers, candidates=np.arange(100))
    assert len(more) == 40  # half of 10 bought and 90 for sale
    assert len(buy_all(learner, X, answers, candidates=np.arange(100))) == 0


@each_stream_family
@given(stream=streams(), share=st.floats(0, 1))
def test_a_share_of_a_stream(prototype, stream, share):
    X, y = stream
    n = int(share * len(X) + 1e-9)
    learner = fresh(prototype, budget=share).fit(X, y)
    assert state(learner) == state(fresh(prototype, budget=n).fit(X, y))
    learner = fresh(prototype, budget=share).learn(X, RecordingOracle(y), np.unique(y))
    expected = fresh(prototype, budget=n).learn(X, RecordingOracle(y), np.unique(y))
    assert state(learner) == state(expected)
    n = int(share * 2 * len(X) + 1e-9)
    learner.learn(X, RecordingOracle(y))
    expected.set_params(budget=max(n, learner.n_queries_)).learn(X, RecordingOracle(y))
    assert learner.n_queries_ <= max(n, expected.n_queries_)
    before = state(learner)
    for refused in (learner.query, lambda X: learner.partial_fit(X, y)):
        with pytest.raises(ValueError, match="share of the rows"):
            refused(X)
        assert state(learner) == before


@each_family
@given(stream=streams(), data=st.data())
def test_rows_left_out_are_the_others_taken(prototype, stream, data):
    X, y = stream
    is_left = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X)))
    )
    begun = fresh(prototype).partial_fit(X[:5], y[:5], np.unique(y))
    ways = [
        {"candidates": np.flatnonzero(is_left)},
        {"candidates": is_left},
        {"exclude": np.flatnonzero(~is_left)},
        {"exclude": ~is_left, "candidates": np.arange(len(X))},
    ]
    found = []
    for how in ways:
        learner = deepcopy(begun)
        found.append((learner.query(X, **how).tolist(), state(learner)))
    assert all(each == found[0] for each in found)
    assert set(found[0][0]) <= set(np.flatnonzero(is_left).tolist())


@each_pool_learner
def test_what_a_row_is_worth(prototype):
    learner = fresh(prototype, budget=None, stopping=None)
    pool, labels = X[:60], answers[:60]
    rows, utilities = learner.query(pool, return_utility=True)
    assert utilities.shape == rows.shape
    is_drawn = np.isnan(utilities)
    # a learner need not have all parameters of its base class
    if getattr(prototype, "initial", "random") == "random":
        assert is_drawn.all()
    elif not getattr(prototype, "explore", 0):
        assert not is_drawn.any()
    learner.teach(pool[rows], labels[rows])
    learner.teach(pool[:20], labels[:20])
    out = learner.query(pool, return_probability=True, return_utility=True)
    rows, probabilities, utilities = out
    assert rows.shape == probabilities.shape == utilities.shape
    chosen = ~np.isnan(utilities)
    assert (probabilities[chosen] == 1).all()
    assert not (probabilities[~chosen] == 1).any()
    if type(prototype) is MinMarginClassifier:
        margins = np.abs(learner.decision_function(pool[rows]))
        np.testing.assert_allclose(utilities[chosen], -margins[chosen])


def test_why_a_pool_learner_stops():
    learner = UncertaintySamplingClassifier(
        GaussianNB(), budget=20, n_initial=8, random_state=0
    )
    assert learner.query(X[:0]).size == 0
    assert learner.stop_reason_ == "no rows"
    assert learner.query(X, limit=0).size == 0
    assert learner.stop_reason_ == "limit"
    rows = learner.query(X)
    assert learner.stop_reason_ is None
    learner.teach(X[rows], answers[rows])
    learner.set_params(stopping=StablePredictions(threshold=1e-9, patience=1))
    buy_all(learner, X, answers)
    assert learner.stop_reason_ == "stable_predictions"
    assert learner.query(X, limit=0).size == 0
    assert learner.stop_reason_ == "stable_predictions"
    learner.set_params(stopping=None, budget=learner.n_queries_)
    assert learner.query(X, limit=0).size == 0
    assert learner.stop_reason_ == "budget"
    assert learner.fit(X, answers).stop_reason_ == "budget"

    class Never(StoppingRule):
        needs = ("predict",)

        def judge(self, progress, memory):
            return True, memory

    assert learner.set_params(stopping=Never()).fit(X, answers).stop_reason_ == "Never"


def test_why_a_stream_learner_stops():
    learner = RandomSamplingClassifier(rate=1.0, budget=2, patience=3)
    assert learner.query(X[:0]).size == 0
    assert learner.stop_reason_ == "no rows"
    assert learner.query(X, limit=0).size == 0
    assert learner.stop_reason_ == "limit"
    assert learner.query(X[:5]).tolist() == [0, 1]
    assert learner.stop_reason_ is None
    assert learner.query(X[:0]).size == 0
    assert learner.stop_reason_ == "budget"
    learner.set_params(budget=None, rate=1e-12)
    assert learner.query(X[:3]).size == 0
    assert learner.stop_reason_ is None  # it looked, and refused
    assert learner.query(X[:1]).size == 0
    assert learner.stop_reason_ == "patience"
    assert learner.set_params(budget=2).query(X[:1]).size == 0
    assert learner.stop_reason_ == "budget"


@each_pool_family
def test_a_skipped_row_may_be_taught_later(prototype):
    learner = fresh(prototype, n_initial=4, random_state=0)
    rows = learner.query(X)
    learner.skip(X[rows[:2]])
    learner.teach(X[rows], answers[rows], classes=[0, 1])
    assert (learner.n_skipped_, learner.n_pending_) == (0, 0)
    assert learner.n_taught_ == learner.n_queries_ == len(rows)


def test_a_refund_leaves_the_clocks_of_a_stream_alone():
    learner = MarginLossClassifier("sigmoid", n_warm_start=6, budget=8, random_state=0)
    rows = learner.query(X[:6])
    assert len(rows) == 6
    learner.skip(X[rows], refund=True)
    assert (learner.n_queries_, learner.n_seen_) == (0, 6)
    other = fresh(learner, budget=None, n_warm_start=6)
    other.query(X[:6])
    for one in (learner, other):
        one.teach(X[:20], answers[:20], classes=[0, 1])
    rows = learner.query(X[20:])
    assert len(rows) == learner.n_queries_ == 8  # the warm start does not come again
    np.testing.assert_array_equal(rows, other.query(X[20:])[:8])


def taught_in_parts(learner, X, y, parts, pool):
    learner.query(pool, limit=0)
    for part in parts:
        learner.teach(X[part], y[part])
    return learner


@each_pool_family
@given(stream=streams(min_rows=9), data=st.data())
def test_corrected_is_as_if_taught_right(prototype, stream, data):
    X, y = stream
    rows = data.draw(st.permutations(range(len(X))))[:8]
    changed = data.draw(st.lists(st.sampled_from(rows), unique=True, min_size=1))
    learner = fresh(prototype, n_initial=2)
    learner, right = guarantees.check_corrections(learner, X, y, rows, changed)
    np.testing.assert_array_equal(
        learner._ledger.labelled.codes, right._ledger.labelled.codes
    )
    for name in ("cost_curve_", "label_distributions_", "model_probabilities_"):
        if hasattr(right, name):
            one, other = getattr(learner, name), getattr(right, name)
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "learner",
    [
        UncertaintySamplingClassifier(LogisticRegression(warm_start=True, max_iter=3)),
        MinMarginClassifier(SGDClassifier(warm_start=True)),
        FASSLBoostClassifier(),
        COMBClassifier(n_estimators=3),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:lbfgs failed")
def test_learners_that_go_on_are_taught_again_call_by_call(learner):
    learner = fresh(learner, n_initial=4)
    calls = [[0, 25], [1, 2, 3], [4], [5, 6], [30, 31, 32]]
    wrong = answers.copy()
    wrong[[25, 3, 6]] = 1 - wrong[[25, 3, 6]]
    right = taught_in_parts(fresh(learner), X, answers, calls, X)
    learner = taught_in_parts(learner, X, wrong, calls, X)
    assert frozen(responses(learner, X)) != frozen(responses(right, X))
    learner.correct(X[[6, 25, 3]], answers[[6, 25, 3]])
    assert frozen(responses(learner, X)) == frozen(responses(right, X))


def test_of_equal_rows_the_latest_that_differs_is_corrected():
    learner = PassiveClassifier(GaussianNB())
    learner.teach(X[[0, 0, 0, 1, 2]], ["a", "b", "c", "a", "b"])
    learner.correct(X[[0]], ["c"])  # the last one has it: the one before
    assert learner.classes_[learner._ledger.labelled.codes].tolist() == list("accab")
    learner.correct(X[[0, 0]], ["a", "b"])
    assert learner.classes_[learner._ledger.labelled.codes].tolist() == list("acbab")
    assert learner.classes_.tolist() == ["a", "b", "c"]
    learner.correct(X[[0, 0]], ["b", "b"])  # nobody has "c" now
    assert learner.classes_.tolist() == ["a", "b"]
    learner.correct(X[[1]], ["d"])
    assert learner.classes_.tolist() == ["b", "d"]
    before = state(learner)
    with pytest.raises(ValueError, match="Row 1 of X was never taught"):
        learner.correct(X[[1, 9]], ["a", "a"])
    assert state(learner) == before


def test_classes_that_somebody_told_stay():
    learner = PassiveClassifier(GaussianNB())
    learner.teach(X[[0, 1, 2]], ["a", "b", "c"], classes=["a", "b", "c"])
    learner.correct(X[[2]], ["a"])
    assert learner.classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="'d' is not one of the classes"):
        learner.correct(X[[2]], ["d"])


def test_classes_of_an_answer_sheet_are_told():
    y = answers[:60].copy()
    y[50] = 2
    learner = PassiveClassifier(GaussianNB(), budget=4, random_state=0)
    learner.partial_fit(X[:60], y)
    rows = learner.queried_indices_
    scores = learner.predict_proba(X)
    learner.correct(X[rows[:1]], y[rows[:1]])  # no change
    assert learner.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(learner.predict_proba(X), scores)
    learner.teach(X[:1], [3]).correct(X[:1], [0])
    assert learner.classes_.tolist() == [0, 1, 2]


def test_a_correction_keeps_what_labels_are_for():
    learner = ALMSClassifier(
        BernoulliNB(),
        param_grid={"alpha": [0.1, 1.0]},
        n_candidates=2,
        n_pairs=1,
        random_state=0,
    )
    rows = learner.query(X)
    learner.teach(X[rows], answers[rows])
    sets = learner.labeled_indices_
    allocation, bill = learner.allocation_, learner.n_queries_
    learner.correct(X[rows[:3]], 1 - answers[rows[:3]])
    assert frozen(learner.labeled_indices_) == frozen(sets)
    np.testing.assert_array_equal(learner.allocation_, allocation)
    assert learner.n_queries_ == bill


class Picky(GaussianNB):
    """Refuses a label."""

    def fit(self, X, y):
        if "bad" in y:
            raise TypeError("a bad label")
        return super().fit(X, y)


def test_labels_on_which_the_estimator_fails_are_stored_with_a_warning():
    learner = UncertaintySamplingClassifier(Picky(), n_initial=2)
    learner.teach(X[:4], ["good", "fair", "good", "fair"])
    before = state(learner)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FitFailedWarning, match="TypeError: a bad label"):
            learner.teach(X[4:5], ["bad"])
    assert state(learner) == before
    with pytest.warns(FitFailedWarning, match="TypeError: a bad label"):
        learner.teach(X[4:5], ["bad"])
    assert learner.n_taught_ == 5
    for call in (learner.predict, learner.query):
        with pytest.raises(TypeError, match="a bad label"):
            call(X)
    learner.correct(X[4:5], ["good"])
    assert len(learner.query(X)) == 1
    with pytest.warns(FitFailedWarning):
        learner.correct(X[:1], ["bad"])
    assert learner.n_taught_ == 5
    learner.set_params(estimator=GaussianNB())
    assert "bad" in learner.classes_
    assert len(learner.predict(X)) == len(X)


@each_default
def test_fit_forgets(prototype):
    learner = fresh(prototype).fit(X[:30], answers[:30])
    learner.set_params(budget=0).fit(X[:30], answers[:30])
    never = fresh(prototype, budget=0).fit(X[:30], answers[:30])
    assert set(vars(learner)) == set(vars(never))
    assert state(learner) == state(never)


def test_a_wrong_parameter_changes_no_nested_estimator():
    model = SGDClassifier(alpha=0.1)
    learner = UncertaintySamplingClassifier(model)
    with pytest.raises(ValueError, match="bogus"):
        learner.set_params(budget=3, estimator__alpha=5.0, estimator__bogus=1)
    assert (learner.budget, model.alpha) == (100, 0.1)
    learner.set_params(budget=3, estimator__alpha=5.0)
    assert (learner.budget, model.alpha) == (3, 5.0)


@pytest.mark.parametrize(
    ("dtype", "values", "kind"),
    [
        ("Int64", [3, 7], "i"),
        ("UInt8", [3, 7], "u"),
        ("boolean", [False, True], "b"),
        ("int32[pyarrow]", [3, 7], "i"),
    ],
)
@pytest.mark.parametrize("learner", [CBGZClassifier, PassiveClassifier])
def test_nullable_labels_come_back_as_they_were(learner, dtype, values, kind):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    labels = pd.Series(values * 20, dtype=dtype)
    rows = X[:40]
    fitted = learner(random_state=0).fit(rows, labels)
    asked = learner(random_state=0).learn(rows, labels.iloc.__getitem__, values)
    for one in (fitted, asked):
        assert one.classes_.dtype.kind == kind or one is asked
        assert one.classes_.tolist() == values
        assert one.predict(rows).tolist()[0] in values
    with pytest.raises(ValueError, match=r"NaN|NA|missing"):
        learner().fit(rows, labels.where(labels.index > 0))
