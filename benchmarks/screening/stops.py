"""Stops of `RecallTarget`: how often below the target, and after how many rows.

Rankings are those of `benchmarks.screening.rankings`, and two of other kinds:

model    the order in which the model asked
random   a random order; the estimate is what was found, times the rows unread per read
late     that of the model, but 15 % of the relevant rows, three at least, have changed
         places with a block of others, somewhere in the last 40 % of the order: a
         group that the model takes for irrelevant

A run is one order and one draw of the random rows. The audit is judged after each row,
the test after each 5 % more rows, the sample after each row. The sample has as many
random rows as hold 80 relevant ones in the mean, and is used where there are 200.

    python -m benchmarks.screening.stops --rankings FOLDER [--results stops.csv]
        [--summary FILE] [--draws 5] [--quick]

--results gets a row for each run, and is read without --rankings; --summary gets, for
each kind, method and set of tasks: runs, the share of them below the target, the share
of the rows read, that beyond the row where the target was reached, and that beyond
where the hypergeometric test stops on the same order.
"""

from collections.abc import Iterator
from itertools import product
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from benchmarks.options import parse
from benchmarks.results import append_run, command_of, read_runs, write_table
from benchmarks.screening import rankings, tasks
from sklearn_activelearn.utils._statistics import (
    Reads,
    is_audit_due,
    least_bad_total,
    log_evidence,
)
from sklearn_activelearn.utils.typing import Bools

#: Target of the rules, and the probability of missing it.
RECALL, ALPHA = 0.95, 0.05
#: Relevant rows that the random sample of a stopping rule is to hold.
IN_SAMPLE = 80
KINDS = ("model", "random", "late")
METHODS = ("audit", "hypergeometric", "sample")
SUMMARY = (
    "tasks",
    "ranking",
    "method",
    "runs",
    "below",
    "read",
    "beyond the target",
    "beyond the test",
)


class Stop(NamedTuple):
    """One run of one method."""

    task: str
    order: int
    draw: int
    kind: str
    method: str
    rows: int
    relevant: int
    read: int  # rows at the stop
    found: int  # relevant ones of these
    read_target: int  # rows of the ranking at which the target was reached
    ranked: int  # rows before the audit

    @property
    def is_below(self):
        """Return whether the target was missed."""
        return self.found < RECALL * self.relevant - 1e-9


class Order(NamedTuple):
    """Rows in the order in which a model asks, and what it expects on the way."""

    y: np.ndarray
    n_read: np.ndarray
    probabilities: list

    def expected(self, n_read, is_read):
        """Return how many relevant rows are unread, by the last estimate."""
        k = int(np.searchsorted(self.n_read, n_read, side="right")) - 1
        if k < 0:
            return np.inf
        return self.probabilities[k][~is_read[self.n_read[k] :]].sum()


class RandomOrder(NamedTuple):
    """Rows in a random order."""

    y: np.ndarray

    def expected(self, n_read, is_read):
        """Return how many relevant rows are unread, if the others are like these."""
        return self.y[:n_read].mean() * (len(self.y) - n_read)


def order_of(ranking, kind, rng):
    """Return the order of one kind that a ranking gives."""
    y = ranking.y
    if kind == "random":
        return RandomOrder(rng.permutation(y))
    if kind == "late":
        y, n = y.copy(), len(y)
        relevant = np.flatnonzero(y)
        n_late = max(3, round(0.15 * len(relevant)))
        late = rng.choice(relevant, n_late, replace=False)
        start = rng.integers(int(0.6 * n), n - n_late)
        y[late] = False
        y[np.flatnonzero(~y[start:])[:n_late] + start] = True
    return Order(y, ranking.n_read, ranking.probabilities)


