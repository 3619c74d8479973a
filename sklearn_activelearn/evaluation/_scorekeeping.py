"""Scores of a learner at label counts, several models at a time where it can."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .._rows import Rows
from .._validation import check_rows
from ..stream._base import StreamClassifier
from ..stream._linear import labels_of
from ..stream._products import Products
from ._curves import reaches

#: Models that are scored together.
TOGETHER = 16


class TargetReached(Exception):
    """Ends `learn` from within the oracle."""


class Scorekeeper:
    """Scores a learner at given numbers of labels.

    Parameters
    ----------
    learner : learner
        Whose scores are kept.
    scorer : Measures
        ``scorer(estimator, X, y)``.
    X, y : rows and labels
        Held out.
    until : float or None
        Raise `TargetReached` at the first error of at most this; of one measure.

    Attributes
    ----------
    points : dict
        Scores by label count, each an array of shape (n_measures,).
    """

    def __init__(self, learner, scorer, X, y, until):
        self.learner, self.scorer = learner, scorer
        self.X, self.y, self.until = X, y, until
        self.points = {}

    def score_at(self, n):
        """Score the learner, which has n labels."""
        self.keep(n, self.scorer(self.learner, self.X, self.y))

    def keep(self, n, score):
        """Note the scores."""
        self.points[n] = score
        if self.until is not None and self.is_there(score):
            raise TargetReached

    def is_there(self, scores):
        """Whether the error is at most the one to be reached."""
        return reaches(scores[0], self.until, self.scorer.best[0])

    def finish(self):
        """Score what has not been scored yet."""

    def end(self):
        """Return scores by label count, labels bought, and the last score."""
        learner = self.learner
        return self.points, learner.n_queries_, self.scorer(learner, self.X, self.y)


class LinearScorekeeper(Scorekeeper):
    """Looks at held-out rows once for several models of a learner with weights."""

    def __init__(self, *args):
        super().__init__(*args)
        self.models = []

    def score_at(self, n):
        """Keep the model of n labels."""
        learner = self.learner
        self.models.append((n, learner.coef_.copy(), learner.intercept_.copy()))
        if len(self.models) == TOGETHER:
            self.finish()

    def finish(self):
        """Score the models that are waiting."""
        models, self.models = self.models, []
        if not models:
            return
        X = check_rows(self.learner, self.X, reset=False, finite=True)
        n_each = len(models[0][2])
        products = Products(Rows(X), None, n_each * len(models))
        weights = products.zeros()
        for k, (_, coef, _) in enumerate(models):
            products.put(weights, k * n_each, coef)
        intercepts = np.concatenate([intercept for _, _, intercept in models])
        scores = products.scores(weights, intercepts, n_each, self.learner.normalize)
        for (n, _, _), table in zip(models, scores, strict=True):
            model = Scored(self.learner.classes_, table)
            self.keep(n, self.scorer(model, self.X, self.y))

    def end(self):
        """Return what the run was when it came to its end, or to the target."""
        last = max(self.points, default=None)
        if self.until is None or last is None:
            return super().end()
        if not self.is_there(self.points[last]):
            return super().end()
        return self.points, last, self.points[last]


class Scored(ClassifierMixin, BaseEstimator):
    """A model whose scores of the held-out rows are known."""

    def __init__(self, classes, scores):
        self.classes_, self.scores = classes, scores

    def decision_function(self, X):
        """Return the scores."""
        return self.scores

    def predict(self, X):
        """Return the most likely classes."""
        return labels_of(self.scores, self.classes_)


def scorekeeper(learner, scorer, X, y, until):
    """Return who keeps the scores of a learner."""
    is_linear = isinstance(learner, StreamClassifier) and learner._may_share_passes()
    together = is_linear and scorer.of_predictions
    keeper = LinearScorekeeper if together else Scorekeeper
    return keeper(learner, scorer, X, y, until)
