"""When the default model says that labels are near chance, and whether it is right.

A model buys labels as in the regime "hundred" of `benchmarks.sets.pools`, chosen rows
or random ones. After 20, 50 and 100 labels stand side by side: its `cv_skill_`, the
share of the uncertainty of the labels that it removes in cross-validation; the same on
the rest of the pool, whose labels are as noisy; whether it gives the alarm
(`is_near_chance_`); and its accuracy on the test rows, which are never flipped. The
sets are the groups "many", "tables" and "flipped". Writes

chance.csv       by group of sets, kind of rows and number of labels: runs near chance
                 (less than 3 % is removed on the rest of the pool), alarms, false
                 alarms (10 % or more), and runs near chance without an alarm; the same
                 for a `cv_skill_` below 0.03 with any number of labels
chance_sets.csv  by set, after 100 labels: means of both skills, of the points over the
                 most frequent class, and the alarms

chance_noise.csv how often labels that are drawn at random give the alarm: two and three
                 classes, eight columns of noise, 80 and 160 rows

If one class has more than 70 % of the rows, classes weigh the same.

    python -m benchmarks.sets.chance [--orders 2] [--only SET ...] [--jobs 1]
        [--runs results/chance.csv] [--out docs/results] [--quick]
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import entropy
from sklearn.metrics import balanced_accuracy_score

from benchmarks.options import parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import write_table
from benchmarks.runner import Runner
from benchmarks.sets.methods import METHODS
from benchmarks.sets.pools import REGIMES
from sklearn_activelearn import BlendClassifier

KINDS = {"chosen": "blend", "random": "blend, random"}
LABELS = (20, 50, 100)
#: Skills on the rest of the pool: an alarm is false from the larger one on, and is
#: missed below the smaller one, which is also the skill that gives alarms.
FALSE, CHANCE = 0.1, 0.03
#: With a larger share of one class, classes weigh the same.
COMMON = 0.7
SMALLEST = 1e-9
#: Columns of noise.
N_NOISE = 8
GROUP_NAMES = ("many", "tables", "flipped")


class Run(NamedTuple):
    """A set, a kind of rows and a split; after each number of labels a figure each."""

    set: str
    rows: str
    order: int
    n_labels: list
    skill: list
    told: list
    rest: list  # skill on the rest of the pool
    gain: list  # points over the most frequent class

    @property
    def key(self):
        """The set, the kind of rows and the split: unique to a run."""
        return self[:3]


def measure(key, problem, X, y, regime):
    """Return what a model says of its labels, and how good it is on other rows."""
    _, rows, order = key
    split = problem.halve(X, y, order)
    regime = regime.within(len(split.y))
    learner = METHODS[KINDS[rows]].make(
        None,
        n_initial=regime.n_initial,
        batch_size=regime.batch_size,
        budget=regime.budget,
        random_state=order,
    )
    is_left = np.ones(len(split.y), dtype=bool)
    found = []
    for _ in range(regime.n_rounds):
        bought = learner.query(split.X)
        learner.teach(split.X[bought], split.y[bought])
        is_left[bought] = False
        if learner.n_taught_ in LABELS:
            model = learner.estimator_
            rest = skill_on(model, split.X[is_left], split.y[is_left])
            gain = 100 * gain_on(model, split.X_test, split.y_test)
            told = model.is_near_chance_
            found.append((learner.n_taught_, model.cv_skill_, told, rest, gain))
    return Run(*key, *map(list, zip(*found, strict=True)))


def skill_on(model, X, y):
    """Return the share of the uncertainty of labels that a model removes."""
    classes, codes = np.unique(y, return_inverse=True)
    counts, p = np.bincount(codes), model.predict_proba(X)
    columns = np.searchsorted(model.classes_, classes)
    known = np.isin(classes, model.classes_)
    right = np.full(len(y), SMALLEST)
    is_known = known[codes]
    right[is_known] = p[np.flatnonzero(is_known), columns[codes[is_known]]]
    weight = np.ones(len(classes))
    if counts.max() > COMMON * len(y):
        weight = len(y) / (len(classes) * counts)
    loss = -np.mean(weight[codes] * np.log(np.maximum(right, SMALLEST)))
    return 1 - loss / entropy(weight * counts)


def gain_on(model, X, y):
    """Return by how much a model is more accurate than the most frequent class."""
    shares, predicted = np.unique(y, return_counts=True)[1] / len(y), model.predict(X)
    if shares.max() > COMMON:
        return balanced_accuracy_score(y, predicted) - 1 / len(shares)
    return np.mean(predicted == y) - shares.max()


def summary(runs):
    """Yield a line for each group of sets, kind of rows and number of labels."""
    for group in GROUP_NAMES:
        for kind in KINDS:
            own = [r for r in runs if r.set in GROUPS[group] and r.rows == kind]
            for n in LABELS:
                found = [
                    (r.skill[i], r.told[i], r.rest[i])
                    for r in own
                    for i in range(len(r.rest))
                    if r.n_labels[i] == n
                ]
                if not found:
                    continue
                skill, told, rest = map(np.array, zip(*found, strict=True))
                told, low = told > 0, skill < CHANCE
                is_clear, is_chance = rest >= FALSE, rest < CHANCE
                yield {
                    "group": group,
                    "rows": kind,
                    "labels": n,
                    "sets": len({r.set for r in own if n in r.n_labels}),
                    "runs": len(rest),
                    "near chance": np.count_nonzero(is_chance),
                    "alarms": np.count_nonzero(told),
                    "false alarms": np.count_nonzero(told & is_clear),
                    "without alarm": np.count_nonzero(~told & is_chance),
                    "low skill": np.count_nonzero(low),
                    "low skill, false": np.count_nonzero(low & is_clear),
                }


def set_lines(runs):
    """Yield a line for each set and kind of rows, after the last number of labels."""
    for name in dict.fromkeys(run.set for run in runs):
        for kind in KINDS:
            own = [r for r in runs if (r.set, r.rows) == (name, kind)]
            own = [r for r in own if r.n_labels[-1] == LABELS[-1]]
            if own:
                yield {
                    "set": name,
                    "rows": kind,
                    "runs": len(own),
                    "skill": f"{np.mean([r.skill[-1] for r in own]):.3f}",
                    "on the rest": f"{np.mean([r.rest[-1] for r in own]):.3f}",
                    "points": f"{np.mean([r.gain[-1] for r in own]):.1f}",
                    "alarms": sum(r.told[-1] > 0 for r in own),
                }


def noise_lines(n_draws):
    """Yield a line for each number of classes and rows: alarms on random labels."""
    for n_classes in (2, 3):
        for n_rows in (80, 160):
            models = []
            for seed in range(n_draws):
                rng = np.random.default_rng(seed)
                X = rng.normal(size=(n_rows, N_NOISE))
                y = rng.integers(0, n_classes, n_rows)
                models.append(BlendClassifier(random_state=seed).fit(X, y))
            yield {
                "classes": n_classes,
                "rows": n_rows,
                "trainings": n_draws,
                "alarms": sum(model.is_near_chance_ for model in models),
                "skill": f"{np.mean([model.cv_skill_ for model in models]):.3f}",
            }


def main(argv=None):
    quick = {"runs": "toy.csv", "out": Path("toy"), "orders": 1}
    args = parse(
        __doc__,
        argv,
        quick | {"only": ["tumours", "iris, 30% flipped"]},
        only=PROBLEMS,
        orders=2,
        jobs=1,
        runs="results/chance.csv",
        out=Path("docs/results"),
    )
    runner = Runner(args.runs, Run, "sets.chance", argv, args.jobs)
    names = args.only or [name for group in GROUP_NAMES for name in GROUPS[group]]
    loaded = {}
    for order in range(1, args.orders + 1):
        for name in names:
            tasks = [(name, kind, order) for kind in KINDS]
            if all(key in runner.done for key in tasks):
                continue
            try:
                X, y = loaded[name] = loaded.get(name) or PROBLEMS[name].load()
            except OSError as error:  # no file, no network
                print(f"{name} is left out: {error}", flush=True)
                continue
            arguments = measure, PROBLEMS[name], X, y, REGIMES["hundred"]
            runner.run((key, *arguments) for key in tasks)
    runs = list(runner.done.values())
    tables = {
        "chance": summary(runs),
        "chance_sets": set_lines(runs),
        "chance_noise": noise_lines(2 if args.quick else 25),
    }
    for name, found in tables.items():
        lines = list(found)
        if lines:
            rows = [line.values() for line in lines]
            write_table(args.out / f"{name}.csv", lines[0].keys(), rows)


if __name__ == "__main__":
    main()
