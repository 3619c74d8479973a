"""First-order selective samplers: DKM, CBGZ and random sampling."""

from .._validation import check_number, check_option
from ._base import StreamClassifier
from ._rules import (
    UPDATE_RULES,
    AdaptiveInverseMarginRule,
    ConstantRule,
    HalvingThresholdRule,
    InverseMarginRule,
)


def make_update_rule(update, eta0):
    """Return the update rule of that name."""
    check_option(update, "update", UPDATE_RULES)
    return UPDATE_RULES[update](check_number(eta0, "eta0", 0))


class DKMClassifier(StreamClassifier):
    def __init__(
        self,
        R=4,
        threshold="max",
        update="perceptron",
        eta0=1.0,
        *,
        average=True,
        fit_intercept=True,
        normalize=True,
        budget=None,
        patience=None,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.R = R
        self.threshold = threshold
        self.update = update
        self.eta0 = eta0

    @property
    def threshold_(self):
        return self._memory[0]

    def _make_rules(self):
        R = check_number(self.R, "R", 1, closed="left", integer=True)
        threshold = self.threshold
        if isinstance(threshold, str):
            check_option(threshold, "threshold", ("max", "uniform"))
        else:
            check_number(threshold, "threshold", 0)
        return HalvingThresholdRule(R, threshold), make_update_rule(self.update, self.eta0)


class CBGZClassifier(StreamClassifier):
    def __init__(
        self,
        b=0.1,
        update="perceptron",
        eta0=1.0,
        *,
        beta=1.0,
        average=True,
        fit_intercept=True,
        normalize=True,
        budget=None,
        patience=None,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b
        self.update = update
        self.eta0 = eta0
        self.beta = beta

    def _make_rules(self):
        beta = check_number(self.beta, "beta", 0)
        if isinstance(self.b, str):
            check_option(self.b, "b", ("adaptive",))
            rule = AdaptiveInverseMarginRule(beta)
        else:
            rule = InverseMarginRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)


class RandomSamplingClassifier(StreamClassifier):
    def __init__(
        self,
        rate=0.1,
        update="perceptron",
        eta0=1.0,
        *,
        average=True,
        fit_intercept=True,
        normalize=True,
        budget=None,
        patience=None,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.rate = rate
        self.update = update
        self.eta0 = eta0

    def _make_rules(self):
        rate = check_number(self.rate, "rate", 0, 1, closed="right")
        return ConstantRule(rate), make_update_rule(self.update, self.eta0)
