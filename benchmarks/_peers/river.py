"""river's `EntropySampler` around logistic regression."""

import numpy as np
from river import active, linear_model, optim
from scipy.sparse import csr_array

from benchmarks._peers._task import FEW, Pass
from benchmarks.sets.streams import method

PACKAGE = "river"


def dicts(X):
    """Return the rows as river reads them, zeros dropped."""
    X = csr_array(X)
    return [
        dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


class EntropySampler:
    """A sampler with the interface of a stream learner; rows are `dicts`."""

    def __init__(self, *, discount_factor=3, lr=0.01, seed=0):
        self.model = linear_model.LogisticRegression(optim.SGD(lr))
        self.sampler = active.EntropySampler(self.model, discount_factor, seed=seed)
        self.n_queries_ = 0

    def partial_fit(self, rows, y, classes=None):
        """Read rows; learn the labels that are asked for."""
        sampler = self.sampler
        for row, label in zip(rows, y.astype(bool).tolist(), strict=True):
            _, ask = sampler.predict_one(row)
            if ask:
                sampler.learn_one(row, label)
                self.n_queries_ += 1

    def predict(self, X):
        """Return labels 0 and 1."""
        weights = np.zeros(X.shape[1])
        for column, weight in self.model.weights.items():
            weights[column] = weight
        return (X @ weights + self.model.intercept > 0).astype(int)


METHODS = {
    "river EntropySampler": method(
        EntropySampler,
        {"discount_factor": 3, "lr": 0.01},
        seed="seed",
        prepare=dicts,
        discount_factor=[3, 10, 30, 100],
        lr=[0.01, 0.1, 1.0, 10.0],
    )
}


def passes(X, y, folder):
    """Return the passes over some rows, by name."""
    rows, labels = dicts(X[:FEW]), y[:FEW]

    def call():
        learner = EntropySampler()
        learner.partial_fit(rows, labels)
        return learner.n_queries_

    return {"river EntropySampler, dicts of non-zeros": Pass(call, len(labels))}
