"""Checks of rows for pool learners: what their estimator understands passes through."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_non_negative, validate_data

from .._base import has_plain_parameters
from .._labels import check_not_missing
from .._validation import (
    check_sparse_rows,
    finish_rows,
    is_finite,
    labels_need_no_change,
    rows_need_no_change,
    validate_rows,
)
from ..sources._containers import is_frame, n_rows, to_frame
from ..sources._conversion import as_source, is_instance_of
from ..sources._source import Source, is_mapped

#: Why a learner takes no source, and what to do.
NEEDS_ALL = (
    "needs all rows of the pool in memory: pass a sample of them as an array, or use a "
    "learner that reads them by blocks, such as MinMarginClassifier"
)
NEEDS_SAMPLE = (
    "needs all rows of the pool in memory: set n_candidates, to consider a sample of "
    "them for each purchase"
)


def transforms_rows(estimator):
    """Whether a transformer inside decides which rows are understood.

    A `Pipeline` cannot tell by its tags that it takes texts, categories or missing
    values.
    """
    if has_plain_parameters(estimator):
        return False
    return any(hasattr(part, "transform") for part in estimator.get_params().values())


def check_pool(learner, estimators, X, *y, reset, min_rows):
    """Return rows, and labels if given any, as the estimators should get them.

    Arrays of numbers are refused where the tags of an estimator refuse them, and
    so are DataFrames with text. Categories are not touched, and neither is what
    goes to a transformer.

    Parameters
    ----------
    learner : estimator
        Gets the number and the names of the features, or is compared with them.
    estimators : list of classifier
        What the rows are for; all of them must take them.
    X : array-like, sparse matrix, DataFrame or list of shape (n_samples, ...)
        Rows.
    *y : array-like of shape (n_samples,)
        Labels, if any.
    reset, min_rows
        As for `check_rows`.
    """
    if isinstance(X, str):
        raise ValueError("X must be rows, got one str; put it in a list.")
    source = as_source(X)
    if source is not None:
        return check_source(
            learner, estimators, source, *y, reset=reset, min_rows=min_rows
        )
    check_sparse_rows(X)
    y = [*map(check_not_missing, y)]
    is_categorical = is_frame(X) and any(np.atleast_1d(X.dtypes) == "category")
    if not is_categorical and not any(map(transforms_rows, estimators)):
        tags = common_input_tags(estimators)
        if not reset and needs_no_change(learner, X, *y) and is_finite(X):
            out = (X, *y) if y else X
        else:
            out = validate_rows(
                learner,
                X,
                *y,
                reset=reset,
                accept_sparse="csr" if tags.sparse else False,
                allow_nd=tags.three_d_array,
                ensure_all_finite="allow-nan" if tags.allow_nan else True,
                ensure_min_samples=min_rows,
            )
        if tags.positive_only:
            check_non_negative(out[0] if y else out, type(learner).__name__)
        return (finish_rows(out[0], False), out[1]) if y else finish_rows(out, False)
    X = indexable_rows(X)
    check_enough(X, min_rows)
    validate_data(learner, X, *y, reset=reset, skip_check_array=True)
    return (X, check_labels(X, *y)) if y else X


def needs_no_change(learner, X, *y):
    """Whether `validate_data` would return rows, and labels, as they are if finite."""
    return rows_need_no_change(learner, X) and all(
        labels_need_no_change(labels, len(X)) for labels in y
    )


def common_input_tags(estimators):
    """Return the input tags of what all estimators take."""
    common = get_tags(estimators[0]).input_tags
    for estimator in estimators[1:]:
        tags = get_tags(estimator).input_tags
        common.sparse &= tags.sparse
        common.three_d_array &= tags.three_d_array
        common.allow_nan &= tags.allow_nan
        common.positive_only |= tags.positive_only
    return common


def check_enough(X, min_rows):
    """Refuse fewer rows than are needed."""
    if n_rows(X) < min_rows:
        raise ValueError(f"Found 0 sample(s), a minimum of {min_rows} is required.")


def check_source(learner, estimators, X, *y, reset, min_rows):
    """Return a source, and labels if given any; its rows are checked when read.

    Parameters are those of `check_pool`.
    """
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got a dask array of {X.dtype}.")
    check_enough(X, min_rows)
    validate_rows(learner, X.blank(), reset=reset)
    tags = common_input_tags(estimators)
    X = X.prepared(
        BlockCheck(
            any(map(transforms_rows, estimators)),
            getattr(learner, "feature_names_in_", None),
            tags.allow_nan,
            type(learner).__name__ if tags.positive_only else "",
        )
    )
    return (X, check_labels(X, *map(check_not_missing, y))) if y else X


def in_memory(X, who, why):
    """Return rows that are in memory or mapped; refuse other sources."""
    if is_mapped(X):
        return np.asarray(X)
    if as_source(X) is not None:
        raise ValueError(f"{who} {why}.")
    return X


class BlockCheck(NamedTuple):
    """Checks rows that were read from a source, as `check_pool` checks others."""

    is_transformed: bool  # whether a transformer decides which rows are understood
    names: np.ndarray | None  # of the columns
    allow_nan: bool
    positive_only: str  # who wants no negative numbers, "" if nobody does

    def __call__(self, rows, numbers):
        """Return rows with these numbers as the estimators should get them."""
        if self.is_transformed:
            return to_frame(rows, self.names)
        if self.positive_only:
            check_non_negative(rows, self.positive_only)
        with suppress(ValueError):
            assert_all_finite(rows, allow_nan=self.allow_nan)
            return rows
        is_good = ~np.isinf(rows) if self.allow_nan else np.isfinite(rows)
        row = int(np.argmin(is_good.all(axis=1)))
        name = f"X (row {numbers[row]})"
        assert_all_finite(rows[[row]], allow_nan=self.allow_nan, input_name=name)
        return rows


def were_checked(X, estimators):
    """Whether rows of numbers went through `check_pool`, and no transformer gets them.

    A transformer could make of them what is not finite.
    """
    is_plain_numbers = isinstance(X, Source | np.ndarray) or issparse(X)
    return is_plain_numbers and not any(map(transforms_rows, estimators))


def indexable_rows(X):
    """Return rows that can be taken by number."""
    if issparse(X):
        return X.tocsr()
    if is_instance_of(X, "pyarrow", "Table"):
        return X.to_pandas()
    if is_frame(X):
        return X
    if not hasattr(X, "__array__"):
        return list(X)
    X = np.asarray(X)
    if X.dtype.kind in "biufc":  # no transformer takes a row of numbers for a pool
        X = check_array(X, ensure_all_finite=False, allow_nd=True, dtype=None)
    return X


def check_labels(X, y):
    """Return a 1-D array of as many labels as there are rows."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y


def check_classifier(estimator, name="estimator"):
    """Refuse what is no classifier, or asks for a kernel matrix."""
    if isinstance(estimator, type):
        raise TypeError(f"{name} must be an instance, got {estimator!r}.")
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(f"{name} must be a classifier, got {estimator!r}.")
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{estimator} wants a precomputed kernel, which a pool does not have; "
            "name the kernel or pass a callable."
        )


def check_has(method, model, who, otherwise):
    """Refuse a model without a method that something needs, or say what to do."""
    if not hasattr(model, method):
        raise TypeError(
            f"{who} needs an estimator with {method}, which {model} lacks. "
            f"{otherwise}".strip()
        )
    if method == "decision_function":
        refuse_pairwise_scores(model)


def refuse_pairwise_scores(estimator):
    """Refuse machines whose decision values are for pairs of classes."""
    for name, value in getattr(estimator, "get_params", dict)().items():
        if name.split("__")[-1] == "decision_function_shape" and value == "ovo":
            raise ValueError(
                f"{estimator} has decision values for pairs of classes; "
                f'set {name}="ovr".'
            )
