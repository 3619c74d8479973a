"""Readings of Ali et al. (2014) that change what is bought, and what they buy.

Runs of all readings go side by side. As long as two have bought the same labels, their
models are trained once: a round offers the same random rows to both.
"""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
from scipy.special import entr, softmax
from scipy.stats import ttest_1samp

from benchmarks.results import by, grouped
from sklearn_activelearn.pool.alms._models import JointModels
from sklearn_activelearn.pool.alms._value_of_information import (
    draw_left_out,
    means_over_pairs,
    model_probabilities,
)

from . import alms
from ._alms_purchases import GRID, Labelled, best, losses_of, utility
from ._alms_rows import PUBLISHED
from ._claims_ali2014 import FAVOURED
from ._readings import crossed

#: How a run is scored.
SCORED = {
    "area of": ("accuracy", "exp(-log loss)"),
    "ALMS chooses by": ("validation", "left out", "CV"),
    "others choose by": ("log loss", "0/1 loss"),
    "ties": ("middle", "least penalty"),
}

SETS = ("heart", "ionosphere", "votes", "usps", "mushroom")


def first_of_best(losses):
    """Return which has the least mean loss, the first of equals: the least penalty."""
    means = losses.mean(axis=1)
    return int(np.flatnonzero(means <= means.min() + 1e-12)[0])


def on_test(pool, margins):
    """Return accuracy, exp(-log loss) and 1 - log loss of each model on test rows."""
    right = margins * pool.sign_test
    losses = losses_of(pool.sign_test, margins).mean(axis=1)
    return np.stack([(right > 0).mean(axis=1), np.exp(-losses), 1 - losses])


def chosen_by_alms(known, bought):
    """Return the models that ALMS chooses: by validation, left out rows and CV."""
    by_cv = best(losses_of(known.sign, known.cross_validated()))
    training, validation = bought.training(), np.flatnonzero(bought.is_validation)
    if len(np.unique(known.sign[training])) < 2:
        return [by_cv] * 3
    validated = known.without(validation)[:, validation]
    left_out = known.group.left_out(validation[:, None], False)[..., 0]
    sign = known.sign[validation]
    on_validation = (validated, left_out)
    return [*(best(losses_of(sign, margins)) for margins in on_validation), by_cv]


def chosen_by_others(known):
    """Return the models by log loss and 0/1 loss in CV, ties to the middle or first."""
    margins = known.cross_validated()
    missed = 1.0 * (margins * known.sign <= 0)
    return [
        choose(losses)
        for losses in (losses_of(known.sign, margins), missed)
        for choose in (best, first_of_best)
    ]


def area_under(curve, counts):
    """Return the mean height of a curve, rounded."""
    height = np.trapezoid(curve, counts, axis=0) / (counts[-1] - counts[0])
    return height.round(4).tolist()


class Scores:
    """Scores of models trained on labels of a pool, each training done once."""

    def __init__(self, pool, models):
        self.pool, self.models, self.found = pool, models, {}

    def of(self, rows, key, choose, models=None):
        """Return accuracy and likelihood of the models that ``choose(known)`` names."""
        if key not in self.found:
            known = Labelled(self.pool, list(rows), models or self.models)
            found = on_test(self.pool, known.in_test)
            self.found[key] = found[:, choose(known)]
        return self.found[key]


def runs(rows, setting, trial, n_labels, readings, split=alms.split):
    """Return what a trial finds: areas of every reading and of the baselines.

    Each area is a list of three, of accuracy, exp(-log loss) and 1 - log loss, with an
    entry for each way to choose a model. Those of ALMS are in the order of
    ``readings``, which change what is bought.
    """
    X, y, X_test, y_test = split(*rows, trial)
    pool = SimpleNamespace(X=X, sign=1.0 * y, X_test=X_test, sign_test=1.0 * y_test)
    n_first, models = setting["first labels"], models_with(setting["penalty"])
    counts = sorted({n_first, *range(10, n_labels + 1, alms.EVERY)})
    scores, size = Scores(pool, models), (n_first, n_labels, trial)

    def area(parts, choose, of=None):
        return area_under([scores.of(*part, choose, of) for part in parts], counts)

    out = {}
    for method in ("passive", "QBC"):
        bought = by_baseline(method, pool, models, *size)
        parts = [(bought[:n], (method, n)) for n in counts]
        out[method] = area(parts, chosen_by_others)
    out["uncertainty"] = []
    for model in models:
        bought = by_baseline(model, pool, models, *size)
        parts = [(bought[:n], (model.lam, n)) for n in counts]
        out["uncertainty"].append(area(parts, lambda known: [0], [model]))
    out["ALMS"] = []
    for bought, past in zip(*by_alms(pool, models, readings, *size), strict=True):
        parts = [bought.first(n) for n in counts]
        curve = [
            scores.of(part.rows, part.key, partial(chosen_by_alms, bought=part))
            for part in parts
        ]
        out["ALMS"].append(
            {
                "areas": area_under(curve, counts),
                "validation": round(float(np.mean(bought.is_validation)), 4),
                "likeliest": int(past[-1].argmax()),
                "entropy": [round(entropy(p), 4) for p in (past[0], past[-1])],
            }
        )
    return out


BASELINES = {
    "passive": "passive + CV",
    "uncertainty": "uncertainty, λ = 1",
    "QBC": "QBC + CV",
}
#: Where lambda = 1 is among the penalties.
ONE = 10
#: How far from a published area one may be that is the same.
CLOSE = 0.1


def all_readings(rows):
    """Return the crossing of all factors, settings with the levels that were run."""
    run = {name: tuple(by(rows, name)) for name in SETTINGS}
    return crossed({**run, **BOUGHT, **SCORED})


