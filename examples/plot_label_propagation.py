"""
=======================================
Where one label settles a whole cluster
=======================================

Label propagation gives each row without a label the class probabilities of its
neighbours, in the mean. Active label propagation buys the label that leaves the
fewest errors to expect on the whole pool: first in a part without any label, then
where two classes meet.

``python examples/plot_label_propagation.py FILE`` saves the picture.
"""

# %%
# The pool
# --------
#
# Two spirals, and two groups a little aside.

import sys

import matplotlib.pyplot as plt
import numpy as np

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    UncertaintySamplingClassifier,
)

rng = np.random.RandomState(0)
angle = np.sqrt(rng.uniform(0.05, 1, 150)) * 2.6 * np.pi
spiral = np.column_stack([np.cos(angle), np.sin(angle)]) * angle[:, None]
centers = np.repeat([[-8, -9], [9, 8.5]], 30, axis=0)
groups = centers + 0.7 * rng.standard_normal((60, 2))
X = np.vstack([spiral, -spiral, groups]) + 0.25 * rng.standard_normal((360, 2))
y = np.repeat([0, 1, 1, 0], [150, 150, 30, 30])

# %%
# Twelve labels
# -------------
#
# Random ones, those nearest to the boundary of a logistic regression, and those of
# least expected risk. All three pools are shown by the same model, label
# propagation; the first four labels are random and the same.

model = ActiveLabelPropagationClassifier(n_neighbors=6, n_initial=4, random_state=3)
random = ActiveLabelPropagationClassifier(n_neighbors=6, n_initial=12, random_state=3)
uncertain = UncertaintySamplingClassifier(n_initial=4, random_state=3)

figure, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained")
for axis, title, learner in zip(
    axes,
    ("random labels", "uncertainty, logistic", "least expected risk"),
    (random, uncertain, model),
    strict=True,
):
    rows = learner.set_params(budget=12).fit(X, y).queried_indices_
    shown = ActiveLabelPropagationClassifier(n_neighbors=6)
    shown.query(X, limit=0)  # the pool
    shown.teach(X[rows], y[rows])
    probability = shown.label_distributions_[:, 1]
    wrong = shown.transduction_ != y
    axis.scatter(*X.T, c=probability, cmap="coolwarm", vmin=0, vmax=1, s=12)
    axis.scatter(*X[wrong].T, marker="x", c="black", s=14, lw=0.7)
    for number, row in enumerate(rows, start=1):
        axis.scatter(*X[row], s=150, c="white", edgecolors="black", zorder=2)
        axis.text(*X[row], number, ha="center", va="center", fontsize=8, zorder=3)
    axis.set(title=f"{title}: {wrong.mean():.0%} wrong", xticks=[], yticks=[])

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
plt.show()
