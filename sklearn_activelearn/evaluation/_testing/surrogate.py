"""Class probabilities of the test rows, from a model beside the one that is tested.

It says which rows are likely to be mistakes; if it is wrong, the estimate is less
precise, not biased.
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ..._containers import n_rows, take
from ..._labels import encode
from ...pool._base import PoolClassifier
from ...pool._training import seeded

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
