"""The door: every check of rows, labels and parameters, and the label coding.

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
    X = validate_data(learner, X, reset=reset, ensure_min_samples=min_rows, **ROWS)
    return finish_rows(X, finite)


def check_rows_and_labels(learner, X, y, *, reset, min_rows=1, finite=False):
    """Return X as `check_rows` does, and y as a 1-D array of as many labels."""
    X, y = validate_data(
        learner, X, y, reset=reset, ensure_min_samples=min_rows, **ROWS
    )
    return finish_rows(X, finite), y


def finish_rows(X, finite):
    """Do for rows what scikit-learn does not do, or more slowly."""
    if issparse(X):
        check_columns(X)
        if not X.has_canonical_format:
            # repeated entries would each count towards a row's norm
            X = X.copy()
            X.sum_duplicates()
    if finite and not get_config()["assume_finite"]:
        check_finite_row(X, first_not_finite(Rows(X)))
    return X


def check_columns(X):
    """Refuse a CSR matrix with entries outside its columns, as scipy does not."""
    unsigned = X.indices.view(X.indices.dtype.str.replace("i", "u"))  # -1 is large
    if unsigned.size and unsigned.max() >= X.shape[1]:
        raise ValueError(
            f"X is a broken CSR matrix: it has column indices outside its "
            f"{X.shape[1]} columns."
        )


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
    """Return the codes of an oracle's labels for these rows, as a list.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
        What the oracle said.
    rows : ndarray of int of shape (n_rows,)
        What it was asked for, for the error.
    known : dict
        Codes by label.
    """
    codes = []
    for row, label in zip(rows, labels.tolist(), strict=True):
        try:
            codes.append(known[label])
        except (KeyError, TypeError):
            raise ValueError(
                f"oracle returned {label!r} for row {row}, which is not one of the "
                f"classes {list(known)}."
            ) from None
    return codes


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


def check_candidates(candidates, n_rows):
    """Return row numbers as int64, each a different row of X, or None for all."""
    if candidates is None:
        return None
    rows = np.asarray(candidates)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        raise ValueError("candidates must be a 1-D array of row numbers of X.")
    rows = rows.astype(np.int64)
    if rows.size and (rows.min() < 0 or rows.max() >= n_rows):
        raise ValueError(f"candidates must lie in [0, {n_rows}), the rows of X.")
    is_named = np.zeros(n_rows, dtype=bool)
    is_named[rows] = True
    if np.count_nonzero(is_named) < len(rows):
        raise ValueError("candidates names a row more than once.")
    return rows
