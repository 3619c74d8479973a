"""Error of the margin-loss sampler with rows as they are and with unit rows.

For each loss and data set the lowest mean error over six values of ``eta0``, and the
share of labels bought with it; three folds, one pass.

    python -m benchmarks.sets.unit_rows
"""

from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import MarginLossClassifier

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


def problems():
    """Return rows and labels by name."""
    digits, y = load_digits(return_X_y=True)
    cancer, z = load_breast_cancer(return_X_y=True)
    return {
        "digits": (digits / 16, y),
        "digits, standardised": (StandardScaler().fit_transform(digits), y),
        "digit 3": (digits / 16, y == 3),
        "breast cancer, standardised": (StandardScaler().fit_transform(cancer), z),
    }


def lowest_error(X, y, **params):
    """Return the lowest mean error over the rates, the share bought and the rate."""
    found = []
    for eta0 in RATES:
        runs = []
        folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
        for train, test in folds:
            learner = MarginLossClassifier(eta0=eta0, random_state=0, **params)
            learner.fit(X[train], y[train])
            error = 1 - learner.score(X[test], y[test])
            runs.append((error, learner.n_queries_ / len(train)))
        found.append((*np.mean(runs, axis=0), eta0))
    return min(found)


def main():
    print(f"{'loss':9} {'data':28} {'as they are':>16} {'unit rows':>16}")
    for loss in ("log_ramp", "ramp", "sigmoid"):
        for name, (X, y) in problems().items():
            cells = []
            for normalize in (False, True):
                error, share, _ = lowest_error(X, y, loss=loss, normalize=normalize)
                cells.append(f"{error:.1%}, {share:.0%} bought")
            print(f"{loss:9} {name:28} {cells[0]:>16} {cells[1]:>16}", flush=True)


if __name__ == "__main__":
    with catch_warnings():
        simplefilter("ignore")
        main()
