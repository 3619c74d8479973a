"""A test of a finished model that chooses its rows."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import expit, logit, stdtrit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._compat import BaseEstimator
from .._labels import check_not_missing, distinct_labels, encode
from .._statistics import (
    Estimate,
    betting_interval,
    lure_weights,
    score_t_interval,
    step_probabilities,
    value_and_ends,
    variance_factors,
)
from .._transaction import begin_transaction
from .._typing import Classifier, RowNumbers, RowsLike, Seed
from .._validation import (
    check_all_pending,
    check_classifier,
    check_flag,
    check_has,
    check_labels,
    check_limit,
    check_number,
    check_option,
    indexable_rows,
)
from ..pool._base import PoolClassifier
from ..pool._ledger import PENDING, SKIPPED, Ledger
from ..pool._training import seeded
from ..sources._containers import hash_rows, n_rows, take
from ..sources._identity import ByValue


@dataclass(frozen=True)
class SamplingPlan:
    """One entry for each row that may be bought.

    The excess of a loss is what it is beyond the least that the row can have. So of
    the 0-1 loss the least is 0 and the expected excess the probability of a mistake.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows,)
        With which each row is the first to be bought, all above 0, of sum 1.
    least, most : ndarray of shape (n_rows,)
        Bounds of the loss, over the labels.
    control : ndarray of shape (n_rows,)
        What is expected of the excess, and taken from it; 0: nothing is.
    mean, square : ndarray of shape (n_rows,)
        Expected excess, and expected square of it.
    chance : ndarray of shape (n_rows,)
        Probability that there is any.
    """

    probabilities: np.ndarray
    least: np.ndarray
    most: np.ndarray
    control: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    chance: np.ndarray

    def __len__(self):
        return len(self.least)

    def without(self, rows):
        """Return the plan for the other rows."""
        others = {
            f.name: np.delete(getattr(self, f.name), rows, 0) for f in fields(self)
        }
        others["probabilities"] /= others["probabilities"].sum()
        return type(self)(**others)

    def bounds(self, order, losses):
        """Return between which numbers the mean loss lies, if these are known."""
        rest = np.ones(len(self), dtype=bool)
        rest[order] = False
        known = losses.sum()
        return tuple(
            float((known + ends[rest].sum()) / len(self))
            for ends in (self.least, self.most)
        )


def direction(losses, chances):
    """Return -1 if losses are expected nearer to the most than to the least, or 1.

    The interval is good where excess is rare, so it is made for losses of that sign.
    """
    expected = (chances * losses).sum()
    return -1 if 2 * expected > (losses.max(axis=1) + losses.min(axis=1)).sum() else 1


def make_plan(losses, chances, mix):
    """Return the plan for losses, in proportion to how uncertain they are.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_classes)
        Of each row for each label.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    mix : float
        Share of the uniform distribution; with 1 nothing is expected of the losses.
    """
    most = losses.max(axis=1)
    least = losses.min(axis=1) if mix < 1 else np.full(len(losses), losses.min())
    excess = losses - least[:, None]
    mean, square, chance = (
        (chances * values).sum(axis=1) for values in (excess, excess**2, excess > 0)
    )
    n, doubt = len(losses), np.sqrt(np.maximum(square - mean**2, 0.0))
    share = doubt / doubt.sum() if doubt.any() else np.full(n, 1 / n)
    return SamplingPlan(
        probabilities=mix / n + (1 - mix) * share,
        least=least,
        most=most,
        control=mean if mix < 1 else np.zeros(n),
        mean=mean,
        square=square,
        chance=chance,
    )


#: Labels of each class that the surrogate's expectation counts as.
PRIOR = 2.0

#: Bisections of the logits of the errors, from this shift.
N_BISECTIONS, FARTHEST = 30, 500.0


@dataclass(frozen=True)
class BalancedPlan(SamplingPlan):
    """The plan for the linearised balanced error, and what the surrogate says.

    Parameters
    ----------
    wrong : ndarray of shape (n_rows, n_classes)
        1 if the model is wrong should the row be of the class, else 0.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    subtracted : ndarray of shape (n_rows, n_classes)
        Probabilities that are taken from what comes; 0: nothing is.
    """

    wrong: np.ndarray
    chances: np.ndarray
    subtracted: np.ndarray


def make_balanced_plan(wrong, chances, mix):
    """Return the plan for mistakes, a column for each class; others as `make_plan`."""
    shares = chances.mean(axis=0)
    errors = (chances * wrong).mean(axis=0) / shares
    plan = make_plan(linearised(wrong, errors, shares), chances, mix)
    subtracted = chances if mix < 1 else np.zeros_like(chances)
    return BalancedPlan(
        **vars(plan), wrong=wrong, chances=chances, subtracted=subtracted
    )


def linearised(wrong, errors, shares):
    """Return by how much a row of each class moves the balanced error."""
    return (wrong - errors) / (len(errors) * shares)


def balanced_value_and_ends(plan, order, codes, confidence):
    """Return the estimate and the ends of its interval.

    Of a class without a label nothing is known, so the value is NaN and the ends are 0
    and 1, unless all rows are bought.

    Parameters
    ----------
    plan, order, confidence
        As for `lure.score_t_interval`.
    codes : ndarray of int of shape (n_bought,)
        The classes of the rows.
    """
    n_classes = plan.wrong.shape[1]
    counts = np.bincount(codes, minlength=n_classes)
    if counts.all():
        found = np.arange(n_classes)
    elif len(order) == len(plan):
        (found,) = np.nonzero(counts)
    else:
        return np.nan, 0.0, 1.0
    mistakes = np.bincount(codes, plan.wrong[order, codes], n_classes)[found]
    at_most = counts[found] + len(plan) - len(order)  # rows of each class
    least = np.mean(mistakes / at_most)
    most = 1 - np.mean((counts[found] - mistakes) / at_most)
    if len(order) == len(plan):
        return least, least, least
    if (plan.wrong == plan.wrong[0]).all():  # the model says the same of all rows
        error = plan.wrong[0].mean()
        return error, error, error
    test = ScoreTest(plan, order, codes, counts)
    ends = [test.end(sign, confidence) for sign in (-1, 1)]
    low, value, high = np.clip(sorted([*ends, test.value]), least, most)
    return value, low, high


class ScoreTest:
    """The score test of a balanced error; its variance is that of the linearised error.

    Parameters are those of `balanced_value_and_ends` and the labels of each class, at
    least one.
    """

    def __init__(self, plan, order, codes, counts):
        self.plan, self.order, self.counts = plan, order, counts
        steps = step_probabilities(plan.probabilities, order)
        self.weights = lure_weights(steps, len(plan))
        self.spread, self.joint = variance_factors(plan, order)
        is_own = np.eye(len(counts))[codes]
        is_wrong = is_own * plan.wrong[order]
        self.shares = np.maximum(
            self._estimate(is_own, plan.subtracted), counts / len(plan)
        )
        mistakes = self._estimate(is_wrong, plan.subtracted * plan.wrong)
        errors = np.clip(mistakes / self.shares, 0.0, 1.0)
        self.value = errors.mean()
        expected = (plan.chances * plan.wrong).sum(axis=0) / plan.chances.sum(axis=0)
        shrunk = (counts * errors + PRIOR * expected) / (counts + PRIOR)
        self.logits = logit(shrunk.clip(1e-4, 1 - 1e-4))
        self.outcomes = [
            Outcome(self, is_own - is_wrong, 1 - plan.wrong),
            Outcome(self, is_wrong, plan.wrong),
        ]

    def _estimate(self, seen, expected):
        rest = seen - expected[self.order]
        return expected.mean(axis=0) + (self.weights @ rest) / len(self.order)

    def errors(self, shift):
        """Return likely errors of the classes: those of few labels move the most."""
        return expit(self.logits + shift * self.counts.mean() / self.counts)

    def variance(self, errors):
        """Return the variance of the estimate if these are the errors."""
        plan = self.plan
        moves = linearised(plan.wrong, errors, self.shares)
        control = (plan.subtracted * moves).sum(axis=1)
        total = 0.0
        for is_wrong, share in ((1, errors), (0, 1 - errors)):
            move = linearised(is_wrong, errors, self.shares)
            square = self.outcomes[is_wrong].square(move, control)
            total += np.sum(self.shares * share * square)
        total += np.mean(self.spread * control**2) - self.joint * control.mean() ** 2
        return max(total, 0.0) / len(self.order)

    def end(self, sign, confidence):
        """Return the last balanced error in a direction that is not rejected."""
        scale = stdtrit(len(self.order) - 1, (1 + confidence) / 2) ** 2

        def is_accepted(errors):
            away = sign * (errors.mean() - self.value)
            return away <= 0 or away**2 <= scale * self.variance(errors)

        near, far = 0.0, sign * FARTHEST
        if is_accepted(self.errors(far)):
            return (1.0 + sign) / 2
        for _ in range(N_BISECTIONS):
            middle = (near + far) / 2
            if is_accepted(self.errors(middle)):
                near = middle
            else:
                far = middle
        return self.errors(near).mean()


class Outcome:
    """Rows of each class of which the model is wrong, or those of which it is right.

    Parameters
    ----------
    test : ScoreTest
        That this is part of.
    seen : ndarray of shape (n_bought, n_classes)
        1 where the row turned out to be such a one.
    possible : ndarray of shape (n_rows, n_classes)
        1 where a row would be such a one.
    """

    def __init__(self, test, seen, possible):
        plan = test.plan
        # shrunk: what the surrogate finds unlikely happens more often than it says
        likely = possible * (0.7 * plan.chances + 0.3 * plan.chances.mean(axis=0))
        expected = PRIOR * likely / np.maximum(likely.sum(axis=0), 1e-300)
        factors = expected.T.copy()
        factors[:, test.order] += seen.T * test.weights
        self.factors = factors * test.spread / factors.sum(axis=1, keepdims=True)
        self.spread = self.factors.sum(axis=1)

    def square(self, moves, control):
        """Return the mean square beyond the control, less the control's, by class."""
        return moves**2 * self.spread - 2 * moves * (self.factors @ control)


