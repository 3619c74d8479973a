"""The loop of the pool learners: score what is unlabelled, buy the best, train."""

from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import is_classifier
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import gen_even_slices, get_tags

from .._containers import n_rows, take
from .._protocol import ActiveClassifier
from .._validation import (
    UNLIMITED,
    check_classes,
    check_limit,
    check_number,
    distinct_labels,
    encode,
    encode_answers,
)
from ._door import check_pool
from ._prediction import DelegatedPrediction
from ._stopping import find_rules
from ._training import Labelled, keeps_its_solution, seeded

NO_ROWS = np.empty(0, dtype=np.int64)


class PoolClassifier(CallbackSupportMixin, DelegatedPrediction, ActiveClassifier):
    """A classifier, what it was taught, and a utility that chooses the next rows.

    A subclass provides:

    - ``_unfitted()``: the estimators that may become the model, checked;
    - ``_train()``: train clones of `_prototypes` on `_labelled` and set
      ``estimator_``, the model that predicts;
    - ``_utility(X)``: a number for each row, higher is bought sooner. None in its
      place: rows are chosen at random.
    """

    #: Method of the estimator that the utility needs, and what to do without it.
    _needs, _otherwise = "predict", ""

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
            needed = [(self._needs, self._otherwise)]
            needed += [(rule.needs, "") for rule in find_rules(self.stopping)]
            for method, otherwise in needed:
                if not hasattr(estimator, method):
                    raise TypeError(
                        f"{type(self).__name__} needs an estimator with {method}, "
                        f"which {estimator} has not. {otherwise}".strip()
                    )
        check_number(self.n_initial, "n_initial", 1, closed="left", integer=True)
        check_number(self.batch_size, "batch_size", 1, closed="left", integer=True)
        check_budget(self.budget, 0)

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        return check_pool(
            self, self._unfitted()[0], X, *y, reset=reset, min_rows=min_rows
        )

    def _begin(self):
        (self._seed,) = self._draw_seeds(1).tolist()
        self._prototypes = [
            seeded(estimator, self._seed % 2**32) for estimator in self._unfitted()
        ]
        self._keeps_its_solution = keeps_its_solution(self._prototypes[0])
        self._labelled = Labelled()
        self._n_rounds = self._n_offered = self._n_trained = self.n_queries_ = 0
        self._stopping_memory = {}
        self._may_grow = True
        self.queried_indices_ = NO_ROWS
        for name in ("classes_", "estimator_"):
            self.__dict__.pop(name, None)

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
        return self._pick(X, self._requests.others(X, rows), limit)

    def _pick(self, X, rows, limit):
        """Choose among these row numbers of X, put the choice on the bill."""
        n_known = len(self._labelled) + len(self._requests)
        is_cold = n_known < self.n_initial or not self._labelled.has_two_classes
        n_wanted = max(self.n_initial - n_known, 0) or self.batch_size
        n_wanted = min(n_wanted, limit, self._n_left(), len(rows))
        if n_wanted == 0 or (not is_cold and self._should_stop(X, rows)):
            return NO_ROWS, np.empty(0)
        # a generator of its own for each round: nothing to rewind after an error
        rng = np.random.default_rng((self._seed, self._n_rounds))
        if is_cold or self._utility is None:
            chosen = rng.permutation(rows)[:n_wanted]
            probability = n_wanted / len(rows)
        else:
            pool, within = view(X, rows)
            utility = self._in_blocks(pool)[within]
            chosen, probability = rows[best(utility, n_wanted, rng)], 1.0
        self._n_rounds += 1
        self.n_queries_ += n_wanted
        return chosen, np.full(n_wanted, probability)

    def _in_blocks(self, X):
        """Return the utility of each row, computed in parallel if `n_jobs` says so."""
        n_jobs = effective_n_jobs(self.n_jobs)
        if n_jobs == 1:
            return self._utility(X)
        blocks = gen_even_slices(n_rows(X), min(n_jobs, n_rows(X)))
        parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        utilities = parallel(delayed(self._utility)(take(X, part)) for part in blocks)
        return np.concatenate(utilities)

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
        self._stopping_memory = memory
        return stop

    def _n_left(self):
        """Return how many labels the budget allows yet."""
        return max(check_budget(self.budget, self._n_offered) - self.n_queries_, 0)

    def _absorb(self, X, codes, notes):
        if len(codes):
            self._labelled = self._labelled.plus(X, codes)
            self._catch_up()

    def _catch_up(self):
        """Train the model if labels came in since, and if they are of two classes."""
        if self._n_trained < len(self._labelled) and self._labelled.has_two_classes:
            self._train()
            self._n_trained = len(self._labelled)

    def fit(self, X, y):
        """Simulate active learning on a labelled pool, from scratch.

        The label of a row is used only if the learner buys it; the set of
        classes is read up front. Whatever ends it early, what was bought until
        then stays.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or what the estimator takes
            The pool.
        y : array-like of shape (n_rows,)
            The answer sheet.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            For labels of one class or continuous ones, rows that the estimator
            refuses, an estimator without the method that is needed, or a
            parameter out of its range.
        """
        with self._changing() as learner:
            X, codes = learner._enter_anew(X, y)
        return self._simulate(X, codes)

    def partial_fit(self, X, y, classes=None):
        """Simulate active learning on one more labelled pool, from where it stands.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or what the estimator takes
            The next chunk of the pool. Rows of earlier chunks do not come again.
        y : array-like of shape (n_rows,)
            The answer sheet.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. None: those of `y` and of earlier calls.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            As for `fit`, and for a label outside the classes it was told.
        """
        with self._changing() as learner:
            X, codes = learner._enter_more(X, y, classes)
        return self._simulate(X, codes)

    def _simulate(self, X, codes):
        return self._run(X, lambda learner, rows: codes[rows], self.classes_[codes])

    def _ask(self, X, answer):
        def ask(learner, rows):
            labels = answer(rows)
            learner._expect(None, labels)
            known = {c: code for code, c in enumerate(learner.classes_.tolist())}
            return encode_answers(labels, rows, known)

        self._run(X, ask)

    @with_callbacks
    def _run(self, X, answer, y=None):
        """Go round until `_pick` wants no more; each purchase stays when it is made.

        Parameters
        ----------
        X : rows
            The pool.
        answer : callable
            ``answer(learner, rows) -> codes``, for row numbers of X.
        y : ndarray of shape (n_rows,), optional
            All labels, for callbacks that score.
        """
        is_open = np.zeros(n_rows(X), dtype=bool)
        is_open[self._requests.others(X, np.arange(n_rows(X)))] = True
        self._n_offered += n_rows(X)
        self.queried_indices_ = NO_ROWS
        trains_each_round = self._utility is not None or find_rules(self.stopping)
        told = {"estimator": self, "X": X, "y": y}
        task = self._init_callback_context(
            max_subtasks=self._n_rounds_left(np.count_nonzero(is_open))
        ).call_on_fit_task_begin(**told)
        stop = False
        while not stop:
            with self._draft() as learner:
                rows, _ = learner._pick(X, np.flatnonzero(is_open), UNLIMITED)
                if len(rows) == 0:
                    break
                round_task = task.subcontext("query").call_on_fit_task_begin(**told)
                codes = answer(learner, rows)
                learner._labelled = learner._labelled.plus(take(X, rows), codes)
                learner.queried_indices_ = np.append(learner.queried_indices_, rows)
            is_open[rows] = False
            if trains_each_round:
                with self._draft() as learner:
                    learner._catch_up()
            stop = round_task.call_on_fit_task_end(**told, reconstruction_attributes={})
        with self._draft() as learner:
            learner._catch_up()
        task.call_on_fit_task_end(**told, reconstruction_attributes={})
        return self

    def _n_rounds_left(self, n_open):
        """Return how many rounds are left if no rule stops them."""
        n_labels = min(self._n_left(), n_open)
        n_known = len(self._labelled) + len(self._requests)
        n_first = min(max(self.n_initial - n_known, 0), n_labels)
        return (n_first > 0) + -(-(n_labels - n_first) // self.batch_size)


def check_classifier(estimator):
    """Refuse what is no classifier, or asks for a kernel matrix."""
    if isinstance(estimator, type):
        raise TypeError(f"estimator must be an instance, got {estimator!r}.")
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(f"estimator must be a classifier, got {estimator!r}.")
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{estimator} wants a precomputed kernel, which a pool does not have; "
            "name the kernel or pass a callable."
        )


