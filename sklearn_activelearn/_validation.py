"""Input validation: every check of rows, labels and parameters, and the label coding.

Rows come in as C-contiguous or CSR floats, uncopied where they already are.
Labels leave as codes, positions in ``classes_``, and are coded nowhere else.
"""

import math
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.utils import assert_all_finite, check_scalar
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from ._rows import Rows, first_not_finite

#: What all rows have to be.
ROWS = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
}

#: Stands for "no limit" wherever the compiled loop wants a number.
UNLIMITED = np.iinfo(np.intp).max


def check_rows(learner, X, *, reset, min_rows=1, finite=False):
    """Return X as C-contiguous or CSR floats.

    Parameters
    ----------
    learner : estimator
        Gets ``n_features_in_`` and ``feature_names_in_`` (`reset=True`) or is
        compared with them.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Not copied if it is C-contiguous or CSR and float32 or float64.
    reset : bool
        Whether these are the learner's first rows.
    min_rows : int
        Fewest rows allowed.
    finite : bool
        Whether to look for NaN and infinity now; the compiled loop finds them
        on its way.

    Returns
    -------
    X : ndarray or CSR matrix of float64 or float32
    """
    check_sparse_rows(X)
    X = validate_data(learner, X, reset=reset, ensure_min_samples=min_rows, **ROWS)
    return finish_rows(X, finite)


def check_rows_and_labels(learner, X, y, *, reset, min_rows=1, finite=False):
    """Return X as `check_rows` does, and y as a 1-D array of as many labels."""
    check_sparse_rows(X)
    X, y = validate_data(
        learner,
        X,
        plain_labels(y),
        reset=reset,
        ensure_min_samples=min_rows,
        **ROWS,
    )
    return finish_rows(X, finite), y


def plain_labels(y):
    """Return labels as NumPy would have them if nothing was lost on the way.

    pandas' nullable integers and booleans without a missing value are what they are
    called, not floats; a list with something else among its strings is not made one of
    strings only.
    """
    dtype = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub" and not y.isna().any():
        return y.to_numpy(dtype)
    if isinstance(y, list | tuple):
        labels = np.asarray(y)
        if labels.dtype.kind in "US" and not all(isinstance(x, str | bytes) for x in y):
            return np.array(y, dtype=object)
    return y


def finish_rows(X, finite):
    """Do for rows what scikit-learn does not do, or more slowly."""
    if issparse(X):
        if not X.has_canonical_format:
            # repeated entries would each count towards a row's norm
            X = X.copy()
            X.sum_duplicates()
    if finite and not get_config()["assume_finite"]:
        check_finite_row(X, first_not_finite(Rows(X)))
    return X


