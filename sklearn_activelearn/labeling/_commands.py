"""Commands of people, checked before they are recorded as events."""

from math import isfinite
from numbers import Integral, Real

import numpy as np

from ._decisions import SKIP


def check_who(who, n_votes):
    """Raise unless this is a name, or none and none is needed."""
    if who is None and n_votes == 1:
        return
    if who is None:
        raise ValueError(f"Each row gets {n_votes} votes: say whose this is with who=.")
    if not isinstance(who, str) or not who.strip():
        raise ValueError(f"who must be a name, got {who!r}.")
    check_text(who)


def plain_label(label, classes, example):
    """Return a label as JSON has it.

    Parameters
    ----------
    label : object
        What somebody answered.
    classes : list or None
        All that can occur; None for any.
    example : object
        A label of the kind that it must be of; None for any.

    Raises
    ------
    ValueError
        For what is no label, or none of these.
    """
    if isinstance(label, np.generic):
        label = label.item()
    kind = label_kind(label)
    if kind is None:
        raise ValueError(f"A label is text or a number, got {label!r}.")
    if classes is not None and (label not in classes or kind != label_kind(classes[0])):
        raise ValueError(f"The label {label!r} is none of {classes}.")
    if classes is not None:
        return classes[classes.index(label)]
    if kind == "text":
        check_text(label)
    if example is not None and kind != label_kind(example):
        raise ValueError(
            f"The label {label!r} is not of the kind of the others, as {example!r}."
        )
    return label


def check_text(text):
    """Raise for a text that no file in UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is no text: half of a character.") from None


def label_kind(label):
    """Return whether a label is text or a number; None: neither."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "flag"
    if isinstance(label, Integral) or (isinstance(label, Real) and isfinite(label)):
        return "number"
    return None


def label_event(state, ids, is_stream, id, label, who, at=None):
    """Return the event of a label: one, or none if it was answered before.

    With `at` it was given in another session at that time.

    Raises
    ------
    ValueError
        For an unknown row or label, or one that a stream learner would have to unlearn.
    """
    check_who(who, state.begin["votes"])
    id = ids.own(id)
    label = plain_label(label, state.begin["classes"], state.any_label())
    taught = state.taught.get(id, SKIP)
    if is_stream and taught not in (SKIP, label):
        raise ValueError(
            f"Row {id!r} is learned as {taught!r}: a stream learner cannot unlearn it."
        )
    own = [answer.label for answer in state.answers.get(id, ()) if answer.who == who]
    if own and own[-1] == label:
        return []
    body = {"id": id, "label": label, "who": who}
    return [("label", body if at is None else {**body, "at": at})]


def skip_event(state, ids, id, reason, who):
    """Return the event of a row that gets no label.

    Raises
    ------
    ValueError
        For a row that was not asked for, or is learned.
    """
    id = ids.own(id)
    if id not in state.asked and id not in state.test:
        raise ValueError(f"Row {id!r} was not asked for: nothing to skip.")
    if state.taught.get(id, SKIP) is not SKIP:
        raise ValueError(
            f"The learner knows the label of row {id!r}: undo it, or label it "
            "otherwise."
        )
    return "skip", {"id": id, "who": who, "reason": reason and str(reason)}


def assign_event(state, id, who, now, lease):
    """Return the event of a row that is given to somebody, none if it is theirs."""
    if who is None or state.is_held(id, who, now + lease / 2):
        return []
    return [("assign", {"id": id, "who": who, "until": now + lease})]


def undo_event(state, is_stream, who, until):
    """Return the event of an answer that is taken back.

    Raises
    ------
    ValueError
        If there is none, or if a stream learner would have to unlearn it.
    """
    last = state.last_answer(who)
    if last is None:
        raise ValueError("There is nothing to undo.")
    if is_stream and last.id in state.taught:
        raise ValueError(
            f"Row {last.id!r} is learned: a stream learner cannot unlearn it."
        )
    return "undo", {"event": last.event, "id": last.id, "who": who, "until": until}
