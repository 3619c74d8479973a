"""Several labels for a row: which rows, which model and which thresholds.

On each split 800 rows (a third of a small set) are held out and at most 1,200 others
are offered. *Rows*: `HybridSamplingClassifier` and random rows buy 200 label sets in
batches of 20, both with one logistic regression a label and the thresholds of
`BlendClassifier`; the micro and macro F1 on the held-out rows is averaged over the ten
batches. *Full*: the same with the blend of the default candidates, the model that users
get. *Model*: on the first 100 random rows `BlendClassifier` stands against one logistic
regression a label with the threshold one half. Labels without a held-out row do not
count. Sets are the files ``multilabel/ml_NAME.npz`` of the data folder with their 30
most frequent labels, news with topics, and made ones; the last two had no part in the
choice of the rule, the members and the thresholds.

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
KINDS = ("random", "hybrid", "logistic", "blend", "full random", "full hybrid")
SETS = ("scene", "emotions", "medical", "bibtex", "news", "made 1")


class Run(NamedTuple):
    """A split of a set: micro and macro F1 in %."""

    set: str
    kind: str
    split: int
    micro: float
    macro: float

    @property
    def key(self):
        """The first fields, which are different in each run."""
        return self[:3]


def problem(name):
    """Return the rows and the indicator matrix of a set."""
    kind, _, seed = name.partition(" ")
    if kind == "toy":
        return make_multilabel_classification(
            120, 8, n_classes=2, random_state=int(seed)
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


def logistic(X):
    """Return one logistic regression a label."""
    model = OneVsRestClassifier(LogisticRegression(max_iter=1_000))
    return model if issparse(X) else make_pipeline(StandardScaler(), model)


def run(key, n_labels):
    """Return the run of a split: of a choice of rows, or of a model on random rows."""
    name, kind, split = key
    X, y = problem(name)
    order = np.random.default_rng(split).permutation(len(y))
    tested, others = np.split(order, [min(MOST_TESTED, len(y) // 3)])
    if kind in ("logistic", "blend"):
        known = others[: n_labels // 2]
        model = logistic(X) if kind == "logistic" else BlendClassifier(random_state=0)
        model.fit(X[known], y[known])
        return Run(name, kind, split, *f1_scores(model, X[tested], y[tested]))
    pool, labels = X[others[:MOST_ROWS]], y[others[:MOST_ROWS]]
    settings = {"n_initial": N_BATCH, "batch_size": N_BATCH, "random_state": split}
    settings["budget"] = n_labels
    candidates = None if kind.startswith("full") else [("logistic", logistic(X))]
    choose = PassiveClassifier if kind.endswith("random") else HybridSamplingClassifier
    learner = choose(BlendClassifier(candidates), **settings)
    scores = []
    while len(chosen := learner.query(pool)):
        learner.teach(pool[chosen], labels[chosen])
        scores.append(f1_scores(learner, X[tested], y[tested]))
    return Run(name, kind, split, *np.mean(scores, axis=0))


def summary(runs):
    """Return for each set the gains by the rows, and by the model and thresholds."""
    found = []
    for name in dict.fromkeys(each.set for each in runs):
        of = {(each.kind, each.split): each[3:] for each in runs if each.set == name}
        splits = [
            split
            for split in sorted({split for _, split in of})
            if all((kind, split) in of for kind in KINDS)
        ]
        if not splits:
            continue
        random, hybrid, simple, blend, full_random, full_hybrid = (
            np.array([of[kind, split] for split in splits], dtype=float)
            for kind in KINDS
        )
        rows, model = hybrid - random, np.mean(blend - simple, axis=0)
        both = full_random[:, 0].mean(), *np.mean(full_hybrid - full_random, axis=0)
        p = paired_t_p(rows[:, 0]) if len(splits) > 2 else np.nan
        means = random[:, 0].mean(), *rows.mean(axis=0), p
        means = *means, *both, *simple.mean(axis=0), *model
        found.append([name, len(splits), *means])
    ps = np.array([each[5] for each in found])
    adjusted = holm(ps) if len(ps) and np.isfinite(ps).all() else ps
    for each, p in zip(found, adjusted, strict=True):
        each[5] = p
    return found


def main(argv=None):
    """Print a line for each set, and the mean over the sets."""
    args = parse(__doc__, argv, splits=10, results=Path, runs=Path, jobs=1)
    sets, n_labels = SETS, N_LABELS
    if args.quick:
        sets, args.splits, n_labels = ("toy 1", "toy 2"), 1, 20
    runner = Runner(args.runs, Run, "evaluation.multilabel", argv, args.jobs)
    runner.run(
        ((name, kind, split), run, n_labels)
        for split in range(args.splits)
        for name in sets
        for kind in KINDS
    )
    head = (
        "set",
        "splits",
        "random rows",
        "hybrid micro",
        "hybrid macro",
        "p (Holm)",
        "full random",
        "full micro",
        "full macro",
        "logistic micro",
        "logistic macro",
        "blend micro",
        "blend macro",
    )
    found = summary([*runner.done.values()])
    mean = np.mean([each[2:] for each in found], axis=0)
    mean[3] = np.nan  # of p values there is none
    rows = []
    for name, n, *values in [*found, ["mean", "", *mean]]:
        cells = [f"{value:.1f}" for value in values]
        cells[3] = f"{values[3]:.3f}" if np.isfinite(values[3]) else ""
        rows.append((name, n, *cells))
    for row in (head, *rows):
        print("".join(f"{cell!s:>15}" for cell in row))
    if args.results:
        with open(args.results, "w", newline="") as file:
            csv.writer(file).writerows([head, *rows])


if __name__ == "__main__":
    main()
