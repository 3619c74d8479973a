"""Bad input: a clear error from every verb, and the learner stays as it was.

One table: what is wrong, which verbs can see it, the error and the words in it. It is
held against one learner for each way in which rows are checked; parameters are checked
by each class, and so are tried on each.
"""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import (
    BatchMarginLossClassifier,
    CBGZClassifier,
    DecisionStumpClassifier,
    MinMarginClassifier,
)
from sklearn_activelearn.datasets import make_low_noise, make_outlier_line, make_twonorm
from tests.docstrings import names, refused
from tests.learners import (
    DEFAULTS,
    STREAM_DEFAULTS,
    each_default,
    each_stream_default,
    each_way_in,
    explores,
    name_of,
)
from tests.tools import RecordingOracle, fresh, frozen, problem

X, y = problem(50, 3)
GOOD = {"X": X, "y": y, "classes": ["no", "yes"]}


def learn(learner, X, y, classes):
    n_labels = 0 if y is None else len(y)
    oracle = RecordingOracle(np.resize(y, max(n_labels, len(GOOD["X"]))))
    try:
        learner.learn(X, oracle, classes=classes)
    finally:
        assert not oracle.asked


VERBS = {
    "fit": lambda learner, X, y, classes: learner.fit(X, y),
    "partial_fit": lambda learner, X, y, classes: learner.partial_fit(X, y, classes),
    "query": lambda learner, X, y, classes: learner.query(X),
    "teach": lambda learner, X, y, classes: learner.teach(X, y, classes),
    "correct": lambda learner, X, y, classes: learner.correct(X, y),
    "learn": learn,
}
ALL = ("fit", "partial_fit", "query", "teach", "learn")
LABELLED = ("fit", "partial_fit", "teach")
WITH_CLASSES = ("partial_fit", "teach", "learn")
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
    ({"X": broken_csr(3)}, ALL, ValueError, "invalid CSR"),
    ({"X": broken_csr(-1)}, ALL, ValueError, "invalid CSR"),
    ({"X": X[0]}, ALL, ValueError, "2D array"),
    ({"X": X[None]}, ALL, ValueError, "dim 3"),
    ({"X": X[:, :0]}, ALL, ValueError, r"0 feature\(s\)|0 features"),
    ({"X": X + 1j}, ALL, ValueError, "[Cc]omplex"),
    ({"X": np.full((50, 3), "three")}, ALL, ValueError, "texts, such as 'three'"),
    ({"X": ["one or two"] * 50}, ALL, ValueError, "'one or two'.*TfidfVectorizer"),
    ({"X": X[:0], "y": y[:0]}, ("fit", "partial_fit"), ValueError, r"0 sample"),
    ({"y": None}, LABELLED, ValueError, "y"),
    ({"y": y[:-1]}, LABELLED, ValueError, "inconsistent numbers of samples"),
    ({"y": np.column_stack([y, y])}, LABELLED, ValueError, "y has 2 columns"),
    ({"y": with_label(np.nan, object)}, LABELLED, ValueError, "NaN"),
    ({"y": X[:, 0]}, LABELLED, ValueError, "continuous"),
    ({"y": np.full(50, "no")}, ("fit",), ValueError, "one class"),
    ({"y": with_label("may", "<U3")}, ("partial_fit", "teach"), ValueError, r"y\[49\]"),
    ({"y": np.ones(50, int)}, ("partial_fit", "teach"), ValueError, r"y\[0\]"),
    ({"y": with_label(7, object)}, ("fit",), (TypeError, ValueError), r"\by\b"),
    (
        {"y": with_label(7, object)},
        ("partial_fit", "teach"),
        ValueError,
        r"y\[49\] = 7",
    ),
    ({"classes": ["no"]}, WITH_CLASSES, ValueError, "classes"),
    ({"classes": ["no", "no"]}, WITH_CLASSES, ValueError, "contains only one class"),
    ({"classes": [0.0, np.nan]}, WITH_CLASSES, ValueError, "classes"),
    ({"classes": [["no", "yes"]]}, WITH_CLASSES, ValueError, "classes"),
    ({"classes": [0, "yes", None]}, WITH_CLASSES, (TypeError, ValueError), "classes"),
]
FRESH_CALLS = [({"y": X[:, 0], "classes": [0, 1]}, LABELLED, ValueError, "continuous")]
LATER_CALLS = [
    ({"X": X[:, :2]}, LATER, ValueError, "2 features"),
    ({"X": csr_array(X[:, :2])}, LATER, ValueError, "2 features"),
    ({"classes": ["maybe", "no", "yes"]}, WITH_CLASSES, ValueError, "maybe"),
]
#: What is wrong with a parameter beyond what its type in the docstring says.
BAD_PARAMS = {
    "query_probability": [
        (lambda margins: 1.5 - margins, ValueError),
        (lambda margins: margins * np.nan, ValueError),
        (lambda margins: 0.5, ValueError),
    ],
    "kernel": [("precomputed", ValueError), ("additive_chi2", ValueError)],
    "loss": [("log", ValueError), (None, (TypeError, ValueError))],
    "stopping": [("never", ValueError), (3, ValueError), (["x"], ValueError)],
    "init": [(3, TypeError), (np.mean, TypeError)],
    "machine_labels": [(3, ValueError), ([["yes"]], ValueError)],
    "machine_confidence": [(0.5, ValueError), ([0.5], ValueError)],
    "positive": [(["yes"], TypeError), (b"yes", TypeError), (np.mean, TypeError)],
}
#: Parameters that scikit-learn and joblib check where they are used.
THEIRS = {"estimator", "estimators", "param_grid", "n_jobs", "random_state"}


