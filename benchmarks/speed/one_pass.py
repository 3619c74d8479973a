"""One pass of the stream learners against reading the rows once.

The yardstick is `X @ w` on one thread (scipy's product for CSR), the floor is
`X.sum()`. "kernel" is the compiled loop alone, its arguments prepared;
everything else is the whole call on a fresh learner, checks included. A ratio
is the median over the rounds of a line's time divided by that of the line
named behind it.

Dense rows are timed twice: with the widest vectors that the processor has, and
with none wider than AVX2's ("vectors of 4"). All but a toy run write tables to
docs/results: one_pass_speed.csv, and one_pass_calls.csv (a part of it, of the calls
that users make). A goal is in brackets behind its ratio.

    python -m benchmarks.speed.one_pass [--rounds 9] [--quick]
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import Perceptron, SGDClassifier

from benchmarks.speed import _results, _rows
from benchmarks.speed._interleave import Case, column, main, side_by_side, table
from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier
from sklearn_activelearn.base._parameters import UNLIMITED
from sklearn_activelearn.kernels import _rows as products
from sklearn_activelearn.stream._base import Pass, Rows

CBGZ, DKM = CBGZClassifier(random_state=0), DKMClassifier(random_state=0)
RANDOM = RandomSamplingClassifier(random_state=0)
ONE_EPOCH = {"max_iter": 1, "tol": None, "shuffle": False}
#: of the shorter table
CALLS = [
    "X @ w",
    "partial_fit CBGZ",
    "fit CBGZ shuffle=True",
    "float32 partial_fit CBGZ",
    "SGDClassifier, 1 epoch",
]


def kernel(learner, X, y, order=None):
    """Return the compiled loop of a fresh learner over all rows, ready to call."""
    learner = fresh(learner)
    learner.n_features_in_ = X.shape[1]
    learner._reset()
    classes, codes = np.unique(y, return_inverse=True)
    learner._set_classes(classes)
    rows, codes = Rows(X), codes.astype(np.int32)

    def call():
        Pass(rows, order, codes, None, learner._ready(), UNLIMITED, UNLIMITED).run()

    return call


def whole(learner, X, y):
    """Return `partial_fit` of a fresh learner, ready to call."""
    classes = np.unique(y)
    return lambda: fresh(learner).partial_fit(X, y, classes=classes)


def fresh(learner, **params):
    """Return an unfitted learner with other parameters, quicker than `clone`."""
    return type(learner)(**{**vars(learner), **params})


def cases(
    X, y, *, kernel_target=None, scaled_target=None, whole_target=None, faster=None
):
    """Return the lines for two classes; the targets are ratios.

    That of the kernel is for rows as they are, the other for rows that it scales.
    """
    w = np.random.default_rng(1).standard_normal(X.shape[1])
    words = np.array(["no", "yes"])[y]
    fit = fresh(CBGZ, shuffle=False)
    lines = [
        Case("X @ w", lambda: X @ w),
        Case("X.sum()", lambda: X.sum(), "X @ w"),
        Case("kernel CBGZ", kernel(CBGZ, X, y), "X @ w", scaled_target),
        Case("partial_fit CBGZ", whole(CBGZ, X, y), "X @ w", whole_target),
    ]
    for name, learner in {"DKM": DKM, "random": RANDOM}.items():
        lines += [
            Case(f"kernel {name}", kernel(learner, X, y), "X @ w", scaled_target),
            Case(f"partial_fit {name}", whole(learner, X, y), "X @ w", whole_target),
        ]
    idle = fresh(RANDOM, rate=1e-12)
    lines.append(Case("kernel, nothing bought", kernel(idle, X, y), "X @ w"))
    for name, params in {
        "normalize=False": {"normalize": False},
        "fit_intercept=False": {"fit_intercept": False},
        "average=False": {"average": False},
    }.items():
        learner, target = fresh(CBGZ, **params), None
        if not learner.normalize:
            target = kernel_target
        call = kernel(learner, X, y)
        lines.append(Case(f"kernel CBGZ {name}", call, "X @ w", target))
    lines += [
        Case("partial_fit CBGZ, labels str", whole(CBGZ, X, words), "X @ w"),
        Case("fit CBGZ shuffle=False", lambda: fit.fit(X, y), "X @ w"),
        Case("fit CBGZ shuffle=True", lambda: fresh(CBGZ).fit(X, y), "X @ w"),
    ]
    if issparse(X):
        lines.append(Case("first check of X", canonical_check(X), "X @ w"))
        if X.indices.dtype == np.int64:  # scikit-learn's learners refuse them
            return lines
    return [
        *lines,
        Case(
            "Perceptron, 1 epoch",
            lambda: Perceptron(**ONE_EPOCH).fit(X, y),
            "fit CBGZ shuffle=False",
            at_least=faster,
        ),
        Case(
            "SGDClassifier, 1 epoch",
            lambda: SGDClassifier(loss="hinge", **ONE_EPOCH).fit(X, y),
            "fit CBGZ shuffle=False",
            at_least=faster,
        ),
    ]


def float32_cases(X, y, target=None):
    """Return the lines for the same rows as float32."""
    X32 = X.astype(np.float32)
    w32 = np.random.default_rng(1).standard_normal(X.shape[1]).astype(np.float32)
    return [
        Case("float32 X @ w", lambda: X32 @ w32, "X @ w"),
        Case("float32 kernel CBGZ", kernel(CBGZ, X32, y), "kernel CBGZ", target),
        Case(
            "float32 partial_fit CBGZ", whole(CBGZ, X32, y), "partial_fit CBGZ", target
        ),
    ]


def class_cases(X, y):
    """Return the lines for all the classes of y, one weight vector each."""
    W = np.random.default_rng(1).standard_normal((len(np.unique(y)), X.shape[1]))
    to = f"X @ W.T, {len(W)} classes"
    return [
        Case(to, lambda: X @ W.T, "X @ w"),
        Case(f"kernel CBGZ, {len(W)} classes", kernel(CBGZ, X, y), to),
        Case(f"partial_fit CBGZ, {len(W)} classes", whole(CBGZ, X, y), to),
    ]


def canonical_check(X):
    """Return scipy's look for repeated entries, as a matrix pays it once."""

    def call():
        for name in ("_has_canonical_format", "_has_sorted_indices"):
            vars(X).pop(name, None)
        return X.has_canonical_format

    return call


