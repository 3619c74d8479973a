"""Other ways to choose a model than ALMS of Ali et al. (2014), beside ALMS.

Every method buys labels, the same 10 random ones first; every choice takes one of 21
penalties (lambda / 2 |w|^2 beside the mean of the losses) at each number of labels. All
pairs of the two are scored. Uncertainty sampling asks the model that cross-validation
chooses; no other purchase depends on the choice. "Free" choices validate on random rows
of the pool that cost nothing, and "best" on the test set: what no validation set can
beat. The areas are those of `alms`, less the area of a method with cross-validation on
the same trial. Three data sets are those that the ideas were tried on first; the others
were held out.

    python -m benchmarks.evaluation.alms_ideas [--trials 15] [--problem heart]
        [--method ALMS] [--cache DIR] [--results DIR] [--quick]
"""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.papers import alms
from benchmarks.papers._alms_purchases import (
    GRID,
    MODEL,
    Labelled,
    best,
    losses_of,
    utility,
)
from benchmarks.papers.alms import ALMSVariant
from benchmarks.provenance import recorded
from benchmarks.results import Results, stored
from sklearn_activelearn.pool import Known
from sklearn_activelearn.pool._selection import draw_rows, ranked_purchase
from sklearn_activelearn.pool._training import EPS
from sklearn_activelearn.pool.alms._alms import TRAIN, VALIDATION, in_turn

#: The first trial of each group of data sets.
FIRST = {"developed": 2000, "held out": 3000}
DEVELOPED = ("heart", "votes", "ionosphere")

#: Found on the developed sets: a penalty for all, as a logarithm, and how far from it.
LOG2 = np.log2(GRID["lam"])
PENALTY, SPREAD = -4, 2

#: Labels of random rows, the same for all methods.
INITIAL = 10

#: What buys the rows, and how many of 100 are random ones all the same.
MIXED = {"random": ("random", 100)} | {
    kind + (f", {share} % random" if share else ""): (kind, share)
    for kind in ("uncertainty", "QBC")
    for share in (0, 10, 20, 33)
}

#: Options of ALMS, and which share of the later labels may validate, at most.
BOUNDED = {
    "ALMS": ({}, 1),
    "ALMS, V <= 1/3": ({}, 1 / 3),
    "ALMS, V <= 0": ({}, 0),
    "ALMS, T=.1, V <= 0": ({"temperature": 0.1}, 0),
    "ALMS, expected": ({"label": "expected"}, 1),
    "ALMS, expected, V <= 0": ({"label": "expected"}, 0),
    "ALMS, expected, T=.1, V <= 0": ({"label": "expected", "temperature": 0.1}, 0),
}


class BoundedALMS(ALMSVariant):
    """ALMS that begins with the rows `first`; V gets no more than the share `bound`."""

    def _select_without_model(self, round):
        bought = draw_rows(round.rows, round.n_wanted, round.seed)
        if self.n_queries_ == 0:
            bought = bought._replace(rows=self.first)
        return in_turn(bought, self.n_queries_)

    def _select(self, round):
        later = self.allocation_[INITIAL:] == VALIDATION
        if later.sum() + 1 <= self.bound * (len(later) + 1):
            return super()._select(round)
        rng = np.random.default_rng(round.seed)
        offered = rng.permutation(round.rows)[: self.n_candidates]
        values, _ = self._make_trainer().values_of_information(
            Known.of(self), round.X[offered], self.n_pairs, rng
        )
        best = [values.argmax()]
        return ranked_purchase(offered[best], values[best], TRAIN)


METHODS = (*MIXED, *BOUNDED)
REFERENCES = ("random", "uncertainty", "QBC")

#: How many rows validate for nothing.
FREE = (10, 20, 40)


@recorded
def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, 2 * y - 1


def raetsch(name):
    return data.raetsch(name)[:2]


LOAD = {
    **alms.LOAD,
    **{
        name: partial(raetsch, name)
        for name in ("german", "image", "splice", "twonorm", "flare-solar")
    },
    "breast_cancer": breast_cancer,
}


def choices(pool, known, is_random, is_validation, free):
    """Return the weights of the models for each choice."""
    crossed = losses_of(known.sign, known.cross_validated())
    one_by_one = losses_of(known.sign, known.held_out(np.arange(len(known.sign))))
    prior = ((LOG2 - PENALTY)[:, None] / SPREAD) ** 2 / 2
    found = {
        "cross-validation": best(crossed),
        "validation set": best(crossed),  # while the others are of one class
        "random rows": best(one_by_one, is_random),
        "random rows weigh 4": best(crossed, 1 + 3 * is_random),
        "one penalty": best((LOG2 - PENALTY)[:, None] ** 2),
        "cross-validation, prior": best(np.hstack([crossed, prior])),
        "best": best(losses_of(pool.sign_test, known.in_test)),
    }
    if len(np.unique(known.sign[~is_validation])) > 1:
        margins = known.without(np.flatnonzero(is_validation))[:, : len(known.sign)]
        losses = losses_of(known.sign, margins)
        found["validation set"] = best(losses, is_validation)
    for n in FREE:
        losses = losses_of(pool.sign[free[:n]], known.in_pool[:, free[:n]])
        found[f"{n} free"] = best(losses)
        found[f"cross-validation, {n} free"] = best(np.hstack([crossed, losses]))
    weights = {name: np.eye(len(LOG2))[model] for name, model in found.items()}
    return weights | {"pseudo-BMA": softmax(-one_by_one.sum(axis=1))}


