"""What may change when a session is opened again, and the event that says so."""

from numbers import Integral
from typing import get_args
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from .._typing import Change
from .._validation import check_budget, check_number, is_share
from ..sources._containers import n_rows, take
from ..sources._identity import NUMBERS
from ._commands import label_kind
from ._decisions import SKIP
from ._ids import check_texts
from ._replay import row_numbers
from ._settings import drawn_seed, drawn_seeds, first_hashes, seeded_clone, versions

#: In the order in which messages name them.
WORDS = get_args(Change)

#: With these a learner begins again.
NEW_LEARNER = {"features", "classes", "learner"}


def refusal(message, command):
    """Return an error for those who write Python, which has that of the command."""
    error = ValueError(message)
    error.command = command
    return error


def change_words(change):
    """Return the words of ``change`` as a tuple; raise for others."""
    if not isinstance(change, str | tuple | list | set):
        raise TypeError(f"change must be a word or a tuple of words, got {change!r}.")
    words = (change,) if isinstance(change, str) else tuple(change)
    for word in words:
        if word not in WORDS:
            raise ValueError(f"change must be among {', '.join(WORDS)}, got {word!r}.")
    return words


def not_allowed(what, words):
    """Return the error for changes without their words."""
    names = [f'"{word}"' for word in words]
    value = names[0] if len(words) == 1 else f"({', '.join(names)})"
    return refusal(
        f"{what} To go on with that, add change={value}.",
        f"{what} To go on with that, add --change {','.join(words)}.",
    )


def not_possible(differs, path, why):
    """Return the error for what cannot change, with the way to a new session."""
    what = f"{differs} A session cannot change that ({why}): begin one in a new file"
    return refusal(
        f"{what}, and take over the labels with its import_labels({str(path)!r}).",
        f"{what} (--out), and take over the labels with --import {path}.",
    )


