"""Which of several candidates is the best: K-fold cross-validation on the labels."""

from functools import partial

import numpy as np
from joblib import Parallel, delayed
from sklearn import metrics
from sklearn.base import clone

from .._containers import take
from .._labels import encode
from ._input_checks import check_has
from ._losses import log_loss, probabilities_of_all


def check_scoring(scoring, candidates):
    """Raise if it is no scoring, or a candidate lacks the probabilities it needs."""
    if not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            "scoring must be the name of a scikit-learn scorer or "
            f"scorer(estimator, X, y), got {scoring!r}."
        )
    if isinstance(scoring, str) and scoring not in metrics.get_scorer_names():
        raise ValueError(
            f"scoring={scoring!r} is not a scorer of scikit-learn; "
            "sklearn.metrics.get_scorer_names() lists them."
        )
    metrics.check_scoring(candidates[0], scoring)
    if scoring == "neg_log_loss":
        for candidate in candidates:
            hint = "Wrap it in sklearn.calibration.CalibratedClassifierCV."
            check_has("predict_proba", candidate, 'scoring="neg_log_loss"', hint)


def scorer_of(scoring, classes):
    """Return ``scorer(model, X, y)``, higher is better, for a name or the user's."""
    if scoring == "accuracy":
        return accuracy
    if scoring == "neg_log_loss":
        return partial(neg_log_loss, classes)
    return metrics.get_scorer(scoring)


def accuracy(model, X, y):
    """Share of right predictions."""
    return np.mean(model.predict(X) == y)


def neg_log_loss(classes, model, X, y):
    """Minus the mean log loss; the model and the rows may not know all classes."""
    p = probabilities_of_all(model, X, classes)
    return -log_loss(encode(y, classes), p).mean()


def cv_scores(prototypes, labelled, classes, scorers, cv, n_jobs):
    """Return the scores of candidates in K-fold cross-validation.

    The folds are those of `stratified_folds`; each counts as many rows as it has. With
    one row of the second largest class there is nothing to choose by, and all scores
    are 1; so are those of a candidate without a rival, which needs no validation.

    Returns
    -------
    scores : ndarray of shape (n_scorers, n_candidates)
        Higher is better.
    """
    fold, n_folds = stratified_folds(labelled.codes, cv)
    if n_folds < 2 or len(prototypes) == 1:
        return np.ones((len(scorers), len(prototypes)))
    labels = classes[labelled.codes]
    found = Parallel(n_jobs=n_jobs)(
        delayed(held_out_scores)(prototype, labelled.rows, labels, fold == k, scorers)
        for prototype in prototypes
        for k in range(n_folds)
    )
    found = np.reshape(found, (len(prototypes), n_folds, len(scorers)))
    if not np.isfinite(found).all():
        raise ValueError(
            f"scoring must be finite, got {found[~np.isfinite(found)][0]} in "
            f"cross-validation on {len(labels)} labels."
        )
    return np.einsum("pks,k->sp", found, np.bincount(fold)) / len(labels)


def held_out_scores(prototype, rows, labels, is_test, scorers):
    """Train on all folds but one, score that one."""
    training, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    model = clone(prototype).fit(take(rows, training), labels[training])
    given = take(rows, test), labels[test]
    return [scorer(model, *given) for scorer in scorers]


def middle_of_best(scores):
    """Return which candidate has the highest score, the middle one of equals.

    Candidates that nothing tells apart are neighbours in a grid, most often: the first
    of them would be the weakest penalty, or the strongest, by no more than the order
    in which the grid was written.
    """
    best = np.flatnonzero(np.isclose(scores, scores.max(), rtol=1e-9, atol=1e-12))
    return int(best[(len(best) - 1) // 2])


def stratified_folds(codes, n_folds):
    """Return the fold of each row, and how many folds there are.

    As many as are wanted, or fewer while the second largest class has fewer rows: each
    training set needs two classes.
    """
    n_folds = min(n_folds, np.sort(np.bincount(codes))[-2])
    fold = np.empty(len(codes), dtype=int)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n_folds
    return fold, n_folds
