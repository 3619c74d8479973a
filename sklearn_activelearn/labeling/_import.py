"""Labels from CSV, from Label Studio's JSON, and from other sessions."""

import csv
import json
import re
from collections import Counter
from errno import ENOENT
from os import strerror
from pathlib import Path
from typing import Any, NamedTuple

from .._warnings import warn_user
from ._bodies import checked_state
from ._changes import is_class
from ._commands import check_who, label_event, label_events
from ._decisions import SKIP, deciding_answer, votes_among
from ._export import FINAL, PREDICTED, SKIPPED, number_of, reads_as_number
from ._journal import Journal, is_session
from ._lock import identity_of
from ._output import FORMULA, by_suffix
from ._settings import numbered_from, shown_hashes
from ._status import status_of

#: Longer cells than csv reads otherwise.
LONGEST_CELL = 2**24


class ReadLabel(NamedTuple):
    """A label of a file."""

    id: Any
    text: str
    who: str | None
    label: Any = None  # what the text stands for, if the file says it
    is_text: bool = False  # whether it is no number, whatever it looks like
    is_final: bool = False


def import_events(path, ids, state, is_stream, own):
    """Return the events of the labels in a file, and of the skips of another session.

    Parameters
    ----------
    path : str or path
        ``.csv``, ``.json`` or a session.
    ids : Ids
        Of the rows.
    state : SessionState
        What is known.
    is_stream : bool
        Whether the learner takes a stream.
    own : path
        The file of the session that gets the labels.

    Raises
    ------
    ValueError
        For a file that has no such labels, and for what is refused of one.
    """
    if not Path(path).exists():
        raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))
    if not is_session(path):
        labels = read_labels(path, ids, state)
        return label_events(state, ids, is_stream, labels)
    if identity_of(path) == identity_of(own):
        raise ValueError(f"{path} holds a session: the one that is open.")
    events = session_events(path, ids, state, is_stream)
    return [event for each in events for event in each]


def session_events(path, ids, state, is_stream):
    """Yield lists of events for the answers in another session, in their order.

    Where rows have one vote, a row gets the label that was decided there.

    Warns
    -----
    UserWarning
        For rows that are not here, and labels that are none of the classes.
    """
    events = Journal.read(path)
    there, left_out = checked_state(events, path), Counter()
    id_of = finder_of_rows(there.begin["pool"], state.begin["pool"], ids)
    known, classes = (
        {str(c): c for c in status_of(state).by_class},
        state.begin["classes"],
    )
    for answer in answers_of(there, state.begin["votes"]):
        reason = events[answer.event - 1].body.get("reason")
        label = answer.label
        if label is not SKIP:
            label = known.get(str(label), label)
        if (id := id_of(answer.id)) is None:
            left_out["rows that are not here"] += 1
        elif label is SKIP:
            yield skip_from_elsewhere(state, id, answer, reason)
        elif classes is None or is_class(label, classes):
            what = id, label, answer.who, answer.is_final
            yield label_event(state, ids, is_stream, *what, answer.at)
        else:
            left_out[f"labels that are none of {classes}"] += 1
    if left_out:
        what = ", ".join(f"{n} {each}" for each, n in left_out.items())
        warn_user(f"Left out of {path}: {what}.")


def answers_of(there, n_votes):
    """Return the answers of a session that one with so many votes can use."""
    found = []
    for id, answers in there.answers.items():
        votes, final = list(votes_among(answers).values()), deciding_answer(answers)
        if n_votes > 1 or final:
            found += votes * (n_votes > 1) + [final] * bool(final)
        elif decision := there.decision(id):
            found += [vote for vote in votes if vote.label == decision.label][-1:]
    return sorted(found, key=lambda answer: answer.event)


def finder_of_rows(there, here, ids):
    """Return a function that finds the row of another session in this one.

    Ids that are no more than numbers of rows may be those of other rows here: such a
    row is known by its content.

    Parameters
    ----------
    there, here : dict
        Fingerprints of the pools.
    ids : Ids
        Of the rows here.

    Returns
    -------
    id_of : callable
        ``id_of(id)`` returns the id here; None if the row is not here, or nothing tells
        which of several equal ones it is.
    """
    start = numbered_from(there)
    if start is None:
        return lambda id: ids.from_text(id) if ids.has_text(id) else None
    old, new = shown_hashes(there, here)
    places = {}
    for place, content in enumerate(new):
        places.setdefault(content, []).append(place)

    def id_of(id):
        content = old[id - start]
        if ids.has_text(id) and new[ids.row(ids.from_text(id))] == content:
            return ids.from_text(id)
        found = places.get(content, [])
        return ids.all[found[0]] if len(found) == 1 else None

    return id_of


