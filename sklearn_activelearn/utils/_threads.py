"""One thread for products of small matrices."""

from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

#: Numbers in a matrix from which on several threads may gain something.
LARGE = 1_000_000


@cache  # finding the libraries takes as long as a training
def find_libraries():
    """Return the controller of the libraries of matrix products that are loaded."""
    return ThreadpoolController().select(user_api="blas")


class SharedLimit:
    """A limit that holds while any thread of Python is inside.

    The number of threads belongs to the process: who comes second would find the limit
    of the first, and leave it behind.
    """

    def __init__(self):
        self._lock, self._n_inside, self._limiter = Lock(), 0, None

    @contextmanager
    def __call__(self):
        """Let matrix products run on one thread inside."""
        with self._lock:
            if self._n_inside == 0:
                self._limiter = find_libraries().limit(limits=1)
            self._n_inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_inside -= 1
                if self._n_inside == 0:
                    self._limiter.restore_original_limits()


limit_threads = SharedLimit()
