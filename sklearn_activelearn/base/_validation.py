"""Validation of rows, and of values for each row; `_labels` validates labels."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import (
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from ..kernels._rows import Rows, first_not_finite
from ..sources._containers import (
    has_categories,
    is_frame,
    is_instance_of,
    is_polars,
    n_rows,
    to_array,
    to_frame,
)
from ..sources._conversion import as_source
from ..utils._compat import to_numpy
from ._labels import check_not_missing, label_sets_of
from ._parameters import PLAIN_TYPES


def check_sparse_rows(X):
    """Raise for a sparse matrix whose arrays do not fit each other.

    Compiled loops, ours and scipy's, would read and write outside the arrays.
    """
    if not issparse(X) or X.ndim != 2:  # scikit-learn refuses other dimensions
        return
    try:
        if X.format in ("csr", "csc", "bsr"):
            check_compressed(X)
        elif X.format == "coo":
            check_coordinates(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        name = X.format.upper()
        raise ValueError(f"X is an invalid {name} matrix: {error}.") from None


def check_compressed(X):
    """Check the index arrays of a CSR, CSC or BSR matrix."""
    kinds = [part.dtype.kind + str(part.ndim) for part in (X.indptr, X.indices)]
    if kinds != ["i1", "i1"]:
        raise ValueError("indptr and indices must be 1-D arrays of integers")
    n_values = 1 if X.format != "bsr" else X.blocksize[0] * X.blocksize[1]
    if (
        X.data.ndim != (3 if X.format == "bsr" else 1)
        or X.data.dtype.kind not in "biuf"
    ):
        raise ValueError(
            f"data must be an array of numbers, got {X.data.ndim}-D of {X.data.dtype}"
        )
    n_major, n_minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        n_major, n_minor = n_major // X.blocksize[0], n_minor // X.blocksize[1]
    indptr, indices = X.indptr, X.indices
    if len(indptr) != n_major + 1:
        raise ValueError(
            f"indptr must have {n_major + 1} entries for this shape, got {len(indptr)}"
        )
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must start with 0 and never decrease")
    if len(indices) * n_values != X.data.size or indptr[-1] > len(indices):
        raise ValueError(
            f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices and "
            f"{X.data.size // n_values} values"
        )
    used = indices[: indptr[-1]]
    unsigned = used.view(used.dtype.str.replace("i", "u"))  # -1 is large
    if unsigned.size and unsigned.max() >= n_minor:
        raise ValueError(f"indices must lie in [0, {n_minor})")


def check_coordinates(X):
    """Check the coordinates of a COO matrix."""
    if len({len(X.data), *map(len, X.coords)}) != 1:
        raise ValueError("coordinates and values must have equal lengths")
    for places, size in zip(X.coords, X.shape, strict=True):
        if places.dtype.kind != "i":
            raise ValueError("coordinates must be integers")
        if len(places) and (places.min() < 0 or places.max() >= size):
            raise ValueError(f"coordinates must lie in [0, {size})")


#: Types of columns with dates and durations, in NumPy, pandas and polars.
DATES = ("date", "timedelta", "duration")

#: Form of all rows, as arguments of `validate_data`.
ROWS = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
}


def check_rows(learner, X, *y, reset, min_rows=1, finite=False):
    """Return X as C-contiguous or CSR floats, and labels as a 1-D array.

    Parameters
    ----------
    learner : estimator
        Gets ``n_features_in_`` and ``feature_names_in_`` (`reset=True`) or is compared
        with them.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Not copied if it is C-contiguous or CSR and float32 or float64.
    *y : array-like of shape (n_samples,)
        Labels, if any.
    reset : bool
        Whether these are the first rows of the learner.
    min_rows : int
        Least number of rows.
    finite : bool
        Whether to refuse NaN and infinity now. The compiled loop finds them, too.

    Returns
    -------
    X : ndarray or CSR matrix of float64 or float32
    y : ndarray, if labels were passed
    """
    X, y = to_numpy(X), [*map(check_not_missing, y)]
    if reset or not is_validated(learner, X, *y):
        check_sparse_rows(X)
        out = validate_rows(
            learner, X, *y, reset=reset, ensure_min_samples=min_rows, **ROWS
        )
        X, *y = out if y else (out,)
        X = merge_repeated_entries(X)
    if finite and not get_config()["assume_finite"]:
        check_finite_row(X, first_not_finite(Rows(X)))
    return (X, *y) if y else X


def validate_rows(learner, X, *y, **how):
    """Return the results of `validate_data`; the error for texts says what to do."""
    kinds = getattr(X, "dtypes", getattr(X, "dtype", ()))
    if any(str(kind).lower().startswith(DATES) for kind in np.atleast_1d(kinds)):
        raise ValueError(
            "dtype='numeric' is not compatible with dates. Convert your data to "
            "numeric values explicitly instead, for example with "
            "preprocessing.TableEncoder."
        )
    try:
        return validate_data(learner, X, *y, **how)
    except ValueError as error:
        if (text := first_text(X)) is None:
            raise
        raise error_for_texts(learner, X, text) from error


def error_for_texts(learner, X, text):
    """Return the error for rows that contain a text, with what to do."""
    name, encoder = type(learner).__name__, "TfidfVectorizer"
    if hasattr(X, "columns"):
        encoder = "preprocessing.TableEncoder"
    advice = f"Transform them first, with a {encoder} or a ColumnTransformer"
    if "estimator" in learner.get_params(deep=False):
        advice += (
            ", or put the transformer in front of the estimator: "
            f"estimator=make_pipeline({encoder.split('.')[-1]}(), "
            "LogisticRegression())"
        )
    return ValueError(
        f"X contains texts, such as {text[:40]!r}, but {name} takes numbers. {advice}."
    )


def is_validated(learner, X, *y):
    """Return True if `validate_data` would return rows and labels as they are.

    This takes much less time than to call it, for a call with one row.
    """
    if type(X) is not np.ndarray:
        return False
    for labels in y:
        if not (
            type(labels) is np.ndarray
            and labels.dtype.kind in "biuU"
            and labels.shape == X.shape[:1]
            and labels.flags.c_contiguous
        ):
            return False
    return (
        X.dtype in ROWS["dtype"]
        and X.ndim == 2
        and X.flags.c_contiguous
        and len(X) > 0
        and X.shape[1] == getattr(learner, "n_features_in_", None)
        and not hasattr(learner, "feature_names_in_")
    )


def first_text(X):
    """Return the first string in rows of any kind, or None."""
    if issparse(X):
        return None
    with suppress(ValueError):  # rows of different lengths
        cells = np.asarray(X, dtype=object).flat
        return next((str(cell) for cell in cells if isinstance(cell, str)), None)
    return None


def merge_repeated_entries(X):
    """Return sparse rows without repeated entries, which would count several times."""
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_finite_row(X, row):
    """Raise the error of scikit-learn for the row with a number, unless it is -1."""
    if row >= 0:
        assert_all_finite(X[[row]], input_name=name_row(row))


#: What to do if rows without ids are not recognised.
RECOGNISED_BY_VALUES = (
    " Without ids rows are recognised by their exact values: pass ids if values are "
    "computed again or change their precision."
)


def check_all_pending(is_pending, ids=()):
    """Refuse rows that were not asked for, or that have been answered or skipped."""
    if not all(is_pending):
        row = list(is_pending).index(False)
        raise ValueError(
            f"{describe_row(row, ids)} is not pending: it was not asked for, or has "
            f"been answered or skipped.{'' if len(ids) else RECOGNISED_BY_VALUES}"
        )


def describe_row(row, ids):
    """Return the number of a row, and its id if it has one, for a message."""
    name = f", {ids[row : row + 1].tolist()[0]!r}," if len(ids) else ""
    return f"Row {row} of X{name}"


def check_can_predict(model):
    """Raise NotFittedError for a learner without labels, or an unfitted model."""
    advice = None
    if hasattr(model, "teach"):
        advice = (
            "This %(name)s instance has no labels yet, and cannot predict. Teach it "
            "some: rows = query(X), then teach(X[rows], labels)."
        )
    check_is_fitted(model, msg=advice)


def check_selection(candidates, exclude, n_rows):
    """Return row numbers of candidates without the excluded rows; None: all rows."""
    if candidates is None and exclude is None:
        return None
    candidates = check_row_numbers(candidates, "candidates", n_rows)
    exclude = check_row_numbers(exclude, "exclude", n_rows)
    if exclude is None:
        return candidates
    is_left = np.ones(n_rows, dtype=bool)
    is_left[exclude] = False
    if candidates is None:
        return np.flatnonzero(is_left)
    return candidates[is_left[candidates]]


def check_row_numbers(rows, name, n_rows):
    """Return unique row numbers as int64; a mask selects rows, too."""
    if rows is None:
        return None
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.dtype.kind not in "iub" and rows.size):
        raise ValueError(f"{name} must be a 1-D array of row numbers, or a mask.")
    if rows.dtype.kind == "b":
        if len(rows) != n_rows:
            raise ValueError(
                f"{name} must be a mask for the {n_rows} rows of X, got {len(rows)} "
                "values."
            )
        return np.flatnonzero(rows)
    if rows.size and (rows.min() < 0 or rows.max() >= n_rows):
        raise ValueError(f"{name} must be row numbers of X, in [0, {n_rows}).")
    rows = rows.astype(np.int64)
    is_named = np.zeros(n_rows, dtype=bool)
    is_named[rows] = True
    if np.count_nonzero(is_named) < len(rows):
        raise ValueError(f"{name} must be unique, but a row occurs more than once.")
    return rows


def check_metadata(values, name, n_rows):
    """Return an array with a finite value for each row, as floats if it has numbers."""
    if name == "sample_weight":
        return check_weights(values, n_rows, may_be_zero=True)
    values = np.asarray(values)
    if values.shape[:1] != (n_rows,):
        raise ValueError(
            f"{name} must have a value for each of {n_rows} rows, got an array of "
            f"shape {values.shape}."
        )
    if values.dtype.kind not in "biuf":
        return values
    assert_all_finite(values, input_name=name)
    return values.astype(np.float64)


def check_weights(weights, n_rows, may_be_zero=False):
    """Return weights of rows as floats; raise an error for wrong weights."""
    try:
        weights = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"sample_weight must have a number for each row: {error}."
        ) from error
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each row, got an array of shape "
            f"{weights.shape} for {n_rows} rows."
        )
    with np.errstate(over="ignore"):
        total, lowest = weights.sum(), weights.min(initial=0)
    if lowest >= 0 and total < np.inf and (total > 0 or may_be_zero):
        return np.ascontiguousarray(weights)
    assert_all_finite(weights, input_name="sample_weight")
    if lowest < 0:
        row = weights.argmin()
        raise ValueError(f"sample_weight[{row}] is {lowest}, but must be at least 0.")
    raise ValueError(
        f"sample_weight sums to {total}. Use finite weights, not only zeros."
    )


def has_transformer(estimator):
    """Return True if a part of an estimator transforms rows.

    The tags of a `Pipeline` do not say whether its transformer takes texts, categories
    or missing values.
    """
    if PLAIN_TYPES.issuperset(map(type, vars(estimator).values())):
        return False  # the usual case, quickly
    return any(hasattr(part, "transform") for part in estimator.get_params().values())


def common_input_tags(estimators):
    """Return the input tags of rows that all estimators take."""
    common = get_tags(estimators[0]).input_tags
    for estimator in estimators[1:]:
        tags = get_tags(estimator).input_tags
        common.sparse &= tags.sparse
        common.three_d_array &= tags.three_d_array
        common.allow_nan &= tags.allow_nan
        common.positive_only |= tags.positive_only
    return common


class InputForm(NamedTuple):
    """Form of the rows that all of several estimators take.

    Attributes
    ----------
    tags : InputTags
        Their common input tags.
    is_transformed : bool
        True if a part of an estimator transforms rows.
    """

    tags: Any
    is_transformed: bool

    @classmethod
    def of(cls, estimators):
        """Return the form of rows that these estimators take."""
        is_transformed = any(map(has_transformer, estimators))
        return cls(common_input_tags(estimators), is_transformed)


def check_pool(learner, form, X, *y, reset, min_rows):
    """Return rows, and labels if there are any, as estimators take them.

    Arrays of numbers are refused where the tags of an estimator refuse them, and
    DataFrames with text too. Categories, and rows for a transformer, stay as they are.

    Parameters
    ----------
    learner : estimator
        Gets the number and the names of the features, or is compared with them.
    form : InputForm
        Form of the rows that the estimators take.
    X : array-like, sparse matrix, DataFrame, list or source of shape (n_samples, ...)
        Rows. Those of a source are checked when they are read.
    *y : array-like of shape (n_samples,)
        Labels.
    reset, min_rows
        As for `check_rows`.
    """
    tags, is_transformed = form
    user = type(learner).__name__ if tags.positive_only else ""
    if (
        not (reset or is_transformed or user)
        and is_validated(learner, X, *y)
        and (get_config()["assume_finite"] or first_not_finite(Rows(X)) < 0)
    ):
        return (X, *y) if y else X
    X = to_numpy(X)
    if isinstance(X, str):
        raise ValueError("X must be rows, got one str: put it in a list.")
    y = [labels_for(learner, labels) for labels in y]
    source = as_source(X)
    if source is not None:
        sparse = "csr" if tags.sparse or is_transformed else False
        check_source(learner, source, reset, min_rows, sparse)
        names = getattr(learner, "feature_names_in_", None)
        check = is_transformed, names, tags.allow_nan, user, source.place_of
        X = source.prepared(BlockCheck(*check))
        return (X, check_labels(X, *y)) if y else X
    check_sparse_rows(X)
    if is_transformed or has_categories(X):
        X = indexable_rows(X)
        check_n_rows(X, min_rows)
        validate_data(learner, X, *y, reset=reset, skip_check_array=True)
        return (X, check_labels(X, *y)) if y else X
    if y and y[0].ndim == 2:
        X = check_pool(learner, form, X, reset=reset, min_rows=min_rows)
        return X, check_labels(X, *y)
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
    X, *y = out if y else (out,)
    if user:
        check_non_negative(X, user)
    X = merge_repeated_entries(X)
    return (X, *y) if y else X


def check_source(learner, source, reset, min_rows, accept_sparse="csr"):
    """Check all of a source but its values, which are checked when they are read."""
    if source.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got a dask array of {source.dtype}.")
    check_n_rows(source, min_rows)
    blank = source.blank()
    validate_rows(learner, blank, reset=reset, accept_sparse=accept_sparse)


#: Beside larger numbers all other columns are lost in sums of squares, solvers of
#: linear models may not end, and from 1e154 on the squares are infinite.
LARGEST_SCALE = 1e50


def check_scale(X, names=None):
    """Refuse a column of numbers that are too large for the default models.

    Parameters
    ----------
    X : rows
        Valid rows; only arrays and sparse matrices of numbers are looked at.
    names : ndarray of str, optional
        Names of the columns.
    """
    is_numbers = isinstance(X, np.ndarray) or issparse(X)
    if not is_numbers or X.dtype.kind not in "iuf" or not min(X.shape):
        return
    # without a copy of X; float32 cannot be compared with the limit
    if max(float(X.max()), -float(X.min())) <= LARGEST_SCALE:
        return
    largest = to_array(abs(X).max(axis=0)).ravel()
    column = int(largest.argmax())
    name = column if names is None else repr(str(names[column]))
    raise ValueError(
        f"Column {name} of X has numbers up to {largest[column]:.0e}. The default "
        "model cannot learn from numbers of this size, or does not end. Scale the "
        "features first, with StandardScaler, or with MaxAbsScaler beyond 1e150."
    )


def check_n_rows(X, min_rows):
    """Refuse fewer rows than are needed."""
    if n_rows(X) < min_rows:
        raise ValueError(f"Found 0 sample(s), a minimum of {min_rows} is required.")


def name_row(number, place_of=None):
    """Return the name of a row in messages: its number, and its place in a source."""
    place = f", {place_of(number)}" if place_of else ""
    return f"X (row {number}{place})"


def finite_rows(place_of, rows, numbers):
    """Return rows of a source as the compiled loops read them, if they are finite.

    Parameters
    ----------
    place_of : callable or None
        As of the source.
    rows : ndarray or CSR matrix of shape (n_rows, n_features)
        Rows with the numbers `numbers`.
    """
    kind = np.float32 if rows.dtype == np.float32 else np.float64
    if issparse(rows):
        rows = rows.astype(kind, copy=False)
    else:
        rows = np.ascontiguousarray(rows, dtype=kind)
    return check_block(rows, numbers, place_of)


def check_block(rows, numbers, place_of, allow_nan=False):
    """Return rows of a source with these numbers; raise for the first not finite."""
    with suppress(ValueError):
        assert_all_finite(rows, allow_nan=allow_nan)
        return rows
    row = int(np.argmin(are_good_rows(rows, allow_nan)))
    name = name_row(numbers[row], place_of)
    assert_all_finite(rows[[row]], allow_nan=allow_nan, input_name=name)
    return rows


def are_good_rows(rows, allow_nan):
    """Return True for each row, dense or CSR, whose numbers are finite, or NaN."""
    values = rows.data if issparse(rows) else rows
    is_good = ~np.isinf(values) if allow_nan else np.isfinite(values)
    if not issparse(rows):
        return is_good.all(axis=1)
    n_bad = np.r_[0, np.cumsum(~is_good)]
    return n_bad[rows.indptr[1:]] == n_bad[rows.indptr[:-1]]


class BlockCheck(NamedTuple):
    """A check of rows that were read from a source, as `check_pool` checks others."""

    is_transformed: bool  # a transformer gets the rows
    names: np.ndarray | None  # names of the columns
    allow_nan: bool
    positive_only: str  # name of the learner that refuses negative numbers, or ""
    place_of: Any  # as of a source

    def __call__(self, rows, numbers):
        """Return rows with these numbers as the estimators take them."""
        if self.is_transformed:
            return to_frame(rows, self.names)
        if self.positive_only:
            check_non_negative(rows, self.positive_only)
        return check_block(rows, numbers, self.place_of, self.allow_nan)


def indexable_rows(X):
    """Return rows that can be taken by number."""
    if issparse(X):
        return X.tocsr()
    if is_instance_of(X, "pyarrow", "Table"):
        return X.to_pandas()
    if is_frame(X) or is_polars(X):
        return X
    if not hasattr(X, "__array__"):
        return list(X)
    X = np.asarray(X)
    if X.dtype.kind in "biufc":  # no transformer takes a row of numbers for a pool
        X = check_array(X, ensure_all_finite=False, allow_nd=True, dtype=None)
    return X


def labels_for(learner, y):
    """Return labels as `check_not_missing`, or an indicator matrix if it takes one."""
    takes_label_sets = getattr(learner, "_takes_label_sets", False)
    label_sets = label_sets_of(y) if takes_label_sets else None
    if label_sets is not None:
        return label_sets
    labels = np.asarray(check_not_missing(y))
    return column_or_1d(labels, warn=True) if labels.ndim > 1 else labels


def check_labels(X, y):
    """Return labels as an array, if there is one for each row, or a set of them."""
    if np.ndim(y) == 2 and y.shape[1] > 1:
        check_consistent_length(X, y)
        return y
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y
