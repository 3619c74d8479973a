"""One-pass learners: query rule × update rule × state."""

from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier, rank_probability
from ._margin_loss import MarginLossClassifier
from ._random import RandomSamplingClassifier
from ._rls import RLSSamplingClassifier
from ._second_order_perceptron import SecondOrderPerceptronClassifier
from ._sole import SOLEClassifier

__all__ = [
    "CBGZClassifier",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "RLSSamplingClassifier",
    "RandomSamplingClassifier",
    "SOLEClassifier",
    "SecondOrderPerceptronClassifier",
    "rank_probability",
]
