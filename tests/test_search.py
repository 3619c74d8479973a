"""Settings that share passes: against scikit-learn, and against each setting alone."""

import inspect
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    OnePassSearchCV,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
)
from sklearn_activelearn.evaluation import n_queries_scorer
from sklearn_activelearn.kernels import _rows
from sklearn_activelearn.stream import InverseMarginRule, UpdateRule
from sklearn_activelearn.stream._base import StreamClassifier
from sklearn_activelearn.stream._pass import LANES
from tests.learners import (
    LINEAR_STREAM_LEARNERS,
    SEARCH_GRIDS,
    STREAM_DEFAULTS,
    each,
    explores,
)
from tests.tools import problem, state, streams, with_int64_indices

#: Some settings predict one class on rows that are not scaled.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.OneClassWarning"
)

FIRST_ORDER = [
    prototype
    for prototype in LINEAR_STREAM_LEARNERS
    if isinstance(prototype, StreamClassifier)
]
#: One row a class, and those whose state or group is of another kind.
KINDS = [
    prototype
    for prototype in FIRST_ORDER
    if prototype in STREAM_DEFAULTS
    or "adaptive" in (vars(prototype).get("b"), vars(prototype).get("learning_rate"))
    or prototype.get_params().get("m", 2) > 2
]

#: What shapes a pass or the state that works on it.
SHAPES = {
    "average": [True, False], "class_weight": [None, "balanced"],
    "fit_intercept": [True, False], "normalize": [True, False],
    "shuffle": [True, False], "budget": [None, 0, 3, 0.4], "patience": [None, 2],
    "random_state": [0, 1],
}  # fmt: skip


