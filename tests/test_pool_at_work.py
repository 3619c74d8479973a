"""Pool learners at work: interruptions, pickles in the middle, texts, chunks."""

import pickle

import numpy as np
import pytest
from sklearn import get_config
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_activelearn import (
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from tests.tools import (
    RecordingOracle,
    fresh,
    frozen,
    loop_over_pool,
    problem,
    responses,
)

X, y = problem(80, 4, noise=0.5)
CLASSES = ["no", "yes"]


class Interrupted(GaussianNB):
    """An estimator whose user presses Ctrl-C at its k-th training."""

    def __init__(self, k=None):
        super().__init__()
        self.k = k
        self.trained = []

    def __sklearn_clone__(self):
        twin = type(self)(self.k)
        twin.trained = self.trained  # all clones count together
        return twin

    def fit(self, X, y):
        self.trained.append(len(y))
        if len(self.trained) == self.k:
            raise KeyboardInterrupt
        return super().fit(X, y)


class Unchecked(LogisticRegression):
    """An estimator that notes whether its parameters are not to be checked."""

    def __init__(self, C=1.0):
        super().__init__(C=C)

    def fit(self, X, y):
        NOTED.append(get_config()["skip_parameter_validation"])
        return super().fit(X, y)


NOTED = []


def test_parameters_are_checked_once():
    NOTED.clear()
    learner = UncertaintySamplingClassifier(Unchecked(), budget=14, random_state=0)
    learner.fit(X, y)
    assert not NOTED[0]
    assert all(NOTED[1:])
    assert len(NOTED) > 3
    learner = pickle.loads(pickle.dumps(learner))  # its parts are made again
    learner.teach(X[:1], y[:1]).teach(X[1:2], y[1:2])
    assert NOTED[-2:] == [False, True]
    learner.set_params(estimator__C=2.0).teach(X[2:3], y[2:3]).teach(X[4:5], y[4:5])
    assert NOTED[-2:] == [False, True]
    assert not get_config()["skip_parameter_validation"]
    learner.set_params(estimator__C=-1.0)
    with pytest.warns(FitFailedWarning, match="'C' parameter"):
        learner.teach(X[3:4], y[3:4])


def test_parameters_inside_an_estimator_are_checked_each_time():
    NOTED.clear()
    grid = GridSearchCV(Unchecked(), {"C": [-1.0, 1.0]}, cv=2, error_score=0.0)
    learner = UncertaintySamplingClassifier(grid, budget=14, random_state=0)
    with pytest.warns(FitFailedWarning, match="'C' parameter"):
        learner.fit(X, y)
    assert learner.estimator_.best_params_ == {"C": 1.0}
    assert NOTED
    assert not any(NOTED)


def around(estimator):
    """Return learners of all kinds around an estimator."""
    pair = [("one", estimator), ("other", GaussianNB(var_smoothing=1e-2))]
    return [
        UncertaintySamplingClassifier(estimator, random_state=0),
        QueryByCommitteeClassifier(estimators=pair, cv=2, random_state=0),
        PassiveClassifier(estimator, random_state=0),
        PassiveClassifier(estimator, stopping="stable_predictions", random_state=0),
    ]


@pytest.mark.parametrize("kind", range(4))
@pytest.mark.parametrize(
    ("k", "verb"), [(1, "learn"), (2, "fit"), (5, "fit"), (5, "learn")]
)
def test_ctrl_c_while_the_estimator_is_trained(kind, k, verb):
    learner = around(Interrupted(k))[kind].set_params(budget=14)
    expected = around(GaussianNB())[kind].set_params(budget=14).fit(X, y)
    oracle = RecordingOracle(y)
    try:
        if verb == "fit":
            learner.fit(X, y)
        else:
            learner.learn(X, oracle, classes=CLASSES)
            assert oracle.asked == learner.queried_indices_.tolist()
    except KeyboardInterrupt:
        assert len(learner._ledger.labelled) == learner.n_queries_ > 0
        assert learner.score(X, y) > 0.5
    bought = learner.queried_indices_
    assert bought.tolist() == expected.queried_indices_[: len(bought)].tolist()
    left = np.setdiff1d(np.arange(80), bought)
    learner.learn(X[left], RecordingOracle(y[left]))
    rows = np.append(bought, left[learner.queried_indices_])
    assert rows.tolist() == expected.queried_indices_.tolist()
    np.testing.assert_array_equal(learner.predict(X), expected.predict(X))


TEXTS = [
    f"{'cheap pills' if i % 2 else 'meeting notes'} {'today' if i % 3 else 'again'}"
    for i in range(60)
]
TOPICS = np.array(["spam" if i % 2 else "ham" for i in range(60)])
TEXT_MODEL = make_pipeline(TfidfVectorizer(), LogisticRegression())


@pytest.mark.parametrize(
    "prototype",
    [
        MinMarginClassifier(TEXT_MODEL, budget=14),
        UncertaintySamplingClassifier(TEXT_MODEL, budget=16, batch_size=4),
        QueryByCommitteeClassifier(TEXT_MODEL, budget=14, cv=2),
        PassiveClassifier(TEXT_MODEL, budget=14),
    ],
    ids=lambda row: type(row).__name__,
)
def test_texts_that_occur_again_and_again(prototype):
    texts = np.array(TEXTS, dtype=object)
    learner = fresh(prototype).learn(
        texts, RecordingOracle(TOPICS), classes=["ham", "spam"]
    )
    assert learner.score(texts, TOPICS) == 1
    by_hand, rows = loop_over_pool(fresh(prototype), texts, TOPICS, ["ham", "spam"])
    assert rows == learner.queried_indices_.tolist()
    assert len(set(rows)) == len(rows) > len(set(texts))
    assert frozen(responses(by_hand, texts)) == frozen(responses(learner, texts))

    late = fresh(prototype)
    first = late.query(TEXTS)
    second = pickle.loads(pickle.dumps(late)).query(TEXTS)
    taken = [TEXTS[i] for i in (*first, *second)]
    # of equal texts each is asked for once
    assert all(taken.count(text) <= TEXTS.count(text) for text in taken)


def test_decision_values_that_do_not_fit_the_classes():
    class Pairs(SVC):
        def decision_function(self, X):
            scores = super().decision_function(X)
            return np.column_stack([scores, scores])

    X, y = make_blobs(60, centers=3, random_state=0)
    learner = MinMarginClassifier(Pairs(), random_state=0)
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        learner.fit(X, y)
    assert len(learner._ledger.labelled) == learner.n_queries_ == 10


def test_two_equal_rows_are_pending_and_a_pool_with_one_of_them_has_one():
    learner = PassiveClassifier(n_initial=2, random_state=0)
    equal = np.ones((2, 1))
    assert learner.query(equal).tolist() in ([0, 1], [1, 0])
    assert learner.pending(equal[:1]).tolist() == [0]


def test_all_pending_rows_are_skipped():
    rows = np.arange(40)[:, None]
    learner = PassiveClassifier(random_state=0)
    n_asked = len(learner.query(rows))
    learner = learner.skip()
    assert (learner.n_pending_, learner.n_skipped_) == (0, n_asked)
    assert n_asked > 0
