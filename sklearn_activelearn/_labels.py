"""Labels: which there are, and their codes.

Labels leave as codes, positions in ``classes_``, and are coded nowhere else.
"""

from numbers import Number

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target

#: Kinds of arrays in which no label can be missing.
WITHOUT_MISSING = "biuUS"


def plain_labels(y):
    """Return labels as NumPy would have them if nothing was lost on the way.

    pandas' nullable integers and booleans without a missing value are what they are
    called, not floats; a list with something else among its strings is not made one of
    strings only; masked labels are None.
    """
    if type(y) is np.ndarray:
        return y
    if isinstance(y, np.ma.MaskedArray):
        if not np.ma.is_masked(y):
            return y.data
        return np.where(np.ma.getmaskarray(y), None, y.data.astype(object))
    dtype = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub" and not y.isna().any():
        return y.to_numpy(dtype)
    if isinstance(y, list | tuple):
        labels = np.asarray(y)
        if labels.dtype.kind in "US" and not all(isinstance(x, str | bytes) for x in y):
            return np.array(y, dtype=object)
    return y


def check_not_missing(y):
    """Return what `plain_labels` does, none of which is missing."""
    if type(y) is np.ndarray and y.dtype.kind in WITHOUT_MISSING:
        return y
    y = plain_labels(y)
    if y is not None:
        check_none_missing(y, "y")
    return y


def check_none_missing(labels, name, cure="leave out rows that have no label"):
    """Raise for labels that are missing, and say where."""
    labels = np.asarray(labels)
    first = first_missing_label(labels)
    if first >= 0:
        label = str(labels.ravel()[first]).replace("nan", "NaN")
        raise ValueError(
            f"{name} contains missing labels ({label}, first at position {first}): "
            f"{cure}."
        )


def first_missing_label(labels):
    """Return the position of the first label that is missing, -1 if none is."""
    kind = labels.dtype.kind
    if kind in WITHOUT_MISSING or labels.shape[1:] not in ((), (1,)):
        return -1
    labels = labels.ravel()
    if kind == "O":
        are_missing = map(is_missing_label, labels.tolist())
        return next((i for i, is_missing in enumerate(are_missing) if is_missing), -1)
    are_missing = labels != labels
    return int(are_missing.argmax()) if are_missing.any() else -1


def is_missing_label(label):
    """Whether a label is None, NaN, NaT or pandas' NA."""
    if isinstance(label, str):
        return False
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, Number | np.datetime64) and label != label


def find_classes(y):
    """Return the sorted distinct labels of y; at least two are needed."""
    classes = two_values(y)
    return sort_labels(y, "y") if classes is None else classes


def check_classes(classes):
    """Return the sorted distinct labels that were declared for a learner."""
    classes = np.asarray(classes)
    if classes.ndim != 1:
        raise ValueError(f"classes must be 1-D, got an array of shape {classes.shape}.")
    check_none_missing(classes, "classes", "leave them out")
    assert_all_finite(classes, input_name="classes")
    # twice: scikit-learn takes more than twenty, once each, for targets of a regression
    return sort_labels(np.repeat(classes, 2), "classes")


def expected_classes(classes, known):
    """Return the classes that were passed; they must equal those known already.

    Parameters
    ----------
    classes : array-like or None
        Those of this call; None: the known ones.
    known : ndarray or None
        Those of earlier calls, if there were any.
    """
    if classes is None and known is None:
        raise ValueError(
            "classes must be passed on the first call: a label that has not "
            "been bought yet is not known otherwise."
        )
    if classes is None or np.array_equal(classes, known):
        return known
    classes = check_classes(classes)
    if known is not None and not np.array_equal(classes, known):
        raise ValueError(
            f"classes {classes.tolist()} are not those of earlier calls, "
            f"{known.tolist()}."
        )
    return classes


def sort_labels(labels, name):
    """Return the sorted distinct labels, two or more."""
    distinct = distinct_labels(labels, name)
    if len(distinct) == 0:
        raise ValueError(f"{name} is empty.")
    if len(distinct) == 1:
        raise ValueError(
            f"{name} holds 1 class, {distinct.tolist()[0]!r}; a classifier needs two "
            "or more."
        )
    return distinct


def distinct_labels(labels, name, known=None):
    """Return the sorted distinct labels and those known before."""
    check_none_missing(labels, name)
    try:
        distinct = np.unique(labels)
        if known is not None and np.isin(distinct, known).all():
            return known
        if len(distinct) and not are_plain(labels, distinct):
            assert_all_finite(labels, input_name=name)
            check_classification_targets(labels)
        if known is None:
            return distinct
        both = sorted({*known.tolist(), *distinct.tolist()})
    except TypeError:
        raise ValueError(f"{name} mixes labels that cannot be sorted.") from None
    return np.array(both, dtype=np.result_type(known, distinct))


def are_plain(labels, distinct):
    """Whether `check_classification_targets` has nothing to say of labels.

    To ask it takes a third of a first call on a few rows. It warns of more than ten
    classes that more than half of the labels differ by.
    """
    return (
        isinstance(labels, np.ndarray)
        and labels.dtype.kind in "biuU"
        and labels.ndim == 1
        and len(distinct) <= max(10, len(labels) // 2)
    )


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
    labels : ndarray of shape (n_samples,)
        What the oracle returned.
    rows : ndarray of int of shape (n_samples,)
        What it was asked for, for the error.
    known : dict
        Codes by label.

    Returns
    -------
    codes : ndarray of int32 of shape (n_samples,)
        -1 for a label that is not known.
    why : str
        What is wrong with these, empty if nothing is.
    """
    codes, wrong = [], []
    for label in labels.tolist():
        try:
            codes.append(known[label])
        except (KeyError, TypeError):
            wrong.append(f"{label!r} for row {rows[len(codes)]}")
            codes.append(-1)
    codes = np.array(codes, dtype=np.int32)
    if not wrong:
        return codes, ""
    which = "which is not one" if len(wrong) == 1 else "which are none"
    return codes, (
        f"oracle returned {', '.join(wrong)}, {which} of the classes {list(known)}."
    )


def check_oracle_labels(rows, labels):
    """Return an oracle's labels for these rows as an array, if they are as many."""
    labels = np.asarray(plain_labels(labels))
    if labels.shape != (len(rows),):
        raise ValueError(
            f"oracle returned labels of shape {labels.shape} for {len(rows)} rows; "
            "one label for each row is needed."
        )
    return labels
