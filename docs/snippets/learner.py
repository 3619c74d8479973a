"""Buy with probability b² / (b² + margin²)."""

from ..base._parameters import check_number
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import InverseSquareRule


class InverseSquareClassifier(StreamClassifier):
    """Selective sampler that buys few labels beyond the margin b.

    Parameters
    ----------
    b : float > 0, default=0.1
        Eagerness: margin at which every second label is bought.
    """

    def __init__(
        self,
        b=0.1,
        *,
        update="perceptron",
        eta0=1.0,
        average=True,
        fit_intercept=True,
        normalize=True,
        class_weight=None,
        budget=None,
        patience=None,
        shuffle=True,
        random_state=None,
    ):
        self.b = b
        self.update = update
        self.eta0 = eta0
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def _make_rules(self):
        rule = InverseSquareRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    _passive_baseline = perceptron_baseline
