"""Labels to CSV and to Label Studio's JSON, and back."""

import csv
import json
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._typing import FilePath
from ._decisions import SKIP
from ._journal import Journal
from ._state import SessionState

COLUMNS = ("id", "label", "who", "when", "probability", "origin")

#: With these a cell is a formula to a spreadsheet; ' is what stops that.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


class ExportedLabel(NamedTuple):
    """A row that has a label."""

    id: Any
    label: Any
    who: list  # names
    when: str
    probability: float | None  # with which it was bought
    origin: str  # "bought", "put aside" or "given": nobody asked


def export(path: FilePath, out: FilePath) -> int:
    """Write the labels of a session to a file, also while it is open elsewhere.

    Neither the learner nor the rows are needed.

    Parameters
    ----------
    path : str or path
        The session.
    out : str or path
        ``.csv`` with the columns id, label, who, when, probability (with which it was
        bought) and origin ("bought", "put aside", or "given" if nobody asked), or
        ``.json`` for Label Studio. Text that a spreadsheet would take for a formula
        gets an apostrophe in front.

    Returns
    -------
    n_rows : int
        How many rows have a label.

    Raises
    ------
    ValueError
        For a file that is no session or is damaged, or another kind of file to write.
    FileNotFoundError
        If there is no session.

    Examples
    --------
    >>> from sklearn_activelearn.labeling import export
    >>> export("nothing.sqlite", "labels.csv")
    Traceback (most recent call last):
    FileNotFoundError: There is no labelling session nothing.sqlite.
    """
    return write_labels(SessionState(Journal.read(path)), out)


def write_labels(state, out, item_of=None):
    """Write the labels of a state; `item_of` gives what is shown of an id."""
    out = Path(out)
    write = by_suffix(out, {".csv": write_label_csv, ".json": write_label_json})
    rows = list(exported_labels(state))
    write(out, rows, item_of)
    return len(rows)


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
        if state.begin["votes"] == 1:
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


def write_label_csv(path, rows, item_of):
    """Write a line for each row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(COLUMNS)
        for row in rows:
            row = row._replace(who=";".join(row.who))
            lines.writerow([harmless(cell) for cell in row])


def harmless(cell):
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def as_it_was(cell):
    """Return a cell as it was before `harmless`."""
    return cell[1:] if cell.startswith("'") else cell


def write_label_json(path, rows, item_of):
    """Write a task of Label Studio for each row."""
    tasks = [task_of(number, row, item_of) for number, row in enumerate(rows, start=1)]
    path.write_text(json.dumps(tasks, indent=1), encoding="utf-8")


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


def read_labels(path, ids, known):
    """Yield the id, the label and the person of each label in a file.

    Parameters
    ----------
    path : str or path
        ``.csv`` or ``.json``.
    ids : Ids
        Of the rows.
    known : list
        Labels, which are numbers if they are so here.

    Raises
    ------
    ValueError
        For a file that has no such labels, and an id that is not there.
    """
    path, known = Path(path), {str(label): label for label in known}
    read = by_suffix(path, {".csv": read_label_csv, ".json": read_label_json})
    for id, label, who in read(path):
        yield ids.from_text(id), known.get(label, label), who


def read_label_csv(path):
    """Yield what a CSV with the columns id and label has."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = csv.DictReader(file)
        if not {"id", "label"} <= set(lines.fieldnames or ()):
            raise ValueError(f"{path.name} has no columns id and label.")
        for line in lines:
            label = as_it_was(line["label"] or "")
            for who in (line.get("who") or "").split(";"):
                yield as_it_was(line["id"]), label, as_it_was(who) or None


def read_label_json(path):
    """Yield what tasks of Label Studio have; their data name our ids."""
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(tasks, list):
            raise TypeError("It is no list.")
        for task in tasks:
            for annotation in task["annotations"]:
                who = annotation.get("completed_by")
                who = who.get("email") if isinstance(who, dict) else who
                for result in annotation["result"]:
                    (label,) = result["value"]["choices"]
                    yield task["data"]["id"], label, str(who) if who else None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path.name} is not what Label Studio exports: a list of tasks with an id "
            "in their data, and one choice in each annotation."
        ) from error
