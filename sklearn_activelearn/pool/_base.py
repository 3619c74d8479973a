"""What all pool learners are: labelled rows, a model, a choice among the others."""

from itertools import compress, product
from typing import Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from .._containers import NO_ROWS, loaded, n_rows, numbers_of, row_keys
from .._docstrings import LEARNER, documented
from .._labels import check_classes, distinct_labels, encode
from .._protocol import ActiveClassifier
from .._transaction import begin
from .._typing import PoolQuery, RowsLike, typed_as
from .._validation import check_budget, check_flag, check_limit, check_number
from ._correction import TeachCall, corrected, trained_if_possible
from ._coverage import space_of
from ._input_checks import NEEDS_ALL, NEEDS_SAMPLE, check_has, in_memory
from ._labelled import Labelled
from ._ledger import Ledger
from ._loop import PoolLoop
from ._pool import Pool
from ._prediction import DelegatedPrediction
from ._sample import CandidateSample
from ._selection import NOTHING, Selection, drawn, finite_scores, scored
from ._training import Known, seeded
from .stopping._registry import find_rules, why_stop


@documented(LEARNER)
class PoolClassifier(PoolLoop, DelegatedPrediction, ActiveClassifier):
    """A classifier, what it was taught, and a utility that chooses the next rows.

    A subclass provides:

    - ``_make_trainer()``: the `Trainer` that makes its model;
    - ``_utility(X)``: a number for each row, higher is bought sooner; or, if rows
      cannot be scored one by one, ``_select(X, rows, n_wanted, seed)``, the purchase.
    """

    #: Method of the estimator that the utility needs, and what to do without it.
    _needs, _otherwise = "predict", ""

    #: Whether it chooses among `n_candidates` rows that are drawn for each purchase.
    _samples = False

    #: Of learners without these parameters.
    initial, batch, embedding = "random", "top", None

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

        Returns
        -------
        {rows, probabilities}
        utilities : ndarray of shape (n_queries,)
            Only with `return_utility`; the last of what is returned.

        Raises
        ------
        ValueError
            For rows that the estimator refuses, `candidates` or `exclude` that are no
            rows of X, or a parameter out of its range.
        {RuntimeError}
        """
        check_flag(return_probability, "return_probability")
        check_flag(return_utility, "return_utility")
        transaction, bought = self._query(X, candidates, exclude, limit)
        asked = return_probability, return_utility
        also = tuple(compress((bought.probabilities, bought.utilities), asked))
        out = (bought.rows, *also) if also else bought.rows
        transaction.commit()
        return out

    def correct(self, X: RowsLike, y: ArrayLike) -> Self:
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

        {returns}

        Raises
        ------
        ValueError
            For a row that was never taught, a label outside the classes, rows that do
            not match `y` or the features.
        {RuntimeError}

        Warns
        -----
        FitFailedWarning
            If the estimator cannot be trained on the labels. They are stored; what
            needs the model next raises the estimator's error.
        """
        transaction = begin(self)
        learner = transaction.learner
        X, y = learner._validate(X, y, min_rows=0)
        if len(y):
            transaction.learner = corrected(learner, X, y)._after_teach()
        return transaction.commit()

    def _follows_from_labels(self):
        """Whether what it asks for and predicts follows from its labels alone.

        That is, from the rows that were asked for and the labels that came, in their
        order, whenever it was trained in between. Then a session need not repeat that.
        """
        trainer = self._make_trainer()
        return not (trainer.goes_on or trainer.keeps_pool or find_rules(self.stopping))

    def _check_parameters(self):
        trainer = self._make_trainer()
        trainer.check()
        for estimator in trainer.estimators:
            check_has(self._needs, estimator, type(self).__name__, self._otherwise)
        for rule in find_rules(self.stopping):
            for model, method in product(trainer.models(), rule.needs):
                hint = "Use another estimator or rule."
                check_has(method, model, f"stopping={rule}", hint)
        self._selection.check()
        check_budget(self.budget, 0)
        if self._samples:
            check_limit(self.n_candidates, "n_candidates", 1)
        n_jobs = self.get_params(deep=False).get("n_jobs")
        if n_jobs is not None:
            check_number(n_jobs, "n_jobs", None, integer=True)
            effective_n_jobs(n_jobs)

    def _check_rows(self, X, *y, reset, min_rows=1, finite=True):
        trainer = self._make_trainer()
        if type(X) is not np.ndarray and (why := self._why_whole(trainer)):
            X = in_memory(X, type(self).__name__, why)
        return trainer.check_rows(self, X, *y, reset=reset, min_rows=min_rows)

    def _why_whole(self, trainer):
        """Say why it takes no pool that is not in memory, "" if it does."""
        if trainer.keeps_pool:
            return NEEDS_ALL
        n_candidates = self.get_params(deep=False).get("n_candidates")
        return NEEDS_SAMPLE if n_candidates is None and self._compares_rows else ""

    @property
    def _compares_rows(self):
        """Whether a row is chosen for what other rows of the pool are."""
        return self._selection.measures_distances(is_cold=True)

    def _reset(self):
        (self._seed,) = self._draw_seeds(1).tolist()
        self._labelled, self._pool = Labelled(), Pool()
        self._requests, self._teach_calls = Ledger(), ()
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
        return self._requests.n_skipped

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

    def _register_classes(self, classes, y=()):
        if not self._may_grow:
            super()._register_classes(classes)
        elif classes is not None:
            self._set_classes(check_classes(classes))
        elif len(y):
            declared, known = self._declared_classes, getattr(self, "classes_", None)
            classes = distinct_labels(y, "y", known)
            if classes is not known:
                self._set_classes(classes)
                self._may_grow, self._declared_classes = True, declared

    def _set_classes(self, classes):
        if hasattr(self, "classes_"):
            self._labelled = self._labelled.recoded(encode(self.classes_, classes))
        super()._set_classes(classes)
        self._may_grow, self._declared_classes = False, tuple(classes.tolist())

    def _validate_and_append(self, X, y, classes):
        X, codes = super()._validate_and_append(X, y, classes)
        named = self.classes_[np.unique(codes)].tolist()
        self._declared_classes = tuple(dict.fromkeys((*self._declared_classes, *named)))
        return X, codes

    def _choose(self, X, candidates, limit):
        rows = numbers_of(self._offer(X, candidates))
        self._n_offered = max(self._n_offered, self.n_queries_ + len(rows))
        bought = self._pick(X, rows, limit)
        self._note(X, bought)
        return bought

    def _offer(self, X, candidates):
        """Return which rows of X are for sale; keep the pool if need be."""
        is_for_sale = np.ones(n_rows(X), dtype=bool)
        if candidates is not None:
            is_for_sale[:] = False
            is_for_sale[candidates] = True
        located = self._requests.located(X, is_for_sale)
        if n_rows(X) and self._make_trainer().keeps_pool:
            places = located[self._requests.taught]
            self._pool = self._pool.offered(X, np.flatnonzero(is_for_sale), places)
        is_for_sale[located[located >= 0]] = False
        return is_for_sale

    def _note(self, X, bought):
        """Remember what was asked for."""
        self._requests = self._requests.plus(
            row_keys(X, bought.rows), bought.rows, bought.probabilities, bought.purposes
        )

    def _pick(self, X, rows, limit):
        """Choose among these row numbers of X, put the choice on the bill."""
        self.stop_reason_ = None
        selection, n_left, n_rows = self._selection, self._n_left(), len(rows)
        n_known = len(self._labelled) + len(self._requests)
        is_cold = self._is_cold(n_known)
        n_wanted = min(selection.n_wanted(n_known), n_left, n_rows)
        # a seed of its own for each round: nothing to rewind after an error
        seed = self._seed, self._n_rounds
        sample = CandidateSample(X, rows)
        if self._samples and self.n_candidates is not None:
            sample = sample.drawn(max(self.n_candidates, n_wanted), seed)
        if n_wanted and not is_cold and self._uses_model:
            self._catch_up()  # the last training may have failed
        if n_left == 0:
            self.stop_reason_ = "budget"
        elif n_wanted and not is_cold and (rule := why_stop(self, X, sample.rows)):
            self.stop_reason_ = rule
        elif n_rows == 0:
            self.stop_reason_ = "no rows"
        elif limit == 0:
            self.stop_reason_ = "limit"
        if self.stop_reason_ is not None:
            return NOTHING
        if selection.measures_distances(is_cold):
            sample = sample.in_memory()
            names = getattr(self, "feature_names_in_", None)
            self._points = selection.points(sample.X, self._points, self._seed, names)
        select, rows = self._start if is_cold else self._select, sample.rows
        if select.__func__ is not PoolClassifier._select:  # which needs no list of them
            rows = np.asarray(rows)
        bought = select(sample.X, rows, min(n_wanted, limit), seed)
        self._n_rounds += 1
        self.n_queries_ += len(bought.rows)
        return sample.bought(bought)

    @property
    def _selection(self):
        return Selection(
            self.n_initial, self.batch_size, self.initial, self.batch, self.embedding
        )

    def _space(self, X, rows):
        """Return the pool as points, if distances are measured, and what is known."""
        if self._points is None:
            return None
        return space_of(self._points, X, rows, self._requests, self._labelled)

    def _is_cold(self, n_known):
        """Whether rows are bought without a model, with so many taught or asked for."""
        return n_known < self.n_initial or not self._labelled.has_two_classes

    def _start(self, X, rows, n_wanted, seed):
        """Choose some of these row numbers of X without a model."""
        return self._selection.start(X, rows, n_wanted, seed, self._space(X, rows))

    def _at_random(self, X, rows, n_wanted, seed):
        """Draw some of these row numbers of X."""
        chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
        return drawn(chosen, n_wanted / len(rows))

    def _select(self, X, rows, n_wanted, seed):
        """Choose those of these row numbers of X that are worth most."""
        utility = scored(self._utility, X, rows, self.n_jobs, self._prototypes)
        utility = finite_scores(utility, rows, self.estimator_)
        return self._selection.batch_of(X, rows, utility, n_wanted, seed, self._points)

    def _n_left(self):
        """Return how many labels the budget allows yet."""
        return max(check_budget(self.budget, self._n_offered) - self.n_queries_, 0)

    @property
    def _uses_model(self):
        """Whether a model decides what to buy, or when to stop."""
        return True

    def _store_labels(self, X, codes):
        if not len(codes):
            return
        X = loaded(X)
        self._requests = self._requests.answered(row_keys(X))
        self._labelled = self._labelled.plus(X, codes)
        self._pool = self._pool.taught(self._requests)
        self._teach_calls = (
            *self._teach_calls,
            TeachCall(len(self._labelled), self._declared_classes),
        )

    def _pending(self, X):
        return self._requests.pending(X)

    def _skip(self, keys):
        n_out = len(self._requests)
        self._requests = self._requests.skipped(keys)
        return n_out - len(self._requests)

    def _refund(self, n_labels):
        self.n_queries_ -= n_labels

    _after_teach = trained_if_possible

    def _catch_up(self):
        """Train the model if labels came in since, and if they are of two classes."""
        if self._n_trained < len(self._labelled) and self._labelled.has_two_classes:
            self._train()

    def _train(self):
        trained = self._make_trainer().train(Known.of(self), self._trained)
        self._trained, self.estimator_ = trained, trained.model
        vars(self).update(trained.attributes)
        self._n_trained = len(self._labelled)
