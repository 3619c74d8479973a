"""What is fitted on labelled rows: margin losses in batch, and the decision stump."""

from ._margin_loss import BatchMarginLossClassifier
from ._stump import DecisionStumpClassifier

__all__ = ["BatchMarginLossClassifier", "DecisionStumpClassifier"]
