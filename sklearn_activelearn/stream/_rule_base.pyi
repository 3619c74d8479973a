# a compiled module has no annotations; a test holds it to this
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