def check_sparse_rows(X):
    """Refuse a sparse matrix whose parts do not fit each other.

    Compiled loops, scipy's own among them, would read and write outside its arrays.
    """
    if not issparse(X) or X.ndim != 2:  # which scikit-learn refuses
        return
    try:
        if X.format in ("csr", "csc", "bsr"):
            check_compressed(X)
        elif X.format == "coo":
            check_coordinates(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        name = X.format.upper()
        raise ValueError(f"X is a broken {name} matrix: {error}") from None


def check_compressed(X):
    """Check the index arrays of a CSR, CSC or BSR matrix."""
    kinds = [part.dtype.kind + str(part.ndim) for part in (X.indptr, X.indices)]
    if kinds != ["i1", "i1"]:
        raise ValueError("indptr and indices must be 1-D arrays of integers")
    n_values = 1 if X.format != "bsr" else X.blocksize[0] * X.blocksize[1]
    if X.data.ndim != (3 if X.format == "bsr" else 1) or X.data.dtype.kind not in "biuf":
        raise ValueError(f"data is {X.data.ndim}-D of {X.data.dtype}, not numbers")
    n_major, n_minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        n_major, n_minor = n_major // X.blocksize[0], n_minor // X.blocksize[1]
    indptr, indices = X.indptr, X.indices
    if len(indptr) != n_major + 1:
        raise ValueError(
            f"indptr has {len(indptr)} entries, {n_major + 1} are needed for its shape"
        )
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must begin with 0 and never decrease")
    if len(indices) * n_values != X.data.size or indptr[-1] > len(indices):
        raise ValueError(
            f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices and "
            f"{X.data.size // n_values} values"
        )
    used = indices[: indptr[-1]]
    unsigned = used.view(used.dtype.str.replace("i", "u"))  # -1 is large
    if unsigned.size and unsigned.max() >= n_minor:
        raise ValueError(f"it has indices outside [0, {n_minor})")


def check_coordinates(X):
    """Check the coordinates of a COO matrix."""
    if len({len(X.data), *map(len, X.coords)}) != 1:
        raise ValueError("its coordinates and values are not equally many")
    for places, size in zip(X.coords, X.shape, strict=True):
        if places.dtype.kind != "i":
            raise ValueError("its coordinates must be integers")
        if len(places) and (places.min() < 0 or places.max() >= size):
            raise ValueError(f"it has coordinates outside [0, {size})")


def check_finite_row(X, row):
    """Raise scikit-learn's error if that row, -1 for none, is not finite."""
    if row >= 0:
        assert_all_finite(X[[row]], input_name=f"X (row {row})")


def find_classes(y):
    """Return the sorted distinct labels of y; at least two are needed."""
    classes = two_values(y)
    return sort_labels(y, "y") if classes is None else classes


def check_classes(classes):
    """Return the sorted distinct labels that a learner was told to expect."""
    classes = np.asarray(classes)
    if classes.ndim != 1:
        raise ValueError(f"classes must be 1-D, got an array of shape {classes.shape}.")
    assert_all_finite(classes, input_name="classes")
    return sort_labels(classes, "classes")


def sort_labels(labels, name):
    """Return the sorted distinct labels, two or more."""
    distinct = distinct_labels(labels, name)
    if len(distinct) == 0:
        raise ValueError(f"{name} is empty.")
    check_classification_targets(labels)
    if len(distinct) == 1:
        raise ValueError(
            f"{name} holds 1 class, {distinct.tolist()[0]!r}; a classifier needs two "
            "or more."
        )
    return distinct


def distinct_labels(labels, name, known=None):
    """Return the sorted distinct labels and those known before."""
    try:
        distinct = np.unique(labels)
        if known is not None and np.isin(distinct, known).all():
            return known
        if len(distinct):
            assert_all_finite(labels, input_name=name)
            check_classification_targets(labels)
        if known is None:
            return distinct
        both = sorted({*known.tolist(), *distinct.tolist()})
    except TypeError:
        raise ValueError(f"{name} mixes labels that cannot be sorted.") from None
    return np.array(both, dtype=np.result_type(known, distinct))


def two_values(y):
    """Distinct labels of a numeric y if there are exactly two, without sorting."""
    if y.dtype.kind not in "biuf" or len(y) == 0:
        return None
    low, high = y.min(), y.max()
    is_high = y == high
    if low == high or not np.all(is_high | (y == low)):
        return None
    if y.dtype.kind == "f" and not (low.is_integer() and high.is_integer()):
        return None
    return np.array([low, high])


def encode(y, classes):
    """Return the positions of the labels in `classes`.

    Raises
    ------
    ValueError
        If a label is not in `classes`; the first such row is named.
    """
    if "O" in (y.dtype.kind, classes.dtype.kind):
        positions = {label: code for code, label in enumerate(classes.tolist())}
        codes = np.array([positions.get(label, -1) for label in y.tolist()], np.int32)
        known = codes >= 0
    elif len(classes) == 2:
        codes = y == classes[1]
        known = codes | (y == classes[0])
        codes = codes.astype(np.int32)
    else:
        codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
        known = classes[codes] == y
        codes = codes.astype(np.int32)
    if not np.all(known):
        row = int(np.argmin(known))
        label = y[[row]].tolist()[0]
        if type_of_target(y[[row]]).startswith("continuous"):
            raise ValueError(f"y is continuous, for example y[{row}] = {label!r}.")
        raise ValueError(
            f"y[{row}] = {label!r} is not one of the classes {classes.tolist()}."
        )
    return codes


def encode_answers(labels, rows, known):
    """Return the codes of an oracle's labels for these rows.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
        What the oracle said.
    rows : ndarray of int of shape (n_rows,)
        What it was asked for, for the error.
    known : dict
        Codes by label.

    Returns
    -------
    codes : ndarray of int32 of shape (n_rows,)
        -1 for a label that is not known.
    why : str
        What is wrong with these, empty if nothing is.
    """
    codes, wrong = np.full(len(rows), -1, dtype=np.int32), []
    for i, label in enumerate(labels.tolist()):
        try:
            codes[i] = known[label]
        except (KeyError, TypeError):
            wrong.append(f"{label!r} for row {rows[i]}")
    if not wrong:
        return codes, ""
    which = "which is not one" if len(wrong) == 1 else "which are none"
    return codes, (
        f"oracle returned {', '.join(wrong)}, {which} of the classes {list(known)}."
    )


def check_all_out(is_out):
    """Refuse to skip rows that were not asked for, or were answered."""
    if not all(is_out):
        row = list(is_out).index(False)
        raise ValueError(
            f"Row {row} of X is not out: it was not asked for, or has its answer."
        )


def check_number(value, name, low, high=None, *, closed="neither", integer=False):
    """Return a finite number that lies in an interval, or name the parameter.

    Parameters
    ----------
    value : object
        The parameter as the user gave it.
    name : str
        What the user calls it.
    low, high : float
        Ends of the interval; no upper end if `high` is None.
    closed : {"neither", "left", "right", "both"}
        Which ends belong to it.
    integer : bool
        Whether only whole numbers will do; those beyond `UNLIMITED` become that.
    """
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a number, not {value!r}.")
    if isinstance(value, Real) and not (
        isinstance(value, Integral) or math.isfinite(value)
    ):
        raise ValueError(f"{name} == {value}, must be finite.")
    check_scalar(
        value,
        name,
        Integral if integer else Real,
        min_val=low,
        max_val=high,
        include_boundaries=closed,
    )
    return min(int(value), UNLIMITED) if integer else value


def check_option(value, name, options):
    """Return a value that is one of the options, or say which parameter is not."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {sorted(options)}, got {value!r}.")
    return value


def check_flag(value, name):
    """Return a parameter that is True or False, or say which one is not."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_limit(value, name, low=0):
    """Return a whole number of at least `low`; None stands for no limit."""
    if value is None:
        return UNLIMITED
    return check_number(value, name, low, closed="left", integer=True)


def check_budget(budget, n_offered):
    """Return the labels that may be bought; a float is a share of the rows offered."""
    if is_share(budget):
        share = check_number(budget, "budget", 0, 1, closed="both")
        return int(share * n_offered + 1e-9)
    return check_limit(budget, "budget")


def is_share(budget):
    """Whether a budget is a share of the rows offered."""
    return isinstance(budget, Real) and not isinstance(budget, Integral)


def check_selection(candidates, exclude, n_rows):
    """Return the row numbers of X in the one and not in the other; None for all."""
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
    """Return row numbers, or those of a mask, as int64, each a different row of X."""
    if rows is None:
        return None
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.dtype.kind not in "iub" and rows.size):
        raise ValueError(f"{name} must be a 1-D array of row numbers of X, or a mask.")
    if rows.dtype.kind == "b":
        if len(rows) != n_rows:
            raise ValueError(
                f"{name} is a mask of {len(rows)} rows, but X has {n_rows}."
            )
        return np.flatnonzero(rows)
    if rows.size and (rows.min() < 0 or rows.max() >= n_rows):
        raise ValueError(f"{name} must lie in [0, {n_rows}), the rows of X.")
    rows = rows.astype(np.int64)
    is_named = np.zeros(n_rows, dtype=bool)
    is_named[rows] = True
    if np.count_nonzero(is_named) < len(rows):
        raise ValueError(f"{name} names a row more than once.")
    return rows
