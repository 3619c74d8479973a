"""A warning that a pool learner has one answer for all rows when it buys no more."""

import numpy as np

from .._containers import n_rows, take
from .._warnings import warn_of_constant

#: Rows of a larger pool for which predictions are looked at.
MOST_ROWS = 1_000

#: With fewer labels it is nothing unusual to know one class, or to predict one.
FEWEST_KNOWN, FEWEST_PREDICTED = 10, 50


def warn_of_one_answer(learner, X):
    """Warn if labels of one class were bought, or one class is predicted for all rows.

    That is, for the rows that were taught, 50 or more, and, only if these have one
    answer, for those of the pool, or 1,000 random ones of a larger one: it costs no
    second pass over many rows.

    Parameters
    ----------
    learner : PoolClassifier
        It buys no more, as its `stop_reason_` says.
    X : rows
        The pool.
    """
    labelled, reason = learner._labelled, learner.stop_reason_
    if reason in (None, "limit") or len(learner._requests):
        return
    if len(labelled) < max(learner.n_initial, FEWEST_KNOWN):
        return
    codes = np.unique(labelled.codes)
    if len(codes) == 1 and reason == "budget":
        warn_of_constant(
            learner,
            learner.classes_[codes[0]],
            "predicts {} for every row",
            f"since its {len(labelled)} labels are all of that class",
            learner._cure_of_one_label,
        )
    if len(codes) == 1 or not FEWEST_PREDICTED <= len(labelled) <= learner._n_trained:
        return
    answers, some = np.unique(learner.estimator_.predict(labelled.rows)), X
    if len(answers) == 1 and n_rows(X):
        some = some_rows(learner, X)
        answers = np.union1d(answers, learner.estimator_.predict(some))
    if len(answers) == 1:
        warn_of_constant(
            learner,
            answers[0],
            f"predicts {{}} for all labelled rows and for {n_rows(some)} of the pool",
            f"although it has been taught labels of {len(codes)} classes",
            learner._cure_of_one_answer,
        )


def some_rows(learner, X):
    """Return the rows of a pool, or random ones of a large one."""
    n = n_rows(X)
    if n <= MOST_ROWS:
        return take(X, slice(None))
    rng = np.random.default_rng((learner._seed, learner._n_rounds))
    return take(X, np.sort(rng.choice(n, MOST_ROWS, replace=False)))
