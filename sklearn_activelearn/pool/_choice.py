"""The choice of rows: from a round of a learner to a purchase."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from ..base._parameters import (
    check_count_or_share,
    check_limit,
    check_number,
    check_option,
    is_share,
)
from ..base._requests import Purchase
from ..sources._containers import NO_ROWS, hash_rows, n_rows, take
from ..sources._source import Source
from . import _selection as selection
from ._distances import MOST_ROWS, check_embedding
from ._ledger import PENDING
from ._rule import Round, Rule, utility_function
from ._state import LearnerState
from ._training import Known
from .stopping import _base as stopping_rules

#: Distances are measured among all rows of a pool of at most this size. Of a larger one
#: they are measured among N_SAMPLED random rows and the rows of the highest utilities.
MOST_MEASURED, N_SAMPLED = 50_000, 10_000

#: Makes the draw of rows that represent a large pool differ from the draws of a round.
REPRESENT = 4


class QueryAnswer(NamedTuple):
    """Answer to a query.

    Attributes
    ----------
    purchase : Purchase
        Rows to buy, perhaps none.
    stop_reason : str or None
        Why there are none, as in ``stop_reason_``.
    memory : object
        What the query rule remembers.
    remembered : Remembered or None
        Memory of the stopping rules.
    """

    purchase: Purchase
    stop_reason: str | None = None
    memory: Any = None
    remembered: Any = None


@dataclass(frozen=True)
class RowChoice:
    """Settings by which a learner chooses rows; the parameters of the same names.

    Parameters
    ----------
    rule : Rule
        The query rule.
    name : str
        Name of the learner, for warnings.
    is_transformed : bool
        True if an estimator transforms rows, and checks their values itself.
    """

    rule: Rule
    name: str = "learner"
    n_initial: int = 10
    initial: Any = "random"
    batch_size: int | float = 1
    batch: str = "top"
    embedding: Any = None
    explore: float = 0.0
    n_candidates: int | None = None
    stopping: Any = None
    n_jobs: int | None = None
    positive: Any = None
    is_transformed: bool = False

    def check(self):
        """Raise an error if a parameter is outside its range."""
        check_number(self.n_initial, "n_initial", 1, closed="left", integer=True)
        if self.rule.share_of_labels is None:
            check_number(self.batch_size, "batch_size", 1, closed="left", integer=True)
        else:
            check_count_or_share(self.batch_size, "batch_size")
        if self.rule.samples:
            check_limit(self.n_candidates, "n_candidates", 1)
        check_option(self.batch, "batch", selection.BATCHES)
        check_embedding(self.embedding)
        if not isinstance(self.initial, str) or self.initial not in selection.STARTS:
            selection.check_initial(self.initial, self.embedding)
        check_number(self.explore, "explore", 0, 1, closed="both")
        if self.n_jobs is not None:
            check_number(self.n_jobs, "n_jobs", None, integer=True)
            effective_n_jobs(self.n_jobs)
        stopping_rules.find_rules(self.stopping)

    # Sizes

    def n_first(self, ledger):
        """Return how many of the `n_initial` first rows are still to be bought.

        No row, as soon as labels that nobody asked for are of two classes.
        """
        n_missing = self.n_initial - len(ledger.labelled) - len(ledger)
        if n_missing <= 0:
            return 0
        knows = ledger.labelled.has_two_classes and ledger.has_unasked_labels
        return 0 if knows else n_missing

    def n_next(self, ledger):
        """Return the number of rows of the next batch."""
        if self.rule.share_of_labels is None or not is_share(self.batch_size):
            return self.batch_size
        n = int(self.batch_size * len(ledger.labelled))
        return max(self.rule.share_of_labels, n)

    def n_rounds_left(self, ledger, n_left):
        """Return the number of rounds that buy this number of rows; None: unknown."""
        # rules that draw rows may end batches early
        is_known = not stopping_rules.rules_that_draw(self.stopping)
        if not is_known or is_share(self.batch_size) or self.rule.ends_batches:
            return None
        n_first = min(self.n_first(ledger), n_left)
        return (n_first > 0) + -(-(n_left - n_first) // self.batch_size)

    def n_covering(self, ledger):
        """Return the number of random rows among which rows that cover are chosen."""
        n = self.rule.n_covering or MOST_ROWS
        return max(n, self.n_initial, self.n_next(ledger))

    # A round

    def start_round(
        self,
        X: Any,
        rows: Any,
        limit: int,
        n_left: int,
        state: LearnerState,
        known: Known,
        identity: Any,
        **values: Any,
    ) -> Round:
        """Return the round of the next purchase: how many rows, and among which.

        Parameters
        ----------
        X : rows
            The pool.
        rows : ndarray of int or RowsExcept
            Row numbers that may be bought.
        limit : int
            Largest number of rows that the caller takes.
        n_left : int
            Number of labels that the budget leaves.
        state : LearnerState
            State with the ledger located in the pool.
        known : Known
            Its labelled rows.
        identity : ByValue or ById
            Keys and ids of the rows of X.
        **values : dict
            Other attributes of the `Round`.
        """
        ledger = state.ledger
        n_first, initial = self.n_first(ledger), None
        if n_first or not self.rule.can_choose(ledger, known.classes):
            initial = self.initial_for(n_first)
        n_batch = min(n_first or self.n_next(ledger), len(rows))
        # not a random state, which an error would have to restore
        seed = state.seed, state.n_rounds
        given = {"known": known, "ledger": ledger, "memory": state.rule_memory}
        given |= {"choice": self, "identity": identity, **values}
        round = Round(X, rows, n_batch, n_batch, seed, initial, **given)
        round = self.rule.prepare(round, limit)
        round = round._replace(n_wanted=min(round.n_batch, n_left))
        if self.rule.samples and self.n_candidates is not None:
            # a whole batch at least: enough are left once its random rows are drawn
            round = round.sample_candidates(max(self.n_candidates, n_batch))
        return round

    def choose(
        self,
        round: Round,
        rows: Any,
        limit: int,
        n_left: int,
        remembered: Any,
        earlier: Callable[[int], Any],
    ) -> QueryAnswer:
        """Return the purchase of a round, or why nothing is bought.

        Parameters
        ----------
        round : Round
            Its model is trained, if it needs one.
        rows, limit, n_left
            As for `start_round`.
        remembered : Remembered
            Memory of the stopping rules.
        earlier : callable
            ``earlier(n_labels)`` returns the model on the first labels.
        """
        # whether to buy
        stop_reason, n_audit, n_for_sale = None if n_left else "budget", 0, len(rows)
        rules = self.stopping and stopping_rules.find_rules(self.stopping)
        if round.n_wanted and round.initial is None and rules:
            verdict = self._judge(rules, round, n_for_sale, remembered, earlier)
            stop_reason, n_audit, remembered = verdict
        # after the rules: limit=0 is the way to ask them without a purchase
        if stop_reason is None and (n_for_sale == 0 or limit == 0):
            stop_reason = "limit" if n_for_sale else "no rows"
        memory = round.memory
        if stop_reason is not None:
            return QueryAnswer(selection.NO_PURCHASE, stop_reason, memory, remembered)
        # what to buy: rows for a test of the stopping rules, or a batch
        n_wanted = min(round.n_wanted, limit)
        if n_audit := min(n_audit, n_wanted):
            purchase = selection.draw_rows(
                np.asarray(rows), n_audit, round.seed, stopping_rules.AUDIT
            )
            return QueryAnswer(purchase, None, memory, remembered)
        share = selection.explored_share(self.explore, round.initial)
        if share:
            purchase = self._explore(round, share, rows, n_wanted)
        else:
            purchase = self.apply_rule(round._replace(n_wanted=n_wanted))
        if purchase.memory is not None:
            memory = purchase.memory
        return QueryAnswer(purchase, None, memory, remembered)

    def _explore(self, round, share, rows, n_wanted):
        """Return the purchase of a batch, of which a share is drawn at random."""
        # drawn before the model chooses, so that their probability is known
        is_random, explored = selection.draw_explored(
            share, rows, round.n_batch, n_wanted, round.seed
        )
        chosen = selection.NO_PURCHASE
        if n_chosen := n_wanted - np.count_nonzero(is_random):
            chosen = self.apply_rule(round.with_explored(explored.rows, n_chosen))
        purchase = selection.merge_purchases(is_random, explored, chosen)
        if round.initial is not None:
            purchase = purchase._replace(reasons=self.rule.first_reason)
        return purchase

    def initial_for(self, n_first):
        """Return the value of `initial` for rows that are bought without a model.

        After the first rows, a model is missing because all labels are of one class.
        Rows that cover the pool have then not shown a second class, so that further
        rows are drawn at random.
        """
        is_kept = n_first or not isinstance(self.initial, str)
        return self.initial if is_kept else "random"

    def without_model(self, round):
        """Return the round whose rows are chosen without a model, after the start."""
        return round._replace(initial=self.initial_for(0))

    def _judge(self, rules, round, n_for_sale, remembered, earlier):
        """Ask the stopping rules."""
        known = round.known
        labelled, classes = known.labelled, known.classes
        stopping_rules.check_rule_classes(rules, classes.tolist())
        progress = stopping_rules.Progress(
            round.trained and round.trained.model,  # some rules need none
            round.X,
            round.rows,
            labelled.rows,
            known.labels,
            earlier,
            stopping_rules.AskedRows.of(round.ledger, n_for_sale),
            self.positive,
            round.sample,
        )
        return stopping_rules.judge(rules, progress, remembered)

    def apply_rule(self, round):
        """Choose rows by the model, or by `initial` while there is none."""
        if round.initial is not None:
            return self._apply_initial(round)
        here, measures = round, self.rule.measures_distances or self.batch != "top"
        if measures:
            try:
                best = self._find_best(round)
            except Exception as error:
                return self._apply_without_model(round, error, "choice")
            # outside the block: an embedding that fails is no reason to go on without
            # a model
            here = self._with_points(round, best)
        try:
            purchase = self.rule.select(here)
        except Exception as error:
            is_equal = isinstance(error, selection.NothingLearned)
            step = "equal scores" if is_equal else "choice"
            return self._apply_without_model(round, error, step)
        if isinstance(purchase.reasons, str) and not purchase.reasons:
            purchase = purchase._replace(reasons=self.rule.reason)
        return here.in_pool(purchase)

    def _apply_initial(self, round):
        initial = round.initial
        if self.rule.measures_distances or self.batch != "top":
            measures = True
        elif isinstance(initial, str):
            measures = initial != "random"
        else:
            measures = self.embedding is not None and selection.is_rows(initial)
        here = self._with_points(round) if measures else round
        purchase = here.in_pool(self.rule.select_first(here))
        return purchase._replace(reasons=self.rule.first_reason)

    def _apply_without_model(self, round, error, step):
        round.excuse(error, step)
        return self.apply_rule(self.without_model(round))

    def utilities(self, X, known, trained):
        """Return the utility of each row of X, in memory or not, outside a purchase."""
        if isinstance(X, Source):
            utility = utility_function(self.rule, trained, known)
            return X.answers(partial(selection.score_block, utility, True))
        rows = np.arange(n_rows(X))
        given = {"known": known, "trained": trained, "choice": self}
        return self.rule.utilities(Round(X, rows, len(rows), len(rows), (0,), **given))

    # Distances, and large pools

    def _is_represented(self, round):
        """Return True if distances are measured among some rows of a large pool."""
        # with a share below 1, the candidates alone are measured, which are few
        return round.share == 1 and n_rows(round.X) > MOST_MEASURED

    def _find_best(self, round):
        """Return the rows of a large pool among which a model chooses by distances."""
        n_best = self.rule.n_best(round) if self._is_represented(round) else 0
        if not n_best:
            return NO_ROWS
        X, rows, n_best = round.X, round.candidates, min(n_best, len(round.candidates))
        quick = partial(self.rule.quick_utility, round.model)
        utility = round.score(rows, None if round.has_label_sets else quick)
        keys = [lambda some: hash_rows(X, rows[some])]
        chosen = selection.find_best_different(utility, n_best, round.seed, keys)
        return rows[chosen]

    def _with_points(self, round, best=NO_ROWS):
        """Return the round with points, between which distances are measured.

        Parameters
        ----------
        round : Round
            Rows of the pool, in memory or not.
        best : ndarray of int
            Rows of a large pool that must be among the points.
        """
        embed = round.embedder().embed
        if not self._is_represented(round):
            here = round.in_memory()
            return here._replace(points=embed(here.X))
        X, initial, ledger = round.X, round.initial, round.ledger
        n_covering = self.n_covering(ledger)
        n = min(max(N_SAMPLED, n_covering, self.rule.n_coverage or 0), n_rows(X))
        # random rows represent the pool, the same ones in each round
        rng = np.random.default_rng((round.seed[0], 0, REPRESENT))
        sample = np.sort(rng.choice(n_rows(X), n, replace=False, shuffle=False))
        covers = isinstance(initial, str) and initial != "random"
        if initial is not None and not covers:
            # all rows are scored or drawn; the points check the embedding
            return round._replace(points=embed(take(X, sample)))
        # beside them stand the rows that the rule compares with each other
        is_pending = (ledger.positions == PENDING) & (ledger.found >= 0)
        others = [best, ledger.found[is_pending], round.explored]
        if np.count_nonzero(round.are_candidates(sample)) < n_covering:
            others.append(round.sample_candidates(n_covering).rows)
        others = np.setdiff1d(np.concatenate(others), sample)
        here = round.restrict(np.append(sample, others))
        return here._replace(points=embed(here.X, n))