def each_case(table):
    """Run over the rows of a table."""
    return pytest.mark.parametrize(
        ("wrong", "verbs", "error", "words"),
        [pytest.param(*row, id=f"{list(row[0])}-{row[3]}") for row in table],
    )


@cache
def pickled(prototype):
    return pickle.dumps(fresh(prototype, budget=9).fit(X, y))


def begun(prototype):
    """Return a learner that has bought some labels, and may buy more."""
    return pickle.loads(pickled(prototype)).set_params(budget=prototype.budget)


def check_refused(learner, verb, call, error, words):
    """Check that a verb raises and leaves every attribute as it was."""
    before = frozen(vars(learner))
    with pytest.raises(error, match=words):
        VERBS[verb](learner, **call)
    assert frozen(vars(learner)) == before


@each_way_in
@each_case(BAD_CALLS + FRESH_CALLS)
def test_a_fresh_learner_stays_fresh(prototype, wrong, verbs, error, words):
    learner = fresh(prototype)
    for verb in verbs:
        check_refused(learner, verb, {**GOOD, **wrong}, error, words)
    assert vars(learner).keys() == learner.get_params(deep=False).keys()


@each_way_in
@each_case(BAD_CALLS + LATER_CALLS)
def test_a_learner_stays_as_it_was(prototype, wrong, verbs, error, words):
    learner = begun(prototype)
    learner.query(X)
    for verb in verbs:
        check_refused(learner, verb, {**GOOD, **wrong}, error, words)


#: Labels of which the last is missing, by what the error calls it.
MISSING_LABELS = [
    ("None", [*y[:-1].tolist(), None]),
    ("NaN", [*y[:-1].tolist(), np.nan]),
    ("NaN", pd.Series(with_label(None, object), dtype="category")),
    ("<NA>", pd.Series(with_label(None, object), dtype="string")),
    ("<NA>", with_label(pd.NA, object)),
    ("<NA>", [*(y[:-1] == "no").tolist(), pd.NA]),
    ("NaT", with_label(pd.NaT, object)),
    ("NaT", np.array(["2020-01-01"] * 49 + ["NaT"], dtype="datetime64[D]")),
    ("NaN", np.array([0.0, 1.0] * 24 + [0.0, np.nan])),
    ("NaN", np.array([[0.0], [1.0]] * 24 + [[0.0], [np.nan]])),
    ("None", np.ma.array(np.arange(50) % 2, mask=np.arange(50) == 49)),
]


@each_way_in
@pytest.mark.parametrize("make", [fresh, begun])
def test_missing_labels_are_named(prototype, make):
    learner = make(prototype)
    verbs = [*LABELLED, *(["correct"] if hasattr(learner, "correct") else [])]
    for what, labels in MISSING_LABELS:
        words = rf"y contains missing labels, the first at position 49 \({what}\): omit"
        for verb in verbs:
            check_refused(learner, verb, {**GOOD, "y": labels}, ValueError, words)
    words = r"y contains missing labels, the first at position 0 \(None\)"
    for verb in verbs:
        check_refused(learner, verb, {**GOOD, "y": [None] * 50}, ValueError, words)


