"""What a row is worth: higher is bought sooner. One small function for each.

They answer for many rows at once and know no learner. A utility of a
committee gets the answers of all members.
"""

from functools import partial, reduce

import numpy as np
from scipy.special import entr, rel_entr, softmax

from .._labels import encode
from ..sources._source import PADDED

#: Up to so many, the two highest scores are found class by class: to sort each of many
#: short rows takes longer.
FEW_CLASSES = 32


def smallest_margin(scores):
    """Minus the distance to the boundary, or minus the gap between the top two.

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


def small_gap(logits):
    """1 minus the gap between the two highest probabilities.

    Parameters
    ----------
    logits : ndarray of shape (n_samples, n_classes)
        Whose softmax are probabilities.
    """
    ordered = np.sort(softmax(logits, axis=1), axis=1)
    # 1 less the highest, to the last digit
    return ordered[:, :-1].sum(axis=1) + ordered[:, -2]


def least_confident(probabilities):
    """1 minus the probability of the most probable class."""
    return 1 - reduce(np.maximum, probabilities.T)  # quicker than along short rows


def entropy(probabilities):
    """Entropy of the class probabilities, in nats."""
    return entr(probabilities).sum(axis=1)


def log_odds(probabilities, column):
    """Logarithm of the probability of a class less that of all others.

    It tells rows apart whose probability rounds to 1.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
        Of the classes.
    column : int
        Of the class.
    """
    others = np.delete(probabilities, column, axis=1).sum(axis=1)
    least = np.finfo(np.float64).tiny
    both = np.maximum([probabilities[:, column], others], least)
    return np.subtract(*np.log(both))


def vote_entropy(votes, weights):
    """Entropy of the weighted votes.

    Parameters
    ----------
    votes : ndarray of shape (n_members, n_samples, n_classes)
        1 for the class that a member predicts, 0 for the others.
    weights : ndarray of shape (n_members,)
        Positive, of sum 1.
    """
    return entropy(np.tensordot(weights, votes, axes=1))


def consensus_kl(probabilities, weights):
    """Mean divergence of the members from their weighted mean.

    Parameters
    ----------
    probabilities : ndarray of shape (n_members, n_samples, n_classes)
        Class probabilities of each member.
    weights : ndarray of shape (n_members,)
        Of sum 1. Members of weight 0 are not heard.
    """
    heard = weights > 0
    probabilities, weights = probabilities[heard], weights[heard]
    consensus = np.tensordot(weights, probabilities, axes=1)
    # a share of the smallest number there is rounds to 0, and the divergence to inf
    consensus = np.maximum(consensus, np.finfo(np.float64).tiny)
    return np.tensordot(weights, rel_entr(probabilities, consensus).sum(axis=2), axes=1)


def own_utility(name, values, n_samples):
    """Return what a function of the user's made of so many rows, or refuse it."""
    values = np.asarray(values)
    if values.shape != (n_samples,) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must return one number for each of {n_samples} rows, got an array "
            f"of shape {values.shape} and dtype {values.dtype}."
        )
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} returned {values[row]} for row {row} of {n_samples}.")
    return values if values.dtype.kind == "f" else values.astype(np.float64)


#: By the names that `UncertaintySamplingClassifier` takes; of probabilities.
MEASURES = {
    "least_confident": least_confident,
    "margin": smallest_margin,
    "entropy": entropy,
}


def of_padded(answer, X):
    """Return ``answer(X)``, where a row has the same whichever rows come with it.

    That holds for products of matrices, on most machines, as far as 16 rows at a time
    are alike.
    """
    n_more = -len(X) % PADDED if isinstance(X, np.ndarray) and len(X) else 0
    if not n_more:
        return answer(X)
    return answer(np.append(X, np.repeat(X[-1:], n_more, axis=0), axis=0))[: len(X)]


def scores_of(model, X):
    """Return the decision values: one for each class, or one in all for two."""
    scores, n_classes = model.decision_function(X), len(model.classes_)
    if scores.shape[1:] != (n_classes,) and (scores.ndim > 1 or n_classes != 2):
        raise ValueError(
            f"{model} has decision values of shape {scores.shape} for {n_classes} "
            "classes; they must have a column for each class. Wrap it in "
            "sklearn.multiclass.OneVsRestClassifier."
        )
    return scores


def score_of_class(model, X, column):
    """Return how much a model takes rows to be of the class in this place.

    The decision value; the logarithm of the odds if it has none, or if it has
    probabilities of more than two classes.
    """
    has_scores = hasattr(model, "decision_function")
    if not has_scores or (len(model.classes_) > 2 and hasattr(model, "predict_proba")):
        return log_odds(probabilities_of(model, X), column)
    scores = of_padded(partial(scores_of, model), X)
    if scores.ndim == 1:
        return scores if column else -scores
    return scores[:, column]


def votes_of(member, X):
    """Return 1 for the predicted class, 0 for the others."""
    return (of_padded(member.predict, X)[:, None] == member.classes_).astype(float)


def probabilities_of(member, X):
    """Return the class probabilities."""
    return of_padded(member.predict_proba, X)


#: By the names that `QueryByCommitteeClassifier` takes: the disagreement, what it
#: asks each member, and the method a member needs for that.
DISAGREEMENTS = {
    "vote_entropy": (vote_entropy, votes_of, "predict"),
    "consensus_kl": (consensus_kl, probabilities_of, "predict_proba"),
}


#: Probabilities are not below this when their logarithm is taken.
EPS = np.finfo(np.float64).eps


def log_loss(codes, probabilities):
    """Minus the logarithm of the probability of the right class."""
    return -np.log(np.maximum(probabilities[np.arange(len(codes)), codes], EPS))


def brier_loss(codes, probabilities):
    """Squared distance of the probabilities from those that know the class."""
    right = probabilities[np.arange(len(codes)), codes]
    return (probabilities**2).sum(axis=1) + 1 - 2 * right


#: By the names that `ALMSClassifier` takes; with "neg_", of scores.
LOSSES = {"log_loss": log_loss, "brier": brier_loss}


def checked_loss_values(loss, codes, probabilities):
    """Return what a user's loss says, if that is a finite number for each row."""
    losses = np.asarray(loss(codes, probabilities), dtype=np.float64)
    if losses.shape != codes.shape:
        raise ValueError(
            f"loss must return one number for each of {len(codes)} rows, got shape "
            f"{losses.shape}."
        )
    if not np.isfinite(losses).all():
        row = np.argmin(np.isfinite(losses))
        raise ValueError(
            f"loss must be finite, got {losses[row]} for class {codes[row]} and "
            f"probabilities {probabilities[row].tolist()}."
        )
    return losses


def loss_of(loss):
    """Return the loss of this name, or the user's own, checked."""
    return partial(checked_loss_values, loss) if callable(loss) else LOSSES[loss]


def probabilities_of_all(model, X, classes):
    """Return class probabilities with a column for every class, 0 where unknown."""
    p = model.predict_proba(X)
    if len(model.classes_) == len(classes):
        return p
    out = np.zeros((len(p), len(classes)))
    out[:, encode(model.classes_, classes)] = p
    return out
