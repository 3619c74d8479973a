"""
=============================
Test a model with few labels
=============================

The model is finished and nobody has labels to test it with. Which rows are worth
labelling for the test alone?
"""

# %%
# A finished model
# ----------------
#
# A straight line, trained on 150 rows of a problem that is not quite straight. The
# other rows are the test pool.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn.evaluation import ActiveTest

X, y = make_classification(
    2_150, 8, n_informative=6, n_redundant=0, class_sep=1.2, random_state=3
)
labelled, pool, answers = (X[:150], y[:150]), X[150:], y[150:]
model = LogisticRegression().fit(*labelled)
truth = np.mean(model.predict(pool) != answers)  # we peek, the test does not

# %%
# Two tests
# ---------
#
# A surrogate learns from the rows that the model was trained on which predictions are
# doubtful. Those are bought more often, and the rest of the estimate is the
# surrogate's, corrected by what the labels show. With ``mix=1`` rows are random.

tests = {
    "chosen rows": ActiveTest(model, labelled=labelled, random_state=1),
    "random rows": ActiveTest(model, mix=1, random_state=1),
}
curves = {name: [] for name in tests}
for name, test in tests.items():
    while test.n_queries_ < 300:
        rows = test.query(pool, limit=10)
        test.teach(pool[rows], answers[rows])
        found = test.estimate()
        curves[name].append((found.n_labels, found.value, found.low, found.high))
    print(f"{name}: error {found}")

# %%
# The interval shrinks
# --------------------
#
# Each interval holds for its own number of labels. Whoever stops as soon as one of them
# says enough has looked many times, and should take ``estimate(always_valid=True)``.

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
colors = {"chosen rows": "#0072B2", "random rows": "#999999"}
for name in reversed(curves):
    n_labels, value, low, high = np.transpose(curves[name])
    axis.fill_between(n_labels, low, high, color=colors[name], alpha=0.3, lw=0)
    axis.plot(n_labels, value, color=colors[name], lw=2, label=name)
axis.axhline(truth, color="k", ls="--", lw=1.5, label="all 2,000 labels")
axis.set(
    xlabel="labels bought for the test", ylabel="error of the model", xlim=(10, 300)
)
axis.set_ylim(0, 0.5)
axis.legend(frameon=False)
plt.show()
