"""Claims of the other papers under rules for failed runs and for ties.

These readings need no runs: they count those in the files of results in other ways. A
claim holds if it does so on every problem.
"""

import numpy as np

from benchmarks.results import read

from ._claims_cavallanti2008 import compare, is_behind
from ._claims_common import tables
from ._claims_guillory2009 import ONE_START
from ._claims_monteleoni2007 import ACTIVE
from ._readings import crossed, summary

#: A run that never reaches the target counts as all labels that it could have bought;
#: or it does not count; or no cell with such a run is compared.
FACTORS = {
    "a failed run": ("counts in full", "is left out", "rules out its cell"),
    "a tie": ("counts against", "counts for"),
}
#: Labels that a run of Guillory et al. buys at most.
LIMIT = 10_000
#: Differences of F that are ties.
LEVEL = 0.01


class Cost:
    """Labels to a target: their mean and its standard error.

    Parameters
    ----------
    mean, std : float
        Of the runs that reached it.
    failed, runs : int
        How many runs did not, of how many.
    full : float
        What a failed run counts as.
    rule : str
        For failed runs, as in `FACTORS`.
    """

    def __init__(self, mean, std, failed, runs, full, rule):
        reached = runs - failed
        is_known = reached > 0 and not (rule == "rules out its cell" and failed)
        self.mean, self.error = (mean, std / np.sqrt(max(reached, 1)))
        if rule == "counts in full" and failed:
            share = failed / runs
            mean = mean if reached else full
            self.mean = (1 - share) * mean + share * full
            between = share * (1 - share) * (full - mean) ** 2
            within = max(reached - 1, 0) / runs * (std**2 if reached else 0)
            self.error = np.sqrt((within + between) / (runs - 1))
        elif not is_known:
            self.mean = np.nan


def costs_of_ocr(row, rule):
    """Return the cost of a cell of Monteleoni and Kaariainen."""
    failed, runs = row["failed"], row["runs"]
    full = np.nan
    if failed:
        reached = row["labels"] * (runs - failed) if failed < runs else 0
        full = (row["labels_counting_failures"] * runs - reached) / failed
    return Cost(row["labels"], row["labels_std"], failed, runs, full, rule)


def costs_of_margin_loss(row, rule):
    """Return the cost of a cell of Guillory et al., whose file counts failed runs."""
    failed, runs, mean, std = (row[k] for k in ("failed", "runs", "labels", "std"))
    reached = runs - failed
    if failed and reached:
        square = (runs - 1) * std**2 + runs * mean**2 - failed * LIMIT**2
        mean = (runs * mean - failed * LIMIT) / reached
        std = np.sqrt(max(square - reached * mean**2, 0) / max(reached - 1, 1))
    return Cost(mean, std, failed, runs, LIMIT, rule)


def is_less(one, other, tie, factor=1.0):
    """Return whether one cost times a factor is less than another, or level with it."""
    gain = other.mean - factor * one.mean
    error = np.hypot(factor * one.error, other.error)
    return gain > (-2 * error if tie == "counts for" else 0)


def least(costs):
    """Return the name of the least cost that is known, None if none is."""
    known = {name: cost.mean for name, cost in costs.items() if np.isfinite(cost.mean)}
    return min(known, key=known.get) if known else None


def fewer(problems, tie, baseline, names, factor=1.0):
    """Answer for each problem whether the best of some needs fewer than a baseline."""
    answers = {}
    for problem, costs in problems.items():
        best = least({name: costs[name] for name in names if name in costs})
        if best and np.isfinite(costs[baseline].mean):
            answers[problem] = is_less(costs[best], costs[baseline], tie, factor)
    return answers


def same_best(problems, published, tie, names):
    """Answer for each problem whether the published best is the best, or level."""
    answers = {}
    for problem, costs in problems.items():
        some = {name: costs[name] for name in names if name in costs}
        printed = {name: published[problem][name] for name in some}
        winner, best = min(printed, key=printed.get), least(some)
        if best:
            answers[problem] = winner == best or (
                tie == "counts for"
                and np.isfinite(some[winner].mean)
                and is_less(some[winner], some[best], tie)
            )
    return answers


def problems_of(rows, group, costs_of, rule):
    """Return the costs of each problem, and its published labels."""
    of = tables(rows, group)
    costs = {
        problem: {name: costs_of(row, rule) for name, row in cells.items()}
        for problem, cells in of.items()
    }
    published = {
        problem: {
            name: np.nan_to_num(row["published"], nan=np.inf)
            for name, row in cells.items()
        }
        for problem, cells in of.items()
    }
    return costs, published


def monteleoni2007(folder, reading):
    """Return whether each claim holds."""
    rule, tie = reading.values()
    costs, published = problems_of(read(folder, "ocr"), "problem", costs_of_ocr, rule)
    one = [
        is_less(of["DKM²"], of["CBGZ_DKM"], tie)
        for of in costs.values()
        if np.isfinite(of["DKM²"].mean + of["CBGZ_DKM"].mean)
    ]
    half = fewer(costs, tie, "randPerc", ACTIVE, 2).values()
    return {
        "An active learner needs 1.25 times fewer labels than the Perceptron with "
        "random ones": all(fewer(costs, tie, "randPerc", ACTIVE, 1.25).values()),
        "On more than half of the problems it needs half of them or less": (
            sum(half) > len(half) / 2
        ),
        "The best learner is the published one": all(
            same_best(costs, published, tie, ACTIVE).values()
        ),
        "DKM² needs fewer labels than CBGZ_DKM on all problems but one": (
            len(one) - sum(one) <= 1
        ),
    }


def guillory2009(folder, reading):
    """Return whether each claim holds."""
    rule, tie = reading.values()
    rows = read(folder, "margin_loss_table_2")
    costs, published = problems_of(rows, "data", costs_of_margin_loss, rule)
    names = (*ONE_START[1:], "R+H", "S+H")
    return {
        "An active learner needs fewer labels than the hinge": all(
            fewer(costs, tie, "hinge", names).values()
        ),
        "The best learner is the published one": all(
            same_best(costs, published, tie, ONE_START).values()
        ),
    }


def cavallanti2008(folder, reading):
    """Return whether each claim holds; its runs have no target to fail."""
    rows = read(folder, "second_order_figure_2")
    level = LEVEL if reading["a tie"] == "counts for" else 0.0

    def moved(name, by):
        return [
            {**row, "F": row["F"] + by * (row["algorithm"] == name)} for row in rows
        ]

    claims = {
        "SSMD is ahead of all others below 10 % of the labels": compare(
            moved("SSMD", level), "SSMD", ("SS", "SOLE", "DKMperc", "SOP", "PERC")
        ),
        "SSNL is the worst of the three variants": is_behind(
            moved("SSNL", -level), "SSNL", ("SS", "SSMD")
        ),
        "DKMperc is ineffective: behind all others": is_behind(
            moved("DKMperc", -level), "DKMperc", ("SSMD", "SOLE", "SOP", "PERC")
        ),
    }
    return {claim: all(answers) for claim, (answers, *_) in claims.items()}


PAPERS = {
    "monteleoni2007": (monteleoni2007, FACTORS),
    "guillory2009": (guillory2009, FACTORS),
    "cavallanti2008": (cavallanti2008, {"a tie": FACTORS["a tie"]}),
}


def rules(folder, paper):
    """Return a row for each claim of a paper, as `summary` does."""
    answers, factors = PAPERS[paper]
    readings, table = crossed(factors), {}
    for reading in readings:
        for claim, answer in answers(folder, reading).items():
            table.setdefault(claim, []).append(bool(answer))
    return summary(readings, table)
