"""The state of a session: planned whole, checked, and stored in place of the old one.

`plan_session` makes the new state from the facts and the arguments; a new session has a
blank old state. What differs between the two states says which words of ``change`` are
needed. `store_plan` replaces the state inside one transaction.
"""

import json
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple, get_args
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from .. import ErrorSamplingClassifier
from ..base import ActiveClassifier, check_budget, check_number, check_option
from ..exceptions import ColdStartWarning
from ..pool import PoolClassifier
from ..sources import take, to_pandas
from ..utils.typing import Change
from ._description import (
    check_label_names,
    check_tag_names,
    describe_learner,
    describe_pool_change,
    draw_learner_seeds,
    draw_seed,
    find_differences,
    find_pool_changes,
    fingerprint,
    hash_ids,
    hold_in_other_order,
    plain_classes,
    read_renamed,
    seeded_clone,
)
from ._ids import check_text, check_texts, find_twins, map_twins
from ._worker import LearnerLabels, record_teaching
from .storage._decisions import TEST, Answer, Decisions
from .storage._integrity import printable, refusal
from .storage._labels import SEVERAL, from_column, label_kind, to_column
from .storage._schema import COLUMNS, put, read_checked, to_json

#: Words of ``change``, in the order in which messages name them.
WORDS = get_args(Change)


@dataclass
class Arguments:
    """Checked arguments of a session."""

    path: Any
    learner: Any
    pool: Any
    items: Any
    ids: Any
    classes: list | None
    is_several: bool  # True if a row may have several labels
    test_size: int | None
    votes: int | None
    ahead: int
    tags: list | None
    twins: str | None  # "once" or "ask"; None: as stored
    allowed: Any  # `change`; then a tuple of its words
    empty: list  # numbers of rows without content
    renamed: dict = field(init=False)  # old class to new class
    renamed_tags: dict = field(init=False)

    def __post_init__(self):
        self._read_change()
        if not isinstance(self.learner, ActiveClassifier):
            raise TypeError(
                f"A session needs a learner of this package, got {self.learner!r}."
            )
        self.is_stream = not isinstance(self.learner, PoolClassifier)
        if self.is_several:
            self.classes = check_label_names(self.classes)
        self.classes = plain_classes(self.classes)
        self.tags = check_tag_names(self.tags)
        for each in (*(self.classes or ()), *(self.tags or ())):
            if isinstance(each, str):
                check_text(each)
        if self.twins is not None:
            check_option(self.twins, "twins", ("once", "ask"))
        limits = {"test_size": (0, None), "votes": (1, None), "ahead": (0, 1)}
        for name, (low, high) in limits.items():
            if getattr(self, name) is not None:
                check_number(
                    getattr(self, name), name, low, high,
                    closed="left" if high is None else "both", integer=True,
                )  # fmt: skip
        check_texts(self.pool, self.ids.all)

    def _read_change(self):
        """Split `change` into its words, and the classes that are renamed."""
        change = self.allowed
        if not isinstance(change, str | tuple | list | set | dict):
            raise TypeError(
                f"change must be a word, a tuple of words or a dict, got {change!r}."
            )
        self.allowed = (change,) if isinstance(change, str) else tuple(change)
        for word in self.allowed:
            if word not in WORDS:
                raise ValueError(
                    f"change must be among {', '.join(WORDS)}, got {word!r}."
                )
        self.renamed, self.renamed_tags = {}, {}
        if isinstance(change, dict):
            self.renamed = read_renamed(change, "classes")
            self.renamed_tags = read_renamed(change, "tags")
            for word in {*change} - {"classes", "tags"}:
                if change[word] is not None:
                    raise ValueError(
                        f"change[{word!r}] must be None, got {change[word]!r}: what is "
                        "new is passed as for a new session."
                    )

    def find_twins(self, groups=(), n_known=0):
        """Return the groups of ids of equal rows; parameters as for the function."""
        items = to_pandas(self.pool) if self.items is None else self.items
        return find_twins(items, self.ids.all, self.empty, groups, n_known)


