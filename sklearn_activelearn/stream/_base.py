"""What the first-order one-pass learners share: weights, their mean, prediction."""

from collections.abc import Mapping
from functools import partial, wraps
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from .._base import (
    ActiveClassifier,
    draw_seeds,
    validate_and_append,
    validate_and_reset,
)
from .._docstrings import LEARNER, documented
from .._interrupts import SingleLabels, ensure_done
from .._labels import check_not_missing
from .._requests import Purchase, Requests
from .._rows import Rows
from .._transaction import begin_transaction
from .._typing import Floats, Labels, Method, RowNumbers, RowsLike, Seed
from .._validation import (
    UNLIMITED,
    check_all_pending,
    check_budget,
    check_class_weight,
    check_flag,
    check_limit,
    check_number,
    check_option,
    check_rows,
    is_share,
    validate_rows,
)
from .._warnings import advice_for_rare_classes, warn_of_constant_answer
from ..sources._containers import NO_ROWS, n_rows, take, to_frame, to_memory
from ..sources._conversion import as_source
from ..sources._identity import VALUES
from ..sources._source import ArraySource, SomeRows, Source, prefetched
from ._adaptive_state import AdaptiveState, Scales
from ._class_weights import ClassWeights, no_labels, thresholds
from ._linear_state import Counts, LinearState, Weights
from ._pass import Pass, raise_unless_done, run, scores, teach
from ._python_rules import check_rules, initial_memory
from ._rule_base import QueryRule, UpdateRule
from ._tally import Sums, no_rows
from ._updates import UPDATE_RULES

#: Rows that are looked back at, at least, and the share of those seen.
N_ROWS, SHARE = 1_000, 0.25


def check_class_parameters(learner, classes=None):
    """Raise if a parameter is out of its range, or weighs what is no class."""
    check_class_weight(learner.class_weight, classes)
    check_limit(learner.one_class_limit, "one_class_limit", low=0)


def class_weights(learner):
    """Return what the labels of each class weigh, for a loop to work on."""
    sums, given, class_weight = learner._class_sums, None, learner.class_weight
    classes = learner.classes_.tolist() if hasattr(learner, "classes_") else []
    if sums is None:  # a pickle of version 0.1.0
        sums = no_labels(len(classes))
    if isinstance(class_weight, Mapping):
        given = np.ones(len(sums.n_labels))
        given[: len(classes)] = [class_weight.get(label, 1) for label in classes]
    limit = check_limit(learner.one_class_limit, "one_class_limit", low=0)
    return ClassWeights(sums, given, class_weight == "balanced", limit)


def prediction_thresholds(learner, averages):
    """Return what is subtracted from scores; `averages`: those of the mean weights."""
    if learner.class_weight != "balanced":
        return 0.0
    return thresholds(learner._class_sums, averages)


def warn_of_one_class(learner):
    """Warn if a learner has long predicted one class, though it is not all there is.

    That is, if labels of two classes are known, or if it has stopped asking with one.
    """
    counts, sums = learner._counts, learner._class_sums
    n_rows = max(N_ROWS, SHARE * counts.n_seen)
    if counts.n_alike < n_rows or sums is None:
        return
    n_known = np.count_nonzero(sums.n_labels)
    has_stopped = counts.n_idle >= n_rows or learner.stop_reason_ is not None
    if n_known == 0 or (n_known == 1 and not has_stopped) or len(learner.classes_) < 2:
        return
    known = "and stopped asking before it was taught a label of another class"
    if n_known > 1:
        known = f"although it has been taught labels of {n_known} classes"
    cure = "set class_weight='balanced'"
    if learner.class_weight is not None:
        cure = "teach it rows of the other classes"
    label = learner.classes_[counts.last_guess]
    rows = f"has predicted {{}} for each of the last {counts.n_alike} rows"
    warn_of_constant_answer(learner, label, rows, known, advice_for_rare_classes(cure))


def check_rows_or_source(learner, X, *y, reset, min_rows=1, finite=False):
    """Return a source, and labels if given any; check other rows as all learners do.

    Memory maps are read where they are, as arrays. Parameters are those of
    `check_rows_and_labels`.
    """
    source = as_source(X)
    if source is None or isinstance(source, ArraySource):
        how = {"reset": reset, "min_rows": min_rows, "finite": finite}
        return ActiveClassifier._check_rows(learner, X, *y, **how)
    if n_rows(source) < min_rows:
        raise ValueError(f"Found 0 sample(s), a minimum of {min_rows} is required.")
    if source.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got a dask array of {source.dtype}.")
    validate_rows(learner, source.blank(), reset=reset)
    source = source.prepared(as_rows)
    if finite:  # before the first label is paid for
        for _ in source.blocks():
            pass
    if not y:
        return source
    labels = column_or_1d(*map(check_not_missing, y), warn=True)
    assert_all_finite(labels, input_name="y")
    check_consistent_length(source, labels)
    return source, labels


