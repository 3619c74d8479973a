"""Labels: classes, and codes of labels, which are positions in ``classes_``."""

from numbers import Number

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ..utils._compat import to_numpy

#: Learners and models that take several labels for a row.
WITH_LABEL_SETS = (
    "HybridSamplingClassifier, UncertaintySamplingClassifier, MinMarginClassifier, "
    "UncertaintyHerdingClassifier, QueryByCommitteeClassifier, PassiveClassifier and "
    "BlendClassifier"
)
ONE_LABEL = (
    f"Several labels for a row are taken by {WITH_LABEL_SETS}, as an indicator matrix "
    "(sklearn.preprocessing.MultiLabelBinarizer makes it); all others take one label "
    "for each row."
)

#: Types of labels that are several, and of booleans.
COLLECTIONS = {list, tuple, set, frozenset, dict, np.ndarray}
BOOLEANS = {bool, np.bool_}

#: Number of classes from which scikit-learn may take labels for a regression target.
FEW_CLASSES = 10

#: Kinds of arrays that cannot contain missing labels.
WITHOUT_MISSING = "biuUS"


def plain_labels(y, name="y"):
    """Return labels in a form that `numpy.asarray` converts without loss.

    Nullable integers and booleans of pandas stay integers and booleans if no value is
    missing, and so do objects that are all booleans. A list of strings and other
    objects does not become a list of strings. Masked labels become None.

    Raises
    ------
    ValueError
        If a row has several labels.
    """
    if issparse(y) or (type(y) is np.ndarray and y.dtype.kind != "O"):
        return check_one_label_a_row(y, name)
    y = to_numpy(y)
    if isinstance(y, np.ma.MaskedArray):
        if not np.ma.is_masked(y):
            return y.data
        return np.where(np.ma.getmaskarray(y), None, y.data.astype(object))
    dtype = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub" and not y.isna().any():
        return y.to_numpy(dtype)
    if isinstance(y, list | tuple) or getattr(y, "dtype", None) == np.dtype(object):
        kinds = {*map(type, y)}
        if not kinds.isdisjoint(COLLECTIONS):
            check_one_label_a_row(y, name)
        if kinds and kinds <= BOOLEANS:
            return np.array(y, dtype=bool)
    if isinstance(y, list | tuple):
        labels = np.asarray(y)
        # a mixture of texts, bytes and numbers would become texts
        texts = {bytes, np.bytes_} if labels.dtype.kind == "S" else {str, np.str_}
        if labels.dtype.kind in "US" and not kinds <= texts:
            return np.array(y, dtype=object)
    return y


def check_one_label_a_row(y, name="y"):
    """Return labels; raise ValueError if a row has several of them."""
    if issparse(y) and y.ndim == 2 and y.shape[1] == 1:
        raise ValueError(
            f"{name} is a sparse matrix of one column. Pass one label for each row as "
            f"a 1-D array: {name}.toarray().ravel()."
        )
    if issparse(y):
        raise ValueError(f"{name} is a sparse matrix. {ONE_LABEL}")
    if isinstance(y, np.ndarray) and y.ndim > 1:
        if y.ndim == 2 and y.shape[1] > 1:
            raise ValueError(f"{name} has {y.shape[1]} columns. {ONE_LABEL}")
        return y
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return y
    for row, labels in enumerate(y):
        is_several = isinstance(labels, list | tuple | np.ndarray) and len(labels) != 1
        if is_several or isinstance(labels, set | frozenset | dict):
            raise ValueError(f"Row {row} of {name} is {labels!r}. {ONE_LABEL}")
    return y


def label_sets_of(y):
    """Return an indicator matrix of the labels of rows, or None for other labels.

    Parameters
    ----------
    y : array-like or sparse matrix
        Labels. Two or more columns of 0 and 1 say which labels a row has, as for
        `sklearn.utils.multiclass.type_of_target`.

    Returns
    -------
    y : ndarray of int64 of shape (n_samples, n_labels) or None
        1 for the labels that a row has.

    Raises
    ------
    ValueError
        For several columns with other values than 0 and 1.
    """
    matrix = label_columns_of(y)
    if matrix is None:
        return None
    wrong = np.argwhere(~are_indicators(matrix))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(
            f"y has {matrix.shape[1]} columns, and y[{row}, {column}] is "
            f"{matrix[[row], column].tolist()[0]!r}. Several labels for a row must be "
            "given as 1 where the row has a label and 0 where it has not. No entry may "
            "be missing: omit rows of which you do not know all labels."
        )
    return matrix.astype(np.int64)


def label_columns_of(y):
    """Return labels in two or more columns as an array, or None for other labels."""
    if issparse(y):
        y = y.toarray()
    elif isinstance(y, np.ma.MaskedArray):
        y = plain_labels(y) if y.ndim == 1 else y.astype(object).filled(None)
    elif isinstance(y, list | tuple):
        rows = [each for each in y if isinstance(each, list | tuple | np.ndarray)]
        if len(rows) < len(y) or len({*map(len, rows)}) != 1:
            return None
        y = np.asarray(y)
        if y.dtype.kind not in "biufO":  # names of labels
            return None
    elif getattr(y, "ndim", 1) == 2:
        y = np.asarray(to_numpy(y))
    is_matrix = isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1
    return y if is_matrix else None


