"""Rows to time passes on; the sizes are those of the targets."""

import numpy as np
import scipy.sparse as sp

from benchmarks import data


def labels_of(margins, rng, noise=0.5):
    """Return noisy 0/1 labels: the sign of the margins, some of them flipped."""
    spread = noise * margins.std()
    return (margins + spread * rng.standard_normal(len(margins)) > 0).astype(int)


def gaussian(n_rows, n_features, seed=0):
    """Return dense rows of standard normal numbers and noisy linear 0/1 labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_features))
    return X, labels_of(X @ rng.standard_normal(n_features), rng)


def images(n_rows, seed=0):
    """Return rows of 784 numbers, 0/1 labels, ten classes and what they are.

    MNIST in random order, even against odd, where it is at hand; else synthetic
    rows with as many zeros.
    """
    rng = np.random.default_rng(seed)
    if n_rows >= 10_000 and data.local_file("mnist").exists():
        X, digits = data.mnist()
        chosen = rng.permutation(len(X))[:n_rows]
        return X[chosen], digits[chosen] % 2, digits[chosen], "MNIST"
    centres = rng.random((10, 784))
    digits = rng.integers(10, size=n_rows)
    X = centres[digits] + 0.5 * rng.standard_normal((n_rows, 784))
    X[rng.random(X.shape) < 0.8] = 0
    return X, digits % 2, digits, "synthetic images"


def words(n_rows, n_features=47_000, n_words=75, index_type=np.int32, seed=0):
    """Return CSR rows whose columns follow Zipf's law, and noisy linear 0/1 labels."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, n_features + 1)
    steps = np.cumsum(frequency / frequency.sum())
    columns = np.empty((n_rows, n_words), dtype=index_type)
    for row in columns:  # distinct words: draw twice as many as needed, or more
        drawn = np.empty(0, dtype=index_type)
        while len(drawn) < n_words:
            more = np.searchsorted(steps[:-1], rng.random(2 * n_words))
            drawn = np.unique(np.concatenate([drawn, more]))
        row[:] = np.sort(rng.choice(drawn, n_words, replace=False))
    X = sp.csr_array(
        (
            rng.random(columns.size),
            columns.ravel(),
            np.arange(0, columns.size + 1, n_words, dtype=index_type),
        ),
        shape=(n_rows, n_features),
    )
    return X, labels_of(X @ rng.standard_normal(n_features), rng)
