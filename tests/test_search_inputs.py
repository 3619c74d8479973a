"""`OnePassSearchCV` takes the rows, labels and folds that `GridSearchCV` takes."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from sklearn_activelearn import CBGZClassifier, DKMClassifier, OnePassSearchCV
from tests.test_search import CANCER, DIGITS, GRID, same

SCALERS = {"standard": StandardScaler(), "min-max": MinMaxScaler()}


def test_texts():
    texts = ["good fine", "bad awful", "good nice", "bad poor", "nice fine", "poor"] * 9
    y = ["yes", "no"] * 27
    pipeline = make_pipeline(TfidfVectorizer(), CBGZClassifier(random_state=0))
    grid = {
        "tfidfvectorizer__ngram_range": [(1, 1), (1, 2)],
        "cbgzclassifier__b": [1, 2],
    }
    assert same(pipeline, grid, texts, y, cv=3).fused_.all()


def test_last_step_of_a_pipeline_and_tables():
    pd = pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    learner = CBGZClassifier(random_state=0)
    searches = [
        make_pipeline(StandardScaler(), search(learner, GRID)).fit(X, y)
        for search in (OnePassSearchCV, GridSearchCV)
    ]
    assert searches[0].score(X, y) == searches[1].score(X, y)
    search = same(
        learner, GRID, X, y, scoring=lambda e, X, y: float(isinstance(X, pd.DataFrame))
    )
    assert search.best_score_ == 1
    np.testing.assert_array_equal(search.feature_names_in_, X.columns)


def test_rows_bought_are_numbered_as_in_a_fold():
    X, y = DIGITS
    seen = []

    def note(learner, X, y):
        seen.append(learner.queried_indices_)
        return 0.0

    learner, folds = CBGZClassifier(random_state=0), KFold(2, shuffle=True)
    folds = list(folds.split(X))
    OnePassSearchCV(learner, {"b": [0.1]}, scoring=note, cv=folds).fit(X, y)
    for (train, _), rows in zip(folds, seen, strict=True):
        alone = clone(learner).fit(X[train], y[train])
        np.testing.assert_array_equal(rows, alone.queried_indices_)


def test_folds_that_overlap():
    X, y = CANCER
    learner = CBGZClassifier(random_state=0)
    same(
        learner, GRID, X, y, cv=ShuffleSplit(3, random_state=0), return_train_score=True
    )
    everything = np.arange(len(y))
    folds = [(everything, everything[:50]), (everything, everything[50:99])]
    search = same(learner, GRID, X, y, cv=folds, return_train_score=True)
    assert search.best_estimator_.coef_.shape == (1, 30)


def test_groups():
    X, y = CANCER
    groups = np.arange(len(y)) % 7
    searches = [
        search(CBGZClassifier(random_state=0), GRID, cv=GroupKFold(3))
        for search in (OnePassSearchCV, GridSearchCV)
    ]
    for search in searches:
        search.fit(X, y, groups=groups)
    assert searches[0].best_score_ == searches[1].best_score_
    assert searches[0].fused_.all()


@pytest.mark.parametrize(
    "kind", ["list", "range", "int32", "uint8", "backwards", "mask", "from the end"]
)
def test_row_numbers_of_every_kind(kind):
    X, y = CANCER
    train, test = {
        "list": (list(range(250)), list(range(250, 569))),
        "range": (range(250), range(250, 569)),
        "int32": (np.arange(250, dtype=np.int32), np.arange(250, 569, dtype=np.int32)),
        "uint8": (np.arange(200, dtype=np.uint8), np.arange(200, 256, dtype=np.uint8)),
        "backwards": (np.arange(250)[::-1], np.arange(250, 569)[::-1]),
        "mask": (np.arange(569) < 250, np.arange(569) >= 250),
        "from the end": (np.arange(-569, -300), np.arange(-300, 0)),
    }[kind]
    options = {"cv": [(train, test)], "return_train_score": True}
    search = same(CBGZClassifier(random_state=0), GRID, X, y, **options)
    assert search.fused_.all()
    if kind != "uint8":
        assert np.isfinite(search.cv_results_["mean_n_queries"]).all()
    with pytest.raises(IndexError):
        OnePassSearchCV(CBGZClassifier(), GRID, cv=[(train, [569])]).fit(X, y)


def test_a_fold_may_have_rows_twice():
    X, y = CANCER
    train = np.random.RandomState(0).randint(0, 400, size=500)

    def places(learner, X, y):
        return float(learner.queried_indices_ @ np.arange(learner.n_queries_))

    learner, folds = CBGZClassifier(random_state=0), [(train, np.arange(400, 569))]
    same(learner, GRID, X, y, cv=folds, scoring=places)
    same(learner, GRID, X, y, cv=folds, return_train_score=True)


def test_no_folds_and_no_groups():
    X, y = CANCER

    class Halves:
        def split(self, X, y):
            yield np.arange(300), np.arange(300, 569)

        def get_n_splits(self, X, y):
            return 1

    learner = CBGZClassifier(random_state=0)
    with pytest.raises(ValueError, match="No fits were performed"):
        OnePassSearchCV(learner, GRID, cv=[]).fit(X, y)
    with config_context(enable_metadata_routing=True):
        same(learner, GRID, X, y, cv=Halves())


def test_steps_of_a_pipeline_in_the_grid():
    X, y = CANCER
    last = ("last", CBGZClassifier(random_state=0))
    scaled = [[(name, scaler), last] for name, scaler in SCALERS.items()]
    pipeline = Pipeline(scaled[0])
    for steps in ([[last], *scaled], [*scaled, [last]]):
        assert same(pipeline, {"steps": steps}, X, y).fused_.all()
    assert same(pipeline, [{"last__b": [0.1]}, {"steps": [[last]]}], X, y).fused_.all()


def test_a_step_of_any_name():
    X, y = CANCER
    learners = [CBGZClassifier(random_state=0), DKMClassifier(random_state=0)]
    for name in ("candidate", "number", "estimator", "record"):
        same(Pipeline([(name, learners[0])]), {name: learners}, X, y)


def test_similarities_of_rows():
    X, y = StandardScaler().fit_transform(CANCER[0]), CANCER[1]
    same(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, X @ X.T, y)


def test_threads_see_the_configuration():
    pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    named = ColumnTransformer([("one", MinMaxScaler(), ["mean area"])])
    pipeline = make_pipeline(StandardScaler(), named, CBGZClassifier(random_state=0))
    with config_context(transform_output="pandas"):
        search = same(pipeline, {"cbgzclassifier__b": [0.1, 1.0]}, X, y, n_jobs=2)
    assert search.fused_.all()


def test_a_scorer_of_ones_own_is_named_in_messages():
    X, y = CANCER

    def no_number(learner, X, y):
        return "good"

    with pytest.raises(ValueError, match="no_number"):
        OnePassSearchCV(CBGZClassifier(), GRID, scoring=no_number).fit(X, y)


def test_a_search_that_is_stopped_leaves_what_was_found():
    X, y = CANCER

    def stops(learner, X, y):
        raise KeyboardInterrupt

    search = OnePassSearchCV(CBGZClassifier(random_state=0), GRID).fit(X, y)
    before = dict(vars(search))
    search.set_params(scoring=stops, param_grid={"b": [1.0]})
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    changed = {name for name in before if vars(search)[name] is not before[name]}
    assert changed == {"scoring", "param_grid"}


@pytest.mark.parametrize("scoring", [None, "accuracy", lambda e, X, y: e.score(X, y)])
@pytest.mark.parametrize(
    "labels", ["whole numbers", "flags", "texts", "objects", "list", "column", "series"]
)
def test_labels_of_every_kind(labels, scoring):
    X, y = CANCER
    y = {
        "whole numbers": lambda: y,
        "flags": lambda: y > 0,
        "texts": lambda: np.array(["no", "yes!"])[y],
        "objects": lambda: np.array(["no", "yes!"], dtype=object)[y],
        "list": y.tolist,
        "column": lambda: y[:, None],
        "series": lambda: pytest.importorskip("pandas").Series(y, name="y"),
    }[labels]()
    learner = CBGZClassifier(random_state=0)
    how = {"cv": KFold(2), "scoring": scoring, "return_train_score": True}
    search = same(learner, GRID, X, y, **how)
    assert search.fused_.all()
    assert 0.5 < search.best_score_ < 1


def test_scores_in_a_list():
    X, y = CANCER
    learner = CBGZClassifier(random_state=0)
    same(learner, GRID, X, y, scoring=["roc_auc", "accuracy"], refit="roc_auc")
    with pytest.raises(ValueError, match="Duplicate elements were found"):
        OnePassSearchCV(learner, GRID, scoring=["accuracy"] * 2, refit=False).fit(X, y)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("scaler", [None, FunctionTransformer()])
def test_rows_that_are_not_finite(scaler, wrong):
    X, y = CANCER[0].copy(), CANCER[1]
    X[7, 3] = wrong
    learner, grid = CBGZClassifier(random_state=0), GRID
    if scaler:
        learner, grid = make_pipeline(scaler, learner), {"cbgzclassifier__b": [1, 2]}
    rest = np.arange(8, len(y))
    folds = [(rest[:200], rest[200:]), (rest[:200], np.arange(100))]
    same(learner, grid, X, y, cv=folds, refit=False)
    folds = [(rest[:200], rest[200:]), (np.arange(200), rest[200:])]
    same(learner, grid, X, y, cv=folds, refit=False, error_score=-1.0)