def purchases(X, y):
    """Return the shares of the rows that each learner buys and learns from."""
    parts = {}
    for name, learner in {"CBGZ": CBGZ, "DKM": DKM, "random": RANDOM}.items():
        fitted = fresh(learner).partial_fit(X, y, classes=np.unique(y))
        parts[name] = fitted.n_queries_ / len(y), fitted.n_updates_ / len(y)
    return parts


def in_words(shares):
    """Say how much each learner buys and learns."""
    return "; ".join(
        f"{name} buys {bought:.2%}, updates on {moved:.2%}"
        for name, (bought, moved) in shares.items()
    )


def compare(title, X, y, lines, rounds):
    """Print a table for a problem; return its column of the documentation."""
    shares = purchases(X, y)
    cells = column(lines, table(f"{title}: {in_words(shares)}", lines, rounds))
    for name, (bought, moved) in shares.items():
        cells[f"labels bought, {name}", "% of rows"] = f"{100 * bought:.1f}"
        cells[f"updates, {name}", "% of rows"] = f"{100 * moved:.1f}"
    return cells


def dense_tables(quick, rounds, widest):
    """Print tables for dense rows; return their columns."""
    shrink, vectors = 100 if quick else 1, f"vectors of up to {widest} numbers"
    targets = {"kernel_target": 1.0, "scaled_target": 1.15, "whole_target": 1.2}

    columns = {}
    X, y, digits, what = _rows.images(60_000 // shrink)
    lines = cases(X, y, **targets, faster=3.0)
    lines += float32_cases(X, y, 0.75) + class_cases(X, digits)
    title = f"{what}, {len(X)} x {X.shape[1]}, float64, {vectors}"
    columns[f"{what}, {len(X):,} x {X.shape[1]}"] = compare(title, X, y, lines, rounds)
    X, y = _rows.gaussian(500_000 // shrink, 54)
    lines = cases(X, y, **targets, faster=3.0) + float32_cases(X, y)
    title = f"Gaussian, {len(X)} x 54, float64, {vectors}"
    columns[f"{len(X):,} x 54"] = compare(title, X, y, lines, rounds)
    return columns


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    before = products.widest
    large = dense_tables(quick, rounds, before)
    calls = dict(large)
    products.widest = 4
    for name, cells in dense_tables(quick, rounds, 4).items():
        large[f"{name}, vectors of 4"] = cells
    products.widest = before
    for n_rows, index_type in [
        (20_000, np.int32),
        (20_000, np.int64),
        (200_000, np.int32),
    ]:
        X, y = _rows.words(n_rows // shrink, index_type=index_type)
        lines = cases(X, y, scaled_target=1.25, whole_target=1.6, faster=3.0)
        lines += float32_cases(X, y)
        size = f"{X.shape[0]} x {X.shape[1]}"
        title = f"Words, {size}, 75 a row, CSR of float64 and {X.indices.dtype}"
        name = f"CSR, {X.shape[0]:,} x {X.shape[1]:,}"
        cells = compare(title, X, y, lines, rounds)
        if index_type is np.int64:
            large[f"{name}, int64"] = cells
        else:
            large[name] = calls[name] = cells
    if not quick:
        _results.write("one_pass_speed.csv", *side_by_side(large))
        _results.write("one_pass_calls.csv", *side_by_side(calls, CALLS))


if __name__ == "__main__":
    main(__doc__, benchmark)