class RowLoss(NamedTuple):
    """A loss that each row has for itself."""

    method: str  # of the model: what it predicts with
    of: Callable  # of labels, what was predicted, and the model's classes
    is_balanced: bool = False  # averaged within the classes first


def zero_one(y, predicted, classes):
    """Return 1 where the prediction is wrong, else 0."""
    return (np.asarray(y) != predicted).astype(np.float64)


def log_loss_by_label(y, probabilities, classes):
    """Return minus the logarithm of the probability of each label."""
    columns = encode(np.asarray(y), classes)
    return -np.log(probabilities[np.arange(len(columns)), columns])


def own_loss(loss, y, predicted, classes):
    """Return what a callable makes of labels and predictions."""
    return loss(y, predicted)


#: By the names that `ActiveTest` takes.
LOSSES = {
    "balanced_zero_one": RowLoss("predict", zero_one, is_balanced=True),
    "log_loss": RowLoss("predict_proba", log_loss_by_label),
    "zero_one": RowLoss("predict", zero_one),
}


def find_loss(loss, response_method):
    """Return the loss that a name or a callable means."""
    if callable(loss):
        methods = ("decision_function", "predict", "predict_proba")
        check_option(response_method, "response_method", methods)
        return RowLoss(response_method, partial(own_loss, loss))
    return LOSSES[check_option(loss, "loss", LOSSES)]


