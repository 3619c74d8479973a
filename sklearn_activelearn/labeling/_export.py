"""Labels to CSV and to Label Studio's JSON."""

import csv
import json
import re
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from .._typing import FilePath
from .._validation import check_option
from .._warnings import warn_user
from ._bodies import checked_state
from ._decisions import SKIP, deciding_answer, votes_among
from ._journal import Journal
from ._output import (
    beside,
    by_suffix,
    check_no_session,
    harmless,
    harmless_value,
    plain_cell,
    replaced,
)

COLUMNS = ("id", "label", "who", "when", "probability", "origin")
LONG_COLUMNS = ("id", "label", "who", "when", "kind")
#: What a line of the long form is.
VOTE, FINAL, SKIPPED = "vote", "final", "skip"

#: The origin of what is no label, but what a model predicts.
PREDICTED = "predicted"

Form: TypeAlias = Literal["wide", "long"]

#: Names that columns of the user's cannot have in what is written.
TAKEN = {*COLUMNS, *LONG_COLUMNS}


class ExportedLabel(NamedTuple):
    """A row that has a label."""

    id: Any
    label: Any
    who: list  # names
    when: str
    probability: float | None  # with which it was bought
    origin: str  # "bought", "put aside" or "given": nobody asked


class ExportedAnswer(NamedTuple):
    """The last answer of a person to a row."""

    id: Any
    label: Any  # or `SKIP`
    who: list  # a name, or none
    when: str
    kind: str  # `VOTE`, `FINAL` or `SKIPPED`


class Omitted(NamedTuple):
    """How many rows have no label that could be exported."""

    skipped: int
    disputed: int  # people disagree
    undecided: int  # fewer people have answered than are asked
    unanswered: int  # asked for, or put aside


def export(path: FilePath, out: FilePath, form: Form = "wide") -> int:
    """Write the labels of a session to a file, also while it is open elsewhere.

    Neither the learner nor the rows are needed. The file is written beside its place
    and then put there: whatever goes wrong, one that was there before stays whole.

    Parameters
    ----------
    path : str or path
        The session.
    out : str or path
        ``.csv`` with the columns id, label, who, when, probability (with which it was
        bought) and origin ("bought", "put aside", or "given" if nobody asked), or
        ``.json`` for Label Studio. A text that a spreadsheet would take for a formula
        gets an apostrophe in front, and so does a text that would be read as a number,
        unless the session has declared its classes. Names of several people are
        separated by semicolons; a semicolon or backslash in a name has a backslash in
        front. `LabelingSession.import_labels` takes all that back. The names are those
        of people: think of it before you pass the file on.
    form : {"wide", "long"}, default="wide"
        "wide": a line for each row that has a label. "long", only ``.csv``: a line for
        the last answer of each person to a row, with the columns id, label, who, when
        and kind: "vote", "final", or "skip" without a label. They are in the order in
        which people first answered a row, or without votes last.

    Returns
    -------
    n_lines : int
        How many lines or tasks were written. The wide form leaves out rows that were
        skipped, that too few people have answered, or on which they disagree.

    Warns
    -----
    UserWarning
        If rows on which people disagree are left out: how many.

    Raises
    ------
    ValueError
        For a file that is no session or is damaged, another kind of file to write, or
        one that is a session itself.
    FileNotFoundError
        If there is no session.
    OSError
        If the file cannot be written; one that was there before is as it was.

    Examples
    --------
    >>> from sklearn_activelearn.labeling import export
    >>> export("nothing.sqlite", "labels.csv")
    Traceback (most recent call last):
    FileNotFoundError: There is no labelling session nothing.sqlite.
    """
    return write_labels(stored_state(path), out, form)


def stored_state(path):
    """Return the state of a session, also while it is open elsewhere."""
    return checked_state(Journal.read(path), path)


def write_labels(state, out, form, item_of=None, columns=None, row_of=None):
    """Write the labels of a state.

    Parameters
    ----------
    state : SessionState
        With the labels.
    out : str or path
        Where to write them.
    form : {"wide", "long"}
        As for `export`.
    item_of : callable, default=None
        ``item_of(id)`` returns what is shown of a row. None: that is not known.
    columns : dict of str to sequence, default=None
        What a CSV gets besides: a cell for each row of the pool.
    row_of : callable, default=None
        ``row_of(id)`` returns the number of a row; with `columns`.
    """
    out, is_long = Path(out), check_option(form, "form", ("wide", "long")) == "long"
    if is_long and out.suffix.lower() == ".json":
        raise ValueError("The long form is a .csv: Label Studio has one of its own.")
    write = by_suffix(out, {".csv": write_label_csv, ".json": write_label_json})
    check_no_session(out)
    lines_of = exported_answers if is_long else exported_labels
    rows, names = list(lines_of(state)), LONG_COLUMNS if is_long else COLUMNS
    may_be_numbers = state.begin["classes"] is None
    more = {
        name: [cells[row_of(row.id)] for row in rows]
        for name, cells in beside(columns or {}, TAKEN).items()
    }
    with replaced(out) as file:
        write(file, rows, names, more, item_of, may_be_numbers)
    if state.disputes and not is_long:
        warn_user(
            f"Rows on which people disagree are left out: {len(state.disputes)}.",
        )
    return len(rows)


