"""Labels from CSV, from other labelling tools, and from other sessions."""

import csv
import json
import re
from collections import Counter
from contextlib import suppress
from errno import ENOENT
from itertools import takewhile
from os import strerror
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..exceptions import warn_user
from ._answers import ImportedAnswer
from ._description import first_number, hashes_of_rows
from ._export import (
    FINAL,
    PREDICTED,
    PROBABILITY,
    SKIP,
    TAKEN,
    name_label_columns,
    parse_number,
)
from ._ids import map_twins, plain_text
from ._table_files import columns_shown, function_for_suffix, restore_cell
from .storage._file import identity_of, open_to_read
from .storage._integrity import is_session
from .storage._labels import SEVERAL, from_column, is_label

#: Largest number of characters in a cell.
LONGEST_CELL = 2**24
#: Fields that Prodigy and doccano add to what an example shows.
OF_PRODIGY = {"accept", "answer", "cats", "id", "label", "meta", "options"}
#: Cells of the column of a label; pandas writes 1.0 if a column has an empty cell.
FLAGS = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}


class ReadLabel(NamedTuple):
    """A label in a file."""

    id: Any
    text: str | None  # None: somebody saw the row and gave no label
    who: str | None = None
    label: Any = None  # what the text stands for, if the file says so
    is_text: bool = False  # True if it is no number, whatever it looks like
    is_final: bool = False
    tags: list = []


class RowsByContent:
    """Rows that are found by what a record of another tool shows.

    Parameters
    ----------
    ids : Ids
        Ids of the rows.
    items : sequence or DataFrame
        Texts, or rows of named cells.
    columns : dict of str to list, default=None
        Further named cells.
    id_field : str, default=None
        Name of the field of a record that holds the id of its row.

    Attributes
    ----------
    n_found, n_unknown, n_ambiguous : int
        Numbers of records that were found in one row, in none and in several, by the
        field or by content.
    examples : list of str
        The beginnings of the contents that were not found in one row.
    """

    def __init__(self, ids, items, columns=None, id_field=None):
        self.ids, self.id_field = ids, id_field
        shown = columns_shown(items)
        self._columns, self._texts = {**(columns or {}), **shown}, shown.get("text", [])
        self._places = {}
        self.n_found = self.n_unknown = self.n_ambiguous = 0
        self.examples = []

    def find(self, id, fields, where):
        """Return the id of the row of a record as text; None if it has no row.

        Row numbers are ids only where nothing can be compared: numbers of another tool
        are other numbers.

        Parameters
        ----------
        id : object
            The record's field "id"; None if it has none.
        fields : dict
            The texts and numbers that the record shows, by name.
        where : str
            The place of the record in the file.

        Raises
        ------
        ImportRefused
            If the record has neither an id nor content.
        """
        if self.id_field in fields:
            id = fields[self.id_field]
            return self._count(fields, [id] if self.ids.has_text(id) else [])
        if id is not None and self.ids.made_of != "numbers":
            return id
        if (rows := self._find_rows(fields)) is None:
            if id is None:
                raise ImportRefused(
                    f"{where}: there is no id, neither beside the text nor in its meta "
                    "data, and no text to find the row by."
                )
            return id
        ids = self.ids.at(rows)
        if len(ids) > 1 and f"{id}" in map(str, ids):
            return id
        return self._count(fields, [*dict.fromkeys(map(self.ids.own, ids))])

    def _count(self, fields, ids):
        """Return the only id; None if there is none, or several."""
        if len(ids) == 1:
            self.n_found += 1
            return ids[0]
        self.n_ambiguous += len(ids) > 1
        self.n_unknown += not ids
        self.examples.append(" ".join(map(str, fields.values()))[:40])
        return None

    def _find_rows(self, fields):
        """Return the rows with the content of a record; None: nothing to compare."""
        names = tuple(name for name in fields if name in self._columns)
        cells = [self._columns[name] for name in names]
        content = tuple(plain_text(fields[name]) for name in names)
        if names and (found := self._look_up(names, zip(*cells, strict=True), content)):
            return found
        texts = [each for each in fields.values() if isinstance(each, str)]
        for text in texts * bool(self._texts):
            rows = zip(self._texts, strict=True)
            if found := self._look_up(None, rows, (plain_text(text),)):
                return found
        return [] if names or (texts and self._texts) else None

    def _look_up(self, names, rows, content):
        if names not in self._places:
            self._places[names] = places = {}
            for row, cells in enumerate(rows):
                places.setdefault(tuple(map(plain_text, cells)), []).append(row)
        return self._places[names].get(content)

    def check(self, name, n_labels):
        """Say which records have no row; refuse a file if no label of it has one."""
        if not self.examples:
            return
        n_records = self.n_found + self.n_unknown + self.n_ambiguous
        how = f"{self.id_field!r} or content" if self.id_field else "content"
        said = f"{name}: {self.n_found} of {n_records} records belong to a row ({how})."
        others = (
            f"{self.n_unknown} belong to no row, {self.n_ambiguous} to several rows, "
            f"for example {self.examples[0]!r}."
        )
        if self.n_found + n_labels == 0:
            raise ValueError(
                f"{said} {others} Name the field or column with the ids of the rows "
                "(id_field, --id)."
            )
        warn_user(f"{said} The others are left out: {others}")


