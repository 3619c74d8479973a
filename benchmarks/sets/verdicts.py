"""Are the verdicts of `compare` right? Savings found, false ones, and intervals.

Two experiments, both with tables of 600 random rows and the runs that `compare` makes
of them: 8 times 5 folds, a paired t-test at 95 %, the default measure.

savings    A learner, and random labels for the same model, buy 100 labels in each of 48
           times 5 folds.
           Each 8 times give a verdict; the truth is what the other 40 times (200 runs)
           come to. Printed for each set: labels truly saved, verdicts that see them,
           and truths that lie in the interval of the gain and of the savings.
random     50 random labels against others on the same folds: no verdict may
           announce savings.

    python -m benchmarks.sets.verdicts [--only SET ...] [--tables 200] [--times 48]
        [--quick]

Seed 0. At --quick the tables are small, and the folds few.
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.sets.problems import PROBLEMS, raetsch, uci
from sklearn_activelearn import (
    PassiveClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.evaluation._compare import LearnerResult
from sklearn_activelearn.evaluation._measures import default_measure

SETS = {
    **{
        name: PROBLEMS[name].load
        for name in ("tumours", "mushroom", "pima", "ionosphere", "splice", "german")
    },
    **{name: PROBLEMS[name].load for name in ("banana", "image", "covtype", "digits")},
    "votes": uci("votes"),
    "twonorm": raetsch("twonorm"),
}
FOLDS, TIMES, BATCH = 5, 8, 10
MODEL = LogisticRegression(max_iter=1_000)
LEARNERS = {
    "herding": UncertaintyHerdingClassifier,
    "least": UncertaintySamplingClassifier,
}


def table(name, n_rows, seed):
    """Return random rows of a set, those of classes with a row for each fold."""
    X, y = SETS[name]()
    rows = np.random.RandomState(seed).permutation(len(y))[:n_rows]
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    kept = np.flatnonzero(np.bincount(y)[y] >= FOLDS)
    return StandardScaler().fit_transform(X[kept]), y[kept]


def curve(learner, X, y, budget, folds, seed):
    """Return the label curve of a learner by the measure that `compare` takes."""
    return label_curve(
        learner.set_params(batch_size=BATCH, budget=budget),
        X,
        y,
        cv=folds,
        scoring=default_measure(y).scoring,
        at=range(BATCH, budget + 1, BATCH),
        random_state=seed,
    )


def folds_of(X, y, times, seed):
    """Return the folds, one time after the other."""
    splitter = RepeatedStratifiedKFold(
        n_splits=FOLDS, n_repeats=times, random_state=seed
    )
    return list(splitter.split(X, y))


def part(comparison, runs):
    """Return a comparison of some of the runs."""
    arrays = "scores n_bought final_scores n_offered n_held_out runs constant_scores"
    curves = [
        replace(c, **{name: getattr(c, name)[runs] for name in arrays.split()})
        for c in (comparison.curve, comparison.passive_curve)
    ]
    return replace(comparison, curve=curves[0], passive_curve=curves[1])


def announced(comparison):
    """Whether savings are announced."""
    return comparison.is_clear and comparison.passive_beats_constant


def savings_of_set(name, times, n_rows, budget):
    """Print a line for each learner; return (truth, seen, gain held, savings held)."""
    X, y = table(name, n_rows, 0)
    folds = folds_of(X, y, times, 0)
    passive = curve(PassiveClassifier(MODEL), X, y, budget, folds, 0)
    found = []
    for title, learner in LEARNERS.items():
        active = curve(learner(MODEL), X, y, budget, folds, 0)
        whole = LearnerResult(learner, PassiveClassifier, active, passive, 0.95)
        lines = []
        for start in range(0, times - TIMES + 1, TIMES):
            is_in = np.zeros(times * FOLDS, dtype=bool)
            is_in[start * FOLDS : (start + TIMES) * FOLDS] = True
            sample, others = part(whole, is_in), part(whole, ~is_in)
            truth = others.savings.needed if others.passive_beats_constant else np.inf
            _, low, high = sample.gain
            known = sample.savings
            lines.append(
                (
                    max(1 - truth, 0.0),
                    announced(sample),
                    low <= others.gain[0] <= high,
                    known.low <= others.savings.needed <= known.high,
                )
            )
        found += lines
        truth, seen, *held = np.mean(lines, axis=0)
        print(
            f"{name:11} {title:8} {truth:6.0%} saved, announced by {seen:5.0%} of "
            f"{len(lines)}; intervals hold {held[0]:.0%} and {held[1]:.0%}",
            flush=True,
        )
    return found


def random_against_random(name, seed, n_rows, budget):
    """Return whether savings, and whether losses, are announced of random labels."""
    X, y = table(name, n_rows, seed)
    folds = folds_of(X, y, TIMES, seed)
    curves = [
        curve(PassiveClassifier(MODEL), X, y, budget // 2, folds, 2 * seed + k)
        for k in (0, 1)
    ]
    result = LearnerResult(None, None, *curves, 0.95)
    return announced(result), result.savings.is_worse


def share(values):
    """Return a share, and of how many."""
    return f"{np.mean(values):.1%} of {len(values)}" if len(values) else "none of 0"


def main():
    """Run both experiments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SETS, default=[*SETS])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--times", type=int, default=48)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    n_rows, budget = (60, 20) if args.quick else (600, 100)
    if args.quick:
        args.only, args.tables, args.times = ["tumours"], 2, 2 * TIMES
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array(
            [
                line
                for name in args.only
                for line in savings_of_set(name, args.times, n_rows, budget)
            ]
        )
        truth, seen, gains, savings = found.T
        for low, high in ((0.3, 0.4), (1 / 3, 0.5), (0.5, 1.01)):
            of = (truth >= low) & (truth < high)
            print(f"true savings {low:.2f} to {high:.2f}: announced {share(seen[of])}")
        print(f"nothing saved, but announced: {share(seen[truth == 0])}")
        print(f"intervals of the gain hold the truth: {share(gains)}")
        print(f"intervals of the savings hold it: {share(savings)}")
        verdicts = [
            random_against_random(args.only[k % len(args.only)], k, n_rows, budget)
            for k in range(args.tables)
        ]
        print(f"random against random: announced {share([a for a, _ in verdicts])}")
        print(f"random against random: worse, {share([b for _, b in verdicts])}")


if __name__ == "__main__":
    main()