class State(NamedTuple):
    """Settings, learner and names of a session: all that a change may replace."""

    settings: dict  # as they are stored
    learner: dict | None  # its description, without the budget; None: a new session
    budget: int | None  # labels that the learner may buy; None: any number
    labels: list  # of all answers, also of answers that were withdrawn
    used_tags: list  # of all answers

    @property
    def total_budget(self):
        """Number of labels that may be bought, with the held-out rows."""
        test_size = self.settings["test_size"]
        return None if self.budget is None else self.budget + test_size


class Plan(NamedTuple):
    """A new state of a session, and how the facts change with it."""

    state: State
    words: set  # of `change`, for what differs; a larger budget needs none
    is_needed: bool  # True if something differs
    begins_again: bool  # True if the learner begins again, with all labels
    renamed: dict  # labels
    renamed_tags: dict
    seeds: dict | None  # None: as stored
    test: list  # ids of further held-out rows


def read_state(args, facts):
    """Return the stored state of a session; a new session has no rows and no learner.

    Parameters
    ----------
    args : Arguments
        What the session is opened with.
    facts : Facts or None
        What its file says; None if there is no file.
    """
    if facts is None or not facts.is_begun:
        no_rows = {"n_rows": 0, "rows": "", "items": None, "columns": None}
        settings = {
            "classes": None,
            "tags": [],
            "twins": [],
            "votes": 1,
            "test_size": 0,
            "pool": {**no_rows, "ids": hash_ids([])},
            "label_kind": SEVERAL if args.is_several else None,
            "renamed": [],
            "sampled": [0, 0],
        }
        return State(settings, None, None, [], [])
    db, kind = facts.db, facts.settings["label_kind"]
    columns = db.column("SELECT DISTINCT label FROM answers WHERE label NOT NULL")
    labels = [from_column(label, kind) for label in columns]
    if kind == SEVERAL:
        labels = [*dict.fromkeys(label for each in labels for label in each)]
    columns = db.column("SELECT DISTINCT tags FROM answers WHERE tags NOT NULL")
    tags = sorted({tag for each in columns for tag in json.loads(each)})
    settings = {**facts.settings, "pool": facts.read_pool()}
    learner = facts.learner
    return State(settings, learner["description"], learner["budget"], labels, tags)


