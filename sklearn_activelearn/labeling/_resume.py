"""How a session begins, and how it is taken up again: what has to be the same."""

from math import inf
from numbers import Integral
from warnings import warn

import numpy as np

from .._base import ActiveClassifier
from .._labels import check_classes
from .._validation import check_budget, check_number
from ..sources._containers import n_rows
from ..sources._identity import NUMBERS
from ._changes import WORDS, PlannedChange, change_words, not_allowed, not_possible
from ._commands import check_text, label_kind
from ._database import printable
from ._ids import check_texts
from ._journal import Journal, has_content
from ._lock import holder_of
from ._replay import RecordedLearner, row_numbers
from ._settings import (
    described,
    differences,
    drawn_seed,
    drawn_seeds,
    fingerprint,
    pool_changes,
    pool_difference,
    seeded_clone,
    versions,
)


def take_over(path, *arguments):
    """Close the session of this process that has the file, if one has.

    It was made by a cell of a notebook, say, that runs once more.

    Raises
    ------
    ValueError, TypeError
        As `check_resume`: that session goes on then.
    """
    owner = holder_of(path)
    if owner is not None:
        owner.hand_over(lambda state: check_resume(state, path, *arguments))


def open_journal(path, *arguments):
    """Return the journal of a session, which is begun if there is none.

    Parameters
    ----------
    path : path
        The file.
    *arguments
        As for `begin_event`, which checks them before there is a file.
    """
    take_over(path, *arguments)
    body = None if has_content(path) else begin_event(*arguments)
    journal = Journal(path)
    if not journal.events:
        journal.append(("begin", body or begin_event(*arguments)))
    return journal


def begin_event(learner, pool, items, ids, settings, ahead, change=()):
    """Return the body of the event that begins a session.

    Nothing is changed then, but that could be misspelt.

    Raises
    ------
    ValueError, TypeError
        For what the learner refuses, and for numbers out of their ranges.
    """
    classes, test_size, votes = settings.values()
    change_words(change)
    for each in (*ids.all, *(plain_classes(classes) or ())):
        if isinstance(each, str):
            check_text(each)
    check_session_learner(learner, classes)
    check_texts(pool, ids.all)
    check_number(test_size, "test_size", 0, len(ids) - 1, closed="both", integer=True)
    check_number(votes, "votes", 1, closed="left", integer=True)
    check_number(ahead, "ahead", 0, 1, closed="both", integer=True)
    seed = learner.get_params().get("random_state")
    seed = seed if isinstance(seed, Integral) else drawn_seed()
    test = np.random.default_rng(seed).permutation(len(ids))[:test_size]
    body = {
        "versions": versions(),
        "learner": described(learner),
        "seeds": drawn_seeds(learner),
        "budget": budget_left(learner.budget, len(ids), test_size),
        "classes": plain_classes(classes),
        "test_size": test_size,
        "votes": votes,
        "ahead": ahead,
        "pool": fingerprint(pool, items, ids.all),
        "recognised_by": NUMBERS,
        "test": ids.at(test.tolist()),
    }
    # refuses what the learner will refuse, and buys nothing
    own = seeded_clone(learner, body["seeds"], body["budget"])
    own.query(pool, limit=0, ids=row_numbers(len(ids)))
    return body


