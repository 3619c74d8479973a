"""Numbers for learners, from tables as they are: cells of all kinds, texts, images.

These are the encoders of the command ``label``. A pipeline of one of them and a
classifier takes the rows of a CSV.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from ._compat import BaseEstimator
from ._tables.columns import column_like, in_words, typed
from ._tables.dates import ORDERS
from ._tables.encoding import (
    encoder_of,
    portable,
    principal_directions,
    rows_of,
    with_directions,
    word_weights,
)
from ._tables.limits import check_room
from ._tables.pictures import image_features
from ._tables.tables import joined_texts, table_of, table_with
from ._typing import FilePath, RowsLike
from ._validation import check_number, check_option

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder"]


class RowEncoder(BaseEstimator):
    """What makes numbers of the rows of a table, by the names of its columns."""

    def fit(self, X: RowsLike, y: object = None) -> Self:
        """Find out what the rows are like.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows.
        y : None
            Ignored.

        Returns
        -------
        self : object
            Fitted.

        Raises
        ------
        ValueError
            For a column that is not there, and for cells that cannot be encoded.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: RowsLike, y: object = None) -> Any:
        """Find out what the rows are like, and return their numbers.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows.
        y : None
            Ignored.

        Returns
        -------
        X : ndarray or CSR matrix of shape (n_rows, n_numbers)
            As `transform`.

        Raises
        ------
        ValueError
            As `fit`.
        """
        numbers, names = self._fit_table(table_of(X))
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        return portable(numbers)

    def transform(self, X: RowsLike) -> Any:
        """Return the numbers of rows.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows; columns that are not among `feature_names_in_` are ignored.

        Returns
        -------
        X : ndarray, or CSR matrix if there are texts, of shape (n_rows, n_numbers)
            Rounded to 6 digits: further ones depend on the machine.

        Raises
        ------
        ValueError
            For a column that is missing, and for a cell that is not what the others of
            its column were.
        """
        check_is_fitted(self)
        return portable(self._numbers(table_with(X, self.feature_names_in_)))


class TableEncoder(RowEncoder):
    """Make numbers of the columns of a table, whatever is in them.

    Each column is a number, a yes or no, a date, a category or a text, by all of its
    cells. Numbers are standardised and their gaps filled by the median and marked.
    Dates are numbers, too, and the time of the year, of the week and of the day.
    Categories are one-hot encoded, the rarest of more than 30 together. Of texts the
    words count (TF-IDF). Columns that have one value, number the rows or have another
    value in each row are left out.

    Parameters
    ----------
    text, categorical, drop : sequence of str, default=()
        Columns that are texts or categories, or are to be left out, whatever is in
        them.
    dates : {"day-first", "month-first"}, default=None
        How to read dates if a whole column can be read both ways. None: that is an
        error.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (n_used,)
        The columns that are used.
    n_features_in_ : int
        How many these are.
    columns_ : list of [str, str, str or list]
        Of each column that is used the name, the kind, and what its cells are read by:
        the form of dates, the categories.
    treated_as_ : list of str
        Which columns are taken for what: a line for each kind.

    See Also
    --------
    TextEncoder : For texts alone.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. Cells may be texts as in
    a CSV. Empty ones, NaN, "?" and "NA" are gaps.

    Examples
    --------
    >>> from sklearn_activelearn.preprocessing import TableEncoder
    >>> rows = {"age": ["31", "", "47"], "joined": ["3.2.2024", "", "28.1.2025"]}
    >>> encoder = TableEncoder().fit(rows)
    >>> encoder.treated_as_
    ['number: age', 'date: joined']
    >>> encoder.transform(rows).shape
    (3, 10)
    """

    def __init__(
        self,
        *,
        text: Sequence[str] = (),
        categorical: Sequence[str] = (),
        drop: Sequence[str] = (),
        dates: Literal["day-first", "month-first"] | None = None,
    ):
        self.text = text
        self.categorical = categorical
        self.drop = drop
        self.dates = dates

    def _fit_table(self, table):
        if self.dates is not None:
            check_option(self.dates, "dates", tuple(ORDERS))
        kinds = {name: getattr(self, name) for name in ("text", "categorical", "drop")}
        columns = typed(table, None, dates=self.dates, **kinds)
        used = [column for column in columns if column.kind != "left out"]
        self.treated_as_: list[str] = in_words(columns, table.n_unnamed)
        self.columns_: list[list[str | list[str]]] = [
            [each.name, each.kind, each.read_by] for each in used
        ]
        self.encoder_ = encoder_of(used)
        names = [each.name for each in used]
        return self._encoded(self.encoder_.fit_transform, used), names

    def _numbers(self, table):
        used = [column_like(*each, table) for each in self.columns_]
        return self._encoded(self.encoder_.transform, used)

    def _encoded(self, encode, columns):
        X = encode(rows_of(columns))
        if issparse(X) and not any(column.kind == "text" for column in columns):
            check_room(8 * X.shape[0] * X.shape[1], "the features")
            X = X.toarray()
        return X


