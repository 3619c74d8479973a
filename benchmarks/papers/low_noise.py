"""Regret and labels of RLS selective sampling, as the noise near the separator falls.

Cavallanti, Cesa-Bianchi & Gentile (2008), Theorems 1 and 2, on unit rows whose margins
have the noise exponent alpha (`make_low_noise`, c = 1). Regret of a step: the mean of
|u'x| over 100,000 other rows on which the separator is wrong; its sum over the n steps
and the labels bought are looked at 20 times per decade. Exponents are least squares on
log-log axes over the last two decades, of the means of the runs and of each run. In
theory, but for logarithms:

    all labels   regret n^(1/(2+alpha))
    sampler      regret n^(2/(3+alpha)), labels n^(2/(2+alpha))

"paper" is Figure 1 with its constants (lam the smallest eigenvalue of the covariance,
transient included), "small" the same with a threshold 128 times smaller and no
transient, which the theorems do not cover. SSMD stores a label only if its prediction
was wrong. SSNM is the mistake-driven rule of section 3: a small margin buys the label,
and the next row is bought and stored if the prediction was wrong. For both, the
exponent of the labels is the exponent of the labels stored.

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

SEED, N_TEST = 0, 100_000
DIMENSIONS, ALPHAS = (2, 10), (0.5, 0.75, 1.0, 3.0, np.inf)
#: Variant, threshold in units of the smallest eigenvalue, and transient.
ALGORITHMS = {
    "all labels": ("all", 1, False),
    "SSNL paper": ("next", 1, True),
    "SSNL small": ("next", 128, False),
    "SS small": ("current", 128, False),
    "SSMD small": ("mistake", 128, False),
    "SSNM paper": ("next_mistake", 1, True),
    "SSNM small": ("next_mistake", 128, False),
}


def problem(d, alpha, n_rows, seed):
    """Return rows and labels, the last of them for the regret, and the separator."""
    return make_low_noise(n_rows + N_TEST, d, alpha=alpha, coef=True, random_state=seed)


def looks(n_rows):
    """Return where to look, 20 times per decade."""
    n = round(20 * np.log10(n_rows / 10)) + 1
    return np.unique(np.geomspace(10, n_rows, n).round().astype(int))


def run(name, d, alpha, n_rows, seed):
    """Return cumulative regret, labels bought and labels stored at each look."""
    X, y, u = problem(d, alpha, n_rows, seed)
    margins = X[n_rows:] @ u
    variant, threshold, transient = ALGORITHMS[name]
    lam = threshold * np.linalg.eigvalsh(X[:n_rows].T @ X[:n_rows] / n_rows)[0]
    learner = RLSSamplingClassifier(
        1.0 if variant == "all" else lam, variant=variant, transient=transient,
        fit_intercept=False, normalize=False, solver="primal", random_state=seed,
    )  # fmt: skip
    regret, start, found = 0.0, 0, []
    for stop in looks(n_rows):
        learner.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        wrong = (X[n_rows:] @ learner.coef_[0] > 0) != (margins > 0)
        regret += (stop - start) * np.abs(margins[wrong]).sum() / len(margins)
        found.append((regret, learner.n_queries_, learner.n_updates_))
        start = stop
    return np.transpose(found)


def row_of(x, found, name, alpha):
    """Return the exponents over the last two decades, in theory, and the last figures.

    Parameters
    ----------
    x : ndarray
        Numbers of rows.
    found : ndarray of shape (3, n_looks)
        Regret, labels bought and labels stored.
    name, alpha : str, float
        The algorithm and the exponent of the noise.
    """
    regret, labels, stored = found
    counted, late = stored if name[:4] in ("SSMD", "SSNM") else labels, x >= x[-1] / 100
    slopes = [
        np.polyfit(np.log(x[late]), np.log(np.maximum(values[late], 1e-9)), 1)[0]
        for values in (regret, counted)
    ]
    is_all = name == "all labels"
    return {
        "regret_exponent": slopes[0],
        "regret_theory": 1 / (2 + alpha) if is_all else 2 / (3 + alpha),
        "labels_exponent": slopes[1],
        "labels_theory": 1.0 if is_all else 2 / (2 + alpha),
        "regret": regret[-1],
        "labels": labels[-1],
        "stored": stored[-1],
    }


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"rows": 3_000, "runs": 2, "jobs": 1, "d": [2]},
        rows=at_least(100, 1_000_000),
        runs=at_least(1, 10),
        d=[int],
        alpha=[float],
        algorithm=ALGORITHMS,
        jobs=2,
        results=Path,
    )
    seeds = f"{SEED} to {SEED + args.runs - 1}"
    results, x = Results(args.results, "low_noise", argv, seeds), looks(args.rows)
    for d, alpha in product(args.d or DIMENSIONS, args.alpha or ALPHAS):
        DATA.add(*problem(d, alpha, args.rows, SEED)[:2])  # of the first run
        for name in args.algorithm or ALGORITHMS:
            runs = Parallel(n_jobs=args.jobs)(
                delayed(run)(name, d, alpha, args.rows, SEED + k)
                for k in range(args.runs)
            )
            key = {"d": d, "alpha": alpha, "algorithm": name}
            mean, *each = (
                {**key, "rows": args.rows, **row_of(x, found, name, alpha)}
                for found in (np.mean(runs, axis=0), *runs)
            )
            each = [{**row, "run": k} for k, row in enumerate(each)]
            results.write("low_noise", [mean], key=[*key], runs=args.runs, each=each)


if __name__ == "__main__":
    main()
