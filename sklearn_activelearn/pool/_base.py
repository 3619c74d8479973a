"""What all pool learners are: labelled rows, a model, a choice among the others."""

from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from sklearn.linear_model import LogisticRegression

from .._beginning import draw_seeds
from .._containers import NO_ROWS, exact_keys, loaded, numbers_of
from .._docstrings import POOL
from .._documented import documented
from .._protocol import ActiveClassifier
from .._typing import Classifier, Embedding, Floats, Initial, Label, Seed, Stopping
from .._validation import check_budget, check_limit, check_number
from .._warnings import where_rare
from ._choice import most_useful, pick
from ._correction import TeachCall, trained_if_possible
from ._coverage import space_of
from ._first_rows import check_columns_of
from ._input_checks import NEEDS_ALL, NEEDS_SAMPLE, check_has, in_memory
from ._labelled import Labelled
from ._ledger import Ledger
from ._loop import PoolLoop
from ._one_class import warn_of_one_answer
from ._pool import Pool
from ._prediction import DelegatedPrediction
from ._selection import (
    Selection,
    drawn_apart,
    drawn_at_random,
    finite_scores,
    scored,
)
from ._training import Known, OneModel, Trainer, seeded
from .stopping._registry import check_rule_models


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
    _otherwise: str = ""

    #: Whether it chooses among `n_candidates` rows that are drawn for each purchase.
    _samples: bool = False

    #: What to do if all labels are of one class, or all rows are predicted to be.
    _cure_of_one_label: str = where_rare(
        "raise the budget, or begin with what is known of them: teach it such rows, or "
        "pass some as initial"
    )
    _cure_of_one_answer: str = where_rare(
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
            check_has(self._needs, estimator, type(self).__name__, self._otherwise)
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
        if type(X) is not np.ndarray and (why := self._why_whole(trainer)):
            X = in_memory(X, type(self).__name__, why)
        out = trainer.check_rows(self, X, *y, reset=reset, min_rows=min_rows)
        if reset and (y or not hasattr(self, "_labelled")):  # it begins
            names = getattr(self, "feature_names_in_", None)
            rows = out[0] if y else out
            check_columns_of(self.initial, self.embedding, rows, names)
        return out

    def _why_whole(self, trainer):
        """Say why it takes no pool that is not in memory, "" if it does."""
        if trainer.keeps_pool:
            return NEEDS_ALL
        n_candidates = self.get_params(deep=False).get("n_candidates")
        return NEEDS_SAMPLE if n_candidates is None and self._compares_rows else ""

    @property
    def _compares_rows(self):
        """Whether a row is chosen for what other rows of the pool are."""
        return self._selection.measures_distances(self.initial)

    def _reset(self):
        (self._seed,) = draw_seeds(self.random_state, 1).tolist()
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

    def _choose(self, X, identity, candidates, limit):
        rows = numbers_of(self._offer(X, identity, candidates))
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
        space = space_of(self._points, self._requests, self._labelled)
        return space.beside(self._beside)

    def _n_first(self):
        """Return how many of the first rows are missing.

        No more are wanted once labels that nobody asked for have shown two classes.
        """
        n_missing = self.n_initial - len(self._labelled) - len(self._requests)
        if n_missing <= 0:
            return 0
        knows = self._labelled.has_two_classes and self._requests.has_unasked
        return 0 if knows else n_missing

    def _is_cold(self, n_first):
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
        return drawn_apart(exact_keys(X, rows), *wanted)

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
        X = loaded(X)
        identity = identity.part(X)
        self._requests = self._requests.answered(identity.keys(), identity.names())
        names = getattr(self, "feature_names_in_", None)
        self._labelled = self._labelled.plus(X, codes, names)
        self._pool = self._pool.taught(self._requests)
        self._teach_calls = (
            *self._teach_calls,
            TeachCall(len(self._labelled), self._declared_classes),
        )

    def _pending(self, identity):
        return self._requests.pending(identity)

    def _skip(self, identity):
        n_out = len(self._requests)
        known = () if identity is None else (identity.keys(), identity.names())
        self._requests = self._requests.skipped(*known)
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
