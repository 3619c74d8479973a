"""Training on a graph: labels spread to the rows that have none."""

from ..._beginning import unfitted_copy
from ..._containers import loaded, n_rows
from ..._validation import check_limit
from .._training import Trained, Trainer
from ._graph import check_has_distances
from ._labelled_graph import LabelledGraph

#: Rows of the largest pool all of which are considered by default, and how many are
#: considered of a larger one.
MOST_ROWS, N_CANDIDATES = 2_000, 100


class GraphTrainer(Trainer):
    """Connects the rows of the pool, and spreads the labels over them.

    Parameters
    ----------
    graph : GraphClassifier
        Has the parameters of the graph.
    n_first : int
        Labels that are clamped at once.
    n_candidates : int, "auto" or None
        As for `ActiveLabelPropagationClassifier`.
    """

    keeps_pool = True

    def __init__(self, graph, *, n_first, n_candidates):
        self.estimators, self.n_first = [graph], n_first
        self.n_candidates = n_candidates

    def check(self):
        """Raise if a parameter is out of its range."""
        self.estimators[0].check()
        if isinstance(self.n_candidates, str):
            if self.n_candidates != "auto":
                raise TypeError(
                    'n_candidates must be a whole number, "auto" or None, got '
                    f"{self.n_candidates!r}."
                )
        else:
            check_limit(self.n_candidates, "n_candidates", 1)

    def check_rows(self, learner, X, *y, **how):
        """Return rows, and labels if given any, if there are distances between them."""
        checked = super().check_rows(learner, X, *y, **how)
        check_has_distances(loaded(checked[0] if y else checked))
        return checked

    def n_considered(self, pool):
        """Return how many rows of a pool are considered, None for all."""
        if self.estimators[0].kernel != "knn" or self.n_candidates is None:
            return None
        n_pool = 0 if pool.X is None else n_rows(pool.X)
        if self.n_candidates == "auto":
            return N_CANDIDATES if n_pool > MOST_ROWS else None
        # for all rows the inverse takes less time and memory
        return None if 0 < n_pool <= self.n_candidates else self.n_candidates

    def connected(self, known, before):
        """Return the graph of the pool with all labels taught."""
        return LabelledGraph.of(
            unfitted_copy(known.prototypes[0]),
            known.pool,
            known.labelled,
            len(known.classes),
            n_first=self.n_first,
            is_sparse=self.n_considered(known.pool) is not None,
            before=before and before.memory,
        )

    def train(self, known, before):
        """Return the graph that knows the class probabilities of its nodes."""
        graph = self.connected(known, before)
        distributions = graph.distributions()
        return Trained(
            graph.graph.knowing(distributions, known.classes),
            {"label_distributions_": distributions[: graph.n_pool]},
            graph,
        )