def audit_stop(order, rng):
    """Return rows and relevant rows at the stop, and rows before the audit."""
    y, n = order.y, len(order.y)
    is_read = np.zeros(n, dtype=bool)
    for begin in looks(n):
        is_read[:begin] = True
        found = int(y[:begin].sum())
        n_since = int(np.argmax(np.append(y[:begin][::-1], True)))
        if found and is_audit_due(
            found, order.expected(begin, is_read), n_since, n, RECALL
        ):
            break
    else:
        return n, int(y.sum()), n
    drawn = rng.permutation(y[begin:])
    relevant = np.concatenate([y[:begin], drawn])
    is_drawn = np.arange(n) >= begin

    def is_certain(n_read):
        total = least_bad_total(int(relevant[:n_read].sum()), RECALL)
        if total - relevant[:n_read].sum() > n - n_read:
            return True
        reads = Reads(relevant[:n_read], is_drawn[:n_read], n)
        return log_evidence(reads, total, RECALL) >= log(1 / ALPHA)

    low = begin
    for high in [*(np.flatnonzero(drawn) + begin), n]:
        if is_certain(high):  # before the next relevant row
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if is_certain(middle) else (middle + 1, high)
            return low, int(relevant[:low].sum()), begin
        low = high + 1
    return n, int(y.sum()), begin


def hypergeometric_p(relevant: Bools, n_rows: int, recall: float) -> float:
    """Return the p-value of a missed recall, for rows read as if at random [1]_.

    From each relevant row on, the rows read since are taken for a random sample of the
    rows that were unread then; the smallest p-value counts.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each row that was read is relevant, in order.
    n_rows : int
        Number of rows of the collection.
    recall : float
        The target.

    References
    ----------
    .. [1] M. W. Callaghan, F. Müller-Hansen, "Statistical Stopping Criteria for
       Automated Screening in Systematic Reviews", Systematic Reviews 9:273, 2020.
    """
    n_read = len(relevant)
    (hits,) = np.nonzero(relevant)
    starts = np.append(0, hits + 1)
    starts = starts[starts < n_read]
    found = np.arange(len(starts))  # before each start
    missed = least_bad_total(len(hits), recall) - found
    n_left, n_since = n_rows - starts, n_read - starts
    is_possible = missed <= n_left
    if not len(starts):
        return 1.0
    if not is_possible.any():
        return 0.0
    p = hypergeometric_cdf(
        len(hits) - found, n_left, np.minimum(missed, n_left), n_since
    )
    return float(np.where(is_possible, p, 0.0).min())


def hypergeometric_cdf(counts, n_rows, n_relevant, n_drawn):
    """Return the distribution functions of many hypergeometric distributions."""
    k = np.arange(counts.max() + 1)[:, None]
    n_others = n_rows - n_relevant
    is_in = (k <= counts) & (k <= n_relevant) & (k <= n_drawn)
    is_in &= n_drawn - k <= n_others
    k = np.where(is_in, k, 0)
    others = np.where(is_in, n_drawn - k, 0)
    factorials = gammaln(np.arange(n_rows.max() + 1) + 1)

    def log_choose(n, some):
        return factorials[n] - factorials[some] - factorials[n - some]

    logs = log_choose(n_relevant, k) + log_choose(n_others, others)
    logs = logs - log_choose(n_rows, n_drawn)
    return np.exp(np.where(is_in, logs, -np.inf)).sum(axis=0).clip(max=1.0)


def rank_in_sample(n_relevant: int, recall: float, alpha: float) -> int | None:
    """Return the number of relevant rows of a sample to be read for a recall [1]_.

    It is the smallest j with P(Bin(n_relevant, recall) <= j - 1) >= 1 - alpha: then
    fewer than j of them lie among the first share `recall` of all relevant rows.

    Parameters
    ----------
    n_relevant : int
        Number of relevant rows of the random sample.
    recall, alpha : float
        The target, and the probability of missing it.

    Returns
    -------
    rank : int or None
        None if the sample has too few relevant rows.

    References
    ----------
    .. [1] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021.
    """
    j = np.arange(1, n_relevant + 1)
    is_enough = binom.cdf(j - 1, n_relevant, recall) >= 1 - alpha
    return int(j[np.argmax(is_enough)]) if is_enough.any() else None


