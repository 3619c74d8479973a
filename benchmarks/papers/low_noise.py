"""Regret and labels of RLS selective sampling, as the noise near the separator falls.

Cavallanti, Cesa-Bianchi & Gentile (2008), Theorems 1 and 2, on unit rows whose margins
have the noise exponent alpha (`make_low_noise`, c = 1). Regret of a step: the mean of
|u'x| over 100,000 other rows on which the separator is wrong; its sum over the n steps
and the labels bought are looked at 20 times per decade. Slopes are least squares on
log-log axes over the last two decades, means of the runs. In theory, but for
logarithms:

    all labels   regret n^(1/(2+alpha))
    sampler      regret n^(2/(3+alpha)), labels n^(2/(2+alpha))

"paper" is Figure 1 with its constants (lam the smallest eigenvalue of the covariance,
transient included), "small" the same with a threshold 128 times smaller and no
transient. SSMD stores a label only if its prediction was wrong. SSNM is the
mistake-driven rule of section 3: a small margin buys the label, and the next row is
bought and stored if the prediction was wrong. For both, the exponent of the labels is
the exponent of the labels stored.

    python -m benchmarks.papers.low_noise [--rows 1000000] [--runs 10] [--d 2]
        [--alpha 1] [--algorithm NAME] [--results DIR] [--quick]
"""

from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results
from sklearn_activelearn import RLSSamplingClassifier
from sklearn_activelearn.datasets import make_low_noise

SEED = 0
DIMENSIONS = (2, 10)
ALPHAS = (0.5, 0.75, 1.0, 3.0, np.inf)
N_TEST = 100_000
PLAIN = {"fit_intercept": False, "normalize": False, "solver": "primal"}
ALL = "all labels"
STORES_FEWER = ("SSMD", "SSNM")


def rls(lam, variant, transient=False):
    return RLSSamplingClassifier(lam, variant=variant, transient=transient, **PLAIN)


def learners(lam):
    return {
        ALL: rls(1.0, "all"),
        "SSNL paper": rls(lam, "next", transient=True),
        "SSNL small": rls(128 * lam, "next"),
        "SS small": rls(128 * lam, "current"),
        "SSMD small": rls(128 * lam, "mistake"),
        "SSNM paper": rls(lam, "next_mistake", transient=True),
        "SSNM small": rls(128 * lam, "next_mistake"),
    }


def theory(name, alpha):
    """Return the exponents of regret and labels in the number of rows."""
    if name == ALL:
        return 1 / (2 + alpha), 1.0
    return 2 / (3 + alpha), 2 / (2 + alpha)


def problem(d, alpha, n_rows, seed):
    """Return rows and labels, the last of them for the regret, and the separator."""
    return make_low_noise(n_rows + N_TEST, d, alpha=alpha, coef=True, random_state=seed)


def run(name, d, alpha, n_rows, seed):
    """Return cumulative regret, labels bought and labels stored at each look."""
    X, y, u = problem(d, alpha, n_rows, seed)
    margins = X[n_rows:] @ u
    lam = np.linalg.eigvalsh(X[:n_rows].T @ X[:n_rows] / n_rows)[0]
    learner = learners(lam)[name].set_params(random_state=seed)
    regret, start, found = 0.0, 0, []
    for stop in looks(n_rows):
        learner.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        wrong = (X[n_rows:] @ learner.coef_[0] > 0) != (margins > 0)
        regret += (stop - start) * np.abs(margins[wrong]).sum() / len(margins)
        found.append((regret, learner.n_queries_, learner.n_updates_))
        start = stop
    return found


def looks(n_rows):
    """Return where to look, 20 times per decade."""
    n = round(20 * np.log10(n_rows / 10)) + 1
    return np.unique(np.geomspace(10, n_rows, n).round().astype(int))


def slope(x, values):
    """Return the exponent over the last two decades; 0 for what is constant."""
    late = x >= x[-1] / 100
    return np.polyfit(np.log(x[late]), np.log(np.maximum(values[late], 1e-9)), 1)[0]


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"rows": 3_000, "runs": 2, "jobs": 1, "d": [2]},
        rows=at_least(100, 1_000_000),
        runs=at_least(1, 10),
        d=[int],
        alpha=[float],
        algorithm=learners(1.0),
        jobs=2,
        results=Path,
    )
    seeds = f"{SEED} to {SEED + args.runs - 1}"
    results = Results(args.results, "low_noise", argv, seeds)
    x = looks(args.rows)
    for d, alpha in product(args.d or DIMENSIONS, args.alpha or ALPHAS):
        DATA.add(*problem(d, alpha, args.rows, SEED)[:2])  # of the first run
        for name in args.algorithm or learners(1.0):
            runs = Parallel(n_jobs=args.jobs)(
                delayed(run)(name, d, alpha, args.rows, SEED + k)
                for k in range(args.runs)
            )
            regret, labels, stored = np.mean(runs, axis=0).T
            expected = theory(name, alpha)
            identity = {"d": d, "alpha": alpha, "algorithm": name}
            row = {
                **identity,
                "rows": args.rows,
                "regret_exponent": slope(x, regret),
                "regret_theory": expected[0],
                "labels_exponent": slope(
                    x, stored if name[:4] in STORES_FEWER else labels
                ),
                "labels_theory": expected[1],
                "regret": regret[-1],
                "labels": labels[-1],
                "stored": stored[-1],
            }
            each = [
                {**identity, "run": k, "regret": one[-1][0], "labels": one[-1][1]}
                for k, one in enumerate(runs)
            ]
            results.write(
                "low_noise", [row], key=[*identity], runs=args.runs, each=each
            )


if __name__ == "__main__":
    main()
