"""How often the interval of the labels saved holds, and whether the advice is right.

simulated  curves that fall as a power of the labels, with noise of the run, of the
           learner in the run and of each point; the true share saved is known. 1 + 1 is
           one learner and its baseline, 3 + 2 are three learners that are equal, and
           two equal baselines, among which the race chooses.
real       made tables; random rows against other random rows for the same model, where
           the true share is 0.
examples   a table of 600 rows with a linear truth, and 400 short reviews of which 5 %
           have a wrong label, as in the command `compare`. An answer is right if it
           names a learner within a point of the best one (mean error over the label
           counts, over all seeds), and does not contradict the mean over all seeds; it
           is none if it says that it cannot be told. ``--minutes`` are minutes of one
           processor: 1.75 are a minute of two, less the start of two processes.
own        the same tables, 100 repeats with another random state: the share that each
           of them saves by itself, and whether the interval of the answer holds it.

repeats  mean number of repeats; "planned" ends by width, as without ``--repeats``
centre   mean of the estimate minus the truth, in points
covers   how often, in %, the 95 % interval holds the truth
width    mean width of the interval, in points

    python -m benchmarks.evaluation.labels_saved [simulated] [real] [examples] [own]
        [--sets 1000] [--seeds 20] [--minutes 1.75] [--cache DIR] [--results DIR]
        [--figure FILE.png] [--quick]

With ``--figure`` and no part, the figure of the docs is drawn from ``docs/results``.
"""

import time
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from benchmarks.drawing import save, subplots
from benchmarks.options import parse, parts_of
from benchmarks.results import Results, read, stored
from sklearn_activelearn import HybridSamplingClassifier
from sklearn_activelearn.evaluation import (
    LabelCurve,
    _comparison_run,
    _experiments,
    compare,
)
from sklearn_activelearn.evaluation._race import Race
from sklearn_activelearn.preprocessing import find_kinds, make_encoder, read_columns

COUNTS = np.array([10, 20, 30, 40, 50, 70, 80, 100, 130, 160, 200])
RESULTS = Path("docs/results")
FOLDS, MOST = 5, 24
SHARES = (0.0, 0.3, 0.6)
PLANS = ("planned", "1", "2", "8")


def draw_curves(rng, share, n_learners, n_passives, n_runs):
    """Return the errors of each curve, shape (n_runs, n_counts)."""
    scale, power, least = rng.uniform((0.2, 0.25, 0.0), (0.5, 0.7, 0.1))
    shared, errors = 0.03 * rng.normal(size=(n_runs, 1)), []
    for key in range(n_learners + n_passives):
        kept = 1 - share if key < n_learners else 1.0
        mean = least + scale * (COUNTS / kept / 10) ** -power
        own = 0.02 * rng.normal(size=(n_runs, 1))
        points = 0.01 * rng.normal(size=(n_runs, len(COUNTS)))
        errors.append(mean + shared + own + points)
    return errors


def curve_of(errors):
    """Return the label curve of these errors."""
    n = np.full(len(errors), COUNTS[-1])
    names = np.arange(len(errors)).astype(str)
    final, constant = 1 - errors[:, -1], np.full(len(errors), 0.1)
    return LabelCurve(
        COUNTS, 1 - errors, n, final, n * 5, n, names, constant_scores=constant
    )


def simulate(seed, share, n_learners, n_passives, plan):
    """Return repeats, estimate, and the ends of the interval of one data set."""
    rng = np.random.RandomState(seed)
    errors = draw_curves(rng, share, n_learners, n_passives, MOST * FOLDS)
    race = Race(range(n_learners), range(n_learners, len(errors)))
    n_planned = 1 if plan == "planned" else int(plan)
    n_repeats = 0
    while n_repeats < n_planned:
        n_repeats += 1
        for key in [*race.in_race, *race.passives_in_race]:
            curve = curve_of(errors[key][: n_repeats * FOLDS])
            race.add(key, range(n_repeats * FOLDS), curve)
        if len(errors) > 2:
            race.drop_answered()
        if plan == "planned" and n_repeats < MOST:
            n_planned = min(race.plan(n_repeats, n_planned), MOST)
    return n_repeats, *race.judge().savings


def summarise(found, truth):
    """Return the columns of the results, from rows of `simulate`."""
    repeats, share, low, high = np.array(found).T
    holds = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    return {
        "repeats": repeats.mean(),
        "centre": 100 * (share.mean() - truth),
        "covers": 100 * holds.mean(),
        "width": 100 * (high - low).mean(),
    }