def read_answers(path, rows, settings, pool, known, own):
    """Return the answers in a file, as `ImportedAnswer`.

    Parameters
    ----------
    path : str or path
        ``.csv``, ``.json``, ``.jsonl`` or a session.
    rows : RowsByContent
        The rows here.
    settings : dict
        Settings of the session here.
    pool : dict
        Fingerprint of its pool.
    known : dict
        Its keys are the labels that are known here.
    own : tuple
        Identity of the file of the session here.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        For a file without such labels, and for an id that does not exist.
    """
    if not Path(path).exists():
        raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))
    if not is_session(path):
        return read_label_file(Path(path), rows, known, settings)
    if identity_of(path) == own:
        raise ValueError(f"{path} is the session that is open. Name another file.")
    return read_other_session(path, rows.ids, settings, pool, known)


def join_twins(found, ids, n_votes):
    """Return answers with the ids of twins replaced by the id of their group.

    The tags of twins are put together.

    Warns
    -----
    UserWarning
        For twins with different labels, which are left out: of one person, or of
        different people where one vote decides.
    """

    def group(answer):
        who = answer.who if n_votes > 1 else None
        return ids.own(answer.id), who, answer.is_final

    labels, answers = {}, {}
    for answer in found:
        of_group = labels.setdefault(group(answer), {})
        if answer.label is not None:
            of_group[answer.id] = answer.label
    disputed = {
        key: of_group
        for key, of_group in labels.items()
        if len(of_group) > 1 and len({*map(comparable, of_group.values())}) > 1
    }
    for answer in found:
        key, own = group(answer), ids.own(answer.id)
        is_needless = answer.label is None and labels[key]  # a skip beside a label
        if key in disputed or is_needless:
            continue
        earlier = answers.pop((own, answer.who, answer.is_final), None)
        if earlier is not None and len(ids.twins(own)) > 1:
            tags = [*(earlier.tags or ()), *(answer.tags or ())]
            answer = answer._replace(tags=[*dict.fromkeys(tags)] or None)
        answers[own, answer.who, answer.is_final] = answer._replace(id=own)
    if disputed:
        example = next(iter(disputed.values())).items()
        warn_user(
            f"Equal rows have different labels {len(disputed)} times, for example "
            f"{', '.join(f'row {id!r}: {label!r}' for id, label in example)}"
            ". These labels are left out: you are asked for one label for all of them."
        )
    return [*answers.values()]


def comparable(label):
    """Return a label, or a set of labels in any order, that can be compared."""
    is_set = isinstance(label, list | tuple | set | np.ndarray)
    return frozenset(label) if is_set else label


# --- other sessions


def read_other_session(path, ids, settings, pool, known):
    """Return the answers of another session, in their order.

    If rows have one vote here, a row gets the label that was decided there.

    Warns
    -----
    UserWarning
        For rows and labels that this session does not have.
    """
    found, left_out, classes = [], Counter(), settings["classes"]
    texts = {str(label): label for label in known}
    is_several = settings["label_kind"] == SEVERAL
    with open_to_read(path) as there:
        find_id = make_row_finder(there.read_pool(), pool, ids)
        twins = map_twins(there.settings["twins"])
        for answer in usable_answers(there.decisions, settings["votes"], twins):
            label = from_column(answer.label, there.decisions.kind)
            labels = label if isinstance(label, list) else [label]
            if is_several and label is not None:
                label = [*map(str, labels)]
            elif len(labels) == 1:
                label = texts.get(str(labels[0]), labels[0])
            if (id := find_id(answer.id)) is None:
                left_out["rows that are not here"] += 1
            elif not is_several and isinstance(label, list):
                n = "several labels" if label else "no label"
                left_out[f"answers with {n}"] += 1
            elif (
                label is None
                or classes is None
                or is_label(label, settings["label_kind"], classes)
            ):
                tags = [tag for tag in answer.tag_list if tag in settings["tags"]]
                if n_unknown := len(answer.tag_list) - len(tags):
                    left_out["tags that are not here"] += n_unknown
                found.append(
                    ImportedAnswer(
                        id, label, answer.who, bool(answer.is_final), answer.reason,
                        answer.at, tags or None,
                    )
                )  # fmt: skip
            else:
                left_out[f"labels that are not among {classes}"] += 1
    if left_out:
        what = ", ".join(f"{n} {each}" for each, n in left_out.items())
        if not found:
            raise ValueError(f"Nothing of {path} belongs to this session: {what}.")
        warn_user(f"Left out of {path}: {what}.")
    return found


