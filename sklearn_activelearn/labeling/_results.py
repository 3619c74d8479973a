"""What a session leaves behind: its model, and the predictions for all rows."""

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from .._typing import FilePath, Id, Label
from ._earlier import NO_MODEL
from ._export import PREDICTED, TAKEN, Form, exported_labels, joined_names, write_labels
from ._output import beside, check_table_file, columns_shown

Columns: TypeAlias = Mapping[str, Sequence[Any]]

NAMES = ("id", "label", "probability", "who", "origin")


class PredictedLabel(NamedTuple):
    """A row of the table, with its label or what the model predicts."""

    id: Id
    label: Label
    probability: float | None  # that the model gives to this label
    who: str
    origin: str  # as in an export, or `PREDICTED`


class Results:
    """What a session leaves behind."""

    _ids: Any
    _items: Any
    _lock: Any
    _state: Any
    _worker: Any
    row: Any

    def export(
        self, path: FilePath, form: Form = "wide", columns: Columns | None = None
    ) -> int:
        """Write the labels, and what is shown of each row, to a file.

        Parameters
        ----------
        path : str or path
            ``.csv``, or ``.json`` for Label Studio, as for the function `export`.
        form : {"wide", "long"}, default="wide"
            A line for each row that has a label, or for each answer.
        columns : dict of str to sequence, default=None
            As for `export_predictions`; for a CSV.

        Returns
        -------
        n_lines : int
            How many lines or tasks were written.

        Raises
        ------
        ValueError, OSError
            As that function.
        """
        with self._lock:
            more = columns or columns_shown(self._items), self._ids.row
            return write_labels(self._state, path, form, self.row, *more)

    def model(self) -> Any:
        """Return the model, trained on all labels but those of the rows put aside.

        Labels that the learner of the session has not been taught are among them: it
        is taught a copy, and the session does not change.

        Returns
        -------
        model : classifier
            ``estimator_`` of a pool learner; a stream learner itself.

        Raises
        ------
        ValueError
            If there are no labels of two classes yet.
        Exception
            What the learner raises if it cannot be trained.
        """
        recorded = self._up_to_date()
        return recorded.learner if recorded.is_stream else recorded.learner.estimator_

    def export_predictions(self, path: FilePath, columns: Columns | None = None) -> int:
        """Write a line for each row: its label, or else what the model predicts.

        Parameters
        ----------
        path : str or path
            ``.csv`` or ``.parquet`` (needs pyarrow), with the columns id, label,
            probability (that `model` gives to this label; empty if it gives none), who
            (gave the label) and origin ("predicted", or as in an export), and then what
            is shown of the row.
        columns : dict of str to sequence, default=None
            Columns to write instead of what is shown: a cell for each row of the pool.
            "input" is put in front of a name that comes twice.

        Returns
        -------
        n_predicted : int
            How many of the labels are predictions.

        Raises
        ------
        ValueError
            As `model`, and for a path that holds a session or ends in something else.
        OSError
            If the file cannot be written; one that was there before is as it was.
        """
        write, recorded = check_table_file(path := Path(path)), self._up_to_date()
        with self._lock:
            decided = {each.id: each for each in exported_labels(self._state)}
        rows = labelled_or_predicted(recorded, self._ids, decided)
        table = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
        more = columns or columns_shown(self._items)
        write(path, table | beside(more, TAKEN))
        return table["origin"].count(PREDICTED)

    def _up_to_date(self):
        """Return a copy of the learner that was taught all labels that it may be."""
        busy = self._worker.under_way
        if busy is not None:
            busy.result()
        with self._lock:
            recorded = copy(self._worker.recorded)
            waiting = self._state.waiting()
        if waiting:
            recorded.teach([(self._ids.row(each.id), each.label) for each in waiting])
        if not recorded.has_model:
            raise ValueError(NO_MODEL)
        return recorded


def labelled_or_predicted(recorded, ids, decided):
    """Yield a `PredictedLabel` for each row, in the order of the pool."""
    predicted, given = recorded.predict(recorded.all_rows)
    place = {label: k for k, label in enumerate(recorded.learner.classes_.tolist())}
    for row, (id, label) in enumerate(zip(ids.all, predicted, strict=True)):
        who, origin = "", PREDICTED
        if id in decided:
            label, origin = decided[id].label, decided[id].origin
            who = joined_names(decided[id].who)
        probability = None
        if given is not None:
            k = place.get(label)
            probability = 0.0 if k is None else round(float(given[row, k]), 6)
        yield PredictedLabel(id, label, probability, who, origin)
