"""What all boosting learners are: committees that lower one cost.

They differ in what a row without a label counts, in the step that adds a member, and
in whether a committee is built anew after each purchase or grows.
"""

from contextlib import suppress
from copy import copy
from itertools import count

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import has_fit_parameter

from ..._containers import n_rows, take
from ..._validation import check_number
from ...batch._stump import DecisionStumpClassifier
from .._base import PoolClassifier
from .._choice import NO_ROWS, best, ranked
from .._input_checks import check_classifier, check_pool
from .._training import fresh
from .._utility import smallest_margin
from ._cost import LEFT_OUT, UNLABELLED
from ._ensemble import BoostedClassifier, Committee, joint
from ._steps import Sample, begin


def as_they_are(X):
    """Return rows for classifiers that know nothing better."""
    return X


class BoostingClassifier(PoolClassifier):
    """A committee made by boosting, which buys the row that it is least sure of.

    More classes than two have a committee each. A subclass provides
    ``_boosted(boosting, n_new)``: the next committee, made of the present one or anew,
    when so many labels are new.
    """

    _keeps_pool = _goes_on = True

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
        return [BoostedClassifier()]

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

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        try:
            return super()._check_rows(X, *y, reset=reset, min_rows=min_rows)
        except (TypeError, ValueError) as error:
            weak, *others = self._unfitted()
            with suppress(TypeError, ValueError):
                check_pool(copy(self), [weak], X, *y, reset=reset, min_rows=min_rows)
                error.add_note(f"They are for initial, too: {others[0]}.")
            raise

    def _forget_model(self):
        super()._forget_model()
        self._scores, self._outside = None, None
        self.cost_curve_ = np.empty(0)

    def _keep(self, X, candidates, places):
        before = self._pool.X
        super()._keep(X, candidates, places)
        if self._pool.X is not before:  # the scores were of other rows
            self._outside = None

    def _train(self):
        seen = np.flatnonzero(np.bincount(self._labelled.codes))
        classes = self.classes_[seen]
        present, n_known = getattr(self, "estimator_", None), self._n_trained
        if present is None or not np.array_equal(present.classes_, classes):
            present, n_known = None, 0  # other classes: from scratch
        sample, outside = self._sample(seen)
        columns = self._columns(present, sample, outside, len(classes))
        likely = self._likely(present, sample, columns, seen)
        new = Committee(soft=self._soft)
        committees = present.committees_ if present else [new] * len(columns)
        boosted = [
            self._boosted(
                begin(sample, code, likely, committee, scores),
                len(self._labelled) - n_known,
            )
            for (code, scores), committee in zip(
                columns.items(), committees, strict=True
            )
        ]
        self.estimator_ = BoostedClassifier(
            classes, tuple(boosting.committee for boosting in boosted)
        )
        self._scores = joint([boosting.scores for boosting in boosted])
        self._outside = outside
        costs = [boosting.cost(boosting.scores) for boosting in boosted]
        self.cost_curve_ = np.append(self.cost_curve_, np.mean(costs))

    def _sample(self, seen):
        """Return the sample, and which labelled rows in it are not of the pool."""
        pool = self._pool
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
        codes[places] = np.searchsorted(seen, self._labelled.codes)
        prepare = self._preparation()
        rows = pool.fitted(prepare.__qualname__, prepare, self._labelled.rows)
        return Sample(rows, codes, labels, self._alpha), outside

    def _columns(self, present, sample, outside, n_classes):
        """Return the scores of each committee, by the code of its class."""
        codes = [1] if n_classes == 2 else range(n_classes)
        if present is None:
            return {code: np.zeros(len(sample.labels)) for code in codes}
        scores = self._scores
        if self._outside is None or not np.array_equal(self._outside, outside):
            scores = present.decision_function(sample.rows)
        columns = [scores] if n_classes == 2 else scores.T
        return dict(zip(codes, columns, strict=True))

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

    def _preparation(self):
        """Return what makes rows as all members and the weak learner like them."""
        weak = self._prototypes[0]
        members = self.estimator_.estimators_ if hasattr(self, "estimator_") else ()
        alike = all(type(member) is type(weak) for member in members)
        return getattr(weak, "presort", as_they_are) if alike else as_they_are

    def _likely(self, present, sample, columns, seen):
        """Return the class, known or guessed, of each row before the next step."""
        if present or self._alpha == 0:
            return sample.classes_of(joint(list(columns.values())))
        likely, unlabelled = sample.codes.copy(), self._pool.unlabelled
        if len(unlabelled):
            first = fresh(self._prototypes[1])
            try:
                first.fit(self._labelled.rows, self._labelled.codes)
                guessed = first.predict(take(self._pool.X, unlabelled))
            except (TypeError, ValueError) as error:
                error.add_note(f"This comes from initial, {first}.")
                raise
            likely[unlabelled] = np.searchsorted(seen, guessed)
        return likely

    def _score(self, X, rows):
        return smallest_margin(self._pool_scores()[rows])

    def _pool_scores(self):
        """Return the scores of all rows of the pool."""
        if self._outside is None:
            prepare = self._preparation()
            rows = self._pool.derived(prepare.__qualname__, prepare)
            self._scores = self.estimator_.decision_function(rows)
            self._outside = NO_ROWS
        return self._scores

    def _select(self, X, rows, n_wanted, seed):
        bought = super()._select(X, rows, n_wanted, seed)
        if n_wanted == 1:
            return bought
        # rows of equal scores tell the committee the same: different ones first
        utility = self._score(X, rows)
        order = best(utility, len(rows), seed)
        scores = self._pool_scores()[rows[order]]
        _, first = np.unique(scores, axis=0, return_index=True)
        first = np.sort(first)
        again = np.delete(np.arange(len(order)), first)
        chosen = order[np.append(first, again)[:n_wanted]]
        return ranked(rows[chosen], utility[chosen])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False
        return tags
