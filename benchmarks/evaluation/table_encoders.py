"""Compare `TableEncoder` with skrub's `TableVectorizer` on five tables.

Logistic regression is trained on random rows and tested on the others. The errors are
means over the same splits, so that their difference has a standard error. The time is
the processor time of a new process that imports an encoder and encodes the table: a
person waits for it before the first row.

    python -m benchmarks.evaluation.table_encoders
    python -m benchmarks.evaluation.table_encoders --quick  # seconds: does it run?
"""

import argparse
import resource
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from benchmarks.papers import data

ROOT = Path(__file__).resolve().parents[2]
N_ROWS = 1_000
N_LABELS = (50, 200)
ENCODERS = ("TableEncoder", "TableVectorizer")
WORDS = [
    "plot",
    "score",
    "camera",
    "scene",
    "actor",
    "light",
    "story",
    "music",
    "sound",
    "end",
    "hero",
    "war",
]
PRAISE = ["lovely", "rare", "warm", "witty", "clear", "brave"]
BLAME = ["dull", "stale", "cold", "loud", "vague", "long"]


def mixed():
    """Return patients: numbers and categories (heart of UCI)."""
    X, y = data.uci("heart")
    frame = pd.DataFrame(X).rename(columns="column {}".format)
    for column in (1, 2, 5, 6, 8, 10, 12):  # codes of categories
        frame[f"column {column}"] = frame[f"column {column}"].map("code {:.0f}".format)
    return frame, y


def gaps():
    """Return votes with gaps (votes of UCI), and numbers with many gaps."""
    X, y = data.uci("votes")
    words = np.array(["n", "", "y"], dtype=object)[X[:, 3:9].astype(int) + 1]
    frame = pd.DataFrame(words).rename(columns="bill {}".format)
    rng = np.random.default_rng(0)
    for k in range(4):
        number = rng.normal(np.where(y > 0, 0.5, -0.5)).round(2)
        missing = rng.random(len(y)) < 1 / 3
        frame[f"number {k}"] = np.where(missing, "", number.astype(str))
    return frame, y


def dates():
    """Return days whose label depends on the season, the weekday and the trend."""
    rng = np.random.default_rng(1)
    days = [
        date(2020, 1, 1) + timedelta(int(k)) for k in rng.integers(1500, size=N_ROWS)
    ]
    season = np.sin([2 * np.pi * day.timetuple().tm_yday / 365 for day in days])
    weekend = np.array([day.weekday() >= 5 for day in days])
    trend = np.array([day.year - 2022 for day in days])
    y = season + weekend + 0.4 * trend + rng.normal(scale=0.7, size=N_ROWS) > 0.3
    frame = pd.DataFrame(
        {
            "ordered": [day.isoformat() for day in days],
            "sent": [f"{d + timedelta(int(d.day % 9)):%d/%m/%Y}" for d in days],
            "price": rng.normal(10, 2, N_ROWS).round(2).astype(str),
        }
    )
    return frame, y


def texts():
    """Return short reviews, of which a few words tell the label, and a number."""
    rng = np.random.default_rng(2)
    y = rng.random(N_ROWS) < 0.5
    reviews = []
    for positive in y:
        usual, other = (PRAISE, BLAME) if positive else (BLAME, PRAISE)
        telling = [*rng.choice(usual, 2), rng.choice(other)]
        words = [*rng.choice(WORDS, 8), *telling, f"take{rng.integers(400)}"]
        reviews.append(" ".join(rng.permutation(words)))
    stars = rng.normal(3 + 0.5 * y, 1).round(1)
    return pd.DataFrame({"review": reviews, "stars": stars.astype(str)}), y


def identifiers():
    """Return orders with keys, a counter, shops of which some are rare, and numbers."""
    rng = np.random.default_rng(3)
    shop = rng.zipf(1.3, N_ROWS) % 200
    effect = rng.normal(size=200)
    size = rng.normal(size=N_ROWS)
    y = effect[shop] + size + rng.normal(scale=0.7, size=N_ROWS) > 0
    frame = pd.DataFrame(
        {
            "row": np.arange(1, N_ROWS + 1).astype(str),
            "key": [f"INV-{k:06}" for k in rng.permutation(N_ROWS)],
            "shop": [f"shop {k}" for k in shop],
            "size": size.round(3).astype(str),
        }
    )
    return frame, y


TABLES = {table.__name__: table for table in (mixed, dates, texts, identifiers, gaps)}
#: Tables that a quick run leaves out.
DOWNLOADED = (mixed, gaps)


def make_encoder(name):
    """Return an encoder for a linear model; skrub's is the one that skrub advises."""
    if name == "TableEncoder":
        from sklearn_activelearn.preprocessing import TableEncoder

        return TableEncoder()
    from skrub import tabular_pipeline

    return make_pipeline(
        *[step for _, step in tabular_pipeline(LogisticRegression()).steps[:-1]]
    )


def mean_errors(X, y, n_labels, n_splits):
    """Return the test error of each split."""
    splits = StratifiedShuffleSplit(n_splits, train_size=n_labels, random_state=0)
    model = LogisticRegression(C=10, max_iter=1_000)
    return np.array(
        [
            1 - model.fit(X[known], y[known]).score(X[rest], y[rest])
            for known, rest in splits.split(X, y)
        ]
    )


def seconds_of_process(table, encoder, n_runs):
    """Return the fewest processor seconds of a process that encodes a table."""
    command = [sys.executable, "-m", __spec__.name, "--encode", table, encoder]
    seconds = []
    for _ in range(n_runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        seconds.append(used)
    return min(seconds)


def main():
    """Print a row for each table, number of labels and encoder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two splits, one process")
    parser.add_argument("--encode", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.encode:
        table, encoder = args.encode
        make_encoder(encoder).fit_transform(TABLES[table]()[0])
        return
    n_splits, n_runs = (2, 1) if args.quick else (60, 5)
    print("table        labels  TableEncoder  TableVectorizer  difference  seconds")
    for name, make in TABLES.items():
        if args.quick and make in DOWNLOADED:
            continue
        frame, y = make()
        encoded = [make_encoder(each).fit_transform(frame) for each in ENCODERS]
        encoded = [X if hasattr(X, "tocsr") else np.asarray(X) for X in encoded]
        seconds = [seconds_of_process(name, each, n_runs) for each in ENCODERS]
        for n_labels in N_LABELS:
            ours, theirs = (mean_errors(X, y, n_labels, n_splits) for X in encoded)
            more = theirs - ours
            noise = more.std(ddof=1) / np.sqrt(n_splits)
            print(
                f"{name:11}{n_labels:8}{ours.mean():14.1%}{theirs.mean():17.1%}"
                f"{100 * more.mean():+8.1f} ±{100 * noise:.1f}"
                f"   {seconds[0]:.1f}, {seconds[1]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
