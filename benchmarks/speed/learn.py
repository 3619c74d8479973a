"""`learn` with an oracle in Python against the pass on an answer sheet.

Both do the same work and buy the same rows; `partial_fit` has all labels in an
array, `learn` calls `lambda rows: y[rows]` for each row bought. The lines below
`learn` are its parts, timed on their own: the check for NaN and infinity that
comes before the first purchase, the compiled loop, and the calls of the oracle
alone. The rest, what `learn` takes beyond `partial_fit`, check and oracle, is the
bookkeeping around each call.

    python -m benchmarks.speed.learn [--rounds 9] [--quick]
"""

import numpy as np

from benchmarks.speed import _rows
from benchmarks.speed._interleave import Case, main, table
from benchmarks.speed.one_pass import CBGZ, DKM, RANDOM, fresh, kernel, whole
from sklearn_activelearn.base._validation import Rows, first_not_finite

#: name: learner; the target is for default parameters
LEARNERS = {"CBGZ": CBGZ, "DKM": DKM, "random": RANDOM}
RATES = {
    f"random, rate={rate:g}": fresh(RANDOM, rate=rate)
    for rate in (0.001, 0.01, 0.1, 1.0)
}


def cases(learner, X, y, target):
    """Return the lines of one learner."""
    classes = np.unique(y)
    whole_pass = whole(learner, X, y)
    bought = whole_pass().queried_indices_

    def oracle(rows):
        return y[rows]

    def ask_alone():
        for row in bought:
            oracle(row[None])

    def learn():
        fresh(learner).learn(X, oracle, classes=classes)

    return [
        Case("partial_fit", whole_pass),
        Case("learn", learn, "partial_fit", at_most=target),
        Case("  finite check", lambda: first_not_finite(Rows(X)), "partial_fit"),
        Case("  compiled loop", kernel(learner, X, y), "partial_fit"),
        Case("  oracle calls", ask_alone, "partial_fit"),
    ], len(bought)


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    images, even, _, name = _rows.images(60_000 // shrink)
    shapes = {
        f"{name}, {images.shape[0]} x 784": (images, even),
        f"Gaussian, {500_000 // shrink} x 54": _rows.gaussian(500_000 // shrink, 54),
        f"Words, {20_000 // shrink} x 47000 (CSR)": _rows.words(20_000 // shrink),
    }
    for shape, (X, y) in shapes.items():
        for learner_name, learner in {**LEARNERS, **RATES}.items():
            lines, n_bought = cases(
                learner, X, y, 2.0 if learner_name in LEARNERS else None
            )
            timings = table(
                f"{shape}, {learner_name}: {n_bought / len(y):.2%} bought",
                lines,
                rounds,
            )
            rest = timings["learn"].median - sum(
                timings[part].median
                for part in ("partial_fit", "  finite check", "  oracle calls")
            )
            if n_bought >= 1000:
                print(f"  the rest: {rest / n_bought * 1e6:.2f} us for each label")


if __name__ == "__main__":
    main(__doc__, benchmark)
