"""Monteleoni & Kääriäinen (2007), remark on SVMs: pool learners on the OCR problems.

The paper compares its online algorithms with an SVM that is retrained after each
label, labels chosen at random or by the Simple heuristic of Tong and Koller. Test error
at equal numbers of labels, mean ± std over the folds. The stream learners run with the
default parameters of the package but the paper's model: separators through the origin,
no averaging, tuned nowhere here; `benchmarks.papers.ocr` tunes them.

    python -m benchmarks.papers.simple_svm [--folds 5] [--rows 5000] [--problem 4v7]
        [--results DIR] [--quick]
"""

from pathlib import Path

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve

from .ocr import PAPER, PROBLEMS, SEED, problem

COUNTS = [10, 20, 30, 50, 75, 100, 150, 200]
SVM = make_pipeline(Normalizer(), SVC(kernel="linear", C=10.0))
LEARNERS = {
    "SVM, Simple": MinMarginClassifier(SVM),
    "SVM, random": PassiveClassifier(SVM),
    "DKMperc": DKMClassifier(**PAPER),
    "CBGZperc": CBGZClassifier(**PAPER),
    "randPerc": RandomSamplingClassifier(1.0, **PAPER),
}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"folds": 2, "rows": 200, "problem": ["0v1"]},
        jobs=2,
        folds=at_least(2, 5),
        rows=at_least(2 * COUNTS[-1], 10_000),
        problem=PROBLEMS,
        results=Path,
    )
    counts, load = (COUNTS[:3], data.digits) if args.quick else (COUNTS, None)
    results = Results(args.results, "simple_svm", argv, SEED)
    for name in args.problem or PROBLEMS:
        X, y, _, _ = problem(name, args.rows, 0, load)
        for learner_name, learner in LEARNERS.items():
            curve = label_curve(
                learner.set_params(budget=counts[-1]), X, y, cv=args.folds, at=counts,
                n_jobs=args.jobs, random_state=SEED + 1,
            )  # fmt: skip
            scores, rows, each = curve.carried_scores, [], []
            columns = counts, curve.mean, deviation(scores), scores.T
            for count, mean, std, of_folds in zip(*columns, strict=True):
                key = {"problem": name, "labels": count, "learner": learner_name}
                rows.append({**key, "error": 100 * (1 - mean), "std": 100 * std})
                each += [
                    {**key, "run": run, "error": 100 * (1 - score)}
                    for run, score in enumerate(of_folds)
                ]
            results.write("simple_svm", rows, key=[*key], runs=args.folds, each=each)


if __name__ == "__main__":
    main()
