"""Labels and predictions of a session in files: CSV, Label Studio's JSON, parquet."""

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..audit._machine_labels import MACHINE
from ..base import check_option
from ..exceptions import warn_user
from ..utils.typing import FilePath
from ._ids import map_twins
from ._review import check_searched_tag
from ._table_files import (
    add_columns,
    check_no_session,
    function_for_suffix,
    neutralise,
    neutralise_cell,
    replace_file,
    to_cell_value,
    write_table,
)
from .storage._decisions import DISPUTED, GIVEN, LABELLED, OPEN, SKIPPED, TEST
from .storage._file import open_to_read
from .storage._integrity import intact_answers
from .storage._labels import SEVERAL, from_column

#: Start of the name of a column with the probability of a label.
PROBABILITY = "probability of "
#: Kinds of lines of the long form.
VOTE, FINAL, SKIP = "vote", "final", "skip"
#: Origin of a prediction.
PREDICTED = "predicted"

Form: TypeAlias = Literal["wide", "long"]
Columns: TypeAlias = Mapping[str, Sequence[Any]]


class ExportedLabel(NamedTuple):
    """A row that has a label; the fields are the columns of the wide form."""

    id: Any
    label: Any
    who: list  # names
    when: str
    query_probability: float | None  # with which it was bought
    query_reason: str | None  # why the learner bought it, in a word
    origin: str  # "bought", "held out" or "given": nobody asked for it
    tags: dict  # names of people to lists of their tags
    same_as: Any = None  # the row that was asked for in place of this equal one


class ExportedAnswer(NamedTuple):
    """Last answer of a person to a row; the fields are the columns of the long form."""

    id: Any
    label: Any  # None: a skip
    who: list  # a name, or nothing
    when: str
    kind: str  # `VOTE`, `FINAL` or `SKIP`
    tags: dict  # the name of the person to a list of tags
    same_as: Any = None  # the row that was asked for in place of this equal one


#: Names that columns of the user cannot have in a file.
TAKEN = {*ExportedLabel._fields, *ExportedAnswer._fields}


class RowCounts(NamedTuple):
    """Numbers of rows that people have answered; equal rows count one by one."""

    skipped: int
    disputed: int  # people disagree
    undecided: int  # fewer people have answered than are asked
    copies: int  # rows with a label that equal another row


def export(
    path: FilePath, out: FilePath, form: Form = "wide", *, tag: str | None = None
) -> int:
    """Write the labels of a session to a file, also while another process has it open.

    Neither the learner nor the rows are needed. The file is written beside its place
    and then moved there: if something goes wrong, a file that existed is unchanged.

    Parameters
    ----------
    path : str or path
        The session.
    out : str or path
        ``.csv`` with the columns id, label, who, when, query_probability (with which it
        was bought), query_reason (a word that says why, as ``return_reason`` of
        `query`) and origin ("bought", "held out", or "given" if nobody asked for it),
        or ``.json`` for Label Studio. If a row may have several labels, a column
        for each label has 1 or 0 in place of the column label: they are the indicator
        matrix that scikit-learn takes, and a row to which no label applies has zeros,
        which cannot be mistaken for a missing answer. A text that a spreadsheet would
        read as a formula gets an apostrophe in front, and so does a label that would be
        read as a number, unless the session has declared its classes. Semicolons
        separate the names of several people; a semicolon or backslash in a name gets a
        backslash in front. `LabelingSession.import_labels` reads the file. It holds
        names of people: think of it before you pass the file on.
    form : {"wide", "long"}, default="wide"
        "wide": a line for each row that has a label. "long", only ``.csv``: a line for
        the last answer of each person to a row, with the columns id, label, who, when
        and kind: "vote", "final", or "skip" without a label. Lines are in the order in
        which people first answered a row; without votes, in the order of the answers.
        In a session with tags, both forms have a column tags, with semicolons between
        them, in the wide form of all people whose answers count.
    tag : str, default=None
        Write only rows, or answers, that have this tag.

    Returns
    -------
    n_lines : int
        Number of lines or tasks. The wide form leaves out rows that were skipped, that
        too few people have answered, or on which people disagree.

    Warns
    -----
    UserWarning
        If rows on which people disagree are left out.

    Raises
    ------
    ValueError
        For a file that is no session or is damaged, for another suffix, and if `out`
        is a session.
    FileNotFoundError
        If there is no session.
    OSError
        If the file cannot be written; a file that existed is unchanged.

    Examples
    --------
    >>> from sklearn_activelearn.labeling import export
    >>> export("nothing.sqlite", "labels.csv")
    Traceback (most recent call last):
    FileNotFoundError: There is no labelling session nothing.sqlite.
    """
    with open_to_read(path) as facts:
        return export_labels(facts, out, form, tag=tag)


