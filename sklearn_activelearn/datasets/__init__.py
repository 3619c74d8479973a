"""Synthetic problems that show what a learner does."""

from ._low_noise import make_low_noise
from ._outliers import make_outlier_line
from ._twonorm import make_twonorm

__all__ = ["make_low_noise", "make_outlier_line", "make_twonorm"]
