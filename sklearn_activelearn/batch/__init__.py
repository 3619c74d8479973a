"""Classifiers that are fitted on labelled rows, without queries."""

from ..base._coded_classifiers import LabelwiseClassifier
from ._blend import BlendClassifier, LabelRegression
from ._forests import QuickExtraTrees, QuickForest
from ._margin_loss import BatchMarginLossClassifier
from ._rank_average import RankAverageClassifier
from ._stump import DecisionStumpClassifier

__all__ = [
    "BatchMarginLossClassifier",
    "BlendClassifier",
    "DecisionStumpClassifier",
    "RankAverageClassifier",
]

#: Parts of models. Files of models name them by this module.
LabelRegression.__module__ = LabelwiseClassifier.__module__ = __name__
QuickExtraTrees.__module__ = QuickForest.__module__ = __name__
