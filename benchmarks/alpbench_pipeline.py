"""Learners of this package in the pipeline of ALPBench, beside its strategies.

ALPBench (https://pypi.org/project/alpbench) splits the rows, trains the model, asks a
strategy for row numbers, and measures. `Learner` is the adapter. Its own data would be
downloaded; these are data sets that scikit-learn ships. The model is logistic
regression; accuracies are in %, means over seeds: `area` over all rounds, `end` after
the last one.

    pip install --no-deps alpbench
    python -m benchmarks.alpbench_pipeline [--out docs/results/alpbench.csv] [--quick]
"""

import sys
from types import ModuleType
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from benchmarks.options import parse
from benchmarks.problems import PROBLEMS
from benchmarks.results import write_csv
from sklearn_activelearn import (
    HybridSamplingClassifier,
    QueryByCommitteeClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)

sys.modules.setdefault("openml", ModuleType("openml"))  # for downloads only
from alpbench.benchmark.ActiveLearningScenario import create_dataset_split  # noqa: E402
from alpbench.pipeline.ActiveLearningPipeline import (  # noqa: E402
    ActiveLearningPipeline,
)
from alpbench.pipeline.Oracle import Oracle  # noqa: E402
from alpbench.pipeline.QueryStrategy import (  # noqa: E402
    ClusterMarginQueryStrategy,
    EntropyQueryStrategy,
    MarginQueryStrategy,
    PseudoRandomizedQueryStrategy,
    QueryByCommitteeEntropyQueryStrategy,
    RandomQueryStrategy,
)

#: ALPBench's settings: rows labelled at the start, or rows a class; rows a round.
SETTINGS = {
    "small": (30, -1, 10),
    "small_dynamic": (10, 5, 10),
    "medium": (100, -1, 50),
}
SETS = ["digits", "tumours"]
N_ROUNDS, TEST_SIZE = 20, 0.33


class Learner(PseudoRandomizedQueryStrategy):
    """A pool learner as a strategy of ALPBench."""

    def __init__(self, seed, learner):
        super().__init__(seed)
        self.learner = learner

    def sample(self, learner, X_l, y_l, X_u, num_queries):
        """Return the rows of X_u to label."""
        pool, n_known = np.concatenate([X_l, X_u]), len(y_l)
        own = clone(self.learner).set_params(
            budget=None, batch_size=num_queries, random_state=self.seed
        )
        if own.get_params().get("param_grid") is None:
            own.set_params(estimator=LogisticRegression(max_iter=1_000))
        ids = np.arange(len(pool))
        own.teach(pool[:n_known], y_l, ids=ids[:n_known])
        return own.query(pool, ids=ids) - n_known


STRATEGIES = {
    "ALPBench random": RandomQueryStrategy,
    "ALPBench margin": MarginQueryStrategy,
    "ALPBench entropy": EntropyQueryStrategy,
    "ALPBench committee": lambda seed: QueryByCommitteeEntropyQueryStrategy(seed, 10),
    "ALPBench cluster margin": ClusterMarginQueryStrategy,
    "margin": lambda seed: Learner(seed, UncertaintySamplingClassifier()),
    "hybrid": lambda seed: Learner(seed, HybridSamplingClassifier()),
    "herding": lambda seed: Learner(seed, UncertaintyHerdingClassifier()),
    "committee": lambda seed: Learner(
        seed, QueryByCommitteeClassifier(param_grid={"C": [0.01, 0.1, 1.0, 10.0]})
    ),
}


class Observed(LogisticRegression):
    """Logistic regression that remembers the accuracy of each of its trainings."""

    def __init__(self, X_test=None, y_test=None):
        super().__init__(max_iter=1_000)
        self.X_test, self.y_test, self.accuracies = X_test, y_test, []

    def fit(self, X, y):
        """Train, and score on the test rows."""
        super().fit(X, y)
        self.accuracies.append(100 * self.score(self.X_test, self.y_test))
        return self


def run(strategy, X, y, setting, seed, n_rounds=N_ROUNDS):
    """Return the accuracy of each round."""
    size, factor, n_queries = SETTINGS[setting]
    known, test = create_dataset_split(
        X, y, seed, TEST_SIZE, seed, size, "absolute", factor
    )
    is_left = np.ones(len(X), dtype=bool)
    is_left[[*known, *test]] = False
    model = Observed(X[test], y[test])
    pipeline = ActiveLearningPipeline(
        model,
        STRATEGIES[strategy](seed),
        num_iterations=n_rounds,
        num_queries_per_iteration=n_queries,
    )
    pipeline.active_fit(X[known], y[known], X[is_left], Oracle(X[is_left], y[is_left]))
    return model.accuracies


def main():
    args = parse(__doc__, seeds=10, settings=SETTINGS, without=STRATEGIES, out=str)
    settings, sets, n_rounds = args.settings or SETTINGS, SETS, N_ROUNDS
    if args.quick:
        settings, sets, n_rounds, args.seeds = ["small"], ["tumours"], 2, 1
    lines = []
    for setting in settings:
        for name in sets:
            X, y = PROBLEMS[name].load()
            y = np.unique(y, return_inverse=True)[1]
            X, _ = PROBLEMS[name].prepare(np.asarray(X, dtype=float), X[:1])
            for strategy in [
                each for each in STRATEGIES if each not in (args.without or ())
            ]:
                with catch_warnings():
                    simplefilter("ignore")
                    curves = [
                        run(strategy, X, y, setting, seed, n_rounds)
                        for seed in range(args.seeds)
                    ]
                areas, ends = zip(*((np.mean(c), c[-1]) for c in curves), strict=True)
                line = {
                    "setting": setting,
                    "set": name,
                    "strategy": strategy,
                    "area": np.mean(areas).round(2),
                    "area_se": (np.std(areas) / len(areas) ** 0.5).round(2),
                    "end": np.mean(ends).round(2),
                    "end_se": (np.std(ends) / len(ends) ** 0.5).round(2),
                }
                lines.append(line)
                print(*line.values(), sep=", ", flush=True)
                if args.out:
                    write_csv(args.out, line, [each.values() for each in lines])


if __name__ == "__main__":
    main()
