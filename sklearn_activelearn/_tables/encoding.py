"""Numbers for learners, from columns of all kinds; no label is used."""

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from .columns import N_CATEGORIES
from .dates import PERIODS, circles

N_WORDS = 50_000  # the most frequent ones


def scaled_numbers(standardize=True):
    """Return what fills gaps by the median, marks them, and scales numbers."""
    # a column without a value, in some fold, is a constant one
    fill = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    )
    return make_pipeline(fill, *[StandardScaler()] * standardize)


def one_hot():
    """Return what makes a column of each frequent category, and one of the others."""
    return OneHotEncoder(
        max_categories=N_CATEGORIES, handle_unknown="infrequent_if_exist"
    )


def word_weights():
    """Return what tells how often each word is in a text, weighted by its rarity."""
    return TfidfVectorizer(sublinear_tf=True, max_features=N_WORDS)


def principal_directions(X, n_directions):
    """Return what places rows of words along principal directions, fitted.

    It is latent semantic analysis; no label is used. One thread computes it: the last
    digits would depend on the number of threads.
    """
    svd = TruncatedSVD(min(n_directions, *X.shape), random_state=0)
    with threadpool_limits(1):
        return make_pipeline(svd, Normalizer()).fit(X)


def with_directions(X, directions):
    """Return rows of words, and after the words their places along directions."""
    with threadpool_limits(1):
        places = directions.transform(X)
    return hstack([X, csr_matrix(places)]).tocsr()


def rows_of(columns):
    """Return the values of columns as an array: categories as codes.

    Parameters
    ----------
    columns : list of Column
        Those that are used.

    Returns
    -------
    X : ndarray of float, or of object if there are texts, of shape (n_rows, n_columns)
        For `encoder_of`.
    """
    has_texts = any(column.kind == "text" for column in columns)
    arrays = [values_of(column) for column in columns]
    width = sum(array.shape[1] for array in arrays)
    X = np.empty((len(arrays[0]), width), object if has_texts else float)
    np.concatenate(arrays, axis=1, out=X, casting="unsafe")
    return X


def values_of(column):
    """Return a column as an array of shape (n_rows, n_places), texts as they are."""
    values = column.values
    if column.kind == "category":
        values = codes(values, column.read_by)
    elif column.kind == "date":
        return np.column_stack([values, circles(values)])
    elif column.kind == "text":
        values = np.array(values, dtype=object)
    return values[:, None]


def codes(cells, known):
    """Return categories, of which a gap is one, as numbers; -1 for those not known."""
    code = {cell: k for k, cell in enumerate(known)}
    return np.array([code.get(cell, -1) for cell in cells], dtype=float)


def encoder_of(columns, standardize=True):
    """Return a transformer, unfitted, of what `rows_of` returns.

    Parameters
    ----------
    columns : list of Column
        Those that are used.
    standardize : bool
        Whether to bring numbers to mean 0 and variance 1.
    """
    places, on_circles, k = {}, [], 0
    for column in columns:
        places.setdefault(column.kind, []).append(k)
        k += 1
        if column.kind == "date":
            on_circles += range(k, k := k + 2 * len(PERIODS))
    # an array with texts holds objects
    as_floats = StandardScaler(with_mean=False, with_std=False)
    dates = places.get("date", [])
    numbers = [*places.get("number", []), *places.get("boolean", []), *dates]
    parts = [
        ("numbers", scaled_numbers(standardize), numbers),
        ("dates", as_floats, on_circles),
        ("categories", one_hot(), places.get("category", [])),
        # a place, not a list of one: what counts words takes a column of texts
        *((f"text{k}", word_weights(), k) for k in places.get("text", [])),
    ]
    return ColumnTransformer([part for part in parts if part[2] != []])


def portable(X):
    """Return numbers without the last digits, which depend on the machine."""
    if issparse(X):
        X.data = X.data.round(6)
        return X
    return np.ascontiguousarray(X.round(6))