def outcome_of(search, X, y):
    """Return what a search finds, comparable, without times; or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            search.fit(X, y)
        except ValueError as error:
            return str(error).split("\n")[0]
    found = {
        name: np.ma.filled(np.ma.asarray(value, dtype=object), "masked").tolist()
        for name, value in search.cv_results_.items()
        if "_time" not in name and "n_queries" not in name
    }
    best = getattr(search, "best_index_", None)
    return repr(found), best, search.multimetric_, search.n_splits_


def same(estimator, grid, X, y, **options):
    """Assert that both searches find the same; return ours."""
    ours = OnePassSearchCV(estimator, grid, **options)
    theirs = GridSearchCV(clone(estimator), grid, **options)
    assert outcome_of(ours, X, y) == outcome_of(theirs, X, y)
    if hasattr(theirs, "best_estimator_"):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert repr(ours.best_params_) == repr(theirs.best_params_)
    return ours


@pytest.mark.every_learner
@each(FIRST_ORDER if explores() else KINDS)
@given(
    stream=streams(min_rows=6, max_rows=30),
    names=st.sets(
        st.sampled_from(sorted(SHAPES)), min_size=1, max_size=2 if explores() else 1
    ),
    kind=st.sampled_from(["dense", "float32", "csr", "csr, int64"]),
    seed=st.sampled_from([3, "RandomState"]),
)
def test_it_finds_what_grid_search_finds(prototype, stream, names, kind, seed):
    X, y = stream
    if kind == "float32":
        X = X.astype(np.float32)
    elif kind != "dense":
        X = csr_array(X)
        X = with_int64_indices(X) if kind.endswith("int64") else X
    estimator = clone(prototype).set_params(
        random_state=np.random.RandomState(5) if seed == "RandomState" else seed
    )
    grid = {name: SHAPES[name] for name in sorted(names)}
    own = [*SEARCH_GRIDS.get(type(prototype), {}).items()]
    own = dict(own if explores() else own[:1])
    if "loss" not in own:
        grid |= own
    same(estimator, grid, X, y, cv=KFold(2), return_train_score=True)


DIGITS = [part[:600] for part in load_digits(return_X_y=True)]
CANCER = load_breast_cancer(return_X_y=True)
GRID = {"b": [0.01, 0.1, 1.0]}


def test_scores_of_decision_values():
    X, y = CANCER
    learner = CBGZClassifier(random_state=0)
    search = same(learner, GRID, X, y, scoring=["roc_auc", "accuracy"], refit="roc_auc")
    assert search.multimetric_
    same(learner, GRID, X, y, scoring="neg_log_loss", error_score=-9.0)


def test_scorers_of_ones_own_see_fitted_learners_and_rows():
    X, y = DIGITS

    def labels_and_rows(learner, X, y):
        assert learner.coef_.shape == (10, 64)
        bought = learner.queried_indices_
        return len(bought) + bought @ bought + X.sum() + learner.score(X, y)

    def two(learner, X, y):
        return {"labels": learner.n_queries_, "seen": learner.n_seen_}

    learner = DKMClassifier(random_state=0)
    grid = {"R": [1, 8]}
    same(learner, grid, X, y, scoring=labels_and_rows, cv=3)
    same(learner, grid, X, y, scoring=two, refit="seen", cv=3)
    several = {"labels": n_queries_scorer, "n_queries": "accuracy"}
    search = same(learner, grid, X, y, scoring=several, refit="n_queries", cv=3)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_labels"], search.cv_results_["mean_n_queries"]
    )


def test_labels_bought_are_told():
    X, y = CANCER
    search = OnePassSearchCV(CBGZClassifier(random_state=0), GRID, cv=3).fit(X, y)
    results = search.cv_results_
    bought = np.array([results[f"split{k}_n_queries"] for k in range(3)])
    np.testing.assert_array_equal(bought.mean(axis=0), results["mean_n_queries"])
    np.testing.assert_array_equal(bought.std(axis=0), results["std_n_queries"])
    assert (np.diff(results["mean_n_queries"]) > 0).all()
    assert search.n_labels_read_ == len(y)
    assert results["mean_fit_time"].min() > 0


def test_the_choice_may_weigh_the_score_against_the_labels():
    X, y = CANCER

    def fewest(results):
        assert "param_candidate" not in results
        return int(results["mean_n_queries"].argmin())

    search = OnePassSearchCV(CBGZClassifier(random_state=0), GRID, refit=fewest)
    assert search.fit(X, y).best_params_ == {"b": 0.01}
    assert not hasattr(search, "best_score_")
    with pytest.raises(IndexError, match="best_index_"):
        clone(search).set_params(refit=lambda results: 3).fit(X, y)


def test_what_cannot_share_a_pass_is_fitted_alone():
    X, y = CANCER
    pipeline = Pipeline([("scale", StandardScaler()), ("learn", CBGZClassifier())])
    seed = {"learn__random_state": [0]}
    grid = [
        {"learn__b": [0.1, 1.0], **seed},
        {
            "learn": [
                RLSSamplingClassifier(9.0, random_state=0),
                SGDClassifier(random_state=0),
            ]
        },
    ]
    for n_jobs in (None, 2):  # test_drop_in has processes, which take seconds to start
        with parallel_config(backend="threading"):
            search = same(pipeline, grid, X, y, cv=3, n_jobs=n_jobs)
        assert search.fused_.tolist() == [True, True, False, False]
        counted = np.isfinite(search.cv_results_["mean_n_queries"])
        assert counted.tolist() == [True, True, True, False]

    class Sceptic(CBGZClassifier):
        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    assert not same(Sceptic(random_state=0), GRID, X, y).fused_.any()
    search = same(SGDClassifier(random_state=0), {"alpha": [0.1, 1.0]}, X, y)
    assert not search.fused_.any()


def test_transformers_are_fitted_once_a_fold_and_setting():
    X, y = DIGITS
    fits = []

    class Counting(MinMaxScaler):
        def fit(self, X, y=None):
            fits.append(len(X))
            return super().fit(X, y)

    pipeline = make_pipeline(Counting(), "passthrough", DKMClassifier(random_state=0))
    grid = {"counting__clip": [False, True], "dkmclassifier__R": [1, 2, 4]}
    search = OnePassSearchCV(pipeline, grid, cv=3, refit=False).fit(X, y)
    assert len(fits) == 2 * 3
    same(pipeline, grid, X, y, cv=3, return_train_score=True)
    assert search.fused_.all()
    alone = Pipeline([("learner", DKMClassifier(random_state=0))])
    assert same(alone, {"learner__R": [1, 2]}, X, y, cv=3).fused_.all()


def test_a_transformer_that_fails():
    X, y = problem(60, 3)
    X[0, 0] = np.nan
    X[30, 1] = np.inf
    pipeline = make_pipeline(StandardScaler(), CBGZClassifier(random_state=0))
    grid = {"cbgzclassifier__b": [0.1, 1.0], "standardscaler__with_mean": [True, False]}
    same(pipeline, grid, X, y, cv=KFold(3), error_score=-1.0)
    same(CBGZClassifier(random_state=0), GRID, X, y, cv=KFold(3), error_score=-1.0)


def test_a_setting_that_overflows_gets_the_error_score():
    X, y = CANCER
    learner = MarginLossClassifier("hinge", random_state=0)
    grid = {"eta0": [1e-3, 1e300, 1.0]}
    with pytest.warns(FitFailedWarning, match="overflow"):
        search = OnePassSearchCV(learner, grid, error_score=-2.0).fit(X, y)
    assert search.cv_results_["mean_test_score"][1] == -2
    assert search.fused_.tolist() == [
        True,
        False,
        True,
    ]
    same(learner, grid, X, y, error_score=-2.0)
    with pytest.raises(ValueError, match="overflow"):
        OnePassSearchCV(learner, grid, error_score="raise").fit(X, y)


def test_a_bad_parameter_is_named():
    X, y = CANCER
    with pytest.warns(FitFailedWarning, match="b == -1"):
        OnePassSearchCV(CBGZClassifier(), {"b": [-1, 1.0]}, error_score=0).fit(X, y)
    with pytest.raises(ValueError, match="Invalid parameter 'c'"):
        OnePassSearchCV(CBGZClassifier(), {"c": [1]}).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent"):
        OnePassSearchCV(CBGZClassifier(), GRID).fit(X, y[1:])
    search = OnePassSearchCV(CBGZClassifier(), GRID, scoring=["accuracy", "f1"])
    with pytest.raises(ValueError, match="refit"):
        search.fit(X, y)


class BrittleUpdate(UpdateRule):
    """It fails at an update, which no check foresees."""

    def __init__(self, n_most):
        self.n_most = n_most

    def step(self, z, squared_norm, probability, clock):
        if clock.n_updates == self.n_most:
            raise RuntimeError("too many")
        return float(z <= 0)


class BrittleClassifier(StreamClassifier):
    def __init__(self, b=1.0, n_most=-1, random_state=None):
        super().__init__(random_state=random_state)
        self.b, self.n_most = b, n_most

    def _make_rules(self):
        return InverseMarginRule(self.b), BrittleUpdate(self.n_most)


def test_one_that_raises_in_a_later_part_of_sparse_rows_changes_no_other():
    X, y = problem(80, 3)
    grid = [{"b": np.geomspace(0.01, 2, LANES + 1).tolist()}, {"n_most": [3]}]
    learner = BrittleClassifier(random_state=0)
    search = same(learner, grid, csr_array(X), y, cv=2, error_score=-1.0)
    assert search.cv_results_["mean_test_score"][-1] == -1
    assert search.cv_results_["mean_n_queries"][:-1].max() <= len(y) / 2


def test_without_a_seed_all_settings_get_the_same_coins():
    X, y = CANCER
    grid = {"rate": [0.2, 0.2, 0.2]}
    search = OnePassSearchCV(RandomSamplingClassifier(), grid).fit(X, y)
    for k in range(5):
        assert len(set(search.cv_results_[f"split{k}_n_queries"])) == 1
    assert len({search.cv_results_[f"split{k}_n_queries"][0] for k in range(5)}) > 1


def test_progress():
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9")

    class Note:
        def __init__(self):
            self.tasks = []

        def setup(self, estimator, context):
            pass

        teardown = on_fit_task_begin = setup

        def on_fit_task_end(self, estimator, context):
            self.tasks.append(context.task_name)

    X, y = CANCER
    note = Note()
    search = OnePassSearchCV(CBGZClassifier(random_state=0), GRID, cv=3)
    search.set_callbacks(note).fit(X, y)
    assert note.tasks == ["fold"] * 3 + ["score and refit", "fit"]
    assert callback
    assert "_callback_fit_ctx" not in vars(search)


def test_it_has_the_parameters_and_the_results_of_grid_search():
    parameters = inspect.signature(OnePassSearchCV).parameters
    assert list(parameters) == list(inspect.signature(GridSearchCV).parameters)
    X, y = CANCER
    for options in ({}, {"scoring": ["accuracy", "f1"], "refit": "f1"}):
        search = OnePassSearchCV(CBGZClassifier(), GRID, **options).fit(X, y)
        theirs = GridSearchCV(CBGZClassifier(), GRID, **options).fit(X, y)
        assert {name for name in vars(search) if name.endswith("_")} >= {
            name for name in vars(theirs) if name.endswith("_")
        }


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


RATES = np.geomspace(0.01, 2, 14).tolist()
SETTINGS = {
    "CBGZ": [CBGZClassifier(b, random_state=0) for b in RATES],
    "CBGZ as is": [
        CBGZClassifier(b, normalize=False, average=average, random_state=0)
        for b, average in product(RATES[::4], [False, True])
    ],
    "adaptive among others": [
        CBGZClassifier(b, random_state=0) for b in ["adaptive", *RATES[:3]]
    ],
    "limits": [
        CBGZClassifier(0.3, budget=budget, patience=patience, random_state=0)
        for budget, patience in product([0, 20, None], [2, 9, None])
    ],
    "coins of their own": [CBGZClassifier(0.1, random_state=k) for k in range(4)],
    "class weights": [
        CBGZClassifier(b, class_weight="balanced", random_state=0) for b in RATES[::4]
    ],
    "DKM": [DKMClassifier(R, random_state=0) for R in (1, 2, 4, 8)],
    "random": [RandomSamplingClassifier(q / 2, random_state=0) for q in RATES[::3]],
    "ramp": [
        MarginLossClassifier("ramp", eta0=eta0, random_state=0) for eta0 in RATES[::3]
    ],
    "groups of rows": [
        GreedyOnlineClassifier(3, eta0=eta0, random_state=0) for eta0 in RATES[::3]
    ],
}


def stream(n_classes):
    """Return rows, some without a usual norm, and codes: long runs of one class."""
    rng = np.random.RandomState(n_classes)
    X = rng.standard_normal((423, 37)) * (rng.random_sample((423, 37)) < 0.4)
    X[[5, 200]] = 0
    X[[6, 201]] *= 1e-200
    codes = (X @ rng.standard_normal((37, n_classes))).argmax(axis=1)
    codes[rng.random_sample(423) < 0.1] = 0
    codes[100:330] = 0
    X[100:330] = np.abs(X[100:330])
    return X, codes.astype(np.int32)


def fitted_together(learners, X, y, cv):
    """Return what settings end with that share passes, by fold."""
    found = []

    def keep(learner, X, y):
        found.append((state(learner), learner.queried_indices_.tolist()))
        return 0.0

    grid = [
        {name: [value] for name, value in learner.get_params().items()}
        for learner in learners
    ]
    search = OnePassSearchCV(
        type(learners[0])(), grid, scoring=keep, cv=cv, refit=False
    ).fit(X, y)
    assert search.fused_.all()
    return found


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.every_learner
@pytest.mark.parametrize(
    ("kind", "n_classes"),
    [("dense", 3), ("CSR", 2), *([("dense", 2), ("CSR", 3)] if explores() else [])],
)
@pytest.mark.parametrize("name", SETTINGS)
def test_they_end_as_each_does_alone(name, kind, n_classes, monkeypatch):
    X, codes = stream(n_classes)
    rows = csr_array(X) if kind == "CSR" else X
    shuffle = kind == "CSR"
    learners = [clone(each).set_params(shuffle=shuffle) for each in SETTINGS[name]]
    every_row = np.arange(len(X))
    cv = [(every_row, every_row[:9]), (every_row[::-1], every_row[:9])]
    alone = []
    for learner, (train, _) in product(learners, cv):
        one = clone(learner).fit(rows[train], codes[train])
        alone.append((state(one), one.queried_indices_.tolist()))
    for widest in (2, 4, 8) if name == "CBGZ" or explores() else (4,):
        monkeypatch.setattr(_rows, "widest", widest)
        np.testing.assert_equal(fitted_together(learners, rows, codes, cv), alone)


@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_rows_whose_squares_leave_the_usual_range_end_alike(kind):
    X, codes = stream(2)
    X = X * np.resize([1.0, 1e-142, 1.0, 1e142], len(X))[:, None]
    rows = csr_array(X) if kind == "CSR" else X
    learner, every_row = CBGZClassifier(0.3, random_state=0), np.arange(len(X))
    one = clone(learner).fit(rows, codes)
    together = fitted_together([learner], rows, codes, [(every_row, every_row[:9])])
    assert together == [(state(one), one.queried_indices_.tolist())]
