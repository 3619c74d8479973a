"""What a rule gets, how it is found by name, and how several are judged."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from ..._statistics import Reads
from ..._typing import Bools, Floats, HasJudge, Ints, Label, Labels
from ..._validation import check_has, check_number
from ...sources._containers import as_numbers, n_rows, restrict_rows
from .._ledger import PENDING, SKIPPED, Ledger
from .._selection import EXPLORED, map_blocks

#: What a label is for that was drawn to test whether all relevant rows are found.
AUDIT = "audit"


class AskedRows(NamedTuple):
    """The rows of a pool that were asked for or taught, in order.

    Attributes
    ----------
    rows : ndarray of int64
        Their numbers in the pool.
    places : ndarray of int64
        Positions among the labelled rows; -1 for rows that are out, -2 for skipped
        ones.
    probabilities : ndarray of float64
        With which they were bought.
    purposes : ndarray of str
        What they were bought for.
    n_rows : int
        How many rows there are: these, and those that may be bought.
    """

    rows: Ints
    places: Ints
    probabilities: Floats
    purposes: Labels
    n_rows: int

    @classmethod
    def of(cls, ledger: Ledger, n_left: int) -> "AskedRows":
        """Return those of a ledger, with so many rows left."""
        (kept,) = np.nonzero(ledger.found >= 0)
        columns = ledger.found, ledger.positions, ledger.probabilities, ledger.purposes
        return cls(*(column[kept] for column in columns), n_left + len(kept))

    @property
    def drawn(self) -> Bools:
        """Whether each was drawn at random from all rows that were left."""
        drawn = np.zeros(len(self.rows), dtype=bool)
        is_new = self.probabilities[1:] != self.probabilities[:-1]
        for part in np.split(np.arange(len(drawn)), np.flatnonzero(is_new) + 1):
            if len(part) and self.probabilities[part[0]] < 1:
                n_left = self.n_rows - part[0]
                share = self.probabilities[part[0]]
                drawn[part] = np.isclose(share * n_left, len(part), rtol=1e-9)
        return drawn

    def explored(self, shares: Iterable[float]) -> list[tuple[int, Ints]]:
        """Return where purchases began, and which of their rows were explored.

        The explored rows of a purchase have one probability, share * n / U, of n rows
        from U. Its beginning is where n is a whole number and they have places of it.
        Where there are several, as may be if n is larger than share * U, the rows are
        left out. Where there is none, the purchase was made from some of the rows only;
        others from these may have one by chance, and all before it are left out.

        Parameters
        ----------
        shares : iterable of float
            Which shares of a purchase may have been explored.
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
        """Return the rows that have labels.

        Rows that were skipped are left out, as if they were not in the pool; rows that
        are out are unread. Those drawn after the first one that is out do not count as
        drawn before its label comes: whether labels come soon may depend on them.

        Parameters
        ----------
        is_relevant : ndarray of bool of shape (n_labelled,)
            In the order in which they were taught.
        only : str, optional
            Of the rows that were drawn, those for this purpose count as such.
        shares : iterable of float, default=()
            Those of `explored`, whose rows were drawn before the others of a purchase
            were chosen, and come before these.
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


class NotNumbers(ValueError):
    """Some rows are no finite numbers."""


def relevance_probabilities(
    model: Any,
    rows: Any,
    is_relevant: Bools,
    answers: Callable[[Callable[[Any], Floats]], Floats],
) -> Floats:
    """Return for each of some rows the probability that it is relevant.

    Numbers are judged by a logistic regression on rows of length 1, that is hardly
    regularised: of the ways that were tried its sum over unread texts came closest to
    the number of relevant ones. Of other rows, the scores of the model in a
    cross-validation are turned into probabilities.

    Parameters
    ----------
    model : classifier
        The learner's.
    rows : array-like
        Labelled ones, with at least one relevant and one other.
    is_relevant : ndarray of bool of shape (n_labelled,)
        Which of these are.
    answers : callable
        Returns what a function of rows answers for those that are to be judged, as
        `Progress.of_left`.
    """
    logistic = LogisticRegression(C=100, solver="liblinear", random_state=0)
    with suppress(NotNumbers):
        judge = make_pipeline(Normalizer(), logistic)
        judge.fit(finite_numbers(rows), is_relevant)
        return answers(partial(positive_share, judge, finite_numbers))
    n_rarer = min(np.count_nonzero(is_relevant), np.count_nonzero(~is_relevant))
    if n_rarer < 2:
        return answers(lambda X: np.full(n_rows(X), np.mean(is_relevant)))
    method = "decision_function"
    if not hasattr(model, method):
        method = "predict_proba"
    folds = StratifiedKFold(min(5, int(n_rarer)), shuffle=True, random_state=0)
    scores = cross_val_predict(clone(model), rows, is_relevant, cv=folds, method=method)
    judge = logistic.fit(last_column(scores), is_relevant)
    score = getattr(clone(model).fit(rows, is_relevant), method)
    return answers(partial(positive_share, judge, lambda X: last_column(score(X))))


def positive_share(judge, features, X):
    """Return the probabilities of the second class, by features of rows."""
    return judge.predict_proba(features(X))[:, 1]


def last_column(scores):
    """Return scores for the last class as a column."""
    return scores.reshape(len(scores), -1)[:, -1:]


def finite_numbers(X):
    """Return rows as finite numbers, dense or sparse."""
    numbers = as_numbers(X)
    values = numbers.data if hasattr(numbers, "indptr") else numbers
    if values is None or not np.isfinite(values).all():
        raise NotNumbers("A row is no finite numbers.")
    return numbers


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
        X, within = restrict_rows(self.X, self.left)
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
    labelled = learner._ledger.labelled
    labels = learner.classes_[labelled.codes]
    left = np.asarray(sample.rows)
    # old pickles have a dict, of models
    before = learner._stopping_memory
    before = before if isinstance(before, Remembered) else Remembered()
    models = {**before.models, len(labelled): learner.estimator_}

    def earlier(n_labels):
        if n_labels not in models:
            part = learner._with_first_labels(n_labels)
            part._train()
            models[n_labels] = part.estimator_
        return models[n_labels]

    asked = AskedRows.of(learner._ledger, n_left)
    now = learner.estimator_, sample.X, left, labelled.rows, labels
    progress = Progress(*now, earlier, asked, learner.positive)
    met, memory = judged(rules, progress, before.of(rules))
    kept = models.keys() & {*numbers_in(memory)}
    learner._stopping_memory = Remembered(
        tuple(rules), tuple(memory), {n: models[n] for n in sorted(kept)}
    )
    learner._has_stopped = bool(met)
    return rule_name(met[0]) if met else ended


@dataclass(frozen=True)
class AllOf(StoppingRule):
    """Stop when all of several rules are met at the same time.

    A list of rules ends it with the first one that is met; this one asks for all of
    them after the same purchase. So a rule that stops too early can be held back by
    another one that judges something else.

    Parameters
    ----------
    rules : list of str or stopping rule
        Two rules or more, by name or as objects.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for fewer rules or what is none.

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

    rules: Sequence[str | HasJudge]

    def __post_init__(self):
        if isinstance(self.rules, list):  # rules are looked up by their values
            object.__setattr__(self, "rules", tuple(self.rules))

    @property
    def needs(self) -> tuple[str, ...]:
        """The methods that any of the rules needs."""
        return tuple(dict.fromkeys(m for rule in self._found for m in rule.needs))

    def check(self) -> None:
        """Raise if there are not two rules or more."""
        if not isinstance(self.rules, tuple) or len(self._found) < 2:
            raise ValueError(f"rules must be two stopping rules or more, got {self}.")

    def check_model(self, model: Any) -> None:
        """Raise if one of the rules cannot judge a model."""
        check_rule_models(self.rules, [model])

    def check_classes(
        self, classes: Sequence[Label], positive: Label | None = None
    ) -> None:
        """Raise if one of the rules cannot judge a search with these classes."""
        check_rule_classes(self.rules, classes, positive)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        met, memory = judged(self._found, progress, memory)
        return len(met) == len(self._found), memory

    @property
    def draws(self) -> bool:
        """Whether any of the rules may want random rows."""
        return bool(rules_that_draw(self.rules))

    def n_random(self, memory: Any) -> int:
        """Return how many random rows any of the rules wants."""
        rules = zip(self._found, memory or (), strict=False)
        drawing = rules_that_draw(self.rules)
        wanted = (rule.n_random(own) for rule, own in rules if rule in drawing)
        return max(wanted, default=0)

    @property
    def _found(self):
        return find_rules(self.rules)
