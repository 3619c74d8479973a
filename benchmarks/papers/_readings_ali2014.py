"""Readings of Ali et al. (2014): what they buy, how they score, which claims hold.

Runs of all readings go side by side. As long as two have bought the same labels, their
models are trained once: a round offers the same random rows to both.
"""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
from scipy.special import entr, expit, softmax
from scipy.stats import ttest_1samp

from benchmarks.results import by
from sklearn_activelearn.base._labels import stratified_folds
from sklearn_activelearn.pool._query_by_committee import vote_entropy
from sklearn_activelearn.pool._training import EPS, middle_of_best
from sklearn_activelearn.pool.alms._candidate_models import (
    Group,
    JointModels,
    coordinates,
)
from sklearn_activelearn.pool.alms._value_of_information import (
    draw_left_out,
    means_over_pairs,
    model_probabilities,
)

from . import alms
from ._alms_rows import PUBLISHED

SETS = ("heart", "ionosphere", "votes", "usps", "mushroom")
N_ROWS, N_PAIRS = 10, 15  # that a round looks at
#: What all methods share, what changes the purchases (the first level of each is
#: `ALMSClassifier`), and how a run is scored.
SETTINGS = {"penalty": ("mean", "sum"), "first labels": (10, 2)}
BOUGHT = {
    "label": ("predicted", "expected"),
    "interval": ("lower, 0 at least", "lower", "upper"),
    "probability": ("1 - softmax", "T = 1/|V|"),
    "line 8": ("section 3.3", "as written"),
    "product": ("of averages", "of each pair"),
}
SCORED = {
    "area of": ("accuracy", "exp(-log loss)"),
    "ALMS chooses by": ("validation", "left out", "CV"),
    "others choose by": ("log loss", "0/1 loss"),
    "ties": ("middle", "least penalty"),
}
BASELINES = {
    "passive": "passive + CV", "uncertainty": "uncertainty, λ = 1", "QBC": "QBC + CV",
}  # fmt: skip
#: Which third of the 21 λ is favoured (section 4.3), where λ = 1 is, and what is close.
FAVOURED = {"heart": 2, "ionosphere": 2, "usps": 1, "votes": 1, "mushroom": 0}
ONE, CLOSE = 10, 0.1


def losses_of(sign, margins):
    return -np.log(np.maximum(expit(sign * margins), EPS))


def best(losses):
    return middle_of_best(-losses.sum(axis=1))


class Labelled:
    """Rows of a pool with labels -1 and 1, and models trained on them."""

    def __init__(self, pool, rows, models):
        self.sign, self.models = pool.sign[rows], models
        everything = np.vstack([pool.X, pool.X_test])
        A, B = coordinates(pool.X[rows], everything, True)
        self.group = Group(A, B, self.sign, models)
        margins = self.without([])[:, len(rows) :]
        self.in_pool, self.in_test = np.split(margins, [len(pool.X)], axis=1)

    def without(self, rows):
        """Return the margins of all rows for models trained without some."""
        return self.group.trained(np.asarray(rows, dtype=np.intp))

    def cross_validated(self):
        """Return margins in cross-validation; without folds all models are right."""
        fold, n_folds = stratified_folds((self.sign > 0).astype(int), 5)
        margins = np.tile(self.sign, (len(self.models), 1))
        for k in range(n_folds if n_folds > 1 else 0):
            rows = np.flatnonzero(fold == k)
            margins[:, rows] = self.group.left_out(rows[None], False)[:, 0]
        return margins

    def disagreement(self, left, rng):
        """Return the vote entropy of each row that is left, voters by accuracy."""
        right = (self.cross_validated() * self.sign > 0).mean(axis=1)
        votes = self.in_pool[:, left] > 0
        votes = np.stack([~votes, votes], axis=-1).astype(float)
        ties = 1e-10 * rng.random(len(left))
        return vote_entropy(votes, right / right.sum()).round(9) + ties


def chosen_by_alms(known, is_validation):
    """Return the models that ALMS chooses: by validation, left out rows and CV."""
    by_cv = best(losses_of(known.sign, known.cross_validated()))
    is_validation = np.array(is_validation)
    if len(np.unique(known.sign[~is_validation])) < 2:
        return [by_cv] * 3
    rows = np.flatnonzero(is_validation)
    validated = known.without(rows)[:, rows]
    left_out = known.group.left_out(rows[:, None], False)[..., 0]
    own = (best(losses_of(known.sign[rows], one)) for one in (validated, left_out))
    return [*own, by_cv]