def looks(n_rows: int) -> Iterator[int]:
    """Yield the numbers of rows read at which a learner would ask for more."""
    n_read = 20
    while n_read < n_rows:
        yield n_read
        n_read += max(10, n_read // 20)


def hypergeometric_stop(relevant: Bools, recall: float, alpha: float) -> int:
    """Return the rows read at the stop of the hypergeometric test.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_rows,)
        Whether each row is relevant, in the order of reading.
    recall, alpha : float
        Target and level of the test.
    """
    n = len(relevant)
    for n_read in looks(n):
        known = relevant[:n_read]
        if known.any() and hypergeometric_p(known, n, recall) < alpha:
            return n_read
    return n


def sample_stop(
    relevant: Bools, recall: float, alpha: float, rng: np.random.Generator
) -> tuple[int, Bools] | None:
    """Return the stop of the quantile rule; None: the sample has too few relevant rows.

    Parameters
    ----------
    relevant, recall, alpha
        As for `hypergeometric_stop`.
    rng : Generator
        Draws the sample.

    Returns
    -------
    n_ranked : int
        Rows read in the order of the ranking.
    is_read : ndarray of bool of shape (n_rows,)
        Rows read by then, with the rows of the sample.
    """
    n = len(relevant)
    is_read = np.zeros(n, dtype=bool)
    n_sample = min(n, round(IN_SAMPLE / relevant.mean()))
    is_read[rng.choice(n, n_sample, replace=False)] = True
    j = rank_in_sample(int((relevant & is_read).sum()), recall, alpha)
    if j is None:
        return None
    n_ranked = int(np.flatnonzero(relevant & is_read)[j - 1]) + 1
    is_read[:n_ranked] = True
    return n_ranked, is_read


def stops_of(file, draws):
    """Yield the stops of all methods on one ranking."""
    task, number = file.stem.rsplit("_", 1)
    ranking = rankings.read(file)
    for k, kind in enumerate(KINDS):
        for draw in range(draws):
            rng = np.random.default_rng((int(number), k, draw))
            order = order_of(ranking, kind, rng)
            y = order.y
            reached = np.searchsorted(np.cumsum(y), np.ceil(RECALL * y.sum() - 1e-9))
            about = task, int(number), draw, kind
            sizes = len(y), int(y.sum())
            read, found, ranked = audit_stop(order, rng)
            end = int(reached) + 1
            yield Stop(*about, "audit", *sizes, read, found, end, ranked)
            if kind != "model" or draw == 0:  # the same in all draws
                read = hypergeometric_stop(y, RECALL, ALPHA)
                found = int(y[:read].sum())
                yield Stop(*about, "hypergeometric", *sizes, read, found, end, read)
            if y.sum() >= 200 and (stop := sample_stop(y, RECALL, ALPHA, rng)):
                # the claim is about the rows of the ranking alone
                ranked, is_read = stop
                read, found = int(is_read.sum()), int(y[:ranked].sum())
                yield Stop(*about, "sample", *sizes, read, found, end, ranked)


def summary(stops):
    """Return a row for each kind of ranking, method and set of tasks."""
    tests = {
        (s.task, s.order, s.kind, s.draw): s.read / s.rows
        for s in stops
        if s.method == "hypergeometric"
    }
    tasks = {"all": stops, "200 or more": [s for s in stops if s.relevant >= 200]}
    for task in sorted({s.task for s in stops}):
        tasks[task] = [s for s in stops if s.task == task]
    rows = []
    for (name, of_tasks), kind, method in product(tasks.items(), KINDS, METHODS):
        some = [s for s in of_tasks if (s.kind, s.method) == (kind, method)]
        if not some:
            continue
        excess = [
            s.read / s.rows
            - tests[s.task, s.order, kind, 0 if kind == "model" else s.draw]
            for s in some
        ]
        means = (
            np.mean([s.is_below for s in some]),
            np.mean([s.read / s.rows for s in some]),
            np.mean([(s.read - s.read_target) / s.rows for s in some]),
            np.mean(excess),
        )
        rows.append((name, kind, method, len(some), *(f"{m:.3f}" for m in means)))
    return rows


def main():
    args = parse(
        __doc__, rankings=Path, results=Path("stops.csv"), summary=Path, draws=5
    )
    if args.quick and not args.rankings:
        args.rankings = Path("toy")
        args.rankings.mkdir(exist_ok=True)
        for name, load in tasks.TOY.items():
            ranking = rankings.ranking_of(load(), 0)
            rankings.write(args.rankings / f"{name}_0.npz", ranking)
    if args.rankings:
        args.results.unlink(missing_ok=True)
        command = command_of("screening.stops", None)
        for path in sorted(args.rankings.glob("*.npz")):
            for stop in stops_of(path, 1 if args.quick else args.draws):
                append_run(args.results, stop, command)
    write_table(args.summary, SUMMARY, summary(read_runs(args.results, Stop)))


if __name__ == "__main__":
    main()
