"""Doubtful labels: how many of them are wrong, and the gain of checking them.

Half of each set tests, at most 2,000 rows. Of the other half 300 rows are labelled,
and 10 % of these labels are wrong: another class, by chance. The rows are random ones,
or bought in batches of 20 by uncertainty sampling from the wrong labels as they come.

p@20     of the 20 most doubtful labels, the share that is wrong, in %; of any, 10

The gain in accuracy on the test rows, in points, of 50 further labels of these kinds:

checked  the 50 most doubtful rows are labelled once more, all rightly
(10 %)   the same, and 10 % of the second labels are wrong, too
any      50 random ones of the 300 rows are labelled once more, all rightly
new      50 new rows, random ones; 10 % of their labels are wrong
bought   50 new rows, in one batch of uncertainty sampling; 10 % are wrong

Means over orders of the rows, the same for all columns, with standard errors of the
mean in brackets; below the line means over sets.

    python -m benchmarks.evaluation.doubtful [--orders 20] [--set NAME]
        [--model NAME] [--quick]
"""

import time
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.evaluation._sets import CHOSEN_ON, OTHERS, part_of
from benchmarks.options import parse
from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.evaluation import doubtful_labels

N_LABELS, N_MORE, N_FIRST = 300, 50, 20
NOISE, MOST_TEST_ROWS = 0.1, 2_000
COLUMNS = ("checked", "(10 %)", "any", "new", "bought")
#: With fewer rows there would be no choice among new ones.
SETS = {
    name: load
    for name, load in {**CHOSEN_ON, **OTHERS}.items()
    if name not in ("heart", "ionosphere", "tumours", "votes")
}
QUICK = {name: CHOSEN_ON[name] for name in ("tumours", "noise")}
MODELS = {
    "logistic regression": LogisticRegression(max_iter=300),
    "forest": RandomForestClassifier(random_state=0),
}


def with_mistakes(y, classes, rng):
    """Return labels of which a share is another class."""
    y = y.copy()
    rows = rng.permutation(len(y))[: round(NOISE * len(y))]
    for row in rows:
        y[row] = rng.choice(classes[classes != y[row]])
    return y


def most_uncertain(model, X, rows, n):
    """Return the rows with the smallest margins between two classes."""
    two = np.sort(model.predict_proba(X[rows]), axis=1)[:, -2:]
    return rows[np.argsort(two[:, 1] - two[:, 0], kind="stable")[:n]]


def run_once(estimator, X, y, seed, n_labels, is_bought):
    """Return the share of wrong labels among the first, and the gain of each kind."""
    rng, classes = np.random.RandomState(seed), np.unique(y)
    order = rng.permutation(len(y))
    pool, test = np.split(order, [len(y) // 2])
    test, answers = test[:MOST_TEST_ROWS], y.copy()
    answers[pool] = with_mistakes(y[pool], classes, rng)
    known = pool[:n_labels]
    if is_bought:
        learner = UncertaintySamplingClassifier(
            estimator, measure="margin", batch_size=20, budget=n_labels, random_state=0
        )
        bought = learner.learn(X[pool], lambda rows: answers[pool[rows]])
        known = pool[bought.queried_indices_]
    free = np.setdiff1d(pool, known)

    def score(rows, labels):
        if len(np.unique(labels)) == 1:  # of a rare class only mistakes were left
            return np.mean(y[test] == labels[0])
        return clone(estimator).fit(X[rows], labels).score(X[test], y[test])

    labels, model = answers[known], clone(estimator).fit(X[known], answers[known])
    doubtful = doubtful_labels(estimator, X[known], labels, random_state=seed).indices
    first, n_more = doubtful[:N_FIRST], min(N_MORE, len(free), n_labels // 2)
    again = doubtful[:n_more], doubtful[:n_more], rng.permutation(n_labels)[:n_more]
    second = y[known], with_mistakes(y[known], classes, rng), y[known]
    scores = []
    for rows, right in zip(again, second, strict=True):
        corrected = labels.copy()
        corrected[rows] = right[rows]
        scores.append(score(known, corrected))
    uncertain = most_uncertain(model, X, free, n_more)
    for rows in (rng.permutation(free)[:n_more], uncertain):
        scores.append(score(np.append(known, rows), np.append(labels, answers[rows])))
    precision = np.mean(labels[first] != y[known[first]])
    before = model.score(X[test], y[test])
    return [precision, *(after - before for after in scores)]


def line(name, results):
    """Print the means of the rows of a table, with their standard errors."""
    values = 100 * np.asarray(results)
    errors = np.zeros(values.shape[1])
    if len(values) > 1:
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    precision, *gains = values.mean(axis=0)
    cells = "".join(
        f"{gain:8.2f} ({error:.2f})"
        for gain, error in zip(gains, errors[1:], strict=True)
    )
    print(f"  {name:12}{precision:6.1f}{cells}", flush=True)


def table(title, results):
    """Print what is found on each set, and the means over sets."""
    print(f"\n{title}\n  {'':12}{'p@20':>6}" + "".join(f"{c:>15}" for c in COLUMNS))
    for name, runs in results.items():
        line(name, runs)
    means = np.array([np.mean(runs, axis=0) for runs in results.values()])
    print(f"  {'—' * 12}")
    line("mean of sets", means)
    for k, column in enumerate(COLUMNS[2:], start=3):
        n_better = np.sum(means[:, 1] > means[:, k])
        print(f"  checked is better than {column} on {n_better} of {len(means)} sets")


def main():
    args = parse(__doc__, orders=20, set=SETS | QUICK, model=MODELS)
    names, n_labels, models = args.set or SETS, N_LABELS, args.model or MODELS
    if args.quick:
        args.orders, names, n_labels = 1, QUICK, 100
        models = ["logistic regression"]
    print(f"{n_labels} labels, {args.orders} orders, seeds 0, 1, ...")
    begun, sets = time.perf_counter(), {}
    for name in names:
        X, y = part_of(*{**SETS, **QUICK}[name]())
        if isinstance(X, np.ndarray):
            X = StandardScaler().fit_transform(X)
        sets[name] = X, y
    with threadpool_limits(1), catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        for which in models:
            for is_bought in (False, True):
                results = {
                    name: [
                        run_once(MODELS[which], X, y, seed, n_labels, is_bought)
                        for seed in range(args.orders)
                    ]
                    for name, (X, y) in sets.items()
                }
                rows = "bought rows" if is_bought else "random rows"
                table(f"{which}, {rows}", results)
                print(f"  {time.perf_counter() - begun:.0f} s so far", flush=True)


if __name__ == "__main__":
    main()
