"""The laws that every learner keeps, for learners of this package and of your own."""

from ._check import check_learner

__all__ = ["check_learner"]