def plan_session(args, facts=None):
    """Return the `Plan` of a session that is opened; nothing is changed.

    Parameters
    ----------
    args : Arguments
        What the session is opened with. What is left out stays as it is stored.
    facts : Facts, default=None
        What its file says; None if there is no file.

    Raises
    ------
    ValueError, TypeError
        If the session cannot begin, or go on, with these arguments.
    """
    old = read_state(args, facts)
    decisions = Decisions(1, None) if facts is None else facts.decisions
    before = old.settings
    is_several = before["label_kind"] == SEVERAL
    if args.classes is not None and args.is_several != is_several:
        number = ("one label, not several", "several labels, not one")[is_several]
        raise not_possible(
            args, f"Each row of {args.path} has {number}.",
            "the number of labels of a row is fixed",
        )  # fmt: skip
    pool = fingerprint(args.pool, args.items, args.ids.all)
    pool_words = find_pool_changes(before["pool"], pool, args.ids.all)
    if pool_words in (set(), {"pool"}) and hold_in_other_order(before["pool"], pool):
        raise not_possible(
            args, f"{args.path} has the same items in another order.",
            "people would see other rows than the rows that were answered",
        )  # fmt: skip
    if pool_words is None:
        why = "new rows have to come last, and the other rows keep their ids"
        if args.ids.made_of == "values":
            why += "; for new features of the same rows, pass the same ids="
        raise not_possible(args, describe_pool(args, before["pool"], pool), why)
    twins = plan_twins(args, old, "pool" in pool_words)
    args.ids.rows(decisions.rows)  # raises for a row that is not in the pool
    classes, renamed = plan_classes(args, old)
    tags, renamed_tags = plan_tags(args, old, classes)
    votes = before["votes"] if args.votes is None else args.votes
    test_size = before["test_size"] if args.test_size is None else args.test_size
    n_more = test_size - before["test_size"]
    is_new, kind, sampled = old.learner is None, before["label_kind"], before["sampled"]
    if classes is not None and not is_several:
        kind = label_kind(classes[0])
    n_free = len(args.ids) - len(args.empty) - len(args.ids.copies)
    if test_size >= n_free and (is_new or n_more > 0):
        note = " (equal rows count once)" if args.ids.copies else ""
        raise ValueError(
            f"test_size must be smaller than the number of rows, {n_free}{note}, "
            f"got {test_size}."
        )
    if is_new:
        sampled = [len(args.ids), 0]
    elif n_more:
        sampled = [len(args.ids), sampled[1] + n_more]
    settings = {
        "classes": classes,
        "tags": tags,
        "twins": twins,  # None: each row is asked for
        "votes": votes,
        "test_size": test_size,
        "pool": pool,
        "label_kind": kind,
        "renamed": [*before["renamed"], *renamed, *renamed_tags],
        # number of rows when test rows were drawn last, and of those added since then
        "sampled": sampled,
    }
    n_asked = decisions.n_requests - before["test_size"]
    new = State(
        settings, describe_learner(args.learner), find_budget(args, test_size, n_asked),
        rename_each(old.labels, renamed), rename_each(old.used_tags, renamed_tags),
    )  # fmt: skip
    texts = describe_settings(old, new)
    words = pool_words | {word for word, found in texts.items() if found}
    words |= {"classes"} if new.labels != old.labels else set()
    if not words:
        is_needed = new.budget != old.budget
        return Plan(new, words, is_needed, False, {}, {}, None, [])
    free = set() if decisions.answers or old.labels else {"classes", "tags"}
    check_changes(args, old, new, words, set(WORDS) if is_new else free, texts)
    is_same_learner = not [*find_differences(old.learner, new.learner)]
    begins_again = bool(words & {"features", "classes"}) or not is_same_learner
    if is_same_learner:
        seeds = facts.learner["seeds"]
    else:
        seeds = draw_learner_seeds(args.learner)
    test = draw_test_rows(args, decisions, before["test_size"], n_more)
    plan = Plan(new, words, True, begins_again, renamed, renamed_tags, seeds, test)
    try_learner(args, plan, decisions)
    return plan


def plan_twins(args, old, has_more_rows):
    """Return the groups of equal rows, and give them to the ids; new rows join them."""
    before, stored = old.settings["twins"], None
    if old.learner is not None:
        stored = "ask" if before is None else "once"
    is_machine = isinstance(args.learner, ErrorSamplingClassifier)
    twins = args.twins or stored or ("ask" if is_machine else "once")
    if stored not in (None, twins):
        raise not_possible(
            args, f"{args.path} was begun with twins={stored!r}.",
            "answers to equal rows are stored in one way",
        )  # fmt: skip
    groups = None if twins == "ask" else before
    now = map_twins(args.find_twins()) if groups else {}
    for first, *others in groups or ():
        if differing := [id for id in others if id not in now.get(first, ())]:
            raise not_possible(
                args,
                f"Rows {first!r} and {differing[0]!r} were equal, and have one answer, "
                "but differ now.",
                "nobody has said which of them the answer is about: begin another "
                "session with these rows, and import the labels of this one",
            )
    if groups is not None and has_more_rows:
        groups = args.find_twins(groups, old.settings["pool"]["n_rows"])
    if groups and is_machine:
        raise ValueError(
            "Labels of a machine are certified row by row, but this session asks "
            "for equal rows once. Begin a session with twins='ask'."
        )
    args.ids.set_twins(groups)
    return groups


