"""Testing a finished model with chosen rows, beside as many random ones.

For each set a logistic regression and a forest are trained on 300 rows; of the others,
at most 2,500, some are bought to test with. Nothing is averaged but repetitions.

covers  how often, in %, the 95 % interval holds the mean loss of all test rows
width   of the interval, over that of as many random rows with the usual interval:
        Wilson's for the error, Student's for the log loss and for differences; in
        the mean over sets, less than 0.01 counts as that; for the balanced error,
        over that of the same interval with mix=1

    python -m benchmarks.evaluation.active_test [--splits 4] [--repeats 600]
        [--kinds KIND ...] [--sets SET ...] [--quick]
"""

import time
from functools import partial

import numpy as np
from scipy.special import ndtri, stdtrit
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.options import parse
from benchmarks.problems import news, noise, of_class, raetsch, tumours, uci
from sklearn_activelearn.audit._active_test import RowLosses, surrogate_probabilities
from sklearn_activelearn.utils._statistics import (
    balanced_estimate_with_interval,
    estimate_with_interval,
    loss_sign,
    make_balanced_plan,
    make_plan,
    score_interval,
    score_t_interval,
)

COUNTS = (50, 100, 200)
MIX = 0.25


def rare():
    shape = {"n_samples": 6_000, "n_features": 20, "n_informative": 8}
    return make_classification(
        **shape, weights=[0.9], flip_y=0.05, class_sep=1.2, random_state=0
    )


def ringnorm():
    rng = np.random.RandomState(0)
    y = rng.randint(2, size=4_000)
    X = rng.standard_normal((4_000, 20)) * np.where(y, 1, 2)[:, None]
    return X + y[:, None] / np.sqrt(20), y


SETS = {
    "pima": uci("pima"),
    "german": raetsch("german"),
    "splice": raetsch("splice"),
    "image": raetsch("image"),
    "banana": raetsch("banana"),
    "twonorm": raetsch("twonorm"),
    "ringnorm": ringnorm,
    "covtype, 2": of_class(data.covtype, 2),
    "noise": partial(noise, 4_000),
    "rcv1": news,
    "digits": data.digits,
    "usps": data.usps,
    "covtype": data.covtype,
}
IMBALANCED = {"rare": rare}  # in the tables if it is named
QUICK = {"tumours": tumours}
KINDS = ("error", "balanced error", "log loss", "difference")


