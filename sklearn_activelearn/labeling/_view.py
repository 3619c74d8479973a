"""What the terminal and the page have in common: what they say, and the keys."""

from collections import Counter
from typing import NamedTuple

from ._images import image_path

#: Keys that are no class.
SKIP, UNDO, QUIT, HELP = "s", "u", "q", "?"
COMMANDS = {SKIP, UNDO, QUIT, HELP}

#: What to tell somebody for whom there is no row, by the session's reason.
ENDINGS = {
    None: "There is nothing for you now: other people have the rows that are left.",
    "budget": "The budget is spent. To go on, raise it: --budget.",
    "no rows": "There is no row left.",
    "disputed": "Only rows are left on which people disagree: {disputed}. Somebody who "
    "has not voted on them may, or one person decides: in Python, "
    "session.label(id, label, who, final=True); session.disputed() has the votes.",
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
    """

    row_id: str | int | None
    item: str | dict | None
    counts: str
    share: float
    last: str
    prediction: str
    reason: str


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
    """

    def __init__(self, session, kind, *, folder=None, show_prediction=False):
        self.session = session
        self.kind = kind
        self.folder = folder
        self._show_prediction = show_prediction
        self.keys = keys_of(session.classes)

    def next(self, who=None, last=""):
        """Show the row to label."""
        row_id = self.session.next(who)
        status, own = self.session.status(), self.session.status(who)
        reason, item, prediction = "", None, ""
        if row_id is None:
            reason = status.stop_reason
            reason = ENDINGS.get(reason, f"The learner has stopped: {reason}.")
            reason = reason.format(disputed=status.disputed)
        else:
            item = self.session.row(row_id)
            if self._show_prediction:
                prediction = self._belief(row_id)
        share = share_done(own, len(self.session.ids))
        said = counts(status, own)
        return RowView(row_id, item, said, share, last, prediction, reason)

    def label(self, row_id, label, who=None):
        """Label a row, say what the model believed, and show the next."""
        belief = self._belief(row_id)
        self.session.label(row_id, label, who=who)
        return self.next(who, f"Row {row_id}: {label}{belief and f'. {belief}'}")

    def skip(self, row_id, who=None):
        """Skip a row and show the next."""
        self.session.skip(row_id, who=who)
        return self.next(who, f"Row {row_id}: skipped")

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

    def image(self, row_id):
        """Return the path of a row's image."""
        if self.kind != "image":
            raise ValueError("These rows are no images.")
        # checked again: a link may lead elsewhere by now
        return image_path(self.folder, self.session.row(row_id))

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


def counts(status, own):
    """Return where a session stands, and one person in it, in words."""
    by_class = {label: n for label, n in status.by_class.items() if n}
    each = ", ".join(f"{label}: {n}" for label, n in by_class.items())
    parts = [f"{sum(by_class.values())} labelled" + (each and f" ({each})")]
    if own != status:
        parts.append(f"{sum(own.by_class.values())} by you")
    if status.disputed:
        parts.append(f"{status.disputed} disputed")
    if status.skipped:
        parts.append(f"{status.skipped} skipped")
    if status.left is not None:
        parts.append(f"{status.left + status.pending} left")
    return ", ".join(parts)


def share_done(status, n_rows):
    """Return the share of the work that is done, of all rows without a budget."""
    done = status.answered + status.skipped
    whole = n_rows if status.left is None else done + status.left + status.pending
    return done / whole if whole else 1.0


def keys_of(classes):
    """Return the keys of each class: a digit, and its first letter if that is free.

    Classes that are digits themselves keep them: the key 1 must not mean 0.
    """
    names = [f"{label}".lower() for label in classes]
    if all(len(name) == 1 and name.isdigit() for name in names):
        return dict(zip(classes, map(list, names), strict=True))
    uses = Counter([*(name[0] for name in names), *COMMANDS])
    keys = {label: [] for label in classes}
    for label, digit in zip(classes, "123456789", strict=False):
        keys[label].append(digit)
    for label, name in zip(classes, names, strict=True):
        if name[0].isalpha() and uses[name[0]] == 1:
            keys[label].append(name[0])
    return keys
