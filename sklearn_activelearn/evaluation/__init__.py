"""Evaluation of learners: labels saved, label curves, scores, recall and displays."""

from ..audit._active_test import ActiveTest
from ..audit._recall import (
    RecallCurve,
    RecallEstimate,
    RecallPrice,
    recall_curve,
    recall_estimate,
    recall_price,
    recall_so_far,
)
from ..utils._statistics import Estimate
from ._advice import advice
from ._comparison_result import Comparison
from ._comparison_run import compare
from ._curves import LabelCurve
from ._displays import (
    LabelCurveDisplay,
    RecallCurveDisplay,
)
from ._doubtful_labels import doubtful_labels
from ._experiments import (
    ExperimentInterrupted,
    label_curve,
    tune_labels_to_target,
)
from ._measures import make_priced_scorer, n_queries_scorer
from ._recall_comparison import compare_recall
from ._score_estimates import explored_score, online_score

__all__ = [
    "ActiveTest",
    "Comparison",
    "Estimate",
    "ExperimentInterrupted",
    "LabelCurve",
    "LabelCurveDisplay",
    "RecallCurve",
    "RecallCurveDisplay",
    "RecallEstimate",
    "RecallPrice",
    "advice",
    "compare",
    "compare_recall",
    "doubtful_labels",
    "explored_score",
    "label_curve",
    "make_priced_scorer",
    "n_queries_scorer",
    "online_score",
    "recall_curve",
    "recall_estimate",
    "recall_price",
    "recall_so_far",
    "tune_labels_to_target",
]
