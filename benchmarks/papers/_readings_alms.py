"""Readings of Ali et al. (2014) that change what is bought, and what they buy.

Runs of all readings go side by side. As long as two have bought the same labels, their
models are trained once: a round offers the same random rows to both.
"""

from types import SimpleNamespace

import numpy as np
from scipy.special import entr, softmax

from sklearn_activelearn.pool.alms._models import JointModels
from sklearn_activelearn.pool.alms._value_of_information import (
    draw_left_out,
    means_over_pairs,
    model_probabilities,
)

from . import alms
from ._alms_purchases import GRID, Labelled, utility
from ._readings import crossed

#: Rows and pairs that a round looks at.
SIZES = {"rows": 10, "pairs": 15}

#: What the models share, and how many random labels come first.
SETTINGS = {"penalty": ("mean", "sum"), "first labels": (10, 2)}

#: The first level of each is that of `ALMSClassifier`.
BOUGHT = {
    "label": ("predicted", "expected"),
    "interval": ("lower, 0 at least", "lower", "upper"),
    "probability": ("1 - softmax", "T = 1/|V|"),
    "line 8": ("section 3.3", "as written"),
    "product": ("of averages", "of each pair"),
}

LAMS = GRID["lam"]


def models_with(penalty):
    """Return the candidates."""
    return [alms.Logistic(lam, penalty) for lam in LAMS]


def ends(losses, interval):
    """Return an end of a 95 % interval of each model's mean loss.

    The upper end of the loss is the lower end of what is right.
    """
    v = losses.shape[1]
    spread = losses.std(axis=1, ddof=1) if v > 1 else np.zeros(len(losses))
    half = 1.96 * spread / np.sqrt(v)
    mean = losses.mean(axis=1)
    if interval == "upper":
        return mean + half
    return mean - half if interval == "lower" else np.maximum(mean - half, 0)


def probabilities(losses, reading):
    """Return how probable each model is, given its losses on the validation set."""
    low = ends(losses, reading["interval"])
    if reading["probability"] == "1 - softmax":
        return model_probabilities(low)
    return softmax(-low * losses.shape[1], axis=0)


def means(losses, reading):
    """Return the mean probabilities and losses over pairs, and their mean product."""
    weigh = model_probabilities
    if reading["probability"] != "1 - softmax":  # one row validates: |V| is 1
        weigh = sharp_probabilities
    product = np.einsum("m...pk,m...pk->...", weigh(losses), losses[..., ::-1])
    mean_product = product / (2 * losses.shape[-2])
    return [*means_over_pairs(losses, weigh), mean_product]


def sharp_probabilities(losses):
    """Return the softmax of minus the losses."""
    return softmax(-losses, axis=0)


class Bought:
    """Labels that were bought, in order, and which of them validate."""

    def __init__(self, rows, is_validation):
        self.rows, self.is_validation = tuple(rows), tuple(is_validation)

    def plus(self, row, is_validation):
        return Bought((*self.rows, row), (*self.is_validation, is_validation))

    def first(self, n):
        return Bought(self.rows[:n], self.is_validation[:n])

    @property
    def key(self):
        """What two of the same purchases have in common."""
        return self.rows, self.is_validation

    def training(self):
        """Return the positions of the labels that train."""
        return np.flatnonzero(~np.array(self.is_validation))


