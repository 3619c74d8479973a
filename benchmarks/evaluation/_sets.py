"""The data sets on which stopping rules are compared."""

from functools import partial

import numpy as np
from sklearn.datasets import make_moons
from sklearn.decomposition import PCA

from benchmarks import data
from benchmarks.problems import news, noise, of_class, raetsch, tumours, uci

MOST_ROWS = 4_000


def part_of(X, y):
    """Return some rows of a large set."""
    rows = np.random.RandomState(0).permutation(X.shape[0])[:MOST_ROWS]
    return X[rows], y[rows]


def mnist():
    X, y = part_of(*data.mnist())
    return PCA(50, random_state=0).fit_transform(X), y


def sports():
    X, topics, names = data.rcv1_topics()
    return X, topics[:, list(names).index("GSPO")]


#: The constants of LabelPrice and of advice were chosen on these, ...
CHOSEN_ON = {
    "banana": raetsch("banana"),
    "covtype": data.covtype,
    "digits": data.digits,
    "german": raetsch("german"),
    "image": raetsch("image"),
    "mushroom": uci("mushroom"),
    "noise": partial(noise, 2_000),
    "pima": uci("pima"),
    "rcv1": news,
    "splice": raetsch("splice"),
    "tumours": tumours,
    "twonorm": raetsch("twonorm"),
    "usps": data.usps,
}
#: ... and not on these.
OTHERS = {
    "eights": of_class(data.digits, 8),
    "flare-solar": raetsch("flare-solar"),
    "heart": uci("heart"),
    "ionosphere": uci("ionosphere"),
    "mnist": mnist,
    "moons": lambda: make_moons(4_000, noise=0.3, random_state=0),
    "sports": sports,
    "votes": uci("votes"),
}