def usable_answers(decisions, n_votes, twins):
    """Return the answers of a session that a session with `n_votes` votes can use.

    The answers to a row with `twins` are answers to each of them.
    """
    found = []
    for row in decisions.rows.values():
        votes = [*{each.who: each for each in row.votes}.values()]
        finals = row.finals[-1:]
        if n_votes > 1 or finals:
            found += [*votes] * (n_votes > 1) + finals
        elif row.is_decided:
            same = [each for each in votes if each.label == row.label][-1:]
            # of several labels, each is decided: the row may have what nobody has given
            found += same or [each._replace(label=row.label) for each in votes][-1:]
    return [
        answer._replace(id=id)
        for answer in sorted(found)
        for id in twins.get(answer.id, [answer.id])
    ]


def make_row_finder(there, here, ids):
    """Return a function that finds a row of another session in this one.

    Ids that are only row numbers may belong to other rows here: such a row is found by
    its content.

    Parameters
    ----------
    there, here : dict
        Fingerprints of the pools.
    ids : Ids
        Ids of the rows here.

    Returns
    -------
    find_id : callable
        ``find_id(id)`` returns the id here; None if the row is not here, or if several
        rows have its content.
    """
    start = first_number(there)
    if start is None:
        return lambda id: ids.from_text(id) if ids.has_text(id) else None
    old, new = hashes_of_rows(there, here)
    places = {}
    for place, content in enumerate(new):
        places.setdefault(content, []).append(place)

    def find_id(id):
        content = old[id - start]
        if ids.has_text(id) and new[ids.row(ids.from_text(id))] == content:
            return ids.from_text(id)
        found = places.get(content, [])
        found = {ids.own(ids.all[place]) for place in found}
        return found.pop() if len(found) == 1 else None

    return find_id


# --- files


def read_label_file(path, rows, known, settings):
    """Return the answers in a CSV, JSON or JSONL; of a person the last one for a row.

    A text that stands for a known label is that label, and other texts are numbers if
    all of them can be numbers.
    """
    known = {str(label): label for label in known}
    readers = {
        ".csv": read_label_csv,
        ".json": read_label_json,
        ".jsonl": read_label_lines,
    }
    read = function_for_suffix(path, readers)
    found = list(read(path, name_label_columns(settings), rows, settings))
    if unknown := {tag for each in found for tag in each.tags} - {*settings["tags"]}:
        warn_user(
            f"{path.name} has tags that are not among {settings['tags']}, left out: "
            f"{', '.join(sorted(unknown))}."
        )
    rows.check(path.name, len(found))
    are_numbers = not any(isinstance(label, str) for label in known.values()) and all(
        not each.is_text and parse_number(each.text) is not None
        for each in found
        if each.text is not None
    )
    last = {}
    for each in found:
        key = rows.ids.from_text(each.id), each.who, each.is_final
        last.pop(key, None)
        last[key] = parse_label(each, known, are_numbers), each.tags
    return [
        ImportedAnswer(
            id, label, who, is_final,
            tags=[tag for tag in tags if tag in settings["tags"]] or None,
        )
        for (id, who, is_final), (label, tags) in last.items()
    ]  # fmt: skip


def parse_label(read, known, are_numbers):
    """Return the label that a text stands for; None for a skip."""
    if read.text is None or isinstance(read.label, list):
        return read.label
    if read.text in known:
        return known[read.text]
    if read.label is not None:
        return read.label
    return parse_number(read.text) if are_numbers else read.text


def parse_row_labels(text, labels):
    """Return the labels in a text: a list of JSON, or names with semicolons between.

    The name of a label may have semicolons itself.
    """
    if text.startswith("["):
        with suppress(ValueError):
            return [*map(str, json.loads(text))]
    if text in labels:
        return [text]
    return [name.strip() for name in split_names(text)]


