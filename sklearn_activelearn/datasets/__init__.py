"""Synthetic problems that show what a learner does."""

from ._outliers import make_outlier_line
from ._twonorm import make_twonorm

__all__ = ["make_outlier_line", "make_twonorm"]
