"""One thread for products of small matrices."""

from functools import cache

from threadpoolctl import ThreadpoolController

#: Numbers in a matrix from which on several threads may gain something.
LARGE = 1_000_000


@cache  # finding the libraries takes as long as a training
def find_libraries():
    """Return the controller of the libraries of matrix products that are loaded."""
    return ThreadpoolController().select(user_api="blas")


def limit_threads():
    """Return a context in which matrix products run on one thread."""
    return find_libraries().limit(limits=1)
