"""What all pool learners are: labelled rows, a model, a choice among the others."""

from contextlib import suppress
from copy import copy
from functools import partial
from itertools import compress
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from .._base import (
    ActiveClassifier,
    draw_seeds,
    validate_and_append,
    validate_and_reset,
)
from .._compat import (
    CALLBACK_ATTRIBUTES,
    CallbackSupportMixin,
    available_if,
    with_callbacks,
)
from .._docstrings import LEARNER, POOL, documented
from .._labels import (
    check_classes,
    distinct_labels,
    encode,
    encode_answers,
    first_missing_label,
)
from .._requests import Purchase
from .._transaction import (
    Transaction,
    begin_transaction,
    parameters_of,
    run_exclusively,
    shallow_copy,
)
from .._typing import (
    Classifier,
    Embedding,
    Floats,
    Initial,
    Ints,
    Label,
    Labels,
    PoolQuery,
    RowsLike,
    Seed,
    Stopping,
    typed_as,
)
from .._validation import UNLIMITED, check_budget, check_flag, check_limit, check_number
from .._warnings import advice_for_rare_classes, warn_of_constant_answer
from ..sources._containers import (
    NO_ROWS,
    hash_rows,
    n_rows,
    rows_of_mask,
    take,
    to_memory,
)
from ..sources._identity import VALUES, ByValue, identify
from ..sources._source import Source
from . import _record
from ._distances import space_of
from ._input_checks import NEEDS_ALL, NEEDS_SAMPLE, check_has, in_memory
from ._ledger import (
    Labelled,
    Ledger,
    Pool,
    TeachCall,
    corrected,
    train_on_values,
    trained_if_possible,
)
from ._selection import (
    NOTHING,
    CandidateSample,
    Selection,
    check_columns_of,
    drawn_apart,
    drawn_at_random,
    explored,
    finite_scores,
    mixed,
    scored,
)
from ._training import Known, OneModel, Trainer, seeded
from ._utilities import scores_of
from .stopping._base import (
    AUDIT,
    check_rule_classes,
    check_rule_models,
    n_random_wanted,
    rules_that_draw,
    why_stop,
)


def pick(self, X, rows, limit):
    """Choose among these row numbers of X, put the choice on the bill."""
    self.stop_reason_ = None
    selection, n_left, n_rows = self._selection, self._n_left(), len(rows)
    n_first = self._n_first()
    is_cold = self._is_cold_start(n_first)
    n_batch = min(selection.n_wanted(n_first), n_rows)
    n_wanted = min(n_batch, n_left)
    # a seed of its own for each round: nothing to rewind after an error
    seed = self._seed, self._n_rounds
    sample = CandidateSample(X, rows)
    if self._samples and self.n_candidates is not None:
        # the random rows of a batch leave enough, also if it is cut short
        sample = sample.drawn(max(self.n_candidates, n_batch), seed)
    if n_wanted and not is_cold and self._uses_model:
        self._train_if_needed()  # the last training may have failed
    if n_left == 0:
        self.stop_reason_ = "budget"
    elif n_wanted and not is_cold and (rule := why_stop(self, sample, n_rows)):
        self.stop_reason_ = rule
    elif n_rows == 0:
        self.stop_reason_ = "no rows"
    elif limit == 0:
        self.stop_reason_ = "limit"
    if self.stop_reason_ is not None:
        return NOTHING
    n_wanted = min(n_wanted, limit)
    if not is_cold and (n_random := n_random_wanted(self)):
        n_random = min(n_random, n_wanted)
        bought = drawn_at_random(np.asarray(rows), n_random, seed, AUDIT)
    else:
        initial = selection.initial_for(n_first) if is_cold else None
        share = selection.random_share(initial, self.explore)
        is_random, bought = explored(share, rows, n_batch, n_wanted, seed)
        sample, own = sample.without(bought.rows), NOTHING
        if n_own := n_wanted - np.count_nonzero(is_random):
            own = chosen(self, sample, initial, n_own, seed, bought.rows)
        bought = mixed(is_random, bought, own)
    self._n_rounds += 1
    self.n_queries_ += len(bought.rows)
    return bought


