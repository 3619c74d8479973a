"""Wang, Song & Zhang (2009), Figure 8: active label propagation beside others.

The paper compares its boosting with the active label propagation of Zhu, Lafferty &
Ghahramani (2003), on data sets whose classes are no clusters, and takes the best of
several graphs without naming them. Here: label propagation on four graphs, two of them
with random labels, too, and other learners. Pools have the sizes of Rätsch's training
sets (400 rows to 1300), split at random; the first 5 % of the labels are random and the
same for all. Features are standardised.

The graphs: 7 nearest neighbours, weight 1; "RBF" between all rows, narrow, by the
distance to the 7th neighbour; "wide RBF" with gamma = 1 / number of features, which is
that of the support vector machine; "cosine" with exp(-(1 - cos) / .03), which Zhu,
Ghahramani & Lafferty (2003) used for texts.

Transductive error: wrong rows of the whole pool, where bought labels count as right.
Inductive error: of the rows held out. Both in %, mean over the splits; last the mean
over the columns, ± its standard error.

    python -m benchmarks.papers.label_propagation [--splits 5] [--set twonorm]
        [--learner "ALP, cosine"] [--results DIR] [--quick]
"""

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.provenance import recorded
from benchmarks.results import Results, single_runs
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    FASSLBoostClassifier,
    MinMarginClassifier,
    PassiveClassifier,
)
from sklearn_activelearn.datasets import make_twonorm

SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]


class RandomLabelPropagation(ActiveLabelPropagationClassifier):
    """The same model; its labels are random."""

    def make_rule(self):
        """Return a rule that draws rows at random."""
        rule = PassiveClassifier().make_rule()
        rule.samples = False  # n_candidates has another meaning here
        return rule


@recorded
def toy(_):
    return *make_twonorm(500, random_state=0), 60


def svm():
    return make_pipeline(StandardScaler(), SVC())


#: Of unit rows with cosine c the squared distance is 2 - 2 c.
COSINE = ActiveLabelPropagationClassifier("rbf", gamma=1 / 0.06)

#: What is compared: from the standardised rows, a learner and the rows that it gets.
LEARNERS = {
    "ALP, neighbours": lambda X: (ActiveLabelPropagationClassifier(), X),
    "ALP, RBF": lambda X: (ActiveLabelPropagationClassifier("rbf"), X),
    "ALP, wide RBF": lambda X: (
        ActiveLabelPropagationClassifier("rbf", gamma=1 / X.shape[1]),
        X,
    ),
    "ALP, cosine": lambda X: (COSINE, normalize(X)),
    "random, neighbours": lambda X: (RandomLabelPropagation(), X),
    "random, RBF": lambda X: (RandomLabelPropagation("rbf"), X),
    "FASSL-Boost": lambda X: (FASSLBoostClassifier(), X),
    "SVM, min-margin": lambda X: (MinMarginClassifier(svm()), X),
    "SVM, random": lambda X: (PassiveClassifier(svm()), X),
}


def errors(learner, X, y, n_pool, shares, seed):
    """Return transductive and inductive errors, one row for each share of labels."""
    order = np.random.RandomState(seed).permutation(len(y))
    pool, test = order[:n_pool], order[n_pool:]
    X_pool, y_pool = X[pool], y[pool]
    counts = [round(share * n_pool) for share in shares]
    learner = clone(learner).set_params(n_initial=counts[0], random_state=seed)
    bought, out = np.empty(0, dtype=int), []
    for count in counts:
        left = np.setdiff1d(np.arange(n_pool), bought)
        learner.set_params(budget=count)
        learner.learn(X_pool, y_pool.__getitem__, [-1, 1], candidates=left)
        bought = np.append(bought, learner.queried_indices_)
        if hasattr(learner, "transduction_"):
            guess = learner.transduction_.copy()
        else:
            guess = learner.predict(X_pool)
        guess[bought] = y_pool[bought]
        out.append([np.mean(guess != y_pool), 1 - learner.score(X[test], y[test])])
    return 100 * np.array(out)


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        splits=at_least(2, 5),
        jobs=2,
        set=data.N_TRAIN,
        learner=LEARNERS,
        results=Path,
    )
    load, shares = data.raetsch, SHARES
    if args.quick:
        args.splits, args.set, shares = 2, ["twonorm"], SHARES[:3]
        load = toy
    seeds = f"0 to {args.splits - 1}"
    results = Results(args.results, "label_propagation", argv, seeds)
    for name in args.set or data.N_TRAIN:
        try:
            X, y, n_pool = load(name)
        except FileNotFoundError as error:
            print(f"\n{name} is left out: {error}")
            continue
        X = StandardScaler().fit_transform(X)
        for learner_name in args.learner or LEARNERS:
            learner, rows = LEARNERS[learner_name](X)
            runs = np.array(
                Parallel(n_jobs=args.jobs)(
                    delayed(errors)(learner, rows, y, n_pool, shares, seed)
                    for seed in range(args.splits)
                )
            )
            for k, kind in enumerate(("transductive", "inductive")):
                means, areas = runs[..., k].mean(axis=0), runs[..., k].mean(axis=1)
                spread = areas.std(ddof=1) / np.sqrt(args.splits)
                row = {"data": name, "pool": n_pool, "learner": learner_name}
                row |= {"kind": kind}
                points = [
                    {**row, "labels": share, "error": mean}
                    for share, mean in zip(shares, means, strict=True)
                ]
                row |= {"mean_error": areas.mean(), "standard_error": spread}
                key = ["data", "learner", "kind"]
                figure, each_key = "label_propagation_figure_8", [*key, "labels"]
                results.write(figure, points, key=each_key, runs=args.splits)
                each = single_runs(row, key, "mean_error", areas)
                table = "label_propagation_means"
                results.write(table, [row], key=key, runs=args.splits, each=each)


if __name__ == "__main__":
    main()
