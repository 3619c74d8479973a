"""Held-out score against labels bought, for any learner that keeps the protocol."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, indexable
from sklearn.utils.multiclass import check_classification_targets

from .._containers import take
from .._validation import check_number


@dataclass(frozen=True)
class LabelCurve:
    """Scores of a learner after each purchase, over repeated runs.

    Attributes
    ----------
    n_labels : ndarray of int of shape (n_points,)
        Label counts, ascending.
    scores : ndarray of shape (n_runs, n_points)
        Held-out score of each run with that many labels bought; NaN where the
        run bought fewer (or, for a learner that buys several at a time, was
        not scored at that count).
    n_bought : ndarray of int of shape (n_runs,)
        Labels each run bought in all.
    final_scores : ndarray of shape (n_runs,)
        Held-out score at the end of each run.
    n_offered : ndarray of int of shape (n_runs,)
        Rows each run could have bought.
    """

    n_labels: np.ndarray
    scores: np.ndarray
    n_bought: np.ndarray
    final_scores: np.ndarray
    n_offered: np.ndarray

    @property
    def carried_scores(self):
        """Scores with gaps filled by the run's last score before them.

        This is what a user has who is willing to pay for that many labels: a
        learner that stops asking keeps its model. Shape (n_runs, n_points);
        NaN only before a run's first score.
        """
        filled = self.scores.copy()
        for k in range(1, filled.shape[1]):
            gap = np.isnan(filled[:, k])
            filled[gap, k] = filled[gap, k - 1]
        return filled

    @property
    def mean(self):
        """Mean over runs of `carried_scores`, shape (n_points,)."""
        return _over_runs(np.nanmean, self.carried_scores)

    def labels_for(self, error):
        """Labels from which the mean error stays at most `error`; inf for never.

        "Stays", because the mean of a few runs also dips by chance.
        """
        good = reaches(self.mean, error + 1e-9)
        last_bad = np.flatnonzero(~good)[-1] if not good.all() else -1
        return float(np.append(self.n_labels, np.inf)[last_bad + 1])

    @property
    def std(self):
        """Standard deviation over runs of `carried_scores`, shape (n_points,)."""
        return _over_runs(np.nanstd, self.carried_scores)


def reaches(scores, error):
    """Whether 1 - scores is at most the error, up to rounding."""
    return 1 - scores <= error + 1e-12


def _over_runs(statistic, scores):
    out = np.full(scores.shape[1], np.nan)
    known = ~np.isnan(scores).all(axis=0)
    out[known] = statistic(scores[:, known], axis=0)
    return out


def label_curve(
    estimator,
    X,
    y,
    *,
    cv=None,
    scoring=None,
    n_repeats=1,
    n_jobs=None,
    at=None,
    until=None,
    random_state=None,
):
    """Measure the held-out score of a learner against the labels it has bought.

    Each run holds out one fold, offers the others to a clone of the learner in
    random order through `learn`, and scores it after each purchase.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Not changed. Every `random_state` in it is set anew for each run. The
        transformers of a pipeline are fitted on the run's unlabelled rows.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Data.
    y : array-like of shape (n_rows,)
        All labels; a learner sees those it buys.
    cv : int, splitter or iterable, default=None
        Folds: an int (None is 5) for stratified folds, shuffled anew for each
        repeat; otherwise anything that scikit-learn takes.
    scoring : str or callable, default=None
        A scorer as in scikit-learn; None for the learner's `score` (accuracy).
    n_repeats : int >= 1, default=1
        How often to go through all folds.
    n_jobs : int, default=None
        Runs in parallel, as in joblib.
    at : array-like of int >= 1, default=None
        Score at these label counts only. None: after each purchase.
    until : float, default=None
        End a run as soon as its error, 1 - score, is at most this.
    random_state : int, RandomState or None, default=None
        Folds, order of the rows and the learners' coins. An int gives the same
        ones for every learner, which makes curves comparable run by run.

    Returns
    -------
    curve : LabelCurve
        With ``n_repeats * n_folds`` runs.

    Raises
    ------
    TypeError
        For an estimator without `learn`.
    ValueError
        For label counts below 1, or data that the learner refuses.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> curve = label_curve(CBGZClassifier(), X, y, at=[50, 200], random_state=0)
    >>> print((1 - curve.mean).round(1))
    [0.6 0.2]
    """
    X, y = indexable(X, y)
    y = np.asarray(y)
    check_classification_targets(y)
    check_number(n_repeats, "n_repeats", 1, closed="left", integer=True)
    if until is not None:
        check_number(until, "until", 0, 1, closed="both")
    if at is not None:
        at = np.unique(np.asarray(at))
        if at.size == 0 or at.dtype.kind not in "iu" or at[0] < 1:
            raise ValueError("at must hold label counts, whole numbers from 1.")
    learner = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not hasattr(learner, "learn"):
        raise TypeError(f"{learner!r} is no active learner: it has no method `learn`.")
    scorer = check_scoring(learner, scoring)
    rng = check_random_state(random_state)
    tasks = []
    for _ in range(n_repeats):
        seed = rng.randint(2**31)
        folds = (
            StratifiedKFold(5 if cv is None else cv, shuffle=True, random_state=seed)
            if cv is None or isinstance(cv, Integral)
            else check_cv(cv, y, classifier=True)
        )
        for train, test in folds.split(X, y):
            run_rng = np.random.RandomState(rng.randint(2**31))
            tasks.append((run_rng.permutation(train), test, run_rng.randint(2**31)))
    runs = Parallel(n_jobs=n_jobs)(
        delayed(_run)(estimator, X, y, *task, scorer, at, until) for task in tasks
    )
    return _collect(runs, at, [len(train) for train, _, _ in tasks])


def _collect(runs, at, n_offered):
    """Lay the runs' scores on one axis of label counts."""
    if at is None:
        at = np.array(sorted({n for points, _, _ in runs for n in points}), dtype=int)
    scores = [[points.get(n, np.nan) for n in at.tolist()] for points, _, _ in runs]
    return LabelCurve(
        n_labels=at,
        scores=np.array(scores).reshape(len(runs), len(at)),
        n_bought=np.array([n for _, n, _ in runs]),
        final_scores=np.array([score for _, _, score in runs]),
        n_offered=np.array(n_offered),
    )


