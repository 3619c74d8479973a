"""
=====================================
Labels that also pay for model choice
=====================================

Which penalty is right is not known when labelling begins, and labels chosen for one
model mislead cross-validation. ``ALMSClassifier`` divides the labels: some train, some
validate, each where it is worth more.
"""

# %%
# Forty labels, five penalties
# ----------------------------
#
# The digits 5 and 8 as a pool of 200 images.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import ALMSClassifier

X, y = load_digits(return_X_y=True)
rows = np.flatnonzero((y == 5) | (y == 8))
pool, test = rows[:200], rows[200:]
model = make_pipeline(StandardScaler(), LogisticRegression())
grid = {"logisticregression__C": [1e-4, 0.01, 1.0, 100.0, 1e4]}
learner = ALMSClassifier(
    model,
    param_grid=grid,
    n_candidates=20,
    n_pairs=20,
    budget=40,
    random_state=0,
).fit(X[pool], y[pool])
accuracy = learner.score(X[test], y[test])
print(f"{learner.best_params_}: accuracy {accuracy:.3f} on {len(test)} other images")

# %%
# Where the labels went, and what became of the candidates
# --------------------------------------------------------
#
# The first ten labels are random and go to either set in turn. The probabilities of the
# candidates hardly differ, as the published formula has it (:doc:`/reproduced`).

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for purpose in ("train", "validation"):
    left.step(range(1, 41), np.cumsum(learner.allocation_ == purpose), label=purpose)
left.set(xlabel="labels taught", ylabel="labels so far")
left.legend(frameon=False)
probabilities = learner.model_probabilities_.T
image = right.imshow(probabilities, aspect="auto", cmap="Blues", vmin=0)
right.set_yticks(range(len(learner.model_names_)), learner.model_names_)
right.set(xlabel="round")
figure.colorbar(image, ax=right, label="probability")
plt.show()
