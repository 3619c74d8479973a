"""The names of rows: the user's, or made of what is in them."""

from collections import Counter
from numbers import Integral

import numpy as np

from ..sources._containers import hash_rows, is_frame, n_rows


class Ids:
    """Ids of the rows of a pool, and where they are.

    Parameters
    ----------
    ids : list of str or int
        In the order of the pool.
    made_of : {"values", "numbers"} or None
        What they are made of: the values of the rows, or the numbers of their places.
        None: somebody gave them.

    Raises
    ------
    ValueError, TypeError
        For an id that comes twice, or is neither text nor a whole number.
    """

    def __init__(self, ids, made_of=None):
        self.made_of = made_of
        self.all = [plain_id(each) for each in ids]
        self._rows = {each: row for row, each in enumerate(self.all)}
        self._texts = {str(each): each for each in self.all}
        if len(self._texts) < len(self.all):
            twice = Counter(map(str, self.all)).most_common(1)[0][0]
            raise ValueError(f"Each row needs an id of its own; {twice!r} comes twice.")

    def __len__(self):
        return len(self.all)

    def row(self, id):
        """Return the number of the row."""
        try:
            return self._rows[id]
        except (KeyError, TypeError):
            raise ValueError(f"There is no row with the id {id!r}.") from None

    def own(self, id):
        """Return the id as it is stored, if it is there."""
        return self.all[self.row(id)]

    def rows(self, ids):
        """Return the numbers of several rows."""
        return [self.row(id) for id in ids]

    def at(self, rows):
        """Return the ids of the rows with these numbers."""
        return [self.all[row] for row in rows]

    def has_text(self, text):
        """Whether there is an id that is written like this."""
        return str(text) in self._texts

    def from_text(self, text):
        """Return the id that is written like this."""
        try:
            return self._texts[str(text)]
        except KeyError:
            raise ValueError(f"There is no row with the id {text!r}.") from None


def find_ids(ids, pool, items):
    """Return the ids of the rows of a pool.

    Parameters
    ----------
    ids : list, str or None
        Themselves, or the column of the items or of the pool that has them. None: the
        index of a DataFrame, else made of the values of the rows.
    pool : rows
        What the learner gets.
    items : rows or None
        What is shown.
    """
    if items is not None and n_rows(items) != n_rows(pool):
        raise ValueError(f"There are {n_rows(items)} items for {n_rows(pool)} rows.")
    frames = [each for each in (items, pool) if is_frame(each)]
    if isinstance(ids, str):
        for frame in frames:
            if frame.ndim == 2 and ids in frame.columns:
                return Ids(frame[ids].tolist())
        raise ValueError(f"There is no column {ids!r} to take the ids from.")
    if ids is None and frames:
        names = frames[0].index.tolist()
        is_default = names == list(range(len(names)))
        return Ids(names, "numbers" if is_default else None)
    if ids is None:
        return Ids(ids_of_values(pool), "values")
    ids = Ids(ids, "numbers" if isinstance(ids, range) else None)
    if len(ids) != n_rows(pool):
        raise ValueError(f"There are {len(ids)} ids for {n_rows(pool)} rows.")
    return ids


def ids_of_values(pool):
    """Return hashes of the rows, and for equal ones which of them it is."""
    seen, out = Counter(), []
    for key in hash_rows(pool).tolist():
        seen[key] += 1
        out.append(f"{key:016x}" + (f"-{seen[key]}" if seen[key] > 1 else ""))
    return out


def check_texts(pool, ids):
    """Raise if some rows of a pool are texts and others are not: gaps, most often.

    Parameters
    ----------
    pool : rows
        Checked if each row is one value.
    ids : list
        Of the rows.
    """
    is_series = is_frame(pool) or isinstance(pool, np.ndarray)
    if not (isinstance(pool, list) or (is_series and pool.ndim == 1)):
        return
    are_texts = [isinstance(row, str) for row in pool]
    if any(are_texts) and not all(are_texts):
        row = are_texts.index(False)
        cell = pool.iloc[row] if is_frame(pool) else pool[row]
        raise ValueError(
            f"Row {ids[row]!r} of the pool has no text, but {cell!r}: fill it in, or "
            f"leave it out ({are_texts.count(False)} of {len(ids)} rows)."
        )


def plain_id(id):
    """Return an id as JSON has it."""
    if isinstance(id, str):
        return str(id)
    if isinstance(id, Integral) and not isinstance(id, bool):
        return int(id)
    raise TypeError(f"An id is text or a whole number, got {id!r}.")
