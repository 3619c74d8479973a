"""A test of a finished model that chooses its rows."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._compat import BaseEstimator
from ..._containers import rounded_keys, row_keys
from ..._identity import ByValue
from ..._labels import distinct_labels, present_labels
from ..._transaction import begin
from ..._typing import Classifier, RowNumbers, RowsLike, Seed
from ..._validation import check_all_out, check_flag, check_limit, check_number
from ...pool._input_checks import check_labels, indexable_rows
from ...pool._ledger import OUT, SKIPPED, Ledger
from .._estimate import Estimate
from .lure import step_probabilities
from .setup import prepare_test

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
        transaction = begin(self)
        test, X = transaction.learner, indexable_rows(X)
        if not hasattr(self, "_begun"):
            test._begun, test._requests, test._losses = (
                prepare_test(self, X),
                Ledger(),
                NONE,
            )
        elif not np.array_equal(rounded_keys(X), self._begun.keys):
            raise ValueError(
                "X is not the pool that the test began with: the same rows in the same "
                "order are needed in each query."
            )
        begun, n_bought = test._begun, test.n_queries_
        rows = begun.order[n_bought : n_bought + limit]
        steps = step_probabilities(begun.plan.probabilities, begun.order)
        test._requests = test._requests.plus(
            row_keys(X, rows), rows, steps[n_bought : n_bought + limit]
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
        transaction = begin(self)
        test, X = transaction.learner, indexable_rows(X)
        y = np.asarray(check_labels(X, present_labels(y)))
        keys, requests = row_keys(X), self._ledger
        entries = requests.find(keys, (OUT, SKIPPED))
        check_all_out(entries >= 0)
        if len(y):
            distinct_labels(y, "y", self._begun.classes)
            losses = self._begun.losses(requests.rows[entries], y)
            test._losses = np.append(self._losses, losses)
            test._requests = requests.answered(keys)
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
        transaction = begin(self)
        keys = None if X is None else row_keys(indexable_rows(X))
        transaction.learner._requests = self._ledger.skipped(keys)
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
        plan, places = self._begun.plan, self._requests.places
        n_known = np.argmax(np.append(places, OUT) == OUT)
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
