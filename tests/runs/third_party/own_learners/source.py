"""A source: rows that lie in the .npy files of a folder."""

from pathlib import Path

import numpy as np

from sklearn_activelearn.sources import Source


class FolderSource(Source):
    """The rows of all files, in the order of their names."""

    def __init__(self, folder):
        files = sorted(Path(folder).glob("*.npy"))
        self.parts = [np.load(file, mmap_mode="r") for file in files]
        self.ends = np.cumsum([len(part) for part in self.parts])
        self.shape = int(self.ends[-1]), self.parts[0].shape[1]
        self.dtype = self.parts[0].dtype

    def _take(self, rows):
        files = np.searchsorted(self.ends, rows, side="right")
        starts = self.ends - [len(part) for part in self.parts]
        taken = [self.parts[k][rows[files == k] - starts[k]] for k in np.unique(files)]
        return np.concatenate(taken)
