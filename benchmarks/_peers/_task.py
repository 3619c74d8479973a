"""Tasks on which a competitor is timed."""

from collections.abc import Callable
from typing import NamedTuple

#: Rows that those are given who take a millisecond for one.
FEW = 300


class Pass(NamedTuple):
    """One pass over a stream: what to call, and how many rows it reads.

    The call returns how many labels were used.
    """

    call: Callable
    n_rows: int


class Pool(NamedTuple):
    """Rows for sale, their labels, the rows that are labelled first, and a budget."""

    X: object
    y: object
    first: object
    n_labels: int
