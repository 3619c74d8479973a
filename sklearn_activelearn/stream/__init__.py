"""One-pass learners: query rule × update rule × linear state."""

from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier, rank_probability
from ._margin_loss import MarginLossClassifier
from ._random import RandomSamplingClassifier

__all__ = [
    "CBGZClassifier",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "RandomSamplingClassifier",
    "rank_probability",
]
