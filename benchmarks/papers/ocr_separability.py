"""Monteleoni & Kääriäinen (2007): which of the OCR problems are linearly separable.

Section 4.2: all but two, 147vAll of MNIST and of USPS, for which svmLight found no
separating hyperplane. Here each problem is decided. With z = y x for unit rows x,
either some w has w'z > 0 for all rows, or the origin is a mean of the z with weights
of at least 0 (Gordan's theorem). Non-negative least squares finds weights that bring
the weighted sum and the sum of the weights closest to 0 and 1. If a distance is left,
the weighted sum itself separates, and its least margin is shown; else no hyperplane
does. Through the origin, as the paper's learners, and with an offset.

    python -m benchmarks.papers.ocr_separability [--results DIR] [--quick]
"""

from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from sklearn.preprocessing import normalize

from benchmarks import data
from benchmarks.options import parse
from benchmarks.results import Results

from .ocr import PROBLEMS, SEED, problem

#: The problems that the paper could not separate.
NOT_SEPARATED = ("147vAll", "USPS 147vAll")
HYPERPLANES = ("through the origin", "with an offset")


def separate(Z):
    """Return a w, the least of its cosines to the rows, and how far the origin is.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, d)
        Rows times their labels, -1 and 1.

    Returns
    -------
    w : ndarray of shape (d,)
        Separates if its least margin is positive.
    margin : float
        The least w'z / (|w| |z|).
    residual : float
        Length of the weighted sum and of what the sum of the weights lacks of 1: 0
        where the origin is a weighted mean of the rows.
    """
    A = np.vstack([Z.T, np.ones(len(Z))])
    target = np.zeros(len(A))
    target[-1] = 1
    weights, residual = nnls(A, target, maxiter=100 * len(A))
    w = Z.T @ weights
    lengths = np.linalg.norm(w) * np.linalg.norm(Z, axis=1)
    return w, float(np.min(Z @ w / lengths)), float(residual)


def main(argv=None):
    args = parse(__doc__, argv, problem=PROBLEMS, results=Path)
    sizes, load = (10_000, 2_000), None
    if args.quick:
        sizes, load = (150, 0), data.digits
    results = Results(args.results, "ocr_separability", argv, SEED)
    for name in args.problem or PROBLEMS:
        X, y, *_ = problem(name, *sizes, load)
        X = normalize(X)
        for hyperplane in HYPERPLANES:
            rows = X
            if hyperplane == HYPERPLANES[1]:
                rows = np.column_stack([X, np.ones(len(X))])
            _, margin, residual = separate(np.where(y == 1, 1, -1)[:, None] * rows)
            row = {
                "problem": name,
                "hyperplane": hyperplane,
                "rows": len(X),
                "separable": int(margin > 0),
                "margin": margin if margin > 0 else None,
                "residual": residual,
                "published_separable": int(name not in NOT_SEPARATED),
            }
            key = ["problem", "hyperplane"]
            results.write("ocr_separability", [row], key=key, runs=1)


if __name__ == "__main__":
    main()
