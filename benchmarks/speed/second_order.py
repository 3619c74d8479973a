"""Second-order samplers: bounds against quadratic forms, dual against primal.

"always" is a loop with the same kernels that computes the quadratic form of
every row, compiled on the spot; that both buy the same labels is checked. Times
are per row. The second table grows the number of stored rows N at d = 784; a
row is looked at (its quadratic form is computed) and stored. All but a toy run write
the first table to docs/results/second_order_forms.csv, the least of the rounds, in
times of the processor.

    python -m benchmarks.speed.second_order [--rounds 5] [--quick]
"""

from copy import copy
from time import process_time

import numpy as np

from benchmarks.speed import _results, _rows
from benchmarks.speed._compiled import compiled
from benchmarks.speed._interleave import Case, main, table
from benchmarks.speed.one_pass import fresh, kernel
from sklearn_activelearn import CBGZClassifier, RLSSamplingClassifier, SOLEClassifier
from sklearn_activelearn.kernels._rows import Rows

CBGZ = CBGZClassifier(random_state=0)
HEAD = [
    "problem",
    "learner",
    "bought, %",
    "stored",
    "always",
    "primal",
    "dual",
    "auto",
    "always / primal",
]


def always(learner, X, y):
    """Return the loop that always computes the quadratic form, after a check."""
    rows, labels = Rows(X), y.astype(np.int32)
    fitted = fresh(learner).partial_fit(X, y, classes=[0, 1])
    bought = np.empty(len(y), np.int64)
    b, lam = getattr(learner, "b", 1.0), getattr(learner, "lam", 0.0)

    def call():
        module = compiled("always_quadratic")
        return module.run(rows, labels, b, lam, fitted._coin_seed, bought)

    np.testing.assert_array_equal(bought[: call()], fitted.queried_indices_)
    return call


def compare(title, X, y, learner, rounds, target=None):
    """Print what a row costs with bounds, in each form, and without.

    Returns
    -------
    line : list
        How many labels are bought and stored, the times, and how much is saved.
    """
    bought = fresh(learner).partial_fit(X, y, classes=[0, 1])
    share = f"buys {bought.n_queries_ / len(y):.1%}, stores {bought.n_updates_}"
    lines = [
        Case("primal", kernel(fresh(learner, solver="primal"), X, y)),
        Case(
            "always",
            always(fresh(learner, solver="primal"), X, y),
            "primal",
            at_least=target,
        ),
        Case("dual", kernel(fresh(learner, solver="dual"), X, y), "primal"),
        Case("auto", kernel(learner, X, y), "primal"),
        Case("first order (CBGZ)", kernel(CBGZ, X, y), "primal"),
    ]
    timings = table(
        f"{title}: {share}", lines, rounds, units=len(y), unit="us", clock=process_time
    )
    micros = [
        _results.rounded(1e6 * timings[form].minimum / len(y)) for form in HEAD[4:8]
    ]
    saved = _results.rounded(timings["always"].ratio(timings["primal"]))
    counts = f"{100 * bought.n_queries_ / len(y):.1f}", f"{bought.n_updates_:,}"
    return [*counts, *micros, saved]


def forms(n_features, sizes, rounds):
    """Print what it costs to look at a row and store it, with N rows stored."""
    X, y = _rows.gaussian(max(sizes) + 200, n_features)
    for n in sizes:
        lines = []
        for name in ("primal", "dual"):
            learner = RLSSamplingClassifier(variant="all", solver=name)
            learner.teach(X[:n], y[:n], classes=[0, 1])
            more = X[n : n + 20], y[n : n + 20]
            lines.append(Case(name, taught(learner, *more), "primal"))
        table(
            f"N = {n} stored rows, d = {n_features}: to store one more",
            lines, rounds, units=20, unit="us",
        )  # fmt: skip


def taught(learner, X, y):
    """Return what stores rows in a copy of a learner."""
    return lambda: copy(learner).teach(X, y)


def benchmark(quick, rounds):
    n_rows = 300 if quick else 20_000
    X, _, digits, what = _rows.images(n_rows)
    problems = {"0 against the rest": digits == 0, "even against odd": digits % 2 == 0}
    written = []
    for name, y in problems.items():
        for learner, target in (
            (SOLEClassifier(0.05, random_state=0), 3.0),
            (SOLEClassifier(0.2, random_state=0), 3.0),
            (RLSSamplingClassifier(1e4, random_state=0), None),
        ):
            parameter = "b" if target else "lam"
            kind = f"{type(learner).__name__}, "
            kind += f"{parameter} = {getattr(learner, parameter):g}"
            title = f"{what}, {len(X)} x 784, {name}, {kind}"
            line = compare(title, X, y.astype(int), learner, rounds, target)
            written.append([f"{what}, {name}", kind, *line])
    if quick:
        forms(20, (5, 10), rounds)
    else:
        _results.write("second_order_forms.csv", HEAD, written)
        forms(784, (100, 200, 300, 400, 600, 800), rounds)


if __name__ == "__main__":
    main(__doc__, benchmark)
