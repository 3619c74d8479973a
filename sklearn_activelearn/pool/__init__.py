"""Pool learners: loops around a scikit-learn classifier, and when to stop them."""

from ._committee import QueryByCommitteeClassifier
from ._margin import MinMarginClassifier
from ._passive import PassiveClassifier
from ._stopping import MarginExhausted, StablePredictions
from ._uncertainty import UncertaintySamplingClassifier
from ._uncertainty_herding import UncertaintyHerdingClassifier
from .alms import ALMSClassifier
from .boosting import (
    ASSLBoostClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    QueryByBoostingClassifier,
    SSMarginBoostClassifier,
)
from .graph import ActiveLabelPropagationClassifier

__all__ = [
    "ALMSClassifier",
    "ASSLBoostClassifier",
    "ActiveLabelPropagationClassifier",
    "COMBClassifier",
    "FASSLBoostClassifier",
    "MarginExhausted",
    "MinMarginClassifier",
    "PassiveClassifier",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "SSMarginBoostClassifier",
    "StablePredictions",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]
