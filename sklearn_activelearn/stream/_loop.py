"""The compiled loop behind the verbs of every stream learner."""

from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._beginning import draw_seeds, validate_and_append, validate_and_reset
from .._containers import NO_ROWS, loaded, take
from .._docstrings import LEARNER
from .._documented import documented
from .._identity import VALUES
from .._interrupts import SingleLabels, ensure_done
from .._requests import Purchase, Requests
from .._rows import Rows
from .._transaction import begin
from .._typing import RowNumbers, RowsLike
from .._validation import (
    UNLIMITED,
    check_all_out,
    check_budget,
    check_flag,
    check_limit,
    is_share,
)
from ..sources._base import Source
from ._class_weights import no_labels
from ._classes import check_class_parameters, warn_of_one_class
from ._linear_state import Counts
from ._pass import Pass, raise_unless_done, run, teach
from ._rule_checks import check_rules, initial_memory
from ._sources import ask_by_blocks, check_rows_or_source, simulate_blocks
from ._tally import no_rows

#: What pickles of version 0.1.0 lack.
VERSION_0_1_0 = {"class_weight": None, "one_class_limit": 1000}


@documented(LEARNER)
class StreamLoop:
    """Runs the loop for a learner with a query rule, an update rule and a state.

    A learner provides ``_make_rules()``, which checks the parameters of its own
    and returns the two rules, ``_working_state()`` with what the loop works on,
    ``_commit(state)`` to keep it, and ``_zero_weights(n_vectors)``.
    """

    #: Parameters that are True or False.
    _flags = ("fit_intercept", "normalize", "shuffle")

    #: Parameters that cannot change between calls: weights mean nothing without them.
    _shaped_by = ("fit_intercept", "normalize", "class_weight")

    #: Rows that are considered together; the stream can be cut at their multiples.
    _group = 1

    #: What else than scaling the rows helps against numbers that are too large.
    _remedy = "choose a smaller step"

    n_skipped_: int
    queried_indices_: RowNumbers
    stop_reason_: str | None

    def fit(self, X: RowsLike, y: ArrayLike) -> Self:
        """Simulate active learning on labelled data, from scratch.

        Labels are used only if they are bought; the set of classes is read up front.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream.
        {y}

        {returns}

        Raises
        ------
        ValueError
            For NaN or infinity, labels of one class or continuous ones, or a parameter
            out of its range.
        """
        transaction = begin(self)
        X, codes = validate_and_reset(transaction.learner, X, y)
        transaction.learner._simulate(X, codes, from_scratch=True)
        return transaction.commit()

    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """Simulate active learning on more labelled data, from where it stands.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows, taken in order.
        {y, classes}

        {returns}

        Raises
        ------
        ValueError
            As for `fit`, and for a label outside the classes.
        """
        transaction = begin(self)
        X, codes = validate_and_append(transaction.learner, X, y, classes)
        transaction.learner._simulate(X, codes, from_scratch=False)
        return transaction.commit()

    @property
    def n_seen_(self) -> int:
        """Rows decided."""
        return self._counts.n_seen

    @property
    def n_queries_(self) -> int:
        """Labels bought."""
        return self._counts.n_queries - self._n_refunded

    @property
    def n_taught_(self) -> int:
        """Labels learned, bought or not."""
        return self._counts.n_taught

    @property
    def n_updates_(self) -> int:
        """Labels that changed the weights."""
        return self._counts.n_updates

    def __setstate__(self, state):
        began = {"_class_sums": None} if "_counts" in state else {}
        super().__setstate__(VERSION_0_1_0 | began | state)
        if "_known_by" not in state and len(state.get("_requests", ())):
            self._known_by = VALUES

    def _check_parameters(self):
        self._checked_rules()
        check_budget(self.budget, 0)
        check_limit(self.patience, "patience", low=1)
        for name in self._flags:
            check_flag(getattr(self, name), name)
        check_class_parameters(self)

    def _checked_rules(self):
        """Return the query rule and the update rule, if they are that."""
        return check_rules(self._make_rules(), self)

    _check_rows = check_rows_or_source

    def _validate(self, X, *y, **options):
        out = super()._validate(X, *y, **options)
        self._check_form()
        return out

    @property
    def _scales_rows(self):
        return self.normalize

    def _form(self):
        return {name: getattr(self, name) for name in self._shaped_by}

    def _check_form(self):
        for name, now in self._form().items():
            before = self._began_with.get(name)  # version 0.1.0 had fewer
            if now != before:
                raise ValueError(
                    f"{name} cannot change from {before!r} to {now!r}: what was "
                    "learned depends on it. Call fit to start over."
                )

    def _initial_memory(self, query_rule):
        n_dims = self.n_features_in_ + bool(self.fit_intercept)
        return initial_memory(query_rule, n_dims)

    def _reset(self):
        self._began_with = self._form()
        self._coin_seed, self._shuffle_seed = draw_seeds(self.random_state, 2)
        self._memory = self._initial_memory(self._checked_rules()[0])
        self._weights = self._zero_weights(1)
        self._counts, self._tallied = Counts(), no_rows()
        self._class_sums = no_labels(2)
        self._requests, self._n_refunded, self.n_skipped_ = Requests(), 0, 0
        self.queried_indices_, self.stop_reason_ = NO_ROWS, None
        self.__dict__.pop("classes_", None)

    def _set_classes(self, classes):
        check_class_parameters(self, classes)
        super()._set_classes(classes)
        if len(classes) > 2:  # those for two are there since it began
            self._weights = self._zero_weights(len(classes))
            self._class_sums = no_labels(len(classes))

    def _commit(self, state):
        self._weights = state.weights
        self._memory = state.memory
        self._counts = state.counts
        self._tallied = state.tallied
        self._class_sums = state.classes.sums

    def _ready(self):
        """Return the rules, and the state that they work on."""
        query_rule, update_rule = self._checked_rules()
        memory = self._initial_memory(query_rule)
        if len(memory) != len(self._memory):  # a rule that remembers something else
            self._memory = memory
        return query_rule, update_rule, self._working_state()

    def _limits(self, n_offered=None):
        """Return the number of the last label that may be bought, and the patience.

        A budget that is a share counts the rows seen and those of this call, which a
        stream that comes in chunks cannot know: None refuses it.
        """
        if n_offered is None and is_share(self.budget):
            raise ValueError(
                f"budget={self.budget} is a share of the rows, which fit and learn "
                "know; query and partial_fit need a whole number."
            )
        budget = check_budget(self.budget, self.n_seen_ + (n_offered or 0))
        budget = min(budget, UNLIMITED - self._n_refunded) + self._n_refunded
        return budget, check_limit(self.patience, "patience", low=1)

    def _choose(self, X, identity, candidates, limit):
        X = loaded(X)
        query_rule, update_rule, state = self._ready()
        (budget, patience), n_before = self._limits(), self._counts.n_queries
        n = X.shape[0] if candidates is None else len(candidates)
        bought, probabilities = np.empty(n, np.int64), np.empty(n)
        forecasts = np.empty((n, 3))
        outcome = run(Pass(
            Rows(X), candidates, None, None, query_rule, update_rule, state,
            min(budget, n_before + min(limit, n)), patience, bought, probabilities,
            forecasts,
        ))  # fmt: skip
        raise_unless_done(outcome, X, self._remedy)
        self._commit(state)
        n_bought = self._counts.n_queries - n_before
        rows, probabilities = bought[:n_bought].copy(), probabilities[:n_bought].copy()
        self.stop_reason_ = None
        if n_bought == 0:
            self.stop_reason_ = self._why_closed(outcome, budget, patience)
            if self.stop_reason_ is None and n == 0:
                self.stop_reason_ = "no rows"
            elif self.stop_reason_ is None and limit == 0:
                self.stop_reason_ = "limit"
        keys = identity.part(take(X, rows), rows).keys()
        self._requests = self._requests.plus(keys, probabilities, forecasts[:n_bought])
        warn_of_one_class(self)
        return Purchase(rows, probabilities)

    def _why_closed(self, outcome, budget, patience):
        """Return why nothing could be bought at the end, None if something could."""
        if self._counts.n_queries >= budget and outcome.closed:
            return "budget"
        is_idle = outcome.closed and self._counts.n_idle >= patience
        return "patience" if is_idle else None

    def _store_labels(self, X, identity, codes):
        X = loaded(X)
        query_rule, update_rule, state = self._ready()
        requests, found = self._requests.answered(identity.part(X).keys())
        asked = np.array([request is not None for request in found], dtype=np.uint8)
        probabilities = np.array([each.probability if each else 1.0 for each in found])
        forecasts = np.zeros((len(found), 3))
        for row, request in enumerate(found):
            if request is not None:
                forecasts[row] = request.forecast
        outcome = teach(
            Rows(X), codes, probabilities, asked, forecasts, query_rule, update_rule,
            state,
        )  # fmt: skip
        raise_unless_done(outcome, X, self._remedy)
        self._commit(state)
        self._requests = requests

    def _pending(self, identity):
        return self._requests.pending(identity.keys())

    def _skip(self, identity):
        n_out = len(self._requests)
        if identity is None:
            self._requests = Requests()
        else:
            self._requests, found = self._requests.answered(identity.keys())
            check_all_out([out is not None for out in found], identity.names())
        n_skipped = n_out - len(self._requests)
        self.n_skipped_ += n_skipped
        return n_skipped

    def _refund(self, n_labels):
        self._n_refunded += n_labels

    def _simulate(self, X, codes, from_scratch):
        order = self._order(X.shape[0]) if from_scratch else None
        self._simulate_rows(
            X, codes, order, self._limits(X.shape[0] if from_scratch else None)
        )
        self._warn_after_run()

    def _order(self, n_rows):
        """Return the order in which `fit` visits so many rows; None as they come."""
        if not self.shuffle:
            return None
        return np.random.RandomState(self._shuffle_seed % 2**32).permutation(n_rows)

    def _warn_after_run(self):
        """Warn of a run that went wrong, after `fit`, `partial_fit` or `learn`."""
        warn_of_one_class(self)

    def _simulation(self, X, y, classes, n_offered):
        """Check rows and their labels once; return what simulates some of them.

        Parameters
        ----------
        X, y, classes
            As for `partial_fit`.
        n_offered : int
            Rows that will be gone through; a share as budget is one of them.

        Returns
        -------
        simulate : callable
            ``simulate(learner, order)`` has this learner, or a copy of it, go through
            rows of X, given by number, as the next of its stream. X is not copied, and
            the learner changes in place.
        """
        X, codes = validate_and_append(self, X, y, classes)
        limits = self._limits(n_offered)
        return lambda learner, order: learner._simulate_rows(X, codes, order, limits)

    def _simulate_rows(self, X, codes, order, limits):
        """Simulate on an answer sheet; None takes the rows as they come."""
        if isinstance(X, Source):
            simulate_blocks(self, X, codes, order, limits)
            return
        prepared = self._prepare_pass(Rows(X), codes, order, limits)
        self._finish_pass(prepared, run(prepared), X, limits)

    def _prepare_pass(self, rows, codes, order, limits):
        """Return the pass over rows whose labels are all known."""
        n = rows.n_rows if order is None else len(order)
        return Pass(
            rows, order, codes, None, *self._ready(), *limits,
            np.empty(n, np.int64), np.empty(n),
        )  # fmt: skip

    def _finish_pass(self, prepared, outcome, X, limits):
        """Keep what such a pass has learned, if it went over all rows."""
        raise_unless_done(outcome, X, self._remedy)
        self._commit(prepared.state)
        self.queried_indices_ = prepared.rows_bought
        self.stop_reason_ = self._why_closed(outcome, *limits)

    def _ask(self, X, identity, answer, candidates):
        if X.shape[0]:
            self._known_by = identity.kind
        ask = ask_by_blocks if isinstance(X, Source) else StreamLoop._ask_rows
        ask(self, X, answer, candidates)
        self._warn_after_run()

    def _ask_rows(self, X, answer, candidates, limits=None, names=None):
        query_rule, update_rule, state = self._ready()
        n = X.shape[0]
        limits = limits or self._limits(n if candidates is None else len(candidates))
        bought, codes = np.empty(n, np.int64), np.full(n, -1, np.int32)
        n_before = self._counts.n_queries
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        commit = partial(self._commit, state)
        ask = SingleLabels(commit, answer, codes, known, names).ask
        end = partial(self._end, state, bought, n_before)
        self._commit(state)  # weights and memory are the loop's own from now on
        try:
            outcome = run(Pass(
                Rows(X), candidates, codes, ask, query_rule, update_rule, state,
                *limits, bought, np.empty(X.shape[0]),
            ))  # fmt: skip
        finally:
            ensure_done(end)
        raise_unless_done(outcome, X, self._remedy)
        self.stop_reason_ = self._why_closed(outcome, *limits)

    def _end(self, state, bought, n_before):
        self._commit(state)
        self.queried_indices_ = bought[: self._counts.n_queries - n_before].copy()
