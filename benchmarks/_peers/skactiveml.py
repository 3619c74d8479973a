"""scikit-activeml's strategies for streams, around `SGDClassifier`."""

from functools import partial

import numpy as np
from scipy.sparse import issparse
from skactiveml.classifier import SklearnClassifier
from skactiveml.stream import Split, VariableUncertainty
from sklearn.linear_model import SGDClassifier

from benchmarks.sets._stream_method import method


class Strategy:
    """A strategy with the interface of a stream learner; rows are made dense singly."""

    def __init__(self, strategy, *, budget=0.1, seed=0):
        self.strategy = strategy(budget=budget, random_state=seed)
        self.model = SklearnClassifier(
            SGDClassifier(loss="log_loss", random_state=seed),
            classes=[0, 1],
            random_state=seed,
        )
        self.n_queries_ = 0

    def partial_fit(self, X, y, classes=None):
        """Read rows; learn the labels that are asked for."""
        for row in range(len(y)):
            x = X[[row]].toarray() if issparse(X) else X[[row]]
            if not hasattr(self.model, "classes_"):  # then all classes are as likely
                self.model.fit(x, [np.nan])
            asked, utilities = self.strategy.query(
                x, clf=self.model, return_utilities=True
            )
            self.strategy.update(
                x, asked, budget_manager_param_dict={"utilities": utilities}
            )
            if len(asked):
                self.model.partial_fit(x, y[[row]])
                self.n_queries_ += 1

    def predict(self, X):
        """Return labels 0 and 1."""
        if not self.n_queries_:
            return np.zeros(X.shape[0], int)
        return self.model.estimator_.predict(X)


def strategy(kind):
    """Return the row of a strategy: it is slow, so a fifth of the rows."""
    return method(
        partial(Strategy, kind),
        {"budget": 0.1},
        seed="seed",
        rows=2_000,
        orders=3,
        budget=[0.02, 0.1, 0.4],
    )


METHODS = {
    "scikit-activeml Split": strategy(Split),
    "scikit-activeml VariableUncertainty": strategy(VariableUncertainty),
}
