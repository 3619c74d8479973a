"""Classifiers that are fitted on labelled rows, without queries."""

from ._blend import BlendClassifier
from ._margin_loss import BatchMarginLossClassifier
from ._rank_average import RankAverageClassifier
from ._stump import DecisionStumpClassifier

__all__ = [
    "BatchMarginLossClassifier",
    "BlendClassifier",
    "DecisionStumpClassifier",
    "RankAverageClassifier",
]
