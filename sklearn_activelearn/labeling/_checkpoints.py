"""What a learner was before some of its calls, to go back to without all of them."""

from copy import copy

#: So many of the last states are kept, and about as many older ones.
N_LAST = 16


class Checkpoints:
    """States of a learner, dense towards the end and sparse before."""

    def __init__(self):
        self._last, self._older, self._step, self._n_added = [], [], 1, 0

    def add(self, n_calls, recorded):
        """Keep what a recorded learner is after so many calls."""
        self._last.append((n_calls, copy(recorded)))
        if len(self._last) <= N_LAST:
            return
        oldest = self._last.pop(0)
        if self._n_added % self._step == 0:
            self._older.append(oldest)
        self._n_added += 1
        if len(self._older) > N_LAST:
            self._older, self._step = self._older[::2], 2 * self._step

    def before(self, n_calls):
        """Return the last state after no more calls, and how many; None: none is left.

        Later ones are forgotten.
        """
        for states in (self._last, self._older):
            while states and states[-1][0] > n_calls:
                states.pop()
        for states in (self._last, self._older):
            if states:
                n_done, recorded = states[-1]
                return n_done, copy(recorded)
        return None
