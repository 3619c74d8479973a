"""When to stop asking: small rules, used by every pool learner.

A rule holds parameters only, and is a `StoppingRule`: it gets where the learner stands,
a `Progress`, and what it remembered at the last query; it answers whether to stop and
what to remember.
"""

from ._combined import AllOf
from ._labels import NoError, NoNewClass
from ._models import ClassificationChange, StablePredictions
from ._price import LabelPrice
from ._recall import RecallTarget
from ._registry import Progress, StoppingRule
from ._scores import MarginExhausted, OverallUncertainty

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
