"""
===================================================
Concept drift: which learners notice when it begins
===================================================

Some learners stop asking once they are sure; some never stop. On a stream that stays
as it is, stopping is what saves labels. On a stream that changes it is what goes wrong.
"""

# %%
# A boundary that turns
# ---------------------
#
# Two classes on either side of a line through the origin. After 4,000 rows the line
# turns by a right angle.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_activelearn import CBGZClassifier, DKMClassifier, GreedyOnlineClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(8_000, 2))
y = np.where(np.arange(8_000) < 4_000, X[:, 0], X[:, 1]) > 0
TESTS = rng.normal(size=(2_000, 2))

learners = {
    DKMClassifier(R=8, average=False, random_state=0): "#D55E00",
    CBGZClassifier(average=False, random_state=0): "#009E73",
    GreedyOnlineClassifier(m=50, average=False, random_state=0): "#0072B2",
}

# %%
# Labels bought and errors
# ------------------------
#
# The threshold of DKM has halved so often by then that it hardly notices. A learner
# that asks now and then whatever the margin, or for the smallest margin of every 50
# rows, buys again and recovers. (``average=False``: the mean of all weights would
# remember the old line.)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4), sharex=True, layout="constrained"
)
for learner, color in learners.items():
    seen, bill, error = [], [], []
    for start in range(0, 8_000, 50):
        part = slice(start, start + 50)
        learner.partial_fit(X[part], y[part], classes=[False, True])
        truth = TESTS[:, 0 if start < 4_000 else 1] > 0
        seen.append(start + 50)
        bill.append(learner.n_queries_)
        error.append(1 - learner.score(TESTS, truth))
    name = type(learner).__name__
    left.plot(seen, bill, color=color, lw=2, label=name)
    right.plot(seen, error, color=color, lw=1.5)
left.set(xlabel="rows seen", ylabel="labels bought", ylim=0)
right.set(xlabel="rows seen", ylabel="error on fresh rows", ylim=0)
for axis in (left, right):
    axis.axvline(4_000, color="0.7", ls=":")
left.legend(frameon=False)
plt.show()