def plan_classes(args, old):
    """Return the new classes, and a dict of old to new names."""
    before, kind = old.settings["classes"], old.settings["label_kind"]
    kind = "text" if kind == SEVERAL else kind
    known = list(dict.fromkeys([*(before or ()), *old.labels]))
    # the same call may be repeated: what it has renamed is gone
    renamed = find_renamed(args, known, args.renamed, old, "class")
    for name, new in args.renamed.items():
        if label_kind(new) != kind:
            raise ValueError(
                f"The class {name!r} must be renamed to a {kind}, got {new!r}."
            )
        if kind == "text" and not new.strip():
            raise ValueError(f"The class {name!r} needs a new name, got {new!r}.")
    after = rename_each(args.classes or known, args.renamed)
    after = list(dict.fromkeys([*after, *renamed.values()]))
    if args.classes is None:
        return after if before else None, renamed
    if {*after} != {*args.classes}:
        option = "labels" if args.is_several else "classes"
        raise refusal(
            f"The {option} after renaming are {after}, not {args.classes}:",
            f"pass them as {option}=.",
            f"pass --{option} {','.join(map(str, after))}.",
        )
    return args.classes, renamed


def plan_tags(args, old, classes):
    """Return the new tags, and a dict of old to new names."""
    known = old.settings["tags"]
    renamed = find_renamed(args, known, args.renamed_tags, old, "tag")
    after = rename_each(known if args.tags is None else args.tags, args.renamed_tags)
    after = list(dict.fromkeys([*after, *renamed.values()]))
    if args.tags is not None and {*after} != {*args.tags}:
        raise ValueError(f"The tags after renaming are {after}, not {args.tags}.")
    tags = after if args.tags is None else args.tags
    for tag in tags:  # people would mix them up
        if tag in (classes or ()):
            raise ValueError(f"{tag!r} is a class, too. Give the tag another name.")
    for tag in rename_each(old.used_tags, renamed):
        if tag not in tags:
            raise refusal(
                f"Rows have the tag {tag!r}, which is not among the tags. Keep the "
                "tag, or rename or merge it:",
                f"pass change={{'tags': {{{tag!r}: new}}}}.",
                f"add --rename {tag}=NEW.",
            )
    return tags, renamed


def find_renamed(args, known, wanted, old, what):
    """Return the names that are renamed now; raise ValueError for other names.

    Parameters
    ----------
    args : Arguments
        What the session is opened with.
    known : list
        The names that there are.
    wanted : dict
        Old to new names.
    old : State
        Names that were renamed earlier may be named again.
    what : {"class", "tag"}
        What has the names.
    """
    names = {"class": "classes", "tag": "tags"}[what]
    for name, new in wanted.items():
        if old.learner is None:
            raise ValueError(
                f"{args.path} has no {what} {name!r} to rename: the session is new."
            )
        if name not in known and name not in old.settings["renamed"]:
            raise ValueError(
                f"There is no {what} {name!r} to rename. The {names} are "
                f"{', '.join(map(repr, known)) or 'not known yet'}."
            )
        if new in wanted:
            raise ValueError(
                f"The {what} {new!r} is to be renamed itself. Rename one {what} "
                "after the other."
            )
    return {name: wanted[name] for name in known if name in wanted}


def find_budget(args, test_size, n_asked):
    """Return the number of labels that the learner may buy; None: any number.

    The budget of the learner also pays for the held-out rows.
    """
    if args.learner.budget is None:
        return None
    total = check_budget(args.learner.budget, len(args.ids))
    if total - test_size < n_asked:
        asked = f" and the {n_asked} rows that were already asked for"
        raise ValueError(
            f"A budget of {total} does not pay for {test_size} held-out rows"
            f"{asked if n_asked else ''}. Raise the budget, or lower test_size."
        )
    return total - test_size


def describe_settings(old, new):
    """Return a few words for each setting that differs, by the word of ``change``."""
    texts = {"learner": [*find_differences(old.learner, new.learner, "learner")]}
    before, budget = old.total_budget, new.total_budget
    if budget is not None and (before is None or budget < before):
        texts["learner"] += find_differences(before, budget, "learner.budget")
    for word in ("classes", "tags", "test_size", "votes"):
        pair = old.settings[word], new.settings[word]
        texts[word] = [*find_differences(*pair, word)]
    return texts


