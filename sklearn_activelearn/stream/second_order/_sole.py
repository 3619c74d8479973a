"""SOLE: the second-order label-efficient Perceptron."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...base._validation import check_number, check_option
from ...utils._docstrings import SECOND_ORDER, documented
from ...utils._typing import Seed
from .._rules import FunctionRule, InverseMarginRule, PerceptronUpdate, PotentialRule
from ._base import SecondOrderClassifier
from ._perceptron import whitened_baseline

QUERY_RULES = {"potential": PotentialRule, "margin": InverseMarginRule}


@documented(SECOND_ORDER)
class SOLEClassifier(SecondOrderClassifier):
    """Selective sampler that buys with probability b / (b + margin), whitened (SOLE).

    The second-order label-efficient Perceptron. In comparison with `CBGZClassifier`,
    margins are smaller in directions in which few rows were stored, and the weights are
    a ridge regression on the rows predicted wrongly instead of their sum.

    Parameters
    ----------
    b : float > 0, default=0.03
        Eagerness: the larger, the more labels are bought. A value much smaller than the
        usual margin is selective.
    a : float > 0, default=1.0
        Ridge of A = a I + S S', S the stored rows. The larger, the closer to the
        first-order learner.
    query_probability : {"potential", "margin"} or callable, default="potential"
        Probability of buying a label at margin p: b / (b + p + p² (1 + r) / 2)
        ("potential", the published rule), or b / (b + p). A callable gets an array of
        margins p and returns a probability for each; `b` is then not used, and r is
        computed for every row.
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
        `gamma`, `solver`, `max_stored`, `a`, `fit_intercept`, `normalize` or
        `class_weight` changed without `fit`; also for a `query_probability` that
        returns invalid values.

    See Also
    --------
    RLSSamplingClassifier : Buys below a threshold that falls.
    SecondOrderPerceptronClassifier : Learns the same model from all labels.
    CBGZClassifier : First-order learner with the same rule.
    sklearn_activelearn.evaluation.online_score : Estimates the error from the labels
        bought.

    Notes
    -----
    With S the stored rows (bought and predicted wrongly), y their labels and A = a I +
    S S', a row has the margin ``p = |m| / (1 + r)`` with m = y' S' A⁻¹ x and r = x' A⁻¹
    x. Since 0 <= r <= x'x / a most rows are decided by m and the random number alone. A
    row of zeros without `fit_intercept` has margin 0 and is always bought and stored.

    With noisy labels the share of rows bought approaches 1, since S holds rows with
    wrong predictions only, A grows with their number, and y' S' hardly does: margins
    shrink below `b`. With 30 % random labels, 10 features and the default, 41 % of
    5,000 rows were bought, and 95 % of 100,000. Set `budget` or a smaller `b`, or use
    `RLSSamplingClassifier` (20 % and 6 %) or `CBGZClassifier` (15 % and 12 %).

    Every row can be bought, so weighting bought rows by the inverse of their
    probability (``query(X, return_probability=True)``) is valid; for a callable only if
    it is never 0.

    With more than two classes the margin is half the gap between the two
    highest scores; all classes share A and have targets ±1.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of
       Selective Sampling for Linear Classification", JMLR 7, 2006 (its
       second-order algorithm).
    .. [2] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Figure 2 (SOLE).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import SOLEClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = SOLEClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_, "labels of 1500")
    505 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _remedy = "choose a larger a"

    _shaped_by = (*SecondOrderClassifier._shaped_by, "a")

    def __init__(
        self,
        b: float = 0.03,
        *,
        a: float = 1.0,
        query_probability: Literal["potential", "margin"]
        | Callable[..., Any] = "potential",
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
        self.b = b
        self.a = a
        self.query_probability = query_probability
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

    def _make_rules(self):
        b = check_number(self.b, "b", 0)
        if callable(self.query_probability):
            return FunctionRule(self.query_probability), PerceptronUpdate(1.0)
        check_option(self.query_probability, "query_probability", QUERY_RULES)
        return QUERY_RULES[self.query_probability](b), PerceptronUpdate(1.0)

    _passive_baseline = whitened_baseline

    def _a(self):
        return check_number(self.a, "a", 0)
