"""The data sets on which stopping rules are compared."""

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification, make_moons
from sklearn.decomposition import PCA

from benchmarks.papers import data

MOST_ROWS = 4_000


def part_of(X, y):
    """Return some rows of a large set."""
    rows = np.random.RandomState(0).permutation(X.shape[0])[:MOST_ROWS]
    return X[rows], y[rows]


def mnist():
    X, y = part_of(*data.mnist())
    return PCA(50, random_state=0).fit_transform(X), y


def noise():
    return make_classification(
        2_000, 20, n_informative=8, flip_y=0.2, class_sep=1.5, random_state=0
    )


def eights():
    X, y = data.digits()
    return X, y == 8


def sports():
    X, topics, names = data.rcv1_topics()
    return X, topics[:, list(names).index("GSPO")]


#: The constants of LabelPrice and of advice were chosen on these, ...
CHOSEN_ON = {
    "banana": lambda: data.raetsch("banana")[:2],
    "covtype": data.covtype,
    "digits": data.digits,
    "german": lambda: data.raetsch("german")[:2],
    "image": lambda: data.raetsch("image")[:2],
    "mushroom": lambda: data.uci("mushroom"),
    "noise": noise,
    "pima": lambda: data.uci("pima"),
    "rcv1": lambda: data.rcv1()[:2],
    "splice": lambda: data.raetsch("splice")[:2],
    "tumours": lambda: load_breast_cancer(return_X_y=True),
    "twonorm": lambda: data.raetsch("twonorm")[:2],
    "usps": data.usps,
}
#: ... and not on these.
OTHERS = {
    "eights": eights,
    "flare-solar": lambda: data.raetsch("flare-solar")[:2],
    "heart": lambda: data.uci("heart"),
    "ionosphere": lambda: data.uci("ionosphere"),
    "mnist": mnist,
    "moons": lambda: make_moons(4_000, noise=0.3, random_state=0),
    "sports": sports,
    "votes": lambda: data.uci("votes"),
}
