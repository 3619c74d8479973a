"""Stream learners: a query rule, an update rule and a linear model in one pass."""

from ._base import StreamClassifier
from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier
from ._margin_loss import MarginLossClassifier
from ._python_rules import Clock
from ._random import RandomSamplingClassifier
from ._rules import (
    ConstantRule,
    InverseMarginRule,
    LossUpdate,
    PerceptronUpdate,
    QueryRule,
    UpdateRule,
)
from ._search import OnePassSearchCV
from .second_order import (
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

__all__ = [
    "CBGZClassifier",
    "Clock",
    "ConstantRule",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "InverseMarginRule",
    "LossUpdate",
    "MarginLossClassifier",
    "OnePassSearchCV",
    "PerceptronUpdate",
    "QueryRule",
    "RLSSamplingClassifier",
    "RandomSamplingClassifier",
    "SOLEClassifier",
    "SecondOrderPerceptronClassifier",
    "StreamClassifier",
    "UpdateRule",
]
