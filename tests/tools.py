"""What the property tests share: random streams, a quick model, `testing`'s tools."""

import builtins
import pickle
import tracemalloc

import numpy as np
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_activelearn.evaluation import LabelCurve
from sklearn_activelearn.sources._containers import take
from sklearn_activelearn.testing._guarantees import (
    RecordingOracle,
    fresh,
    frozen,
    loop_over_pool,
    loop_over_stream,
    responses,
    state,
)

__all__ = [
    "NaiveBayes",
    "RecordingOracle",
    "all_verbs",
    "curve_of",
    "fresh",
    "frozen",
    "group_of",
    "loop_over_pool",
    "loop_over_stream",
    "problem",
    "responses",
    "state",
    "streams",
    "with_int64_indices",
]

LABELS = [[0, 1], [-1, 1], ["no", "yes"], [3, 5, 9], ["a", "b", "c", "d"]]


def problem(n_rows, n_features, noise=0.0):
    """Return random rows, and labels "no" and "yes" that follow the first column."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n_rows, n_features))
    return X, np.where(X[:, 0] + noise * rng.standard_normal(n_rows) > 0, "yes", "no")


def curve_of(
    n_labels, scores, n_bought=None, final_scores=None, runs=None, constant=None
):
    """Return a label curve; a fifth of the 500 rows of each run is held out."""
    scores = np.array(scores, dtype=float)
    n_runs = len(scores)
    others = [] if constant is None else [np.full(n_runs, constant)]
    return LabelCurve(
        np.array(n_labels), scores,
        np.full(n_runs, n_labels[-1]) if n_bought is None else np.array(n_bought),
        scores[:, -1] if final_scores is None else np.array(final_scores),
        np.full(n_runs, 400), np.full(n_runs, 100),
        np.arange(n_runs).astype(str) if runs is None else np.array(runs),
        "accuracy", 1.0, *others,
    )  # fmt: skip


def peak_memory(call):
    """Return the bytes that a call takes at most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def hide_package(monkeypatch, package):
    """Make a package impossible to import."""
    real = builtins.__import__

    def fake(name, *args, **kwargs):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fake)


def with_int64_indices(X):
    """Return a CSR matrix whose index arrays are the long ones."""
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def group_of(learner):
    """Return how many rows a stream learner looks at before it decides."""
    return learner.get_params().get("m", 1)


def all_verbs(learner, X, y, classes=None):
    """Return calls of all verbs that take rows."""
    return (
        lambda: learner.fit(X, y),
        lambda: learner.partial_fit(X, y, classes),
        lambda: learner.query(X),
        lambda: learner.teach(X, y, classes),
        lambda: learner.learn(X, RecordingOracle(y), classes),
    )


def go_through_verbs(learner, X, y, ids=None):
    """Go through every verb; return what came back, and the learner."""
    n, classes, log, asked = len(X), np.unique(y), [], set()

    def rows_and_ids(rows):
        return take(X, rows), {} if ids is None else {"ids": [ids[i] for i in rows]}

    def teach(rows):
        some, named = rows_and_ids(rows)
        learner.teach(some, y[rows], classes=classes, **named)

    for start in (0, n // 2, n // 2):
        is_stream = not hasattr(learner, "correct")
        offered = np.arange(start, start + n // 2) if is_stream else np.arange(n)
        part, named = rows_and_ids(offered)
        rows, chances = learner.query(part, return_probability=True, **named)
        log += [offered[rows], chances, learner.pending(part, **named)]
        asked.update(offered[rows].tolist())
        now, late = offered[rows][::2][::-1], offered[rows][1::2]
        if len(now):
            teach(now)
        if len(late):
            some, named = rows_and_ids(late[:1])
            learner.skip(some, refund=True, **named)
            teach(late[1:])
        learner = pickle.loads(pickle.dumps(learner))
    if not is_stream and len(now):
        some, named = rows_and_ids(now[:1])
        wrong = classes[(np.searchsorted(classes, y[now[:1]]) + 1) % len(classes)]
        learner.correct(some, wrong, **named)
    if 3 not in asked:
        teach(np.array([3]))
    _, named = rows_and_ids(range(n))
    learner.learn(X, lambda rows: y[rows], classes, exclude=[0], **named)
    return [*log, learner.queried_indices_, *responses(learner, X)], learner


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Bernoulli naive Bayes: a model trained in no time, with weights and in parts.

    Pool learners train a hundred times in a test, and most of the time of
    scikit-learn's models for so few rows is the validation of their input.

    Parameters
    ----------
    alpha : float > 0
        What is added to each count.
    """

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # it sees signs only
        return tags

    def fit(self, X, y, sample_weight=None):
        vars(self).pop("classes_", None)
        return self.partial_fit(X, y, np.unique(y), sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "classes_"):
            self.classes_, self.n_features_in_ = np.asarray(classes), X.shape[1]
            self.counts_ = np.zeros((len(self.classes_), X.shape[1]))
            self.totals_ = np.zeros(len(self.classes_))
        weight = 1.0 if sample_weight is None else sample_weight
        weights = (self.classes_[:, None] == np.asarray(y)) * weight
        self.counts_ += weights @ (X > 0)
        self.totals_ += weights.sum(axis=1)
        return self

    def predict_proba(self, X):
        rates = (self.counts_ + self.alpha) / (self.totals_ + 2 * self.alpha)[:, None]
        prior = np.log(self.totals_ + 1e-9) + np.log1p(-rates).sum(axis=1)
        return softmax((X > 0) @ (np.log(rates) - np.log1p(-rates)).T + prior, axis=1)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@st.composite
def streams(draw, min_rows=2, max_rows=24, min_features=1, values=3, zeros=0.0):
    """Draw rows of whole numbers up to `values` and labels that mostly follow them.

    Small numbers make ties, repeated rows and rows of zeros. Large ones make a
    tie so unlikely that rounding decides nothing. `zeros` is the share of
    entries that are set to 0.
    """
    n_rows = draw(st.integers(min_rows, max_rows), label="n_rows")
    n_features = draw(st.integers(min_features, min_features + 6), label="n_features")
    labels = np.array(draw(st.sampled_from(LABELS), label="labels"))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1), label="seed"))
    X = rng.randint(-values, values + 1, size=(n_rows, n_features)).astype(float)
    X[rng.uniform(size=X.shape) < zeros] = 0.0
    noise = rng.standard_normal((n_rows, len(labels)))
    teacher = rng.standard_normal((n_features, len(labels)))
    codes = (X @ teacher / values + noise).argmax(axis=1)
    codes[:2] = 0, 1  # a stream holds two classes or more
    return X, labels[codes]
