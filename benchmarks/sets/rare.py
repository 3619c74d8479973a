"""Rare classes: what learners find and how well they tell the classes apart.

streams  Learners go once through 2,000 rows of a set of two classes, of which 1, 3 or
         50 % are positive (fewer where a set has too few rows; others are left out at
         random), in random orders. Test rows keep the shares of the set. All parameters
         are defaults but `class_weight`.

         none, balanced   balanced error in % without class weights, and with "balanced"
         own              the same as balanced, divided by that of the threshold that is
                          best on the test rows
         hindsight        divided by that of the best threshold without class weights
         one class        runs in % that end predicting one class for all test rows,
                          without and with class weights
         warned           those of them that warned, in %
         labels, found    labels bought, and positives among them, without and with
         difference       balanced less none, paired over the runs, in points, with its
                          95 % interval

Quotients are of means over sets and orders.

several  The same for sets of several classes, whose shares of the stream are between 1
         and 0.02, at equal ratios, in random order: balanced errors and labels, without
         and with class weights.

    python -m benchmarks.sets.rare [streams] [several] [--sets news ...]
        [--learners CBGZ ...] [--shares 1 3 ...] [--orders 10] [--results FILE]
        [--quick]

Seeds are the numbers of the orders.
"""

import argparse
import csv
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import t
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import balanced_accuracy_score, roc_curve

from benchmarks.papers import data
from benchmarks.sets import problems, stream_problems
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)
from sklearn_activelearn.exceptions import OneClassWarning

SEED = 0
N_STREAM, N_TEST = 2_000, 3_000


def eights():
    """Return images of digits and whether they are 8."""
    X, y = data.usps()
    return X, y == 8


