"""Active label propagation: time of a query, beside solving everything again.

One `query` and one `teach` of the learner, as a function of the rows without a label.
`expected risk` and `clamp` are what they do at heart, `start` is done once for each
pool, for each label taught singly among the first ones, and for each label in a part of
the graph without one. scikit-learn's `LabelPropagation` is fitted to the same graph and
labels, as often as there are labels in a loop without a query rule. `candidate again`
solves the linear system once for each label that one candidate may have; a query by
that takes u times as long. All but a toy run are written to
docs/results/label_propagation_speed.csv, the least of the rounds. Times are those of
the processor.

    python -m benchmarks.speed.label_propagation [--rounds 5] [--quick]
"""

import warnings
from copy import copy
from time import process_time

import numpy as np
from scipy.linalg import solve
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.semi_supervised import LabelPropagation

from benchmarks.speed import _results
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import ActiveLabelPropagationClassifier
from sklearn_activelearn.pool.graph._harmonic import HarmonicField

N_LABELLED = 20
HEAD = [
    "u",
    "classes",
    "query",
    "expected risk",
    "teach",
    "clamp",
    "start",
    "LabelPropagation.fit",
    "candidate again",
]


def harmonic(weights, known, certain):
    """Solve for the free nodes, as a first course in linear algebra would."""
    free = np.setdiff1d(np.arange(len(weights)), known)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    pull = weights[np.ix_(free, known)] @ certain[known]
    return solve(laplacian[np.ix_(free, free)], pull, assume_a="pos")


def peer(X, codes, gamma):
    """Fit scikit-learn's model; most of these runs end at its 1000 iterations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        LabelPropagation("rbf", gamma=gamma).fit(X, codes)


def compare(n_free, n_classes, rounds):
    """Print a table for one size; return its line of the documentation."""
    n_rows = n_free + N_LABELLED
    X, y = make_blobs(n_rows, 10, centers=n_classes, cluster_std=4.0, random_state=0)
    known, left = np.arange(N_LABELLED), np.arange(N_LABELLED, n_rows)
    certain = np.eye(n_classes)[y]
    learner = ActiveLabelPropagationClassifier(
        "rbf", n_initial=N_LABELLED, budget=None, random_state=0
    )
    learner.query(X, candidates=left, limit=0)
    learner.teach(X[known], y[known], classes=np.arange(n_classes))
    asked = copy(learner)
    rows = asked.query(X, candidates=left)
    graph = learner.estimator_
    weights = graph.weights()
    field = HarmonicField(weights, known, certain[known])
    probabilities = field.probabilities(certain[known].mean(axis=0))
    everyone = np.arange(n_free)
    codes = np.where(np.arange(n_rows) < N_LABELLED, y, -1)

    def one_candidate():
        for label in range(n_classes):
            guess = certain.copy()
            guess[N_LABELLED] = np.eye(n_classes)[label]
            harmonic(weights, np.arange(N_LABELLED + 1), guess)

    # a verb replaces what it changes: copies share the rest and stay as they are
    query = "query"
    cases = [
        Case(query, lambda: copy(learner).query(X, candidates=left)),
        Case(
            "expected risk", lambda: field.expected_risk(probabilities, everyone), query
        ),
        Case("teach", lambda: copy(asked).teach(X[rows], y[rows]), query),
        Case("clamp", lambda: field.clamped(N_LABELLED, certain[N_LABELLED]), query),
        Case(
            "start",
            lambda: HarmonicField(graph.weights(), known, certain[known]),
            query,
        ),
        Case("LabelPropagation.fit", lambda: peer(X, codes, graph.gamma_), query),
        Case("candidate again", one_candidate, query),
    ]
    title = f"u = {n_free}, {n_classes} classes"
    timings = table(title, cases, rounds, clock=process_time)
    times = [_results.rounded(1e3 * timings[name].minimum) for name in HEAD[2:]]
    return [f"{n_free:,}", n_classes, *times]


def benchmark(quick, rounds):
    sizes = [(60, 2), (60, 10)]
    if not quick:
        sizes = [*((n_free, 2) for n_free in (250, 500, 1000, 2000)), (1000, 10)]
    lines = [compare(*size, rounds) for size in sizes]
    _results.write("label_propagation_speed.csv", HEAD, lines, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
