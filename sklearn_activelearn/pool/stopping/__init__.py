"""When to stop asking: small rules, used by every pool learner.

A rule holds parameters only, and is a `StoppingRule`: it gets where the learner stands,
a `Progress`, and what it remembered at the last query; it answers whether to stop and
what to remember.
"""

from ._base import AllOf, Progress, StoppingRule
from ._recall import RecallTarget
from ._rules import (
    ClassificationChange,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    OverallUncertainty,
    StablePredictions,
)

__all__ = [
    "AllOf",
    "ClassificationChange",
    "LabelPrice",
    "MarginExhausted",
    "NoError",
    "NoNewClass",
    "OverallUncertainty",
    "Progress",
    "RecallTarget",
    "StablePredictions",
    "StoppingRule",
]
