"""How many labels does a learner need? Label curves and labels to a target."""

from ._curves import LabelCurve, label_curve
from ._target import LabelsToTarget, Tuning, labels_to_target, tune_labels_to_target

__all__ = [
    "LabelCurve",
    "LabelsToTarget",
    "Tuning",
    "label_curve",
    "labels_to_target",
    "tune_labels_to_target",
]