class Problem:
    """A split of a set: two models, a surrogate, and the test rows.

    Parameters
    ----------
    X, y : rows and labels
        All of them.
    split : int
        Seed.
    n_train : int
        Rows to train on.
    """

    def __init__(self, X, y, split, n_train):
        order = np.random.RandomState(split).permutation(len(y))
        n_train = min(n_train, len(y) // 3)
        train, test = order[:n_train], order[n_train : n_train + 2_500]
        scaler = StandardScaler(with_mean=isinstance(X, np.ndarray))
        line = make_pipeline(scaler, LogisticRegression(max_iter=1_000))
        forest = RandomForestClassifier(random_state=split)
        known, y_known = X[train], y[train]
        self.models = line.fit(known, y_known), forest.fit(known, y_known)
        self.classes, self.X = line.classes_, X[test]
        self.is_known = np.isin(y[test], self.classes)  # log loss of others: infinite
        self.y = y[test]
        self.chances = surrogate_probabilities(
            None, forest, (known, y_known), self.X, self.classes, split
        )

    def plan(self, kind):
        """Return the plan of a kind of test, and the losses of all rows."""
        models = self.models if kind == "difference" else self.models[:1]
        loss = "log_loss" if kind == "log loss" else "zero_one"
        predictions = RowLosses(models, loss, self.X)
        y = self.y
        if loss == "log_loss" and not self.is_known.all():
            y = np.where(self.is_known, y, self.classes[0])
        table = predictions.table(self.classes)
        sign = loss_sign(table, self.chances)
        losses = sign * predictions.of(np.arange(len(y)), y)
        return make_plan(sign * table, self.chances, MIX), losses

    def balanced_plan(self, mix=MIX):
        """Return the plan for the balanced error, codes of classes, and the error.

        Of the rows of known classes.
        """
        rest = self.is_known
        predictions = RowLosses(self.models[:1], "zero_one", self.X)
        wrong = predictions.table(self.classes)[rest]
        plan = make_balanced_plan(wrong, self.chances[rest], mix)
        codes = np.searchsorted(self.classes, self.y[rest])
        is_wrong = wrong[np.arange(len(codes)), codes]
        error = np.mean([is_wrong[codes == k].mean() for k in np.unique(codes)])
        return plan, codes, error


def orders(plan, n_bought, n, seed):
    """Return what repeated tests buy: a row for each."""
    rng = np.random.RandomState(seed)
    for _ in range(n):
        clocks = rng.standard_exponential(len(plan)) / plan.probabilities
        first = np.argpartition(clocks, n_bought - 1)[:n_bought]
        yield first[np.argsort(clocks[first])]


def usual_interval(losses, kind):
    """Return Wilson's or Student's interval of a random sample."""
    n, mean = len(losses), losses.mean()
    if kind in ("log loss", "difference"):
        half = stdtrit(n - 1, 0.975) * losses.std(ddof=1) / np.sqrt(n)
        return mean - half, mean + half
    return score_interval(mean, ndtri(0.975) ** 2 / n, 0, 1, -1)


def coverage(ends, truth):
    """Return how many intervals hold the truth, and the sum of their widths."""
    low, high = np.transpose([end[-2:] for end in ends])
    return np.array([np.sum((low <= truth) & (truth <= high)), np.sum(high - low)])


def measure(problems, kind, counts, repeats):
    """Return coverage, relative width and the coverage of the usual interval.

    For each of the counts; a test with fewer labels begins like that with the most.
    """
    bought, usual = np.zeros((2, len(counts), 2))
    for seed, problem in enumerate(problems):
        plan, losses = problem.plan(kind)
        mine = list(orders(plan, counts[-1], repeats, seed))
        rng = np.random.RandomState(seed)
        others = [rng.permutation(len(losses))[: counts[-1]] for _ in range(repeats)]
        plain = abs(losses) if losses.max() <= 0 else losses  # without the plan's sign
        for k, n in enumerate(counts):
            bought[k] += coverage(
                (
                    estimate_with_interval(
                        plan, o[:n], losses[o[:n]], 0.95, score_t_interval
                    )
                    for o in mine
                ),
                losses.mean(),
            )
            usual[k] += coverage(
                (usual_interval(plain[o[:n]], kind) for o in others), plain.mean()
            )
    n_tests = repeats * len(problems)
    return np.column_stack(
        [bought[:, 0] / n_tests, bought[:, 1] / usual[:, 1], usual[:, 0] / n_tests]
    )


def measure_balanced(problems, counts, repeats):
    """Return as `measure` does, and the mean labels of the class that has the fewest.

    The usual interval is the same one with mix=1.
    """
    found, fewest = np.zeros((2, len(counts), 2)), np.zeros(len(counts))
    for seed, problem in enumerate(problems):
        for which, mix in enumerate((MIX, 1)):
            plan, codes, error = problem.balanced_plan(mix)
            n_classes = plan.wrong.shape[1]
            for order in orders(plan, counts[-1], repeats, seed):
                for k, n in enumerate(counts):
                    o = order[:n]
                    ends = balanced_estimate_with_interval(plan, o, codes[o], 0.95)
                    found[which, k] += coverage([ends], error)
                    if mix < 1:
                        fewest[k] += np.bincount(codes[o], minlength=n_classes).min()
    n_tests = repeats * len(problems)
    (covers, widths), (usual, others) = np.moveaxis(found, 2, 1)
    return np.column_stack(
        [covers / n_tests, widths / others, usual / n_tests, fewest / n_tests]
    )


def balanced_table(problems, repeats):
    """Print the table of the balanced error."""
    n_tests = repeats * len(next(iter(problems.values())))
    print(f"\nbalanced error at {', '.join(map(str, COUNTS))} labels: covers, width,")
    print("covers with mix=1, labels of the class that has the fewest;")
    print(f"each in {n_tests} repetitions")
    for name, splits in problems.items():
        counts = [n for n in COUNTS if n < 0.6 * len(splits[0].y)]
        cells = [
            f"{100 * covers:6.1f} {width:5.2f} {100 * usual:6.1f} {fewest:5.1f}"
            for covers, width, usual, fewest in measure_balanced(
                splits, counts, repeats
            )
        ]
        print(f"  {name:12}" + " ".join(cells), flush=True)


def table(problems, kind, repeats):
    """Print the table of one kind of test."""
    n_tests = repeats * len(next(iter(problems.values())))
    print(f"\n{kind}: covers and width at {', '.join(map(str, COUNTS))} labels,")
    print(f"each in {n_tests} repetitions")
    results = np.full((len(problems), len(COUNTS), 3), np.nan)
    for k, (name, splits) in enumerate(problems.items()):
        counts = [n for n in COUNTS if n < 0.6 * len(splits[0].y)]
        try:
            results[k, : len(counts)] = measure(splits, kind, counts, repeats)
        except ValueError as error:  # a probability of 0 has no log loss
            print(f"  {name:12} left out: {error}")
            continue
        cells = [f"{100 * c:6.1f} {w:5.2f}" for c, w, _ in results[k]]
        print(f"  {name:12}" + " ".join(cells), flush=True)
    covers, widths, usual = np.moveaxis(results, 2, 0)
    rows = {
        "mean covers": 100 * np.nanmean(covers, axis=0),
        "worst covers": 100 * np.nanmin(covers, axis=0),
        "geom. width": np.exp(np.nanmean(np.log(widths.clip(0.01)), axis=0)),
        "widest": np.nanmax(widths, axis=0),
        "usual, mean covers": 100 * np.nanmean(usual, axis=0),
        "usual, worst covers": 100 * np.nanmin(usual, axis=0),
    }
    for name, values in rows.items():
        print(f"  {name:20}" + " ".join(f"{value:8.2f}" for value in values))


def main():
    args = parse(__doc__, splits=4, repeats=600, kinds=KINDS, sets=SETS | IMBALANCED)
    kinds = args.kinds or KINDS
    sets, n_train = {k: (SETS | IMBALANCED)[k] for k in args.sets or SETS}, 300
    if args.quick:
        sets, n_train, args.splits, args.repeats = QUICK, 60, 1, 2
    print(f"{args.splits} splits, {args.repeats} repetitions of each, seeds 0, 1, ...")
    begun = time.perf_counter()
    problems = {}
    with threadpool_limits(1):
        for name, load in sets.items():
            X, y = load()
            problems[name] = [Problem(X, y, s, n_train) for s in range(args.splits)]
        print(f"{time.perf_counter() - begun:.0f} s for the models and surrogates")
        if "balanced error" in kinds:
            balanced_table(problems, args.repeats)
        for kind in ("error", "log loss", "difference"):
            if kind in kinds:
                table(problems, kind, args.repeats)
    print(f"{time.perf_counter() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
