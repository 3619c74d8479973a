"""Synthetic problems that show what a learner does."""

from ._generators import make_low_noise, make_outlier_line, make_twonorm

__all__ = ["make_low_noise", "make_outlier_line", "make_twonorm"]
