"""Warnings that what a rule relies on does not hold on the labels so far."""

import numpy as np

from .._warnings import warn_user

#: With so many labels it is looked at, once.
N_LABELS = 50


def is_due(learner):
    """Whether the last call that taught labels brought so many together."""
    before = [call.n_labels for call in learner._teach_calls[-2:-1]] or [0]
    return before[0] < N_LABELS <= len(learner._labelled)


def n_most_frequent(codes):
    """Return how many labels are of the most frequent class."""
    return int(np.bincount(codes).max())


def warn_if_distances_mislead(learner, points, cure):
    """Warn if the nearest other label is right no more often than one class is.

    Parameters
    ----------
    learner : PoolClassifier
        It buys by distances, and has been taught labels of two classes.
    points : callable
        Returns its labelled rows as points, between which distances are measured.
    cure : str
        What to do.
    """
    if not is_due(learner):
        return
    from sklearn.neighbors import NearestNeighbors  # slow to import

    codes = learner._labelled.codes
    search = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(points())
    nearest = search.kneighbors(return_distance=False)[:, 0]
    n_right, n_most = int(np.sum(codes[nearest] == codes)), n_most_frequent(codes)
    if n_right <= n_most:
        warn_user(
            f"{type(learner).__name__} buys by distances, and these say nothing of the "
            f"classes so far: of {len(codes)} labels the nearest other one predicts "
            f"{n_right}, the most frequent class {n_most}. {cure}"
        )


def warn_if_worse_than_constant(learner, predicted, cure):
    """Warn if a model is right on its own labels less often than one class is.

    Parameters
    ----------
    learner : PoolClassifier
        It buys by what the model predicts.
    predicted : callable
        Returns the codes that the model predicts for the labelled rows.
    cure : str
        What to do.
    """
    if not is_due(learner):
        return
    codes = learner._labelled.codes
    n_right, n_most = int(np.sum(predicted() == codes)), n_most_frequent(codes)
    if n_right < n_most:
        warn_user(
            f"{type(learner).__name__} is worse than a constant so far: of "
            f"{len(codes)} labels it predicts {n_right}, the most frequent class "
            f"{n_most}. {cure}"
        )