def chosen(learner, sample, initial, n_wanted, seed, beside):
    """Return the rows that the rule of a learner chooses.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    sample : CandidateSample
        Of what.
    initial : str, callable or rows, optional
        What the rows follow; None: a model.
    n_wanted : int
        How many.
    seed : tuple of int
        Of this round.
    beside : ndarray of int
        Rows of the same purchase that were drawn.
    """
    if learner._selection.measures_distances(initial):
        sample = sample.in_memory()
        learner._points = learner._points_of(sample.X)
    learner._beside = beside if sample.numbers is None else NO_ROWS
    select, rows = learner._select if initial is None else learner._start, sample.rows
    if select.__func__ is not most_useful:  # which needs no list of them
        rows = np.asarray(rows)
    bought = select(sample.X, rows, n_wanted, seed)
    del learner._beside
    return sample.bought(bought)


def most_useful(self, X: Any, rows: Ints, n_wanted: int, seed: Any) -> Purchase:
    """Choose those of these row numbers of X that are worth most."""
    utility = self._utilities(X, rows)
    return self._selection.batch_of(X, rows, utility, n_wanted, seed, self._points)


def _model_has(method):
    """Whether the model will have a method, whichever estimator it is."""
    return lambda learner: all(
        hasattr(model, method) for model in learner._make_trainer().models()
    )


class Constant:
    """Stands in for a classifier that cannot be trained yet: always one class.

    Parameters
    ----------
    label : object
        That class.
    """

    def __init__(self, label):
        self.classes_ = np.array([label])

    def predict(self, X):
        """Return the class for each row."""
        return np.repeat(self.classes_, n_rows(X))

    def decision_function(self, X):
        """Return 0 for each row."""
        return np.zeros((n_rows(X), 1))

    def predict_proba(self, X):
        """Return probability 1 for each row."""
        return np.ones((n_rows(X), 1))


def answers(function, X):
    """Return ``function(X)``; rows of a source are answered for block by block."""
    return X.answers(function) if isinstance(X, Source) else function(X)


