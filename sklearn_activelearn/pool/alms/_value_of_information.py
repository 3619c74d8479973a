"""What a label is worth to a set of models, for training or for choosing one.

The models come in as an object that trains all of them on any part of the rows with
labels, `RefittedModels` or `GramModels`. It has ``n_validation``, the number v of
validation rows, and ``n_candidates``, that of rows whose labels might be bought, and
returns losses, with one entry for each model in front:

- ``trained()``: losses of shape (m, v) of the models trained on the training set, and
  class probabilities (m, n_candidates, n_classes) of theirs;
- ``without(pairs)``: (m, n_pairs, 2), on the two validation rows that the training went
  without;
- ``without_one(rows, guesses)``: (m, n_rows), the same for one row, and
  (m, n_rows, n_candidates) on the candidates with the labels guessed;
- ``without_fold(rows)``: (m, n_rows), on rows of either set that the training went
  without;
- ``without_but_with(candidates, pairs, guesses)``: (m, n_some, n_pairs, 2), the same
  with one of some candidates more in the training set.
"""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import softmax

#: Losses that are held at a time.
BLOCK = 2**18


def model_probabilities(errors, temperature=None):
    """Return how probably each model is the best one (equation 3, scaled to sum 1).

    Parameters
    ----------
    errors : ndarray of shape (n_models, ...)
        Their losses.
    temperature : float or None
        None: 1 minus the softmax of the errors, as in the paper. A number: softmax of
        minus the errors over it; the smaller, the more the better models count.
    """
    n_models = len(errors)
    if n_models == 1:
        return np.ones_like(errors)
    if temperature is None:
        return (1 - softmax(errors, axis=0)) / (n_models - 1)
    return softmax(-errors / temperature, axis=0)


def lower_ends(losses):
    """Return the lower end of a 95 % interval of each model's mean loss, or 0."""
    n_models, v = losses.shape
    spread = losses.std(axis=1, ddof=1) if v > 1 else np.zeros(n_models)
    return np.maximum(losses.mean(axis=1) - 1.96 * spread / np.sqrt(v), 0)


@dataclass(frozen=True)
class Means:
    """Means over ordered pairs (i, j) of rows left out (equation 5).

    Parameters
    ----------
    probability : ndarray of shape (n_models, ...)
        Of the models, judged by row i alone.
    loss : ndarray of shape (n_models, ...)
        On row j.
    product : ndarray of shape (...)
        Of the two, summed over the models.
    """

    probability: np.ndarray
    loss: np.ndarray
    product: np.ndarray

    @classmethod
    def of(cls, losses, temperature):
        """Take both orders of pairs, losses of shape (n_models, ..., n_pairs, 2)."""
        probability = model_probabilities(losses, temperature)
        product = np.einsum("m...pk,m...pk->...", probability, losses[..., ::-1])
        n = 2 * losses.shape[-2]
        return cls(
            probability.mean(axis=(-2, -1)), losses.mean(axis=(-2, -1)), product / n
        )

    @classmethod
    def joined(cls, parts):
        """Put together those of several candidates."""
        return cls(
            np.concatenate([part.probability for part in parts], axis=1),
            np.concatenate([part.loss for part in parts], axis=1),
            np.concatenate([part.product for part in parts]),
        )

    def mixed(self, other, share):
        """Return the means over both, `share` of the pairs being the other's."""
        return Means(
            (1 - share) * self.probability + share * other.probability,
            (1 - share) * self.loss + share * other.loss,
            (1 - share) * self.product + share * other.product,
        )

    def system_loss(self, pairing):
        """Return the expected loss of the model that would be chosen."""
        if pairing == "averaged":
            return (self.probability * self.loss).sum(axis=0)
        return self.product


def some(items, n_wanted, rng):
    """Return so many of the items, in their order, or all."""
    if n_wanted is None or n_wanted >= len(items):
        return items
    return items[np.sort(rng.choice(len(items), n_wanted, replace=False))]


def divided(parallel, method, items, *args):
    """Return ``method(part, *args)`` for parts of the items, one for each worker."""
    n_parts = max(1, min(effective_n_jobs(parallel.n_jobs), len(items)))
    parts = np.array_split(items, n_parts)
    return parallel(delayed(method)(part, *args) for part in parts)


def losses_without_one(parallel, models, rows, guesses):
    """Return what ``models.without_one`` does, divided among workers."""
    parts = divided(parallel, models.without_one, rows, guesses)
    return tuple(np.concatenate(part, axis=1) for part in zip(*parts, strict=True))


def values_of_information(
    models, weights_of, *, temperature, pairing, label, n_pairs, n_jobs, rng
):
    """Return what each candidate is worth for training, and for choosing a model.

    Parameters
    ----------
    models : object
        As described above.
    weights_of : callable
        ``weights_of(losses) -> probabilities`` of the models, for the losses on the
        validation set.
    temperature, pairing, label, n_pairs, n_jobs
        As for `ALMSClassifier`.
    rng : Generator
        Chooses the pairs, and as many single rows.

    Returns
    -------
    training, selection : ndarray of shape (n_candidates,)
        Minus the system's loss: VOI_T and VOI_V.
    """
    v = models.n_validation
    losses, probabilities = models.trained()
    expected = np.tensordot(weights_of(losses), probabilities, axes=1)
    pairs = some(np.transpose(np.triu_indices(v, 1)), n_pairs, rng)
    singles = some(np.arange(v), n_pairs, rng)
    guesses, shares = expected.argmax(axis=1)[None], np.ones((1, len(expected)))
    if label == "expected":
        n_classes, shares = expected.shape[1], expected.T
        guesses = np.repeat(np.arange(n_classes)[:, None], len(expected), axis=1)
    with Parallel(n_jobs=n_jobs, prefer=models.prefer) as workers:
        old = np.concatenate(divided(workers, models.without, pairs), axis=1)
        means = [
            means_with(workers, models, guess, pairs, singles, old, temperature)
            for guess in guesses
        ]
    loss = [[each.system_loss(pairing) for each in pair] for pair in means]
    training, selection = -np.einsum("cpn,cn->pn", loss, shares)
    return training, selection


def means_with(workers, models, guesses, pairs, singles, old, temperature):
    """Return the means with each candidate in the training or in the validation set.

    Parameters
    ----------
    workers : Parallel
        Among which the work is divided.
    models : object
        As described above.
    guesses : ndarray of int of shape (n_candidates,)
        The label of each candidate.
    pairs, singles : ndarray of int
        What is left out of the validation set.
    old : ndarray of shape (n_models, n_pairs, 2)
        The losses on the pairs left out, without candidates.
    temperature : float or None
        As for `model_probabilities`.

    Returns
    -------
    training, selection : Means
        Of shape (n_candidates,).
    """
    own, others = losses_without_one(workers, models, singles, guesses)
    size = max(1, BLOCK // (2 * len(old) * len(pairs)))
    each, parts = np.arange(models.n_candidates), []
    for block in np.split(each, range(size, len(each), size)):
        found = divided(workers, models.without_but_with, block, pairs, guesses)
        parts.append(Means.of(np.concatenate(found, axis=1), temperature))
    training = Means.joined(parts)

    both = np.stack(np.broadcast_arrays(own[..., None], others), axis=-1)
    with_candidate = Means.of(both.swapaxes(1, 2), temperature)
    among_old = Means.of(old[:, None], temperature)
    # of the v (v + 1) ordered pairs of the larger set, the candidate is in 2 v
    v = models.n_validation
    return training, among_old.mixed(with_candidate, 2 / (v + 1))
