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
from sklearn_activelearn.evaluation import label_curve

X, y = load_digits(return_X_y=True)
X = X / 16
learners = {
    "every label, hinge": (MarginLossClassifier("hinge"), "0.4"),
    "GreedyOnlineClassifier": (GreedyOnlineClassifier(), "#0072B2"),
}
counts = np.unique(np.geomspace(10, len(X), 40).astype(int))
curves = {
    name: label_curve(learner, X, y, at=counts, n_repeats=2, random_state=0)
    for name, (learner, _) in learners.items()
}

# %%
# The curves
# ----------
#
# Bands are one standard deviation over the ten runs. The dashed lines look up from
# 200 labels, and across to the labels with which passive learning is as good.

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, (_, color) in learners.items():
    curve = curves[name]
    shown = curve.n_labels <= curve.n_bought.mean()
    n_labels, mean, std = (a[shown] for a in (curve.n_labels, curve.mean, curve.std))
    axis.plot(n_labels, 1 - mean, color=color, lw=2, label=name)
    axis.fill_between(n_labels, 1 - mean - std, 1 - mean + std, color=color, alpha=0.15)

passive, active = curves.values()
look_up = 200
error = float(np.interp(look_up, active.n_labels, 1 - active.mean))
across = passive.labels_for(error)
axis.plot(
    [look_up, look_up, across, across], [0, error, error, 0], "--", color="#D55E00"
)
axis.annotate(
    f"{look_up} labels instead of {across:.0f}\nfor an error of {error:.2f}",
    (look_up, error),
    (12, 14),
    textcoords="offset points",
    color="#D55E00",
)
axis.set(xscale="log", xlabel="labels bought", ylabel="held-out error", ylim=(0, 0.6))
axis.set_xticks([10, 30, 100, 300, 1000], ["10", "30", "100", "300", "1000"])
axis.legend(frameon=False)
plt.show()
