"""Stopping rules: labels at the stop, what they cost, and whether advice comes true.

Half of each set tests; the other half is the pool, but for 100 rows held out (an
eighth of a small set). A learner buys 400 labels in batches of ten, and all rules judge
along that one run. For each rule, means over sets of means over orders of the rows:

labels   labels where it stops; all 400, or the pool, if it never does
loss     error there minus the error at the end, in points
regret   price of its labels and errors minus that of the best fixed budget for the set,
         known in hindsight, in labels; in brackets the worst set. All errors (error
         rate 1) are worth 1,000, 5,000 or 20,000 labels.

The constants of LabelPrice and of advice were chosen on the sets in CHOSEN_ON, with
other orders; the sets in OTHERS were not looked at.

    python -m benchmarks.evaluation.stopping [--orders 10] [--set NAME] [--quick]
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.special import entr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.evaluation._sets import CHOSEN_ON, OTHERS, part_of
from benchmarks.options import parse
from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.evaluation import advice
from sklearn_activelearn.pool import (
    AllOf,
    ClassificationChange,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    StablePredictions,
    StoppingRule,
)
from sklearn_activelearn.utils._statistics import changes, net_share

SEED = 1000  # of the first order; 0 to 9 were for choosing the constants
BUDGET, N_ASIDE = 400, 100
PRICES = (1_000, 5_000, 20_000)
FIXED = (100, 200, BUDGET)


LEARNER = UncertaintySamplingClassifier(
    LogisticRegression(max_iter=300), measure="margin"
)


class AnyMargin(MarginExhausted):
    """The rule on the margin, for models whose margin is not 1."""

    def check_model(self, model):
        """Take every model."""


@dataclass(frozen=True)
class OverallUncertainty(StoppingRule):
    """Stop when the mean entropy of the class probabilities is small (J. Zhu 2008)."""

    needs = ("predict_proba",)

    def judge(self, progress, memory):
        """Compare with 5 % of the entropy of a guess."""
        probabilities = progress.of_left(progress.model.predict_proba)
        of_a_guess = np.log(probabilities.shape[1])
        share = entr(probabilities).sum(axis=1).mean() / of_a_guess
        return bool(share <= 0.05), memory


@dataclass(frozen=True, kw_only=True, eq=False)
class PriceWithRows(LabelPrice):
    """`LabelPrice` with a net share that labelled, untaught rows correct."""

    rows: tuple

    def _gain(self, progress, before):
        X, y = self.rows
        counts = changes(*(model.predict(X) for model in (before, progress.model)), y)
        return super()._gain(progress, before) / net_share() * net_share(*counts)


def rules_for(aside):
    """Return the rules that are compared, by name; of LabelPrice one for each price."""
    prices = {
        f"LabelPrice, {price:,}": LabelPrice(cost=price, label=1.0) for price in PRICES
    }
    with_rows = {
        f"LabelPrice with rows, {price:,}": PriceWithRows(
            cost=price, label=1.0, rows=aside
        )
        for price in PRICES
    }
    return {
        "MarginExhausted": AnyMargin(),
        "OverallUncertainty": OverallUncertainty(),
        "StablePredictions": StablePredictions(),
        "ClassificationChange": ClassificationChange(),
        "NoNewClass": NoNewClass(),
        "NoError": NoError(),
        "AllOf NoNewClass, StablePredictions": AllOf(
            [NoNewClass(), StablePredictions()]
        ),
        **prices,
        **with_rows,
    }


class Run(NamedTuple):
    """Labels, errors, predictions and stops along one run."""

    n_labels: list  # of each model
    errors: list  # on the test rows
    said: list  # what each model predicts for the rows held out
    truth: np.ndarray  # the labels of these
    stops: dict  # rule: labels


class Watch(StoppingRule):
    """A rule that never stops, and notes where others would.

    Parameters
    ----------
    rules : dict
        By name.
    test, aside : tuple (X, y)
        Rows on which each model is judged.
    """

    needs = ("predict",)

    def __init__(self, rules, test, aside):
        self.rules, self.test, self.aside = rules, test, aside
        self.run = Run([], [], [], aside[1], {})

    def judge(self, progress, memory):
        """Never stop, but note who would."""
        n, before = len(progress.labels), memory or {}
        self.note(n, progress.model)
        now = {}
        for name, rule in self.rules.items():
            if name in self.run.stops or not has_all(progress.model, rule.needs):
                continue
            stop, now[name] = rule.judge(progress, before.get(name))
            if stop:
                self.run.stops[name] = n
        return False, now

    def note(self, n, model):
        """Write down how good a model is."""
        X, y = self.test
        self.run.n_labels.append(n)
        self.run.errors.append(np.mean(model.predict(X) != y))
        self.run.said.append(model.predict(self.aside[0]))


def has_all(model, methods):
    return all(hasattr(model, method) for method in methods)


def run_once(learner, X, y, seed, args):
    """Return what happened with one order of the rows."""
    n = X.shape[0]
    order = np.random.RandomState(seed).permutation(n)
    n_aside = min(args.aside, n // 8)
    test, aside, pool = np.split(order, [n // 2, n // 2 + n_aside])
    aside = X[aside], y[aside]
    watch = Watch(rules_for(aside), (X[test], y[test]), aside)
    learner = clone(learner).set_params(
        budget=args.budget, batch_size=10, random_state=seed
    )
    learner.set_params(stopping=watch).fit(X[pool], y[pool])
    if learner.n_queries_ > watch.run.n_labels[-1]:
        watch.note(learner.n_queries_, learner)
    return watch.run


def error_at(run, n):
    """Return the error of a run with `n` labels, or with all labels that it bought."""
    return run.errors[np.searchsorted(run.n_labels, min(n, run.n_labels[-1]))]


def costs(runs, stops, price):
    """Return the cost in labels of each run that ends at its stop."""
    pairs = zip(runs, stops, strict=True)
    return [price * error_at(run, n) + min(n, run.n_labels[-1]) for run, n in pairs]


def judged(runs, name):
    """Return where a rule ends each run."""
    if isinstance(name, int):
        return [name] * len(runs)
    return [run.stops.get(name, run.n_labels[-1]) for run in runs]


def best_fixed(runs, price):
    """Return the cost of the best fixed budget, and that budget."""
    points = max((run.n_labels for run in runs), key=len)
    return min((np.mean(costs(runs, [n] * len(runs), price)), n) for n in points)


def line(name, results):
    """Print what a rule, or a fixed budget, comes to."""
    means = []
    for runs in results.values():
        stops = judged(runs, name)
        losses = [
            error_at(r, n) - r.errors[-1] for r, n in zip(runs, stops, strict=True)
        ]
        regrets = [
            np.mean(costs(runs, stops, price)) - best_fixed(runs, price)[0]
            for price in PRICES
        ]
        n = np.mean([min(n, r.n_labels[-1]) for r, n in zip(runs, stops, strict=True)])
        means.append([n, 100 * np.mean(losses), *regrets])
    means = np.array(means)
    mean, worst = means.mean(axis=0), means.max(axis=0)
    cells = [f"{m:6.0f} ({w:4.0f})" for m, w in zip(mean[2:], worst[2:], strict=True)]
    own = [f"{price:,}" in str(name) for price in PRICES]
    if any(own):  # the regret at its own price only
        cells = [
            c if is_own else " " * 13 for c, is_own in zip(cells, own, strict=True)
        ]
    title = f"{name} labels" if isinstance(name, int) else name
    print(f"  {title:36}{mean[0]:6.0f} {mean[1]:6.1f}  {' '.join(cells)}", flush=True)


def table(title, results, model):
    """Print a line for each rule."""
    if not results:
        return
    print(f"\n{title}, {len(results)} sets")
    prices = "".join(f"{f'regret {price:,}':>14}" for price in PRICES)
    print(f"  {'':36}labels   loss {prices}")
    rules = rules_for(None)
    names = [name for name, rule in rules.items() if has_all(model, rule.needs)]
    for name in [*FIXED, *names]:
        line(name, results)
    for price in PRICES:
        best = {name: best_fixed(runs, price)[1] for name, runs in results.items()}
        print(f"  best fixed budgets, {price:,}: {best}")


def advised(results, ahead):
    """Print how often the gain that came true lies in the interval of the advice."""
    holds, widths, by_set = [], [], []
    for runs in results.values():
        own = []
        for run in runs:
            for n in (60, 100, 150, 200, 300):
                is_early = n < max(ahead, 2 * run.n_labels[0])
                if is_early or not {n, n + ahead} <= {*run.n_labels}:
                    continue
                last = run.n_labels.index(n) + 1
                history = zip(run.n_labels[:last], run.said[:last], strict=True)
                gain = advice(list(history), run.truth, n_labels=ahead).gain
                true = error_at(run, n) - error_at(run, n + ahead)
                own.append(gain.low <= true <= gain.high)
                widths.append(100 * (gain.high - gain.low))
        holds += own
        by_set += [np.mean(own)] if own else []
    if holds:
        print(
            f"  next {ahead:3} labels: {np.mean(holds):.3f} of {len(holds)} intervals "
            f"hold, worst set {min(by_set):.2f}, median width {np.median(widths):.1f} "
            "points"
        )


def net_shares(results):
    """Print how many of the changed predictions were for the better, net."""
    for low, high in ((60, 100), (110, 200), (210, BUDGET)):
        shares = []
        for runs in results.values():
            n_changed = n_net = 0
            for run in runs:
                pairs = combinations(zip(run.n_labels, run.said, strict=True), 2)
                for (n, before), (n_now, now) in pairs:
                    if n_now == n + 50 and low <= n_now <= high:
                        n_changed += np.sum(before != now)
                        n_net += np.sum(now == run.truth)
                        n_net -= np.sum(before == run.truth)
            shares += [n_net / n_changed] if n_changed else []
        if shares:
            quarter, middle, last = np.quantile(shares, [0.25, 0.5, 0.75])
            print(
                f"  50 labels up to {low:3} to {high:3}: {middle:.2f} of the changes "
                f"net for the better, in half of the sets {quarter:.2f} to {last:.2f}"
            )


def main():
    args = parse(__doc__, orders=10, aside=N_ASIDE, set=CHOSEN_ON | OTHERS)
    args.budget, sets = BUDGET, args.set or CHOSEN_ON | OTHERS
    if args.quick:
        args.orders, args.budget, sets = 1, 120, ["tumours", "eights"]
    print(
        f"{args.budget} labels, {args.orders} orders from seed {SEED}, at most "
        f"{args.aside} rows held out"
    )
    results = {}
    for name in sets:
        X, y = part_of(*{**CHOSEN_ON, **OTHERS}[name]())
        if isinstance(X, np.ndarray):
            X = StandardScaler().fit_transform(X)
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)
            results[name] = [
                run_once(LEARNER, X, y, SEED + order, args)
                for order in range(args.orders)
            ]
    for which, group in (("chosen on", CHOSEN_ON), ("others", OTHERS)):
        of_group = {name: runs for name, runs in results.items() if name in group}
        table(which, of_group, LEARNER.estimator)
        for ahead in (10, 50, 100):
            advised(of_group, ahead)
        net_shares(of_group)


if __name__ == "__main__":
    main()
