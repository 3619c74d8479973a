"""DKM: buy inside a margin that shrinks."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._validation import UNLIMITED, check_number, check_option
from ..utils._docstrings import STREAM, documented
from ..utils._typing import Seed
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import HalvingThresholdRule


@documented(STREAM)
class DKMClassifier(StreamClassifier):
    """Selective sampler that buys inside a shrinking margin (DKM).

    A label is bought if the margin of the row is at most s. After R consecutive bought
    labels without a mistake s is halved, so that the learner considers rows closer to
    its separator, where it still errs. On separable data it needs the fewest labels,
    and it stops buying early.

    Parameters
    ----------
    R : int >= 1, default=32
        Number of consecutive correct labels before the threshold is halved. Small
        values buy fewer labels and stop sooner, sometimes too soon.
    threshold : {"max", "uniform"} or float > 0, default="max"
        First threshold s. "max": 1, the largest margin of a unit row and a unit
        w. "uniform": 1 / sqrt(d), for rows spread evenly over the sphere in d
        dimensions, the constant feature included.
    {update, eta0, average, fit_intercept, normalize, class_weight, budget, patience,
    shuffle, random_state}

    Attributes
    ----------
    threshold_ : float
        Current threshold s.
    {classes_, coef_, intercept_, attributes_of_all}

    {raises}

    See Also
    --------
    CBGZClassifier : Continues to buy, at random; better on inseparable data.
    RandomSamplingClassifier : Passive learning with the same updates.

    Notes
    -----
    The first label is always bought and sets the weights, w = y x. Figure 1 of [2]_
    halves s when the number of correct labels exceeds R, its text when it reaches R;
    this learner follows the text. Margins up to s (1 + 1e-12) count as inside, so that
    a repeated row is inside s = 1.

    {multiclass}

    References
    ----------
    .. [1] S. Dasgupta, A. T. Kalai, C. Monteleoni, "Analysis of
       Perceptron-Based Active Learning", COLT 2005.
    .. [2] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Figure 1. DKM² is `update="dkm"`,
       DKMperc `update="perceptron"`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_activelearn import DKMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), DKMClassifier(random_state=0))
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    >>> print(model[-1].n_queries_, "labels of", len(y))
    190 labels of 569
    """

    def __init__(
        self,
        R: int = 32,
        *,
        threshold: Literal["max", "uniform"] | float = "max",
        update: Literal["perceptron", "dkm"] = "perceptron",
        eta0: float = 1.0,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.R = R
        self.threshold = threshold
        self.update = update
        self.eta0 = eta0
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    @property
    def threshold_(self) -> float:
        """Current threshold s."""
        return float(self._learned.memory[0])

    def _make_rules(self):
        R = min(check_number(self.R, "R", 1, closed="left", integer=True), UNLIMITED)
        threshold = self.threshold
        if isinstance(threshold, str):
            check_option(threshold, "threshold", ("max", "uniform"))
        else:
            check_number(threshold, "threshold", 0)
        return HalvingThresholdRule(R, threshold), make_update_rule(
            self.update, self.eta0
        )

    _passive_baseline = perceptron_baseline
