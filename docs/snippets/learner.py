"""Ask with probability b² / (b² + margin²)."""

from .._validation import check_number
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import InverseSquareRule


class InverseSquareClassifier(StreamClassifier):
    """Selective sampler that hardly asks beyond the margin b.

    Parameters
    ----------
    b : float > 0, default=0.1
        Eagerness: the margin at which every second label is bought.
    """

    _search_grid = {"b": [0.03, 0.3]}

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
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            class_weight=class_weight,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b
        self.update = update
        self.eta0 = eta0

    def _make_rules(self):
        rule = InverseSquareRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    _passive_baseline = perceptron_baseline
