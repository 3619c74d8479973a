"""A lock on a file that goes with the process that holds it, however it ends."""

import os

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt


class FileLock:
    """Hold ``path + ".lock"`` until `release`, or until the process ends.

    The file stays: were it deleted, two processes could hold two of that name.

    Parameters
    ----------
    path : path
        What to lock.

    Raises
    ------
    BlockingIOError
        If somebody else holds it.
    """

    def __init__(self, path):
        name = f"{path}.lock"
        self._file = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is None:
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise BlockingIOError(
                f"{path} is open in another session, which holds {name}; close that "
                "first."
            ) from None

    def release(self):
        """Let go; twice is fine."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
