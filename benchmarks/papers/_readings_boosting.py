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
from sklearn.base import clone

from benchmarks.results import by
from sklearn_activelearn import DecisionStumpClassifier, FASSLBoostClassifier
from sklearn_activelearn.pool.boosting._fassl import GrowingTrainer

from . import boosting
from ._readings import crossed

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
        Lines of the file of `boosting`.
    rows : list of dict
        Lines of the file of runs.
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


LABELS, ALL_ROWS = "labelled rows", "all rows"

#: The first level of each is that of `FASSLBoostClassifier`.
BOUGHT = {
    "first members": ("as labels", "1"),
    "stump": boosting.CRITERIA,
    "no decrease": (
        "ignored",
        "ends purchases",
        f"ends members, {LABELS}",
        f"ends members, {ALL_ROWS}",
        f"best F_t, {LABELS}",
        f"best F_t, {ALL_ROWS}",
    ),
}


class EndingTrainer(GrowingTrainer):
    """Trainer that adds no member once the error of the committee does not decrease.

    Attributes
    ----------
    judged_on : {"labelled rows", "all rows"}
        Where the error is measured, pseudo-labels counting as labels.
    n_initial : int
        Labels of the first committee.
    """

    def boost(self, boosting, weak_learners, n_first, n_later):
        """Add members.

        A committee has ended if it has fewer members than there were steps.
        """
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
        is_labelled = boosting.sample.labels == 1
        return np.mean(missed[is_labelled] if self.judged_on == LABELS else missed)


class EndingFASSL(FASSLBoostClassifier):
    """FASSL-Boost that adds no more members at some point, but goes on buying."""

    judged_on = LABELS

    def _make_trainer(self):
        steps = self.n_initial_estimators, 1.0
        trainer = EndingTrainer(self.estimator, self.alpha, self.init, *steps)
        trainer.judged_on, trainer.n_initial = self.judged_on, self.n_initial
        return trainer


class EndingFASSLOnAllRows(EndingFASSL):
    """The same, judged on all rows."""

    judged_on = ALL_ROWS


def learner_of(reading):
    """Return what buys for a reading."""
    options = {
        "estimator": DecisionStumpClassifier(reading["stump"]),
        "n_initial_estimators": 1 if reading["first members"] == "1" else None,
    }
    rule, _, judged_on = reading["no decrease"].partition(", ")
    if rule == "ends members":
        kind = EndingFASSL if judged_on == LABELS else EndingFASSLOnAllRows
        return kind(**options)
    stopping = boosting.NoDecrease() if rule == "ends purchases" else None
    return FASSLBoostClassifier(stopping=stopping, **options)


def best_stage(stages, y, is_bought, judged_on):
    """Return which of the stages has the least error, the first of equals.

    Parameters
    ----------
    stages : list of ndarray
        The pool's scores of 1, 2, ... members.
    y, is_bought : ndarray
        Labels, and which of them count; the last committee guesses the others.
    judged_on : {"labelled rows", "all rows"}
        Where the error is measured.
    """
    labels = np.where(is_bought, y, np.where(stages[-1] > 0, 1, -1))
    rows = is_bought if judged_on == LABELS else slice(None)
    errors = [
        np.mean((np.where(scores > 0, 1, -1) != labels)[rows]) for scores in stages
    ]
    return int(np.argmin(errors))


def curves(reading, X, y, partitions, n_pool, shares, split):
    """Return the three errors of `boosting` at the shares, for each way to predict.

    Where a reading ignores the rule, the same run also gives the best F_t.
    """
    pool, test = boosting.parts_of(len(y), partitions, n_pool, split)
    X_pool, y_pool, y_test = X[pool], y[pool], y[test]
    counts = np.maximum(np.round(shares * n_pool), 5).astype(int)
    sort = DecisionStumpClassifier().presort
    rows, test_rows = sort(X_pool), sort(X[test])
    is_bought, found = np.zeros(len(pool), dtype=bool), {}
    names = [reading["no decrease"]]
    if names == ["ignored"]:
        names += [f"best F_t, {judged_on}" for judged_on in (LABELS, ALL_ROWS)]

    def score():
        model = learner.estimator_
        stages = list(model.staged_decision_function(rows))
        chosen = {name: len(stages) - 1 for name in names}
        for name in names[1:]:
            judged_on = name.partition(", ")[2]
            chosen[name] = best_stage(stages, y_pool, is_bought, judged_on)
        wanted, new = set(chosen.values()), {}
        for t, scores in enumerate(model.staged_decision_function(test_rows)):
            if t in wanted:
                new[t] = float(np.mean(np.where(scores > 0, 1, -1) != y_test))
        errors = {}
        for name, t in chosen.items():
            own = np.where(stages[t] > 0, 1, -1) != y_pool
            errors[name] = [float(np.mean(own & ~is_bought)), float(own.mean()), new[t]]
        found[np.count_nonzero(is_bought)] = errors

    def oracle(asked):
        if np.count_nonzero(is_bought) in counts:
            score()
        is_bought[asked] = True
        return y_pool[asked]

    learner = clone(learner_of(reading)).set_params(
        n_initial=counts[0], budget=counts[-1], random_state=split
    )
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


def all_curves(X, y, partitions, n_pool, shares, split):
    """Return the curves of all readings that differ in what is bought, by name."""
    out = {}
    for reading in crossed(BOUGHT):
        if not reading["no decrease"].startswith("best"):  # of the run that ignores it
            found = curves(reading, X, y, partitions, n_pool, shares, split)
            first = f"{reading['first members']}; {reading['stump']}"
            out |= {f"{first}; {name}": of for name, of in found.items()}
    return out
