"""
===============================
Margin losses and when they ask
===============================

A margin loss l says how bad it is that a labelled row has the signed margin
z = y w·x. It also says which labels are worth paying for: a row whose label
would not move the weights, whichever it is, need not be bought.

``python examples/plot_margin_losses.py FILE`` saves the picture.
"""

# %%
# Seven losses
# ------------
#
# The hinge and its smooth version grow without bound as rows go wrong. The
# ramp, its smooth version and the sigmoid level off: they give up on a row that
# is wrong enough. The log-ramp and the root-ramp lie between.

import sys

import matplotlib.pyplot as plt
import numpy as np

from sklearn_activelearn.losses import make_loss

THIN, BROAD = {"lw": 1.8}, {"lw": 6, "alpha": 0.3}
STYLES = {
    "smooth_hinge": {"color": "black", **BROAD},
    "hinge": {"color": "black", **THIN},
    "root_ramp": {"color": "#E69F00", **THIN},
    "log_ramp": {"color": "#009E73", **THIN},
    "smooth_ramp": {"color": "#0072B2", **BROAD},
    "ramp": {"color": "#0072B2", **THIN},
    "sigmoid": {"color": "#CC79A7", **THIN},
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
z = np.linspace(-5, 3, 401)
for name, style in STYLES.items():
    left.plot(z, make_loss(name).value(z), label=name, **style)
left.set(xlabel="signed margin z = y w·x", ylabel="loss l(z)", xlim=(-5, 3))
figure.legend(loc="outside right center", frameon=False)

# %%
# The probability to ask
# ----------------------
#
# The tight query probability is the size of the steeper of the two slopes that
# the two labels would give. Where the loss is flat on both sides, nothing is
# asked: the ramp beyond t = 1. With the hinge every label is bought.

margins = np.linspace(0, 5, 501)
for name, style in STYLES.items():
    right.plot(margins, make_loss(name).query_probability(margins), **style)
right.set(xlabel="margin |w·x| of an unlabelled row", xlim=(0, 5), ylim=(0, 1.05))
right.set(ylabel="probability q to buy the label")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
plt.show()
