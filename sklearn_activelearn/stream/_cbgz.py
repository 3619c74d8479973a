"""CBGZ: buy with probability b / (b + margin), which `_rules.pyx` computes."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._validation import check_number, check_option
from ..utils._docstrings import STREAM, documented
from ..utils._typing import Seed
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import AdaptiveInverseMarginRule, InverseMarginRule


@documented(STREAM)
class CBGZClassifier(StreamClassifier):
    """Selective sampler that buys with probability b / (b + margin) (CBGZ).

    The label-efficient Perceptron. Labels of rows near the separator are almost always
    bought, others now and then, so that it never stops buying and copes with
    inseparable data.

    Parameters
    ----------
    b : float > 0 or "adaptive", default=0.1
        Eagerness: the larger, the more labels are bought. A value much smaller than the
        usual margin is selective. "adaptive": b = X² sqrt(1 + K), with X the largest
        norm of a row so far and K the number of updates so far.
    {update, eta0, average, fit_intercept, normalize, class_weight, budget, patience,
    shuffle, random_state}

    Attributes
    ----------
    {classes_, coef_, intercept_, attributes_of_all}

    {raises}

    See Also
    --------
    DKMClassifier : Needs fewer labels on separable data.
    RandomSamplingClassifier : Passive learning with the same updates.
    sklearn_activelearn.evaluation.online_score : Estimates the error from the labels
        bought.

    Notes
    -----
    Every row can be bought, so weighting bought rows by the inverse of their
    probability (``query(X, return_probability=True)``) is valid. With
    ``update="perceptron"`` only b / eta0 matters; a larger `eta0` makes the adaptive b
    more selective.

    {multiclass}

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of
       Selective Sampling for Linear Classification", JMLR 7, 2006 (the adaptive
       b is its adaptive version).
    .. [2] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Figure 2. CBGZperc is
       `update="perceptron"`, CBGZ_DKM `update="dkm"`.

    Examples
    --------
    A stream that arrives in chunks, labelled by a person:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(random_state=0)
    >>> for start in range(0, 1500, 50):
    ...     chunk = X[start : start + 50]
    ...     rows = learner.query(chunk)
    ...     labels = y[start + rows]  # these labels are paid for
    ...     learner = learner.teach(chunk[rows], labels, classes=range(10))
    >>> print(learner.n_queries_, "labels of 1500")
    548 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    def __init__(
        self,
        b: float | Literal["adaptive"] = 0.1,
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
        self.b = b
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
        if isinstance(self.b, str):
            check_option(self.b, "b", ("adaptive",))
            rule = AdaptiveInverseMarginRule()
        else:
            rule = InverseMarginRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    _passive_baseline = perceptron_baseline
