# cython: language_level=3
"""Steps that Ctrl-C cannot fall between.

CPython delivers signals when a function written in Python is entered, when one
written in C returns to Python, and when a loop goes round. It delivers none while
compiled code hands over from one line to the next.
"""

from ._labels import one_for_each


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
    return ensure_done(lambda: keep(one_for_each(rows, labels)))
