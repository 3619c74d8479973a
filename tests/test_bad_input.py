"""Bad input: a clear error from every verb, and the learner stays as it was.

One table: what is wrong, which verbs can see it, the error and the words in it.
"""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from tests.learners import DEFAULTS, each_default, each_stream_default, name_of
from tests.tools import AnswerSheet, fresh, frozen, problem

X, y = problem(50, 3)
GOOD = {"X": X, "y": y, "classes": ["no", "yes"]}


def learn(learner, X, y, classes):
    n_labels = 0 if y is None else len(y)
    oracle = AnswerSheet(np.resize(y, max(n_labels, len(GOOD["X"]))))
    try:
        learner.learn(X, oracle, classes=classes)
    finally:
        assert not oracle.asked


VERBS = {
    "fit": lambda learner, X, y, classes: learner.fit(X, y),
    "partial_fit": lambda learner, X, y, classes: learner.partial_fit(X, y, classes),
    "query": lambda learner, X, y, classes: learner.query(X),
    "teach": lambda learner, X, y, classes: learner.teach(X, y, classes),
    "learn": learn,
}
ALL = tuple(VERBS)
LABELLED = ("fit", "partial_fit", "teach")
TOLD = ("partial_fit", "teach", "learn")
LATER = ("partial_fit", "query", "teach", "learn")  # all but fit, which begins anew


def with_value(value, container=np.asarray, row=-1):
    rows = X.copy()
    rows[row, 1] = value
    return container(rows)


def with_label(label, dtype=None):
    labels = y.astype(dtype or y.dtype)
    labels[-1] = label
    return labels


def broken_csr(column):
    rows = csr_array(X)
    rows.indices[-1] = column
    return rows


