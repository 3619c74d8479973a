"""Measures by name: their scorers, constant baselines, and values as text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any
from warnings import catch_warnings, filterwarnings, simplefilter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    average_precision_score,
    check_scoring,
    f1_score,
    jaccard_score,
    log_loss,
    make_scorer,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.utils.validation import check_is_fitted

from ..base._labels import classes_of
from ..base._parameters import check_number
from ..base._scores import LABEL_SET_SCORES, find_scorer
from ..sources._containers import n_rows
from ..stream._search import last_step
from ..utils._compat import available_if
from ..utils.typing import Estimator, RowsLike, Scoring

#: Measures of one class: from predictions, and from how rows are ranked.
PREDICTION_MEASURES = {
    "f1": f1_score,
    "jaccard": jaccard_score,
    "precision": precision_score,
    "recall": recall_score,
}
RANK_MEASURES = {"average_precision": average_precision_score, "roc_auc": roc_auc_score}
ONE_CLASS_MEASURES = PREDICTION_MEASURES | RANK_MEASURES
DECISIONS = ("decision_function", "predict_proba")

#: Share of the labels above which one class hides the errors of the others.
MOSTLY = 0.7

#: Measures that are shown as errors, in percent, and the names of these errors.
ERRORS = {"accuracy": "error", "balanced_accuracy": "balanced error"}


class ConstantPrediction(ClassifierMixin, BaseEstimator):
    """Classifier that predicts the most frequent class, and the shares of all classes.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Labels that are counted. Of an indicator matrix the labels that most rows have
        are predicted.
    classes : ndarray of shape (n_classes,)
        All classes.
    methods : tuple of str
        Methods that it has, of `decision_function` and `predict_proba`.
    """

    n_queries_ = 0

    def __init__(self, y, classes, methods=DECISIONS):
        self.y, self.classes, self.methods = y, classes, methods
        self.classes_ = classes
        if y.ndim == 2:
            self.most_frequent_ = (y.mean(axis=0) > 0.5).astype(np.int64)
            self.shares_ = y.mean(axis=0)
            return
        counts = np.array([np.count_nonzero(y == c) for c in classes])
        self.most_frequent_ = classes[counts.argmax()]
        self.shares_ = counts / counts.sum()

    def predict(self, X):
        """Return the most frequent class for each row, or the same label set."""
        if self.y.ndim == 2:
            return np.tile(self.most_frequent_, (n_rows(X), 1))
        return np.full(n_rows(X), self.most_frequent_)

    @available_if(lambda self: "predict_proba" in self.methods)
    def predict_proba(self, X):
        """Return the shares of the classes for each row."""
        return np.tile(self.shares_, (n_rows(X), 1))

    @available_if(lambda self: "decision_function" in self.methods)
    def decision_function(self, X):
        """Return the same values for each row."""
        shares = self.shares_
        if len(shares) == 2 and self.y.ndim == 1:
            return np.full(n_rows(X), shares[1] - shares[0])
        return np.tile(shares, (n_rows(X), 1))


class Measures:
    """One or several scorers, called as one.

    Parameters
    ----------
    scorers : dict of callable
        Scorers by name.
    best : tuple of float
        Best value of each: 0 for losses, whose scores are negative, else 1.
    """

    def __init__(self, scorers, best):
        self.scorers, self.best = scorers, best
        self._together = check_scoring(None, scorers)  # predicts once for all

    def __call__(self, estimator, X, y):
        """Return the scores, shape (n_measures,)."""
        with catch_warnings():  # about classes that are not predicted, or not there
            simplefilter("ignore", UndefinedMetricWarning)
            filterwarnings("ignore", "y_pred contains|A single label", UserWarning)
            scores = self._together(estimator, X, y)
        if not all(isinstance(score, Real) for score in scores.values()):
            raise ValueError(f"scoring must return numbers, got {scores}.")
        return np.array([scores[name] for name in self.scorers])

    def constant(self, y_train, X, y, classes):
        """Return the scores of a constant prediction; NaN if a function has none.

        Rows with several labels get the most frequent labels, in the number that scores
        best on the training labels. Most labels are rare, and a prediction without any
        label has an F1 of 0.
        """
        scores = []
        with catch_warnings():
            simplefilter("ignore")
            for scorer in self.scorers.values():
                try:
                    constant = best_constant(scorer, y_train, classes)
                    scores.append(float(scorer(constant, X, y)))
                except (AttributeError, TypeError, ValueError):
                    scores.append(np.nan)
        return np.array(scores)


def best_constant(scorer, y, classes):
    """Return the constant prediction that scores best on these labels."""
    constant = ConstantPrediction(y, classes)
    if y.ndim == 1:
        return constant
    order = np.argsort(-constant.shares_, kind="stable")
    rows, candidates = np.empty((len(y), 1)), []
    for n in range(len(order) + 1):
        each = ConstantPrediction(y, classes)
        each.most_frequent_ = np.isin(np.arange(len(order)), order[:n]).astype(np.int64)
        candidates.append(each)
    return max(candidates, key=lambda each: scorer(each, rows, y))


def measures_of(scoring, learner, y, *, single=False):
    """Return the measures that `scoring` means, for a learner.

    Parameters
    ----------
    scoring : str, callable, list, tuple, dict or None
        Names of scikit-learn's scorers or ``NAME:CLASS``; None is the learner's own
        `score`.
    learner : learner
        Unfitted; has the methods that a measure may use.
    y : ndarray of shape (n_samples,)
        All labels.
    single : bool, default=False
        Refuse several measures.

    Returns
    -------
    measures : Measures

    Raises
    ------
    ValueError
        For an unknown scorer, for a scorer that needs a method that the learner does
        not have, and for several measures where one is needed.
    """
    if isinstance(scoring, Mapping):
        asked = list(scoring.items())
    elif isinstance(scoring, list | tuple):
        asked = [(None, one) for one in scoring]
    else:
        asked = [(None, scoring)]
    if not asked:
        raise ValueError("scoring is empty: name at least one measure.")
    if single and len(asked) > 1:
        raise ValueError(f"scoring must be one measure, got {scoring!r}.")
    scorers, best = {}, []
    for key, one in asked:
        name, scorer = named_scorer(one, learner, y)
        name = name if key is None else key
        if name in scorers:
            raise ValueError(
                f"scoring has the measure {name!r} twice. Pass a dict of names."
            )
        scorers[name] = scorer
        best.append(0.0 if isinstance(one, str) and one.startswith("neg_") else 1.0)
    return Measures(scorers, tuple(best))


def named_scorer(scoring, learner, y):
    """Return the name of one measure, and its scorer."""
    if scoring is None:
        is_accuracy = getattr(type(learner), "score", None) is ClassifierMixin.score
        return "accuracy" if is_accuracy else "score", own_score
    if not isinstance(scoring, str):
        return getattr(scoring, "__name__", "score"), find_scorer(scoring)
    methods = tuple(name for name in DECISIONS if hasattr(learner, name))
    classes = classes_of(y)
    find = scorer_by_name if np.ndim(y) == 1 else label_set_scorer
    name, scorer = find(scoring, methods, classes, y)
    try:
        with catch_warnings():
            simplefilter("ignore")
            scorer(ConstantPrediction(y, classes, methods), np.empty((len(y), 1)), y)
    except AttributeError as error:
        needed = " or ".join(m for m in DECISIONS if m in str(error))
        raise ValueError(
            f"scoring={scoring!r} needs {needed or error}, which "
            f"{type(learner).__name__} does not have. Use another measure, or a "
            "learner with that method."
        ) from None
    except ValueError as error:
        raise ValueError(f"scoring={scoring!r}: {error}") from error
    return name, scorer


def scorer_by_name(scoring, methods, classes, y):
    """Return the name and the scorer of a name for learners with these methods."""
    name, colon, wanted = scoring.partition(":")
    if colon:
        if name not in ONE_CLASS_MEASURES:
            raise ValueError(
                f"scoring={scoring!r}: only {', '.join(ONE_CLASS_MEASURES)} take a "
                "class."
            )
        of_name = [c for c in classes.tolist() if str(c) == wanted]
        if not of_name:
            raise ValueError(
                f"scoring={scoring!r}: there is no class {wanted!r}; the classes are "
                f"{', '.join(map(str, classes[:20]))}."
            )
        return scoring, one_class_scorer(name, of_name[0], classes)
    is_one_class = name in PREDICTION_MEASURES or name == "average_precision"
    if is_one_class and len(classes) == 2 and 1 not in classes.tolist():
        counts = [np.count_nonzero(y == c) for c in classes]
        rare = classes[::-1][np.argmin(counts[::-1])].item()  # the last of equals
        return f"{name}:{rare}", one_class_scorer(name, rare, classes)
    if name in PREDICTION_MEASURES and len(classes) > 2:
        raise ValueError(
            f"scoring={scoring!r} is a measure of one class, but there are "
            f"{len(classes)}: use '{name}_macro', or '{name}:CLASS' for one of them."
        )
    if name == "neg_log_loss":  # held-out rows may lack a class
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
        return name, find_scorer(name)
    except ValueError:
        raise ValueError(
            f"scoring={scoring!r} is not a scorer of scikit-learn. Some of them are "
            "accuracy, balanced_accuracy, f1, f1_macro, recall, average_precision, "
            "roc_auc and neg_log_loss."
        ) from None


def label_set_scorer(scoring, methods, classes, y):
    """Return the name and the scorer of a name for several labels for a row."""
    is_of_one_class = scoring.partition(":")[0] in ONE_CLASS_MEASURES
    if scoring == "neg_log_loss" or (is_of_one_class and scoring not in RANK_MEASURES):
        raise ValueError(
            f"scoring={scoring!r} is a measure of one label for each row. For several "
            f"labels for a row use {LABEL_SET_SCORES}."
        )
    return scorer_by_name(scoring, methods, classes[:0], y)


def one_class_scorer(name, positive, classes):
    """Return a scorer of one class against the others."""
    if name in PREDICTION_MEASURES:
        return make_scorer(
            one_class_score, metric=PREDICTION_MEASURES[name], positive=positive
        )
    return make_scorer(
        one_against_rest,
        response_method=DECISIONS,
        metric=RANK_MEASURES[name],
        classes=classes,
        only=[positive],
    )


def one_class_score(y, predicted, *, metric, positive):
    """Return a measure of the predictions of one class."""
    return metric(np.asarray(y) == positive, np.asarray(predicted) == positive)


def one_against_rest(y, values, *, metric, classes, only=None):
    """Return the mean over classes of a measure of the ranks of their rows.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels.
    values : ndarray of shape (n_rows,) or (n_rows, n_classes)
        Scores; for two classes the scores of the second one.
    metric : callable
        ``metric(is_class, values)``.
    classes : ndarray of shape (n_classes,)
        Classes in the order of the columns.
    only : list, default=None
        The classes that count; None: all.
    """
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    chosen = [k for k, c in enumerate(classes) if only is None or c in only]
    scores = [metric(np.asarray(y) == classes[k], values[:, k]) for k in chosen]
    return float(np.mean(scores))


def own_score(estimator, X, y):
    """Return the learner's own `score`."""
    return estimator.score(X, y)


