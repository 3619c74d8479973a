"""Machine labels: rows that people read until a certificate, and how often it is wrong.

5,000 rows of a set have machine labels, of which a share is wrong. `ErrorTarget` allows
2 %. For each kind of error, share and order of reading, means over sets and seeds:

read      rows read, %; the sample of 400 rows is included
expected  median of max(a / b, b / a), a rows read and b rows expected after the sample
missed    runs in which more than 2 % of the labels were wrong in the end

Kinds of errors. An older model is trained on 1,000 other rows; its gap is the
difference of the log odds of the true and the best other class.
hard      rows with small gaps get the best other class, by chance: the score is -3 log
          (rank of the gap + .01) plus logistic noise; the confidence is the logistic
          function of the gap plus noise
noise     random rows get a random other class; there is no confidence
region    the rows around a random row get one wrong class; confidences, Beta(9, 1), say
          nothing

The orders: `ErrorSamplingClassifier`, the confidence, random, and the wrong rows first;
the last two with the first seed only.
`--guarantee N` counts missed targets in N runs of each kind on 1,000 synthetic rows,
with 30 reference rows of the kernel in place of 300: any ranking will do.

    python -m benchmarks.evaluation.machine_labels [--seeds 12] [--shares 0.05 0.1 0.2]
        [--set NAME] [--guarantee 250] [--out FILE] [--quick]
"""

from itertools import product

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import TruncatedSVD
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.options import parse
from benchmarks.problems import of_class
from benchmarks.results import write_table
from sklearn_activelearn import ErrorSamplingClassifier
from sklearn_activelearn.audit import _machine_labels
from sklearn_activelearn.datasets import make_twonorm
from sklearn_activelearn.pool import ErrorTarget

N_ROWS, N_TRAIN = 5_000, 1_000
HEAD = "kind", "share", "order", "runs", "read", "expected", "missed"
KINDS = "hard", "noise", "region"


SETS = {
    "mnist": data.mnist,
    "usps": data.usps,
    "rcv1": data.rcv1,
    "covtype": of_class(data.covtype, 2),
    "moneyfx": data.money_fx,
    "twonorm": lambda: data.raetsch("twonorm"),
    "digits": data.digits,
}


class GivenOrder(ErrorSamplingClassifier):
    """Reads rows in a given order."""

    scores = None

    def _score_rows(self, X, is_read):
        return self.scores


def make_task(X, y, kind, share, n_rows, rng):
    """Return rows, labels, machine labels and confidences."""
    order = rng.permutation(len(y))
    own, train = order[:n_rows], order[n_rows : n_rows + N_TRAIN]
    A, B = X[own], X[train]
    scaler = StandardScaler(with_mean=not issparse(X)).fit(A)
    classes, codes = np.unique(y[own], return_inverse=True)
    n_wrong, rows = round(share * n_rows), np.arange(n_rows)
    machine = codes.copy()
    if kind == "noise":
        wrong = rng.choice(n_rows, n_wrong, replace=False)
        machine[wrong] += rng.integers(1, len(classes), n_wrong)
        return A, y[own], classes[machine % len(classes)], None
    if kind == "region":
        points = TruncatedSVD(20, random_state=0).fit_transform(A) if issparse(A) else A
        near = np.argsort(((points - points[rng.integers(n_rows)]) ** 2).sum(axis=1))
        target = (codes[near[0]] + 1) % len(classes)
        machine[near[codes[near] != target][:n_wrong]] = target
        return A, y[own], classes[machine], rng.beta(9, 1, n_rows)
    model = LogisticRegression(max_iter=300).fit(scaler.transform(B), y[train])
    logs = np.full((n_rows, len(classes)), -14.0)
    found = np.searchsorted(classes, model.classes_)
    logs[:, found] = np.maximum(model.predict_log_proba(scaler.transform(A)), -14)
    true = logs[rows, codes].copy()
    logs[rows, codes] = -np.inf
    gap = np.abs(logs.max(axis=1) - true)
    rank = np.argsort(np.argsort(gap)) / n_rows
    score = -3 * np.log(rank + 0.01) + rng.logistic(size=n_rows)
    wrong = np.argsort(-score)[:n_wrong]
    machine[wrong] = logs.argmax(axis=1)[wrong]
    confidence = 1 / (1 + np.exp(-(gap + rng.logistic(scale=0.5, size=n_rows))))
    return A, y[own], classes[machine], confidence


def run(task, order, target, seed):
    """Return the rows read, the rows expected after the sample, and the final error."""
    X, y, machine, confidence = task
    kind = ErrorSamplingClassifier if order == "ranked" else GivenOrder
    learner = kind(
        machine,
        machine_confidence=confidence,
        estimator=DummyClassifier(strategy="stratified"),
        stopping=target,
        random_state=seed,
    )
    rng = np.random.default_rng(seed)
    learner.scores = {
        "confidence": None if confidence is None else -confidence,
        "random": rng.random(len(y)),
        "wrong first": 1.0 * (machine != y),
    }.get(order)
    rows = learner.query(X)
    expected = learner.teach(X[rows], y[rows]).result(X).n_expected
    result = learner.learn(X, lambda rows: y[rows]).result(X)
    return result.n_checked, expected, np.mean(result.labels != y)


def summary(key, runs, error):
    """Return a line of the table."""
    read, expected, wrong, n_rows = np.array(runs, dtype=float).T
    ratio = np.maximum(read / expected, expected / read)
    share = 100 * np.mean(read / n_rows)
    missed = int(np.count_nonzero(wrong > error))
    return [*key, len(runs), f"{share:.1f}", f"{np.median(ratio):.2f}", missed]


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"seeds": 1, "set": ["digits"], "shares": [0.1], "guarantee": 2},
        seeds=12,
        shares=[0.05, 0.1, 0.2],
        set=SETS,
        guarantee=250,
        out=str,
    )
    names = args.set or [*SETS][:-1]
    n_rows, target = N_ROWS, ErrorTarget(0.02)
    if args.quick:
        n_rows = 400
    loaded = {name: SETS[name]()[:2] for name in names}
    table = []

    def add(key, runs, error):
        table.append(summary(key, runs, error))

    with threadpool_limits(1):
        for share, kind in product(args.shares, KINDS):
            runs = {}
            for name, seed in product(names, range(args.seeds)):
                rng = np.random.default_rng(seed)
                task = make_task(*loaded[name], kind, share, n_rows, rng)
                for order in ("ranked", "confidence", "random", "wrong first"):
                    is_known = order in ("random", "wrong first") and seed > 0
                    if is_known or (order == "confidence" and task[3] is None):
                        continue
                    found = run(task, order, target, seed)
                    runs.setdefault(order, []).append((*found, n_rows))
            for order, each in runs.items():
                add((kind, share, order), each, target.error)
        target, _machine_labels.N_REFERENCE = ErrorTarget(0.05), 30
        for kind in KINDS if args.guarantee else ():
            runs = []
            for seed in range(args.guarantee):
                X, y = make_twonorm(2_000, random_state=seed)
                rng = np.random.default_rng(seed)
                task = make_task(X, y, kind, 0.15, 1_000, rng)
                runs.append((*run(task, "ranked", target, seed), 1_000))
            add((f"{kind}, synthetic", 0.15, "ranked"), runs, target.error)
    write_table(args.out, HEAD, table)


if __name__ == "__main__":
    main()
