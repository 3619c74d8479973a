"""RLS selective sampling: buy while the least-squares margin is uncertain."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from ...base._parameters import check_flags, check_number, check_option
from ...base._verbs import make_baseline
from ...utils._compat import available_if
from ...utils.typing import Floats, RowsLike, Seed
from .._rules import (
    ConstantRule,
    EveryLabelUpdate,
    PerceptronUpdate,
    SmallMarginRule,
)
from ._base import SecondOrderClassifier

VARIANTS = ("next", "next_mistake", "current", "mistake", "all")
LINEAR_UP_TO = 0.9  # the score beyond which probabilities saturate


class RLSSamplingClassifier(SecondOrderClassifier):
    """Selective sampler that buys where regularised least squares is unsure (RLS).

    The weights are a ridge regression on the labels stored so far. The margin of a row
    is smaller in directions in which few rows were stored. A label is bought while the
    margin is below a threshold, which falls as labels are stored. A row costs more time
    than with the first-order learners, and fewer labels are needed.

    Parameters
    ----------
    lam : float > 0, default=30.0
        Selectiveness: the larger, the fewer labels; the threshold is proportional to
        ``1 / sqrt(lam)``. In the analysis it is the smallest eigenvalue of the rows'
        covariance, which buys every label for a long time. If it is too large, the
        learner may stop buying too soon: see the notes.

    variant : {"next", "next_mistake", "current", "mistake", "all"}, default="current"
        Label that a small margin buys. "next": the label of the next row (SSNL, the
        algorithm that is analysed). "next_mistake": the label of the same row, which is
        not stored, and the label of the next row, which is, if the prediction was wrong
        (analysed, too; see the notes). "current": the label of the same row (SS).
        "mistake": the label of the same row, stored only if the prediction was wrong
        (SSMD). "all": every label is bought and stored, whatever the margin.

    transient : bool, default=False
        Whether to buy every label, and store its row, while at most 16 / lam² max(d,
        ln t) rows are held, as in the analysis; d is n_features, plus 1 with
        `fit_intercept`. With a smaller `max_stored` it buys every label forever.
        ``variant="mistake"`` stores its mistakes only, in the transient, too.

    kernel : str or callable, default="linear"
        Name of a kernel of `sklearn.metrics.pairwise.pairwise_kernels`, or a callable
        ``kernel(X, Z) -> ndarray of shape (n_rows_X, n_rows_Z)``, such as
        ``partial(polynomial_kernel, degree=2)``. "chi2" takes dense rows only.

    gamma : float > 0 or None, default=None
        Parameter of the named kernels that have one. None: the default of the kernel.

    solver : {"auto", "primal", "dual", "coordinate_descent"}, default="auto"
        Algorithm that updates the weights when a row is stored.

        - "primal" keeps a matrix of n_features + 1 rows and columns;
        - "dual" keeps the stored rows and a triangular matrix with a row for each;
        - "coordinate_descent" keeps the stored rows and a coefficient of each. It makes
          129 steps of dual coordinate descent towards the optimum, and computes r as if
          A were its diagonal. The cost of a stored row does not depend on their number;
        - "auto" starts with "dual". It changes to "primal" when that is cheaper: at
          about .4 times as many stored rows as features for dense rows. It changes to
          "coordinate_descent" at 500 stored rows, or a later multiple of 500, if at
          most a tenth of the stored entries differ from 0.

        "primal" and "dual" give the optimum and differ in time, memory and rounding
        only. With a kernel or `max_stored`, "auto" is "dual".

    max_stored : int >= 1 or None, default=None
        Largest number of rows to hold. When one more is stored, the oldest row is
        forgotten as if it had never been stored. None: no limit; time and memory of
        "dual" grow with the number of stored rows.

    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row (with a kernel, to its
        image). False: separators through the origin, as in the paper.

    normalize : bool, default=True
        Whether to scale each row to unit Euclidean norm, as the analysis assumes. Rows
        of zeros stay zero. With a kernel the image of the row is scaled: k(x, z) /
        sqrt(k(x, x) k(z, z)). With `fit_intercept` the scaled row is divided by the
        square root of 2.

    class_weight : {"balanced"}, dict or None, default=None
        Weight of a label of each class. "balanced": the more labels a class has, the
        less each counts, and predictions change half way between the mean scores of the
        classes. If one class is rare, the learner finds more of its rows, and often
        buys more labels. A dict has weights > 0 by class; the weight of other classes
        is 1. None: all labels have the same weight. The formulas are in the user guide,
        on the page "Unequal classes".

    budget : int >= 0, float in [0, 1] or None, default=None
        Largest number of labels to buy between one `fit` and the next. Raise it with
        `set_params` to continue. A float is a share of the rows seen before and in the
        call; only `fit` and `learn` take a float. None: no limit.

    patience : int >= 1, default=None
        Number of consecutive rows without a purchase after which the learner buys no
        more labels. None: never stop.

    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn` do not.

    random_state : int, RandomState instance or None, default=None
        Seed of the random decisions, with one random number for each row seen, and of
        the order of the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict. They apply to rows of unit norm if `normalize`. For two
        classes there is one row, the weights of ``classes_[1]``. Only with
        ``kernel="linear"``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature. Only with ``kernel="linear"``.

    is_dual_ : bool
        Whether the learner holds the stored rows, and not a matrix.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were asked for and skipped.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why no more labels can be bought: "budget" or "patience". After a `query` that
        returned no rows also "no rows" or "limit". Otherwise None.

    n_seen_ : int
        Number of rows seen, bought or not.

    n_updates_ : int
        Number of labels that were stored.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed, for a parameter out of
        its range, NaN or infinity in X, labels outside the classes, and for `kernel`,
        `gamma`, `solver`, `max_stored`, `fit_intercept`, `normalize` or `class_weight`
        changed without `fit`.

    See Also
    --------
    SOLEClassifier : Buys with a probability that falls with the margin.
    CBGZClassifier : First-order learner: less work for each row, more labels.

    Notes
    -----
    With S the stored rows, y their labels and A = I + S S', row t has the margin::

        m / (1 + r),  m = y' S' A⁻¹ x,  r = x' A⁻¹ x

    and is small if its square is at most 128 ln t / (lam N), N the number of rows held,
    or if N is 0. Since 0 <= r <= x'x most rows are decided by m alone.
    ``variant="next"`` buys the first row. ``variant="next_mistake"`` stores fewer rows
    and buys more labels than "next", with the same bound on the regret; after a chunk,
    the first label taught is the one of the next row, and labels that nobody asked for
    are stored. Predictions are the sign of m. A row of zeros
    without `fit_intercept` has margin 0 and is always bought.

    `predict_proba` is the paper's noise model, P(+1 | x) = (1 + m) / 2 for scores
    up to .9. Beyond, the smaller probability is ``1 / (200 |m| - 160)``, which falls
    smoothly to 0. For more than two classes the probabilities are divided by their sum.
    ``variant="mistake"`` has no `predict_proba`: labels stored because they were
    predicted wrongly do not follow the model.

    If a class is rare, the first rows bought may all be of the other class. Margins
    then grow with every row, and ``variant="current"`` or "next" may never buy again:
    set `class_weight`, lower `lam`, or use "mistake", whose N grows with mistakes only.

    With more than two classes the margin is half the gap between the two highest
    scores; all classes share A and have targets ±1. A purchase is certain given the
    past, so ``return_probability=True`` reports 1; weighting by it is not valid.

    References
    ----------
    .. [1] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Figure 1 and
       Section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RLSSamplingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RLSSamplingClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_, "labels of 1500")
    719 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    def __init__(
        self,
        lam: float = 30.0,
        *,
        variant: Literal[
            "next", "next_mistake", "current", "mistake", "all"
        ] = "current",
        transient: bool = False,
        kernel: str | Callable[..., Any] = "linear",
        gamma: float | None = None,
        solver: Literal["auto", "primal", "dual", "coordinate_descent"] = "auto",
        max_stored: int | None = None,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.lam = lam
        self.variant = variant
        self.transient = transient
        self.kernel = kernel
        self.gamma = gamma
        self.solver = solver
        self.max_stored = max_stored
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    @available_if(lambda own: own.variant != "mistake")  # which stores mistakes only
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the probabilities of the classes under the linear noise model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; they sum to 1.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        probabilities = noise_model(scores)
        return probabilities / probabilities.sum(axis=1, keepdims=True)

    def _make_rules(self):
        lam = check_number(self.lam, "lam", 0)
        check_option(self.variant, "variant", VARIANTS)
        check_flags(transient=self.transient)
        if self.variant == "all":
            return ConstantRule(1.0), EveryLabelUpdate()
        judges = self.variant == "next_mistake"
        delays = judges or self.variant == "next"
        query_rule = SmallMarginRule(lam, bool(self.transient), delays, judges)
        if self.variant == "mistake":
            return query_rule, PerceptronUpdate(1.0)
        return query_rule, EveryLabelUpdate()

    def _passive_baseline(self):
        return make_baseline(
            self, RLSSamplingClassifier(), variant="all", patience=None
        )


def noise_model(scores):
    """Return (1 + score) / 2, changed at the ends to stay strictly within (0, 1)."""
    size = np.abs(scores)
    # continuous and with a continuous slope at LINEAR_UP_TO
    room = 1 - LINEAR_UP_TO
    beyond = np.maximum(size, LINEAR_UP_TO) - LINEAR_UP_TO
    smaller = np.where(
        size <= LINEAR_UP_TO, (1 - size) / 2, room**2 / (2 * (beyond + room))
    )
    return np.where(scores > 0, 1 - smaller, smaller)
