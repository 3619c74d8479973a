"""Claims of Wang, Song & Zhang (2009) under each reading.

The errors are those of the file of `boosting`, means over its splits. A reading of the
last line of Algorithm 1 adds to them what it changed on the splits of `readings`.
"""

import json

import numpy as np

from benchmarks.results import by

from ._readings import crossed
from ._readings_boosting import BOUGHT

OTHERS = ("RBoost", "QBB", "COMB")

SCORED = {
    "transductive error": ("bought labels right", "own, all rows"),
    "curve": ("5 to 80 %", "5 to 40 %"),
    "lowest": ("strictly", "or within a point"),
}
KINDS = ("transductive", "transductive, own", "inductive")
NAMES = {"as labels": "FASSL", "1": "FASSL from 1"}
METHODS = (*NAMES.values(), *OTHERS)
#: What the file of errors adds to a method for each kind of stump.
ENDS = {"error": "", "gini": ", gini"}
#: Shares of labels up to 40 %.
FEW = 8


class Curves:
    """Error curves in %, of shape (3 kinds, 16 shares), on each set.

    Parameters
    ----------
    errors : list of dict
        Of the file of `boosting`.
    rows : list of dict
        Of the file of runs.
    """

    def __init__(self, errors, rows):
        known, changes = {}, {}
        for row in errors:
            key = row["data"], row["method"]
            known.setdefault(key, {}).setdefault(row["kind"], []).append(row["error"])
        self.known = {
            key: np.array([curves[kind] for kind in KINDS])
            for key, curves in known.items()
        }
        for row in rows:
            for name, curves in json.loads(row["found"]).items():
                key = row["data"], *name.split("; ")
                changes.setdefault(key, []).append(100 * np.array(curves))
        self.means = {key: np.mean(found, axis=0) for key, found in changes.items()}
        self.sets = list(by(rows, "data"))

    def of_others(self, problem, reading):
        """Return the curves of the other learners."""
        end = ENDS[reading["stump"]]
        return [self.known[problem, name + end] for name in OTHERS]

    def of_fassl(self, problem, reading):
        """Return the curves of FASSL-Boost."""
        end = ENDS[reading["stump"]]
        known = self.known[problem, NAMES[reading["first members"]] + end]
        first = problem, reading["first members"], reading["stump"]
        change = (
            self.means[*first, reading["no decrease"]] - self.means[*first, "ignored"]
        )
        return known + change


def answers_of(errors, rows):
    """Return all readings, and for each claim whether it holds under each."""
    readings, curves, claims = crossed({**BOUGHT, **SCORED}), Curves(errors, rows), {}
    for reading in readings:
        for name, answer in of_claims(curves, reading).items():
            claims.setdefault(name, []).append(bool(answer))
    return readings, claims


def of_claims(curves, reading):
    """Return whether each claim of the paper holds."""
    kind = SCORED["transductive error"].index(reading["transductive error"])
    last = FEW if reading["curve"] == "5 to 40 %" else None
    margin = 0 if reading["lowest"] == "strictly" else 1
    found = {
        problem: (
            curves.of_fassl(problem, reading)[:, :last],
            [one[:, :last] for one in curves.of_others(problem, reading)],
        )
        for problem in curves.sets
    }

    def is_lowest(k):
        return all(
            ours[k].mean() <= min(one[k].mean() for one in others) + margin
            for ours, others in found.values()
        )

    out = {
        "Lowest transductive error on every set (Figure 3)": is_lowest(kind),
        "Lowest error on new rows on every set (Figure 4)": is_lowest(2),
        "Lowest at more than half of the shares of labels on every set (Figure 3)": all(
            np.mean(ours[kind] <= np.min(others, axis=0)[kind] + margin) > 0.5
            for ours, others in found.values()
        ),
        "Nowhere worse than random labels (Figure 3)": all(
            ours[kind].mean() <= others[0][kind].mean() + margin
            for ours, others in found.values()
        ),
        "QBB or COMB worse than random labels somewhere (Figure 3)": any(
            one[kind].mean() > random[kind].mean() + margin
            for _, (random, *conventional) in found.values()
            for one in conventional
        ),
    }
    out["All of these"] = all(out.values())
    out["Error on new rows ends a point above its least somewhere (Figure 4)"] = any(
        ours[2][-1] > ours[2].min() + 1 for ours, _ in found.values()
    )
    return out