@pytest.mark.parametrize("classes", [["no", None], ["no", np.nan], ["no", pd.NA]])
@each_way_in
def test_a_missing_class_is_named(prototype, classes):
    bad = {**GOOD, "classes": np.array(classes, dtype=object)}
    words = "classes contains missing labels, .*position 1 .*: omit them"
    for verb in WITH_CLASSES:
        check_refused(fresh(prototype), verb, bad, ValueError, words)


def test_missing_labels_of_sorted_rows_are_named():
    stump = DecisionStumpClassifier()
    with pytest.raises(ValueError, match=r"y contains missing labels, .* \(None"):
        stump.fit(stump.presort(X), with_label(None, object))


@pytest.mark.parametrize(
    "learner", [MinMarginClassifier(n_initial=4, batch_size=4), CBGZClassifier()]
)
def test_an_oracle_with_a_masked_label(learner):
    labels = np.ma.array(np.arange(len(X)) % 2, mask=True)
    with pytest.raises(ValueError, match=r"oracle must .* got None for row"):
        fresh(learner).learn(X, lambda rows: labels[rows], classes=[0, 1])
    labels.mask = False
    plain = fresh(learner).learn(X, lambda rows: labels.data[rows], classes=[0, 1])
    masked = fresh(learner).learn(X, lambda rows: labels[rows], classes=[0, 1])
    assert masked.queried_indices_.tolist() == plain.queried_indices_.tolist()
    assert fresh(learner).fit(X, labels).classes_.dtype == labels.dtype


@each_way_in
@pytest.mark.parametrize("budget", [1.5, -0.1, np.inf, np.nan])
def test_a_budget_that_is_no_share_is_explained(prototype, budget):
    learner = fresh(prototype, budget=budget)
    words = rf"budget must lie in \[0, 1\] if it is a float.* got {budget}"
    for verb in ("fit", "learn"):
        check_refused(learner, verb, GOOD, ValueError, words)


@each_stream_default
def test_a_stream_learner_must_know_the_classes(prototype):
    unknown = {**GOOD, "classes": None}
    for verb in WITH_CLASSES:
        check_refused(
            fresh(prototype), verb, unknown, ValueError, "classes must be passed"
        )


def wrong_values(prototype, name):
    """List what a parameter refuses, with the errors: by docstring and by table."""
    doc = ClassDoc(type(prototype))["Parameters"]
    [spec] = [entry.type for entry in doc if name in names([entry])]
    return refused(spec) + BAD_PARAMS.get(name, [])


def check_parameters(prototype, make):
    """Check that wrong values of each parameter are refused; the verbs take turns."""
    for name in names(ClassDoc(type(prototype))["Parameters"]):
        if name in THEIRS:
            continue
        wrong = wrong_values(prototype, name)
        assert wrong
        learner = make(prototype)
        for n, (value, error) in enumerate(wrong):
            learner.set_params(**{name: value})
            for verb in ALL if explores() else [ALL[n % len(ALL)]]:
                check_refused(learner, verb, GOOD, error, name)


@each_default
def test_bad_parameters(prototype):
    check_parameters(prototype, fresh)


@each_way_in
def test_bad_parameters_of_a_learner_that_was_taught(prototype):
    check_parameters(prototype, begun)


#: What has parameters and is no learner.
OTHERS = {
    make_twonorm: FunctionDoc,
    make_low_noise: FunctionDoc,
    make_outlier_line: FunctionDoc,
    BatchMarginLossClassifier: ClassDoc,
    DecisionStumpClassifier: ClassDoc,
}


@pytest.mark.parametrize("item", OTHERS, ids=lambda item: item.__name__)
def test_bad_parameters_of_generators_and_models(item):
    for entry in OTHERS[item](item)["Parameters"]:
        name = entry.name
        for value, error in refused(entry.type) + BAD_PARAMS.get(name, []):
            if name in THEIRS or (item, value) == (make_low_noise, np.inf):
                continue  # an infinite alpha is a margin
            with pytest.raises(error, match=name):
                item(**{name: value}).fit(X, y)


