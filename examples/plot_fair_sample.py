"""
=================================
Bought rows are not a fair sample
=================================

Learners buy the hard rows, so an error measured on bought rows is too high. If every
row had some probability to be bought, dividing by it makes the sample fair again.
"""

# %%
# Ask with a known probability
# ----------------------------
#
# The learner predicts each chunk, buys labels, and we count its mistakes on what it
# bought. ``return_probability=True`` says how likely each purchase was.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from sklearn_activelearn import CBGZClassifier

X, y = make_classification(
    6_000, 20, n_informative=8, flip_y=0.1, class_sep=1.5, random_state=0
)
X = (X - X.mean(axis=0)) / X.std(axis=0)
learner = CBGZClassifier(b=0.05, random_state=0)
learner.learn(X[:500], lambda rows: y[rows], classes=[0, 1])

seen, plain, weighted, truth = [], [], [], []
for start in range(500, 6_000, 50):
    chunk, answers = X[start : start + 50], y[start : start + 50]
    wrong = learner.predict(chunk) != answers  # we peek, the learner does not
    rows, probability = learner.query(chunk, return_probability=True)
    seen.append(start + 50)
    truth.append(wrong.sum())
    plain.append((wrong[rows].sum(), len(rows)))
    weighted.append((wrong[rows] / probability).sum())
    learner.teach(chunk[rows], answers[rows])

# %%
# Two estimates of the error
# --------------------------
#
# The weighted sum of mistakes over all rows seen follows the true error, at a price:
# a row that was bought by a small chance counts for many, so it moves in jumps. (With
# rules whose probability may be 0, DKM or the ramp, it would not be valid.)

n_rows = np.arange(50, 5_501, 50)
mistakes, bought = np.cumsum(plain, axis=0).T
figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
axis.plot(
    seen, mistakes / bought, color="#D55E00", lw=2, label="bought rows, as they are"
)
axis.plot(
    seen,
    np.cumsum(weighted) / n_rows,
    color="#0072B2",
    lw=2,
    label="bought rows, weighted by 1 / probability",
)
axis.plot(seen, np.cumsum(truth) / n_rows, "k--", lw=2, label="all rows (the truth)")
axis.set(xlabel="rows seen", ylabel="estimate of the error so far", ylim=(0, 0.25))
axis.legend(frameon=False)
print(f"{learner.n_queries_} of {len(X)} labels bought")
plt.show()
