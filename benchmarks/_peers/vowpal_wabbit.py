"""Vowpal Wabbit's active learning, `--active --simulation`."""

import numpy as np
from scipy.sparse import csr_array
from vowpalwabbit import Workspace

from benchmarks.sets._stream_method import method

#: The namespace of all features, and where the weight of the constant is.
SPACE, CONSTANT = "f", 11650396


def lines(X, y):
    """Return the rows in Vowpal Wabbit's text format, labels 1 and -1."""
    X = csr_array(X)
    texts = []
    for start, end, label in zip(X.indptr[:-1], X.indptr[1:], y, strict=True):
        terms = zip(X.indices[start:end], X.data[start:end], strict=True)
        features = " ".join(f"{column}:{value:.8g}" for column, value in terms)
        texts.append(f"{1 if label else -1} |{SPACE} {features}")
    return texts


class VowpalWabbit:
    """A workspace with the interface of a stream learner."""

    def __init__(self, *, mellowness=8, loss="squared", learning_rate=0.5, seed=0):
        self.workspace = Workspace(
            f"--active --simulation --mellowness {mellowness} --loss_function {loss} "
            f"--learning_rate {learning_rate} --random_seed {seed} --quiet"
        )
        self.n_queries_ = 0

    def partial_fit(self, X, y, classes=None):
        """Read rows with their labels; count those that were used."""
        workspace = self.workspace
        self.n_features_ = X.shape[1]
        for line in lines(X, y):
            example = workspace.parse(line)
            workspace.learn(example)
            # the weight of a row whose label was not asked for is set to 0
            self.n_queries_ += example.get_simplelabel_weight() > 0
            workspace.finish_example(example)

    def decision_function(self, X):
        """Return the margins; `predict` of the workspace would count rows as seen."""
        workspace = self.workspace
        first = workspace.hash_space(SPACE)
        weights = [
            workspace.get_weight(workspace.hash_feature(str(column), first))
            for column in range(self.n_features_)
        ]
        return X @ np.array(weights) + workspace.get_weight(CONSTANT)

    def predict(self, X):
        """Return labels 0 and 1."""
        return (self.decision_function(X) > 0).astype(int)


METHODS = {
    "Vowpal Wabbit": method(
        VowpalWabbit,
        {"mellowness": 8, "loss": "squared", "learning_rate": 0.5},
        seed="seed",
        mellowness=[1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 8],
        loss=["squared", "logistic"],
        learning_rate=[0.5, 2.0],
    ),
}