class DelegatedPrediction:
    """What a learner with ``_make_trainer``, ``_train`` and ``estimator_`` predicts."""

    estimator_: Any

    @available_if(_model_has("decision_function"))
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
            labelled row yet is 1 below the lowest of the others.
        """
        model, X = self._model(), self._rows(X)
        return answers(partial(self._decision_values, model), X)

    def _decision_values(self, model, X):
        scores = scores_of(model, X)
        if np.array_equal(model.classes_, self.classes_):
            return scores
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        unseen = scores.min(axis=1) - 1
        scores = self._for_all_classes(model, scores, unseen)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet.
        """
        return self._probabilities(self._model(), self._rows(X))

    def _probabilities(self, model, X):
        return answers(partial(self._all_probabilities, model), X)

    def _all_probabilities(self, model, X):
        probabilities = model.predict_proba(X)
        if np.array_equal(model.classes_, self.classes_):
            return probabilities
        return self._for_all_classes(model, probabilities, np.zeros(n_rows(X)))

    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels. As long as all labels bought are of one class, that class.
        """
        model = self._model()
        return answers(model.predict, self._rows(X))

    def _rows(self, X):
        """Return rows to predict for, in memory or not."""
        return self._make_trainer().check_rows(self, X, reset=False, min_rows=1)

    def _for_all_classes(self, model, values, unseen):
        """Give the columns of a model their places among all classes."""
        out = np.repeat(unseen[:, None], len(self.classes_), axis=1)
        out[:, encode(model.classes_, self.classes_)] = values
        return out

    def _model(self):
        """Return what predicts now; trained for the occasion if it has to be."""
        check_is_fitted(self)
        if self._labelled.has_two_classes and self._n_trained == len(self._labelled):
            return self.estimator_
        if not self._labelled.has_two_classes:
            seen = self._labelled.codes
            return Constant(self.classes_[seen[0] if len(seen) else 0])
        learner = copy(self)  # prediction changes nothing
        learner._train()
        return learner.estimator_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        with suppress(AttributeError, TypeError, ValueError):
            # a wrong parameter: the verbs refuse it, repr must not
            self._make_trainer().adapt_tags(tags)
        return tags


#: Rows of a larger pool for which predictions are looked at.
MOST_ROWS = 1_000

#: With fewer labels it is nothing unusual to know one class, or to predict one.
FEWEST_KNOWN, FEWEST_PREDICTED = 10, 50


def warn_of_one_answer(learner, X):
    """Warn if labels of one class were bought, or one class is predicted for all rows.

    That is, for the rows that were taught, 50 or more, and, only if these have one
    answer, for those of the pool, or 1,000 random ones of a larger one: it costs no
    second pass over many rows.

    Parameters
    ----------
    learner : PoolClassifier
        It buys no more, as its `stop_reason_` says.
    X : rows
        The pool.
    """
    labelled, reason = learner._labelled, learner.stop_reason_
    if reason in (None, "limit") or len(learner._ledger):
        return
    if len(labelled) < max(learner.n_initial, FEWEST_KNOWN):
        return
    codes = np.unique(labelled.codes)
    if len(codes) == 1 and reason == "budget":
        warn_of_constant_answer(
            learner,
            learner.classes_[codes[0]],
            "predicts {} for every row",
            f"since its {len(labelled)} labels are all of that class",
            learner._advice_if_one_class,
        )
    if len(codes) == 1 or not FEWEST_PREDICTED <= len(labelled) <= learner._n_trained:
        return
    answers, some = np.unique(learner.estimator_.predict(labelled.rows)), X
    if len(answers) == 1 and n_rows(X):
        some = some_rows(learner, X)
        answers = np.union1d(answers, learner.estimator_.predict(some))
    if len(answers) == 1:
        warn_of_constant_answer(
            learner,
            answers[0],
            f"predicts {{}} for all labelled rows and for {n_rows(some)} of the pool",
            f"although it has been taught labels of {len(codes)} classes",
            learner._advice_if_constant,
        )


def some_rows(learner, X):
    """Return the rows of a pool, or random ones of a large one."""
    n = n_rows(X)
    if n <= MOST_ROWS:
        return take(X, slice(None))
    rng = np.random.default_rng((learner._seed, learner._n_rounds))
    return take(X, np.sort(rng.choice(n, MOST_ROWS, replace=False)))


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
        transaction = begin_transaction(self)
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
        return run_exclusively(
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

        return run_exclusively(self, start, self._buy_from)

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
            bought = transaction.learner._pick(X, rows_of_mask(is_open), UNLIMITED)
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
        self._ledger = self._ledger.located(identity, is_for_sale)
        found = self._ledger.found
        if self._make_trainer().keeps_pool:
            places = found[self._ledger.taught]
            candidates = np.flatnonzero(is_for_sale)
            self._pool = self._pool.offered(identity, X, candidates, places)
        if identity.kind != VALUES:
            train_on_values(self, X)
        is_for_sale[found[found >= 0]] = False
        return is_for_sale

    def _note(self, identity, bought):
        """Remember what was asked for."""
        rows, ids = bought.rows, identity.names(bought.rows)
        self._ledger = self._ledger.plus(
            identity.keys(rows), rows, bought.probabilities, bought.purposes, ids=ids
        )

    def _train_and_keep(self):
        transaction = Transaction(self)
        transaction.learner._train_if_needed()
        transaction.commit()

    def _buy(self, transaction, X, identity, bought, labels):
        """Commit a transaction that picked rows, with their labels.

        Of labels that are not known the rows stay on the bill, and out. A parameter
        that the oracle has set stays set.
        """
        learner = shallow_copy(transaction.learner)
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
                self._replace_classes(classes)

    def _replace_classes(self, classes):
        """Set the classes; labels get the codes that they have among these."""
        if hasattr(self, "classes_"):
            self._labelled = self._labelled.recoded(encode(self.classes_, classes))
        super()._set_classes(classes)

    def _set_classes(self, classes):
        known = classes.tolist()
        check_rule_classes(getattr(self, "stopping", None), known, self.positive)
        self._replace_classes(classes)
        self._may_grow, self._declared_classes = False, tuple(classes.tolist())

    def _encode_answers(self, labels, rows):
        """Return what `encode_answers` does; classes may grow."""
        reason = ""
        try:
            self._register_classes(None, labels)
        except ValueError as error:
            reason = f" {error}"
            if first_missing_label(labels) >= 0:
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
        ledger = state.get("_ledger")
        if "_known_by" not in state and ledger is not None and len(ledger.places):
            self._known_by = VALUES


@documented(POOL)
class PoolClassifier(PoolLoop, DelegatedPrediction, ActiveClassifier):
    """Base of the pool learners, and of a pool learner of your own.

    A subclass provides

    - ``_utility(X)``: a number for each row, higher is bought sooner, usually from the
      trained model, ``self.estimator_``; it gets the pool in blocks. Or, if rows cannot
      be scored one by one, ``_select(X, rows, n_wanted, seed)``, which returns the
      `Purchase` of some of these row numbers;
    - ``_make_trainer()``: the `Trainer` that makes the model, by default `OneModel`;
    - ``_needs``: the method of the estimator that the utility needs, "predict" by
      default, which is checked before anything is bought;
    - ``_check_parameters()``: raises for a parameter out of its range;
    - ``_samples = True``: it has a parameter `n_candidates`, and scores so many rows
      that are drawn for each purchase;
    - ``positive``: the class that it looks for, a parameter or an attribute; None, the
      default, if it looks for none;
    - ``__init__``: with the parameters that the user may set, as scikit-learn wants it.

    Parameters
    ----------
    estimator : classifier, default=None
        The model. Cloned, never changed. None: ``LogisticRegression()``.
    {n_initial, initial, batch_size, batch, embedding, explore, budget, stopping,
    incremental, n_jobs, random_state}

    Attributes
    ----------
    estimator_ : classifier
        The model, trained on all labels: what `_utility` asks.

    {raises}

    See Also
    --------
    sklearn_activelearn.testing.check_learner : Whether a learner keeps the laws.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 2.3 (pool-based sampling).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_activelearn.pool import PoolClassifier
    >>> class GiniSamplingClassifier(PoolClassifier):
    ...     _needs = "predict_proba"
    ...
    ...     def _utility(self, X):
    ...         return 1 - (self.estimator_.predict_proba(X) ** 2).sum(axis=1)
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = GiniSamplingClassifier(budget=30, random_state=0).fit(X, y)
    >>> print(learner.n_queries_, learner.score(X, y) > 0.9)
    30 True
    """

    #: Method of the estimator that the utility needs, and what to do without it.
    _needs: str = "predict"
    _advice_without_method: str = ""

    #: Whether it chooses among `n_candidates` rows that are drawn for each purchase.
    _samples: bool = False

    #: What to do if all labels are of one class, or all rows are predicted to be.
    _advice_if_one_class: str = advice_for_rare_classes(
        "raise the budget, or begin with what is known of them: teach it such rows, or "
        "pass some as initial"
    )
    _advice_if_constant: str = advice_for_rare_classes(
        "set class_weight='balanced' in its estimator, if that has it, or teach it "
        "more of their rows"
    )

    #: Rows of a purchase that were drawn before the others are chosen.
    _beside = NO_ROWS

    #: Of learners without these parameters.
    initial, batch, embedding, explore, n_jobs = "random", "top", None, 0.0, None
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
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        incremental: bool = False,
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
        self.budget = budget
        self.stopping = stopping
        self.incremental = incremental
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_trainer(self) -> Trainer:
        estimator = LogisticRegression() if self.estimator is None else self.estimator
        return OneModel(estimator, self.incremental)

    def _utility(self, X: Any) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} needs _utility or _select.")

    def _follows_from_labels(self):
        """Whether what it asks for and predicts follows from its labels alone."""
        trainer = self._make_trainer()
        return not (trainer.goes_on or trainer.keeps_pool)

    def _check_parameters(self) -> None:
        trainer = self._make_trainer()
        trainer.check()
        for estimator in trainer.estimators:
            check_has(
                self._needs, estimator, type(self).__name__, self._advice_without_method
            )
        if self.stopping is not None:
            check_rule_models(self.stopping, trainer.models())
        self._selection.check()
        check_budget(self.budget, 0)
        check_number(self.explore, "explore", 0, 1, closed="both")
        if self._samples and self.n_candidates is not None:
            check_limit(self.n_candidates, "n_candidates", 1)
        if self.n_jobs is not None:
            check_number(self.n_jobs, "n_jobs", None, integer=True)
            effective_n_jobs(self.n_jobs)

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        trainer = self._make_trainer()
        if type(X) is not np.ndarray and (why := self._why_in_memory(trainer)):
            X = in_memory(X, type(self).__name__, why)
        out = trainer.check_rows(self, X, *y, reset=reset, min_rows=min_rows)
        if reset and (y or not hasattr(self, "_labelled")):  # it begins
            names = getattr(self, "feature_names_in_", None)
            rows = out[0] if y else out
            check_columns_of(self.initial, self.embedding, rows, names)
        return out

    def _why_in_memory(self, trainer):
        """Say why it takes no pool that is not in memory, "" if it does."""
        if trainer.keeps_pool:
            return NEEDS_ALL
        n_candidates = self.get_params(deep=False).get("n_candidates")
        return NEEDS_SAMPLE if n_candidates is None and self._measures_distances else ""

    @property
    def _measures_distances(self):
        """Whether a row is chosen for what other rows of the pool are."""
        return self._selection.measures_distances(self.initial)

    def _reset(self):
        (self._seed,) = draw_seeds(self.random_state, 1).tolist()
        self._labelled, self._pool = Labelled(), Pool()
        self._ledger, self._teach_calls = Ledger(), ()
        self._n_rounds = self._n_offered = self.n_queries_ = 0
        self._may_grow, self._declared_classes = True, ()
        self.queried_indices_, self.stop_reason_ = NO_ROWS, None
        self._seeded = self._trained = self._points = None
        self.__dict__.pop("classes_", None)
        self._forget_model()

    def _forget_model(self):
        """Set what training makes to that of a learner that was never trained."""
        self._n_trained, self._stopping_memory, self._has_stopped = 0, {}, False
        attributes = self._trained.attributes if self._trained else ()
        for name in ("estimator_", *attributes):
            self.__dict__.pop(name, None)
        self._trained = None

    @property
    def n_taught_(self) -> int:
        """Labels taught, bought or not."""
        return len(self._labelled)

    @property
    def n_skipped_(self) -> int:
        """Rows that were skipped and not taught later."""
        return self._ledger.n_skipped

    @property
    def _prototypes(self):
        """What is cloned for each training; made again after `set_params`."""
        if self._seeded is None:
            self._seeded = [
                seeded(estimator, self._seed % 2**32)
                for estimator in self._make_trainer().estimators
            ]
        return self._seeded

    def _set_params(self, params):
        super()._set_params(params)
        if hasattr(self, "_seeded"):  # estimators are taken over by the next training
            self._seeded = self._points = None

    def _choose(self, X, identity, candidates, limit):
        rows = rows_of_mask(self._offer(X, identity, candidates))
        self._n_offered = max(self._n_offered, self.n_queries_ + len(rows))
        before, bought = self.stop_reason_, self._pick(X, rows, limit)
        if self.stop_reason_ != before:
            warn_of_one_answer(self, X)
        self._note(identity, bought)
        return bought

    _pick, _select = pick, most_useful

    def _points_of(self, X):
        """Return the rows of a pool as points, those of the last query if they are."""
        names = getattr(self, "feature_names_in_", None)
        return self._selection.points(X, self._points, self._seed, names)

    @property
    def _selection(self):
        return Selection(
            self.n_initial, self.batch_size, self.initial, self.batch, self.embedding
        )

    @property
    def _space(self):
        """The pool as points, if distances are measured, and what is known."""
        if self._points is None:
            return None
        space = space_of(self._points, self._ledger, self._labelled)
        return space.beside(self._beside)

    def _n_first(self):
        """Return how many of the first rows are missing.

        No more are wanted once labels that nobody asked for have shown two classes.
        """
        n_missing = self.n_initial - len(self._labelled) - len(self._ledger)
        if n_missing <= 0:
            return 0
        knows = self._labelled.has_two_classes and self._ledger.has_unasked
        return 0 if knows else n_missing

    def _is_cold_start(self, n_first):
        """Whether rows are bought without a model, with so many first ones missing."""
        return n_first > 0 or not self._labelled.has_two_classes

    def _start(self, X, rows, n_wanted, seed):
        """Choose some of these row numbers of X without a model."""
        selection, wanted = self._selection, (rows, n_wanted, seed)
        initial = selection.initial_for(self._n_first())
        if not isinstance(initial, str):
            how = self._space, self.n_jobs, self._prototypes
            return selection.following(X, *wanted, *how)
        if initial != "random":
            return selection.covering(*wanted, self._space)
        return drawn_apart(hash_rows(X, rows), *wanted)

    def _at_random(self, X, rows, n_wanted, seed):
        """Draw some of these row numbers of X."""
        return drawn_at_random(rows, n_wanted, seed)

    def _utilities(self, X, rows):
        """Return what each of these row numbers of X is worth."""
        utility = scored(self._utility, X, rows, self.n_jobs, self._prototypes)
        return finite_scores(utility, rows, self.estimator_)

    def _n_left(self):
        """Return how many labels the budget allows yet."""
        return max(check_budget(self.budget, self._n_offered) - self.n_queries_, 0)

    @property
    def _uses_model(self):
        """Whether a model decides what to buy, or when to stop."""
        return True

    def _store_labels(self, X, identity, codes):
        X = to_memory(X)
        identity = identity.part(X)
        self._ledger = self._ledger.answered(identity.keys(), identity.names())
        names = getattr(self, "feature_names_in_", None)
        self._labelled = self._labelled.plus(X, codes, names)
        self._pool = self._pool.taught(self._ledger)
        self._teach_calls = (
            *self._teach_calls,
            TeachCall(len(self._labelled), self._declared_classes),
        )

    def _pending(self, identity):
        return self._ledger.pending(identity)

    def _skip(self, identity):
        n_out = len(self._ledger)
        known = () if identity is None else (identity.keys(), identity.names())
        self._ledger = self._ledger.skipped(*known)
        return n_out - len(self._ledger)

    def _refund(self, n_labels):
        self.n_queries_ -= n_labels

    _after_teach = trained_if_possible

    def _train_if_needed(self):
        """Train the model if labels came in since, and if they are of two classes."""
        if self._n_trained < len(self._labelled) and self._labelled.has_two_classes:
            self._train()

    def _train(self):
        trained = self._make_trainer().train(Known.of(self), self._trained)
        self._trained, self.estimator_ = trained, trained.model
        vars(self).update(trained.attributes)
        self._n_trained = len(self._labelled)
