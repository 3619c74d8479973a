"""Many settings in one pass, against a pass for each and against `GridSearchCV`.

"one by one" and "side by side" are the passes alone, on rows as they come or shuffled:
S settings of `CBGZClassifier`, b from .003 to 1. "bare" does without averaging,
scaling and intercept, "default" is the learner's default. Both buy the same labels
and learn the same weights (tests/test_search.py). The searches are whole calls: 20
settings, 3 folds, scores, and the best setting fitted again.

    python -m benchmarks.speed.search [--rounds 9] [--quick]
"""

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.papers import data
from benchmarks.speed import _rows
from benchmarks.speed._interleave import Case, main, table
from benchmarks.speed.one_pass import fresh
from sklearn_activelearn import CBGZClassifier, OnePassSearchCV
from sklearn_activelearn.kernels._rows import Rows
from sklearn_activelearn.stream._pass import BatchedPass

DEFAULT = CBGZClassifier(random_state=0)
BARE = fresh(DEFAULT, average=False, normalize=False, fit_intercept=False)


def settings(n_settings):
    """Return values of b."""
    return np.geomspace(0.003, 1, n_settings).tolist()


def passes_of(learner, X, codes, order, n_settings, make_pass):
    """Return passes that have not begun, one a setting, as a method makes them."""
    rows, passes = Rows(X), []
    for b in settings(n_settings):
        one = fresh(learner, b=b)
        one.n_features_in_ = X.shape[1]
        one._reset()
        one._set_classes(np.arange(2))
        passes.append(make_pass(one, rows, codes, order, one._limits(len(codes))))
    return passes


def cases(X, y, n_settings, in_order, shuffled):
    """Return the lines of so many settings; the targets are how many times faster."""
    codes = y.astype(np.int32)
    W = np.random.default_rng(1).standard_normal((X.shape[1], n_settings))
    lines = [Case(f"X @ W, {n_settings} columns", lambda: X @ W)]
    orders = {
        "in order": (None, in_order),
        "shuffled": (np.random.default_rng(0).permutation(len(y)), shuffled),
    }
    for how, (order, target) in orders.items():
        for kind, learner in {"bare": BARE, "default": DEFAULT}.items():

            def alone(learner=learner, order=order):
                make_pass = CBGZClassifier._make_pass
                for one in passes_of(learner, X, codes, order, n_settings, make_pass):
                    one.run()

            def together(learner=learner, order=order):
                join = CBGZClassifier._join_batched_pass
                BatchedPass(passes_of(learner, X, codes, order, n_settings, join)).run()

            name = f"{how}, {kind}"
            lines += [
                Case(f"{name}: side by side", together, lines[0].name),
                Case(
                    f"{name}: one by one",
                    alone,
                    f"{name}: side by side",
                    at_least=target if kind == "bare" else None,
                ),
            ]
    return lines


def searches(X, y, target):
    """Return the lines of whole searches."""
    grid = {"b": settings(20)}
    return [
        Case("OnePassSearchCV", lambda: OnePassSearchCV(DEFAULT, grid, cv=3).fit(X, y)),
        Case(
            "GridSearchCV",
            lambda: GridSearchCV(DEFAULT, grid, cv=3).fit(X, y),
            "OnePassSearchCV",
            at_least=target,
        ),
    ]


def news(quick):
    """Return CSR rows of news with 0/1 labels and what they are."""
    if quick or not data.local_file("rcv1_subset").exists():
        X, y = _rows.words(200 if quick else 24_000)
        return X, y, "Words"
    X, y, _ = data.rcv1()
    return X.astype(np.float64), (y > 0).astype(int), "RCV1"


def benchmark(quick, rounds):
    X, y, _, name = _rows.images(600 if quick else 60_000)
    X = np.ascontiguousarray(X, dtype=np.float64)
    texts, topics, kind = news(quick)
    for rows, labels, what, targets in (
        (X, y, name, {20: (4, 6), 100: (6, 9)}),
        (texts, topics, f"{kind} (CSR)", {20: (2.5, 2.5), 100: (2.5, 2.5)}),
    ):
        shape = f"{what}, {rows.shape[0]} x {rows.shape[1]}"
        for n_settings, (in_order, shuffled) in targets.items():
            lines = cases(rows, labels, n_settings, in_order, shuffled)
            table(f"{shape}, {n_settings} settings", lines, rounds)
        target = 15 if rows is X else 5
        table(f"{shape}, search", searches(rows, labels, target), min(rounds, 3))


if __name__ == "__main__":
    main(__doc__, benchmark)