def check_varied(label_sets):
    """Return label sets; raise ValueError if all rows have the same labels."""
    if np.all(label_sets == label_sets[0]):
        raise ValueError(
            f"y has the same labels in all {len(label_sets)} rows. A classifier needs "
            "at least one label that some rows have and others lack."
        )
    return label_sets


def are_indicators(matrix):
    """Return True for each entry that is 0 or 1."""
    if matrix.dtype.kind in "biuf":
        return (matrix == 0) | (matrix == 1)
    is_number = [isinstance(each, Number) and each in (0, 1) for each in matrix.flat]
    return np.reshape(is_number, matrix.shape)


def label_names(classes, n_labels):
    """Return the names of the labels of an indicator matrix, in their order.

    Parameters
    ----------
    classes : array-like of shape (n_labels,) or None
        The names. None: the numbers of the columns.
    n_labels : int
        Number of columns.
    """
    if classes is None:
        return np.arange(n_labels)
    names = np.asarray(classes)
    check_classes(names)
    if len(names) != n_labels or len(np.unique(names)) < n_labels:
        raise ValueError(
            f"classes must have a different name for each of the {n_labels} columns "
            f"of y, got {names.tolist()}."
        )
    return names


def encode_label_sets(y, known=None):
    """Return the sorted distinct rows of indicator matrices, and their numbers.

    Parameters
    ----------
    y : ndarray of int64 of shape (n_samples, n_labels)
        Label sets.
    known : ndarray of int64 of shape (n_known, n_labels), optional
        Further label sets.

    Returns
    -------
    label_sets : ndarray of int64 of shape (n_sets, n_labels)
        All label sets.
    codes : ndarray of int32 of shape (n_known + n_samples,)
        The position of each known label set, and of each row of y.
    """
    rows = y if known is None else np.concatenate([known, y])
    label_sets, codes = np.unique(rows, axis=0, return_inverse=True)
    return label_sets, codes.ravel().astype(np.int32)


def check_not_missing(y):
    """Return labels as `plain_labels` does; raise if a label is missing."""
    if type(y) is np.ndarray and y.dtype.kind in WITHOUT_MISSING:
        return check_one_label_a_row(y)
    y = plain_labels(y)
    if y is not None:
        check_none_missing(y, "y")
    return y


def check_none_missing(labels, name, advice="omit rows without a label"):
    """Raise if a label is missing."""
    labels = np.asarray(labels)
    first = first_missing_label(labels)
    if first >= 0:
        label = str(labels.ravel()[first]).replace("nan", "NaN")
        raise ValueError(
            f"{name} contains missing labels, the first at position {first} ({label}): "
            f"{advice}."
        )


def first_missing_label(labels):
    """Return the position of the first missing label, or -1."""
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
    """Return True for None, NaN, NaT and NA of pandas."""
    if isinstance(label, str):
        return False
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, Number | np.datetime64) and label != label


def classes_of(y):
    """Return the sorted distinct labels, or the columns of an indicator matrix."""
    return np.unique(y) if np.ndim(y) == 1 else np.arange(y.shape[1])


def find_classes(y):
    """Return the sorted classes of y, at least two."""
    classes = find_two_numbers(y)
    return sort_labels(y, "y") if classes is None else classes


def check_classes(classes):
    """Return the sorted classes that were declared for a learner."""
    classes = np.asarray(classes)
    if classes.ndim != 1:
        raise ValueError(f"classes must be 1-D, got an array of shape {classes.shape}.")
    check_none_missing(classes, "classes", "omit them")
    assert_all_finite(classes, input_name="classes")
    # repeated, since scikit-learn takes many distinct values for a regression target
    return sort_labels(np.repeat(classes, 2), "classes")


def expected_classes(classes, known):
    """Return the classes of a call, which must equal the classes of earlier calls.

    Parameters
    ----------
    classes : array-like or None
        Classes of this call. None: the known classes.
    known : ndarray or None
        Classes of earlier calls.
    """
    if classes is None and known is None:
        raise ValueError(
            "classes must be passed in the first call, as in teach(X, y, classes=[...])"
            ", because the learner does not read labels that it has not bought."
        )
    if classes is None or np.array_equal(classes, known):
        return known
    classes = check_classes(classes)
    if known is not None and not np.array_equal(classes, known):
        raise ValueError(
            f"classes must be {known.tolist()}, as in earlier calls, got "
            f"{classes.tolist()}."
        )
    return classes


