"""What the first-order one-pass learners share: weights, their mean, prediction."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._protocol import ActiveClassifier
from .._typing import Floats
from .._validation import check_number, check_option
from ._adaptive_state import AdaptiveState, Scales
from ._linear import LinearPredictor
from ._linear_state import LinearState, Weights
from ._loop import StreamLoop
from ._rules import UPDATE_RULES


class StreamClassifier(StreamLoop, LinearPredictor, ActiveClassifier):
    """One weight vector for each class (one in all for two), a query and an update.

    A subclass provides ``_make_rules()``, which checks the learner's own
    parameters and returns its query rule and its update rule.
    """

    _flags = ("average", *StreamLoop._flags)
    _shaped_by = ("average", *StreamLoop._shaped_by)

    #: Whether steps follow the sizes of features and rows.
    _adapts = False

    def __init__(
        self,
        *,
        average,
        fit_intercept,
        normalize,
        budget,
        patience,
        shuffle,
        random_state,
    ):
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

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
        return self._mean(self._weights.intercept, self._weights.intercept_drift)

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
