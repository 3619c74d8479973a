"""Vowpal Wabbit's active learning, `--active --simulation`."""

import re
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from vowpalwabbit import Workspace

from benchmarks._peers._task import Pass
from benchmarks.sets.streams import method

PACKAGE = "vowpalwabbit"

#: The namespace of all features, and where the weight of the constant is.
SPACE, CONSTANT = "f", 11650396


def features(X):
    """Return the rows in Vowpal Wabbit's text format, without labels."""
    X = csr_array(X)
    columns, values = X.indices.tolist(), X.data.tolist()
    terms = [f"{c}:{value:.8g}" for c, value in zip(columns, values, strict=True)]
    bounds = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [f"|{SPACE} {' '.join(terms[start:end])}" for start, end in bounds]


def lines(rows, y):
    """Return rows in text format with their labels, 1 and -1."""
    return [f"{1 if y else -1} {row}" for row, y in zip(rows, y, strict=True)]


class VowpalWabbit:
    """A workspace with the interface of a stream learner; rows are `features`."""

    def __init__(self, *, mellowness=1, loss="squared", seed=0):
        self.workspace = Workspace(
            f"--active --simulation --mellowness {mellowness} --loss_function {loss} "
            f"--random_seed {seed} --quiet"
        )
        self.n_queries_, self.places = 0, []

    def partial_fit(self, rows, y, classes=None):
        """Read rows with their labels; count those that were used."""
        workspace = self.workspace
        for line in lines(rows, y):
            example = workspace.parse(line)
            workspace.learn(example)
            # the weight of a row whose label was not asked for is set to 0
            self.n_queries_ += example.get_simplelabel_weight() > 0
            workspace.finish_example(example)

    def decision_function(self, X):
        """Return the margins; `predict` of the workspace would count rows as seen."""
        workspace, n_features = self.workspace, X.shape[1]
        if not self.places:
            space = workspace.hash_space(SPACE)
            names = map(str, range(n_features))
            self.places = [workspace.hash_feature(name, space) for name in names]
        weights = np.fromiter(map(workspace.get_weight, self.places), float, n_features)
        return X @ weights + workspace.get_weight(CONSTANT)

    def predict(self, X):
        """Return labels 0 and 1."""
        return (self.decision_function(X) > 0).astype(int)


METHODS = {
    "Vowpal Wabbit": method(
        VowpalWabbit,
        {"mellowness": 1, "loss": "squared"},
        seed="seed",
        prepare=features,
        mellowness=[1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.1, 1],
        loss=["squared", "logistic"],
    )
}


def passes(X, y, folder):
    """Return the passes over some rows, by name; they read a binary cache."""
    cache = Path(folder, "rows.cache")
    cache.unlink(missing_ok=True)
    text = Path(folder, "rows.txt")
    text.write_text("\n".join(lines(features(X), y)) + "\n", encoding="utf-8")
    Workspace(f"-d {text} -k --cache_file {cache} --quiet").finish()

    def call():
        workspace = Workspace(
            f"-d {text} --cache_file {cache} --active --simulation --mellowness 0.001",
            enable_logging=True,
        )
        workspace.finish()
        log = "\n".join(workspace.get_log())
        return int(re.search(r"total queries = (\d+)", log)[1])

    return {"Vowpal Wabbit --active --simulation, cache": Pass(call, len(y))}
