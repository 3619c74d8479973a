"""The verbs of pool learners, and the loop run by itself."""

from contextlib import suppress
from functools import partial
from itertools import compress
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._beginning import validate_and_append, validate_and_reset
from .._compat import CALLBACK_ATTRIBUTES, CallbackSupportMixin, with_callbacks
from .._containers import NO_ROWS, n_rows, numbers_of, take
from .._docstrings import LEARNER
from .._documented import documented
from .._identity import VALUES, ByValue, identify
from .._labels import (
    check_classes,
    distinct_labels,
    encode,
    encode_answers,
    first_missing,
)
from .._transaction import Transaction, begin, exclusive, parameters_of, shallow
from .._typing import PoolQuery, RowsLike, typed_as
from .._validation import UNLIMITED, check_flag
from . import _record
from ._correction import corrected, train_on_values
from ._one_class import warn_of_one_answer
from .stopping._registry import check_rule_classes, rules_that_draw

#: Attributes in pickles of version 0.1.0, and what they are called now.
OLD_NAMES = {"_told": "_declared_classes", "_lessons": "_teach_calls"}


@documented(LEARNER)
class PoolLoop(CallbackSupportMixin):
    """`query`, `correct` and the loops of a learner that picks and catches up."""

    record, restore = _record.record, _record.restore

    @typed_as(PoolQuery)
    def query(
        self,
        X,
        *,
        candidates=None,
        exclude=None,
        limit=None,
        return_probability=False,
        return_utility=False,
        ids=None,
    ):
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The whole pool, labelled rows included, always in one order. Rows that were
            taught, are out or were skipped are not asked for again.
        candidates : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that may be bought, or a mask. None: all.
        {exclude}
        limit : int >= 0, default=None
            At most so many rows.
        return_probability : bool, default=False
            Also return the probability with which each row was bought: that of a
            random draw, else 1.
        return_utility : bool, default=False
            Also return what each row was worth to the learner when it was chosen,
            higher is better; NaN for rows that were drawn at random.
        {ids}
            If the values of labelled rows are others than they were, the model is
            trained on those in X, before rows are chosen.

        Returns
        -------
        {rows, probabilities}
        utilities : ndarray of shape (n_queries,)
            Only with `return_utility`; the last of what is returned.

        Raises
        ------
        ValueError
            For rows that the estimator refuses, `candidates` or `exclude` that are no
            rows of X, or a parameter out of its range. If X has other columns than
            before, or comes in another kind of container: for a labelled row that is
            not in it.
        {wrong_ids, RuntimeError}

        Warns
        -----
        UserWarning
            If labelled rows have other values than before, and some are not in X: of
            these the model is trained on the values that were seen last.
        """
        check_flag(return_probability, "return_probability")
        check_flag(return_utility, "return_utility")
        transaction, bought = self._query(X, ids, candidates, exclude, limit)
        asked = return_probability, return_utility
        also = tuple(compress((bought.probabilities, bought.utilities), asked))
        out = (bought.rows, *also) if also else bought.rows
        transaction.commit()
        return out

    def correct(
        self, X: RowsLike, y: ArrayLike, *, ids: ArrayLike | None = None
    ) -> Self:
        """Replace labels that were taught.

        The learner becomes what it would be had it been taught the right labels in the
        same calls, on the pool that it knows now. Row numbers, probabilities and the
        bill stay; stopping rules forget what they remember.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows that were taught. Of equal rows the one that was taught last is meant,
            among those whose label differs.
        y : array-like of shape (n_samples,)
            Their right labels. A class that has no label any more goes, if nobody gave
            the classes.
        {ids}

        {returns}

        Raises
        ------
        ValueError
            For a row that was never taught, a label outside the classes, rows that do
            not match `y` or the features.
        {wrong_ids, RuntimeError}

        Warns
        -----
        FitFailedWarning
            If the estimator cannot be trained on the labels. They are stored; what
            needs the model next raises the estimator's error.
        """
        transaction = begin(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0)
        identity = identify(learner, X, ids)
        if len(y):
            transaction.learner = corrected(learner, identity, y)._after_teach()
        return transaction.commit()

    def fit(self, X: RowsLike, y: ArrayLike) -> Self:
        """Simulate active learning on a labelled pool, from scratch.

        The label of a row is used only if the learner buys it; the set of
        classes is read up front. Whatever ends it early, what was bought until
        then stays.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool.
        {y}

        {returns}

        Raises
        ------
        ValueError, TypeError
            For labels of one class or continuous ones, rows that the estimator
            refuses, an estimator without the method that is needed, or a
            parameter out of its range.
        """
        return exclusive(
            self, lambda learner: validate_and_reset(learner, X, y), self._buy_from
        )

    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """Simulate active learning on one more labelled pool, from where it stands.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The next chunk of the pool. As many of its rows as are equal to rows of
            earlier chunks that were bought are not bought again.
        {y}
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. None: those of `y` and of earlier calls.

        {returns}

        Raises
        ------
        ValueError, TypeError
            As for `fit`, and for a label outside the declared classes.
        """

        def start(learner):
            rows, codes = validate_and_append(learner, X, y, classes)
            identify(learner, rows, None)
            named = learner.classes_[np.unique(codes)].tolist()
            known = learner._declared_classes
            learner._declared_classes = tuple(dict.fromkeys((*known, *named)))
            return rows, codes

        return exclusive(self, start, self._buy_from)

    def _buy_from(self, X, codes):
        """Run the loop on an answer sheet."""
        y = self.classes_[codes]
        self._ask(X, ByValue(X), lambda rows, keep: keep(y[rows]), y=y, are_more=True)

    @with_callbacks
    def _ask(self, X, identity, answer, candidates=None, y=None, are_more=False):
        """Go round until `_pick` wants no more; each purchase stays when it is made.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            What its rows are recognised by.
        answer : callable
            ``answer(rows, keep)`` calls ``keep(labels)``, for row numbers of X.
        candidates : ndarray of int, optional
            Row numbers of X that may be bought; None for all.
        y : ndarray of shape (n_samples,), optional
            All labels, for callbacks that score.
        are_more : bool
            Whether these rows add to those of earlier calls, for a budget that is a
            share of them.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        is_open = learner._offer(X, identity, candidates)
        n_open = np.count_nonzero(is_open)
        if n_open and are_more and learner._has_stopped:  # they are judged again
            learner._stopping_memory, learner._has_stopped = {}, False
        learner.queried_indices_ = NO_ROWS
        n_before = learner._n_offered if are_more else learner.n_queries_
        learner._n_offered = max(learner._n_offered, n_before + n_open)
        transaction.commit()
        info = {"estimator": self, "X": X, "y": y}
        # rules that draw rows may end batches early
        is_known = not rules_that_draw(self.stopping)
        task = self._init_callback_context(
            max_subtasks=self._n_rounds_left(n_open) if is_known else None
        ).call_on_fit_task_begin(**info)
        stop = False
        while not stop:
            transaction = Transaction(self)
            bought = transaction.learner._pick(X, numbers_of(is_open), UNLIMITED)
            if len(bought.rows) == 0:
                transaction.commit()
                break
            round_task = task.subcontext("query").call_on_fit_task_begin(**info)
            keep = partial(self._buy, transaction, X, identity, bought)
            answer(bought.rows, keep)
            is_open[bought.rows] = False
            if self._uses_model:
                self._train_and_keep()
            stop = round_task.call_on_fit_task_end(**info, reconstruction_attributes={})
        self._train_and_keep()
        task.call_on_fit_task_end(**info, reconstruction_attributes={})
        if len(self.queried_indices_):
            warn_of_one_answer(self, X)
        return self

    def _offer(self, X, identity, candidates):
        """Return which rows of X are for sale; keep the pool if need be.

        Train on the values of labelled rows in X, if others are known by their ids.
        """
        is_for_sale = np.ones(n_rows(X), dtype=bool)
        if not len(is_for_sale):
            return is_for_sale
        if candidates is not None:
            is_for_sale[:] = False
            is_for_sale[candidates] = True
        self._requests = self._requests.located(identity, is_for_sale)
        found = self._requests.found
        if self._make_trainer().keeps_pool:
            places = found[self._requests.taught]
            candidates = np.flatnonzero(is_for_sale)
            self._pool = self._pool.offered(identity, X, candidates, places)
        if identity.kind != VALUES:
            train_on_values(self, X)
        is_for_sale[found[found >= 0]] = False
        return is_for_sale

    def _note(self, identity, bought):
        """Remember what was asked for."""
        rows, ids = bought.rows, identity.names(bought.rows)
        self._requests = self._requests.plus(
            identity.keys(rows), rows, bought.probabilities, bought.purposes, ids=ids
        )

    def _train_and_keep(self):
        transaction = Transaction(self)
        transaction.learner._catch_up()
        transaction.commit()

    def _buy(self, transaction, X, identity, bought, labels):
        """Commit a transaction that picked rows, with their labels.

        Of labels that are not known the rows stay on the bill, and out. A parameter
        that the oracle has set stays set.
        """
        learner = shallow(transaction.learner)
        vars(learner).update(parameters_of(self))
        codes, why = learner._encode_answers(labels, bought.rows)
        learner._note(identity, bought)
        (known,) = np.nonzero(codes >= 0)
        if len(known):
            rows = bought.rows[known]
            X = take(X, rows)
            learner._store_labels(X, identity.part(X, rows), codes[known])
        learner._known_by = identity.kind
        learner.queried_indices_ = np.append(learner.queried_indices_, bought.rows)
        transaction.commit(learner)
        if why:
            raise ValueError(why)

    def _register_classes(self, classes, y=()):
        if not self._may_grow:
            super()._register_classes(classes)
        elif classes is not None:
            self._set_classes(check_classes(classes))
        elif len(y):
            known = getattr(self, "classes_", None)
            classes = distinct_labels(y, "y", known)
            if classes is not known:
                self._recode(classes)

    def _recode(self, classes):
        """Set the classes; labels get the codes that they have among these."""
        if hasattr(self, "classes_"):
            self._labelled = self._labelled.recoded(encode(self.classes_, classes))
        super()._set_classes(classes)

    def _set_classes(self, classes):
        known = classes.tolist()
        check_rule_classes(getattr(self, "stopping", None), known, self.positive)
        self._recode(classes)
        self._may_grow, self._declared_classes = False, tuple(classes.tolist())

    def _encode_answers(self, labels, rows):
        """Return what `encode_answers` does; classes may grow."""
        reason = ""
        try:
            self._register_classes(None, labels)
        except ValueError as error:
            reason = f" {error}"
            if first_missing(labels) >= 0:
                reason = " Each row needs a label, not None or NaN."
            for i in range(len(labels)):  # some of them may do
                with suppress(ValueError):
                    self._register_classes(None, labels[[i]])
        classes = self.classes_.tolist() if hasattr(self, "classes_") else []
        known = {label: code for code, label in enumerate(classes)}
        codes, why = encode_answers(labels, rows, known)
        return codes, why and why + reason

    def _n_rounds_left(self, n_open):
        """Return how many rounds are left if no rule stops them."""
        n_labels = min(self._n_left(), n_open)
        return self._selection.n_rounds(self._n_first(), n_labels)

    def __getstate__(self):
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in CALLBACK_ATTRIBUTES}

    def __setstate__(self, state):
        super().__setstate__({OLD_NAMES.get(k, k): v for k, v in state.items()})
        ledger = state.get("_requests")
        if "_known_by" not in state and ledger is not None and len(ledger.places):
            self._known_by = VALUES
