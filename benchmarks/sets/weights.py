"""The default model against one logistic regression, and other weights of its members.

A run is a set, a split, a kind of rows and a number of labels. The rows are random, or
chosen by the default learner; all models are trained on the same ones and scored on the
test rows. Their numbers are scaled by the whole pool, columns of 0 and 1 are not.

logistic     one logistic regression
today        the default model
n / (n + k)  its weights, shrunk towards the first candidate: that one gets k / (n + k)
             of the weight, if the weights come from n rows

Weights from explored rows alone are not among them: before 110 labels fewer than the 20
rows are explored from which weights are found. Nor are weights by the chance of a row:
the rule is deterministic, and has none.

    python -m benchmarks.sets.weights [--only SET ...] [--sets tables] [--orders 30]
        [--labels 20 30 50 100] [--jobs 1] [--results results/weights.csv] [--out docs]
        [--quick]

Writes weights_<sets>.csv: gains over logistic regression in points, means of the sets
with their standard errors, of accuracy and of the mean recall of the classes; and
weights_<sets>_sets.csv, set by set.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score

from benchmarks.options import one_of, parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import write_table
from benchmarks.runner import Runner
from benchmarks.sets._run import dense_halves
from benchmarks.statistics import holm, paired_t_p, plus_minus, spread
from sklearn_activelearn import BlendClassifier, HybridSamplingClassifier
from sklearn_activelearn.batch._blend import fit_scaler, scale

KINDS = ("random", "chosen")
SCORES = ("accuracy", "mean recall")


class Blend(BlendClassifier):
    """The default model with other weights: `change` takes and returns them."""

    change = staticmethod(lambda weights, n_labels: weights)

    def _weigh_candidates(self, candidates, X, y, *others):
        found = list(super()._weigh_candidates(candidates, X, y, *others))
        found[2] = self.change(found[2], len(y))
        return tuple(found)


def shrunk(k):
    """Return a blend whose weights are shrunk as if k labels spoke for the first."""

    def change(weights, n_labels):
        first = np.eye(len(weights))[0]
        return (n_labels * weights + k * first) / (n_labels + k)

    blend = Blend(random_state=0)
    blend.change = change
    return blend


#: By name: the function that makes a model.
MODELS = {
    "today": partial(BlendClassifier, random_state=0),
    "n / (n + 20)": partial(shrunk, 20),
    "n / (n + 60)": partial(shrunk, 60),
}


class Result(NamedTuple):
    """Scores of logistic regression and of `MODELS` on a split."""

    set: str
    order: int
    rows: str
    n_labels: int
    accuracy: list
    balanced: list

    @property
    def key(self):
        """The set, the split, the rows and the number of labels: unique to a run."""
        return self[:4]


def buy(split, rows, order, n_labels):
    """Return rows in the order of their purchase."""
    if rows == "random":
        return np.random.default_rng((7, order)).permutation(len(split.y))[:n_labels]
    learner = HybridSamplingClassifier(
        batch_size=10, budget=n_labels, random_state=order
    )
    return learner.fit(split.X, split.y).queried_indices_


def measure(key, split):
    """Return the scores of all models after some labels."""
    _, order, rows, n_labels = key
    bought = buy(split, rows, order, n_labels)
    X, y, scaler = split.X[bought], split.y[bought], fit_scaler(split.X)
    logistic = LogisticRegression(max_iter=1_000).fit(scale(scaler, X), y)
    predicted = [logistic.predict(scale(scaler, split.X_test))]
    for make in MODELS.values():
        model = make().fit_in_order(X, y, scaler=scaler)
        predicted.append(model.predict(split.X_test))
    classes = np.unique(split.y_test)
    recalls = [
        recall_score(split.y_test, each, average="macro", labels=classes)
        for each in predicted
    ]
    accuracy = [np.mean(each == split.y_test) for each in predicted]
    return Result(*key, accuracy, recalls)


def tasks(names, orders, labels):
    """Yield the runs."""
    for (name, order, n_labels), split in dense_halves(names, orders, labels):
        for rows in KINDS:
            yield (name, order, rows, n_labels), measure, split


def gains_of(results, k, score):
    """Return the gains over logistic regression in points: set, then labels."""
    gains = {}
    for run in results:
        scores = run.accuracy if score == "accuracy" else run.balanced
        of_set = gains.setdefault(run.set, {})
        gain = 100 * (scores[k] - scores[0])
        of_set.setdefault(run.n_labels, []).append(gain)
    return gains


def mean_lines(results, labels):
    """Yield a line for each kind of rows, score and model: means of the sets."""
    for rows in KINDS:
        runs = [run for run in results if run.rows == rows]
        for score in SCORES:
            for k, model in enumerate(MODELS, start=1):
                gains = gains_of(runs, k, score)
                means = {
                    name: np.mean([np.mean(of_set[n]) for n in of_set])
                    for name, of_set in gains.items()
                }
                worst = min(means, key=means.get)
                line = {"rows": rows, "score": score, "model": model}
                line |= {"sets": len(means), "splits": max(run.order for run in runs)}
                for n in labels:
                    found = [np.mean(of[n]) for of in gains.values() if n in of]
                    line[f"{n} labels"] = f"{np.mean(found):+.2f}" if found else ""
                line["mean"] = plus_minus(*spread([*means.values()]))
                line["lowest"], line["on"] = f"{means[worst]:+.2f}", worst
                yield line


def set_lines(results, labels):
    """Yield a line for each set: today's gains over logistic regression."""
    for rows in KINDS:
        runs = [run for run in results if run.rows == rows]
        by_score = [gains_of(runs, 1, score) for score in SCORES]
        of_split = {
            name: np.mean([of_set[n] for n in of_set], axis=0)
            for name, of_set in by_score[0].items()
        }
        corrected = holm([paired_t_p(of) for of in of_split.values()])
        for name, p in zip(of_split, corrected, strict=True):
            line = {"set": name, "rows": rows, "splits": len(of_split[name])}
            for n in labels:
                found = by_score[0][name].get(n)
                line[f"{n} labels"] = plus_minus(*spread(found)) if found else ""
            line["mean"] = plus_minus(*spread(of_split[name]))
            line["p, Holm"] = f"{p:.2g}"
            recalls = np.mean([*by_score[1][name].values()], axis=0)
            line["mean recall"] = plus_minus(*spread(recalls))
            yield line


def main(argv=None):
    quick = {"results": "toy.csv", "out": Path("toy"), "labels": [20], "orders": 2}
    args = parse(
        __doc__,
        argv,
        quick,
        only=PROBLEMS,
        sets=one_of(GROUPS, "tables"),
        orders=30,
        jobs=1,
        labels=[20, 30, 50, 100],
        results="results/weights.csv",
        out=Path("docs"),
    )
    names = args.only or (["tumours", "wine"] if args.quick else GROUPS[args.sets])
    runner = Runner(args.results, Result, "sets.weights", argv, args.jobs)
    runner.run(tasks(names, args.orders, args.labels))
    results = [run for run in runner.done.values() if run.set in names]
    folder = args.out / "results"
    for suffix, found in (("", mean_lines), ("_sets", set_lines)):
        table = [*found(results, args.labels)]
        path = folder / f"weights_{args.sets}{suffix}.csv"
        write_table(path, table[0].keys(), [line.values() for line in table])


if __name__ == "__main__":
    main()
