"""One-pass learners: query rule × update rule × state."""

from ._base import StreamClassifier
from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier, rank_probability
from ._margin_loss import MarginLossClassifier
from ._python_rules import Clock
from ._random import RandomSamplingClassifier
from ._rule_base import QueryRule, UpdateRule
from ._rules import ConstantRule, InverseMarginRule
from ._search import OnePassSearchCV
from ._updates import LossUpdate, PerceptronUpdate
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
    "rank_probability",
]