def labels_of_line(line, columns, where):
    """Return the labels whose columns have a 1 in a line of a CSV; None: all are empty.

    Without such columns, the cell of the column label has their names.
    """
    cells = {label: line[name] for label, name in columns.items() if name in line}
    if not cells:
        text = line["label"]
        return parse_row_labels(text, columns) if text else None
    if not any(cells.values()):
        return None
    for label, cell in cells.items():
        if cell.lower() not in FLAGS:
            raise ValueError(
                f"{where}: the column of {label!r} must be 1 or 0, got {cell!r}."
            )
    return [label for label, cell in cells.items() if FLAGS[cell.lower()]]


def check_other_columns(path, lines, names):
    """Raise ValueError for a label in a file that the session does not have.

    Parameters
    ----------
    lines : list of dict
        Lines that are no skips and no predictions, with the columns id and `names`.
    names : list of str
        Columns that belong to no label of the session.
    """
    for name in names:
        cells = [(line["id"], (line[name] or "").lower()) for line in lines]
        if any(cell and cell not in FLAGS for _, cell in cells):
            continue
        for id, cell in cells:
            if FLAGS.get(cell):
                raise ValueError(
                    f"{path.name}: row {id} has a 1 in the column {name!r}, which is "
                    "not among the labels of the session. Add the label to the "
                    "session, or take the column out of the file."
                )


def read_label_csv(path, columns, rows, settings):
    """Yield the labels of a CSV with the columns id and label, or one for each label.

    Warns
    -----
    UserWarning
        If some of several labels have no column.
    """
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file)
            names = lines.fieldnames = [*map(restore_cell, lines.fieldnames or ())]
            missing = sorted({*columns.values()} - {*names})
            has_columns = len(missing) < len(columns)
            used = {*columns.values()} - {*missing} if has_columns else {"label"}
            key = "id" if "id" in names else rows.id_field or "id"
            if not (used := {key, *used}) <= {*names}:
                each = ", or a column for each label" if columns else ""
                raise ValueError(
                    f"{path.name} needs the columns id and label{each}. "
                    f"It has {', '.join(names) or 'none'}."
                )
            if has_columns and missing:
                warn_user(
                    f"{path.name} has no columns for the labels {', '.join(missing)}: "
                    "its rows are read as rows without these labels."
                )
            others, read = [], []
            if has_columns:  # labels stand before the other columns of an export
                first = takewhile(lambda name: name == "id" or name not in TAKEN, names)
                others = [each for each in first if each not in used]
                others = [each for each in others if not each.startswith(PROBABILITY)]
            for line in lines:
                if None in map(line.get, used):
                    raise ValueError(f"{path.name}, line {lines.line_num}: no label.")
                if line.get("kind") == SKIP or line.get("origin") == PREDICTED:
                    continue
                labels, label = None, "" if columns else line["label"]
                if columns:
                    read.append(line)
                    where = f"{path.name}, line {lines.line_num}"
                    if (labels := labels_of_line(line, columns, where)) is None:
                        continue
                if label.startswith("'") and parse_number(label[1:]) is not None:
                    label = label[1:]
                else:
                    label = restore_cell(label)
                tags = line.get("tags") if settings["tags"] else None
                tags = [*filter(None, split_names(restore_cell(tags or "")))]
                for who in split_names(restore_cell(line.get("who") or "")):
                    yield ReadLabel(
                        restore_cell(line[key]),
                        label,
                        who or None,
                        labels,
                        is_text=label != line.get("label"),
                        is_final=line.get("kind") == FINAL,
                        tags=tags,
                    )
            check_other_columns(path, read, others)
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not encoded as UTF-8.") from None
    except csv.Error as error:
        raise ValueError(f"{path.name} is not a valid CSV file: {error}.") from None
    finally:
        csv.field_size_limit(before)


def split_names(cell):
    """Return the names in one cell; a backslash in front makes a semicolon plain."""
    names = re.findall(r"(?:^|;)((?:\\[;\\]|[^;])*)", cell)
    names = [re.sub(r"\\([;\\])", r"\1", name) for name in names if name]
    return names or [""]