BAD_CALLS = [
    # what is wrong, verbs, error, words in the message
    ({"X": with_value(np.nan)}, ALL, ValueError, "NaN"),
    ({"X": with_value(np.inf)}, ALL, ValueError, "infinity"),
    ({"X": with_value(-np.inf, lambda X: X.astype("f4"))}, ALL, ValueError, "infinity"),
    ({"X": with_value(np.nan, csr_array)}, ALL, ValueError, "NaN"),
    ({"X": with_value(np.inf, csr_array)}, ALL, ValueError, "infinity"),
    ({"X": broken_csr(3)}, ALL, ValueError, "broken CSR"),
    ({"X": broken_csr(-1)}, ALL, ValueError, "broken CSR"),
    ({"X": X[0]}, ALL, ValueError, "2D array"),
    ({"X": X[None]}, ALL, ValueError, "dim 3"),
    ({"X": X[:, :0]}, ALL, ValueError, r"0 feature\(s\)|0 features"),
    ({"X": X + 1j}, ALL, ValueError, "[Cc]omplex"),
    ({"X": np.full((50, 3), "three")}, ALL, ValueError, "[Cc]onvert"),
    ({"X": X[:0], "y": y[:0]}, ("fit", "partial_fit"), ValueError, r"0 sample"),
    ({"y": None}, LABELLED, ValueError, "y"),
    ({"y": y[:-1]}, LABELLED, ValueError, "inconsistent numbers of samples"),
    ({"y": np.column_stack([y, y])}, LABELLED, ValueError, "1d array"),
    ({"y": with_label(np.nan, object)}, LABELLED, ValueError, "NaN"),
    ({"y": X[:, 0]}, LABELLED, ValueError, "continuous"),
    ({"y": np.full(50, "no")}, ("fit",), ValueError, "1 class"),
    ({"y": with_label("may", "<U3")}, ("partial_fit", "teach"), ValueError, r"y\[49\]"),
    ({"y": np.ones(50, int)}, ("partial_fit", "teach"), ValueError, r"y\[0\]"),
    ({"y": with_label(7, object)}, ("fit",), (TypeError, ValueError), r"\by\b"),
    (
        {"y": with_label(7, object)},
        ("partial_fit", "teach"),
        ValueError,
        r"y\[49\] = 7",
    ),
    ({"classes": ["no"]}, TOLD, ValueError, "classes"),
    ({"classes": ["no", "no"]}, TOLD, ValueError, "classes holds 1 class"),
    ({"classes": [0.0, np.nan]}, TOLD, ValueError, "classes"),
    ({"classes": [["no", "yes"]]}, TOLD, ValueError, "classes"),
    ({"classes": [0, "yes", None]}, TOLD, (TypeError, ValueError), "classes"),
]
FRESH_CALLS = [
    ({"y": X[:, 0], "classes": [0, 1]}, LABELLED, ValueError, "continuous"),
]
STREAM_CALLS = [({"classes": None}, TOLD, ValueError, "classes must be passed")]
LATER_CALLS = [
    ({"X": X[:, :2]}, LATER, ValueError, "2 features"),
    ({"X": csr_array(X[:, :2])}, LATER, ValueError, "2 features"),
    ({"classes": ["maybe", "no", "yes"]}, TOLD, ValueError, "maybe"),
]
BAD_PARAMS = {
    "average": [("no", TypeError)],
    "fit_intercept": [("false", TypeError)],
    "normalize": [(1, TypeError)],
    "shuffle": [(None, TypeError)],
    "budget": [
        (-1, ValueError),
        (1.5, (TypeError, ValueError)),
        (-0.5, (TypeError, ValueError)),
        ("1", TypeError),
        (True, TypeError),
    ],
    "patience": [(0, ValueError), (2.5, TypeError)],
    "eta0": [(0, ValueError), (-1, ValueError), (np.inf, ValueError), ("x", TypeError)],
    "voi": [("fast", ValueError), (None, ValueError)],
    "n_candidates": [(0, ValueError), (1.5, TypeError)],
    "n_pairs": [(0, ValueError), ("all", TypeError)],
    "temperature": [(0, ValueError), (np.inf, ValueError), ("x", TypeError)],
    "pairing": [("all", ValueError)],
    "selection": [("best", ValueError), (None, ValueError)],
    "update": [("sgd", ValueError), (None, ValueError)],
    "R": [(0, ValueError), (1.5, TypeError), ("4", TypeError)],
    "threshold": [(0, ValueError), (np.nan, ValueError), ("min", ValueError)],
    "b": [
        (0, ValueError),
        (-0.1, ValueError),
        ("big", (TypeError, ValueError)),
        (None, TypeError),
    ],
    "beta": [(0, ValueError), (np.nan, ValueError)],
    "loss": [("log", ValueError), (None, ValueError)],
    "t": [(0.9, ValueError), (np.inf, ValueError), ("1", TypeError)],
    "s": [(0, ValueError), (1, ValueError), (None, TypeError)],
    "h": [(0, ValueError), (1.5, ValueError)],
    "learning_rate": [("optimal", ValueError), (0.1, ValueError)],
    "power_t": [(-0.1, ValueError), (np.nan, ValueError)],
    "query_probability": [
        ("loose", ValueError),
        (0.5, ValueError),
        (lambda margins: 1.5 - margins, ValueError),
        (lambda margins: margins * np.nan, ValueError),
        (lambda margins: margins < 0.5, ValueError),
        (lambda margins: 0.5, ValueError),
    ],
    "n_warm_start": [(-1, ValueError), (1.5, TypeError), (True, TypeError)],
    "m": [(0, ValueError), (2.5, TypeError), ("5", TypeError)],
    "lam": [(0, ValueError), (-1, ValueError), (np.inf, ValueError), ("1", TypeError)],
    "variant": [("SS", ValueError), (None, ValueError)],
    "transient": [(1, TypeError), ("no", TypeError)],
    "a": [(0, ValueError), (np.nan, ValueError), (None, TypeError)],
    "kernel": [
        ("precomputed", ValueError),
        ("additive_chi2", ValueError),
        ("gauss", ValueError),
        (None, ValueError),
    ],
    "gamma": [(0, ValueError), (np.inf, ValueError), ("scale", TypeError)],
    "degree": [(0, ValueError), (None, TypeError)],
    "coef0": [(np.inf, ValueError), ("1", TypeError)],
    "dual": [("primal", ValueError), (None, TypeError), (1, TypeError)],
    "max_stored": [(0, ValueError), (1.5, TypeError)],
    "rate": [(0, ValueError), (1.1, ValueError), (None, TypeError)],
    "measure": [("max", ValueError), (None, ValueError)],
    "disagreement": [("entropy", ValueError), (None, ValueError)],
    "cv": [(1, ValueError), (2.0, TypeError), ("5", TypeError)],
    "n_initial": [(0, ValueError), (1.5, TypeError)],
    "batch_size": [(0, ValueError), (None, TypeError)],
    "stopping": [("never", ValueError), (3, ValueError), (["x"], ValueError)],
    "incremental": [(1, TypeError)],
    "n_neighbors": [(0, ValueError), (2.5, TypeError)],
    "initial": [(3, TypeError), (np.mean, TypeError)],
    "alpha": [(-0.1, ValueError), (1.1, ValueError), ("1", TypeError)],
    "n_estimators": [(0, ValueError), (2.5, TypeError)],
    "n_estimators_per_label": [(0, ValueError), (0.5, TypeError)],
    "tol": [(-1, ValueError), (np.nan, ValueError)],
    "shrinkage": [(0, ValueError), (1.5, ValueError), (None, TypeError)],
    "early_stopping": [(None, TypeError)],
}


