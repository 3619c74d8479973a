"""What a rule gets, how it is found by name, and how several are judged."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._containers import view
from ..._typing import Ints, Label, Labels
from ..._validation import check_number
from .._correction import with_first_labels
from .._input_checks import check_has
from .._selection import map_blocks
from ._reads import AskedRows


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
    earlier : callable
        What `model_after` asks for a model on fewer labels.
    asked : AskedRows
        The rows of the pool that were asked for or taught, in order.
    positive : label or None
        The class that the learner looks for, if it looks for one.
    """

    model: Any
    X: Any
    left: Ints
    rows: Any
    labels: Labels
    earlier: Callable[[int], Any] | None = None
    asked: AskedRows | None = None
    positive: Label | None = None

    def model_after(self, n_labels: int) -> Any:
        """Return the model on the first labels.

        It is trained again unless it is at hand. At hand are the models whose numbers
        of labels are in what the rules remember.

        Parameters
        ----------
        n_labels : int
            How many labels, in the order in which they were taught.

        Returns
        -------
        model : classifier
            Never changed later.

        Raises
        ------
        ValueError
            For more labels than were taught, or less than one.
        """
        n_known = len(self.labels)
        check_number(n_labels, "n_labels", 1, n_known, closed="both", integer=True)
        if n_labels == n_known or self.earlier is None:
            return self.model
        return self.earlier(n_labels)

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
    it remembers is kept by the learner, for rules that are equal to it: give parameters
    with ``@dataclass(frozen=True)``. It must be what JSON has (numbers, texts, lists,
    dicts with texts as keys), else `record` refuses the learner and a session repeats
    all calls when it is opened. Instead of a model remember its number of labels, and
    ask ``progress.model_after(n_labels)``.

    Attributes
    ----------
    needs : tuple of str
        The methods that the model must have.
    draws : bool
        Whether it may want rows to be drawn at random, by `n_random`.

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
    draws: bool = False

    def check(self) -> None:
        """Raise if a parameter is out of its range.

        Returns
        -------
        None
            Nothing.
        """

    def check_model(self, model: Any) -> None:
        """Raise if it cannot judge a model that has what it needs.

        Parameters
        ----------
        model : classifier
            Unfitted.

        Returns
        -------
        None
            Nothing.
        """

    def check_classes(
        self, classes: Sequence[Label], positive: Label | None = None
    ) -> None:
        """Raise if it cannot judge a search with these classes.

        Parameters
        ----------
        classes : list of label
            All classes: those that were declared, or two or more that have labels.
        positive : label or None
            The class that the learner looks for, if it looks for one.

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
            What the rule returned at the last query; None at first. A tuple may have
            become a list.

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

    def n_random(self, memory: Any) -> int:
        """Return how many rows it wants to be drawn at random next, to judge by them.

        Parameters
        ----------
        memory : object
            What it remembers, after it has judged.

        Returns
        -------
        n_random : int
            The learner draws a batch, but no more than so many; their purpose is
            "audit". 0: the learner chooses.
        """
        return 0


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


def check_rule_models(stopping, models):
    """Refuse models that a rule cannot judge."""
    for rule, model in product(find_rules(stopping), models):
        for method in rule.needs:
            hint = "Use another estimator or rule."
            check_has(method, model, f"stopping={rule}", hint)
        # not in all rules from outside
        if check_model := getattr(rule, "check_model", None):
            check_model(model)


def check_rule_classes(stopping, classes, positive):
    """Refuse classes with which a rule cannot judge."""
    for rule in find_rules(stopping):
        if check_classes := getattr(rule, "check_classes", None):
            check_classes(classes, positive)


def judged(rules, progress, memory):
    """Ask all rules: each of them remembers the model.

    Parameters
    ----------
    rules : list of stopping rule
        In the order of the user.
    progress : Progress
        Where the learner stands.
    memory : list or None
        What each rule remembered at the last query.

    Returns
    -------
    met : list of stopping rule
        Those that say stop, in the same order.
    memory : list
        What each rule remembers now.
    """
    before = memory or [None] * len(rules)
    answers = [
        rule.judge(progress, own) for rule, own in zip(rules, before, strict=True)
    ]
    for rule, answer in zip(rules, answers, strict=True):
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise TypeError(
                f"{type(rule).__name__}.judge must return whether to stop and what to "
                f"remember, got {answer!r}."
            )
    met = [rule for rule, (stop, _) in zip(rules, answers, strict=True) if stop]
    return met, [now for _, now in answers]


class Remembered(NamedTuple):
    """What the rules of a learner remember, and the models that they may ask for.

    Attributes
    ----------
    rules : tuple of stopping rule
        In the order of the user.
    memory : tuple of object
        What each of them remembers.
    models : dict of int to classifier
        Those at hand, by their numbers of labels.
    """

    rules: tuple[Any, ...] = ()
    memory: tuple[Any, ...] = ()
    models: Mapping[int, Any] = {}

    def of(self, rules):
        """Return what each of these rules remembers, None for one that is new."""
        return [
            next((now for own, now in zip(*self[:2], strict=True) if own == rule), None)
            for rule in rules
        ]


def numbers_in(memory):
    """Yield the whole numbers in what a rule remembers."""
    if isinstance(memory, int):
        yield memory
    elif isinstance(memory, dict):
        for item in memory.values():
            yield from numbers_in(item)
    elif isinstance(memory, list | tuple):
        for item in memory:
            yield from numbers_in(item)


def rules_that_draw(stopping):
    """Return the rules that may want rows to be drawn at random."""
    # rules from outside need not know of it
    return [rule for rule in find_rules(stopping) if getattr(rule, "draws", False)]


def n_random_wanted(learner):
    """Return how many random rows the rules of a learner want next; 0: none."""
    rules = rules_that_draw(learner.stopping)
    memory = (learner._stopping_memory or Remembered()).of(rules)
    wanted = (rule.n_random(own) for rule, own in zip(rules, memory, strict=True))
    return max(wanted, default=0)


def why_stop(learner, sample, n_left):
    """Ask the stopping rules of a learner, all of them: they remember the model.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    sample : CandidateSample
        The pool, and those of its row numbers that may be bought, or some of them.
    n_left : int
        How many may be bought.

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
    check_rule_classes(rules, learner.classes_.tolist(), learner.positive)
    labelled = learner._labelled
    labels = learner.classes_[labelled.codes]
    left = np.asarray(sample.rows)
    # old pickles have a dict, of models
    before = learner._stopping_memory
    before = before if isinstance(before, Remembered) else Remembered()
    models = {**before.models, len(labelled): learner.estimator_}

    def earlier(n_labels):
        if n_labels not in models:
            part = with_first_labels(learner, n_labels)
            part._train()
            models[n_labels] = part.estimator_
        return models[n_labels]

    asked = AskedRows.of(learner._requests, n_left)
    now = learner.estimator_, sample.X, left, labelled.rows, labels
    progress = Progress(*now, earlier, asked, learner.positive)
    met, memory = judged(rules, progress, before.of(rules))
    kept = models.keys() & {*numbers_in(memory)}
    learner._stopping_memory = Remembered(
        tuple(rules), tuple(memory), {n: models[n] for n in sorted(kept)}
    )
    learner._has_stopped = bool(met)
    return rule_name(met[0]) if met else ended
