"""Monteleoni & Kääriäinen (2007): which of the OCR problems are linearly separable.

Section 4.2: all but two, 147vAll of MNIST and of USPS, for which svmLight found no
separating hyperplane. Here each problem is decided. With z = y x for unit rows x,
either some w has w'z > 0 for all rows, or the origin is a mean of the z with weights
of at least 0 (Gordan's theorem). Non-negative least squares finds weights that bring
the weighted sum and the sum of the weights closest to 0 and 1. If a distance is left
(the residual), the weighted sum itself separates, and its least cosine to the rows is
the margin; else no hyperplane does. Through the origin, as the paper's learners, and
with an offset.

    python -m benchmarks.papers.ocr_separability [--problem 0v1] [--results DIR]
        [--quick]
"""

from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from sklearn.preprocessing import normalize

from benchmarks import data
from benchmarks.options import parse
from benchmarks.results import Results

from .ocr import PROBLEMS, SEED, problem

NOT_SEPARATED = ("147vAll", "USPS 147vAll")  # in the paper


def separate(Z):
    """Return the least cosine of the best separator to the rows, and the residual."""
    A = np.vstack([Z.T, np.ones(len(Z))])
    weights, residual = nnls(A, np.eye(len(A))[-1], maxiter=100 * len(A))
    w = Z.T @ weights
    cosines = Z @ w / (np.linalg.norm(w) * np.linalg.norm(Z, axis=1))
    return float(cosines.min()), float(residual)


def main(argv=None):
    args = parse(__doc__, argv, problem=PROBLEMS, results=Path)
    size = (150, 0, data.digits) if args.quick else (10_000, 2_000)
    results = Results(args.results, "ocr_separability", argv, SEED)
    for name in args.problem or PROBLEMS:
        X, y, *_ = problem(name, *size)
        X, sign, rows = normalize(X), np.where(y == 1, 1, -1)[:, None], []
        for hyperplane in ("through the origin", "with an offset"):
            Z = X if not rows else np.column_stack([X, np.ones(len(X))])
            margin, residual = separate(sign * Z)
            row = {"problem": name, "hyperplane": hyperplane, "rows": len(X)}
            row |= {"separable": int(margin > 0)}
            row |= {"margin": margin if margin > 0 else None, "residual": residual}
            rows.append(row | {"published_separable": int(name not in NOT_SEPARATED)})
        key = ["problem", "hyperplane"]
        results.write("ocr_separability", rows, key=key, runs=1)


if __name__ == "__main__":
    main()