def skip_from_elsewhere(state, id, answer, reason):
    """Return the event of a row that got no label, unless it was answered here."""
    check_who(answer.who, state.begin["votes"])
    if state.answers.get(id):
        return []
    body = {"id": id, "who": answer.who, "reason": reason, "at": answer.at}
    return [("skip", body)]


def read_labels(path, ids, state):
    """Return the id, the label, the person and whether it is final, of each label.

    A text that stands for a label that is known is that label. Others are numbers if
    all of them can be.

    Parameters
    ----------
    path : str or path
        ``.csv`` or ``.json``.
    ids : Ids
        Of the rows.
    state : SessionState
        What is known.

    Raises
    ------
    ValueError
        For a file that has no such labels, and an id that is not there.
    """
    path, labels = Path(path), status_of(state).by_class
    known = {str(label): label for label in labels}
    read = by_suffix(path, {".csv": read_label_csv, ".json": read_label_json})
    found = list(read(path))
    are_numbers = not any(isinstance(label, str) for label in known.values()) and all(
        not each.is_text and reads_as_number(each.text) for each in found
    )
    return [
        (
            ids.from_text(each.id),
            label_of(each, known, are_numbers),
            each.who,
            each.is_final,
        )
        for each in found
    ]


def label_of(read, known, are_numbers):
    """Return what the text of a label stands for."""
    if read.text in known:
        return known[read.text]
    if read.label is not None:
        return read.label
    return number_of(read.text) if are_numbers else read.text


def read_label_csv(path):
    """Yield what a CSV with the columns id and label has."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file)
            if not {"id", "label"} <= set(lines.fieldnames or ()):
                raise ValueError(f"{path.name} has no columns id and label.")
            for line in lines:
                if line["id"] is None or line["label"] is None:
                    raise ValueError(f"{path.name}, line {lines.line_num}: no label.")
                if line.get("kind") == SKIPPED or line.get("origin") == PREDICTED:
                    continue
                label = as_it_was(line["label"])
                for who in split_names(as_it_was(line.get("who") or "")):
                    yield ReadLabel(
                        as_it_was(line["id"]),
                        label,
                        who or None,
                        is_text=label != line["label"],
                        is_final=line.get("kind") == FINAL,
                    )
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is no text in UTF-8.") from None
    except csv.Error as error:
        raise ValueError(f"{path.name} is no CSV: {error}.") from None
    finally:
        csv.field_size_limit(before)


def as_it_was(cell):
    """Return a cell as it was before an apostrophe was put in front."""
    text = cell[1:]
    if cell.startswith("'") and (text.startswith(FORMULA) or reads_as_number(text)):
        return text
    return cell


def split_names(cell):
    """Return the names in one cell; a backslash in front makes a semicolon plain."""
    names = re.findall(r"(?:^|;)((?:\\[;\\]|[^;])*)", cell)
    names = [re.sub(r"\\([;\\])", r"\1", name) for name in names if name]
    return names or [""]


def read_label_json(path):
    """Yield what tasks of Label Studio have; their data name our ids."""
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(tasks, list):
            raise TypeError("It is no list.")
        for task in tasks:
            stored = (task.get("meta") or {}).get("label")
            for annotation in task["annotations"]:
                who = annotation.get("completed_by")
                who = who.get("email") if isinstance(who, dict) else who
                for result in annotation["result"]:
                    (text,) = map(str, result["value"]["choices"])
                    label = stored if str(stored) == text else None
                    yield ReadLabel(
                        task["data"]["id"],
                        text,
                        str(who) if who else None,
                        label,
                        is_text=isinstance(label, str),
                    )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path.name} is not what Label Studio exports: a list of tasks with an id "
            "in their data, and one choice in each annotation."
        ) from error
