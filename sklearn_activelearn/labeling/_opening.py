"""Begin a session, go on with one, and change what it was begun with.

`_storage` opens and locks the file, and refuses a second process.
"""

import json
from dataclasses import dataclass, field
from math import inf
from numbers import Integral
from typing import Any, get_args
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from .._base import ActiveClassifier
from .._typing import Change
from .._validation import check_budget, check_number, is_share
from ..pool import ErrorSamplingClassifier
from ..sources._containers import n_rows, take
from ._answers import TEST, update_all_rows, update_row
from ._ids import check_text, check_texts
from ._schema import (
    change,
    change_learner,
    current_learner,
    from_column,
    get_pool,
    get_settings,
    is_label,
    label_kind,
    next_number,
    now,
    put,
    put_settings,
    to_json,
)
from ._settings import (
    describe,
    describe_pool_change,
    draw_learner_seeds,
    draw_seed,
    find_differences,
    find_pool_changes,
    fingerprint,
    plain_classes,
    seeded_clone,
)
from ._storage import printable, refusal

#: Words of ``change``, in the order in which messages name them.
WORDS = get_args(Change)
#: Changes after which the learner begins again with all labels.
NEW_LEARNER = {"features", "classes", "learner"}


@dataclass
class Arguments:
    """Checked arguments of a session."""

    path: Any
    learner: Any
    pool: Any
    items: Any
    ids: Any
    classes: list | None
    test_size: int | None
    votes: int | None
    ahead: int
    allowed: tuple  # words of `change`
    empty: list  # numbers of rows without content
    renamed: dict = field(init=False)  # old class to new class

    def __post_init__(self):
        self.allowed, self.renamed = self._read_change(self.allowed)
        if not isinstance(self.learner, ActiveClassifier):
            raise TypeError(
                f"A session needs a learner of this package, got {self.learner!r}."
            )
        self.is_stream = self.learner._group is not None
        self.classes = plain_classes(self.classes)
        if self.classes is not None:
            renamed = [self.renamed.get(each, each) for each in self.classes]
            renamed += self.renamed.values()
            if {*renamed} != {*self.classes}:
                expected = list(dict.fromkeys(renamed))
                raise refusal(
                    f"classes must name the classes after {self.renamed} are renamed, "
                    f"{expected}, got {self.classes}.",
                    "--classes names the classes after --rename: pass --classes "
                    f"{','.join(map(str, expected))}.",
                )
        for each in (*self.ids.all, *(self.classes or ())):
            if isinstance(each, str):
                check_text(each)
        limits = {"test_size": (0, None), "votes": (1, None), "ahead": (0, 1)}
        for name, (low, high) in limits.items():
            if getattr(self, name) is not None:
                check_number(
                    getattr(self, name), name, low, high,
                    closed="left" if high is None else "both", integer=True,
                )  # fmt: skip
        check_texts(self.pool, self.ids.all)

    @staticmethod
    def _read_change(change):
        """Return the words of `change`, and the classes that are renamed."""
        if not isinstance(change, str | tuple | list | set | dict):
            raise TypeError(
                f"change must be a word, a tuple of words or a dict, got {change!r}."
            )
        words = (change,) if isinstance(change, str) else tuple(change)
        for word in words:
            if word not in WORDS:
                raise ValueError(
                    f"change must be among {', '.join(WORDS)}, got {word!r}."
                )
        renamed = (change.get("classes") or {}) if isinstance(change, dict) else {}
        for new in renamed.values():
            if label_kind(new) is None:
                raise ValueError(f"A class must be a text or a number, got {new!r}.")
        return words, renamed

    def check_test_size(self):
        """Raise ValueError if there are not enough rows to hold out."""
        n_free = len(self.ids) - len(self.empty)
        if self.test_size >= n_free:
            raise ValueError(
                f"test_size must be smaller than the number of rows, {n_free}, got "
                f"{self.test_size}."
            )

    def draw_rows(self, rows, n, key):
        """Return n of these rows, drawn with the seed of the learner."""
        seed = self.learner.get_params().get("random_state")
        seed = seed if isinstance(seed, Integral) else draw_seed()
        order = np.random.default_rng([seed, *key]).permutation(len(rows))
        return [rows[place] for place in order[:n].tolist()]

    def fingerprint(self):
        return fingerprint(self.pool, self.items, self.ids.all)


