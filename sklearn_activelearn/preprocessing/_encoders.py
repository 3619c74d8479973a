"""Transformers that turn the rows of tables, texts and images into numbers.

The command ``label`` uses these encoders. A pipeline of an encoder and a classifier
takes the rows of a CSV. They need pandas.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn.base import TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..base._parameters import check_flags, check_number, check_option
from ..utils._compat import BaseEstimator, linked_to_documentation
from ..utils.typing import Embedding, FilePath, ItemEmbedding, RowsLike
from ._column_kinds import (
    DECIMALS,
    N_CATEGORIES,
    ORDERS,
    Column,
    describe_kinds,
    find_kinds,
    read_columns,
)
from ._embeddings import centred, checked, fitted_vectors, vectors_of
from ._image_numbers import Images, encode_each_image
from ._tables import as_frame, as_text_table, cells_of, joined_texts
from ._text_numbers import NO_WORDS, TextVectorizer

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder", "VectorEncoder"]


@linked_to_documentation
class RowEncoder(TransformerMixin, BaseEstimator):
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
        numbers, names = self._fit_table(self._as_table(X))
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
        return round_numbers(self._encode_table(self._as_table(X)))

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the numbers, such as "age" or "city_rome".

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str of shape (n_numbers,)
            A name for each column of `transform`.
        """
        check_is_fitted(self)
        return np.asarray(self._number_names(), dtype=object)

    def _as_table(self, X):
        return as_text_table(X)

    def _rename_embedding(self, name, fingerprint=None):
        """Let a name stand for the encoder of texts, as in a file of a model."""
        self.embedding, self.fingerprint_ = name, fingerprint
        for vectorizer in self._vectorizers():
            vectorizer.set_params(embedding=name)