def as_rows(rows, numbers):
    """Return rows as the compiled loop reads them, if they are finite."""
    kind = np.float32 if rows.dtype == np.float32 else np.float64
    rows = np.ascontiguousarray(rows, dtype=kind)
    if not np.isfinite(rows.sum()):
        is_bad = ~np.isfinite(rows).all(axis=1)
        for row in np.flatnonzero(is_bad)[:1]:
            assert_all_finite(rows[[row]], input_name=f"X (row {numbers[row]})")
    return rows


def in_groups(blocks, size):
    """Yield the number of the first row and the rows, cut at multiples of a size."""
    start, left = 0, None
    for _, block in blocks:
        rows = block if left is None else np.concatenate([left, block])
        n = len(rows) // size * size
        if n:
            yield start, rows[:n]
        start, left = start + n, rows[n:] if n < len(rows) else None
    if left is not None:
        yield start, left


def simulate_blocks(learner, X, codes, order, limits):
    """Simulate on an answer sheet, as `_simulate_rows` does, a block at a time."""
    if order is not None:
        raise ValueError(
            "shuffle=True needs all rows in memory: set shuffle=False, or make a "
            "memory map with as_memmap."
        )
    bought = [NO_ROWS]
    for start, rows in in_groups(prefetched(X.blocks()), learner._group):
        learner._simulate_rows(rows, codes[start : start + len(rows)], None, limits)
        bought.append(start + learner.queried_indices_)
    learner.queried_indices_ = np.concatenate(bought)


def ask_by_blocks(learner, X, answer, candidates):
    """Learn with an oracle, as `_ask` does, a block at a time."""
    numbers = np.arange(n_rows(X)) if candidates is None else candidates
    limits = learner._limits(len(numbers))
    source = X if candidates is None else SomeRows(X, candidates)
    bought = [NO_ROWS]
    for start, rows in in_groups(prefetched(source.blocks()), learner._group):
        these = numbers[start : start + len(rows)]
        try:
            learner._ask_rows(rows, answer, None, limits, these)
        finally:
            bought.append(these[learner.queried_indices_])
            learner.queried_indices_ = np.concatenate(bought)


def blockwise(method: Method) -> Method:
    """Have a method answer for rows that are not in memory, a block at a time."""

    @wraps(method)
    def answer(self, X):
        source = as_source(X)
        if source is None or isinstance(source, ArraySource):
            return method(self, X)
        names = getattr(self, "feature_names_in_", None)
        source = source.prepared(lambda rows, numbers: to_frame(rows, names))
        return source.answers(partial(method, self))

    return answer


