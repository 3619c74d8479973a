"""Pool learners: the query, the loop, labels and corrections, and prediction."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.utils.metadata_routing import (
    MetadataRouter,
)

from ..base._labels import ONE_LABEL
from ..base._parameters import (
    UNLIMITED,
    check_budget,
    check_flags,
    check_has,
    check_limit,
    check_single_output,
    has_method,
)
from ..base._scores import predict_labels
from ..base._transaction import (
    Transaction,
    forget_fitted,
    parameters_of,
    run_exclusively,
    shallow_copy,
)
from ..base._validation import (
    check_can_predict,
    check_selection,
    error_for_texts,
    first_text,
    labels_for,
)
from ..base._verbs import (
    ActiveClassifier,
    draw_seeds,
    seeded,
    validate_and_append,
    validate_and_reset,
)
from ..exceptions import warn_user
from ..sources._containers import (
    NO_ROWS,
    has_categories,
    n_rows,
    rows_of_mask,
    take,
)
from ..sources._conversion import as_source
from ..sources._identity import VALUES, ByValue, identify
from ..sources._source import ArraySource, Source, is_mapped
from ..utils._compat import (
    CallbackSupportMixin,
    available_if,
    with_callbacks,
)
from ..utils.typing import (
    Classifier,
    Embedding,
    Floats,
    Initial,
    Label,
    Labels,
    RowNumbers,
    RowsLike,
    Seed,
    Stopping,
)
from . import _selection as selection
from ._choice import RowChoice
from ._cold_start import (
    Prior,
    go_on_without_model,
    may_be_cured,
    warn_if_constant,
    warn_of_cold_start,
)
from ._ledger import fill_metadata
from ._rule import Rule
from ._state import LearnerState, Record
from ._training import OneModel, Trainer, check_fit_params, route_to_fit
from .stopping import _base as stopping_rules

#: Why a learner takes no source, and what to do.
NEEDS_ALL = (
    "needs all rows of the pool in memory: pass a sample of them as an array, or use a "
    "learner that reads them by blocks, such as HybridSamplingClassifier"
)
NEEDS_SAMPLE = (
    "needs all rows of the pool in memory: set n_candidates, to consider a sample of "
    "them for each purchase"
)


def answer_by_blocks(function, X):
    """Return ``function(X)``; the rows of a source are read block by block.

    Estimators convert other numbers to float64: this, too, is done block by block.
    """
    if isinstance(X, Source):
        return X.answers(function)
    is_converted = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    if is_converted and X.dtype != np.float64 and len(X):
        return ArraySource(X).answers(function)
    return function(X)


def column_names(learner):
    """Return the names of the columns of the last rows, or None."""
    return getattr(learner, "feature_names_in_", None)


def _models_have(method):
    return lambda learner: all(
        has_method(model, method) for model in learner.make_trainer().models()
    )


def _scores_rows(learner):
    try:
        rule = learner.make_rule()
    except (TypeError, ValueError):  # a wrong parameter, which the verbs refuse
        return False
    return is_overridden(rule, "utility") and not is_overridden(rule, "select")


def is_overridden(rule, method):
    """Return True for a `Rule` that has its own method of this name."""
    is_rule = isinstance(rule, Rule)
    return is_rule and getattr(type(rule), method) is not getattr(Rule, method)


def _has_record(learner):
    return learner.make_trainer().follows_from_labels


@dataclass(frozen=True)
class Parts:
    """Values that a learner makes of its parameters, once for each set of them.

    Parameters
    ----------
    params : dict
        Parameters of the learner.
    rule : Rule
        Its query rule.
    trainer : Trainer
        Its trainer.
    choice : RowChoice
        Its settings for the choice of rows.
    needs_scaler : bool
        True if the trainer scales rows by the pool.
    needs_pool : str
        Why the rows must be in memory, or "".
    prototypes : list of classifier
        Clones of the estimators of the trainer, with seeds; none before `seeded`.
    """

    params: dict
    rule: Rule
    trainer: Trainer
    choice: RowChoice
    needs_scaler: bool
    needs_pool: str
    prototypes: Sequence[Any] = ()

    @classmethod
    def of(cls, learner, params):
        """Return the parts of a learner, if its parameters suit each other."""
        rule, trainer = learner.make_rule(), learner.make_trainer()
        names = {each.name for each in fields(RowChoice)[2:]} & {*params}
        values = {
            "positive": learner.positive,
            **{name: params[name] for name in names},
        }
        choice = RowChoice(rule, type(learner).__name__, **values)
        if not (is_overridden(rule, "utility") or is_overridden(rule, "select")):
            raise NotImplementedError(
                f"make_rule of {choice.name} must return a Rule with utility(model, X) "
                f"or select(round), got {type(rule).__name__}."
            )
        choice.check()
        check_budget(learner.budget, 0)
        rule.check()
        trainer.check()
        if not rule.takes_label_sets:
            check_single_output(trainer.estimators)
        for estimator in trainer.estimators:
            check_has(rule.needs, estimator, choice.name, rule.advice)
        stopping_rules.check_rule_models(choice.stopping, trainer.models())
        choice = replace(choice, is_transformed=trainer.input_form.is_transformed)
        needs_pool = rule.needs_pool
        if needs_pool is None:
            needs_pool = NEEDS_ALL if trainer.keeps_pool else ""
        return cls(params, rule, trainer, choice, trainer.needs_scaler, needs_pool)

    def seeded(self, seed):
        """Return the parts of a learner with this seed."""
        seed %= 2**32
        prototypes = [seeded(each, seed) for each in self.trainer.estimators]
        return replace(self, prototypes=prototypes)

    def check_rows(self, learner, X, *y, reset, min_rows, is_first):
        """Return valid rows, and labels if there are any.

        Parameters
        ----------
        learner : PoolClassifier
            Gets the number and the names of the features, or is compared with them.
        X : array-like, sparse matrix, DataFrame, list or source
            Rows.
        *y : array-like
            Labels.
        reset, min_rows
            As for `check_pool`.
        is_first : bool
            True if these are the first rows. The rows of `initial` must suit them.
        """
        trainer = self.trainer
        if self.needs_pool and type(X) is not np.ndarray:
            if is_mapped(X):
                X = np.asarray(X)
            elif as_source(X) is not None:
                raise ValueError(f"{self.choice.name} {self.needs_pool}.")
        if trainer.is_default and has_categories(X) and (text := first_text(X)):
            raise error_for_texts(learner, X, text)
        out = trainer.check_rows(learner, X, *y, reset=reset, min_rows=min_rows)
        if y and np.ndim(out[1]) == 1:
            check_single_output(trainer.estimators)
        if reset:
            X, names = out[0] if y else out, column_names(learner)
            if trainer.is_default:
                trainer.check_scale(X, names)
            initial = self.choice.initial
            has_rows = selection.is_rows(initial) and self.choice.embedding is None
            if is_first and has_rows:
                selection.check_initial_columns(initial, X, names)
        return out


class PoolClassifier(CallbackSupportMixin, ActiveClassifier):
    """Base class of pool learners, and of a pool learner of your own.

    A learner has parameters, and makes a `Rule` and a `Trainer` from them. A subclass
    provides

    - ``make_rule()``: the `Rule`, which says what each row is worth;
    - ``make_trainer()``: the `Trainer` that makes the model, by default `OneModel`;
    - ``__init__``: with the parameters that the user may set, as scikit-learn wants it.

    Parameters
    ----------
    estimator : classifier, default=None
        The model. Cloned, never changed. None: ``LogisticRegression()``.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"random", "herding", "mixed"}, callable or rows, default="random"
        Rule for the first rows. "random": random rows, no two of them equal. "herding":
        rows that cover the pool; each is similar to as many rows as possible that are
        not similar to an earlier one (MaxHerding). "mixed": two in five rows are
        random, the others cover the pool. A function ``initial(X)`` gets rows of the
        pool, a block at a time, and returns a number for each; the rows with the
        highest numbers come first. Rows of the wanted kind, of shape (n, n_features):
        rows of the pool with the highest cosine to one of them come first, in the
        `embedding` if there is one.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Rule that makes a batch of useful rows. "top": the most useful rows. The other
        rules choose among the most useful rows, ten times the number of rows wanted.
        "cluster": the most useful row of each of `batch_size` clusters (k-means).
        "herding": the rows that cover the others best. Equal rows are bought together
        only if no other rows are left.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    n_candidates : int >= 1, default=None
        Number of rows that are considered for each batch: a new random sample of the
        rows that may be bought, never smaller than the batch. Stopping rules see the
        same rows. None: all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row lies inside the margin of an SVM.
        "stable_predictions": successive models agree. The user guide describes more
        rules. None: spend the budget.

    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The model, trained on all labels.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

    See Also
    --------
    sklearn_activelearn.testing.check_learner : Checks the guarantees of a learner.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 2.3 (pool-based sampling).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_activelearn.pool import PoolClassifier, Rule
    >>> class GiniRule(Rule):
    ...     needs = "predict_proba"
    ...
    ...     def utility(self, model, X):
    ...         return 1 - (model.predict_proba(X) ** 2).sum(axis=1)
    >>> class GiniSamplingClassifier(PoolClassifier):
    ...     def make_rule(self):
    ...         return GiniRule()
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = GiniSamplingClassifier(budget=30, random_state=0).fit(X, y)
    >>> print(learner.n_queries_, learner.score(X, y) > 0.9)
    30 True
    """

    #: Values that the parameters of the last call make.
    _parts: Parts | None = None

    #: Value for learners without this parameter.
    positive: Label | None = None

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        n_initial: int = 10,
        initial: Initial = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    # What a subclass provides

    def make_rule(self) -> Rule:
        """Return the query rule of the present parameters.

        Returns
        -------
        rule : Rule
            It holds parameters only.
        """
        return Rule()

    def make_trainer(self) -> Trainer:
        """Return the trainer of the present parameters.

        Returns
        -------
        trainer : Trainer
            It holds parameters only; by default it trains `estimator`.
        """
        return OneModel(self.estimator)

    # The parts of the learner

    def _check_parameters(self):
        """Make the parts of the learner, if a parameter has changed."""
        if self._parts is not None:
            params = self._parts.params
            now = map(vars(self).get, params)  # parameters are compared by identity
            if [*map(id, now)] == [*map(id, params.values())]:
                return
        parts = Parts.of(self, parameters_of(self))
        if hasattr(self, "_state"):
            parts = parts.seeded(self._state.seed)
        self._parts = parts

    @property
    def _takes_label_sets(self):
        return self.make_rule().takes_label_sets

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        """Return valid rows, and labels if there are any.

        NaN is refused unless the model takes it, whatever `finite` is.
        """
        is_first = y or not hasattr(self, "_state")
        if hasattr(self, "_state") and self._state.target.has_label_sets:
            stopping_rules.check_label_sets(self._parts.choice.stopping)
        how = {"reset": reset, "min_rows": min_rows, "is_first": is_first}
        return self._parts.check_rows(self, X, *y, **how)

    def _make_embedder(self):
        """Return what makes points of rows; it knows the last points."""
        points = self._state.embedder(self._parts, column_names(self))
        self._state = self._state._replace(points=points)
        return points

    def _reset(self):
        (seed,) = draw_seeds(self.random_state, 1).tolist()
        self._parts = self._parts.seeded(seed)
        self.queried_indices_, self.stop_reason_ = NO_ROWS, None
        self._set_state(LearnerState(seed))

    def _set_state(self, state):
        """Replace the state, and the fitted attributes that its model has."""
        before, self._state = vars(self).get("_state"), state
        if before is not None and state.trained is not before.trained:
            for name in before.attributes:
                vars(self).pop(name, None)
            vars(self).update(state.attributes)

    @property
    def _ledger(self):
        if not hasattr(self, "_state"):
            raise AttributeError("Nothing is counted before the first call.")
        return self._state.ledger

    @property
    def classes_(self) -> Labels:
        """Classes, sorted; of several labels for a row the names of the columns."""
        if not hasattr(self, "_state") or self._state.target.classes is None:
            raise AttributeError("classes_ is not known before the first labels.")
        return self._state.target.classes

    @property
    def n_queries_(self) -> int:
        """Labels bought since the last `fit`, less refunds."""
        return self._ledger.n_queries

    @property
    def n_taught_(self) -> int:
        """Labels taught, bought or not."""
        return len(self._ledger.labelled)

    @property
    def n_skipped_(self) -> int:
        """Rows that were skipped and not taught later."""
        return self._ledger.n_skipped

    def _may_change_columns(self, ids):
        return bool(ids) if isinstance(ids, list) else getattr(ids, "shape", 1) != (0,)

    # The query

    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        ids: ArrayLike | None = ...,
    ) -> RowNumbers: ...  # fmt: skip
    @overload
    def query(
        self, X: RowsLike, *, candidates: ArrayLike | None = ...,
        exclude: ArrayLike | None = ..., limit: int | None = ...,
        return_probability: bool = ..., return_utility: bool = ...,
        return_reason: bool = ..., ids: ArrayLike | None = ...,
    ) -> RowNumbers | tuple[RowNumbers, *tuple[Any, ...]]: ...  # fmt: skip
    def query(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: bool = False,
        return_utility: bool = False,
        return_reason: bool = False,
        ids: ArrayLike | None = None,
    ) -> RowNumbers | tuple[RowNumbers, *tuple[Any, ...]]:
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The whole pool, labelled rows included, always in one order. Rows that were
            taught, are pending or were skipped are not asked for again.
        candidates : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that may be bought, or a mask. None: all.
        exclude : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers that may not be bought, or a mask. They are removed from
            `candidates`.
        limit : int >= 0, default=None
            Largest number of rows to return.
        return_probability : bool, default=False
            Also return the probability with which each row was bought: the probability
            of a random draw, else 1.
        return_utility : bool, default=False
            Also return the utility of each row when it was chosen, higher is better;
            NaN for rows that were drawn at random.
        return_reason : bool, default=False
            Also return one word for each row that says why it was chosen: "first"
            (before a model chooses), "random", or the word of the query rule:
            "uncertain" (the model is not sure of its class), "representative" (it is
            similar to many rows of which the model is not sure), "wanted" (likely of
            the class to find), "doubtful" (its machine label is likely wrong),
            "informative" (its label is expected to improve the model most), "useful"
            (a rule without a word).
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none. If the
            values of labelled rows have changed, the model is trained on the values in
            X before rows are chosen.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which to label them. Their labels count as
            bought. If it is empty, ``stop_reason_`` says why.
        probabilities : ndarray of shape (n_queries,)
            Probability with which each row was bought. Only with `return_probability`.
        utilities : ndarray of shape (n_queries,)
            Only with `return_utility`; after the probabilities.
        reasons : ndarray of str of shape (n_queries,)
            Only with `return_reason`; the last of the returned arrays.

        Raises
        ------
        ValueError
            For rows that the estimator refuses, `candidates` or `exclude` that are no
            rows of X, or a parameter out of its range. If X has other columns than
            before, or comes in another kind of container: for a labelled row that is
            not in it.
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
        RuntimeError
            If another thread changes the learner during the call, or `learn` runs. As
            after each error, the learner is unchanged.

        Warns
        -----
        UserWarning
            If labelled rows have other values than before, and some are not in X: the
            model is trained on the last values of the latter.
        ColdStartWarning
            If labels are too few for the estimator, so that rows are chosen without it.
        """
        check_flags(
            return_probability=return_probability,
            return_utility=return_utility,
            return_reason=return_reason,
        )
        transaction = Transaction(self)
        learner = transaction.learner
        X = learner._validate(X, min_rows=0, ids=ids)
        identity = identify(learner, X, ids, is_pool=True)
        if candidates is not None or exclude is not None:
            candidates = check_selection(candidates, exclude, n_rows(X))
        limit = UNLIMITED if limit is None else check_limit(limit, "limit")
        rule, state = learner._parts.rule, learner._state
        rule.check_pool(identity, state.target, state.rule_memory)
        is_for_sale = learner._find_rows_for_sale(X, identity, candidates)
        stop_reason = learner.stop_reason_
        purchase = learner._choose_purchase(X, is_for_sale, limit, identity)
        if learner.stop_reason_ != stop_reason:
            learner._warn_if_constant(X)
        learner._add_requests(identity, purchase)
        out = purchase.answer(return_probability, return_utility, return_reason)
        transaction.commit()
        return out

    def _find_rows_for_sale(self, X, identity, candidates, are_more=False):
        """Locate the ledger in X, and return a mask of the rows that may be bought.

        With ids, the model is trained again if labelled rows have new values in X.
        """
        self._state, is_for_sale = self._state.offer(
            X, identity, candidates, self._parts, are_more
        )
        if identity.kind != VALUES and len(is_for_sale):
            state = self._state.take_values(X, column_names(self), self._parts)
            if state is not self._state:
                self._set_state(state)
                self._train_or_warn(X)
        return is_for_sale

    def _choose_purchase(self, X, is_for_sale, limit, identity):
        """Return the next `Purchase` of rows for sale, and set `stop_reason_`.

        The purchase is empty if the learner stops. It is not recorded yet.
        """
        parts, state, rows = self._parts, self._state, rows_of_mask(is_for_sale)
        known, n_left = state.known(parts), state.ledger.n_left(self.budget)
        round = parts.choice.start_round(
            X,
            rows,
            limit,
            n_left,
            state,
            known,
            identity,
            embedder=self._make_embedder,
            excuse=partial(self._go_on_without_model, X),
        )
        if round.n_wanted and round.initial is None and parts.rule.uses_model:
            trained = self._train_or_warn(X, known)
            if trained is None:
                round = parts.choice.without_model(round)
            round = round._replace(trained=trained)
        earlier = partial(state.earlier_model, parts)
        answer = parts.choice.choose(
            round, rows, limit, n_left, state.stopping_memory, earlier
        )
        self.stop_reason_, self._state = answer.stop_reason, self._state.after(answer)
        return answer.purchase

    def _add_requests(self, identity, purchase):
        ledger = self._state.ledger.add_requests(identity, purchase)
        self._state = self._state._replace(ledger=ledger)
        if len(purchase.rows):
            self._known_by = identity.kind
            self.queried_indices_ = np.append(self.queried_indices_, purchase.rows)

    def _go_on_without_model(self, X, error, step):
        """Warn once that rows are chosen without a model, or raise the error."""
        self._state = go_on_without_model(error, step, self._state, self._parts, X)

    def _warn_if_constant(self, X):
        """Warn if all labels, or all predictions, are of one class."""
        if self.stop_reason_ not in (None, "limit") and not self.n_pending_:
            warn_if_constant(self, self._parts.rule, self._state, X)

    # Labels, corrections and training

    def _check_metadata(self, fit_params, n_rows):
        given = {k: value for k, value in fit_params.items() if value is not None}
        for name in self._ledger.labelled.metadata.keys() - given.keys():
            fill_metadata(name, None, n_rows)  # raises before a label is bought
        trainer = self._parts.trainer
        if not given or not trainer.takes_metadata:
            return super()._check_metadata(given, n_rows)
        return check_fit_params(trainer.estimators, given, n_rows)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the requests of the learner and of its estimators.

        Returns
        -------
        router : MetadataRouter
            `fit` and `teach` pass metadata, such as weights, to the estimator's `fit`.
        """
        trainer = self.make_trainer()
        estimators = trainer.estimators if trainer.takes_metadata else []
        return route_to_fit(self, estimators).add_self_request(self)

    def _store_labels(self, X, identity, codes, **metadata):
        self._state = self._state.add_labels(
            X, identity, codes, column_names(self), metadata
        )

    def _skip(self, identity, refund):
        known = (None, ()) if identity is None else (identity.keys(), identity.names())
        ledger = self._state.ledger.skip(*known, refund)
        self._state = self._state._replace(ledger=ledger)

    def _after_teach(self, pool=None):
        """Train, unless the estimator fails: its labels are stored."""
        try:
            if pool is not None:
                self._train_or_warn(pool)
            elif self._state.can_train:
                self._set_state(self._state.train(self._parts))
        except Exception as error:
            if pool is None and may_be_cured(error, self._state.ledger.labelled):
                return  # the next query goes on without a model, or raises it
            warn_user(
                f"The labels are stored, but the estimator failed on them: "
                f"{type(error).__name__}: {error}",
                FitFailedWarning,
            )

    def _train_or_warn(self, X, known=None):
        """Train the model if needed; warn and return None if labels are too few.

        With the labels `known`, it is then adapted to the pool X of a query.
        """
        trainer = self._parts.trainer
        try:
            if self._state.can_train:
                self._set_state(self._state.train(self._parts))
            trained = self._state.trained
            if known and trainer.keeps_pool and trained:
                trained = trainer.for_pool(known, trained)
                self._state = self._state._replace(trained=trained)
        except Exception as error:
            self._go_on_without_model(X, error, "training")
            return None
        return trained

    def _set_params(self, params):
        super()._set_params(params)
        if hasattr(self, "_state"):  # the next training clones the new estimators
            self._parts, self._state = None, self._state._replace(points=None)

    def correct(
        self, X: RowsLike, y: ArrayLike, *, ids: ArrayLike | None = None
    ) -> Self:
        """Replace labels that were taught.

        The learner becomes what it would be had it been taught the right labels in the
        same calls, on the pool that it knows now. Row numbers, probabilities and the
        number of labels bought stay; stopping rules forget what they remember.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows that were taught. Of equal rows the one that was taught last is meant,
            among those whose label differs.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Their right labels. A class that has no label any more goes, if nobody gave
            the classes.
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
            For a row that was never taught, a label outside the classes, rows that do
            not match `y` or the features.
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
            If the estimator cannot be trained on the labels, and they are not few. They
            are stored; the next call that needs the model raises the estimator's error.
        """
        transaction = Transaction(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0)
        identity = identify(learner, X, ids)
        if len(y):
            learner._register_classes(None, y)
            codes = learner._encode(y)
            state = learner._state.correct(identity, codes, learner._parts)
            learner._set_state(state)
            learner._after_teach()
        return transaction.commit()

    def _encode(self, y):
        return self._state.target.encode(y)

    def _register_classes(self, classes, y=()):
        target = self._state.target
        if np.ndim(y) == 2:
            if len(self._state.ledger.labelled) and not target.has_label_sets:
                raise ValueError(
                    f"y has {y.shape[1]} columns, but earlier calls taught one label "
                    "for each row. Use another learner for several labels for a row."
                )
            stopping_rules.check_label_sets(self._parts.choice.stopping)
        self._set_target(target.register(classes, y))

    def _set_target(self, target):
        """Set the target, and code the labels by it."""
        before = self._state.target
        if target is before:
            return
        is_declared = target.declared and before.may_grow and not target.may_grow
        if is_declared and not target.has_label_sets:
            classes = target.classes.tolist()
            stopping_rules.check_rule_classes(self._parts.choice.stopping, classes)
            self._parts.rule.check_classes(classes)
        self._state = self._state.with_target(target)

    def _set_classes(self, classes):
        self._set_target(self._state.target.declare(classes))

    def _check_pool(self, X, identity):
        state = self._state
        self._parts.rule.check_pool(identity, state.target, state.rule_memory)

    def _encode_answers(self, labels, rows):
        """Register the labels of an oracle; return their codes and an error.

        A wrong label has the code -1.
        """
        if labels.ndim == 1 and not self._state.target.has_label_sets:
            check_single_output(self._parts.trainer.estimators)
        try:
            if labels.ndim == 2 and not self._takes_label_sets:
                raise ValueError(ONE_LABEL)
            if labels.ndim == 2:
                self._register_classes(None, labels[:0].astype(np.int64))
        except ValueError as error:
            return np.full(len(rows), -1, dtype=np.int32), str(error)
        target, codes, error = self._state.target.register_answers(labels, rows)
        self._set_target(target)
        return codes, error

    # The loop

    def fit(self, X: RowsLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Simulate active learning on a labelled pool, from scratch.

        The label of a row is used only if the learner buys it; the set of classes is
        read at the start. If an error ends the call, purchases made before it stay.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of all rows. The learner uses the labels that it buys.
        **fit_params : dict
            Values for `fit` of the estimator, one for each row, such as
            ``sample_weight``. They need
            ``sklearn.set_config(enable_metadata_routing=True)``, and
            ``set_fit_request`` of the estimator. They are stored with the labels;
            labels taught without weights have the weight 1. Learners that train with
            weights of their own refuse them: use `class_weight`.

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

        def start(learner):
            rows, codes = validate_and_reset(learner, X, y)
            learner._check_pool(rows, ByValue(rows))
            return rows, codes, learner._check_metadata(fit_params, len(codes))

        return run_exclusively(self, start, self._buy_from)

    def partial_fit(
        self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Continue to simulate active learning, on another labelled pool.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The next chunk of the pool. If equal rows were bought from earlier chunks,
            the same number of these rows is not bought again.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of all rows. The learner uses the labels that it buys.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. None: the labels of `y` and of earlier calls.
        **fit_params : dict
            Values for `fit` of the estimator, one for each row, such as
            ``sample_weight``. They need
            ``sklearn.set_config(enable_metadata_routing=True)``, and
            ``set_fit_request`` of the estimator. They are stored with the labels;
            labels taught without weights have the weight 1. Learners that train with
            weights of their own refuse them: use `class_weight`.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError, TypeError
            As for `fit`, and for a label outside the declared classes.
        """

        def start(learner):
            rows, codes = validate_and_append(learner, X, y, classes)
            learner._check_pool(rows, identify(learner, rows, None))
            if codes.ndim == 1:
                named = learner.classes_[np.unique(codes)].tolist()
                target = learner._state.target.also_declare(named)
                learner._state = learner._state._replace(target=target)
            return rows, codes, learner._check_metadata(fit_params, len(codes))

        return run_exclusively(self, start, self._buy_from)

    def _buy_from(self, X, codes, metadata):
        y = codes if codes.ndim == 2 else self.classes_[codes]

        def answer(rows, keep):
            values = {name: of_all[rows] for name, of_all in metadata.items()}
            keep(y[rows], **values)

        self._ask(X, ByValue(X), answer, y=y, are_more=True)

    @with_callbacks
    def _ask(self, X, identity, answer, candidates=None, y=None, are_more=False):
        """Buy labels until nothing is chosen; each purchase stays when it is made.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            Keys and ids of its rows.
        answer : callable
            ``answer(rows, keep)`` calls ``keep(labels)``, for row numbers of X.
        candidates : ndarray of int, optional
            Row numbers of X that may be bought; None for all.
        y : ndarray of shape (n_samples,), optional
            All labels, for callbacks that score.
        are_more : bool
            Whether these rows add to the rows of earlier calls, for a budget that is a
            share of them.
        """
        transaction = Transaction(self, in_loop=True)
        learner = transaction.learner
        is_for_sale = learner._find_rows_for_sale(X, identity, candidates, are_more)
        learner.queried_indices_ = NO_ROWS
        transaction.commit()
        info = {"estimator": self, "X": X, "y": y}
        ledger = learner._state.ledger
        n_left = min(ledger.n_left(self.budget), np.count_nonzero(is_for_sale))
        n_rounds = learner._parts.choice.n_rounds_left(ledger, n_left)
        task = self._init_callback_context(
            max_subtasks=n_rounds
        ).call_on_fit_task_begin(**info)
        stop = False
        while not stop:
            transaction = Transaction(self, in_loop=True)
            transaction.learner._check_parameters()
            purchase = transaction.learner._choose_purchase(
                X, is_for_sale, UNLIMITED, identity
            )
            if len(purchase.rows) == 0:
                transaction.commit()
                break
            round_task = task.subcontext("query").call_on_fit_task_begin(**info)
            answer(
                purchase.rows, partial(self._buy, transaction, X, identity, purchase)
            )
            is_for_sale[purchase.rows] = False
            if self._parts.rule.uses_model:
                self._commit_model(X)
            stop = round_task.call_on_fit_task_end(**info, reconstruction_attributes={})
        self._commit_model(X)
        task.call_on_fit_task_end(**info, reconstruction_attributes={})
        if len(self.queried_indices_):
            self._warn_if_constant(X)
        return self

    def _commit_model(self, X):
        transaction = Transaction(self, in_loop=True)
        transaction.learner._check_parameters()
        transaction.learner._train_or_warn(X)
        transaction.commit()

    def _buy(self, transaction, X, identity, purchase, labels, **metadata):
        """Commit a transaction that chose rows, together with their labels.

        Rows with a wrong label stay bought and pending. A parameter that the oracle has
        set stays set.
        """
        learner = shallow_copy(transaction.learner)
        vars(learner).update(parameters_of(self))
        codes, error = learner._encode_answers(labels, purchase.rows)
        learner._add_requests(identity, purchase)
        (known,) = np.nonzero(codes >= 0)
        if len(known):
            rows = purchase.rows[known]
            X = take(X, rows)
            metadata = {name: values[known] for name, values in metadata.items()}
            learner._store_labels(X, identity.part(X, rows), codes[known], **metadata)
        transaction.commit(learner)
        if error:
            raise ValueError(error)

    # Records

    @available_if(_has_record)
    def record(self) -> dict[str, Any]:
        """Return the requested and taught rows as JSON, without values and labels.

        The record is JSON. Keep it beside the rows, their ids if they have any, and the
        labels: `restore` makes the same learner of them. Learners whose models depend
        on the models before them, or on rows without labels, have no record.

        Returns
        -------
        record : dict
            ``rows``, ``probabilities``, ``purposes``, ``keys`` and ``ids`` have an item
            for each row that was asked for or taught, in this order: its number in the
            pool (None if nobody asked for it), with which probability it was asked for,
            for which purpose, and a hash of its values or, where rows have ids, its id
            (the other one of the two is None). ``taught`` are the positions of the rows
            that have labels, in the order of teaching, and ``skipped`` the positions of
            the skipped rows. The other items are counts, classes, and the memory of the
            stopping rules. Of a learner with machine
            labels, ``drawn_from`` is the number of rows from which its sample was
            drawn, and ``reached`` are the numbers of the sample rows that the ranking
            has reached.

        Raises
        ------
        NotFittedError
            If it has not seen a pool.
        TypeError
            If JSON cannot hold the memory of a stopping rule.
        """
        if not hasattr(self, "_state"):
            raise NotFittedError(f"This {type(self).__name__} has seen no rows yet.")
        return Record.of(self, self.make_rule()).to_json()

    @available_if(_has_record)
    def restore(
        self,
        X: RowsLike,
        record: dict[str, Any],
        y: ArrayLike,
        *,
        ids: ArrayLike | None = None,
    ) -> Self:
        """Restore the recorded state of a learner with the same parameters.

        It is trained once, on all labels. What it knew before is forgotten.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The pool. Rows that were taught though nobody asked for them must be in it,
            too, anywhere.
        record : dict
            What `record` returned. ``keys`` may be missing if all numbers of rows are
            known, and ``seed``, ``queried`` and ``n_before_pool`` may be missing.
        y : array-like of shape (n_taught,), or (n_taught, n_labels)
            The labels, in the order in which they were taught.
        ids : array-like of int or of str of shape (n_samples,), default=None
            The ids of the rows of X, if the learner that was recorded got ids. The pool
            may then be in another order, and have other values.

        Returns
        -------
        self : object
            The restored learner.

        Raises
        ------
        ValueError
            For rows that are not the rows of the record, ids that are missing or that
            the record does not have, another number of labels, a label outside the
            classes, a dict that is no record; as `query`.
        RuntimeError
            As for `teach`.

        Warns
        -----
        FitFailedWarning
            If the estimator cannot be trained on the labels; as for `teach`.

        Examples
        --------
        >>> import json
        >>> from sklearn.base import clone
        >>> from sklearn.datasets import load_iris
        >>> from sklearn_activelearn import MinMarginClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> learner, labels = MinMarginClassifier(budget=30, random_state=0), []
        >>> while len(rows := learner.query(X)):
        ...     labels += y[rows].tolist()
        ...     learner = learner.teach(X[rows], y[rows])
        >>> stored = json.dumps([learner.record(), labels])
        >>> record, labels = json.loads(stored)
        >>> restored = clone(learner).restore(X, record, labels)
        >>> print(restored.n_queries_, restored.score(X, y) == learner.score(X, y))
        30 True
        """
        transaction = Transaction(self)
        learner = transaction.learner
        learner._check_parameters()
        forget_fitted(learner)
        X = learner._check_rows(X, reset=True, min_rows=0)
        learner._reset()
        learner._known_by = None
        identity = identify(learner, X, ids)
        record, parts = Record.from_json(record), learner._parts
        y, names = labels_for(learner, y), column_names(learner)
        state = record.to_state(X, identity, y, names, parts, learner._state.seed)
        learner._set_state(state)
        learner._parts = parts.seeded(learner._state.seed)
        learner.queried_indices_ = np.array(record.queried, dtype=np.int64)
        learner.stop_reason_ = record.stop_reason
        learner._known_by = identity.kind if len(record.rows) else None
        learner._after_teach(X)
        return transaction.commit()

    # Prediction

    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Labels. While all known labels are of one class, that class. Of several
            labels for a row an indicator matrix.
        """
        return self._predicting_copy()._answer(predict_labels, X)

    @available_if(_models_have("predict_proba"))
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet. Of several labels for a row the
            probability of each, in shape (n_samples, n_labels).
        """
        learner = self._predicting_copy()
        return learner._answer(learner._state.target.probabilities, X)

    @available_if(_models_have("decision_function"))
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the decision values of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive for ``classes_[1]``. A class without a
            labelled row yet is 1 below the lowest of the others. Of several labels for
            a row a column for each, positive if the label is present.
        """
        learner = self._predicting_copy()
        return learner._answer(learner._state.target.scores, X)

    @available_if(_scores_rows)
    def utility(self, X: RowsLike) -> Floats:
        """Return the number by which `query` ranks each row; higher is bought sooner.

        Only learners that score rows one by one have this method. Any engine can apply
        it to parts of a pool where they are stored, and keep the best rows of each
        part. `query` on these rows alone then makes the purchase that `query` on the
        whole pool makes: it counts the labels, leaves out labelled and pending rows,
        and breaks ties, at random between utilities that agree in half of their digits.
        Therefore break ties at random among the best rows, too, or keep all rows that
        tie with the last one. Votes of `QueryByCommitteeClassifier` tie on many rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows: the pool, or a part of it.

        Returns
        -------
        utilities : ndarray of shape (n_samples,)
            One number for each row; a dask array for a dask array. Labelled and pending
            rows have a number, too.

        Raises
        ------
        ValueError
            If there is no model yet: before the first labels of two classes. Buy these
            with `query`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn_activelearn import UncertaintySamplingClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X /= X.max(axis=0)
        >>> learner = UncertaintySamplingClassifier(random_state=0)
        >>> learner = learner.teach(X[:50], y[:50])
        >>> best = np.argsort(-learner.utility(X[50:]))[:5] + 50
        >>> print(learner.query(X[best]) == 0, learner.n_queries_)
        [ True] 1
        """
        learner = self._predicting_copy()
        parts, state = learner._parts, learner._state
        can_choose = parts.rule.can_choose(state.ledger, learner.classes_)
        if not (state.is_trained and can_choose):
            raise ValueError(
                f"utility needs a model, and {type(self).__name__} has none: its "
                f"{self.n_taught_} labels are too few or of one class. "
                "Buy the first rows with query, and teach their labels."
            )
        X = parts.trainer.check_rows(learner, X, reset=False, min_rows=1)
        return parts.choice.utilities(X, state.known(parts), state.trained)

    def _answer(self, function, X):
        """Return ``function(estimator_, X)``, block by block."""
        trainer = self._parts.trainer
        X = trainer.check_rows(self, X, reset=False, min_rows=1)
        return answer_by_blocks(partial(function, self.estimator_), X)

    def _predicting_copy(self, previous=None):
        """Return a copy whose model knows all labels.

        Prediction changes nothing, and does not see what other threads change.

        Parameters
        ----------
        previous : PoolClassifier, optional
            Earlier result of this method, with fewer labels. Its model may save time.
        """
        learner = shallow_copy(self)
        check_can_predict(learner)
        learner._check_parameters()
        state, parts = learner._state, learner._parts
        labelled, table = state.ledger.labelled, state.target.table
        if state.can_train:
            if previous is not None and not parts.trainer.goes_on:
                last = previous._state
                given = {"trained": last.trained, "n_trained": last.n_trained}
                learner._state = state = state._replace(**given)
            try:
                learner._set_state(state.train(parts))
            except Exception as error:
                if not may_be_cured(error, labelled):
                    raise
                if "training" not in state.warned_of:
                    estimator = parts.trainer.estimators[0]
                    warn_of_cold_start(estimator, "prediction", error, labelled)
        if not learner._state.is_trained:
            codes = labelled.codes if len(labelled) else [0]
            learner.estimator_ = Prior(table[codes] if len(table) else table)
        return learner

    def __sklearn_tags__(self):
        tags, takes_label_sets = super().__sklearn_tags__(), False
        with suppress(AttributeError, TypeError, ValueError):
            # the verbs refuse a wrong parameter, repr must not
            takes_label_sets = self.make_rule().takes_label_sets
            self.make_trainer().adapt_tags(tags)
        is_stopped = getattr(self, "stopping", None) is not None
        tags.classifier_tags.multi_label = takes_label_sets and not is_stopped
        return tags
