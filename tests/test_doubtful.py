"""Labels to look at twice: their order, and what a session makes of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    CBGZClassifier,
    MinMarginClassifier,
    QueryByBoostingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import doubtful_labels
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.session_files import n_answers, select

X, CODES = make_blobs(90, 2, centers=3, cluster_std=1.0, random_state=4)
NAMES = np.array(["ant", "bee", "cat"])
WRONG = [7, 40, 61]
Y = NAMES[CODES]
Y[WRONG] = NAMES[(CODES[WRONG] + 1) % 3]


def by_hand(scores, y, classes, *, has_probabilities):
    """Return the numbers of the rows in the order of their confidence, and that."""
    pairs = []
    for row, (values, label) in enumerate(zip(scores, y, strict=True)):
        by_class = dict(zip(classes, values, strict=True))
        own = by_class.pop(label)
        pairs.append((own if has_probabilities else own - max(by_class.values()), row))
    return zip(*sorted(pairs), strict=True)


@settings(max_examples=settings.default.max_examples // 2)
@given(seed=st.integers(0, 2**32 - 1), n_folds=st.integers(2, 6))
def test_the_order_is_that_of_the_probabilities_out_of_fold(seed, n_folds):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(90)[:60]
    y = np.where(rng.random(60) < 0.2, rng.choice(NAMES, 60), NAMES[CODES[rows]])
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    scores = cross_val_predict(
        GaussianNB(), X[rows], y, cv=folds, method="predict_proba"
    )
    found = doubtful_labels(GaussianNB(), X[rows], y, cv=folds)
    confidence, order = by_hand(scores, y, NAMES, has_probabilities=True)
    assert found.indices.tolist() == list(order)
    np.testing.assert_array_equal(found.confidence, confidence)
    expected = NAMES[scores.argmax(axis=1)][found.indices]
    np.testing.assert_array_equal(found.predicted, expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_probabilities_the_margin_counts(n_classes):
    names, is_kept = NAMES[:n_classes], n_classes > CODES
    rows, y = X[is_kept], np.where(np.isin(Y, names), Y, names[0])[is_kept]
    folds, model = StratifiedKFold(3), LinearSVC(random_state=0)
    scores = cross_val_predict(model, rows, y, cv=folds, method="decision_function")
    if n_classes == 2:
        scores = np.column_stack([-scores, scores])
    found = doubtful_labels(model, rows, y, cv=folds)
    confidence, order = by_hand(scores, y, names, has_probabilities=False)
    assert found.indices.tolist() == list(order)
    np.testing.assert_allclose(found.confidence, confidence, rtol=1e-12)
    is_doubted = found.predicted != y[found.indices]
    np.testing.assert_array_equal(is_doubted, found.confidence < 0)


def test_wrong_labels_come_first():
    found = doubtful_labels(GaussianNB(), X, Y, random_state=0)
    assert sorted(found.indices[:3].tolist()) == WRONG
    np.testing.assert_array_equal(found.predicted[:3], NAMES[CODES[found.indices[:3]]])
    assert (np.diff(found.confidence) >= 0).all()


def test_folds_of_the_user():
    model = GaussianNB()
    some = doubtful_labels(model, X, Y, cv=ShuffleSplit(1, random_state=0))
    assert len(some.indices) == 9  # the others were never held out
    ((train, test),) = ShuffleSplit(1, random_state=0).split(X)
    fitted = GaussianNB().fit(X[train], Y[train])
    assert sorted(some.indices.tolist()) == sorted(test.tolist())
    codes = np.searchsorted(NAMES, Y[some.indices])
    expected = fitted.predict_proba(X[some.indices])[range(9), codes]
    np.testing.assert_allclose(some.confidence, expected)
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    splits = list(folds.split(X, Y))
    halves = [doubtful_labels(model, X, Y, cv=splits[k : k + 3]) for k in (0, 3)]
    both = doubtful_labels(model, X, Y, cv=folds)
    mean = np.mean([half.confidence[np.argsort(half.indices)] for half in halves], 0)
    np.testing.assert_allclose(both.confidence[np.argsort(both.indices)], mean)


@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()])
def test_the_only_label_of_a_class_comes_first(model):
    y = Y.copy()
    y[10] = "cow"
    found = doubtful_labels(model, X, y, random_state=0)
    if isinstance(model, GaussianNB):
        assert found.indices[0] == 10
        assert found.confidence[0] == 0
    assert 10 in found.indices[:4]
    two = doubtful_labels(model, X[:30], np.arange(30) == 8, random_state=0)
    assert two.indices[0] == 8  # a fold is trained on one class


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y": ["ant"] * 90}, ValueError, "one class, 'ant'"),
        ({"y": np.ones((90, 3), int)}, ValueError, "y has 3 columns"),
        ({"y": Y[:-1]}, ValueError, "inconsistent numbers of samples"),
        ({"estimator": KMeans()}, TypeError, "predict_proba or decision_function, got"),
        ({"cv": 1}, ValueError, "n_splits=1"),
    ],
)
def test_bad_input(change, error, message):
    arguments = {"estimator": GaussianNB(), "X": X, "y": Y, **change}
    with pytest.raises(error, match=message):
        doubtful_labels(**arguments)


# --- of a session


def opened(path, learner=None, **options):
    if learner is None:
        learner = UncertaintySamplingClassifier(
            GaussianNB(), batch_size=10, random_state=0
        )
    ids = [f"row {i}" for i in range(90)]
    return LabelingSession(learner, X, path, ids=ids, classes=NAMES.tolist(), **options)


def label_all(session, *, n):
    for _ in range(n):
        id = session.next()
        session.label(id, str(Y[int(id[4:])]))


def test_a_session_names_its_doubtful_rows_and_changes_nothing(path):
    names = [f"row {i}" for i in WRONG]
    with opened(path, test_size=5) as session:
        label_all(session, n=90)
        session.next()
        before, status = n_answers(path), session.status()
        found = session.doubtful(3)
        assert sorted(found) == sorted(names)
        assert session.doubtful(4)[:3] == found
        assert len(session.doubtful(200)) == 90  # held-out rows, too
        assert len(session.doubtful()) == 20
        assert n_answers(path) == before
        assert session.status() == status
        for name in names:
            session.label(name, str(NAMES[CODES[int(name[4:])]]))
        assert not set(session.doubtful(3)) & set(names)
        first = session.doubtful(1)[0]
        session.label(first, str(Y[int(first[4:])]), "ann", final=True)
        assert len(session.doubtful(200)) == 89
        assert first not in session.doubtful(200)


def test_the_model_of_the_learner_is_trained(path):
    learner = MinMarginClassifier(LinearSVC(C=0.1), random_state=0)
    with opened(path, learner) as session:
        label_all(session, n=40)
        session.next()
        session.skip(session.next())
        rows = [int(id[4:]) for id in select(session, "SELECT id FROM labels")][:40]
        model = session.learner.estimator_
        expected = doubtful_labels(model, X[rows], Y[rows], random_state=0)
        ids = [f"row {rows[i]}" for i in expected.indices]
        assert session.doubtful(100) == ids
        other = GaussianNB()
        expected = doubtful_labels(other, X[rows], Y[rows], random_state=0)
        ids = [f"row {rows[i]}" for i in expected.indices]
        assert session.doubtful(100, estimator=other) == ids


@pytest.mark.parametrize(
    "learner",
    [
        CBGZClassifier(b=5.0, random_state=0),
        QueryByBoostingClassifier(n_estimators=2, random_state=0),
    ],
)
def test_what_has_no_such_model_needs_an_estimator(path, learner):
    with opened(path, learner) as session:
        with pytest.raises(ValueError, match="once two classes have labels"):
            session.doubtful()
        label_all(session, n=25)
        session.next()
        with pytest.raises(ValueError, match=r"Pass a classifier to train: estimator="):
            session.doubtful()
        assert len(session.doubtful(50, estimator=GaussianNB())) == 25


def test_too_early_or_too_few(path):
    with opened(path) as session:
        for n in (0, -1, 1.5, None):
            with pytest.raises((ValueError, TypeError), match="n "):
                session.doubtful(n)
        session.label("row 1", "ant")
        with pytest.raises(ValueError, match="once two classes have labels"):
            session.doubtful()
        session.label("row 2", "bee")
        with pytest.raises(ValueError, match="There is no model yet"):
            session.doubtful()
    with pytest.raises(ValueError, match="closed"):
        session.next()


def test_few_labels_have_few_folds():
    found = doubtful_labels(LogisticRegression(), np.eye(4), [0, 0, 1, 1])
    assert sorted(found.indices) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="No label can be held out"):
        doubtful_labels(LogisticRegression(), np.eye(3), [0, 1, 2])
