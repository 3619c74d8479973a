"""Labels of a session to look at twice."""

import numpy as np

from .._containers import take
from ..evaluation import doubtful_labels
from ._decisions import SKIP, deciding_answer
from ._earlier import trainable_model


def decided_labels(state):
    """Return the labels of all rows that have one, by id."""
    decisions = state.decisions.items()
    return {id: each.label for id, each in decisions if each.label is not SKIP}


def final_labels(state):
    """Return the ids of rows that somebody has decided for good."""
    return {id for id in state.decisions if deciding_answer(state.answers[id])}


def doubtful_ids(labels, recorded, ids, estimator):
    """Return the ids of rows with labels, the most doubtful first.

    Parameters
    ----------
    labels : dict of id to label
        Of all rows that have one.
    recorded : RecordedLearner
        Whose model it is that is trained.
    ids : Ids
        Of the rows.
    estimator : classifier or None
        To train instead.

    Raises
    ------
    ValueError
        If there is nothing to train.
    """
    if len(set(labels.values())) < 2:
        raise ValueError("Labels of two classes are needed to tell which are doubtful.")
    if estimator is None:
        estimator = trainable_model(recorded.learner)
    X = take(recorded.pool, ids.rows(labels))
    found = doubtful_labels(estimator, X, np.array([*labels.values()]), random_state=0)
    names = list(labels)
    return [names[i] for i in found.indices.tolist()]
