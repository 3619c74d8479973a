"""Learners in the surroundings of scikit-learn: links, backends, input, budgets."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import estimator_html_repr, gen_even_slices

import sklearn_activelearn
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    BatchMarginLossClassifier,
    CBGZClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    OnePassSearchCV,
    RLSSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.pool import PoolClassifier
from sklearn_activelearn.pool.graph._harmonic import HarmonicField
from sklearn_activelearn.preprocessing import TableEncoder
from sklearn_activelearn.sources import Source, as_memmap

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", sklearn_activelearn.__all__)
def test_classes_link_to_their_page(name):
    if not hasattr(item := getattr(sklearn_activelearn, name), "get_params"):
        pytest.skip("no estimator")
    estimator = item.__new__(item)
    assert estimator._get_doc_link().endswith(f"/api/sklearn_activelearn.{name}.html")


def test_links_of_other_names_and_other_packages():
    assert PoolClassifier()._get_doc_link().endswith("learn.pool.PoolClassifier.html")
    assert "preprocessing.TableEncoder" in TableEncoder()._get_doc_link()
    assert "PoolClassifier.html" in estimator_html_repr(PoolClassifier())

    class Own(PoolClassifier):
        pass

    assert Own()._get_doc_link() == ""


def test_a_spent_budget_is_shown():
    learner = MinMarginClassifier(budget=20, random_state=0)
    assert "spent" not in repr(learner)
    learner.fit(X, y)
    assert repr(learner).endswith("[budget spent: 20 labels bought]")
    page = learner._repr_mimebundle_()["text/html"]
    assert page.endswith("<p>budget spent: 20 labels bought</p>")
    learner.set_params(budget=30)
    assert "spent" not in repr(learner)
    assert "spent" not in repr(learner.set_params(budget="wrong"))


BACKENDS = ["loky", "threading", "multiprocessing", "dask"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    if request.param != "dask":
        with parallel_config(backend=request.param):
            yield
        return
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1,
            processes=False,
            threads_per_worker=2,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster),
        parallel_config(backend="dask"),
    ):
        yield


def test_every_backend_gives_the_same(backend, tmp_path):
    learner = CBGZClassifier(random_state=0)
    alone = RLSSamplingClassifier(9.0, random_state=0)  # it shares no pass
    grid = [{"learner__b": [0.1, 1.0]}, {"learner": [alone]}]
    pipeline = Pipeline([("learner", learner)])
    search = OnePassSearchCV(pipeline, grid, cv=2, n_jobs=2).fit(X, y)
    with parallel_config(backend="threading"):
        expected = OnePassSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.fused_.tolist() == expected.fused_.tolist() == [True, True, False]
    for name in "mean_test_score", "mean_n_queries":
        np.testing.assert_array_equal(
            search.cv_results_[name], expected.cv_results_[name]
        )
    assert repr(search.best_params_) == repr(expected.best_params_)
    curves = [
        label_curve(learner, X, y, cv=2, n_repeats=1, random_state=0, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    ]
    pd.testing.assert_frame_equal(*(curve.to_frame() for curve in curves))
    mapped = as_memmap(X, tmp_path / "rows.npy")
    pool = UncertaintySamplingClassifier(n_jobs=2, random_state=0)
    rows = pool.teach(X[::30], y[::30]).query(mapped, limit=9)
    pool = UncertaintySamplingClassifier(random_state=0)
    np.testing.assert_array_equal(rows, pool.teach(X[::30], y[::30]).query(X, limit=9))


class Counted(Source):
    """Rows that count the pieces in which they are read."""

    def __init__(self):
        self.shape, self.dtype, self.sizes = X.shape, X.dtype, []

    def _parts(self, n_jobs):
        return [*gen_even_slices(len(X), n_jobs)]

    def _take(self, rows):
        self.sizes.append(len(rows))
        return X[rows]


@pytest.mark.parametrize(("n_jobs", "n_pieces"), [(None, 1), (2, 2)])
def test_backends_without_shared_memory_get_no_rows_to_score(
    backend, n_jobs, n_pieces, monkeypatch
):
    pool, calls = Counted(), []
    scores = [*pool.map(lambda rows: rows[:, 0], n_jobs)]
    np.testing.assert_array_equal(np.concatenate(scores), X[:, 0])
    assert len(pool.sizes) == n_pieces
    expected_risk = HarmonicField.expected_risk

    def counted(field, probabilities, candidates):
        calls.append(len(candidates))
        return expected_risk(field, probabilities, candidates)

    monkeypatch.setattr(HarmonicField, "expected_risk", counted)
    learner = ActiveLabelPropagationClassifier(n_jobs=n_jobs, random_state=0)
    learner.teach(X[::30], y[::30]).query(X)
    assert len(calls) == n_pieces


DATES = pd.DataFrame({"day": pd.date_range("2020", periods=len(y)), "size": X[:, 0]})


@pytest.mark.parametrize("rows", [DATES, DATES[["day"]], DATES[["day"]].to_numpy()])
@pytest.mark.parametrize("learner", [MinMarginClassifier(), CBGZClassifier()])
def test_dates_are_refused_as_scikit_learn_refuses_texts(learner, rows):
    for call in learner.query, lambda X: learner.fit(X, y):
        with pytest.raises(ValueError, match="dtype='numeric' is not compatible"):
            call(rows)


@pytest.mark.parametrize("kind", [str, "category"])
@pytest.mark.parametrize("learner", [HybridSamplingClassifier, MinMarginClassifier])
def test_a_table_is_refused_with_the_encoder_to_take(learner, kind):
    """Categories too: only the user's own models may take them."""
    rows = pd.DataFrame({"size": X[:, 0], "kind": ["a", "b"] * 75})
    rows["kind"] = rows["kind"].astype(kind)
    for call in learner().query, lambda X: learner().fit(X, y):
        with pytest.raises(ValueError, match="contains texts, such as 'a'") as told:
            call(rows)
        said = str(told.value)
        assert "with a preprocessing.TableEncoder or a ColumnTransformer" in said
        assert "estimator=make_pipeline(TableEncoder(), Logistic" in said
    learner().query(TableEncoder().fit_transform(rows))
    numbers = rows.assign(kind=pd.Categorical(np.arange(150) % 2))
    assert len(learner().query(numbers)) > 0


