"""The worker of a session: it trains the learner and lets it ask, in a thread."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ..sources._containers import take
from ._calls import n_same, recorded_calls
from ._checkpoints import Checkpoints
from ._database import patient
from ._replay import replay, restored_from

#: What a session says once another one of its process has its file.
GIVEN_AWAY = (
    "This session has given its file to one that was opened after it in the same "
    "process; use that one."
)


class Worker:
    """Teaches a learner what is new and lets it ask, in one thread of its own.

    Parameters
    ----------
    record : Record
        Where the calls are noted.
    ids : Ids
        Of the rows.
    make : callable
        ``make()`` returns a `RecordedLearner` that has seen nothing.

    Attributes
    ----------
    recorded : RecordedLearner
        It knows the labels of all teach events that have been carried out.
    """

    def __init__(self, log, ids, make):
        self._log, self._ids, self._make = log, ids, make
        self._n_events, self._n_unlearned = 0, 0
        self._job = self._job_after = None  # the job, and the ask before it
        self._calls, self._checkpoints = [], Checkpoints()
        self.recorded = make()
        self.catch_up(is_opening=True)
        self._thread = ThreadPoolExecutor(1, "training")
        log.journal.belongs_to(self)

    @property
    def under_way(self):
        """The job that finds the next rows; None while there is none.

        Once they are noted it has ended, even if its thread takes a moment more.
        """
        if self._job is None or self._job.done():
            return None
        return self._job if self._log.state.last_ask == self._job_after else None

    def find_rows(self):
        """Start to find rows to label.

        Returns
        -------
        job : Future or None
            Done when the learner has asked; None if it has nothing to ask.
        """
        if self.under_way is not None:
            return self._job
        state = self._log.state
        if not state.may_ask:
            return None
        waiting = state.waiting()
        if not state.is_settled and (waiting or state.open):
            # fixed now: answers that come while it trains are for the next time
            events = [decision.event for decision in waiting]
            self._log.record(("teach", {"events": events}))
        self._job_after = state.last_ask
        self._job = self._thread.submit(self._ask, state.last_ask)
        return self._job

    def look_ahead(self, id):
        """Start to find the next rows when the first one of the last ones is shown.

        A stream learner that was taught nothing would let all rows pass.
        """
        state = self._log.state
        is_ready = not self.recorded.is_stream or state.any_taught
        if is_ready and self.under_way is None and state.is_of_last_batch(id):
            with self._log.lock:
                self._log.check_open()
                if state.is_of_last_batch(id):
                    self.find_rows()

    def forget(self, *undos):
        """Note what is undone; start to rebuild the learner if it was taught that.

        Returns
        -------
        job : Future or None
        """
        n_unlearned = len(self._log.state.unlearned)
        self._log.record(*undos)
        if len(self._log.state.unlearned) == n_unlearned:
            return None
        return self._thread.submit(self.catch_up)

    def close(self, refusal, is_given_away=False):
        """Wait for what is under way, close the file and say why from now on."""
        self._log.end(refusal, is_given_away)
        self._thread.shutdown()
        with self._log.lock:  # somebody may be adding events
            self._log.journal.close()

    def hand_over(self, may_have):
        """Give the file to a session of this process that is opened after this one.

        Parameters
        ----------
        may_have : callable
            Called with the state; it raises if that session cannot go on with it.
        """
        with self._log.lock:
            may_have(self._log.state)
        self.close(GIVEN_AWAY, is_given_away=True)

    def catch_up(self, *, is_opening=False):
        """Carry out the calls that are noted and were not made yet."""
        state = self._log.state
        with self._log.lock:
            events, n_unlearned = self._log.journal.events, len(state.unlearned)
            n_events = len(events)
            is_new_past = is_opening or n_unlearned != self._n_unlearned
            new = (
                events[:n_events] if is_new_past else events[self._n_events : n_events]
            )
            calls = recorded_calls(state, new, self._ids.row)
        if is_new_past:
            self.recorded, self._calls = self._rebuilt(calls), calls
        else:
            for call in calls:
                if call.kind == "teach":  # asks were made when they were noted
                    self._keep_checkpoint(len(self._calls), self.recorded)
                    self.recorded.teach(call.labels)
                self._calls.append(call)
        self._n_events, self._n_unlearned = n_events, n_unlearned

    def _rebuilt(self, calls):
        """Return a learner after these calls, with as little training as possible."""
        recorded = self._make()
        if restored_from(recorded, calls):
            return recorded
        found = self._checkpoints.before(n_same(self._calls, calls))
        n_done, recorded = found or (0, self._make())
        keep = partial(self._keep_checkpoint, recorded=recorded)
        replay(recorded, calls, n_done, keep)
        return recorded

    def _keep_checkpoint(self, n_calls, recorded):
        """Keep what a learner is before a call teaches it, if it cannot be restored."""
        if not recorded.is_stream and not recorded.can_be_restored(self._calls):
            self._checkpoints.add(n_calls, recorded)

    def _ask(self, last_ask):
        if self._log.state.last_ask != last_ask:
            return  # Ctrl-C came between this call and the note that it was begun
        self.catch_up()
        recorded, outcome = self.recorded, self.recorded.ask()
        body = {
            "rows": self._ids.at(outcome.rows),
            "probabilities": outcome.probabilities,
            "chunk": outcome.chunk,
            "stop": outcome.stop,
            "model": self._judged(recorded),
            "learner": outcome.progress,
        }
        self._note(body, recorded, outcome)

    @patient
    def _note(self, body, recorded, outcome):
        with self._log.lock:
            self._log.record(("ask", body))
            recorded.accept(outcome)

    def _judged(self, recorded):
        """Return the predictions for the rows put aside, None if they are recorded."""
        n_taught, models = len(recorded.taught), self._log.state.models
        if not len(recorded.test) or not recorded.has_model:
            return None
        last = models[-1] if models else {"n_taught": None, "test": []}
        if (n_taught, len(recorded.test)) == (last["n_taught"], len(last["test"])):
            return None
        labels, _ = recorded.predict(take(recorded.pool, recorded.test))
        return {"n_taught": n_taught, "test": labels}