def chosen_by_others(known):
    """Return the models by log loss and 0/1 loss in CV, ties to the middle or first."""
    margins, chosen = known.cross_validated(), []
    for losses in (losses_of(known.sign, margins), 1.0 * (margins * known.sign <= 0)):
        means = losses.mean(axis=1)
        first = np.flatnonzero(means <= means.min() + 1e-12)[0]
        chosen += [best(losses), int(first)]
    return chosen


class Worth:
    """Values of further labels after some have been bought, under any reading."""

    def __init__(self, pool, models, bought, is_validation, offered, rng):
        rows = np.array(bought)
        codes = (pool.sign[rows] > 0).astype(int)
        labelled = SimpleNamespace(rows=pool.X[rows], codes=codes)
        is_validation = np.array(is_validation)
        self.models = JointModels(models, labelled, is_validation, pool.X[offered])
        self.losses, self.answers = self.models.trained()
        n = self.models.n_validation
        self.pairs, self.singles = draw_left_out(n, N_PAIRS, rng)
        self.old, self.found = self.models.without(self.pairs), {}

    def losses_with(self, guesses):
        """Return the losses with each candidate in either set."""
        key, each = guesses.tobytes(), np.arange(len(guesses))
        if key not in self.found:
            own, others = self.models.without_one(self.singles, guesses)
            both = np.stack(np.broadcast_arrays(own[..., None], others), axis=-1)
            training = self.models.without_but_with(each, self.pairs, guesses)
            self.found[key] = training, both.swapaxes(1, 2)
        return self.found[key]

    def probabilities(self, reading):
        """Return how probable each model is, given its losses on the validation set."""
        n, mean = self.losses.shape[1], self.losses.mean(axis=1)
        spread = self.losses.std(axis=1, ddof=1) if n > 1 else np.zeros(len(mean))
        half = 1.96 * spread / np.sqrt(n)
        # the upper end of the loss is the lower end of what is right
        low = mean + half if reading["interval"] == "upper" else mean - half
        low = np.maximum(low, 0) if reading["interval"][-8:] == "at least" else low
        if reading["probability"] == "1 - softmax":
            return model_probabilities(low)
        return softmax(-low * n, axis=0)

    def values(self, reading):
        """Return the value of each candidate for training, and for validation."""
        expected = np.tensordot(self.probabilities(reading), self.answers, axes=1)
        if reading["label"] == "predicted":
            guesses, shares = [expected.argmax(axis=1)], [np.ones(len(expected))]
        else:
            guesses = [np.full(len(expected), code) for code in (0, 1)]
            shares = expected.T
        total = np.zeros((2, len(expected)))
        for guess, share in zip(guesses, shares, strict=True):
            for k, (p, loss, product) in enumerate(self.means_with(guess, reading)):
                averages = reading["product"] == "of averages"
                total[k] -= share * ((p * loss).sum(axis=0) if averages else product)
        return total

    def means_with(self, guesses, reading):
        """Return mean probabilities, losses, products with each row in either set."""
        with_each, new = self.losses_with(guesses)
        training = means(with_each, reading)
        others = training  # Algorithm 1 trains on the candidate there, too
        if reading["line 8"] == "section 3.3":
            others = means(self.old[:, None], reading)
        share, pairs = (
            2 / (self.models.n_validation + 1),
            zip(others, means(new, reading), strict=True),
        )
        return training, [(1 - share) * other + share * own for other, own in pairs]


def means(losses, reading):
    """Return the mean probabilities and losses over pairs, and their mean product."""
    weigh = model_probabilities
    if reading["probability"] != "1 - softmax":  # one row validates: |V| is 1
        weigh = partial(lambda one: softmax(-one, axis=0))
    product = np.einsum("m...pk,m...pk->...", weigh(losses), losses[..., ::-1])
    return [*means_over_pairs(losses, weigh), product / (2 * losses.shape[-2])]