class TextEncoder(RowEncoder):
    """Count the words of texts, weighted by their rarity (TF-IDF).

    Parameters
    ----------
    columns : sequence of str
        Those with the texts; several ones are joined in each row.
    n_directions : int >= 0, default=0
        How many principal directions of the texts to find. The place of a text along
        each of them comes after the weights of its words: texts about the same are
        close to each other even if they share few words.

    Attributes
    ----------
    directions_ : Pipeline or None
        What finds the places; None without directions.
    feature_names_in_ : ndarray of str of shape (n_columns,)
        The columns.
    n_features_in_ : int
        How many these are.
    vectorizer_ : TfidfVectorizer
        What counts the words: the 50,000 most frequent ones.

    See Also
    --------
    TableEncoder : For texts beside other columns.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. The directions are those
    of latent semantic analysis [1]_: a truncated singular value decomposition of the
    weights. The places of a text are scaled to length 1.

    References
    ----------
    .. [1] S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman,
       "Indexing by Latent Semantic Analysis", JASIS 41(6), 1990.

    Examples
    --------
    >>> from sklearn_activelearn.preprocessing import TextEncoder
    >>> rows = {"title": ["A film", "A bore"], "text": ["Lovely score.", "No score."]}
    >>> TextEncoder(["title", "text"]).fit_transform(rows).shape
    (2, 5)
    """

    def __init__(self, columns: Sequence[str], n_directions: int = 0):
        self.columns = columns
        self.n_directions = n_directions

    def _fit_table(self, table):
        check_number(self.n_directions, "n_directions", 0, closed="left", integer=True)
        vectorizer, directions = word_weights(), None
        try:
            weights = vectorizer.fit_transform(joined_texts(table, self.columns))
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            names = " and ".join(map(repr, self.columns))
            raise ValueError(f"there are no words in the column {names}.") from None
        if self.n_directions:
            directions = principal_directions(weights, self.n_directions)
            weights = with_directions(weights, directions)
        self.vectorizer_, self.directions_ = vectorizer, directions
        return weights, list(self.columns)

    def _numbers(self, table):
        weights = self.vectorizer_.transform(joined_texts(table, self.columns))
        directions = vars(self).get("directions_")  # older files of models have none
        return weights if directions is None else with_directions(weights, directions)


class ImageEncoder(RowEncoder):
    """Make numbers of images: coarse pixels, colours and directions of edges.

    They tell pictures by their colours and coarse shapes. For what is seen in a
    photograph, the features of a network are better.

    Parameters
    ----------
    column : str
        The column with the paths of the images.
    folder : str or path, default=None
        The paths are relative to it, and lie below it. None: the working directory.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (1,)
        The column.
    n_features_in_ : int
        1.
    scaler_ : StandardScaler
        What takes the mean off.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. The numbers are 16 × 16
    grey pixels, the shares of 64 colours, and for each of 16 parts of the image a
    histogram of the directions of its edges ([1]_, without overlapping blocks).

    References
    ----------
    .. [1] Navneet Dalal and Bill Triggs (2005). Histograms of oriented gradients for
       human detection. CVPR.

    Examples
    --------
    >>> from sklearn_activelearn.preprocessing import ImageEncoder
    >>> ImageEncoder("file").fit({"file": ["no.png"]})
    Traceback (most recent call last):
    ValueError: line 2: 'no.png': there is no such file.
    """

    def __init__(self, column: str, folder: FilePath | None = None):
        self.column = column
        self.folder = folder

    def _fit_table(self, table):
        features = self._features(table)
        self.scaler_ = StandardScaler(with_std=False).fit(features)
        return self.scaler_.transform(features), [self.column]

    def _numbers(self, table):
        return self.scaler_.transform(self._features(table))

    def _features(self, table):
        folder = Path("" if self.folder is None else self.folder).resolve()
        return image_features(folder, table.cells(self.column), table.lines)
