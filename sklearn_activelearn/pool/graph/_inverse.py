"""The inverse of a symmetric positive definite matrix."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri


def inverse(matrix):
    """Return the inverse of a symmetric positive definite matrix, in its memory."""
    if len(matrix) == 0:
        return matrix
    factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True)
    out, _ = dpotri(factor, lower=True, overwrite_c=True)
    if failed:
        raise np.linalg.LinAlgError("the weights of the graph overflow.")
    for k in range(1, len(out)):  # the other triangle holds anything
        out[:k, k] = out[k, :k]
    return out.T


def without_row(green, k):
    """Return the inverse of a matrix that has lost its k-th row and column."""
    column = green[k] / np.sqrt(green[k, k])
    column = np.delete(column, k)
    out = np.multiply.outer(-column, column)
    for rows in (slice(k), slice(k, None)):
        for columns in (slice(k), slice(k, None)):
            out[rows, columns] += green[shifted(rows, k), shifted(columns, k)]
    return out


def shifted(part, k):
    """Return where the numbers of a part were before number k was taken out."""
    return part if part.start is None else slice(k + 1, None)
