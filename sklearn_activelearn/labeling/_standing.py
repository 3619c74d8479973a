"""The answers and notes of a row as they stand, and the search among rows."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from os import PathLike
from typing import NamedTuple

from .._typing import Id, Label
from ..sources._containers import is_frame
from ._decisions import SKIP, ReviewNote, deciding_answer, votes_among

#: What a row is to those who review it.
LABELLED, SKIPPED, DISPUTED, OPEN = "labelled", "skipped", "disputed", "open"


class ReviewAnswer(NamedTuple):
    """The answer of a person to a row, as it stands."""

    who: str | None
    label: Label | None  # None: a skip
    at: str  # ISO 8601, UTC
    reason: str | None  # of a skip
    is_final: bool


class ReviewRow(NamedTuple):
    """A row, what was answered to it, and what was noted."""

    id: Id
    state: str  # "labelled", "skipped", "disputed" or "open": not decided
    label: Label | None  # None unless the row is labelled
    answers: list[ReviewAnswer]
    notes: list[ReviewNote]
    predicted: Label | None = None  # of a doubtful row: by a model without its label


class Search(NamedTuple):
    """Which rows of a list are wanted; all conditions must hold."""

    words: list[str]  # in the row, its id, its notes and reasons
    label: Label | None
    who: str | None
    since: datetime | None
    until: datetime | None  # before this

    def finds(self, row, text_of):
        """Whether a row is wanted; `text_of` returns the text of an id."""
        answers = row.answers
        return (
            (self.label is None or self.label in labels_to_find(row))
            and (self.who is None or any(a.who == self.who for a in answers))
            and any(map(self._is_in_time, answers or row.notes))
            and (not self.words or self._has_words(row, text_of(row.id)))
        )

    def _is_in_time(self, answer):
        if self.since is self.until is None:
            return True
        try:
            at = utc(datetime.fromisoformat(answer.at))
        except ValueError:  # imported from a file that has another form
            return False
        is_early = self.since is not None and at < self.since
        return not (is_early or (self.until is not None and at >= self.until))

    def _has_words(self, row, text):
        notes = (note.text for note in row.notes)
        reasons = (answer.reason or "" for answer in row.answers)
        text = "\n".join([text, f"{row.id}", *notes, *reasons]).casefold()
        return all(word in text for word in self.words)


def labels_to_find(row):
    """Return the label of a row, or those of the votes if it has none."""
    if row.state == LABELLED:
        return [row.label]
    return [answer.label for answer in row.answers]


def review_row(state, id, viewer):
    """Return a row with what stands of it.

    Parameters
    ----------
    state : SessionState
        Of the session.
    id : str or int
        The row.
    viewer : str or None
        Who sees only their own votes and notes on a row that waits for more votes.
    """
    answers, decision = standing_answers(state, id), state.decision(id)
    notes = [*state.notes.get(id, {}).values()]
    label = decision.label if decision else None
    if decision:
        what = SKIPPED if label is SKIP else LABELLED
    else:
        what = DISPUTED if id in state.disputes else OPEN
    if what == OPEN and viewer is not None:
        answers = [answer for answer in answers if answer.who == viewer]
        if state.votes_of(id) > 1:
            notes = [note for note in notes if note.who == viewer]
    return ReviewRow(id, what, label, answers, notes)


def standing_answers(state, id):
    """Return the answers to a row that count, the last ones last."""
    answers = state.answers.get(id, [])
    final = deciding_answer(answers)
    if state.votes_of(id) == 1:
        standing = [final] if final else answers[-1:]
    else:
        standing = sorted(votes_among(answers).values(), key=lambda vote: vote.event)
        standing += [final] if final else []
    return [ReviewAnswer(a.who, a.label, a.at, a.reason, a.is_final) for a in standing]


def last_event(state, id):
    """Return the number of the last answer to a row."""
    return max((answer.event for answer in state.answers.get(id, ())), default=0)


def instant(value, name):
    """Return a point in time: UTC unless it says otherwise, midnight for a day."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(
                f"{name} must be a date such as 2026-01-31, got {value!r}."
            ) from None
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    raise TypeError(f"{name} must be a date or a text, got {value!r}.")


def utc(at):
    """Return a time with its zone."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def text_of_item(item):
    """Return the words of what is shown of a row; of numbers and images none."""
    if isinstance(item, str | PathLike):
        return f"{item}"
    if isinstance(item, Mapping) or is_frame(item):
        return "\n".join(f"{cell}" for _, cell in item.items())
    return ""
