"""A margin loss: what `MarginLossClassifier(loss=LogisticLoss())` learns with."""

import numpy as np
from scipy.special import expit

from sklearn_activelearn.losses import MarginLoss


class LogisticLoss(MarginLoss):
    """width * log(1 + exp(-z / width))."""

    convex = True

    def __init__(self, width=1.0):
        self.width = width

    def value(self, z):
        return self.width * np.logaddexp(0, -z / self.width)

    def derivative(self, z):
        return -expit(-z / self.width)
