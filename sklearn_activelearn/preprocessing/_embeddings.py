"""Vectors of texts and images from an encoder that the user brings."""

import os
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import normalize

from ..base._validation import LARGEST_SCALE

#: Libraries that load a named model; the first also knows the models of the second.
LIBRARIES = ("sentence_transformers", "model2vec")

#: Number of items that a callable gets at once.
BATCH = 256


class EncoderError(ValueError):
    """A named model cannot be loaded."""


def fitted_vectors(encoder, items, what):
    """Return the vectors of items, and the fitted clone of a transformer or None."""
    check_encoder(encoder)
    if not hasattr(encoder, "transform"):
        return vectors_of(encoder, items, what), None
    fitted = clone(encoder)
    return checked(fitted.fit_transform(items[:]), len(items), what), fitted


def centred(vectors, mean, source="embedding"):
    """Return vectors less their mean, of length 1.

    Vectors of many encoders point in nearly one direction. Without their mean, their
    cosines tell rows apart.
    """
    if vectors.shape[1] != len(mean):
        raise ValueError(
            f"{source} has vectors of {vectors.shape[1]} numbers, and had vectors of "
            f"{len(mean)} before: they are of another encoder."
        )
    return normalize(vectors - mean)


def check_encoder(encoder):
    """Refuse what can make no vectors."""
    if isinstance(encoder, type) or not (
        isinstance(encoder, (str, Path))
        or hasattr(encoder, "transform")
        or callable(encoder)
    ):
        raise TypeError(
            "embedding must be a callable, a transformer, or the name or folder of a "
            f"model, got {encoder!r}."
        )


def vectors_of(encoder, items, what):
    """Return the vectors of items.

    Parameters
    ----------
    encoder : callable, fitted transformer, str or path
        A callable gets a list of at most `BATCH` items.
    items : sequence
        Texts or `Images`; a slice of it is a list.
    what : str
        "text" or "image", for errors.
    """
    if hasattr(encoder, "transform"):
        return checked(encoder.transform(items[:]), len(items), what)
    if isinstance(encoder, (str, Path)):
        encoder = load_encoder(os.fspath(encoder))
    blocks = []
    for start in range(0, len(items), BATCH):
        some = items[start : start + BATCH]  # may raise: an image that is not there
        try:
            block = encoder(some)
        except EncoderError:
            raise
        except Exception as error:
            raise ValueError(
                f"embedding failed on {what}s {start + 1} to {start + len(some)}: "
                f"{type(error).__name__}: {error}"
            ) from error
        blocks.append(checked(block, len(some), what, start))
    widths = {block.shape[1] for block in blocks}
    if len(widths) > 1:
        raise ValueError(
            f"embedding returned vectors of {min(widths)} and of {max(widths)} numbers."
        )
    return np.concatenate(blocks)


def checked(vectors, n_items, what, start=0, source="embedding"):
    """Return vectors as a matrix of finite numbers, or refuse them."""
    if hasattr(vectors, "toarray"):
        vectors = vectors.toarray()
    try:
        vectors = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{source} must return numbers, got {type(vectors).__name__} that is not "
            "an array of them."
        ) from None
    if vectors.ndim != 2 or vectors.shape[0] != n_items or not vectors.shape[1]:
        raise ValueError(
            f"{source} must return one vector for each {what}: it returned an array "
            f"of shape {vectors.shape} for {n_items} {what}s."
        )
    is_wrong = ~(np.abs(vectors) <= LARGEST_SCALE).all(axis=1)
    if is_wrong.any():
        raise ValueError(
            f"{source} must return finite numbers up to {LARGEST_SCALE:g}: the vector "
            f"of {what} {start + 1 + int(is_wrong.argmax())} has others."
        )
    return vectors


@lru_cache(maxsize=2)
def load_encoder(name: str) -> Callable[[list[str]], np.ndarray]:
    """Return the function of a model that turns texts into vectors.

    Parameters
    ----------
    name : str
        A folder with a model of model2vec or sentence-transformers, or a name that
        sentence-transformers knows or downloads.

    Raises
    ------
    EncoderError
        If the library is not installed, or the model cannot be loaded.
    """
    is_installed = [find_spec(each) is not None for each in LIBRARIES]
    if not any(is_installed):
        raise EncoderError(
            f"the encoder {name!r} needs sentence-transformers or model2vec: pip "
            "install one of them."
        )
    try:
        if not is_installed[0] or (is_installed[1] and is_static(Path(name))):
            from model2vec import StaticModel

            return StaticModel.from_pretrained(name).encode
        from sentence_transformers import SentenceTransformer

        return partial(SentenceTransformer(name).encode, show_progress_bar=False)
    except Exception as error:  # whatever a library and its downloads raise
        raise EncoderError(
            f"the encoder {name!r} cannot be loaded: {type(error).__name__}: {error}. "
            "A name is downloaded; without a network, give the folder of a model."
        ) from error


def is_static(folder):
    """Tell whether a folder holds one vector for each word, which model2vec reads."""
    try:
        modules = (folder / "modules.json").read_text(encoding="utf-8")
    except OSError:
        return False
    return "StaticEmbedding" in modules
