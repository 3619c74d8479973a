"""Monteleoni & Kääriäinen (2007): labels against target error, learning curves.

Measures the paper's Figure 4 (mean labels to each target error, where all runs got
there) and Figure 5 (test error against labels bought) with the parameters that
`benchmarks.papers.ocr --results DIR` found; `ocr_figures` draws them. The runs are
those of Figure 3, 5 permutations of 10-fold cross-validation, each to its last row.
Test errors are measured after each of the first 200 labels, then every 5, from 500
on every 50 and from 1,500 on every 500.

    python -m benchmarks.papers.ocr_curves [--problem NAME] [--learner NAME]
        [--results DIR] [--quick]
"""

import json
from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.results import Results, read
from sklearn_activelearn.evaluation import label_curve

from .ocr import LEARNERS, SEED, problem

FIGURE_4 = ("0v1", "4v7", "0vAll", "USPS 0vAll")
FIGURE_5 = ("0v1", "147vAll", "0vAll", "USPS 0vAll")


def labels_per_target(curve):
    """Yield target errors that every run reached with mean labels, and each run's."""
    for error in np.linspace(0.2, 0.005, 40):
        needed = curve.labels_to_target(error)
        if not needed.n_failed:
            yield {"target_error": error, "labels": needed.mean}, needed.labels


def error_per_labels(curve):
    """Yield label counts that runs bought on average, and the mean error there.

    The last one stands with the error of each run after its last label.
    """
    shown = np.geomspace(1, curve.n_bought.mean(), 40)
    places = np.unique(np.searchsorted(curve.n_labels, shown, side="right") - 1)
    for k in places:
        row = {"labels": int(curve.n_labels[k]), "error": 1 - curve.mean[k]}
        yield row, 1 - curve.final_scores if k == places[-1] else ()


#: file: (problems, points of a curve, column of the points, what runs differ in)
FIGURES = {
    "ocr_figure_4": (FIGURE_4, labels_per_target, "target_error", "labels"),
    "ocr_figure_5": (FIGURE_5, error_per_labels, "labels", "error"),
}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"repeats": 1, "folds": 2, "problem": ["0v1"]},
        jobs=2,
        repeats=at_least(1, 5),
        folds=at_least(2, 10),
        problem=FIGURE_4 + FIGURE_5[1:2],
        learner=LEARNERS,
        results=Path,
    )
    sizes, load = (10_000, 2_000), None
    if args.quick:
        sizes, load = (200, 0), data.digits
    tuned = {
        (row["problem"], row["learner"]): json.loads(row["parameters"])
        for row in (read(args.results, "ocr") if args.results else [])
        if row["problem"] in FIGURE_4 + FIGURE_5
    }
    if not tuned:
        print("The parameters are the defaults: there is no ocr.csv in --results.")
    steps = np.r_[1:201, 205:501:5, 550:1501:50, 2000:10_001:500]
    results = Results(args.results, "ocr_curves", argv, SEED + 1)
    for name in args.problem or dict.fromkeys(FIGURE_4 + FIGURE_5):
        for learner in args.learner or LEARNERS:
            base, params = LEARNERS[learner][0], tuned.get((name, learner), {})
            curve = label_curve(
                clone(base).set_params(**params),
                *problem(name, *sizes, load)[:2],
                cv=args.folds,
                n_repeats=args.repeats,
                n_jobs=args.jobs,
                at=steps,
                random_state=SEED + 1,
            )
            for table, (problems, points, column, measured) in FIGURES.items():
                row = {"problem": name, "learner": learner}
                found = [({**row, **point}, runs) for point, runs in points(curve)]
                if name in problems:
                    results.write(
                        table,
                        [point for point, _ in found],
                        key=["problem", "learner", column],
                        runs=args.repeats * args.folds,
                        each=[
                            {**point, "run": run, measured: value}
                            for point, runs in found
                            for run, value in enumerate(runs)
                        ],
                    )


if __name__ == "__main__":
    main()