@dataclass(frozen=True)
class NamedMeasure:
    """A measure by name, and its values as text.

    Attributes
    ----------
    scoring : str
        As for `label_curve`.
    why : str
        Why it was chosen; empty if the user chose it, and for the error.
    """

    scoring: str
    why: str = ""

    @property
    def is_error(self):
        """True if it is shown as an error, in percent."""
        return self.scoring in ERRORS

    @property
    def is_loss(self):
        """True if smaller values are better, as they are shown."""
        return self.is_error or self.scoring.startswith("neg_")

    @property
    def name(self):
        """Its name in tables and on axes."""
        name, _, positive = self.scoring.removeprefix("neg_").partition(":")
        name = ERRORS.get(name, name.replace("_", " "))
        return f"{name} of {positive!r}" if positive else name

    @property
    def article(self):
        """The name with an article."""
        begins = ("a", "e", "i", "o", "u", "f1")  # "f" is said "eff"
        return f"{'an' if self.name.startswith(begins) else 'a'} {self.name}"

    def number(self, error):
        """Return the value that belongs to an error, without its unit."""
        if self.is_error:
            return percent(error, 1)
        value = error if self.is_loss else 1 - error
        return "–" if np.isnan(value) else f"{value:.3f}"

    def text(self, error):
        """Return the value that belongs to an error, with its unit."""
        return self.number(error) + " %" * self.is_error

    def size(self, *differences):
        """Return differences of errors, at least 0, with their unit."""
        scale, digits, unit = (100, 1, " points") if self.is_error else (1, 3, "")
        return "–".join(f"{scale * each:.{digits}f}" for each in differences) + unit

    def difference(self, low, high):
        """Return the ends of an interval of differences of errors, in words."""
        less, more = ("less", "more") if self.is_loss else ("more", "less")
        if high <= 0:
            return f"{self.size(-high, -low)} {more}"
        if low < 0:
            return f"{self.size(-low)} {more} to {self.size(high)} {less}"
        return f"{self.size(low, high)} {less}"


