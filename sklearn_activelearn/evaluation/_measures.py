"""Measures by name, what they need of a learner, and how good a constant answer is."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from warnings import catch_warnings, filterwarnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    check_scoring,
    f1_score,
    get_scorer,
    jaccard_score,
    log_loss,
    make_scorer,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._compat import STANDARD_SCORER, available_if
from .._typing import Estimator, RowsLike, Scoring
from .._validation import check_number
from ..sources._containers import n_rows

#: Measures of one class, by its predictions and by how rows are ranked.
OF_PREDICTIONS = {
    "f1": f1_score,
    "jaccard": jaccard_score,
    "precision": precision_score,
    "recall": recall_score,
}
OF_RANKS = {"average_precision": average_precision_score, "roc_auc": roc_auc_score}
DECISIONS = ("decision_function", "predict_proba")

#: Share of the labels from which on one class hides the others from the error.
MOSTLY = 0.7

#: Measures that are shown as errors, in percent, and what these are called.
ERRORS = {"accuracy": "error", "balanced_accuracy": "balanced error"}


class ConstantAnswer(ClassifierMixin, BaseEstimator):
    """The most frequent class for all rows, and the shares of the classes.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels that are counted.
    classes : ndarray of shape (n_classes,)
        All that there are.
    methods : tuple of str
        Of `decision_function` and `predict_proba`, those that it has.

    Attributes
    ----------
    answer_ : object
        The class.
    """

    n_queries_ = 0

    def __init__(self, y, classes, methods=DECISIONS):
        self.y, self.classes, self.methods = y, classes, methods
        self.classes_ = classes
        counts = np.array([np.count_nonzero(y == c) for c in classes])
        self.answer_ = classes[counts.argmax()]
        self.shares_ = counts / counts.sum()

    def predict(self, X):
        """Return the class for each row."""
        return np.full(n_rows(X), self.answer_)

    @available_if(lambda self: "predict_proba" in self.methods)
    def predict_proba(self, X):
        """Return the shares for each row."""
        return np.tile(self.shares_, (n_rows(X), 1))

    @available_if(lambda self: "decision_function" in self.methods)
    def decision_function(self, X):
        """Return the same values for each row."""
        shares = self.shares_
        if len(shares) == 2:
            return np.full(n_rows(X), shares[1] - shares[0])
        return np.tile(shares, (n_rows(X), 1))


class Measures:
    """One or several scorers, called as one.

    Parameters
    ----------
    scorers : dict of callable
        By name.
    best : tuple of float
        The best value of each: 0 for losses, whose scores are negative, else 1.

    Attributes
    ----------
    of_predictions : bool
        Whether all look only at what a learner says of rows, not at the rows.
    """

    def __init__(self, scorers, best):
        self.scorers, self.best = scorers, best
        self._together = check_scoring(None, scorers)  # predicts once for all
        self.of_predictions = all(
            scorer is own_score or isinstance(scorer, STANDARD_SCORER)
            for scorer in scorers.values()
        )

    def __call__(self, estimator, X, y):
        """Return the scores, shape (n_measures,)."""
        with catch_warnings():  # of classes that are not predicted, or not there
            simplefilter("ignore", UndefinedMetricWarning)
            filterwarnings("ignore", "y_pred contains|A single label", UserWarning)
            scores = self._together(estimator, X, y)
        return np.array([scores[name] for name in self.scorers])

    def constant(self, y_train, X, y, classes):
        """Return the scores of a constant answer; NaN where a function has none."""
        answer = ConstantAnswer(y_train, classes)
        scores = []
        with catch_warnings():
            simplefilter("ignore")
            for scorer in self.scorers.values():
                try:
                    scores.append(float(scorer(answer, X, y)))
                except (AttributeError, TypeError, ValueError):
                    scores.append(np.nan)
        return np.array(scores)


def measures_of(scoring, learner, y):
    """Return the measures that a user asks for, or say what is wrong with them.

    Parameters
    ----------
    scoring : str, callable, list, tuple, dict or None
        Names of scikit-learn or ``NAME:CLASS``; None is the learner's own `score`.
    learner : learner
        Unfitted; has the methods that a measure may use.
    y : ndarray of shape (n_samples,)
        All labels.

    Returns
    -------
    measures : Measures

    Raises
    ------
    ValueError
        For what is no scorer; for one that asks the learner for what it has not.
    """
    if isinstance(scoring, Mapping):
        asked = list(scoring.items())
    elif isinstance(scoring, list | tuple):
        asked = [(None, one) for one in scoring]
    else:
        asked = [(None, scoring)]
    if not asked:
        raise ValueError("scoring is empty.")
    scorers, best = {}, []
    for key, one in asked:
        name, scorer = named_scorer(one, learner, y)
        name = name if key is None else key
        if name in scorers:
            raise ValueError(f"scoring: there are two measures {name!r}; use a dict.")
        scorers[name] = scorer
        best.append(0.0 if isinstance(one, str) and one.startswith("neg_") else 1.0)
    return Measures(scorers, tuple(best))


def named_scorer(scoring, learner, y):
    """Return the name of one measure, and its scorer."""
    if scoring is None:
        is_accuracy = getattr(type(learner), "score", None) is ClassifierMixin.score
        return "accuracy" if is_accuracy else "score", own_score
    if not isinstance(scoring, str):
        if not callable(scoring):
            raise ValueError(f"scoring must be a name or a function, got {scoring!r}.")
        name = getattr(scoring, "__name__", "score")
        return name, check_scoring(None, scoring)
    methods = tuple(name for name in DECISIONS if hasattr(learner, name))
    classes = np.unique(y)
    name, scorer = scorer_by_name(scoring, methods, classes, y)
    try:
        with catch_warnings():
            simplefilter("ignore")
            scorer(ConstantAnswer(y, classes, methods), np.empty((len(y), 1)), y)
    except AttributeError as error:
        needed = " or ".join(m for m in DECISIONS if m in str(error))
        raise ValueError(
            f"scoring={scoring!r} needs {needed or error}, which "
            f"{type(learner).__name__} does not have."
        ) from None
    except ValueError as error:
        raise ValueError(f"scoring={scoring!r}: {error}") from error
    return name, scorer


def scorer_by_name(scoring, methods, classes, y):
    """Return the name and the scorer of a name for learners with these methods."""
    name, colon, wanted = scoring.partition(":")
    if colon:
        if name not in OF_PREDICTIONS | OF_RANKS:
            known = ", ".join(OF_PREDICTIONS | OF_RANKS)
            raise ValueError(f"scoring={scoring!r}: one class goes with {known}.")
        of_name = [c for c in classes.tolist() if str(c) == wanted]
        if not of_name:
            there = ", ".join(map(str, classes[:20]))
            raise ValueError(f"scoring={scoring!r}: the classes are {there}.")
        return scoring, one_class_scorer(name, of_name[0], classes)
    is_one_class = name in OF_PREDICTIONS or name == "average_precision"
    if is_one_class and len(classes) == 2 and 1 not in classes.tolist():
        rare = rarer_class(classes, y)
        return f"{name}:{rare}", one_class_scorer(name, rare, classes)
    if name in OF_PREDICTIONS and len(classes) > 2:
        raise ValueError(
            f"scoring={scoring!r} is of one class; there are {len(classes)}: take "
            f"'{name}_macro', or '{name}:CLASS' for one of them."
        )
    if name == "neg_log_loss":  # rows held out may lack a class
        return name, make_scorer(
            log_loss,
            greater_is_better=False,
            response_method="predict_proba",
            labels=classes,
        )
    if name == "roc_auc" and len(classes) > 2:
        name = "roc_auc_ovr"
    if name == "roc_auc_ovr" and "predict_proba" not in methods:
        return name, make_scorer(
            one_against_rest,
            response_method="decision_function",
            metric=roc_auc_score,
            classes=classes,
        )
    try:
        return name, get_scorer(name)
    except ValueError:
        raise ValueError(
            f"scoring={scoring!r} is no scorer of scikit-learn; accuracy, "
            "balanced_accuracy, f1, f1_macro, recall, average_precision, roc_auc and "
            "neg_log_loss are some."
        ) from None


def one_class_scorer(name, of, classes):
    """Return a scorer of one class against the others."""
    if name in OF_PREDICTIONS:
        return make_scorer(of_one_class, metric=OF_PREDICTIONS[name], of=of)
    return make_scorer(
        one_against_rest,
        response_method=DECISIONS,
        metric=OF_RANKS[name],
        classes=classes,
        only=[of],
    )


def of_one_class(y, predicted, *, metric, of):
    """Return a measure of the predictions of one class, whatever its name."""
    return metric(np.asarray(y) == of, np.asarray(predicted) == of)


def one_against_rest(y, values, *, metric, classes, only=None):
    """Return the mean over classes of a measure of how their rows are ranked.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels.
    values : ndarray of shape (n_rows,) or (n_rows, n_classes)
        Of two classes, those of the second.
    metric : callable
        ``metric(is_class, values)``.
    classes : ndarray of shape (n_classes,)
        In the order of the columns.
    only : list, default=None
        The classes that count; None: all.
    """
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    chosen = [k for k, c in enumerate(classes) if only is None or c in only]
    scores = [metric(np.asarray(y) == classes[k], values[:, k]) for k in chosen]
    return float(np.mean(scores))


def measure_name(scoring):
    """Return what a measure is called where it is shown."""
    name, _, of = scoring.removeprefix("neg_").partition(":")
    name = ERRORS.get(name, name.replace("_", " "))
    return f"{name} of {of!r}" if of else name


def own_score(estimator, X, y):
    """Return what a learner's own `score` says."""
    return estimator.score(X, y)


def rarer_class(classes, y):
    """Return the class with the fewest labels, the last of equals."""
    counts = [np.count_nonzero(y == c) for c in classes]
    return classes[::-1][np.argmin(counts[::-1])].item()


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
