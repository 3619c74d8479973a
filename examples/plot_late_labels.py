"""
==========================
When labels come back late
==========================

A stream does not wait for the expert. The learner asks, remembers what it asked for,
goes on with the model it has, and learns each label when it comes.
"""

# %%
# A stream and a slow expert
# --------------------------
#
# Rows arrive twenty at a time. The labels of a chunk come back some chunks later.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sklearn_activelearn import CBGZClassifier

X, y = load_digits(return_X_y=True)
X_test, y_test = X[1400:], y[1400:]
CHUNK = 20


def run(delay):
    """Return the bill, the labels on their way and the test error over time."""
    learner = CBGZClassifier(random_state=0)
    desk, history = [], []
    for start in range(0, 1400, CHUNK):
        chunk = X[start : start + CHUNK]
        rows = learner.query(chunk)
        desk.append((chunk[rows], y[start + rows]))
        if len(desk) > delay:
            learner.teach(*desk.pop(0), classes=range(10))
        pending = learner.n_pending_
        error = (
            1 - learner.score(X_test, y_test) if hasattr(learner, "classes_") else 0.9
        )
        history.append((start + CHUNK, learner.n_queries_, pending, error))
    return np.array(history).T


# %%
# What lateness costs
# -------------------
#
# While no label has come back a learner that asks by margin has none, and asks for one
# row of each chunk. Afterwards it asks with an outdated model. Five chunks late hardly
# matters. Twenty chunks are more than a quarter of this stream, and that cannot be made
# up: a stream does not come back.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for delay, color in ((0, "#009E73"), (5, "#0072B2"), (20, "#D55E00")):
    seen, bill, pending, error = run(delay)
    label = f"{delay} chunks late" if delay else "at once"
    for axis, values in zip(axes, (bill, pending, error), strict=True):
        axis.plot(seen, values, color=color, lw=1.8, label=label)
for axis, title in zip(
    axes, ("labels bought", "labels on their way", "test error"), strict=True
):
    axis.set(title=title, xlabel="rows seen", ylim=0)
axes[0].legend(frameon=False)
plt.show()
