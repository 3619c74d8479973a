"""Learners of one's own for sklearn-activelearn."""

from .loss import LogisticLoss
from .pool import TsallisSamplingClassifier
from .source import FolderSource
from .stopping import EnoughOfEachClass
from .stream import InverseSquareClassifier
from .trainer import RecentLabelsClassifier

__all__ = [
    "EnoughOfEachClass",
    "FolderSource",
    "InverseSquareClassifier",
    "LogisticLoss",
    "RecentLabelsClassifier",
    "TsallisSamplingClassifier",
]
