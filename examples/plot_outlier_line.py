"""
=====================================
Outliers that defeat unbounded losses
=====================================

Two thirds of these rows are outliers with labels that contradict each other;
the first feature alone separates the others. For separators through the origin,
losses that grow without bound must give up the first feature to please the
outliers, and end no better than guessing. The ramp and the sigmoid reach the
best possible error (Guillory, Chastain & Bilmes, 2009, Figures 4 and 5).

``python examples/plot_outlier_line.py FILE`` saves the picture.
"""

# %%
# The rows
# --------
#
# The first axis is logarithmic beyond 2, for the outliers lie 100 to 200 away.
# At each of them both labels occur.

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata

from sklearn_activelearn.datasets import make_outlier_line
from sklearn_activelearn.losses import make_loss

X, y = make_outlier_line(random_state=0)

figure, axes = plt.subplot_mosaic(
    [
        ["data", "hinge", "log_ramp", "root_ramp"],
        ["data", "ramp", "sigmoid", "zero_one"],
    ],
    figsize=(12, 5.6),
    width_ratios=[1.3, 1, 1, 1],
    layout="constrained",
)
data = axes.pop("data")
for label, marker, color in ((1, "+", "#0072B2"), (-1, "_", "#D55E00")):
    data.scatter(*X[y == label].T, marker=marker, c=color, s=50, label=f"y = {label:+}")
data.set_xscale("symlog", linthresh=2)
data.set_xticks([-100, -1, 1, 100], ["-100", "-1", "1", "100"])
data.set(xlabel="x1", ylabel="x2", title="rows")
data.legend(frameon=False)

# %%
# The surfaces
# ------------
#
# The mean loss as a function of w. Both axes are linear near 0 and logarithmic
# beyond, since the outliers make w1 matter at a hundredth of the scale of w2.
# Colours are ranks, dark is low. The cross marks the lowest point, or the
# middle of the lowest ones, and the title has the zero-one error there. (The
# sigmoid's lowest point lies at infinity: the edge of the picture.)

LINEAR = {"w1": 0.003, "w2": 0.1}
SPAN = np.linspace(-1, 1, 161)


def mean_loss(name, z):
    """Return the mean over the rows, the last axis."""
    losses = z <= 0 if name == "zero_one" else make_loss(name).value(z)
    return losses.mean(axis=-1)


w1, w2 = (
    linear * np.sinh(SPAN * np.arcsinh(10 / linear)) for linear in LINEAR.values()
)
w = np.stack(np.meshgrid(w1, w2), axis=-1)
z = w @ (X * y[:, None]).T
zero_one = mean_loss("zero_one", z)
for name, panel in axes.items():
    surface = mean_loss(name, z)
    ranks = rankdata(surface, axis=None).reshape(surface.shape)
    panel.contourf(w1, w2, ranks, levels=16, cmap="cividis")
    lowest = np.argwhere(surface <= surface.min() + 1e-9)
    row, column = np.median(lowest, axis=0).astype(int)
    panel.plot(w1[column], w2[row], "X", c="white", mec="black", ms=11, clip_on=False)
    panel.set_xscale("symlog", linthresh=LINEAR["w1"], linscale=0.5)
    panel.set_yscale("symlog", linthresh=LINEAR["w2"], linscale=0.5)
    panel.set(title=f"{name}: error {zero_one[row, column]:.2f}")
    panel.set(xlabel="w1", ylabel="w2", xticks=[-1, -0.01, 0.01, 1])
    panel.set_yticks([-10, -1, 0, 1, 10])

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=80)
plt.show()
