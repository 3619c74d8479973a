"""What is in the body of each kind of event, checked before anything relies on it.

A file from somebody else may hold anything: its hashes show only that it is as it was
written. A key that this version does not know is let through.
"""

import base64
import binascii
from math import isfinite

from .._validation import is_count, is_whole
from ..sources._identity import NUMBERS
from ._beginnings import changed_settings
from ._commands import label_kind
from ._state import SessionState


def checked_state(events, path):
    """Return the state that events add up to.

    Parameters
    ----------
    events : list of Event
        Of a journal.
    path : path
        Its file.

    Raises
    ------
    ValueError
        For an event that cannot be: the message has its number and what is wrong.
    """
    if not events:
        raise ValueError(f"{path} holds no session: it has no events.")
    checks, state = BodyChecks(), SessionState([])
    for event in events:
        try:
            checks.check(event)
        except ValueError as error:
            raise ValueError(
                f"{path} holds no session: event {event.id} {error}."
            ) from None
        state.apply(event)
    return state


class BodyChecks:
    """Checks of events, each with what those before it were.

    Attributes
    ----------
    begin : dict
        The body of the first one.
    answers : dict of int to (id, who)
        Answers by their number that were not taken back.
    labels : dict of int to label
        Their labels, if they have one.
    """

    def __init__(self):
        self.begin, self.answers, self.labels = None, {}, {}
        self._numbers = set()  # of all answers

    def check(self, event):
        """Raise for an event that cannot come after those before it."""
        check = getattr(self, f"_check_{event.kind}", None)
        if (self.begin is None) != (event.kind == "begin"):
            raise ValueError("begins a session that has begun, or comes before that")
        if check is None:  # of a later version: the state refuses it
            return
        check(event, event.body)

    def _check_begin(self, event, body):
        entry(body, "budget", is_budget)
        entry(body, "ahead", lambda ahead: is_count(ahead) and ahead <= 1)
        check_settings(body)
        self.begin = body

    def _check_ask(self, event, body):
        rows = entry(body, "rows", are_ids)
        entry(body, "probabilities", lambda them: is_list_of(them, is_probability))
        if len(body["probabilities"]) != len(rows):
            raise ValueError("has not one probability for each row")
        n_rows = self.begin["pool"]["n_rows"]
        entry(body, "chunk", lambda chunk: chunk is None or is_chunk(chunk, n_rows))
        entry(body, "stop", lambda stop: stop is None or is_printable(stop))
        if (model := entry(body, "model", lambda model: True)) is not None:
            entry(body, "model", is_dict)
            entry(model, "n_taught", is_count)
            predicted = entry(model, "test", lambda them: is_list_of(them, label_kind))
            if len(predicted) != len(self.begin["test"]):
                raise ValueError("has not one prediction for each row put aside")

    def _check_teach(self, event, body):
        for number in entry(body, "events", lambda them: is_list_of(them, is_count)):
            if number not in self._numbers:
                raise ValueError(f"teaches event {number}, which is no answer")

    def _check_label(self, event, body):
        self._check_answer(event, body)
        label = entry(body, "label", label_kind)
        self._check_class(label)
        if body.get("final", False) is not False:
            entry(body, "final", lambda final: final is True)
            entry(body, "who", is_text)
        self.labels[event.id] = label

    def _check_skip(self, event, body):
        self._check_answer(event, body)
        entry(body, "reason", lambda why: why is None or is_text(why))

    def _check_answer(self, event, body):
        self.answers[event.id] = (
            entry(body, "id", is_id),
            entry(body, "who", is_name),
        )
        if "at" in body:  # in another session
            entry(body, "at", is_printable)
        self._numbers.add(event.id)

    def _check_undo(self, event, body):
        number, until = (
            entry(body, "event", is_count),
            entry(body, "until", is_time),
        )
        answer = entry(body, "id", is_id), entry(body, "who", is_name)
        if self.answers.pop(number, None) != answer or (until and answer[1] is None):
            raise ValueError("takes back what is no answer of that person to that row")
        if "by" in body:  # who wanted it, if somebody else
            entry(body, "by", is_name)
        self.labels.pop(number, None)

    def _check_note(self, event, body):
        entry(body, "id", is_id)
        entry(body, "who", is_name)
        entry(body, "text", is_text)

    def _check_assign(self, event, body):
        entry(body, "id", is_id)
        entry(body, "who", is_name)
        entry(body, "until", is_number)

    def _check_set(self, event, body):
        entry(body, "budget", is_budget)
        entry(body, "given", is_budget)

    def _check_change(self, event, body):
        self._check_set(event, body)
        self._check_teach(event, body)
        entry(body, "words", lambda words: is_list_of(words, is_text))
        entry(body, "is_beginning", lambda value: isinstance(value, bool))
        entry(body, "test", are_ids)
        now = changed_settings(self.begin, body)
        check_settings(now)
        if now["pool"]["n_rows"] < self.begin["pool"]["n_rows"]:
            raise ValueError("takes rows away")
        if now["votes"] < self.begin["votes"]:
            raise ValueError("takes votes away")
        self.begin = now
        for label in self.labels.values():
            self._check_class(label)

    def _check_class(self, label):
        classes = self.begin["classes"]
        example = classes[0] if classes else next(iter(self.labels.values()), label)
        is_class = classes is None or label in classes
        if not is_class or label_kind(label) != label_kind(example):
            raise ValueError(f"has the label {label!r}, which is none of the classes")


