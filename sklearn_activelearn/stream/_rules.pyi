# of a compiled module the public classes; a test holds it to this
from numpy.typing import ArrayLike

from ._python_rules import Clock
from ._rule_base import QueryRule

class ConstantRule(QueryRule):
    def __init__(self, rate: float) -> None: ...
    def probability(
        self, margin: float, norm: float, clock: Clock | None, memory: ArrayLike
    ) -> float: ...

class InverseMarginRule(QueryRule):
    def __init__(self, b: float) -> None: ...
    def probability(
        self, margin: float, norm: float, clock: Clock | None, memory: ArrayLike
    ) -> float: ...
