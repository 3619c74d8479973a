"""Numbers of images: pixels, colours and edges. No label is used."""

import numpy as np

from ._image_files import image_path

PIXELS = (16, 16)  # grey pixels of an image
SIDE = 32  # pixels along a side, for colours and edges
SHADES = 4  # of each of red, green and blue
CELLS = 4  # parts along a side, each with a histogram of edges
DIRECTIONS = 8  # of edges
#: Factors that give pixels, colours and edges similar lengths.
WEIGHTS = (0.25, 3.0, 3.0)


class Images:
    """Images in files, read when they are taken, so that few are in memory.

    Parameters
    ----------
    folder : Path
        Resolved; images lie below it.
    names : list of str
        Paths of the images in the folder.
    rows : sequence of int
        Numbers of the rows of the table that has the paths.

    Raises
    ------
    ValueError
        Without Pillow. When they are taken: for a path without an image, naming the
        row.
    """

    def __init__(self, folder, names, rows):
        try:
            import PIL.Image
        except ImportError:
            raise ValueError("images need Pillow: pip install pillow.") from None
        self.module = PIL.Image
        self.folder, self.names, self.rows = folder, names, list(rows)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, some):
        """Return the images of a slice, in red, green and blue."""
        return [*map(self._read, self.names[some], self.rows[some])]

    def _read(self, name, row):
        try:
            with self.module.open(image_path(self.folder, name.strip())) as image:
                return image.convert("RGB")
        except (OSError, ValueError, self.module.DecompressionBombError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if "cannot identify" in reason:
                reason = "it is no image"
            raise ValueError(f"row {row}: {name!r}: {reason.rstrip('.')}.") from None


def encode_each_image(images):
    """Return the numbers of images, a row for each."""
    return np.array([encode_image(image) for image in images])


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