class _TargetReached(Exception):
    """Ends `learn` from within the oracle."""


def _run(estimator, X, y, train, test, seed, scorer, at, until):
    """Score one run; return {labels bought: score}, labels bought, last score."""
    estimator = clone(estimator)
    estimator.set_params(
        **{
            name: seed
            for name in estimator.get_params()
            if name == "random_state" or name.endswith("__random_state")
        }
    )
    X_train, X_test, y_train, y_test = (
        take(X, train),
        take(X, test),
        y[train],
        y[test],
    )
    learner = estimator
    if isinstance(estimator, Pipeline):
        learner = estimator[-1]
        if len(estimator) > 1:
            X_train = estimator[:-1].fit_transform(X_train)
            X_test = estimator[:-1].transform(X_test)
    points, n_bought = {}, 0

    def score_at(n):
        points[n] = scorer(learner, X_test, y_test)
        if until is not None and reaches(points[n], until):
            raise _TargetReached

    def oracle(rows):
        # the learner now has n_bought labels, and would have until it gets more
        nonlocal n_bought
        if at is None:
            wanted = [n_bought]
        else:
            after = n_bought + len(rows)
            wanted = at[np.searchsorted(at, n_bought) : np.searchsorted(at, after)]
        for n in wanted if n_bought else ():
            score_at(int(n))
        n_bought += len(rows)
        return y_train[rows]

    try:
        learner.learn(X_train, oracle, classes=np.unique(y))
        if n_bought and (at is None or n_bought in at):
            score_at(n_bought)
    except _TargetReached:
        pass
    return points, n_bought, scorer(learner, X_test, y_test)
