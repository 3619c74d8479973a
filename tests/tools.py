"""What the property tests share: fresh learners, their state, random streams."""

import pickle

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import issparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone

LABELS = [[0, 1], [-1, 1], ["no", "yes"], [3, 5, 9], ["a", "b", "c", "d"]]


def problem(n_rows, n_features, noise=0.0):
    """Return random rows, and labels "no" and "yes" that follow the first column."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n_rows, n_features))
    return X, np.where(X[:, 0] + noise * rng.standard_normal(n_rows) > 0, "yes", "no")


def fresh(prototype, **params):
    """Return an unfitted copy whose coins are known."""
    return clone(prototype).set_params(**{"random_state": 0, **params})


def state(learner):
    """Return all that a learner knows, comparable with `==`, bit for bit.

    Left out are parameters and `queried_indices_`, which counts in the X of a call.
    """
    known = set(vars(learner)) - set(learner.get_params()) - {"queried_indices_"}
    return {name: frozen(vars(learner)[name]) for name in known}


def frozen(value):
    """Return something that is equal only for values with the same bits."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if issparse(value):
        return frozen([value.data, value.indices, value.indptr, value.shape])
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, frozen(value.__getstate__())
    if type(value).__module__.startswith("sklearn.") and not callable(value):
        return pickle.dumps(value)  # compiled parts of an estimator
    return value


def with_int64_indices(X):
    """Return a CSR matrix whose index arrays are the long ones."""
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def group_of(learner):
    """Return how many rows a stream learner looks at before it decides."""
    return learner.get_params().get("m", 1)


def by_row(learner, X, y, classes):
    """Offer a stream group by group; return the learner and its purchases."""
    purchases = []
    for i in range(0, len(X), group_of(learner)):
        chunk = slice(i, i + group_of(learner))
        rows = learner.query(X[chunk])
        learner = pickle.loads(pickle.dumps(learner))
        learner.teach(X[chunk][rows], y[chunk][rows], classes=classes)
        learner = pickle.loads(pickle.dumps(learner))
        purchases += (i + rows).tolist()
    return learner, purchases


def by_pool(learner, X, y, classes, candidates=None):
    """Offer a pool until nothing is wanted; return the same."""
    purchases = []
    while len(rows := learner.query(X, candidates=candidates)):
        learner = pickle.loads(pickle.dumps(learner))
        learner.teach(X[rows], y[rows], classes=classes)
        learner = pickle.loads(pickle.dumps(learner))
        purchases += rows.tolist()
    return learner, purchases


def responses(learner, X):
    """Return all that a learner predicts."""
    names = ("predict", "decision_function", "predict_proba")
    return [getattr(learner, name)(X) for name in names if hasattr(learner, name)]


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


class AnswerSheet:
    """An oracle that remembers what it was asked.

    Parameters
    ----------
    y : array
        The label of every row.
    """

    def __init__(self, y):
        self.y = np.asarray(y)
        self.asked = []

    def __call__(self, rows):
        self.asked += rows.tolist()
        return self.y[rows]


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
