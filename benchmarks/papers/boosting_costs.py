"""Wang, Song & Zhang (2009): the cost while labels come in, and the time, Figures 1, 5.

Figure 1: the cost C_{S_n} of ASSL-Boost, which begins again for each label, over all
its steps (every fifth is written) and at the end of each training, and that of
FASSL-Boost, which goes on.
Figure 5: processor seconds until a number of labels was bought, for QBB, COMB and
FASSL-Boost, the median of some rounds in turn; a learner's time does not end with its
last purchase but with the training on it. Twonorm, a pool of 400 rows, decision stumps.

    python -m benchmarks.papers.boosting_costs [--rounds 5] [--results DIR] [--quick]
"""

from pathlib import Path
from time import process_time

import numpy as np
from sklearn.base import clone

from benchmarks.options import at_least, parse
from benchmarks.provenance import recorded
from benchmarks.results import Results
from sklearn_activelearn import (
    ASSLBoostClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    QueryByBoostingClassifier,
)
from sklearn_activelearn.datasets import make_twonorm
from sklearn_activelearn.pool.boosting._committee import UNLABELLED, BoostingCost

SEED = 0
ALL_STEPS = "ASSL-Boost, all steps"
EVERY = 5
TIMED = {
    "QBB": QueryByBoostingClassifier(),
    "COMB": COMBClassifier(),
    "FASSL": FASSLBoostClassifier(),
}


def costs_in_steps(learner, X, y):
    """Return the cost after each step of all committees that ASSL-Boost makes."""
    labels, costs = np.full(len(y), UNLABELLED), []

    def look():
        cost = BoostingCost(labels, learner.alpha)
        stages = learner.estimator_.staged_decision_function(X)
        costs.extend(cost(scores) for scores in stages)

    def oracle(rows):
        if np.any(labels != UNLABELLED):
            look()
        labels[rows] = y[rows]
        return y[rows]

    learner.learn(X, oracle, classes=[-1, 1])
    look()
    return costs


def costs(X, y, first, last):
    """Return Figure 1 as rows."""
    params = {"n_initial": first, "budget": last, "random_state": SEED}
    again = ASSLBoostClassifier(**params)
    steps = costs_in_steps(again, X, y)
    grown = FASSLBoostClassifier(**params).fit(X, y)
    curves = {
        ALL_STEPS: steps,
        "ASSL-Boost, last step of each training": again.cost_curve_,
        "FASSL-Boost": grown.cost_curve_,
    }
    return [
        {"curve": name, "position": position, "cost": float(cost)}
        for name, curve in curves.items()
        for position, cost in enumerate(curve, 1)
        if name != ALL_STEPS or position % EVERY == 0
    ]


def seconds_of(learner, X, y, counts):
    """Return the processor seconds until each number of labels was there, and used."""
    learner, found = clone(learner), []
    learner.set_params(n_initial=counts[0], budget=counts[-1], random_state=SEED)
    started = process_time()

    def oracle(rows):
        if learner.n_queries_ in counts:
            found.append(process_time() - started)
        return y[rows]

    learner.learn(X, oracle, classes=[-1, 1])
    return [*found, process_time() - started]


def times(X, y, counts, n_rounds):
    """Return Figure 5 as rows, and as rows of single rounds."""
    rounds = [
        [seconds_of(learner, X, y, counts) for learner in TIMED.values()]
        for _ in range(n_rounds)
    ]

    def rows(found):
        return [
            {"method": name, "labels": count, "seconds": float(at)}
            for name, seconds in zip(TIMED, found, strict=True)
            for count, at in zip(counts, seconds, strict=True)
        ]

    each = [{**row, "run": run} for run, one in enumerate(rounds) for row in rows(one)]
    return rows(np.median(rounds, axis=0)), each


def main(argv=None):
    args = parse(__doc__, argv, rounds=at_least(1, 5), results=Path)
    n_rows, first, last, counts = 400, 20, 120, list(range(20, 321, 20))
    if args.quick:
        n_rows, first, last, counts, args.rounds = 100, 10, 20, [10, 20, 30], 1
    results = Results(args.results, "boosting_costs", argv, SEED)
    X, y = recorded(make_twonorm)(n_rows, random_state=SEED)
    key = ["curve", "position"]
    results.write("boosting_figure_1", costs(X, y, first, last), key=key, runs=1)
    rows, each = times(X, y, counts, args.rounds)
    key = ["method", "labels"]
    results.write("boosting_figure_5", rows, key=key, runs=args.rounds, each=each)


if __name__ == "__main__":
    main()
