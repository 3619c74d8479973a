"""What a rule gets, how it is found by name, and how several are judged."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._containers import view
from ..._typing import Ints, Labels
from .._selection import map_blocks


class Progress(NamedTuple):
    """Where a learner stands when it is asked for the next rows.

    Attributes
    ----------
    model : classifier
        Trained on all labels; never changed later, so it may be remembered.
    X : array-like
        The pool.
    left : ndarray of int
        Numbers of its rows that may be bought.
    rows : array-like
        Those that were taught, in order.
    labels : ndarray
        Theirs.
    """

    model: Any
    X: Any
    left: Ints
    rows: Any
    labels: Labels

    def of_left(self, function: Callable[[Any], ArrayLike]) -> Labels:
        """Return what a function of rows answers for those that may be bought."""
        X, within = view(self.X, self.left)
        return map_blocks(function, X)[within]

    def of_all(self, function: Callable[[Any], ArrayLike]) -> Labels:
        """Return what a function of rows answers for the whole pool."""
        return map_blocks(function, self.X)


class StoppingRule:
    """Base of the stopping rules, and of a stopping rule of your own.

    A rule holds parameters only. A subclass provides ``judge(progress, memory)``. What
    it remembers is kept by the learner, by the rule as a key: give parameters with
    ``@dataclass(frozen=True)``, which makes equal rules equal.

    Attributes
    ----------
    needs : tuple of str
        The methods that the model must have.

    References
    ----------
    .. [1] M. Bloodgood, K. Vijay-Shanker, "A Method for Stopping Active Learning Based
       on Stabilizing Predictions and the Need for User-Adjustable Stopping", CoNLL
       2009.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from sklearn_activelearn.pool import StoppingRule
    >>> @dataclass(frozen=True)
    ... class EnoughOfEachClass(StoppingRule):
    ...     n_labels: int = 10
    ...
    ...     def judge(self, progress, memory):
    ...         counts = {y: 0 for y in progress.model.classes_.tolist()}
    ...         for y in progress.labels.tolist():
    ...             counts[y] += 1
    ...         return min(counts.values()) >= self.n_labels, memory
    """

    needs: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise if a parameter is out of its range.

        Returns
        -------
        None
            Nothing.
        """

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop.

        Parameters
        ----------
        progress : Progress
            Where the learner stands. It is asked before each purchase that a model
            decides on.
        memory : object
            What the rule returned at the last query; None at first.

        Returns
        -------
        stop : bool
            Whether no further labels are wanted.
        memory : object
            What to remember.
        """
        raise NotImplementedError(
            f"{type(self).__name__} needs judge(progress, memory)."
        )


#: Rules with their default parameters, by the names that `stopping` takes.
STOPPING_RULES = {}


def named(name):
    """Have `stopping` take a rule by this name."""

    def enter(rule):
        STOPPING_RULES[name] = rule()
        return rule

    return enter


def rule_name(rule):
    """Return what a rule is called: by `stopping`, else by its class."""
    names = {type(known): name for name, known in STOPPING_RULES.items()}
    return names.get(type(rule), type(rule).__name__)


def find_rules(stopping):
    """Return the rules that a name, a rule or a list of them stands for."""
    rules = []
    for item in stopping if isinstance(stopping, list | tuple) else [stopping]:
        rule = STOPPING_RULES.get(item) if isinstance(item, str) else item
        if rule is None and item is None:
            continue
        if isinstance(rule, type) or not hasattr(rule, "judge"):
            raise ValueError(
                f"stopping must be one of {sorted(STOPPING_RULES)}, a stopping rule "
                f"or a list of them, got {item!r}."
            )
        rule.check()
        rules.append(rule)
    return rules


def judged(rules, progress, memory):
    """Ask all rules: each of them remembers the model.

    Parameters
    ----------
    rules : list of stopping rule
        In the order of the user.
    progress : Progress
        Where the learner stands.
    memory : dict or None
        What each rule remembered at the last query.

    Returns
    -------
    met : list of stopping rule
        Those that say stop, in the same order.
    memory : dict
        What each rule remembers now.
    """
    before = memory or {}
    answers = [rule.judge(progress, before.get(rule)) for rule in rules]
    for rule, answer in zip(rules, answers, strict=True):
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise TypeError(
                f"{type(rule).__name__}.judge must return whether to stop and what to "
                f"remember, got {answer!r}."
            )
    met = [rule for rule, (stop, _) in zip(rules, answers, strict=True) if stop]
    return met, {rule: now for rule, (_, now) in zip(rules, answers, strict=True)}


def why_stop(learner, X, rows):
    """Ask the stopping rules of a learner, all of them: they remember the model.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    X : rows
        The pool.
    rows : ndarray of int
        Those of its row numbers that may be bought.

    Returns
    -------
    name : str or None
        Of the first one that is met.
    """
    ended = None
    if learner._trained and learner._trained.has_ended:
        ended = learner._make_trainer().why_ended()
    if learner.stopping is None:
        return ended
    rules = find_rules(learner.stopping)
    if not rules:
        return ended
    labelled = learner._labelled
    labels = learner.classes_[labelled.codes]
    left = np.asarray(rows)
    progress = Progress(learner.estimator_, X, left, labelled.rows, labels)
    met, learner._stopping_memory = judged(rules, progress, learner._stopping_memory)
    learner._has_stopped = bool(met)
    return rule_name(met[0]) if met else ended