def check_settings(body):
    """Raise for what a session cannot have been begun with."""
    entry(body, "versions", lambda them: is_dict_of(them, is_text))
    entry(body, "seeds", lambda seeds: is_dict_of(seeds, is_seed))
    entry(body, "votes", lambda votes: is_count(votes) and votes >= 1)
    entry(body, "test_size", is_count)
    entry(body, "classes", lambda classes: classes is None or are_classes(classes))
    entry(body, "test", are_ids)
    if body.get("recognised_by", NUMBERS) != NUMBERS:
        raise ValueError("has rows that are recognised in an unknown way")
    if len(body["test"]) != body["test_size"]:
        raise ValueError("has other rows put aside than it says")
    learner = entry(body, "learner", is_dict)
    entry(learner, "class", is_text)
    entry(entry(learner, "params", is_dict), "budget", is_budget)
    check_depth(learner)
    pool = entry(body, "pool", is_dict)
    entry(pool, "n_rows", is_count)
    entry(pool, "ids", is_text)
    entry(pool, "columns", lambda names: names is None or is_list_of(names, is_text))
    for name in ("rows", "items"):
        hashes = entry(pool, name, lambda text: text is None or is_text(text))
        if hashes is not None and n_hashes(hashes) != pool["n_rows"]:
            raise ValueError(f"has {name!r} that are no hashes of its rows")
    if pool["rows"] is None:
        raise ValueError("has no hashes of its rows")


def entry(body, name, is_fine):
    """Return what a body has of a name; raise unless it has that and it is fine."""
    if name not in body:
        raise ValueError(f"lacks {name!r}")
    value = body[name]
    if not is_fine(value):
        raise ValueError(f"has {name!r} of a kind that cannot be")
    return value


def is_text(value):
    """Whether this is a text."""
    return isinstance(value, str)


def is_printable(value):
    """Whether this is a text without control characters."""
    return is_text(value) and value.isprintable()


def is_dict(value):
    """Whether this is an object of JSON."""
    return isinstance(value, dict)


def is_dict_of(value, is_fine):
    """Whether this maps names to what is fine."""
    return is_dict(value) and all(map(is_fine, value.values()))


def is_list_of(value, is_fine):
    """Whether this is a list of what is fine."""
    return isinstance(value, list) and all(map(is_fine, value))


def is_seed(value):
    """Whether this may be a seed."""
    return is_whole(value) and 0 <= value < 2**32


def is_number(value):
    """Whether this is a number that a float can hold."""
    try:
        return label_kind(value) == "number" and isfinite(float(value))
    except OverflowError:
        return False


def is_time(value):
    """Whether this is a time in seconds, or None."""
    return value is None or is_number(value)


def is_probability(value):
    """Whether this is a probability."""
    return is_number(value) and 0 <= value <= 1


def is_budget(value):
    """Whether this may be the budget of a learner."""
    return value is None or (is_number(value) and 0 <= value < 2**63)


def is_name(value):
    """Whether this may say who it was."""
    return value is None or is_text(value)


def is_id(value):
    """Whether this may be the id of a row."""
    return is_text(value) or is_whole(value)


def are_ids(value):
    """Whether these may be the ids of different rows."""
    return is_list_of(value, is_id) and len(set(value)) == len(value)


def are_classes(value):
    """Whether these may be the classes."""
    kinds = set(map(label_kind, value)) if isinstance(value, list) else {None}
    return None not in kinds and len(kinds) == 1 and len(set(value)) == len(value) > 1


def is_chunk(value, n_rows):
    """Whether this is a part of a stream."""
    is_pair = is_list_of(value, is_count) and len(value) == 2
    return is_pair and value[0] <= value[1] <= n_rows


def n_hashes(text):
    """Return of how many rows this has the hashes, None if it has none."""
    try:
        n_bytes = len(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return None
    return None if n_bytes % 8 else n_bytes // 8


def check_depth(value, depth=50):
    """Raise unless this is nested so deeply at most."""
    level = [value]
    for _ in range(depth):
        level = [item for each in level for item in parts_of(each)]
        if not level:
            return
    raise ValueError("has parameters within parameters without end")


def parts_of(value):
    """Return what is in an object or a list of JSON."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
