"""One-pass learners: query rule × update rule × state."""

from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier, rank_probability
from ._margin_loss import MarginLossClassifier
from ._random import RandomSamplingClassifier
from ._search import OnePassSearchCV
from .second_order import (
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

__all__ = [
    "CBGZClassifier",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "OnePassSearchCV",
    "RLSSamplingClassifier",
    "RandomSamplingClassifier",
    "SOLEClassifier",
    "SecondOrderPerceptronClassifier",
    "rank_probability",
]