def cases(table):
    """List each verb of each row of a table."""
    return [
        pytest.param(wrong, verb, error, words, id=f"{verb}-{list(wrong)}-{words}")
        for wrong, verbs, error, words in table
        for verb in verbs
    ]


@cache
def pickled(prototype):
    return pickle.dumps(fresh(prototype).fit(X, y))


def begun(prototype):
    """Return a learner that has bought some labels."""
    return pickle.loads(pickled(prototype))


def check_refused(learner, verb, call, error, words):
    """Check that a verb raises and leaves every attribute as it was."""
    before = frozen(vars(learner))
    with pytest.raises(error, match=words):
        VERBS[verb](learner, **call)
    assert frozen(vars(learner)) == before


@each_default
@pytest.mark.parametrize(
    ("wrong", "verb", "error", "words"), cases(BAD_CALLS + FRESH_CALLS)
)
def test_a_fresh_learner_stays_fresh(prototype, wrong, verb, error, words):
    learner = fresh(prototype)
    check_refused(learner, verb, {**GOOD, **wrong}, error, words)
    assert vars(learner).keys() == learner.get_params().keys()


@each_default
@pytest.mark.parametrize(
    ("wrong", "verb", "error", "words"), cases(BAD_CALLS + LATER_CALLS)
)
def test_a_learner_stays_as_it_was(prototype, wrong, verb, error, words):
    learner = begun(prototype)
    learner.query(X)
    check_refused(learner, verb, {**GOOD, **wrong}, error, words)


@each_stream_default
@pytest.mark.parametrize(("wrong", "verb", "error", "words"), cases(STREAM_CALLS))
def test_a_stream_learner_must_be_told_the_classes(
    prototype, wrong, verb, error, words
):
    check_refused(fresh(prototype), verb, {**GOOD, **wrong}, error, words)


@pytest.mark.parametrize("make", [fresh, begun])
@pytest.mark.parametrize(
    ("prototype", "name", "value", "error"),
    [
        pytest.param(prototype, name, *wrong, id=f"{name_of(prototype)}-{name}-{i}")
        for prototype in DEFAULTS
        for name, table in BAD_PARAMS.items()
        if name in prototype.get_params(deep=False)
        for i, wrong in enumerate(table)
    ],
)
def test_bad_parameters(prototype, name, value, error, make):
    learner = make(prototype).set_params(**{name: value})
    for verb in VERBS:
        check_refused(learner, verb, GOOD, error, name)


