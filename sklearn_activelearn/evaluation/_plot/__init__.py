"""Pictures of curves, purchases and losses; matplotlib is imported to draw them."""

from .cost_curve import CostCurveDisplay
from .label_curve import LabelCurveDisplay
from .labels_to_target import LabelsToTargetDisplay
from .loss import LossDisplay
from .query import QueryDisplay
from .recall_curve import RecallCurveDisplay
from .selection import AllocationDisplay, ModelProbabilityDisplay

__all__ = [
    "AllocationDisplay",
    "CostCurveDisplay",
    "LabelCurveDisplay",
    "LabelsToTargetDisplay",
    "LossDisplay",
    "ModelProbabilityDisplay",
    "QueryDisplay",
    "RecallCurveDisplay",
]
