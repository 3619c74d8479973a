"""Regret and labels of RLS selective sampling, as the noise near the separator falls.

Cavallanti, Cesa-Bianchi & Gentile (2008), Theorems 1 and 2, on rows of the unit
circle whose margins have the noise exponent alpha (`make_low_noise`, c = 1).
Regret of a step: the mean of |u'x| over 100,000 other rows on which the
separator is wrong; its sum over steps and the labels bought are looked at 20
times per decade. Slopes are least squares on log-log axes over the last two
decades, means of the runs. In theory, without logarithms:

    all labels   regret n^(1/(2+alpha))
    sampler      regret n^(2/(3+alpha)), labels n^(2/(2+alpha))

"paper" is Figure 1 with its constants (lam the smallest eigenvalue of the
covariance, transient included), "small" the same with a threshold 128 times
smaller and no transient.

    python -m benchmarks.papers.low_noise [--rows 1000000] [--runs 10] [--results DIR]
"""

import argparse
import time

import numpy as np
from joblib import Parallel, delayed

from sklearn_activelearn import RLSSamplingClassifier
from sklearn_activelearn.datasets import make_low_noise

from ._results import Results, add_option

SEED = 0
ALPHAS = (0.5, 1.0, 3.0, np.inf)
PLAIN = {"fit_intercept": False, "normalize": False, "dual": False}


def learners(lam):
    return {
        "all labels": RLSSamplingClassifier(variant="all", **PLAIN),
        "SSNL paper": RLSSamplingClassifier(
            lam, variant="next", transient=True, **PLAIN
        ),
        "SSNL small": RLSSamplingClassifier(128 * lam, variant="next", **PLAIN),
        "SS small": RLSSamplingClassifier(128 * lam, variant="current", **PLAIN),
    }


def theory(name, alpha):
    """Return the exponents of regret and labels in the number of rows."""
    if name == "all labels":
        return 1 / (2 + alpha), 1.0
    return 2 / (3 + alpha), 2 / (2 + alpha)


def run(name, alpha, n_rows, seed):
    """Return cumulative regret and labels bought at each look."""
    X, y, u = make_low_noise(
        n_rows + 100_000, alpha=alpha, coef=True, random_state=seed
    )
    margins = X[n_rows:] @ u
    lam = np.linalg.eigvalsh(X[:n_rows].T @ X[:n_rows] / n_rows)[0]
    learner = learners(lam)[name].set_params(random_state=seed)
    regret, labels, start = 0.0, [], 0
    total = []
    for stop in looks(n_rows):
        learner.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        wrong = (X[n_rows:] @ learner.coef_[0] > 0) != (margins > 0)
        regret += (stop - start) * np.abs(margins[wrong]).sum() / len(margins)
        total.append(regret)
        labels.append(learner.n_queries_)
        start = stop
    return total, labels


def looks(n_rows):
    """Return where to look, 20 times per decade."""
    n = round(20 * np.log10(n_rows / 10)) + 1
    return np.unique(np.geomspace(10, n_rows, n).round().astype(int))


def slope(x, values):
    """Return the exponent over the last two decades; 0 for what is constant."""
    late = x >= x[-1] / 100
    return np.polyfit(np.log(x[late]), np.log(np.maximum(values[late], 1e-9)), 1)[0]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    add_option(parser)
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    if args.quick:
        args.rows, args.runs, args.jobs = 3_000, 2, 1
    print(__doc__.splitlines()[0])
    print(f"{args.rows} rows, d = 2, {args.runs} runs, seeds {SEED}..")
    print("                      exponents, measured (theory)      at the end")
    print("alpha  algorithm     of regret         of labels         regret    labels")
    seeds = f"{SEED} to {SEED + args.runs - 1}"
    results = Results(args.results, "low_noise", argv, seeds)
    x = looks(args.rows)
    for alpha in ALPHAS:
        for name in learners(1.0):
            started = time.perf_counter()
            runs = Parallel(n_jobs=args.jobs)(
                delayed(run)(name, alpha, args.rows, SEED + k) for k in range(args.runs)
            )
            regret, labels = np.mean(runs, axis=0)
            expected = theory(name, alpha)
            row = {
                "alpha": alpha,
                "algorithm": name,
                "rows": args.rows,
                "regret_exponent": slope(x, regret),
                "regret_theory": expected[0],
                "labels_exponent": slope(x, labels),
                "labels_theory": expected[1],
                "regret": regret[-1],
                "labels": labels[-1],
            }
            print(
                "{alpha:5}  {algorithm:11} {regret_exponent:7.2f} "
                "({regret_theory:.2f})    {labels_exponent:7.2f} "
                "({labels_theory:.2f})   {regret:9.1f} {labels:9.0f}   ".format(**row)
                + f"{time.perf_counter() - started:.0f} s",
                flush=True,
            )
            results.write(
                "low_noise", [row], key=["alpha", "algorithm"], runs=args.runs
            )


if __name__ == "__main__":
    main()