def count_rows(path):
    """Return the `RowCounts` of a session, whose labels were just exported."""
    with open_to_read(path) as facts:
        return count_answered(facts)


def export_labels(facts, out, form, item_of=None, columns=None, row_of=None, tag=None):
    """Write the labels of a session.

    Parameters
    ----------
    facts : Facts
        What the file of the session says.
    out, form
        As for `export`.
    item_of : callable, default=None
        ``item_of(id)`` returns the item of a row. None: items are not known.
    columns : dict of str to sequence, default=None
        Further columns of a CSV: a cell for each row of the pool.
    row_of : callable, default=None
        ``row_of(id)`` returns the number of a row; needed with `columns`.
    tag : str, default=None
        As for `export`.
    """
    out, is_long = Path(out), check_option(form, "form", ("wide", "long")) == "long"
    if is_long and out.suffix.lower() == ".json":
        raise ValueError(
            "The long form is written as .csv only. Name a .csv, or use the wide form."
        )
    is_json = function_for_suffix(out, {".csv": False, ".json": True})
    check_no_session(out)
    check_searched_tag(tag, facts.settings["tags"])
    rows = list((read_answers_by_person if is_long else read_labels)(facts))
    if tag is not None:
        rows = [row for row in rows if any(tag in each for each in row.tags.values())]
    with replace_file(out) as file:
        if is_json:
            json.dump(make_tasks(rows, item_of), file, indent=1)
        else:
            labels = name_label_columns(facts.settings)
            more = add_columns(columns or {}, {*TAKEN, *labels.values()})
            more = {
                name: [cells[row_of(row.id)] for row in rows]
                for name, cells in more.items()
            }
            optional = {"tags": "tags", "same_as": "twins"}  # columns by setting
            unused = {name for name, of in optional.items() if not facts.settings[of]}
            names = (ExportedAnswer if is_long else ExportedLabel)._fields
            names = [name for name in names if name not in unused]
            may_be_numbers = facts.settings["classes"] is None
            write_label_csv(file, rows, names, more, may_be_numbers, labels)
    n_disputed = count_answered(facts).disputed
    if n_disputed and not is_long:
        warn_user(f"{n_disputed} rows on which people disagree are left out.")
    return len(rows)


def name_label_columns(settings):
    """Return the name of the column of each label; none if a row has one label."""
    if settings["label_kind"] != SEVERAL:
        return {}
    columns = {label: label for label in settings["classes"]}
    labels_by_name = add_columns(columns, TAKEN, "label")
    return {label: name for name, label in labels_by_name.items()}


def count_answered(facts):
    """Return the `RowCounts` of a session."""
    twins, counts, n_copies = map_twins(facts.settings["twins"]), Counter(), 0
    for row in facts.decisions.rows.values():
        n_rows = len(twins.get(row.id, [row.id])) if row.answers else 0
        counts[row.state] += n_rows
        n_copies += (row.state == LABELLED) * (n_rows - 1)
    return RowCounts(counts[SKIPPED], counts[DISPUTED], counts[OPEN], n_copies)


def read_labels(facts):
    """Yield an `ExportedLabel` for each labelled row, in the order of the decisions."""
    decisions, twins = facts.decisions, map_twins(facts.settings["twins"])
    origins = {TEST: "held out", GIVEN: "given"}
    for row in decisions.labelled():
        given = sorted(row.standing, key=lambda each: (each.is_final, each))
        # of several labels, each is decided: who has given any is named
        who = dict.fromkeys(
            each.who
            for each in given
            if each.who is not None
            and each.label is not None
            and (decisions.kind == SEVERAL or each.label == row.label)
        )
        found = ExportedLabel(
            row.id, from_column(row.label, decisions.kind), [*who],
            decisions.answers[row.decided].at,
            row.request and row.request.probability,
            row.request and row.request.query_reason,
            origins.get(row.kind, "bought"),
            {each.who: each.tag_list for each in given if each.tags},
        )  # fmt: skip
        yield from repeat_for_twins(found, twins)


