"""The trainer and the query rule that all boosting learners share."""

from contextlib import suppress
from copy import copy
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ...base._parameters import check_classifier, check_number, has_plain_parameters
from ...base._scores import smallest_margin
from ...base._validation import InputForm, check_pool
from ...base._verbs import unfitted_copy
from ...batch import DecisionStumpClassifier
from ...sources._containers import n_rows, take
from .._base import PoolClassifier
from .._passive import passive_baseline
from .._rule import Rule
from .._selection import UNCERTAIN, check_scores, choose_batch
from .._training import Trained, Trainer
from ._committee import (
    LEFT_OUT,
    UNLABELLED,
    BoostedClassifier,
    Boosting,
    BoostingSample,
    Committee,
    highest_class,
    stack_scores,
)


class Memory(NamedTuple):
    """Scores of the committees for the rows of their sample, kept for the next call."""

    pool: int  # number of the pool
    outside: np.ndarray  # positions of the labelled rows that are not in the pool
    scores: np.ndarray  # of the pool rows, then of the others
    n_first: int  # number of labels of the first committees


class BoostingTrainer(Trainer):
    """Trainer of one boosted committee for two classes, or one per class for more.

    A subclass provides ``boost(boosting, weak_learners, n_first, n_later)``.

    Parameters
    ----------
    estimator, alpha, init
        As for the learners.
    """

    keeps_pool = goes_on = True

    #: True if members vote by their probabilities.
    soft = False

    #: True if members are added to the last committee, not to an empty one.
    grows = False

    def __init__(self, estimator, alpha=0.0, init=None):
        self.estimator = DecisionStumpClassifier() if estimator is None else estimator
        self.alpha, self.init = alpha, init

    def boost(self, boosting, weak_learners, n_first, n_later):
        """Add members to a committee.

        Parameters
        ----------
        boosting : Boosting
            The committee.
        weak_learners : iterator of classifier
            A weak learner for each step.
        n_first, n_later : int
            Number of labels for a first committee, 0 if the committee has members,
            and number of labels since the last training.
        """
        raise NotImplementedError

    def alpha_at(self, n_labels):
        """Return the weight of a row without a label, with a number of labels."""
        if not callable(self.alpha):
            return self.alpha
        alpha = self.alpha(n_labels)
        return check_number(alpha, f"alpha({n_labels})", 0, 1, closed="both")

    @property
    def estimators(self):
        """The weak learner, and the classifier that guesses the first pseudo-labels."""
        if self.alpha == 0:
            return [self.estimator]
        from sklearn.neighbors import KNeighborsClassifier  # slow to import

        init = KNeighborsClassifier(1) if self.init is None else self.init
        return [self.estimator, init]

    def models(self):
        return [BoostedClassifier()]

    def check(self):
        if not callable(self.alpha):
            check_number(self.alpha, "alpha", 0, 1, closed="both")
        if self.init is not None:
            check_classifier(self.init, "init")
        super().check()
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(
                "Boosting needs an estimator whose fit takes sample_weight; the fit of "
                f"{self.estimator} does not. Use another estimator."
            )

    def check_rows(self, learner, X, *y, **how):
        try:
            return super().check_rows(learner, X, *y, **how)
        except (TypeError, ValueError) as error:
            weak, *others = self.estimators
            with suppress(TypeError, ValueError):
                check_pool(copy(learner), InputForm.of([weak]), X, *y, **how)
                error.add_note(f"init needs these rows, too: {others[0]}.")
            raise

    def adapt_tags(self, tags):
        super().adapt_tags(tags)
        tags.classifier_tags.poor_score = False

    def train(self, known, before):
        """Return the boosted committees."""
        labelled, pool = known.labelled, known.pool
        seen = np.flatnonzero(np.bincount(labelled.codes))
        classes = known.classes[seen]
        prepare = preparation(known.prototypes[0], before)
        curve, n_first = np.empty(0), len(labelled)
        if before:
            curve, n_first = before.attributes["cost_curve_"], before.memory.n_first
            if not np.array_equal(before.model.classes_, classes):
                before = None  # from scratch
        counts = n_first, len(labelled) - n_first
        sample = self._sample(known, seen, prepare)
        codes = [1] if len(classes) == 2 else list(range(len(classes)))
        outside = np.flatnonzero(pool.places < 0)
        committees = [Committee(soft=self.soft)] * len(codes)
        columns = [np.zeros(len(sample.labels))] * len(codes)
        guesses = np.where(sample.labels == 1, sample.codes, 0)
        if before:
            counts = 0, len(labelled) - known.n_before
            scores = before.memory.scores
            is_kept = before.memory.pool == pool.number
            if not (is_kept and np.array_equal(before.memory.outside, outside)):
                scores = before.model.decision_function(sample.rows)
            guesses = np.where(sample.labels == 1, sample.codes, highest_class(scores))
            if self.grows:
                committees = before.model.committees_
                columns = [scores] if scores.ndim == 1 else list(scores.T)
        elif self.alpha_at(len(labelled)):
            guesses = guess_classes(known, sample.codes, seen)
        boosted = []
        for code, committee, scores in zip(codes, committees, columns, strict=True):
            boosting = Boosting(sample, code, guesses, committee, scores)
            self.boost(boosting, weak_learners(known), *counts)
            boosted.append(boosting)
        model = BoostedClassifier(classes, tuple(each.committee for each in boosted))
        cost = np.mean([each.cost(each.scores) for each in boosted])
        scores = stack_scores([each.scores for each in boosted])
        memory = Memory(pool.number, outside, scores, n_first)
        return Trained(model, {"cost_curve_": np.append(curve, cost)}, memory)

    def for_pool(self, known, trained):
        """Return the result of a training, with the scores of the present pool."""
        pool, memory = known.pool, trained.memory
        if memory.pool == pool.number:
            return trained
        prepare = preparation(known.prototypes[0], trained)
        rows = pool.derived(prepare.__qualname__, prepare)
        scores, nobody = trained.model.decision_function(rows), np.empty(0, dtype=int)
        memory = Memory(pool.number, nobody, scores, memory.n_first)
        return trained._replace(memory=memory)

    def _sample(self, known, seen, prepare):
        """Return the rows of the pool, and the labelled rows that are not in it."""
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
        return BoostingSample(rows, codes, labels, self.alpha_at(len(known.labelled)))


