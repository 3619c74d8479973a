"""
==========================
How to read a label curve
==========================

A label curve shows the held-out error against the labels bought. Two questions
can be read off: how good am I with the labels I can pay for (look up), and how many
labels does it take to be that good (look across).
"""

# %%
# Two learners, the same rows
# ---------------------------
#
# Both descend the hinge on the same folds of the digits, in the same order. One buys
# every label: passive learning. The other buys the smallest margin of every five rows.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sklearn_activelearn import GreedyOnlineClassifier, MarginLossClassifier
from sklearn_activelearn.evaluation import LabelCurveDisplay, label_curve

X, y = load_digits(return_X_y=True)
X = X / 16
counts = np.unique(np.geomspace(10, len(X), 40).astype(int))
active, passive = (
    label_curve(learner, X, y, at=counts, n_repeats=2, random_state=0)
    for learner in (GreedyOnlineClassifier(), MarginLossClassifier("hinge"))
)

# %%
# The curves
# ----------
#
# Bands are the middle 80 % of the ten runs. The orange line looks up from 200 labels,
# then across to the labels with which passive learning is as good.

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
LabelCurveDisplay(
    {"GreedyOnlineClassifier": active},
    passive={"every label, hinge": passive},
).plot(axis)

look_up = 200
error = 1 - active.scores_at([look_up]).mean()
across = passive.labels_for(error)
axis.plot(
    [look_up, look_up, across, across], [1e-9, error, error, 1e-9], color="#D55E00"
)
axis.annotate(
    f"{look_up} labels instead of {across:.0f}\nfor an error of {error:.2f}",
    (look_up, error),
    (12, 14),
    textcoords="offset points",
    color="#D55E00",
)
plt.show()
