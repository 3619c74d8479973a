"""ALMS on the pool in place of a validation set: its cost and its accuracy.

Ali, Caruana & Kapoor (2014), section 3: with one model ALMS is then the algorithm of
Roy & McCallum (2001), expected error reduction. *Cost*: processor milliseconds until
one row of a pool is chosen, the least of some rounds in turn, beside `MonteCarloEER` of
scikit-activeml with the same model, labels and pool, and whether it chooses the same
row. *Accuracy*: trials of `benchmarks.papers.alms`, ten random labels first; mean test
accuracy and log loss over the curve in points, and the gain over the smallest margin.

    python -m benchmarks.papers.error_reduction [--trials 10] [--labels 60]
        [--rounds 3] [--results DIR] [--quick]
"""

from pathlib import Path
from time import process_time

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results
from benchmarks.statistics import spread
from sklearn_activelearn import ALMSClassifier, MinMarginClassifier, PassiveClassifier
from sklearn_activelearn.datasets import make_twonorm

from .alms import FIRST, LOAD, counts_of, split, toy

ONE = LogisticRegression()
LEARNERS = {
    "margin": MinMarginClassifier(ONE),
    "random": PassiveClassifier(ONE),
    "pool, 1 model": ALMSClassifier(ONE, validation="pool"),
    "pool, 5 models": ALMSClassifier(validation="pool"),
    "ALMS, 5 models": ALMSClassifier(n_candidates=25, n_pairs=30),
}
SETS = [name for name in LOAD if name != "pima"]
SIZES = {"labels": 30, "pool": (100, 250, 500)}


def peer_query(X, y, labelled):
    """Return a function that chooses a row as scikit-activeml does."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import MonteCarloEER

    known = np.where(np.isin(np.arange(len(y)), labelled), y, np.nan)
    rest = np.setdiff1d(np.arange(len(y)), labelled)
    strategy = MonteCarloEER(method="log_loss", random_state=0)

    def query():
        model = SklearnClassifier(LogisticRegression(tol=1e-8), classes=[-1, 1])
        return strategy.query(X, known, model, X_eval=X[rest])

    return query


def own_query(X, y, labelled):
    """Return a function that chooses a row with `ALMSClassifier`."""
    rest = np.setdiff1d(np.arange(len(y)), labelled)
    learner = ALMSClassifier(ONE, validation="pool", budget=1, random_state=0)
    learner.teach(X[labelled], y[labelled])
    return lambda: learner.query(X, candidates=rest)


def costs(n_pool, rounds):
    """Return the row of a pool size: milliseconds of both, and if they agree."""
    X, y = make_twonorm(n_pool + SIZES["labels"], random_state=0)
    DATA.add(X, y)
    labelled = np.arange(SIZES["labels"])
    least, chosen = {}, {}
    for _ in range(rounds):
        for name, make in (("ours", own_query), ("MonteCarloEER", peer_query)):
            query, start = make(X, y, labelled), process_time()
            chosen[name] = int(query()[0])
            spent = 1000 * (process_time() - start)
            least[name] = min(spent, least.get(name, np.inf))
    row = {"pool": n_pool, "labels": len(labelled), **least}
    row["ratio"] = least["MonteCarloEER"] / least["ours"]
    return row | {"same_row": int(chosen["ours"] == chosen["MonteCarloEER"])}


def heights(learner, rows, counts, seed):
    """Return the mean height of the curves of accuracy and log loss, in points."""
    X, y, X_test, y_test = rows
    scores = []

    def score():
        p = learner.predict_proba(X_test)
        loss = log_loss(y_test, p, labels=learner.classes_)
        scores.append((100 * np.mean(learner.predict(X_test) == y_test), 100 * loss))

    def oracle(asked):
        if learner.n_queries_ in counts:
            score()
        return y[asked]

    learner = clone(learner)
    learner.set_params(n_initial=counts[0], budget=counts[-1], random_state=seed)
    learner.learn(X, oracle, classes=np.unique(y))
    score()
    return np.trapezoid(scores, counts, axis=0) / (counts[-1] - counts[0])


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"trials": 2, "labels": 15, "rounds": 1},
        trials=at_least(2, 10),
        labels=at_least(15, 60),
        rounds=at_least(1, 3),
        results=Path,
    )
    load = {"heart": toy} if args.quick else {name: LOAD[name] for name in SETS}
    numbers = range(FIRST, FIRST + args.trials)
    seeds = f"{FIRST} to {numbers[-1]}"
    results, counts = (
        Results(args.results, "error_reduction", argv, seeds),
        counts_of(10, args.labels),
    )
    for n_pool in SIZES["pool"][: 1 if args.quick else None]:
        row = costs(n_pool, args.rounds)
        results.write("error_reduction_cost", [row], key=["pool"], runs=args.rounds)
    for problem, rows_of in load.items():
        rows, data, found = [], rows_of(), {}
        for name, learner in LEARNERS.items():
            found[name] = np.transpose(
                [heights(learner, split(*data, k), counts, k) for k in numbers]
            )
            key = {"problem": problem, "learner": name}
            row = {**key, "labels": args.labels}
            for score, own, margin in zip(
                ("accuracy", "log_loss"), found[name], found["margin"], strict=True
            ):
                row[score], _ = spread(own)
                row[f"{score}_gain"], row[f"{score}_gain_error"] = spread(own - margin)
            rows.append(row)
        each = [
            {"problem": problem, "learner": name, "run": run}
            | dict(zip(("accuracy", "log_loss"), scores, strict=True))
            for name, of_trials in found.items()
            for run, scores in enumerate(of_trials.T)
        ]
        results.write("error_reduction", rows, key=[*key], runs=args.trials, each=each)


if __name__ == "__main__":
    main()