class TableEncoder(RowEncoder):
    """Encode the columns of a table: numbers, dates, categories and texts.

    The kind of a column follows from all of its cells. Numbers are standardised; gaps
    are filled with the median and marked in a further column. Dates become a number
    and the time of the year, of the week and of the day. Categories are one-hot
    encoded, without regard to case; the rarest of more than 30 categories share one
    column. Texts become the numbers of a `TextEncoder`. Columns with one value,
    columns that count the rows, and columns with another value in each row are left
    out.

    Parameters
    ----------
    text, categorical, drop : sequence of str, default=()
        Columns that are texts or categories, or are left out, whatever their cells are.
    dates : {"day-first", "month-first"}, default=None
        How to read dates if a whole column can be read in both ways. With None, such a
        column is an error.
    decimal : {"point", "comma"}, default=None
        What stands before the decimals of numbers that can be read in two ways, such as
        "1,234". With None, these are thousands, unless another column has decimal
        commas; a column in which only some numbers have the comma is an error.
    gaps : sequence of str, default=()
        Cells that are gaps, beside empty cells, "-", ".", "?", "NA", "n.a.", "#N/A" and
        their kind.
    embedding : callable, transformer, str or path, default=None
        Encoder of the texts, as for `TextEncoder`.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (n_used,)
        Columns that are used.
    n_features_in_ : int
        Number of columns that are used.
    columns_ : list of [str, str, str]
        Name, kind and form of each column that is used. Dates have a form, and numbers
        with decimal commas, thousands or units, such as "1.234,50 €".
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
    a CSV. Numbers are recognised if all cells of a column are written in one way.

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
        decimal: Literal["point", "comma"] | None = None,
        gaps: Sequence[str] = (),
        embedding: ItemEmbedding | None = None,
    ):
        self.text = text
        self.categorical = categorical
        self.drop = drop
        self.dates = dates
        self.decimal = decimal
        self.gaps = gaps
        self.embedding = embedding

    def _fit_table(self, table):
        if self.dates is not None:
            check_option(self.dates, "dates", ORDERS)
        if self.decimal is not None:
            check_option(self.decimal, "decimal", [*DECIMALS])
        check_names(self.gaps, "gaps")
        kinds = {"text": self.text, "categorical": self.categorical, "drop": self.drop}
        for parameter, names in kinds.items():
            check_names(names, parameter)
        columns = find_kinds(
            table, **kinds, dates=self.dates, decimal=self.decimal, gaps=self.gaps
        )
        used = [column for column in columns if column.kind != "left out"]
        self.treated_as_: list[str] = describe_kinds(columns)
        self.columns_: list[list[str]] = [[c.name, c.kind, c.form] for c in used]
        values = read_columns(table, used, self.gaps)
        self.encoder_ = make_encoder(values, TextVectorizer(embedding=self.embedding))
        return self.encoder_.fit_transform(values), [column.name for column in used]

    def _vectorizers(self):
        unfitted = [each for _, each, _ in self.encoder_.transformers]
        found = [*unfitted, *self.encoder_.named_transformers_.values()]
        return [each for each in found if isinstance(each, TextVectorizer)]

    def has_texts(self) -> bool:
        """Return True if a column is treated as texts."""
        return any(kind == "text" for _, kind, _ in self.columns_)

    def _encode_table(self, table):
        columns = [Column(*each) for each in self.columns_]
        return self.encoder_.transform(read_columns(table, columns, self.gaps))

    def _number_names(self):
        names = self.encoder_.get_feature_names_out()
        gap, kind = (
            r"^missingindicator_\w+: (.*)",
            r"^(number|date|circle|category|text): ",
        )
        return [re.sub(kind, "", re.sub(gap, r"\1 missing", each)) for each in names]


class TextEncoder(RowEncoder):
    """Encode texts as weights of words and of parts of words, and as vectors.

    There are three blocks of numbers, of which each has the same length in a row: the
    TF-IDF weights of words; the weights of parts of words, two to four characters long,
    which also serve languages without spaces; and either the places of the texts along
    principal directions, or the vectors of an encoder that the user brings.

    Parameters
    ----------
    columns : sequence of str
        Columns with the texts. The texts of a row are joined.
    parts : bool, default=True
        Whether the weights of parts of words are used.
    n_directions : int >= 0, default=100
        Largest number of principal directions of the texts; 0 for none. The place of a
        text along each direction follows its weights: texts on the same subject are
        close to each other even if they share few words. Not used with an `embedding`.
    embedding : callable, transformer, str or path, default=None
        Encoder of texts. A callable gets a list of at most 256 texts and returns an
        array of shape (n_texts, n_dimensions). A transformer is cloned and fitted. A
        text or path is the name or the folder of a model of sentence-transformers or
        model2vec, which must be installed. The mean of its vectors is subtracted, and
        they are scaled to length 1.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (n_columns,)
        The columns.
    n_features_in_ : int
        Number of columns.
    n_dense_ : int
        Number of last columns that are directions or vectors. Distances between texts
        are best measured on them.
    vectorizer_ : transformer
        Fitted transformer of texts, with the parts `words_` (50,000 words at most),
        `parts_` (20,000 at most), `directions_`, and `mean_` of an embedding.

    See Also
    --------
    TableEncoder : Encoder of texts beside other columns.

    Notes
    -----
    X is a DataFrame, or a dict with the cells of each column. The directions are the
    right singular vectors of the matrix of weights of at most 3,000 of the texts,
    truncated: latent semantic analysis ([1]_, section 4). The places of a text are
    scaled to length 1. Parts of words are the character n-grams of [2]_, within words
    and with the spaces around them.

    References
    ----------
    .. [1] S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman,
       "Indexing by Latent Semantic Analysis", JASIS 41(6), 1990.
    .. [2] W. B. Cavnar, J. M. Trenkle, "N-Gram-Based Text Categorization", SDAIR 1994.

    Examples
    --------
    >>> from sklearn_activelearn.preprocessing import TextEncoder
    >>> rows = {"title": ["A film", "A bore"], "text": ["Lovely score.", "No score."]}
    >>> TextEncoder(["title", "text"], parts=False, n_directions=0).fit_transform(
    ...     rows
    ... ).shape
    (2, 5)

    With an encoder, here one that counts two letters:

    >>> def count(texts):
    ...     return [[text.count("o"), text.count("e")] for text in texts]
    >>> encoder = TextEncoder(["title", "text"], embedding=count).fit(rows)
    >>> encoder.n_dense_
    2
    """

    def __init__(
        self,
        columns: Sequence[str],
        *,
        parts: bool = True,
        n_directions: int = 100,
        embedding: ItemEmbedding | None = None,
    ):
        self.columns = columns
        self.parts = parts
        self.n_directions = n_directions
        self.embedding = embedding

    def _fit_table(self, table):
        check_names(self.columns, "columns")
        if not len(self.columns):
            raise ValueError("columns is empty: name one column of texts at least.")
        check_flags(parts=self.parts)
        check_number(self.n_directions, "n_directions", 0, closed="left", integer=True)
        self.vectorizer_ = TextVectorizer(self.parts, self.n_directions, self.embedding)
        try:
            X = self.vectorizer_.fit_transform(joined_texts(table, self.columns))
        except ValueError as error:
            if str(error) != NO_WORDS:
                raise
            names = " and ".join(map(repr, self.columns))
            raise ValueError(f"there are no words in the column {names}.") from None
        self.n_dense_ = self.vectorizer_.n_dense_
        return X, list(self.columns)

    def _vectorizers(self):
        return [self.vectorizer_]

    def _encode_table(self, table):
        return self.vectorizer_.transform(joined_texts(table, self.columns))

    def _number_names(self):
        return self.vectorizer_.get_feature_names_out()


class ImageEncoder(RowEncoder):
    """Encode images as coarse pixels, colours and directions of edges.

    These numbers tell pictures apart by their colours and coarse shapes. For the
    content of photographs, the vectors of a neural network are better: pass it as
    `embedding`.

    Parameters
    ----------
    column : str
        Column with the paths of the images.
    folder : str or path, default=None
        Folder of the images, to which the paths are relative. None is the working
        directory.
    embedding : callable or transformer, default=None
        Encoder of images, whose vectors replace these numbers. A callable gets a list
        of at most 256 images of Pillow, in red, green and blue, and returns an array of
        shape (n_images, n_dimensions); a transformer gets all images. The mean of its
        vectors is subtracted, and they are scaled to length 1.

    Attributes
    ----------
    feature_names_in_ : ndarray of str of shape (1,)
        The column.
    n_features_in_ : int
        Always 1.
    scaler_ : StandardScaler
        Fitted transformer that subtracts the mean.
    embedding_ : transformer or None
        Fitted clone of an `embedding` that is a transformer.

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

    def __init__(
        self,
        column: str,
        folder: FilePath | None = None,
        *,
        embedding: Embedding | None = None,
    ):
        self.column = column
        self.folder = folder
        self.embedding = embedding

    def _fit_table(self, table):
        encoder = encode_each_image if self.embedding is None else self.embedding
        found = fitted_vectors(encoder, self._images(table), "image")
        features, self.embedding_ = found
        self.scaler_ = StandardScaler(with_std=False).fit(features)
        return self._centred(features), [self.column]

    def _encode_table(self, table):
        encoder = encode_each_image if self.embedding is None else self.embedding
        encoder = encoder if self.embedding_ is None else self.embedding_
        return self._centred(vectors_of(encoder, self._images(table), "image"))

    def _number_names(self):
        return [f"{self.column} {k}" for k in range(len(self.scaler_.mean_))]

    def _centred(self, features):
        if self.embedding is None:
            return self.scaler_.transform(features)
        return centred(features, self.scaler_.mean_)

    def _images(self, table):
        folder = Path("" if self.folder is None else self.folder).resolve()
        return Images(folder, cells_of(table, self.column), table.index)


