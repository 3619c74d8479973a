"""Label propagation on a graph of the pool's rows."""

from ._label_propagation import ActiveLabelPropagationClassifier

__all__ = ["ActiveLabelPropagationClassifier"]
