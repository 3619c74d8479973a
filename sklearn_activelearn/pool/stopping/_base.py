"""Base class of the stopping rules, and the evaluation of a learner's rules."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...base._parameters import check_has, check_number
from ...sources._containers import restrict_rows
from ...utils._statistics import Reads
from ...utils.typing import Bools, Floats, Ints, Label, Labels
from .._ledger import PENDING, SKIPPED, Ledger
from .._selection import EXPLORED, map_blocks

#: Purpose of a random row that tests whether all relevant rows are found.
AUDIT = "audit"


class AskedRows(NamedTuple):
    """Pool rows that were requested or taught, in order.

    Attributes
    ----------
    rows : ndarray of int64
        Row numbers in the pool.
    places : ndarray of int64
        Positions among the labelled rows; -1 for pending rows, -2 for skipped rows.
    probabilities : ndarray of float64
        Probability with which each row was bought.
    purposes : ndarray of str
        Purpose for which each row was bought.
    n_rows : int
        Number of these rows and of the rows that may be bought.
    """

    rows: Ints
    places: Ints
    probabilities: Floats
    purposes: Labels
    n_rows: int

    @classmethod
    def of(cls, ledger: Ledger, n_left: int) -> "AskedRows":
        """Return the asked rows of a ledger; `n_left` rows may be bought."""
        (kept,) = np.nonzero(ledger.found >= 0)
        columns = ledger.found, ledger.positions, ledger.probabilities, ledger.purposes
        return cls(*(column[kept] for column in columns), n_left + len(kept))

    @property
    def drawn(self) -> Bools:
        """True for rows that were drawn at random from all unlabelled rows."""
        drawn = np.zeros(len(self.rows), dtype=bool)
        is_new = self.probabilities[1:] != self.probabilities[:-1]
        for part in np.split(np.arange(len(drawn)), np.flatnonzero(is_new) + 1):
            if len(part) and self.probabilities[part[0]] < 1:
                n_left = self.n_rows - part[0]
                share = self.probabilities[part[0]]
                drawn[part] = np.isclose(share * n_left, len(part), rtol=1e-9)
        return drawn

    def explored(self, shares: Iterable[float]) -> list[tuple[int, Ints]]:
        """Return the beginning of each purchase, and its explored rows.

        The explored rows of a purchase have one probability, share * n / U, for n rows
        from U. The purchase begins where n is a whole number and the explored rows lie
        within n places. Rows with several possible beginnings, which needs n > share *
        U, are left out. Rows without a possible beginning were bought from a part of
        the pool; other rows from this part may have a beginning by chance, so that all
        purchases before are left out, too.

        Parameters
        ----------
        shares : iterable of float
            Shares of a purchase that may have been explored.
        """
        (at,) = np.nonzero(self.purposes == EXPLORED)
        p, purchases = self.probabilities[at], []
        groups = np.split(at, np.flatnonzero(p[1:] != p[:-1]) + 1)
        for group in groups if len(at) else ():
            found = set()
            for share in shares:
                begin = np.arange(max(group[0] - ceil(1 / share), 0), group[0] + 1)
                n = self.probabilities[group[0]] * (self.n_rows - begin) / share
                is_it = np.isclose(n, n.round(), rtol=1e-9, atol=0) & (n > 0.5)
                is_it &= begin + n.round() > group[-1]
                is_it &= np.abs(share * n - len(group)) < 1
                found |= {*begin[is_it].tolist()}
            if not found:
                purchases.clear()
            elif len(found) == 1:
                purchases.append((found.pop(), group))
        return purchases

    def reads(
        self,
        is_relevant: Bools,
        only: str | None = None,
        shares: Iterable[float] = (),
    ) -> Reads:
        """Return the labelled rows.

        Skipped rows are left out, as if they were not in the pool; pending rows are
        unread. Rows that were drawn after the first pending row do not count as drawn
        before its label comes: the time of a label may depend on the label.

        Parameters
        ----------
        is_relevant : ndarray of bool of shape (n_labelled,)
            True for relevant rows, in the order of teaching.
        only : str, optional
            Purpose of the drawn rows that count as drawn; None: any purpose.
        shares : iterable of float, default=()
            As for `explored`. The explored rows of a purchase come before its other
            rows, because they were drawn before these were chosen.
        """
        drawn, order = self.drawn, np.arange(len(self.rows), dtype=float)
        for begin, group in self.explored(shares):
            drawn[group], order[group] = True, begin - 0.5
        if only is not None:
            drawn &= self.purposes == only
        order = np.argsort(order, kind="stable")
        places, drawn = self.places[order], drawn[order]
        drawn &= np.cumsum(places == PENDING) == 0
        known = places >= 0
        n_skipped = int(np.count_nonzero(places == SKIPPED))
        return Reads(is_relevant[places[known]], drawn[known], self.n_rows - n_skipped)


class CheckedSample(NamedTuple):
    """Random sample of rows with machine labels, and the rows that nobody has read.

    Attributes
    ----------
    n_rows : int
        Number of rows that get a label in the end.
    n_drawn : int
        Size of the sample.
    n_wrong : int
        Sample rows that the ranking has not reached and whose machine label is wrong.
        A row without an answer counts as wrong.
    n_outside : int
        Rows that could not be drawn and that nobody has read. They count as wrong.
    n_gaps : int
        Rows without any label that nobody was asked for.
    n_unread : int
        Rows without a person's label.
    """

    n_rows: int
    n_drawn: int
    n_wrong: int
    n_outside: int
    n_gaps: int
    n_unread: int


class Progress(NamedTuple):
    """State of a learner that is asked for the next rows.

    Attributes
    ----------
    model : classifier
        Trained on all labels. It is never changed later.
    X : array-like
        The pool.
    left : ndarray of int
        Numbers of the pool rows that may be bought.
    rows : array-like
        Labelled rows, in the order of teaching.
    labels : ndarray
        Labels of these rows.
    earlier : callable
        ``earlier(n_labels)`` returns a model on fewer labels, for `model_after`.
    asked : AskedRows
        Pool rows that were requested or taught, in order.
    positive : label or None
        Class that the learner searches for; None for learners without one.
    sample : CheckedSample or None
        Random sample that tests machine labels; None for learners without one.
    """

    model: Any
    X: Any
    left: Ints
    rows: Any
    labels: Labels
    earlier: Callable[[int], Any] | None = None
    asked: AskedRows | None = None
    positive: Label | None = None
    sample: CheckedSample | None = None

    def model_after(self, n_labels: int) -> Any:
        """Return the model on the first labels.

        The learner keeps the models whose numbers of labels its rules remember. Other
        models are trained again.

        Parameters
        ----------
        n_labels : int
            Number of labels, in the order of teaching.

        Returns
        -------
        model : classifier
            Never changed later.

        Raises
        ------
        ValueError
            If `n_labels` is less than 1, or exceeds the number of labels taught.
        """
        n_known = len(self.labels)
        check_number(n_labels, "n_labels", 1, n_known, closed="both", integer=True)
        if n_labels == n_known or self.earlier is None:
            return self.model
        return self.earlier(n_labels)

    def of_left(self, function: Callable[[Any], ArrayLike]) -> Labels:
        """Return the values of a function of rows for the rows that may be bought."""
        X, within = restrict_rows(self.X, self.left)
        return map_blocks(function, X)[within]

    def of_all(self, function: Callable[[Any], ArrayLike]) -> Labels:
        """Return the values of a function of rows for the whole pool."""
        return map_blocks(function, self.X)


class StoppingRule:
    """Base class of stopping rules, also of your own.

    A rule holds parameters only. A subclass provides ``judge(progress, memory)``. The
    learner stores the memory of a rule, and finds it for rules that are equal: declare
    parameters with ``@dataclass(frozen=True)``. The memory must consist of JSON types
    (numbers, texts, lists, dicts with texts as keys). Otherwise `record` raises an
    error, and a session repeats all calls when it is opened. To compare models,
    remember their numbers of labels, and call ``progress.model_after(n_labels)``.

    Attributes
    ----------
    needs : tuple of str
        Methods that the model must have.
    draws : bool
        True if the rule may ask for random rows, by `n_random`.

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
        """Raise an error if a parameter is outside its range.

        Returns
        -------
        None
            Nothing.
        """

    def check_model(self, model: Any) -> None:
        """Raise an error if the rule cannot judge a model that has the methods.

        Parameters
        ----------
        model : classifier
            Unfitted.

        Returns
        -------
        None
            Nothing.
        """

    def check_classes(self, classes: Sequence[Label]) -> None:
        """Raise an error if the rule cannot judge a search with these classes.

        Parameters
        ----------
        classes : list of label
            All classes: the declared ones, or two or more that have labels.

        Returns
        -------
        None
            Nothing.
        """

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop.

        Parameters
        ----------
        progress : Progress
            State of the learner. The rule is asked before each purchase that a model
            decides on.
        memory : object
            The second value that the rule returned at the last query; None at first.
            A tuple may have become a list.

        Returns
        -------
        stop : bool
            True if no further labels are wanted.
        memory : object
            Values to remember.
        """
        raise NotImplementedError(
            f"{type(self).__name__} needs judge(progress, memory)."
        )

    def n_random(self, memory: Any) -> int:
        """Return the number of random rows that the rule asks for next.

        Parameters
        ----------
        memory : object
            Memory of the rule after it has judged.

        Returns
        -------
        n_random : int
            Largest number of random rows; the learner draws a batch at most, with the
            purpose "audit". 0: the learner chooses the rows.
        """
        return 0


#: Rules with their default parameters, by the names that `stopping` takes.
STOPPING_RULES = {}


def named(name):
    """Register a class of rules by a name for `stopping`."""

    def register(rule):
        STOPPING_RULES[name] = rule()
        return rule

    return register


def rule_name(rule):
    """Return the name of a rule for `stopping`, or else the name of its class."""
    names = {type(known): name for name, known in STOPPING_RULES.items()}
    return names.get(type(rule), type(rule).__name__)


def find_rules(stopping):
    """Return the rules for a name, a rule or a list of them; check them."""
    rules = []
    for item in stopping if isinstance(stopping, list | tuple) else [stopping]:
        if item is None:
            continue
        rule = STOPPING_RULES.get(item) if isinstance(item, str) else item
        if not isinstance(rule, StoppingRule):
            raise ValueError(
                f"stopping must be one of {sorted(STOPPING_RULES)}, a StoppingRule or "
                f"a list of them, got {item!r}."
            )
        rule.check()
        rules.append(rule)
    return rules


def check_rule_models(stopping, models):
    """Raise an error if a rule cannot judge one of the models."""
    for rule, model in product(find_rules(stopping), models):
        for method in rule.needs:
            hint = "Use another estimator or rule."
            check_has(method, model, f"stopping={rule}", hint)
        rule.check_model(model)


def check_rule_classes(stopping, classes):
    """Raise an error if a rule cannot judge a search with these classes."""
    for rule in find_rules(stopping):
        rule.check_classes(classes)


def check_label_sets(stopping):
    """Raise an error if there is a rule, for a learner of several labels for a row."""
    if find_rules(stopping):
        raise ValueError(
            "Stopping rules judge one label for each row. For several labels, leave "
            "stopping out and limit the purchases by the budget."
        )


def judge_all(rules, progress, memory):
    """Ask all rules, so that each of them can remember the model.

    Parameters
    ----------
    rules : list of StoppingRule
        In the order of the user.
    progress : Progress
        State of the learner.
    memory : sequence or None
        Memory of each rule since the last query.

    Returns
    -------
    met : list of StoppingRule
        Rules that stop, in the same order.
    memory : list
        New memory of each rule.
    """
    met, now = [], []
    for rule, before in zip(rules, memory or [None] * len(rules), strict=True):
        answer = rule.judge(progress, before)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise TypeError(
                f"{type(rule).__name__}.judge must return whether to stop and what to "
                f"remember, got {answer!r}."
            )
        met += [rule] if answer[0] else []
        now.append(answer[1])
    return met, now


class Remembered(NamedTuple):
    """Memory of a learner's rules, and the models that they may ask for.

    Attributes
    ----------
    rules : tuple of StoppingRule
        In the order of the user.
    memory : tuple of object
        Memory of each rule.
    models : dict of int to classifier
        Models at hand, by their numbers of labels.
    has_stopped : bool
        True if a rule was met when they were asked last.
    """

    rules: tuple[Any, ...] = ()
    memory: tuple[Any, ...] = ()
    models: Mapping[int, Any] = {}
    has_stopped: bool = False

    def of(self, rules):
        """Return the memory of each of these rules, None for a new rule."""
        return [
            next((now for own, now in zip(*self[:2], strict=True) if own == rule), None)
            for rule in rules
        ]

    def to_json(self):
        """Return the memory of each rule, if JSON gives it back as it is."""
        out = []
        for rule, memory in zip(self.rules, self.memory, strict=True):
            kept = None
            with suppress(TypeError, ValueError):
                kept = json.loads(json.dumps(memory, allow_nan=False))
            # a key that is no text would come back as a text, a tuple as a list
            if (kept is None and memory is not None) or kept != memory:
                raise TypeError(
                    f"JSON cannot hold the memory of the stopping rule "
                    f"{rule_name(rule)}: {memory!r}."
                )
            out.append(kept)
        return out


def numbers_in(memory):
    """Yield the whole numbers in the memory of a rule."""
    if isinstance(memory, int):
        yield memory
    elif isinstance(memory, dict | list | tuple):
        for item in memory.values() if isinstance(memory, dict) else memory:
            yield from numbers_in(item)


def rules_that_draw(stopping):
    """Return the rules that may ask for random rows."""
    return [rule for rule in find_rules(stopping) if rule.draws]


class Judgement(NamedTuple):
    """Answer of the stopping rules of a learner.

    Attributes
    ----------
    reason : str or None
        Name of the first rule that is met; None if no rule is met.
    n_random : int
        Number of random rows that the rules ask for next.
    memory : Remembered
        Memory of the rules, and the models that they may ask for.
    """

    reason: str | None
    n_random: int
    memory: Remembered


def judge(rules, progress, before):
    """Ask the stopping rules of a learner whether to stop.

    Parameters
    ----------
    rules : list of StoppingRule
        In the order of the user.
    progress : Progress
        State of the learner; ``progress.earlier`` trains a model.
    before : Remembered
        What the rules remember of the last query.
    """
    models = {**before.models, len(progress.labels): progress.model}

    def earlier(n_labels):
        if n_labels not in models:
            models[n_labels] = progress.earlier(n_labels)
        return models[n_labels]

    # copied, since a rule may write into it, and the query may fail
    memory = deepcopy(before.of(rules))
    met, memory = judge_all(rules, progress._replace(earlier=earlier), memory)
    kept = models.keys() & {*numbers_in(memory)}
    models = {n: models[n] for n in sorted(kept)}
    remembered = Remembered(tuple(rules), tuple(memory), models, bool(met))
    if met:
        return Judgement(rule_name(met[0]), 0, remembered)
    return Judgement(None, most_random(rules, memory), remembered)


def most_random(rules, memory):
    """Return the number of random rows that rules ask for next."""
    wanted = (rule.n_random(own) for rule, own in zip(rules, memory, strict=True))
    return max(wanted, default=0)


@dataclass(frozen=True)
class AllOf(StoppingRule):
    """Stop when all of several rules are met after the same purchase.

    A list of rules stops the learner with the first rule that is met. `AllOf` waits for
    all of them, so that a rule which stops too early can be delayed by another rule.

    Parameters
    ----------
    rules : list of str or stopping rule
        Two rules or more, by name or as objects.

    Raises
    ------
    TypeError or ValueError
        From the learner, for fewer than two rules, or for an object that is no rule.

    References
    ----------
    .. [1] J. Zhu, H. Wang, E. Hovy, "Multi-Criteria-Based Strategy to Stop Active
       Learning for Data Annotation", COLING 2008 (criteria that hold one another back).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import AllOf, NoNewClass
    >>> X, y = load_digits(return_X_y=True)
    >>> rule = AllOf([NoNewClass(40), "stable_predictions"])
    >>> learner = MinMarginClassifier(
    ...     batch_size=10, stopping=rule, budget=None, random_state=0
    ... )
    >>> print(learner.fit(X / 16, y).n_queries_, "labels of", len(y))
    200 labels of 1797
    """

    rules: Sequence[str | StoppingRule]

    def __post_init__(self):
        if isinstance(self.rules, list):  # rules must be hashable
            object.__setattr__(self, "rules", tuple(self.rules))

    @property
    def needs(self) -> tuple[str, ...]:
        """Methods that at least one of the rules needs."""
        return tuple(dict.fromkeys(m for rule in self._found for m in rule.needs))

    def check(self) -> None:
        """Raise an error if there are fewer than two rules."""
        if not isinstance(self.rules, tuple) or len(self._found) < 2:
            raise ValueError(f"rules must be two stopping rules or more, got {self}.")

    def check_model(self, model: Any) -> None:
        """Raise an error if one of the rules cannot judge a model."""
        check_rule_models(self.rules, [model])

    def check_classes(self, classes: Sequence[Label]) -> None:
        """Raise an error if one of the rules cannot judge these classes."""
        check_rule_classes(self.rules, classes)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        met, memory = judge_all(self._found, progress, memory)
        return len(met) == len(self._found), memory

    @property
    def draws(self) -> bool:
        """True if at least one of the rules may ask for random rows."""
        return bool(rules_that_draw(self.rules))

    def n_random(self, memory: Any) -> int:
        """Return the largest number of random rows that a rule asks for."""
        return most_random(self._found, memory) if memory else 0

    @property
    def _found(self):
        return find_rules(self.rules)
