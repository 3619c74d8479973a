"""A pool learner: the row with the highest Tsallis entropy."""

from sklearn_activelearn.pool import PoolClassifier


class TsallisSamplingClassifier(PoolClassifier):
    """Buys the row whose class probabilities have the highest Tsallis entropy."""

    _needs = "predict_proba"

    def __init__(
        self, estimator=None, *, power=2.0, batch_size=1, budget=100, random_state=None
    ):
        super().__init__(
            estimator, batch_size=batch_size, budget=budget, random_state=random_state
        )
        self.power = power

    def _utility(self, X):
        return 1 - (self.estimator_.predict_proba(X) ** self.power).sum(axis=1)
