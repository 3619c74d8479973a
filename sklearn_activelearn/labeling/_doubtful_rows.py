"""Doubtful labels: rows whose label a model trained without them contradicts."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ..evaluation import doubtful_labels
from ..sources import take
from .storage._decisions import LABELLED
from .storage._labels import SEVERAL, from_column

#: Largest number of doubtful rows in a list.
N_DOUBTFUL = 200


class DoubtfulRow(NamedTuple):
    """A row whose label should be checked."""

    id: object
    predicted: object  # the label that the model prefers
    answered: int  # number of its last answer


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

        Parameters
        ----------
        estimator : classifier, default=None
            Model to train. None: the model of the learner.

        Raises
        ------
        ValueError
            If there is nothing to train.
        """
        with self._file.reading() as facts:
            own, kind = self._worker.own, facts.decisions.kind
            if kind == SEVERAL:
                raise ValueError("Doubtful labels need rows with one label each.")
            rows = facts.decisions.labelled()
        labels = {row.id: from_column(row.label, kind) for row in rows}
        if len({*labels.values()}) < 2:
            raise ValueError(
                "Doubtful labels can be found once two classes have labels."
            )
        estimator = own.model if estimator is None else estimator
        if estimator is None and not own.is_stream:
            raise ValueError("There is no model yet. Label some more rows first.")
        if not (hasattr(estimator, "get_params") and hasattr(estimator, "fit")):
            raise ValueError(
                f"A {type(own.learner).__name__} has no model that labelled rows alone "
                "can train. Pass a classifier to train: estimator=."
            )
        X, y = take(own.pool, self._ids.rows(labels)), np.array([*labels.values()])
        found = doubtful_labels(estimator, X, y, random_state=0)
        places = zip(found.indices.tolist(), found.predicted.tolist(), strict=True)
        ranked = [(rows[place], predicted) for place, predicted in places]
        return [
            DoubtfulRow(row.id, predicted, row.answered)
            for row, predicted in ranked
            if not any(each.is_final for each in row.standing)
        ], labels

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
        self._file.check_open()
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
        rows = [each for each in rows if each.predicted != labels[each.id]]
        with self._file.reading() as facts:
            predicted = {
                each.id: each.predicted
                for each in rows[:N_DOUBTFUL]
                if (row := facts.decisions[each.id]).answered == each.answered
                and row.state == LABELLED
            }
        return predicted, len(labels), False, ""