def check_changes(args, old, new, words, free, texts):
    """Raise ValueError for changes that are not allowed, or not possible.

    Parameters
    ----------
    args : Arguments
        What the session is opened with.
    old, new : State
        The two states.
    words : set of str
        Words of ``change`` for what differs.
    free : set of str
        Words that nobody has to pass.
    texts : dict
        What `describe_settings` returns.
    """

    def describe():
        pools = old.settings["pool"], new.settings["pool"]
        parts = [describe_pool(args, *pools)] if words & {"pool", "features"} else []
        if found := [text for word in sorted(texts) for text in texts[word]]:
            found = printable("; ".join(found))
            parts.append(f"{args.path} had other settings: {found}.")
        return " ".join(parts)

    if args.is_stream and (others := sorted(words - {"pool", "tags"} - free)):
        why = f"stream learners keep their {', '.join(others)}"
        raise not_possible(args, describe(), why)
    if args.is_stream and new.settings["classes"] is None:
        raise ValueError(
            "A stream learner has to know all classes from the start: pass classes."
        )
    for name in ("test_size", "votes"):
        if new.settings[name] < old.settings[name]:
            raise not_possible(args, describe(), f"{name} can only grow")
    if "features" in words - free and may_be_other_rows(args, old, new):
        raise refusal(
            f"{describe()} Ids made of {args.ids.made_of} do not tell whether these "
            "are new features of the same rows:",
            "pass ids=.",
            "repeat the options of the first call, or begin a new session in another "
            "file (--out).",
        )
    for label in new.labels:
        if (classes := new.settings["classes"]) is not None and label not in classes:
            raise refusal(
                f"{describe()} Rows have the label {label!r}, which is not among the "
                "classes. Keep the class, or rename or merge it:",
                f"pass change={{'classes': {{{label!r}: new}}}}.",
                f"add --rename {label}=NEW.",
            )
    if words - {*args.allowed, *free}:
        named = [word for word in WORDS if word in words]
        needed = tuple(named) if len(named) > 1 else named[0]
        raise refusal(
            describe(),
            f"To accept the change, pass change={needed!r}.",
            "Repeat the options of the first call, or accept the change: add "
            f"--change {','.join(named)}.",
        )


def describe_pool(args, before, now):
    """Return a sentence on how the pool differs from the stored one."""
    differs = describe_pool_change(before, now)
    return f"The pool is not the pool of {args.path}: {differs}."


def not_possible(args, differs, why):
    """Return the error for a change that a session cannot make."""
    return refusal(
        f"{differs} A session cannot change that: {why}.",
        "Begin a new session in another file and call its "
        f"import_labels({str(args.path)!r}).",
        "Repeat the options of the first call, or begin a new session in another "
        f"file (--out), and take over the labels with --import {args.path}.",
    )


def may_be_other_rows(args, old, new):
    """Return True if rows can only be matched by position.

    Row numbers are fine if the items show that the rows are the same.
    """
    if args.ids.made_of != "numbers":
        return args.ids.made_of is not None
    shown, shown_now = (each.settings["pool"]["items"] for each in (old, new))
    return not (shown and shown_now and shown_now[: len(shown)] == shown)


def draw_test_rows(args, decisions, n_before, n):
    """Return the ids of n further held-out rows, among rows nobody has dealt with."""
    if not n:
        return []
    known = [row.id for row in decisions.rows.values() if row.requests or row.answers]
    closed = {*args.ids.rows(known), *args.empty, *args.ids.copies}
    free = [row for row in range(len(args.ids)) if row not in closed]
    if n > len(free):
        raise ValueError(
            f"test_size={n_before + n} is {n} more than before, but only {len(free)} "
            "rows were neither asked for nor labelled. Lower it."
        )
    seed = args.learner.get_params().get("random_state")
    seed = seed if isinstance(seed, Integral) else draw_seed()
    order = np.random.default_rng([seed, n_before]).permutation(len(free))
    return args.ids.at(free[place] for place in order[:n].tolist())