def small_digits():
    """Return small images of digits and whether they are 8."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y == 8


def positives_of(load):
    """Return the function that loads rows, and whether they are of the second class."""

    def loaded():
        X, y = load()
        return X, y == np.unique(y)[1]

    return loaded


class Problem(NamedTuple):
    """A data set of two classes."""

    load: object
    prepare: object

    def split(self, X, y, share, order, n_stream=N_STREAM):
        """Return the stream and the test rows of the random order with this number."""
        rng, y = np.random.default_rng((SEED, order)), y.astype(bool)
        rows = rng.permutation(len(y))
        test, rows = rows[: min(N_TEST, len(y) // 3)], rows[min(N_TEST, len(y) // 3) :]
        n_positive = round(share * n_stream)
        positive = rows[y[rows]][:n_positive]
        others = rows[~y[rows]][: n_stream - n_positive]
        stream = rng.permutation(np.concatenate([positive, others]))
        X_stream, X_test = self.prepare(X[stream], X[test])
        return problems.Split(X_stream, y[stream].astype(int), X_test, y[test])


STREAMS = {
    "news": Problem(positives_of(problems.news), problems.as_they_are),
    "money-fx": Problem(positives_of(data.money_fx), problems.as_they_are),
    "C15": Problem(stream_problems.topic("C15"), problems.as_they_are),
    "covtype": Problem(stream_problems.forest, problems.standardised),
    "MNIST odd": Problem(positives_of(stream_problems.odd), problems.as_they_are),
    "MNIST 9": Problem(stream_problems.nines, problems.as_they_are),
    "USPS 8": Problem(eights, problems.as_they_are),
    "mushroom": Problem(
        positives_of(lambda: data.uci("mushroom")), problems.standardised
    ),
    "twonorm": Problem(
        positives_of(problems.raetsch("twonorm")), problems.standardised
    ),
}
TOY_STREAMS = {
    "digits 8": Problem(small_digits, problems.as_they_are),
    "tumours": Problem(
        positives_of(lambda: load_breast_cancer(return_X_y=True)),
        problems.standardised,
    ),
}
SEVERAL = {
    "USPS": Problem(data.usps, problems.as_they_are),
    "covtype": Problem(data.covtype, problems.standardised),
    "desks": Problem(problems.desks, problems.as_they_are),
    "topics": Problem(problems.topics, problems.as_they_are),
    "noisy": Problem(problems.noisy, problems.standardised),
}
TOY_SEVERAL = {
    "digits": Problem(
        lambda: load_digits(n_class=4, return_X_y=True), problems.standardised
    )
}
STREAM_LEARNERS = {
    "CBGZ": CBGZClassifier(),
    "DKM": DKMClassifier(),
    "log-ramp": MarginLossClassifier(),
    "root-ramp": MarginLossClassifier("root_ramp"),
    "ramp": MarginLossClassifier("ramp"),
    "sigmoid": MarginLossClassifier("sigmoid"),
    "hinge": MarginLossClassifier("hinge"),
    "log-ramp, adaptive": MarginLossClassifier(learning_rate="adaptive"),
    "greedy": GreedyOnlineClassifier(),
    "random": RandomSamplingClassifier(),
    "RLS": RLSSamplingClassifier(),
    "SOLE": SOLEClassifier(),
    "SOP": SecondOrderPerceptronClassifier(),
}


class StreamRun(NamedTuple):
    """What a learner made of a stream."""

    set: str
    share: float
    learner: str
    class_weight: str
    order: int
    error: float  # balanced
    best: float  # with the threshold that is best on the test rows
    one_class: bool
    warned: bool
    labels: int
    found: int


def run_stream(name, share, learner, class_weight, order, split):
    """Return what a learner makes of a stream."""
    model = STREAM_LEARNERS[learner]
    model.set_params(class_weight=class_weight, shuffle=False, random_state=order)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(split.X, split.y)
    guesses = model.predict(split.X_test)
    false, true, _ = roc_curve(split.y_test, model.decision_function(split.X_test))
    return StreamRun(
        name,
        share,
        learner,
        class_weight or "none",
        order,
        1 - balanced_accuracy_score(split.y_test, guesses),
        ((1 - true + false) / 2).min(),
        len(np.unique(guesses)) == 1,
        any(each.category is OneClassWarning for each in caught),
        model.n_queries_,
        split.y[model.queried_indices_].sum(),
    )


def stream_runs(args):
    """Yield all runs over streams, a set at a time."""
    sets = TOY_STREAMS if args.quick else STREAMS
    n_stream = 200 if args.quick else N_STREAM
    for name in args.sets or sets:
        X, y = sets[name].load()
        for share in args.shares:
            for order in range(args.orders):
                split = sets[name].split(X, y, share / 100, order, n_stream)
                for learner in args.learners:
                    for class_weight in (None, "balanced"):
                        yield run_stream(
                            name, share, learner, class_weight, order, split
                        )


def column(runs, name):
    """Return one measure of all runs."""
    return np.array([getattr(run, name) for run in runs], dtype=float)


def percent(part, whole):
    """Return a share in percent, or a dash for that of nothing."""
    return f"{100 * part / whole:.0f}" if whole else "-"


def stream_line(share, learner, none, balanced):
    """Return the line of a learner, from its runs without and with class weights."""
    before, after = column(none, "error"), column(balanced, "error")
    change = 100 * (after - before)
    half = t.ppf(0.975, len(change) - 1) * change.std(ddof=1) / np.sqrt(len(change))
    cells = [
        share,
        learner,
        f"{100 * before.mean():.1f} {100 * after.mean():.1f}",
        f"{after.mean() / column(balanced, 'best').mean():.2f}",
        f"{after.mean() / column(none, 'best').mean():.2f}",
    ]
    for name in ("one_class", "warned"):
        shares = []
        for runs in (none, balanced):
            stuck = [run for run in runs if run.one_class]
            wanted = runs if name == "one_class" else stuck
            shares.append(
                percent(sum(getattr(run, name) for run in stuck), len(wanted))
            )
        cells.append(" ".join(shares))
    for name in ("labels", "found"):
        values = [column(runs, name).mean() for runs in (none, balanced)]
        cells.append(" ".join(f"{value:.0f}" for value in values))
    cells.append(f"{change.mean():+.1f} ± {half:.1f}")
    return " | ".join(map(str, cells))


def streams(args):
    """Print what class weights do to stream learners."""
    print(f"streams: {args.orders} orders of {N_STREAM} rows, seeds from 0")
    runs = []
    for run in stream_runs(args):
        runs.append(run)
        if args.results:
            write(args.results, run)
    print(
        "positives, % | learner | none balanced | own | hindsight | one class | warned "
        "| labels | found | difference"
    )
    for share in args.shares:
        for learner in args.learners:
            of = [run for run in runs if (run.share, run.learner) == (share, learner)]
            none, balanced = (
                [run for run in of if run.class_weight == name]
                for name in ("none", "balanced")
            )
            print(stream_line(share, learner, none, balanced))


def unequal(X, y, prepare, order, n_stream):
    """Return a stream whose classes have very different shares, and test rows."""
    rng, classes = np.random.default_rng((SEED, order)), np.unique(y)
    rows = rng.permutation(len(y))
    n_test = min(N_TEST, len(y) // 3)
    test, rows = rows[:n_test], rows[n_test:]
    shares = rng.permutation(np.geomspace(1, 0.02, len(classes)))
    n_rows = np.maximum(3, n_stream * shares / shares.sum()).astype(int)
    kept = [rows[y[rows] == c][:n] for c, n in zip(classes, n_rows, strict=True)]
    stream = rng.permutation(np.concatenate(kept))
    X_stream, X_test = prepare(X[stream], X[test])
    return problems.Split(X_stream, y[stream], X_test, y[test])


def several(args):
    """Print what class weights do to streams of several classes."""
    print(f"several classes: {args.orders} orders, seeds from 0")
    sets = TOY_SEVERAL if args.quick else SEVERAL
    found = {learner: [] for learner in args.learners}
    for name in args.sets or sets:
        X, y = sets[name].load()
        for order in range(args.orders):
            n_stream = 200 if args.quick else N_STREAM
            split = unequal(X, y, sets[name].prepare, order, n_stream)
            for learner in args.learners:
                both = []
                for class_weight in (None, "balanced"):
                    model = clone(STREAM_LEARNERS[learner])
                    model.set_params(class_weight=class_weight, random_state=order)
                    with warnings.catch_warnings(action="ignore"):
                        model.partial_fit(split.X, split.y, classes=np.unique(y))
                    guesses = model.predict(split.X_test)
                    score = balanced_accuracy_score(split.y_test, guesses)
                    both += [100 * (1 - score), model.n_queries_]
                found[learner].append(both)
    print("learner | none balanced | labels")
    for learner, values in found.items():
        none, n_none, balanced, n_balanced = np.mean(values, axis=0)
        print(f"{learner} | {none:.1f} {balanced:.1f} | {n_none:.0f} {n_balanced:.0f}")


def write(file, run):
    """Add a run to a CSV file."""
    is_new = not Path(file).exists()
    with open(file, "a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        if is_new:
            writer.writerow(run._fields)
        writer.writerow(run)


#: The parts of this benchmark.
PARTS = {"streams": streams, "several": several}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--sets", nargs="+", default=[])
    parser.add_argument("--learners", nargs="+", default=list(STREAM_LEARNERS))
    parser.add_argument("--shares", nargs="+", type=float, default=[1, 3, 50])
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--results")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.shares, args.orders = [3, 50], 2
    for part in args.parts or PARTS:
        PARTS[part](args)


if __name__ == "__main__":
    main()
