# the public classes of a compiled module, which has no annotations; a test compares
# them
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..losses import MarginLoss
from ._python_rules import Clock

class QueryRule:
    delays: bool
    falls: bool
    group: int
    ignores_margin: bool
    is_threshold: bool
    seeds: bool
    uses_norm: bool
    @property
    def is_python(self) -> bool: ...
    @property
    def is_external(self) -> bool: ...
    def __init__(self) -> None: ...
    def initial_memory(self, n_dims: int) -> Sequence[float]: ...
    def probability(
        self, margin: float, norm: float, clock: Clock, memory: NDArray[np.float64]
    ) -> float: ...
    def observe(
        self, margin: float, norm: float, clock: Clock, memory: NDArray[np.float64]
    ) -> None: ...
    def learned(
        self, mistake: bool, clock: Clock, memory: NDArray[np.float64]
    ) -> None: ...

class UpdateRule:
    scale_free: bool
    seeds: bool
    uses_norm: bool
    @property
    def is_python(self) -> bool: ...
    def __init__(self) -> None: ...
    def step(
        self, z: float, squared_norm: float, probability: float, clock: Clock
    ) -> float: ...

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
