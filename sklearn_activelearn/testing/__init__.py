"""Checks of the guarantees that every learner gives, for learners of any package."""

from ._guarantees import check_learner

__all__ = ["check_learner"]
