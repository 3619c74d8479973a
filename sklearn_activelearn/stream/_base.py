"""Base of the stream learners: the loop over rows, requests, and prediction."""

from collections.abc import Mapping
from functools import partial
from math import isfinite, nan
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..base._interrupts import SingleLabels, ensure_done
from ..base._linear import LinearPredictor
from ..base._parameters import (
    PLAIN_TYPES,
    UNLIMITED,
    check_budget,
    check_class_weight,
    check_flags,
    check_limit,
    check_number,
    check_option,
    is_share,
)
from ..base._requests import Purchase, Requests
from ..base._transaction import Transaction, parameters_of
from ..base._validation import (
    check_all_pending,
    check_finite_row,
    check_labels,
    check_rows,
    check_selection,
    check_source,
    check_weights,
    finite_rows,
    labels_for,
)
from ..base._verbs import (
    ActiveClassifier,
    draw_seeds,
    validate_and_append,
    validate_and_reset,
)
from ..exceptions import advice_for_rare_classes, warn_of_constant_answer
from ..kernels._rows import Rows
from ..sources._containers import NO_ROWS, n_rows, take, to_frame, to_memory
from ..sources._conversion import as_source
from ..sources._identity import identify
from ..sources._source import ArraySource, SomeRows, Source, join_rows
from ..utils.typing import Floats, RowNumbers, RowsLike, Seed
from ._learned import Sums, Weights
from ._pass import MOST_NEXT, NextRows, Pass, teach
from ._rules import UPDATE_RULES, QueryRule, UpdateRule
from ._state import (
    AdaptiveState,
    ClassWeights,
    LinearState,
    nothing_learned,
    prediction_thresholds,
)

#: A learner is warned about if it predicts one class for this number of rows, and for
#: this share of the rows seen.
N_ALIKE, ALIKE_SHARE = 1_000, 0.25
#: Fewer rows suffice if it knows labels of other classes, and predicts one class for
#: nearly all rows seen, or for rows among which others are to be expected.
FEWER_ALIKE, NEARLY_ALL = 200, 0.75
N_EXPECTED, EXPECTED_SHARE = 3, 0.1
#: Attributes beside the parameters on which a pass over further rows depends.
SHAPE_OF_PASS = "classes_", "n_features_in_", "feature_names_in_", "_n_refunded"
#: Numbers of rows of a run whose predictions by the last model are compared.
FEWEST_CHECKED, MOST_CHECKED = 270, 1_000


def in_groups(blocks, size):
    """Yield blocks of rows and their first row numbers, cut at multiples of a size."""
    start, left = 0, None
    for _, block in blocks:
        rows = block if left is None else join_rows([left, block])
        n = rows.shape[0] // size * size
        if n:
            yield start, rows[:n]
        start, left = start + n, rows[n:] if n < rows.shape[0] else None
    if left is not None:
        yield start, left


