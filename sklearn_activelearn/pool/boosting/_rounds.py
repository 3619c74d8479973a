"""How many steps a committee takes when labels come in, and of which kind."""

from dataclasses import dataclass
from itertools import islice

from ..._validation import check_flag, check_number


@dataclass(frozen=True)
class DiscreteRounds:
    """AdaBoost from nothing, until a member is no better than chance or has no error.

    Parameters
    ----------
    n_estimators : int
        Most members.
    """

    n_estimators: int

    is_soft = ends_early = False

    def check(self):
        """Raise if a parameter is out of its range."""
        check_number(self.n_estimators, "n_estimators", 1, closed="left", integer=True)

    def run(self, boosting, weak_learners, n_first, n_later):
        """Return the boosted committee, and whether a step was refused."""
        boosting = boosting.restarted()
        for weak in islice(weak_learners, self.n_estimators):
            before = boosting.committee
            boosting = boosting.discrete_step(weak)
            if boosting.committee is before or boosting.error == 0:
                break
        return boosting, False


@dataclass(frozen=True)
class NewtonRounds:
    """Newton steps from nothing, until the cost stalls.

    Parameters
    ----------
    n_estimators : int
        Most members.
    tol : float
        Least relative decrease of the cost.
    """

    n_estimators: int
    tol: float

    is_soft, ends_early = True, False

    def check(self):
        """Raise if a parameter is out of its range."""
        check_number(self.n_estimators, "n_estimators", 1, closed="left", integer=True)
        check_number(self.tol, "tol", 0, closed="left")

    def run(self, boosting, weak_learners, n_first, n_later):
        """Return the boosted committee, and whether a step was refused."""
        boosting = boosting.restarted()
        cost = boosting.cost(boosting.scores, boosting.targets)
        for weak in islice(weak_learners, self.n_estimators):
            boosting = boosting.newton_step(weak)
            before, cost = cost, boosting.cost(boosting.scores, boosting.targets)
            if before - cost <= self.tol * before:
                break
        return boosting, False


@dataclass(frozen=True)
class RoundsPerLabel:
    """Steps of AdaBoost for each new label, on the committee that is there.

    Parameters
    ----------
    n_estimators_per_label, n_initial_estimators, shrinkage, early_stopping
        As for `FASSLBoostClassifier`.
    """

    n_estimators_per_label: int
    n_initial_estimators: int | None
    shrinkage: float
    early_stopping: bool

    is_soft = False

    @property
    def ends_early(self):
        """Whether the learner ends when this no longer helps."""
        return self.early_stopping

    def check(self):
        """Raise if a parameter is out of its range."""
        n_steps = self.n_estimators_per_label
        check_number(n_steps, "n_estimators_per_label", 1, closed="left", integer=True)
        if self.n_initial_estimators is not None:
            n_steps, name = self.n_initial_estimators, "n_initial_estimators"
            check_number(n_steps, name, 1, closed="left", integer=True)
        check_number(self.shrinkage, "shrinkage", 0, 1, closed="right")
        check_flag(self.early_stopping, "early_stopping")

    def run(self, boosting, weak_learners, n_first, n_later):
        """Return the boosted committee, and whether a step was refused.

        Parameters
        ----------
        boosting : Boosting
            The committee so far.
        weak_learners : iterable of classifier
            One for each step.
        n_first, n_later : int
            Labels of the first committee, 0 if there has been one, and those since.
        """
        n_steps = n_later * self.n_estimators_per_label
        if n_first:
            default = n_first * self.n_estimators_per_label
            n_steps += self.n_initial_estimators or default
        was_refused = False
        for weak in islice(weak_learners, n_steps):
            before = boosting.committee
            boosting = boosting.discrete_step(weak, self.shrinkage)
            was_refused |= boosting.committee is before
        return boosting, was_refused
