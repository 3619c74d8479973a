"""The training that all boosting learners share: committees that lower one cost.

They differ in what a row without a label counts, and in their rounds: the steps that
add members, to a committee that starts over or to the one that is there.
"""

from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..._base import unfitted_copy
from ..._scores import smallest_margin
from ..._validation import (
    check_classifier,
    check_flag,
    check_number,
    check_pool,
    has_plain_parameters,
)
from ...batch import DecisionStumpClassifier
from ...batch._columns import whole_weights
from ...sources._containers import n_rows, take
from .._passive import passive_baseline
from .._selection import check_scores, choose_batch
from .._training import Known, Trained, Trainer

#: In place of a label: none, or the row does not count at all.
UNLABELLED, LEFT_OUT = 0, 2


@dataclass(frozen=True)
class BoostingCost:
    """The cost functional of some rows.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        -1 or 1, `UNLABELLED` or `LEFT_OUT`.
    alpha : float in [0, 1]
        What a row without a label counts.
    """

    labels: np.ndarray
    alpha: float

    @cached_property
    def counts(self):
        """What each row counts: 1, alpha or nothing."""
        return np.array([1.0, self.alpha, 1.0, 0.0])[self.labels + 1]

    @cached_property
    def is_labelled(self):
        """Whether each row has a label."""
        return np.abs(self.labels) == 1

    @cached_property
    def total(self):
        """What all rows count together."""
        n_unlabelled = np.count_nonzero(self.labels == UNLABELLED)
        return np.count_nonzero(self.is_labelled) + self.alpha * n_unlabelled

    def targets(self, scores):
        """Return each row's label, or pseudo-label, for the scores F(x)."""
        return np.where(self.is_labelled, self.labels, np.where(scores > 0, 1, -1))

    def __call__(self, scores, targets=None):
        """Return C_S(F) for the scores F(x).

        With `targets`, these are the labels and pseudo-labels, whatever the scores.
        """
        targets = self.targets(scores) if targets is None else targets
        margins, counts = targets * scores, self.counts > 0
        n_rows = np.count_nonzero(self.labels != LEFT_OUT)
        with np.errstate(over="ignore"):  # infinite for scores beyond 700
            terms = self.counts[counts] * np.exp(-margins[counts])
        return float(np.sum(terms) / n_rows)

    def weights(self, scores, targets):
        """Return the terms of the sum, up to a common factor.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,)
            F(x) of each row.
        targets : ndarray of int of shape (n_samples,)
            Label or pseudo-label of each row, not always that of these scores.
        """
        margins = targets * scores
        least = margins[self.counts > 0].min(initial=np.inf)
        # rows that do not count may be far below, and are 0
        return self.counts * np.exp(np.minimum(least - margins, 0))


@dataclass(frozen=True)
class Committee:
    r"""A weighted sum of classifiers of two classes, F = sum_t omega_t f_t.

    Parameters
    ----------
    estimators : tuple of classifier
        The members, trained on labels -1 and 1.
    weights : tuple of float
        The weight of each.
    soft : bool
        Whether members vote by their probabilities: 2p - 1 in place of -1 or 1.
    """

    estimators: tuple = ()
    weights: tuple = ()
    soft: bool = False

    def plus(self, estimator, weight):
        """Return this committee with one more member."""
        members = (*self.estimators, estimator), (*self.weights, weight)
        return Committee(*members, self.soft)

    def vote(self, estimator, X):
        """Return f(x) of a member for each row."""
        if self.soft:
            return estimator.predict_proba(X) @ estimator.classes_
        return estimator.predict(X).astype(float)

    def staged_scores(self, X):
        """Yield F(x) of no member, of the first, of the first two, ...

        Parameters
        ----------
        X : rows, or what the members take in their place
            Rows.
        """
        scores = np.zeros(n_rows(X))
        yield scores
        for t, weight in enumerate(self.weights):
            with config_context(assume_finite=t > 0 or None):  # one check is enough
                scores = scores + weight * self.vote(self.estimators[t], X)
            yield scores

    def scores(self, X):
        """Return F(x) for each row."""
        for scores in self.staged_scores(X):
            total = scores
        return total


class BoostedClassifier:
    """Classifier made of one committee for two classes, or one for each of more.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    committees : tuple of Committee
        The one for ``classes[1]``, or those of all classes.
    """

    def __init__(self, classes=None, committees=()):
        self.classes_ = classes
        self.committees_ = committees

    @property
    def estimators_(self):
        """All members."""
        return [member for each in self.committees_ for member in each.estimators]

    @property
    def estimator_weights_(self):
        """Their weights."""
        return [weight for each in self.committees_ for weight in each.weights]

    def decision_function(self, X):
        """Return F, for more classes than two a column for each."""
        return joint([committee.scores(X) for committee in self.committees_])

    def staged_decision_function(self, X):
        """Yield the decision values of 1, 2, ... members of each committee."""
        stages = [list(committee.staged_scores(X)) for committee in self.committees_]
        for t in range(1, max(map(len, stages))):
            yield joint([scores[min(t, len(scores) - 1)] for scores in stages])

    def predict_proba(self, X):
        """Return 1 / (1 + exp(-2 F)), for more classes than two scaled to sum 1."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-2 * scores), expit(2 * scores)])
        return softmax(log_expit(2 * scores), axis=1)

    def predict(self, X):
        """Return the class with the highest score, the first of equals."""
        return self.classes_[likeliest(self.decision_function(X))]


def joint(scores):
    """Return the scores of one committee, or a column for each of several."""
    return np.column_stack(scores) if len(scores) > 1 else scores[0]


def likeliest(scores):
    """Return the position of the class with the highest score for each row."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


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


