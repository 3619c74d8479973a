"""Finished models in files: written, and read by somebody who need not trust them."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import joblib
import numpy as np
import sklearn
from scipy.sparse import issparse
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    BaseEnsemble,
    IsolationForest,
)
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.tree import BaseDecisionTree

from ..base import check_sparse_rows
from ..utils.typing import Classifier, FilePath
from ._table_files import check_no_session, function_for_suffix, replace_file

#: Types that a file may hold besides the types that skops trusts. They hold parameters
#: and numbers, and run no code of the file.
TRUSTED = frozenset(
    (
        "numpy.dtype",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "sklearn.tree._tree.Tree",
        "sklearn_activelearn.batch.BlendClassifier",
        "sklearn_activelearn.batch.LabelRegression",
        "sklearn_activelearn.batch.LabelwiseClassifier",
        "sklearn_activelearn.batch.QuickExtraTrees",
        "sklearn_activelearn.batch.QuickForest",
        "sklearn_activelearn.batch.RankAverageClassifier",
        "sklearn_activelearn.preprocessing.ImageEncoder",
        "sklearn_activelearn.preprocessing.PartsVectorizer",
        "sklearn_activelearn.preprocessing.TableEncoder",
        "sklearn_activelearn.preprocessing.TextEncoder",
        "sklearn_activelearn.preprocessing.TextVectorizer",
        "sklearn_activelearn.preprocessing.VectorEncoder",
    )
)

#: Ensembles that choose columns; others check the rows on behalf of their trees.
BAGGING = BaggingClassifier, BaggingRegressor, IsolationForest
#: Attributes that trees and their ensembles get when trained.
FITTED = ("tree_", "estimators_")


def save_model(model: Classifier, path: FilePath) -> int:
    """Write a finished model to a file that others can load.

    The file of a support vector machine, kernel ridge regression, a nearest neighbours
    classifier, or a `BlendClassifier` of them, holds training rows as numbers.

    Parameters
    ----------
    model : classifier
        Fitted, such as a pipeline of an encoder (`preprocessing`) and what
        `LabelingSession.model` returns. Not a learner: its file would hold the labels.
    path : str or path
        ``.skops`` (needs skops), which `load_model` reads without running code of the
        file, or ``.joblib``, which only people who trust you should load.

    Returns
    -------
    size : int
        Bytes of the file.

    Raises
    ------
    ValueError
        For a path that ends in something else or holds a session; if skops is not
        installed; for types that `load_model` would not trust.
    TypeError
        For a learner.
    OSError
        If the file cannot be written; one that was there before is as it was.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_activelearn.labeling import load_model, save_model
    >>> from sklearn_activelearn.preprocessing import TableEncoder
    >>> rows = {"size": ["1", "2", "7", "9"], "kind": ["a", "", "b", "b"]}
    >>> model = make_pipeline(TableEncoder(), LogisticRegression())
    >>> model = model.fit(rows, ["small", "small", "large", "large"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.joblib")
    >>> save_model(model, path) > 1000
    True
    >>> load_model(path, trust=True).predict({"kind": ["b"], "size": [8]}).tolist()
    ['large']
    """
    write = check_model_file(path := Path(path))
    final = getattr(model, "steps", [("", model)])[-1][1]
    if hasattr(final, "teach"):
        raise TypeError(
            f"{type(final).__name__} is a learner, and its file would contain its "
            "labels. Save its model alone, estimator_ (stream learners have none)."
        )
    write(model, path)
    return path.stat().st_size


def check_model_file(path):
    """Return the function that writes a model to a file of this name, after checks."""
    write = function_for_suffix(path, {".skops": write_skops, ".joblib": write_joblib})
    check_no_session(path)
    if write is write_skops:
        require_skops()
    return write


def require_skops():
    """Raise if skops is not installed."""
    if find_spec("skops") is None:
        raise ValueError(".skops files need skops: pip install skops.")


def write_skops(model, path):
    """Write a model, if `load_model` will trust its types."""
    from skops.io import dumps, get_untrusted_types

    data = dumps(model)
    if unknown := sorted({*get_untrusted_types(data=data)} - TRUSTED):
        raise ValueError(
            f"{path} would contain types that skops does not trust "
            f"({', '.join(unknown)}). Save the model as .joblib, for people who trust "
            "you."
        )
    with replace_file(path, is_text=False) as file:
        file.write(data)


def write_joblib(model, path):
    """Write a model as a pickle."""
    with replace_file(path, is_text=False) as file:
        joblib.dump(model, file)


def load_model(path: FilePath, *, trust: bool = False) -> Any:
    """Read a model that `save_model` has written.

    Parameters
    ----------
    path : str or path
        ``.skops`` or ``.joblib``.
    trust : bool, default=False
        Whether you trust whoever made the file. Without it a ``.skops`` file may hold
        types of scikit-learn, NumPy and SciPy, the encoders of this package,
        `BlendClassifier` and `RankAverageClassifier` only, and a ``.joblib`` file,
        which can run any code, is refused.

    Returns
    -------
    model : classifier
        It predicts.

    Raises
    ------
    ValueError
        For a file that holds no such model, a damaged tree, types that are not trusted,
        and a model that another version of scikit-learn has saved.
    FileNotFoundError
        If there is no file.

    Examples
    --------
    `save_model` has one of a file that is there.

    >>> from sklearn_activelearn.labeling import load_model
    >>> load_model("model.pkl")
    Traceback (most recent call last):
    ValueError: model.pkl must end in .skops or .joblib.
    """
    read = function_for_suffix(
        path := Path(path), {".skops": read_skops, ".joblib": read_joblib}
    )
    with path.open("rb"):
        pass  # raises for what cannot be opened
    with catch_warnings():
        simplefilter("error", InconsistentVersionWarning)
        try:
            model = read(path, trust)
        except InconsistentVersionWarning as warning:
            version = warning.original_sklearn_version
            raise ValueError(
                f"{path} was saved with scikit-learn {version}, and this is "
                f"{sklearn.__version__}, which may predict something else: pip install "
                f"scikit-learn=={version}, or save the model again."
            ) from None
    if not hasattr(model, "predict"):
        raise ValueError(f"{path} contains a {type(model).__name__}, not a model.")
    return model


def read_skops(path, trust):
    """Return the object in a .skops file, if its types are trusted."""
    require_skops()
    from skops.io import get_untrusted_types, load

    try:
        types = {*get_untrusted_types(file=path)}
    except Exception as error:  # of zipfile, json, and whatever a file can provoke
        raise ValueError(f"{path} holds no model ({in_one_line(error)}).") from None
    if not trust and (unknown := sorted(types - TRUSTED)):
        raise ValueError(
            f"{path} holds types that are not trusted ({', '.join(unknown)}): "
            "pass --trust to load it, if you trust its author."
        )
    model = checked_load(lambda: load(path, trusted=sorted(types)), path)
    if not all(map(is_safe, find_parts(model))):
        raise ValueError(f"{path} holds a damaged model.")
    return model


def find_parts(model):
    """Return a model and all objects inside it."""
    found, seen, left = [], set(), [model]
    while left:
        part = left.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        found.append(part)
        if isinstance(part, dict):
            left += part.values()
        elif isinstance(part, list | tuple | set):
            left += part
        elif isinstance(part, np.ndarray):
            left += part.tolist() if part.dtype == object else []
        else:
            left += getattr(part, "__dict__", {}).values()
    return found


def is_safe(part):
    """Return False for a damaged part of the types that skops does not trust by itself.

    Compiled code would read outside of its arrays.
    """
    try:
        if issparse(part):  # training rows, of a kernel machine or neighbours
            check_sparse_rows(part)
        if hasattr(part, "children_left"):  # the arrays of a decision tree
            return is_safe_tree(part)
        if isinstance(part, BaseDecisionTree):
            return part.tree_.n_features == part.n_features_in_
        if isinstance(part, BaseEnsemble) and not isinstance(part, BAGGING):
            n_features = {each.n_features_in_ for each in np.ravel(part.estimators_)}
            return n_features == {part.n_features_in_}
        return True
    except Exception:  # an unfitted part, or fitted attributes of other types
        return not issparse(part) and not any(hasattr(part, name) for name in FITTED)


def is_safe_tree(tree):
    """Return True if a tree reads its own arrays only, and ends."""
    nodes = np.arange(tree.node_count)
    is_leaf = tree.children_left == -1
    is_inside = (tree.feature >= 0) & (tree.feature < tree.n_features)
    for children in (tree.children_left, tree.children_right):
        is_inside &= (children > nodes) & (children < tree.node_count)
    return (is_leaf | is_inside).all()


def read_joblib(path, trust):
    """Return the object in a .joblib file, which can run any code."""
    if not trust:
        raise ValueError(
            f"{path} can run any code when it is loaded: pass --trust to load it, if "
            "you trust its author. A .skops file needs no trust."
        )
    return checked_load(lambda: joblib.load(path), path)


def checked_load(load, path):
    """Return the object that a function loads; explain errors in one sentence."""
    try:
        return load()
    except InconsistentVersionWarning:
        raise
    except Exception as error:  # a pickle can raise anything
        raise ValueError(f"{path} holds no model ({in_one_line(error)}).") from None


def in_one_line(error):
    """Return an error in one line."""
    text = f"{error}".strip().partition("\n")[0][:200].rstrip(".")
    return f"{type(error).__name__}: {text}"