class VectorEncoder(RowEncoder):
    """Encode rows as vectors that were computed elsewhere, beside another encoder.

    Parameters
    ----------
    column : str
        Column with a vector in each cell: a list, a tuple or an array of numbers.
    encoder : TableEncoder, TextEncoder, ImageEncoder or None, default=None
        Encoder of the other columns, whose numbers come first. None: only the vectors
        are used.

    Attributes
    ----------
    encoder_ : transformer or None
        The fitted encoder of the other columns.
    feature_names_in_ : ndarray of str of shape (n_used,)
        Columns that are used.
    mean_ : ndarray of shape (n_dimensions,)
        Mean of the vectors, which is subtracted before they are scaled to length 1.
    n_dense_ : int
        Number of last columns that are vectors.
    n_features_in_ : int
        Number of columns that are used.

    See Also
    --------
    TextEncoder : Computes vectors with an encoder.

    Examples
    --------
    >>> from sklearn_activelearn.preprocessing import TextEncoder, VectorEncoder
    >>> rows = {"text": ["a film", "a bore"], "vector": [[0.1, 0.3], [0.2, -0.4]]}
    >>> encoder = VectorEncoder("vector", TextEncoder(["text"], parts=False))
    >>> encoder.fit_transform(rows).shape
    (2, 6)
    """

    def __init__(self, column: str, encoder: RowEncoder | None = None):
        self.column = column
        self.encoder = encoder

    def _as_table(self, X):
        table = as_frame(X)
        table = table.set_axis(range(1, len(table) + 1))  # numbers of `as_text_table`
        if self.column not in table.columns:
            raise ValueError(
                f"there is no column {self.column!r} of vectors; columns are "
                f"{', '.join(map(str, table.columns))}."
            )
        return table

    def _vectors(self, table):
        lengths = [np.size(cell) for cell in table[self.column]]
        for row, length in zip(table.index, lengths, strict=True):
            if length != lengths[0]:
                raise ValueError(
                    f"row {row}, column {self.column!r}: the vector has {length} "
                    f"numbers, and the first one {lengths[0]}."
                )
        try:
            vectors = np.stack([np.ravel(cell) for cell in table[self.column]])
        except ValueError:
            raise ValueError("there is no row.") from None
        return checked(vectors, len(table), "row", source=f"column {self.column!r}")

    def _fit_table(self, table):
        vectors = self._vectors(table)
        self.mean_, self.n_dense_ = vectors.mean(axis=0), vectors.shape[1]
        dense, self.encoder_ = centred(vectors, self.mean_), None
        if self.encoder is None:
            return dense, [self.column]
        self.encoder_ = clone(self.encoder)
        others = self.encoder_.fit_transform(table.drop(columns=self.column))
        names = [*self.encoder_.feature_names_in_, self.column]
        return beside(others, dense), names

    def _encode_table(self, table):
        dense = centred(self._vectors(table), self.mean_, f"column {self.column!r}")
        if self.encoder_ is None:
            return dense
        return beside(self.encoder_.transform(table.drop(columns=self.column)), dense)

    def _number_names(self):
        others = [] if self.encoder_ is None else self.encoder_._number_names()
        return [*others, *(f"{self.column} {k}" for k in range(self.n_dense_))]


