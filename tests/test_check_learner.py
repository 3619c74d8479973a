"""`check_learner`: each broken learner fails its own check.

test_guarantees runs it on all learners of this package.
"""

import warnings
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from sklearn_activelearn import (
    CBGZClassifier,
    PassiveClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.base._requests import Requests
from sklearn_activelearn.pool import Rule
from sklearn_activelearn.pool._ledger import Ledger
from sklearn_activelearn.testing import _guarantees as guarantees
from sklearn_activelearn.testing import check_learner
from tests.tools import NaiveBayes, frozen

STREAM = CBGZClassifier(b=0.3)
POOL = UncertaintySamplingClassifier(NaiveBayes(), n_initial=4, batch_size=2)


class ReadsUnboughtLabels(CBGZClassifier):
    def partial_fit(self, X, y, classes=None):
        super().partial_fit(X, y, classes)
        bought = self.queried_indices_
        self.teach(X, y)
        self.queried_indices_ = bought
        return self


def count_more(learner, n_labels):
    state, n_queries = learner._state, learner.n_queries_ + n_labels
    learner._state = state._replace(ledger=replace(state.ledger, n_queries=n_queries))


class CountsTwice(type(POOL)):
    def _choose_purchase(self, *call):
        bought = super()._choose_purchase(*call)
        count_more(self, len(bought.rows))
        return bought


class PredictsAtRandom(CBGZClassifier):
    def predict(self, X):
        return np.random.default_rng().choice(self.classes_, size=X.shape[0])


class CountsPredictions(CBGZClassifier):
    def predict(self, X):
        self.n_predicted_ = vars(self).get("n_predicted_", 0) + X.shape[0]
        return super().predict(X)


class AsksTwice(type(POOL)):
    def _find_rows_for_sale(self, *call):
        return super()._find_rows_for_sale(*call) | True


class IgnoresIds(type(POOL)):
    def query(self, X, *, ids=None, **how):
        return super().query(X, **how)

    def teach(self, X, y, classes=None, *, ids=None):
        return super().teach(X, y, classes)


class LearnsInQuery(CBGZClassifier):
    def query(self, X, **how):
        rows = super().query(X, **how)
        weights = self._learned.weights
        weights = weights._replace(coef=1 - weights.coef)
        self._learned = self._learned._replace(weights=weights)
        return rows


class LearnsInQueryOfAPool(type(POOL)):
    def _choose_purchase(self, *call):
        bought = super()._choose_purchase(*call)
        if len(bought.rows) and "estimator_" in vars(self):
            self.estimator_ = copy(self.estimator_)
            self.estimator_.counts_ = self.estimator_.counts_[::-1]
        return bought


class ForgetsPending(type(POOL)):
    def __getstate__(self):
        attributes = super().__getstate__()
        if state := attributes.get("_state"):
            attributes["_state"] = state._replace(ledger=state.ledger.skip())
        return attributes


class ForgetsPendingOfAStream(CBGZClassifier):
    def __getstate__(self):
        state = super().__getstate__()
        return {**state, "_ledger": Requests()} if "_ledger" in state else state


class ExceedsItsBudget(type(POOL)):
    def learn(self, X, oracle, classes=None, **how):
        self.budget += 1
        super().learn(X, oracle, classes, **how)
        self.budget -= 1
        return self


class DependsOnChunks(CBGZClassifier):
    def partial_fit(self, X, y, classes=None):
        if hasattr(self, "_learned"):
            self._coin_seed = self._coin_seed + 1
        return super().partial_fit(X, y, classes)


class CountsAnErrorTwice(type(POOL)):
    def learn(self, X, oracle, classes=None, **how):
        try:
            super().learn(X, oracle, classes, **how)
        except ConnectionError:
            self._has_failed = True
            raise
        count_more(self, vars(self).pop("_has_failed", False))
        return self


class SwallowsAnError(type(POOL)):
    def learn(self, X, oracle, classes=None, **how):
        try:
            return super().learn(X, oracle, classes, **how)
        except ConnectionError:
            return self


class TeachesHalf(type(POOL)):
    def teach(self, X, y, classes=None):
        for row in range(len(y)):
            super().teach(X[row : row + 1], y[row : row + 1], classes)
        return self


class IsNotReproducible(CBGZClassifier):
    def _reset(self):
        super()._reset()
        self._coin_seed = int(np.random.default_rng().integers(2**31))


class ReadsSparseRowsOtherwise(CBGZClassifier):
    def _check_rows(self, X, *y, **how):
        return super()._check_rows(X * 0.5 if issparse(X) else X, *y, **how)

    _scales_rows = False


class ForgetsToCountSkips(type(POOL)):
    def _skip(self, identity, refund):
        super()._skip(identity, refund=False)


class SkipsWhatIsNamed(type(POOL)):
    def skip(self, X=None, **how):
        return self if X is None else super().skip(X, **how)


class NoScore(Rule):
    def utility(self, model, X):
        raise KeyError("no such score")


class CannotScore(type(POOL)):
    def make_rule(self):
        return NoScore()


class RandomScore(Rule):
    def utility(self, model, X):
        return np.random.default_rng().uniform(size=len(X))


class ScoresAtRandom(type(POOL)):
    def make_rule(self):
        return RandomScore()


class BuysFirstRowsOnly(type(POOL)):
    class Ledger(Ledger):
        def n_left(self, budget):
            return min(super().n_left(budget), max(4 - self.n_queries, 0))

    def _reset(self):
        super()._reset()
        ledger = self.Ledger(**vars(self._ledger))
        self._state = self._state._replace(ledger=ledger)


class PredictsOnceItAsked(type(POOL)):
    def predict(self, X):
        if self.n_queries_ == 0:
            raise NotFittedError("no label was bought")
        return super().predict(X)


class CorrectsLabelsOnly(type(POOL)):
    def correct(self, X, y):
        model = vars(self).get("estimator_")
        super().correct(X, y)
        self.estimator_ = model
        return self


class LearnsBackwards(CBGZClassifier):
    def learn(self, X, oracle, classes=None, **how):
        return super().learn(X, oracle, classes, candidates=np.arange(len(X))[::-1])


#: Each broken learner, the check that must find it, and how its message begins.
BROKEN = {
    ReadsUnboughtLabels: ("check_unbought_labels", "partial_fit learned other"),
    LearnsBackwards: ("check_simulation", "learn asks for other"),
    CannotScore: ("check_simulation", "It raised KeyError"),
    BuysFirstRowsOnly: ("check_simulation", "The model chose no row"),
    ScoresAtRandom: ("check_reproducible", "A clone buys other"),
    DependsOnChunks: ("check_chunks", "It buys other"),
    PredictsAtRandom: ("check_purity", "It predicts something else"),
    CountsPredictions: ("check_purity", "Prediction changes"),
    LearnsInQuery: ("check_purity", "query changes predictions"),
    LearnsInQueryOfAPool: ("check_purity", "query changes predictions"),
    IsNotReproducible: ("check_reproducible", "A clone buys other"),
    ReadsSparseRowsOtherwise: ("check_containers", "It buys other"),
    CountsTwice: ("check_budget_is_kept", "n_queries_ is not what"),
    ExceedsItsBudget: ("check_budget_is_kept", "learn buys more than"),
    AsksTwice: ("check_no_row_twice", "query returns a row that is"),
    IgnoresIds: ("check_ids", "It asks again for rows whose"),
    ForgetsPending: ("check_pending", "A pickle has another"),
    ForgetsPendingOfAStream: ("check_pending", "A pickle has another"),
    ForgetsToCountSkips: ("check_pending", "skip with a refund is not"),
    SkipsWhatIsNamed: ("check_pending", "skip is not counted"),
    PredictsOnceItAsked: ("check_pending", "It raised NotFittedError"),
    CountsAnErrorTwice: ("check_errors", "A label is not counted once"),
    SwallowsAnError: ("check_errors", "learn does not pass on"),
    TeachesHalf: ("check_errors", "After the error of an unknown label"),
    CorrectsLabelsOnly: ("check_corrections", "Its predictions differ"),
}


def broken(kind):
    prototype = STREAM if issubclass(kind, CBGZClassifier) else POOL
    learner = kind(**prototype.get_params(deep=False))
    if kind in (CannotScore, ScoresAtRandom):
        learner.set_params(n_initial=30)  # more than there are rows
    return learner.set_params(normalize=False) if "Sparse" in kind.__name__ else learner


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_broken_learners_fail_the_right_check(kind):
    learner, (name, message) = broken(kind), BROKEN[kind]
    check = getattr(guarantees, name)

    def check_on_problems():
        for X, y in guarantees.make_problems(get_tags(learner)):
            check(guarantees.with_small_budget(learner, len(X)), X, y)

    with pytest.raises(AssertionError, match=f"^{check.guarantee} {message}"):
        check_on_problems()


def test_all_checks_run_or_the_first_that_fails_raises():
    learner = broken(CountsAnErrorTwice)
    results = {r["check_name"]: r for r in check_learner(learner, on_fail=None)}
    [failed] = [r for r in results.values() if r["status"] == "failed"]
    assert failed is results["check_errors"]
    assert str(failed["exception"]).startswith(failed["guarantee"])
    with pytest.raises(AssertionError, match=f"^{failed['guarantee']}"):
        check_learner(learner)


class FailsOnNineLabels(NaiveBayes):
    def fit(self, X, y, sample_weight=None):
        if len(y) == 9:
            raise TypeError("nine labels")
        return super().fit(X, y, sample_weight)


def test_a_model_that_cannot_be_trained_fails():
    learner = PassiveClassifier(FailsOnNineLabels(), n_initial=4, batch_size=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AssertionError, match=r"FitFailedWarning: .*nine labels"):
            check_learner(learner)


def test_states_are_compared_by_value():
    words = ["one", "two"]
    for make in (
        lambda: np.random.RandomState(0),
        lambda: np.random.default_rng(0),
        lambda: np.array([np.ones(2), {"words": "".join(words)}, None], dtype=object),
    ):
        assert frozen(make()) == frozen(make())
    for one, other in (
        (np.random.RandomState(0), np.random.RandomState(1)),
        (np.random.default_rng(0), np.random.default_rng(1)),
        (np.array(words, dtype=object), np.array(words[::-1], dtype=object)),
        (np.array([words], dtype=object), np.array(words, dtype=object)),
    ):
        assert frozen(one) != frozen(other)


def test_what_is_no_learner_is_refused():
    for wrong in (NaiveBayes(), make_pipeline(STREAM), CBGZClassifier):
        with pytest.raises(TypeError, match="learner must be an instance"):
            check_learner(wrong)
    with pytest.raises(ValueError, match="on_fail must be"):
        check_learner(STREAM, on_fail="warn")
