"""Several rules as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._typing import HasJudge, Label
from ._registry import (
    Progress,
    StoppingRule,
    check_rule_classes,
    check_rule_models,
    find_rules,
    judged,
    rules_that_draw,
)


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
