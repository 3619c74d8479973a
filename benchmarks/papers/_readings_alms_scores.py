"""Readings of Ali et al. (2014) that change how runs are scored.

A run buys once and is scored in every way; see `_readings_alms` for what is bought.
"""

from functools import partial
from types import SimpleNamespace

import numpy as np

from . import alms
from ._alms_purchases import Labelled, best, losses_of
from ._readings_alms import by_alms, by_baseline, entropy, models_with

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
