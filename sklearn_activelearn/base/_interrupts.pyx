# cython: language_level=3
"""Steps that Ctrl-C cannot fall between.

CPython delivers signals when a function written in Python is entered, when one
written in C returns to Python, and when a loop goes round. It delivers none while
compiled code hands over from one line to the next.
"""

import numpy as np

from cpython.exc cimport PyErr_SetInterrupt
from libc.stdint cimport int32_t, int64_t

from ._labels import encode_answers, check_oracle_labels

cdef type ARRAY = np.ndarray


def ensure_done(step):
    """Call ``step()``, once more if an interrupt ends it early, and let that pass.

    Parameters
    ----------
    step : callable
        Does the same however often it is called. What fails by itself fails again;
        the first error is raised.
    """
    try:
        return step()
    except BaseException:
        try:
            step()
        except Exception:
            pass
        raise


def call_whole(function, *arguments):
    """Return what a function returns; Ctrl-C in it is raised at a later step.

    Parameters
    ----------
    function : callable
        It has no lasting effect but its answer, and is called again after an interrupt.
    *arguments
        Its arguments.
    """
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        answer = function(*arguments)
        PyErr_SetInterrupt()
        return answer


def ask_oracle(oracle, rows, keep):
    """Ask an oracle for labels, and have them kept even if an interrupt comes then.

    Parameters
    ----------
    oracle : callable
        ``oracle(rows) -> labels``.
    rows : ndarray of int
        What to ask for.
    keep : callable
        ``keep(labels)`` has the labels, an array of as many, for good when it ends; the
        same however often it is called.
    """
    labels = oracle(rows.copy())
    if isinstance(keep, SingleLabels) and (<SingleLabels> keep).knows(labels):
        return
    kept_in_any_case(rows, labels, keep)


cdef kept_in_any_case(rows, labels, keep):
    return ensure_done(lambda: keep(check_oracle_labels(rows, labels)))


cdef class SingleLabels:
    """Asks for the labels of rows one at a time, and keeps their codes.

    Parameters
    ----------
    commit : callable
        ``commit()`` stores the learner's state; called before each question.
    answer : callable
        ``answer(rows, keep)`` as `ask_oracle`, the oracle bound.
    codes : array of int32 of shape (n_samples,)
        Receives the codes, by row number.
    known : dict
        Codes by label.
    names : array of int64 of shape (n_samples,), or None
        What the oracle is asked for instead of row numbers.
    """

    cdef object commit, answer, asked, plain
    cdef int32_t[::1] codes
    cdef const int64_t[::1] names
    cdef int64_t[::1] name
    cdef Py_ssize_t row
    cdef dict known

    def __init__(
        self, commit, answer, int32_t[::1] codes, dict known,
        const int64_t[::1] names=None,
    ):
        self.commit, self.answer = commit, answer
        self.codes, self.known, self.names = codes, known, names
        self.asked = np.empty(1, dtype=np.int64)
        self.name = self.asked

    def ask(self, Py_ssize_t row):
        """Have the code of a row."""
        self.commit()
        self.row = row
        self.name[0] = row if self.names is None else self.names[row]
        self.answer(self.asked, self)

    def __call__(self, labels):
        """Keep the code of a label, an array of one."""
        codes, why = encode_answers(labels, self.asked, self.known)
        if why:
            raise ValueError(why)
        self.codes[self.row] = codes[0]

    cdef bint knows(self, labels) except -1:
        """Keep the code of a label of a plain kind at once; say whether it was one.

        Neither taking it out of the array nor looking it up runs any Python.
        """
        if type(labels) is not ARRAY or labels.ndim != 1 or len(labels) != 1:
            return False
        if labels.dtype is not self.plain:
            if labels.dtype.kind not in "biufUS":
                return False
            self.plain = labels.dtype
        code = self.known.get(labels.item())
        if code is None:
            return False
        self.codes[self.row] = code
        return True
