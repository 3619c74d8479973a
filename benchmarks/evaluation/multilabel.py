"""Several labels for a row: which rows, which model and which thresholds.

On each split 800 rows (a third of a small set) are held out and at most 1,200 others
are offered. `HybridSamplingClassifier` and random rows, both with the default blend,
buy 200 label sets in batches of 20. The micro and macro F1 on the held-out rows is
averaged over the ten batches, and stands alone after 100 labels, where the random rows
also train one logistic regression a label with the threshold one half. Labels without a
held-out row do not count. Sets are the files ``multilabel/ml_NAME.npz`` of the data
folder with their 30 most frequent labels, news with topics, and made ones; the last two
kinds had no part in the choice of the rule and of the thresholds.

    python -m benchmarks.evaluation.multilabel [--splits 10] [--results FILE.csv]
        [--runs FILE.csv] [--jobs 1] [--quick]
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.data import local_file
from benchmarks.options import parse
from benchmarks.runner import Runner
from benchmarks.statistics import holm, paired_t_p
from sklearn_activelearn import (
    BlendClassifier,
    HybridSamplingClassifier,
    PassiveClassifier,
)

N_LABELS, N_BATCH = 200, 20
MOST_ROWS, MOST_TESTED, MOST_LABELS = 1_200, 800, 30
SETS = ("scene", "emotions", "medical", "bibtex", "news", "made 1")


class Run(NamedTuple):
    """A split of a set: F1 in %, mean over the batches, and after 100 labels."""

    set: str
    rows: str
    split: int
    micro: float
    macro: float
    micro_100: float
    macro_100: float
    logistic_micro_100: float
    logistic_macro_100: float

    @property
    def key(self):
        """What tells runs apart."""
        return self[:3]


def problem(name):
    """Return the rows and the indicator matrix of a set."""
    kind, _, seed = name.partition(" ")
    if kind == "toy":
        return make_multilabel_classification(
            240, 8, n_classes=3, random_state=int(seed)
        )
    if kind == "made":
        X, y = make_multilabel_classification(
            2_000, 60, n_classes=20, length=40, random_state=int(seed)
        )
        return csr_array(X), y
    if kind == "news":
        with np.load(local_file("rcv1_subset")) as file:
            parts = file["data"].astype(float), file["indices"], file["indptr"]
            X = csr_array(parts, shape=tuple(file["shape"]))
            y = np.unpackbits(file["topics"], axis=1)[:, : int(file["n_topics"])]
        some = np.sort(np.random.RandomState(0).choice(len(y), 6_000, replace=False))
        X, y = X[some], y[some].astype(int)
    else:
        with np.load(local_file(f"multilabel/ml_{name}")) as file:
            y = file["Y"].astype(int)
            parts = file["data"].astype(float), file["indices"], file["indptr"]
            X = csr_array(parts, shape=tuple(file["shape"]))
        if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
            X = X.toarray()
    frequent = np.argsort(-y.sum(axis=0), kind="stable")[:MOST_LABELS]
    return X, y[:, np.sort(frequent)]


def f1_scores(model, X, y):
    """Return the micro and macro F1 in %, of labels that some rows have."""
    occurs = y.any(axis=0)
    predicted = model.predict(X)[:, occurs]
    return [
        100 * f1_score(y[:, occurs], predicted, average=average, zero_division=0)
        for average in ("micro", "macro")
    ]


def run(key, n_labels):
    """Return the run of a split with a budget."""
    name, rows, split = key
    X, y = problem(name)
    order = np.random.default_rng(split).permutation(len(y))
    tested, others = np.split(order, [min(MOST_TESTED, len(y) // 3)])
    pool, labels = X[others[:MOST_ROWS]], y[others[:MOST_ROWS]]
    settings = {"n_initial": N_BATCH, "batch_size": N_BATCH, "random_state": split}
    settings["budget"] = min(n_labels, len(labels))
    learner = HybridSamplingClassifier(**settings)
    if rows == "random":
        learner = PassiveClassifier(BlendClassifier(), **settings)
    scores, at, logistic = [], [np.nan] * 2, [np.nan] * 2
    while len(chosen := learner.query(pool)):
        learner.teach(pool[chosen], labels[chosen])
        scores.append(f1_scores(learner, X[tested], y[tested]))
        if learner.n_taught_ == n_labels // 2:
            at, known = scores[-1], learner._ledger.rows
            model = OneVsRestClassifier(LogisticRegression(max_iter=1_000))
            if not issparse(X):
                model = make_pipeline(StandardScaler(), model)
            model.fit(pool[known], labels[known])
            logistic = f1_scores(model, X[tested], y[tested])
    return Run(name, rows, split, *np.mean(scores, axis=0), *at, *logistic)


def summary(runs):
    """Return for each set the gains by the rows, and by the model and thresholds."""
    found = []
    for name in dict.fromkeys(each.set for each in runs):
        of = {(each.rows, each.split): each for each in runs if each.set == name}
        splits = sorted(split for rows, split in of if rows == "random")
        splits = [split for split in splits if ("hybrid", split) in of]
        if not splits:
            continue
        hybrid, random = (
            np.array([of[rows, split][3:] for split in splits], dtype=float)
            for rows in ("hybrid", "random")
        )
        more = hybrid[:, :2] - random[:, :2]
        model = np.mean(random[:, 2:4] - random[:, 4:6], axis=0)
        p = paired_t_p(more[:, 0]) if len(splits) > 2 else np.nan
        means = random[:, 0].mean(), more[:, 0].mean(), more[:, 1].mean()
        found.append((name, len(splits), *means, p, *model))
    ps = np.array([each[5] for each in found])
    adjusted = holm(ps) if len(ps) and np.isfinite(ps).all() else ps
    return [(*each[:5], p, *each[6:]) for each, p in zip(found, adjusted, strict=True)]


def main(argv=None):
    """Print a line for each set, and the mean over the sets."""
    args = parse(__doc__, argv, splits=10, results=Path, runs=Path, jobs=1)
    sets, n_labels = SETS, N_LABELS
    if args.quick:
        sets, args.splits, n_labels = ("toy 1", "toy 2", "toy 3"), 1, 40
    runner = Runner(args.runs, Run, "evaluation.multilabel", argv, args.jobs)
    runner.run(
        ((name, rows, split), run, n_labels)
        for split in range(args.splits)
        for name in sets
        for rows in ("random", "hybrid")
    )
    head = (
        "set",
        "splits",
        "random rows",
        "rows micro",
        "rows macro",
        "p (Holm)",
        "model micro",
        "model macro",
    )
    found = summary([*runner.done.values()])
    rows = []
    for name, n, *values in found:
        cells = [f"{value:.1f}" for value in values]
        cells[3] = f"{values[3]:.3f}"
        rows.append((name, n, *cells))
    means = np.mean([[*each[2:5], *each[6:]] for each in found], axis=0)
    first, last = means[:3], means[3:]
    rows.append(
        ("mean", "", *(f"{v:.1f}" for v in first), "", *(f"{v:.1f}" for v in last))
    )
    for row in (head, *rows):
        print("".join(f"{cell!s:>13}" for cell in row))
    if args.results:
        with open(args.results, "w", newline="") as file:
            csv.writer(file).writerows([head, *rows])


if __name__ == "__main__":
    main()
