"""Sparse matrices whose parts do not fit each other are refused."""

from scipy.sparse import issparse


def check_sparse_rows(X):
    """Refuse a sparse matrix whose parts do not fit each other.

    Compiled loops, scipy's own among them, would read and write outside its arrays.
    """
    if not issparse(X) or X.ndim != 2:  # which scikit-learn refuses
        return
    try:
        if X.format in ("csr", "csc", "bsr"):
            check_compressed(X)
        elif X.format == "coo":
            check_coordinates(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        name = X.format.upper()
        raise ValueError(f"X is a broken {name} matrix: {error}") from None


def check_compressed(X):
    """Check the index arrays of a CSR, CSC or BSR matrix."""
    kinds = [part.dtype.kind + str(part.ndim) for part in (X.indptr, X.indices)]
    if kinds != ["i1", "i1"]:
        raise ValueError("indptr and indices must be 1-D arrays of integers")
    n_values = 1 if X.format != "bsr" else X.blocksize[0] * X.blocksize[1]
    if (
        X.data.ndim != (3 if X.format == "bsr" else 1)
        or X.data.dtype.kind not in "biuf"
    ):
        raise ValueError(f"data is {X.data.ndim}-D of {X.data.dtype}, not numbers")
    n_major, n_minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        n_major, n_minor = n_major // X.blocksize[0], n_minor // X.blocksize[1]
    indptr, indices = X.indptr, X.indices
    if len(indptr) != n_major + 1:
        raise ValueError(
            f"indptr has {len(indptr)} entries, {n_major + 1} are needed for its shape"
        )
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must begin with 0 and never decrease")
    if len(indices) * n_values != X.data.size or indptr[-1] > len(indices):
        raise ValueError(
            f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices and "
            f"{X.data.size // n_values} values"
        )
    used = indices[: indptr[-1]]
    unsigned = used.view(used.dtype.str.replace("i", "u"))  # -1 is large
    if unsigned.size and unsigned.max() >= n_minor:
        raise ValueError(f"it has indices outside [0, {n_minor})")


def check_coordinates(X):
    """Check the coordinates of a COO matrix."""
    if len({len(X.data), *map(len, X.coords)}) != 1:
        raise ValueError("its coordinates and values are not equally many")
    for places, size in zip(X.coords, X.shape, strict=True):
        if places.dtype.kind != "i":
            raise ValueError("its coordinates must be integers")
        if len(places) and (places.min() < 0 or places.max() >= size):
            raise ValueError(f"it has coordinates outside [0, {size})")
