"""What the page asks for: verbs, each with the threads in which it is carried out."""

from collections.abc import Callable
from typing import NamedTuple

from ._bodies import is_id
from ._guide import parsed_guide
from ._items import excerpt, image_data, kind_of_item, shown_item
from ._view import counts, people_of

LONGEST_NAME, LONGEST_TEXT = 100, 2_000  # of what people type
PAGE_SIZE = 20  # rows of a list


class Verb(NamedTuple):
    """Something that the page asks for.

    Attributes
    ----------
    call : callable
        ``call(body, who)`` returns JSON, or a `File`.
    threads : {"answers", "waiting", "reading", "progress"}
        Which ones carry it out: only those that wait may wait for training, and the
        page of nobody else waits for them.
    then_next : bool
        Whether the next row follows; `call` then returns what was done, in words, and
        the next row, None if it is not there yet.
    """

    call: Callable
    threads: str
    then_next: bool = False


class File(NamedTuple):
    """What is in a file."""

    data: bytes
    media_type: str


def verbs_of(view):
    """Return the verbs by name, for a session.

    Parameters
    ----------
    view : LabelingView
        What the page shows, and where answers go.
    """
    page = PageVerbs(view)
    return {
        "start": Verb(page.start, "reading"),
        "next": Verb(page.next, "waiting"),
        "label": Verb(page.label, "answers", then_next=True),
        "skip": Verb(page.skip, "answers", then_next=True),
        "undo": Verb(page.undo, "waiting", then_next=True),
        "progress": Verb(page.progress, "progress"),
        "image": Verb(page.image, "reading"),
        "review": Verb(page.review, "reading"),
        "open": Verb(page.open, "reading"),
        "people": Verb(page.people, "reading"),
        "correct": Verb(page.correct, "answers"),
        "withdraw": Verb(page.withdraw, "waiting"),
        "reopen": Verb(page.reopen, "waiting"),
        "note": Verb(page.note, "answers"),
    }


