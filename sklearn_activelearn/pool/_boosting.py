"""What all boosting learners are: committees that lower one cost.

They differ in what a row without a label counts, in the step that adds a member, and
in whether the committee is built anew after each purchase or grows.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import has_fit_parameter

from .._columns import whole_weights
from .._containers import joined, n_rows, take
from .._stump import DecisionStumpClassifier
from .._validation import check_number
from ._base import PoolClassifier
from ._boosting_cost import LEFT_OUT, UNLABELLED, BoostingCost, of_class
from ._choice import NO_ROWS, best, notes_of
from ._door import check_classifier
from ._ensemble import BoostedEnsemble
from ._training import fresh
from ._utility import smallest_margin


@dataclass(frozen=True)
class Sample:
    """Rows of the pool, labelled rows from elsewhere, and which of them count.

    Parameters
    ----------
    rows : rows
        As the weak learner likes them best.
    cost : BoostingCost
        Of all these rows.
    """

    rows: Any
    cost: BoostingCost
    counting: np.ndarray = field(init=False)
    training_rows: Any = field(init=False)

    def __post_init__(self):
        counting = np.flatnonzero(self.cost.counts)
        all_count = len(counting) == len(self.cost.codes)
        rows = self.rows if all_count else take(self.rows, counting)
        object.__setattr__(self, "counting", counting)
        object.__setattr__(self, "training_rows", rows)

    def error(self, scores):
        """Return the error of scores on the labelled rows."""
        labelled = self.cost.codes >= 0
        return np.mean((scores.argmax(axis=1) != self.cost.codes)[labelled])

    def train(self, prototype, labels, weights):
        """Return a clone trained on the rows that count, weighted to mean 1 or so."""
        weights = weights[self.counting]
        # by a power of two: nothing is rounded that decides between equals
        scale = 2.0 ** -np.round(np.log2(weights.mean()))
        labels = labels[self.counting]
        return fresh(prototype).fit(
            self.training_rows, labels, sample_weight=scale * weights
        )


@dataclass(frozen=True)
class Committee:
    """An ensemble, and its scores of the rows of a sample."""

    ensemble: BoostedEnsemble
    scores: np.ndarray

    def emptied(self):
        """Return a committee without members on the same rows and classes."""
        ensemble = BoostedEnsemble(self.ensemble.classes_, soft=self.ensemble.soft)
        return Committee(ensemble, np.zeros_like(self.scores))

    def plus(self, member, weight, vote):
        """Return the committee with one more member."""
        return Committee(
            self.ensemble.plus(member, weight), self.scores + weight * vote
        )


def discrete_step(committee, sample, prototype, targets, shrinkage=1.0):
    """Return the committee after a step of AdaBoost, for more classes of SAMME.

    Returns
    -------
    committee : Committee
        The same one if the new member is no better than chance.
    error : float
        Weighted error of the new member.
    """
    ensemble = committee.ensemble
    weights = sample.cost.weights(committee.scores, targets)
    member = sample.train(prototype, ensemble.classes_[targets], weights)
    vote = ensemble.vote(member, sample.rows)
    # whole numbers: the sum does not depend on the order of the rows
    whole, missed = whole_weights(weights), of_class(vote, targets) < 0
    error = float(whole[missed].sum() / whole.sum())
    least = max(error, 0.5 / sample.cost.total)  # half a row
    odds = (1 - least) / least * (len(ensemble.classes_) - 1)
    if odds > 1:
        committee = committee.plus(member, shrinkage / 2 * np.log(odds), vote)
    return committee, error


def gentle_step(committee, sample, prototype, targets):
    """Return the committee after a Newton step: a member votes by probabilities."""
    ensemble = committee.ensemble
    weights = sample.cost.weights(committee.scores, targets)
    member = sample.train(prototype, ensemble.classes_[targets], weights)
    vote = ensemble.vote(member, sample.rows)
    return committee.plus(member, len(ensemble.classes_) / 2, vote)


def as_they_are(X):
    """Return rows for classifiers that know nothing better."""
    return X


class BoostingClassifier(PoolClassifier):
    """A committee made by boosting, which buys the row that it is least sure of.

    A subclass provides ``_boosted(committee, sample, targets, n_new)``: the next
    committee, made of the present one or anew, when so many labels are new. Targets
    are the labels and the pseudo-labels to begin with.
    """

    _keeps_pool = True

    #: Whether members vote by probabilities.
    _soft = False

    n_jobs = None

    @property
    def _alpha(self):
        """What a row without a label counts."""
        return getattr(self, "alpha", 0.0)

    def _unfitted(self):
        weak = DecisionStumpClassifier() if self.estimator is None else self.estimator
        if self._alpha == 0:
            return [weak]
        initial = getattr(self, "initial", None)
        return [weak, KNeighborsClassifier(1) if initial is None else initial]

    def _models(self):
        return [BoostedEnsemble()]

    def _check_parameters(self):
        check_number(self._alpha, "alpha", 0, 1, closed="both")
        if getattr(self, "initial", None) is not None:
            check_classifier(self.initial, "initial")
        super()._check_parameters()
        weak = self._unfitted()[0]
        if not has_fit_parameter(weak, "sample_weight"):
            raise TypeError(
                f"{type(self).__name__} needs an estimator whose fit takes "
                f"sample_weight, which that of {weak} does not."
            )

    def _begin(self):
        super()._begin()
        self._committee, self._outside = None, None
        self.cost_curve_ = np.empty(0)

    def _keep(self, X, rows):
        before = self._pool.X
        super()._keep(X, rows)
        if self._pool.X is not before:  # the scores were of other rows
            self._outside = None

    def _train(self):
        seen = np.flatnonzero(np.bincount(self._labelled.codes))
        classes = self.classes_[seen]
        sample, outside = self._sample(seen)
        present = self._present(sample, outside, classes)
        targets = self._targets(sample, present, seen)
        n_new = len(self._labelled) - self._n_trained
        self._committee = self._boosted(present, sample, targets, n_new)
        self._outside = outside
        self.estimator_ = self._committee.ensemble
        cost = sample.cost(self._committee.scores)
        self.cost_curve_ = np.append(self.cost_curve_, cost)

    def _sample(self, seen):
        """Return the sample, and which labelled rows in it are not of the pool."""
        pool = self._pool
        n_pool = 0 if pool.X is None else n_rows(pool.X)
        codes = np.full(n_pool, LEFT_OUT)
        codes[pool.unlabelled] = UNLABELLED
        places = pool.places
        outside = np.flatnonzero(places < 0)
        if len(outside):
            places = places.copy()
            places[outside] = n_pool + np.arange(len(outside))
            codes = np.append(codes, np.empty_like(outside))
        codes[places] = np.searchsorted(seen, self._labelled.codes)
        return Sample(self._rows(outside), BoostingCost(codes, self._alpha)), outside

    def _weak_learners(self):
        """Yield the weak learner for each step, with random numbers of its own."""
        weak = self._prototypes[0]
        names = [
            name for name in weak.get_params() if name.split("__")[-1] == "random_state"
        ]
        for step in count():
            if names:
                seed = np.random.SeedSequence((self._seed, self._n_trained, step))
                number = int(seed.generate_state(1)[0])
                weak = clone(weak).set_params(**dict.fromkeys(names, number))
            yield weak

    def _rows(self, outside):
        """Return the rows of the pool and those labelled rows, presorted if need be."""
        prepare = self._preparation()
        if len(outside) == 0:
            return self._pool.derived(prepare.__name__, prepare)
        rows = take(self._labelled.rows, outside)
        if self._pool.X is not None:
            rows = joined(self._pool.X, rows)
        return prepare(rows)

    def _preparation(self):
        """Return what makes rows as all members and the weak learner like them."""
        weak = self._prototypes[0]
        members = self._committee.ensemble.estimators_ if self._committee else ()
        alike = all(type(member) is type(weak) for member in members)
        return getattr(weak, "presort", as_they_are) if alike else as_they_are

    def _present(self, sample, outside, classes):
        """Return the committee so far, with its scores of the sample."""
        if self._committee is None:
            ensemble = BoostedEnsemble(classes, soft=self._soft)
        elif np.array_equal(self._committee.ensemble.classes_, classes):
            if np.array_equal(self._outside, outside):
                return self._committee
            ensemble = self._committee.ensemble
        else:
            ensemble = self._committee.ensemble.voting_on(classes)
        return Committee(ensemble, ensemble.scores(sample.rows))

    def _targets(self, sample, present, seen):
        """Return the labels, and the pseudo-labels before the next step."""
        if present.ensemble.estimators_ or self._alpha == 0:
            return sample.cost.targets(present.scores)
        targets = np.maximum(sample.cost.codes, 0)
        unlabelled = self._pool.unlabelled
        if len(unlabelled):
            first = fresh(self._prototypes[1])
            first.fit(self._labelled.rows, self._labelled.codes)
            guessed = first.predict(take(self._pool.X, unlabelled))
            targets[unlabelled] = np.searchsorted(seen, guessed)
        return targets

    def _score(self, X, rows):
        scores = self._pool_scores()[rows]
        return smallest_margin(scores[:, 1] if scores.shape[1] == 2 else scores)

    def _pool_scores(self):
        """Return the scores of all rows of the pool."""
        if self._outside is None:
            ensemble = self._committee.ensemble
            scores = ensemble.scores(self._rows(NO_ROWS))
            self._committee, self._outside = Committee(ensemble, scores), NO_ROWS
        return self._committee.scores

    def _select(self, X, rows, n_wanted, seed):
        chosen, notes = super()._select(X, rows, n_wanted, seed)
        if len(chosen) == 1:
            return chosen, notes
        # rows of equal scores tell the committee the same: different ones first
        order = rows[best(self._score(X, rows), len(rows), seed)]
        scores = self._pool_scores()[order]
        _, first = np.unique(scores, axis=0, return_index=True)
        first = np.sort(first)
        again = np.delete(np.arange(len(order)), first)
        chosen = order[np.append(first, again)[:n_wanted]]
        return chosen, notes_of(chosen, 1.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False
        return tags