class ModelPredictions:
    """What finished models say of the rows of a test; it does not change with them.

    Parameters
    ----------
    models : tuple of classifier
        One, or two whose losses are compared: the first's less the second's.
    row_loss : RowLoss
        Which loss.
    X : rows
        The whole test pool.
    """

    def __init__(self, models, row_loss, X):
        self.row_loss = row_loss
        self.classes = [np.asarray(model.classes_) for model in models]
        self.predicted = [
            np.asarray(getattr(model, row_loss.method)(X)) for model in models
        ]
        if row_loss is LOSSES["log_loss"]:
            for probabilities, classes in zip(
                self.predicted, self.classes, strict=True
            ):
                check_positive(probabilities, classes)
        self.n_rows = n_rows(X)

    def losses(self, rows, y):
        """Return the losses of these rows of the pool if those are their labels."""
        of = self.row_loss.of
        each = [
            check_losses(of(y, predicted[rows], classes), len(y))
            for predicted, classes in zip(self.predicted, self.classes, strict=True)
        ]
        return each[0] - each[1] if len(each) == 2 else each[0]

    def table(self, labels):
        """Return the loss of each row for each label: a column for each."""
        rows = np.arange(self.n_rows)
        return np.column_stack(
            [
                self.losses(rows, np.repeat(labels[[k]], len(rows)))
                for k in range(len(labels))
            ]
        )