def check_resume(state, path, learner, pool, items, ids, settings, ahead, change=()):
    """Raise unless a session can go on with these arguments.

    Returns
    -------
    records : list of (str, dict)
        What has to be noted: a larger budget, or a change.

    Warns
    -----
    UserWarning
        For other versions of the packages.
    """
    begin, allowed = state.begin, change_words(change)
    for name, low in (("test_size", 0), ("votes", 1)):
        check_number(settings[name], name, low, closed="left", integer=True)
    check_number(ahead, "ahead", 0, 1, closed="both", integer=True)
    check_session_learner(learner, settings["classes"])
    now = {
        "learner": described(learner),
        **settings,
        "classes": plain_classes(settings["classes"]) or begin["classes"],
        "pool": fingerprint(pool, items, ids.all),
    }
    words = pool_changes(begin["pool"], now["pool"], ids.all)
    what = []
    if words is None or words:
        differs = pool_difference(begin["pool"], now["pool"])
        what.append(f"The pool is not that of {path}: {differs}.")
    if words is None:
        why = "new rows come last, and the others keep their ids"
        if ids.made_of == "values":
            why += "; for new features of the same rows, pass the ids= that they had"
        raise not_possible(what[0], path, why)
    ids.rows(state.answers)  # raises for one that is not there
    is_larger = is_budget_larger(state, learner, pool)
    others = list(differences(begin["versions"], versions()))
    found = differing_settings(state, now, is_larger, shared=bool(others))
    if "learner" not in found and (
        unknown := begin["seeds"].keys() - learner.get_params().keys()
    ):
        raise ValueError(f"{path} has seeds that the learner has not: {unknown}.")
    if texts := [text for each in sorted(found) for text in found[each]]:
        what.append(f"{path} had other settings: {printable('; '.join(texts))}.")
    words |= found.keys()
    if words:
        same = with_budget(now["learner"], None), with_budget(begin["learner"], None)
        is_budget_only = not list(differences(*same, shared=bool(others)))
        differs = " ".join(what)
        new = PlannedChange(
            state, path, learner, pool, ids, now, words, is_budget_only, differs
        )
        new.check()
        if words - {*allowed}:
            raise not_allowed(differs, [word for word in WORDS if word in words])
        records = [("change", new.event())]
    else:
        left = budget_left(learner.budget, n_rows(pool), begin["test_size"])
        given = now["learner"]["params"]["budget"]
        records = [("set", {"budget": left, "given": given})] if is_larger else []
    if others and not any(body.get("is_beginning") for _, body in records):
        warn(
            f"{path} was begun with other versions, with which the learner may ask "
            f"for other rows: {printable('; '.join(others))}.",
            stacklevel=3,
        )
    return records


def is_budget_larger(state, learner, pool):
    """Whether a learner may buy more labels than before, with as many test rows."""
    left = budget_left(learner.budget, n_rows(pool), state.begin["test_size"])
    return (inf if left is None else left) > (
        inf if state.budget is None else state.budget
    )


def differing_settings(state, now, is_larger, shared):
    """Return a few words for each thing that differs, by the word that allows it.

    A larger budget is no difference. With `shared`, as for `differences`.
    """
    learner, given = now["learner"], state.budget_given
    before = with_budget(state.begin["learner"], given)
    pairs = {"learner": (before, with_budget(learner, given) if is_larger else learner)}
    for name in ("classes", "test_size", "votes"):
        pairs[name] = state.begin[name], now[name]
    found = {
        name: list(differences(*pair, name, shared)) for name, pair in pairs.items()
    }
    return {name: texts for name, texts in found.items() if texts}


def with_budget(learner, budget):
    """Return the description of a learner with another budget."""
    return {**learner, "params": {**learner["params"], "budget": budget}}


def check_session_learner(learner, classes):
    """Raise for what is no learner, and for classes that are missing."""
    if not isinstance(learner, ActiveClassifier):
        raise TypeError(f"A session needs a learner of this package, got {learner!r}.")
    if classes is None and learner._group is not None:
        raise ValueError("A stream learner needs to know the classes: pass classes.")


def plain_classes(classes):
    """Return classes in the user's order as JSON has them, None for None."""
    if classes is None:
        return None
    check_classes(classes)
    if len({label_kind(each) for each in np.asarray(classes, dtype=object)}) > 1:
        raise ValueError(f"classes must be texts or numbers, got both: {classes!r}.")
    classes = np.asarray(classes).tolist()
    if len(set(classes)) < len(classes):
        raise ValueError(f"classes has a label twice: {classes}.")
    return classes


def budget_left(budget, n_offered, n_test):
    """Return how many labels the learner may buy beside the test rows; None: any."""
    if budget is None:
        return None
    left = check_budget(budget, n_offered) - n_test
    if left < 0:
        raise ValueError(
            f"test_size={n_test} is more than the budget, {budget}, which pays for "
            "the rows put aside, too."
        )
    return left


def learner_maker(state, ids, learner, pool):
    """Return a function that makes a recorded learner that has seen nothing."""
    seeds, beginning = state.begin["seeds"], state.beginning
    by_number = state.begin.get("recognised_by") == NUMBERS
    test, asked_before = (
        np.array(ids.rows(some), dtype=np.int64)
        for some in (beginning.test, beginning.asked)
    )

    def make():
        own = seeded_clone(learner, seeds, beginning.budget)
        n, classes = beginning.n_rows, beginning.classes
        return RecordedLearner(own, pool, n, test, asked_before, classes, by_number)

    return make
