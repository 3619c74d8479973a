"""What is shown of a row: a text, a table of cells, or an image."""

import io
import struct
import zlib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np

from ._images import IMAGE_TYPES, checked_image, image_path

KINDS = ("text", "table", "image")
LONGEST_EXCERPT = 160  # letters of a row in a list


def kind_of_item(item):
    """Return how an item is shown: "text", "table" or "image"."""
    if isinstance(item, PathLike) or is_picture(item):
        return "image"
    if isinstance(item, np.ndarray) and item.ndim in (2, 3):
        return "image"
    if isinstance(item, Mapping) or hasattr(item, "items"):
        return "table"
    return "table" if isinstance(item, np.ndarray) and item.ndim == 1 else "text"


def shown_item(item, kind):
    """Return an item as the page gets it: a text, or texts by name."""
    if kind == "image":
        return Path(item).name if isinstance(item, str | PathLike) else ""
    if kind == "table":
        if isinstance(item, np.ndarray):
            item = {f"{number}": f"{cell:.6g}" for number, cell in enumerate(item)}
        return {f"{name}": f"{cell}" for name, cell in item.items()}
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
    """Return the bytes of an image and their media type.

    Parameters
    ----------
    item : path, str, image of Pillow or ndarray
        A path is relative to the folder; of an array of two dimensions, or of three
        with the colours last, the values are spread over all shades unless they are
        bytes.
    folder : Path or None
        Where files must lie; None: anywhere.
    """
    if isinstance(item, str | PathLike):
        path = checked_image(Path(item)) if folder is None else image_path(folder, item)
        return path.read_bytes(), IMAGE_TYPES[path.suffix.lower()]
    if is_picture(item):
        file = io.BytesIO()
        is_plain = item.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
        (item if is_plain else item.convert("RGB")).save(file, "PNG")
        return file.getvalue(), IMAGE_TYPES[".png"]
    return png_of(np.asarray(item)), IMAGE_TYPES[".png"]


def is_picture(item):
    """Whether this is an image of Pillow, which need not be installed."""
    return all(hasattr(item, name) for name in ("mode", "size", "save", "convert"))


def png_of(pixels):
    """Return an array as a file of the kind PNG."""
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    if pixels.dtype != np.uint8:
        values = pixels.astype(float)
        low, high = np.nanmin(values), np.nanmax(values)
        scaled = (values - low) / (high - low or 1.0)
        pixels = (255 * np.nan_to_num(scaled)).round().astype(np.uint8)
    height, width, n_colours = pixels.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}.get(n_colours)
    if colour is None:
        raise ValueError(
            f"An image has 1 to 4 colours in its last axis, not {n_colours}."
        )
    lines = pixels.reshape(height, width * n_colours)
    raw = np.hstack([np.zeros((height, 1), np.uint8), lines]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(raw)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*part) for part in parts)


def png_chunk(kind, data):
    """Return a part of such a file."""
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
