"""Lists of rows to review, paged and searched in SQL."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import Literal, NamedTuple, TypeAlias

from ..sources import is_frame
from ..utils.typing import Id, Label
from ._answers import DISPUTED, OPEN, count_votes
from ._schema import SEVERAL, from_column, to_column

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


class ReviewPage(NamedTuple):
    """Part of a list of rows."""

    rows: list[ReviewRow]
    n_rows: int  # rows in the whole list
    n_labels: int | None  # labels with which doubtful rows were found; None: not yet
    is_computing: bool  # True while doubtful rows are being looked for
    error: str  # why doubtful rows cannot be found


def read_row(db, settings, id, viewer, predicted=None):
    """Return a row with the answers and notes that a viewer may see.

    While a row waits for more votes, a viewer sees only their own vote and note.
    """
    kind = settings["label_kind"]
    row = db.row("SELECT state, label FROM rows WHERE id = ?", id)
    state, label = row or (OPEN, None)
    values = {"id": id, "viewer": viewer if state == OPEN else None}
    answers = db.execute(
        """SELECT who, label, at, reason, is_final FROM standing
        JOIN answers USING (number) WHERE standing.id = :id
        AND (:viewer IS NULL OR who = :viewer) ORDER BY number""",
        values,
    ).fetchall()
    tied = []
    if state == DISPUTED and kind == SEVERAL:
        votes = [label for _, label, *_, is_final in answers if not is_final]
        tied = count_votes(votes, kind)[1]
    if settings["votes"] == 1:
        values["viewer"] = None
    notes = db.execute(
        """SELECT who, text, at FROM notes WHERE id = :id
        AND (:viewer IS NULL OR who = :viewer) ORDER BY number""",
        values,
    )
    return ReviewRow(
        id, state, from_column(label, kind),
        [
            ReviewAnswer(who, from_column(label, kind), at, reason, bool(is_final))
            for who, label, at, reason, is_final in answers
        ],
        [ReviewNote(*note) for note in notes.fetchall()],
        predicted, tied,
    )  # fmt: skip


#: A standing answer, and a note, that the viewer may see.
ANSWER = """EXISTS (SELECT 1 FROM standing CROSS JOIN answers USING (number)
  WHERE standing.id = rows.id
  AND (rows.state != 'open' OR :viewer IS NULL OR who = :viewer) {condition})"""
NOTE = """EXISTS (SELECT 1 FROM notes WHERE notes.id = rows.id
  AND (rows.state != 'open' OR :viewer IS NULL OR :votes = 1 OR who = :viewer)
  {condition})"""

#: The rows of each list, and their order.
LISTS = {
    "labelled": (
        "rows WHERE (state = 'labelled' OR (state != 'skipped' AND answered AND "
        + ANSWER.format(condition="AND answers.label IS NOT NULL")
        + "))",
        "answered DESC",
    ),
    "skipped": (
        "rows WHERE (state = 'skipped' OR (state != 'labelled' AND answered AND "
        + ANSWER.format(condition="AND answers.label IS NULL")
        + "))",
        "answered DESC",
    ),
    "disputed": ("rows WHERE state = 'disputed'", "answered"),
    "noted": (
        f"rows WHERE {NOTE.format(condition='')}",
        "(SELECT max(number) FROM notes WHERE notes.id = rows.id) DESC",
    ),
    "doubtful": (
        "temp.doubtful JOIN rows USING (id, answered) WHERE state = 'labelled'",
        "place",
    ),
    "empty": ("temp.empty LEFT JOIN rows USING (id) WHERE 1", "place"),
}


def check_searched_label(label, settings):
    """Raise ValueError for no label of a session in which a row may have several."""
    names = settings["classes"]
    if settings["label_kind"] != SEVERAL or label is None:
        return
    is_none = isinstance(label, list) and not label
    if not is_none and not (isinstance(label, str) and label in names):
        raise ValueError(
            f"label must be one of {names}, or an empty list for rows to which none "
            f"applies, got {label!r}."
        )


def create_list_tables(db, empty):
    """Create tables of this connection for rows without content and doubtful rows."""
    db.execute("CREATE TEMP TABLE empty (place INTEGER PRIMARY KEY, id)")
    db.execute("CREATE TEMP TABLE doubtful (place INTEGER PRIMARY KEY, id, answered)")
    db.executemany("INSERT INTO empty VALUES (?, ?)", enumerate(empty))


def put_doubtful(db, found):
    """Store doubtful rows, each as (id, predicted label, number of the last answer)."""
    rows = [(place, id, answered) for place, (id, _, answered) in enumerate(found)]
    db.execute("DELETE FROM temp.doubtful")
    db.executemany("INSERT INTO temp.doubtful VALUES (?, ?, ?)", rows)


def find_page(db, settings, kind, search, start, limit, texts):
    """Return the ids of a part of a list, and the length of the whole list.

    Parameters
    ----------
    search : dict
        ``viewer``, ``label``, ``who``, ``since`` and ``until``, each None without a
        condition, and ``words``, in lower case.
    texts : ItemTexts
        Texts of the rows.
    """
    sql, order = LISTS[kind]
    if search["label"] is not None:
        is_one = "{0} = :label"
        if settings["label_kind"] == SEVERAL and search["label"] != to_column([]):
            is_one = (
                "EXISTS (SELECT 1 FROM json_each(coalesce({0}, '[]')) "
                "WHERE json_each.value = :label)"
            )
        given = ANSWER.format(condition=f"AND {is_one.format('answers.label')}")
        own = is_one.format("rows.label")
        sql += f" AND CASE state WHEN 'labelled' THEN {own} ELSE {given} END"
    if search["who"] is not None:
        sql += """ AND (state != 'open' OR :viewer IS NULL OR :viewer = :who)
          AND rows.id IN (SELECT answers.id FROM answers JOIN standing USING (number)
            WHERE who = :who)"""
    if search["since"] is not None or search["until"] is not None:
        time = (
            "AND (:since IS NULL OR at >= :since) AND (:until IS NULL OR at < :until)"
        )
        sql += f""" AND ({ANSWER.format(condition=time)}
          OR (NOT answered AND {NOTE.format(condition=time)}))"""
    values = {**search, "votes": settings["votes"], "start": start, "limit": limit}
    words = values.pop("words")
    if not words:
        n_rows = db.execute(f"SELECT count(*) FROM {sql}", values).fetchone()[0]
        sql = f"SELECT id FROM {sql} ORDER BY {order} LIMIT :limit OFFSET :start"
        return [id for (id,) in db.execute(sql, values).fetchall()], n_rows
    found = db.cursor()
    found.row_factory = None  # tuples are quicker than rows with names
    found.execute(f"SELECT id FROM {sql} ORDER BY {order}", values)
    ids, said = [id for (id,) in found], {}
    # notes, and reasons of skips, that the viewer may see
    for id, text in db.execute(
        """SELECT rows.id, text FROM notes JOIN rows USING (id) WHERE state != 'open'
        OR :viewer IS NULL OR :votes = 1 OR who = :viewer
        UNION ALL SELECT rows.id, reason FROM standing JOIN answers USING (number)
        JOIN rows ON rows.id = standing.id WHERE reason IS NOT NULL
        AND (state != 'open' OR :viewer IS NULL OR who = :viewer)""",
        values,
    ):
        said[id] = f"{said.get(id, '')}\n{text.casefold()}"
    for word in words:
        ids = [id for id in ids if word in texts[id] or word in said.get(id, "")]
    return ids[start : start + limit], len(ids)


class ItemTexts(dict):
    """Texts and ids of rows by id, in lower case; made when they are first read.

    Parameters
    ----------
    item_of : callable
        ``item_of(id)`` returns the item of a row.
    """

    def __init__(self, item_of):
        self._item_of = item_of

    def __missing__(self, id):
        self[id] = text = f"{item_text(self._item_of(id))}\n{id}".casefold()
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
