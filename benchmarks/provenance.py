"""Provenance of rows: the commit, the libraries and the data."""

import hashlib
import subprocess
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

import sklearn_activelearn

LIBRARIES = ("numpy", "scipy", "scikit-learn")

#: What decides what is measured, as seen from the package.
CODE = (".", "../benchmarks", "../setup.py")


@cache
def commit(package=Path(sklearn_activelearn.__file__).parent):
    """Return the short hash of the checkout that a package is in.

    It ends with "-dirty" if code was changed since; it is empty for a package that is
    installed.
    """

    def git(*words):
        return subprocess.run(
            ["git", "-C", str(package), *words],
            capture_output=True, check=True, encoding="utf-8",
        ).stdout.strip()  # fmt: skip

    try:
        # an environment within a checkout is no part of it
        git("ls-files", "--error-unmatch", "__init__.py")
        changed = git("status", "--porcelain", "--", *CODE)
        return git("rev-parse", "--short=12", "HEAD") + "-dirty" * bool(changed)
    except (OSError, subprocess.CalledProcessError):
        return ""


def libraries():
    """Return the versions of the libraries that results depend on."""
    return ", ".join(f"{name} {version(name)}" for name in LIBRARIES)


def checksum(*arrays):
    """Return the first 12 digits of SHA-256 over types, shapes and values of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        parts = [array]
        if issparse(array):
            rows = array.tocsr()
            parts = [np.array(rows.shape), rows.indptr, rows.indices, rows.data]
        for part in map(np.ascontiguousarray, parts):
            digest.update(f"{part.dtype.str} {part.shape}".encode())
            digest.update(part)
    return digest.hexdigest()[:12]


class DataLog:
    """Checksums of the data that the next rows are measured on.

    Data sets that are loaded one after the other belong together until rows are
    written; the first one that is loaded after that begins a new list.
    """

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all."""
        self.checksums, self.is_written = [], False

    def add(self, *arrays):
        """Note rows and labels."""
        if self.is_written:
            self.clear()
        found = checksum(*arrays)
        if found not in self.checksums:
            self.checksums.append(found)

    def use(self, checksums):
        """Take these instead: of rows on sets that were written one by one."""
        self.clear()
        self.checksums = list(dict.fromkeys(checksums))

    def cell(self):
        """Return the checksums for the rows to write."""
        self.is_written = True
        return " ".join(self.checksums)


DATA = DataLog()


def recorded(load):
    """Note the rows and labels, which come first, of what a function returns."""

    @wraps(load)
    def loaded(*args, **kwargs):
        found = load(*args, **kwargs)
        DATA.add(*found[:2])
        return found

    return loaded
