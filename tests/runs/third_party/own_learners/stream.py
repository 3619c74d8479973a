"""A stream learner with a query rule and an update rule of its own."""

from numbers import Real

from sklearn.utils import check_scalar

from sklearn_activelearn.stream import QueryRule, StreamClassifier, UpdateRule


class InverseSquareRule(QueryRule):
    """Buy with probability b² / (b² + margin²)."""

    def __init__(self, b):
        self.b = b

    def probability(self, margin, norm, clock, memory):
        return self.b**2 / (self.b**2 + margin**2)


class PassiveAggressiveUpdate(UpdateRule):
    """The shortest step to a margin of 1."""

    uses_norm = True

    def step(self, z, squared_norm, probability, clock):
        return max(1 - z, 0) / squared_norm if squared_norm > 0 else 0.0


class InverseSquareClassifier(StreamClassifier):
    """Asks around the boundary, and hardly ever beyond the margin b."""

    def __init__(self, b=0.1, *, budget=None, shuffle=True, random_state=None):
        super().__init__(budget=budget, shuffle=shuffle, random_state=random_state)
        self.b = b

    def _make_rules(self):
        check_scalar(self.b, "b", Real, min_val=0, include_boundaries="neither")
        return InverseSquareRule(self.b), PassiveAggressiveUpdate()
