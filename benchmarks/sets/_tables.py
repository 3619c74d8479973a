"""Tables of runs: mean scores, and each method against a baseline."""

from typing import NamedTuple

import numpy as np

from benchmarks.problems import PROBLEMS
from benchmarks.sets.methods import METHODS
from benchmarks.statistics import holm, paired_p, spread


def in_order(names, known):
    """Return the names as they are listed, others after them by the alphabet."""
    return [n for n in known if n in names] + sorted(names - set(known))


class Runs:
    """The runs of one model: by data set, method and order.

    Parameters
    ----------
    results : list of Result
        Of one regime and one model.
    sets, methods : iterable of str
        In what order they are listed.

    Attributes
    ----------
    sets, methods : list of str
        In this order, others last.
    cells : dict of (dict of Result)
        By set and method: the results by order.
    """

    def __init__(self, results, sets=PROBLEMS, methods=METHODS):
        self.sets = in_order({result.set for result in results}, sets)
        self.methods = in_order({result.method for result in results}, methods)
        self.cells = {}
        for result in results:
            cell = self.cells.setdefault((result.set, result.method), {})
            cell[result.order] = result

    def of(self, name, method):
        """Return the results of a method on a set."""
        return list(self.cells.get((name, method), {}).values())

    def complete(self):
        """Return the methods that ran on all sets."""
        return [
            method
            for method in self.methods
            if all((name, method) in self.cells for name in self.sets)
        ]

    def table(self, methods, score):
        """Return the mean of a score, a row for each set, a column for each method."""
        return np.array(
            [
                [
                    np.mean([getattr(r, score) for r in self.of(name, m)])
                    for m in methods
                ]
                for name in self.sets
            ]
        )

    def against(self, baseline, score, test=paired_p):
        """Compare every method with a baseline on every set, paired over the orders.

        Parameters
        ----------
        baseline : str
            The method.
        score : str
            An attribute of the results.
        test : callable
            Returns the p-value for differences.

        Returns
        -------
        duels : list of Duel
            Where both ran; their p-values are one family.
        """
        duels = []
        for (name, method), cell in self.cells.items():
            other = self.cells.get((name, baseline), {})
            both = [order for order in cell if order in other]
            if method != baseline and both:
                mine, theirs = (
                    np.array([getattr(of[order], score) for order in both])
                    for of in (cell, other)
                )
                gains = mine - theirs
                duels.append(Duel(name, method, *spread(gains), test(gains)))
        corrected = holm([duel.p for duel in duels])
        return [
            duel._replace(p=p)
            for duel, p in zip(duels, corrected.tolist(), strict=True)
        ]


class Duel(NamedTuple):
    """A method against a baseline on a set: the mean gain, its error, its p-value."""

    set: str
    method: str
    gain: float
    error: float
    p: float

    @property
    def outcome(self):
        """1 for a win, -1 for a loss, 0 if chance may explain it."""
        return int(np.sign(self.gain)) if self.p < 0.05 else 0
