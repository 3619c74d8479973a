"""How many labels does a learner need? Curves, tests, scorers and pictures."""

from .._statistics import Estimate
from ._active_test import ActiveTest
from ._advice import LabelAdvice, advice
from ._comparison import LabelCurveComparison, compare_label_curves
from ._doubtful import DoubtfulLabels, doubtful_labels
from ._estimates import OnlineEstimate, explored_score, online_score
from ._label_curve import (
    ExperimentInterrupted,
    LabelCurve,
    area_under_label_curve,
    label_curve,
)
from ._labels_to_target import (
    LabelsToTarget,
    Tuning,
    best_in_hindsight,
    labels_to_target,
    tune_labels_to_target,
)
from ._measures import accuracy_per_label_scorer, make_priced_scorer, n_queries_scorer
from ._plot import (
    AllocationDisplay,
    CostCurveDisplay,
    LabelCurveDisplay,
    LabelsToTargetDisplay,
    LossDisplay,
    ModelProbabilityDisplay,
    QueryDisplay,
    RecallCurveDisplay,
)
from ._recall import (
    RecallCurve,
    RecallEstimate,
    RecallPrice,
    recall_curve,
    recall_estimate,
    recall_price,
    recall_so_far,
)

__all__ = [
    "ActiveTest",
    "AllocationDisplay",
    "CostCurveDisplay",
    "DoubtfulLabels",
    "Estimate",
    "ExperimentInterrupted",
    "LabelAdvice",
    "LabelCurve",
    "LabelCurveComparison",
    "LabelCurveDisplay",
    "LabelsToTarget",
    "LabelsToTargetDisplay",
    "LossDisplay",
    "ModelProbabilityDisplay",
    "OnlineEstimate",
    "QueryDisplay",
    "RecallCurve",
    "RecallCurveDisplay",
    "RecallEstimate",
    "RecallPrice",
    "Tuning",
    "accuracy_per_label_scorer",
    "advice",
    "area_under_label_curve",
    "best_in_hindsight",
    "compare_label_curves",
    "doubtful_labels",
    "explored_score",
    "label_curve",
    "labels_to_target",
    "make_priced_scorer",
    "n_queries_scorer",
    "online_score",
    "recall_curve",
    "recall_estimate",
    "recall_price",
    "recall_so_far",
    "tune_labels_to_target",
]