def make_encoder(values, texts=None):
    """Return an unfitted transformer of the values that `read_columns` returns.

    Parameters
    ----------
    values : DataFrame
        Only its names are used.
    texts : transformer, default=None
        Transformer of a column of texts. None: `TextVectorizer()`.

    Returns
    -------
    encoder : ColumnTransformer
        It returns a CSR matrix if there are texts, an ndarray otherwise.
    """

    def names(*kinds):
        return [name for name in values.columns if name.partition(":")[0] in kinds]

    texts = TextVectorizer() if texts is None else texts
    # a column that has no value in the rows of a fold is constant
    fill = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    )
    one_hot = OneHotEncoder(
        max_categories=N_CATEGORIES, handle_unknown="infrequent_if_exist"
    )
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(fill, StandardScaler()), names("number", "date")),
            ("dates", "passthrough", names("circle")),
            ("categories", one_hot, names("category")),
            # a name, not a list of one: a vectorizer takes a column of texts
            *((name, texts, name) for name in names("text")),
        ],
        sparse_threshold=float(bool(names("text"))),
        verbose_feature_names_out=False,
    )


def round_numbers(X):
    """Return numbers without the last digits, which depend on the machine."""
    if issparse(X):
        X.data = X.data.round(6)
        return X
    return np.ascontiguousarray(np.asarray(X, dtype=float).round(6))


def check_names(names, parameter):
    """Refuse one name in place of a list; a text would be read letter by letter."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(
            f"{parameter} must be a list of names, got {names!r}: pass [{names!r}]."
        )


def beside(others, dense):
    """Return rows of other numbers, followed by dense ones."""
    if issparse(others):
        return hstack([others, csr_matrix(dense)]).tocsr()
    return np.hstack([others, dense])


#: Files of models name the encoders by their public path.
for _encoder in (ImageEncoder, TableEncoder, TextEncoder, VectorEncoder):
    _encoder.__module__ = "sklearn_activelearn.preprocessing"
