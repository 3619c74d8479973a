"""
===========================
Where a committee disagrees
===========================

Six models that explain the same labels differ where labels are missing. A
committee buys the row on which their votes differ most, each vote weighted with the
model's accuracy in cross-validation.
"""

# %%
# Candidates from smooth to flexible
# ----------------------------------
#
# The width of the RBF kernel is unknown, so all of these may be right.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from sklearn_activelearn import QueryByCommitteeClassifier

X, y = make_moons(600, noise=0.15, random_state=0)
learner = QueryByCommitteeClassifier(
    SVC(C=10.0),
    param_grid={"gamma": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]},
    n_initial=8,
    random_state=0,
)

# %%
# Disagreement after 8, 20 and 40 labels
# --------------------------------------
#
# Dark regions are disputed: the entropy of the weighted votes. Large dots have
# labels; the star is the next row to be bought. Where there are rows, the disputed
# region shrinks to a seam along the border. What lies beyond them remains disputed, but
# nobody asks there: only rows can be bought.

side = np.stack(np.meshgrid(np.linspace(-1.6, 2.6, 120), np.linspace(-1.2, 1.7, 120)))
places = side.reshape(2, -1).T
GREY = {"cmap": "Greys", "vmin": 0, "vmax": 2}
colors = np.array(["#0072B2", "#D55E00"])


def vote_entropy(learner, places):
    """Return the entropy in bits of the weighted votes on each place."""
    votes = np.array([member.predict(places) for member in learner.estimators_])
    share = learner.vote_weights_ @ votes
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return -share * np.log2(share) - (1 - share) * np.log2(1 - share)


figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for axis, budget in zip(axes, (8, 20, 40), strict=True):
    learner.set_params(budget=budget).fit(X, y)
    disputed = vote_entropy(learner, places).reshape(side.shape[1:])
    shades = axis.contourf(*side, disputed, levels=np.linspace(0, 1, 11), **GREY)
    axis.scatter(*X.T, c=colors[y], s=4, alpha=0.4)
    bought = learner.queried_indices_
    axis.scatter(*X[bought].T, c=colors[y[bought]], s=45, edgecolor="black")
    best = learner.estimator_.gamma
    learner.set_params(budget=budget + 1)
    star = learner.query(X)
    axis.plot(*X[star].T, "*", color="#F0E442", mec="black", ms=20)
    axis.set(title=f"{budget} labels, best gamma {best}", xticks=[], yticks=[])
figure.colorbar(shades, ax=axes, label="vote entropy (bits)", ticks=[0, 0.5, 1])
plt.show()
