"""
==================================
The cost that boosting brings down
==================================

All boosting learners of this package lower one cost, of labelled rows and, a hundred
times lighter, of rows without a label. A new label that contradicts the committee lifts
the cost; the next members bring it down.
"""

# %%
# Two committees on one pool
# --------------------------
#
# FASSL-Boost adds one stump for each label. ASSL-Boost starts over with each label,
# with up to fifty stumps. Two normal clouds in twenty dimensions; any single stump is
# wrong for a third of the rows.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_activelearn import ASSLBoostClassifier, FASSLBoostClassifier
from sklearn_activelearn.datasets import make_twonorm

pool, answers = make_twonorm(400, random_state=0)
X_test, y_test = make_twonorm(5000, random_state=1)
settings = {"n_initial": 20, "budget": 120, "random_state": 0}
learners = {
    "FASSL-Boost": FASSLBoostClassifier(**settings).fit(pool, answers),
    "ASSL-Boost": ASSLBoostClassifier(**settings).fit(pool, answers),
}

# %%
# The cost after each label, and the error after each member
# ----------------------------------------------------------
#
# Left, ``cost_curve_`` on a logarithmic axis: FASSL-Boost was sure of a row and wrong
# a few times, and mends that with its next members; ASSL-Boost has forgotten what it
# was sure of. Right, the error on new rows as the members vote one after the other; the
# first twenty of FASSL-Boost came with the random labels.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, learner in learners.items():
    costs = learner.cost_curve_
    left.plot(np.arange(1, len(costs) + 1), costs, label=name)
left.set(
    xlabel="labels after the first 20", ylabel="semi-supervised cost", yscale="log"
)
left.legend(frameon=False)
for name, learner in learners.items():
    stages = learner.estimator_.staged_decision_function(X_test)
    errors = [np.mean((stage > 0) != (y_test > 0)) for stage in stages]
    right.plot(np.arange(1, len(errors) + 1), errors, label=name)
right.set(xlabel="members", ylabel="test error", ylim=(0, None))
right.legend(frameon=False)
plt.show()
