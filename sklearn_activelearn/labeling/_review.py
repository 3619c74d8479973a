"""The review of a session: what was answered, found again and corrected."""

from collections.abc import Callable, Iterable
from concurrent.futures import wait
from datetime import date
from time import time
from typing import Any, Literal, NamedTuple, TypeAlias

from .._typing import Id, Label
from .._validation import check_number, check_option
from ._commands import check_who, note_event, reopen_events, undo_event
from ._database import patient
from ._decisions import SKIP
from ._doubtful import DoubtfulSearch, decided_labels
from ._standing import ReviewRow, Search, instant, last_event, review_row, text_of_item
from ._status import Status, status_for

LISTS = ("labelled", "skipped", "disputed", "doubtful", "noted", "empty")
ReviewList: TypeAlias = Literal["labelled", "skipped", "disputed", "doubtful", "noted"]


class ReviewPage(NamedTuple):
    """A part of a list of rows to review."""

    rows: list[ReviewRow]
    n_rows: int  # in the whole list
    n_labels: int | None  # with which doubtful rows were found; None: not yet
    is_computing: bool  # whether they are being looked for
    error: str  # why they cannot be found


class Review:
    """What was answered in a session: lists, notes, and answers taken back."""

    lease: float
    row: Callable[[Id], Any]
    _doubtful_rows: Any
    _lock: Any
    _log: Any
    _state: Any
    _ids: Any
    _worker: Any
    _doubts: DoubtfulSearch

    def review(
        self, kind: ReviewList = "labelled", *, text: str = "",
        label: Label | None = None, who: str | None = None,
        since: str | date | None = None, until: str | date | None = None,
        start: int = 0, limit: int = 50, viewer: str | None = None,
        refresh: bool = False,
    ) -> ReviewPage:  # fmt: skip
        """Return rows that were answered or noted, for a look at them again.

        It waits for no training. Open a row with `answers` and `row`; correct it with
        `label`, also for a skipped row; take an answer back with `undo`.

        Parameters
        ----------
        kind : {"labelled", "skipped", "disputed", "doubtful", "noted"}
            "labelled", "skipped": rows that somebody has answered so, the last first.
            "disputed": people disagree. "doubtful": labels that a model trained
            without them contradicts, most of all first, as `doubtful`, without rows
            that were answered since; they are looked for in a thread, and the page is
            empty until they are there. "noted": rows with notes.
        text : str, default=""
            Words, all of which occur in what is shown of the row, its id, its notes or
            the reasons of its skips; upper and lower case are the same.
        label : label, default=None
            The label of the row, or of a vote while it is not decided.
        who : str, default=None
            A person who has answered it.
        since, until : str or date, default=None
            Answered at this time or later, and before that one: a date or a time, UTC
            unless it says otherwise, as an object or in ISO 8601.
        start : int >= 0, default=0
            How many rows of the list to leave out.
        limit : int >= 1, default=50
            How many to return at most.
        viewer : str, default=None
            Who sees this. With several votes a row that waits for more shows them
            their own vote and note only, as votes are to be independent.
        refresh : bool, default=False
            Whether to look for doubtful rows again.

        Returns
        -------
        page : ReviewPage
            ``rows``, each as `answers` returns it, of doubtful ones also ``predicted``,
            the label that the model expects; ``n_rows`` in the whole list; of doubtful
            rows ``n_labels`` with which they were found, ``is_computing``, and
            ``error``, why none can be found.

        Raises
        ------
        ValueError, TypeError
            For another kind, or what is no date.
        """
        check_option(kind, "kind", LISTS)
        check_number(start, "start", 0, closed="left", integer=True)
        check_number(limit, "limit", 1, closed="left", integer=True)
        words = text.casefold().split()
        search = Search(
            words, label, who, instant(since, "since"), instant(until, "until")
        )
        if kind == "doubtful":
            self._doubts.start(self._doubtful_rows, self._answered, refresh)
        with self._lock:
            listed = self._listed(kind)
            rows = [review_row(self._state, id, viewer) for id in listed]
        is_in = {
            "labelled": lambda row: any(a.label is not SKIP for a in row.answers),
            "skipped": lambda row: any(a.label is SKIP for a in row.answers),
        }.get(kind, lambda row: True)
        found = [row for row in rows if is_in(row) and search.finds(row, self._text_of)]
        if kind == "doubtful":
            found = [row._replace(predicted=listed[row.id]) for row in found]
        page = ReviewPage(found[start : start + limit], len(found), None, False, "")
        if kind != "doubtful":
            return page
        doubts = self._doubts
        return page._replace(
            n_labels=doubts.n_labels,
            is_computing=doubts.is_computing,
            error=doubts.error,
        )

    def answers(self, id: Id, *, viewer: str | None = None) -> ReviewRow:
        """Return the answers to one row, and the notes on it, as they stand.

        Parameters
        ----------
        id : str or int
            The row.
        viewer : str, default=None
            As for `review`.

        Returns
        -------
        row : ReviewRow
            ``id``; ``state``: "labelled", "skipped", "disputed", or "open" for a row
            that is not decided; ``label``, None unless it is labelled; ``answers``,
            each with ``who``, ``label`` (None for a skip), ``at``, ``reason`` and
            ``is_final``; ``notes``, each with ``who``, ``text`` and ``at``.

        Raises
        ------
        ValueError
            For an id that is not there.
        """
        with self._lock:
            return review_row(self._state, self._ids.own(id), viewer)

    @patient
    def note(self, id: Id, text: str, who: str | None = None) -> None:
        """Store a note on a row, in place of an earlier one of that person.

        Parameters
        ----------
        id : str or int
            Any row.
        text : str
            The note; empty takes it away.
        who : str, default=None
            The person.

        Raises
        ------
        ValueError
            For an id that is not there, and what is no text.
        """
        with self._lock:
            self._log.check_open()
            check_who(who, n_votes=1)
            self._log.record(*note_event(self._state, self._ids, id, text, who))

    @patient
    def undo(self, who: str | None = None, *, id: Id | None = None) -> Id:
        """Take back the last label or skip of a person; the row comes first again.

        A pool learner is rebuilt without it. What that asked for stays out.

        Parameters
        ----------
        who : str, default=None
            The person.
        id : str or int, default=None
            Take back their last answer to this row; one before it counts again. None:
            their last answer of all.

        Returns
        -------
        id : str or int
            The row.

        Raises
        ------
        ValueError
            If there is nothing to take back, or a stream learner knows it; as `next`.
        """

        def find():
            until = None if who is None else time() + self.lease
            is_stream = self._worker.recorded.is_stream
            row = None if id is None else self._ids.own(id)
            return [undo_event(self._state, is_stream, who, until, row)]

        ((_, undo),) = self._take_back(find, who)
        return undo["id"]

    @patient
    def reopen(
        self, ids: Iterable[Id] | None = None, who: str | None = None
    ) -> list[Id]:
        """Show skipped rows again: their skips are taken back, whoever gave them.

        A pool learner is rebuilt once. To label one of them, `label` is enough.

        Parameters
        ----------
        ids : list of str or int, default=None
            Skipped rows; None: all.
        who : str, default=None
            Who wants it.

        Returns
        -------
        ids : list of str or int
            The rows, in the order in which they come first again.

        Raises
        ------
        ValueError
            For a row that is not skipped; if a stream learner has passed it.
        """
        wanted = None if ids is None else [self._ids.own(id) for id in ids]

        def find():
            is_stream = self._worker.recorded.is_stream
            return reopen_events(self._state, is_stream, wanted, who)

        found = self._take_back(find, *([] if who is None else [who]))
        return [*dict.fromkeys(undo["id"] for _, undo in reversed(found))]

    def people(self) -> dict[str | None, Status]:
        """Return where the session stands for each person who has answered.

        Returns
        -------
        people : dict of str or None to Status
            As `status` of each; None for answers without a name.
        """
        with self._lock:
            state = self._state
            return {who: status_for(state, who) for who in state.by_person}

    def _take_back(self, find, *people):
        """Record the undo events that `find` returns, and let the learner follow."""
        while True:
            with self._lock:
                self._log.check_open(*people)
                undos, busy = find(), self._worker.under_way
                if busy is None or all(
                    self._state.is_untaught(body["id"]) for _, body in undos
                ):
                    job = self._worker.forget(*undos)
                    break
            wait([busy])  # or else the clock would decide what it knew
        if job is not None:
            job.result()
        return undos

    def _listed(self, kind):
        """Return the ids of a list; of those answered, the last one first."""
        state = self._state
        if kind == "disputed":
            return list(state.disputes)
        if kind == "doubtful":
            doubts = self._doubts.found
            return {
                doubt.id: doubt.predicted
                for doubt in doubts
                if last_event(state, doubt.id) == doubt.event
            }
        if kind == "empty":
            return []
        if kind == "noted":
            return list(reversed(state.notes))
        answered = [id for id, answers in state.answers.items() if answers]
        return sorted(answered, key=lambda id: last_event(state, id), reverse=True)

    def _answered(self):
        """Return label and last answer of each row that has a label."""
        with self._lock:
            labels = decided_labels(self._state)
            return {
                id: (label, last_event(self._state, id)) for id, label in labels.items()
            }

    def _text_of(self, id):
        return text_of_item(self.row(id))
