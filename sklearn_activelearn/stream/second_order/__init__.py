"""Second-order learners: regularised least squares on the rows they store."""

from ._perceptron import SecondOrderPerceptronClassifier
from ._rls import RLSSamplingClassifier
from ._sole import SOLEClassifier

__all__ = [
    "RLSSamplingClassifier",
    "SOLEClassifier",
    "SecondOrderPerceptronClassifier",
]
