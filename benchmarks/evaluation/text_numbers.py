"""Accuracy on texts with words alone, and with all numbers of `TextEncoder`.

The learner of the command ``label`` buys labels of at most 2,500 texts in batches of
10. The mean accuracy on at most 1,500 other texts with 20, 50, 100 and 200 labels, for
words alone and for words, parts of words and directions, on the same splits; the mean
difference has a standard error. A set is a parquet file with the columns `text` and
`label`; without --data those in the folder ``text`` of the data sets.

    python -m benchmarks.evaluation.text_numbers [--data FILE.parquet ...] [--splits 10]
        [--results FILE.csv] [--runs FILE.csv] [--jobs 1] [--quick]
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.data import local_file
from benchmarks.options import parse
from benchmarks.runner import Runner
from sklearn_activelearn import HybridSamplingClassifier
from sklearn_activelearn.preprocessing import TextEncoder

N_LABELS = (20, 50, 100, 200)
MOST_ROWS, MOST_TESTED = 2_500, 1_500
#: What the learner of ``label`` compares, so that nobody waits for the next row.
FEW = {"n_coverage": 1_000, "n_candidates": 1_000, "batch_size": 10}
ENCODERS = {"words": {"parts": False, "n_directions": 0}, "default": {}}


class Run(NamedTuple):
    """A split of a set, and the accuracy with each number of labels, in %."""

    set: str
    numbers: str
    split: int
    accuracy_20: float
    accuracy_50: float
    accuracy_100: float
    accuracy_200: float

    @property
    def key(self):
        """The set, the kind of numbers, and the split: unique to a run."""
        return self[:3]


def texts_of(path):
    """Return the texts and labels of a set; without one, toy texts."""
    if path is None:
        y = np.arange(300) % 2
        words = [["fine", "kind", "warm"], ["cold", "dull", "loud"]]
        return [f"{words[k % 2][k % 3]} word{k % 7}" for k in range(300)], y.astype(str)
    table = pd.read_parquet(path)
    return table["text"].tolist(), table["label"].to_numpy(str)


def run(key, path):
    """Return the run of a split."""
    name, numbers, split = key
    texts, y = texts_of(path)
    X = TextEncoder(["text"], **ENCODERS[numbers]).fit_transform({"text": texts})
    order = np.random.default_rng(split).permutation(len(y))
    tested, others = np.split(order, [min(MOST_TESTED, len(y) // 3)])
    offered = others[:MOST_ROWS]
    pool = X[offered]
    learner, accuracies = HybridSamplingClassifier(**FEW, random_state=split), []
    for n_labels in N_LABELS:
        learner.set_params(budget=min(n_labels, len(offered)))
        while len(rows := learner.query(pool)):
            learner.teach(pool[rows], y[offered[rows]], classes=np.unique(y))
        accuracies.append(100 * learner.score(X[tested], y[tested]))
    return Run(name, numbers, split, *accuracies)


def summary(runs):
    """Return for each set: splits, both means, the difference, its standard error."""
    rows = []
    for name in dict.fromkeys(each.set for each in runs):
        means = {
            (each.numbers, each.split): np.mean(each[3:])
            for each in runs
            if each.set == name
        }
        splits = sorted({split for _, split in means if ("words", split) in means})
        splits = [split for split in splits if ("default", split) in means]
        words, default = (
            np.array([means[numbers, split] for split in splits])
            for numbers in ENCODERS
        )
        more = default - words
        noise = more.std(ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else np.nan
        rows.append(
            (name, len(splits), words.mean(), default.mean(), more.mean(), noise)
        )
    return rows


def main(argv=None):
    """Print a line for each set."""
    args = parse(__doc__, argv, data=[Path], splits=10, results=Path, runs=Path, jobs=1)
    folder = local_file("text").with_suffix("")
    sets = {file.stem: file for file in args.data or sorted(folder.glob("*.parquet"))}
    if args.quick:
        sets, args.splits = dict.fromkeys(("toy 1", "toy 2", "toy 3")), 1
    runner = Runner(args.runs, Run, "evaluation.text_numbers", argv, args.jobs)
    tasks = [
        ((name, numbers, split), run, file)
        for name, file in sets.items()
        for split in range(args.splits)
        for numbers in ENCODERS
    ]
    runner.run(tasks)
    head = ("set", "splits", "words", "default", "more", "standard error")
    rows = [
        (name, n, *(f"{value:.1f}" for value in values))
        for name, n, *values in summary([*runner.done.values()])
    ]
    for row in (head, *rows):
        print("".join(f"{cell!s:>18}" for cell in row))
    if args.results:
        with open(args.results, "w", newline="") as file:
            csv.writer(file).writerows([head, *rows])


if __name__ == "__main__":
    main()