def read_answers_by_person(facts):
    """Yield an `ExportedAnswer` for the last vote of each person, and final labels.

    With several votes they are in the order of the first votes, which says who was
    asked because others disagreed. With one vote the last label counts, so it comes
    last.
    """
    decisions, twins, lines = facts.decisions, map_twins(facts.settings["twins"]), []
    for row in decisions.rows.values():
        first = {vote.who: vote.number for vote in reversed(row.votes)}
        is_one = 1 in (decisions.votes, row.fewer_votes)
        for vote in {vote.who: vote for vote in row.votes}.values():
            lines.append((vote.number if is_one else first[vote.who], vote))
        lines += [(final.number, final) for final in row.finals[-1:]]
    for _, answer in sorted(lines, key=itemgetter(0)):
        found = exported_answer(answer._asdict(), decisions.kind)
        yield from repeat_for_twins(found, twins)


def repeat_for_twins(line, twins):
    """Yield the line of a row, and the same for each of the rows that equal it."""
    yield line
    for id in twins.get(line.id, ())[1:]:
        yield line._replace(id=id, same_as=line.id)


def exported_answer(answer, kind):
    """Return a row of ``answers`` as an `ExportedAnswer`."""
    line = SKIP if answer["label"] is None else FINAL if answer["is_final"] else VOTE
    who = [answer["who"]] if answer["who"] else []
    label = from_column(answer["label"], kind)
    tags = {answer["who"]: json.loads(answer["tags"])} if answer["tags"] else {}
    return ExportedAnswer(answer["id"], label, who, answer["at"], line, tags)


def recover_labels(path: FilePath, out: FilePath) -> int:
    """Write the intact answers of a damaged session to a CSV.

    A damaged session is refused when it is opened, and nothing in it is changed. Each
    answer in the file has a checksum: answers that match it are written in the long
    form of `export`, without answers that were withdrawn. A new session reads them with
    `import_labels`.

    Parameters
    ----------
    path : str or path
        The damaged session.
    out : str or path
        ``.csv``

    Returns
    -------
    n_answers : int
        Number of answers that were written.

    Raises
    ------
    ValueError
        For another suffix, if `out` is a session, and if no answer is intact.
    FileNotFoundError
        If there is no file.
    OSError
        If the file cannot be written; a file that existed is unchanged.

    Examples
    --------
    >>> from sklearn_activelearn.labeling import recover_labels
    >>> recover_labels("nothing.sqlite", "answers.csv")
    Traceback (most recent call last):
    FileNotFoundError: There is no labelling session nothing.sqlite.
    """
    path, out = Path(path), Path(out)
    if not path.exists():
        raise FileNotFoundError(f"There is no labelling session {path}.")
    function_for_suffix(out, {".csv": None})
    check_no_session(out)
    answers = [each for each in intact_answers(path) if each["withdrawn_at"] is None]
    if not answers:
        raise ValueError(f"{path} has no intact answers. Nothing was written.")
    last = {(each["id"], each["who"], each["is_final"]): each for each in answers}
    numbers = {each["number"] for each in last.values()}
    lines = [
        exported_answer(each, None) for each in answers if each["number"] in numbers
    ]
    with replace_file(out) as file:
        names = [*ExportedAnswer._fields[:-1]]  # groups of equal rows may be damaged
        if not any(line.tags for line in lines):
            names.remove("tags")
        write_label_csv(file, lines, names, {}, may_be_numbers=True)
    return len(lines)


def write_predictions(facts, path, own, ids, columns, empty=()):
    """Write a line for each row; return how many have no label of a person.

    Parameters
    ----------
    own : SessionLearner
        It predicts.
    ids : list
        Ids of all rows.
    columns : dict of str to sequence
        Further columns.
    empty : set
        Ids of the rows without content, about which the model cannot say anything.
    """
    decided = {each.id: each for each in read_labels(facts)}
    predicted, shares = own.predict_ids(ids)
    origins = [PREDICTED] * len(ids)
    if checked := own.check_machine_labels():
        is_machine = checked.origins == MACHINE
        predicted = np.where(is_machine, checked.labels, predicted).tolist()
        origins = np.where(is_machine, MACHINE, PREDICTED).tolist()
    for row, id in enumerate(ids):
        if id in decided:  # by people: the model has no part in it
            origins[row] = decided[id].origin
        elif id in empty and origins[row] == PREDICTED:
            origins[row] = ""
    if labels := name_label_columns(facts.settings):
        table = tabulate_labels(decided, own, ids, labels, predicted, shares, origins)
    else:
        table = {"label": [], "probability": []}
        places = {label: k for k, label in enumerate(own.learner.classes_.tolist())}
        for row, (id, label) in enumerate(zip(ids, predicted, strict=True)):
            probability = None
            if id in decided:
                label = decided[id].label
            elif not origins[row]:
                label = None
            elif shares is not None:
                k = places.get(label)
                probability = 0.0 if k is None else round(float(shares[row, k]), 6)
            table["label"].append(label)
            table["probability"].append(probability)
    people = [join_names(decided[id].who) if id in decided else "" for id in ids]
    table = {"id": [*ids], **table, "who": people, "origin": origins}
    if groups := facts.settings["twins"]:
        first = {id: group[0] for group in groups for id in group[1:]}
        table["same_as"] = [*map(first.get, ids)]
    write_table(path, table | add_columns(columns, {*TAKEN, *table}))
    return sum(origin in (PREDICTED, MACHINE) for origin in origins)


