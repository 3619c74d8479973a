"""Numbers for learners: from columns of all kinds, texts and images.

No label is used.
"""

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from ._columns import N_CATEGORIES
from ._images import image_path

N_WORDS = 50_000  # the most frequent ones

PIXELS = (16, 16)  # grey pixels of an image
SIDE = 32  # pixels along a side, for colours and edges
SHADES = 4  # of each of red, green and blue
CELLS = 4  # parts along a side, each with a histogram of edges
DIRECTIONS = 8  # of edges
#: Factors that give pixels, colours and edges similar lengths.
WEIGHTS = (0.25, 3.0, 3.0)


def make_encoder(values):
    """Return an unfitted transformer of the values that `read_columns` returns.

    Parameters
    ----------
    values : DataFrame
        Only its names are used.

    Returns
    -------
    encoder : ColumnTransformer
        It returns a CSR matrix if there are texts, an ndarray otherwise.
    """

    def names(*kinds):
        return [name for name in values.columns if name.partition(":")[0] in kinds]

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
            *((name, make_vectorizer(), name) for name in names("text")),
        ],
        sparse_threshold=float(bool(names("text"))),
    )


def make_vectorizer():
    """Return a transformer of texts to the TF-IDF weights of their words."""
    return TfidfVectorizer(sublinear_tf=True, max_features=N_WORDS)


def principal_directions(X, n_directions):
    """Return the principal directions of rows of word weights, as a transformer.

    This is latent semantic analysis. One thread computes it, because the last digits
    depend on the number of threads.
    """
    svd = TruncatedSVD(min(n_directions, *X.shape), random_state=0)
    with threadpool_limits(1):
        return make_pipeline(svd, Normalizer()).fit(X)


def with_directions(X, directions):
    """Return rows of word weights followed by their places along the directions."""
    with threadpool_limits(1):
        places = directions.transform(X)
    return hstack([X, csr_matrix(places)]).tocsr()


def round_numbers(X):
    """Return numbers without the last digits, which depend on the machine."""
    if issparse(X):
        X.data = X.data.round(6)
        return X
    return np.ascontiguousarray(np.asarray(X, dtype=float).round(6))


def encode_images(folder, names, rows):
    """Return the numbers of images.

    Parameters
    ----------
    folder : Path
        Resolved; images lie below it.
    names : list of str
        Paths of the images in the folder.
    rows : sequence of int
        Numbers of the rows of the table that has the paths.

    Returns
    -------
    X : ndarray of shape (n_images, n_numbers)
        Grey pixels, shares of colours, directions of edges.

    Raises
    ------
    ValueError
        For a path without an image, naming the row, and without Pillow.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("images need Pillow: pip install pillow.") from None
    numbers = []
    for name, row in zip(names, rows, strict=True):
        try:
            with Image.open(image_path(folder, name.strip())) as image:
                numbers.append(encode_image(image.convert("RGB")))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if "cannot identify" in reason:
                reason = "it is no image"
            raise ValueError(f"row {row}: {name!r}: {reason.rstrip('.')}.") from None
    return np.array(numbers)


def encode_image(image):
    """Return the numbers of an image in red, green and blue."""
    small = np.asarray(image.resize((SIDE, SIDE)))
    grey = image.convert("L")
    parts = (
        np.asarray(grey.resize(PIXELS), dtype=float).ravel() / 255,
        colour_histogram(small),
        edge_histogram(np.asarray(grey.resize((SIDE, SIDE)), dtype=float) / 255),
    )
    return np.concatenate([w * part for w, part in zip(WEIGHTS, parts, strict=True)])


def colour_histogram(pixels):
    """Return the square roots of the shares of `SHADES` ** 3 colours."""
    shades = pixels.astype(int) * SHADES // 256
    codes = shades @ [SHADES**2, SHADES, 1]
    return np.sqrt(np.bincount(codes.ravel(), minlength=SHADES**3) / codes.size)


def edge_histogram(grey):
    """Return the histogram of the directions of edges, by their strength, per cell."""
    down, right = np.gradient(grey)
    angles = np.arctan2(down, right) % np.pi * (DIRECTIONS / np.pi)
    cell = np.arange(SIDE) * CELLS // SIDE
    places = (cell[:, None] * CELLS + cell) * DIRECTIONS
    # rounded, or else the last digit would decide where an edge is upright
    bins = places + angles.round(6).astype(int) % DIRECTIONS
    n_bins, strength = CELLS**2 * DIRECTIONS, np.hypot(down, right)
    found = np.bincount(bins.ravel(), strength.ravel(), minlength=n_bins)
    return found / np.sqrt(found @ found + 1e-4)
