"""What happens in a session: first in its file, then in its state."""

from collections import deque
from contextlib import suppress
from threading import RLock

from .._interrupts import ensure_done
from ._bodies import checked_state
from ._commands import check_who
from ._state import SessionState


class EventLog:
    """A journal and what it says, to be read and written under one lock.

    Parameters
    ----------
    journal : Journal
        With its first event.
    """

    def __init__(self, journal):
        self.journal, self.lock = journal, RLock()
        self.state = checked_state(journal.events, journal.path)
        self._refusal = None
        self._is_given_away = False
        self._n_applied = len(journal.events)
        self._commands = deque()

    def record(self, *records):
        """Record events, in the file first; return how many."""
        if not records:
            return 0
        try:
            self.settle()
            for event in self.journal.append(*records):
                self.state.apply(event)
                self._n_applied += 1
        except BaseException:  # Ctrl-C may come when the file has them already
            with suppress(OSError, ValueError):
                self.settle()
            raise
        return len(records)

    def together(self, call):
        """Return what a call returns that is made with the lock held.

        The calls of all threads that wait for the lock share one transaction, because
        a commit takes much longer than a call. If it fails, all of them raise its
        error.

        Parameters
        ----------
        call : callable
            ``call(record)`` checks something and records events, ``record(*events)``.
            It must wait for nothing.
        """
        command = Command(call)
        self._commands.append(command)
        try:
            with self.lock:
                if not command.is_done:
                    self._commit_with(command)
        except BaseException:  # Ctrl-C: nobody else is to carry it out
            command.is_withdrawn = True
            raise
        return command.result()

    def _commit_with(self, own):
        """Carry out a command, and those of the threads that wait, in one transaction.

        The state is ahead of the file until the commit, but nobody sees it: the lock
        is held, and what commands have returned is kept back.
        """
        waiting = [self._commands.popleft() for _ in range(len(self._commands))]
        others = (c for c in waiting if c is not own and not c.is_withdrawn)
        commands = [own, *others]
        staged, is_ended = [], False

        def record(*records):
            new = self.journal.following(records, staged)
            self._n_applied = None
            for event in new:
                staged.append(event)
                self.state.apply(event)

        def end():
            with suppress(OSError, ValueError):
                self.journal.settle()
            self._follow()
            # after Ctrl-C the threads of the others carry them out
            if is_ended or (staged and staged[-1] == self.journal.events[-1]):
                for command in commands:
                    command.is_done = True

        try:
            self.check_open()
            for command in commands:
                n_staged = len(staged)
                command.carry_out(record)
                if command.error is not None and len(staged) > n_staged:
                    del staged[n_staged:]  # it has failed: nothing of it happened
                    self._set_state([*self.journal.events, *staged])
            if staged:
                self.journal.commit(staged)
            self._n_applied, is_ended = len(self.journal.events), True
        except Exception as error:  # none of them counts
            for command in commands:
                command.error = command.error or error
            is_ended = True
        finally:
            ensure_done(end)

    def check_kept(self):
        """Raise if another session has the file, and what is known here is old."""
        if self._is_given_away:
            raise ValueError(self._refusal)

    def check_open(self, *people):
        """Raise unless they may have events recorded; call it with the lock held."""
        if self._refusal is not None:
            raise ValueError(self._refusal)
        for who in people:
            check_who(who, self.state.begin["votes"])
        self.settle()

    def end(self, refusal, is_given_away=False):
        """Let no more events be recorded, for a reason; the first one counts."""
        with self.lock:
            self._refusal = self._refusal or refusal
            self._is_given_away = self._is_given_away or is_given_away

    def settle(self):
        """Let the state follow the file if an interrupted call has left it behind."""
        self.journal.settle()
        self._follow()

    def _follow(self):
        """Rebuild the state if it is not that of the events in the file."""
        if self._n_applied != len(self.journal.events):
            self._set_state(self.journal.events)
            self._n_applied = len(self.journal.events)

    def _set_state(self, events):
        vars(self.state).update(vars(SessionState(events)))


class Command:
    """A call that a thread wants made, and what came of it.

    Parameters
    ----------
    call : callable
        As for `EventLog.together`.
    """

    def __init__(self, call):
        self._call = call
        self._value = self.error = None
        self.is_done = self.is_withdrawn = False

    def carry_out(self, record):
        """Make the call, and keep what it returns or raises."""
        self._value = self.error = None
        try:
            self._value = self._call(record)
        except Exception as error:
            self.error = error

    def result(self):
        """Return what the call has returned, or raise its error."""
        if self.error is not None:
            raise self.error
        return self._value
