"""Numbers of images, for shapes and colours; for photographs a network does better."""

import numpy as np

from ..labeling._items import image_path

PIXELS = (16, 16)  # grey
SIDE = 32  # pixels from which histograms are made
SHADES = 4  # of each of red, green and blue
CELLS, DIRECTIONS = 4, 8  # parts along a side; of edges

#: What brings the three to similar lengths.
WEIGHTS = (0.25, 3.0, 3.0)


def image_features(folder, names, lines):
    """Return the numbers of images.

    Parameters
    ----------
    folder : Path
        Resolved; images lie below it.
    names : list of str
        Their paths there.
    lines : sequence of int
        Of the table that has the paths.

    Returns
    -------
    X : ndarray of shape (n_images, n_numbers)
        Grey pixels, shares of colours, directions of edges.

    Raises
    ------
    ValueError
        For a path without an image, naming the line; without Pillow.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("--image needs Pillow: pip install pillow.") from None
    rows = []
    for name, line in zip(names, lines, strict=True):
        try:
            with Image.open(image_path(folder, name.strip())) as image:
                rows.append(numbers_of_image(image.convert("RGB")))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise ValueError(f"line {line}: {name!r}: {reason(error)}.") from None
    return np.array(rows)


def numbers_of_image(image):
    """Return the numbers of a picture in red, green and blue."""
    small = np.asarray(image.resize((SIDE, SIDE)))
    grey = image.convert("L")
    parts = (
        np.asarray(grey.resize(PIXELS), dtype=float).ravel() / 255,
        colours(small),
        edges(np.asarray(grey.resize((SIDE, SIDE)), dtype=float) / 255),
    )
    return np.concatenate([w * part for w, part in zip(WEIGHTS, parts, strict=True)])


def colours(pixels):
    """Return the square roots of the shares of `SHADES` ** 3 colours."""
    shades = pixels.astype(int) * SHADES // 256
    codes = shades @ [SHADES**2, SHADES, 1]
    return np.sqrt(np.bincount(codes.ravel(), minlength=SHADES**3) / codes.size)


def edges(grey):
    """Return a histogram of gradients: directions, by their strength, in each cell."""
    down, right = np.gradient(grey)
    angles = np.arctan2(down, right) % np.pi * (DIRECTIONS / np.pi)
    cell = np.arange(SIDE) * CELLS // SIDE
    places = (cell[:, None] * CELLS + cell) * DIRECTIONS
    # rounded, or else the last digit would decide where an edge is upright
    bins = places + angles.round(6).astype(int) % DIRECTIONS
    n_bins, strength = CELLS**2 * DIRECTIONS, np.hypot(down, right)
    found = np.bincount(bins.ravel(), strength.ravel(), minlength=n_bins)
    return found / np.sqrt(found @ found + 1e-4)


def reason(error):
    """Return why an image cannot be read, without its path again."""
    text = getattr(error, "strerror", None) or str(error)
    if "cannot identify" in text:
        text = "it is no image"
    return text.rstrip(".")
