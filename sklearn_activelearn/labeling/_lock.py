"""A lock on a file that goes with the process that holds it, however it ends."""

import errno
import os
import struct
from contextlib import suppress
from threading import RLock

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

#: A byte of a database that SQLite never locks, beyond what most of them hold.
LOCK_BYTE = 0x7FFF0000
TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)

#: The locks of this process by the device and the inode of their files. To close any
#: descriptor of such a file would take from SQLite its own locks on it.
HELD = {}
#: Held while a descriptor is opened or closed that is not SQLite's, and while it reads.
descriptors = RLock()


class FileLock:
    """Hold a file, whatever it is called, until `release` or the end of the process.

    Two locks are taken: ``.lock``, beside the file where links lead, and one byte of
    the file itself, which other links to it and a lost ``.lock`` do not evade. The file
    is made if it is not there. ``.lock`` stays: were it deleted, two processes could
    hold two of that name.

    Parameters
    ----------
    path : path
        What to lock.

    Attributes
    ----------
    file : str
        The path without links.
    owner : object
        For `holder_of`: whoever works with the file; None until somebody says so.

    Raises
    ------
    BlockingIOError
        If somebody else holds it.
    OSError
        If there cannot be such files.
    """

    def __init__(self, path):
        self.file, self.owner = os.path.realpath(path), None
        self._name, self._process = f"{self.file}.lock", os.getpid()
        self._beside = self._inside = self._identity = None
        try:
            with descriptors:
                if held_lock(self.file) is not None:
                    raise self._refusal(path)
                self._beside = os.open(self._name, os.O_RDWR | os.O_CREAT, 0o644)
                if not lock_beside(self._beside):
                    raise self._refusal(path)
                self._inside = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o644)
                if not lock_byte(self._inside):
                    raise self._refusal(path)
                self._identity = identity_of(self._inside)
                HELD[self._identity] = self
        except BaseException:
            self.release()
            raise

    @property
    def is_in_place(self):
        """Whether the path still leads to the file that is locked."""
        return identity_of(self.file) == self._identity

    def release(self):
        """Let go; twice is fine. No connection to the file may be open any more."""
        with descriptors:
            is_ours = self._process == os.getpid()  # a fork shares them
            for name, unlock in ("_inside", unlock_byte), ("_beside", unlock_beside):
                descriptor = getattr(self, name)
                if descriptor is None:
                    continue
                if is_ours:
                    with suppress(OSError):
                        unlock(descriptor)
                setattr(self, name, None)
                os.close(descriptor)
            if is_ours and HELD.get(self._identity) is self:  # if Ctrl-C came: again
                del HELD[self._identity]

    def _refusal(self, path):
        return BlockingIOError(
            f"{path} is open in another session, which holds {self._name}; close that "
            "first."
        )


def held_lock(path):
    """Return the lock of this process on a file, None if there is none."""
    lock = HELD.get(identity_of(path))
    return lock if lock is not None and lock._process == os.getpid() else None


def holder_of(path):
    """Return who holds a file in this process, None if nobody does."""
    lock = held_lock(os.path.realpath(path))
    return None if lock is None else lock.owner


def identity_of(file):
    """Return what a file is, by its path or descriptor; None if there is none."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def lock_beside(descriptor):
    """Lock the file ``.lock``; return whether nobody else has."""
    if fcntl is None:
        return lock_for_windows(descriptor, 0)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def unlock_beside(descriptor):
    """Undo `lock_beside`: the descriptor may have been inherited."""
    if fcntl is None:
        lock_for_windows(descriptor, 0, unlock=True)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_byte(descriptor):
    """Lock the byte of a database; return whether nobody else has.

    Where the system or the file system cannot, nobody has.
    """
    if fcntl is None:
        return lock_for_windows(descriptor, LOCK_BYTE)
    try:
        lock_open_description(descriptor, fcntl.F_WRLCK)
    except OSError as error:
        return error.errno not in TAKEN
    return True


def unlock_byte(descriptor):
    """Undo `lock_byte`."""
    if fcntl is None:
        lock_for_windows(descriptor, LOCK_BYTE, unlock=True)
    else:
        lock_open_description(descriptor, fcntl.F_UNLCK)


def lock_open_description(descriptor, kind):
    """Lock or unlock the byte for what was opened, not for the process."""
    if hasattr(fcntl, "F_OFD_SETLK"):
        request = struct.pack("hhqqi0q", kind, os.SEEK_SET, LOCK_BYTE, 1, 0)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, request)


def lock_for_windows(descriptor, position, unlock=False):
    """Lock or unlock one byte; return whether that went well."""
    os.lseek(descriptor, position, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK if unlock else msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
