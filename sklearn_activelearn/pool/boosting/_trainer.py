"""The training that all boosting learners share: committees that lower one cost.

They differ in what a row without a label counts, and in their rounds: the steps that
add members, to a committee that starts over or to the one that is there.
"""

from contextlib import suppress
from copy import copy
from itertools import count
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..._beginning import is_plain, unfitted_copy
from ..._containers import n_rows, take
from ..._validation import check_number
from ...batch import DecisionStumpClassifier
from .._input_checks import check_classifier, check_pool
from .._passive import passive_baseline
from .._selection import finite_scores
from .._training import Known, Trained, Trainer
from .._utility import smallest_margin
from ._cost import LEFT_OUT, UNLABELLED
from ._ensemble import BoostedClassifier, Committee, joint
from ._steps import BoostingSample, start_boosting


class SampleScores(NamedTuple):
    """What committees give the rows of a pool, and labelled rows from elsewhere."""

    pool: int  # number of the pool
    outside: np.ndarray  # which of the labelled rows are not in it
    values: np.ndarray  # of the pool's rows first


class Memory(NamedTuple):
    """What boosting finds again."""

    scores: SampleScores
    error: float  # share of the labels that the committees get wrong
    n_first: int  # labels of the first committees


class BoostingTrainer(Trainer):
    """Boosts a committee for one class against the other, or for each of more classes.

    Parameters
    ----------
    estimator, alpha, init
        As for the learners.
    rounds : DiscreteRounds, NewtonRounds or RoundsPerLabel
        The steps.
    """

    keeps_pool = goes_on = True

    def __init__(self, estimator, rounds, alpha=0.0, init=None):
        self.estimator = DecisionStumpClassifier() if estimator is None else estimator
        self.rounds, self.alpha, self.init = rounds, alpha, init

    @property
    def estimators(self):
        """The weak learner, and what guesses the first pseudo-labels if any count."""
        if self.alpha == 0:
            return [self.estimator]
        from sklearn.neighbors import KNeighborsClassifier  # slow to import

        init = KNeighborsClassifier(1) if self.init is None else self.init
        return [self.estimator, init]

    def models(self):
        return [BoostedClassifier()]

    def check(self):
        check_number(self.alpha, "alpha", 0, 1, closed="both")
        if self.init is not None:
            check_classifier(self.init, "init")
        super().check()
        self.rounds.check()
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(
                "Boosting needs an estimator whose fit takes sample_weight, which "
                f"that of {self.estimator} does not."
            )

    def check_rows(self, learner, X, *y, **how):
        try:
            return super().check_rows(learner, X, *y, **how)
        except (TypeError, ValueError) as error:
            weak, *others = self.estimators
            with suppress(TypeError, ValueError):
                check_pool(copy(learner), [weak], X, *y, **how)
                error.add_note(f"They are for init, too: {others[0]}.")
            raise

    def adapt_tags(self, tags):
        super().adapt_tags(tags)
        tags.classifier_tags.poor_score = False

    def why_ended(self):
        return "early_stopping" if self.rounds.ends_early else None

    def train(self, known, before):
        """Return the boosted committees."""
        labelled, pool = known.labelled, known.pool
        seen = np.flatnonzero(np.bincount(labelled.codes))
        classes = known.classes[seen]
        prepare = preparation(known.prototypes[0], before)
        curve, error_before, n_first = np.empty(0), np.inf, len(labelled)
        if before:
            curve = before.attributes["cost_curve_"]
            _, error_before, n_first = before.memory
            if not np.array_equal(before.model.classes_, classes):
                before = None  # from scratch
        sample = self._sample(known, seen, prepare)
        outside = np.flatnonzero(pool.places < 0)
        codes = [1] if len(classes) == 2 else list(range(len(classes)))
        committees, columns = self._committees(before, sample, pool, outside, codes)
        if before or self.alpha == 0:
            likely = sample.classes_of(joint(columns))
        else:
            likely = guesses(known, sample.codes, seen)
        counts = n_first, len(labelled) - n_first
        if before:
            counts = 0, len(labelled) - known.n_before
        boosted, has_ended = [], False
        for code, committee, scores in zip(codes, committees, columns, strict=True):
            boosting, was_refused = self.rounds.run(
                start_boosting(sample, code, likely, committee, scores),
                weak_learners(known),
                *counts,
            )
            boosted.append(boosting)
            has_ended |= was_refused
        model = BoostedClassifier(
            classes, tuple(boosting.committee for boosting in boosted)
        )
        values = joint([boosting.scores for boosting in boosted])
        cost = np.mean([boosting.cost(boosting.scores) for boosting in boosted])
        error = error_before
        if self.rounds.ends_early:
            right = model.predict(labelled.rows) == known.classes[labelled.codes]
            error = np.mean(~right)
            has_ended |= error >= error_before
        scores = SampleScores(pool.number, outside, values)
        return Trained(
            model,
            {"cost_curve_": np.append(curve, cost)},
            Memory(scores, error, n_first),
            bool(has_ended),
        )

    def pool_scores(self, known, trained):
        """Return what a training left, with the scores of the present pool."""
        pool, memory = known.pool, trained.memory
        prepare = preparation(known.prototypes[0], trained)
        rows = pool.derived(prepare.__qualname__, prepare)
        values = trained.model.decision_function(rows)
        scores = SampleScores(pool.number, np.empty(0, dtype=int), values)
        return trained._replace(memory=memory._replace(scores=scores))

    def _sample(self, known, seen, prepare):
        """Return the rows of the pool, and the labelled ones that are not in it."""
        pool = known.pool
        n_pool = 0 if pool.X is None else n_rows(pool.X)
        labels = np.full(n_pool, LEFT_OUT)
        labels[pool.unlabelled] = UNLABELLED
        places = pool.places
        outside = np.flatnonzero(places < 0)
        if len(outside):
            places = places.copy()
            places[outside] = n_pool + np.arange(len(outside))
            labels = np.append(labels, np.empty_like(outside))
        labels[places] = 1
        codes = np.zeros_like(labels)
        codes[places] = np.searchsorted(seen, known.labelled.codes)
        rows = pool.fitted(prepare.__qualname__, prepare, known.labelled.rows)
        return BoostingSample(rows, codes, labels, self.alpha)

    def _committees(self, before, sample, pool, outside, codes):
        """Return the committee for each class, and what it gives the sample's rows."""
        if before is None:
            none = Committee(soft=self.rounds.is_soft)
            return [none] * len(codes), [np.zeros(len(sample.labels)) for _ in codes]
        scores = before.memory.scores
        values = scores.values
        fits = np.array_equal(scores.outside, outside)
        if scores.pool != pool.number or not fits:
            values = before.model.decision_function(sample.rows)
        return before.model.committees_, [values] if values.ndim == 1 else values.T