def omitted_rows(state):
    """Return how many rows have no label that could be exported."""
    wanted = {**dict.fromkeys(state.answers), **state.test, **state.asked}
    answered = [id for id in wanted if state.answers.get(id)]
    decisions = [state.decision(id) for id in answered]
    return Omitted(
        sum(bool(each) and each.label is SKIP for each in decisions),
        len(state.disputes),
        decisions.count(None) - len(state.disputes),
        sum(not state.answers.get(id) for id in (*state.test, *state.asked)),
    )


def exported_labels(state):
    """Yield the rows that have a label, in the order in which they got it."""
    decisions = filter(None, map(state.decision, state.answers))
    for decision in sorted(decisions, key=lambda each: each.event):
        if decision.label is SKIP:
            continue
        id, answers = decision.id, state.answers[decision.id]
        origin, probability = "given", None
        if id in state.test:
            origin = "put aside"
        elif id in state.asked:
            origin, probability = "bought", state.asked[id].probability
        last = [*votes_among(answers).values()]
        if state.votes_of(id) == 1:
            last = [each for each in answers if each.event == decision.event]
        if final := deciding_answer(answers):
            last.append(final)
        agreed = (each.who for each in last if each.label == decision.label)
        who = list(dict.fromkeys(filter(None, agreed)))
        (when,) = (each.at for each in answers if each.event == decision.event)
        yield ExportedLabel(id, decision.label, who, when, probability, origin)


def exported_answers(state):
    """Yield the last vote of each person to each row, and final labels, in order.

    With several votes that is the order of the first votes: it says who was asked
    because others disagreed. With one the last label counts, so it has to come last.
    """
    standing = []
    for id, answers in state.answers.items():
        is_one = state.votes_of(id) == 1
        votes = [answer for answer in answers if not answer.is_final]
        first = {vote.who: vote.event for vote in reversed(votes)}
        for vote in votes_among(votes).values():
            standing.append((vote.event if is_one else first[vote.who], vote))
        if final := deciding_answer(answers):
            standing.append((final.event, final))
    for _, answer in sorted(standing, key=itemgetter(0)):
        kind = FINAL if answer.is_final else VOTE
        if answer.label is SKIP:
            kind = SKIPPED
        who = [answer.who] if answer.who else []
        yield ExportedAnswer(answer.id, answer.label, who, answer.at, kind)


def write_label_csv(file, rows, names, more, item_of, may_be_numbers):
    """Write a line for each label, in either form."""
    lines = csv.writer(file)
    lines.writerow(map(harmless, (*names, *more)))
    for place, row in enumerate(rows):
        cells = [harmless(cell) for cell in row._replace(who=joined_names(row.who))]
        if may_be_numbers and isinstance(row.label, str) and reads_as_number(row.label):
            cells[1] = f"'{row.label}"
        lines.writerow(
            [*cells, *(harmless_value(column[place]) for column in more.values())]
        )


def joined_names(names):
    """Return names in one cell."""
    return ";".join(re.sub(r"([;\\])", r"\\\1", name) for name in names)


def reads_as_number(text):
    """Whether a label that is written like this may be no text."""
    return number_of(text) is not None


def number_of(text):
    """Return the number or flag that is written like this, None if none is."""
    if text in ("True", "False"):
        return text == "True"
    try:
        number = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number if isfinite(number) else None


def write_label_json(file, rows, names, more, item_of, may_be_numbers):
    """Write a task of Label Studio for each row."""
    tasks = [task_of(number, row, item_of) for number, row in enumerate(rows, start=1)]
    json.dump(tasks, file, indent=1)


def task_of(number, row, item_of):
    """Return a row as Label Studio has it."""
    choice = {"choices": [str(row.label)]}
    result = {"from_name": "label", "to_name": "text", "type": "choices"}
    annotation = {"result": [{**result, "value": choice}], "created_at": row.when}
    annotations = [
        {**annotation, "completed_by": {"email": who} if who else None}
        for who in row.who or [None]
    ]
    meta = {"origin": row.origin, "probability": row.probability}
    meta["label"] = row.label  # choices are texts
    data = {**(shown(item_of(row.id)) if item_of else {}), "id": row.id}
    return {"id": number, "data": data, "meta": meta, "annotations": annotations}


def shown(item):
    """Return what is shown of a row as JSON."""
    if hasattr(item, "items"):  # a row of a DataFrame
        return {str(name): plain_cell(cell) for name, cell in item.items()}
    return {"text": str(item)}
