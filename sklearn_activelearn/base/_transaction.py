"""Transactions: a verb changes a learner completely at its end, or not at all.

A verb works on a copy. Its last instruction puts the copy in the place of the learner,
unless the learner has been changed since. CPython delivers Ctrl-C and switches threads
when a function is called, when a function written in C returns, and at the end of a
round of a loop, but not between a comparison and the assignment that follows. A verb
that is interrupted has therefore stored nothing, and of two threads one gets an error.
With a lock around the whole verb, an interrupt after the assignment would raise
although the labels are stored.
"""

from functools import partial
from threading import Lock

from ._interrupts import ensure_done


class Transaction:
    """A shallow copy of a learner that can take its place.

    Parameters
    ----------
    original : learner
        The learner to copy.
    in_loop : bool
        True for a step of the running loop: `learn`, or `fit` or `partial_fit` of a
        pool learner. Other transactions are refused while a loop runs.

    Attributes
    ----------
    learner : learner
        The copy. Its attributes are replaced, never written into.

    Raises
    ------
    RuntimeError
        If a loop runs.
    """

    def __init__(self, original, in_loop=False):
        self.original, self._before = original, original.__dict__
        self.learner = shallow_copy(original)
        # the lock is taken from the copy, since a loop may start at this moment
        lock = self.learner.__dict__.get("_under_way")
        if lock is not None and not in_loop and lock.locked():
            raise RuntimeError(
                "learn or fit is running. Until it ends, no other call may change the "
                "learner, not even a call by its oracle."
            )

    def commit(self, learner=None):
        """Put the copy, or a given learner, in the place of the original."""
        after = (self.learner if learner is None else learner).__dict__
        original, before = self.original, self._before
        if original.__dict__ is not before:
            raise RuntimeError(
                "The learner was changed during this call, by another thread or by a "
                "call from within. This call has changed nothing. Repeat it."
            )
        original.__dict__ = after
        return original


def shallow_copy(learner):
    """Return a copy that shares the attributes, also if a class defines `__copy__`."""
    copy = type(learner).__new__(type(learner))
    copy.__dict__.update(learner.__dict__)
    return copy


def parameters_of(learner):
    """Return the attributes of a learner that are neither fitted nor private."""
    return {
        name: value
        for name, value in vars(learner).items()
        if "_" not in (name[0], name[-1])
    }


def forget_fitted(learner):
    """Delete the fitted attributes, except the number and names of the features."""
    kept = {*learner.get_params(deep=False), "n_features_in_", "feature_names_in_"}
    for name in set(vars(learner)) - kept:
        if name.endswith("_") and not name.startswith("_"):
            delattr(learner, name)


def run_exclusively(learner, start, go_on):
    """Commit the changes of ``start(copy)``, then run ``go_on`` with its results.

    Until ``go_on`` ends, other calls that would change the learner are refused.
    """
    own = Lock()
    with own:  # acquired and released in C, so no interrupt leaves it locked
        transaction = Transaction(learner)
        arguments = start(transaction.learner)
        transaction.learner._under_way = own  # of two threads one commits it
        transaction.commit()
        end = partial(end_exclusive, learner)
        try:
            go_on(*arguments)
        finally:
            ensure_done(end)
    return learner


def end_exclusive(learner):
    """Record that no loop runs; transactions that have begun since are refused."""
    transaction = Transaction(learner, in_loop=True)
    transaction.learner.__dict__.pop("_under_way", None)
    transaction.commit()
