"""Active learning for scikit-learn: learners that choose which labels to pay for."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .utils._version import __version__ as __version__

if find_spec(".kernels._rows", __name__) is None:
    raise ImportError(
        "sklearn_activelearn is not compiled here. Build it with "
        "`pip install -e .` from the source tree, or leave the source tree to use "
        "the installed package."
    )

if TYPE_CHECKING:  # imported on demand: the command line must not wait for all of it
    from .audit import ErrorSamplingClassifier
    from .batch import (
        BatchMarginLossClassifier,
        BlendClassifier,
        DecisionStumpClassifier,
        RankAverageClassifier,
    )
    from .pool import (
        ActiveLabelPropagationClassifier,
        ALMSClassifier,
        ASSLBoostClassifier,
        COMBClassifier,
        FASSLBoostClassifier,
        HybridSamplingClassifier,
        MinMarginClassifier,
        PassiveClassifier,
        QueryByBoostingClassifier,
        QueryByCommitteeClassifier,
        RelevanceSamplingClassifier,
        SSMarginBoostClassifier,
        UncertaintyHerdingClassifier,
        UncertaintySamplingClassifier,
    )
    from .stream import (
        CBGZClassifier,
        DKMClassifier,
        GreedyOnlineClassifier,
        MarginLossClassifier,
        OnePassSearchCV,
        RandomSamplingClassifier,
        RLSSamplingClassifier,
        SecondOrderPerceptronClassifier,
        SOLEClassifier,
    )

__all__ = [
    "ALMSClassifier",
    "ASSLBoostClassifier",
    "ActiveLabelPropagationClassifier",
    "BatchMarginLossClassifier",
    "BlendClassifier",
    "CBGZClassifier",
    "COMBClassifier",
    "DKMClassifier",
    "DecisionStumpClassifier",
    "ErrorSamplingClassifier",
    "FASSLBoostClassifier",
    "GreedyOnlineClassifier",
    "HybridSamplingClassifier",
    "MarginLossClassifier",
    "MinMarginClassifier",
    "OnePassSearchCV",
    "PassiveClassifier",
    "QueryByBoostingClassifier",
    "QueryByCommitteeClassifier",
    "RLSSamplingClassifier",
    "RandomSamplingClassifier",
    "RankAverageClassifier",
    "RelevanceSamplingClassifier",
    "SOLEClassifier",
    "SSMarginBoostClassifier",
    "SecondOrderPerceptronClassifier",
    "UncertaintyHerdingClassifier",
    "UncertaintySamplingClassifier",
]

_MODULES = (
    "audit",
    "batch",
    "datasets",
    "evaluation",
    "exceptions",
    "labeling",
    "losses",
    "pool",
    "preprocessing",
    "sources",
    "stream",
    "testing",
)


if not TYPE_CHECKING:  # a type checker would take it that there is any name

    def __getattr__(name):
        """Import a public name, or a module of them, when it is first asked for."""
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name in __all__:
            for home in (
                "stream",
                "batch",
                "pool",
                "audit",
            ):  # the quickest to import first
                module = import_module(f".{home}", __name__)
                if name in module.__all__:
                    return globals().setdefault(name, getattr(module, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *__all__, *_MODULES])
