"""How a verb changes a learner: all at once, at its very end, or not at all.

A verb works on a copy. Its last instruction puts the copy in the learner's place, if
nothing else has changed the learner meanwhile. CPython delivers Ctrl-C and switches
threads when a function is called, when one written in C returns, and when a loop goes
round, not between a comparison and the assignment that follows it: so a verb that was
interrupted has stored nothing, and of two threads one gets an error. (With a lock
around the whole verb instead, an interrupt after the assignment raises although the
labels are stored.)
"""

from threading import Lock
from weakref import WeakValueDictionary

#: By the id of a learner, what is locked while its `learn` is under way.
locks = WeakValueDictionary()
making_locks = Lock()


class Draft:
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
        self.learner = shallow(original)

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


def shallow(learner):
    """Return a copy that shares its attributes, whatever `copy` makes of a subclass."""
    copy = type(learner).__new__(type(learner))
    copy.__dict__.update(learner.__dict__)
    return copy


def lock_of(learner):
    """Return what is locked while the learner's `learn` is under way.

    To be used in a `with` statement: a lock is acquired and released in C, so no
    interrupt leaves it locked. (Two threads that both find it open in the same instant
    learn one after the other.)
    """
    with making_locks:
        return locks.setdefault(id(learner), Lock())


def refuse_while_learning(learner):
    """Raise if the learner's `learn` is under way."""
    lock = locks.get(id(learner))
    if lock is not None and lock.locked():
        raise RuntimeError(
            "learn is under way: its oracle, and other threads, may look at the "
            "learner, not change it."
        )
