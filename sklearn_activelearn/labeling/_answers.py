"""Answers of people, checked before they are stored."""

from typing import Any, NamedTuple

import numpy as np

from ._ids import check_text
from .storage._labels import (
    SEVERAL,
    check_row_labels,
    from_column,
    label_kind,
    to_column,
)


class ImportedAnswer(NamedTuple):
    """An answer from a file, or from another session."""

    id: Any
    label: Any  # None: a skip
    who: str | None = None
    is_final: bool = False
    reason: str | None = None  # of a skip
    at: str | None = None  # None: now
    tags: list | None = None  # None: the row keeps the tags of the person


def check_person(who, votes=1, is_final=False):
    """Raise ValueError unless this is a name, or None where no name is needed."""
    if who is None and is_final:
        raise ValueError(
            "A final label needs the name of the person who decides: pass who=."
        )
    if who is None and votes == 1:
        return
    if who is None:
        raise ValueError(f"Each row gets {votes} votes: pass who=, the voter's name.")
    if not isinstance(who, str) or not who.strip():
        raise ValueError(f"who must be a name, got {who!r}.")
    check_text(who)


def check_label(facts, label):
    """Return a label as it is stored; raise ValueError for other values."""
    label = label.item() if isinstance(label, np.generic) else label
    kind, classes = facts.decisions.kind, facts.settings["classes"]
    if kind == SEVERAL:
        return check_row_labels(label, classes)
    if (own_kind := label_kind(label)) is None:
        raise ValueError(f"A label must be a text or a number, got {label!r}.")
    if kind is not None and own_kind != kind:
        example = facts.db.value("SELECT label FROM answers WHERE label NOT NULL")
        known = classes or [from_column(example, kind)]
        raise ValueError(
            f"The label {label!r} is a {own_kind}, but it must be a {kind}, like "
            f"the other labels: {', '.join(map(repr, known))}."
        )
    if classes is not None:
        if label not in classes:
            raise ValueError(f"The label {label!r} is not among {classes}.")
        return classes[classes.index(label)]
    return check_text(label) if isinstance(label, str) else label


def check_tags(facts, tags):
    """Return tags in their order; raise ValueError for a tag that does not exist."""
    known = facts.settings["tags"]
    if not isinstance(tags, list | tuple | set | frozenset):
        raise ValueError(f"The tags of a row are a list of texts, got {tags!r}.")
    for tag in tags:
        if tag not in known:
            raise ValueError(f"The tag {tag!r} is not among {known}.")
    return [tag for tag in known if tag in tags]


def store_answer(
    facts, id, label, who, is_final=False, reason=None, at=None, *, is_stream,
    is_import=False, tags=None,
):  # fmt: skip
    """Check and store an answer; return False if the person has just given it.

    Parameters
    ----------
    label : label, list of str or None
        None: the person skips the row.
    is_stream : bool
        Whether the learner is a stream learner, which cannot unlearn a label.
    is_import : bool, default=False
        Whether to leave out an answer also if the person gave it before others.
    tags : list of str, default=None
        Tags of the person. None: the tags that the person gave the row before.
    """
    row, kind = facts.decisions[id], facts.decisions.kind
    is_one_vote = 1 in (facts.decisions.votes, row.fewer_votes)
    taught = from_column(row.taught.label, kind) if row.taught else None
    own = [each.tag_list for each in row.answers if each.who == who]
    tags = (own or [[]])[-1] if tags is None else check_tags(facts, tags)
    if label is not None:
        label = check_label(facts, label)
        before = row.finals if is_final else row.answers
        if is_import or not (is_final or is_one_vote):
            before = row.finals if is_final else row.votes
            before = [each for each in before if each.who == who]
        last = before[-1] if before else None
        content = to_column(label), who, tags
        if last and (last.label, last.who, last.tag_list) == content:
            return False
        if is_stream and taught not in (None, label):
            raise ValueError(
                f"Row {id!r} is learned as {taught!r}: a stream learner cannot "
                "unlearn it."
            )
    elif not row.requests:
        raise ValueError(f"Row {id!r} was not asked for: it cannot be skipped.")
    if row.finals and not is_final and is_one_vote:
        final = row.finals[-1]
        raise ValueError(
            f"{final.who} has decided that row {id!r} is "
            f"{from_column(final.label, kind)!r}. Undo that, or label the row with "
            "final=True."
        )
    # a vote on a disputed row may be a skip, whatever the learner knows of the row
    if label is None and row.is_decided and taught is not None:
        raise ValueError(
            f"The learner knows the label of row {id!r}: undo the label, or give "
            "another one."
        )
    if kind is None and label is not None:
        facts.put_settings(label_kind=label_kind(label))
    facts.add_answer(id, label, who, is_final=is_final, reason=reason, at=at, tags=tags)
    return True


def store_answers(facts, found, is_stream):
    """Store the answers of a file; return the number of new labels.

    Parameters
    ----------
    found : list of ImportedAnswer
        Skips (None) of rows that have an answer already are left out.
    is_stream : bool
        As for `store_answer`.

    Raises
    ------
    ValueError
        If one of the answers is refused; the transaction stores none of them.
    """
    n_new, rows = 0, facts.decisions.rows
    answered = {id for id, row in rows.items() if row.answers}
    for id, label, who, is_final, reason, at, tags in found:
        check_person(who, facts.decisions.votes, is_final)
        if label is None:
            if id not in answered:
                facts.add_answer(id, None, who, reason=reason, at=at, tags=tags or ())
            continue
        try:
            label = check_label(facts, label)
        except ValueError as error:
            raise ValueError(f"Row {id!r}: {error}") from error
        n_new += store_answer(
            facts, id, label, who, is_final, at=at, is_stream=is_stream,
            is_import=True, tags=tags,
        )  # fmt: skip
    return n_new
