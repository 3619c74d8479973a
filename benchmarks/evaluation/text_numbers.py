"""Accuracy on texts with words alone, with all numbers of `TextEncoder`, and vectors.

The learner of the command ``label`` buys labels of at most 2,500 texts in batches of
10, and is tested on at most 1,500 others, on the same splits with each kind of numbers.
With an encoder, a logistic regression on its vectors alone has labels of random texts.
Printed are the mean accuracies over 20, 50, 100 and 200 labels, and the mean
differences with their standard errors. A set is a parquet file with the columns `text`
and `label`; without --data those in the folder ``text`` of the data sets.

    python -m benchmarks.evaluation.text_numbers [--data FILE.parquet ...] [--splits 10]
        [--encoder FOLDER] [--results FILE.csv] [--picture FILE.png] [--runs FILE.csv]
        [--jobs 1] [--quick]
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.data import local_file
from benchmarks.options import parse
from benchmarks.runner import Runner
from sklearn_activelearn import HybridSamplingClassifier, PassiveClassifier
from sklearn_activelearn.preprocessing import TextEncoder

N_LABELS = (20, 50, 100, 200)
MOST_ROWS, MOST_TESTED = 2_500, 1_500
#: What the learner of ``label`` compares, so that nobody waits for the next row.
FEW = {"n_coverage": 1_000, "n_candidates": 1_000, "batch_size": 10}
WORDS = {"parts": False, "n_directions": 0}
KINDS = ("words", "default", "encoder", "logistic")
#: Which kind of numbers is compared with which, and the head of the difference.
PAIRS = {
    "default - words": ("default", "words"),
    "encoder - words": ("encoder", "words"),
    "encoder - logistic": ("encoder", "logistic"),
}


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
        y = np.arange(90) % 2
        words = [["fine", "kind", "warm"], ["cold", "dull", "loud"]]
        return [f"{words[k % 2][k % 3]} word{k % 7}" for k in range(90)], y.astype(str)
    table = pd.read_parquet(path)
    return table["text"].tolist(), table["label"].to_numpy(str)


def numbers_of(texts, kind, embedding):
    """Return the numbers of texts of a kind."""
    if kind == "logistic":
        encoder = TextEncoder(["text"], **WORDS, embedding=embedding)
        return encoder.fit_transform({"text": texts})[:, -encoder.n_dense_ :].toarray()
    how = {"words": WORDS, "default": {}, "encoder": {"embedding": embedding}}[kind]
    return TextEncoder(["text"], **how).fit_transform({"text": texts})


def run(key, path, embedding):
    """Return the run of a split."""
    name, kind, split = key
    texts, y = texts_of(path)
    X = numbers_of(texts, kind, embedding)
    order = np.random.default_rng(split).permutation(len(y))
    tested, others = np.split(order, [min(MOST_TESTED, len(y) // 3)])
    offered = others[:MOST_ROWS]
    pool, accuracies = X[offered], []
    learner = HybridSamplingClassifier(**FEW, random_state=split)
    if kind == "logistic":
        model = LogisticRegression(max_iter=1_000)
        learner = PassiveClassifier(model, batch_size=10, random_state=split)
    for n_labels in N_LABELS:
        learner.set_params(budget=min(n_labels, len(offered)))
        while len(rows := learner.query(pool)):
            learner.teach(pool[rows], y[offered[rows]], classes=np.unique(y))
        accuracies.append(100 * learner.score(X[tested], y[tested]))
    return Run(name, kind, split, *accuracies)


def means_of(runs, name, kind):
    """Return the mean accuracy of each split of a set, by split."""
    return {
        each.split: np.mean(each[3:])
        for each in runs
        if (each.set, each.numbers) == (name, kind)
    }


def differences(runs, name, pair):
    """Return the differences of a pair on the splits that both have."""
    more, less = (means_of(runs, name, kind) for kind in PAIRS[pair])
    return np.array([more[split] - less[split] for split in more if split in less])


def mean_and_error(values):
    """Return the mean of values and its standard error."""
    if len(values) < 2:
        return values.mean(), np.nan
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def table_of(runs):
    """Return the lines of the table."""
    kinds = [kind for kind in KINDS if any(each.numbers == kind for each in runs)]
    pairs = [pair for pair in PAIRS if {*PAIRS[pair]} <= {*kinds}]
    lines = [("set", "splits", *kinds, *pairs)]
    for name in dict.fromkeys(each.set for each in runs):
        accuracies = [[*means_of(runs, name, kind).values()] for kind in kinds]
        cells = [f"{np.mean(each):.1f}" if each else "" for each in accuracies]
        for pair in pairs:
            values = differences(runs, name, pair)
            mean, error = mean_and_error(values) if len(values) else (None, None)
            cells.append("" if mean is None else f"{mean:+.1f} ± {error:.1f}")
        n_splits = len(differences(runs, name, pairs[0]))
        lines.append((name, n_splits, *cells))
    return lines


def draw(runs, path):
    """Draw the differences by set, with two standard errors on each side."""
    from matplotlib.figure import Figure

    names = [*dict.fromkeys(each.set for each in runs)]
    figure = Figure(figsize=(7, 0.8 + 0.3 * len(names)), dpi=150, layout="constrained")
    axis = figure.add_subplot()
    for shift, pair in ((-0.12, "default - words"), (0.12, "encoder - words")):
        found = [differences(runs, name, pair) for name in names]
        if not any(map(len, found)):
            continue
        rows = [k + shift for k, values in enumerate(found) if len(values)]
        points = np.array([mean_and_error(each) for each in found if len(each)])
        label = {"default - words": "default", "encoder - words": "encoder"}[pair]
        axis.errorbar(
            *points[:, :1].T, rows, xerr=2 * points[:, 1], fmt="o", label=label
        )
    axis.axvline(0, color="0.6", lw=1)
    axis.set(yticks=range(len(names)), yticklabels=names, xlabel="points over words")
    axis.invert_yaxis()
    axis.legend(frameon=False)
    figure.savefig(path)


def main(argv=None):
    """Print a line for each set."""
    args = parse(
        __doc__, argv, data=[Path], splits=10, encoder=str, results=Path, picture=Path,
        runs=Path, jobs=1,
    )  # fmt: skip
    folder = local_file("text").with_suffix("")
    sets = {file.stem: file for file in args.data or sorted(folder.glob("*.parquet"))}
    embedding = args.encoder
    if args.quick:
        sets, args.splits = dict.fromkeys(("toy 1", "toy 2", "toy 3")), 1
        embedding = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0))
    runner = Runner(args.runs, Run, "evaluation.text_numbers", argv, args.jobs)
    kinds = KINDS if embedding is not None else KINDS[:2]
    tasks = [
        ((name, kind, split), run, file, embedding)
        for name, file in sets.items()
        for split in range(args.splits)
        for kind in kinds
    ]
    runner.run(tasks)
    runs = [*runner.done.values()]
    lines = table_of(runs)
    for line in lines:
        print("".join(f"{cell!s:>20}" for cell in line))
    if args.results:
        with open(args.results, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(lines)
    if args.picture:
        draw(runs, args.picture)


if __name__ == "__main__":
    main()