def not_allowed(what, words):
    """Return the error for a change that ``change`` does not allow yet."""
    names = [f'"{word}"' for word in words]
    value = names[0] if len(words) == 1 else f"({', '.join(names)})"
    return refusal(
        f"{what} To accept the change, pass change={value}.",
        f"{what} Repeat the options of the first call, or accept the change: add "
        f"--change {','.join(words)}.",
    )


def not_possible(differs, path, why):
    """Return the error for a change that a session cannot make."""
    what = f"{differs} A session cannot change that: {why}. Begin a new session in"
    return refusal(
        f"{what} another file, and call its import_labels({str(path)!r}).",
        f"{what} another file (--out), and take over the labels with --import {path}.",
    )


def learner_budget(budget, n_offered, n_test):
    """Return the labels that the learner may buy besides the test rows; None: any."""
    if budget is None:
        return None
    left = check_budget(budget, n_offered) - n_test
    if left < 0:
        raise ValueError(
            f"test_size={n_test} exceeds the budget, {budget}, which also pays for the "
            "labels of the held-out rows. Raise the budget, or hold out fewer rows."
        )
    return left


# --- begin


def plan_beginning(args):
    """Return the content of a new session; raise the errors of its learner."""
    args.test_size = args.test_size or 0
    args.votes = args.votes or 1
    if args.classes is None and args.is_stream:
        raise ValueError(
            "A stream learner has to know all classes from the start: pass classes."
        )
    args.check_test_size()
    budget = learner_budget(args.learner.budget, len(args.ids), args.test_size)
    seeds = draw_learner_seeds(args.learner)
    empty = {*args.empty}
    rows = [row for row in range(len(args.ids)) if row not in empty]
    settings = {
        "classes": args.classes,
        "votes": args.votes,
        "test_size": args.test_size,
        "ahead": args.ahead,
        "pool": args.fingerprint(),
        "label_kind": label_kind(args.classes[0]) if args.classes else None,
        # number of rows when test rows were drawn, and of those drawn later
        "sampled": [len(args.ids), 0],
    }
    test = args.ids.at(args.draw_rows(rows, args.test_size, ()))
    own = seeded_clone(args.learner, seeds, budget)
    own.query(args.pool, limit=0, ids=np.arange(len(args.ids)))
    if args.classes is not None and isinstance(own, ErrorSamplingClassifier):
        # raises for a machine label that is no class, before people label rows
        own.teach(take(args.pool, []), [], classes=args.classes, ids=[])
    return settings, describe(args.learner), seeds, budget, test


def begin(db, plan):
    """Store a new session."""
    settings, description, seeds, budget, test = plan
    put_settings(db, **settings)
    put_learner(db, description, seeds, budget)
    hold_out(db, test, settings["votes"])


def put_learner(db, description, seeds, budget):
    """Store a learner that has not asked yet as the current one."""
    put(
        db, "learners", number=next_number(db, "learners"),
        description=to_json(description), seeds=to_json(seeds),
        budget=budget, at=now(), queries=0, is_settled=0,
        stop_reason=None, position=0, progress=None,
    )  # fmt: skip


def hold_out(db, ids, votes):
    """Store further held-out rows; they come before all rows that wait for a label."""
    (first,) = db.execute("SELECT coalesce(min(queue), 1) FROM requests").fetchone()
    (learner,) = db.execute("SELECT max(number) FROM learners").fetchone()
    for place, id in enumerate(ids):
        put(
            db, "requests", number=next_number(db, "requests"), id=id, purpose=TEST,
            probability=None, learner=learner, query=0,
            queue=first - len(ids) + place, at=now(),
        )  # fmt: skip
        update_row(db, id, votes)