def curves(method, pool, counts, seed):
    """Return the scores of each choice at each number of labels, and V's share."""
    rng = np.random.default_rng((alms.SEED, seed))
    order = rng.permutation(len(pool.X))
    while np.abs(pool.sign[order[:INITIAL]].sum()) > INITIAL - 4:  # two of each class
        order = rng.permutation(len(pool.X))
    first, free = order[:INITIAL], order[::-1]
    if method in MIXED:
        rows, is_random = mixed(method, pool, first, counts[-1], rng)
    else:
        rows, is_random = by_alms(method, pool, first, counts[-1], seed)
    is_validation = is_random.copy()
    is_validation[:INITIAL:2] = False
    scores = {}
    for n in counts:
        known = Labelled(pool, rows[:n])
        unknown = free[~np.isin(free, rows[:n])]
        parts = is_random[:n], is_validation[:n]
        for name, weights in choices(pool, known, *parts, unknown).items():
            p = weights @ expit(known.in_test * pool.sign_test)
            loss = -np.log(np.maximum(p, EPS)).mean()
            scores.setdefault(name, []).append([np.mean(p > 0.5), loss])
    return {"scores": scores, "random": float(is_random[INITIAL:].mean())}


def trial(problem, rows, method, number, counts, folder):
    """Run a method once, or read what it found."""

    def compute():
        X, y, X_test, y_test = alms.split(*rows, number)
        sign = {"sign": 1.0 * y, "sign_test": 1.0 * y_test}
        pool = SimpleNamespace(X=X, X_test=X_test, **sign)
        return curves(method, pool, counts, number)

    return stored(folder, (problem, method, counts[-1], number), compute)


def differences(found, counts):
    """Return a row for each method and choice: what the area gains over references.

    Parameters
    ----------
    found : list of dict
        For each data set the trials of each method. The row is of the mean of the sets.
    counts : list of int
        Numbers of labels.
    """

    def areas(trials, choice):
        scores = [one["scores"][choice] for one in trials]
        return np.trapezoid(scores, counts, axis=1) / (counts[-1] - counts[0])

    rows = []
    for method, trials in found[0].items():
        share = np.mean([each["random"] for one in found for each in one[method]])
        for choice in trials[0]["scores"]:
            row = {"method": method, "choice": choice, "random_share": share}
            for reference in REFERENCES:
                mean = error = np.full(2, np.nan)
                if reference in found[0]:
                    gains = [
                        areas(one[method], choice)
                        - areas(one[reference], "cross-validation")
                        for one in found
                    ]
                    mean = np.mean([gain.mean(axis=0) for gain in gains], axis=0)
                    variances = [gain.var(axis=0, ddof=1) / len(gain) for gain in gains]
                    error = np.sqrt(np.sum(variances, axis=0)) / len(gains)
                for k, name in enumerate(("accuracy", "log_loss")):
                    row[f"{name}_over_{reference}"] = mean[k]
                    row[f"{name}_over_{reference}_error"] = error[k]
            rows.append(row)
    return rows


def mixed(method, pool, first, n_labels, rng):
    """Buy rows of the highest utility and random ones; say which these are."""
    kind, share = MIXED[method]
    rows, is_random = list(first), [True] * len(first)
    while len(rows) < n_labels:
        left = np.setdiff1d(np.arange(len(pool.X)), rows)
        is_random.append(bool(rng.integers(100) < share))
        row = rng.choice(left)
        if not is_random[-1]:
            row = left[utility(kind, Labelled(pool, rows), left, rng).argmax()]
        rows.append(row)
    return np.array(rows), np.array(is_random)


def by_alms(method, pool, first, n_labels, seed):
    """Buy rows as ALMS does, but draw validation rows at random."""
    options, bound = BOUNDED[method]
    learner = BoundedALMS(MODEL, param_grid=GRID, **alms.SIZES)
    learner.set_params(n_initial=len(first), budget=n_labels, random_state=seed)
    vars(learner).update(options, first=first, bound=bound)
    learner.fit(pool.X, pool.sign)
    is_random = learner.allocation_ == VALIDATION
    is_random[: len(first)] = True
    return learner.queried_indices_, is_random


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        trials=at_least(2, 15),
        problem=LOAD,
        method=METHODS,
        labels=at_least(INITIAL + alms.EVERY, 50),
        cache=Path,
        results=Path,
    )
    load, methods = LOAD, args.method or METHODS
    if args.quick:
        load, args.labels, args.trials = {"heart": alms.toy}, 15, 2
        args.problem, methods = None, ("random", "uncertainty", METHODS[-1])
    counts = list(range(INITIAL, args.labels + 1, alms.EVERY))
    for group, first in FIRST.items():
        numbers = range(first, first + args.trials)
        seeds = f"{first} to {numbers[-1]}"
        results_to = Results(args.results, "evaluation.alms_ideas", argv, seeds)
        found = {}
        for problem in args.problem or load:
            if (problem in DEVELOPED) == (group == "developed"):
                rows = load[problem]()
                found[problem] = {
                    method: [
                        trial(problem, rows, method, number, counts, args.cache)
                        for number in numbers
                    ]
                    for method in methods
                }
        if found:
            table = differences(list(found.values()), counts)
            setting = {"group": group, "sets": len(found), "labels": counts[-1]}
            table = [{**setting, **row} for row in table]
            key = ("group", "labels", "method", "choice")
            results_to.write("alms_validation_ideas", table, key=key, runs=args.trials)


if __name__ == "__main__":
    main()
