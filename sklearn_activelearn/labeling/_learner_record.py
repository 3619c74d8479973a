"""The record of a learner, put together from the calls that a journal has.

It is what `record` of the learner would return, had it made these calls. In older files
learners recognise rows by their values: of equal rows it is not the number that counts.
"""

import numpy as np

from .._labels import check_classes
from ..pool._ledger import PENDING, SKIPPED, Ledger
from ..sources._containers import hash_rows, take
from ._decisions import SKIP

#: What a query changes in a record, of a learner that was never asked.
NOTHING_ASKED = {
    "n_rounds": 0,
    "n_offered": 0,
    "stop_reason": None,
    "has_stopped": False,
    "stopping": [],
}


class LearnerRecord:
    """A record to which calls are added.

    Parameters
    ----------
    pool : rows
        All rows.
    rows : list of int
        The numbers of all rows of the calls.
    classes : list or None
        As for the session.
    have_ids : bool
        Whether the learner recognises rows by their numbers; else by their values.

    Attributes
    ----------
    labels : list
        Of the rows that were taught, in their order.
    taught : dict of int to label
        What each row was taught.
    out : set of int
        Rows that were asked for and have no answer.
    """

    def __init__(self, pool, rows, classes, *, have_ids):
        self.labels, self.taught, self.out = [], {}, set()
        self._classes = None if classes is None else check_classes(classes).tolist()
        self._rows, self._asked, self._places = [], [], []
        self._probabilities, self._purposes = [], []
        self._calls, self._progress = [], dict(NOTHING_ASKED)
        self._was_asked, self._have_ids, self._entry = False, have_ids, {}
        # rows that are equal, by their numbers; the others are found by these alone
        self._keys, self._equal = (None, {}) if have_ids else equal_rows_of(pool, rows)
        self._few, self._few_entries = Ledger(), []

    def ask(self, call):
        """Add a query, and what it changed."""
        body, self._was_asked = call.body, True
        progress = body.get("learner") or {
            "n_rounds": self._progress["n_rounds"] + bool(call.rows)
        }
        purposes = progress.get("purposes", [""] * len(call.rows))
        progress = {name: progress[name] for name in NOTHING_ASKED if name in progress}
        self._progress |= {"stop_reason": body["stop"], **progress}
        for row, *bought in zip(
            call.rows, body["probabilities"], purposes, strict=True
        ):
            if row in self._equal:
                self._few = self._few.add_entries(self._keys_of([row]), row, *bought)
                self._few_entries.append(len(self._rows))
            self._add(row, *bought)
        self.out |= set(call.rows)

    def teach(self, labels):
        """Add a call of `RecordedLearner.teach`."""
        skipped, corrected, new = sorted_answers(labels, self.taught, self.out)
        for row in skipped:
            self._skip(row)
        for row, label in corrected:
            self._correct(row, label)
        if corrected:
            self.forget()
        if new:
            self._teach(new)
        self.taught |= dict(corrected + new)
        self.out -= {row for row, _ in labels}

    def forget(self):
        """Note that the stopping rules have forgotten what they remembered."""
        self._progress |= {"has_stopped": False, "stopping": []}

    @property
    def is_begun(self):
        """Whether there was any call."""
        return self._was_asked or bool(self._calls)

    def to_json(self):
        """Return the record."""
        places = np.array(self._places, dtype=np.int64)
        taught = np.flatnonzero(places >= 0)
        is_declared = bool(self._calls) and self._classes is not None
        return {
            "rows": self._rows,
            "ids": self._rows if self._have_ids else None,
            "asked": self._asked,
            "probabilities": self._probabilities,
            "purposes": self._purposes,
            "taught": taught[np.argsort(places[taught])].tolist(),
            "skipped": np.flatnonzero(places == SKIPPED).tolist(),
            "calls": self._calls,
            "classes": self._classes if is_declared else None,
            "declared": self._classes if is_declared else [],
            "may_grow": not is_declared,
            "n_queries": sum(self._asked),
            **self._progress,
        }

    def _add(self, row, probability=1.0, purpose="", place=PENDING, *, asked=True):
        """Add an entry, of a row that was asked for or taught unasked."""
        self._entry[row] = len(self._rows)
        self._rows.append(row)
        self._asked.append(asked)
        self._probabilities.append(probability)
        self._purposes.append(purpose)
        self._places.append(place)

    def _keys_of(self, rows):
        return self._keys[[self._equal[row] for row in rows]]

    def _skip(self, row):
        if row not in self._equal:
            self._places[self._entry[row]] = SKIPPED
            return
        keys = self._keys_of([row])
        (entry,) = self._few.find_entries(keys, (PENDING,))
        if entry >= 0:  # else the label of an equal row has answered it
            self._few = self._few.skip(keys)
            self._places[self._few_entries[entry]] = SKIPPED

    def _correct(self, row, label):
        if row in self._equal:
            taught = self._few.taught[::-1]
            is_equal = self._few.keys[taught] == self._keys_of([row])
            entries = [self._few_entries[entry] for entry in taught[is_equal]]
        else:
            entries = [self._entry[row]]
        for entry in entries:
            if self.labels[self._places[entry]] != label:
                self.labels[self._places[entry]] = label
                break

    def _teach(self, new):
        found = iter(())
        if equal := [row for row, _ in new if row in self._equal]:
            keys = self._keys_of(equal)
            found = iter(self._few.find_entries(keys, (PENDING, SKIPPED)).tolist())
            self._few = self._few.mark_taught(keys)
        for row, label in new:
            entry, place = self._entry.get(row), len(self.labels)
            if row in self._equal:
                few = next(found)
                entry = self._few_entries[few] if few >= 0 else None
                if entry is None:
                    self._few_entries.append(len(self._rows))
            if entry is None:
                self._add(row, place=place, asked=False)
            else:
                self._places[entry] = place
            self.labels.append(label)
        self._calls.append([len(self.labels), self._classes or []])


def equal_rows_of(pool, rows):
    """Return the keys of rows and, by number, where those are that are not alone."""
    rows = np.unique(np.array(rows, dtype=np.int64))
    keys = hash_rows(take(pool, rows))
    _, value, n_equal = np.unique(keys, return_inverse=True, return_counts=True)
    (equal,) = np.nonzero(n_equal[value] > 1)
    return keys, dict(zip(rows[equal].tolist(), equal.tolist(), strict=True))


def sorted_answers(labels, taught, out):
    """Return the rows that are skipped, corrected, and taught for the first time.

    Parameters
    ----------
    labels : list of (int, label)
        Row numbers and labels, `SKIP` for none.
    taught : dict of int to label
        What the learner was taught.
    out : set of int
        Rows that it asked for and that have no answer yet.

    Returns
    -------
    skipped : list of int
    corrected, new : list of (int, label)
    """
    skipped = [row for row, label in labels if label is SKIP and row in out]
    corrected, new = [], []
    for row, label in labels:
        if label is SKIP:
            continue
        if row in taught and row not in out:
            if taught[row] != label:
                corrected.append((row, label))
        else:
            new.append((row, label))
    return skipped, corrected, new
