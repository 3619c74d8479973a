"""What the terminal and the page have in common: what they say, and the keys."""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ._keys import ClassKeys

if TYPE_CHECKING:
    from ._review import ReviewRow

MOST = 6  #: classes that are counted one by one
#: What to tell somebody for whom there is no row, by the session's reason.
ENDINGS = {
    None: "There is nothing for you now: other people have the rows that are left.",
    "budget": "The budget is spent. To go on, raise it: --budget.",
    "no rows": "There is no row left.",
    "disputed": "Only rows are left on which people disagree: {disputed}. Somebody who "
    "has not voted on them may, or one person who has a name decides in the list of "
    "rows (*).",
}


class RowView(NamedTuple):
    """What a person sees.

    Attributes
    ----------
    row_id : str, int or None
        The row to label; None if there is none.
    item : str, dict or None
        What is in it.
    counts : str
        How far the work is, in words.
    share : float
        The same, from 0 to 1.
    last : str
        What has just been done.
    prediction : str
        What the model believes of the row, if that is shown.
    reason : str
        Why there is no row.
    answers : ReviewRow or None
        What this person may see of the answers to the row, and of the notes on it.
    """

    row_id: str | int | None
    item: str | dict | None
    counts: str
    share: float
    last: str
    prediction: str
    reason: str
    answers: "ReviewRow | None"


class LabelingView:
    """A session as people see it: each call answers one row and shows the next.

    Parameters
    ----------
    session : LabelingSession
        Rows and labels; its classes are declared.
    kind : {"text", "table", "image"}
        How an item is shown.
    folder : Path, default=None
        Where images lie.
    show_prediction : bool, default=False
        Whether to say what the model believes before the label too.
    keys : ClassKeys, default=None
        What is typed for each class; None: without keys of one's own.
    title : str, default=""
        What the project is called.
    guide : str, default=""
        What the classes mean, in Markdown.
    """

    def __init__(
        self, session, kind, *, folder=None, show_prediction=False, keys=None,
        title="", guide="",
    ):  # fmt: skip
        self.session = session
        self.kind = kind
        self.folder = folder
        self._show_prediction = show_prediction
        self.keys = keys or ClassKeys(session.classes)
        self.title, self.guide = title, guide

    def next(self, who=None, last=""):
        """Show the row to label."""
        found = self.session._next_with(partial(self._look, who), who)
        return self._shown(*found, last)

    def _look(self, who, row_id):
        """Return a row and where the session stands, all at the same time."""
        row = None if row_id is None else self.session.answers(row_id, viewer=who)
        return row, self.session.status(), self.session.status(who)

    def _shown(self, row, status, own, last):
        reason, item, prediction = "", None, ""
        if row is None:
            reason = status.stop_reason
            reason = ENDINGS.get(reason, f"The learner has stopped: {reason}.")
            reason = reason.format(disputed=status.disputed)
        else:
            item = self.session.row(row.id)
            if self._show_prediction:
                prediction = self._belief(row.id)
        n_rows = len(self.session.ids)
        share = share_done(own, n_rows)
        return RowView(
            None if row is None else row.id,
            item, counts(status, own, n_rows), share, last, prediction, reason, row,
        )  # fmt: skip

    def label(self, row_id, label, who=None):
        """Label a row, say what the model believed, and show the next."""
        last = self._labelled(row_id, label)
        self.session.label(row_id, label, who)
        return self.next(who, last)

    def skip(self, row_id, who=None, reason=None):
        """Skip a row and show the next."""
        self.session.skip(row_id, reason, who)
        return self.next(who, f"Row {row_id}: skipped")

    def label_at_once(self, row_id, label, who=None):
        """Label a row, and wait for no training.

        Returns
        -------
        last : str
            What was done, and what the model believed.
        shown : RowView or None
            The next row; None if it is not there yet.
        """
        last = self._labelled(row_id, label)
        look = partial(self._look, who)
        found = self.session._label_then(look, row_id, label, who)
        return last, found and self._shown(*found, last)

    def skip_at_once(self, row_id, who=None, reason=None):
        """Skip a row, otherwise as `label_at_once`."""
        last = f"Row {row_id}: skipped{f', {reason}' if reason else ''}"
        look = partial(self._look, who)
        found = self.session._skip_then(look, row_id, reason, who)
        return last, found and self._shown(*found, last)

    def _labelled(self, row_id, label):
        belief = self._belief(row_id)
        return f"Row {row_id}: {label}{belief and f'. {belief}'}"

    def undo(self, who=None):
        """Take back the last answer and show its row again."""
        row_id = self.session.undo(who)
        return self.next(who, f"Row {row_id}: taken back")

    def progress(self):
        """Return the curve on the rows put aside, and what the session advises."""
        points = self.session.curve()
        curve = [[point.n_labels, point.score] for point in points]
        found = {"curve": curve, "advice": self.session.advice()}
        if points:
            found |= {"measure": points[-1].measure, "constant": points[-1].constant}
        return found

    def _belief(self, row_id):
        """Return what the model believes of a row, in words; nothing without one."""
        try:
            found = self.session.predictions(ids=[row_id])
        except ValueError:  # no model yet
            return ""
        if found.probabilities is None:
            return f"The model: {found.labels[0]}"
        shares = zip(found.probabilities[0], found.classes, strict=True)
        best = sorted(shares, reverse=True)[:3]
        return f"The model: {', '.join(f'{c} {100 * p:.0f} %' for p, c in best)}"


def counts(status, own, n_rows):
    """Return where a session of so many rows stands, and one person, in words."""
    by_class = {label: n for label, n in status.by_class.items() if n}
    most = sorted(by_class.items(), key=lambda item: -item[1])[:MOST]
    shown = dict(most) if len(by_class) > MOST + 1 else by_class
    each = ", ".join(f"{label}: {n}" for label, n in shown.items())
    if shown is not by_class:
        each += f" and {len(by_class) - MOST} other classes"
    parts = [f"{sum(by_class.values())} labelled" + (each and f" ({each})")]
    if own != status:
        parts.append(f"{sum(own.by_class.values())} by you")
    if status.disputed:
        parts.append(f"{status.disputed} disputed")
    if status.skipped:
        parts.append(f"{status.skipped} skipped")
    if status.left is not None:
        n_left = min(status.left + status.pending, rows_left(status, n_rows))
        parts.append(f"{n_left} left")
    return ", ".join(parts)


def rows_left(status, n_rows):
    """Return how many of so many rows have neither a label nor a skip."""
    return n_rows - sum(status.by_class.values()) - status.skipped


def people_of(session):
    """Return what each person has done, and how far people agree, in sentences."""
    lines = []
    for who, status in session.people().items():
        if who is not None:
            done = f"{sum(status.by_class.values())} labelled"
            done += f", {status.skipped} skipped" if status.skipped else ""
            lines.append(f"{who}: {done}")
    agreement = session.agreement()
    if agreement.n_rows:
        lines.append(
            f"{agreement.n_people} people agree on {agreement.share:.0%} of "
            f"{agreement.n_rows} rows ({agreement.measure} {agreement.value:.2f})."
        )
    return lines


def share_done(status, n_rows):
    """Return the share of the work that is done, of all rows without a budget."""
    done, whole = status.answered + status.skipped, n_rows
    if status.left is not None:
        whole = min(n_rows, done + status.left + status.pending)
    return done / whole if whole else 1.0
