"""The choice of the next rows, and of the set that their labels are for."""

from typing import NamedTuple

import numpy as np

from ..._containers import exact_keys, take
from .._ranking import best_of_different
from .._selection import drawn, ranked
from ._allocation import TRAIN, VALIDATION
from ._value_of_information import values_of_information

#: Candidates and pairs if models are refitted and none are given.
FEW = 10


class Round(NamedTuple):
    """What was known of the candidates when a label was chosen."""

    names: list
    probabilities: np.ndarray


def most_valuable(
    trainer,
    known,
    X,
    rows,
    n_wanted,
    seed,
    *,
    n_candidates,
    n_pairs,
    batch_size,
    pairing,
    label,
    may_be_few,
):
    """Choose rows for the set for which a label is worth more.

    Parameters
    ----------
    trainer : ALMSTrainer
        Trains the candidates.
    known : Known
        What they are trained on.
    X : rows
        The pool.
    rows : ndarray of int
        Those of its row numbers that may be bought.
    n_wanted : int
        How many.
    seed : tuple of int
        Of the random numbers of this round.
    n_candidates, n_pairs, batch_size, pairing, label
        As for `ALMSClassifier`.
    may_be_few : bool
        Whether to consider a few rows and pairs only where models are refitted.

    Returns
    -------
    bought : Purchase
        The rows.
    values : tuple of float
        The largest value of a label for training, and for validation.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows)
    if may_be_few and not trainer.shares(known):
        n_candidates, n_pairs = n_candidates or FEW, n_pairs or FEW
    offered = np.sort(order[: max(n_candidates or len(rows), batch_size)])
    training, selection = values_of_information(
        trainer.engine(known, take(X, offered), len(offered)),
        trainer.weights,
        temperature=trainer.temperature,
        pairing=pairing,
        label=label,
        n_pairs=n_pairs,
        n_jobs=trainer.n_jobs,
        rng=rng,
    )
    values = training.max(), selection.max()
    if values[0] > values[1]:
        traits = [lambda some: exact_keys(X, offered[some])]
        chosen = best_of_different(training, n_wanted, seed, traits)
        return ranked(offered[chosen], training[chosen], TRAIN), values
    chosen = rng.permutation(rows)[:n_wanted]
    return drawn(chosen, n_wanted / len(rows), VALIDATION), values
