"""Certainty about a pool: recall, error rates, tests of a model, machine labels.

The recall functions and `ActiveTest` are imported from `evaluation`.
"""

from ._machine_labels import CheckedLabels, ErrorSamplingClassifier

__all__ = ["CheckedLabels", "ErrorSamplingClassifier"]
