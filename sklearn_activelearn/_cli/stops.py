"""Where rules that stop at a recall would have ended a search with known labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .._statistics import hypergeometric_p, rank_in_sample
from .._typing import Bools, Ints
from ..pool import RecallTarget, StoppingRule

RECALL, ALPHA = 0.95, 0.05
#: Irrelevant rows in a row after which people stop.
IN_A_ROW = 100
#: Relevant rows that a random sample is to hold.
IN_SAMPLE = 80


class Stop(NamedTuple):
    """Where a rule ends a run."""

    n_read: int
    recall: float


@dataclass(frozen=True)
class AuditStart(StoppingRule):
    """Remembers after how many labels an audit would begin; never stops."""

    def judge(self, progress, memory):
        """Return False, and that number if it is known."""
        memory = memory or {}
        if "begin" in memory:
            return False, memory
        target = RecallTarget(RECALL, 1 - ALPHA)
        has_ended, own = target.judge(progress, memory.get("own"))
        if has_ended or target.n_random(own):
            return False, {"begin": float(len(progress.labels))}
        return False, {"own": own}

    @staticmethod
    def of(learner: Any) -> int | None:
        """Return that number for a learner that was fitted with it; None: never."""
        (memory,) = learner.record()["stopping"] or [None]
        return None if not memory or "begin" not in memory else int(memory["begin"])


def looks(n_rows: int) -> Iterator[int]:
    """Yield after how many rows a learner would ask for more."""
    n_read = 20
    while n_read < n_rows:
        yield n_read
        n_read += max(10, n_read // 20)


def hypergeometric_stop(relevant: Bools, recall: float, alpha: float) -> int:
    """Return the rows read at the stop of the hypergeometric test.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_rows,)
        Whether each row is relevant, in the order in which they are read.
    recall, alpha : float
        The target, and the level.
    """
    n = len(relevant)
    for n_read in looks(n):
        known = relevant[:n_read]
        if known.any() and hypergeometric_p(known, n, recall) < alpha:
            return n_read
    return n


def sample_stop(
    relevant: Bools, recall: float, alpha: float, rng: np.random.Generator
) -> tuple[int, Bools] | None:
    """Return the rows ranked at the stop of the quantile rule; None: too few relevant.

    Parameters
    ----------
    relevant, recall, alpha
        As for `hypergeometric_stop`.
    rng : Generator
        Draws the sample.

    Returns
    -------
    n_ranked, is_read : int, ndarray of bool of shape (n_rows,)
        And which rows are read by then, those of the sample among them.
    """
    n = len(relevant)
    is_read = np.zeros(n, dtype=bool)
    n_sample = min(n, round(IN_SAMPLE / relevant.mean()))
    is_read[rng.choice(n, n_sample, replace=False)] = True
    j = rank_in_sample(int((relevant & is_read).sum()), recall, alpha)
    if j is None:
        return None
    n_ranked = int(np.flatnonzero(relevant & is_read)[j - 1]) + 1
    is_read[:n_ranked] = True
    return n_ranked, is_read


def count_stop(relevant: Bools, n_in_a_row: int) -> int:
    """Return the rows read when so many in a row were irrelevant."""
    n = len(relevant)
    last = np.maximum.accumulate(np.where(relevant, np.arange(n), -1))
    is_over = np.arange(n) - last >= n_in_a_row
    return int(np.argmax(is_over)) + 1 if is_over.any() else n


def can_be_audited(learner: Any) -> bool:
    """Whether a learner takes stopping rules, and says what these remember."""
    return hasattr(learner, "record") and hasattr(learner, "stopping")


def audited_rows(learner: Any, X: Any, y: Bools, known: Ints) -> Ints:
    """Return the rows that a learner reads until an audit ends, after these."""
    ids = np.arange(len(y))
    auditor = clone(learner).set_params(stopping=RecallTarget(RECALL, 1 - ALPHA))
    auditor.teach(X[known], y[known], ids=ids[known])
    auditor.learn(X, y.__getitem__, ids=ids)
    return np.append(known, auditor.queried_indices_)


def stops_of_run(learner: Any, X: Any, y: Bools, seed: int) -> dict[str, Stop]:
    """Return where each rule ends a run, by its name.

    Parameters
    ----------
    learner : pool learner
        Fitted on all rows, with `AuditStart` if it can be audited.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows.
    y : ndarray of bool of shape (n_rows,)
        Which of them are relevant.
    seed : int
        Of the random sample.
    """
    order = learner.queried_indices_
    relevant = y[order]
    found = {
        "hypergeometric": relevant[: hypergeometric_stop(relevant, RECALL, ALPHA)],
        f"{IN_A_ROW} in a row": relevant[: count_stop(relevant, IN_A_ROW)],
    }
    if can_be_audited(learner):
        begin = AuditStart.of(learner)
        known = order[:begin]
        audited = order if begin is None else audited_rows(learner, X, y, known)
        found = {"audit": y[audited]} | found
    sampled = sample_stop(relevant, RECALL, ALPHA, np.random.default_rng(seed))
    if sampled is not None:
        found["sample"] = relevant[sampled[1]]
    return {
        rule: Stop(len(read), float(read.sum() / y.sum()))
        for rule, read in found.items()
    }
