"""Purchases of a query, and the requests of stream learners that wait for a label."""

from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from ..utils.typing import Floats, Ints, Labels

#: Number of dictionaries over which requests are spread; a change copies one of them.
N_PARTS = 256

#: Number of requests for equal rows in a block; a change copies one block.
BLOCK = 256

#: A packed request takes a quarter of the memory of its numbers as Python objects.
RECORD = Struct("<qdddd")


class Purchase(NamedTuple):
    """Rows that a query chose to buy.

    Attributes
    ----------
    rows : ndarray of int of shape (n_bought,)
        Row numbers, in the order in which to label the rows.
    probabilities : ndarray of shape (n_bought,)
        Probability with which each row was bought; 1 for rows that were not drawn.
    utilities : ndarray of shape (n_bought,) or None
        Utility of each row, NaN for rows that were drawn. None for a stream learner.
    purposes : str or ndarray of str
        Purpose of the labels, one for all rows or one for each; "" to learn from.
    reasons : str or ndarray of str
        Why the rows were chosen, one word for all rows or one for each. "": the
        `reason` of the query rule.
    memory : object
        Value that a query rule of a pool learner finds in ``round.memory`` at the next
        purchase. None leaves the last one.
    """

    rows: Ints
    probabilities: Floats
    utilities: Floats | None = None
    purposes: str | Labels = ""
    reasons: str | Labels = ""
    memory: Any = None

    def answer(self, with_probability, with_utility, with_reason):
        """Return the rows, and the other columns that the caller of a query wants."""
        out = [self.rows]
        if with_probability:
            out.append(self.probabilities)
        if with_utility:
            out.append(self.utilities)
        if with_reason:
            out.append(np.broadcast_to(self.reasons, len(self.rows)).copy())
        return tuple(out) if len(out) > 1 else self.rows


class Request(NamedTuple):
    """A row of a stream that was asked for, until it is taught or skipped.

    Attributes
    ----------
    number : int
        Position among all requests, in the order in which they were made.
    probability : float
        Probability with which the row was bought.
    least : float
        Lower bound of that probability; 0 if the label says nothing about the error.
    guess : float
        Number of the predicted class.
    row : float
        Number of the row among the rows that could be bought.
    """

    number: int
    probability: float
    least: float = 0.0
    guess: float = 0.0
    row: float = 0.0

    @property
    def forecast(self):
        """The prediction for the row, and the weight of its comparison with a label."""
        return self[2:]


class Requests:
    """Pending requests of a stream learner, never changed in place.

    Rows are recognised by their keys. Equal rows are answered in the order in which
    they were asked for. Adding or removing a request takes the same time whatever the
    number of pending requests.

    Parameters
    ----------
    parts : tuple of dict
        Packed requests in blocks, by the key of the row; a part holds the keys with one
        remainder.
    n_pending : int
        Number of pending requests.
    n_asked : int
        Number of the next request.
    """

    def __init__(self, parts=({},) * N_PARTS, n_pending=0, n_asked=0):
        self._parts, self._n_pending, self._n_asked = parts, n_pending, n_asked

    def __len__(self):
        return self._n_pending

    def add(self, keys, probabilities, forecasts=None):
        """Return the requests with one more for each of these keys."""
        if forecasts is None:
            forecasts = np.zeros((len(keys), 3))
        copies, number = CopiedParts(self._parts), self._n_asked
        columns = keys.tolist(), probabilities.tolist(), *forecasts.T.tolist()
        for key, *values in zip(*columns, strict=True):
            part, request = copies[key % N_PARTS], RECORD.pack(number, *values)
            blocks = part.get(key, ())
            if blocks and len(blocks[-1]) < BLOCK * RECORD.size:
                *blocks, last = blocks
                request = last + request
            part[key] = (*blocks, request)
            number += 1
        return Requests(copies.all(), self._n_pending + len(keys), number)

    def take(self, keys):
        """Return the requests that stay pending, and the request of each key or None.

        Parameters
        ----------
        keys : ndarray of uint64 of shape (n_rows,)
            Keys of the rows that are taught or skipped.
        """
        found, copies = [None] * len(keys), CopiedParts(self._parts)
        for i, key in enumerate(keys.tolist()):
            if key not in self._parts[key % N_PARTS]:
                continue
            part = copies[key % N_PARTS]
            if key not in part:  # there were fewer requests than equal rows
                continue
            first, *others = part.pop(key)
            found[i] = Request(*RECORD.unpack_from(first))
            if rest := first[RECORD.size :]:
                others.insert(0, rest)
            if others:
                part[key] = tuple(others)
        n_pending = self._n_pending - len(found) + found.count(None)
        if n_pending == 0:  # the state before the first request
            return Requests(), found
        return Requests(copies.all(), n_pending, self._n_asked), found

    def pending(self, identity):
        """Return the row numbers of pending rows in the order asked."""
        _, found = self.take(identity.keys())
        rows = [row for row, request in enumerate(found) if request is not None]
        return np.array(sorted(rows, key=lambda row: found[row].number), np.int64)


class CopiedParts(dict):
    """The parts of `Requests`, each copied when it is first used.

    Parameters
    ----------
    parts : tuple of dict
        The parts, which stay as they are.
    """

    def __init__(self, parts):
        self.parts = parts

    def __missing__(self, number):
        self[number] = self.parts[number].copy()
        return self[number]

    def all(self):
        """Return all parts, changed or not."""
        return tuple(map(self.get, range(N_PARTS), self.parts)) if self else self.parts
