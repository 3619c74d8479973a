"""Every learner beside random labels for the same model, on five problems.

Five small problems, each with 200 labels to spend. For each learner and problem
two figures, means over the runs:

error    held-out error in % with 200 labels (a learner that stops asking keeps
         what it has)
matches  labels from which its error stays at or below that of 200 random labels
         and the same model; "-" if never

A learner is one row of LEARNERS, a problem one function that PROBLEMS lists.

    python -m benchmarks.which_learner [--only NAME] [--jobs 2] [--quick]
"""

import time

import numpy as np
from sklearn.datasets import make_moons
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from benchmarks import data, problems
from benchmarks.options import parse
from benchmarks.papers.label_propagation import RandomLabelPropagation
from benchmarks.runner import quiet_curve
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    CBGZClassifier,
    COMBClassifier,
    DecisionStumpClassifier,
    DKMClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    UncertaintySamplingClassifier,
)

SEED = 0
BUDGET = 200
STEP = 10


def eights():
    """Return the digits, 8 against the others: one row in ten is positive."""
    X, y = data.digits()
    return X, y == 8


def tumours():
    """Return the breast cancer data, 569 clean rows."""
    X, y = problems.tumours()
    return scale(X), y


def noise():
    """Return two classes, one label in ten wrong."""
    X, y = problems.noise(2_000)
    return scale(X), y


def moons():
    """Return two classes that no line separates."""
    X, y = make_moons(2_000, noise=0.2, random_state=SEED)
    return scale(X), y


PROBLEMS = [data.digits, eights, tumours, noise, moons]

LINEAR, SMOOTH = SVC(kernel="linear"), LogisticRegression(C=10.0, max_iter=1_000)
CURVED = SVC(C=10.0)
STUMPS = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=20)
GRID = {"C": [0.1, 1.0, 10.0, 100.0]}

#: name: (learner, the name of random labels with the same model)
LEARNERS = {
    "random, one pass": (RandomSamplingClassifier(rate=1.0), None),
    "random, one pass, hinge": (MarginLossClassifier("hinge"), None),
    "DKM": (DKMClassifier(), "random, one pass"),
    "CBGZ": (CBGZClassifier(), "random, one pass"),
    "log-ramp": (MarginLossClassifier(), "random, one pass, hinge"),
    "greedy": (GreedyOnlineClassifier(), "random, one pass, hinge"),
    "random, one pass, second order": (SecondOrderPerceptronClassifier(), None),
    "random, one pass, ridge": (RLSSamplingClassifier(variant="all"), None),
    "RLS": (RLSSamplingClassifier(), "random, one pass, ridge"),
    "SOLE": (SOLEClassifier(), "random, one pass, second order"),
    "random, linear SVC": (PassiveClassifier(LINEAR), None),
    "min-margin, linear SVC": (MinMarginClassifier(LINEAR), "random, linear SVC"),
    "random, logistic": (PassiveClassifier(SMOOTH), None),
    "uncertainty, logistic": (
        UncertaintySamplingClassifier(SMOOTH, measure="margin"),
        "random, logistic",
    ),
    "random, logistic, C from 4": (PassiveClassifier(SMOOTH, param_grid=GRID), None),
    "committee, logistic, C from 4": (
        QueryByCommitteeClassifier(SMOOTH, param_grid=GRID),
        "random, logistic, C from 4",
    ),
    "random, RBF SVC": (PassiveClassifier(CURVED), None),
    "min-margin, RBF SVC": (MinMarginClassifier(CURVED), "random, RBF SVC"),
    "random, boosted stumps": (PassiveClassifier(OneVsRestClassifier(STUMPS)), None),
    "query by boosting": (QueryByBoostingClassifier(), "random, boosted stumps"),
    "COMB": (COMBClassifier(), "random, boosted stumps"),
    "FASSL-Boost": (FASSLBoostClassifier(), "random, boosted stumps"),
    "random, neighbour graph": (RandomLabelPropagation(), None),
    "label propagation": (
        ActiveLabelPropagationClassifier(),
        "random, neighbour graph",
    ),
}


def measure(learner, X, y, args):
    """Return the curve of a learner with 200 labels to spend."""
    settings = {"budget": args.budget, "batch_size": STEP}
    params = learner.get_params()
    learner.set_params(**{k: v for k, v in settings.items() if k in params})
    at = np.arange(STEP, args.budget + 1, STEP)
    how = {"cv": args.folds, "n_repeats": args.repeats, "at": at, "random_state": SEED}
    return quiet_curve(learner, X, y, jobs=args.jobs, **how)


def main():
    args = parse(__doc__, jobs=2, repeats=2, folds=5, only=[str])
    args.budget, loads, learners = BUDGET, PROBLEMS, LEARNERS
    if args.quick:
        args.jobs, args.repeats, args.folds, args.budget = 1, 1, 2, 30
        loads, learners = PROBLEMS[2:4], dict(list(LEARNERS.items())[:8])
    wanted = {n for n in learners if any(part in n for part in args.only or [""])}
    wanted |= {learners[name][1] for name in wanted} - {None}
    print(
        f"{args.budget} labels, {args.repeats} x {args.folds} folds, seed {SEED}; "
        "error in % and labels that match it, for each of:\n"
        + ", ".join(load.__name__ for load in loads)
    )
    errors = {}
    for name in [name for name in learners if name in wanted]:
        learner, passive = learners[name]
        cells, started = [], time.perf_counter()
        for load in loads:
            X, y = load()
            curve = measure(learner, X, y, args)
            error = 1 - curve.mean[-1]
            errors[name, load] = error
            cells.append(f"{100 * error:5.1f}")
            if passive:
                matches = curve.labels_for(errors[passive, load])
                cells[-1] += f"{matches:5.0f}" if np.isfinite(matches) else "    -"
            else:
                cells[-1] += "     "
        seconds = time.perf_counter() - started
        print(f"{name:30} {' '.join(cells)}   {seconds:4.0f} s", flush=True)


if __name__ == "__main__":
    main()
