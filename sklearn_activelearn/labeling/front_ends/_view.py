"""Words in which the terminal, the page and a notebook describe a session."""

import re
import shlex
from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from ._keys import GUIDE, NOTE, ROWS, SKIP, SPELL, TAG, UNDO, ClassKeys

if TYPE_CHECKING:
    from .._review import ReviewRow

NO_LABEL = "no label applies"
MOST = 6  #: classes that are counted one by one
#: Sentences for a person for whom there is no row, by the session's stop reason.
ENDINGS = {
    None: "There is nothing for you now: other people have the remaining rows.",
    "budget": "The budget is spent. To label more, raise it: --budget.",
    "no rows": "All rows are labelled or skipped.",
    "disputed": "Only rows on which people disagree are left: {disputed}. Somebody who "
    "has not voted on them can vote, or a person with a name can decide in the list of "
    "rows (*).",
}
#: Words for reasons of a stop.
STOP_WORDS = {
    "budget": "the budget is spent",
    "no rows": "no rows are left",
    "RecallTarget": "the recall is certain",
    "ErrorTarget": "the share of wrong labels is certain",
}

#: Sentences for the reasons of requests. None tells what the model expects of the row.
WHY = {
    None: "Asked to measure the model: a random row that it does not learn.",
    "uncertain": "Asked because the model is unsure about this row.",
    "representative": "Asked because this row is similar to many others.",
    "random": "Asked at random.",
    "first": "Asked because the model needs first labels.",
    "wanted": "Asked by the search.",
    "doubtful": "Asked to check the machine.",
    "informative": "Asked because its label is expected to help the model most.",
    "useful": "Asked because the learner ranks it first.",
}

#: Words for the state of a row without a label.
STATES = {"open": "not decided", "skipped": "skipped", "disputed": "disputed"}

#: Keys that the terminal and the page have, and what they do.
USAGE = {
    "letters": "answer: the first letters of a class, its key or its number",
    "Enter": "ends a name that begins a longer one; Esc clears the letters",
    SPELL: "before a class that begins with the key of another class",
    SKIP: "skip this row; with Shift, the reason is asked for",
    UNDO: "undo your last answer",
    ROWS: "list the rows with answers: search, correct, reopen",
    NOTE: "write a note on this row",
    GUIDE: "show the guide to the classes",
}
#: Keys that differ if a row may have several labels.
USAGE_OF_SEVERAL = {
    "letters": "choose a label, or take it back: its first letters, key or number",
    "Enter": "sends the chosen labels; twice, if no label applies; or ends a name",
}
USAGE_OF_TAGS = {TAG: "with the key of a tag: give the answer the tag, or take it back"}

#: Fields of a search.
FIELDS = ("class", "tag", "who", "date", "since", "until")

WIDTH, HEIGHT = 320, 120  #: size of the plot of a curve
MARGINS = 44, 20, 16, 36  #: left, top, right and bottom margins of the plot


class RowView(NamedTuple):
    """The row to label and the progress, as a person sees them.

    Attributes
    ----------
    row : ReviewRow or None
        Row to label, with the answers and notes that this person may see.
    counts : str
        Progress in words.
    share : float
        Progress from 0 to 1.
    last : str
        What has just been done.
    prediction : str
        What the model predicts for the row, if predictions are shown.
    why : str
        How many rows have this content, if several, and why the row is asked for, if
        reasons are shown.
    ending : str
        Why there is no row.
    is_training : bool
        True if the learner is still choosing the next row.
    version : int
        Version of the session that is shown.
    """

    row: "ReviewRow | None"
    counts: str
    share: float
    last: str
    prediction: str
    why: str
    ending: str
    is_training: bool
    version: int


