"""Active learning for scikit-learn: learners that choose which labels to pay for."""

from .stream import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
)

__version__ = "0.1.0.dev0"

__all__ = [
    "CBGZClassifier",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "RandomSamplingClassifier",
]
