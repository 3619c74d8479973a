"""Files of images: their types, and paths that stay inside a folder."""

from pathlib import Path

#: Images that are shown. SVG is left out because it can contain scripts.
IMAGE_TYPES = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}


def image_path(folder, name):
    """Return the resolved path of an image that lies below a folder.

    Parameters
    ----------
    folder : Path or None
        Resolved folder. None allows every folder.
    name : str or path
        Path relative to the folder.

    Raises
    ------
    ValueError
        If the path leads out of the folder (links are followed), does not exist or
        does not end like an image.
    """
    try:
        path = Path(folder or "", name).resolve()
    except (OSError, ValueError, RuntimeError):  # a null byte, a circle of links
        raise ValueError("it is not a valid path") from None
    if folder is not None and not path.is_relative_to(folder):
        raise ValueError("it lies outside the folder of the images")
    if path.suffix.lower() not in IMAGE_TYPES:
        raise ValueError(f"the name must end in {', '.join(IMAGE_TYPES)}")
    if not path.is_file():
        raise ValueError("there is no such file")
    return path
