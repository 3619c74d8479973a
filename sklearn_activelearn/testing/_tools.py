"""Copies, states and predictions of learners that can be compared bit for bit."""

import pickle

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone


def is_pool(learner):
    """Whether a learner takes a whole pool, and not a stream."""
    return learner._group is None


def fresh(prototype, **params):
    """Return an unfitted copy whose random numbers are known."""
    if "random_state" in prototype.get_params(deep=False):
        params = {"random_state": 0, **params}
    return clone(prototype).set_params(**params)


def state(learner):
    """Return all that a learner knows, comparable with `==`, bit for bit.

    Left out are parameters, `queried_indices_`, which counts in the X of a call, and
    what rows are recognised by.
    """
    known = set(vars(learner)) - set(learner.get_params())
    known -= {"queried_indices_", "_known_by", "_ids"}
    return {name: frozen(vars(learner)[name]) for name in known}


def frozen(value):
    """Return something that is equal only for values with the same bits."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return value.dtype.str, value.shape, frozen(value.ravel().tolist())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if issparse(value):
        return frozen([value.data, value.indices, value.indptr, value.shape])
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return pickle.dumps(value)
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, frozen(value.__getstate__())
    if type(value).__module__.startswith("sklearn.") and not callable(value):
        return pickle.dumps(value)  # compiled parts of an estimator
    return value


def responses(learner, X):
    """Return all that a learner predicts."""
    names = ("predict", "decision_function", "predict_proba")
    return [getattr(learner, name)(X) for name in names if hasattr(learner, name)]


def pickled(learner):
    """Return a learner that went through a pickle."""
    return pickle.loads(pickle.dumps(learner))


class AnswerSheet:
    """An oracle that remembers what it was asked.

    Parameters
    ----------
    y : array-like
        The label of every row.
    """

    def __init__(self, y):
        self.y = np.asarray(y)
        self.asked = []

    def __call__(self, rows):
        self.asked += rows.tolist()
        return self.y[rows]


def without_budget(learner):
    """Return a copy that no budget stops, as far as that can be set."""
    names = {"budget"} & set(learner.get_params(deep=False))
    return fresh(learner, **dict.fromkeys(names))


def unlimited(learner):
    """Return a copy that no budget and no rule stops, as far as that can be set."""
    names = {"budget", "stopping"} & set(learner.get_params(deep=False))
    return fresh(learner, **dict.fromkeys(names))
