"""Boosting learners: time to learn from 20 to 200 labels, as ratios to FASSL-Boost.

The paper's Figure 5: twonorm, decision stumps, T = 20 members for QBB and COMB, one
query for each label, pools of 400 rows (the paper's) and more. All learners share one
loop, which is timed too: `random` buys the same number of labels and trains once. A
step is the boosting of one member on the whole pool.

If only steps took time, COMB would take T = 20 times as long as FASSL-Boost, which
takes one step for a label. QBB boosts the labelled rows only, so it would take T times
the mean share of the pool that is labelled, given beside its ratio. COMB with one
member takes one step, too: the difference between both committees is the time of T - 1
steps, and what is left of a query is everything else. The goals are for 400 rows. All
but a toy run write the table to docs/results/boosting_speed.csv: processor time,
medians, and medians of the ratios of each round.

    python -m benchmarks.speed.boosting [--rounds 5] [--quick]
"""

from functools import partial
from time import process_time

from sklearn.naive_bayes import GaussianNB

from benchmarks.speed import _results
from benchmarks.speed._interleave import interleaved, main
from sklearn_activelearn import (
    COMBClassifier,
    FASSLBoostClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
)
from sklearn_activelearn.datasets import make_twonorm

T, FIRST, LAST = 20, 20, 200
LEARNERS = {
    "FASSL": FASSLBoostClassifier(),
    "COMB": COMBClassifier(n_estimators=T),
    "COMB, one member": COMBClassifier(n_estimators=1),
    "QBB": QueryByBoostingClassifier(n_estimators=T),
    "random": PassiveClassifier(GaussianNB()),
}
GOALS = {"COMB": 6, "QBB": 4}
HEAD = ["pool", "learner", "ms a query", "to FASSL", "by steps alone", "goal"]


def report(n_rows, last, rounds):
    """Return the lines of one size of the pool."""
    X, y = make_twonorm(n_rows, random_state=0)
    for learner in LEARNERS.values():
        learner.set_params(n_initial=FIRST, budget=last, random_state=0)
    calls = {name: partial(learner.fit, X, y) for name, learner in LEARNERS.items()}
    timings = interleaved(calls, rounds, clock=process_time)
    share = (FIRST + last) / 2 / n_rows
    bounds = {"COMB": T, "COMB, one member": 1, "QBB": T * share}
    lines, per_query = [], 1e3 / (last - FIRST)
    for name, timing in timings.items():
        ratio = timing.ratio(timings["FASSL"])
        goal = f">= {GOALS[name]}" if n_rows == 400 and name in GOALS else ""
        lines.append([
            f"{n_rows:,} x {X.shape[1]}",
            name,
            _results.rounded(timing.median * per_query),
            _results.rounded(ratio),
            _results.rounded(bounds[name]) if name in bounds else "",
            goal,
        ])  # fmt: skip
    return lines


def benchmark(quick, rounds):
    lines, last = [], 40 if quick else LAST
    for n_rows in (100,) if quick else (400, 2000, 10_000):
        lines += report(n_rows, last, min(rounds, 5 if n_rows < 5000 else 3))
    _results.write("boosting_speed.csv", HEAD, lines, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