def run_simulated(results, n_sets):
    """Write how often intervals hold on simulated curves."""
    cells = product([(1, 1), (3, 2)], PLANS, SHARES)
    for cell, ((n_learners, n_passives), plan, share) in enumerate(cells):
        setting = share, n_learners, n_passives, plan
        # other data sets in each cell: their errors by chance are independent
        first = cell * n_sets
        found = [simulate(first + i, *setting) for i in range(n_sets)]
        row = {
            "curves": f"{n_learners} + {n_passives}",
            "plan": plan,
            "saved": 100 * share,
            **summarise(found, share),
        }
        key = "curves", "plan", "saved"
        results.write("labels_saved", [row], key=key, runs=n_sets)


def run_real(results, n_sets, n_repeats):
    """Write how often intervals hold for random rows against random rows."""
    learner = HybridSamplingClassifier(
        GaussianNB(), explore=1.0, batch_size=10, budget=100
    )
    found = []
    for seed in range(n_sets):
        X, y = make_classification(
            400, 6, n_informative=4, class_sep=0.7, flip_y=0.1, random_state=seed
        )
        one = compare(X, y, [learner], n_repeats=n_repeats, random_state=seed)
        found.append((n_repeats, *one.answer.savings))
    row = {
        "curves": "random rows",
        "plan": f"{n_repeats}",
        "saved": 0.0,
        **summarise(found, 0.0),
    }
    key = "curves", "plan", "saved"
    results.write("labels_saved", [row], key=key, runs=n_sets)


def make_table(seed):
    """Return 600 rows of four numbers and two categories, with a linear truth."""
    rng = np.random.RandomState(seed)
    numbers = rng.normal(size=(600, 4))
    city, plan = rng.randint(4, size=600), rng.randint(3, size=600)
    effect = np.array([-1.0, -0.3, 0.3, 1.0])[city] + np.array([-0.5, 0.0, 0.5])[plan]
    value = numbers @ [1.2, -0.8, 0.5, 0.0] + effect + rng.logistic(size=600) * 0.6
    table = pd.DataFrame(numbers.round(3).astype(str), columns=list("abcd"))
    table["city"] = np.array(["Bonn", "Kiel", "Ulm", "Trier"])[city]
    table["plan"] = np.array(["basic", "plus", "pro"])[plan]
    return table, np.where(value > 0, "stays", "leaves")


GOOD = [
    "lovely",
    "great",
    "superb",
    "charming",
    "brilliant",
    "delightful",
    "moving",
    "clever",
    "warm",
    "fresh",
]
BAD = [
    "dull",
    "awful",
    "boring",
    "clumsy",
    "dreadful",
    "tedious",
    "weak",
    "stale",
    "cold",
    "messy",
]
FIRST, LAST = ("ba", "de", "ki", "lo", "mu", "na", "po", "ri"), "rlnstk"
OTHERS = [f"{first}{last}" for first in FIRST for last in LAST]


def make_reviews(seed):
    """Return 400 texts: a good or a bad word and six others; 5 % of labels flipped."""
    rng = np.random.RandomState(seed)
    is_good, texts = rng.rand(400) < 0.5, []
    for good in is_good:
        words = [*rng.choice(OTHERS, 6), rng.choice(GOOD if good else BAD)]
        texts.append(" ".join(rng.permutation(words)))
    label = is_good ^ (rng.rand(400) < 0.05)
    return pd.DataFrame({"review": texts}), np.where(label, "good", "bad")


EXAMPLES = {"table": (make_table, ()), "reviews": (make_reviews, ("review",))}


@contextmanager
def processor_clock():
    """Let `compare` measure its limit and its runs in processor time.

    Other programs on the machine then change no plan. The runs must not leave the
    process.
    """
    with (
        patch.object(_comparison_run, "monotonic", time.process_time),
        patch.object(_experiments, "monotonic", time.process_time),
    ):
        yield


def answer_example(name, seed, n_repeats, minutes, random_state):
    """Return what `compare` says of one made data set, as plain values."""
    make, text = EXAMPLES[name]
    table, y = make(seed)
    columns = find_kinds(table, text=[*text], categorical=[], drop=[])
    values, began = read_columns(table, columns), time.process_time()
    with processor_clock():
        found = compare(
            values, y, preprocessor=make_encoder(values), minutes=minutes,
            n_repeats=n_repeats, random_state=random_state,
        )  # fmt: skip
    seconds = time.process_time() - began
    areas = {each["option"]: each["area"] for each in found.table()}
    return {
        "option": found.option, "outcome": found.verdict.outcome,
        "savings": [*found.answer.savings], "areas": areas, "seconds": seconds,
        "repeats": found.effort.n_repeats, "ended by": found.effort.ended_by,
    }  # fmt: skip


