"""Labels of a session to look at twice."""

from threading import Thread
from typing import NamedTuple

import numpy as np

from .._typing import Id, Label
from ..evaluation import doubtful_labels
from ..sources._containers import take
from ._decisions import SKIP, deciding_answer
from ._earlier import trainable_model

#: How many doubtful rows a review lists at most.
N_LISTED = 200


class Doubt(NamedTuple):
    """A row whose label a model contradicts that was trained without it."""

    id: Id
    predicted: Label
    event: int  # the last answer to the row when it was found


class DoubtfulSearch:
    """The doubtful rows of a session, looked for in a thread on request.

    Attributes
    ----------
    found : list of Doubt
        The most doubtful first.
    n_labels : int or None
        How many labels there were; None: nothing was found yet.
    error : str
        Why nothing can be found.
    """

    def __init__(self):
        self.found, self.n_labels, self.error = [], None, ""
        self._thread = None

    @property
    def is_computing(self):
        """Whether they are being looked for."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, find, answered, refresh):
        """Look for them, unless that is under way or was done.

        Parameters
        ----------
        find : callable
            It returns the ids of all rows with labels, the most doubtful first, each
            with the label that is predicted.
        answered : callable
            It returns for each row that has a label, by id, the label and the number of
            the last answer.
        refresh : bool
            Whether to look again.
        """
        is_wanted = refresh or self.error or self.n_labels is None
        if is_wanted and not self.is_computing:
            self._thread = Thread(target=self._run, args=(find, answered), daemon=True)
            self._thread.start()

    def wait(self):
        """Wait until they are found."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, find, answered):
        try:
            before, found = answered(), []
            for id, predicted in find():
                label, event = before.get(id, (predicted, 0))
                if label != predicted:
                    found.append(Doubt(id, predicted, event))
        except Exception as error:  # of any estimator: the page shows it
            self.found, self.n_labels, self.error = [], None, f"{error}"
            return
        self.found, self.n_labels, self.error = found[:N_LISTED], len(before), ""


def decided_labels(state):
    """Return the labels of all rows that have one, by id."""
    decisions = state.decisions.items()
    return {id: each.label for id, each in decisions if each.label is not SKIP}


def final_labels(state):
    """Return the ids of rows that somebody has decided for good."""
    return {id for id in state.decisions if deciding_answer(state.answers[id])}


def doubtful_rows(labels, recorded, ids, estimator):
    """Return rows with labels, the most doubtful first, with what a model predicts.

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

    Returns
    -------
    rows : list of (id, label)
        The label is the one that the model prefers.

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
    rows, names = found.indices.tolist(), list(labels)
    return [(names[i], c) for i, c in zip(rows, found.predicted.tolist(), strict=True)]
