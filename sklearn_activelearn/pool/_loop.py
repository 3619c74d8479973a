"""The loop run by itself, on an answer sheet or with an oracle."""

from functools import partial

import numpy as np
from sklearn.callback import CallbackSupportMixin, with_callbacks

from .._compat import CALLBACK_ATTRIBUTES
from .._containers import n_rows, take
from .._validation import encode_answers
from ._choice import NO_ROWS


class PoolLoop(CallbackSupportMixin):
    """`fit`, `partial_fit` and `learn` of a learner that picks and catches up."""

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
        y = self.classes_[codes]
        return self._run(X, lambda rows, keep: keep(y[rows]), y)

    def _ask(self, X, answer, candidates):
        self._run(X, answer, candidates=candidates)

    @with_callbacks
    def _run(self, X, answer, y=None, candidates=None):
        """Go round until `_pick` wants no more; each purchase stays when it is made.

        Parameters
        ----------
        X : rows
            The pool.
        answer : callable
            ``answer(rows, keep)`` calls ``keep(labels)``, for row numbers of X.
        y : ndarray of shape (n_rows,), optional
            All labels, for callbacks that score.
        candidates : ndarray of int, optional
            Row numbers of X that may be bought; None for all.
        """
        rows = np.arange(n_rows(X)) if candidates is None else np.sort(candidates)
        is_open = np.zeros(n_rows(X), dtype=bool)
        is_open[self._requests.others(X, rows)] = True
        n_open = np.count_nonzero(is_open)
        with self._draft() as learner:
            if n_open and learner._has_stopped:  # other rows, to be judged anew
                learner._stopping_memory, learner._has_stopped = {}, False
            learner.queried_indices_ = NO_ROWS
            learner._keep(X, rows)
        told = {"estimator": self, "X": X, "y": y}
        task = self._init_callback_context(
            max_subtasks=self._n_rounds_left(n_open)
        ).call_on_fit_task_begin(**told)
        stop = False
        while not stop:
            picked = self._copy()
            rows, notes = picked._pick(X, np.flatnonzero(is_open), self._n_left(n_open))
            if len(rows) == 0:
                self.__dict__ = picked.__dict__
                break
            round_task = task.subcontext("query").call_on_fit_task_begin(**told)
            answer(rows, partial(self._buy, picked, X, rows, notes))
            is_open[rows] = False
            n_open -= len(rows)
            if self._uses_model:
                with self._draft() as learner:
                    learner._catch_up()
            stop = round_task.call_on_fit_task_end(**told, reconstruction_attributes={})
        with self._draft() as learner:
            learner._n_offered += n_open
            learner._catch_up()
        task.call_on_fit_task_end(**told, reconstruction_attributes={})
        return self

    def _buy(self, picked, X, rows, notes, labels):
        """Take the place of the copy that picked rows, with their labels."""
        learner = picked._copy()
        learner._expect(None, labels)
        known = {label: code for code, label in enumerate(learner.classes_.tolist())}
        codes = encode_answers(labels, rows, known)
        learner._absorb(take(X, rows), codes, notes)
        learner.queried_indices_ = np.append(learner.queried_indices_, rows)
        learner._n_offered += len(rows)
        self.__dict__ = learner.__dict__

    def _n_rounds_left(self, n_open):
        """Return how many rounds are left if no rule stops them."""
        n_labels = min(self._n_left(n_open), n_open)
        n_known = len(self._labelled) + len(self._requests)
        n_first = min(max(self.n_initial - n_known, 0), n_labels)
        return (n_first > 0) + -(-(n_labels - n_first) // self.batch_size)

    def __getstate__(self):
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in CALLBACK_ATTRIBUTES}
