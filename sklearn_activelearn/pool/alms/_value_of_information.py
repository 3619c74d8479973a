"""The value of a label for training the models, and for choosing one of them.

The candidate models come as one object, `RefittedModels` or `JointModels`. Its
``n_validation`` is the number v of validation rows, ``n_candidates`` the number of rows
whose label may be bought. Its methods train all models and return losses, whose first
axis has one entry for each of the m models:

- ``trained()``: trained on the training set; the losses on the validation set, shape
  (m, v), and the class probabilities of the candidates, (m, n_candidates, n_classes);
- ``without(pairs)``: trained without two validation rows each; the losses on these two
  rows, (m, n_pairs, 2);
- ``without_one(rows, guesses)``: trained without one validation row each; the losses on
  this row, (m, n_rows), and on the candidates with guessed labels,
  (m, n_rows, n_candidates);
- ``without_fold(rows)``: trained without some labelled rows; the losses on these rows,
  (m, n_rows);
- ``without_but_with(candidates, pairs, guesses)``: trained without two validation rows,
  but with one candidate; the losses on the two rows, (m, n_candidates, n_pairs, 2);
- ``entropies_with(candidates, code)``: trained on all labelled rows and one candidate,
  labelled as of this class; the mean entropy of the predictions for all candidates,
  (m, n_candidates).
"""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import softmax

from ...utils._statistics import lower_ends

#: Number of losses that are held in memory at a time.
BLOCK = 2**18


def model_probabilities(losses):
    """Return the probability that each model is the best (equation 3, scaled to sum 1).

    Parameters
    ----------
    losses : ndarray of shape (n_models, ...)
        Losses of the models.
    """
    n_models = len(losses)
    if n_models == 1:
        return np.ones_like(losses)
    return (1 - softmax(losses, axis=0)) / (n_models - 1)


def means_over_pairs(losses, weigh):
    """Return the means over all ordered pairs (i, j) of rows left out (equation 5).

    Parameters
    ----------
    losses : ndarray of shape (n_models, ..., n_pairs, 2)
        Losses on both rows of each pair.
    weigh : callable
        ``weigh(losses) -> probabilities`` of the models, equation 3.

    Returns
    -------
    probabilities, losses : ndarray of shape (n_models, ...)
        Mean probability of each model, found from row i, and its mean loss on row j.
    """
    both = (-2, -1)
    return weigh(losses).mean(axis=both), losses.mean(axis=both)


def draw_sorted(items, n_wanted, rng):
    """Draw `n_wanted` items without changing their order; None: take all."""
    if n_wanted is None or n_wanted >= len(items):
        return items
    return items[np.sort(rng.choice(len(items), n_wanted, replace=False))]


def divide(workers, method, items, *args):
    """Return the results of ``method(part, *args)``, for one part per worker."""
    n_parts = max(1, min(effective_n_jobs(workers.n_jobs), len(items)))
    parts = np.array_split(items, n_parts)
    return workers(delayed(method)(part, *args) for part in parts)


def values_of_information(models, weigh, n_pairs, n_jobs, rng):
    """Return the value of each candidate for training, and for choosing a model.

    Parameters
    ----------
    models : RefittedModels or JointModels
        The candidate models.
    weigh : callable
        ``weigh(losses) -> probabilities`` of the models, equation 3.
    n_pairs, n_jobs
        As for `ALMSClassifier`.
    rng : Generator
        Draws the pairs, and the same number of single rows.

    Returns
    -------
    training, selection : ndarray of shape (n_candidates,)
        Minus the expected loss of the chosen model: VOI_T and VOI_V.
    """
    losses, probabilities = models.trained()
    weights = weigh(lower_ends(losses))
    guesses = np.tensordot(weights, probabilities, axes=1).argmax(axis=1)
    left_out = draw_left_out(models.n_validation, n_pairs, rng)
    return values_of_labels(models, weigh, guesses, *left_out, n_jobs)


def draw_left_out(n_validation, n_pairs, rng):
    """Draw the pairs and the single validation rows that trainings go without."""
    pairs = np.transpose(np.triu_indices(n_validation, 1))
    singles = np.arange(n_validation)
    return draw_sorted(pairs, n_pairs, rng), draw_sorted(singles, n_pairs, rng)


def values_of_labels(models, weigh, guesses, pairs, singles, n_jobs):
    """Return the values of information of candidates with the given labels.

    Parameters
    ----------
    models, weigh, n_jobs
        As for `values_of_information`.
    guesses : ndarray of int of shape (n_candidates,)
        Class of each candidate.
    pairs, singles : ndarray of int
        Validation rows to leave out.

    Returns
    -------
    training, selection : ndarray of shape (n_candidates,)
        VOI_T and VOI_V.
    """
    with Parallel(n_jobs=n_jobs, prefer=models.prefer) as workers:
        old = np.concatenate(divide(workers, models.without, pairs), axis=1)
        single = divide(workers, models.without_one, singles, guesses)
        own, others = (
            np.concatenate(part, axis=1) for part in zip(*single, strict=True)
        )
        size = max(1, BLOCK // (2 * len(old) * len(pairs)))
        each, means = np.arange(models.n_candidates), []
        for block in np.split(each, range(size, len(each), size)):
            parts = divide(workers, models.without_but_with, block, pairs, guesses)
            means.append(means_over_pairs(np.concatenate(parts, axis=1), weigh))
    training = (np.concatenate(part, axis=1) for part in zip(*means, strict=True))
    both = np.stack(np.broadcast_arrays(own[..., None], others), axis=-1)
    with_candidate = means_over_pairs(both.swapaxes(1, 2), weigh)
    without_candidate = means_over_pairs(old[:, None], weigh)
    # the candidate is in 2 v of the v (v + 1) ordered pairs of the larger set
    share = 2 / (models.n_validation + 1)
    selection = (
        (1 - share) * old_mean + share * new_mean
        for old_mean, new_mean in zip(without_candidate, with_candidate, strict=True)
    )
    return tuple(
        -(probabilities * losses).sum(axis=0)
        for probabilities, losses in (training, selection)
    )


def values_on_pool(models, weights, candidates, n_jobs):
    """Return minus the expected log loss on the pool, for each row that may be bought.

    The loss of a model is what the model itself expects: the mean entropy of its
    predictions. With one model this is expected error reduction (Roy & McCallum).

    Parameters
    ----------
    models : RefittedModels or JointModels
        The candidate models, without a validation set.
    weights : ndarray of shape (n_models,)
        Probability that each model is the best.
    candidates : ndarray of int
        Positions of the rows to value among the candidates of the models.
    n_jobs : int or None
        As for `ALMSClassifier`.
    """
    _, predicted = models.trained()
    expected = np.tensordot(weights, predicted[:, candidates], axes=1)
    values = np.zeros(len(candidates))
    with Parallel(n_jobs=n_jobs, prefer=models.prefer) as workers:
        for code, share in enumerate(expected.T):
            parts = divide(workers, models.entropies_with, candidates, code)
            values -= share * (weights @ np.concatenate(parts, axis=1))
    return values
