"""Stopping rules of the pool learners.

A rule is a `StoppingRule` and holds parameters only. It gets the state of the learner,
a `Progress`, and its memory of the last query, and returns whether to stop and its new
memory.
"""

from ._base import AllOf, CheckedSample, Progress, StoppingRule
from ._error_target import ErrorTarget
from ._recall_target import RecallTarget
from ._rules import (
    ClassificationChange,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    StablePredictions,
)

__all__ = [
    "AllOf",
    "CheckedSample",
    "ClassificationChange",
    "ErrorTarget",
    "LabelPrice",
    "MarginExhausted",
    "NoError",
    "NoNewClass",
    "Progress",
    "RecallTarget",
    "StablePredictions",
    "StoppingRule",
]
