"""The base of classifiers that combine other classifiers."""

from typing import Any, Self

import numpy as np

from ..base._labels import check_varied, classes_of, find_classes
from ..base._parameters import check_classifier, check_has
from ..base._scores import score_method_of
from ..base._validation import (
    InputForm,
    check_pool,
    check_scale,
    check_weights,
    common_input_tags,
)
from ..sources._containers import n_rows, take, to_memory
from ..utils._compat import BaseComposition, ClassifierMixin, linked_to_documentation
from ..utils.typing import Estimators


@linked_to_documentation
class CombinedClassifier(ClassifierMixin, BaseComposition):
    """Base of classifiers that combine named classifiers, the parameter `estimators`.

    A subclass provides ``_default_members()``, and fits clones of ``_members()``.
    """

    estimators: Estimators | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            True: also return the members by their names, and their parameters.

        Returns
        -------
        params : dict
            Values by name.
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, members by their names, or parameters of members.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            The classifier.
        """
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if named := self._members():
            tags.input_tags = common_input_tags([member for _, member in named])
        return tags

    def _members(self):
        """Return the unfitted members with their names."""
        given = self.estimators
        return self._default_members() if given is None else given

    def _checked_members(self):
        """Return names and unfitted members; raise if one is unsuitable."""
        named = self._members()
        if not named:
            raise ValueError("estimators is empty: at least one member is needed.")
        try:
            names, members = zip(*named, strict=True)
        except (TypeError, ValueError):
            raise TypeError(
                f"estimators must be a list of (name, classifier), got {named!r}."
            ) from None
        self._validate_names(names)
        for name, member in named:
            check_classifier(member, f"estimators: {name!r}")
            check_has(score_method_of(member), member, type(self).__name__)
        return names, members

    def _check_training(self, members, X, y, sample_weight=None):
        """Return rows as the members take them, labels, sorted classes, and weights.

        A row of weight 0 is left out. Without `sample_weight` the weights are None.
        """
        X, y = check_pool(self, InputForm.of(members), X, y, reset=True, min_rows=1)
        if self.estimators is None:
            check_scale(X, getattr(self, "feature_names_in_", None))
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, n_rows(X))
            if y.ndim == 2:
                raise ValueError(
                    "sample_weight is for one label for each row, but y has columns. "
                    "Leave the weights out."
                )
            is_there = np.flatnonzero(weights)
            X, y = take(X, is_there), np.asarray(y)[is_there]
            weights = weights[is_there]
        if y.ndim == 2:
            return to_memory(X), check_varied(y), classes_of(y), weights
        y = np.asarray(y)
        return to_memory(X), y, find_classes(y), weights