def test_a_table_with_dates_is_refused_with_the_encoder_to_take():
    with pytest.raises(ValueError, match="for example with preprocessing"):
        HybridSamplingClassifier().query(DATES)


def test_dates_of_polars_are_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="is not compatible with dates"):
        MinMarginClassifier().query(polars.DataFrame({"day": DATES["day"].tolist()}))


def test_tiny_features_end_in_an_error_not_in_an_endless_loop():
    code = """
from sklearn.datasets import load_iris
from sklearn_activelearn import MinMarginClassifier
X, y = load_iris(return_X_y=True)
for call in (lambda X: MinMarginClassifier().fit(X, y), MinMarginClassifier().query):
    try:
        call(X * 1e-200)
    except ValueError as error:
        assert "Scale the features" in str(error)
    else:
        raise AssertionError
MinMarginClassifier(budget=20).fit(X * 1e-100, y)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


def test_the_default_of_min_margin_takes_features_without_a_scale():
    categories = pd.DataFrame({"a": pd.Categorical(y), "b": X[:, 0]})
    for rows in X.mean(axis=0) < X, categories:
        learner = MinMarginClassifier(budget=12, random_state=0).fit(rows, y)
        assert learner.n_queries_ == 12


def test_a_failed_fit_leaves_the_model_before():
    learner = BatchMarginLossClassifier()
    with pytest.raises(ValueError, match="only one class"):
        learner.fit(X, np.zeros(len(X)))
    with pytest.raises(NotFittedError):
        learner.predict(X)
    before = learner.fit(X, y).predict(X)
    with pytest.raises(ValueError, match="overflows"):
        learner.fit(X[:, :2] * 1e300, y)
    np.testing.assert_array_equal(learner.predict(X), before)


ARRAYS = """
import warnings

import {library} as xp
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_iris

from tests.learners import POOL_DEFAULTS, STREAM_DEFAULTS

warnings.simplefilter("ignore")
X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]
for prototype in [*STREAM_DEFAULTS[::3], *POOL_DEFAULTS[::7]]:
    learner = clone(prototype).set_params(budget=9)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    expected = clone(learner).fit(X, y)
    found = clone(learner).fit(xp.asarray(X), xp.asarray(y))
    np.testing.assert_array_equal(found.queried_indices_, expected.queried_indices_)
    for name in "predict", "decision_function", "predict_proba":
        if hasattr(expected, name):
            answer = getattr(found, name)(xp.asarray(X))
            assert type(answer) is np.ndarray
            np.testing.assert_array_equal(answer, getattr(expected, name)(X))
    if not hasattr(found, "record"):
        found = clone(learner)  # the next query of a stream may buy nothing
    rows = found.set_params(budget=None).query(xp.asarray(X))
    found.teach(xp.asarray(X[rows]), xp.asarray(y[rows]), [0, 1, 2])
    assert len(found.pending(xp.asarray(X))) == 0
"""


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_arrays_of_other_libraries(library):
    pytest.importorskip(library)
    subprocess.run(
        [sys.executable, "-c", ARRAYS.format(library=library)],
        check=True,
        timeout=300,
    )