def try_learner(args, plan, decisions):
    """Raise the errors that the learner will raise: people are about to label rows."""
    own = seeded_clone(args.learner, plan.seeds, plan.state.budget)
    classes, kind = (plan.state.settings[name] for name in ("classes", "label_kind"))
    ids = np.arange(len(args.ids))
    with catch_warnings():
        simplefilter("ignore")
        simplefilter("error", FitFailedWarning)
        simplefilter("ignore", ColdStartWarning)
        own.query(args.pool, limit=0, ids=ids)
        if not plan.begins_again:
            return
        decided = [row for row in decisions.labelled() if row.kind != TEST]
        target = LearnerLabels(classes, kind, own)
        # without labels, it may refuse several labels of a row, or a machine's label
        is_machine = isinstance(own, ErrorSamplingClassifier) and classes is not None
        if not (decided or kind == SEVERAL or is_machine):
            return
        rows = args.ids.rows(row.id for row in decided)
        labels = [
            rename_label(from_column(row.label, decisions.kind), plan.renamed)
            for row in decided
        ]
        why = f"The learner cannot be taught the labels of {args.path}"
        try:
            own.teach(
                take(args.pool, rows), target.encode(labels), classes=target.classes,
                ids=np.array(rows, dtype=int),
            )  # fmt: skip
        except FitFailedWarning as warning:
            raise ValueError(f"{why}: {warning}") from warning
        try:
            own.query(args.pool, limit=0, ids=ids)
        except Exception as error:
            raise ValueError(f"{why}: {error}") from error


def store_plan(facts, plan):
    """Store the new state of a session in place of the old one."""
    db, settings = facts.db, plan.state.settings
    if "votes" in plan.words:  # rows that are decided keep their number of votes
        for row in facts.decisions.rows.values():
            if row.is_decided and row.fewer_votes is None:
                put(db, "row_votes", id=row.id, votes=facts.settings["votes"])
    if plan.renamed or plan.renamed_tags:
        rename_answers(facts, plan.renamed, plan.renamed_tags)
    facts.put_settings(**settings)
    if plan.begins_again:
        db.execute("DELETE FROM taught")
        facts.put_learner(plan.state.learner, plan.seeds, plan.state.budget)
    else:
        facts.change_learner(
            budget=plan.state.budget, description=plan.state.learner, stop_reason=None
        )
    # held-out rows come before all rows that wait for a label
    first = db.value("SELECT coalesce(min(queue), 1) FROM requests") - len(plan.test)
    for place, id in enumerate(plan.test, start=first):
        facts.add_request(id, TEST, None, 0, queue=place)
    facts.read_rows()
    if plan.begins_again:
        record_teaching(facts)
        facts.change_learner(is_settled=0)


def rename_each(names, renamed):
    """Return names, renamed, each once."""
    return list(dict.fromkeys(renamed.get(each, each) for each in names))


def rename_label(label, renamed):
    """Return a label, or a list of labels, with new names."""
    if isinstance(label, list):
        return sorted({renamed.get(each, each) for each in label})
    return renamed.get(label, label)


def rename_answers(facts, renamed, renamed_tags):
    """Replace labels and tags in answers, also withdrawn ones, and in predictions."""
    db, kind = facts.db, facts.settings["label_kind"]
    for values in [*read_checked(db, "answers")]:
        answer = Answer(*values)
        new, tags = answer.label, answer.tag_list
        if new is not None:
            new = to_column(rename_label(from_column(new, kind), renamed))
        if new != answer.label:
            is_first = answer.renamed_from is None
            renamed_from = answer.label if is_first else answer.renamed_from
            answer = answer._replace(label=new, renamed_from=renamed_from)
        if tags:
            answer = answer._replace(tags=to_json(rename_each(tags, renamed_tags)))
        if answer != values:
            put(db, "answers", **answer._asdict())
    for values in [*read_checked(db, "models")]:
        model = dict(zip(COLUMNS["models"], values, strict=True))
        labels = json.loads(model["predicted"])
        model["predicted"] = to_json([rename_label(each, renamed) for each in labels])
        put(db, "models", **model)
