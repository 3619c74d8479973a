"""
===============================
Tuning b: what a search can say
===============================

`GridSearchCV` works around a learner, and reads every label of the rows it is given:
it tells what would have been best. Without a budget that is to buy a lot.
"""

# %%
# With and without a budget
# -------------------------
#
# ``n_queries_scorer`` puts the bill of each fold beside its accuracy.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from sklearn_activelearn import CBGZClassifier
from sklearn_activelearn.evaluation import n_queries_scorer

X, y = load_digits(return_X_y=True)
B = np.array([0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0])


def search(budget):
    """Return the results of a search over b."""
    return GridSearchCV(
        CBGZClassifier(budget=budget, random_state=0),
        {"b": B},
        scoring={"accuracy": "accuracy", "labels": n_queries_scorer},
        refit="accuracy",
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    ).fit(X, y)


# %%
# The larger b, the more labels
# -----------------------------
#
# Without a budget the search says "buy more": the error falls along with the bill, and
# the winner has bought four labels of five. With 200 labels to spend, a small b spreads
# them over the stream and a large one spends them on whatever comes first; from 0.03 on
# it is all much the same, and the winner is a matter of the folds. Circles: winners.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4), sharex=True, layout="constrained"
)
for budget, color, label in (
    (None, "0.4", "no budget"),
    (200, "#0072B2", "budget 200"),
):
    found = search(budget)
    errors = 1 - found.cv_results_["mean_test_accuracy"]
    for axis, values in (
        (left, errors),
        (right, found.cv_results_["mean_test_labels"]),
    ):
        axis.plot(B, values, ".-", color=color, lw=1.8, label=label)
        best = found.best_index_
        axis.plot(B[best], values[best], "o", mfc="none", mec="#D55E00", mew=2, ms=13)
left.set(xscale="log", xlabel="b", ylabel="error in cross-validation", ylim=0)
right.set(xscale="log", xlabel="b", ylabel="labels bought", ylim=0)
left.legend(frameon=False)
plt.show()
