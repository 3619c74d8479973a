"""`label_curve` of a stream learner against the learner's own pass.

`label_curve` runs five folds: a fifth of the rows held out, the others offered in
random order, a score after 10, 100 and 1000 labels and at the end. "pass" is the same
learner's `fit` on the rows of each fold, which lie ready; it draws a random order too.
"scoring" is as many calls of `score` on the rows held out. The ratio is the median
over the rounds of

    (label_curve - scoring) / pass

    python -m benchmarks.speed.label_curve [--rounds 9] [--quick]
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.speed import _rows
from benchmarks.speed._interleave import interleaved, main
from benchmarks.speed.one_pass import CBGZ, DKM, RANDOM, fresh
from sklearn_activelearn.evaluation import label_curve

AT = [10, 100, 1000]
LEARNERS = {"CBGZ": CBGZ, "DKM": DKM, "random": RANDOM}


def calls(learner, X, y):
    """Return what is timed, by name; each goes through all five folds."""
    folds = [
        (X[train], y[train], X[test], y[test])
        for train, test in StratifiedKFold(5).split(y, y)
    ]
    fitted = fresh(learner).fit(X, y)

    def curve():
        return label_curve(learner, X, y, at=AT, random_state=0)

    n_scores = 1 + int((~np.isnan(curve().scores[0])).sum())

    def fit():
        for X_train, y_train, _, _ in folds:
            fresh(learner).fit(X_train, y_train)

    def score():
        for _, _, X_test, y_test in folds:
            for _ in range(n_scores):
                fitted.score(X_test, y_test)

    return {"pass": fit, "scoring": score, "label_curve": curve}


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    images, even, _, name = _rows.images(60_000 // shrink)
    shapes = {
        f"{name}, {images.shape[0]} x 784": (images, even),
        f"Gaussian, {500_000 // shrink} x 54": _rows.gaussian(500_000 // shrink, 54),
        f"Words, {20_000 // shrink} x 47000 (CSR)": _rows.words(20_000 // shrink),
    }
    print(f"\n{'ms':38} {'pass':>8} {'scoring':>8} {'label_curve':>12}  ratio  target")
    for shape, (X, y) in shapes.items():
        for learner_name, learner in LEARNERS.items():
            timings = interleaved(calls(learner, X, y), rounds)
            passes, scoring, curve = (
                timings[part].seconds for part in ("pass", "scoring", "label_curve")
            )
            ratio = np.median((curve - scoring) / passes)
            verdict = "met" if ratio <= 2 else "missed"
            medians = [1e3 * np.median(t) for t in (passes, scoring, curve)]
            print(
                f"{shape + ', ' + learner_name:38} {medians[0]:8.1f} {medians[1]:8.1f} "
                f"{medians[2]:12.1f} {ratio:6.2f}  <= 2  {verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main(__doc__, benchmark)
