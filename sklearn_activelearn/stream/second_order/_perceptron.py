"""Second-order Perceptron: buy every label, store the mistakes."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...base._validation import check_number
from ...base._verbs import make_baseline
from ...utils._docstrings import SECOND_ORDER, documented
from ...utils._typing import Seed
from .._rules import ConstantRule, PerceptronUpdate
from ._base import SecondOrderClassifier


@documented(SECOND_ORDER)
class SecondOrderPerceptronClassifier(SecondOrderClassifier):
    """Passive learner: the Perceptron with whitened rows (SOP).

    It buys every label and stores the rows that it predicted wrongly. It is the
    baseline of the second-order samplers: the model that they would learn from all
    labels.

    Parameters
    ----------
    a : float > 0, default=1.0
        Ridge of A = a I + S S', S the stored rows. The larger, the closer to the
        Perceptron.
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
        `class_weight` changed without `fit`.

    See Also
    --------
    SOLEClassifier : Learns the same model from labels that it chooses.
    RandomSamplingClassifier : `rate=1` is the first-order Perceptron.

    Notes
    -----
    The score of a row is y' S' A⁻¹ x. With more than two classes all classes
    share A and have targets ±1, and a mistake is a wrong class.

    References
    ----------
    .. [1] N. Cesa-Bianchi, A. Conconi, C. Gentile, "A Second-Order Perceptron
       Algorithm", SIAM Journal on Computing 34(3), 2005.
    .. [2] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Figure 2 (SOP).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import SecondOrderPerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = SecondOrderPerceptronClassifier(random_state=0)
    >>> learner = learner.fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_, "labels,", learner.n_updates_, "mistakes")
    1500 labels, 134 mistakes
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _remedy = "choose a larger a"

    _shaped_by = (*SecondOrderClassifier._shaped_by, "a")

    def __init__(
        self,
        a: float = 1.0,
        *,
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
        self.a = a
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
        return ConstantRule(1.0), PerceptronUpdate(1.0)

    def _passive_baseline(self):
        return whitened_baseline(self)

    def _a(self):
        return check_number(self.a, "a", 0)


def whitened_baseline(learner):
    """Return a learner that buys every label, with the same ridge and parameters."""
    return make_baseline(learner, SecondOrderPerceptronClassifier(), patience=None)
