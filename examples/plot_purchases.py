"""
====================================
Which rows a min-margin learner buys
====================================

Random labels lie everywhere. A min-margin learner asks where its present boundary
runs: after a few random rows it spends nearly all labels on rows near the border
between the classes, and next to none on rows that are clear.
"""

# %%
# The same forty labels, twice
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from sklearn_activelearn import MinMarginClassifier, PassiveClassifier

X, y = make_moons(1_000, noise=0.2, random_state=0)
X_test, y_test = make_moons(5_000, noise=0.2, random_state=1)
model = SVC(C=10.0)
learners = {
    "random labels": PassiveClassifier(model, budget=40, random_state=0),
    "min-margin": MinMarginClassifier(model, budget=40, random_state=0),
}

# %%
# What they bought
# ----------------
#
# Circles are bought rows, numbered by colour: dark first, bright last. The line is
# the boundary in the end.

figure, axes = plt.subplots(
    1, 2, figsize=(10, 4.3), sharex=True, sharey=True, layout="constrained"
)
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 150), np.linspace(-1.5, 2, 150)), -1)
for axis, (name, learner) in zip(axes, learners.items(), strict=True):
    learner.fit(X, y)
    for label, color in enumerate(("#0072B2", "#D55E00")):
        axis.plot(*X[y == label].T, ".", color=color, ms=3, alpha=0.3)
    height = learner.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    axis.contour(*np.moveaxis(grid, -1, 0), height, levels=[0], colors="black")
    bought = axis.scatter(
        *X[learner.queried_indices_].T,
        c=np.arange(1, 41),
        cmap="plasma",
        edgecolor="black",
        s=50,
        zorder=3,
    )
    axis.set(title=f"{name}: error {1 - learner.score(X_test, y_test):.3f}")
    axis.set(xticks=[], yticks=[])
figure.colorbar(bought, ax=axes, label="bought as number", shrink=0.8)
plt.show()
