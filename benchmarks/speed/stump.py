"""Decision stump: time of a boosting round, beside scikit-learn's tree of depth 1.

A round trains one stump on weighted rows that were presorted once and predicts them.
The tree gets the same rows and weights; it splits by impurity, the stump by weighted
error. `plain` is the stump on rows that were not presorted.

    python -m benchmarks.speed.stump [--rounds 9] [--quick]
"""

import numpy as np
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from benchmarks.papers import data
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import DecisionStumpClassifier


def pixels(quick):
    """Return 5,000 images of 784 whole grey values, and whether the digit is odd."""
    X, y = data.digits() if quick else data.mnist()
    rows = np.random.RandomState(0).permutation(len(y))[:5000]
    return np.round(255 * X[rows]), y[rows] % 2


def gaussian(quick):
    """Return 1,000 rows of 20 normal features, and labels with noise."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((100 if quick else 1000, 20))
    return X, (X[:, 0] + X[:, 1] + rng.standard_normal(len(X)) > 0).astype(int)


def report(title, X, y, rounds):
    weights = np.random.RandomState(1).uniform(size=len(y))
    stump, tree = DecisionStumpClassifier(), DecisionTreeClassifier(max_depth=1)
    rows, thirds = stump.presort(X), np.arange(0, len(y), 3)

    def a_round(estimator, X):
        return lambda: estimator.fit(X, y, weights).predict(X)

    cases = [
        Case("stump", a_round(stump, rows)),
        Case("tree", a_round(tree, X), to="stump", at_least=15),
        Case(
            "stump, three classes", lambda: stump.fit(rows, y + (X[:, 0] > 0), weights)
        ),
        Case("stump, plain", a_round(stump, X), to="tree"),
        Case("presort", lambda: stump.presort(X), to="tree"),
        Case("presort CSR", lambda: stump.presort(csr_array(X)), to="tree"),
        Case("a third of the presorted rows", lambda: rows[thirds], to="stump"),
    ]
    table(f"{title}, {X.shape[0]} x {X.shape[1]}", cases, rounds)
    error = {
        name: weights[fitted.predict(X) != y].sum() / weights.sum()
        for name, fitted in (("stump", stump.fit(rows, y, weights)), ("tree", tree))
    }
    print(f"  weighted error: stump {error['stump']:.4f}, tree {error['tree']:.4f}")


def benchmark(quick, rounds):
    report("Pixels", *pixels(quick), rounds)
    report("Gaussian", *gaussian(quick), rounds)


if __name__ == "__main__":
    main(__doc__, benchmark)