class LabelingView:
    """A session in words: each answer returns the next row.

    Parameters
    ----------
    session : LabelingSession
        Session with declared classes.
    kind : {"text", "table", "image"} or None
        How rows are shown. None decides for each row.
    folder : Path, default=None
        Folder of the images.
    show_prediction : bool, default=False
        Whether to show the prediction of the model before the answer.
    show_reasons : bool, default=False
        Whether to show why each row is asked for.
    keys : ClassKeys, default=None
        Keys of the classes. None: no custom keys.
    title : str, default=""
        Name of the project.
    guide : str, default=""
        Meaning of the classes.
    """

    def __init__(
        self, session, kind, *, folder=None, show_prediction=False,
        show_reasons=False, keys=None, title="", guide="",
    ):  # fmt: skip
        self.session, self._kind, self.folder = session, kind, folder
        self._show_prediction, self._show_reasons = show_prediction, show_reasons
        several = session.labels is not None
        self.keys = keys or ClassKeys(
            session.classes, several=several, tags=session.tags
        )
        self.title, self.guide = title, guide
        self._told = set()  # people who know that labels are near chance

    def next(self, who=None, last="", *, wait=True):
        """Return the row to label. With `wait`, wait for training if needed."""
        return self._describe(self.session.look(who, wait=wait), last, who)

    def label(self, row_id, label, who=None, tags=None):
        """Label a row and return the next one, without waiting for training."""
        prediction = self._describe_machine(row_id) or self._describe_prediction(row_id)
        last = (
            f"Row {row_id}: {describe_label(label)}{describe_tags(tags or ())}"
            f"{prediction and f'. {prediction}'}"
        )
        look = self.session.answer_and_look(row_id, label, who, tags=tags)
        return self._describe(look, last, who)

    def skip(self, row_id, who=None, reason=None, tags=None):
        """Skip a row and return the next one, without waiting for training."""
        look = self.session.answer_and_look(row_id, None, who, reason=reason, tags=tags)
        last = f"Row {row_id}: skipped{f', {reason}' if reason else ''}"
        return self._describe(look, last, who)

    def undo(self, who=None):
        """Undo the person's last answer and return its row."""
        return self.next(who, f"Row {self.session.undo(who)}: answer undone")

    def find_own_answer(self, row_id, who):
        """Return the answer of a person that counts, None without one."""
        answers = self.session.answers(row_id, viewer=who).answers
        return next((each for each in reversed(answers) if each.who == who), None)

    def tag(self, row_id, tags, who=None):
        """Give the person's answer to a row these tags; return what was done."""
        own = self.find_own_answer(row_id, who)
        if own is None:
            return "The tags are stored with your answer: label the row"
        if own.label is None:
            self.session.skip(row_id, own.reason, who, tags=tags)
        else:
            final = own.is_final
            self.session.label(row_id, own.label, who, final=final, tags=tags)
        return f"Row {row_id}{describe_tags(tags) or ': no tags'}"

    def carry_out(self, choice, row, who=None, tags=None):
        """Carry out a choice (label, skip or undo), and return the next row."""
        if choice.command == UNDO:
            return self.undo(who)
        if choice.command == SKIP:
            return self.skip(row.id, who, choice.value, tags)
        return self.label(row.id, choice.value, who, tags)

    def item(self, row_id):
        """Return the kind of a row and its item."""
        from ._items import kind_of_item  # numpy is not imported for the first page

        item = self.session.row(row_id)
        return self._kind or kind_of_item(item), item

    def review(self, kind, words, *, who=None, **options):
        """Return a part of a list of rows; `parse_search` reads the words."""
        search = parse_search(words, self.keys)
        return self.session.review(kind, viewer=who, **search, **options)

    def may_decide(self, who):
        """Return True if a person can make final decisions."""
        return who is not None and self.session.votes > 1

    def progress(self, who=None):
        """Return the progress as the page shows it: in words, and from 0 to 1."""
        own, n_rows = self.session.status(who), len(self.session.ids)
        counts = describe_counts(self.session.status(), own)
        return {"counts": counts, "share": share_done(own, n_rows)}

    def _describe(self, look, last, who):
        ending = prediction = why = ""
        if look.is_training:
            ending = "The next row follows when the model is trained."
        elif look.row is None:
            ending = describe_ending(look.status)
        elif self._show_prediction:
            prediction = self._describe_prediction(look.row.id)
        if look.near_chance and who not in self._told:
            self._told.add(who)
            last = f"{last}. {look.near_chance}" if last else look.near_chance
        if look.row is not None:
            why = self.describe_twins(look.row.id)
            if self._show_reasons:
                query_reason = look.row.query_reason
                asked = WHY.get(query_reason, f"Asked by the learner: {query_reason}.")
                why = f"{why} {asked}".strip()
        n_rows = len(self.session.ids)
        return RowView(
            look.row, describe_counts(look.status, look.own),
            share_done(look.own, n_rows), last, prediction, why, ending,
            look.is_training, look.version,
        )  # fmt: skip

    def describe_twins(self, row_id):
        """Return how many rows have the content of a row in a sentence, or ""."""
        n = len(self.session.find_twins(row_id))
        content = "this text" if self.item(row_id)[0] == "text" else "these cells"
        return f"{n} rows have {content}." if n > 1 else ""

    def _describe_machine(self, row_id):
        """Return the machine's label, which nobody may see before the own answer."""
        if (found := self.session.machine_label(row_id)) is None:
            return ""
        label, share = found
        return f"The machine: {label}" + ("" if share is None else f" {share:.0%}")

    def _describe_prediction(self, row_id):
        try:
            found = self.session.predictions(ids=[row_id])
        except Exception:  # no model yet, or one that fails: the label must be stored
            return ""
        label = describe_label(found.labels[0])
        if found.probabilities is None:
            return f"The model: {label}"
        shares = zip(found.probabilities[0], found.classes, strict=True)
        best = ", ".join(f"{c} {p:.0%}" for p, c in sorted(shares, reverse=True)[:3])
        return f"The model: {f'{label} ({best})' if self.keys.several else best}"


