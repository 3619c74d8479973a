"""Learners, and their models alone, in files of skops."""

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import UncertaintySamplingClassifier
from tests.learners import each_default
from tests.tools import fresh, frozen, problem, responses

persistence = pytest.importorskip("skops.io", exc_type=ImportError)

X, y = problem(80, 4, noise=0.5)


def stored(estimator, ours=("sklearn_activelearn.", "tests.")):
    """Return an estimator after it was in a file that needs trust in `ours` only."""
    data = persistence.dumps(estimator)
    types = persistence.get_untrusted_types(data=data)
    assert all(name.startswith(ours) for name in types), types
    return persistence.loads(data, trusted=types)


@each_default
def test_a_learner_goes_on_after_it_was_stored(prototype):
    learner = fresh(prototype)
    rows = learner.query(X)
    again = stored(learner)
    assert again.pending(X).tolist() == rows.tolist()
    learner.fit(X[:60], y[:60])
    again = stored(learner)
    assert frozen(responses(again, X)) == frozen(responses(learner, X))
    learner.set_params(budget=1_000)
    again.set_params(budget=1_000)
    assert again.query(X).tolist() == learner.query(X).tolist()


def test_the_model_alone_needs_no_trust():
    texts = [f"{'superb and moving' if i % 3 else 'boring'} {i}" for i in range(40)]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    learner = UncertaintySamplingClassifier(model, random_state=0)
    learner.teach(texts, ["good" if i % 3 else "bad" for i in range(40)])
    model = stored(learner.estimator_, ours=())
    assert model.predict(texts).tolist() == learner.predict(texts).tolist()
