"""Are the verdicts of `compare` right? Savings found, false ones, and intervals.

Two experiments, both with tables of up to 600 random rows and the runs that `compare`
makes of them: 8 times 5 folds, the default measure, and the confidence of its two
default learners with one model beside them.

savings    Learners, and random labels for the same model, buy 100 labels in each of 24
           times 5 folds. Each 8 times give a verdict; the truth is what the other 16
           times (80 runs) come to. Labels are truly saved if chosen labels are better
           at the end and on average over the curve. A verdict is false if it announces
           savings where none are.
random     50 random labels against others on the same folds: no verdict may
           announce savings.

    python -m benchmarks.sets.verdicts [--only SET ...] [--learners NAME ...]
        [--tables 60] [--times 24] [--cache FOLDER] [--quick]

Seed 0. At --quick the tables are small, and the folds few.
"""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.problems import PROBLEMS
from sklearn_activelearn import (
    HybridSamplingClassifier,
    PassiveClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.evaluation._compare import CONFIDENCE, LearnerResult
from sklearn_activelearn.evaluation._measures import default_measure

SETS = ["tumours", "mushroom", "pima", "ionosphere", "splice", "german", "banana"]
SETS += ["image", "covtype", "digits", "votes", "twonorm", "sonar", "haberman"]
SETS += ["clean1", "ex8a", "gcloudb", "australian", "tic", "spambase"]
FOLDS, TIMES, BATCH = 5, 8, 10
#: Confidence of an interval of `compare`: end and area of two learners and one model.
EACH = 1 - (1 - CONFIDENCE) / 6
MODEL = LogisticRegression(max_iter=1_000)
LEARNERS = {
    "hybrid": HybridSamplingClassifier,
    "least": UncertaintySamplingClassifier,
    "herding": UncertaintyHerdingClassifier,
}


def table(name, n_rows, seed):
    """Return random rows of a set, of the classes that have a row for each fold."""
    X, y = PROBLEMS[name].load()
    rows = np.random.RandomState(seed).permutation(len(y))[:n_rows]
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    kept = np.flatnonzero(np.bincount(y)[y] >= FOLDS)
    return StandardScaler().fit_transform(X[kept]), y[kept]


def curve(learner, X, y, budget, folds, seed, cache=None):
    """Return the label curve of a learner by the measure that `compare` takes."""
    return label_curve(
        learner.set_params(batch_size=BATCH, budget=budget),
        X,
        y,
        cv=folds,
        scoring=default_measure(y).scoring,
        at=range(BATCH, budget + 1, BATCH),
        memory=cache,
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


def announced(result):
    """Return whether savings are announced."""
    return result.is_clear and result.passive_beats_constant


def true_savings(result):
    """Return the share of labels saved, 0 unless area and end are both better."""
    is_better = min(result.gain[0], result.area_gain[0]) > 0
    if not (is_better and result.passive_beats_constant):
        return 0.0
    return max(1 - result.savings.needed, 0.0)


def judge_set(name, learners, times, n_rows, budget, cache):
    """Print a line for each learner; return a row of figures for each verdict."""
    X, y = table(name, n_rows, 0)
    folds = folds_of(X, y, times, 0)
    passive = curve(PassiveClassifier(MODEL), X, y, budget, folds, 0, cache)
    found = []
    for title in learners:
        active = curve(LEARNERS[title](MODEL), X, y, budget, folds, 0, cache)
        whole = LearnerResult(None, None, active, passive, EACH)
        lines = []
        for start in range(0, times - TIMES + 1, TIMES):
            is_in = np.zeros(times * FOLDS, dtype=bool)
            is_in[start * FOLDS : (start + TIMES) * FOLDS] = True
            sample, others = part(whole, is_in), part(whole, ~is_in)
            low, high = sample.gain[1:], sample.area_gain[1:]
            known = sample.savings
            lines.append(
                (
                    true_savings(others),
                    announced(sample),
                    sample.is_mixed,
                    known.is_clear and sample.passive_beats_constant,
                    low[0] <= others.gain[0] <= low[1],
                    high[0] <= others.area_gain[0] <= high[1],
                    known.low <= others.savings.needed <= known.high,
                )
            )
        found += lines
        truth, seen, mixed = np.mean(lines, axis=0)[:3]
        end, area = (100 * each[0] for each in (whole.gain, whole.area_gain))
        print(
            f"{name:11} {title:8} {truth:6.0%} saved, announced by {seen:4.0%}, mixed "
            f"{mixed:4.0%} of {len(lines)}; points gained at the end {end:+.1f}, on "
            f"average {area:+.1f}; behind: "
            + ("; ".join("{:.0f} to {:.0f}".format(*b) for b in whole.behind) or "–"),
            flush=True,
        )
    return found


def random_against_random(name, seed, n_rows, budget):
    """Return whether savings are announced of random labels."""
    X, y = table(name, n_rows, seed)
    folds = folds_of(X, y, TIMES, seed)
    curves = [
        curve(PassiveClassifier(MODEL), X, y, budget // 2, folds, 2 * seed + k)
        for k in (0, 1)
    ]
    return announced(LearnerResult(None, None, *curves, EACH))


def share(values):
    """Return a share, and of how many."""
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.1%} of {len(values)}" if len(values) else "none of 0"


def main():
    """Run both experiments."""
    args = parse(
        __doc__,
        quick={"only": ["tumours"], "tables": 2, "times": 2 * TIMES},
        only=SETS,
        learners=LEARNERS,
        tables=60,
        times=24,
        cache=str,
    )
    args.only, args.learners = args.only or SETS, args.learners or ["hybrid", "least"]
    n_rows, budget = (60, 20) if args.quick else (600, 100)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            line
            for name in args.only
            for line in judge_set(
                name, args.learners, args.times, n_rows, budget, args.cache
            )
        ]
        truth, seen, mixed, by_end, *held = np.array(found).T
        for low, high in ((0, 0.2), (0.2, 1 / 3), (1 / 3, 0.5), (0.5, 1.01)):
            of = (truth > low) & (truth <= high)
            print(
                f"truly saved {low:4.0%} to {high:4.0%}: announced {share(seen[of])}; "
                f"by the end alone {share(by_end[of])}"
            )
        of, seen, by_end = truth == 0, seen.astype(bool), by_end.astype(bool)
        print(f"a third or more truly saved: announced {share(seen[truth >= 1 / 3])}")
        print(f"nothing saved: announced {share(seen[of])}; mixed {share(mixed[of])}")
        print(f"nothing saved: announced by the end alone {share(by_end[of])}")
        print(f"false among all verdicts: {share(seen & of)}")
        print(f"false among those that announce savings: {share(of[seen])}")
        print(f"the same by the end alone: {share(of[by_end])}")
        for what, values in zip(("end", "area", "savings"), held, strict=True):
            print(f"intervals of the {what} hold the truth: {share(values)}")
        verdicts = [
            random_against_random(args.only[k % len(args.only)], k, n_rows, budget)
            for k in range(args.tables)
        ]
        print(f"random against random: announced {share(verdicts)}")


if __name__ == "__main__":
    main()
