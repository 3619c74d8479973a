"""Numbers for learners, from columns of all kinds; no label is used."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from .columns import N_CATEGORIES

N_WORDS = 50_000  # the most frequent ones
PERIODS = (365.2425, 7, 1)  # days of a year, a week and a day


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


def phases():
    """Return what makes the time of the year, the week and the day of dates."""
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(fill, FunctionTransformer(circles))


def circles(days):
    """Return days since 1970 as points on circles, one for each period."""
    angles = [2 * np.pi / period * days for period in PERIODS]
    return np.hstack([turn(angle) for angle in angles for turn in (np.sin, np.cos)])


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
    X = np.empty((len(columns[0].values), len(columns)), object if has_texts else float)
    for k, column in enumerate(columns):
        X[:, k] = codes(column.values) if column.kind == "category" else column.values
    return X


def codes(cells):
    """Return categories, of which a gap is one, as numbers."""
    code = {cell: k for k, cell in enumerate(sorted(set(cells)))}
    return np.array([code[cell] for cell in cells], dtype=float)


def encoder_of(columns, standardize=True):
    """Return a transformer, unfitted, of what `rows_of` returns.

    Parameters
    ----------
    columns : list of Column
        Those that are used.
    standardize : bool
        Whether to bring numbers to mean 0 and variance 1.
    """
    places = {}
    for k, column in enumerate(columns):
        places.setdefault(column.kind, []).append(k)
    dates = places.get("date", [])
    numbers = [*places.get("number", []), *places.get("boolean", []), *dates]
    parts = [
        ("numbers", scaled_numbers(standardize), numbers),
        ("dates", phases(), dates),
        ("categories", one_hot(), places.get("category", [])),
        # a place, not a list of one: what counts words takes a column of texts
        *((f"text{k}", word_weights(), k) for k in places.get("text", [])),
    ]
    return ColumnTransformer([part for part in parts if part[2] != []])
