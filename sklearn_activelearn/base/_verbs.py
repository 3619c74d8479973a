"""The verbs of all learners: `query` and `teach`, and the loops that consist of them.

::

    rows = learner.query(X)            # which rows of X are worth a label?
    learner.teach(X[rows], labels)     # here are their labels

`learn` runs this loop with an oracle; `fit` and `partial_fit` run it on labelled data.
A label counts as bought when `query` asks for it. The request is remembered until the
row is taught or skipped.

Each verb works on a shallow copy of the learner, which takes its place at the end
(`_transaction`). An error leaves the learner as it was, provided that the code of the
verb *replaces* fitted attributes and never writes into them.
"""

from contextlib import suppress
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..sources._containers import n_rows
from ..sources._identity import ById, identify
from ..utils._compat import (
    CALLBACK_ATTRIBUTES,
    BaseEstimator,
    ClassifierMixin,
    linked_to_documentation,
)
from ..utils.typing import Oracle, RowNumbers, RowsLike
from ._interrupts import ask_oracle
from ._labels import check_varied, encode, expected_classes, find_classes, label_names
from ._parameters import check_flags, has_plain_parameters
from ._transaction import (
    Transaction,
    forget_fitted,
    run_exclusively,
    shallow_copy,
)
from ._validation import check_rows, check_selection

#: Attributes that a pickle, or another copy, does not have.
UNSAVED = {"_under_way", "_ids", "_next_rows", "_parts", *CALLBACK_ATTRIBUTES}


