"""Scores of learners from labels that they bought anyway, chosen at random."""

from typing import Literal

import numpy as np

from ..base._labels import stratified_folds
from ..base._parameters import check_limit, check_number, check_option
from ..base._scores import predict_labels
from ..base._transaction import shallow_copy
from ..pool._base import PoolClassifier
from ..pool._training import held_out_models
from ..stream._base import StreamLoop
from ..utils._statistics import (
    Estimate,
    clopper_pearson_interval,
    online_score_t_interval,
)

#: Random rows that count as one test row, because later purchases depend on them. Found
#: by simulation, see the guide.
COUNTS_FOR = 2

#: Largest number of folds. Ten would take twice the time, of which people wait for each
#: advice on a session.
N_FOLDS = 5


def explored_score(
    learner: PoolClassifier,
    *,
    scoring: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    confidence: float = 0.95,
) -> Estimate:
    r"""Estimate a pool learner's accuracy from labels that it bought anyway.

    Only rows that were drawn at random are a fair test: the first rows, unless
    `initial` chose them, and the rows of `explore`. Each is predicted by a model that
    was trained on other labels.

    Parameters
    ----------
    learner : PoolClassifier
        A learner whose model follows from its labels: not `ALMSClassifier`, label
        propagation or boosting, nor a learner whose estimator has `warm_start`.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        The share of right predictions, or its mean over the classes.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval, at one moment that was chosen in advance.

    Returns
    -------
    estimate : Estimate
        Estimate of the score on rows like the rows of the pool, from ``n_labels``
        random rows. Without a random row, or with less than two labels of a second
        class, the value is NaN and the interval is [0, 1].

    Raises
    ------
    TypeError
        For an object that is not a pool learner.
    ValueError
        For a learner whose model does not follow from its labels, or a parameter out
        of its range.

    See Also
    --------
    online_score : Estimates the error of stream learners.
    ActiveTest : Tests any model, with further labels.

    Notes
    -----
    The value is the share of the random rows that are predicted correctly in 5-fold
    cross-validation on all labels; for balanced accuracy it is the mean of these shares
    over the classes. The weights of a `BlendClassifier` come from all labels, and only
    its members are trained for each fold.

    A random row that was learned from is not quite a test row, because later purchases
    depend on it: a rule that covers the pool avoids its neighbours, which makes the
    value too low, and a rule that follows a surprising label buys them, which makes it
    too high. Therefore the interval is Clopper and Pearson's for half the number of
    rows, unless all labels are of random rows; the guide reports how often it covered
    the truth. Rows of unequal weight count as Kish's effective number [1]_; a class
    without a random row may have any share.

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
    if not learner.make_trainer().follows_from_labels:
        raise ValueError(
            f"The model of this {type(learner).__name__} does not follow from its "
            "labels alone: hold out test rows, or use ActiveTest."
        )
    check_option(scoring, "scoring", ("accuracy", "balanced_accuracy"))
    check_number(confidence, "confidence", 0, 1)
    nothing = Estimate(np.nan, 0.0, 1.0, 0, float(confidence))
    ledger = getattr(learner, "_ledger", None)
    if ledger is None or not ledger.labelled.has_two_classes:
        return nothing
    codes, are_label_sets = ledger.labelled.codes, learner._state.target.has_label_sets
    if are_label_sets and scoring != "accuracy":
        raise ValueError(
            "Several labels for a row have no classes to balance: use "
            'scoring="accuracy", the share of rows whose labels are all right.'
        )
    entries = ledger.taught
    # the probability is 1 for rows that a rule chose and for unasked labels
    is_random = ledger.probabilities[entries] < 1
    n_random = int(np.count_nonzero(is_random))
    # with one label of a second class no model can be trained without it
    if not n_random or stratified_folds(codes, N_FOLDS, are_label_sets)[1] < 2:
        return nothing
    is_right = predict_held_out(learner, np.flatnonzero(is_random))
    groups = codes if scoring == "balanced_accuracy" else np.zeros_like(codes)
    found = np.unique(groups[is_random], return_inverse=True, return_counts=True)
    _, group, counts = found
    weights = 1 / counts[group] / len(counts)
    value = float(weights @ is_right)
    # without a rule no purchase depends on earlier labels
    n_each = COUNTS_FOR if len(is_random) > n_random else 1
    low, high = clopper_pearson_interval(
        value, 1 / (n_each * (weights @ weights)), confidence
    )
    share = len(counts) / len(np.unique(groups))  # classes with a random row
    ends = share * low, share * high + 1 - share
    return Estimate(value, *ends, n_random, float(confidence))


def predict_held_out(learner, rows):
    """Return for some labels whether a model trained without them predicts them.

    Parameters
    ----------
    learner : PoolClassifier
        A learner with two labels of each of two classes.
    rows : ndarray of int of shape (n_tested,)
        Positions of the labels, in the order of teaching.
    """
    labelled = learner._ledger.labelled
    codes = labelled.codes
    # each fold has labels of all classes: a model that lacks only the tested labels
    # would find their classes too rare
    fold, _ = stratified_folds(codes, N_FOLDS, learner._state.target.has_label_sets)
    is_right = np.zeros(len(codes), dtype=bool)
    folds = np.unique(fold[rows])
    copy = shallow_copy(learner)
    copy._check_parameters()
    models = held_out_models(
        copy._parts.trainer,
        copy._state.known(copy._parts),
        copy._state.trained,
        [np.flatnonzero(fold != k) for k in folds],
    )
    for k, model in zip(folds, models, strict=True):
        test = np.flatnonzero(fold == k)
        predicted = predict_labels(model, labelled.part(test).rows)
        same = predicted == learner._state.target.table[codes[test]]
        is_right[test] = same.reshape(len(test), -1).all(axis=1)
    return is_right[rows]


def online_score(
    learner: StreamLoop,
    *,
    window: int | None = None,
    confidence: float = 0.95,
) -> Estimate:
    r"""Estimate a stream learner's own error from the labels that it bought anyway.

    The error is the share of rows whose class the learner predicted wrongly, each with
    the weights of that moment, before its label was learned.

    Parameters
    ----------
    learner : stream learner
        A learner whose query probability is never 0: `CBGZClassifier`,
        `SOLEClassifier`, `RandomSamplingClassifier`, `SecondOrderPerceptronClassifier`,
        and `MarginLossClassifier` with the log- or root-ramp, the sigmoid or the hinge.
    window : int >= 1 or None, default=None
        Number of last rows to use. Some earlier rows are used, too: fewer than 64, or
        than an eighth of the window if that is more. None: all rows since the last
        `fit`.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval, for a number of rows that was chosen in
        advance.

    Returns
    -------
    estimate : Estimate
        Estimate of the error on these ``n_rows`` rows. Without a label the value is
        NaN; if every label was bought it is exact, and the interval is a point.

    Raises
    ------
    TypeError
        For an object that is not a stream learner.
    ValueError
        For a learner that asks below a threshold (`DKMClassifier`,
        `GreedyOnlineClassifier`, `RLSSamplingClassifier`), or whose query probability
        was 0 for a row, as with the ramp: the labels say nothing about such rows. For a
        learner that has not seen a row, and a parameter out of its range.

    See Also
    --------
    ActiveTest : Tests a finished model, with further labels.

    Notes
    -----
    Row t is bought if :math:`\xi_t = 1`, which has probability :math:`q_t`, and
    :math:`m_t` is 1 for a mistake, else 0. The probabilities depend on earlier labels,
    but :math:`\xi_t m_t / q_t` has the mean :math:`m_t` given the past. The value is
    the ratio :math:`h = \sum \xi_t m_t / q_t \div \sum \xi_t / q_t`. With
    :math:`\alpha_t = (1 - q_t) / q_t`,
    :math:`\bar A` its mean over all T rows, and :math:`A = (\sum \xi_t m_t \alpha_t /
    q_t + \bar A) \div (\sum \xi_t m_t / q_t + 1)`, at most :math:`\bar A / h`, the
    interval is the set of x with :math:`(x - h)^2 \le t^2_{n-1} / T \, [A x + (\bar A -
    2 A) x^2]`, t being Student's quantile for n labels: the inversion of a score test.
    The estimate is progressive validation [1]_ with the weights of importance-weighted
    active learning [2]_.

    Rows count while the learner can buy: not after its budget or patience has run out,
    and not beyond the `limit` of a `query`. Predictions are made with the last weights,
    which choose and learn, not with their mean (`average`), with which the learner's
    ``predict`` usually makes fewer mistakes. A late label is compared with the
    prediction at its purchase. Labels of rows that were not asked for do not count.
    Pending and skipped rows are left out, as if they had never come. This is correct if
    their labels are like other labels that were equally likely to be bought.
    `SOLEClassifier` knows q only for some rows; for the others a lower bound of q
    replaces it.

    References
    ----------
    .. [1] A. Blum, A. Kalai, J. Langford, "Beating the Hold-Out: Bounds for K-fold and
       Progressive Cross-Validation", COLT 1999.
    .. [2] A. Beygelzimer, S. Dasgupta, J. Langford, "Importance Weighted Active
       Learning", ICML 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import online_score
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(b=0.3, random_state=0).fit(X, y == 3)
    >>> print(online_score(learner))
    0.0866 (95 %: 0.0729 to 0.103, 558 labels of 1797 rows)
    """
    if not isinstance(learner, StreamLoop):
        raise TypeError(
            f"online_score needs a stream learner, got {type(learner).__name__}. Test "
            "any other model with ActiveTest."
        )
    if window is not None:
        window = check_limit(window, "window", low=1)
    check_number(confidence, "confidence", 0, 1)
    sums = learner._checked_tallied().since(window)
    value, low, high = np.nan, 0.0, 1.0
    if sums.n_labels:
        value = min(sums.mistakes / sums.weights, 1.0)
        interval = online_score_t_interval(sums, confidence)
        low, high = np.clip([min(*interval, value), max(*interval, value)], 0, 1)
    return Estimate(
        value, float(low), float(high), int(sums.n_labels), float(confidence),
        int(sums.n_rows),
    )  # fmt: skip
