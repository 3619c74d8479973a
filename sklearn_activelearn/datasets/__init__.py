"""Synthetic problems that show what a learner does."""

from ._outliers import make_outlier_line

__all__ = ["make_outlier_line"]
