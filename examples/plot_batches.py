"""
===================
Budgets and batches
===================

One label at a time is best for the bill, and worst for the clock: each label is a
training and somebody's waiting. A batch is chosen with one model, by the highest
utilities without regard to each other, so its rows resemble each other.
"""

# %%
# The same budget in larger and larger batches
# --------------------------------------------

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from sklearn_activelearn import MinMarginClassifier, PassiveClassifier
from sklearn_activelearn.evaluation import label_curve

X, y = load_digits(return_X_y=True)
BUDGET = 150
SIZES = {2: "#0072B2", 10: "#009E73", 70: "#D55E00"}

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4), width_ratios=[2, 1], layout="constrained"
)


def draw(learner, step, **style):
    """Draw the curve of a learner at the ends of its batches; return seconds."""
    learner.set_params(budget=BUDGET)
    started = perf_counter()
    learner.fit(X, y)
    seconds = perf_counter() - started
    ends = np.arange(10, BUDGET + 1, step)
    curve = label_curve(learner, X, y, cv=5, at=ends, random_state=0)
    left.plot(ends, 1 - curve.mean, lw=2, **style)
    return seconds


draw(
    PassiveClassifier(SVC(kernel="linear"), batch_size=10),
    10,
    color="0.5",
    label="random",
)
seconds = [
    draw(
        MinMarginClassifier(SVC(kernel="linear"), batch_size=size),
        size,
        color=color,
        marker="o" if size == 70 else None,
        label=f"min-margin, {size} at a time",
    )
    for size, color in SIZES.items()
]
left.set(xlabel="labels bought", ylabel="held-out error", ylim=0)
left.legend(frameon=False)

# %%
# What a batch saves
# ------------------
#
# Time here is the machine's, for one run of 150 labels. In life the expert's day
# decides: take as many rows as are labelled between two looks at the result.

right.bar([str(size) for size in SIZES], seconds, color=list(SIZES.values()))
right.set(xlabel="batch size", ylabel="seconds for 150 labels")
plt.show()
