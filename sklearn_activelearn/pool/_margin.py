"""Minimum margin: buy the row nearest to the decision boundary."""

from functools import partial

import numpy as np
from sklearn.svm import LinearSVC

from ..base._scores import of_padded, scores_of, smallest_margin
from ..sources._containers import n_rows
from ..sources._source import Source
from ..utils._docstrings import POOL, documented
from ._base import PoolClassifier
from ._passive import passive_baseline

#: Squares of smaller numbers are 0, or have few digits.
SMALLEST_SCALE = np.sqrt(np.finfo(np.float64).tiny)


@documented(POOL)
class MinMarginClassifier(PoolClassifier):
    """Pool learner that buys the row nearest to the decision boundary ("Simple").

    Around any classifier with `decision_function`: train on the labels bought,
    buy the row with the smallest decision value, and again.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with `decision_function`. Cloned, never changed. None:
        ``LinearSVC()``.
    {n_initial, initial, batch_size, batch, embedding, explore, n_candidates, budget,
    stopping, incremental, n_jobs, random_state}

    Attributes
    ----------
    {estimator_, attributes_of_all}

    {raises}

    See Also
    --------
    UncertaintySamplingClassifier : Uses probabilities instead.
    PassiveClassifier : Buys random rows.

    Notes
    -----
    For two classes the utility of a row is :math:`-|f(x)|`; for more, minus the
    gap between the two highest decision values. Ties are broken at random. With
    more than two classes the decision values of an `SVC` are votes with a confidence,
    and it must keep ``decision_function_shape="ovr"``; `LinearSVC` has distances.

    The rows bought are not a random sample of the pool, and scores on them mislead.

    An `SVC` computes the kernel between the pool and its support vectors again
    for every query. For a linear kernel ``LinearSVC`` scores the same pool
    with one matrix product, which is many times faster on a large one.

    References
    ----------
    .. [1] S. Tong, D. Koller, "Support Vector Machine Active Learning with
       Applications to Text Classification", JMLR 2, 2001, section 4 ("Simple
       Margin").
    .. [2] G. Schohn, D. Cohn, "Less is More: Active Learning with Support Vector
       Machines", ICML 2000.
    .. [3] C. Campbell, N. Cristianini, A. Smola, "Query Learning with Large Margin
       Classifiers", ICML 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    >>> learner = MinMarginClassifier(model, budget=40, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    40 labels, accuracy 0.98
    """

    _default_estimator = LinearSVC()

    _needs = "decision_function"
    _advice_without_method = (
        'Use UncertaintySamplingClassifier(estimator, measure="margin"), which needs '
        "predict_proba."
    )

    def _check_rows(self, X, *y, reset, **how):
        out = super()._check_rows(X, *y, reset=reset, **how)
        rows = out[0] if y else out
        is_read = hasattr(rows, "dtype") and not isinstance(rows, Source)
        if reset and self.estimator is None and is_read and rows.dtype.kind == "f":
            largest = max(rows.max(), -rows.min()) if n_rows(rows) else 1  # no copy
            if 0 < largest < SMALLEST_SCALE:
                raise ValueError(
                    f"The largest number in X is {largest:.0e}: squares of such "
                    "features are 0, and LinearSVC may not end. Scale the features."
                )
        return out

    def _passive_baseline(self):
        return passive_baseline(self)

    def _utility(self, X):
        return smallest_margin(of_padded(partial(scores_of, self.estimator_), X))