class Runs:
    """Results of the trials of a setting, as arrays.

    Parameters
    ----------
    rows : list of dict
        Lines of the file of runs, all of one setting.
    """

    def __init__(self, rows):
        self.found = {
            problem: [json.loads(row["found"]) for row in group]
            for problem, group in by(rows, "problem").items()
        }
        # trials, scores, choices
        self.areas = {
            problem: {
                name: np.array([one[name] for one in found]) for name in BASELINES
            }
            for problem, found in self.found.items()
        }

    def of_alms(self, problem, number, what):
        """Return a figure of a reading, by its number, in each trial."""
        return np.array([one["ALMS"][number][what] for one in self.found[problem]])

    def of_others(self, problem, score, choice):
        """Return the areas of the baselines and the oracle in each trial."""
        areas = self.areas[problem]
        single = areas["uncertainty"][:, :, score, 0]
        out = {name: areas[name][:, score, choice] for name in ("passive", "QBC")}
        out["uncertainty"] = single[:, ONE]
        out["oracle"] = single[:, single.mean(axis=0).argmax()]
        return out


def answers_of(rows):
    """Return all readings, and for each claim and printed fact whether it holds.

    Returns
    -------
    readings : list of dict
    claims, facts : dict of str: list of bool
    """
    readings = all_readings(rows)
    claims, facts = {}, {}
    for of, number, reading in runs_of(rows, readings, readings_bought()):
        for table, answers in (
            (claims, of_claims(gains_of(of, number, reading))),
            (facts, of_facts(of, number, reading)),
        ):
            for name, answer in answers.items():
                table.setdefault(name, []).append(bool(answer))
    return readings, claims, facts


def runs_of(rows, readings, bought):
    """Yield for each reading the runs of its setting, its number in them, and itself.

    Parameters
    ----------
    rows : list of dict
        Lines of the file of runs.
    readings : list of dict
        With all factors.
    bought : list of dict
        The readings that change what is bought, in the order of the runs.
    """
    runs = {setting: Runs(group) for setting, group in grouped(rows, SETTINGS).items()}
    numbers = {tuple(one.values()): k for k, one in enumerate(bought)}
    for reading in readings:
        of = runs[tuple(reading[name] for name in SETTINGS)]
        yield of, numbers[tuple(reading[name] for name in BOUGHT)], reading


def position(reading, factor):
    """Return which level of a factor of `SCORED` a reading has."""
    return SCORED[factor].index(reading[factor])


def gains_of(of, number, reading):
    """Return by how much ALMS is ahead of each other, for each set and trial.

    Returns
    -------
    gains : dict of str: list of ndarray
    """
    score, choice = (position(reading, name) for name in ("area of", "ALMS chooses by"))
    others_choose = 2 * position(reading, "others choose by") + position(
        reading, "ties"
    )
    gains = {name: [] for name in (*BASELINES, "oracle")}
    for problem in of.found:
        ours = of.of_alms(problem, number, "areas")[:, score, choice]
        for name, theirs in of.of_others(problem, score, others_choose).items():
            gains[name].append(ours - theirs)
    return gains


def of_claims(gains):
    """Return whether each claim of the paper holds."""
    wins = {
        name: np.array([gain.mean() > 0 for gain in gains[name]]) for name in BASELINES
    }
    out = {
        f"ALMS is ahead of {shown} on every set": wins[name].all()
        for name, shown in BASELINES.items()
    }
    of_all = np.all(list(wins.values()), axis=0)
    out["ALMS is ahead of all three on every set"] = of_all.all()
    out["ALMS is ahead of all three on most sets"] = of_all.mean() > 0.5
    out["ALMS is ahead of all three over all sets, p < .05 / 3"] = all(
        is_clear(np.concatenate(gains[name])) for name in BASELINES
    )
    beaten = sum(gain.mean() > 0 for gain in gains["oracle"])
    out["ALMS is ahead of the oracle on two sets or more"] = beaten >= 2
    return out


def is_clear(gain):
    """Return whether a gain is above 0 in a paired t-test, Bonferroni-corrected."""
    if gain.mean() <= 0 or not np.ptp(gain):
        return False
    return ttest_1samp(gain, 0).pvalue < 0.05 / len(BASELINES)


def of_facts(of, number, reading):
    """Return whether each of the other figures that the paper prints is reproduced."""
    shares = {
        problem: of.of_alms(problem, number, "validation").mean()
        for problem in of.found
    }
    out = {
        "About a third of the labels validate (.25 to .42)": (
            0.25 < np.mean(list(shares.values())) < 0.42
        )
    }
    if "mushroom" in shares:
        out["The fewest labels validate on mushroom"] = (
            min(shares, key=shares.get) == "mushroom"
        )
    if "usps" in shares:
        first, last = of.of_alms("usps", number, "entropy").mean(axis=0)
        out["Entropy falls on USPS, by a hundredth or more"] = last < 0.99 * first
    thirds = {
        problem: 3 * np.median(of.of_alms(problem, number, "likeliest")) // 21
        for problem in of.found
    }
    hits = [FAVOURED[problem] == third for problem, third in thirds.items()]
    out["The likeliest λ is in the published third on every set"] = all(hits)
    out["The likeliest λ is in the published third on most sets"] = np.mean(hits) > 0.5
    score = position(reading, "area of")
    close = [
        abs(
            of.of_others(name, score, 0)["oracle"].mean() - PUBLISHED[name, "oracle"][0]
        )
        < CLOSE
        for name in of.found
    ]
    within = f"The oracle's areas are within {CLOSE:g} of the published on"
    out[f"{within} every set"] = all(close)
    out[f"{within} most sets"] = np.mean(close) > 0.5
    return out


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
        """Rows and validation flags, equal for the same purchases."""
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
    """Values of further labels after some have been bought, under any reading.

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