def closest_vote(learner, X, rows, n_wanted, seed):
    """Choose the rows of the kept pool on which the committees are least sure.

    It is the ``_select`` of boosting learners.
    """
    trained = learner._trained
    if trained.memory.scores.pool != learner._pool.number:
        known = Known.of(learner)
        learner._trained = learner._make_trainer().pool_scores(known, trained)
        trained = learner._trained
    scores = trained.memory.scores.values[rows]
    utility = finite_scores(smallest_margin(scores), rows, trained.model)
    # rows of equal scores tell the committees the same
    select = learner._selection.batch_of
    return select(X, rows, utility, n_wanted, seed, learner._points, like=scores)


def as_they_are(X):
    """Return rows for classifiers that know nothing better."""
    return X


def preparation(weak, trained):
    """Return what makes rows as all members and the weak learner like them."""
    members = trained.model.estimators_ if trained else ()
    are_alike = set(map(type, members)) <= {type(weak)}
    return getattr(weak, "presort", as_they_are) if are_alike else as_they_are


def weak_learners(known):
    """Yield the weak learner for each step, with random numbers of its own."""
    weak = known.prototypes[0]
    params = vars(weak) if is_plain(weak) else weak.get_params()  # many times as quick
    names = [name for name in params if name.split("__")[-1] == "random_state"]
    for step in count():
        if names:
            seed = np.random.SeedSequence((known.seed, known.n_before, step))
            number = int(seed.generate_state(1)[0])
            weak = clone(weak).set_params(**dict.fromkeys(names, number))
        yield weak


def guesses(known, codes, seen):
    """Return the class, known or guessed by `init`, of each row of the sample."""
    likely, unlabelled = codes.copy(), known.pool.unlabelled
    if len(unlabelled):
        first = unfitted_copy(known.prototypes[1])
        try:
            first.fit(known.labelled.rows, known.labelled.codes)
            guessed = first.predict(take(known.pool.X, unlabelled))
        except (TypeError, ValueError) as error:
            error.add_note(f"This comes from init, {first}.")
            raise
        likely[unlabelled] = np.searchsorted(seen, guessed)
    return likely


def boosted_baseline(learner, **parameters):
    """Return passive learning of the same weak learner, boosted by scikit-learn."""
    from sklearn.ensemble import AdaBoostClassifier  # slow to import

    weak = learner._make_trainer().estimators[0]
    return passive_baseline(learner, AdaBoostClassifier(weak, **parameters))