def check_losses(losses, n):
    """Return one finite number for each of so many rows, or say what is wrong."""
    losses = np.asarray(losses, dtype=np.float64)
    if losses.shape != (n,):
        raise ValueError(
            f"loss returned an array of shape {losses.shape} for {n} rows; one number "
            "for each row is needed."
        )
    if not np.isfinite(losses).all():
        row = int(np.argmin(np.isfinite(losses)))
        raise ValueError(f"loss returned {losses[row]} for row {row}.")
    return losses


def check_positive(probabilities, classes):
    """Refuse probabilities of 0: if such a label came, the log loss was infinite."""
    wrong = np.argwhere(~(probabilities > 0))
    if len(wrong):
        row, column = wrong[0].tolist()
        label = classes[[column]].tolist()[0]
        raise ValueError(
            f"The model gives row {row} of X the probability "
            f"{probabilities[row, column]} for class {label!r}; the log loss needs "
            "probabilities above 0."
        )


#: No mistake is less likely: a surrogate that is sure must not be believed.
LEAST = 0.01


def surrogate_probabilities(surrogate, model, labelled, X, classes, seed):
    """Return what a surrogate that was trained on labelled rows says of X.

    Parameters
    ----------
    surrogate : classifier or None
        Gets rows as they are; None: the mean of four calibrated classifiers, which
        get rows as the last step of `model` does.
    model : classifier
        The one that is tested, the first of two.
    labelled : tuple of (rows, labels)
        To train on.
    X : rows
        The test pool.
    classes : ndarray of shape (n_classes,)
        Labels of the columns.
    seed : int
        Of its random numbers.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
        At least about `LEAST`.
    """
    rows, y = labelled
    if surrogate is None:
        rows, X = as_seen_by(model, rows), as_seen_by(model, X)
        codes = encode(y, classes)
        counts = np.bincount(codes)
        n_folds = min(5, np.sort(counts)[-2])
        if n_folds < 2:
            raise ValueError(
                "labelled must hold two rows of each of two classes, for the "
                "surrogate to be calibrated; or pass surrogate=."
            )
        (kept,) = np.nonzero(counts[codes] >= n_folds)
        rows, y = take(rows, kept), y[kept]
        surrogate = four_calibrated(int(n_folds), issparse(rows))
    trained = seeded(surrogate, seed).fit(rows, y)
    return own_probabilities([trained], X, classes)


def own_probabilities(models, X, classes):
    """Return the mean of the class probabilities of models, none of them tiny."""
    out = np.zeros((n_rows(X), len(classes)))
    for model in models:
        columns = encode(np.asarray(model.classes_), classes)
        out[:, columns] += model.predict_proba(X) / len(models)
    out = np.maximum(out, LEAST / (len(classes) - 1))
    return out / out.sum(axis=1, keepdims=True)


def four_calibrated(n_folds, is_sparse):
    """Return the surrogate: the mean of four calibrated classifiers."""
    from sklearn.calibration import CalibratedClassifierCV  # slow to import
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        RandomForestClassifier,
        VotingClassifier,
    )

    members = {
        "logistic": scaled(LogisticRegression(max_iter=1000), is_sparse),
        "forest": RandomForestClassifier(),
        "trees": ExtraTreesClassifier(),
        "svm": scaled(SVC(), is_sparse),
    }
    return VotingClassifier(
        [
            (name, CalibratedClassifierCV(member, cv=n_folds))
            for name, member in members.items()
        ],
        voting="soft",
    )


