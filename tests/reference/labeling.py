"""What a labelling session shows, written as the plain loop that it stands for."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.tools import group_of


@contextmanager
def quick_folder():
    """Give a folder in memory where there is one: thousands of commits are cheap."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)
