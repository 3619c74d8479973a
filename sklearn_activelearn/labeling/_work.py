"""The learner's side of a session: what it is told, and what it asks for."""

from concurrent.futures import ThreadPoolExecutor
from threading import RLock

from .._containers import take
from ._book import Book
from ._player import replayed, script_of


class Record:
    """A journal and what it says, to be read and written under one lock.

    Parameters
    ----------
    journal : Journal
        With its first event.
    """

    def __init__(self, journal):
        self.journal, self.lock = journal, RLock()
        self.book = Book(journal.events)

    def enter(self, *records):
        """Note what happened, in the file first."""
        if not records:
            return
        try:
            for event in self.journal.append(*records):
                self.book.enter(event)
        except BaseException:  # Ctrl-C may come when the file has them already
            self.journal.reread()
            vars(self.book).update(vars(Book(self.journal.events)))
            raise


class Work:
    """Tells a learner what is new and lets it ask, in one thread of its own.

    Parameters
    ----------
    record : Record
        Where the calls are noted.
    ids : Ids
        Of the rows.
    player : callable
        ``player()`` makes a `Player` at its beginning.

    Attributes
    ----------
    player : Player
        It knows the labels of all teach events that have been carried out.
    """

    def __init__(self, record, ids, player):
        self._record, self._ids, self._make = record, ids, player
        self._n_done, self._n_unlearned, self._job = 0, None, None
        self.catch_up()
        self._thread = ThreadPoolExecutor(1, "training")

    @property
    def under_way(self):
        """The job that looks for rows; None while there is none."""
        return None if self._job is None or self._job.done() else self._job

    def find_rows(self):
        """Begin to look for rows to label.

        Returns
        -------
        job : Future or None
            Done when the learner has asked; None if it has nothing to ask.
        """
        if self.under_way is not None:
            return self._job
        book = self._record.book
        if not book.may_ask:
            return None
        waiting = book.waiting()
        if not book.is_told and (waiting or book.open):
            # fixed now: answers that come while it trains are for the next time
            events = [decision.event for decision in waiting]
            self._record.enter(("teach", {"events": events}))
        self._job = self._thread.submit(self._ask)
        return self._job

    def look_ahead(self, id):
        """Begin to look for the next rows when the first one of the last ones is shown.

        A stream learner that was taught nothing would let all rows pass.
        """
        book = self._record.book
        is_ready = not self.player.is_stream or book.any_told
        if is_ready and book.is_of_last_batch(id):
            self.find_rows()

    def forget(self, undo):
        """Note what is undone; begin to make the learner anew if it knows of that.

        Returns
        -------
        job : Future or None
        """
        n_unlearned = self._record.book.n_unlearned
        self._record.enter(undo)
        if self._record.book.n_unlearned == n_unlearned:
            return None
        return self._thread.submit(self.catch_up)

    def close(self):
        """Wait for what is under way."""
        self._thread.shutdown()

    def catch_up(self):
        """Carry out the calls that are noted and were not made yet."""
        book = self._record.book
        with self._record.lock:
            events, n_unlearned = list(self._record.journal.events), book.n_unlearned
            begins_anew = n_unlearned != self._n_unlearned
            new = events if begins_anew else events[self._n_done :]
            script = script_of(book, new, self._ids.row)
        if begins_anew:
            self.player = replayed(self._make, script)
        else:
            for call in script:
                if call.kind == "teach":  # asks were made when they were noted
                    self.player.teach(call.lesson)
        self._n_done, self._n_unlearned = len(events), n_unlearned

    def _ask(self):
        self.catch_up()
        player, asking = self.player, self.player.ask()
        body = {
            "rows": self._ids.at(asking.rows),
            "probabilities": asking.probabilities,
            "chunk": asking.chunk,
            "stop": asking.stop,
            "model": self._judged(player),
        }
        with self._record.lock:
            self._record.enter(("ask", body))
            player.note(asking)

    def _judged(self, player):
        """Return what the model says of the rows put aside, None if it said so."""
        n_taught, models = len(player.taught), self._record.book.models
        if not len(player.test) or not player.has_model:
            return None
        if models and models[-1]["n_taught"] == n_taught:
            return None
        labels, _ = player.predict(take(player.pool, player.test))
        return {"n_taught": n_taught, "test": labels}
