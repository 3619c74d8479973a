"""One-pass learners: query rule × update rule × linear state."""

try:
    from . import _pass  # noqa: F401
except ImportError as error:
    raise ImportError(
        "sklearn_activelearn is not compiled here. Build it with "
        "`pip install -e .` from the source tree, or leave the source tree to use "
        "the installed package."
    ) from error

from ._cbgz import CBGZClassifier
from ._dkm import DKMClassifier
from ._greedy import GreedyOnlineClassifier, rank_probability
from ._margin_loss import MarginLossClassifier
from ._random import RandomSamplingClassifier

__all__ = [
    "CBGZClassifier",
    "DKMClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "RandomSamplingClassifier",
    "rank_probability",
]