def order_of(pool, trial, n_first):
    """Return random rows, of which the first ones suffice to begin with.

    They are of two classes, two of each if there are four or more, and of the first
    that train, every other one, too.
    """
    rng = np.random.default_rng((alms.SEED, trial))
    least = min(2, n_first // 2)
    while True:
        order = rng.permutation(len(pool.X))
        sign = pool.sign[order]
        n_positive = np.count_nonzero(sign[:n_first] > 0)
        train_differ = len(np.unique(sign[: max(n_first, 4) : 2])) > 1
        if least <= n_positive <= n_first - least and train_differ:
            return order


def start_of(order, n_first):
    """Return random labels in turn for both sets, four at least."""
    n = max(n_first, 4)
    return Bought(order[:n].tolist(), [k % 2 == 1 for k in range(n)])


class Worth:
    """What labels are worth after some have been bought, under any reading.

    Parameters
    ----------
    pool : namespace
        With ``X`` and ``sign``.
    models : list of Logistic
        The candidates.
    bought : Bought
        The labels so far.
    offered : ndarray of int
        Rows that might be bought.
    rng : Generator
        Chooses the pairs.
    """

    def __init__(self, pool, models, bought, offered, rng):
        rows = np.array(bought.rows)
        labelled = SimpleNamespace(
            rows=pool.X[rows], codes=(pool.sign[rows] > 0).astype(int)
        )
        is_validation = np.array(bought.is_validation)
        self.models = JointModels(models, labelled, is_validation, pool.X[offered])
        self.losses, self.answers = self.models.trained()
        self.pairs, self.singles = draw_left_out(
            self.models.n_validation, SIZES["pairs"], rng
        )
        self.old = self.models.without(self.pairs)
        self.found = {}

    def _losses(self, guesses):
        """Return the losses with each candidate in either set."""
        key = guesses.tobytes()
        if key not in self.found:
            own, others = self.models.without_one(self.singles, guesses)
            both = np.stack(np.broadcast_arrays(own[..., None], others), axis=-1)
            self.found[key] = (
                self.models.without_but_with(
                    np.arange(len(guesses)), self.pairs, guesses
                ),
                both.swapaxes(1, 2),
            )
        return self.found[key]

    def values(self, reading):
        """Return the value of each candidate for training, and for validation."""
        expected = np.tensordot(
            probabilities(self.losses, reading), self.answers, axes=1
        )
        if reading["label"] == "predicted":
            guesses, shares = [expected.argmax(axis=1)], [np.ones(len(expected))]
        else:
            guesses = [np.full(len(expected), code) for code in (0, 1)]
            shares = expected.T
        total = np.zeros((2, len(expected)))
        for guess, share in zip(guesses, shares, strict=True):
            both = self._means(guess, reading)
            total -= share * [
                (probability * loss).sum(axis=0)
                if reading["product"] == "of averages"
                else product
                for probability, loss, product in both
            ]
        return total

    def _means(self, guesses, reading):
        with_each, new = self._losses(guesses)
        training = means(with_each, reading)
        others = training  # Algorithm 1 trains on the candidate there, too
        if reading["line 8"] == "section 3.3":
            others = means(self.old[:, None], reading)
        share = 2 / (self.models.n_validation + 1)
        return training, [
            (1 - share) * other + share * own
            for other, own in zip(others, means(new, reading), strict=True)
        ]


def by_alms(pool, models, readings, n_first, n_labels, trial):
    """Return what each reading buys, and the models' probabilities in each round.

    Returns
    -------
    bought : list of Bought
    probabilities : list of list of ndarray
    """
    order = order_of(pool, trial, n_first)
    states = [start_of(order, n_first)] * len(readings)
    rounds = [[] for _ in readings]
    while len(states[0].rows) < n_labels:
        n, worth = len(states[0].rows), {}
        for number, (reading, bought) in enumerate(zip(readings, states, strict=True)):
            rng = np.random.default_rng((alms.SEED, trial, n))
            left = rng.permutation(len(pool.X))
            left = left[~np.isin(left, bought.rows)]
            if bought.key not in worth:
                offered = left[: SIZES["rows"]]
                worth[bought.key] = Worth(pool, models, bought, offered, rng)
            found = worth[bought.key]
            training, selection = found.values(reading)
            rounds[number].append(probabilities(found.losses, reading))
            if training.max() > selection.max():
                states[number] = bought.plus(int(left[training.argmax()]), False)
            else:
                states[number] = bought.plus(int(left[-1]), True)
    return states, rounds


def by_baseline(method, pool, models, n_first, n_labels, trial):
    """Return the rows that a baseline buys: passive, QBC or uncertainty of one model.

    Parameters
    ----------
    method : str or Logistic
        "passive", "QBC" or the model of uncertainty sampling.
    """
    order = order_of(pool, trial, n_first)
    if method == "passive":
        return order[:n_labels].tolist()
    rows = order[:n_first].tolist()
    rng = np.random.default_rng((alms.SEED, trial, 0))
    while len(rows) < n_labels:
        left = np.setdiff1d(np.arange(len(pool.X)), rows)
        if method == "QBC":
            worth = utility("QBC", Labelled(pool, rows, models), left, rng)
        else:
            worth = -np.abs(Labelled(pool, rows, [method]).in_pool[0, left])
        rows.append(int(left[worth.argmax()]))
    return rows


def readings_bought():
    """Return the readings that change what is bought, for a setting of the others."""
    return crossed(BOUGHT)


def entropy(p):
    """Return the entropy of probabilities in nats."""
    return float(entr(p).sum())