def sort_labels(labels, name):
    """Return the sorted distinct labels, at least two."""
    distinct = distinct_labels(labels, name)
    if len(distinct) == 0:
        raise ValueError(f"{name} is empty.")
    if len(distinct) == 1:
        raise ValueError(
            f"{name} contains only one class, {distinct.tolist()[0]!r}. A classifier "
            "needs at least two."
        )
    return distinct


def distinct_labels(labels, name, known=None):
    """Return the sorted distinct labels, together with the known ones."""
    if getattr(labels, "dtype", np.dtype(object)).kind not in WITHOUT_MISSING:
        check_none_missing(labels, name)
    try:
        distinct = np.unique(labels)
        if known is not None and np.isin(distinct, known).all():
            return known
        # many classes are warned of once, not in each batch
        is_warned = known is not None and len(known) > FEW_CLASSES
        if len(distinct) and not are_plain(labels, distinct, is_warned):
            check_label_types(distinct, name)
            assert_all_finite(labels, input_name=name)
            check_classification_targets(labels)
        if known is None:
            return distinct
        both = sorted({*known.tolist(), *distinct.tolist()})
    except TypeError:
        check_label_types(labels, name)
        kinds = {type(label).__name__: label for label in np.asarray(labels).tolist()}
        examples = " and ".join(f"{label!r} ({kind})" for kind, label in kinds.items())
        raise ValueError(
            f"{name} contains labels of types that cannot be sorted together: "
            f"{examples}. Convert all of them to texts."
        ) from None
    return np.array(both, dtype=np.result_type(known, distinct))


def check_label_types(labels, name):
    """Raise ValueError for labels that are bytes, dates or other objects."""
    labels = np.asarray(labels)
    if labels.dtype.kind in "biufU":
        return
    for label in labels.ravel().tolist():
        if isinstance(label, bytes):
            raise ValueError(
                f"{name} contains bytes, such as {label!r}. Labels are texts, whole "
                "numbers or booleans: decode them, as in label.decode()."
            )
        if not isinstance(label, str | bool | int | float):
            raise ValueError(
                f"{name} contains {label!r}, of the type {type(label).__name__}. "
                "Labels are texts, whole numbers or booleans: convert it, as in "
                "str(label)."
            )


def are_plain(labels, distinct, is_warned):
    """Return True if `check_classification_targets` accepts labels without a warning.

    To call it would take a third of the time of a first call with few rows. It warns if
    there are more than ten classes and more than half as many classes as labels.
    """
    return (
        isinstance(labels, np.ndarray)
        and labels.dtype.kind in "biuU"
        and labels.ndim == 1
        and (is_warned or len(distinct) <= max(FEW_CLASSES, len(labels) // 2))
    )


def find_two_numbers(y):
    """Return the two classes of a numeric y, or None if there are not exactly two."""
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
    """Return the positions of labels in `classes`; raise for an unknown label."""
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
    if not known.all():
        row = int(np.argmin(known))
        label = y[[row]].tolist()[0]
        if type_of_target(y[[row]]).startswith("continuous"):
            raise ValueError(f"y is continuous, for example y[{row}] = {label!r}.")
        raise ValueError(
            f"y[{row}] = {label!r} is not one of the classes {classes.tolist()}."
        )
    return codes


def encode_answers(labels, rows, known):
    """Return the codes of the labels that an oracle returned.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Labels that the oracle returned.
    rows : ndarray of int of shape (n_samples,)
        Row numbers that it was asked for.
    known : dict
        Codes by label.

    Returns
    -------
    codes : ndarray of int32 of shape (n_samples,)
        -1 for an unknown label.
    message : str
        Text of the error for unknown labels, empty if all labels are known.
    """
    if labels.ndim > 1:
        return np.full(len(labels), -1, np.int32), ONE_LABEL
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
    return codes, (
        f"oracle must return labels of the classes {list(known)}, got "
        f"{', '.join(wrong)}."
    )


def check_oracle_labels(rows, labels):
    """Return the labels of an oracle as an array; raise if their number is wrong.

    Several labels for a row are an array of two dimensions, whatever their values.
    """
    columns = label_columns_of(labels)
    if columns is None:
        labels = np.asarray(plain_labels(labels, "the labels of the oracle"))
    if columns is not None and len(columns) == len(rows):
        return columns
    if labels.shape != (len(rows),):
        raise ValueError(
            f"oracle must return one label for each of {len(rows)} rows, got labels "
            f"of shape {labels.shape}."
        )
    return labels


def stratified_folds(codes, n_folds, are_label_sets=False):
    """Return the fold of each row, and the number of folds.

    The second largest class limits the number of folds, because each training set
    needs two classes. Most label sets have one row only. They stand one after the
    other, behind the most frequent one, so that no training set lacks all of them.
    """
    counts = np.bincount(codes)
    if are_label_sets:
        codes = np.where(codes == counts.argmax(), -1, codes)
        n_folds = min(n_folds, len(codes) - counts.max())
    else:
        n_folds = min(n_folds, np.sort(counts)[-2])
    fold = np.empty(len(codes), dtype=int)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n_folds
    return fold, n_folds
