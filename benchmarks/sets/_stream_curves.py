"""What runs over streams come to: mean curves, envelopes, labels to a target."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np


class Curve(NamedTuple):
    """The runs of one setting on one set, means over the orders."""

    set: str
    method: str
    setting: str
    orders: int
    n_rows: int
    n_test: int
    labels: np.ndarray
    errors: np.ndarray
    spread: np.ndarray

    @property
    def is_passive(self):
        """Whether every label was bought."""
        return self.labels[-1] >= 0.999 * self.n_rows


def curves(results):
    """Return a `Curve` for each setting, in the order of the results.

    A setting is left out if it failed in some orders that its method has results of.
    """
    runs, orders = defaultdict(list), defaultdict(set)
    for run in results:
        runs[run.set, run.method, run.setting].append(run)
        orders[run.set, run.method].add(run.order)
    means = []
    for key, cell in runs.items():
        if len(cell) == len(orders[key[:2]]):
            n = len(cell)
            labels, errors = (
                np.array([getattr(run, part) for run in cell])
                for part in ("labels", "errors")
            )
            spread = errors.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else errors[0] * 0
            sizes = cell[0].n_rows, cell[0].n_test
            points = labels.mean(axis=0), errors.mean(axis=0), spread
            means.append(Curve(*key, n, *sizes, *points))
    return means


def labels_to(curve, target):
    """Return after how many labels a mean curve is first at a target, inf if never.

    Between two scores the curve is a straight line.
    """
    hits = np.flatnonzero(curve.errors <= target)
    if not hits.size:
        return np.inf
    at = hits[0]
    if at == 0:
        return curve.labels[0]
    before, after = curve.errors[at - 1], curve.errors[at]
    share = (before - target) / (before - after)
    return curve.labels[at - 1] + share * (curve.labels[at] - curve.labels[at - 1])


def best(of_method, target):
    """Return the fewest labels to a target over the settings of a method, and which."""
    if not of_method:
        return np.inf, None
    fewest = min(of_method, key=lambda curve: labels_to(curve, target))
    return labels_to(fewest, target), fewest


def envelope(of_method):
    """Return labels and the lowest error at so many or fewer, over all settings."""
    labels = np.concatenate([curve.labels for curve in of_method])
    errors = np.concatenate([curve.errors for curve in of_method])
    order = np.argsort(labels, kind="stable")
    labels, errors = labels[order], np.minimum.accumulate(errors[order])
    kept = np.flatnonzero(np.diff(errors, prepend=np.inf) < 0)
    # the last point says how far the labels go
    kept = np.append(kept, len(errors) - 1)
    return labels[kept], errors[kept]


def passive_error(of_set):
    """Return the lowest final error of those that bought every label."""
    return min(curve.errors[-1] for curve in of_set if curve.is_passive)
