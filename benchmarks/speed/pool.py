"""Pool learners: time of a query, and how much of it is not the estimator's own.

A run buys labels one by one. `refit` and `scoring` are measured inside the estimator:
its `fit`, and its `decision_function` or `predict_proba`. The rest of the run is the
learner's own: cloning, collecting labelled rows, choosing, bookkeeping. The runs take
turns; a time is the median over the rounds, per label bought after the random ones.
The error is that of the last model on rows held out, mean and standard deviation over
the rounds, which are also the seeds. All start from the same random rows. Times are of
the processor, so that what else runs counts for little.

The peer, scikit-activeml, is run if it can be imported (extra `benchmark`).

    python -m benchmarks.speed.pool [--rounds 5] [--quick]
"""

from contextlib import contextmanager
from time import process_time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from benchmarks import data
from benchmarks.speed._interleave import main, write_lines
from benchmarks.speed._results import FOLDER, rounded
from sklearn_activelearn import MinMarginClassifier, UncertaintySamplingClassifier

N_INITIAL = 10
seconds = {"refit": 0.0, "scoring": 0.0}


def start():
    """Set the clocks to zero; return the time."""
    seconds.update(refit=0.0, scoring=0.0)
    return process_time()


@contextmanager
def clock(part):
    started = process_time()
    try:
        yield
    finally:
        seconds[part] += process_time() - started


class Logistic(LogisticRegression):
    """Logistic regression that is timed."""

    def fit(self, X, y, sample_weight=None):  # noqa: D102
        with clock("refit"):
            return super().fit(X, y, sample_weight)

    def predict_proba(self, X):  # noqa: D102
        with clock("scoring"):
            return super().predict_proba(X)


class LinearMachine(LinearSVC):
    """Linear SVM that is timed."""

    def fit(self, X, y):  # noqa: D102
        with clock("refit"):
            return super().fit(X, y)

    def decision_function(self, X):  # noqa: D102
        with clock("scoring"):
            return super().decision_function(X)


class KernelMachine(SVC):
    """SVM that is timed."""

    def fit(self, X, y):  # noqa: D102
        with clock("refit"):
            return super().fit(X, y)

    def decision_function(self, X):  # noqa: D102
        with clock("scoring"):
            return super().decision_function(X)


def ours(learner):
    """Return a run of `partial_fit`, from the first rows on."""

    def run(X, y, first, n_labels, seed):
        learner.set_params(n_initial=N_INITIAL, budget=n_labels, random_state=seed)
        learner.fit(X[first], y[first])
        rest = np.delete(np.arange(len(y)), first)
        pool, answers = X[rest], y[rest]
        started = start()
        learner.partial_fit(pool, answers)
        return process_time() - started, learner

    return run


def by_hand(learner):
    """Return a run of the loop of `query` and `teach`."""

    def run(X, y, first, n_labels, seed):
        learner.set_params(n_initial=N_INITIAL, budget=n_labels, random_state=seed)
        learner.fit(X[first], y[first])
        started = start()
        while len(rows := learner.query(X)):
            learner.teach(X[rows], y[rows])
        return process_time() - started, learner

    return run


def activeml(estimator):
    """Return a run of scikit-activeml's uncertainty sampling, None without it."""
    try:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling
    except ImportError as error:
        print(f"scikit-activeml is left out: {error}.")
        return None

    def run(X, y, first, n_labels, seed):
        known = np.full(len(y), np.nan)
        known[first] = y[first]
        model = SklearnClassifier(estimator, classes=np.unique(y), random_state=seed)
        strategy = UncertaintySampling(method="least_confident", random_state=seed)
        started = start()
        for _ in range(n_labels - N_INITIAL):
            row = strategy.query(X, known, clf=model)
            known[row] = y[row]
        model.fit(X, known)
        return process_time() - started, model

    return run


def gaussian(n_rows):
    """Return rows of 100 normal features and labels with noise."""
    rng = np.random.RandomState(0)
    X, w = rng.standard_normal((n_rows, 100)), rng.standard_normal(100)
    return X, (X @ w + 3 * rng.standard_normal(n_rows) > 0).astype(int)


def report(title, runs, X, y, n_labels, rounds):
    """Run all in turn; return the lines of the table."""
    n_pool = 5 * len(y) // 6
    results, lines = {name: [] for name in runs}, []
    for seed in range(rounds):
        order = np.random.RandomState(seed).permutation(len(y))
        pool, test = order[:n_pool], order[n_pool:]
        X_pool, y_pool = X[pool], y[pool]
        first = np.arange(N_INITIAL)
        for name, run in runs.items():
            total, model = run(X_pool, y_pool, first, n_labels, seed)
            times = [total, *seconds.values()]
            error = 1 - np.mean(model.predict(X[test]) == y[test])
            results[name].append([*times, error])
    for name, rows in results.items():
        total, refit, scoring, _ = np.median(rows, axis=0)
        own = np.median([t - f - s for t, f, s, _ in rows])
        per_query = 1e3 / (n_labels - N_INITIAL)
        errors = 100 * np.array(rows)[:, 3]
        shown = {"total": total, "refit": refit, "scoring": scoring, "own": own}
        lines.append({
            "pool": title if not lines else "",
            "learner": name.strip(),
            **{part: rounded(value * per_query) for part, value in shown.items()},
            "own %": f"{100 * own / (refit + scoring):.1f}",
            "error": f"{errors.mean():.2f} ± {errors.std():.2f}",
        })  # fmt: skip
    return lines


def benchmark(quick, rounds):
    size, n_labels = (600, 20) if quick else (12_000, 100)
    learners = {
        "uncertainty, logistic": ours(UncertaintySamplingClassifier(Logistic())),
        "  by query and teach": by_hand(UncertaintySamplingClassifier(Logistic())),
        "uncertainty, logistic, warm start": ours(
            UncertaintySamplingClassifier(Logistic(warm_start=True))
        ),
        "min-margin, LinearSVC": ours(MinMarginClassifier(LinearMachine())),
        'min-margin, SVC("linear")': ours(
            MinMarginClassifier(KernelMachine(kernel="linear"))
        ),
    }
    peer = activeml(Logistic())
    dense = {**learners, "scikit-activeml, logistic": peer} if peer else learners
    X, y = gaussian(size)
    lines = report("Gaussian", dense, X, y, n_labels, rounds)
    write_lines(FOLDER / "pool_speed.csv", lines, rounds, quick)
    if quick:  # the others take a while
        return
    X, y, _ = data.rcv1()
    if peer:
        print("\nscikit-activeml takes no sparse rows.")
    lines += report("rcv1_subset (CSR)", learners, X, y, n_labels, min(rounds, 3))
    write_lines(FOLDER / "pool_speed.csv", lines, rounds)


if __name__ == "__main__":
    main(__doc__, benchmark)