@linked_to_documentation
class ActiveClassifier(ClassifierMixin, BaseEstimator):
    """Base class of all learners, with the verbs.

    A subclass provides these methods. Their rows and codes have been validated:

    - ``_check_parameters()``: raise if a parameter is outside its range;
    - ``_reset()``: set the fitted state of a learner that has seen no rows, with
      ``n_queries_ = 0``, ``stop_reason_ = None``, seeded random numbers and an empty
      `_ledger`, whose ``pending(identity)`` returns the row numbers of pending rows in
      the order asked;
    - ``query(X, …)``: choose rows to buy, record them in the ledger and set
      ``stop_reason_``;
    - ``_store_labels(X, identity, codes, **metadata)``: learn labels, whose requests
      end, with what `_check_metadata` returned;
    - ``_skip(identity, refund)``: end the requests of rows, or of all rows if it is
      None; with `refund`, subtract them from the number of labels bought;
    - ``fit(X, y)`` and ``partial_fit(X, y, classes=None)``: the sequential loop on
      labelled data, after ``validate_and_reset`` or ``validate_and_append``;
    - ``_ask(X, identity, answer, candidates)``: the loop with an oracle.
      ``answer(rows, keep)`` asks it and calls ``keep(labels)``, which stores them.

    It may override ``_check_rows``, ``_register_classes``, ``_after_teach`` and
    ``_passive_baseline``.
    """

    #: Kind of identity by which rows are recognised (`ByValue.kind`, `ById.kind`), once
    #: a row is stored; ids of the last call.
    _known_by: str | None = None
    _ids: ById | None = None

    def teach(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None, *,
        ids: ArrayLike | None = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Learn the labels of rows, whether they were asked for or not, in any order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. They are recognised by their ids, or without ids by their exact
            values.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of the rows. Some pool learners take several labels for a row: 1
            where a row has a label, 0 where it has not, dense or sparse.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur; of several labels for a row the names of the
            columns. Required unless the learner knows them.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.
        **fit_params : dict
            Values for `fit` of the estimator, one for each row, such as
            ``sample_weight``. They need
            ``sklearn.set_config(enable_metadata_routing=True)``, and
            ``set_fit_request`` of the estimator. They are stored with the labels;
            labels taught without weights have the weight 1. Learners that train with
            weights of their own refuse them: use `class_weight`. Stream learners take
            ``sample_weight`` without these two.

        Returns
        -------
        self : object
            The learner. Labels that nobody asked for do not count as bought.

        Raises
        ------
        ValueError, TypeError
            If a label is not one of the classes, the rows do not match `y` or the
            features, or X contains NaN or infinity; for a pool learner, if an id
            already has a label; for values in `fit_params` that are not requested.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs. As
            after each error, the learner is unchanged.

        Warns
        -----
        FitFailedWarning
            If the estimator of a pool learner cannot be trained on the labels, and they
            are not few (see `exceptions.ColdStartWarning`). The labels are stored, and
            the next call that needs the model raises the error.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0, finite=True)
        metadata = learner._check_metadata(fit_params, len(y)) if fit_params else {}
        identity = identify(learner, X, ids)
        if len(y) or classes is not None:
            learner._register_classes(classes, y)
        if len(y):
            codes = learner._encode(y)
            learner._store_labels(X, identity, codes, **metadata)
            learner._known_by = identity.kind
        learner._after_teach()
        return transaction.commit()

    def pending(self, X: RowsLike, *, ids: ArrayLike | None = None) -> RowNumbers:
        """Return the rows of X that were asked for and have no label yet.

        After a crash, show them again, since they count as bought.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The pool, or rows of the stream.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        rows : ndarray of int64 of shape (n_pending,)
            Row numbers of X in the order in which they were asked for. Of equal rows,
            the first ones.

        Raises
        ------
        ValueError
            If X contains NaN or infinity, or has a wrong number of features.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        """
        if not hasattr(self, "stop_reason_"):
            return np.empty(0, dtype=np.int64)
        learner = shallow_copy(self)
        learner._check_parameters()
        reset = ids is not None and self._may_change_columns(ids)
        X = learner._check_rows(X, reset=reset, min_rows=0)
        return learner._ledger.pending(identify(learner, X, ids, is_pool=True))

    def skip(
        self, X: RowsLike | None = None, *, refund: bool = False,
        ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Give up waiting for the labels of rows that were asked for.

        A pool learner does not ask for these rows again. If they are taught later, they
        count as taught. A stream learner forgets the requests.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Rows that will get no label. None: all pending rows.
        refund : bool, default=False
            Whether to subtract the rows from the number of labels bought, since nobody
            was paid. Other counts and random numbers stay.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError, RuntimeError
            As for `teach`, and if a row is not pending.
        """
        check_flags(refund=refund)
        transaction = Transaction(self)
        learner = transaction.learner
        if X is None and ids is not None:
            raise ValueError("ids are given without rows: pass X, too.")
        is_new = not hasattr(self, "stop_reason_")
        if X is not None:
            checker = learner if is_new else shallow_copy(learner)
            X = checker._validate(X, min_rows=0, ids=ids)
            learner._skip(identify(learner, X, ids), refund)
        else:
            learner._check_parameters()
            if not is_new:
                learner._skip(None, refund)
        return transaction.commit()

    def learn(
        self, X: RowsLike, oracle: Oracle, classes: ArrayLike | None = None, *,
        candidates: ArrayLike | None = None, exclude: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Run the loop of `query` and `teach` over X with an oracle.

        While the oracle is asked, the learner is in the state just before the requested
        rows. The oracle may call `predict`, score the learner or pickle it, but it must
        not change it or keep a shallow copy.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream or the pool.
        oracle : callable
            ``oracle(rows) -> labels`` gets the row numbers of rows that are bought, and
            returns their labels, as `teach` takes them.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur; of several labels for a row the names of the
            columns. Required unless the learner knows them.
        candidates, exclude : array-like of int or of bool, default=None
            Rows of X that may, or may not, be bought, as for `query`. A stream learner
            takes the candidates in this order, without a copy of X. None: all rows.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            As for `query` and `teach`, and if the oracle returns a wrong number of
            labels or an unknown label. Errors of the oracle itself pass through.
            Everything taught before the error stays learned, and counts and random
            numbers are in the state before the row that failed. The call can be
            repeated: for a pool learner with the same X, for a stream learner with the
            rest of X, from row (or candidate) number ``n_seen_`` of this call on. A
            label that the oracle has returned is learned even if Ctrl-C follows at
            once. If some labels of a batch are unknown, a pool learner learns the
            others; the rows with unknown labels stay bought and pending.
        RuntimeError
            If `learn` or `fit` of the learner is already running.
        """
        if not callable(oracle):
            raise TypeError(
                f"oracle must be callable, got an instance of {type(oracle).__name__}."
            )

        def start(learner):
            # all of X is validated before the first label is bought
            rows = learner._validate(X, min_rows=0, finite=True, ids=ids)
            identity = identify(learner, rows, ids, is_pool=True)
            selected = check_selection(candidates, exclude, n_rows(rows))
            learner._register_classes(classes)
            learner._check_metadata({}, n_rows(rows))
            learner._check_pool(rows, identity)
            return rows, identity, partial(ask_oracle, oracle), selected

        return run_exclusively(self, start, self._ask)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as for any scikit-learn estimator.

        Parameters
        ----------
        **params : dict
            Values by names; for nested estimators ``<component>__<parameter>``.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            If the learner does not have a parameter.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs.
        """
        transaction = Transaction(self)
        transaction.learner._set_params(params)
        return transaction.commit()

    @property
    def n_pending_(self) -> int:
        """Number of rows that were asked for and neither taught nor skipped yet."""
        if not hasattr(self, "stop_reason_"):
            raise AttributeError("n_pending_ is not known before the first call.")
        return len(self._ledger)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __repr__(self, N_CHAR_MAX=700):
        text = super().__repr__(N_CHAR_MAX)
        with suppress(AttributeError, TypeError, ValueError):  # new, or a wrong budget
            if self._ledger.n_left(self.budget) == 0:
                text += f" [budget spent: {self.n_queries_} labels bought]"
        return text

    def _repr_mimebundle_(self, **kwargs):
        bundle, text = super()._repr_mimebundle_(**kwargs), repr(self)
        if "text/html" in bundle and text.endswith("]"):
            bundle["text/html"] += f"<p>{text[text.rindex('[') + 1 : -1]}</p>"
        return bundle

    def __getstate__(self):
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in UNSAVED}

    def _set_params(self, params):
        if any("__" in name for name in params):
            # raises for a wrong name before a nested estimator is changed
            BaseEstimator.set_params(clone(self), **params)
        super().set_params(**params)

    def _may_change_columns(self, ids):
        """Return True if rows with these ids may have other columns than before."""
        return False

    def _validate(self, X, *y, min_rows=1, finite=False, ids=None):
        """Check the parameters; return valid rows and labels; reset a new learner."""
        self._check_parameters()
        is_new = not hasattr(self, "stop_reason_")
        reset = is_new or (ids is not None and self._may_change_columns(ids))
        out = self._check_rows(X, *y, reset=reset, min_rows=min_rows, finite=finite)
        if is_new:
            self._reset()
        return out

    def _check_metadata(self, fit_params, n_rows):
        """Return the values of rows that the estimator's `fit` requests, by name."""
        given = [name for name, value in fit_params.items() if value is not None]
        if given:
            raise TypeError(
                f"{type(self).__name__} does not take {', '.join(given)}: its training "
                "computes the weights of rows. Use class_weight instead, of the "
                "learner or its estimator."
            )
        return {}

    def _check_pool(self, X, identity):
        """Check parameters that have a value for each row of the pool."""

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        """Return valid rows, and labels if there are any."""
        return check_rows(self, X, *y, reset=reset, min_rows=min_rows, finite=finite)

    def _register_classes(self, classes, y=()):
        """Register the classes, or check that they are the registered ones."""
        known = getattr(self, "classes_", None)
        classes = expected_classes(classes, known)
        if known is None:
            self._set_classes(classes)

    def _set_classes(self, classes):
        self.classes_ = classes

    def _encode(self, y):
        """Return the codes of labels of registered classes."""
        return encode(y, self.classes_)

    def _passive_baseline(self):
        """Return the learner that buys all labels, for comparison."""
        raise NotImplementedError(f"{type(self).__name__} has no passive baseline.")

    def _after_teach(self):
        """Bring the learner into its final state, after `teach` has stored labels."""


def validate_and_reset(learner, X, y):
    """Reset a learner; return valid rows and codes of their labels, or label sets."""
    learner._check_parameters()
    X, y = learner._check_rows(X, y, reset=True)
    has_label_sets = y.ndim == 2
    classes = label_names(None, y.shape[1]) if has_label_sets else find_classes(y)
    if has_label_sets:
        check_varied(y)
    forget_fitted(learner)
    learner._known_by = None
    learner._reset()
    if has_label_sets:
        learner._register_classes(classes, y[:0])
        return X, y
    learner._set_classes(classes)
    return X, encode(y, classes)


def validate_and_append(learner, X, y, classes):
    """Return valid rows and the codes of their labels, or their label sets."""
    X, y = learner._validate(X, y)
    # label sets become known with the purchases
    learner._register_classes(classes, y[:0] if y.ndim == 2 else y)
    return X, y if y.ndim == 2 else encode(y, learner.classes_)


def draw_seeds(random_state, n_seeds):
    """Draw seeds for the random generators of a new learner."""
    return check_random_state(random_state).randint(
        np.iinfo(np.int64).max, size=n_seeds, dtype=np.int64
    )


def seeded(estimator, seed):
    """Return a clone that draws the same random numbers in each training.

    Each `random_state` that is no number is set, in nested estimators too.
    """
    estimator = clone(estimator)
    seeds = {
        name: seed
        for name, value in estimator.get_params().items()
        if name.split("__")[-1] == "random_state" and not isinstance(value, Integral)
    }
    if seeds:  # a frozen estimator has no parameters, and set_params returns None
        estimator.set_params(**seeds)
    return estimator


def unfitted_copy(prototype):
    """Return a clone, quickly if the parameters are numbers and strings."""
    copies = shallow_copy if has_plain_parameters(prototype) else clone
    return copies(prototype)


def make_baseline(learner, baseline, **settings):
    """Make a passive learner with the parameters of an active one.

    Parameters
    ----------
    learner : learner
        The active learner.
    baseline : learner
        An unfitted learner. It gets the parameters that both learners have.
    **settings : dict
        Other parameters with which it buys each label.

    Returns
    -------
    baseline : learner
        The same object, without a budget.
    """
    params, own = learner.get_params(deep=False), baseline.get_params(deep=False)
    shared = {name: params[name] for name in params if name in own}
    return baseline.set_params(**{**shared, "budget": None, **settings})
