"""Doubtful labels: rows whose label a model trained without them contradicts."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..evaluation import doubtful_labels
from ..sources import take
from .storage._decisions import LABELLED
from .storage._labels import SEVERAL, from_column

#: Largest number of doubtful rows in a list.
N_DOUBTFUL = 200


class DoubtfulRows:
    """Search for doubtful labels, in a thread if nobody is to wait for it.

    Parameters
    ----------
    file : SessionFile
        The file of the session.
    worker : Worker
        It has the model.
    ids : Ids
        Ids of the rows.
    """

    def __init__(self, file, worker, ids):
        self._file, self._worker, self._ids = file, worker, ids
        self._thread = ThreadPoolExecutor(1, "doubtful")
        self._search, self._version = None, 0

    def close(self):
        self._thread.shutdown()

    def find(self, estimator=None):
        """Return doubtful rows without a final label, and the labels of all rows by id.

        Each row is its id, its predicted label, and the number of its last answer.
        """
        with self._file.reading() as facts:
            own, kind = self._worker.own, facts.decisions.kind
            if kind == SEVERAL:
                raise ValueError("Doubtful labels need rows with one label each.")
            rows = facts.decisions.labelled()
        labels = {row.id: from_column(row.label, kind) for row in rows}
        answered = {
            row.id: row.answered
            for row in rows
            if not any(each.is_final for each in row.decision.standing)
        }
        ranked = rank_doubtful(labels, own, self._ids, estimator)
        rows = [(*row, answered[row[0]]) for row in ranked if row[0] in answered]
        return rows, labels

    def look(self, refresh=False):
        """Start a search if need be; return rows, number of labels, state and error.

        Parameters
        ----------
        refresh : bool, default=False
            Whether to search again.

        Returns
        -------
        predicted : dict of id to label
            Labels that the model prefers, by row; without rows that were answered since
            the search.
        n_labels : int or None
            Number of labels among which the rows were found; None before that.
        is_computing : bool
            True while the search goes on.
        error : str
            Why there is no result.
        """
        found, version = self._search, self._file.version
        is_over = found is not None and found.done()
        has_failed = is_over and found.exception() is not None
        if has_failed and self._version != version:
            refresh = True  # there may be more labels now
        if found is None or (is_over and refresh):
            self._version = version
            self._search = found = self._thread.submit(self.find)
        if not found.done():
            return {}, None, True, ""
        if found.exception() is not None:  # whatever an estimator raises
            return {}, None, False, f"{found.exception()}"
        rows, labels = found.result()
        rows = [row for row in rows if row[1] != labels[row[0]]][:N_DOUBTFUL]
        with self._file.reading() as facts:
            predicted = {
                id: label
                for id, label, answered in rows
                if (row := facts.decisions[id]).answered == answered
                and row.state == LABELLED
            }
        return predicted, len(labels), False, ""


def rank_doubtful(labels, own, ids, estimator):
    """Return labelled rows, the most doubtful first, with the label a model prefers.

    Parameters
    ----------
    labels : dict of id to label
        All rows that have a label.
    own : SessionLearner
        Its model is trained.
    ids : Ids
        Ids of the rows.
    estimator : classifier or None
        Model to train instead.

    Returns
    -------
    rows : list of (id, label)

    Raises
    ------
    ValueError
        If there is nothing to train.
    """
    if len({*labels.values()}) < 2:
        raise ValueError("Doubtful labels can be found once two classes have labels.")
    if estimator is None:
        estimator = getattr(own.learner, "estimator_", None)
        if estimator is None and not own.is_stream:
            raise ValueError("There is no model yet. Label some more rows first.")
        if not (hasattr(estimator, "get_params") and hasattr(estimator, "fit")):
            raise ValueError(
                f"A {type(own.learner).__name__} has no model that labelled rows alone "
                "can train. Pass a classifier to train: estimator=."
            )
    X = take(own.pool, ids.rows(labels))
    found = doubtful_labels(estimator, X, np.array([*labels.values()]), random_state=0)
    rows, names = found.indices.tolist(), list(labels)
    return [(names[i], c) for i, c in zip(rows, found.predicted.tolist(), strict=True)]
