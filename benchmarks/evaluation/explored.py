"""Coverage of the 95 % interval of `explored_score`.

A run buys 100 labels, in tens, of two thirds of the rows of a set, at most 1,500, with
HybridSamplingClassifier(explore=0.2) around a logistic regression, or around the
default blend (--blend). The truth is the accuracy, plain or balanced, of its model on
other rows, at most 2,000. After 50 and 100 labels:

n        random rows among the labels
bias     mean of the value less the truth, in points
covers   runs whose interval holds the truth, in %; balanced: the same for that
width    mean width of the interval, in points; that of Wilson's of as many test rows

    python -m benchmarks.evaluation.explored [--runs 300] [--set NAME ...] [--blend]
        [--out FILE] [--quick]
"""

from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.problems import PROBLEMS
from benchmarks.results import write_table
from sklearn_activelearn import HybridSamplingClassifier
from sklearn_activelearn.evaluation import explored_score
from sklearn_activelearn.utils._statistics import score_interval

SETS = (
    "digits", "letters", "noisy", "covtype", "tumours",
    "pima", "german", "banana", "splice", "mushroom",
)  # fmt: skip
LABELS = (50, 100)
HEAD = ("set", "labels", "runs", "n", "bias", "covers", "balanced", "width", "wilson")


def run(split, seed, estimator):
    """Return, after each number of labels, what HEAD says of one run."""
    learner = HybridSamplingClassifier(
        estimator, explore=0.2, batch_size=10, random_state=seed
    )
    found = []
    for n_labels in LABELS:
        learner.set_params(budget=n_labels)
        while len(rows := learner.query(split.X)):
            learner.teach(split.X[rows], split.y[rows])
        predicted = learner.predict(split.X_test)
        truth = np.mean(predicted == split.y_test)
        balanced = balanced_accuracy_score(split.y_test, predicted)
        plain = explored_score(learner)
        other = explored_score(learner, scoring="balanced_accuracy")
        n, scale = plain.n_labels, norm.ppf(0.975) ** 2 / plain.n_labels
        usual = np.diff(score_interval(truth, scale, 0, 1, -1))[0]
        found.append(
            (
                n,
                100 * (plain.value - truth),
                100 * (plain.low <= truth <= plain.high),
                100 * (other.low <= balanced <= other.high),
                100 * (plain.high - plain.low),
                100 * usual,
            )
        )
    return found


def main(argv=None):
    quick = {"runs": 2, "set": ["tumours"]}
    args = parse(__doc__, argv, quick, runs=300, set=SETS, blend=False, out=str)
    logistic = LogisticRegression(tol=1e-3, max_iter=300)
    estimator = None if args.blend else logistic
    table = []
    for name in args.set or SETS:
        try:
            X, y = PROBLEMS[name].load()
        except OSError as error:
            print(f"{name} is left out: {error}")
            continue
        with threadpool_limits(1), catch_warnings():
            simplefilter("ignore")
            splits = (PROBLEMS[name].split(X, y, seed) for seed in range(args.runs))
            runs = [run(split, seed, estimator) for seed, split in enumerate(splits)]
        for n_labels, means in zip(LABELS, np.mean(runs, axis=0), strict=True):
            cells = [f"{mean:.1f}" for mean in means]
            table.append([name, n_labels, args.runs, *cells])
    write_table(args.out, HEAD, table)


if __name__ == "__main__":
    main()
