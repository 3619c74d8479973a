"""Display of rows: texts, tables of cells, and images."""

import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np

from ...base import is_missing_label
from ...preprocessing import IMAGE_TYPES, cell_text, image_path

KINDS = ("text", "table", "image")
LONGEST_EXCERPT = 160  #: letters of a row in a list


def kind_of_item(item):
    """Return "text", "table" or "image"."""
    if isinstance(item, PathLike) or is_pillow_image(item):
        return "image"
    if isinstance(item, np.ndarray) and item.ndim in (2, 3):
        return "image"
    if isinstance(item, Mapping) or hasattr(item, "items"):
        return "table"
    return "table" if isinstance(item, np.ndarray) and item.ndim == 1 else "text"


def shown_item(item, kind):
    """Return the text of an item; of a table a dict from column to text.

    An empty cell is an empty text.
    """
    if kind == "image":
        return Path(item).name if isinstance(item, str | PathLike) else ""
    if kind == "table":
        if isinstance(item, np.ndarray):
            item = {
                number: cell if is_missing_label(cell) else f"{cell:.6g}"
                for number, cell in enumerate(item)
            }
        return {
            f"{name}": "" if is_missing_label(cell) else cell_text(cell, name)
            for name, cell in item.items()
        }
    return f"{item}"


def excerpt(item, kind):
    """Return the beginning of an item on one line."""
    shown = shown_item(item, kind)
    if isinstance(shown, dict):
        shown = "; ".join(f"{name}: {cell}" for name, cell in shown.items())
    shown = " ".join(shown[: 4 * LONGEST_EXCERPT].split())
    if len(shown) > LONGEST_EXCERPT:
        return f"{shown[: LONGEST_EXCERPT - 1]}…"
    return shown


def image_data(item, folder):
    """Return the bytes and the media type of an image.

    Parameters
    ----------
    item : path, str, image of Pillow or ndarray
        A path is relative to the folder. An array has two dimensions, or three with
        the channels last; other values than bytes are scaled to the range of bytes.
    folder : Path or None
        Folder in which files must lie. None allows every folder.
    """
    if isinstance(item, str | PathLike):
        path = image_path(folder, item)
        return path.read_bytes(), IMAGE_TYPES[path.suffix.lower()]
    if is_pillow_image(item):
        file = io.BytesIO()
        is_plain = item.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
        (item if is_plain else item.convert("RGB")).save(file, "PNG")
        return file.getvalue(), IMAGE_TYPES[".png"]
    return encode_png(np.asarray(item)), IMAGE_TYPES[".png"]


def is_pillow_image(item):
    """Return True for an image of Pillow, which is not a dependency."""
    return all(hasattr(item, name) for name in ("mode", "size", "save", "convert"))


def encode_png(pixels):
    """Return an array of pixels as the bytes of a PNG file."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("Arrays of pixels need Pillow: pip install pillow.") from None
    n_channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if not 1 <= n_channels <= 4:
        raise ValueError(
            f"An image must have 1 to 4 channels in its last axis, got {n_channels}."
        )
    if pixels.dtype != np.uint8:
        values = pixels.astype(float)
        low, high = np.nanmin(values), np.nanmax(values)
        scaled = (values - low) / (high - low or 1.0)
        pixels = (255 * np.nan_to_num(scaled)).round().astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels[:, :, 0] if pixels.shape[2:] == (1,) else pixels).save(
        file, "PNG"
    )
    return file.getvalue()