def describe_stop(stop_reason):
    """Return the reason of a stop in words: rules have the names of classes."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stop_reason).lower()
    return STOP_WORDS.get(stop_reason, words)


def describe_ending(status):
    """Return why there is no row to label."""
    if status.stop_reason in ENDINGS:
        return ENDINGS[status.stop_reason].format(disputed=status.disputed)
    return f"You can stop: {describe_stop(status.stop_reason)}."


def describe_near_chance(model):
    """Return what to do if the labels of a model are near chance, else "".

    Parameters
    ----------
    model : classifier or None
        `BlendClassifier` says so; other models say nothing.
    """
    if not getattr(model, "is_near_chance_", False):
        return ""
    return (
        "So far the labels are nearly as uncertain as chance: in cross-validation the "
        f"model removes {max(model.cv_skill_, 0):.0%} of their uncertainty. Before you "
        "label more, see whether people agree on the same rows (votes), and whether "
        "other columns say more about the classes."
    )


def describe_tags(tags):
    """Return tags in words, to put behind a label."""
    return f", tags: {', '.join(tags)}" if tags else ""


def describe_label(label):
    """Return a label, or the labels of a row, in words."""
    return ", ".join(label) or NO_LABEL if isinstance(label, list) else f"{label}"


def describe_usage(keys, more):
    """Return pairs of what to type and what it does; `more` are keys of a front end."""
    usage = USAGE | (USAGE_OF_SEVERAL if keys.several else {}) | more
    usage |= USAGE_OF_TAGS if keys.tags else {}
    return [(keys.commands.get(key, key), what) for key, what in usage.items()]


def describe_answer(answer):
    """Return an answer in words."""
    words = "skipped" if answer.label is None else describe_label(answer.label)
    words += f" ({answer.reason})" if answer.reason else ""
    words += ", decided" * answer.is_final + describe_tags(answer.tags)
    return f"{answer.who}: {words}" if answer.who else words


def describe_note(note):
    """Return a note in words."""
    return f"Note{f' of {note.who}' if note.who else ''}: {note.text}"


def describe_listed(row):
    """Return the label of a row in a list, or why it has none, and more about it."""
    about = []
    if row.predicted is not None:
        about.append(f"the model: {describe_label(row.predicted)}")
    about += [f"tied: {', '.join(row.tied)}"] * bool(row.tied)
    is_plain = len(row.answers) == 1 and row.label is not None
    for answer in row.answers:
        # the only answer says the same as the label of the row
        words = answer.who if is_plain else describe_answer(answer._replace(tags=[]))
        about += [words] * bool(words)
    tags = dict.fromkeys(tag for answer in row.answers for tag in answer.tags)
    about += [f"tags: {', '.join(tags)}"] * bool(tags)
    about += [describe_note(note) for note in row.notes]
    return STATES.get(row.state) or describe_label(row.label), about


def describe_counts(status, own):
    """Return the progress of a session, and of one person."""
    by_class = {label: n for label, n in status.by_class.items() if n}
    most = sorted(by_class.items(), key=lambda item: -item[1])[:MOST]
    shown = dict(most) if len(by_class) > MOST + 1 else by_class
    each = ", ".join(f"{label}: {n}" for label, n in shown.items())
    if shown is not by_class:
        each += f" and {len(by_class) - MOST} other classes"
    if status.no_label:
        each += f"{each and ', '}{NO_LABEL}: {status.no_label}"
    parts = [f"{status.labelled} labelled" + (each and f" ({each})")]
    if status.test_left:
        parts.append(f"{status.test_left} of {status.n_test} test rows left")
    if own != status:
        parts.append(f"{own.labelled} by you")
    if status.disputed:
        parts.append(f"{status.disputed} disputed")
    if status.skipped:
        parts.append(f"{status.skipped} skipped")
    if status.to_label:
        minutes = status.minutes_left
        parts.append(
            f"{status.to_label} left"
            + (f" (about {describe_minutes(*minutes)})" if minutes else "")
        )
    return ", ".join(parts)


def describe_minutes(low, high):
    """Return a range of minutes in words, such as "20 to 30 minutes"."""
    unit, size = ("minutes", 1) if high < 90 else ("hours", 60)
    ends = [end / size for end in (low, high)]
    step = 1 if ends[1] < 10 else 5
    low, high = (int(max(round(end / step) * step, 1)) for end in ends)
    if low == high:
        return f"{low} {unit if low > 1 else unit[:-1]}"
    return f"{low} to {high} {unit}"


def share_done(status, n_rows):
    """Return the finished share of the budget, or of all rows without a budget."""
    done, whole = status.answered + status.skipped, n_rows - status.twins
    if status.left is not None:
        whole = min(whole, done + status.left + status.pending)
    return done / whole if whole else 1.0


def describe_people(session):
    """Return what each person has done, and how far people agree, in sentences."""
    lines = []
    for who, status in session.people().items():
        if who is not None:
            done = f"{status.labelled} labelled"
            done += f", {status.skipped} skipped" if status.skipped else ""
            lines.append(f"{who}: {done}")
    found = session.agreement()
    if found.n_rows:
        lines.append(
            f"{found.n_people} people agree on {found.share:.0%} of {found.n_rows} "
            f"rows ({found.measure} {found.value:.2f})."
        )
        each = [
            f"{label} {value:.2f}" for label, value in (found.by_label or {}).items()
        ]
        lines += [f"Agreement on each label: {', '.join(each)}."] * bool(each)
    return lines


def parse_search(words, keys):
    """Return the arguments of a review; days are days of the local time zone.

    Parameters
    ----------
    words : str
        Words of the text, and class:NAME (class: for rows to which no label applies, if
        they may have several), tag:NAME, who:NAME, date:DAY, since:DAY, until:DAY,
        in quotes if they contain spaces.
    keys : ClassKeys
        Keys of the classes.

    Raises
    ------
    ValueError
        For an unknown class or a text that is not a day.
    """
    try:
        parts = shlex.split(words)
    except ValueError:  # an apostrophe
        parts = words.split()
    text, search = [], {}
    for part in parts:
        field, colon, value = part.partition(":")
        if not colon or field not in FIELDS:
            text.append(part)
        elif field == "class" and keys.several and not value:
            search["label"] = []
        elif field == "class":
            if (label := keys.find(value, is_whole=True).label) is None:
                raise ValueError(f"class: {value!r} is not a class.")
            search["label"] = label
        elif field == "tag":
            names = {tag.casefold(): tag for tag in keys.tags}
            if value.casefold() not in names:
                raise ValueError(f"tag: {value!r} is not a tag.")
            search["tag"] = names[value.casefold()]
        elif field == "who":
            search["who"] = value
        else:
            try:
                time = datetime.fromisoformat(value)
                if field == "date":
                    search["until"] = (time + timedelta(days=1)).astimezone()
                    field = "since"
                search[field] = time.astimezone()
            except (ValueError, OverflowError):
                raise ValueError(
                    f"{field}: {value!r} is not a day. Write it as 2026-01-31."
                ) from None
    return {**search, "text": " ".join(text)}


def sentence_of(session):
    """Return the progress of a session in a sentence."""
    status, n_rows = session.status(), len(session.ids)
    stop = status.stop_reason
    end = f", ended: {describe_stop(stop)}" if stop else ""
    counts = describe_counts(status, status)
    return f"LabelingSession of {n_rows:,} rows: {counts}{end}."


def html_of(session):
    """Return the progress, the learning curve and the advice as HTML for a notebook."""
    curve, advice = session.report()
    sentence, plot = escape(sentence_of(session)), plot_curve(curve)
    return f"<p>{sentence}</p>{plot}<p>{escape(advice)}</p>"


def describe_curve(curve):
    """Return the last point of a curve in words."""
    last = curve[-1]
    return (
        f"{last.measure.capitalize()} {last.score:.0%} on {last.n_test} test rows "
        f"after {last.n_labels:,} labels; a constant prediction has {last.constant:.0%}"
    )


def plot_curve(curve):
    """Return a curve as SVG: scores from 0 to 1 against the number of labels."""
    if not curve:
        return ""
    last, measure = curve[-1].n_labels or 1, escape(curve[-1].measure.capitalize())
    left, top, right, bottom = MARGINS
    width, height = WIDTH + left + right, HEIGHT + top + bottom
    ys = {f"{share:.0%}": (1 - share) * HEIGHT for share in (0, 0.5, 1)}
    xs = {f"{n:,}": n / last * WIDTH for n in sorted({0, last // 2, last})}
    points = [
        f"{point.n_labels / last * WIDTH:.1f},{(1 - point.score) * HEIGHT:.1f}"
        for point in curve
    ]
    x_last, y_last = points[-1].split(",")
    constant = f"{(1 - curve[-1].constant) * HEIGHT:.1f}"
    axes = [f"M0 0V{HEIGHT}H{WIDTH}"]
    axes += [f"M-3 {y:.1f}H0" for y in ys.values()]
    axes += [f"M{x:.1f} {HEIGHT}v3" for x in xs.values()]
    numbers = [
        f"<text x='-6' y='{y + 4:.0f}' text-anchor='end'>{share}</text>"
        for share, y in ys.items()
    ]
    numbers += [
        f"<text x='{x:.1f}' y='{HEIGHT + 16}' text-anchor='middle'>{n}</text>"
        for n, x in xs.items()
    ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='{-left} {-top} {width} {height}' role='img' fill='currentColor' "
        f"font-family='sans-serif' font-size='11'>"
        f"<title>{escape(describe_curve(curve))}</title>"
        f"<path d='{''.join(axes)}' fill='none' stroke='currentColor'/>"
        f"{''.join(numbers)}"
        f"<text x='{WIDTH // 2}' y='{HEIGHT + 30}' text-anchor='middle'>labels</text>"
        f"<text x='0' y='-6'>{measure}; dashed: a constant prediction</text>"
        f"<path d='M0 {constant}H{WIDTH}' stroke='gray' stroke-dasharray='4'/>"
        f"<polyline points='{' '.join(points)}' fill='none' stroke='#0072b2' "
        f"stroke-width='2'/>"
        f"<circle cx='{x_last}' cy='{y_last}' r='3' fill='#0072b2'/></svg>"
    )