@each_way_in
@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"limit": -1}, ValueError, "limit"),
        ({"limit": 1.5}, TypeError, "limit"),
        ({"candidates": [50]}, ValueError, r"\[0, 50\)"),
        ({"candidates": [-1]}, ValueError, r"\[0, 50\)"),
        ({"candidates": [1, 1]}, ValueError, "more than once"),
        ({"candidates": [2**63]}, ValueError, "must be row numbers"),
        ({"candidates": ["a"]}, ValueError, "row numbers"),
        ({"exclude": [0.5]}, ValueError, "row numbers"),
        ({"candidates": [[1]]}, ValueError, "1-D"),
        ({"candidates": [0.5]}, ValueError, "row numbers"),
        ({"exclude": np.ones(49, dtype=bool)}, ValueError, "mask for the 50 rows of X"),
        ({"return_probability": 1}, TypeError, "return_probability"),
    ],
)
def test_bad_arguments_of_query(prototype, arguments, error, words):
    learner = begun(prototype)
    before = frozen(vars(learner))
    with pytest.raises(error, match=words):
        learner.query(X, **arguments)
    if {"candidates", "exclude"} & arguments.keys():
        with pytest.raises(error, match=words):
            learner.learn(X, pytest.fail, **arguments)
    assert frozen(vars(learner)) == before


@each_way_in
def test_other_feature_names(prototype):
    learner = fresh(prototype).fit(pd.DataFrame(X, columns=list("abc")), y)
    other = {**GOOD, "X": pd.DataFrame(X, columns=list("abd"))}
    for verb in LATER:
        check_refused(learner, verb, other, ValueError, "feature names")


@pytest.mark.parametrize("container", [np.asarray, csr_array])
@pytest.mark.parametrize("verb", ALL)
@pytest.mark.parametrize("row", [0, 31, 49])
def test_the_row_that_holds_nan_is_named(container, verb, row):
    learner = fresh(DEFAULTS[0])
    bad = {**GOOD, "X": with_value(np.nan, container, row)}
    words = rf"X \(row {row}\) contains NaN"
    check_refused(learner, verb, bad, ValueError, words)


def rows_with(learners, names, has):
    """Parametrise by the pairs of a learner and a name that belong together."""
    return [
        pytest.param(prototype, name, id=f"{name_of(prototype)}-{name}")
        for prototype in learners
        for name in names
        if has(prototype, name)
    ]


def has_parameter(prototype, name):
    return name in prototype.get_params(deep=False)


@each_default
def test_who_predicts_without_labels_is_told_to_teach(prototype):
    learner = fresh(prototype)
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(learner, method):
            with pytest.raises(NotFittedError, match=r"no labels yet.*teach\("):
                getattr(learner, method)(X)


@each_default
def test_prediction_refuses_bad_rows(prototype):
    learner = begun(prototype)
    bad = with_value(np.nan), with_value(np.inf, csr_array), X[:, :2], X[0]
    for verb in ("predict", "decision_function", "predict_proba"):
        for rows in bad if hasattr(learner, verb) else ():
            with pytest.raises(ValueError, match=r"X|feature|array"):
                getattr(learner, verb)(rows)


@pytest.mark.parametrize("estimator", [StandardScaler(), LogisticRegression, "svc"])
def test_prediction_refuses_another_estimator_that_is_no_classifier(estimator):
    learner = MinMarginClassifier(LogisticRegression()).teach(X, y)
    with pytest.raises(TypeError, match=r"estimator must be (a classifier|an inst)"):
        learner.set_params(estimator=estimator).predict(X)


@pytest.mark.parametrize(
    ("prototype", "name"),
    rows_with(
        STREAM_DEFAULTS,
        ["budget", "patience", "R", "n_warm_start", "m", "max_stored"],
        has_parameter,
    ),
)
def test_a_number_beyond_all_rows_is_no_limit(prototype, name):
    unlimited = fresh(prototype, **{name: 10**9}).fit(X, y)
    huge = fresh(prototype, **{name: 10**30}).fit(X, y)
    assert huge.queried_indices_.tolist() == unlimited.queried_indices_.tolist()


@pytest.mark.parametrize(
    ("prototype", "name"),
    rows_with(
        STREAM_DEFAULTS, ["average", "fit_intercept", "normalize"], has_parameter
    ),
)
def test_weights_cannot_be_read_in_another_way(prototype, name):
    learner = fresh(prototype).fit(X, y)
    learner.set_params(**{name: not getattr(learner, name)})
    before = frozen(vars(learner))
    for verb in LATER:
        with pytest.raises(ValueError, match=f"^{name} cannot change from .* fit"):
            VERBS[verb](learner, **GOOD)
    for method in ("predict", "decision_function"):
        with pytest.raises(ValueError, match=f"^{name} cannot change from .* fit"):
            getattr(learner, method)(X)
    assert frozen(vars(learner)) == before
    learner.fit(X, y).predict(X)
