"""CBGZ: ask with probability b / (b + margin)."""

from collections.abc import Mapping
from typing import Any, Literal

from .._docstrings import STREAM, documented
from .._typing import Seed
from .._validation import check_number, check_option
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import AdaptiveInverseMarginRule, InverseMarginRule


@documented(STREAM)
class CBGZClassifier(StreamClassifier):
    """Selective sampler that asks with probability b / (b + margin) (CBGZ).

    The label-efficient Perceptron: rows near the separator are almost always
    bought, others now and then, so it never stops asking and copes with
    inseparable data.

    Parameters
    ----------
    b : float > 0 or "adaptive", default=0.1
        Eagerness: the larger, the more labels. Small against the usual margin
        is selective. "adaptive": b grows as beta X² sqrt(1 + K), with X the
        largest norm of a row so far and K the updates so far.
    {update, eta0}
    beta : float > 0, default=1.0
        Scale of the adaptive b; not used otherwise.
    {average, fit_intercept, normalize, class_weight, one_class_limit, budget, patience,
    shuffle, random_state}

    Attributes
    ----------
    {classes_, coef_, intercept_, attributes_of_all}

    {raises}

    See Also
    --------
    DKMClassifier : Fewer labels on separable data.
    RandomSamplingClassifier : The passive counterpart.
    sklearn_activelearn.evaluation.online_score : Its error, from the labels bought.

    Notes
    -----
    Every row has a chance to be bought, so weighting bought rows by the inverse
    of their probability (``query(X, return_probability=True)``) is valid. With
    ``update="perceptron"`` only b / eta0 matters.

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
    A stream that arrives in chunks, labelled by someone who is paid for it:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(random_state=0)
    >>> for start in range(0, 1500, 50):
    ...     chunk = X[start : start + 50]
    ...     rows = learner.query(chunk)
    ...     labels = y[start + rows]  # ask for these, however long it takes
    ...     learner = learner.teach(chunk[rows], labels, classes=range(10))
    >>> print(learner.n_queries_, "labels of 1500")
    548 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _search_grid = {"b": [0.03, "adaptive"], "eta0": [1.0, 2.0]}

    def __init__(
        self,
        b: float | Literal["adaptive"] = 0.1,
        *,
        update: Literal["perceptron", "dkm"] = "perceptron",
        eta0: float = 1.0,
        beta: float = 1.0,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        one_class_limit: int | None = 1000,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            class_weight=class_weight,
            one_class_limit=one_class_limit,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b
        self.update = update
        self.eta0 = eta0
        self.beta = beta

    def _make_rules(self):
        beta = check_number(self.beta, "beta", 0)
        if isinstance(self.b, str):
            check_option(self.b, "b", ("adaptive",))
            rule = AdaptiveInverseMarginRule(beta)
        else:
            rule = InverseMarginRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    _passive_baseline = perceptron_baseline