def read_text(path):
    """Return the text of a file, which must be in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ImportRefused(f"{path.name} is not encoded as UTF-8.") from None


def read_label_json(path, columns, rows, settings):
    """Yield the labels of tasks of Label Studio; their data say which row it is.

    A task with cancelled annotations only is skipped. The ground truth decides, if a
    task has one. Controls other than choices are left alone.

    Warns
    -----
    UserWarning
        For other controls, and for annotations of one task that disagree.
    """
    others, disputed, known_tags = Counter(), [], {*settings["tags"]}
    try:
        tasks = json.loads(read_text(path))
        if not isinstance(tasks, list):
            raise TypeError("It is no list.")
        for task in tasks:
            stored, data = (task.get("meta") or {}).get("label"), task["data"]
            if not task["annotations"]:
                continue
            where = f"{path.name}, task {task.get('id')}"
            if (id := rows.find(data.get("id"), data, where)) is None:
                continue
            given = [a for a in task["annotations"] if not a.get("was_cancelled")]
            truth = [a for a in given if a.get("ground_truth")][-1:]
            found = [] if given else [ReadLabel(id, None)]
            for annotation in truth or given:
                labels, tags, n_others = [], [], 0
                for result in annotation["result"]:
                    choices = [*map(str, result["value"].get("choices", ()))]
                    if choices and {*choices} <= known_tags:
                        tags += choices
                    elif "choices" in result["value"]:
                        labels += choices
                    else:
                        others[result.get("type", "an unknown type")] += 1
                        n_others += 1
                # without results, the person has chosen that no label applies
                if not labels and (n_others or not columns):
                    continue
                who = annotation.get("completed_by")
                who = who.get("email") if isinstance(who, dict) else who
                read = make_read_label(id, labels, columns, where)
                if str(stored) == read.text:
                    is_text = isinstance(stored, str)
                    read = read._replace(label=stored, is_text=is_text)
                who, is_final = str(who) if who else None, bool(truth and who)
                found.append(read._replace(who=who, is_final=is_final, tags=tags))
            if len({(each.text, f"{each.label}") for each in found}) > 1:
                disputed.append(id)
            yield from found
    except ImportRefused:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path.name} is not an export of Label Studio, which is a list of tasks "
            "with data, and with choices in their annotations. Export the project as "
            '"JSON".'
        ) from error
    if not any(task["annotations"] for task in tasks):
        warn_user(f"{path.name} has no annotations, so no label is read.")
    if others:
        kinds = ", ".join(f"{n} of type {kind}" for kind, n in others.items())
        warn_user(f"{path.name} has results that are no choices, left out: {kinds}.")
    if disputed:
        warn_user(
            f"In {path.name} the annotations of {len(disputed)} tasks disagree, for "
            f"example of {disputed[0]!r}. With several votes a row they are votes; "
            "with one vote the last annotation counts."
        )


class ImportRefused(ValueError):
    """A file in another encoding, several choices, or a record that is of no row."""


def make_read_label(id, labels, columns, where):
    """Return the labels of an answer, of which a row has one, or with `columns` any."""
    if columns:
        return ReadLabel(id, "", label=[*map(str, labels)])
    if len(labels) != 1 or isinstance(labels[0], list | dict):
        raise ImportRefused(
            f"{where}: it has the labels {labels}. A row has one label here."
        )
    return ReadLabel(id, str(labels[0]))


def read_label_lines(path, columns, rows, settings):
    """Yield the labels of a JSONL file of Prodigy or doccano.

    Of Prodigy's answers, an accepted label is the label, and a rejected one stands for
    the other class if there are two. The id of a row is "id", in the example or its
    "meta".

    Warns
    -----
    UserWarning
        For examples that were ignored or rejected and give no label.
    """
    left_out, classes = Counter(), settings["classes"]
    # texts may hold other marks at which `splitlines` splits
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        try:
            example = json.loads(line)
            meta = example.get("meta") or {}
            shown = {each: example[each] for each in example if each not in OF_PRODIGY}
            id, fields = example.get("id", meta.get("id")), {**meta, **shown}
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise ValueError(f"{where}: this is no JSON object.") from None
        answer, label = example.get("answer", "accept"), example.get("label")
        others = [each for each in classes or () if f"{each}" != f"{label}"]
        can_turn = not columns and len(classes or ()) == 2 and len(others) == 1
        if answer == "reject" and can_turn and "accept" not in example:
            label = others[0]
        elif answer != "accept":
            left_out[f"{answer}"] += 1
            continue
        labels = example.get(
            "accept", label if label is not None else example.get("cats")
        )
        # that no label applies is not said by a text that nobody has labelled
        is_answer = bool(labels) if isinstance(labels, dict) else "accept" in example
        if isinstance(labels, dict):  # scores of spaCy's categories
            labels = [name for name, score in labels.items() if score >= 0.5]
        labels = labels if isinstance(labels, list) else [labels]
        if labels == [None] or (labels == [] and not (columns and is_answer)):
            continue
        if (id := rows.find(id, fields, where)) is None:
            continue
        who = example.get("_annotator_id", example.get("username"))
        read = make_read_label(id, labels, columns, where)
        yield read._replace(who=str(who) if who else None)
    if left_out:
        answers = ", ".join(
            f"{n} with the answer {each!r}" for each, n in left_out.items()
        )
        warn_user(f"{path.name} has examples that give no label, left out: {answers}.")
