"""What the first-order one-pass learners share: weights, their mean, prediction."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docstrings import LEARNER
from .._documented import documented
from .._protocol import ActiveClassifier
from .._typing import Floats, Seed
from .._validation import check_number, check_option
from ._adaptive_state import AdaptiveState, Scales
from ._classes import class_weights, prediction_thresholds
from ._linear import LinearPredictor
from ._linear_state import LinearState, Weights
from ._loop import StreamLoop
from ._rule_base import QueryRule, UpdateRule
from ._updates import UPDATE_RULES


@documented(LEARNER)
class StreamClassifier(StreamLoop, LinearPredictor, ActiveClassifier):
    """Base of the first-order stream learners, and of a stream learner of your own.

    One weight vector for each class (one in all for two), a query rule and an update
    rule. A subclass provides

    - ``_make_rules()``: checks the learner's own parameters, and returns its query rule
      and its update rule, which are made for each call;
    - ``__init__``: with the parameters that the user may set, as scikit-learn wants it.

    Parameters
    ----------
    average : bool, default=True
        Predict with the mean of the weights after each label taught, instead
        of the last ones. Queries and updates always use the last.
    fit_intercept : bool, default=True
        Append a constant feature 1 to each row.
    normalize : bool, default=True
        Scale each row to unit Euclidean norm on the fly.
    class_weight : {"balanced"}, dict or None, default=None
        What a label of each class counts for.
    one_class_limit : int >= 0 or None, default=1000
        With `class_weight`: labels bought whatever the rule while one class is known.
    budget : int >= 0, float in [0, 1] or None, default=None
        Labels it may buy between one `fit` and the next.
    patience : int >= 1, default=None
        Stop asking for good after this many rows in a row without a purchase.
        None: never.
    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn`
        never do.
    random_state : int, RandomState instance or None, default=None
        Seed of the coins (one number for each row seen, needed or not) and of
        the shuffling.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature.

    {raises}

    See Also
    --------
    QueryRule : What to buy.
    UpdateRule : What to learn from a label.
    sklearn_activelearn.testing.check_learner : Whether a learner keeps the laws.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of Selective
       Sampling for Linear Classification", JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn.stream import (
    ...     InverseMarginRule, PerceptronUpdate, StreamClassifier,
    ... )
    >>> class EagerClassifier(StreamClassifier):
    ...     def _make_rules(self):
    ...         return InverseMarginRule(b=0.5), PerceptronUpdate()
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = EagerClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_ < 1500, learner.score(X[1500:], y[1500:]) > 0.8)
    True True
    """

    _flags = ("average", *StreamLoop._flags)
    _shaped_by = ("average", *StreamLoop._shaped_by)

    #: Whether steps follow the sizes of features and rows.
    _adapts = False

    def __init__(
        self,
        *,
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
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.one_class_limit = one_class_limit
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # other rows may outweigh the constant feature, whatever classes weigh
        tags.classifier_tags.poor_score = not self.normalize
        return tags

    @property
    def _group(self):
        return self._checked_rules()[0].group

    def _make_rules(self) -> tuple[QueryRule, UpdateRule]:
        raise NotImplementedError(f"{type(self).__name__} needs _make_rules().")

    def _may_share_passes(self):
        """Whether it fits and predicts as all first-order learners of its kind do."""
        return not self._adapts and all(
            getattr(type(self), name) is getattr(StreamClassifier, name)
            for name in ("fit", "predict", "decision_function", "score")
        )

    def _join_batched_pass(self, rows, codes, order, limits):
        """Return the first pass of a learner; its weights are with a `BatchedPass`."""
        intercept = self._weights.intercept
        none = np.empty((len(intercept), 0))
        self._weights = Weights(none, intercept, none, intercept)
        return self._prepare_pass(rows, codes, order, limits)

    @property
    def _remedy(self):
        return "set normalize=True" if self._adapts else super()._remedy

    @property
    def coef_(self) -> Floats:
        """Weights of the features, for rows of unit norm if `normalize`."""
        check_is_fitted(self)
        return self._mean(self._weights.coef, self._weights.coef_drift)

    @property
    def intercept_(self) -> Floats:
        """Weights of the constant feature."""
        check_is_fitted(self)
        intercept = self._mean(self._weights.intercept, self._weights.intercept_drift)
        return intercept - prediction_thresholds(self, self.average)

    def _mean(self, last, drift):
        if not self.average or self.n_taught_ == 0:
            return last
        return last - drift / self.n_taught_

    def _zero_weights(self, n_vectors):
        coef = np.zeros((n_vectors, self.n_features_in_))
        intercept = np.zeros(n_vectors)
        return Weights(coef, intercept, coef, intercept)  # a state copies them

    def _reset(self):
        super()._reset()
        self._scales = None

    def _commit(self, state):
        super()._commit(state)
        if self._adapts:
            self._scales = state.scales

    def _working_state(self):
        parts = (
            self._weights,
            self._memory,
            self._counts,
            self._tallied,
            class_weights(self),
            self._coin_seed,
            self.normalize,
            self.fit_intercept,
            self.average,
        )
        if self._adapts:
            scales = self._scales or Scales(*np.zeros((2, self.n_features_in_)))
            return AdaptiveState(*parts, scales)
        return LinearState(*parts)


def make_update_rule(update, eta0):
    """Return the update rule of that name."""
    check_option(update, "update", UPDATE_RULES)
    return UPDATE_RULES[update](check_number(eta0, "eta0", 0))
