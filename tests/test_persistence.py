"""Learners, and their models alone, in files: joblib and skops."""

import io

import joblib
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import UncertaintySamplingClassifier
from tests.learners import each_default, each_pool_default
from tests.tools import fresh, frozen, problem, responses

X, y = problem(80, 4, noise=0.5)


def by_joblib(estimator):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    return joblib.load(io.BytesIO(file.getvalue()))


def by_skops(estimator, ours="sklearn_activelearn."):
    persistence = pytest.importorskip("skops.io", exc_type=ImportError)
    data = persistence.dumps(estimator)
    types = persistence.get_untrusted_types(data=data)
    assert all(name.startswith((ours, "tests.")) for name in types), types
    return persistence.loads(data, trusted=types)


each_way = pytest.mark.parametrize("copy", [by_joblib, by_skops])


@each_way
@each_default
def test_a_learner_goes_on_after_it_was_stored(prototype, copy):
    learner = fresh(prototype).fit(X[:60], y[:60])
    again = copy(learner)
    assert frozen(responses(again, X)) == frozen(responses(learner, X))
    learner.set_params(budget=1_000)
    again.set_params(budget=1_000)
    assert again.query(X).tolist() == learner.query(X).tolist()


@each_way
@each_pool_default
def test_requests_are_stored(prototype, copy):
    learner = fresh(prototype)
    rows = learner.query(X)
    again = copy(learner)
    assert again.pending(X).tolist() == rows.tolist()
    assert again.teach(X[rows], y[rows]).n_pending_ == 0


REVIEWS = pd.Series(
    [f"{'superb and moving' if i % 3 else 'boring and long'} {i}" for i in range(40)],
    name="review",
)
ANSWERS = ["good" if i % 3 else "bad" for i in range(40)]


def texts():
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    return UncertaintySamplingClassifier(model, random_state=0)


@each_way
def test_the_model_alone(copy):
    learner = texts().teach(REVIEWS, ANSWERS)
    model = copy(learner.estimator_)
    assert model.predict(REVIEWS).tolist() == learner.predict(REVIEWS).tolist()


def test_skops_trusts_the_model_alone():
    persistence = pytest.importorskip("skops.io", exc_type=ImportError)
    data = persistence.dumps(texts().teach(REVIEWS, ANSWERS).estimator_)
    assert persistence.get_untrusted_types(data=data) == []
