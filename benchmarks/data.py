"""The data sets of the experiments: from a local folder, else from OpenML."""

import os
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml, load_digits

FOLDER = Path(
    os.environ.get(
        "SKLEARN_ACTIVELEARN_DATA",
        Path(__file__).resolve().parents[2] / "shared" / "data",
    )
)


def _load(stem, **openml):
    file = FOLDER / f"{stem}.npz"
    if not file.exists():
        X, y = fetch_openml(**openml, return_X_y=True, as_frame=False)
        return X.astype(float), y.astype(int)
    with np.load(file, allow_pickle=False) as arrays:
        X = arrays["X"] * float(arrays.get("x_scale", 1))
        return X, arrays["y"].astype(int)


def mnist():
    """Return 70,000 images of 784 grey values in [0, 1], digits 0 to 9."""
    X, y = _load("mnist", name="mnist_784", version=1)
    return X / 255, y


def usps():
    """Return 9,298 images of 256 grey values in [0, 1], digits 0 to 9."""
    X, y = _load("usps", data_id=41082)
    return (X + 1) / 2, y - 1 if y.max() == 10 else y


def digits():
    """Return 1,797 images of 64 grey values in [0, 1], digits 0 to 9."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y
