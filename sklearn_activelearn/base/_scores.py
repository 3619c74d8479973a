"""Scores, probabilities and votes of trained classifiers, and their uncertainty."""

from functools import partial, reduce

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import entr, log_softmax, logit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer, hamming_loss, make_scorer

from ..sources._containers import n_rows
from ..sources._source import PADDED
from ._labels import encode
from ._parameters import has_method

#: Up to this number of classes the two highest scores are found class by class, which
#: is quicker than sorting many short rows.
FEW_CLASSES = 32

#: Logarithms of probabilities are taken of no smaller number.
SMALLEST = 1e-12

#: Bound of the logarithm of a temperature.
WIDEST = 10.0


#: Measures of several labels for a row, for messages.
LABEL_SET_SCORES = (
    "f1_micro, f1_macro, accuracy (all labels of a row are right) or neg_hamming_loss"
)


class WrongForm(ValueError):
    """An answer of the user's function or class that has a wrong form."""


class KnownPredictions(ClassifierMixin, BaseEstimator):
    """Stand-in for a model of which only the predictions are known, for scorers.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Predictions of the rows that it is asked for.
    classes : array-like
        All classes, or all labels.
    """

    def __init__(self, y, classes):
        self.y, self.classes = y, classes
        self.classes_ = classes

    def fit(self, X, y):
        return self

    def predict(self, X):
        if n_rows(X) != len(self.y):
            raise ValueError(
                f"The scorer must predict all {len(self.y)} rows at once, but it "
                f"predicts {n_rows(X)} rows."
            )
        return self.y


def of_padded(answer, X):
    """Return ``answer(X)``, independent of the number of rows.

    Products of matrices give a row the same bits on most machines if the number of rows
    is a multiple of 16.
    """
    n_more = -len(X) % PADDED if isinstance(X, np.ndarray) and len(X) else 0
    if not n_more:
        return answer(X)
    return answer(np.append(X, np.repeat(X[-1:], n_more, axis=0), axis=0))[: len(X)]


def predict_labels(model, X):
    """Return the predicted labels, also of a model that predicts a column of them."""
    labels = np.asarray(model.predict(X))
    if labels.ndim == 2 and labels.shape[1] == 1:
        return labels[:, 0]
    return labels if labels.ndim == 1 else labels.astype(np.int64)  # of label sets


def scores_of(model, X):
    """Return the decision values: one for each class, or one in all for two classes."""
    scores, n_classes = model.decision_function(X), len(model.classes_)
    if scores.shape[1:] != (n_classes,) and (scores.ndim > 1 or n_classes != 2):
        raise WrongForm(
            f"{model} has decision values of shape {scores.shape} for {n_classes} "
            "classes; they must have a column for each class. Wrap it in "
            "sklearn.multiclass.OneVsRestClassifier."
        )
    return scores


def probabilities_of(model, X):
    """Return the class probabilities."""
    return of_padded(model.predict_proba, X)


def probabilities_of_all(model, X, classes):
    """Return class probabilities with a column for every class, 0 for unknown ones."""
    return spread_columns(model, model.predict_proba(X), classes, np.zeros(1))