def tabulate_labels(decided, own, ids, labels, predicted, shares, origins):
    """Return the columns of predictions of rows that may have several labels.

    A label that the model does not know has empty cells where nobody has decided, and
    so have rows without content.
    """
    known, table = own.label_names, {}
    for label, name in labels.items():
        table[name] = [
            int(label in decided[id].label) if id in decided
            else int(label in found) if label in known and origin else None
            for id, found, origin in zip(ids, predicted, origins, strict=True)
        ]  # fmt: skip
    for place, label in enumerate(known if shares is not None else ()):
        table[f"{PROBABILITY}{label}"] = [
            share if origin == PREDICTED else None
            for share, origin in zip(
                shares[:, place].round(6).tolist(), origins, strict=True
            )
        ]
    return table


def write_label_csv(file, rows, names, more, may_be_numbers, labels=()):
    """Write a line for each label, in either form.

    Parameters
    ----------
    names : sequence of str
        Names of the columns of a row.
    more : dict of str to list
        Further columns.
    may_be_numbers : bool
        True if an import could take a text for a number.
    labels : dict of str to str, default=()
        The name of the column of each label, if a row may have several labels.
    """
    lines, fields = csv.writer(file), names
    names = [*names[:1], *(labels.values() if labels else ["label"]), *names[2:], *more]
    lines.writerow(map(neutralise, names))
    for place, row in enumerate(rows):
        tags = dict.fromkeys(tag for each in row.tags.values() for tag in each)
        plain = row._replace(who=join_names(row.who), tags=join_names(tags))
        cells = [neutralise(getattr(plain, name)) for name in fields]
        is_text = isinstance(row.label, str)
        if may_be_numbers and is_text and parse_number(row.label) is not None:
            cells[1] = f"'{row.label}"
        if labels:
            is_skip = row.label is None
            cells[1:2] = [None if is_skip else int(n in row.label) for n in labels]
        further = (neutralise_cell(column[place]) for column in more.values())
        lines.writerow([*cells, *further])


def join_names(names):
    """Return names in one cell; a semicolon in a name gets a backslash in front."""
    return ";".join(re.sub(r"([;\\])", r"\\\1", name) for name in names)


def parse_number(text):
    """Return the number or flag that a text stands for, None if it stands for none."""
    if text in ("True", "False"):
        return text == "True"
    try:
        number = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number if isfinite(number) else None


def make_tasks(labels, item_of):
    """Return labels as tasks of Label Studio."""
    tasks = []
    for number, row in enumerate(labels, start=1):
        labels = row.label if isinstance(row.label, list) else [row.label]
        choice = {"choices": [*map(str, labels)]}
        result = {"from_name": "label", "to_name": "text", "type": "choices"}
        results = [{**result, "value": choice}] * bool(labels)
        annotations = []
        for who in row.who or [None]:
            tags = {"from_name": "tags", "value": {"choices": row.tags.get(who)}}
            own = [*results, *[{**result, **tags}] * (who in row.tags)]
            by = {"completed_by": {"email": who} if who else None}
            annotations.append({"result": own, "created_at": row.when, **by})
        # choices are texts, a label may be a number
        meta = {
            "origin": row.origin, "query_probability": row.query_probability,
            "query_reason": row.query_reason, "label": row.label,
        }  # fmt: skip
        item = {} if item_of is None else item_of(row.id)
        if not hasattr(item, "items"):  # no row of a DataFrame
            item = {"text": str(item)}
        data = {str(name): to_cell_value(cell) for name, cell in item.items()}
        data["id"] = row.id
        tasks.append(
            {"id": number, "data": data, "meta": meta, "annotations": annotations}
        )
    return tasks
