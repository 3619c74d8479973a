"""Query rules of pool learners, and the round in which a rule chooses rows."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from ..base._requests import Purchase
from ..exceptions import advice_for_rare_classes
from ..sources._containers import (
    NO_ROWS,
    RowsExcept,
    hash_rows,
    n_rows,
    restrict_rows,
    take,
    to_memory,
)
from ..sources._source import Source
from ..utils.typing import Floats, Ints
from . import _selection as selection
from ._distances import Coverage, Space
from ._ledger import Ledger

#: A number that makes the draw of candidates differ from the other draws of a round.
SAMPLE = 1


def raise_error(error, step):
    """Raise an error of the estimator."""
    raise error


def utility_function(rule, trained, known):
    """Return the function of rows that a rule makes of a model."""
    has_label_sets = known.label_names is not None
    utility = rule.label_set_utility if has_label_sets else rule.utility
    return partial(utility, trained.asked)


class Round(NamedTuple):
    """A batch that a pool learner is about to choose: the candidates and their number.

    Attributes
    ----------
    X : rows
        The pool; some of its rows if distances are measured among these only.
    candidates : ndarray of int or RowsExcept of shape (n_candidates,)
        Row numbers of X from which the rule chooses; `rows` are the same as an array.
    n_wanted : int
        Number of rows to choose, at least 1.
    n_batch : int
        Number of rows in the whole batch. `n_wanted` is smaller if the budget or the
        limit cuts the batch short, or if some of its rows are drawn at random.
    seed : tuple of int
        Seed of the random numbers of this round.
    initial : str, callable, rows or None
        The value of the learner's `initial` by which rows are chosen while there is no
        model; None: the model chooses.
    explored : ndarray of int
        Rows of the pool that were drawn at random for the same batch.
    share : float
        Number of candidates over the number of rows that may be bought; less than 1
        for a random sample of them.
    pool_rows : ndarray of int or None
        The row numbers of the rows of X in the pool, if X is not the pool.
    points : Points or None
        The rows of X as points, if the rule measures distances.
    known : Known or None
        Labelled rows, their classes and the prototypes of the estimators.
    trained : Trained or None
        Result of the last training, if a model chooses.
    ledger : Ledger
        Requests and labels, located in the pool.
    choice : RowChoice
        Settings of the learner.
    memory : object
        ``memory`` of the last purchase of the learner that had one; None at first.
    identity : ByValue or ById or None
        Keys and ids of the rows of the pool.
    ranking : object
        What ``prepare`` of the rule has found out for its `select`.
    sample : CheckedSample or None
        Random sample that tests machine labels, for a learner that has them.
    embedder : callable
        Returns what makes points of rows, an `Embedder`.
    excuse : callable
        ``excuse(error, step)`` raises an error of the estimator, or warns that rows are
        chosen without it.
    """

    X: Any
    candidates: Ints | RowsExcept
    n_wanted: int
    n_batch: int
    seed: tuple[int, ...]
    initial: Any = None
    explored: Ints = NO_ROWS
    share: float = 1.0
    pool_rows: Ints | None = None
    points: Any = None
    known: Any = None
    trained: Any = None
    ledger: Any = None
    choice: Any = None
    memory: Any = None
    identity: Any = None
    ranking: Any = None
    sample: Any = None
    embedder: Callable[[], Any] | None = None
    excuse: Callable[[Exception, str], None] = raise_error

    @property
    def rows(self) -> Ints:
        """The candidates as an array of row numbers."""
        return np.asarray(self.candidates)

    @property
    def model(self) -> Any:
        """The model that the rule asks: `estimator_`, or the trainer's `rule_model`."""
        return self.trained.asked

    @property
    def has_label_sets(self) -> bool:
        """True if rows may have several labels."""
        return self.known.label_names is not None

    def score(self, rows: Any, function: Any = None, blame: Any = None) -> Floats:
        """Return a number for each of some rows of X, computed block by block.

        Estimators do not check the values again, unless they have a transformer.

        Parameters
        ----------
        rows : {ndarray of int, RowsExcept}
            Row numbers of X.
        function : callable, optional
            Returns a number for each row of a block; None: the utility of the rule.
        blame : object, optional
            Named by the error for a number that is not finite; None: the model.
        """
        X, n_jobs = self.X, self.choice.n_jobs
        if function is None:
            function = utility_function(self.choice.rule, self.trained, self.known)
        if blame is None:
            blame = self.trained.model
        is_checked = isinstance(X, Source | np.ndarray) or issparse(X)
        is_checked = is_checked and not self.choice.is_transformed
        score = partial(selection.score_block, function, is_checked)
        if isinstance(rows, RowsExcept):
            scores = rows.of_blocks(selection.answers_of_blocks(score, X, n_jobs))
        else:
            X, within = restrict_rows(X, rows)
            scores = selection.map_blocks(score, X, n_jobs)[within]
        return selection.check_scores(scores, rows, blame)

    @property
    def space(self) -> Space:
        """The points of the pool with the rows that need no further label."""
        return Space.of(self)

    def choose_covering(self, coverage: Coverage, weights: Any = None) -> Purchase:
        """Choose rows that cover the pool, among a sample of a large pool."""
        n = self.choice.n_covering(self.ledger)
        return selection.choose_covering(coverage, self, weights, n)

    def warn_if_equal(self, scores: Floats) -> None:
        """Warn if the model scores all rows alike, so that coverage alone decides."""
        try:
            selection.check_distinguishes(self, scores)
        except selection.NothingLearned as error:
            self.excuse(error, "equal scores")

    def sample_candidates(self, n: int) -> Self:
        """Return the round with n random candidates; all if there are no more."""
        n_all = len(self.candidates)
        if n >= n_all:
            return self
        rng = np.random.default_rng((*self.seed, SAMPLE))
        chosen = rng.choice(n_all, n, replace=False, shuffle=False)
        kept = self.candidates[np.sort(chosen)]
        return self._replace(candidates=kept, share=n / n_all)

    def with_explored(self, rows: Ints, n_wanted: int) -> Self:
        """Return the round that chooses the other rows of a batch."""
        left = self.candidates
        if len(rows) and isinstance(left, RowsExcept):
            left = left.without(rows)
        elif len(rows):
            left = np.setdiff1d(left, rows, assume_unique=True)
        return self._replace(candidates=left, explored=rows, n_wanted=n_wanted)

    def in_memory(self) -> Self:
        """Return the round with X in memory; of a sample, X holds only the sample."""
        if self.share == 1:
            return self._replace(X=to_memory(self.X))
        return self.restrict(self.rows)

    def restrict(self, rows: Ints) -> Self:
        """Return the round with X in memory that holds only these rows of the pool."""
        X, candidates = take(self.X, rows), np.flatnonzero(self.are_candidates(rows))
        return self._replace(X=X, candidates=candidates, pool_rows=rows)

    def are_candidates(self, rows: Ints) -> np.ndarray[Any, Any]:
        """Return for each of these row numbers of X whether it is a candidate."""
        if isinstance(self.candidates, RowsExcept):
            return positions_in(self.candidates.others, rows) < 0
        return positions_in(self.candidates, rows) >= 0

    def positions_of(self, pool_rows: Ints) -> Ints:
        """Return the row numbers in X of rows of the pool, -1 for rows not in X."""
        if self.pool_rows is None:
            return pool_rows
        order = np.argsort(self.pool_rows)
        found = positions_in(self.pool_rows[order], pool_rows)
        return np.where(found < 0, -1, order[found])

    def in_pool(self, purchase: Purchase) -> Purchase:
        """Return a purchase of candidates as a purchase from the pool."""
        rows, probabilities, utilities = purchase[:3]
        if self.pool_rows is not None:
            rows = self.pool_rows[rows]
        was_drawn = np.isnan(utilities)
        probabilities = np.where(was_drawn, self.share, 1) * probabilities
        return purchase._replace(rows=rows, probabilities=probabilities)


