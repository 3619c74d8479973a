"""ASReview 3 on the screening tasks, in an environment of its own.

    python -m venv asreview && asreview/bin/pip install asreview==3.0.8
    asreview/bin/python -m benchmarks.screening.asreview_runs --results FILE
        [--tasks kitchenham ...] [--seeds 3] [--recall 0.95]

Its default model, "elas_u4", trained again after each label, from one relevant row and
another one; until this share of the relevant rows is found. Features are those of the
other methods: TF-IDF, made beforehand. The seed is the number of the start.
"""

import argparse
from importlib.metadata import version
from time import perf_counter

import numpy as np
from asreview.learner import ActiveLearningCycle
from asreview.models.balancers import Balanced
from asreview.models.classifiers import SVM
from asreview.models.queriers import Max
from asreview.simulation.simulate import Simulate

from benchmarks.screening import results, tasks

METHOD = "ASReview"


class Recall:
    """Stop when a share of the relevant rows is found."""

    def __init__(self, recall):
        self.recall = recall

    def stop(self, results, labels):
        """Whether it is."""
        return results["label"].sum() >= np.ceil(self.recall * np.sum(labels))


def order_of(task, seed, recall):
    """Return the rows in the order in which it asks for them."""
    cycle = ActiveLearningCycle(
        querier=Max(),
        classifier=SVM(loss="squared_hinge", C=0.11, random_state=seed),
        balancer=Balanced(ratio=9.8),
        n_query=1,
    )
    y = task.y.astype(int)
    simulation = Simulate(
        task.X,
        y,
        [cycle],
        stopper=Recall(recall),
        skip_transform=True,
        print_progress=False,
    )
    simulation.label(task.start(seed))
    simulation.review()
    return simulation._results["record_id"].to_numpy(int)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", required=True)
    parser.add_argument("--tasks", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--recall", type=float, default=0.95)
    args = parser.parse_args()
    all_tasks = tasks.all_tasks()
    known = {(run.task, run.seed) for run in results.read(args.results)}
    for seed in range(args.seeds):
        for name in args.tasks or all_tasks:
            if (name, seed) in known:
                continue
            task, start = all_tasks[name](), perf_counter()
            order = order_of(task, seed, args.recall)
            seconds = perf_counter() - start
            assert len(np.unique(order)) == len(order)
            run = results.run_of(
                name, METHOD, version("asreview"), seed, task.y, order, seconds
            )
            results.write(args.results, run)
            print(*run, flush=True)


if __name__ == "__main__":
    main()
