"""What all pool learners are: labelled rows, a model, a choice among the others."""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import gen_even_slices

from .._containers import n_rows, take
from .._protocol import ActiveClassifier
from .._validation import (
    check_classes,
    check_number,
    distinct_labels,
    encode,
)
from ._choice import NO_ROWS, best, notes_of, view
from ._door import check_budget, check_classifier, check_has, check_pool
from ._loop import PoolLoop
from ._pool import Pool
from ._prediction import DelegatedPrediction
from ._stopping import find_rules
from ._training import Labelled, seeded


class PoolClassifier(PoolLoop, DelegatedPrediction, ActiveClassifier):
    """A classifier, what it was taught, and a utility that chooses the next rows.

    A subclass provides:

    - ``_unfitted()``: the estimators that may become the model, checked;
    - ``_train()``: train clones of `_prototypes` on `_labelled` and set
      ``estimator_``, the model that predicts;
    - ``_utility(X)``: a number for each row, higher is bought sooner.

    One whose rows cannot be scored one by one replaces ``_score`` or ``_select``; one
    that learns from rows without labels sets `_keeps_pool` and finds them in
    ``_pool``.
    """

    #: Method of the estimator that the utility needs, and what to do without it.
    _needs, _otherwise = "predict", ""

    #: Whether the rows of the last pool are kept, with and without labels.
    _keeps_pool = False

    def __init__(
        self, *, n_initial, batch_size, budget, stopping, n_jobs, random_state
    ):
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self):
        for estimator in self._unfitted():
            check_classifier(estimator)
            check_has(self._needs, estimator, type(self).__name__, self._otherwise)
        for rule in find_rules(self.stopping):
            for model in self._models():
                hint = "Use another estimator or rule."
                check_has(rule.needs, model, f"stopping={rule}", hint)
        check_number(self.n_initial, "n_initial", 1, closed="left", integer=True)
        check_number(self.batch_size, "batch_size", 1, closed="left", integer=True)
        check_budget(self.budget, 0)
        if self.n_jobs is not None:
            check_number(self.n_jobs, "n_jobs", None, integer=True)
            effective_n_jobs(self.n_jobs)

    def _models(self):
        """Return what has the methods that the model will have."""
        return self._unfitted()

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        return check_pool(self, self._unfitted(), X, *y, reset=reset, min_rows=min_rows)

    def _begin(self):
        (self._seed,) = self._draw_seeds(1).tolist()
        self._seeded = None
        self._labelled, self._pool = Labelled(), Pool()
        self._n_rounds = self._n_offered = self._n_trained = self.n_queries_ = 0
        self._stopping_memory, self._has_stopped = {}, False
        self._may_grow = True
        self.queried_indices_ = NO_ROWS
        for name in ("classes_", "estimator_"):
            self.__dict__.pop(name, None)

    @property
    def _prototypes(self):
        """What is cloned for each training; made anew after `set_params`."""
        if self._seeded is None:
            self._seeded = [
                seeded(estimator, self._seed % 2**32) for estimator in self._unfitted()
            ]
        return self._seeded

    def set_params(self, **params):
        """Set parameters; estimators are taken over from the next training on.

        Parameters
        ----------
        **params : dict
            As for any scikit-learn estimator.

        Returns
        -------
        self : object
            The learner.
        """
        if hasattr(self, "_seeded"):
            self._seeded = None
        return super().set_params(**params)

    def _expect(self, classes, y=()):
        if not self._may_grow:
            super()._expect(classes)
        elif classes is not None:
            self._set_classes(check_classes(classes))
        elif len(y):
            self._set_classes(distinct_labels(y, "y", getattr(self, "classes_", None)))
            self._may_grow = True

    def _set_classes(self, classes):
        if hasattr(self, "classes_"):
            self._labelled = self._labelled.recoded(encode(self.classes_, classes))
        super()._set_classes(classes)
        self._may_grow = False

    def _choose(self, X, candidates, limit):
        self._n_offered = max(self._n_offered, n_rows(X))
        rows = np.arange(n_rows(X)) if candidates is None else candidates
        self._keep(X, rows)
        rows = self._requests.others(X, rows)
        return self._pick(X, rows, min(limit, self._n_left()))

    def _keep(self, X, rows):
        """Remember a pool and which of its rows have no label yet, if need be."""
        if self._keeps_pool and n_rows(X):
            self._pool = self._pool.offered(X, rows, self._labelled.rows)

    def _pick(self, X, rows, limit):
        """Choose among these row numbers of X, put the choice on the bill.

        Returns
        -------
        rows : ndarray of int
            The choice.
        notes : list of Note
            What to remember of each.
        """
        n_known = len(self._labelled) + len(self._requests)
        is_cold = self._is_cold(n_known)
        n_wanted = max(self.n_initial - n_known, 0) or self.batch_size
        n_wanted = min(n_wanted, limit, len(rows))
        if n_wanted and not is_cold and self._uses_model:
            self._catch_up()  # the last training may have failed
        if n_wanted == 0 or (not is_cold and self._should_stop(X, rows)):
            return NO_ROWS, []
        # a seed of its own for each round: nothing to rewind after an error
        seed = self._seed, self._n_rounds
        select = self._at_random if is_cold else self._select
        chosen, notes = select(X, rows, n_wanted, seed)
        self._n_rounds += 1
        self.n_queries_ += len(chosen)
        return chosen, notes

    def _is_cold(self, n_known):
        """Whether rows are bought at random yet, with so many taught or asked for."""
        return n_known < self.n_initial or not self._labelled.has_two_classes

    def _at_random(self, X, rows, n_wanted, seed):
        """Draw some of these row numbers of X."""
        chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
        return chosen, notes_of(chosen, n_wanted / len(rows))

    def _select(self, X, rows, n_wanted, seed):
        """Choose those of these row numbers of X that are worth most."""
        utility = np.asarray(self._score(X, rows), dtype=np.float64)
        if not np.isfinite(utility).all():
            row = rows[np.argmin(np.isfinite(utility))]
            raise ValueError(
                f"{self.estimator_} gives row {row} a score that is not finite."
            )
        chosen = rows[best(utility, n_wanted, seed)]
        return chosen, notes_of(chosen, 1.0)

    def _score(self, X, rows):
        """Return the utility of these rows of X, in parallel if `n_jobs` says so."""
        X, within = view(X, rows)
        n_jobs = effective_n_jobs(self.n_jobs)
        if n_jobs == 1:
            return self._utility(X)[within]
        blocks = gen_even_slices(n_rows(X), min(n_jobs, n_rows(X)))
        parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        utilities = parallel(delayed(self._utility)(take(X, part)) for part in blocks)
        return np.concatenate(utilities)[within]

    def _should_stop(self, X, rows):
        """Ask the stopping rules, all of them: they remember the model."""
        rules = find_rules(self.stopping)
        if not rules:
            return False
        pool, within = view(X, rows)
        memory, stop = {}, False
        for rule in rules:
            met, memory[rule] = rule.judge(
                self.estimator_, pool, within, self._stopping_memory.get(rule)
            )
            stop |= met
        self._stopping_memory, self._has_stopped = memory, bool(stop)
        return stop

    def _n_left(self, n_open=0):
        """Return how many labels the budget allows yet, with more rows on offer."""
        n_offered = self._n_offered + n_open
        return max(check_budget(self.budget, n_offered) - self.n_queries_, 0)

    @property
    def _uses_model(self):
        """Whether a model decides what to buy, or when to stop."""
        return True

    def _absorb(self, X, codes, notes):
        if len(codes):
            self._labelled = self._labelled.plus(X, codes)
            self._pool = self._pool.without(X, notes)

    def _settle(self):
        with self._draft() as learner:
            learner._catch_up()

    def _catch_up(self):
        """Train the model if labels came in since, and if they are of two classes."""
        if self._n_trained < len(self._labelled) and self._labelled.has_two_classes:
            self._train()
            self._n_trained = len(self._labelled)
