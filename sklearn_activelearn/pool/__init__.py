"""Pool learners: loops around a scikit-learn classifier, and when to stop them."""

from ._committee import QueryByCommitteeClassifier
from ._label_propagation import ActiveLabelPropagationClassifier
from ._margin import MinMarginClassifier
from ._passive import PassiveClassifier
from ._stopping import MarginExhausted, StablePredictions
from ._uncertainty import UncertaintySamplingClassifier

__all__ = [
    "ActiveLabelPropagationClassifier",
    "MarginExhausted",
    "MinMarginClassifier",
    "PassiveClassifier",
    "QueryByCommitteeClassifier",
    "StablePredictions",
    "UncertaintySamplingClassifier",
]
