"""A pool learner's score, from the random rows among those that it bought."""

from typing import Literal

import numpy as np
from scipy.special import betaincinv

from .._containers import take
from .._validation import check_number, check_option
from ..pool._base import PoolClassifier
from ..pool._cross_validation import stratified_folds
from ..pool._labelled import Labelled
from ..pool._training import Known
from ._estimate import Estimate

#: Of so many random rows that were learned from, one counts: what was bought later
#: depends on them. Found by simulation, see the guide.
COUNTS_FOR = 2

#: Folds, if there are labels enough.
N_FOLDS = 10


def explored_score(
    learner: PoolClassifier,
    *,
    scoring: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    confidence: float = 0.95,
) -> Estimate:
    r"""Estimate a pool learner's accuracy from labels that it bought anyway.

    Rows that a rule chose are no fair test; those that were drawn at random are: the
    first rows, unless `initial` chose them, and those of `explore`. Each is predicted
    by a model that was trained on other labels.

    Parameters
    ----------
    learner : PoolClassifier
        One whose model follows from its labels: not `ALMSClassifier`, label propagation
        or boosting, nor one that is `incremental` or has an estimator with
        `warm_start`.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        The share of right predictions, or its mean over the classes.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval, at one moment that was chosen in advance.

    Returns
    -------
    estimate : Estimate
        Of the score on rows like those of the pool, ``n_labels`` of them random.
        Without a random row, or with labels of one class, the value is NaN and the
        interval everything.

    Raises
    ------
    TypeError
        For something else than a pool learner.
    ValueError
        For a learner whose model does not follow from its labels, or a parameter out
        of its range.

    See Also
    --------
    online_score : The same for stream learners.
    ActiveTest : Tests any model, with further labels.

    Notes
    -----
    The value is the share of the random rows that are predicted rightly in 10-fold
    cross-validation on all labels, for balanced accuracy the mean of these shares over
    the classes. A random row that was learned from is not quite a test row: what was
    bought later depends on it. Rows that cover the pool keep away from it, which makes
    the value too low; rows near a surprising label follow it, which makes it too high.
    So the interval is Clopper and Pearson's for half as many rows, unless all labels
    are of random rows; the guide has how often it covered the truth. Rows of unequal
    weight count for Kish's effective number of them [1]_; a class without a random row
    may have any share.

    References
    ----------
    .. [1] L. Kish, "Survey Sampling", Wiley 1965, section 11.7.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import scale
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> from sklearn_activelearn.evaluation import explored_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = UncertaintySamplingClassifier(
    ...     LogisticRegression(), explore=0.2, budget=100, random_state=0
    ... ).fit(scale(X), y)
    >>> print(explored_score(learner))
    0.964 (95 %: 0.712 to 1, 28 labels)
    """
    if not isinstance(learner, PoolClassifier):
        raise TypeError(
            f"explored_score needs a pool learner, got {type(learner).__name__}. "
            "online_score is for stream learners, ActiveTest for any other model."
        )
    if not learner._follows_from_labels():
        raise ValueError(
            f"The model of this {type(learner).__name__} does not follow from its "
            "labels alone: put rows aside, or use ActiveTest."
        )
    check_option(scoring, "scoring", ("accuracy", "balanced_accuracy"))
    check_number(confidence, "confidence", 0, 1)
    nothing = Estimate(np.nan, 0.0, 1.0, 0, float(confidence))
    if not hasattr(learner, "_labelled") or not learner._labelled.has_two_classes:
        return nothing
    ledger, codes = learner._requests, learner._labelled.codes
    entries = ledger.taught
    # of rows that nobody asked for, and of those that a rule chose, it is 1
    is_random = ledger.probabilities[entries] < 1
    n_random = int(np.count_nonzero(is_random))
    if not n_random:
        return nothing
    is_right = answers_held_out(learner)[is_random]
    groups = codes if scoring == "balanced_accuracy" else np.zeros_like(codes)
    found = np.unique(groups[is_random], return_inverse=True, return_counts=True)
    _, group, counts = found
    weights = 1 / counts[group] / len(counts)
    value = float(weights @ is_right)
    # what was bought without a rule depends on none of them
    n_each = COUNTS_FOR if len(is_random) > n_random else 1
    low, high = exact_interval(value, 1 / (n_each * (weights @ weights)), confidence)
    share = len(counts) / len(np.unique(groups))  # of classes with a random row
    ends = share * low, share * high + 1 - share
    return Estimate(value, *ends, n_random, float(confidence))


def exact_interval(share, n, confidence):
    """Return Clopper and Pearson's interval for a share of n, no whole number."""
    tail, right, wrong = (1 - confidence) / 2, n * share, n * (1 - share)
    low = betaincinv(right, wrong + 1, tail) if right > 0 else 0.0
    high = betaincinv(right + 1, wrong, 1 - tail) if wrong > 0 else 1.0
    return float(low), float(high)


def answers_held_out(learner):
    """Return whether models that were trained without it predict each label."""
    known, trainer = Known.of(learner), learner._make_trainer()
    labelled, labels = known.labelled, known.labels
    fold, n_folds = stratified_folds(labelled.codes, N_FOLDS)
    is_right = np.zeros(len(labels), dtype=bool)
    if n_folds < 2:
        return is_right
    for k in range(n_folds):
        training, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        rows = take(labelled.rows, training)
        part = Labelled(rows, labelled.codes[training], labelled.names)
        purposes = known.purposes[training]
        trained = trainer.train(known._replace(labelled=part, purposes=purposes), None)
        predicted = trained.model.predict(take(labelled.rows, test))
        is_right[test] = predicted == labels[test]
    return is_right
