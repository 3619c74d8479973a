"""DataFrames of pandas and polars give the same learner in every verb."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    QueryByCommitteeClassifier,
)
from sklearn_activelearn.labeling import LabelingSession
from tests.learners import (
    POOL_LEARNERS,
    each,
    each_pool_family,
    each_stream_default,
    explores,
    ways_in,
)
from tests.tools import fresh, go_through_verbs

pl = pytest.importorskip("polars")

rng = np.random.default_rng(0)
NUMBERS = rng.integers(0, 4, size=(30, 4)).astype(float)
y = np.where(NUMBERS[:, 0] + NUMBERS[:, 1] > 3, "high", "low")
IDS = [f"row {i}" for i in range(30)]
COLUMNS = {
    name: values.tolist() for name, values in zip("abcd", NUMBERS.T, strict=True)
}
MIXED = {**COLUMNS, "e": [["w", "x", "y"][i % 3] for i in range(30)]}


def columns():
    """Return a transformer whose columns are named."""
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((StandardScaler(), [*"ab"]), (categories, ["e"]))


def check_frames(prototype, columns, ids=None):
    """Check that pandas and polars make no difference in any verb."""
    first, second = (
        go_through_verbs(prototype(), frame(columns), y, ids)[0]
        for frame in (pd.DataFrame, pl.DataFrame)
    )
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@each_pool_family
def test_pool_learners_take_tables_of_numbers(prototype):
    check_frames(lambda: fresh(prototype, budget=9), COLUMNS, IDS)


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@each_stream_default
def test_stream_learners_take_tables_of_numbers(prototype):
    check_frames(lambda: fresh(prototype, budget=9), COLUMNS)


#: The learners whose model may be a pipeline: boosting needs one that takes weights.
NAMED = [
    row
    for row in POOL_LEARNERS
    if {"estimator", "estimators"} & {*row.get_params(deep=False)}
    and row.stopping != ["margin_exhausted"]
    and "boosting" not in type(row).__module__
]


def with_columns(prototype):
    """Return a learner whose models and embedding name their columns."""
    params = prototype.get_params(deep=False)
    new = {"embedding": columns()} if "embedding" in params else {}
    if params.get("estimators"):
        new["estimators"] = [
            (name, make_pipeline(columns(), model))
            for name, model in params["estimators"]
        ]
    else:
        model = params["estimator"] or LogisticRegression()
        new["estimator"] = make_pipeline(columns(), model)
    if params.get("param_grid"):
        step = type(new["estimator"][-1]).__name__.lower()
        new["param_grid"] = {
            f"{step}__{name}": values for name, values in params["param_grid"].items()
        }
    return fresh(prototype).set_params(**new)


#: One of each class: how rows are read is the same for all settings of a class.
CLASSES = {type(row): row for row in NAMED}


#: Of these one for each way in which rows are checked, a committee and an embedding.
FEW = [
    *ways_in([*CLASSES.values()]),
    CLASSES[QueryByCommitteeClassifier],
    CLASSES[HybridSamplingClassifier],
]


@pytest.mark.every_learner
@each(NAMED if explores() else FEW)
def test_columns_have_names(prototype):
    check_frames(lambda: with_columns(prototype).set_params(budget=9), MIXED)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"]
)
def test_sessions_take_tables(frame, tmp_path):
    X = frame(MIXED)
    learner = MinMarginClassifier(
        make_pipeline(columns(), LogisticRegression()), n_initial=4, random_state=0
    )
    labels = []
    for _ in range(2):  # the second one resumes
        with LabelingSession(
            learner, X, tmp_path / "labels.sqlite", classes=["high", "low"]
        ) as session:
            for _ in range(6):
                id = session.next()
                assert session.row(id)["e"] in {"w", "x", "y"}
                session.label(id, y[id])
                labels.append(id)
    assert len({*labels}) == 12
