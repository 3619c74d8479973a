"""scikit-activeml: its strategies for streams, and its uncertainty sampling."""

from functools import partial

import numpy as np
from scipy.sparse import issparse
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import UncertaintySampling
from skactiveml.stream import Split, VariableUncertainty
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks._peers._task import FEW, Pass
from benchmarks.sets.streams import method

PACKAGE = "scikit-activeml"


class Strategy:
    """A strategy with the interface of a stream learner; rows are made dense singly."""

    def __init__(self, strategy, *, budget=0.1, step="optimal", seed=0):
        self.strategy = strategy(budget=budget, random_state=seed)
        steps = {} if step == "optimal" else {"learning_rate": "constant", "eta0": step}
        model = SGDClassifier("log_loss", random_state=seed, **steps)
        self.model = SklearnClassifier(model, classes=[0, 1], random_state=seed)
        self.n_queries_ = 0

    def partial_fit(self, X, y, classes=None):
        """Read rows; learn the labels that are asked for, and the first."""
        for row in range(len(y)):
            x = X[[row]].toarray() if issparse(X) else X[[row]]
            if self.n_queries_ == 0 or self.asks(x):
                self.model.partial_fit(x, y[[row]])
                self.n_queries_ += 1

    def asks(self, x):
        """Return whether the strategy wants the label of a row."""
        asked, utilities = self.strategy.query(x, self.model, return_utilities=True)
        self.strategy.update(
            x, asked, budget_manager_param_dict={"utilities": utilities}
        )
        return len(asked) > 0

    def predict(self, X):
        """Return labels 0 and 1."""
        return self.model.estimator_.predict(X)


def strategy(kind):
    """Return the row of a strategy: it is slow, so a sixth of the rows."""
    return method(
        partial(Strategy, kind),
        {"budget": 0.1, "step": "optimal"},
        seed="seed",
        rows=1_000,
        orders=3,
        budget=[0.1, 0.4],
        step=["optimal", 0.1],
    )


METHODS = {
    "scikit-activeml Split": strategy(Split),
    "scikit-activeml VariableUncertainty": strategy(VariableUncertainty),
}


def passes(X, y, folder):
    """Return the passes over some rows, by name; none over sparse rows."""
    if issparse(X):
        return {}
    few, answers = X[:FEW], y[:FEW]

    def call(kind):
        learner = Strategy(kind)
        learner.partial_fit(few, answers)
        return learner.n_queries_

    return {
        f"scikit-activeml {kind.__name__}": Pass(partial(call, kind), len(answers))
        for kind in (Split, VariableUncertainty)
    }


def loops(pool):
    """Return the ways to buy labels from a pool, by name."""
    X, y, first, n_labels = pool

    def call():
        known = np.full(len(y), np.nan)
        known[first] = y[first]
        model = SklearnClassifier(LogisticRegression(), classes=[0, 1])
        strategy = UncertaintySampling(method="least_confident", random_state=0)
        for _ in range(n_labels - len(first)):
            row = strategy.query(X, known, clf=model)
            known[row] = y[row]
        return model.fit(X, known)

    return {"scikit-activeml UncertaintySampling": call}
