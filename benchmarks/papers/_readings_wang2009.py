"""Readings of Wang, Song & Zhang (2009): what FASSL-Boost's last line may mean.

Algorithm 1 ends "until error for F_t not decrease". That may end the purchases, or only
the members that are added, or name the committee that predicts; the error may be that
on the rows with labels, or on all of S_t, with pseudo-labels.
"""

import json
from copy import copy
from itertools import islice
from warnings import catch_warnings, simplefilter

import numpy as np

from benchmarks.provenance import DATA
from benchmarks.results import by, column, grouped
from sklearn_activelearn import DecisionStumpClassifier, FASSLBoostClassifier
from sklearn_activelearn.pool.boosting._fassl import GrowingTrainer

from . import boosting

LABELS, ALL_ROWS = "labelled rows", "all rows"
#: The first level of each is that of `FASSLBoostClassifier`.
BOUGHT = {
    "first members": ("as labels", "1"),
    "stump": ("error", "gini"),
    "no decrease": (
        "ignored",
        "ends purchases",
        *(f"{what}, {rows}" for what in ("ends members", "best F_t")
          for rows in (LABELS, ALL_ROWS)),
    ),
}  # fmt: skip
SCORED = {
    "transductive error": ("bought labels right", "own, all rows"),
    "curve": ("5 to 80 %", "5 to 40 %"),
    "lowest": ("strictly", "or within a point"),
}
OTHERS = ("RBoost", "QBB", "COMB")
NAMES = {"as labels": "FASSL", "1": "FASSL from 1"}
FEW = 8  # shares of labels up to 40 %


class EndingTrainer(GrowingTrainer):
    """Trainer that adds no member once the error of the committee does not decrease."""

    def boost(self, boosting, weak_learners, n_first, n_later):
        """Add members; a committee has ended if it has fewer than there were steps."""
        n_steps = self.n_initial_estimators or self.n_initial
        if not n_first:  # what is there, unless it has ended
            n_known = np.count_nonzero(boosting.sample.labels == 1)
            n_steps += n_known - n_later - self.n_initial
            if len(boosting.committee.weights) < n_steps:
                return
            n_steps = 0
        for weak in islice(weak_learners, n_steps):
            boosting.adaboost_step(weak)
        for weak in islice(weak_learners, n_later):
            after = copy(boosting)
            after.adaboost_step(weak)
            if self.error(after) >= self.error(boosting):
                break
            boosting.committee, boosting.scores = after.committee, after.scores

    def error(self, boosting):
        """Return the share of rows that the committee gets wrong."""
        missed = np.where(boosting.scores > 0, 1, -1) != boosting.targets
        is_counted = (boosting.sample.labels == 1) | (self.judged_on == ALL_ROWS)
        return np.mean(missed[is_counted])


class EndingFASSL(FASSLBoostClassifier):
    """FASSL-Boost that adds no more members at some point, but goes on buying."""

    judged_on = LABELS

    def make_trainer(self):
        """Return the trainer."""
        steps = self.n_initial_estimators, 1.0
        trainer = EndingTrainer(self.estimator, self.alpha, self.init, *steps)
        trainer.judged_on, trainer.n_initial = self.judged_on, self.n_initial
        return trainer


def curves(reading, X, y, partitions, n_pool, shares, split):
    """Return the three errors of `boosting` at the shares, for each way to predict.

    Where a reading ignores the rule, the same run also gives the best F_t: the first
    committee with the least error; on all rows the last one guesses what has no label.
    """
    pool, test = boosting.parts_of(len(y), partitions, n_pool, split)
    X_pool, y_pool, y_test = X[pool], y[pool], y[test]
    counts = np.maximum(np.round(shares * n_pool), 5).astype(int)
    sort = DecisionStumpClassifier().presort
    rows, test_rows = sort(X_pool), sort(X[test])
    is_bought, found, rule = np.zeros(len(pool), dtype=bool), {}, reading["no decrease"]
    ends, _, judged_on = rule.partition(", ")
    names = [rule]
    if rule == "ignored":
        names += [f"best F_t, {LABELS}", f"best F_t, {ALL_ROWS}"]

    def score():
        def signs(X):
            stages = learner.estimator_.staged_decision_function(X)
            return np.array([np.where(scores > 0, 1, -1) for scores in stages])

        own, new = signs(rows), signs(test_rows)
        labels, errors = np.where(is_bought, y_pool, own[-1]), {}
        for name in names:
            t = len(own) - 1
            if name != rule:
                counted = is_bought | name.endswith(ALL_ROWS)
                t = int(np.argmin(np.mean((own != labels)[:, counted], axis=1)))
            wrong = own[t] != y_pool
            of_pool = float(np.mean(wrong & ~is_bought)), float(wrong.mean())
            errors[name] = [*of_pool, float(np.mean(new[t] != y_test))]
        found[np.count_nonzero(is_bought)] = errors

    def oracle(asked):
        if np.count_nonzero(is_bought) in counts:
            score()
        is_bought[asked] = True
        return y_pool[asked]

    learner = (EndingFASSL if ends == "ends members" else FASSLBoostClassifier)(
        DecisionStumpClassifier(reading["stump"]),
        n_initial_estimators=1 if reading["first members"] == "1" else None,
        stopping=boosting.NoDecrease() if rule == "ends purchases" else None,
        n_initial=counts[0], budget=counts[-1], random_state=split,
    )  # fmt: skip
    learner.judged_on = judged_on
    with catch_warnings():  # a committee that has ended may be worse than a constant
        simplefilter("ignore", UserWarning)
        learner.learn(X_pool, oracle, classes=[-1, 1])
    score()
    known = sorted(found)  # as in `boosting.curve`
    at = [next((n for n in known if n >= count), known[-1]) for count in counts]
    return {
        name: np.transpose([found[n][name] for n in at]).round(4).tolist()
        for name in names
    }


