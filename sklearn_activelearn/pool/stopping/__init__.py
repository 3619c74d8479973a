"""When to stop asking: small rules, used by every pool learner.

A rule holds parameters only. ``judge(progress, memory)`` gets where the learner stands,
a `Progress`, and what the rule remembered at the last query (None at first); it answers
whether to stop and what to remember. ``needs`` names the methods that the model must
have, and ``check()`` raises if a parameter is out of its range. A model is never
changed after it was trained, so it may be remembered itself.
"""

from ._combined import AllOf
from ._labels import NoError, NoNewClass
from ._models import ClassificationChange, StablePredictions
from ._price import LabelPrice
from ._scores import MarginExhausted, OverallUncertainty

__all__ = [
    "AllOf",
    "ClassificationChange",
    "LabelPrice",
    "MarginExhausted",
    "NoError",
    "NoNewClass",
    "OverallUncertainty",
    "StablePredictions",
]
