"""Forests for few rows, without a call of Python for each tree."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from ..utils._compat import BaseEstimator, ClassifierMixin
from ..utils.typing import Floats, Labels, RowsLike, Seed
from ._trees import grow_trees, mean_of_leaves

#: Number of trees.
N_TREES = 50


class QuickForest(ClassifierMixin, BaseEstimator):
    """Random forest of 50 trees, a candidate of `BlendClassifier`.

    It follows `sklearn.ensemble.RandomForestClassifier`, whose trees take a millisecond
    each with tens of rows, nearly all of it before and after the tree grows.

    Parameters
    ----------
    min_samples_leaf : int
        Smallest number of rows in a leaf.
    class_weight : {"balanced"} or None
        "balanced": the classes weigh the same.
    random_state : int, RandomState instance or None
        Seed of the trees.

    Attributes
    ----------
    trees_ : list of ndarray
        The trees, as from `grow_trees`.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    n_features_in_ : int
        Number of features.
    """

    _is_extra = False

    def __init__(
        self,
        *,
        min_samples_leaf: int = 1,
        class_weight: Any = None,
        random_state: Seed = None,
    ):
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(
        self, X: RowsLike, y: Labels, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Grow the trees on checked rows, labels and weights."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = compute_sample_weight(self.class_weight, codes)
        if sample_weight is not None:
            weights = weights * sample_weight
        self.trees_ = [
            *grow_trees(
                X,
                np.eye(len(self.classes_))[codes],
                weights,
                N_TREES,
                max(1, int(np.sqrt(X.shape[1]))),
                self.min_samples_leaf,
                self._is_extra,
                check_random_state(self.random_state).randint(2**31),
            )
        ]
        return self

    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the mean of the shares of the classes in the leaves."""
        check_is_fitted(self, "trees_")
        X = np.ascontiguousarray(X, dtype=np.float64)
        check_trees(*self.trees_, X.shape[1], len(self.classes_))
        return mean_of_leaves(X, *self.trees_)

    def predict(self, X: RowsLike) -> Labels:
        """Return the most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class QuickExtraTrees(QuickForest):
    """Extremely randomised trees, a candidate of `BlendClassifier`.

    They follow `sklearn.ensemble.ExtraTreesClassifier`, and have the parameters and
    attributes of `QuickForest`.
    """

    _is_extra = True


def check_trees(roots, columns, thresholds, others, means, n_features, n_classes):
    """Raise if a walk through the trees would leave their arrays, or not end.

    Trees may come from a file.
    """
    nodes, is_leaf = np.arange(len(columns)), columns == -1
    # the left child of a split is the next node, and stands before the right one
    most = np.where(is_leaf, len(means), len(columns))
    least = np.where(is_leaf, 0, nodes + 1)
    if not (
        len(thresholds) == len(others) == len(columns)
        and len(roots)
        and ((roots >= 0) & (roots < len(columns))).all()
        and ((columns >= -1) & (columns < n_features)).all()
        and ((others >= least) & (others < most)).all()
        and means.shape[1] == n_classes
    ):
        raise ValueError(
            f"The trees do not fit rows of {n_features} features and {n_classes} "
            "classes, or are damaged. Train the model again."
        )
