"""Online F-measure of the second-order samplers against the labels they buy.

Cavallanti, Cesa-Bianchi & Gentile (2008), "Linear Classification and Selective
Sampling Under Low Noise Conditions", Figures 2 and 3. News of RCV1, one topic
against the rest; a news item's topic is predicted before its label may be
bought; F = 2 R P / (R + P) over all predictions of the run, 0 if no topic is
found; means over topics. Separators through the origin on rows of unit norm.
A line of the table is one value of an algorithm's parameter (lam of SSNL, SS
and SSMD, b of SOLE, R of DKMperc). PERC and SOP have none: they are shown with
all labels, and with those of a prefix of the stream, frozen thereafter.

    python -m benchmarks.papers.second_order [--only NAME] [--repeats 3] [--rows N]
        [--topics N] [--lam 10000] [--results DIR]
"""

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.svm import LinearSVC

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.provenance import recorded
from benchmarks.results import Results, deviation
from sklearn_activelearn import (
    DKMClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

SEED = 0
FREQUENT = 50  # topics in Figure 2
FIGURE_3, LAM = "figure-3", 1e4
AT = (0.01, 0.02, 0.03, 0.05, 0.07, 0.10)
ORIGIN = {"fit_intercept": False, "shuffle": False}
FIRST_ORDER = {**ORIGIN, "average": False}
SECOND_ORDER = {**ORIGIN, "solver": "dual"}
PREFIXES = (*AT, 1.0)


def rls(variant, lowest, share):
    return {
        f"{lam:.3g}": (
            RLSSamplingClassifier(lam, variant=variant, **SECOND_ORDER),
            share,
        )
        for lam in 10.0 ** np.arange(lowest, 6.5, 0.5)
    }


def prefix(learner):
    return {f"{share:.0%}": (learner, share) for share in PREFIXES}


#: The settings of each algorithm, and the share of labels that each may buy: the
#: figures end at 10 %, and rows that are all stored are dear.
ALGORITHMS = {
    "SSMD": rls("mistake", 2.5, 1 / 3),
    "SSNL": rls("next", 1.0, 0.15),
    "SS": rls("current", 1.0, 0.15),
    "SOLE": {
        f"{b:.3g}": (SOLEClassifier(b, **SECOND_ORDER), 1.0)
        for b in (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
    },
    "SOLE-margin": {
        f"{b:.3g}": (SOLEClassifier(b, query_probability="margin", **SECOND_ORDER), 1.0)
        for b in (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
    },
    "DKMperc": {
        f"{R}": (DKMClassifier(R, **FIRST_ORDER), 1.0)
        for R in (1, 2, 4, 8, 16, 32, 64, 128, 256)
    },
    "SOP": prefix(SecondOrderPerceptronClassifier(**SECOND_ORDER)),
    "PERC": prefix(RandomSamplingClassifier(1.0, **FIRST_ORDER)),
}


class Watcher:
    """An oracle that predicts the rows that have come, before it answers.

    Parameters
    ----------
    learner : learner
        Who asks.
    X, y : CSR matrix, array of 0 and 1
        The stream.
    """

    def __init__(self, learner, X, y):
        self.learner, self.X, self.y = learner, X, y
        self.n_done, self.predicted = 0, np.zeros(len(y), dtype=bool)

    def __call__(self, rows):
        """Answer, but first predict all rows up to that one."""
        self.predict(rows[0] + 1)
        return self.y[rows]

    def predict(self, stop):
        """Predict the rows before that one with the weights as they are."""
        X, start = self.X, self.n_done
        first, last = X.indptr[start], X.indptr[stop]
        chunk = csr_matrix(
            (
                X.data[first:last],
                X.indices[first:last],
                X.indptr[start : stop + 1] - first,
            ),
            shape=(stop - start, X.shape[1]),
        )
        self.predicted[start:stop] = chunk @ self.learner.coef_[0] > 0
        self.n_done = stop


def f_measure(y, predicted):
    """Return 2 R P / (R + P), 0 if nothing is found."""
    found = np.count_nonzero(predicted & (y == 1))
    return 2 * found / max(np.count_nonzero(predicted) + np.count_nonzero(y), 1)


def run(learner, share, X, y, seed):
    """Return F, the share of labels bought and that of rows stored."""
    n = len(y)
    learner = type(learner)(**learner.get_params())
    learner.set_params(random_state=seed, budget=round(share * n))
    watcher = Watcher(learner, X, y)
    learner.learn(X, watcher, classes=[0, 1])
    watcher.predict(n)
    counts = learner.n_queries_ / n, learner.n_updates_ / n
    return (f_measure(y, watcher.predicted), *counts)


def run_topic(settings, X, topics, k, seed):
    """Return the results of all settings on one topic in one order of the news."""
    order = np.random.RandomState(seed).permutation(len(topics))
    X, y = X[order], topics[order, k].astype(int)
    with config_context(assume_finite=True):
        return [run(learner, share, X, y, seed) for learner, share in settings]


def curves(name, X, topics, args):
    """Return the results of one algorithm."""
    settings = list(ALGORITHMS[name].values())[:: args.every]
    values = list(ALGORITHMS[name])[:: args.every]
    results = Parallel(n_jobs=args.jobs)(
        delayed(run_topic)(settings, X, topics, k, SEED + repeat)
        for repeat in range(args.repeats)
        for k in range(topics.shape[1])
    )
    # (repeats, topics, settings, 3)
    results = np.array(results).reshape(args.repeats, -1, len(settings), 3)
    frequent, everything = results[:, :FREQUENT].mean((0, 1)), results.mean((0, 1))
    has_rare = topics.shape[1] > FREQUENT
    spread = deviation(results[:, :FREQUENT, :, 0].mean(1))
    return [
        {
            "algorithm": name,
            "value": value,
            "topics": topics,
            "labels": bought,
            "stored": stored,
            "F": F,
            "F_std": std,
        }
        for topics, means, stds in (
            ("frequent", frequent, spread),
            ("all", everything, deviation(results[..., 0].mean(1))),
        )
        if topics == "frequent" or has_rare
        for value, (F, bought, stored), std in zip(values, means, stds, strict=True)
    ]


def figure_3(X, topics, args):
    """Relate what SSMD stores and buys to how hard and how frequent topics are.

    Returns
    -------
    rows, each : list of dict
        Means over the orders of the news for each topic, and the single orders.
    """
    learner = RLSSamplingClassifier(args.lam, variant="mistake", **SECOND_ORDER)
    results = Parallel(n_jobs=args.jobs)(
        delayed(run_topic)([(learner, 1.0)], X, topics, k, SEED + repeat)
        for repeat in range(args.repeats)
        for k in range(topics.shape[1])
    )
    results = np.array(results).reshape(args.repeats, -1, 3)
    F, bought, stored = results.mean(axis=0).T
    F_std, bought_std, _ = deviation(results).T
    svm = LinearSVC(C=1.0, loss="hinge", fit_intercept=False, max_iter=10_000, tol=1e-3)
    norms = Parallel(n_jobs=args.jobs)(
        delayed(norm_of)(svm, X, topics[:, k]) for k in range(topics.shape[1])
    )
    positive = topics.mean(axis=0)
    columns = {
        "topic": range(1, len(F) + 1),
        "positive": positive,
        "labels": bought,
        "labels_std": bought_std,
        "stored": stored,
        "F": F,
        "F_std": F_std,
        "svm_norm": norms,
    }
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    each = [
        {"topic": k + 1, "run": run, "labels": bought, "stored": stored, "F": F}
        for run, of_topics in enumerate(results)
        for k, (F, bought, stored) in enumerate(of_topics)
    ]
    return rows, each


def norm_of(svm, X, y):
    """Return the norm of the weights of a support vector machine."""
    return float(np.linalg.norm(svm.fit(X, y).coef_))


@recorded
def toy():
    """Return words in place of news, for a quick run."""
    rng = np.random.default_rng(0)
    X = csr_matrix((rng.random((300, 300)) < 0.05) * rng.random((300, 300)))
    topics = (X @ rng.standard_normal((300, 6)) > [[0, 0, 0.3, 0.6, 0.9, 1.2]]).astype(
        int
    )
    return X, topics


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        only=(*ALGORITHMS, FIGURE_3),
        jobs=2,
        repeats=at_least(1, 3),
        rows=at_least(2),
        topics=at_least(1),
        lam=LAM,
        results=Path,
    )
    args.every = 1
    if args.quick:
        args.jobs, args.repeats, args.every = 1, 1, 3
    seeds = f"{SEED} to {SEED + args.repeats - 1}"
    results = Results(args.results, "second_order", argv, seeds)
    if args.quick:
        X, topics = toy()
    else:
        X, topics, _ = data.rcv1_topics()
        X = X.astype(np.float64)
    if args.rows:
        drawn = np.random.RandomState(SEED).permutation(len(topics))[: args.rows]
        X, topics = X[drawn], topics[drawn]
    topics = topics[:, np.argsort(-topics.sum(axis=0), kind="stable")]
    topics = topics[:, topics.sum(axis=0) > 0][:, : args.topics]
    for name in args.only or [*ALGORITHMS, FIGURE_3]:
        if name == FIGURE_3:
            rows, each = figure_3(X, topics, args)
            # all rows are replaced: topics and orders are those of one run
            table, key = "second_order_figure_3", []
            if args.lam != LAM:
                table, key = "second_order_lam", ["lam"]
                rows = [{"lam": args.lam, **row} for row in rows]
                each = [{"lam": args.lam, **row} for row in each]
            results.write(table, rows, key=key, runs=args.repeats, each=each)
        else:
            rows = curves(name, X, topics, args)
            key = ["algorithm", "value", "topics"]
            results.write("second_order_figure_2", rows, key=key, runs=args.repeats)


if __name__ == "__main__":
    main()
