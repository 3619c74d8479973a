"""Guillory, Chastain & Bilmes (2009): outliers, the best separator of each loss.

Figure 4: zero-one errors of the separators through the origin that minimise each loss
on a synthetic set; Figure 5: the losses as functions of w. The paper shows its set as
a picture only: `make_outlier_line` stands in, which was made to have these errors. So
the errors show that such a set exists; what Figure 5 says of the surfaces is a test.
Of each surface: rank correlations, over a grid of w, with those of the hinge and of
the zero-one loss. Means over ten sets.

    python -m benchmarks.papers.outlier_line [--results DIR] [--quick]
"""

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from benchmarks.options import parse
from benchmarks.provenance import DATA
from benchmarks.results import Results
from sklearn_activelearn.datasets import make_outlier_line
from sklearn_activelearn.losses import make_loss

SEEDS = range(10)
#: Figure 4.
PUBLISHED = {
    "hinge": 0.51,
    "ramp": 0.33,
    "log_ramp": 0.51,
    "root_ramp": 0.51,
    "sigmoid": 0.33,
    "zero_one": 0.33,
}
#: Where w1 and w2 change from even to logarithmic steps; both go to 10.
LINEAR = (0.003, 0.1)


def surfaces(X, y, n_steps):
    """Return the mean of each loss at each w of a grid, and the zero-one errors."""
    span = np.linspace(-1, 1, n_steps)
    w1, w2 = (linear * np.sinh(span * np.arcsinh(10 / linear)) for linear in LINEAR)
    z = np.stack(np.meshgrid(w1, w2), axis=-1) @ (X * y[:, None]).T
    error = (z <= 0).mean(axis=-1)
    return {
        name: error if name == "zero_one" else make_loss(name).value(z).mean(axis=-1)
        for name in PUBLISHED
    }


def error_at_lowest(surface, error):
    """Return the zero-one error where a surface is lowest: the mean of such places."""
    return float(error[surface <= surface.min() + 1e-9].mean())


def likeness(surface, other):
    """Return the rank correlation of two surfaces."""
    return float(spearmanr(surface, other, axis=None).statistic)


def main(argv=None):
    args = parse(__doc__, argv, steps=161, results=Path)
    seeds = SEEDS[:1] if args.quick else SEEDS
    steps = 41 if args.quick else args.steps
    results = Results(args.results, "outlier_line", argv, f"0 to {seeds[-1]}")
    found = {name: [] for name in PUBLISHED}
    for seed in seeds:
        X, y = make_outlier_line(random_state=seed)
        DATA.add(X, y)
        of = surfaces(X, y, steps)
        for name, surface in of.items():
            found[name].append(
                (
                    error_at_lowest(surface, of["zero_one"]),
                    likeness(surface, of["hinge"]),
                    likeness(surface, of["zero_one"]),
                )
            )
    means = [np.mean(of_sets, axis=0) for of_sets in found.values()]
    rows = [
        {"loss": name, "error": error, "as_hinge": hinge, "as_zero_one": zero_one}
        | {"published": PUBLISHED[name]}
        for name, (error, hinge, zero_one) in zip(found, means, strict=True)
    ]
    each = [
        {"loss": name, "run": run, "error": error, "likeness": hinge - zero_one}
        for name, of_sets in found.items()
        for run, (error, hinge, zero_one) in enumerate(of_sets)
    ]
    results.write("outlier_line", rows, key=["loss"], runs=len(seeds), each=each)


if __name__ == "__main__":
    main()