class BoostingSample:
    """Rows of the pool and labelled rows from elsewhere, for all committees.

    Parameters
    ----------
    rows : rows
        As the weak learner likes them best.
    codes : ndarray of int of shape (n_samples,)
        Class of each labelled row, anything for the others.
    labels : ndarray of int of shape (n_samples,)
        `UNLABELLED`, `LEFT_OUT`, or 1 for a row with a label.
    alpha : float
        What a row without a label counts.
    """

    def __init__(self, rows, codes, labels, alpha):
        self.rows, self.codes, self.labels, self.alpha = rows, codes, labels, alpha
        counts = BoostingCost(labels, alpha).counts
        if counts.all():
            self.counting, self.training_rows = slice(None), rows
        else:
            self.counting = np.flatnonzero(counts)
            self.training_rows = take(rows, self.counting)

    def cost(self, code):
        """Return the cost of a committee for one class against the others."""
        labels = self.labels.copy()
        is_labelled = labels == 1
        labels[is_labelled] = np.where(self.codes[is_labelled] == code, 1, -1)
        return BoostingCost(labels, self.alpha)

    def classes_of(self, scores):
        """Return the label, or for these scores the pseudo-label, of each row."""
        return np.where(self.labels == 1, self.codes, likeliest(scores))

    def train(self, prototype, targets, weights):
        """Return a clone trained on the rows that count, weighted to mean 1 or so."""
        weights = weights[self.counting]
        # by a power of two: nothing is rounded that decides between equals
        scale = 2.0 ** -np.round(np.log2(weights.sum() / len(weights)))
        return unfitted_copy(prototype).fit(
            self.training_rows, targets[self.counting], sample_weight=scale * weights
        )


@dataclass(frozen=True)
class Boosting:
    """A committee on the way down its cost, on the rows of a sample.

    Parameters
    ----------
    sample : Sample
        The rows.
    cost : BoostingCost
        What to lower.
    targets : ndarray of int of shape (n_samples,)
        Labels and pseudo-labels, -1 and 1; they stay what they are.
    committee : Committee
        The members so far.
    scores : ndarray of shape (n_samples,)
        What they give the rows.
    error : float
        Weighted error of the member that was tried last.
    """

    sample: BoostingSample
    cost: BoostingCost
    targets: np.ndarray
    committee: Committee
    scores: np.ndarray
    error: float | None = None

    def restarted(self):
        """Return the same without members."""
        none = Committee(soft=self.committee.soft)
        return self._with(none, np.zeros_like(self.scores), self.error)

    def discrete_step(self, prototype, shrinkage=1.0):
        """Return what a step of AdaBoost makes of it.

        It has no more members if the new one is no better than chance.
        """
        weights = self.cost.weights(self.scores, self.targets)
        member = self.sample.train(prototype, self.targets, weights)
        vote = self.committee.vote(member, self.sample.rows)
        # whole numbers: the sum does not depend on the order of the rows
        whole, missed = whole_weights(weights), vote != self.targets
        error = float(whole[missed].sum() / whole.sum())
        least = max(error, 0.5 / self.cost.total)  # half a row
        odds = (1 - least) / least
        if odds <= 1:
            return self._with(self.committee, self.scores, error)
        return self._plus(member, shrinkage / 2 * np.log(odds), vote, error)

    def newton_step(self, prototype):
        """Return what a Newton step makes of it: a member votes by probabilities."""
        weights = self.cost.weights(self.scores, self.targets)
        member = self.sample.train(prototype, self.targets, weights)
        vote = self.committee.vote(member, self.sample.rows)
        return self._plus(member, 1.0, vote, self.error)

    def _plus(self, member, weight, vote, error):
        committee = self.committee.plus(member, weight)
        return self._with(committee, self.scores + weight * vote, error)

    def _with(self, committee, scores, error):
        # quicker than `replace`
        known = self.sample, self.cost, self.targets
        return Boosting(*known, committee, scores, error)


def start_boosting(sample, code, likely, committee, scores):
    """Return what boosts a committee for one class against the others.

    Parameters
    ----------
    sample, committee, scores
        As for `Boosting`.
    code : int
        The class.
    likely : ndarray of int of shape (n_samples,)
        Class of each row, known or guessed.
    """
    targets = np.where(likely == code, 1, -1)
    return Boosting(sample, sample.cost(code), targets, committee, scores)


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
    utility = check_scores(smallest_margin(scores), rows, trained.model)
    # rows of equal scores tell the committees the same
    return choose_batch(
        X,
        rows,
        utility,
        n_wanted,
        seed,
        batch_size=learner.batch_size,
        batch=learner.batch,
        points=learner._points,
        like=scores,
    )


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
    params = (
        vars(weak) if has_plain_parameters(weak) else weak.get_params()
    )  # many times as quick
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
