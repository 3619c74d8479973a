"""One run: buy labels a batch at a time, score the model after each; what it leaves."""

from time import process_time
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV

from benchmarks.problems import PROBLEMS

GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0, 1_000.0]}


class Regime(NamedTuple):
    """Sizes of the batches and of the budget.

    Attributes
    ----------
    batch_size : int
        Number of labels in a batch.
    budget : int
        Largest number of labels.
    n_first : int, optional
        Number of labels in the first batch, if it differs.
    share : float
        Largest number of labels as a share of the pool.
    split : str
        The method of a problem that makes the pool and the test rows.
    """

    batch_size: int
    budget: int
    n_first: int | None = None
    share: float = 1.0
    split: str = "split"

    @property
    def n_initial(self):
        """Number of labels that are bought without a model."""
        return self.n_first or self.batch_size

    @property
    def n_rounds(self):
        """Number of batches."""
        return 1 + (self.budget - self.n_initial) // self.batch_size

    def within(self, n_pool):
        """Return the regime with a budget of whole batches for a pool of this size."""
        budget = min(self.budget, int(self.share * n_pool))
        regime = self._replace(budget=budget)
        n_labels = self.n_initial + (regime.n_rounds - 1) * self.batch_size
        return regime._replace(budget=n_labels)


class Outcome(NamedTuple):
    """Scores and times of a run.

    The scores, and the number of labels of the rarest class of the pool, are those
    after each batch. `query_ms` and `train_ms` are the mean milliseconds of a batch on
    one processor, without the first; `worst_ms` is the longest batch.
    """

    query_ms: float
    train_ms: float
    worst_ms: float
    accuracy: list
    balanced: list
    rare: list


class Result(NamedTuple):
    """A run: what was run, on what, and its `Outcome`."""

    regime: str
    set: str
    model: str
    method: str
    order: int
    C: float
    n_classes: int
    n_pool: int
    n_test: int
    query_ms: float
    train_ms: float
    worst_ms: float
    accuracy: list
    balanced: list
    rare: list

    @property
    def key(self):
        """The regime, set, model, method and order: unique to a run."""
        return self[:5]

    def after(self, n_labels, score="accuracy", batch_size=10):
        """Return a score after this number of labels or "end", None beyond the end."""
        curve = getattr(self, score)
        i = -1 if n_labels == "end" else n_labels // batch_size - 1
        return curve[i] if i < len(curve) else None

    @property
    def area(self):
        """Mean accuracy over the curve."""
        return np.mean(self.accuracy)

    @property
    def final(self):
        """Accuracy with all labels bought."""
        return self.accuracy[-1]

    @property
    def balanced_area(self):
        """Mean balanced accuracy over the curve."""
        return np.mean(self.balanced)

    @property
    def balanced_final(self):
        """Balanced accuracy with all labels bought."""
        return self.balanced[-1]


def dense_halves(names, orders, labels):
    """Yield (set, split, number of labels) and the split, of sets whose rows are dense.

    At most 60 % of a pool are labelled. A set without its file is left out.
    """
    for name in names:
        try:
            X, y = PROBLEMS[name].load()
        except OSError as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        if issparse(X):  # the default model has other candidates, and scales nothing
            continue
        for order in range(1, orders + 1):
            split = PROBLEMS[name].halve(X, y, order)
            for n_labels in labels:
                if n_labels <= 0.6 * len(split.y):
                    yield (name, order, n_labels), split


def chosen_C(model, split, n_jobs):
    """Return the C that is best in cross-validation on all labels of a pool."""
    with catch_warnings():
        simplefilter("ignore")
        search = GridSearchCV(model, GRID, cv=3, n_jobs=n_jobs).fit(split.X, split.y)
    return search.best_params_["C"]


def run(key, method, model, regime, split):
    """Return the outcome of a run; the last part of its key is its seed."""
    learner = method.make(
        model,
        n_initial=regime.n_initial,
        batch_size=regime.batch_size,
        budget=regime.budget,
        random_state=key[-1],
    )
    return spend(learner, regime, split)


def spend(learner, regime, split):
    """Buy labels until the budget is spent; who stops earlier keeps its last scores."""
    classes, sizes = np.unique(split.y, return_counts=True)
    is_rare = split.y == classes[np.argmin(sizes)]
    times, scores, n_rare = [], [], 0
    while len(scores) < regime.n_rounds:
        started = process_time()
        rows = learner.query(split.X)
        asked = process_time()
        if len(rows) == 0:
            scores.append(scores[-1])
            continue
        learner.teach(split.X[rows], split.y[rows])
        times.append((asked - started, process_time() - asked))
        n_rare += np.count_nonzero(is_rare[rows])
        predicted = learner.predict(split.X_test)
        recalls = recall_score(
            split.y_test, predicted, average=None, labels=np.unique(split.y_test)
        )
        scores.append((np.mean(predicted == split.y_test), recalls.mean(), n_rare))
    milliseconds = 1e3 * np.array(times)
    return Outcome(
        *milliseconds[1:].mean(axis=0).round(3).tolist(),
        milliseconds.sum(axis=1).max().round(3).item(),
        *np.transpose(scores).tolist(),
    )
