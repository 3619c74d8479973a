"""Ids of the rows, and rows with the same content."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from numbers import Integral, Number

import numpy as np

from ..sources import hash_rows, is_frame, n_rows
from .storage._labels import is_id


class Ids:
    """Ids of the rows of a pool, and where they are.

    Parameters
    ----------
    ids : list of str or int
        In the order of the pool.
    made_of : {"values", "numbers"} or None
        What the ids were made of: the values of the rows, or their row numbers. None:
        the user gave them.

    Attributes
    ----------
    copies : list of int
        Row numbers of the twins but the first of each group, which stands for all: its
        id is the id of the group in the file.

    Raises
    ------
    ValueError, TypeError
        For an id that comes twice, or is neither a text nor an integer.
    """

    def __init__(self, ids, made_of=None):
        self.made_of, self.copies, self._twins = made_of, [], {}
        self.all = [to_json_id(each) for each in ids]
        self._rows = {each: row for row, each in enumerate(self.all)}
        self._texts = {str(each): each for each in self.all}
        if len(self._texts) < len(self.all):
            twice = Counter(map(str, self.all)).most_common(1)[0][0]
            raise ValueError(
                f"Each row needs a different id, but {twice!r} comes twice. Name "
                "another column, or leave out the rows that come twice."
            )

    def __len__(self):
        return len(self.all)

    def row(self, id):
        """Return the row number of an id."""
        try:
            return self._rows[id]
        except (KeyError, TypeError):
            raise ValueError(f"There is no row with the id {id!r}.") from None

    def set_twins(self, groups):
        """Set the groups of ids of equal rows, as `find_twins` returns them."""
        self._twins = map_twins(groups)
        self.copies = [row for group in groups or () for row in self.rows(group[1:])]

    def twins(self, id):
        """Return the ids of the rows with the content of a row, with this row."""
        own = self.all[self.row(id)]
        return self._twins.get(own, [own])

    def own(self, id):
        """Return the id in the file: of twins the first. ValueError without a row."""
        return self.twins(id)[0]

    def rows(self, ids):
        return [self.row(id) for id in ids]

    def at(self, rows):
        return [self.all[row] for row in rows]

    def has_text(self, text):
        """Return True if the text is the written form of an id."""
        return str(text) in self._texts

    def from_text(self, text):
        """Return the id with this written form."""
        if not self.has_text(text):
            raise ValueError(f"There is no row with the id {text!r}.")
        return self._texts[str(text)]


def find_ids(ids, pool, items):
    """Return the ids of the rows of a pool; parameters as for `LabelingSession`."""
    if items is not None and n_rows(items) != n_rows(pool):
        raise ValueError(
            f"items has {n_rows(items)} rows, but pool has {n_rows(pool)}."
        )
    frames = [each for each in (items, pool) if is_frame(each)]
    if isinstance(ids, str):
        for frame in frames:
            if frame.ndim == 2 and ids in frame.columns:
                return Ids(frame[ids].tolist())
        raise ValueError(f"Neither items nor pool has a column {ids!r} with ids.")
    if ids is None and frames:
        names = frames[0].index.tolist()
        is_default = names == list(range(len(names)))
        return Ids(names, "numbers" if is_default else None)
    if ids is None:
        return Ids(make_ids(pool), "values")
    ids = Ids(ids, "numbers" if isinstance(ids, range) else None)
    if len(ids) != n_rows(pool):
        raise ValueError(f"There are {len(ids)} ids for {n_rows(pool)} rows.")
    return ids


def map_twins(groups):
    """Return the group of each id that has twins."""
    return {id: group for group in groups or () for id in group}


def find_twins(items, ids, empty, groups=(), n_known=0):
    """Return groups of ids of rows with the same content.

    Parameters
    ----------
    items : rows
        What people see. Texts are compared, and the cells of frames and mappings, but
        no column that holds the ids; case and gaps do not count. Other rows are alone.
    ids : list
        Ids of the rows.
    empty : list of int
        Numbers of rows without content.
    groups : list of list, default=()
        Groups of the first `n_known` rows, which stay as they are.
    n_known : int, default=0
        Further rows join the group of the first row with their content.
    """
    found, first, closed = {}, {}, {*empty}
    for group in groups:
        group = [*group]  # of which new rows become members
        found |= dict.fromkeys(group, group)
    for row, (id, text) in enumerate(zip(ids, fold_rows(items, ids), strict=True)):
        like = id if text is None or row in closed else first.setdefault(text, id)
        if row >= n_known and like != id:
            found[id] = found.setdefault(like, [like])
            found[id].append(id)
    return [group for id, group in found.items() if id == group[0]]


def fold_rows(items, ids):
    """Return what is equal in equal rows; None for rows that are alone."""
    if is_frame(items) and items.ndim == 2:
        columns = [cells.tolist() for _, cells in items.items()]
    elif isinstance(items, list) and items and isinstance(items[0], Mapping):
        names = dict.fromkeys(name for item in items for name in item)
        columns = [[item.get(name) for item in items] for name in names]
    else:
        is_one = isinstance(items, list) or getattr(items, "ndim", 0) == 1
        texts = items if is_one else [None] * len(ids)
        return [fold_text(each) if isinstance(each, str) else None for each in texts]
    names = [*map(plain_text, ids)]
    columns = [each for each in columns if [*map(plain_text, each)] != names]
    rows = zip(*(map(fold_cell, cells) for cells in columns), strict=True)
    return [*rows] or [None] * len(ids)


def plain_text(cell):
    """Return a cell as text, with one space for each gap."""
    return " ".join(f"{cell}".split())


def fold_text(text):
    """Return a text in lower case; ``casefold`` would make "Maße" and "Masse" one."""
    return plain_text(text).lower()


def fold_cell(cell):
    """Return what is equal in equal cells; arrays, images and paths are alone."""
    if isinstance(cell, str):
        return fold_text(cell)
    is_plain = cell is None or isinstance(cell, Number | np.generic | date)
    return (plain_text(cell),) if is_plain else object()


def make_ids(pool):
    """Return hashes of the rows; equal rows get a number behind the hash."""
    seen, out = Counter(), []
    for key in hash_rows(pool).tolist():
        seen[key] += 1
        out.append(f"{key:016x}" + (f"-{seen[key]}" if seen[key] > 1 else ""))
    return out


def to_json_id(id):
    """Return an id as a str or int."""
    if isinstance(id, str):
        return str(check_text(id))
    if isinstance(id, Integral) and not isinstance(id, bool) and is_id(int(id)):
        return int(id)
    raise TypeError(f"An id must be a text or an integer of 64 bits, got {id!r}.")


def check_text(text):
    """Raise ValueError for a text that UTF-8 cannot hold; return the text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{text!r} contains an unpaired surrogate and cannot be stored as UTF-8."
        ) from None
    return text


def check_texts(pool, ids):
    """Raise ValueError if some rows of a pool are texts and others are not."""
    is_series = is_frame(pool) or isinstance(pool, np.ndarray)
    if not (isinstance(pool, list) or (is_series and pool.ndim == 1)):
        return
    are_texts = [isinstance(row, str) for row in pool]
    if any(are_texts) and not all(are_texts):
        row = are_texts.index(False)
        cell = pool.iloc[row] if is_frame(pool) else pool[row]
        raise ValueError(
            f"Row {ids[row]!r} of the pool has {cell!r} in place of a text. Fill "
            f"it in, or leave it out ({are_texts.count(False)} of {len(ids)} rows)."
        )
