"""Stream learners beside their peers: error against labels, on many sets.

A run is a data set, a method, a setting of its knobs, and the number of a random
order: the learner reads the rows once, in that order, and is scored on other rows,
14 times on the way. All methods read the same rows in the same orders. Slow peers get
fewer rows and orders; the table of methods says so.

Each run is a line of the results, and is not run again if it is there: repeat a command
that was interrupted, and delete the lines of a method whose code has changed.
`benchmarks.sets.streams_report` reads the file. For the peers install Vowpal Wabbit
(`vowpalwabbit`), `river` and `scikit-activeml`.

    python -m benchmarks.sets.streams [--only SET ...] [--methods NAME ...]
        [--orders 10] [--results results/streams.csv] [--quick]
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import make_classification
from sklearn.model_selection import ParameterGrid

from benchmarks import data
from benchmarks._peers import installed
from benchmarks.options import parse
from benchmarks.problems import (
    SEED,
    Split,
    as_they_are,
    news,
    of_class,
    standardised,
    tumours,
)
from benchmarks.results import show_table
from benchmarks.runner import Runner
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)


class Method(NamedTuple):
    """A way to buy labels from a stream.

    Attributes
    ----------
    make : callable
        Returns a learner with `partial_fit`, `predict` and `n_queries_`.
    settings : list of dict
        The settings that are tried.
    default : dict
        The one of a user who does not tune.
    seed : str
        The name of the parameter that takes the seed.
    rows, orders : int, optional
        Largest numbers of rows and orders, for slow methods.
    sparse : dict
        Further parameters where the rows are sparse.
    prepare : callable, optional
        Returns the rows that stream by in the form that the learner reads, once for all
        settings.
    """

    make: Callable
    settings: list
    default: dict
    seed: str
    rows: int | None
    orders: int | None
    sparse: dict
    prepare: Callable | None


def method(
    make,
    default,
    *,
    seed="random_state",
    rows=None,
    orders=None,
    sparse=(),
    prepare=None,
    **grid,
):
    """Return a row of which all combinations of some values are the settings."""
    settings = list(ParameterGrid(grid))
    if default not in settings:
        raise ValueError(f"default {default} is not among the settings.")
    return Method(make, settings, default, seed, rows, orders, dict(sparse), prepare)


def written(setting):
    """Return a setting as text."""
    return ", ".join(f"{name}={value}" for name, value in sorted(setting.items()))


STEPS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
#: Rows that second-order learners store where the rows are sparse.
STORED = {"max_stored": 1_500}


def margin_loss(loss):
    """Return the row of a margin loss."""
    return method(partial(MarginLossClassifier, loss), {"eta0": 0.1}, eta0=STEPS)


def adaptive(make, **params):
    """Return the row of a learner whose steps need no tuning."""
    make = partial(make, learning_rate="adaptive")
    return method(make, {name: values[0] for name, values in params.items()}, **params)


METHODS = {
    "CBGZ": method(
        CBGZClassifier, {"b": 0.1}, b=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
    ),
    "DKM": method(DKMClassifier, {"R": 32}, R=[4, 8, 16, 32, 64, 128, 256]),
    "log-ramp": margin_loss("log_ramp"),
    "root-ramp": margin_loss("root_ramp"),
    "ramp": margin_loss("ramp"),
    "greedy": method(
        GreedyOnlineClassifier,
        {"m": 5, "eta0": 0.1},
        m=[5, 10, 20, 50],
        eta0=[0.01, 0.1, 1.0, 10.0],
    ),
    "log-ramp, adaptive": adaptive(MarginLossClassifier, loss=["log_ramp"]),
    "root-ramp, adaptive": adaptive(MarginLossClassifier, loss=["root_ramp"]),
    "greedy, adaptive": adaptive(GreedyOnlineClassifier, m=[5, 10, 20, 50]),
    "RLS": method(
        RLSSamplingClassifier,
        {"lam": 30.0},
        lam=[30.0, 100.0, 300.0, 1000.0, 3000.0],
        sparse=STORED,
    ),
    "SOLE": method(
        SOLEClassifier, {"b": 0.03}, b=[0.003, 0.01, 0.03, 0.1, 0.3], sparse=STORED
    ),
    "random": method(
        RandomSamplingClassifier, {"rate": 0.3}, rate=[0.03, 0.1, 0.3, 1.0]
    ),
    "all labels, hinge": margin_loss("hinge"),
    "all labels, second order": method(
        SecondOrderPerceptronClassifier, {"a": 1.0}, a=[0.1, 1.0, 10.0], sparse=STORED
    ),
}
#: Who buys every label, the first the one whose error the targets are multiples of.
PASSIVE = ["all labels, hinge", "all labels, second order"]


def all_methods():
    """Return the methods by name, with the methods of installed peers."""
    methods = dict(METHODS)
    for peer in installed():
        methods |= getattr(peer, "METHODS", {})
    return methods


#: Largest numbers of rows in a stream and of test rows.
N_STREAM, N_TEST = 6_000, 3_000


def topic(name):
    """Return the function that loads news and whether they have this topic."""

    def load():
        X, has, names = data.rcv1_topics()
        return X, has[:, list(names).index(name)]

    return load


def odd():
    """Return images of digits and whether they are odd."""
    X, y = data.mnist()
    return X, y % 2


def noisy():
    """Return two classes in 20 columns, one label in ten redrawn."""
    return make_classification(
        20_000, 20, n_informative=10, class_sep=1.0, flip_y=0.1, random_state=SEED
    )


class Problem(NamedTuple):
    """A data set."""

    load: Callable
    prepare: Callable

    def split(self, X, y, order, rows=None):
        """Return the stream and the test rows of the random order with this number.

        The test rows are the same whatever the number of rows in the stream, which is a
        multiple of 100.
        """
        n_stream = min(N_STREAM, 2 * len(y) // 3) // 100 * 100
        rows_of = np.random.default_rng((SEED, order)).permutation(len(y))
        stream, test = rows_of[:n_stream], rows_of[n_stream : n_stream + N_TEST]
        X_stream, X_test = self.prepare(X[stream], X[test])
        kept = slice(0, rows)
        return Split(X_stream[kept], y[stream][kept].astype(int), X_test, y[test])


PROBLEMS = {
    "business": Problem(news, as_they_are),
    "C15": Problem(topic("C15"), as_they_are),
    "money-fx": Problem(data.money_fx, as_they_are),
    "covtype": Problem(of_class(data.covtype, 2), standardised),
    "MNIST odd": Problem(odd, as_they_are),
    "MNIST 9": Problem(of_class(data.mnist, 9), as_they_are),
    "noisy": Problem(noisy, standardised),
    "tumours": Problem(tumours, standardised),
}
#: Ships with scikit-learn, and is too small to say much.
TOY = ["tumours"]


#: The model is scored so often, after 100 rows first; pieces grow by a constant factor.
N_SCORES = 16


class StreamResult(NamedTuple):
    """A run: what was run, on what, and its curve."""

    set: str
    method: str
    setting: str
    order: int
    n_rows: int
    n_test: int
    seconds: float
    labels: list
    errors: list

    @property
    def key(self):
        """The set, the method, the setting and the order: unique to a run."""
        return self[:4]


def cuts(n_rows):
    """Return after how many rows the model is scored: multiples of 100, the last all.

    A greedy learner compares m rows, where m divides 100.
    """
    hundreds = np.geomspace(1, n_rows // 100, N_SCORES)
    return 100 * np.unique(hundreds.round().astype(int))


def run(key, method, setting, split, is_sparse):
    """Return the result of a run."""
    params = setting | {method.seed: key[-1]} | (method.sparse if is_sparse else {})
    X, y, X_test, y_test = split
    labels, errors = [], []
    started, learner, start = perf_counter(), method.make(**params), 0
    for end in cuts(len(y)):
        learner.partial_fit(X[start:end], y[start:end], classes=[0, 1])
        labels.append(learner.n_queries_)
        errors.append(np.mean(learner.predict(X_test) != y_test))
        start = end
    seconds = round(perf_counter() - started, 3)
    return StreamResult(*key, len(y), len(y_test), seconds, labels, errors)


RESULTS = "results/streams.csv"


def tasks_of(name, methods, orders, done):
    """Yield the runs that are missing of a set, which is loaded for the first one."""
    here = data = None
    for order, (title, method) in product(range(1, orders + 1), methods.items()):
        if method.orders is not None and order > method.orders:
            continue
        for setting in method.settings:
            key = (name, title, written(setting), order)
            if key in done:
                continue
            if data is None:
                data = PROBLEMS[name].load()
            if here != (title, order):
                here = title, order
                split = PROBLEMS[name].split(*data, order, method.rows)
                if method.prepare:
                    split = split._replace(X=method.prepare(split.X))
            yield key, run, method, setting, split, issparse(data[0])


def show(results):
    """Print the last point of each setting's curve, a mean over the orders."""
    cells = {}
    for result in results:
        cells.setdefault((result.set, result.method, result.setting), []).append(result)
    lines = []
    for key, runs in cells.items():
        labels = sum(run.labels[-1] for run in runs) / len(runs)
        error = 100 * sum(run.errors[-1] for run in runs) / len(runs)
        lines.append([*key, labels, runs[0].n_rows, error, len(runs)])
    head = ["set", "method", "setting", "labels", "rows", "error, %", "orders"]
    show_table(head, lines)


def main(argv=None):
    methods = all_methods()
    args = parse(
        __doc__,
        argv,
        quick={"orders": 2, "only": TOY},
        only=PROBLEMS,
        methods=methods,
        orders=10,
        results=RESULTS,
    )
    methods = {name: methods[name] for name in args.methods or methods}
    sets = args.only or [name for name in PROBLEMS if name not in TOY]
    runner = Runner(args.results, StreamResult, "sets.streams", argv)
    for name in sets:
        try:
            runner.run(tasks_of(name, methods, args.orders, runner.done))
        except OSError as error:  # no file, no network
            print(f"{name} is left out: {error}", flush=True)
    show(r for r in runner.done.values() if r.set in sets and r.method in methods)


if __name__ == "__main__":
    main()
