"""One run: buy labels a batch at a time, score the model after each."""

from time import perf_counter
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0, 1_000.0]}


class Regime(NamedTuple):
    """How many labels at a time and in all, and how many first, if not as many."""

    batch_size: int
    budget: int
    n_first: int | None = None

    @property
    def n_initial(self):
        """How many labels are bought without a model."""
        return self.n_first or self.batch_size

    @property
    def n_rounds(self):
        """How often labels are bought."""
        return 1 + (self.budget - self.n_initial) // self.batch_size


class Outcome(NamedTuple):
    """What a run gave, or the error that ended it.

    The scores are those after each batch; the times are milliseconds for a batch, means
    over all but the first.
    """

    query_ms: float = np.nan
    train_ms: float = np.nan
    accuracy: list = []
    balanced: list = []
    error: str = ""


def chosen_C(model, split, n_jobs):
    """Return the C that is best in cross-validation on all labels of a pool."""
    with catch_warnings():
        simplefilter("ignore")
        search = GridSearchCV(model, GRID, cv=3, n_jobs=n_jobs).fit(split.X, split.y)
    return search.best_params_["C"]


def run(key, method, model, regime, split):
    """Return the key of a run, of which the last part is its seed, and its outcome."""
    with threadpool_limits(1), catch_warnings():
        simplefilter("ignore")
        try:
            learner = method.make(
                model,
                n_initial=regime.n_initial,
                batch_size=regime.batch_size,
                budget=regime.budget,
                random_state=key[-1],
            )
            return key, spend(learner, regime, split)
        except Exception as error:
            return key, Outcome(error=f"{type(error).__name__}: {error}")


def spend(learner, regime, split):
    """Buy labels until the budget is spent; who stops earlier keeps its last scores."""
    times, scores = [], []
    while len(scores) < regime.n_rounds:
        started = perf_counter()
        rows = learner.query(split.X)
        asked = perf_counter()
        if len(rows) == 0:
            scores.append(scores[-1])
            continue
        learner.teach(split.X[rows], split.y[rows])
        times.append((asked - started, perf_counter() - asked))
        predicted = learner.predict(split.X_test)
        recalls = recall_score(
            split.y_test, predicted, average=None, labels=np.unique(split.y_test)
        )
        scores.append((np.mean(predicted == split.y_test), recalls.mean()))
    milliseconds = 1e3 * np.mean(times[1:], axis=0)
    return Outcome(*milliseconds.round(3).tolist(), *np.transpose(scores).tolist())