def scaled(estimator, is_sparse):
    """Return a classifier of features of standard deviation 1."""
    return make_pipeline(StandardScaler(with_mean=not is_sparse), estimator)


def as_seen_by(model, X):
    """Return rows as the last step of a model gets them."""
    if isinstance(model, PoolClassifier):
        model = model.estimator_
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            X = model[:-1].transform(X)
        model = model[-1]
    return X


@dataclass(frozen=True)
class PreparedTest:
    """A test that has begun."""

    keys: np.ndarray  # hashes of the rows of the pool
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
    return kind(hash_rows(X), predictions, classes, sign, plan, np.argsort(clocks))


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
        return indexable_rows(X), np.asarray(check_labels(X, check_not_missing(y)))
    if isinstance(test.model, PoolClassifier):
        known = test.model._ledger.labelled
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


#: Losses before the first label.
NONE = np.empty(0)


class ActiveTest(BaseEstimator):
    r"""Test a finished model with few labels: choose the rows, estimate the loss.

    Rows are bought in proportion to how unsure a surrogate is of their loss, mixed
    with the uniform distribution. What the labels show beyond the surrogate's
    expectation is weighted by LURE [1]_ and added to it, so a bad surrogate makes the
    interval wider, but does not bias the estimate.

    Parameters
    ----------
    model : classifier, or tuple of two
        Fitted. A pipeline or a learner will do. Of two the difference of the losses
        is estimated, the first one's less the second one's. Not changed; what it
        predicts is remembered at the first `query`.
    labelled : tuple of (X, y), default=None
        Rows and labels that the surrogate is trained on; those that the model was
        trained on will do. None: those of a pool learner; for another model its own
        probabilities stand in for the surrogate.
    loss : {"zero_one", "balanced_zero_one", "log_loss"} or callable, default="zero_one"
        "zero_one": the error, 1 - accuracy. "balanced_zero_one": 1 - balanced accuracy,
        of one model. A callable is ``loss(y_true, y_pred)`` and returns a number for
        each row.
    response_method : str, default="predict"
        The method of the model that gives a callable `loss` its ``y_pred``: "predict",
        "predict_proba" or "decision_function".
    surrogate : classifier, default=None
        To be trained on the labelled rows; it needs ``predict_proba``. None: the mean
        of logistic regression, random forest, extra trees and an SVM, each calibrated
        by cross-validation, on the rows as the last step of a pipeline gets them.
    mix : float in (0, 1], default=0.25
        Share of the uniform distribution. 1: a random test without a surrogate.
    random_state : int or RandomState instance, default=None
        Decides which rows are bought, and seeds the surrogate.

    Attributes
    ----------
    n_queries_ : int
        Labels asked for.
    n_pending_ : int
        Rows that were asked for and neither taught nor skipped yet.
    n_taught_ : int
        Labels that came.
    n_skipped_ : int
        Rows that were skipped and not taught later.

    Raises
    ------
    TypeError, ValueError
        By `query`, for a model that is no fitted classifier or lacks the method that
        the loss needs, a parameter out of its range, or a probability of 0 where the
        log loss would be infinite.

    Notes
    -----
    With :math:`a_i` the least loss that row i can have, and :math:`r_i` and :math:`s_i`
    mean and standard deviation of the excess over it as the surrogate expects it (of
    the error, :math:`a_i = 0`, :math:`s_i^2 = r_i(1-r_i)`), row i is drawn without
    replacement with :math:`q_i = c/N + (1-c)\, s_i/\sum_j s_j`, c being `mix`. The
    estimate from M labels is :math:`\bar a + \bar r + \frac1M \sum_m v_m (\ell_m -
    a_m - r_m)` with the weights :math:`v_m` of [1]_; surrogates for testing are those
    of [2]_. The interval inverts a score test with Student's quantile. That for any
    number of looks is a betting confidence sequence [3]_, for rows drawn with unequal
    probabilities [4]_.

    The balanced error of K classes is estimated by :math:`\frac1K \sum_k \hat E_k /
    \hat N_k`, mistakes in class k over rows of class k. The plan and the variance are
    those of its linearisation, the loss :math:`(1[y_i = k \text{ is a mistake}] -
    p_k) / (K \pi_k)` of a row of class k with the share :math:`p_k` of mistakes in
    the class and the share :math:`\pi_k` of the class; the score test takes likely
    :math:`p_k` for each balanced error that it tests.

    References
    ----------
    .. [1] S. Farquhar, Y. Gal and T. Rainforth, "On statistical bias in active
       learning: how and when to fix it", ICLR 2021 (the estimator "LURE").
    .. [2] J. Kossen, S. Farquhar, Y. Gal and T. Rainforth, "Active testing:
       sample-efficient model evaluation", ICML 2021.
    .. [3] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables
       by betting", JRSS B 86, 2024.
    .. [4] S. Shekhar, Z. Xu, Z. Lipton, P. Liang and A. Ramdas, "Risk-limiting
       financial audits via weighted sampling without replacement", UAI 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_activelearn.evaluation import ActiveTest
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[:100], y[:100])
    >>> X_test, y_test = X[100:], y[100:]
    >>> test = ActiveTest(model, labelled=(X[:100], y[:100]), random_state=0)
    >>> rows = test.query(X_test, limit=50)
    >>> print(test.teach(X_test[rows], y_test[rows]).estimate())
    0.0401 (95 %: 0.0064 to 0.124, 50 labels)
    """

    def __init__(
        self,
        model: Classifier | tuple[Classifier, Classifier],
        *,
        labelled: tuple[RowsLike, ArrayLike] | None = None,
        loss: Literal["zero_one", "balanced_zero_one", "log_loss"]
        | Callable[..., Any] = "zero_one",
        response_method: str = "predict",
        surrogate: Classifier | None = None,
        mix: float = 0.25,
        random_state: Seed = None,
    ):
        self.model = model
        self.labelled = labelled
        self.loss = loss
        self.response_method = response_method
        self.surrogate = surrogate
        self.mix = mix
        self.random_state = random_state

    def query(self, X: RowsLike, *, limit: int | None = 1) -> RowNumbers:
        """Choose the next rows of the test.

        The order of all purchases is drawn at the first call, so it does not matter how
        many rows are asked for at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the model takes
            The whole test pool, rows that the model was not trained on; in each call
            the same rows in the same order. No row is asked for twice.
        limit : int >= 0 or None, default=1
            At most so many rows; None: all that are left.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which they were bought; empty when all
            are.

        Raises
        ------
        TypeError, ValueError
            At the first call as the class says; later for an X that is not the pool
            which the test began with.
        RuntimeError
            If another thread changed the test meanwhile. As with every error, nothing
            was bought.
        """
        limit = check_limit(limit, "limit")
        transaction = begin_transaction(self)
        test, X = transaction.learner, indexable_rows(X)
        if not hasattr(self, "_begun"):
            test._begun, test._requests, test._losses = (
                prepare_test(self, X),
                Ledger(),
                NONE,
            )
        elif not np.array_equal(hash_rows(X), self._begun.keys):
            raise ValueError(
                "X is not the pool that the test began with: the same rows in the same "
                "order are needed in each query."
            )
        begun, n_bought = test._begun, test.n_queries_
        rows = begun.order[n_bought : n_bought + limit]
        steps = step_probabilities(begun.plan.probabilities, begun.order)
        test._requests = test._requests.add_entries(
            hash_rows(X, rows), rows, steps[n_bought : n_bought + limit]
        )
        transaction.commit()
        return rows.copy()

    def teach(self, X: RowsLike, y: ArrayLike) -> Self:
        """Note the labels of rows that were asked for, in any order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the model takes
            Rows; recognised by their values.
        y : array-like of shape (n_samples,)
            Their labels. One that the model does not know is a mistake for the error,
            and refused by the log loss and the balanced error.

        Returns
        -------
        self : object
            The test.

        Raises
        ------
        ValueError
            For a row that is not out (a label that chance did not choose would bias
            the estimate), labels that do not match X, or one that the loss does not
            take.
        RuntimeError
            If another thread changed the test meanwhile. As with every error, nothing
            was stored.
        """
        transaction = begin_transaction(self)
        test, X = transaction.learner, indexable_rows(X)
        y = np.asarray(check_labels(X, check_not_missing(y)))
        keys, requests = hash_rows(X), self._ledger
        entries = requests.find_entries(keys, (PENDING, SKIPPED))
        check_all_pending(entries >= 0)
        if len(y):
            distinct_labels(y, "y", self._begun.classes)
            losses = self._begun.losses(requests.rows[entries], y)
            test._losses = np.append(self._losses, losses)
            test._requests = requests.mark_taught(keys)
        return transaction.commit()

    def pending(self, X: RowsLike) -> RowNumbers:
        """Return which rows of X were asked for and have no answer yet.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the model takes
            The test pool.

        Returns
        -------
        rows : ndarray of int64 of shape (n_pending,)
            Row numbers of X, in the order in which they were asked for.
        """
        return self._ledger.pending(ByValue(indexable_rows(X)))

    def skip(self, X: RowsLike | None = None) -> Self:
        """Give up waiting for the labels of rows that were asked for.

        The estimate is then made as if they had never been in the pool.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows whose answers will not come ("cannot tell"). None: all that are out.

        Returns
        -------
        self : object
            The test.

        Raises
        ------
        ValueError
            For a row that is not out.
        RuntimeError
            If another thread changed the test meanwhile.
        """
        transaction = begin_transaction(self)
        keys = None if X is None else hash_rows(indexable_rows(X))
        transaction.learner._requests = self._ledger.skip(keys)
        return transaction.commit()

    def estimate(
        self, confidence: float = 0.95, *, always_valid: bool = False
    ) -> Estimate:
        """Return the mean loss of the pool, as far as the labels tell.

        It uses the purchases up to the first row that is still out: labels that came
        before that of an earlier row wait for it, since which labels come late may
        depend on what they are.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        always_valid : bool, default=False
            Return an interval that holds at all times together, to stop as soon as it
            says enough. It is wider; the other one holds for a number of labels that
            was chosen in advance.

        Returns
        -------
        estimate : Estimate
            Value and ends lie between the least and the most that the mean of the pool
            can be, given the labels that came. Without a label the value is NaN. The
            balanced error needs a label of each known class, or all of the pool: until
            then the value is NaN and the interval from 0 to 1.

        Raises
        ------
        TypeError, ValueError
            For a parameter out of its range, before the first `query`, or for
            ``always_valid=True`` of the balanced error.
        """
        check_number(confidence, "confidence", 0, 1)
        check_flag(always_valid, "always_valid")
        plan, order, losses = self._answered()
        value, low, high = self._begun.value_and_ends(
            plan, order, losses, confidence, always_valid
        )
        return Estimate(
            float(value), float(low), float(high), len(order), float(confidence)
        )

    @property
    def n_queries_(self) -> int:
        """Labels asked for."""
        return len(self._ledger.rows)

    @property
    def n_pending_(self) -> int:
        """Rows that were asked for and neither taught nor skipped yet."""
        return len(self._ledger)

    @property
    def n_taught_(self) -> int:
        """Labels that came."""
        return self._ledger.n_taught

    @property
    def n_skipped_(self) -> int:
        """Rows that were skipped and not taught later."""
        return self._ledger.n_skipped

    @property
    def _ledger(self):
        return vars(self).get("_requests", Ledger())

    def _answered(self):
        """Return the plan, the purchases before the first that is out, their losses."""
        if not hasattr(self, "_begun"):
            raise ValueError(
                "There is nothing to estimate from before the first query."
            )
        plan, places = self._begun.plan, self._requests.positions
        n_known = np.argmax(np.append(places, PENDING) == PENDING)
        places, order = places[:n_known], self._begun.order[:n_known]
        skipped, order = order[places == SKIPPED], order[places >= 0]
        losses = self._losses[places[places >= 0]]
        if len(skipped):
            plan = plan.without(skipped)
            order = order - np.searchsorted(np.sort(skipped), order)
        return plan, order, losses

    def __sklearn_clone__(self):
        """Return a test of the same finished model that has bought nothing."""
        return type(self)(**self.get_params(deep=False))
