"""Pool learners: loops around a scikit-learn classifier, and when to stop them."""

from ._committee import QueryByCommitteeClassifier
from ._margin import MinMarginClassifier
from ._passive import PassiveClassifier
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
from .stopping import (
    AllOf,
    ClassificationChange,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    OverallUncertainty,
    StablePredictions,
)

__all__ = [
    "ALMSClassifier",
    "ASSLBoostClassifier",
    "ActiveLabelPropagationClassifier",
    "AllOf",
    "COMBClassifier",
    "ClassificationChange",
    "FASSLBoostClassifier",
    "LabelPrice",
    "MarginExhausted",
    "MinMarginClassifier",
    "NoError",
    "NoNewClass",
    "OverallUncertainty",
    "PassiveClassifier",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "SSMarginBoostClassifier",
    "StablePredictions",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]
