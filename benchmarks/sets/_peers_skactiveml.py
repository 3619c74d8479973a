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
        self.labels = None

    def query(self, X):
        """Return the next rows of the pool."""
        if self.labels is None:
            self.labels, self.rows = np.full(len(X), np.nan), []
        if len(self.rows) >= self.budget:
            return []
        if not self.starts and len(np.unique(self.known)) < 2:
            rows = self.first.query(X)
        else:
            rows = self.strategy.query(
                X, self.labels, **self.asked_for(), batch_size=self.batch_size
            )
        self.pool, self.asked = X, rows
        return rows

    def asked_for(self):
        """Return the model under the name that the strategy has for it."""
        accepts = self.strategy.query.__code__.co_varnames
        for name in ("clf", "estimator"):
            if name in accepts:
                return {name: self.model_, f"fit_{name}": False}
        return {}

    @property
    def known(self):
        return self.labels[self.rows]

    def teach(self, X, y):
        """Learn the labels of the rows that were asked for last."""
        self.labels[self.asked] = y
        self.rows = [*self.rows, *self.asked]
        self.first.teach(X, y)
        self.model_ = SklearnClassifier(
            self.model, classes=np.unique(self.known), random_state=self.random_state
        ).fit(self.pool, self.labels)

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
