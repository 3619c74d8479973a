"""Strategies of scikit-activeml, on the same model and the same first rows."""

from functools import partial

import numpy as np
from skactiveml import pool
from skactiveml.classifier import SklearnClassifier

from benchmarks.sets.methods import Method
from sklearn_activelearn import PassiveClassifier


class Strategy:
    """A query strategy with the two verbs.

    Parameters
    ----------
    make : callable
        Returns the strategy, given `random_state`.
    model : classifier
        Wrapped, if the strategy asks for one.
    starts : bool
        Whether it chooses the first rows itself; else they are those of all methods
        that start at random.
    n_initial, batch_size, budget, random_state
        As for a pool learner.
    """

    def __init__(
        self, make, model, *, starts, n_initial, batch_size, budget, random_state
    ):
        self.strategy = make(random_state=random_state)
        self.first = PassiveClassifier(
            model, n_initial=n_initial, batch_size=batch_size, random_state=random_state
        )
        self.model, self.starts, self.random_state = model, starts, random_state
        self.batch_size, self.budget = batch_size, budget
        self.rows = np.empty(0, dtype=int)

    def query(self, X, *, ids=None):
        """Return the next rows of the pool, whose ids are their numbers."""
        if self.budget is not None and len(self.rows) >= self.budget:
            return []
        known = self.y if len(self.rows) else []
        if not self.starts and len(np.unique(known)) < 2:
            rows = self.first.query(X, ids=ids)
        else:
            labels = np.full(len(X), np.nan)
            labels[self.rows] = known
            rows = self.strategy.query(
                X, labels, **self.asked_for(), batch_size=self.batch_size
            )
        self.asked = rows
        return rows

    def asked_for(self):
        """Return the model under the name that the strategy has for it."""
        accepts = self.strategy.query.__code__.co_varnames
        for name in ("clf", "estimator"):
            if name in accepts:
                return {name: self.model_, f"fit_{name}": False}
        return {}

    def teach(self, X, y, *, ids=None):
        """Learn the labels of rows, of those that were asked for last without ids."""
        self.first.teach(X, y, ids=ids)
        if len(self.rows):
            X, y = np.append(self.X, X, axis=0), np.append(self.y, y)
        rows = np.append(self.rows, self.asked if ids is None else ids)
        order = np.argsort(rows)
        self.X, self.y, self.rows = X[order], y[order], rows[order]
        self.model_ = SklearnClassifier(
            self.model, classes=np.unique(self.y), random_state=self.random_state
        ).fit(self.X, self.y)

    def predict(self, X):
        """Return the classes that the model predicts."""
        return self.model_.predict(X)


def row(make, models=("logistic",), starts=False):
    """Return the row of a strategy."""
    return Method(partial(Strategy, make, starts=starts), models, dense=True)


BOTH = ("logistic", "svc")

METHODS = {
    "skactiveml margin": row(
        partial(pool.UncertaintySampling, method="margin_sampling")
    ),
    "skactiveml MaxHerding": row(pool.MaxHerding, BOTH, starts=True),
    "skactiveml TypiClust": row(pool.TypiClust, BOTH, starts=True),
    "skactiveml Badge": row(pool.Badge),
    "skactiveml Clue": row(pool.Clue),
    "skactiveml Falcun": row(pool.Falcun),
    "skactiveml DropQuery": row(pool.DropQuery),
}
