"""Active learning with model selection: allocation, value of information, models."""

from ._alms import ALMSClassifier

__all__ = ["ALMSClassifier"]
