# of a compiled module the public classes; a test holds it to this
from ..losses import MarginLoss
from ._python_rules import Clock
from ._rule_base import UpdateRule

class PerceptronUpdate(UpdateRule):
    def __init__(self, eta0: float = 1.0) -> None: ...
    def step(
        self, z: float, squared_norm: float, probability: float, clock: Clock | None
    ) -> float: ...

class LossUpdate(UpdateRule):
    def __init__(
        self,
        loss: MarginLoss,
        eta0: float = 0.1,
        power_t: float = 0.0,
        n_warm_start: int = 0,
    ) -> None: ...
    def step(
        self, z: float, squared_norm: float, probability: float, clock: Clock | None
    ) -> float: ...
