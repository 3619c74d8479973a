"""ASReview 3 on the screening tasks, in a separate environment.

    python -m venv asreview && asreview/bin/pip install asreview==3.0.8
    asreview/bin/python -m benchmarks.screening.asreview_runs --results FILE
        [--tasks kitchenham ...] [--seeds 3] [--recall 0.95]

Its default model, "elas_u4", trained again after each label, from one relevant row and
another one; until this share of the relevant rows is found. Features are those of the
other methods: TF-IDF, made beforehand. The seed is the number of the start.
"""

from importlib.metadata import version
from time import perf_counter

import numpy as np
from asreview.learner import ActiveLearningCycle
from asreview.models.balancers import Balanced
from asreview.models.classifiers import SVM
from asreview.models.queriers import Max
from asreview.simulation.simulate import Simulate

from benchmarks.options import parse
from benchmarks.runner import Runner
from benchmarks.screening import tasks
from benchmarks.screening.results import Run, run_of

METHOD = "ASReview"


class Recall:
    """Stop when a share of the relevant rows is found."""

    def __init__(self, recall):
        self.recall = recall

    def stop(self, results, labels):
        """Return whether enough relevant rows are found."""
        return results["label"].sum() >= np.ceil(self.recall * np.sum(labels))


def run(key, task, recall):
    """Return the run of a task, of the rows in the order in which it asks for them."""
    name, _, seed = key
    started = perf_counter()
    cycle = ActiveLearningCycle(
        querier=Max(),
        classifier=SVM(loss="squared_hinge", C=0.11, random_state=seed),
        balancer=Balanced(ratio=9.8),
        n_query=1,
    )
    simulation = Simulate(
        task.X,
        task.y.astype(int),
        [cycle],
        stopper=Recall(recall),
        skip_transform=True,
        print_progress=False,
    )
    simulation.label(task.start(seed))
    simulation.review()
    order = simulation._results["record_id"].to_numpy(int)
    seconds = perf_counter() - started
    assert len(np.unique(order)) == len(order)
    return run_of(name, METHOD, version("asreview"), seed, task.y, order, seconds)


def main():
    args = parse(__doc__, results=str, tasks=[str], seeds=3, recall=0.95)
    all_tasks = tasks.all_tasks()
    runner = Runner(args.results, Run, "screening.asreview_runs")
    runner.run(
        ((name, METHOD, seed), run, all_tasks[name](), args.recall)
        for seed in range(args.seeds)
        for name in args.tasks or all_tasks
        if (name, METHOD, seed) not in runner.done
    )


if __name__ == "__main__":
    main()
