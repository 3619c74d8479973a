"""A test of a finished model that chooses its rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..base._labels import check_not_missing, distinct_labels, encode
from ..base._parameters import (
    check_classifier,
    check_flags,
    check_has,
    check_limit,
    check_number,
    check_option,
)
from ..base._transaction import Transaction
from ..base._validation import check_all_pending, check_labels, indexable_rows
from ..base._verbs import seeded
from ..pool._base import PoolClassifier
from ..pool._ledger import PENDING, SKIPPED, Ledger
from ..sources._containers import hash_rows, n_rows, take
from ..sources._identity import ByValue
from ..utils._compat import BaseEstimator, linked_to_documentation
from ..utils._statistics import (
    Estimate,
    SamplingPlan,
    balanced_estimate_with_interval,
    betting_interval,
    estimate_with_interval,
    loss_sign,
    make_balanced_plan,
    make_plan,
    score_t_interval,
    step_probabilities,
)
from ..utils.typing import Classifier, RowNumbers, RowsLike, Seed

#: Least probability of a mistake: a surrogate that is certain must not be believed.
LEAST = 0.01


def zero_one_loss(y, predicted, classes):
    """Return 1 where the prediction is wrong, else 0."""
    return (np.asarray(y) != predicted).astype(np.float64)


def log_loss_of_labels(y, probabilities, classes):
    """Return minus the logarithm of the probability of each label."""
    columns = encode(np.asarray(y), classes)
    with np.errstate(divide="ignore"):  # infinite losses are refused
        return -np.log(probabilities[np.arange(len(columns)), columns])


#: For each name of a loss, the method of the model, and the loss of each row.
LOSSES = {
    "balanced_zero_one": ("predict", zero_one_loss),
    "log_loss": ("predict_proba", log_loss_of_labels),
    "zero_one": ("predict", zero_one_loss),
}


class LabelColumn:
    """Labels of the rows of a test pool, from a machine, in place of a classifier.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Label of each row, in the order of the pool.
    """

    def __init__(self, labels):
        self.labels = np.asarray(check_not_missing(labels))
        self.classes_ = np.unique(self.labels)

    def predict(self, X):
        """Return the labels."""
        if len(self.labels) != n_rows(X):
            raise ValueError(
                f"model has {len(self.labels)} labels, but X has {n_rows(X)} rows. "
                "Pass one label for each row."
            )
        return self.labels

    def predict_proba(self, X):
        """Return the probabilities of a model that is cross-validated on the labels."""
        scaler = StandardScaler(with_mean=not issparse(X))
        judge = make_pipeline(scaler, LogisticRegression(max_iter=1000))
        folds = KFold(5, shuffle=True, random_state=0)
        return cross_val_predict(
            judge, X, self.predict(X), cv=folds, method="predict_proba"
        )


class RowLosses:
    """Losses of finished models on the rows of a test pool, for any labels.

    Parameters
    ----------
    models : tuple of classifier
        One, or two whose losses are compared: loss of the first minus loss of the
        second. Their predictions are computed once.
    loss : str or callable
        A name in `LOSSES`, or ``loss(y, predicted)``.
    X : rows
        The whole test pool.
    """

    def __init__(self, models, loss, X):
        method, self.loss = LOSSES.get(loss, ("predict", loss))
        self.is_custom = callable(loss)
        self.classes = [np.asarray(model.classes_) for model in models]
        self.predicted = [np.asarray(getattr(model, method)(X)) for model in models]
        self.n_rows = n_rows(X)

    def of(self, rows, y):
        """Return the loss of each given pool row, whose true label is in ``y``."""
        each = []
        for predicted, classes in zip(self.predicted, self.classes, strict=True):
            more = () if self.is_custom else (classes,)
            losses = self.loss(y, predicted[rows], *more)
            losses = np.asarray(losses, dtype=np.float64)
            if losses.shape != (len(y),):
                raise ValueError(
                    f"loss must return one number for each of {len(y)} rows, returned "
                    f"an array of shape {losses.shape}."
                )
            if not np.isfinite(losses).all():
                row = int(np.argmin(np.isfinite(losses)))
                raise ValueError(
                    f"loss must return finite numbers, returned {losses[row]} for row "
                    f"{row}. The log loss needs probabilities above 0."
                )
            each.append(losses)
        return each[0] - each[1] if len(each) == 2 else each[0]

    def table(self, labels):
        """Return the loss of each row for each label, shape (n_rows, n_labels)."""
        rows = np.arange(self.n_rows)
        return np.column_stack(
            [self.of(rows, np.repeat(label, len(rows))) for label in labels[:, None]]
        )


def surrogate_probabilities(surrogate, model, labelled, X, classes, seed):
    """Return the class probabilities of a surrogate trained on labelled rows.

    Parameters
    ----------
    surrogate : classifier or None
        Gets the rows unchanged. None: the mean of four calibrated classifiers, which
        get the rows as the last step of `model` gets them.
    model : classifier
        The tested model, the first of two.
    labelled : tuple of (rows, labels)
        Rows to train on.
    X : rows
        The test pool.
    classes : ndarray of shape (n_classes,)
        Labels of the columns.
    seed : int
        Seed of the surrogate.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
        At least about `LEAST`.
    """
    rows, y = labelled
    if surrogate is None:
        rows, X = last_step_input(model, rows), last_step_input(model, X)
        codes = encode(y, classes)
        counts = np.bincount(codes)
        n_folds = min(5, np.sort(counts)[-2])
        if n_folds < 2:
            raise ValueError(
                "labelled must hold two rows of each of two classes, to calibrate the "
                "surrogate; or pass surrogate=."
            )
        (kept,) = np.nonzero(counts[codes] >= n_folds)
        rows, y = take(rows, kept), y[kept]
        surrogate = default_surrogate(int(n_folds), issparse(rows))
    trained = seeded(surrogate, seed).fit(rows, y)
    return mean_probabilities([trained], X, classes)


def mean_probabilities(models, X, classes):
    """Return the mean class probabilities of models, with a small lower limit."""
    out = np.zeros((n_rows(X), len(classes)))
    for model in models:
        columns = encode(np.asarray(model.classes_), classes)
        out[:, columns] += model.predict_proba(X) / len(models)
    out = np.maximum(out, LEAST / (len(classes) - 1))
    return out / out.sum(axis=1, keepdims=True)


def default_surrogate(n_folds, is_sparse):
    """Return the mean of four calibrated classifiers."""
    from sklearn.calibration import CalibratedClassifierCV  # slow to import
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        RandomForestClassifier,
        VotingClassifier,
    )

    scaler = StandardScaler(with_mean=not is_sparse)
    members = {
        "logistic": make_pipeline(scaler, LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(),
        "trees": ExtraTreesClassifier(),
        "svm": make_pipeline(scaler, SVC()),
    }
    return VotingClassifier(
        [
            (name, CalibratedClassifierCV(member, cv=n_folds))
            for name, member in members.items()
        ],
        voting="soft",
    )


def last_step_input(model, X):
    """Return the rows that the last step of a pipeline receives."""
    if isinstance(model, PoolClassifier):
        model = model.estimator_
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            X = model[:-1].transform(X)
        model = model[-1]
    return X


@dataclass(frozen=True)
class PreparedTest:
    """A test that has begun: its pool, losses, plan and order of purchases."""

    keys: np.ndarray  # hashes of the rows of the pool
    row_losses: RowLosses
    is_balanced: bool
    classes: np.ndarray  # known labels
    sign: int  # of the losses in the plan
    plan: SamplingPlan
    order: np.ndarray  # all rows, in the order in which they are bought

    def outcomes(self, rows, y):
        """Return the losses of rows in the plan; for a balanced error, their classes.

        Raises ValueError for a label whose loss the plan did not expect.
        """
        if self.is_balanced:
            return encode(y, self.classes)
        losses = self.sign * self.row_losses.of(rows, y)
        least, most = self.plan.least[rows], self.plan.most[rows]
        slack = 1e-9 * (1 + abs(losses))  # they are computed again, among other rows
        is_known = (least - slack <= losses) & (losses <= most + slack)
        if not is_known.all():
            row = int(np.argmin(is_known))
            raise ValueError(
                f"The loss of row {row} for its label {y[[row]].tolist()[0]!r} is "
                "outside the range of its losses for the known classes "
                f"{self.classes.tolist()}."
            )
        return losses

    def estimate(self, plan, order, outcomes, confidence, always_valid):
        """Return the estimate and the ends of its interval."""
        if not self.is_balanced:
            interval = betting_interval if always_valid else score_t_interval
            value, low, high = estimate_with_interval(
                plan, order, outcomes, confidence, interval
            )
            return self.sign * value, *sorted([self.sign * low, self.sign * high])
        if always_valid:
            raise ValueError(
                "always_valid=True has no interval for loss='balanced_zero_one', which "
                "is a mean of ratios: use always_valid=False."
            )
        codes = outcomes.astype(np.intp)
        return balanced_estimate_with_interval(plan, order, codes, confidence)


def prepare_test(test, X):
    """Check the parameters of a test, and return its plan for a pool."""
    check_number(test.mix, "mix", 0, 1, closed="right")
    method = "predict"
    if not callable(test.loss):
        method, _ = LOSSES[check_option(test.loss, "loss", LOSSES)]
    is_balanced = test.loss == "balanced_zero_one"
    models = test.model if isinstance(test.model, tuple) else (test.model,)
    if len(models) not in (1, 2):
        raise ValueError(f"model must be one classifier or two, got {len(models)}.")
    models = [
        model
        if hasattr(model, "predict") or np.ndim(model) != 1
        else LabelColumn(model)
        for model in models
    ]
    for model in models:
        if isinstance(model, LabelColumn):
            if method != "predict":
                raise ValueError(
                    f"loss needs {method} of the model, but labels of a machine were "
                    "given. Use loss='zero_one' or 'balanced_zero_one'."
                )
            continue
        check_classifier(model, "model")
        check_is_fitted(model)
        check_has(method, model, "this loss", "Use another loss.")
    if is_balanced and len(models) == 2:
        raise ValueError("loss='balanced_zero_one' takes one model, got 2.")
    random_state = check_random_state(test.random_state)
    seed = random_state.randint(2**31 - 1)
    labelled = None
    if test.labelled is not None:
        rows, y = test.labelled
        labelled = (
            indexable_rows(rows), np.asarray(check_labels(rows, check_not_missing(y)))
        )  # fmt: skip
    elif isinstance(test.model, PoolClassifier):
        known = test.model._ledger.labelled
        labelled = known.rows, test.model.classes_[known.codes]
    classes = np.asarray(models[0].classes_)
    for model in models[1:]:
        classes = distinct_labels(np.asarray(model.classes_), "classes", classes)
    if labelled is not None:
        classes = distinct_labels(labelled[1], "labelled", classes)
    if len(classes) < 2:
        raise ValueError(
            f"Only one class is known, {classes.tolist()[0]!r}, but a test needs two."
        )
    row_losses = RowLosses(models, test.loss, X)
    table = row_losses.table(classes)
    if test.mix < 1 and labelled is not None:
        chances = surrogate_probabilities(
            test.surrogate, models[0], labelled, X, classes, seed
        )
    elif test.mix == 1 and not all(hasattr(m, "predict_proba") for m in models):
        chances = np.full((n_rows(X), len(classes)), 1 / len(classes))
    else:
        for model in models:
            check_has("predict_proba", model, "ActiveTest", "Pass labelled rows.")
        chances = mean_probabilities(models, X, classes)
    sign = 1
    if is_balanced:
        plan = make_balanced_plan(table, chances, test.mix)
    else:
        sign = loss_sign(table, chances)
        plan = make_plan(sign * table, chances, test.mix)
    clocks = random_state.standard_exponential(len(plan)) / plan.probabilities
    return PreparedTest(
        hash_rows(X), row_losses, is_balanced, classes, sign, plan, np.argsort(clocks)
    )


@linked_to_documentation
class ActiveTest(BaseEstimator):
    r"""Test a finished model with few labels: choose the rows, estimate the loss.

    Rows are bought in proportion to the standard deviation of their loss by a
    surrogate, mixed with the uniform distribution. The estimate is the surrogate's
    expectation, corrected by the labels with the weights of LURE [1]_: a bad surrogate
    makes the interval wider, but does not bias the estimate.

    Parameters
    ----------
    model : classifier, array-like of labels, or tuple of two
        Fitted; a pipeline or a learner is accepted. Labels of a machine, one for each
        row of the pool, are tested in the same way. For two models the difference of
        their losses is estimated, first minus second. Not changed; its predictions are
        computed at the first `query`.
    labelled : tuple of (X, y), default=None
        Rows and labels on which the surrogate is trained; the training rows of the
        model are accepted. None: the labelled rows of a pool learner; for another model
        its own probabilities replace the surrogate; for labels of a machine, the
        probabilities of a logistic regression that is cross-validated on them.
    loss : {"zero_one", "balanced_zero_one", "log_loss"} or callable, default="zero_one"
        "zero_one": the error, 1 - accuracy. "balanced_zero_one": 1 - balanced accuracy,
        for one model. A callable is ``loss(y_true, y_pred)`` and returns a number for
        each row.
    surrogate : classifier, default=None
        Classifier with ``predict_proba`` that is trained on the labelled rows. None:
        the mean of logistic regression, random forest, extra trees and an SVM, each
        calibrated by cross-validation, on the rows as the last step of a pipeline gets
        them.
    mix : float in (0, 1], default=0.25
        Share of the uniform distribution. 1: a random test without a surrogate.
    random_state : int or RandomState instance, default=None
        Seed of the purchases and of the surrogate.

    Attributes
    ----------
    n_queries_ : int
        Labels asked for.
    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.
    n_taught_ : int
        Labels that were taught.
    n_skipped_ : int
        Rows that were skipped and not taught later.

    Raises
    ------
    TypeError, ValueError
        By `query`, for a model that is not a fitted classifier or lacks the method that
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
    of [2]_. The interval inverts a score test with Student's quantile. The interval for
    any number of looks is a betting confidence sequence [3]_, for rows drawn with
    unequal probabilities [4]_.

    The balanced error of K classes is estimated by :math:`\frac1K \sum_k \hat E_k /
    \hat N_k`, mistakes in class k over rows of class k. The plan and the variance use
    its linearisation, the loss :math:`(1[y_i = k \text{ is a mistake}] -
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
        model: Classifier | ArrayLike | tuple[Any, Any],
        *,
        labelled: tuple[RowsLike, ArrayLike] | None = None,
        loss: Literal["zero_one", "balanced_zero_one", "log_loss"]
        | Callable[..., Any] = "zero_one",
        surrogate: Classifier | None = None,
        mix: float = 0.25,
        random_state: Seed = None,
    ):
        self.model = model
        self.labelled = labelled
        self.loss = loss
        self.surrogate = surrogate
        self.mix = mix
        self.random_state = random_state

    def query(self, X: RowsLike, *, limit: int | None = 1) -> RowNumbers:
        """Choose the next rows of the test.

        The order of all purchases is drawn at the first call, so the number of rows in
        a call does not matter.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the model takes
            The whole test pool, rows that the model was not trained on; in each call
            the same rows in the same order. No row is asked for twice.
        limit : int >= 0 or None, default=1
            Largest number of rows; None: all rows that are left.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which they were bought; empty when all
            rows are bought.

        Raises
        ------
        TypeError, ValueError
            At the first call as the class says; later for an X that is not the pool
            with which the test began.
        RuntimeError
            If another thread changed the test meanwhile. As with every error, nothing
            was bought.
        """
        limit = check_limit(limit, "limit")
        transaction = Transaction(self)
        test, X = transaction.learner, indexable_rows(X)
        if not hasattr(self, "_begun"):
            test._begun, test._requests = prepare_test(self, X), Ledger()
            test._outcomes = np.empty(0)
        elif not np.array_equal(hash_rows(X), self._begun.keys):
            raise ValueError(
                "X is not the pool with which the test began: pass the same rows in "
                "the same order in each query."
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
        """Store the labels of rows that were asked for, in any order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the model takes
            Rows; recognised by their values.
        y : array-like of shape (n_samples,)
            Their labels. A label that the model does not know is a mistake for the
            error; the log loss and the balanced error refuse it.

        Returns
        -------
        self : object
            The test.

        Raises
        ------
        ValueError
            For a row that is not pending (a label that was not chosen at random would
            bias the estimate), labels that do not match X, or a label that the loss
            refuses.
        RuntimeError
            If another thread changed the test meanwhile. As with every error, nothing
            was stored.
        """
        transaction = Transaction(self)
        test, X = transaction.learner, indexable_rows(X)
        y = np.asarray(check_labels(X, check_not_missing(y)))
        keys, requests = hash_rows(X), self._ledger
        entries = requests.find_entries(keys, (PENDING, SKIPPED))
        check_all_pending(entries >= 0)
        if len(y):
            distinct_labels(y, "y", self._begun.classes)
            outcomes = self._begun.outcomes(requests.rows[entries], y)
            test._outcomes = np.append(self._outcomes, outcomes)
            test._requests = requests.mark_taught(keys)
        return transaction.commit()

    def pending(self, X: RowsLike) -> RowNumbers:
        """Return the rows of X that were asked for and have no label yet.

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

        The estimate then treats them as if they had never been in the pool.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows whose labels will not come ("cannot tell"). None: all pending rows.

        Returns
        -------
        self : object
            The test.

        Raises
        ------
        ValueError
            For a row that is not pending.
        RuntimeError
            If another thread changed the test meanwhile.
        """
        transaction = Transaction(self)
        keys = None if X is None else hash_rows(indexable_rows(X))
        transaction.learner._requests = self._ledger.skip(keys)
        return transaction.commit()

    def estimate(
        self, confidence: float = 0.95, *, always_valid: bool = False
    ) -> Estimate:
        """Return an estimate of the mean loss of the pool.

        It uses the purchases before the first pending row. Labels of later rows are
        not used yet, because rows whose labels come late may differ from others.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        always_valid : bool, default=False
            Return an interval that stays valid if it is computed repeatedly, so that
            you may stop as soon as it is narrow enough. It is wider than the other
            interval, which holds for a number of labels that was chosen in advance.

        Returns
        -------
        estimate : Estimate
            Value and ends lie between the least and the largest possible mean of the
            pool, given the labels. Without a label the value is NaN. The balanced error
            needs a label of each known class, or all of the pool: until then the value
            is NaN and the interval from 0 to 1.

        Raises
        ------
        TypeError, ValueError
            For a parameter out of its range, before the first `query`, or for
            ``always_valid=True`` of the balanced error.
        """
        check_number(confidence, "confidence", 0, 1)
        check_flags(always_valid=always_valid)
        if not hasattr(self, "_begun"):
            raise ValueError("There is no label to estimate from: call `query` first.")
        plan, positions = self._begun.plan, self._requests.positions
        n_known = np.argmax(np.append(positions, PENDING) == PENDING)
        positions, order = positions[:n_known], self._begun.order[:n_known]
        skipped, order = order[positions == SKIPPED], order[positions >= 0]
        outcomes = self._outcomes[positions[positions >= 0]]
        if len(skipped):
            plan = plan.without(skipped)
            order = order - np.searchsorted(np.sort(skipped), order)
        value, low, high = self._begun.estimate(
            plan, order, outcomes, confidence, always_valid
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
        """Labels that were taught."""
        return self._ledger.n_taught

    @property
    def n_skipped_(self) -> int:
        """Rows that were skipped and not taught later."""
        return self._ledger.n_skipped

    @property
    def _ledger(self):
        return vars(self).get("_requests", Ledger())

    def __sklearn_clone__(self):
        """Return a test of the same finished model that has bought nothing."""
        return type(self)(**self.get_params(deep=False))
