"""Theory behind DKM and CBGZ: labels on the uniform sphere, mistakes on any sequence.

Monteleoni & Kääriäinen (2007) quote two theorems. Dasgupta, Kalai & Monteleoni (2005):
on rows spread evenly over the sphere of d dimensions, with a separator through the
origin, DKM needs O(d log 1/eps) labels, up to logarithms, for an error of eps; the
Perceptron's labels grow as a power of 1/eps. Cesa-Bianchi, Gentile & Zaniboni (2006),
Theorem 1: on any sequence of unit rows, and for any u, CBGZ expects at most

    (1 + 1/(2b)) sum max(0, 1 - y u.x) + |u|^2 (2b + 1)^2 / (8b)

mistakes. The least bound over the u of hinge loss SVMs of ten C and ten lengths stands
beside the mistakes. The same table has the adaptive b, "inferior in practice".

    python -m benchmarks.papers.bounds [--rows 1000000] [--runs 10] [--results DIR]
        [--quick]
"""

from itertools import product
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, single_runs
from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier

SEED, CHUNK = 0, 200  # rows between two looks at the error
PAPER = {"average": False, "fit_intercept": False, "shuffle": False}
DIMENSIONS, ERRORS = (5, 10, 20, 40), (0.1, 0.03, 0.01, 0.003, 0.001)
SAMPLERS = {
    "DKM²": DKMClassifier(update="dkm", threshold="uniform", **PAPER),
    "DKMperc": DKMClassifier(update="perceptron", threshold="uniform", **PAPER),
    "Perceptron, all labels": RandomSamplingClassifier(1.0, **PAPER),
}
#: Scores grow with eta0: the adaptive b is the paper's with its factor beta, 1 / eta0.
SETTINGS = [{"b": b} for b in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)]
SETTINGS += [
    {"b": "adaptive", "eta0": 1 / beta} for beta in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
]


def sphere(n_rows, d, rng):
    """Return rows spread evenly over the sphere."""
    return normalize(rng.standard_normal((n_rows, d)))


def labels_to_errors(name, d, n_rows, seed):
    """Return the labels bought when the true error is at most each of `ERRORS`."""
    rng = np.random.default_rng(seed)
    learner, u = (
        clone(SAMPLERS[name]).set_params(random_state=seed),
        sphere(1, d, rng)[0],
    )
    found = np.full(len(ERRORS), np.nan)
    for _ in range(n_rows // CHUNK):
        X = sphere(CHUNK, d, rng)
        learner.partial_fit(X, np.sign(X @ u), classes=[-1, 1])
        w = learner.coef_[0]
        error = np.arccos(np.clip(w @ u / np.linalg.norm(w), -1, 1)) / np.pi
        found[np.isnan(found) & (error <= ERRORS)] = learner.n_queries_
        if not np.isnan(found).any():
            break
    return found


def sequences(n_rows, load):
    """Return sequences of unit rows with labels -1 and 1, by name."""
    rng = np.random.default_rng(SEED)
    X = sphere(2 * n_rows, 20, rng)
    X = X[np.abs(X[:, 0]) > 0.05][:n_rows]
    y = np.sign(X[:, 0])
    noisy = np.where(rng.random(len(y)) < 0.05, -y, y)
    found = {"sphere, margin .05": (X, y), "the same, 5 % wrong": (X, noisy)}
    images, digits = load()
    rows = rng.permutation(len(digits))
    for name, positive, others in (
        ("0v1", (0,), (1,)),
        ("0vAll", (0,), range(10)),
        ("147vAll", (1, 4, 7), range(10)),
    ):
        kept = rows[np.isin(digits[rows], (*positive, *others))][:n_rows]
        y = np.where(np.isin(digits[kept], positive), 1.0, -1.0)
        found[name] = normalize(images[kept]), y
    return found


def hinge_losses(X, y):
    """Return the sum of hinge losses and the squared length of each u."""
    found = []
    for C in np.logspace(-3, 6, 10):
        svm = LinearSVC(C=C, loss="hinge", fit_intercept=False, max_iter=2000)
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)  # the bound is for any u
            w = svm.fit(X, y).coef_[0]
        for length in np.logspace(-1, 2, 10):
            u = length * w / np.linalg.norm(w)
            found.append((np.maximum(0, 1 - y * (X @ u)).sum(), length**2))
    return np.transpose(found)


def bound(losses, squares, b, eta0=None):
    """Return the least bound on the mistakes; NaN for the adaptive b."""
    if eta0:
        return np.nan
    return np.min((1 + 1 / (2 * b)) * losses + squares * (2 * b + 1) ** 2 / (8 * b))


def mistakes(setting, X, y, seed):
    """Return the mistakes on a sequence and the labels bought."""
    learner = CBGZClassifier(random_state=seed, **setting, **PAPER)
    n_done = n_mistakes = 0

    def count(stop):
        nonlocal n_done, n_mistakes
        margins = X[n_done:stop] @ learner.coef_[0]
        n_mistakes += np.count_nonzero(margins * y[n_done:stop] <= 0)
        n_done = stop

    def oracle(rows):
        count(rows[0] + 1)  # with the weights as they are before the label
        return y[rows]

    learner.learn(X, oracle, classes=[-1, 1])
    count(len(y))
    return n_mistakes, learner.n_queries_


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"rows": 2_000, "length": 300, "runs": 2, "jobs": 1},
        rows=at_least(CHUNK, 1_000_000),
        length=at_least(100, 10_000),
        runs=at_least(1, 10),
        jobs=2,
        results=Path,
    )
    results = Results(args.results, "bounds", argv, f"{SEED} to {SEED + args.runs - 1}")
    seeds = range(SEED, SEED + args.runs)

    def measure(call, *words):
        runs = Parallel(args.jobs)(delayed(call)(*words, seed) for seed in seeds)
        return np.transpose(runs).astype(float)

    for d, name in product(DIMENSIONS, SAMPLERS):
        # the separator of the first run and its first rows
        DATA.add(sphere(CHUNK + 1, d, np.random.default_rng(SEED)))
        found, rows, each = measure(labels_to_errors, name, d, args.rows), [], []
        for error, labels in zip(ERRORS, found, strict=True):
            key = {"d": d, "sampler": name, "error": error}
            # NaN if a run did not get there
            row = {**key, "labels": labels.mean()}
            rows.append({**row, "reached": np.isfinite(labels).sum()})
            each += single_runs(key, key, "labels", labels)
        results.write("bounds_sphere", rows, key=[*key], runs=args.runs, each=each)
    found = sequences(args.length, data.digits if args.quick else data.mnist)
    for sequence, (X, y) in found.items():
        DATA.clear()  # the images that some are made of
        DATA.add(X, y)
        losses = hinge_losses(X, y)
        for setting in SETTINGS:
            n_mistakes, labels = measure(mistakes, setting, X, y)
            key = {"sequence": sequence, "b": setting["b"]}
            key["beta"] = 1 / setting["eta0"] if "eta0" in setting else None
            row = {"sequence": sequence, "rows": len(y), **key}
            row |= {"mistakes": n_mistakes.mean(), "bound": bound(*losses, **setting)}
            row |= {"labels": labels.mean()}
            each = single_runs(key, key, "mistakes", n_mistakes)
            for one, n_labels in zip(each, labels, strict=True):
                one["labels"] = n_labels
            results.write(
                "bounds_mistakes", [row], key=[*key], runs=args.runs, each=each
            )


if __name__ == "__main__":
    main()
