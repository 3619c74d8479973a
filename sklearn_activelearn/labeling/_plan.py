"""Begin a session, go on with one, and change what it was begun with.

`_file` opens and locks the file, and refuses a second process.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, get_args
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
    describe_learner,
    describe_pool_change,
    draw_learner_seeds,
    draw_seed,
    find_differences,
    find_pool_changes,
    fingerprint,
    plain_classes,
    seeded_clone,
)
from ._ids import check_text, check_texts, find_twins, map_twins
from ._worker import LearnerLabels
from .front_ends._keys import TAG_KEYS
from .storage._decisions import TEST
from .storage._integrity import printable, refusal
from .storage._labels import SEVERAL, from_column, label_kind, to_column
from .storage._schema import change, put, to_json

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
    is_several: bool | None  # True if a row may have several labels; None: as stored
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
            self.renamed = change.get("classes") or {}
            self.renamed_tags = change.get("tags") or {}

    def check_tags_differ(self):
        """Raise ValueError for a tag that is a class: people would mix them up."""
        for tag in self.tags:
            if tag in (self.classes or ()):
                raise ValueError(f"{tag!r} is a class, too. Give the tag another name.")

    def find_twins(self, groups=(), n_known=0):
        """Return the groups of ids of equal rows; parameters as for the function."""
        items = to_pandas(self.pool) if self.items is None else self.items
        return find_twins(items, self.ids.all, self.empty, groups, n_known)

    def set_twins(self, groups):
        """Give the ids the groups; raise ValueError if the learner takes none."""
        if groups and isinstance(self.learner, ErrorSamplingClassifier):
            raise ValueError(
                "Labels of a machine are certified row by row, but this session asks "
                "for equal rows once. Begin a session with twins='ask'."
            )
        self.ids.set_twins(groups)

    def check_test_size(self):
        """Raise ValueError if there are not enough rows to hold out."""
        n_free = len(self.ids) - len(self.empty) - len(self.ids.copies)
        if self.test_size >= n_free:
            note = " (equal rows count once)" if self.ids.copies else ""
            raise ValueError(
                f"test_size must be smaller than the number of rows, {n_free}{note}, "
                f"got {self.test_size}."
            )

    def draw_rows(self, closed, n, key):
        """Draw n rows that are not closed, with the seed of the learner."""
        closed = closed.union(self.empty, self.ids.copies)
        rows = [row for row in range(len(self.ids)) if row not in closed]
        seed = self.learner.get_params().get("random_state")
        seed = seed if isinstance(seed, Integral) else draw_seed()
        order = np.random.default_rng([seed, *key]).permutation(len(rows))
        return self.ids.at(rows[place] for place in order[:n].tolist())


def find_budget(args, n_asked=0):
    """Return the number of labels that the learner may buy; None: any number.

    Parameters
    ----------
    args : Arguments
        The budget of the learner also pays for the held-out rows.
    n_asked : int, default=0
        Number of rows that were asked for already.
    """
    if args.learner.budget is None:
        return None
    total = check_budget(args.learner.budget, len(args.ids))
    if total - args.test_size < n_asked:
        asked = f" and the {n_asked} rows that were already asked for"
        raise ValueError(
            f"A budget of {total} does not pay for {args.test_size} held-out rows"
            f"{asked if n_asked else ''}. Raise the budget, or lower test_size."
        )
    return total - args.test_size


# --- begin


def plan_beginning(args):
    """Return the content of a new session; raise the errors of its learner."""
    args.test_size = args.test_size or 0
    args.votes, args.tags = args.votes or 1, args.tags or []
    if renamed := args.renamed | args.renamed_tags:
        raise ValueError(
            f"{args.path} has no class {next(iter(renamed))!r} to rename: the "
            "session is new."
        )
    if args.classes is None and args.is_stream:
        raise ValueError(
            "A stream learner has to know all classes from the start: pass classes."
        )
    args.check_tags_differ()
    if args.twins is None and isinstance(args.learner, ErrorSamplingClassifier):
        args.twins = "ask"
    twins = None if args.twins == "ask" else args.find_twins()
    args.set_twins(twins)
    args.check_test_size()
    budget, seeds = find_budget(args), draw_learner_seeds(args.learner)
    kind = label_kind(args.classes[0]) if args.classes else None
    kind = SEVERAL if args.is_several else kind
    settings = {
        "classes": args.classes,
        "tags": args.tags,
        "twins": twins,  # None: each row is asked for
        "votes": args.votes,
        "test_size": args.test_size,
        "pool": fingerprint(args.pool, args.items, args.ids.all),
        "label_kind": kind,
        "renamed": [],
        # number of rows when test rows were drawn, and of those drawn later
        "sampled": [len(args.ids), 0],
    }
    test = args.draw_rows(set(), args.test_size, ())
    own = seeded_clone(args.learner, seeds, budget)
    own.query(args.pool, limit=0, ids=np.arange(len(args.ids)))
    if args.is_several or (args.classes and isinstance(own, ErrorSamplingClassifier)):
        # raises for a machine label that is no class, and for a learner that takes one
        # label a row, before people label rows
        target = LearnerLabels(args.classes, kind, own)
        y = target.encode([])
        own.teach(take(args.pool, []), y, classes=target.classes, ids=[])
    return settings, describe_learner(args.learner), seeds, budget, test


def begin(facts, plan):
    """Store a new session."""
    settings, description, seeds, budget, test = plan
    facts.put_settings(**settings)
    facts.put_learner(description, seeds, budget)
    facts.read_rows()
    hold_out(facts, test)


def hold_out(facts, ids):
    """Store further held-out rows; they come before all rows that wait for a label."""
    first = facts.db.value("SELECT coalesce(min(queue), 1) FROM requests")
    for place, id in enumerate(ids, start=first - len(ids)):
        facts.add_request(id, TEST, None, 0, queue=place)


# --- go on


class Resumption:
    """A session that is opened again, and its differences from the stored one.

    Parameters
    ----------
    facts : Facts
        What the file of the session says.
    args : Arguments
        What it is opened with. Settings that are left out become the stored ones.

    Attributes
    ----------
    words : set of str
        Words of ``change`` for what differs. A larger budget needs none.
    is_needed : bool
        True if `apply` has something to store.
    is_beginning : bool
        True if the learner begins again with all labels.

    Raises
    ------
    ValueError, TypeError
        If the session cannot go on with these arguments: nothing was changed.
    """

    def __init__(self, facts, args):
        db, self.args, self.settings = facts.db, args, facts.settings
        self.learner, self.labels = facts.learner, self._read_labels(db)
        columns = db.column("SELECT DISTINCT tags FROM answers WHERE tags NOT NULL")
        self.tags_given = sorted({tag for each in columns for tag in json.loads(each)})
        stored_several = self.settings["label_kind"] == SEVERAL
        if args.classes is None:
            args.is_several = stored_several
        for name in ("test_size", "votes"):
            if getattr(args, name) is None:
                setattr(args, name, self.settings[name])
        self.pool_before = facts.read_pool()
        self.pool = fingerprint(args.pool, args.items, args.ids.all)
        self.description = describe_learner(args.learner)
        self.words, self.differs = set(), ""
        if args.is_several != stored_several:
            number = ("one label, not several", "several labels, not one")
            self.differs = f"Each row of {args.path} has {number[stored_several]}."
            raise self._not_possible("the number of labels of a row is fixed")
        self._compare_pools()
        self._plan_twins()
        for id in db.column("SELECT DISTINCT id FROM answers"):
            args.ids.row(id)
        self._plan_classes()
        self._plan_tags()
        n_asked = db.value(f"SELECT count(*) FROM requests WHERE purpose != '{TEST}'")
        self.budget = find_budget(args, n_asked)
        self._compare_settings()
        # without answers, nothing depends on the classes
        is_empty = db.row("SELECT 1 FROM answers") is None
        self._free = {"classes", "tags"} if is_empty else set()
        self.is_beginning, self.test = False, []
        self.is_needed = bool(self.words) or self.budget != self.learner["budget"]
        if self.words:
            self._check()
            self._plan(facts)

    def _read_labels(self, db):
        """Return all labels that were given, also if they do not count any more."""
        kind = self.settings["label_kind"]
        columns = db.column("SELECT DISTINCT label FROM answers WHERE label NOT NULL")
        labels = [from_column(label, kind) for label in columns]
        if kind == SEVERAL:
            return list(dict.fromkeys(label for each in labels for label in each))
        return labels

    def _compare_pools(self):
        args, before = self.args, self.pool_before
        words = find_pool_changes(before, self.pool, args.ids.all)
        if words is None or words:
            differs = describe_pool_change(before, self.pool)
            self.differs = f"The pool is not the pool of {args.path}: {differs}."
        if words is None:
            why = "new rows have to come last, and the other rows keep their ids"
            if args.ids.made_of == "values":
                why += "; for new features of the same rows, pass the same ids="
            raise self._not_possible(why)
        self.words |= words

    def _plan_twins(self):
        """Give the ids the stored groups of equal rows; new rows join them."""
        args, self.twins = self.args, self.settings["twins"]
        stored = "ask" if self.twins is None else "once"
        if args.twins not in (None, stored):
            self.differs = f"{args.path} was begun with twins={stored!r}."
            raise self._not_possible("answers to equal rows are stored in one way")
        now = map_twins(args.find_twins()) if self.twins else {}
        for first, *others in self.twins or ():
            if differing := [id for id in others if id not in now.get(first, ())]:
                self.differs = (
                    f"Rows {first!r} and {differing[0]!r} were equal, and have one "
                    "answer, but differ now."
                )
                raise self._not_possible(
                    "nobody has said which of them the answer is about: begin another "
                    "session with these rows, and import the labels of this one"
                )
        if "pool" in self.words and self.twins is not None:
            self.twins = args.find_twins(self.twins, self.pool_before["n_rows"])
        args.set_twins(self.twins)

    def _plan_classes(self):
        """Find the classes that are renamed now, and the classes after that."""
        args, kind, stored = self.args, self.settings["label_kind"], self.settings
        kind = "text" if kind == SEVERAL else kind
        known = list(dict.fromkeys([*(stored["classes"] or ()), *self.labels]))
        # the same call may be repeated: what it has renamed is gone
        self.renamed = find_renamed(known, args.renamed, stored["renamed"], "class")
        for old, new in args.renamed.items():
            if label_kind(new) != kind:
                raise ValueError(
                    f"The class {old!r} must be renamed to a {kind}, got {new!r}."
                )
        after = rename_each(args.classes or known, args.renamed)
        after = list(dict.fromkeys([*after, *self.renamed.values()]))
        if args.classes is None:
            args.classes = after if stored["classes"] else None
        elif {*after} != {*args.classes}:
            option = "labels" if args.is_several else "classes"
            raise refusal(
                f"The {option} after renaming are {after}, not {args.classes}:",
                f"pass them as {option}=.",
                f"pass --{option} {','.join(map(str, after))}.",
            )

    def _plan_tags(self):
        """Find the tags that are renamed now, and the tags after that."""
        args, known, before = self.args, self.settings["tags"], self.settings["renamed"]
        self.renamed_tags = find_renamed(known, args.renamed_tags, before, "tag")
        renamed = self.renamed_tags
        after = rename_each(args.tags or known, args.renamed_tags)
        after = list(dict.fromkeys([*after, *renamed.values()]))
        if args.tags is not None and {*after} != {*args.tags}:
            raise ValueError(f"The tags after renaming are {after}, not {args.tags}.")
        args.tags = after if args.tags is None else args.tags
        args.check_tags_differ()
        for tag in rename_each(self.tags_given, renamed):
            if tag not in args.tags:
                raise refusal(
                    f"Rows have the tag {tag!r}, which is not among the tags. Keep the "
                    "tag, or rename or merge it:",
                    f"pass change={{'tags': {{{tag!r}: new}}}}.",
                    f"add --rename {tag}=NEW.",
                )

    def _compare_settings(self):
        """Find the settings that differ, in words."""
        args, settings = self.args, self.settings
        pair = self.learner["description"], self.description
        found = {"learner": [*find_differences(*pair, "learner")]}
        self.is_same_learner = not found["learner"]
        before, budget = (
            None if left is None else left + n_test
            for left, n_test in (
                (self.learner["budget"], settings["test_size"]),
                (self.budget, args.test_size),
            )
        )
        if budget is not None and (before is None or budget < before):
            found["learner"] += find_differences(before, budget, "learner.budget")
        for name in ("classes", "tags", "test_size", "votes"):
            found[name] = [*find_differences(settings[name], getattr(args, name), name)]
        self.words |= {name for name, texts in found.items() if texts}
        if self.renamed:
            self.words.add("classes")
        if self.renamed_tags:
            self.words.add("tags")
        if texts := [text for name in sorted(found) for text in found[name]]:
            what = f"{args.path} had other settings: {printable('; '.join(texts))}."
            self.differs = f"{self.differs} {what}".strip()

    def _check(self):
        """Raise ValueError for changes that are not allowed, or not possible."""
        args, words = self.args, self.words
        if args.is_stream and (others := sorted(words - {"pool", "tags"} - self._free)):
            raise self._not_possible(f"stream learners keep their {', '.join(others)}")
        for name in ("test_size", "votes"):
            if getattr(args, name) < self.settings[name]:
                raise self._not_possible(f"{name} can only grow")
        args.check_test_size()
        if "features" in words and self._may_be_other_rows():
            raise refusal(
                f"{self.differs} Ids made of {args.ids.made_of} do not tell whether "
                "these are new features of the same rows:",
                "pass ids=.",
                "repeat the options of the first call, or begin a new session in "
                "another file (--out).",
            )
        for label in self.labels:
            label = self.renamed.get(label, label)
            if args.classes is not None and label not in args.classes:
                raise refusal(
                    f"{self.differs} Rows have the label {label!r}, which is not "
                    "among the classes. Keep the class, or rename or merge it:",
                    f"pass change={{'classes': {{{label!r}: new}}}}.",
                    f"add --rename {label}=NEW.",
                )
        if words - {*args.allowed, *self._free}:
            named = [word for word in WORDS if word in words]
            change = tuple(named) if len(named) > 1 else named[0]
            raise refusal(
                self.differs,
                f"To accept the change, pass change={change!r}.",
                "Repeat the options of the first call, or accept the change: add "
                f"--change {','.join(named)}.",
            )

    def _not_possible(self, why):
        """Return the error for a change that a session cannot make."""
        path = self.args.path
        return refusal(
            f"{self.differs} A session cannot change that: {why}.",
            "Begin a new session in another file and call its "
            f"import_labels({str(path)!r}).",
            "Repeat the options of the first call, or begin a new session in another "
            f"file (--out), and take over the labels with --import {path}.",
        )

    def _may_be_other_rows(self):
        """Return True if rows can only be matched by position.

        Row numbers are fine if the items show that the rows are the same.
        """
        made_of, before = self.args.ids.made_of, self.pool_before
        if made_of != "numbers":
            return made_of is not None
        shown, shown_now = before["items"], self.pool["items"]
        return not (shown and shown_now and shown_now[: len(shown)] == shown)

    def _plan(self, facts):
        """Draw held-out rows, and raise the errors that the learner will raise."""
        args, words = self.args, self.words
        self.is_beginning = bool(words & {"features", "classes"}) or (
            "learner" in words and not self.is_same_learner
        )
        self.seeds = self.learner["seeds"]
        if not self.is_same_learner:
            self.seeds = draw_learner_seeds(args.learner)
        if "test_size" in words:
            self.test = self._draw_test_rows(facts.db)
        own = seeded_clone(args.learner, self.seeds, self.budget)
        with catch_warnings():
            simplefilter("ignore")
            simplefilter("error", FitFailedWarning)
            simplefilter("ignore", ColdStartWarning)
            try:
                own.query(args.pool, limit=0, ids=np.arange(len(args.ids)))
                if self.is_beginning:
                    self._try_to_teach(own, facts.decisions)
            except FitFailedWarning as warning:
                self._refuse_learner(warning)

    def _refuse_learner(self, error):
        raise ValueError(
            f"The learner cannot be taught the labels of {self.args.path}: {error}"
        ) from error

    def _try_to_teach(self, own, decisions):
        args, kind = self.args, self.settings["label_kind"]
        decided = [row for row in decisions.labelled() if row.kind != TEST]
        if not decided:
            return
        rows = args.ids.rows(row.id for row in decided)
        labels = [
            rename_label(from_column(row.label, kind), self.renamed) for row in decided
        ]
        target = LearnerLabels(args.classes, kind, own)
        X, y = take(args.pool, rows), target.encode(labels)
        own.teach(X, y, classes=target.classes, ids=np.array(rows))
        try:
            own.query(args.pool, limit=0, ids=np.arange(len(args.ids)))
        except Exception as error:
            self._refuse_learner(error)

    def _draw_test_rows(self, db):
        """Return the ids of further held-out rows, among rows nobody has dealt with."""
        args, before = self.args, self.settings["test_size"]
        n = args.test_size - before
        known = db.column(
            "SELECT id FROM requests UNION SELECT id FROM answers "
            "WHERE withdrawn_at IS NULL"
        )
        closed = {*args.ids.rows(known), *args.empty, *args.ids.copies}
        n_free = len(args.ids) - len(closed)
        if n > n_free:
            raise ValueError(
                f"test_size={args.test_size} is {n} more than before, but only "
                f"{n_free} rows were neither asked for nor labelled. Lower it."
            )
        return args.draw_rows(closed, n, (before,))

    def apply(self, facts):
        """Store the differences."""
        args, stored, db = self.args, dict(self.settings), facts.db
        if "votes" in self.words:  # rows that are decided keep their number of votes
            for row in facts.decisions.rows.values():
                if row.is_decided and row.fewer_votes is None:
                    put(db, "row_votes", id=row.id, votes=stored["votes"])
        facts.put_settings(
            classes=args.classes, tags=args.tags, votes=args.votes, pool=self.pool,
            twins=self.twins,
        )  # fmt: skip
        if args.classes is not None and not args.is_several:
            facts.put_settings(label_kind=label_kind(args.classes[0]))
        renamed = [*stored["renamed"], *self.renamed, *self.renamed_tags]
        facts.put_settings(renamed=renamed)
        if self.renamed_tags:
            rename_tags(db, self.renamed_tags)
        if self.renamed:
            rename_labels(db, self.renamed, stored["label_kind"])
        if self.is_beginning:
            db.execute("DELETE FROM taught")
            facts.put_learner(self.description, self.seeds, self.budget)
        else:
            facts.change_learner(
                budget=self.budget, description=self.description, stop_reason=None
            )
        if self.test:
            sampled = [len(args.ids), stored["sampled"][1] + len(self.test)]
            facts.put_settings(test_size=args.test_size, sampled=sampled)
            hold_out(facts, self.test)
        facts.read_rows()


def check_tag_names(tags):
    """Return the names of tags as a list, None for None."""
    if tags is None:
        return None
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise ValueError(f"tags must be a list of texts, got {tags!r}.")
    tags = list(tags)
    if not all(isinstance(tag, str) and tag == tag.strip() != "" for tag in tags):
        raise ValueError(
            "tags must be texts that are not empty, without spaces at their ends, got "
            f"{tags}."
        )
    if len({*tags}) < len(tags):
        raise ValueError(f"tags has a name twice: {tags}. Remove one of them.")
    if len(tags) > len(TAG_KEYS):
        raise ValueError(f"There are keys for {len(TAG_KEYS)} tags, got {len(tags)}.")
    return tags


def find_renamed(known, wanted, before, what):
    """Return the names that are renamed now; raise ValueError for other names.

    Parameters
    ----------
    known : list
        The names that there are.
    wanted : dict
        Old to new names.
    before : list
        Names that were renamed earlier.
    what : {"class", "tag"}
        What has the names.
    """
    names = {"class": "classes", "tag": "tags"}[what]
    for old, new in wanted.items():
        if old not in known and old not in before:
            raise ValueError(
                f"There is no {what} {old!r} to rename. The {names} are "
                f"{', '.join(map(repr, known)) or 'not known yet'}."
            )
        if new in wanted:
            raise ValueError(
                f"The {what} {new!r} is to be renamed itself. Rename one {what} "
                "after the other."
            )
    return {old: wanted[old] for old in known if old in wanted}


def rename_each(names, renamed):
    """Return names, renamed, each once."""
    return list(dict.fromkeys(renamed.get(each, each) for each in names))


def rename_tags(db, renamed):
    """Replace old tags by new ones in answers."""
    for number, tags in db.execute(
        "SELECT number, tags FROM answers WHERE tags NOT NULL"
    ).fetchall():
        tags = to_json(rename_each(json.loads(tags), renamed))
        change(db, "answers", "number = ?", (number,), tags=tags)


def rename_label(label, renamed):
    """Return a label, or a list of labels, with new names."""
    if isinstance(label, list):
        return sorted({renamed.get(each, each) for each in label})
    return renamed.get(label, label)


def rename_labels(db, renamed, kind):
    """Replace old labels by new ones in answers and predictions."""
    for number, old, first in db.execute(
        "SELECT number, label, renamed_from FROM answers WHERE label NOT NULL"
    ).fetchall():
        new = to_column(rename_label(from_column(old, kind), renamed))
        if new != old:
            change(
                db, "answers", "number = ?", (number,), label=new,
                renamed_from=old if first is None else first,
            )  # fmt: skip
    for number, predicted in db.execute(
        "SELECT number, predicted FROM models"
    ).fetchall():
        labels = [rename_label(label, renamed) for label in json.loads(predicted)]
        change(db, "models", "number = ?", (number,), predicted=to_json(labels))
