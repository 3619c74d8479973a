"""A pool learner: the row with the highest Tsallis entropy."""

from sklearn_activelearn.pool import PoolClassifier, Rule


class TsallisRule(Rule):
    """The rows whose class probabilities have the highest Tsallis entropy."""

    needs = "predict_proba"

    def __init__(self, power):
        self.power = power

    def utility(self, model, X):
        return 1 - (model.predict_proba(X) ** self.power).sum(axis=1)


class TsallisSamplingClassifier(PoolClassifier):
    """Buys the row whose class probabilities have the highest Tsallis entropy."""

    def __init__(
        self, estimator=None, *, power=2.0, batch_size=1, budget=100, random_state=None
    ):
        super().__init__(
            estimator, batch_size=batch_size, budget=budget, random_state=random_state
        )
        self.power = power

    def make_rule(self):
        return TsallisRule(self.power)