@each_default
def test_bad_parameters_are_tried(prototype):
    elsewhere = {"estimator", "estimators", "param_grid", "n_jobs", "random_state"}
    assert set(prototype.get_params(deep=False)) <= BAD_PARAMS.keys() | elsewhere


@each_default
@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"limit": -1}, ValueError, "limit"),
        ({"limit": 1.5}, TypeError, "limit"),
        ({"candidates": [50]}, ValueError, r"\[0, 50\)"),
        ({"candidates": [-1]}, ValueError, r"\[0, 50\)"),
        ({"candidates": [1, 1]}, ValueError, "more than once"),
        ({"candidates": [[1]]}, ValueError, "1-D"),
        ({"candidates": [0.5]}, ValueError, "row numbers"),
        ({"exclude": np.ones(49, dtype=bool)}, ValueError, "mask of 49 rows"),
        ({"return_probability": 1}, TypeError, "return_probability"),
    ],
)
def test_bad_arguments_of_query(prototype, arguments, error, words):
    learner = fresh(prototype).fit(X, y)
    before = frozen(vars(learner))
    with pytest.raises(error, match=words):
        learner.query(X, **arguments)
    assert frozen(vars(learner)) == before


@each_default
@pytest.mark.parametrize("verb", LATER)
def test_other_feature_names(prototype, verb):
    learner = fresh(prototype).fit(pd.DataFrame(X, columns=list("abc")), y)
    other = {**GOOD, "X": pd.DataFrame(X, columns=list("abd"))}
    check_refused(learner, verb, other, ValueError, "feature names")


@pytest.mark.parametrize("container", [np.asarray, csr_array])
@pytest.mark.parametrize("verb", ALL)
@pytest.mark.parametrize("row", [0, 31, 49])
def test_the_row_that_holds_nan_is_named(container, verb, row):
    learner = fresh(DEFAULTS[0])
    bad = {**GOOD, "X": with_value(np.nan, container, row)}
    words = rf"X \(row {row}\) contains NaN"
    check_refused(learner, verb, bad, ValueError, words)


@each_default
@pytest.mark.parametrize("verb", ["predict", "decision_function", "predict_proba"])
def test_prediction_refuses_bad_rows(prototype, verb):
    learner = fresh(prototype).fit(X, y)
    if not hasattr(learner, verb):
        return
    for rows in (with_value(np.nan), with_value(np.inf, csr_array), X[:, :2], X[0]):
        with pytest.raises(ValueError, match=r"X|feature|array"):
            getattr(learner, verb)(rows)


@each_stream_default
@pytest.mark.parametrize(
    "name", ["budget", "patience", "R", "n_warm_start", "m", "max_stored"]
)
def test_a_number_beyond_all_rows_is_no_limit(prototype, name):
    if name not in prototype.get_params():
        return
    unlimited = fresh(prototype, **{name: 10**9}).fit(X, y)
    huge = fresh(prototype, **{name: 10**30}).fit(X, y)
    assert huge.queried_indices_.tolist() == unlimited.queried_indices_.tolist()


@each_stream_default
@pytest.mark.parametrize("name", ["average", "fit_intercept", "normalize"])
def test_weights_cannot_be_read_in_another_way(prototype, name):
    learner = fresh(prototype)
    if name not in learner.get_params():
        return
    learner.fit(X, y).set_params(**{name: not getattr(learner, name)})
    before = frozen(vars(learner))
    for verb in LATER:
        with pytest.raises(ValueError, match=f"^{name} cannot change from .* fit"):
            VERBS[verb](learner, **GOOD)
    for method in ("predict", "decision_function"):
        with pytest.raises(ValueError, match=f"^{name} cannot change from .* fit"):
            getattr(learner, method)(X)
    assert frozen(vars(learner)) == before
    learner.fit(X, y).predict(X)
