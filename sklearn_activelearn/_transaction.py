"""How a verb changes a learner: all at once, at its very end, or not at all.

A verb works on a copy. Its last instruction puts the copy in the learner's place, if
nothing else has changed the learner meanwhile. CPython delivers Ctrl-C and switches
threads when a function is called, when one written in C returns, and when a loop goes
round, not between a comparison and the assignment that follows it: so a verb that was
interrupted has stored nothing, and of two threads one gets an error. (With a lock
around the whole verb instead, an interrupt after the assignment raises although the
labels are stored.)
"""

from functools import partial
from threading import Lock

from ._interrupts import ensure_done


class Transaction:
    """A shallow copy of a learner that may take its place.

    Parameters
    ----------
    original : learner
        What to copy.

    Attributes
    ----------
    learner : learner
        The copy. Attributes are replaced in it, never written into.
    """

    def __init__(self, original):
        self.original, self._before = original, original.__dict__
        self.learner = shallow_copy(original)

    def commit(self, learner=None):
        """Put the copy, or one of that, in the place of the original; return that."""
        after = (self.learner if learner is None else learner).__dict__
        original, before = self.original, self._before
        if original.__dict__ is not before:
            raise RuntimeError(
                "The learner was changed meanwhile, by another thread or by a call "
                "from within this one; this call changed nothing. Make it again."
            )
        original.__dict__ = after
        return original


def shallow_copy(learner):
    """Return a copy that shares its attributes, whatever `copy` makes of a subclass."""
    copy = type(learner).__new__(type(learner))
    copy.__dict__.update(learner.__dict__)
    return copy


def parameters_of(learner):
    """Return the attributes of a learner that are neither fitted nor its own."""
    return {
        name: value
        for name, value in vars(learner).items()
        if "_" not in (name[0], name[-1])
    }


def forget_fitted(learner):
    """Delete the fitted attributes, but for those that its first rows set."""
    kept = {*learner.get_params(deep=False), "n_features_in_", "feature_names_in_"}
    for name in set(vars(learner)) - kept:
        if name.endswith("_") and not name.startswith("_"):
            delattr(learner, name)


def begin_transaction(learner):
    """Return a transaction for a verb; refuse one while `learn` is under way.

    So does `fit` of a pool learner.
    """
    transaction = Transaction(learner)
    # of the copy: learn may begin in between
    lock = vars(transaction.learner).get("_under_way")
    if lock is not None and lock.locked():
        raise RuntimeError(
            "learn is under way (or fit, of a pool learner): until it ends the learner "
            "cannot be changed, not by its oracle either."
        )
    return transaction


def run_exclusively(learner, start, go_on):
    """Commit what ``start(copy)`` does to a copy, then run ``go_on`` with its results.

    Other calls that would change the learner are refused until that has ended.
    """
    own = Lock()
    with own:  # acquired and released in C: no interrupt leaves it locked
        transaction = begin_transaction(learner)
        arguments = start(transaction.learner)
        transaction.learner._under_way = own  # of two that begin at once one commits it
        transaction.commit()
        end = partial(end_exclusive, learner)
        try:
            go_on(*arguments)
        finally:
            ensure_done(end)
    return learner


def end_exclusive(learner):
    """Note that nothing is under way; refuse transactions begun meanwhile."""
    transaction = Transaction(learner)
    transaction.learner.__dict__.pop("_under_way", None)
    transaction.commit()