def default_measure(y):
    """Return the error, or the balanced error where one class has most labels."""
    if y.ndim == 2:
        return NamedMeasure("f1_micro", "the rows have several labels")
    classes, counts = np.unique(y, return_counts=True)
    share = counts.max() / counts.sum()
    if share <= MOSTLY or len(classes) == 1:
        return NamedMeasure("accuracy")
    return NamedMeasure(
        "balanced_accuracy",
        f"the mean over classes, because {percent(share)} % of the labels are "
        f"{str(classes[counts.argmax()])!r}",
    )


def percent(value, digits=0):
    """Return a share in percent; a dash if it is unknown."""
    return "–" if np.isnan(value) else f"{100 * value:.{digits}f}"


def n_queries_scorer(estimator: Estimator, X: Any, y: Any) -> int:
    """Return the number of labels that a fitted learner has bought.

    More labels are not better: report this number beside another score, and do not
    select by it (``refit="accuracy"``, or see `make_priced_scorer`).

    Parameters
    ----------
    estimator : fitted learner, or Pipeline that ends in one
        Has ``n_queries_``.
    X, y : ignored
        Present because scorers get them.

    Returns
    -------
    n_queries : int
        Labels bought.

    Raises
    ------
    AttributeError
        For an estimator that does not count labels.
    NotFittedError
        For a learner that is not fitted.

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
    learner = last_step(estimator)
    check_is_fitted(learner)
    return learner.n_queries_


def make_priced_scorer(
    price: float, scoring: Scoring = "accuracy"
) -> Callable[[Any, RowsLike, Any], float]:
    """Return a scorer that subtracts the price of the labels from a score.

    Parameters
    ----------
    price : float >= 0
        Price of a label, in units of the score: with 0.0001, a hundred labels must
        raise the accuracy by one point to be worth it.
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
        For a price below 0, several scores, or an unknown score.

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
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"scoring must be one score, got {scoring!r}.")
    return partial(priced_score, price=price, scorer=check_scoring(None, scoring))


def priced_score(estimator, X, y, *, price, scorer):
    """Return ``score - price * labels bought``."""
    return scorer(estimator, X, y) - price * n_queries_scorer(estimator, X, y)