class AdaBoostTrainer(BoostingTrainer):
    """Trainer of new committees by AdaBoost, until a member is useless or perfect.

    Parameters
    ----------
    estimator, n_estimators, alpha, init
        As for the learners.
    """

    def __init__(self, estimator, n_estimators, alpha=0.0, init=None):
        super().__init__(estimator, alpha, init)
        self.n_estimators = n_estimators

    def check(self):
        super().check()
        check_number(self.n_estimators, "n_estimators", 1, closed="left", integer=True)

    def boost(self, boosting, weak_learners, n_first, n_later):
        for weak in islice(weak_learners, self.n_estimators):
            if not boosting.adaboost_step(weak):
                break


class BoostingRule(Rule):
    """Rows on which committees are least sure.

    Parameters
    ----------
    needs : str
        Method of the weak learner that votes.
    """

    reason = UNCERTAIN

    def __init__(self, needs="predict"):
        self.needs = needs

    def select(self, round):
        """Choose rows with the smallest margins, which the trainer has computed."""
        rows, trained = round.rows, round.trained
        scores = trained.memory.scores[rows]
        # rows of equal scores are equal to the committees
        utility = check_scores(smallest_margin(scores), rows, trained.model)
        return choose_batch(round, utility, like=scores)


class BoostingClassifier(PoolClassifier):
    """Base class of the learners that query rows on which committees are least sure."""

    def make_rule(self):
        """Return the rule."""
        return BoostingRule()

    def _passive_baseline(self):
        from sklearn.ensemble import AdaBoostClassifier  # slow to import

        weak, params = self.make_trainer().estimators[0], self.get_params(deep=False)
        sizes = {k: v for k, v in params.items() if k == "n_estimators"}
        return passive_baseline(self, AdaBoostClassifier(weak, **sizes))


def unchanged(X):
    """Return rows unchanged, for classifiers without a faster form of rows."""
    return X


def preparation(weak, trained):
    """Return a function that converts rows to the fastest form for all members."""
    members = trained.model.estimators_ if trained else ()
    are_alike = set(map(type, members)) <= {type(weak)}
    return getattr(weak, "presort", unchanged) if are_alike else unchanged


def weak_learners(known):
    """Yield the weak learner for each step, each with its own random numbers."""
    weak = known.prototypes[0]
    # several times faster than get_params
    params = vars(weak) if has_plain_parameters(weak) else weak.get_params()
    names = [name for name in params if name.split("__")[-1] == "random_state"]
    for step in count():
        if names:
            seed = np.random.SeedSequence((known.seed, known.n_before, step))
            number = int(seed.generate_state(1)[0])
            weak = clone(weak).set_params(**dict.fromkeys(names, number))
        yield weak


def guess_classes(known, codes, seen):
    """Return the class of each row of the sample, known or guessed by `init`."""
    guesses, unlabelled = codes.copy(), known.pool.unlabelled
    if len(unlabelled):
        first = unfitted_copy(known.prototypes[1])
        try:
            first.fit(known.labelled.rows, known.labelled.codes)
            guessed = first.predict(take(known.pool.X, unlabelled))
        except (TypeError, ValueError) as error:
            error.add_note(f"This error comes from init, {first}.")
            raise
        guesses[unlabelled] = np.searchsorted(seen, guessed)
    return guesses
