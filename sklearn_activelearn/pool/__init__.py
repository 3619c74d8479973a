"""Pool learners: loops around a scikit-learn classifier, and when to stop them."""

from ._alms import ALMSClassifier
from ._assl_boost import ASSLBoostClassifier, SSMarginBoostClassifier
from ._committee import QueryByCommitteeClassifier
from ._fassl_boost import FASSLBoostClassifier
from ._label_propagation import ActiveLabelPropagationClassifier
from ._margin import MinMarginClassifier
from ._passive import PassiveClassifier
from ._query_by_boosting import COMBClassifier, QueryByBoostingClassifier
from ._stopping import MarginExhausted, StablePredictions
from ._uncertainty import UncertaintySamplingClassifier

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
    "UncertaintySamplingClassifier",
]
