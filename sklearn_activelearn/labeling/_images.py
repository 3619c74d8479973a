"""Images on disk: which kinds are shown, and where they may lie."""

#: Images that are shown; no SVG, which is a program.
IMAGE_TYPES = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}


def image_path(folder, name):
    """Return the path of an image, which must lie below a folder.

    Parameters
    ----------
    folder : Path
        Resolved.
    name : str
        Relative to it.

    Returns
    -------
    path : Path
        Resolved: what a link leads to.

    Raises
    ------
    ValueError
        If it lies elsewhere, does not exist or is no image.
    """
    try:
        path = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):  # a null byte, a ring of links
        raise ValueError("it is no path") from None
    if not path.is_relative_to(folder):
        raise ValueError("it lies outside the folder of the CSV")
    return checked_image(path)


def checked_image(path):
    """Return the path if it is that of an image; as `image_path` otherwise."""
    if path.suffix.lower() not in IMAGE_TYPES:
        raise ValueError(f"the name must end in {', '.join(IMAGE_TYPES)}")
    if not path.is_file():
        raise ValueError("there is no such file")
    return path