class PlannedChange:
    """A change, checked against what the session is.

    Parameters
    ----------
    state : SessionState
        What the session is.
    path : path
        Its file.
    learner : learner
        Its learner from now on.
    pool : rows
        Its rows.
    ids : Ids
        Of the rows.
    now : dict
        What a session with all that would begin with: ``pool``, ``learner`` and the
        settings.
    words : set of str
        What differs.
    is_budget_only : bool
        Whether of the learner only the budget differs.
    differs : str
        What differs, for messages.
    """

    def __init__(
        self, state, path, learner, pool, ids, now, words, is_budget_only, differs
    ):
        self.state, self.path = state, path
        self.learner, self.pool, self.ids = learner, pool, ids
        self.now, self.words, self.differs = now, words, differs
        same = {"learner"} if is_budget_only else set()
        self._has_new_learner = bool(words & NEW_LEARNER - same)

    def check(self):
        """Raise for what a session cannot become."""
        begin, now = self.state.begin, self.now
        is_stream = self.learner._group is not None
        if is_stream and (others := sorted(self.words - {"pool"})):
            raise self._not_possible(f"stream learners keep their {', '.join(others)}")
        for name in ("test_size", "votes"):
            if name in self.words and now[name] < begin[name]:
                raise self._not_possible(f"{name} may only grow")
        check_number(
            now["test_size"], "test_size", 0, len(self.ids) - 1,
            closed="both", integer=True,
        )  # fmt: skip
        check_number(now["votes"], "votes", 1, closed="left", integer=True)
        if "features" in self.words and self._may_be_other_rows():
            what = (
                f"{self.differs} If that are new features of the same rows, ids made "
                f"of {self.ids.made_of} do not tell which row is which:"
            )
            raise refusal(
                f"{what} pass ids=.", f"{what} name a column that does (--id)."
            )
        if "classes" in self.words:
            self._check_classes()
        check_texts(self.pool, self.ids.all)

    def event(self):
        """Return the body of the event; raise if the learner cannot go on with it."""
        state, now, words = self.state, self.now, self.words
        body = {
            "words": [word for word in WORDS if word in words],
            "is_beginning": self._is_beginning(),
            "events": [],
            "test": [],
            "budget": self._budget(),
            "given": now["learner"]["params"]["budget"],
        }
        settings = {"classes", "test_size", "votes"} & words
        body |= {name: now[name] for name in settings}
        if words & {"pool", "features"}:
            body["pool"] = now["pool"]
        if "test_size" in words:
            body["test"] = self._drawn()
        seeds = state.begin["seeds"]
        if "learner" in words:
            body["learner"] = now["learner"]
        if self._has_new_learner and "learner" in words:
            body["seeds"] = seeds = drawn_seeds(self.learner)
        if body["is_beginning"]:
            body |= {"versions": versions(), "recognised_by": NUMBERS}
            body["events"] = [decision.event for decision in self._decisions()]
        self._try(seeds, body["is_beginning"])
        return body

    def _not_possible(self, why):
        return not_possible(self.differs, self.path, why)

    def _may_be_other_rows(self):
        """Whether it is by their place alone that rows are said to be the same.

        Numbers of rows are fine where it is seen that the same things are shown.
        """
        made_of, before = self.ids.made_of, self.state.begin["pool"]
        if made_of != "numbers":
            return made_of is not None
        shown, shown_now = before["items"], self.now["pool"]["items"]
        is_same = shown and shown_now and first_hashes(shown_now, before["n_rows"])
        return not is_same or is_same != first_hashes(shown, before["n_rows"])

    def _check_classes(self):
        classes = self.now["classes"]
        for answers in self.state.answers.values():
            for label in (each.label for each in answers if each.label is not SKIP):
                if not is_class(label, classes):
                    raise self._not_possible(f"rows have the label {label!r}")

    def _is_beginning(self):
        """Whether the learner begins again, because it cannot go on as it is."""
        if self._has_new_learner:
            return True
        is_stream = self.learner._group is not None
        follows = hasattr(self.learner, "restore") and (
            self.state.is_noted or not self.learner.stopping
        )
        return "pool" in self.words and not is_stream and not follows

    def _budget(self):
        """Return how many labels the learners of the session may buy in all."""
        budget, n_test = self.learner.budget, self.now["test_size"]
        if budget is None:
            return None
        total = check_budget(budget, n_rows(self.pool))
        if is_share(budget) and self.state.budget is not None:  # is never lowered
            total = max(total, self.state.budget + self.state.begin["test_size"])
        left = total - n_test
        if left < (n_asked := len(self.state.asked)):
            raise ValueError(
                f"{self.path}: a budget of {total} is not enough for {n_test} rows put "
                f"aside and {n_asked} that were asked for."
            )
        return left

    def _drawn(self):
        """Return the ids of further rows to put aside, of those nobody asked for."""
        state = self.state
        n = self.now["test_size"] - state.begin["test_size"]
        free = [
            id
            for id in self.ids.all
            if id not in state.test
            and id not in state.asked
            and not state.answers.get(id)
        ]
        if n > len(free):
            raise ValueError(
                f"test_size={self.now['test_size']} is {n} more than before, but there "
                f"are {len(free)} rows that were neither asked for nor labelled."
            )
        seed = self.learner.get_params().get("random_state")
        seed = seed if isinstance(seed, Integral) else drawn_seed()
        rng = np.random.default_rng([seed, len(state.test)])
        return [free[place] for place in rng.permutation(len(free))[:n].tolist()]

    def _decisions(self):
        """Return what the learner is taught when it begins again."""
        decisions = self.state.decisions.values()
        return sorted(
            (each for each in decisions if each.id not in self.state.test),
            key=lambda decision: decision.event,
        )

    def _try(self, seeds, is_beginning):
        """Raise what the learner will raise; it buys nothing."""
        own = seeded_clone(self.learner, seeds, self._budget())
        taught = [each for each in self._decisions() if each.label is not SKIP]
        rows = self.ids.rows(each.id for each in taught)
        with catch_warnings():
            simplefilter("ignore")  # they come when it is done
            simplefilter("error", FitFailedWarning)
            try:
                own.query(self.pool, limit=0, ids=row_numbers(len(self.ids)))
                if is_beginning and rows:
                    own.teach(
                        take(self.pool, rows),
                        np.array([each.label for each in taught]),
                        classes=self.now["classes"],
                        ids=np.array(rows),
                    )
            except FitFailedWarning as warning:
                raise ValueError(
                    f"The learner cannot be taught the labels of {self.path}: {warning}"
                ) from warning


def is_class(label, classes):
    """Whether a label is one of the classes, and of their kind."""
    return label in classes and label_kind(label) == label_kind(classes[0])
