"""The contract of every learner: `query` and `teach`, and the loops built on them.

::

    rows = learner.query(X)            # which rows of X are worth paying for?
    learner.teach(X[rows], labels)     # here are their labels

`learn` runs that loop with an oracle, `fit` and `partial_fit` run it with an
answer sheet. A label is paid for when `query` asks for it; the request is
remembered until the row is taught or skipped, however late that is.

Every verb works on a shallow copy of the learner that takes its place at the end, if
all went well (`_transaction`), so an error leaves the learner as it was. This needs one
habit of all code below a verb: *replace* fitted attributes, never write into them.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from ._compat import BaseEstimator, ClassifierMixin
from ._docstrings import LEARNER, documented
from ._interrupts import ask_oracle
from ._labels import encode, expected_classes, find_classes
from ._transaction import (
    begin_transaction,
    forget_fitted,
    run_exclusively,
    shallow_copy,
)
from ._typing import Oracle, Query, RowNumbers, RowsLike, typed_as
from ._validation import (
    check_flag,
    check_limit,
    check_rows,
    check_rows_and_labels,
    check_selection,
    has_plain_parameters,
)
from .sources._containers import n_rows
from .sources._identity import ById, identify


@documented(LEARNER)
class ActiveClassifier(ClassifierMixin, BaseEstimator):
    """Base of all learners: the verbs, the bill and the requests.

    A subclass provides these methods; rows and codes have passed the checks of
    `_validation`:

    - ``_check_parameters()``: raise if a parameter is out of its range;
    - ``_reset()``: set the fitted state to that of a learner that has seen nothing,
      with ``n_queries_ = 0``, the random numbers seeded, and nothing in `_ledger`;
    - ``_choose(X, identity, candidates, limit)``: pick rows to buy, put them on the
      bill and in the ledger, set ``stop_reason_``, return the `Purchase`;
      ``identity`` is what rows are recognised by, as in `_identity`;
    - ``_store_labels(X, identity, codes)``: learn labels, take rows off the requests;
    - ``_skip(identity)``: take rows, None for all, off the requests; return how many;
    - ``_pending(identity)``: row numbers that are out, in the order asked;
    - ``_refund(n)``: take so many labels off the bill;
    - ``fit(X, y)``, ``partial_fit(X, y, classes=None)``: the sequential loop on an
      answer sheet, after ``validate_and_reset`` or ``validate_and_append``;
    - ``_ask(X, identity, answer, candidates)``: the loop with the rows that may be
      bought, None for all, and an oracle: ``answer(rows, keep)`` calls
      ``keep(labels)``, which has the labels for good when it ends.

    It may replace ``_check_rows``, the checks of rows; ``_register_classes``, what it
    makes of declared classes; ``_after_teach``, what follows once labels are stored;
    ``_passive_baseline()``, the learner that it is compared with.
    """

    #: A few values of its own parameters, for which the tests search them.
    _search_grid = {}

    #: What rows are recognised by, once something is stored; the last ids.
    _known_by: str | None = None
    _ids: ById | None = None

    #: How many rows of a stream it considers together; None: it takes a whole pool.
    _group = None

    n_queries_: int
    n_skipped_: int
    n_taught_: int
    queried_indices_: RowNumbers
    stop_reason_: str | None

    if TYPE_CHECKING:

        def fit(self, X: RowsLike, y: ArrayLike) -> Self: ...

        def partial_fit(
            self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None
        ) -> Self: ...

    @typed_as(Query)
    def query(
        self, X, *, candidates=None, exclude=None, limit=None,
        return_probability=False, ids=None,
    ):  # fmt: skip
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows of the stream, or the whole pool, labelled rows included.
            May be empty.
        candidates : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that may be bought, for a stream learner in the order in
            which to take them, or a mask; the others are left alone. None: all, as
            they come.
        {exclude}
        limit : int >= 0, default=None
            At most so many rows; a stream learner has seen the others, too.
        return_probability : bool, default=False
            Also return the probability with which each row was bought.
            Weighting by its inverse is valid only for rules whose probability
            is never 0.
        {ids}

        Returns
        -------
        {rows, probabilities}

        Raises
        ------
        ValueError
            For NaN or infinity in X, a wrong number of features, `candidates` or
            `exclude` that are no rows of X, or a parameter out of its range.
        {wrong_ids, RuntimeError}
        """
        check_flag(return_probability, "return_probability")
        transaction, bought = self._query(X, ids, candidates, exclude, limit)
        out = (bought.rows, bought.probabilities) if return_probability else bought.rows
        transaction.commit()
        return out

    def teach(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None, *,
        ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Learn the labels of rows, asked for or not, in any order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; those that were asked for are recognised by their ids, or else by
            their exact values.
        y : array-like of shape (n_samples,)
            Their labels.
        {classes, ids}

        Returns
        -------
        self : object
            The learner. Rows that nobody asked for cost nothing.

        Raises
        ------
        ValueError
            For a label outside the classes, rows that do not match `y` or the
            features, NaN or infinity; for a pool learner, an id that has a label.
        {wrong_ids, RuntimeError}

        Warns
        -----
        FitFailedWarning
            If the estimator of a pool learner cannot be trained on the labels. They
            are stored; what needs the model next raises the estimator's error.
        """
        transaction = begin_transaction(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0, finite=True)
        identity = identify(learner, X, ids)
        if len(y) or classes is not None:
            learner._register_classes(classes, y)
        if len(y):
            learner._store_labels(X, identity, encode(y, learner.classes_))
            learner._known_by = identity.kind
        transaction.learner = learner._after_teach()
        return transaction.commit()

    def pending(self, X: RowsLike, *, ids: ArrayLike | None = None) -> RowNumbers:
        """Return which rows of X were asked for and have no answer yet.

        After a crash, show these again: they are paid for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The pool, or rows of the stream.
        {ids}

        Returns
        -------
        rows : ndarray of int64 of shape (n_pending,)
            Row numbers of X, in the order asked; of equal rows the first ones.

        Raises
        ------
        ValueError
            For NaN or infinity in X or a wrong number of features.
        {wrong_ids}
        """
        if not hasattr(self, "_ledger"):
            return np.empty(0, dtype=np.int64)
        learner = shallow_copy(self)
        X = learner._check_rows(X, reset=self._may_differ(ids), min_rows=0)
        return learner._pending(identify(learner, X, ids, is_pool=True))

    def skip(
        self, X: RowsLike | None = None, *, refund: bool = False,
        ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Give up waiting for the labels of rows that were asked for.

        A pool learner does not ask for these rows again; if they are taught later, they
        count as taught. A stream learner forgets the requests.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Rows whose answers will not come ("cannot tell"). None: all that are out.
        refund : bool, default=False
            Take them off the bill: their labels were not paid for. Clocks and random
            numbers stay.
        {ids}

        {returns}

        Raises
        ------
        ValueError, TypeError, RuntimeError
            As for `teach`; for a row that is not out.
        """
        check_flag(refund, "refund")
        transaction = begin_transaction(self)
        learner = transaction.learner
        if X is None and ids is not None:
            raise ValueError("ids are those of the rows of X, and X is None.")
        if X is None:
            learner._check_parameters()
            n_skipped = learner._skip(None) if hasattr(self, "_ledger") else 0
        else:
            checker = shallow_copy(learner) if hasattr(self, "_ledger") else learner
            X = checker._validate(X, min_rows=0, ids=ids)
            n_skipped = learner._skip(identify(learner, X, ids))
        if refund and n_skipped:
            learner._refund(n_skipped)
        return transaction.commit()

    def learn(
        self, X: RowsLike, oracle: Oracle, classes: ArrayLike | None = None, *,
        candidates: ArrayLike | None = None, exclude: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Run the loop of `query` and `teach` over X, buying labels of an oracle.

        While the oracle is asked, the learner is as it was just before the row
        in question: the oracle may call `predict`, score it or pickle it, but not
        change it, or keep a shallow copy.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream or the pool.
        oracle : callable
            ``oracle(rows) -> labels``: gets row numbers of X, returns one label
            for each. Called for bought rows only.
        {classes}
        candidates, exclude : array-like of int or of bool, default=None
            Rows of X that may be bought, and that may not, as for `query`; a stream
            learner takes them in this order, without a copy of X. None: all, as
            they come.
        {ids}

        {returns}

        Raises
        ------
        {failing_oracle}
        RuntimeError
            If `learn` is under way already.
        """
        if not callable(oracle):
            raise TypeError(
                f"oracle must be callable, got an instance of {type(oracle).__name__}."
            )

        def start(learner):
            # all of X is validated before the first label is paid for
            rows = learner._validate(X, min_rows=0, finite=True, ids=ids)
            identity = identify(learner, rows, ids, is_pool=True)
            selected = check_selection(candidates, exclude, n_rows(rows))
            learner._register_classes(classes)
            return rows, identity, partial(ask_oracle, oracle), selected

        return run_exclusively(self, start, self._ask)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as for any scikit-learn estimator.

        Parameters
        ----------
        **params : dict
            By name; those of nested estimators as ``<component>__<parameter>``.

        {returns}

        Raises
        ------
        ValueError
            For a parameter that it does not have.
        RuntimeError
            If another thread changed the learner meanwhile, or `learn` is under way.
        """
        transaction = begin_transaction(self)
        transaction.learner._set_params(params)
        return transaction.commit()

    @property
    def n_pending_(self) -> int:
        """Rows that were asked for and neither taught nor skipped yet."""
        if not hasattr(self, "_ledger"):
            raise AttributeError("the learner has not seen a row yet")
        return len(self._ledger)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_under_way", "_ids")}

    def _query(self, X, ids, candidates, exclude, limit):
        """Return the transaction of a query, to be committed, and what it bought."""
        transaction = begin_transaction(self)
        learner = transaction.learner
        X = learner._validate(X, min_rows=0, ids=ids)
        identity = identify(learner, X, ids, is_pool=True)
        candidates = check_selection(candidates, exclude, n_rows(X))
        limit = check_limit(limit, "limit")
        bought = learner._choose(X, identity, candidates, limit)
        if len(bought.rows):
            learner._known_by = identity.kind
        return transaction, bought

    def _set_params(self, params):
        if any("__" in name for name in params):
            # a wrong name is found before a nested estimator is changed
            BaseEstimator.set_params(clone(self), **params)
        super().set_params(**params)

    def _may_differ(self, ids):
        """Return True if rows may have other columns than before: a pool with ids."""
        if ids is None or self._group is not None:
            return False
        return bool(ids) if isinstance(ids, list) else getattr(ids, "shape", 1) != (0,)

    def _validate(self, X, *y, min_rows=1, finite=False, ids=None):
        """Return validated rows, and labels if given any; begin if it has not begun."""
        self._check_parameters()
        begins = not hasattr(self, "_ledger")
        checks = {
            "reset": begins or self._may_differ(ids),
            "min_rows": min_rows,
            "finite": finite,
        }
        out = self._check_rows(X, *y, **checks)
        if begins:
            self._reset()
        return out

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        """Return rows, and labels if given any, that are fit for the learner."""
        check = check_rows_and_labels if y else check_rows
        return check(self, X, *y, reset=reset, min_rows=min_rows, finite=finite)

    def _register_classes(self, classes, y=()):
        """Register the classes, or check that they are those registered before."""
        known = getattr(self, "classes_", None)
        classes = expected_classes(classes, known)
        if known is None:
            self._set_classes(classes)

    def _set_classes(self, classes):
        self.classes_ = classes

    def _passive_baseline(self):
        raise NotImplementedError(f"{type(self).__name__} names no passive learner.")

    def _after_teach(self):
        """Return the learner as `teach` is to leave it once labels are stored."""
        return self


def validate_and_reset(learner, X, y):
    """Forget everything; return validated rows and the codes of their labels."""
    learner._check_parameters()
    X, y = learner._check_rows(X, y, reset=True)
    classes = find_classes(y)
    forget_fitted(learner)
    learner._known_by = None
    learner._reset()
    learner._set_classes(classes)
    return X, encode(y, classes)


def validate_and_append(learner, X, y, classes):
    """Return validated rows and the codes of their labels."""
    X, y = learner._validate(X, y)
    learner._register_classes(classes, y)
    return X, encode(y, learner.classes_)


def draw_seeds(random_state, n_seeds):
    """Draw whole numbers for the generators of a learner that begins."""
    return check_random_state(random_state).randint(
        np.iinfo(np.int64).max, size=n_seeds, dtype=np.int64
    )


def unfitted_copy(prototype):
    """Return a clone; much quicker where there is nothing in it that could change."""
    return (
        shallow_copy(prototype) if has_plain_parameters(prototype) else clone(prototype)
    )


def make_baseline(learner, baseline, **settings):
    """Make a passive learner like an active one.

    Parameters
    ----------
    learner : learner
        The active one.
    baseline : learner
        An unfitted one, which takes over the parameters that both have.
    **settings : dict
        What else it takes to buy every label.

    Returns
    -------
    baseline : learner
        The same object, without a budget.
    """
    params, own = learner.get_params(deep=False), baseline.get_params(deep=False)
    shared = {name: params[name] for name in params if name in own}
    return baseline.set_params(**{**shared, "budget": None, **settings})