def order_of(pool, trial, n_first):
    """Return random rows, of which the first ones suffice to begin with.

    They are of two classes, two of each if there are four or more, and of the first
    that train, every other one, too.
    """
    rng, least = np.random.default_rng((alms.SEED, trial)), min(2, n_first // 2)
    while True:
        order = rng.permutation(len(pool.X))
        sign = pool.sign[order]
        n_positive = np.count_nonzero(sign[:n_first] > 0)
        train_differ = len(np.unique(sign[: max(n_first, 4) : 2])) > 1
        if least <= n_positive <= n_first - least and train_differ:
            return order


def by_alms(pool, models, readings, order, n_first, n_labels, trial):
    """Return rows and validation flags of each reading, and the models' probabilities.

    The first labels, four at least, go to both sets in turn.
    """
    n, first = max(n_first, 4), order[: max(n_first, 4)].tolist()
    states = [(tuple(first), tuple(k % 2 == 1 for k in range(n)))] * len(readings)
    past = [[] for _ in readings]
    while len(states[0][0]) < n_labels:
        n, worth = len(states[0][0]), {}
        for number, (reading, state) in enumerate(zip(readings, states, strict=True)):
            rng = np.random.default_rng((alms.SEED, trial, n))
            left = rng.permutation(len(pool.X))
            left = left[~np.isin(left, state[0])]
            if state not in worth:
                worth[state] = Worth(pool, models, *state, left[:N_ROWS], rng)
            training, selection = worth[state].values(reading)
            past[number].append(worth[state].probabilities(reading))
            validates = bool(training.max() <= selection.max())
            row = left[-1] if validates else left[training.argmax()]
            states[number] = (*state[0], int(row)), (*state[1], validates)
    return states, past


def by_baseline(method, pool, models, order, n_first, n_labels, trial):
    """Return the rows that passive, QBC or uncertainty of one model buys."""
    if method == "passive":
        return order[:n_labels].tolist()
    rows, rng = order[:n_first].tolist(), np.random.default_rng((alms.SEED, trial, 0))
    while len(rows) < n_labels:
        left = np.setdiff1d(np.arange(len(pool.X)), rows)
        known = Labelled(pool, rows, models if method == "QBC" else [method])
        worth = (
            known.disagreement(left, rng)
            if method == "QBC"
            else -np.abs(known.in_pool[0, left])
        )
        rows.append(int(left[worth.argmax()]))
    return rows


def runs(rows, setting, trial, n_labels, readings, split=alms.split):
    """Return what a trial finds: areas of the baselines and of every reading.

    An area is a list of two, of accuracy and exp(-log loss), with an entry for each way
    to choose a model.
    """
    X, y, X_test, y_test = split(*rows, trial)
    pool = SimpleNamespace(X=X, sign=1.0 * y, X_test=X_test, sign_test=1.0 * y_test)
    n_first, lams = setting["first labels"], alms.candidates("heart", "mean")[2]["lam"]
    models = [alms.Logistic(lam, setting["penalty"]) for lam in lams]
    counts, found = sorted({n_first, *range(10, n_labels + 1, alms.EVERY)}), {}
    size = order_of(pool, trial, n_first), n_first, n_labels, trial

    def scores(rows, key, choose, of):
        if key not in found:  # each training is done once
            known = Labelled(pool, list(rows), of)
            right = known.in_test * pool.sign_test > 0
            likely = np.exp(-losses_of(pool.sign_test, known.in_test).mean(axis=1))
            found[key] = np.stack([right.mean(axis=1), likely])[:, choose(known)]
        return found[key]

    def area(parts, choose, of=models):
        curve = [scores(*part, choose, of) for part in parts]
        height = np.trapezoid(curve, counts, axis=0) / (counts[-1] - counts[0])
        return height.round(4).tolist()

    out = {"uncertainty": [], "ALMS": []}
    for method in ("passive", "QBC", *models):
        bought = by_baseline(method, pool, models, *size)
        name = method if isinstance(method, str) else method.lam
        parts = [(bought[:n], (name, n)) for n in counts]
        if isinstance(method, str):
            out[method] = area(parts, chosen_by_others)
        else:
            out["uncertainty"].append(area(parts, lambda known: [0], [method]))
    bought, past = by_alms(pool, models, readings, *size)
    for (rows, flags), of_rounds in zip(bought, past, strict=True):
        curve = []
        for n in counts:
            choose = partial(chosen_by_alms, is_validation=flags[:n])
            curve.append(scores(rows[:n], (rows[:n], flags[:n]), choose, models))
        height = np.trapezoid(curve, counts, axis=0) / (counts[-1] - counts[0])
        of_ends = [
            round(float(entr(p).sum()), 4) for p in (of_rounds[0], of_rounds[-1])
        ]
        out["ALMS"].append(
            {
                "areas": height.round(4).tolist(),
                "validation": round(float(np.mean(flags)), 4),
                "likeliest": int(of_rounds[-1].argmax()),
                "entropy": of_ends,
            }
        )
    return out


def answers(found, number, reading):
    """Return which claims and facts hold under one reading.

    Parameters
    ----------
    found : dict of str: list of dict
        What the trials of each set found, in the setting of the reading.
    number : int
        Of the reading among those that change the purchases.
    """
    score, own = (SCORED[k].index(reading[k]) for k in ("area of", "ALMS chooses by"))
    choice = 2 * SCORED["others choose by"].index(reading["others choose by"])
    choice += SCORED["ties"].index(reading["ties"])
    gains, close = {name: [] for name in (*BASELINES, "oracle")}, []
    own_of = {name: [one["ALMS"][number] for one in of] for name, of in found.items()}
    for name, of in found.items():
        ours = np.array([one["areas"][score][own] for one in own_of[name]])
        single = np.array([[m[score][0] for m in one["uncertainty"]] for one in of])
        oracle = single[:, single.mean(axis=0).argmax()]
        for other in ("passive", "QBC"):
            theirs = [one[other][score][choice] for one in of]
            gains[other].append(ours - theirs)
        gains["uncertainty"].append(ours - single[:, ONE])
        gains["oracle"].append(ours - oracle)
        close.append(abs(oracle.mean() - PUBLISHED[name, "oracle"][0]) < CLOSE)
    wins = {k: np.array([g.mean() > 0 for g in gains[k]]) for k in BASELINES}
    of_all = np.all(list(wins.values()), axis=0)
    n_beaten = sum(gain.mean() > 0 for gain in gains["oracle"])
    claims = {
        f"ALMS is ahead of {shown} on every set": wins[name].all()
        for name, shown in BASELINES.items()
    } | {
        "ALMS is ahead of all three on every set": of_all.all(),
        "ALMS is ahead of all three on most sets": of_all.mean() > 0.5,
        "ALMS is ahead of all three over all sets, p < .05 / 3": all(
            is_clear(np.concatenate(gains[name])) for name in BASELINES
        ),
        "ALMS is ahead of the oracle on two sets or more": n_beaten >= 2,
    }
    shares = {k: np.mean([one["validation"] for one in v]) for k, v in own_of.items()}
    facts = {
        "About a third of the labels validate (.25 to .42)": (
            0.25 < np.mean(list(shares.values())) < 0.42
        )
    }
    if "mushroom" in found:
        least = min(shares, key=shares.get)
        facts["The fewest labels validate on mushroom"] = least == "mushroom"
    if "usps" in found:
        first, last = np.mean([one["entropy"] for one in own_of["usps"]], axis=0)
        facts["Entropy falls on USPS, by a hundredth or more"] = last < 0.99 * first
    hits = [
        FAVOURED[name] == 3 * np.median([one["likeliest"] for one in of]) // 21
        for name, of in own_of.items()
    ]
    for what, holds in (
        ("The likeliest λ is in the published third on", hits),
        (f"The oracle's areas are within {CLOSE:g} of the published on", close),
    ):
        facts[f"{what} every set"] = np.all(holds)
        facts[f"{what} most sets"] = np.mean(holds) > 0.5
    return claims, facts


def is_clear(gain):
    """Return whether a gain is above 0 in a paired t-test, Bonferroni-corrected."""
    if gain.mean() <= 0 or not np.ptp(gain):
        return False
    return ttest_1samp(gain, 0).pvalue < 0.05 / len(BASELINES)


def found_by_set(rows):
    """Return what the trials of each set found, from rows of the file of runs."""
    return {
        problem: [json.loads(row["found"]) for row in of]
        for problem, of in by(rows, "problem").items()
    }
