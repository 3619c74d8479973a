"""What a query bought, and what a stream learner has not been taught yet."""

from struct import Struct
from typing import NamedTuple

import numpy as np

from ._typing import Floats, Ints, Labels

PARTS = 256  # in which requests are kept: one of them is copied for a change
BLOCK = 256  # requests of equal rows that are copied for a change

#: A request takes so many bytes; as objects its numbers would take four times as many.
RECORD = Struct("<qdddd")


class Purchase(NamedTuple):
    """Rows that a query chose to buy.

    Attributes
    ----------
    rows : ndarray of int of shape (n_bought,)
        Their numbers, in the order in which to label them.
    probabilities : ndarray of shape (n_bought,)
        With which each was bought; 1 where nothing was drawn.
    utilities : ndarray of shape (n_bought,) or None
        What each is worth, NaN for rows that were drawn; a stream knows none.
    purposes : str or ndarray of str
        What the labels are for, one for all or one each; "" to learn from.
    """

    rows: Ints
    probabilities: Floats
    utilities: Floats | None = None
    purposes: str | Labels = ""


class Request(NamedTuple):
    """A row that was asked for, until it is taught or skipped."""

    number: int  # in the order asked
    probability: float  # with which it was bought
    least: float = 0.0  # that this can have been; 0: its label tells no error
    guess: float = 0.0  # class that was predicted, by number
    row: float = 0.0  # its number among the rows that could be bought

    @property
    def forecast(self):
        """What its label is compared with, and how much that weighs."""
        return self[2:]


class Requests:
    """Rows that are out, first in, first out per row value; never changed itself.

    To add a request or to take one away costs the same however many there are: a
    dict of all would have to be copied, of many small ones only one is.

    Parameters
    ----------
    parts : tuple of dict
        For each key of a row its requests in the order asked, packed, in blocks.
    n_out : int
        How many requests there are.
    n_asked : int
        The number of the next one.
    """

    def __init__(self, parts=({},) * PARTS, n_out=0, n_asked=0):
        self._parts, self._n_out, self._n_asked = parts, n_out, n_asked

    def __len__(self):
        return self._n_out

    def plus(self, keys, probabilities, forecasts=None):
        """Return these requests and one more for each row with these keys."""
        if forecasts is None:
            forecasts = np.zeros((len(probabilities), 3))
        changes, n = Changes(self._parts), len(keys)
        numbers = range(self._n_asked, self._n_asked + n)
        columns = numbers, probabilities.tolist(), *forecasts.T.tolist()
        for key, request in zip(keys.tolist(), map(RECORD.pack, *columns), strict=True):
            changes[key] = appended(changes[key], request)
        return Requests(changes.parts(), self._n_out + n, self._n_asked + n)

    def answered(self, keys):
        """Return what is still out when rows are taught, and each row's request.

        That is None for a row that nobody asked for.
        """
        found = [None] * len(keys)
        if not self._n_out:
            return self, found
        changes, n_out = Changes(self._parts), self._n_out
        for row, key in enumerate(keys.tolist()):
            if waiting := changes[key]:
                found[row] = Request(*RECORD.unpack_from(waiting[0]))
                rest = waiting[0][RECORD.size :]
                changes[key] = (rest, *waiting[1:]) if rest else waiting[1:]
                n_out -= 1
        if n_out == 0:  # the same as if nothing had been asked for
            return Requests(), found
        return Requests(changes.parts(), n_out, self._n_asked), found

    def pending(self, keys):
        """Return which of these rows are out, in the order asked."""
        _, found = self.answered(keys)
        rows = [row for row, request in enumerate(found) if request is not None]
        return np.array(sorted(rows, key=lambda row: found[row].number), np.int64)


class Changes:
    """Parts of a dict, each of them copied when it is first written to."""

    def __init__(self, parts):
        self._parts, self._copies = parts, {}

    def __getitem__(self, key):
        part = key % PARTS
        return self._copies.get(part, self._parts[part]).get(key, ())

    def __setitem__(self, key, blocks):
        number = key % PARTS
        if number not in self._copies:
            self._copies[number] = self._parts[number].copy()
        if blocks:
            self._copies[number][key] = blocks
        else:
            del self._copies[number][key]

    def parts(self):
        """Return the parts as they are now."""
        if not self._copies:
            return self._parts
        return tuple(map(self._copies.get, range(PARTS), self._parts))


def appended(blocks, request):
    """Return blocks of packed requests with one more at the end."""
    if blocks and len(blocks[-1]) < BLOCK * RECORD.size:
        return (*blocks[:-1], blocks[-1] + request)
    return (*blocks, request)
