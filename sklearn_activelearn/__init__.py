"""Active learning for scikit-learn: learners that choose which labels to pay for."""

try:
    from . import _rows  # noqa: F401
except ImportError as error:
    raise ImportError(
        "sklearn_activelearn is not compiled here. Build it with "
        "`pip install -e .` from the source tree, or leave the source tree to use "
        "the installed package."
    ) from error

from .batch import BatchMarginLossClassifier, DecisionStumpClassifier
from .pool import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    ASSLBoostClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    SSMarginBoostClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from .stream import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

__version__ = "0.1.0"

__all__ = [
    "ALMSClassifier",
    "ASSLBoostClassifier",
    "ActiveLabelPropagationClassifier",
    "BatchMarginLossClassifier",
    "CBGZClassifier",
    "COMBClassifier",
    "DKMClassifier",
    "DecisionStumpClassifier",
    "FASSLBoostClassifier",
    "GreedyOnlineClassifier",
    "MarginLossClassifier",
    "MinMarginClassifier",
    "PassiveClassifier",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "RLSSamplingClassifier",
    "RandomSamplingClassifier",
    "SOLEClassifier",
    "SSMarginBoostClassifier",
    "SecondOrderPerceptronClassifier",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]
