"""
========================
Several labels for a row
========================

A text has topics, a picture shows things. Here each digit has the properties that are
true of it: it is even, a prime, more than four, or has a loop. The labels of a row are
one purchase, whatever their number.
"""

# %%
# Labels as an indicator matrix
# -----------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import (
    BlendClassifier,
    HybridSamplingClassifier,
    PassiveClassifier,
)
from sklearn_activelearn.evaluation import label_curve

X, digit = load_digits(return_X_y=True)
X = X[:900] / 16
PROPERTIES = {
    "even": [0, 2, 4, 6, 8],
    "prime": [2, 3, 5, 7],
    "more than four": [5, 6, 7, 8, 9],
    "has a loop": [0, 6, 8, 9],
}
y = np.column_stack([np.isin(digit[:900], each) for each in PROPERTIES.values()])
learner = HybridSamplingClassifier(batch_size=20, budget=60, random_state=0)
rows = learner.query(X)
learner.teach(X[rows], y[rows], classes=list(PROPERTIES))
for row in rows[:3]:
    print(
        digit[row], [name for name, has in zip(PROPERTIES, y[row], strict=True) if has]
    )

# %%
# Rows, model and thresholds
# --------------------------
#
# The same model on chosen and on random rows, and one logistic regression for each
# label, which predicts a label from a probability of one half on. The dotted line is a
# constant prediction: the labels that are best predicted for every row.

CANDIDATES = [("logistic", LogisticRegression(C=10, max_iter=1_000))]
settings = {"n_initial": 20, "batch_size": 20, "budget": 100}
learners = {
    "chosen rows": HybridSamplingClassifier(BlendClassifier(CANDIDATES), **settings),
    "random rows": PassiveClassifier(BlendClassifier(CANDIDATES), **settings),
    "random rows, threshold ½": PassiveClassifier(
        LogisticRegression(max_iter=1_000), **settings
    ),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
at = np.arange(20, 101, 20)
for (name, each), color in zip(
    learners.items(), ["#0072B2", "#D55E00", "0.5"], strict=True
):
    scoring = ["f1_micro", "f1_macro"]
    curve = label_curve(each, X, y, cv=3, at=at, scoring=scoring, random_state=0)
    for axis, of_score in zip(axes, [curve, *curve.others.values()], strict=False):
        axis.plot(at, of_score.mean, lw=2, color=color, label=name)
        axis.set(xlabel="rows with labels", title=of_score.scoring)
for axis in axes:
    axis.axhline(curve.constant_scores.mean(), color="0.7", ls=":")
axes[0].set(ylabel="held-out score")
axes[0].legend(frameon=False)
plt.show()