def positions_in(ascending: Ints, rows: Ints) -> Ints:
    """Return the position of each row number in an ascending array, -1 for none."""
    if not len(ascending):
        return np.full(len(rows), -1)
    positions = np.searchsorted(ascending, rows)
    positions = np.minimum(positions, len(ascending) - 1)
    return np.where(ascending[positions] == rows, positions, -1)


class Rule:
    """Base class of query rules of pool learners, also of your own.

    A rule holds parameters only. A learner returns its rule from ``make_rule()``. A
    subclass provides ``utility(model, X)`` or, if rows cannot be scored one by one,
    ``select(round)``. The other methods and attributes have defaults that suit most
    rules.

    Attributes
    ----------
    needs : str or tuple of str
        Method of the estimator that the rule needs, "predict" by default, or methods of
        which one is enough. It is checked before anything is bought.
    advice : str
        What to do with an estimator that lacks the method, for the error.
    takes_label_sets : bool
        True if rows may have several labels. The rule then has `label_set_utility`,
        too, unless it provides `select`.
    reason, first_reason : str
        Words that say why a row was chosen with a model, or before there is one, for
        ``query(X, return_reason=True)``.
    uses_model : bool
        False if rows are chosen without a model.
    samples : bool
        False if the learner's `n_candidates`, if it has one, does not mean a new random
        sample of candidates for each purchase.
    measures_distances : bool
        True if `select` needs ``round.points``.
    n_coverage, n_covering : int or None
        Number of reference rows that represent a large pool, and number of random rows
        among which rows that cover the pool are chosen, for rules that measure
        distances. None: the defaults.
    needs_pool : str or None
        Why the learner takes no pool that is not in memory, for the error; "" if it
        does. None: as its trainer says.
    share_of_labels : int or None
        A number if `batch_size` may be a share of the labels taught: the least size of
        a batch.
    ends_batches : bool
        True if `select` may return fewer rows than the round wants.
    advice_if_one_class, advice_if_constant : str
        What to do if all labels are of one class, or if the model predicts one class
        for all rows, for warnings.

    See Also
    --------
    PoolClassifier : Uses the rule.
    Round : Argument of `select`.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 3 (query rules).

    Examples
    --------
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

    needs: str | tuple[str, ...] = "predict"
    advice: str = ""
    takes_label_sets: bool = False
    reason: str = "useful"
    first_reason: str = selection.FIRST
    uses_model: bool = True
    samples: bool = True
    measures_distances: bool = False
    n_coverage: int | None = None
    n_covering: int | None = None
    needs_pool: str | None = None
    share_of_labels: int | None = None
    ends_batches: bool = False
    advice_if_one_class: str = advice_for_rare_classes(
        "raise the budget, or begin with what is known of them: teach it such rows, or "
        "pass some as initial"
    )
    advice_if_constant: str = advice_for_rare_classes(
        "set class_weight='balanced' in its estimator, if that has it, or teach it "
        "more of their rows"
    )

    # What an author writes

    def utility(self, model: Any, X: Any) -> Floats:
        """Return how useful the label of each row is; higher is bought sooner.

        Parameters
        ----------
        model : classifier
            Trained on all labels: the learner's ``estimator_``, or the ``rule_model``
            of its trainer.
        X : rows
            A block of the pool.

        Returns
        -------
        utility : ndarray of shape (n_rows,)
            A finite number for each row.
        """
        raise NotImplementedError(f"{type(self).__name__} needs utility or select.")

    def label_set_utility(self, model: Any, X: Any) -> Floats:
        """Return the utilities if rows may have several labels.

        Parameters
        ----------
        model : classifier
            A model that predicts an indicator matrix.
        X : rows
            A block of the pool.

        Returns
        -------
        utility : ndarray of shape (n_rows,)
            A finite number for each row.
        """
        raise NotImplementedError(f"{type(self).__name__} needs label_set_utility.")

    def select(self, round: Round) -> Purchase:
        """Choose ``round.n_wanted`` of the candidates ``round.rows`` with the model.

        Parameters
        ----------
        round : Round
            Pool, candidates and model.

        Returns
        -------
        purchase : Purchase
            By default the rows of the highest utilities, spread as the learner's
            `batch` says.
        """
        utility = self.utilities(round)
        selection.check_distinguishes(round, utility)
        return selection.choose_batch(round, utility, round.choice.batch)

    # What few rules need

    def check(self) -> None:
        """Raise an error if a parameter is outside its range."""

    def check_classes(self, classes: list[Any]) -> None:
        """Raise an error if the rule cannot work with these classes, all that occur."""

    def check_pool(self, identity: Any, target: Any, memory: Any) -> None:
        """Raise an error if a parameter has other rows than the pool."""

    def can_choose(self, ledger: Ledger, classes: Any) -> bool:
        """Return True if there are enough labels for a model to choose rows."""
        return ledger.labelled.has_two_classes

    def prepare(self, round: Round, limit: int) -> Round:
        """Return a round that is about to begin, with another batch or memory."""
        return round

    def utilities(self, round: Round) -> Floats:
        """Return the utility of each candidate."""
        return round.score(round.candidates)

    def quick_utility(self, model: Any, X: Any) -> Floats:
        """Return utilities by which the best rows of a large pool are found."""
        return self.utility(model, X)

    def n_best(self, round: Round) -> int:
        """Return the number of the best rows of a large pool that are looked at."""
        is_spread = round.initial is None and round.choice.batch != "top"
        return selection.BEST_PER_ROW * round.n_batch if is_spread else 0

    def coverage(self, space: Space) -> Coverage:
        """Return the coverage of a pool by its known rows."""
        return Coverage(space, 1 / space.points.typical)

    def select_first(self, round: Round) -> Purchase:
        """Choose rows without a model: by default, by the learner's `initial`."""
        X, initial, seed, rows = round.X, round.initial, round.seed, round.rows
        if isinstance(initial, str) and initial != "random":
            return round.choose_covering(self.coverage(round.space))
        if isinstance(initial, str):
            keys = hash_rows(X, rows)
            return selection.draw_different_rows(keys, rows, round.n_wanted, seed)
        if round.choice.embedding is not None and selection.is_rows(initial):
            points = round.points
            anchors = points.embed(initial)
            if len(points.keys) == n_rows(X):
                utility = selection.nearest_cosine(points.rows[rows], anchors)
                return selection.choose_batch(round, utility)
            score = partial(selection.score_by_anchors, points.to_points, anchors)
        else:
            score = partial(selection.score_by_initial, initial)
        utility = round.score(rows, score, initial)
        return selection.choose_batch(round, utility)

    def to_record(self, memory: Any) -> dict[str, Any]:
        """Return what the rule remembers as JSON, by names of fields of the record."""
        return {}

    def from_record(self, record: Any) -> Any:
        """Return what the rule remembered when the record was made."""
        return None


class RandomRule(Rule):
    """Random rows, all equally likely, whatever is known.

    Parameters
    ----------
    needs : str
        Method of the estimator that the learner needs.
    uses_model : bool
        False if the model need not be trained before each purchase.
    takes_label_sets : bool
        True if rows may have several labels.
    """

    reason = first_reason = selection.RANDOM

    def __init__(self, needs="predict", uses_model=False, takes_label_sets=True):
        self.needs, self.uses_model = needs, uses_model
        self.takes_label_sets = takes_label_sets

    def select(self, round):
        """Draw random rows."""
        return selection.draw_rows(round.rows, round.n_wanted, round.seed)

    select_first = select