def check_budget(budget, n_offered):
    """Return the labels that may be bought; a float is a share of the rows offered."""
    if isinstance(budget, Real) and not isinstance(budget, Integral):
        share = check_number(budget, "budget", 0, 1, closed="both")
        return int(share * n_offered + 1e-9)
    return check_limit(budget, "budget")


def view(X, rows):
    """Return X and the row numbers, or only these rows if they are the smaller part.

    Taking rows copies them; working on some too many is cheaper than that.
    """
    if 2 * len(rows) >= n_rows(X):
        return X, rows
    return take(X, rows), slice(None)


def best(utility, n_wanted, rng):
    """Return the positions of the highest utilities, best first.

    Ties are broken at random, in the same order whatever `n_wanted`. Equal rows
    may differ in their last bits, which depend on where they stand in X: utilities
    that agree in half of their digits count as equal.
    """
    unit = np.sqrt(np.finfo(utility.dtype).eps) * np.abs(utility).max() or 1.0
    last = np.partition(utility, -n_wanted)[-n_wanted]
    near = np.flatnonzero(utility >= last - unit)
    loss = -np.round(utility[near] / unit)
    order = np.argsort(loss, kind="stable")
    # draws go to places from the best on: further rows change none of them
    ties = rng.random(len(near))
    return near[order[np.lexsort((ties, loss[order]))][:n_wanted]]
