"""A stopping rule: `stopping=EnoughOfEachClass(20)`, of any pool learner."""

from dataclasses import dataclass

import numpy as np

from sklearn_activelearn.pool import StoppingRule


@dataclass(frozen=True)
class EnoughOfEachClass(StoppingRule):
    """Stop when each class that has labels has so many."""

    n_labels: int = 20

    def judge(self, progress, memory):
        _, counts = np.unique(progress.labels, return_counts=True)
        return bool(counts.min() >= self.n_labels), memory
