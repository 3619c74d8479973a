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
from ._compare import compare
from ._compare_recall import compare_recall
from ._comparison import Comparison
from ._curves import LabelCurve
from ._displays import (
    LabelCurveDisplay,
    RecallCurveDisplay,
)
from ._doubtful import doubtful_labels
from ._estimates import explored_score, online_score
from ._label_curve import (
    ExperimentInterrupted,
    label_curve,
    tune_labels_to_target,
)
from ._measures import make_priced_scorer, n_queries_scorer

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