class LinearPredictor:
    """Scores and labels from `coef_` and `intercept_`, one row each for two classes."""

    #: Whether rows are scaled to unit norm first.
    _scales_rows = False

    def _check_form(self):
        """Raise if the weights are not those of the parameters."""

    @blockwise
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the margin, positive for ``classes_[1]``.
        """
        check_is_fitted(self)
        self._check_form()
        X = check_rows(self, X, reset=False, finite=True)
        out = scores(Rows(X), self.coef_, self.intercept_, self._scales_rows)
        return out[:, 0] if out.shape[1] == 1 else out

    @blockwise
    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        return labels_of(self.decision_function(X), self.classes_)


def labels_of(scores, classes):
    """Return the most likely classes by the scores of a `decision_function`."""
    best = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(np.intp)
    return classes[best]


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
        transaction = begin_transaction(self)
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
        transaction = begin_transaction(self)
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
        if "_known_by" not in state and len(state.get("_ledger", ())):
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
        self._ledger, self._n_refunded, self.n_skipped_ = Requests(), 0, 0
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
        X = to_memory(X)
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
        self._ledger = self._ledger.add(keys, probabilities, forecasts[:n_bought])
        warn_of_one_class(self)
        return Purchase(rows, probabilities)

    def _why_closed(self, outcome, budget, patience):
        """Return why nothing could be bought at the end, None if something could."""
        if self._counts.n_queries >= budget and outcome.closed:
            return "budget"
        is_idle = outcome.closed and self._counts.n_idle >= patience
        return "patience" if is_idle else None

    def _store_labels(self, X, identity, codes):
        X = to_memory(X)
        query_rule, update_rule, state = self._ready()
        requests, found = self._ledger.take(identity.part(X).keys())
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
        self._ledger = requests

    def _pending(self, identity):
        return self._ledger.pending(identity.keys())

    def _skip(self, identity):
        n_out = len(self._ledger)
        if identity is None:
            self._ledger = Requests()
        else:
            self._ledger, found = self._ledger.take(identity.keys())
            check_all_pending([out is not None for out in found], identity.names())
        n_skipped = n_out - len(self._ledger)
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


@documented(LEARNER)
class StreamClassifier(StreamLoop, LinearPredictor, ActiveClassifier):
    """Base of the first-order stream learners, and of a stream learner of your own.

    One weight vector for each class (one in all for two), a query rule and an update
    rule. A subclass provides

    - ``_make_rules()``: checks the learner's own parameters, and returns its query rule
      and its update rule, which are made for each call;
    - ``__init__``: with the parameters that the user may set, as scikit-learn wants it.

    Parameters
    ----------
    average : bool, default=True
        Predict with the mean of the weights after each label taught, instead
        of the last ones. Queries and updates always use the last.
    fit_intercept : bool, default=True
        Append a constant feature 1 to each row.
    normalize : bool, default=True
        Scale each row to unit Euclidean norm on the fly.
    class_weight : {"balanced"}, dict or None, default=None
        What a label of each class counts for.
    one_class_limit : int >= 0 or None, default=1000
        With `class_weight`: labels bought whatever the rule while one class is known.
    budget : int >= 0, float in [0, 1] or None, default=None
        Labels it may buy between one `fit` and the next.
    patience : int >= 1, default=None
        Stop asking for good after this many rows in a row without a purchase.
        None: never.
    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn`
        never do.
    random_state : int, RandomState instance or None, default=None
        Seed of the coins (one number for each row seen, needed or not) and of
        the shuffling.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature.

    {raises}

    See Also
    --------
    QueryRule : What to buy.
    UpdateRule : What to learn from a label.
    sklearn_activelearn.testing.check_learner : Whether a learner keeps the laws.

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

    def __init__(
        self,
        *,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        one_class_limit: int | None = 1000,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.one_class_limit = one_class_limit
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # other rows may outweigh the constant feature, whatever classes weigh
        tags.classifier_tags.poor_score = not self.normalize
        return tags

    @property
    def _group(self):
        return self._checked_rules()[0].group

    def _make_rules(self) -> tuple[QueryRule, UpdateRule]:
        raise NotImplementedError(f"{type(self).__name__} needs _make_rules().")

    def _may_share_passes(self):
        """Whether it fits and predicts as all first-order learners of its kind do."""
        return not self._adapts and all(
            getattr(type(self), name) is getattr(StreamClassifier, name)
            for name in ("fit", "predict", "decision_function", "score")
        )

    def _join_batched_pass(self, rows, codes, order, limits):
        """Return the first pass of a learner; its weights are with a `BatchedPass`."""
        intercept = self._weights.intercept
        none = np.empty((len(intercept), 0))
        self._weights = Weights(none, intercept, none, intercept)
        return self._prepare_pass(rows, codes, order, limits)

    @property
    def _remedy(self):
        return "set normalize=True" if self._adapts else super()._remedy

    @property
    def coef_(self) -> Floats:
        """Weights of the features, for rows of unit norm if `normalize`."""
        check_is_fitted(self)
        return self._mean(self._weights.coef, self._weights.coef_drift)

    @property
    def intercept_(self) -> Floats:
        """Weights of the constant feature."""
        check_is_fitted(self)
        intercept = self._mean(self._weights.intercept, self._weights.intercept_drift)
        return intercept - prediction_thresholds(self, self.average)

    def _mean(self, last, drift):
        if not self.average or self.n_taught_ == 0:
            return last
        return last - drift / self.n_taught_

    def _zero_weights(self, n_vectors):
        coef = np.zeros((n_vectors, self.n_features_in_))
        intercept = np.zeros(n_vectors)
        return Weights(coef, intercept, coef, intercept)  # a state copies them

    def _reset(self):
        super()._reset()
        self._scales = None

    def _commit(self, state):
        super()._commit(state)
        if self._adapts:
            self._scales = state.scales

    def _working_state(self):
        parts = (
            self._weights,
            self._memory,
            self._counts,
            self._tallied,
            class_weights(self),
            self._coin_seed,
            self.normalize,
            self.fit_intercept,
            self.average,
        )
        if self._adapts:
            scales = self._scales or Scales(*np.zeros((2, self.n_features_in_)))
            return AdaptiveState(*parts, scales)
        return LinearState(*parts)


def make_update_rule(update, eta0):
    """Return the update rule of that name."""
    check_option(update, "update", UPDATE_RULES)
    return UPDATE_RULES[update](check_number(eta0, "eta0", 0))


def check_tallied(learner):
    """Return what is known of its error on the stream, or say why nothing is."""
    name = type(learner).__name__
    if not hasattr(learner, "_tallied"):
        raise NotFittedError(f"This {name} has not seen a row yet.")
    if learner._checked_rules()[0].is_threshold:
        raise ValueError(
            f"{name} asks below a threshold: it buys other rows with probability "
            "0, and the labels it buys say nothing of its error on them."
        )
    if np.isinf(Sums(*learner._tallied.sums).excess):
        raise ValueError(
            f"This {name} let rows pass that it would buy with probability 0, and "
            "the labels it buys say nothing of its error on them."
        )
    return learner._tallied
