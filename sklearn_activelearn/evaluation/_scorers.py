"""Scorers that know what a learner paid, for `GridSearchCV` and `cross_validate`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import accuracy_score, check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._typing import Estimator, RowsLike, Scoring
from .._validation import check_number


def learner_of(estimator):
    """Return the last step of a pipeline, however deep; another estimator itself."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return estimator


def check_one_score(scoring, learner=None):
    """Return a scorer; refuse several."""
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"scoring must be one score, got {scoring!r}.")
    return check_scoring(learner, scoring)


def n_queries_scorer(estimator: Estimator, X: Any, y: Any) -> int:
    """Return the labels that a fitted learner has bought.

    More of them is not better: report this beside another score, and do not select
    by it (``refit="accuracy"``, or see `make_priced_scorer`).

    Parameters
    ----------
    estimator : fitted learner, or Pipeline that ends in one
        Asked for ``n_queries_``.
    X, y : ignored
        Scorers get them.

    Returns
    -------
    n_queries : int
        The bill.

    Raises
    ------
    AttributeError
        For an estimator that does not count labels, or is not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import n_queries_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> search = GridSearchCV(
    ...     CBGZClassifier(random_state=0), {"b": [0.01, 0.1]}, refit="accuracy",
    ...     scoring={"accuracy": "accuracy", "labels": n_queries_scorer},
    ... ).fit(X, y)
    >>> print(search.cv_results_["mean_test_labels"].round(-2))
    [100. 500.]
    """
    learner = learner_of(estimator)
    check_is_fitted(learner)
    return learner.n_queries_


def accuracy_per_label_scorer(estimator: Estimator, X: RowsLike, y: ArrayLike) -> float:
    """Return what each label bought, on average, in accuracy beyond guessing.

    Guessing means the most frequent class of `y` for all rows. The first labels
    teach most, so this favours learners that stop early: it is a figure to report,
    and ranks learners sensibly only at like budgets. To trade accuracy against
    labels, say what a label costs with `make_priced_scorer`.

    Parameters
    ----------
    estimator : fitted learner, or Pipeline that ends in one
        Asked for ``predict`` and ``n_queries_``.
    X : array-like of shape (n_samples, n_features)
        Held-out rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    gain : float
        (accuracy - share of the largest class) / labels bought; 0 without labels.

    Raises
    ------
    AttributeError
        For an estimator that does not count labels.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import accuracy_per_label_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(budget=200, random_state=0).fit(X[:1500], y[:1500])
    >>> print(f"{accuracy_per_label_scorer(learner, X[1500:], y[1500:]):.4f}")
    0.0031
    """
    n_queries = n_queries_scorer(estimator, X, y)
    if n_queries == 0:
        return 0.0
    _, counts = np.unique(y, return_counts=True)
    gain = accuracy_score(y, estimator.predict(X)) - counts.max() / counts.sum()
    return float(gain / n_queries)


def make_priced_scorer(
    price: float, scoring: Scoring = "accuracy"
) -> Callable[[Any, RowsLike, ArrayLike], float]:
    """Return a scorer of what remains of a score once the labels are paid for.

    Parameters
    ----------
    price : float >= 0
        What a label costs, in units of the score: with 0.0001, a hundred labels
        must raise the accuracy by one point to be worth it.
    scoring : str or callable, default="accuracy"
        The score, as in scikit-learn.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)``: score - price × labels bought. Higher is better,
        so a search may select by it.

    Raises
    ------
    ValueError
        For a price below 0, several scores, or one that scikit-learn does not know.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import make_priced_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> search = GridSearchCV(
    ...     CBGZClassifier(random_state=0), {"b": [0.01, 0.1]},
    ...     scoring=make_priced_scorer(0.001),
    ... ).fit(X, y)
    >>> search.best_params_
    {'b': 0.01}
    """
    check_number(price, "price", 0, closed="left")
    return partial(_priced, price=price, scorer=check_one_score(scoring))


def _priced(estimator, X, y, *, price, scorer):
    return scorer(estimator, X, y) - price * n_queries_scorer(estimator, X, y)