def run_examples(results, n_seeds, n_repeats, minutes, cache):
    """Write what `compare` says of made data, seed by seed, and whether it is right."""
    answers = {name: [] for name in EXAMPLES}
    for seed, name in product(range(n_seeds), EXAMPLES):
        setting = name, seed, n_repeats, minutes
        words = "example", *map(str, setting)
        one = stored(cache, words, partial(answer_example, *setting, seed))
        print(f"  {name}, {seed}: {one['outcome']}, {one['option']}", flush=True)
        answers[name].append(one)
    for name, found in answers.items():
        mean = pd.DataFrame([one["areas"] for one in found]).mean()
        share = np.mean([one["savings"][0] for one in found])
        rows = []
        for seed, one in enumerate(found):
            saved, low, high = one["savings"]
            says = one["outcome"]
            is_near = mean.get(one["option"], np.inf) <= mean.min() + 0.01
            is_less = says == "nothing saved" and high < share
            is_more = says == "labels saved" and low > share
            answer = "right" if is_near and not (is_less or is_more) else "wrong"
            rows.append(
                {
                    "example": name, "data": seed, "option": one["option"],
                    "outcome": says, "saved": 100 * saved, "low": 100 * low,
                    "high": 100 * high, "repeats": one["repeats"],
                    "ended by": one["ended by"], "seconds": one["seconds"],
                    "answer": "none" if says == "unclear" else answer,
                }
            )  # fmt: skip
        all_of = [row["answer"] for row in rows]
        counts = {each: all_of.count(each) for each in ("right", "none", "wrong")}
        print(f"  {name}: {counts} of {n_seeds}")
        results.write("compare_examples", rows, key=("example", "data"), runs=1)


def run_own(results, name, n_seeds, n_repeats, cache):
    """Write what each made data set saves by itself, beside the answer on file."""
    answers = [r for r in read(RESULTS, "compare_examples") if r["example"] == name]
    for row in answers[:n_seeds]:
        seed = int(row["data"])
        setting = name, seed, n_repeats, 1.0, 1_000 + seed
        words = "own", name, f"{seed}", f"{n_repeats}"
        one = stored(cache, words, partial(answer_example, *setting))
        saved, low, high = (100 * each for each in one["savings"])
        line = {
            "example": name, "data": seed, "option": one["option"], "saved": saved,
            "low": low, "high": high, "repeats": n_repeats,
            "in the interval of the answer": row["low"] <= saved <= row["high"],
        }  # fmt: skip
        print(f"  {name}, {seed}: {saved:.1f}, {one['option']}", flush=True)
        results.write("compare_own_shares", [line], key=("example", "data"), runs=1)


def draw(out):
    """Draw coverage and centre of each row of the file of results."""
    rows = read(RESULTS, "labels_saved")
    kinds = dict.fromkeys((row["curves"], row["plan"]) for row in rows)
    figure, ((left, right),) = subplots(1, 2, (8, 3.4))
    for i, (curves, plan) in enumerate(kinds):
        of_kind = [r for r in rows if (r["curves"], r["plan"]) == (curves, plan)]
        x = [float(row["saved"]) + (i - len(kinds) / 2) for row in of_kind]
        number = plan if plan == "planned" else f"{plan:.0f} repeat{'s' * (plan != 1)}"
        style = {"label": f"{curves}, {number}", "color": f"C{i}"}
        marker = "s" if curves == "3 + 2" else "o"
        left.plot(x, [float(r["covers"]) for r in of_kind], marker, **style)
        right.plot(x, [float(r["centre"]) for r in of_kind], marker, **style)
    left.axhspan(93, 97, color="0.9", zorder=0)
    left.set(ylabel="interval holds the truth (%)", ylim=(85, 100))
    right.axhspan(-2, 2, color="0.9", zorder=0)
    right.set(ylabel="centre of the estimate − truth (points)")
    for axis in left, right:
        axis.set(xlabel="labels saved in truth (%)", xticks=[0, 30, 60])
    right.legend(
        fontsize="x-small", frameon=False, loc="upper left", bbox_to_anchor=(1, 1)
    )
    save(figure, out)


def main(argv=None):
    args = parse(
        __doc__, argv, {"sets": 3, "seeds": 1, "repeats": 1},
        parts=parts_of(["simulated", "real", "examples", "own"]), sets=1_000, seeds=20,
        repeats=int, minutes=1.75, results=Path, cache=Path, figure=Path,
    )  # fmt: skip
    if args.figure and not args.parts:
        draw(args.figure)
        return
    parts = args.parts or ["simulated", "real", "examples"]
    results = Results(args.results, "evaluation.labels_saved", argv, "0, 1, ...")
    if "simulated" in parts:
        run_simulated(results, args.sets)
    if "real" in parts:
        run_real(results, min(args.sets, 200), args.repeats or 6)
    if "examples" in parts:
        run_examples(results, args.seeds, args.repeats, args.minutes, args.cache)
    if "own" in parts:
        run_own(results, "table", args.seeds, args.repeats or 100, args.cache)


if __name__ == "__main__":
    main()
