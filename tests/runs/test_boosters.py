"""Boosters that are installed beside the package; they are too large for its tests.

Install them with ``pip install lightgbm xgboost catboost``.
"""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

from sklearn_activelearn import (
    HybridSamplingClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.exceptions import ColdStartWarning

BOOSTERS = {
    "lightgbm": ("LGBMClassifier", {"verbose": -1, "n_jobs": 1}),
    "xgboost": ("XGBClassifier", {"n_estimators": 20, "n_jobs": 1}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 20, "verbose": 0, "allow_writing_files": False},
    ),
}

X, y = load_iris(return_X_y=True)
y = np.array(["setosa", "versicolor", "virginica"])[y]


def booster(name):
    kind, params = BOOSTERS[name]
    return getattr(pytest.importorskip(name), kind)(**params)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOOSTERS)
@pytest.mark.parametrize("labels", ["texts", "numbers"])
def test_a_booster_goes_through_the_loop(name, labels):
    """Two labels of three classes, then batches of four."""
    of_rows = y if labels == "texts" else np.select([y == "setosa"], [7], 3)
    learner = UncertaintySamplingClassifier(
        booster(name), n_initial=2, batch_size=4, budget=58, random_state=0
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        learner.teach(X[[0, 60]], of_rows[[0, 60]])
        learner.learn(X, lambda rows: of_rows[rows])
    assert learner.n_queries_ == 58
    assert learner.predict(X).shape == (150,)
    assert learner.predict_proba(X).shape == (150, len(learner.classes_))
    assert learner.score(X, of_rows) > 0.9
    messages = [str(w.message) for w in found if w.category is ColdStartWarning]
    if name == "lightgbm":
        assert any("min_child_samples=20" in each for each in messages)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BOOSTERS)
def test_a_booster_in_a_committee_and_among_distances(name):
    model = booster(name)
    for learner in (
        QueryByCommitteeClassifier(estimators=[("one", model), ("other", model)]),
        HybridSamplingClassifier(model),
    ):
        learner.set_params(n_initial=12, batch_size=6, budget=36, random_state=0)
        assert learner.fit(X, y).predict(X).shape == (150,)
