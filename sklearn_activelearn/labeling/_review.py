"""Lists of rows to review: which rows, in which order, and what a viewer may see."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import Literal, NamedTuple, TypeAlias

from ..sources import is_frame
from ..utils.typing import Id, Label
from .storage._decisions import DISPUTED, LABELLED, OPEN, SKIPPED, count_votes
from .storage._labels import SEVERAL, from_column

#: The label of a row, or all of its labels if it may have several.
RowLabel: TypeAlias = Label | Iterable[str]
ReviewList: TypeAlias = Literal[
    "labelled", "skipped", "disputed", "doubtful", "noted", "empty"
]


class ReviewAnswer(NamedTuple):
    """Answer of a person to a row."""

    who: str | None
    label: RowLabel | None  # None: a skip
    at: str  # ISO 8601, UTC
    reason: str | None  # of a skip
    is_final: bool
    tags: list[str] = []


class ReviewNote(NamedTuple):
    """Note of a person on a row."""

    who: str | None
    text: str
    at: str  # ISO 8601, UTC


class ReviewRow(NamedTuple):
    """A row with its answers and notes."""

    id: Id
    state: str  # "labelled", "skipped", "disputed" or "open": not decided
    label: RowLabel | None  # None unless the row is labelled
    answers: list[ReviewAnswer]
    notes: list[ReviewNote]
    predicted: RowLabel | None = None  # of a doubtful row: by a model without its label
    tied: list[str] = []  # of several labels those on which votes are tied
    query_reason: str | None = None  # why the learner asked for the row, in a word


class ReviewPage(NamedTuple):
    """Part of a list of rows."""

    rows: list[ReviewRow]
    n_rows: int  # rows in the whole list
    n_labels: int | None  # labels with which doubtful rows were found; None: not yet
    is_computing: bool  # True while doubtful rows are being looked for
    error: str  # why doubtful rows cannot be found


def answers_seen(row, viewer):
    """Return the answers that count and that a viewer may see.

    While a row waits for more votes, a viewer sees only their own vote.
    """
    if viewer is None or row.state != OPEN:
        return row.standing
    return [each for each in row.standing if each.who == viewer]


def notes_seen(row, viewer, votes):
    """Return the notes that a viewer may see, with that number of votes a row."""
    if viewer is None or votes == 1 or row.state != OPEN:
        return row.notes
    return [each for each in row.notes if each.who == viewer]


def read_row(decisions, id, viewer, predicted=None):
    """Return a row with the answers and notes that a viewer may see."""
    row, kind, tied = decisions[id], decisions.kind, []
    answers = sorted(answers_seen(row, viewer))
    if row.state == DISPUTED and kind == SEVERAL:
        votes = [each.label for each in answers if not each.is_final]
        tied = count_votes(votes, kind)[1]
    return ReviewRow(
        id, row.state, from_column(row.label, kind),
        [
            ReviewAnswer(
                each.who, from_column(each.label, kind), each.at, each.reason,
                bool(each.is_final), each.tag_list,
            )
            for each in answers
        ],
        [
            ReviewNote(each.who, each.text, each.at)
            for each in notes_seen(row, viewer, decisions.votes)
        ],
        predicted, tied, row.request and row.request.query_reason,
    )  # fmt: skip


def check_searched_label(label, names):
    """Raise ValueError for no label of a session in which a row may have several.

    Parameters
    ----------
    names : list or None
        All labels; None if each row has one of its classes.
    """
    if names is None or label is None:
        return
    is_none = isinstance(label, list) and not label
    if not is_none and not (isinstance(label, str) and label in names):
        raise ValueError(
            f"label must be one of {names}, or an empty list for rows to which none "
            f"applies, got {label!r}."
        )


def check_searched_tag(tag, tags):
    """Raise ValueError for no tag of the session."""
    if tag is not None and tag not in tags:
        raise ValueError(f"tag must be among {tags}, got {tag!r}.")


class Search(NamedTuple):
    """Conditions on the rows of a list; None or empty: any row."""

    viewer: str | None
    label: RowLabel | None
    who: str | None
    since: str | None
    until: str | None
    words: list[str]  # in lower case
    tag: str | None = None


def list_rows(decisions, kind, ids=(), viewer=None):
    """Return the rows of a list in their order.

    Parameters
    ----------
    kind : str
        Name of the list.
    ids : sequence, default=()
        Ids of the rows without content, or of the doubtful rows.
    viewer : str, default=None
        Person who sees the list. While people vote, rows are in the lists of labelled
        and of skipped rows for those who may see such an answer.
    """
    rows = decisions.rows.values()
    if kind in ("empty", "doubtful"):
        return [decisions[id] for id in ids]
    if kind == "disputed":
        found = [row for row in rows if row.state == DISPUTED]
        return sorted(found, key=lambda row: row.answered)
    if kind == "noted":
        votes = decisions.votes
        found = [row for row in rows if row.notes and notes_seen(row, viewer, votes)]
        return sorted(found, key=lambda row: -row.notes[-1].number)
    is_skip = kind == "skipped"
    own, other = (SKIPPED, LABELLED) if is_skip else (LABELLED, SKIPPED)
    found = [
        row
        for row in rows
        if row.state == own
        or (
            row.state != other
            and any((a.label is None) == is_skip for a in answers_seen(row, viewer))
        )
    ]
    return sorted(found, key=lambda row: -row.answered)


def matches(row, search, decisions):
    """Return True if a row meets all conditions of a search but the words."""
    answers = answers_seen(row, search.viewer)
    if search.label is not None:
        labels = [row.label]
        if row.state != LABELLED:
            labels = [each.label for each in answers if each.label is not None]
        if decisions.kind == SEVERAL:
            labels = [from_column(each, SEVERAL) for each in labels]
            is_one = isinstance(search.label, str)
            if not any(
                search.label in each if is_one else each == search.label
                for each in labels
            ):
                return False
        elif search.label not in labels:
            return False
    if search.who is not None and all(each.who != search.who for each in answers):
        return False
    if search.tag is not None and all(search.tag not in a.tag_list for a in answers):
        return False
    if search.since is None and search.until is None:
        return True
    notes = () if row.answers else notes_seen(row, search.viewer, decisions.votes)
    return any(
        (search.since is None or each.at >= search.since)
        and (search.until is None or each.at < search.until)
        for each in (*answers, *notes)
    )


def find_page(decisions, kind, search, ids, start, limit, texts):
    """Return the ids of a part of a list, and the length of the whole list.

    Parameters
    ----------
    search : Search
        Conditions on the rows.
    ids : list
        As for `list_rows`.
    texts : ItemTexts
        Texts of the rows.
    """
    rows = list_rows(decisions, kind, ids, search.viewer)
    if search._replace(viewer=None, words=[]) != NO_CONDITION:
        rows = [row for row in rows if matches(row, search, decisions)]
    for word in search.words:
        rows = [
            row
            for row in rows
            if word in texts[row.id]
            or any(word in said for said in words_said(row, search, decisions))
        ]
    return [row.id for row in rows[start : start + limit]], len(rows)


NO_CONDITION = Search(None, None, None, None, None, [])


def words_said(row, search, decisions):
    """Return the notes on a row and the reasons of its skips, in lower case."""
    for note in notes_seen(row, search.viewer, decisions.votes):
        yield note.text.casefold()
    for answer in answers_seen(row, search.viewer):
        yield (answer.reason or "").casefold()


class ItemTexts(dict):
    """Texts and ids of rows by id, in lower case; made when they are first read.

    Parameters
    ----------
    item_of, find_twins : callable
        ``item_of(id)`` returns the item of a row, ``find_twins(id)`` the ids that are
        found with it.
    """

    def __init__(self, item_of, find_twins):
        self._item_of, self._find_twins = item_of, find_twins

    def __missing__(self, id):
        parts = item_text(self._item_of(id)), *self._find_twins(id)
        self[id] = text = "\n".join(map(str, parts)).casefold()
        return text


def item_text(item):
    """Return the text of an item, to search in; none of numbers and images."""
    if isinstance(item, str | PathLike):
        return f"{item}"
    if isinstance(item, Mapping) or is_frame(item):
        return "\n".join(f"{cell}" for _, cell in item.items())
    return ""


def stored_time(value, name):
    """Return a date or time as the file stores it: UTC, midnight for a day."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(f"{value}")
    except ValueError:
        raise ValueError(
            f"{name} must be a date such as 2026-01-31, got {value!r}."
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return time.astimezone(UTC).isoformat(timespec="milliseconds")
