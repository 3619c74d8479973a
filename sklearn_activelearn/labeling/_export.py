"""Labels to CSV and to Label Studio's JSON."""

import csv
import json
import os
import re
import secrets
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from stat import S_IMODE
from typing import Any, NamedTuple

import numpy as np

from .._typing import FilePath
from ._bodies import checked_state
from ._decisions import SKIP
from ._journal import Journal, is_session

COLUMNS = ("id", "label", "who", "when", "probability", "origin")

#: With these a cell is a formula to a spreadsheet; ' is what stops that. Some of them
#: make one of the wide forms, too, which East Asian keyboards type.
FORMULA = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n", "'")


class ExportedLabel(NamedTuple):
    """A row that has a label."""

    id: Any
    label: Any
    who: list  # names
    when: str
    probability: float | None  # with which it was bought
    origin: str  # "bought", "put aside" or "given": nobody asked


class Omitted(NamedTuple):
    """How many rows have no label that could be exported."""

    skipped: int
    undecided: int  # people have answered, and do not agree yet
    unanswered: int  # asked for, or put aside


def export(path: FilePath, out: FilePath) -> int:
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
        front. `LabelingSession.import_labels` takes all that back.

    Returns
    -------
    n_rows : int
        How many rows have a label. Rows that were skipped, that nobody has answered,
        or about which people do not agree, are left out.

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
    return write_labels(stored_state(path), out)


def stored_state(path):
    """Return the state of a session, also while it is open elsewhere."""
    return checked_state(Journal.read(path), path)


def write_labels(state, out, item_of=None):
    """Write the labels of a state; `item_of` gives what is shown of an id."""
    out = Path(out)
    write = by_suffix(out, {".csv": write_label_csv, ".json": write_label_json})
    if is_session(out):
        raise ValueError(f"{out} holds a session: export its labels to another file.")
    rows = list(exported_labels(state))
    may_be_numbers = state.begin["classes"] is None
    with replaced(out) as file:
        write(file, rows, item_of, may_be_numbers)
    return len(rows)


def omitted_rows(state):
    """Return how many rows have no label that could be exported."""
    wanted = {**dict.fromkeys(state.answers), **state.test, **state.asked}
    answered = [id for id in wanted if state.answers.get(id)]
    decisions = [state.decision(id) for id in answered]
    return Omitted(
        sum(bool(each) and each.label is SKIP for each in decisions),
        decisions.count(None),
        sum(not state.answers.get(id) for id in (*state.test, *state.asked)),
    )


@contextmanager
def replaced(path):
    """Give a text file that takes the place of another one once it is whole.

    Parameters
    ----------
    path : path
        Its place.

    Raises
    ------
    OSError
        If it cannot be written: the file that was there is as it was.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise ValueError(f"{path} is no file: nothing was written.")
    new = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        # half a character, in sessions of older versions, is written as an escape
        how = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
        with new.open("x", **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            new.chmod(S_IMODE(place.stat().st_mode))
        new.replace(place)
    except OSError as error:
        raise type(error)(
            f"{path} was not written ({error.strerror or error}); if it was there "
            "before, it is as it was."
        ) from error
    finally:
        with suppress(OSError):
            new.unlink()


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
        last = {answer.who: answer for answer in answers}
        if state.votes_of(id) == 1:
            last = {None: answers[-1]}
        who = [a.who for a in last.values() if a.label == decision.label and a.who]
        yield ExportedLabel(
            id, decision.label, who, answers[-1].at, probability, origin
        )


def by_suffix(path, functions):
    """Return the function for files of that name."""
    if path.suffix.lower() not in functions:
        raise ValueError(f"{path.name} must end in .csv or .json.")
    return functions[path.suffix.lower()]


def write_label_csv(file, rows, item_of, may_be_numbers):
    """Write a line for each row."""
    lines = csv.writer(file)
    lines.writerow(COLUMNS)
    for row in rows:
        cells = [harmless(cell) for cell in row._replace(who=joined_names(row.who))]
        if may_be_numbers and isinstance(row.label, str) and reads_as_number(row.label):
            cells[1] = f"'{row.label}"
        lines.writerow(cells)


def joined_names(names):
    """Return names in one cell."""
    return ";".join(re.sub(r"([;\\])", r"\\\1", name) for name in names)


def harmless(cell):
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


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


def write_label_json(file, rows, item_of, may_be_numbers):
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


def plain_cell(cell):
    """Return a cell as JSON has it."""
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(cell, float) and not isfinite(cell):
        return None
    return cell if isinstance(cell, str | int | float | None) else str(cell)
