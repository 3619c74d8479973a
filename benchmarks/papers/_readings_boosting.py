"""Readings of Wang, Song & Zhang (2009): what FASSL-Boost's last line may mean.

Algorithm 1 ends "until error for F_t not decrease". That may end the purchases, or only
the members that are added, or name the committee that predicts; the error may be that
on the rows with labels, or on all of S_t, with pseudo-labels.
"""

from copy import copy
from itertools import islice
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone

from sklearn_activelearn import DecisionStumpClassifier, FASSLBoostClassifier
from sklearn_activelearn.pool.boosting._fassl import GrowingTrainer

from . import boosting
from ._readings import crossed

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
