"""One pass of the stream learners against reading the rows once.

The yardstick is `X @ w` on one thread (scipy's product for CSR), the floor is
`X.sum()`. "kernel" is the compiled loop alone, its arguments prepared;
everything else is the whole call on a fresh learner, checks included. A ratio
is the median over the rounds of a line's time divided by that of the line
named behind it.

Dense rows are timed twice: with the widest vectors that the processor has, and
with none wider than AVX2's.

    python -m benchmarks.speed.one_pass [--rounds 9] [--quick]
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import Perceptron, SGDClassifier

from benchmarks.speed import _rows
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn import _rows as products
from sklearn_activelearn._validation import UNLIMITED
from sklearn_activelearn.stream._loop import Pass, Rows, run

CBGZ, DKM = CBGZClassifier(random_state=0), DKMClassifier(random_state=0)
RANDOM = RandomSamplingClassifier(random_state=0)
ONE_EPOCH = {"max_iter": 1, "tol": None, "shuffle": False}


def kernel(learner, X, y):
    """Return the compiled loop of a fresh learner over all rows, ready to call."""
    learner = fresh(learner)
    learner.n_features_in_ = X.shape[1]
    learner._reset()
    classes, codes = np.unique(y, return_inverse=True)
    learner._set_classes(classes)
    rows, rules, codes = Rows(X), learner._make_rules(), codes.astype(np.int32)
    bought, probabilities = np.empty(len(y), np.int64), np.empty(len(y))

    def call():
        run(Pass(
            rows, None, codes, None, *rules, learner._working_state(),
            UNLIMITED, UNLIMITED, bought, probabilities,
        ))  # fmt: skip

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
    """Say how much each learner buys and learns."""
    parts = []
    for name, learner in {"CBGZ": CBGZ, "DKM": DKM, "random": RANDOM}.items():
        fitted = fresh(learner).partial_fit(X, y, classes=np.unique(y))
        bought, moved = fitted.n_queries_ / len(y), fitted.n_updates_ / len(y)
        parts.append(f"{name} buys {bought:.2%}, updates on {moved:.2%}")
    return "; ".join(parts)


def dense_tables(quick, rounds, vectors):
    """Print the tables for dense rows."""
    shrink = 100 if quick else 1
    targets = {"kernel_target": 1.0, "scaled_target": 1.15, "whole_target": 1.2}

    X, y, digits, what = _rows.images(60_000 // shrink)
    table(
        f"{what}, {len(X)} x {X.shape[1]}, float64, {vectors}: {purchases(X, y)}",
        cases(X, y, **targets, faster=3.0)
        + float32_cases(X, y, 0.75)
        + class_cases(X, digits),
        rounds,
    )
    X, y = _rows.gaussian(500_000 // shrink, 54)
    table(
        f"Gaussian, {len(X)} x 54, float64, {vectors}: {purchases(X, y)}",
        cases(X, y, **targets, faster=3.0) + float32_cases(X, y),
        rounds,
    )
    for n_rows, n_features in [(2_000, 100), (300, 784), (60, 10)]:
        X, y = _rows.gaussian(n_rows, n_features)
        table(
            f"In cache, {n_rows} x {n_features}, float64, {vectors}: {purchases(X, y)}",
            cases(X, y, whole_target=1.5 if n_features == 784 else None)
            + float32_cases(X, y),
            rounds,
        )


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    before = products.widest
    for widest in (before, 4):
        products.widest = widest
        dense_tables(quick, rounds, f"vectors of up to {widest} numbers")
    products.widest = before
    for n_rows, index_type in [
        (20_000, np.int32),
        (20_000, np.int64),
        (200_000, np.int32),
    ]:
        X, y = _rows.words(n_rows // shrink, index_type=index_type)
        table(
            f"Words, {X.shape[0]} x {X.shape[1]}, 75 a row, CSR of float64 and "
            f"{X.indices.dtype}: {purchases(X, y)}",
            cases(X, y, scaled_target=1.25, whole_target=1.6, faster=3.0)
            + float32_cases(X, y),
            rounds,
        )


if __name__ == "__main__":
    main(__doc__, benchmark)
