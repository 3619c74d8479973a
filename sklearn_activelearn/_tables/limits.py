"""What a file may take: bytes, lines, and of the memory of this machine.

Every error is a `ValueError` whose message is one sentence for the owner of the file.
"""

import os
import stat
from io import UnsupportedOperation

LONGEST_LINE = 2**26  # bytes or characters; cells and numbers take ten times as much


def physical_memory():
    """Return the bytes of this machine, or 16 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**34


#: Bytes that a file and what is read from it may take: copies are made of both.
ROOM = physical_memory() // 4


class TooLarge(ValueError):
    """What a file holds, or says that it holds, does not fit in the memory."""


def check_room(n_bytes, what):
    """Refuse what would take more than its share of the memory."""
    if n_bytes > ROOM:
        raise TooLarge(
            f"{what} would take {n_bytes / 1e9:,.1f} GB, more than a quarter of the "
            "memory of this machine."
        )


class BoundedLines:
    """The lines of a file, counted; refused as soon as they take too much memory.

    Parameters
    ----------
    file : file
        Of bytes or text.
    separator : bytes or str
        What stands between cells, or within each.
    cell_size : int
        Bytes that a cell takes once it is read.
    """

    def __init__(self, file, separator, cell_size):
        self.file, self.separator, self.cell_size = file, separator, cell_size
        self.number = self.size = 0

    def __iter__(self):
        while line := self.file.readline(LONGEST_LINE):
            self.number += 1
            if len(line) == LONGEST_LINE:
                raise TooLarge(
                    f"line {self.number} is longer than {LONGEST_LINE - 1} characters."
                )
            # the objects of a row take some 64 bytes
            cells = line.count(self.separator) * self.cell_size
            self.size += max(len(line), 64 + cells)
            check_room(self.size, f"what stands up to line {self.number}")
            yield line

    def read(self, size=-1):
        """Refuse; for scikit-learn, what has this method is a file."""
        raise UnsupportedOperation("this file is read by lines")


def check_plain_file(path):
    """Refuse a folder, a pipe, a device, and a file that is empty or too large."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would wait for a writer
        raise ValueError("only plain files are read, no folder, pipe or device.")
    if status.st_size == 0:
        raise ValueError("the file is empty.")
    check_room(status.st_size, "the file")
