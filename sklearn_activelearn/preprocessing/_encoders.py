"""Transformers that turn the rows of tables, texts and images into numbers.

The command ``label`` uses these encoders. A pipeline of an encoder and a classifier
takes the rows of a CSV. They need pandas.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..base._validation import check_number, check_option
from ..utils._compat import BaseEstimator, linked_to_documentation
from ..utils._typing import FilePath, RowsLike
from ._columns import ORDERS, Column, describe_kinds, find_kinds, read_columns
from ._encoding import (
    encode_images,
    make_encoder,
    make_vectorizer,
    principal_directions,
    round_numbers,
    with_directions,
)
from ._tables import as_text_table, cells_of, joined_texts

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder"]


@linked_to_documentation
class RowEncoder(BaseEstimator):
    """Base class of the encoders, which find columns by their names."""

    def fit(self, X: RowsLike, y: object = None) -> Self:
        """Learn the encoding from rows.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted encoder.

        Raises
        ------
        ValueError
            If a column is missing, or a cell cannot be encoded.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: RowsLike, y: object = None) -> Any:
        """Learn the encoding from rows, and return their numbers.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows.
        y : None
            Ignored.

        Returns
        -------
        X : ndarray or CSR matrix of shape (n_rows, n_numbers)
            The numbers that `transform` returns.

        Raises
        ------
        ValueError
            If a column is missing, or a cell cannot be encoded.
        """
        numbers, names = self._fit_table(as_text_table(X))
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        return round_numbers(numbers)

    def transform(self, X: RowsLike) -> Any:
        """Return the numbers of rows.

        Parameters
        ----------
        X : DataFrame or dict of str to sequence
            Rows. Columns that are not in `feature_names_in_` are ignored.

        Returns
        -------
        X : ndarray, or CSR matrix if there are texts, of shape (n_rows, n_numbers)
            Numbers, rounded to 6 digits because further digits depend on the machine.

        Raises
        ------
        ValueError
            If a column is missing, or a cell is of another kind than its column.
        """
        check_is_fitted(self)
        return round_numbers(self._encode_table(as_text_table(X)))


class TableEncoder(RowEncoder):
    """Encode the columns of a table: numbers, dates, categories and texts.

    The kind of a column follows from all of its cells. Numbers are standardised; gaps
    are filled with the median and marked in a further column. Dates become a number
    and the time of the year, of the week and of the day. Categories are one-hot
    encoded, without regard to case; the rarest of more than 30 categories share one
    column. Texts become the TF-IDF weights of their words. Columns with one value,
    columns that count the rows, and columns with another value in each row are left
    out.

    Parameters
    ----------
    text, categorical, drop : sequence of str, default=()
        Columns that are texts or categories, or are left out, whatever their cells are.
    dates : {"day-first", "month-first"}, default=None
        How to read dates if a whole column can be read in both ways. With None, such a
        column is an error.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (n_used,)
        Columns that are used.
    n_features_in_ : int
        Number of columns that are used.
    columns_ : list of [str, str, str]
        Name, kind and form of each column that is used. Only dates have a form.
    encoder_ : ColumnTransformer
        Fitted transformer of the values of the columns.
    treated_as_ : list of str
        Readable list of the columns of each kind.

    See Also
    --------
    TextEncoder : Encoder of texts alone.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. Cells may be texts as in
    a CSV. Empty cells, NaN, "?" and "NA" are gaps.

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
            check_option(self.dates, "dates", ORDERS)
        columns = find_kinds(table, **self.get_params())
        used = [column for column in columns if column.kind != "left out"]
        self.treated_as_: list[str] = describe_kinds(columns)
        self.columns_: list[list[str]] = [[c.name, c.kind, c.form] for c in used]
        values = read_columns(table, used)
        self.encoder_ = make_encoder(values)
        return self.encoder_.fit_transform(values), [column.name for column in used]

    def _encode_table(self, table):
        columns = [Column(*each) for each in self.columns_]
        return self.encoder_.transform(read_columns(table, columns))


class TextEncoder(RowEncoder):
    """Encode texts as the TF-IDF weights of their words.

    Parameters
    ----------
    columns : sequence of str
        Columns with the texts. The texts of a row are joined.
    n_directions : int >= 0, default=0
        Number of principal directions of the texts. The place of a text along each
        direction follows the weights of its words: texts on the same subject are close
        to each other even if they share few words.

    Attributes
    ----------
    directions_ : Pipeline or None
        Fitted transformer of word weights to places. None without directions.
    feature_names_in_ : ndarray of str of shape (n_columns,)
        The columns.
    n_features_in_ : int
        Number of columns.
    vectorizer_ : TfidfVectorizer
        Fitted transformer of texts to the weights of the 50,000 most frequent words.

    See Also
    --------
    TableEncoder : Encoder of texts beside other columns.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. The directions are the
    right singular vectors of the matrix of weights, truncated: latent semantic analysis
    ([1]_, section 4). The places of a text are scaled to length 1.

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
        vectorizer, directions = make_vectorizer(), None
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

    def _encode_table(self, table):
        weights = self.vectorizer_.transform(joined_texts(table, self.columns))
        if self.directions_ is None:
            return weights
        return with_directions(weights, self.directions_)


class ImageEncoder(RowEncoder):
    """Encode images as coarse pixels, colours and directions of edges.

    These numbers tell pictures apart by their colours and coarse shapes. For the
    content of photographs, the features of a neural network are better.

    Parameters
    ----------
    column : str
        Column with the paths of the images.
    folder : str or path, default=None
        Folder of the images, to which the paths are relative. None is the working
        directory.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (1,)
        The column.
    n_features_in_ : int
        Always 1.
    scaler_ : StandardScaler
        Fitted transformer that subtracts the mean.

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
    ValueError: row 1: 'no.png': there is no such file.
    """

    def __init__(self, column: str, folder: FilePath | None = None):
        self.column = column
        self.folder = folder

    def _fit_table(self, table):
        features = self._encode_images(table)
        self.scaler_ = StandardScaler(with_std=False).fit(features)
        return self.scaler_.transform(features), [self.column]

    def _encode_table(self, table):
        return self.scaler_.transform(self._encode_images(table))

    def _encode_images(self, table):
        folder = Path("" if self.folder is None else self.folder).resolve()
        return encode_images(folder, cells_of(table, self.column), table.index)


#: Files of models name the encoders by their public path.
for _encoder in (ImageEncoder, TableEncoder, TextEncoder):
    _encoder.__module__ = "sklearn_activelearn.preprocessing"
