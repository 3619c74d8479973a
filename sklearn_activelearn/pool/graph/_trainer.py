"""Training on a graph: labels spread to the rows that have none."""

from ..._containers import loaded
from .._training import Trained, Trainer, unfitted_copy
from ._graph import check_has_distances
from ._labelled_graph import LabelledGraph


class GraphTrainer(Trainer):
    """Connects the rows of the pool, and spreads the labels over them.

    Parameters
    ----------
    graph : GraphClassifier
        Has the parameters of the graph.
    n_first : int
        Labels that are clamped at once.
    """

    keeps_pool = True

    def __init__(self, graph, *, n_first):
        self.estimators, self.n_first = [graph], n_first

    def check(self):
        """Raise if a parameter is out of its range."""
        self.estimators[0].check()

    def check_rows(self, learner, X, *y, **how):
        """Return rows, and labels if given any, if there are distances between them."""
        checked = super().check_rows(learner, X, *y, **how)
        check_has_distances(loaded(checked[0] if y else checked))
        return checked

    def connected(self, known, before):
        """Return the graph of the pool with all labels taught."""
        return LabelledGraph.of(
            unfitted_copy(known.prototypes[0]),
            known.pool,
            known.labelled,
            len(known.classes),
            n_first=self.n_first,
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