class StreamLoop(LinearPredictor, ActiveClassifier):
    """The verbs of a learner with a query rule, an update rule and a state.

    A subclass provides ``_make_rules()``, which checks its parameters and
    returns the two rules, ``_make_state(learned, classes, rules)``, which returns the
    state that a loop works on, and ``_zero_weights(n_vectors)``.
    """

    #: Parameters that are True or False.
    _flags = ("fit_intercept", "normalize", "shuffle")

    #: Parameters that cannot change between calls: the weights depend on them.
    _shaped_by = ("fit_intercept", "normalize", "class_weight")

    #: Rows that are considered together; a stream may be cut at multiples of it.
    _group = 1

    #: Advice against numbers that are too large, besides scaling the rows.
    _remedy = "choose a smaller step"

    #: With class weights, every row is bought while one class is known and fewer labels
    #: than this are bought.
    _one_class_limit = 1_000

    #: What `partial_fit` leaves for its next call; copies and pickles have none.
    _next_rows: NextRows | None = None

    #: Whether `partial_fit` leaves its state.
    _keeps_state = False

    n_skipped_: int
    queried_indices_: RowNumbers
    stop_reason_: str | None

    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[False] = ...,
        ids: ArrayLike | None = ...,
    ) -> RowNumbers: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: Literal[True],
        ids: ArrayLike | None = ...,
    ) -> tuple[RowNumbers, Floats]: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: bool = ..., return_reason: Literal[True],
        ids: ArrayLike | None = ...,
    ) -> tuple[RowNumbers, *tuple[Any, ...]]: ...  # fmt: skip
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None, limit: int | None = None,
        return_probability: bool = False, return_reason: bool = False,
        ids: ArrayLike | None = None,
    ) -> RowNumbers | tuple[RowNumbers, *tuple[Any, ...]]:  # fmt: skip
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows of the stream. May be empty.
        candidates : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that may be bought, or a mask. The learner takes the rows
            in this order and ignores the other rows. None: all rows.
        exclude : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers that may not be bought, or a mask. They are removed from
            `candidates`.
        limit : int >= 0, default=None
            Largest number of rows to return. The learner has then seen the remaining
            rows, too. None: no limit.
        return_probability : bool, default=False
            Whether to return the probability with which each row was bought, too.
            Weights by its inverse are valid only if the probability is never 0.
        return_reason : bool, default=False
            Also return one word for each row that says why it was chosen: "random" if
            the query rule ignores the model, else "uncertain".
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which to label them. Their labels count as
            bought. If it is empty, ``stop_reason_`` says why.
        probabilities : ndarray of shape (n_queries,)
            Probability with which each row was bought. Only with `return_probability`.
        reasons : ndarray of str of shape (n_queries,)
            Only with `return_reason`; the last of the returned arrays.

        Raises
        ------
        ValueError
            If X contains NaN or infinity or has a wrong number of features, if
            `candidates` or `exclude` are not rows of X, or if a parameter is outside
            its range.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs. As
            after each error, the learner is unchanged.
        """
        check_flags(return_probability=return_probability, return_reason=return_reason)
        transaction = Transaction(self)
        learner = transaction.learner
        X = learner._validate(X, min_rows=0, ids=ids)
        identity = identify(learner, X, ids, is_pool=True)
        candidates = check_selection(candidates, exclude, n_rows(X))
        limit = check_limit(limit, "limit")
        purchase = learner._choose(X, identity, candidates, limit)
        if len(purchase.rows):
            learner._known_by = identity.kind
            learner.queried_indices_ = np.append(
                learner.queried_indices_, purchase.rows
            )
        if return_reason:
            rule, _ = learner._make_rules()
            reason = "random" if rule.ignores_margin else "uncertain"
            purchase = purchase._replace(reasons=reason)
        answer = purchase.answer(return_probability, False, return_reason)
        transaction.commit()
        return answer

    def fit(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Simulate active learning on labelled data, from scratch.

        Only labels that the learner buys are used; the set of classes is read first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream.
        y : array-like of shape (n_samples,)
            Labels of all rows. The learner uses the labels that it buys.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the labels, at least 0. None: 1. A weight multiplies the step
            that a label makes, as in `SGDClassifier`; with ``update="dkm"`` it counts 1
            at most, and the first label counts in full. A second-order learner weighs
            the squared error of the row. Weights do not change the probability with
            which a row is bought. A row of weight 0 is neither seen nor bought.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            For NaN or infinity, labels of one class or continuous labels, a parameter
            out of its range, or weights below 0 or of 0 only.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        X, codes = validate_and_reset(learner, X, y)
        weights, n = None, X.shape[0]
        if sample_weight is not None:
            weights = check_weights(sample_weight, n)
            n = np.count_nonzero(weights)
        learner._simulate(X, codes, learner._order(n), learner._limits(n), weights)
        learner._warn_after_run(X)
        return transaction.commit()

    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Simulate active learning on the next labelled rows of a stream.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows, in order.
        y : array-like of shape (n_samples,)
            Labels of all rows. The learner uses the labels that it buys.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Required unless the learner knows them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the labels, at least 0. None: 1. A weight multiplies the step
            that a label makes, as in `SGDClassifier`; with ``update="dkm"`` it counts 1
            at most, and the first label counts in full. A second-order learner weighs
            the squared error of the row. Weights do not change the probability with
            which a row is bought. A row of weight 0 is neither seen nor bought.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            As for `fit`, and for a label outside the classes.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        kept = learner._next_rows if sample_weight is None else None
        if kept is None or not kept.learn(vars(learner), X, y, classes):
            rows, codes = validate_and_append(learner, X, y, classes)
            given = learner._check_metadata(
                {"sample_weight": sample_weight}, len(codes)
            )
            learner._simulate(rows, codes, None, learner._limits(), **given)
            learner._prepare_next_rows(X)
        learner._warn_after_run()
        return transaction.commit()

    @property
    def n_seen_(self) -> int:
        """Rows decided."""
        return self._learned.counts.n_seen

    @property
    def n_queries_(self) -> int:
        """Labels bought."""
        return self._learned.counts.n_queries - self._n_refunded

    @property
    def n_taught_(self) -> int:
        """Labels learned, bought or not."""
        return self._learned.counts.n_taught

    @property
    def n_updates_(self) -> int:
        """Labels that changed the weights."""
        return self._learned.counts.n_updates

    def _check_metadata(self, fit_params, n_rows):
        weights = fit_params.pop("sample_weight", None)
        super()._check_metadata(fit_params, n_rows)
        if weights is None:
            return {}
        return {"weights": check_weights(weights, n_rows, may_be_zero=True)}

    def _check_parameters(self):
        self._checked_rules()
        if self.budget is not None:
            check_budget(self.budget, 0)
        if self.patience is not None:
            check_limit(self.patience, "patience", low=1)
        check_flags(**{name: getattr(self, name) for name in self._flags})
        if self.class_weight is not None:
            check_class_weight(self.class_weight)

    def _checked_rules(self):
        """Return the query rule and the update rule, after checking their kinds."""
        rules = self._make_rules()
        is_pair = isinstance(rules, (tuple, list)) and len(rules) == 2
        is_right = is_pair and isinstance(rules[0], QueryRule)
        if not is_right or not isinstance(rules[1], UpdateRule):
            raise TypeError(
                f"{type(self).__name__}._make_rules() must return a QueryRule and an "
                f"UpdateRule, in this order, got {rules!r}."
            )
        group = rules[0].group
        if not isinstance(group, (int, np.integer)) or group < 1:
            name = type(rules[0]).__name__
            raise ValueError(f"{name}.group must be an int >= 1, got {group!r}.")
        return rules

    def _initial_memory(self, query_rule):
        """Return the first memory of a query rule, after checking that it is finite."""
        n_dims = self.n_features_in_ + bool(self.fit_intercept)
        memory = query_rule.initial_memory(n_dims)
        try:
            numbers = [*map(float, memory)]
        except (TypeError, ValueError):
            numbers = [nan]
        if not all(map(isfinite, numbers)):
            raise ValueError(
                f"{type(query_rule).__name__}.initial_memory(n_dims) must return a "
                f"list of finite numbers, got {memory!r}."
            )
        return numbers

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        """Check rows that are not in memory; leave other rows to `ActiveClassifier`.

        Memory maps are read in place, as arrays. Parameters are as for `check_rows`.
        """
        source = None if type(X) is np.ndarray else as_source(X)
        if source is None or isinstance(source, ArraySource):
            how = {"reset": reset, "min_rows": min_rows, "finite": finite}
            return check_rows(self, X, *y, **how)
        check_source(self, source, reset, min_rows)
        source = source.prepared(partial(finite_rows, source.place_of))
        if finite:  # before the first label is paid for
            for _ in source.blocks():
                pass
        if not y:
            return source
        return source, check_labels(source, labels_for(self, *y))

    def _validate(self, X, *y, **options):
        out = super()._validate(X, *y, **options)
        self._check_form()
        return out

    @property
    def _scales_rows(self):
        return self.normalize

    def _check_form(self):
        for name, before in self._began_with.items():
            now = getattr(self, name)
            if now != before:
                raise ValueError(
                    f"{name} cannot change from {before!r} to {now!r}: the weights "
                    "depend on it. Call fit to start over."
                )

    def _reset(self):
        self._began_with = {name: getattr(self, name) for name in self._shaped_by}
        self._coin_seed, self._shuffle_seed = draw_seeds(self.random_state, 2)
        memory = self._initial_memory(self._checked_rules()[0])
        self._learned = nothing_learned(self._zero_weights(1), memory)
        self._ledger, self._n_refunded, self.n_skipped_ = Requests(), 0, 0
        self.queried_indices_, self.stop_reason_ = NO_ROWS, None
        self.__dict__.pop("classes_", None)

    def _set_classes(self, classes):
        check_class_weight(self.class_weight, classes)
        super()._set_classes(classes)
        if len(classes) > 2:  # `_reset` has made weights for two
            weights = self._zero_weights(len(classes))
            sums = nothing_learned(weights, [], len(classes)).class_sums
            self._learned = self._learned._replace(weights=weights, class_sums=sums)

    def _class_weights(self):
        """Return the weights of labels of each class, for a loop to work on."""
        sums, given = self._learned.class_sums, None
        if isinstance(self.class_weight, Mapping):
            given = np.ones(len(sums.n_labels))
            classes = self.classes_.tolist() if hasattr(self, "classes_") else []
            given[: len(classes)] = [self.class_weight.get(c, 1) for c in classes]
        balances = self.class_weight == "balanced"
        return ClassWeights(sums, given, balances, self._one_class_limit)

    def _thresholds(self, averages):
        """Return the thresholds of the scores, by the mean of the weights or not."""
        if self.class_weight != "balanced":
            return 0.0
        return prediction_thresholds(self._learned.class_sums, averages)

    def _commit(self, state):
        self._learned = state.learned

    def _ready(self):
        """Return the state that a pass works on."""
        rules = self._checked_rules()
        learned, memory = self._learned, self._initial_memory(rules[0])
        if len(memory) != len(learned.memory):  # the rule is of another kind now
            learned = learned._replace(memory=memory)
        return self._make_state(learned, self._class_weights(), rules)

    def _limits(self, n_offered=None):
        """Return the largest `n_queries_` before refunds, and the patience.

        A budget that is a share counts the rows seen and the `n_offered` rows of this
        call. None, for a stream that comes in chunks, refuses such a budget.
        """
        if n_offered is None and self.budget is not None and is_share(self.budget):
            raise ValueError(
                f"budget={self.budget} is a share of the rows, which only fit and "
                "learn know. Set a whole number for query and partial_fit."
            )
        n_seen = self._learned.counts.n_seen
        budget = check_budget(self.budget, n_seen + (n_offered or 0))
        budget = min(budget, UNLIMITED - self._n_refunded) + self._n_refunded
        return budget, check_limit(self.patience, "patience", low=1)

    def _raise_stopped(self, stopped_at, X):
        """Raise the error of the row at which a pass stopped."""
        check_finite_row(X, stopped_at)
        raise ValueError(
            f"Row {stopped_at} of X: the margin or the weights overflow or lose their "
            f"digits. Scale the rows, or {self._remedy}."
        )

    def _choose(self, X, identity, candidates, limit):
        X = to_memory(X)
        (budget, patience), n_before = self._limits(), self._learned.counts.n_queries
        n = X.shape[0] if candidates is None else len(candidates)
        most = min(budget, n_before + min(limit, n))
        one = Pass(Rows(X), candidates, None, None, self._ready(), most, patience)
        one.run()
        if one.stopped_at >= 0:
            self._raise_stopped(one.stopped_at, X)
        self._commit(one.state)
        rows, probabilities = one.rows_bought, one.probabilities
        self.stop_reason_ = None
        if not len(rows):
            self.stop_reason_ = one.why_closed(budget)
            if self.stop_reason_ is None and n == 0:
                self.stop_reason_ = "no rows"
            elif self.stop_reason_ is None and limit == 0:
                self.stop_reason_ = "limit"
        keys = identity.part(take(X, rows), rows).keys()
        self._ledger = self._ledger.add(keys, probabilities, one.forecasts)
        self._warn_if_constant()
        return Purchase(rows, probabilities)

    def _store_labels(self, X, identity, codes, weights=None):
        X = to_memory(X)
        state = self._ready()
        requests, found = self._ledger.take(identity.part(X).keys())
        asked = np.array([request is not None for request in found], dtype=np.uint8)
        probabilities = np.array([each.probability if each else 1.0 for each in found])
        forecasts = np.zeros((len(found), 3))
        for row, request in enumerate(found):
            if request is not None:
                forecasts[row] = request.forecast
        weights = np.ones(len(found)) if weights is None else weights
        stopped = teach(Rows(X), codes, probabilities, asked, forecasts, state, weights)
        if stopped >= 0:
            self._raise_stopped(stopped, X)
        self._commit(state)
        self._ledger = requests

    def _skip(self, identity, refund):
        n_pending = len(self._ledger)
        if identity is None:
            self._ledger = Requests()
        else:
            self._ledger, found = self._ledger.take(identity.keys())
            check_all_pending([each is not None for each in found], identity.names())
        n_skipped = n_pending - len(self._ledger)
        self.n_skipped_ += n_skipped
        if refund:
            self._n_refunded += n_skipped

    def _order(self, n_rows):
        """Return the order in which `fit` visits the rows; None for their own order."""
        if not self.shuffle:
            return None
        return np.random.RandomState(self._shuffle_seed % 2**32).permutation(n_rows)

    def _simulate(self, X, codes, order, limits, weights=None):
        """Go through rows whose labels are all known; None takes them in order.

        `order` has positions among the rows whose weight is not 0.
        """
        is_there = None if weights is None or weights.all() else np.flatnonzero(weights)
        if not isinstance(X, Source):
            if is_there is not None:
                order = is_there if order is None else is_there[order]
            one = self._make_pass(Rows(X), codes, order, limits, weights)
            one.run()
            self._finish_pass(one, X, limits)
            return
        if order is not None:
            raise ValueError(
                "shuffle=True needs all rows in memory. Set shuffle=False, or make a "
                "memory map with as_memmap."
            )
        if is_there is not None:
            X, codes, weights = (
                SomeRows(X, is_there),
                codes[is_there],
                weights[is_there],
            )
        bought = [NO_ROWS]
        for start, rows in in_groups(X.blocks(), self._group):
            part = slice(start, start + rows.shape[0])
            given = None if weights is None else weights[part]
            self._simulate(rows, codes[part], None, limits, given)
            bought.append(start + self.queried_indices_)
        bought = np.concatenate(bought)
        self.queried_indices_ = bought if is_there is None else is_there[bought]

    def _prepare_next_rows(self, X):
        """Keep the state for the next `partial_fit` if calls have few plain rows.

        Parameters that are objects, and rules of classes in other packages, may change
        without an assignment to the learner, so they are looked at in each call.
        """
        self._next_rows = None
        is_own = type(self).__module__.startswith("sklearn_activelearn.")
        is_plain = type(X) is np.ndarray and X.dtype.kind == "f"
        if not (self._keeps_state and is_own and is_plain and len(X) <= MOST_NEXT):
            return
        parameters = parameters_of(self)
        for name, value in parameters.items():
            is_fixed = type(value) in PLAIN_TYPES or isinstance(value, np.generic)
            if not is_fixed and name != "random_state":
                return
        names = [*parameters, *SHAPE_OF_PASS]
        self._next_rows = NextRows(vars(self), names, self._ready(), *self._limits())

    def _make_pass(self, rows, codes, order, limits, weights=None):
        """Return a pass over rows whose labels are all known."""
        return Pass(rows, order, codes, None, self._ready(), *limits, weights)

    def _finish_pass(self, one, X, limits):
        """Keep what a pass has learned; raise if it stopped early."""
        if one.stopped_at >= 0:
            self._raise_stopped(one.stopped_at, X)
        self._commit(one.state)
        self.queried_indices_ = one.rows_bought
        self.stop_reason_ = one.why_closed(limits[0])

    def _ask(self, X, identity, answer, candidates):
        if X.shape[0]:
            self._known_by = identity.kind
        if not isinstance(X, Source):
            n = X.shape[0] if candidates is None else len(candidates)
            self._ask_rows(X, answer, candidates, self._limits(n))
        else:
            numbers = np.arange(n_rows(X)) if candidates is None else candidates
            limits, bought = self._limits(len(numbers)), [NO_ROWS]
            source = X if candidates is None else SomeRows(X, candidates)
            for start, rows in in_groups(source.blocks(), self._group):
                names = numbers[start : start + rows.shape[0]]
                try:
                    self._ask_rows(rows, answer, None, limits, names)
                finally:
                    bought.append(names[self.queried_indices_])
                    self.queried_indices_ = np.concatenate(bought)
        self._warn_after_run()

    def _ask_rows(self, X, answer, candidates, limits, names=None):
        state, codes = self._ready(), np.full(X.shape[0], -1, np.int32)
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        commit = partial(self._commit, state)
        ask = SingleLabels(commit, answer, codes, known, names).ask
        one = Pass(Rows(X), candidates, codes, ask, state, *limits)
        # made before the loop runs: a signal may come right after any call
        end = partial(self._end_asking, one)
        self._commit(state)  # from now on the loop changes these arrays
        try:
            one.run()
        finally:
            ensure_done(end)
        if one.stopped_at >= 0:
            self._raise_stopped(one.stopped_at, X)
        self.stop_reason_ = one.why_closed(limits[0])

    def _end_asking(self, one):
        self._commit(one.state)
        self.queried_indices_ = one.rows_bought

    def _warn_after_run(self, X=None):
        """Warn, once a run has ended, if the learner predicts one class.

        Parameters
        ----------
        X : rows, optional
            All rows of the run. Predictions of the last rows do not tell whether the
            last model predicts one class for all of them.
        """
        if not self._warn_if_constant() and X is not None and not isinstance(X, Source):
            self._warn_if_one_class(X)

    def _warn_if_one_class(self, X):
        """Warn if one class is predicted for rows among which others are expected."""
        n_labels, n = self._learned.class_sums.n_labels, min(X.shape[0], MOST_CHECKED)
        n_others = n_labels.sum() - n_labels.max()
        if n < FEWEST_CHECKED or n_others * n < N_EXPECTED * n_labels.sum():
            return
        rows = X
        if n < X.shape[0]:  # random rows, since the rows of a stream may alternate
            chosen = np.random.default_rng(0).integers(X.shape[0], size=n)
            rows = take(X, np.sort(chosen))
        names = getattr(self, "feature_names_in_", None)
        predicted = np.unique(self.predict(to_frame(rows, names)))
        if len(predicted) == 1:
            n_known = np.count_nonzero(n_labels)
            self._warn_of_one_class(
                predicted[0],
                f"predicts {{}} for {n} of the rows seen",
                f"although it has been taught labels of {n_known} classes",
            )

    def _warn_if_constant(self):
        """Warn if the learner has long predicted one class of several.

        It does if labels of two classes are known, or if it has stopped asking with
        one. Return True after a warning.
        """
        counts, n_labels = self._learned.counts, self._learned.class_sums.n_labels
        if counts.n_alike < FEWER_ALIKE:
            return False  # most rows, quickly
        n_rows = max(N_ALIKE, ALIKE_SHARE * counts.n_seen)
        n_others = n_labels.sum() - n_labels[counts.last_guess]
        if n_others > 0:
            # about n_others of the rows seen, or more, are of other classes
            is_expected = counts.n_alike * n_others >= N_EXPECTED * counts.n_seen
            share = EXPECTED_SHARE if is_expected else NEARLY_ALL
            n_rows = min(n_rows, max(FEWER_ALIKE, share * counts.n_seen))
        if counts.n_alike < n_rows:
            return False
        n_known = np.count_nonzero(n_labels)
        has_stopped = counts.n_idle >= n_rows or self.stop_reason_ is not None
        if n_known == 0 or (n_known == 1 and not has_stopped) or len(self.classes_) < 2:
            return False
        known = "and stopped asking before it was taught a label of another class"
        if n_known > 1:
            known = f"although it has been taught labels of {n_known} classes"
        # a power of two: Python shows a text once, and not again in each further call
        n_alike = 1 << (int(counts.n_alike).bit_length() - 1)
        rows = f"has predicted {{}} for each of the last {n_alike} rows or more"
        self._warn_of_one_class(self.classes_[counts.last_guess], rows, known)
        return True

    def _warn_of_one_class(self, label, rows, known):
        cure = "set class_weight='balanced'"
        if self.class_weight is not None:
            cure = "teach it rows of the other classes"
        warn_of_constant_answer(self, label, rows, known, advice_for_rare_classes(cure))

    def _checked_tallied(self):
        """Return sums that estimate the error on the stream; raise if they cannot."""
        name = type(self).__name__
        if not hasattr(self, "_learned"):
            raise NotFittedError(f"This {name} has not seen a row yet.")
        if self._make_rules()[0].is_threshold:
            raise ValueError(
                f"{name} never buys rows above its threshold, so its labels say "
                "nothing about its error on these rows."
            )
        tallied = self._learned.tallied
        if np.isinf(Sums(*tallied.sums).excess):
            raise ValueError(
                f"This {name} has seen rows that it buys with probability 0, so its "
                "labels say nothing about its error on these rows."
            )
        return tallied


class StreamClassifier(StreamLoop):
    """Base of the first-order stream learners, and of custom stream learners.

    A learner has one weight vector for each class (a single one for two classes), a
    query rule and an update rule. A subclass provides

    - ``_make_rules()``, which checks the learner's own parameters and returns a new
      query rule and a new update rule for each call;
    - ``__init__`` with the parameters that users may set, as in scikit-learn.

    Parameters
    ----------
    average : bool, default=True
        Predict with the mean of the weights after each label taught, instead
        of the last weights. Queries and updates always use the last weights.

    fit_intercept : bool, default=True
        Append a constant feature 1 to each row.

    normalize : bool, default=True
        Scale each row to unit Euclidean norm.

    class_weight : {"balanced"}, dict or None, default=None
        Weight of a label of each class.

    budget : int >= 0, float in [0, 1] or None, default=None
        Number of labels that may be bought between one `fit` and the next.

    patience : int >= 1 or None, default=None
        Stop buying for good after this number of consecutive rows without a purchase.
        None: never.

    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn` do
        not.

    random_state : int, RandomState instance or None, default=None
        Seed of the random decisions (one number for each row seen, whether needed or
        not) and of the shuffling.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range.

    See Also
    --------
    QueryRule : Decides which labels to buy.
    UpdateRule : Decides how to learn a label.
    sklearn_activelearn.testing.check_learner : Checks the guarantees of a learner.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of Selective
       Sampling for Linear Classification", JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn.stream import (
    ...     InverseMarginRule, PerceptronUpdate, StreamClassifier,
    ... )
    >>> class EagerClassifier(StreamClassifier):
    ...     def _make_rules(self):
    ...         return InverseMarginRule(b=0.5), PerceptronUpdate()
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = EagerClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_ < 1500, learner.score(X[1500:], y[1500:]) > 0.8)
    True True
    """

    _flags = ("average", *StreamLoop._flags)
    _shaped_by = ("average", *StreamLoop._shaped_by)

    #: Whether steps follow the sizes of features and rows.
    _adapts = False

    _keeps_state = True

    def __init__(
        self,
        *,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # other rows may outweigh the constant feature, whatever the class weights
        tags.classifier_tags.poor_score = not self.normalize
        return tags

    @property
    def _group(self):
        return self._checked_rules()[0].group

    def _make_rules(self) -> tuple[QueryRule, UpdateRule]:
        raise NotImplementedError(f"{type(self).__name__} needs _make_rules().")

    def _may_share_passes(self):
        """Return True if settings of the learner can go over rows side by side."""
        return not self._adapts and all(
            getattr(type(self), name) is getattr(StreamClassifier, name)
            for name in ("fit", "predict", "decision_function", "score")
        )

    def _join_batched_pass(self, rows, codes, order, limits):
        """Return the first pass of a learner whose weights a `BatchedPass` holds."""
        intercept = self._learned.weights.intercept
        none = np.empty((len(intercept), 0))
        weights = Weights(none, intercept, none, intercept)
        self._learned = self._learned._replace(weights=weights)
        return self._make_pass(rows, codes, order, limits)

    @property
    def _remedy(self):
        return "set normalize=True" if self._adapts else super()._remedy

    @property
    def coef_(self) -> Floats:
        """Weights of the features, for rows of unit norm if `normalize`."""
        check_is_fitted(self)
        weights = self._learned.weights
        return self._mean(weights.coef, weights.coef_drift)

    @property
    def intercept_(self) -> Floats:
        """Weights of the constant feature."""
        check_is_fitted(self)
        weights = self._learned.weights
        intercept = self._mean(weights.intercept, weights.intercept_drift)
        return intercept - self._thresholds(self.average)

    def _mean(self, last, drift):
        if not self.average or self.n_taught_ == 0:
            return last.copy()  # nobody writes into what the learner keeps
        return last - drift / self.n_taught_

    def _zero_weights(self, n_vectors):
        coef = np.zeros((n_vectors, self.n_features_in_))
        intercept = np.zeros(n_vectors)
        return Weights(coef, intercept, coef, intercept)  # a state copies them

    def _make_state(self, learned, classes, rules):
        kind = AdaptiveState if self._adapts else LinearState
        form = self.normalize, self.fit_intercept, self.average
        return kind(learned, classes, rules, self._coin_seed, *form)


def make_update_rule(update, eta0):
    """Return the update rule with this name."""
    check_option(update, "update", UPDATE_RULES)
    return UPDATE_RULES[update](check_number(eta0, "eta0", 0))
