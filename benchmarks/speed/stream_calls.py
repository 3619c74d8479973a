"""What the calls of a stream cost: `query` and `teach`, a chunk at a time.

Microseconds per row. Each chunk is offered once: `query`, then `teach` for the
rows bought; or `partial_fit`, where the labels are at hand. Beside it
scikit-learn's `SGDClassifier` driven by hand with the same rules: margins by
`decision_function`, buy with probability b / (b + margin), one perceptron step
for each row bought by `partial_fit`. Rows have unit norm, and all go on from a
model that has seen 1,000 of them.

    python -m benchmarks.speed.stream_calls [--rounds 9] [--quick]
"""

from copy import deepcopy

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import normalize

from benchmarks.speed import _rows
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import CBGZClassifier

B, RNG = CBGZClassifier().b, np.random.default_rng(0)
PERCEPTRON = {
    "loss": "perceptron",
    "learning_rate": "constant",
    "eta0": 1.0,
    "penalty": None,
    "shuffle": False,
}


def query_teach(learner, X, y):
    bought = learner.query(X)
    if len(bought):
        learner.teach(X[bought], y[bought])
    return len(bought)


def query(learner, X, y):
    return len(learner.query(X))


def teach(learner, X, y):
    learner.teach(X, y)
    return len(y)


def partial_fit(learner, X, y):
    n_before = learner.n_queries_
    return learner.partial_fit(X, y).n_queries_ - n_before


def by_hand(model, X, y):
    margins = np.abs(model.decision_function(X))
    bought = np.flatnonzero(RNG.random(len(y)) * (B + margins) <= B)
    if len(bought):
        model.partial_fit(X[bought], y[bought])
    return len(bought)


def offer(step, model, chunks):
    """Take a copy of a model past all chunks; return how many labels it bought."""
    model = deepcopy(model)
    return sum(step(model, X, y) for X, y in chunks)


def cases(X, y, size, n_chunks):
    """Return the lines for chunks of one size, with the share of labels bought."""
    starts = range(0, size * n_chunks, size)
    chunks = [(X[i : i + size], y[i : i + size]) for i in starts]
    learner, model = CBGZClassifier(B, random_state=0), SGDClassifier(**PERCEPTRON)
    for each in (learner, model):
        each.partial_fit(X[:1000], y[:1000], classes=[0, 1])
    lines = []
    for name, step, each in [
        ("SGDClassifier by hand", by_hand, model),
        ("query + teach", query_teach, learner),
        ("query alone", query, learner),
        ("teach alone, all rows", teach, learner),
        ("partial_fit", partial_fit, learner),
    ]:
        share = offer(step, each, chunks) / (size * n_chunks)

        def call(step=step, each=each):
            offer(step, each, chunks)

        to = lines[0].name if lines else None
        lines.append(Case(f"{name} ({share:.0%})", call, to))
    return lines


def benchmark(quick, rounds):
    shapes = {
        "Gaussian, 100 features": _rows.gaussian(2_000 if quick else 20_000, 100),
        "Words, 47000 features (CSR)": _rows.words(2_000 if quick else 20_000),
        "Words, 1048576 features (CSR)": _rows.words(2_000, 2**20),
    }
    chunks = [(1, 10), (100, 2)] if quick else [(1, 200), (100, 100), (10_000, 2)]
    for name, (X, y) in shapes.items():
        X = normalize(X)
        for size, n_chunks in chunks:
            if size * n_chunks > len(y):
                continue
            table(
                f"{name}, {n_chunks} chunks of {size} (share of labels bought)",
                cases(X, y, size, n_chunks),
                rounds,
                units=size * n_chunks,
                unit="us",
            )


if __name__ == "__main__":
    main(__doc__, benchmark)