# --- go on


class Resumption:
    """A session that is opened again, and its differences from the stored one.

    Parameters
    ----------
    db : sqlite3.Connection
        Connection to the session.
    args : Arguments
        What it is opened with.

    Attributes
    ----------
    is_larger : bool
        True if only the budget has grown, which is always allowed.
    words : set of str
        Words of ``change`` for everything else that is different.

    Raises
    ------
    ValueError, TypeError
        If the session cannot go on with these arguments: nothing was changed.
    """

    def __init__(self, db, args):
        self.args, self.settings = args, get_settings(db)
        self.learner = current_learner(db)
        self.description = describe(args.learner)
        self.before = before = get_pool(db)
        path = args.path
        self.pool = args.fingerprint()
        for name in ("test_size", "votes"):
            if getattr(args, name) is None:
                setattr(args, name, self.settings[name])
        if args.classes is None:
            args.classes = self.settings["classes"]
            if args.classes is not None:
                new = [args.renamed.get(each, each) for each in args.classes]
                args.classes = list(dict.fromkeys(new))
        what, words = [], find_pool_changes(before, self.pool, args.ids.all)
        if words is None or words:
            differs = describe_pool_change(before, self.pool)
            what.append(f"The pool is not the pool of {path}: {differs}.")
        if words is None:
            why = "new rows have to come last, and the other rows keep their ids"
            if args.ids.made_of == "values":
                why += "; for new features of the same rows, pass the same ids="
            raise not_possible(what[0], path, why)
        for (id,) in db.execute("SELECT DISTINCT id FROM answers"):
            args.ids.row(id)
        self.is_larger = self._is_budget_larger()
        found = self._find_differing_settings()
        if texts := [text for each in sorted(found) for text in found[each]]:
            what.append(f"{path} had other settings: {printable('; '.join(texts))}.")
        self.words, self.is_beginning = words | found.keys(), False
        self.old_labels = self._find_renamed(db)
        if self.old_labels:
            self.words.add("classes")
            what.append(f"{path} has labels that are to be renamed.")
        self.differs = " ".join(what)
        # without answers, nothing depends on the classes
        is_empty = db.execute("SELECT 1 FROM answers").fetchone() is None
        self._free = {"classes"} if is_empty else set()
        if self.words:
            self._check(db)
            if self.words - {*args.allowed, *self._free}:
                names = [word for word in WORDS if word in self.words]
                raise not_allowed(self.differs, names)
            self._plan(db)

    @property
    def is_needed(self):
        """True if `apply` has something to store."""
        return bool(self.words) or self.is_larger

    def _is_budget_larger(self):
        n_offered, n_test = n_rows(self.args.pool), self.settings["test_size"]
        left = learner_budget(self.args.learner.budget, n_offered, n_test)
        before = self.learner["budget"]
        return (inf if left is None else left) > (inf if before is None else before)

    def _find_differing_settings(self):
        """Return a few words for each difference, by the word that allows it."""
        before, after = self.learner["description"], self.description
        if self.is_larger:
            after = with_budget(after, before["params"]["budget"])
        pairs = {"learner": (before, after)}
        for name in ("classes", "test_size", "votes"):
            pairs[name] = self.settings[name], getattr(self.args, name)
        found = {
            name: list(find_differences(*pair, name)) for name, pair in pairs.items()
        }
        return {name: texts for name, texts in found.items() if texts}

    def _find_renamed(self, db):
        """Return the labels to rename that still occur."""
        known = {label for (label,) in db.execute("SELECT DISTINCT label FROM answers")}
        known.update(self.settings["classes"] or ())
        renamed = self.args.renamed
        return {old: renamed[old] for old in renamed if old in known}

    def _check(self, db):
        """Raise ValueError for changes that a session cannot make."""
        args, words = self.args, self.words
        if args.is_stream and (others := sorted(words - {"pool"} - self._free)):
            raise self._not_possible(f"stream learners keep their {', '.join(others)}")
        for name in ("test_size", "votes"):
            if name in words and getattr(args, name) < self.settings[name]:
                raise self._not_possible(f"{name} can only grow")
        args.check_test_size()
        if "features" in words and self._may_be_other_rows():
            raise refusal(
                f"{self.differs} Ids made of {args.ids.made_of} do not tell whether "
                "these are new features of the same rows: pass ids=.",
                f"{self.differs} Ids made of {args.ids.made_of} do not tell whether "
                "these are new features of the same rows: name a column that does "
                "(--id).",
            )
        if "classes" in words:
            kind = self.settings["label_kind"]
            for old, new in self.old_labels.items():
                if label_kind(new) != kind:
                    raise ValueError(
                        f"The class {old!r} must be renamed to a {kind}, got {new!r}."
                    )
            for (label,) in db.execute("SELECT DISTINCT label FROM answers"):
                label = from_column(label, kind)
                label = self.old_labels.get(label, label)
                if label is not None and not is_label(label, kind, args.classes):
                    what = (
                        f"{self.differs} Rows have the label {label!r}, which is not "
                        "among the classes. Keep the class, or rename or merge it:"
                    )
                    raise refusal(
                        f"{what} pass change={{'classes': {{{label!r}: new}}}}.",
                        f"{what} add --rename {label}=NEW.",
                    )

    def _not_possible(self, why):
        return not_possible(self.differs, self.args.path, why)

    def _may_be_other_rows(self):
        """Return True if rows can only be matched by position.

        Row numbers are fine if the items show that the rows are the same.
        """
        made_of, before = self.args.ids.made_of, self.before
        if made_of != "numbers":
            return made_of is not None
        shown, shown_now = before["items"], self.pool["items"]
        return not (shown and shown_now and shown_now[: len(shown)] == shown)

    def _plan(self, db):
        """Decide on the new content; raise the errors of the learner."""
        args = self.args
        self.is_beginning = bool(self.words & NEW_LEARNER - self._same())
        self.budget = self._find_budget(db)
        self.seeds = self.learner["seeds"]
        if "learner" in self.words and self.is_beginning:
            self.seeds = draw_learner_seeds(args.learner)
        self.test = []
        if "test_size" in self.words:
            self.test = self._draw_test_rows(db)
        taught = db.execute(
            "SELECT id, label FROM rows WHERE state = 'labelled' AND kind != 'test' "
            "ORDER BY decided"
        ).fetchall()
        kind = self.settings["label_kind"]
        labels = [from_column(label, kind) for _, label in taught]
        labels = [self.old_labels.get(label, label) for label in labels]
        self._try(args.ids.rows(id for id, _ in taught), labels)

    def _same(self):
        """Return "learner" in a set if only its budget differs."""
        before, after = self.learner["description"], self.description
        same = with_budget(before, None), with_budget(after, None)
        is_same = not list(find_differences(*same))
        return {"learner"} if is_same else set()

    def _find_budget(self, db):
        """Return the number of labels that the learners of the session may buy."""
        args, n_test = self.args, self.args.test_size
        if args.learner.budget is None:
            return None
        total = check_budget(args.learner.budget, n_rows(args.pool))
        before = self.learner["budget"]
        if is_share(args.learner.budget) and before is not None:  # is never lowered
            total = max(total, before + self.settings["test_size"])
        sql = f"SELECT count(*) FROM requests WHERE purpose != '{TEST}'"
        (n_asked,) = db.execute(sql).fetchone()
        if total - n_test < n_asked:
            raise ValueError(
                f"{args.path}: a budget of {total} does not pay for {n_test} held-out "
                f"rows and the {n_asked} rows that were already asked for. Raise it."
            )
        return total - n_test

    def _draw_test_rows(self, db):
        """Return the ids of further held-out rows, among rows nobody has dealt with."""
        args = self.args
        n = args.test_size - self.settings["test_size"]
        known = {
            id
            for (id,) in db.execute(
                "SELECT id FROM requests UNION SELECT id FROM answers "
                "WHERE withdrawn_at IS NULL"
            )
        } | {*args.ids.at(args.empty)}
        free = [id for id in args.ids.all if id not in known]
        if n > len(free):
            raise ValueError(
                f"test_size={args.test_size} is {n} more than before, but only "
                f"{len(free)} rows were neither asked for nor labelled. Lower it."
            )
        return args.draw_rows(free, n, (self.settings["test_size"],))

    def _try(self, rows, labels):
        """Raise the errors that the learner will raise, without buying labels."""
        args = self.args
        own = seeded_clone(args.learner, self.seeds, self.budget)
        with catch_warnings():
            simplefilter("ignore")
            simplefilter("error", FitFailedWarning)
            try:
                own.query(args.pool, limit=0, ids=np.arange(len(args.ids)))
                if self.is_beginning and rows:
                    X, y = take(args.pool, rows), np.array(labels)
                    own.teach(X, y, classes=args.classes, ids=np.array(rows))
            except FitFailedWarning as warning:
                raise ValueError(
                    f"The learner cannot be taught the labels of {args.path}: {warning}"
                ) from warning

    def apply(self, db):
        """Store the differences."""
        args, words = self.args, self.words
        if not words:
            n_offered, n_test = n_rows(args.pool), self.settings["test_size"]
            budget = learner_budget(args.learner.budget, n_offered, n_test)
            change_learner(
                db, budget=budget, description=to_json(self.description),
                stop_reason=None,
            )  # fmt: skip
            return
        if "votes" in words:
            self._keep_votes(db)
        put_settings(db, classes=args.classes, votes=args.votes, pool=self.pool)
        if args.classes is not None:
            put_settings(db, label_kind=label_kind(args.classes[0]))
        if self.old_labels:
            rename_labels(db, self.old_labels)
        if self.is_beginning:
            db.execute("DELETE FROM taught")
            put_learner(db, self.description, self.seeds, self.budget)
        else:
            change_learner(
                db, budget=self.budget, description=to_json(self.description),
                stop_reason=None,
            )  # fmt: skip
        if self.test:
            sampled = [n_rows(args.pool), self.settings["sampled"][1] + len(self.test)]
            put_settings(db, test_size=args.test_size, sampled=sampled)
            hold_out(db, self.test, args.votes)
        update_all_rows(db, args.votes)

    def _keep_votes(self, db):
        """Let rows that are decided keep the number of votes that they needed."""
        before = self.settings["votes"]
        decided = db.execute(
            "SELECT id FROM rows WHERE wanted = 0 "
            "AND id NOT IN (SELECT id FROM row_votes)"
        ).fetchall()
        for (id,) in decided:
            put(db, "row_votes", id=id, votes=before)


def rename_labels(db, renamed):
    """Replace old labels by new ones in answers and predictions."""
    marks = ", ".join("?" * len(renamed))
    found = db.execute(
        f"SELECT number, label, renamed_from FROM answers WHERE label IN ({marks})",
        (*renamed,),
    ).fetchall()
    for number, label, first in found:
        change(
            db, "answers", "number = ?", (number,), label=renamed[label],
            renamed_from=label if first is None else first,
        )  # fmt: skip
    for number, predicted in db.execute(
        "SELECT number, predicted FROM models"
    ).fetchall():
        labels = [renamed.get(label, label) for label in json.loads(predicted)]
        change(db, "models", "number = ?", (number,), predicted=to_json(labels))


def with_budget(description, budget):
    """Return the description of a learner with another budget."""
    return {**description, "params": {**description["params"], "budget": budget}}
