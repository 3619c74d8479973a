"""Labels of a pool that were paid for are not lost, and not paid for twice."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.base._scores import FEW_CLASSES, smallest_margin
from sklearn_activelearn.pool import StablePredictions
from tests.tools import RecordingOracle, fresh, problem

X, y = problem(150, 4, noise=0.3)


@pytest.mark.parametrize("learner", [PassiveClassifier, QueryByCommitteeClassifier])
def test_another_candidate_set_brings_its_names(learner):
    learner = learner(estimators=[("old", GaussianNB())], budget=12, random_state=0)
    learner.fit(X, y).set_params(estimators=[("a", GaussianNB()), ("b", SVC())])
    learner.teach(X[:1], y[:1])
    assert learner.model_names_ == ["a", "b"]
    assert learner.cv_scores_.shape == (2,)


def test_warm_start_does_not_keep_what_few_labels_taught_an_ensemble():
    params = {"n_estimators": 5, "random_state": 0}
    warm, cold = (
        UncertaintySamplingClassifier(
            RandomForestClassifier(warm_start=warm_start, **params),
            budget=20,
            random_state=0,
        ).fit(X, y)
        for warm_start in (True, False)
    )
    np.testing.assert_array_equal(warm.predict_proba(X), cold.predict_proba(X))


def test_one_outlier_does_not_make_all_rows_equal():
    pool = np.vstack([X, [1e8, -1e8, 0, 0]])
    for seed in range(5):
        learner = MinMarginClassifier(LinearSVC(), random_state=seed)
        learner.teach(X[:20], y[:20])
        (row,) = learner.query(pool[20:])
        scores = np.abs(learner.decision_function(pool[20:]))
        assert row == scores.argmin()


class NotFinite(GaussianNB):
    def predict_proba(self, X):
        return np.where(X[:, [1]] == X[:, 1].max(), np.nan, super().predict_proba(X))


def test_a_score_that_is_not_finite_is_an_error():
    learner = UncertaintySamplingClassifier(NotFinite(), random_state=0)
    learner.teach(X[:30], y[:30])
    row = X[:, 1].argmax()
    with pytest.raises(ValueError, match=f"row {row} a score that is not finite"):
        learner.query(X)


NAN = np.where(X.max() == X, np.nan, X)
TEXTS = ["cheap pills", "lunch at noon"] * 75
CANDIDATES = [("a", HistGradientBoostingClassifier(max_iter=2)), ("b", GaussianNB())]


@pytest.mark.parametrize(
    ("learner", "rows", "words"),
    [
        (MinMarginClassifier(), pd.DataFrame({"t": TEXTS}), "estimator=make_pipeline"),
        (MinMarginClassifier(), pd.Series(TEXTS), "estimator=make_pipeline"),
        (ActiveLabelPropagationClassifier(), pd.Series(TEXTS), "ColumnTransformer.$"),
        (PassiveClassifier(estimators=CANDIDATES), NAN, "NaN"),
        (PassiveClassifier(estimators=CANDIDATES), csr_array(X), "[Ss]parse"),
        (UncertaintySamplingClassifier(MultinomialNB()), X, "[Nn]egative"),
        (
            UncertaintySamplingClassifier(
                make_pipeline(TfidfVectorizer(), LogisticRegression())
            ),
            "cheap pills",
            "one str",
        ),
        (MinMarginClassifier(n_jobs=0), X, "n_jobs"),
        (MinMarginClassifier(n_jobs="2"), X, "n_jobs"),
    ],
)
def test_what_an_estimator_cannot_take_is_refused_before_a_label_is_bought(
    learner, rows, words
):
    oracle = RecordingOracle(y)
    with pytest.raises((TypeError, ValueError), match=words):
        learner.learn(rows, oracle, classes=["no", "yes"])
    assert not oracle.asked
    assert vars(learner) == learner.get_params(deep=False)


def test_a_new_chunk_is_judged_anew():
    rule = StablePredictions(patience=1)
    learner = UncertaintySamplingClassifier(stopping=rule, budget=None, random_state=0)
    first = learner.partial_fit(X[:75], y[:75]).n_queries_
    assert first < 75
    assert learner.partial_fit(X[75:], y[75:]).n_queries_ > first


@pytest.mark.parametrize("n_classes", [2, 3, 10, FEW_CLASSES, FEW_CLASSES + 1])
def test_the_smallest_margin_is_that_of_the_two_highest_scores(n_classes):
    scores = np.random.RandomState(0).randint(-2, 9, size=(200, n_classes)) / 8
    scores[0, -1] = np.nan
    ordered = np.sort(scores, axis=1)
    expected = ordered[:, -2] - ordered[:, -1]
    assert smallest_margin(scores).tobytes() == expected.tobytes()


def test_the_caller_may_use_the_array_again():
    rows = np.arange(20.0).reshape(10, 2)  # no two of them are equal
    estimator = SGDClassifier(loss="log_loss", warm_start=True)
    learner = fresh(UncertaintySamplingClassifier(estimator, n_initial=2))
    learner.teach(rows, np.arange(10) % 2)
    rows[:] = -1
    np.testing.assert_array_equal(
        learner._ledger.labelled.rows, np.arange(20.0).reshape(10, 2)
    )
