"""scikit-learn's own checks, and the tools its users reach for."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags, shuffle
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimator,
)

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    RelevanceSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.stream import StreamClassifier
from tests.learners import (
    POOL_DEFAULTS,
    SEARCH_GRIDS,
    STREAM_DEFAULTS,
    each,
    each_family_of,
    each_stream_learner,
    each_way_in,
    explores,
    families_of,
    family,
)
from tests.tools import fresh

#: Pool learners around other kinds of estimators. Rows go another way than those of the
#: classes if a transformer gets them.
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression())
POOL_CHECKED = [
    family(UncertaintySamplingClassifier(PIPELINE, batch_size=10, budget=20)),
    MinMarginClassifier(Perceptron(warm_start=True), batch_size=5),
    UncertaintySamplingClassifier(DecisionTreeClassifier(), measure="margin"),
    UncertaintySamplingClassifier(
        CalibratedClassifierCV(LinearSVC(), cv=2), n_initial=40, batch_size=20
    ),
]


#: They suit all data here.
CLASSES = [
    *STREAM_DEFAULTS,
    family(MinMarginClassifier(batch_size=5)),
    PassiveClassifier(),
    family(ActiveLabelPropagationClassifier(batch_size=5)),
    COMBClassifier(batch_size=5),
    family(FASSLBoostClassifier(batch_size=5)),
]
each_class = each_family_of(CLASSES)


#: Learners have their defaults here, but pool learners buy less, and train less often.
QUICK = {"n_estimators": 4, "batch_size": 12, "budget": 20}
OTHERWISE = {
    ALMSClassifier: {"budget": 8},
    FASSLBoostClassifier: {"budget": 12},
    QueryByBoostingClassifier: {"batch_size": 4},
    RelevanceSamplingClassifier: {"batch_size": 20, "budget": 50},
}


def quick(row):
    """Return a row that checks train quickly."""
    params = QUICK | OTHERWISE.get(type(row), {})
    names = params.keys() & row.get_params().keys()
    return clone(row).set_params(**{name: params[name] for name in names})


#: Some checks have labels that follow from no feature, and few rows.
of_random_labels = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.ColdStartWarning",
    "ignore::sklearn_activelearn.exceptions.OneClassWarning",
    "ignore:.* buys by distances, and these say nothing",
)


#: A weight of 2 is not the same row twice where the order of the rows decides, or where
#: rows are dealt out to folds: scikit-learn says so of `SGDClassifier`, too.
NO_REPETITION = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a row is not its repetitions"
    for kind in ("dense", "sparse")
}


@pytest.mark.every_learner
@of_random_labels
@each([*STREAM_DEFAULTS, *map(quick, POOL_DEFAULTS), *families_of(POOL_CHECKED)])
def test_defaults(prototype):
    check_estimator(prototype, on_skip=None, expected_failed_checks=NO_REPETITION)


@each_way_in
@of_random_labels
def test_column_names(prototype):
    # not one of the checks that scikit-learn runs over other people's estimators
    check_dataframe_column_names_consistency(type(prototype).__name__, prototype)


def blobs(n_classes):
    """Return the data of scikit-learn's accuracy check."""
    X, y = make_blobs(n_samples=300, random_state=0)
    X, y = shuffle(X, y, random_state=7)
    X = StandardScaler().fit_transform(X)
    return X[y < n_classes], y[y < n_classes]


@each_class
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("random_state", range(3 if explores() else 1))
def test_accuracy(prototype, n_classes, random_state):
    X, y = blobs(n_classes)
    learner = fresh(prototype, random_state=random_state).fit(X, y)
    # the last weights of a Perceptron that has just made a mistake are worse
    last = isinstance(prototype, SecondOrderPerceptronClassifier | SOLEClassifier)
    assert learner.score(X, y) > (0.72 if last else 0.83)


@each_stream_learner
def test_tags(prototype):
    tags = get_tags(prototype)
    # class weights of 1e7 to 1 decide nothing where rows outweigh the constant feature
    is_raw = isinstance(prototype, StreamClassifier) and not prototype.normalize
    assert tags.classifier_tags.poor_score == is_raw
    assert tags.classifier_tags.multi_class
    assert tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
    assert not tags.non_deterministic


@each_class
def test_grid_search(prototype):
    X, codes = (part[:90] for part in blobs(3))
    y = np.array(["a", "b", "c"])[codes]
    grid = {**SEARCH_GRIDS.get(type(prototype), {}), "budget": [2, 40]}
    pipeline = make_pipeline(StandardScaler(), fresh(prototype))
    name = type(prototype).__name__.lower()
    grid = {f"{name}__{key}": values for key, values in grid.items()}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_params_[f"{name}__budget"] == 40
    assert search.best_estimator_[-1].n_queries_ <= 40
    assert set(search.predict(X)) == set(y)
