"""Random sampling: the passive baseline of the stream learners."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._validation import check_number
from ..base._verbs import make_baseline
from ..utils._docstrings import STREAM, documented
from ..utils._typing import Seed
from ._base import StreamClassifier, make_update_rule
from ._rules import ConstantRule


@documented(STREAM)
class RandomSamplingClassifier(StreamClassifier):
    """Sampler that buys at random: passive learning under the same protocol.

    The baseline that an active learner has to beat with the same update and the
    same number of labels. With `rate=1` it is the plain Perceptron.

    Parameters
    ----------
    rate : float in (0, 1], default=0.3
        Probability of buying each label.
    {update, eta0, average, fit_intercept, normalize, class_weight, budget, patience,
    shuffle, random_state}

    Attributes
    ----------
    {classes_, coef_, intercept_, attributes_of_all}

    {raises}

    See Also
    --------
    CBGZClassifier : Buys where the margin is small.
    DKMClassifier : Buys inside a shrinking margin.
    sklearn_activelearn.evaluation.online_score : Estimates the error from the labels
        bought.

    Notes
    -----
    With more than two classes a label moves its own class and its strongest
    rival (the multiclass Perceptron of Crammer and Singer).

    References
    ----------
    .. [1] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Section 4.1: randPerc is
       `update="perceptron"`, randDKM `update="dkm"`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RandomSamplingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RandomSamplingClassifier(rate=0.5, random_state=0).fit(X, y)
    >>> print(learner.n_queries_, "labels of", len(y))
    922 labels of 1797
    """

    def __init__(
        self,
        rate: float = 0.3,
        *,
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
        self.rate = rate
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

    def _make_rules(self):
        rate = check_number(self.rate, "rate", 0, 1, closed="right")
        return ConstantRule(rate), make_update_rule(self.update, self.eta0)

    def _passive_baseline(self):
        return perceptron_baseline(self)


def perceptron_baseline(learner):
    """Return a learner that buys every label, with the same updates and parameters."""
    return make_baseline(learner, RandomSamplingClassifier(), rate=1.0, patience=None)
