"""A trainer, and a pool learner whose model it makes."""

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn.pool import PoolClassifier, Rule, Trained, Trainer


class RecentLabels(Trainer):
    """Trains on labels with weights that halve every so many labels."""

    def __init__(self, estimator, half_life):
        self.estimators, self.half_life = [estimator], half_life

    def train(self, known, before):
        age = np.arange(len(known.labels))[::-1]
        model = clone(known.prototypes[0])
        weight = 0.5 ** (age / self.half_life)
        return Trained(model.fit(known.labelled.rows, known.labels, weight))


class LeastConfident(Rule):
    """The rows whose most likely class is least likely."""

    needs = "predict_proba"

    def utility(self, model, X):
        return -model.predict_proba(X).max(axis=1)


class RecentLabelsClassifier(PoolClassifier):
    """Buys the row with the least certain class, and forgets old labels."""

    def __init__(self, half_life=20.0, *, budget=100, stopping=None, random_state=None):
        super().__init__(budget=budget, stopping=stopping, random_state=random_state)
        self.half_life = half_life

    def make_trainer(self):
        return RecentLabels(LogisticRegression(), self.half_life)

    def make_rule(self):
        return LeastConfident()
