"""How many labels does a learner need? Curves, tests, scorers and pictures."""

from ._advice import LabelAdvice, advice
from ._comparison import LabelCurveComparison, compare_label_curves
from ._curves import LabelCurve, area_under_label_curve
from ._doubtful import DoubtfulLabels, doubtful_labels
from ._estimate import Estimate
from ._explored import explored_score
from ._hindsight import best_in_hindsight
from ._online import OnlineEstimate, online_score
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
from ._progress import ExperimentInterrupted
from ._recall import RecallEstimate, recall_estimate, recall_so_far
from ._recall_curve import RecallCurve, recall_curve
from ._recall_price import RecallPrice, recall_price
from ._runs import label_curve
from ._scorers import accuracy_per_label_scorer, make_priced_scorer, n_queries_scorer
from ._target import LabelsToTarget, Tuning, labels_to_target, tune_labels_to_target
from ._testing import ActiveTest

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
