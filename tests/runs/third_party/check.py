"""What the package promises, run on the installed package."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import own_learners
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sklearn_activelearn import (
    MarginLossClassifier,
    MinMarginClassifier,
    OnePassSearchCV,
)
from sklearn_activelearn.evaluation import label_curve, online_score
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.testing import check_learner

warnings.simplefilter("error")
warnings.simplefilter("ignore", SkipTestWarning)

LEARNERS = [
    own_learners.TsallisSamplingClassifier(power=1.5, batch_size=5, budget=25),
    own_learners.RecentLabelsClassifier(
        budget=14, stopping=own_learners.EnoughOfEachClass(9)
    ),
    own_learners.InverseSquareClassifier(),
    MarginLossClassifier(own_learners.LogisticLoss(0.5), eta0=1.0, normalize=True),
]

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def labelled_in_sessions(learner, path, sizes):
    """Label rows in one session file, closed and opened again; return the rows."""
    asked = []
    for n_labels in sizes:
        with LabelingSession(
            learner, X[:80], path, ids=list(range(80)), classes=[0, 1]
        ) as session:
            for _ in range(n_labels):
                if (row := session.next()) is None:
                    break
                session.label(row, int(y[row]))
                asked.append(row)
    return asked


# a weight of 2 is not the same row twice where the order of the rows decides
NO_REPETITION = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the order of the rows decides"
    for kind in ("dense", "sparse")
}

for learner in LEARNERS:
    checks = check_estimator(learner, expected_failed_checks=NO_REPETITION)
    laws = check_learner(learner)
    for results in (checks, laws):
        passed = [r for r in results if r["status"] == "passed"]
        print(type(learner).__name__, "passes", len(passed), "of", len(results))

    fitted = learner.set_params(random_state=0, budget=30).fit(X, y)
    assert fitted.n_queries_ <= 30
    assert fitted.score(X, y) > 0.85
    assert make_pipeline(StandardScaler(), learner).fit(X, y).score(X, y) > 0.85
    assert GridSearchCV(learner, {"budget": [15, 30]}, cv=2).fit(X, y).best_score_ > 0.8
    curve = label_curve(learner, X, y, cv=2, at=[15, 30], random_state=0)
    assert curve.n_labels[-1] <= 30

    with tempfile.TemporaryDirectory() as folder:
        whole = labelled_in_sessions(learner, Path(folder, "whole"), [12])
        parts = labelled_in_sessions(learner, Path(folder, "parts"), [1, 4, 7])
        if hasattr(learner, "restore"):
            assert whole == parts
        assert len({*parts}) == len(parts)  # nobody is asked twice

stream = own_learners.InverseSquareClassifier(random_state=0)
grid = {"b": [0.05, 0.5]}
shared = OnePassSearchCV(stream, grid, cv=2).fit(X, y)
single = GridSearchCV(stream, grid, cv=2).fit(X, y)
assert shared.fused_.all()
np.testing.assert_array_equal(
    shared.cv_results_["mean_test_score"], single.cv_results_["mean_test_score"]
)
print("error on the stream:", online_score(stream.fit(X, y)))

with tempfile.TemporaryDirectory() as folder:
    for k in range(3):
        np.save(f"{folder}/{k}.npy", X[k::3])
    source = own_learners.FolderSource(folder)
    order = np.concatenate([np.arange(len(X))[k::3] for k in range(3)])
    rows, labels = X[order], y[order]
    for kind in (MinMarginClassifier, own_learners.TsallisSamplingClassifier):
        from_files = kind(budget=20, random_state=0).fit(source, labels)
        from_array = kind(budget=20, random_state=0).fit(rows, labels)
        np.testing.assert_array_equal(
            from_files.queried_indices_, from_array.queried_indices_
        )
    del source, from_files
