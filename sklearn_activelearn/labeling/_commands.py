"""Commands of people, checked before they are recorded as events."""

from math import isfinite
from numbers import Integral, Real

import numpy as np

from .._validation import check_flag
from ._decisions import SKIP, deciding_answer, votes_among


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


def label_event(state, ids, is_stream, id, label, who, is_final=False, at=None):
    """Return the event of a label: one, or none if it was answered before.

    With `at` it was given in another session at that time.

    Raises
    ------
    ValueError
        For an unknown row or label, one that a stream learner would have to unlearn, a
        final one of nobody, and one that a final one keeps from counting.
    """
    is_final = check_flag(is_final, "final")
    if is_final and who is None:
        raise ValueError("Say who decides with who=: a final label needs a name.")
    check_who(who, state.begin["votes"])
    id = ids.own(id)
    label = plain_label(label, state.begin["classes"], state.any_label())
    taught = state.taught.get(id, SKIP)
    if is_stream and taught not in (SKIP, label):
        raise ValueError(
            f"Row {id!r} is learned as {taught!r}: a stream learner cannot unlearn it."
        )
    if stands(state, id, label, who, is_final):
        return []
    if not is_final:
        check_not_final(state, id)
    body = {"id": id, "label": label, "who": who}
    body |= {"final": True} if is_final else {}
    return [("label", body if at is None else {**body, "at": at})]


def stands(state, id, label, who, is_final):
    """Whether a person has answered just that, and nothing has replaced it."""
    answers = state.answers.get(id, [])
    if is_final:
        last = deciding_answer(answers)
    elif state.votes_of(id) == 1:
        last = answers[-1] if answers else None
    else:
        last = votes_among(answers).get(who)
    return last is not None and (last.label, last.who) == (label, who)


def label_events(state, ids, is_stream, labels):
    """Return the events of many labels, without those that are known.

    Parameters
    ----------
    labels : list of (id, label, who, is_final)
        Of several from a person for a row the last one counts.
    """
    last = {}
    for id, label, who, is_final in labels:
        last.pop((id, who, is_final), None)
        last[id, who, is_final] = label
    events = []
    for (id, who, is_final), label in last.items():
        own = (
            answer.label
            for answer in reversed(state.answers.get(id, []))
            if (answer.who, answer.is_final) == (who, is_final)
        )
        if next(own, SKIP) != label:
            events += label_event(state, ids, is_stream, id, label, who, is_final)
    return events


def check_not_final(state, id):
    """Raise if a final label has decided, and an answer would not even be a vote."""
    final = deciding_answer(state.answers.get(id, []))
    if state.votes_of(id) == 1 and final is not None:
        raise ValueError(
            f"{final.who} has decided that row {id!r} is {final.label!r}: undo that, "
            "or label it with final=True."
        )


def skip_event(state, ids, id, reason, who):
    """Return the event of a row that gets no label.

    Raises
    ------
    ValueError
        For a row that was not asked for, or is learned, and a reason that is no text.
    """
    id = ids.own(id)
    if id not in state.asked and id not in state.test:
        raise ValueError(f"Row {id!r} was not asked for: nothing to skip.")
    check_not_final(state, id)
    if state.taught.get(id, SKIP) is not SKIP:
        raise ValueError(
            f"The learner knows the label of row {id!r}: undo it, or label it "
            "otherwise."
        )
    reason = reason and str(reason)
    check_text(reason or "")
    return "skip", {"id": id, "who": who, "reason": reason}


def assign_event(state, id, who, now, lease):
    """Return the event of a row that is given to somebody, none if it is theirs."""
    if who is None or state.is_held(id, who, now + lease / 2):
        return []
    return [("assign", {"id": id, "who": who, "until": now + lease})]


def note_event(state, ids, id, text, who):
    """Return the event of a note on a row: one, or none if it says so already.

    Raises
    ------
    ValueError
        For an unknown row, and what is no text.
    """
    id = ids.own(id)
    if not isinstance(text, str):
        raise ValueError(f"A note is a text, got {text!r}.")
    check_text(text)
    known = state.notes.get(id, {}).get(who)
    if text.strip() == (known.text if known else ""):
        return []
    return [("note", {"id": id, "text": text.strip(), "who": who})]


def reopen_events(state, is_stream, ids, who):
    """Return the events that take back all skips of rows, those of the first row last.

    Parameters
    ----------
    ids : list or None
        Skipped rows; None: all.
    who : str or None
        Who wants it.

    Raises
    ------
    ValueError
        For a row that is not skipped, or that a stream learner would have to unlearn.
    """
    skipped = {
        id: None
        for id, decision in state.decisions.items()
        if decision.label is SKIP and not (is_stream and id in state.taught)
    }
    events = []
    for id in reversed([*skipped] if ids is None else [*dict.fromkeys(ids)]):
        if id not in skipped:
            raise ValueError(
                f"Row {id!r} is not skipped, or a stream learner passed it."
            )
        for answer in state.answers[id]:
            if answer.label is SKIP:
                body = {"event": answer.event, "id": id, "who": answer.who}
                events.append(("undo", {**body, "until": None, "by": who}))
    return events


def undo_event(state, is_stream, who, until, id=None):
    """Return the event of an answer that is taken back: the last one, or that to `id`.

    Raises
    ------
    ValueError
        If there is none, or if a stream learner would have to unlearn it.
    """
    last = state.last_answer(who, id)
    if last is None:
        raise ValueError("There is nothing to undo.")
    if is_stream and last.id in state.taught:
        raise ValueError(
            f"Row {last.id!r} is learned: a stream learner cannot unlearn it."
        )
    if last.is_final and state.votes_of(last.id) > 1:
        until = None  # who decides has no vote that others would have to wait for
    return "undo", {"event": last.event, "id": last.id, "who": who, "until": until}