class PageVerbs:
    """The verbs of a session: each takes the body of a request and who has sent it.

    Parameters
    ----------
    view : LabelingView
        As for `verbs_of`.
    """

    def __init__(self, view):
        self._view, self._session = view, view.session
        self._classes = {f"{label}": label for label in view.session.classes}

    def start(self, body, who):
        """Return what does not change while people label."""
        view = self._view
        guide = parsed_guide(view.guide, self._session.classes)
        return {
            "title": view.title,
            "guide": guide.blocks,
            "votes": self._session.votes,
            "classes": [
                {**keys, "description": guide.descriptions.get(label, "")}
                for label, keys in view.keys.as_json().items()
            ],
            "counts": self._counts(who),
        }

    def next(self, body, who):
        """Return the row to label; `last` of the body was done before."""
        return self._shown(self._view.next(who, body.get("last", "")))

    def _shown(self, view):
        return {
            "row": None if view.answers is None else self._row(view.answers),
            "reason": view.reason,
            "counts": view.counts,
            "share": view.share,
            "last": view.last,
            "prediction": view.prediction,
        }

    def label(self, body, who):
        """Label a row."""
        last, view = self._view.label_at_once(row_id(body), self._label(body), who)
        return last, view and self._shown(view)

    def skip(self, body, who):
        """Skip a row, perhaps with a reason."""
        reason = text(body, "reason", LONGEST_TEXT) or None
        last, view = self._view.skip_at_once(row_id(body), who, reason)
        return last, view and self._shown(view)

    def undo(self, body, who):
        """Take back the last answer."""
        return f"Row {self._session.undo(who)}: taken back", None

    def progress(self, body, who):
        """Return the curve on the rows put aside, and what the session advises."""
        return self._view.progress()

    def image(self, body, who):
        """Return the image of a row."""
        item = self._session.row(row_id(body))
        if self._kind(item) != "image":
            raise ValueError("These rows are no images.")
        # checked again: a link may lead elsewhere by now
        return File(*image_data(item, self._view.folder))

    def review(self, body, who):
        """Return a part of a list of rows."""
        found = self._session.review(
            text(body, "list", LONGEST_NAME) or "labelled",
            text=text(body, "text", LONGEST_TEXT),
            label=self._label(body) if body.get("label") else None,
            who=text(body, "person", LONGEST_NAME) or None,
            since=text(body, "since", LONGEST_NAME) or None,
            until=text(body, "until", LONGEST_NAME) or None,
            start=whole(body, "start"),
            limit=PAGE_SIZE,
            viewer=who,
            refresh=body.get("refresh") is True,
        )
        rows = [self._summary(row) for row in found.rows]
        people = [name for name in self._session.people() if name]
        return {**found._asdict(), "rows": rows, "limit": PAGE_SIZE, "people": people}

    def open(self, body, who):
        """Return a row with its answers and notes."""
        row = self._session.answers(row_id(body), viewer=who)
        return self._row(row) | {"counts": self._counts(who)}

    def people(self, body, who):
        """Return what each person has done, and how far people agree."""
        people = [
            {
                "who": name or "",
                "labelled": sum(status.by_class.values()),
                "skipped": status.skipped,
                "classes": {f"{label}": n for label, n in status.by_class.items()},
            }
            for name, status in self._session.people().items()
        ]
        return {"people": people, "sentences": people_of(self._session)}

    def correct(self, body, who):
        """Label a row that was opened from a list."""
        is_final = body.get("final") is True
        self._session.label(row_id(body), self._label(body), who, final=is_final)
        return self.open(body, who)

    def withdraw(self, body, who):
        """Take back what this person has answered to a row."""
        self._session.undo(who, id=row_id(body))
        return self.open(body, who)

    def reopen(self, body, who):
        """Show skipped rows again: one, or all."""
        ids = [row_id(body)] if "id" in body else None
        n_rows = len(self._session.reopen(ids, who))
        return {"n_rows": n_rows, "counts": self._counts(who)}

    def note(self, body, who):
        """Store a note on a row."""
        self._session.note(row_id(body), text(body, "text", LONGEST_TEXT), who)
        return self.open(body, who)

    def _counts(self, who):
        session = self._session
        with session._lock:  # both of the same moment
            return counts(session.status(), session.status(who), len(session.ids))

    def _kind(self, item):
        return self._view.kind or kind_of_item(item)

    def _label(self, body):
        """Return the class that a request names."""
        name = body.get("label")
        if isinstance(name, str) and name in self._classes:  # however long it is
            return self._classes[name]
        if not text(body, "label", LONGEST_NAME):
            raise ValueError("label must be one of the classes.")
        return name

    def _row(self, row):
        """Return a row as the page shows it."""
        item = self._session.row(row.id)
        return {
            "id": row.id,
            "kind": self._kind(item),
            "item": shown_item(item, self._kind(item)),
            "state": row.state,
            "label": None if row.label is None else f"{row.label}",
            "answers": [plain_answer(answer) for answer in row.answers],
            "notes": [note._asdict() for note in row.notes],
        }

    def _summary(self, row):
        """Return a row as a list shows it."""
        item = self._session.row(row.id)
        kind = self._kind(item)
        return {
            "id": row.id,
            "excerpt": excerpt(item, kind),
            "state": row.state,
            "label": None if row.label is None else f"{row.label}",
            "predicted": None if row.predicted is None else f"{row.predicted}",
            "answers": [plain_answer(answer) for answer in row.answers],
            "notes": [note._asdict() for note in row.notes],
        }


def plain_answer(answer):
    """Return an answer as JSON."""
    label = None if answer.label is None else f"{answer.label}"
    return {**answer._asdict(), "label": label}


def text(body, name, longest):
    """Return a text of a request, an empty one if it has none.

    Raises
    ------
    ValueError
        For what is no text, or longer than that.
    """
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name} must be a text of at most {longest} letters.")
    return value


def whole(body, name):
    """Return a whole number of a request that is not below 0; 0 if it has none."""
    value = body.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError(f"{name} must be a whole number, 0 or more.")
    return value


def row_id(body):
    """Return the id of a row in a request."""
    if not is_id(body.get("id")):
        raise ValueError("id must be a text or a whole number.")
    return body["id"]
