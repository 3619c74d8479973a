"""Pool learners around a scikit-learn classifier, their trainers and stopping rules."""

from ..base._requests import Purchase
from ._base import PoolClassifier
from ._hybrid import HybridSamplingClassifier
from ._margin import MinMarginClassifier
from ._passive import PassiveClassifier
from ._query_by_committee import QueryByCommitteeClassifier
from ._relevance import RelevanceSamplingClassifier
from ._rule import Round, Rule
from ._training import Known, OneModel, Trained, Trainer
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
    CheckedSample,
    ClassificationChange,
    ErrorTarget,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    Progress,
    RecallTarget,
    StablePredictions,
    StoppingRule,
)

__all__ = [
    "ALMSClassifier",
    "ASSLBoostClassifier",
    "ActiveLabelPropagationClassifier",
    "AllOf",
    "COMBClassifier",
    "CheckedSample",
    "ClassificationChange",
    "ErrorTarget",
    "FASSLBoostClassifier",
    "HybridSamplingClassifier",
    "Known",
    "LabelPrice",
    "MarginExhausted",
    "MinMarginClassifier",
    "NoError",
    "NoNewClass",
    "OneModel",
    "PassiveClassifier",
    "PoolClassifier",
    "Progress",
    "Purchase",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "RecallTarget",
    "RelevanceSamplingClassifier",
    "Round",
    "Rule",
    "SSMarginBoostClassifier",
    "StablePredictions",
    "StoppingRule",
    "Trained",
    "Trainer",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]
