"""Pool learners: loops around a scikit-learn classifier, and when to stop them."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported on demand: few need all of it, and it takes a while
    from .._requests import Purchase
    from ._base import PoolClassifier
    from ._committee import QueryByCommitteeClassifier
    from ._hybrid import HybridSamplingClassifier
    from ._margin import MinMarginClassifier
    from ._passive import PassiveClassifier
    from ._rank_average import RankAverageClassifier
    from ._relevance import RelevanceSamplingClassifier
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
        ClassificationChange,
        LabelPrice,
        MarginExhausted,
        NoError,
        NoNewClass,
        OverallUncertainty,
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
    "ClassificationChange",
    "FASSLBoostClassifier",
    "HybridSamplingClassifier",
    "Known",
    "LabelPrice",
    "MarginExhausted",
    "MinMarginClassifier",
    "NoError",
    "NoNewClass",
    "OneModel",
    "OverallUncertainty",
    "PassiveClassifier",
    "PoolClassifier",
    "Progress",
    "Purchase",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "RankAverageClassifier",
    "RecallTarget",
    "RelevanceSamplingClassifier",
    "SSMarginBoostClassifier",
    "StablePredictions",
    "StoppingRule",
    "Trained",
    "Trainer",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]

#: Where the public names are.
_HOMES = {
    ".._requests": ("Purchase",),
    "._base": ("PoolClassifier",),
    "._committee": ("QueryByCommitteeClassifier",),
    "._hybrid": ("HybridSamplingClassifier",),
    "._margin": ("MinMarginClassifier",),
    "._passive": ("PassiveClassifier",),
    "._rank_average": ("RankAverageClassifier",),
    "._relevance": ("RelevanceSamplingClassifier",),
    "._training": ("Known", "OneModel", "Trained", "Trainer"),
    "._uncertainty": ("UncertaintySamplingClassifier",),
    "._uncertainty_herding": ("UncertaintyHerdingClassifier",),
    ".alms": ("ALMSClassifier",),
    ".boosting": (
        "ASSLBoostClassifier",
        "COMBClassifier",
        "FASSLBoostClassifier",
        "QueryByBoostingClassifier",
        "SSMarginBoostClassifier",
    ),
    ".graph": ("ActiveLabelPropagationClassifier",),
    ".stopping": (
        "AllOf",
        "ClassificationChange",
        "LabelPrice",
        "MarginExhausted",
        "NoError",
        "NoNewClass",
        "OverallUncertainty",
        "Progress",
        "RecallTarget",
        "StablePredictions",
        "StoppingRule",
    ),
}


if not TYPE_CHECKING:  # a type checker would take it that there is any name

    def __getattr__(name):
        """Import a public name when it is first asked for."""
        for home, names in _HOMES.items():
            if name in names:
                module = import_module(home, __name__)
                return globals().setdefault(name, getattr(module, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
