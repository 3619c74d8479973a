"""How a session begins, and how it is taken up again: what has to be the same."""

from math import inf
from numbers import Integral
from warnings import warn

import numpy as np

from .._containers import n_rows
from .._identity import NUMBERS
from .._labels import check_classes
from .._protocol import ActiveClassifier
from .._validation import check_budget, check_number
from ._commands import check_text
from ._database import printable
from ._ids import check_texts
from ._journal import Journal, has_content
from ._lock import holder_of
from ._replay import RecordedLearner
from ._settings import (
    check_same_pool,
    described,
    differences,
    drawn_seeds,
    fingerprint,
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


def begin_event(learner, pool, items, ids, settings, ahead):
    """Return the body of the event that begins a session.

    Raises
    ------
    ValueError, TypeError
        For what the learner refuses, and for numbers out of their ranges.
    """
    classes, test_size, votes = settings.values()
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


def check_resume(state, path, learner, pool, items, ids, settings, ahead):
    """Raise unless a session can go on with these arguments.

    Returns
    -------
    records : list of (str, dict)
        What has to be noted: a larger budget.

    Warns
    -----
    UserWarning
        For other versions of the packages.
    """
    begin = state.begin
    check_number(ahead, "ahead", 0, 1, closed="both", integer=True)
    check_session_learner(learner, settings["classes"])
    check_same_pool(path, begin["pool"], fingerprint(pool, items, ids.all))
    ids.rows(state.answers)  # raises for one that is not there
    if unknown := begin["seeds"].keys() - learner.get_params().keys():
        raise ValueError(f"{path} has seeds that the learner has not: {unknown}.")
    now = {"learner": described(learner), **settings}
    now["classes"] = plain_classes(settings["classes"]) or begin["classes"]
    left = budget_left(learner.budget, n_rows(pool), begin["test_size"])
    given = now["learner"]["params"]["budget"]
    is_larger = (inf if left is None else left) > (
        inf if state.budget is None else state.budget
    )
    if is_larger:
        now["learner"]["params"]["budget"] = state.budget_given
    before = {name: begin[name] for name in settings}
    params = {**begin["learner"]["params"], "budget": state.budget_given}
    before["learner"] = {**begin["learner"], "params": params}
    others = list(differences(begin["versions"], versions()))
    if differ := list(differences(before, now, shared=bool(others))):
        raise ValueError(f"{path} had other settings: {printable('; '.join(differ))}.")
    if others:
        warn(
            f"{path} was begun with other versions, with which the learner may ask "
            f"for other rows: {printable('; '.join(others))}.",
            stacklevel=3,
        )
    return [("set", {"budget": left, "given": given})] if is_larger else []


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


def drawn_seed():
    """Return a seed for a learner that has none."""
    return int(np.random.default_rng().integers(2**31))


def learner_maker(state, ids, learner, pool):
    """Return a function that makes a recorded learner that has seen nothing."""
    begin = state.begin
    test = np.array(ids.rows(begin["test"]), dtype=np.int64)
    by_number = begin.get("recognised_by") == NUMBERS
    own_ids = row_numbers(len(ids)) if by_number else None

    def make():
        own = seeded_clone(learner, begin["seeds"], begin["budget"])
        return RecordedLearner(own, pool, test, begin["classes"], own_ids)

    return make


def row_numbers(n):
    """Return the ids of n rows for a learner: the user's need not be of one kind."""
    return np.arange(n, dtype=np.int64)
