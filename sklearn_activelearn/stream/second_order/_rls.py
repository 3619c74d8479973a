"""RLS selective sampling: buy while the least-squares margin is uncertain."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from ...base._validation import check_flag, check_number, check_option
from ...base._verbs import make_baseline
from ...utils._compat import answers_like_input, available_if
from ...utils._docstrings import SECOND_ORDER, documented
from ...utils._typing import Floats, RowsLike, Seed
from .._rules import (
    ConstantRule,
    EveryLabelUpdate,
    PerceptronUpdate,
    SmallMarginRule,
)
from ._base import SecondOrderClassifier

VARIANTS = ("next", "next_mistake", "current", "mistake", "all")
LINEAR_UP_TO = 0.9  # the score beyond which probabilities saturate


def stores_all_it_buys(learner):
    """Return True if all bought labels are stored, not only mispredicted ones."""
    return learner.variant != "mistake"


@documented(SECOND_ORDER)
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
        Whether to buy every label while at most 16 / lam² max(d, ln t) rows are held,
        as in the analysis; d is n_features, plus 1 with `fit_intercept`. With a smaller
        `max_stored` it buys every label forever.
    {kernel, gamma, solver, max_stored, fit_intercept, normalize, class_weight, budget,
    patience, shuffle, random_state}

    Attributes
    ----------
    {classes_, coef_, intercept_, is_dual_, attributes_of_all}

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

    @available_if(stores_all_it_buys)
    @answers_like_input
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
        transient = check_flag(self.transient, "transient")
        if self.variant == "all":
            return ConstantRule(1.0), EveryLabelUpdate()
        judges = self.variant == "next_mistake"
        delays = judges or self.variant == "next"
        query_rule = SmallMarginRule(lam, transient, delays, judges)
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