def all_curves(rows, split, readings):
    """Return the curves of all readings that differ in what is bought, by name."""
    DATA.add(*rows[:2])
    out = {}
    for reading in readings:
        if not reading["no decrease"].startswith("best"):  # of the run that ignores it
            found = curves(reading, *rows, split)
            first = f"{reading['first members']}; {reading['stump']}"
            out |= {f"{first}; {name}": of for name, of in found.items()}
    return out


class Curves:
    """Error curves in %, of shape (3 kinds, n_shares), on each set.

    Parameters
    ----------
    errors : dict of str: list of dict
        For each stump the lines of the file of `boosting`.
    rows : list of dict
        Lines of the file of runs.
    """

    def __init__(self, errors, rows):
        self.known = {}
        for stump, lines in errors.items():
            for (problem, method), of in grouped(lines, ("data", "method")).items():
                kinds = by(of, "kind")
                found = [column(kinds[kind], "error") for kind in boosting.KINDS]
                self.known[stump, problem, method] = np.array(found)
        self.means = {
            (problem, name): np.mean([json.loads(r["found"])[name] for r in of], axis=0)
            for problem, of in by(rows, "data").items()
            for name in json.loads(of[0]["found"])
        }
        self.sets = list(by(rows, "data"))

    def of(self, problem, reading):
        """Return the curves of FASSL-Boost and of the others under a reading."""
        start, stump, rule = (reading[name] for name in BOUGHT)
        change = self.means[problem, f"{start}; {stump}; {rule}"]
        change = change - self.means[problem, f"{start}; {stump}; ignored"]
        others = [self.known[stump, problem, name] for name in OTHERS]
        return self.known[stump, problem, NAMES[start]] + 100 * change, others


def claims_of(curves, reading):
    """Return whether each claim of the paper holds under a reading."""
    kind = SCORED["transductive error"].index(reading["transductive error"])
    last = FEW if reading["curve"] == "5 to 40 %" else None
    margin, found = 0 if reading["lowest"] == "strictly" else 1, []
    for problem in curves.sets:
        ours, others = curves.of(problem, reading)
        found.append((ours[:, :last], np.array([one[:, :last] for one in others])))

    def is_lowest(k):
        return all(
            ours[k].mean() <= others[:, k].mean(axis=1).min() + margin
            for ours, others in found
        )

    out = {
        "Lowest transductive error on every set (Figure 3)": is_lowest(kind),
        "Lowest error on new rows on every set (Figure 4)": is_lowest(2),
        "Lowest at more than half of the shares of labels on every set (Figure 3)": all(
            np.mean(ours[kind] <= others[:, kind].min(axis=0) + margin) > 0.5
            for ours, others in found
        ),
        "Nowhere worse than random labels (Figure 3)": all(
            ours[kind].mean() <= others[0, kind].mean() + margin
            for ours, others in found
        ),
        "QBB or COMB worse than random labels somewhere (Figure 3)": any(
            one[kind].mean() > others[0, kind].mean() + margin
            for _, others in found
            for one in others[1:]
        ),
    }
    out["All of these"] = all(out.values())
    out["Error on new rows ends a point above its least somewhere (Figure 4)"] = any(
        ours[2][-1] > ours[2].min() + 1 for ours, _ in found
    )
    return out
