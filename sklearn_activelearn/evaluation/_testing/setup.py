"""What the first query of a test fixes: losses, what is expected of them, the order."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..._containers import n_rows, rounded_keys
from ..._labels import distinct_labels, encode, present_labels
from ..._validation import check_number
from ...pool._base import PoolClassifier
from ...pool._input_checks import (
    check_classifier,
    check_has,
    check_labels,
    indexable_rows,
)
from .balanced import balanced_value_and_ends, make_balanced_plan
from .betting import betting_interval
from .lure import score_t_interval, value_and_ends
from .plan import SamplingPlan, direction, make_plan
from .row_losses import ModelPredictions, find_loss
from .surrogate import own_probabilities, surrogate_probabilities


@dataclass(frozen=True)
class PreparedTest:
    """A test that has begun."""

    keys: np.ndarray  # of the rows of the pool, rounded
    predictions: ModelPredictions
    classes: np.ndarray  # known labels
    sign: int  # of the losses in the plan
    plan: SamplingPlan
    order: np.ndarray  # of all rows: in which they are bought

    def losses(self, rows, y):
        """Return the losses of these rows in the plan, if they can be that."""
        losses = self.sign * self.predictions.losses(rows, y)
        least, most = self.plan.least[rows], self.plan.most[rows]
        slack = 1e-9 * (1 + abs(losses))  # they are computed again, among other rows
        is_known = (least - slack <= losses) & (losses <= most + slack)
        if not is_known.all():
            row = int(np.argmin(is_known))
            raise ValueError(
                f"y[{row}] = {y[[row]].tolist()[0]!r} has a loss that the row has for "
                f"none of the classes {self.classes.tolist()}, nor one in between."
            )
        return losses

    def value_and_ends(self, plan, order, losses, confidence, always_valid):
        """Return the estimate and the ends of its interval."""
        interval = betting_interval if always_valid else score_t_interval
        value, low, high = value_and_ends(plan, order, losses, confidence, interval)
        return self.sign * value, *sorted([self.sign * low, self.sign * high])


class PreparedBalancedTest(PreparedTest):
    """A test of the balanced error that has begun; its losses are codes of classes."""

    def losses(self, rows, y):
        """Return the codes of the classes; others than the known ones are refused."""
        return encode(y, self.classes)

    def value_and_ends(self, plan, order, losses, confidence, always_valid):
        if always_valid:
            raise ValueError(
                "always_valid=True has no interval for loss='balanced_zero_one', a "
                "mean of ratios."
            )
        codes = losses.astype(np.intp)
        return balanced_value_and_ends(plan, order, codes, confidence)


def prepare_test(test, X):
    """Return the beginning of a test with these parameters on this pool."""
    check_number(test.mix, "mix", 0, 1, closed="right")
    row_loss = find_loss(test.loss, test.response_method)
    models = test.model if isinstance(test.model, tuple) else (test.model,)
    check_models(models, row_loss.method)
    if row_loss.is_balanced and len(models) == 2:
        raise ValueError("loss='balanced_zero_one' takes one model, got 2.")
    random_state = check_random_state(test.random_state)
    seed = random_state.randint(2**31 - 1)
    labelled = surrogate_rows(test)
    classes = known_classes(models, labelled)
    predictions = ModelPredictions(models, row_loss, X)
    table = predictions.table(classes)
    if test.mix < 1 and labelled is not None:
        chances = surrogate_probabilities(
            test.surrogate, models[0], labelled, X, classes, seed
        )
    else:
        chances = chances_of(models, X, classes, test.mix)
    if row_loss.is_balanced:
        kind, sign, plan = (
            PreparedBalancedTest,
            1,
            make_balanced_plan(table, chances, test.mix),
        )
    else:
        kind, sign = PreparedTest, direction(table, chances)
        plan = make_plan(sign * table, chances, test.mix)
    clocks = random_state.standard_exponential(len(plan)) / plan.probabilities
    return kind(rounded_keys(X), predictions, classes, sign, plan, np.argsort(clocks))


def check_models(models, method):
    """Refuse what is no fitted classifier, or lacks the method that the loss needs."""
    if len(models) not in (1, 2):
        raise ValueError(f"model must be one classifier or two, got {len(models)}.")
    for model in models:
        check_classifier(model, "model")
        check_is_fitted(model)
        check_has(method, model, "this loss", "Use another loss.")


def surrogate_rows(test):
    """Return rows and labels for the surrogate, None if there are none."""
    if test.labelled is not None:
        X, y = test.labelled
        return indexable_rows(X), np.asarray(check_labels(X, present_labels(y)))
    if isinstance(test.model, PoolClassifier):
        known = test.model._labelled
        return known.rows, test.model.classes_[known.codes]
    return None


def known_classes(models, labelled):
    """Return the labels that models and labelled rows know, two or more."""
    classes = np.asarray(models[0].classes_)
    for model in models[1:]:
        classes = distinct_labels(np.asarray(model.classes_), "classes", classes)
    if labelled is not None:
        classes = distinct_labels(labelled[1], "labelled", classes)
    if len(classes) < 2:
        raise ValueError(f"Only one class is known, {classes.tolist()[0]!r}.")
    return classes


def chances_of(models, X, classes, mix):
    """Return probabilities of the labels without labelled rows: the models' own."""
    if mix == 1 and not all(hasattr(model, "predict_proba") for model in models):
        return np.full((n_rows(X), len(classes)), 1 / len(classes))
    for model in models:
        check_has("predict_proba", model, "ActiveTest", "Pass labelled rows.")
    return own_probabilities(models, X, classes)
