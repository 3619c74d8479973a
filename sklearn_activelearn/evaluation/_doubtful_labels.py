"""Labels that a model which was trained on the other labels finds unlikely."""

from typing import NamedTuple
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state, column_or_1d, indexable

from ..base._coded_classifiers import fit_on_labels
from ..base._labels import check_not_missing, encode, find_classes
from ..base._scores import probabilities_of_all, scores_of_all
from ..base._validation import check_sparse_rows
from ..base._verbs import seeded
from ..pool._cold_start import Prior
from ..sources._containers import take
from ..utils.typing import CV, Classifier, Floats, Labels, RowNumbers, RowsLike, Seed
from ._experiments import shuffled_folds


class DoubtfulLabels(NamedTuple):
    """Labels in the order in which to check them.

    Attributes
    ----------
    indices : ndarray of int64 of shape (n_rows,)
        The rows, the most doubtful first.
    confidence : ndarray of shape (n_rows,)
        Confidence of the model in the given label of each of these rows.
    predicted : ndarray of shape (n_rows,)
        The class that the model prefers.
    """

    indices: RowNumbers
    confidence: Floats
    predicted: Labels


def doubtful_labels(
    estimator: Classifier,
    X: RowsLike,
    y: ArrayLike,
    *,
    cv: CV | None = None,
    random_state: Seed = None,
) -> DoubtfulLabels:
    """Order labels by the confidence of a model that was trained without them.

    A model that was trained on the other labels rarely expects a wrong label. Check the
    first labels: more of them are wrong than of the others.

    Parameters
    ----------
    estimator : classifier
        Has ``predict_proba`` or ``decision_function``. It is cloned for each fold, and
        each `random_state` in it that is not a number is set.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels, of at least two classes.
    cv : int >= 2, splitter or iterable, default=None
        Folds: an int (None is 5) for shuffled, stratified folds; otherwise anything
        that scikit-learn takes. For a row that is held out several times the mean
        counts; rows that are never held out are not in the result.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the estimator.

    Returns
    -------
    doubtful : DoubtfulLabels
        ``indices`` of the rows, the most doubtful first; ``confidence`` in the label of
        each, between 0 and 1, or without ``predict_proba`` its decision value minus the
        largest of the other classes; ``predicted``, the class that the model prefers,
        which may be the given one.

    Raises
    ------
    ValueError
        For labels of one class, and data that the estimator refuses.
    TypeError
        For an estimator with neither method.

    Notes
    -----
    The confidence is the self-confidence of [1]_: the out-of-fold probability of the
    given label. A class without a label in the training part has the probability 0, so
    the only label of a class comes first. No share of wrong labels is estimated.

    References
    ----------
    .. [1] C. G. Northcutt, L. Jiang and I. L. Chuang. Confident learning: estimating
       uncertainty in dataset labels. Journal of Artificial Intelligence Research 70,
       1373-1411, 2021. Section 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_activelearn.evaluation import doubtful_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> wrong = [3, 77, 200, 301, 402]
    >>> y[wrong] = 1 - y[wrong]
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> found = doubtful_labels(model, X, y, random_state=0)
    >>> sorted(set(found.indices[:10].tolist()) & set(wrong))
    [3, 77, 200, 301, 402]
    """
    check_sparse_rows(X)
    X, y = indexable(X, check_not_missing(y))
    y = np.asarray(column_or_1d(y))
    classes, rng = find_classes(y), check_random_state(random_state)
    codes, seed = encode(y, classes), int(rng.randint(2**31))
    has_probabilities = hasattr(estimator, "predict_proba")
    if not has_probabilities and not hasattr(estimator, "decision_function"):
        raise TypeError(
            "estimator must have predict_proba or decision_function, got "
            f"{estimator!r}."
        )
    scores_for = probabilities_of_all if has_probabilities else scores_of_all
    sums, n_held_out = np.zeros((len(y), len(classes))), np.zeros(len(y), np.int64)
    for train, test in split_folds(cv, X, y, seed):
        model = Prior(y[train])
        if (y[train] != y[train][0]).any():
            rows = take(X, train)
            model = fit_on_labels(seeded(estimator, seed), rows, y[train])
        sums[test] += scores_for(model, take(X, test), classes)
        n_held_out[test] += 1
    (rows,) = np.nonzero(n_held_out)
    scores = sums[rows] / n_held_out[rows, None]
    given = codes[rows]
    predicted = classes[scores.argmax(axis=1)]
    each = np.arange(len(rows))
    confidence = scores[each, given].copy()
    if not has_probabilities:
        scores[each, given] = -np.inf
        confidence -= scores.max(axis=1)
    order = np.argsort(confidence, kind="stable")
    return DoubtfulLabels(rows[order], confidence[order], predicted[order])


def split_folds(cv, X, y, seed):
    """Return the rows to train on and the rows held out of each fold."""
    if cv is None:
        cv = min(5, int(np.unique(y, return_counts=True)[1].max()))
        if cv < 2:
            raise ValueError("No label can be held out: each class has only one label.")
    with catch_warnings():  # a class of few rows may be missing in some folds
        filterwarnings("ignore", "The least populated class in y", UserWarning)
        return list(shuffled_folds(cv, y, seed).split(X, y))