def scores_of_all(model, X, classes):
    """Return decision values with a column for every class; unknown ones are lowest."""
    scores = scores_of(model, X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return spread_columns(model, scores, classes, scores.min(axis=1) - 1)


def spread_columns(model, values, classes, unknown):
    """Return the values of a model for these classes, also for ones that it lacks.

    Columns of classes that are not among these are left out: a model that was trained
    elsewhere may know more.
    """
    known = np.asarray(model.classes_)
    if np.array_equal(known, classes):
        return values
    is_wanted = np.isin(known, classes)
    unknown = np.broadcast_to(unknown, len(values))
    out = np.repeat(unknown[:, None], len(classes), axis=1)
    out[:, encode(known[is_wanted], classes)] = values[:, is_wanted]
    return out


def label_probabilities(model, X):
    """Return the probability that each label is present, for several labels a row.

    scikit-learn's models return an array, or an array of two columns for each label.
    """
    p = model.predict_proba(X)
    if isinstance(p, list):
        return np.column_stack([of_label[:, 1] for of_label in p])
    return np.asarray(p)


def label_scores(model, X):
    """Return the decision value of each label, positive if the label is present."""
    return np.asarray(model.decision_function(X))


def label_logits(model, X):
    """Return the log odds of each label, or the decision values as logits."""
    if logit_method_of(model) != "predict_proba":
        return label_scores(model, X)
    p = np.maximum(label_probabilities(model, X), SMALLEST)
    return np.log(p) - np.log(np.maximum(1 - p, SMALLEST))


def utility_of_label_sets(utility, no, yes):
    """Return for each row the highest utility of its labels.

    The mean over labels would prefer rows with many labels that are a little uncertain:
    on texts it is worse than random rows.

    Parameters
    ----------
    utility : callable
        Utility of rows of two columns, for a label that is missing and is present.
    no, yes : ndarray of shape (n_samples, n_labels)
        The two columns of each label.
    """
    pairs = np.stack([no, yes], axis=2).reshape(-1, 2)
    return np.asarray(utility(pairs)).reshape(yes.shape).max(axis=1)


def score_of_class(model, X, column):
    """Return how strongly a model takes rows to be of the class with this column.

    The score is the decision value. It is the logarithm of the odds if the model has no
    decision values, or if it has probabilities of more than two classes.
    """
    has_scores = hasattr(model, "decision_function")
    if not has_scores or (len(model.classes_) > 2 and hasattr(model, "predict_proba")):
        # unlike a probability it tells rows apart whose probability rounds to 1
        p = probabilities_of(model, X)
        both = p[:, column], np.delete(p, column, axis=1).sum(axis=1)
        return np.subtract(*np.log(np.maximum(both, np.finfo(np.float64).tiny)))
    scores = of_padded(partial(scores_of, model), X)
    if scores.ndim == 1:
        return scores if column else -scores
    return scores[:, column]


def score_method_of(estimator):
    """Return the name of the method that `score_of_class` needs."""
    has_scores = has_method(estimator, "decision_function")
    return "decision_function" if has_scores else "predict_proba"


def logits_of(model, X):
    """Return scores for each class whose softmax are probabilities."""
    if logit_method_of(model) == "predict_proba":
        return np.log(np.maximum(model.predict_proba(X), SMALLEST))
    scores = model.decision_function(X)
    return np.column_stack([0 * scores, scores]) if scores.ndim == 1 else scores


def logit_method_of(model):
    """Return the name of the method that `logits_of` needs."""
    has_probabilities = has_method(model, "predict_proba")
    return "predict_proba" if has_probabilities else "decision_function"


def smallest_margin(scores):
    """Return minus the distance to the boundary, or minus the gap of the top scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values or probabilities.
    """
    if scores.ndim == 1:
        return -np.abs(scores)
    if scores.shape[1] > FEW_CLASSES:
        top = np.partition(scores, -2, axis=1)
        return top[:, -2] - top[:, -1]
    first, other, *others = scores.T
    second, top = np.minimum(first, other), np.maximum(first, other)
    for other in others:
        second = np.maximum(second, np.minimum(top, other))
        top = np.maximum(top, other)
    return second - top


def least_confident(probabilities):
    """Return 1 minus the probability of the most probable class."""
    return 1 - reduce(np.maximum, probabilities.T)  # quicker than along short rows


def entropy(probabilities):
    """Return the entropy of the class probabilities, in nats."""
    return entr(probabilities).sum(axis=1)


def uncertainty_of_logits(logits):
    """Return 1 minus the gap of the two highest probabilities.

    Parameters
    ----------
    logits : ndarray of shape (n_samples, n_classes)
        Scores whose softmax are the probabilities.
    """
    ordered = np.sort(softmax(logits, axis=1), axis=1)
    # the sum of the others is more exact than 1 minus the highest
    return ordered[:, :-1].sum(axis=1) + ordered[:, -2]


def uncertainty_of_labels(logits, model):
    """Return the highest uncertainty of the labels of each row.

    Parameters
    ----------
    logits : ndarray of shape (n_samples, n_labels)
        Log odds of the labels.
    model : classifier
        A label is uncertain near its threshold, if the model has `thresholds_`.
    """
    thresholds = getattr(model, "thresholds_", None)
    if thresholds is not None:
        is_proper = (thresholds > 0) & (thresholds < 1)
        logits = logits - logit(np.where(is_proper, thresholds, 0.5))
    return utility_of_label_sets(uncertainty_of_logits, 0 * logits, logits)


def find_scorer(scoring):
    """Return the scorer of scikit-learn with this name, or a scorer itself.

    "neg_hamming_loss" is a name of this package.

    Parameters
    ----------
    scoring : str or callable
        Name of a scorer, or ``scorer(estimator, X, y)``.

    Raises
    ------
    ValueError
        For an unknown name, a measure that is no scorer, and other objects.
    """
    if scoring == "neg_hamming_loss":
        return make_scorer(hamming_loss, greater_is_better=False)
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if not callable(scoring):
        raise ValueError(f"scoring must be a name or a function, got {scoring!r}.")
    return check_scoring(None, scoring)


def fit_temperature(scores, weights=None):
    """Return the temperature with the highest posterior density.

    Parameters
    ----------
    scores : list of (ndarray of shape (n_rows, n_classes), ndarray of int)
        Logits of held-out rows, and the columns of their classes, for each fold.
    weights : list of ndarray of shape (n_rows,), optional
        Weights of the rows. None: all are 1.
    """

    def loss(log_temperature):
        parts = [
            log_softmax(logits / np.exp(log_temperature), axis=1)[
                np.arange(len(right)), right
            ]
            for logits, right in scores
        ]
        if weights is not None:
            parts = [w * part for w, part in zip(weights, parts, strict=True)]
        return log_temperature**2 / 2 - sum(part.sum() for part in parts)

    found = minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded")
    return float(np.exp(found.x))


def check_user_values(name, values, n_samples):
    """Return the values of a user's function as floats, one for each row."""
    values = np.asarray(values)
    if values.shape != (n_samples,) or values.dtype.kind not in "biuf":
        raise WrongForm(
            f"{name} must return one number for each of {n_samples} rows, got an array "
            f"of shape {values.shape} and dtype {values.dtype}."
        )
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise WrongForm(f"{name} returned {values[row]} for row {row} of {n_samples}.")
    return values if values.dtype.kind == "f" else values.astype(np.float64)
