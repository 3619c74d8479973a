"""The rule that ends the search for all rows of a class."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..._statistics import (
    Reads,
    hypergeometric_p,
    is_audit_due,
    least_bad_total,
    log_evidence,
    rank_in_sample,
)
from ..._typing import Label
from ..._validation import check_number, check_option
from ._base import AUDIT, Progress, StoppingRule, relevance_probabilities

#: Labels are so many times as many from one estimate of the unread rows to the next.
STEP = 1.1


@dataclass(frozen=True)
class RecallTarget(StoppingRule):
    """Stop when so large a share of the relevant rows has been found.

    With the stated confidence, over all that is drawn at random, at least a share
    `recall` of the relevant rows of the pool have labels then.

    Parameters
    ----------
    recall : float in (0, 1], default=0.95
        The share to find. Only an audit can reach 1.
    confidence : float in (0, 1), default=0.95
        How sure to be of that.
    method : {"audit", "sample", "hypergeometric"}, default="audit"
        Where the certainty comes from.

        - "audit": at some point the learner stops choosing and draws random unread rows
          (their purpose is "audit") until so few of them are relevant that enough must
          have been found. It holds for every ranking, also if a group of relevant rows
          is unlike all others, and at every look. The point is the cheapest one, by
          the probabilities of the unread rows.
        - "sample": from the random rows in `sample`, whose labels the learner does not
          know. It stops when enough of the relevant ones have been asked for. It holds
          for every ranking that has not seen their labels.
        - "hypergeometric": the test of [1]_, that the relevant rows since some moment
          were too few had the rows been random. It holds for rankings that are no
          worse than random from any moment on, and claims nothing for others: where
          relevant rows come late, unlike the others, it stops too early more often
          than not.
    positive : str, int, float, bool or None, default=None
        The label of the relevant rows. None: that of the learner, else the last class.
    sample : tuple (rows, y), default=None
        For "sample": row numbers of the pool, drawn at random before the search, and
        their labels. These rows stay in the pool, and the learner asks for them like
        for others.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a parameter outside its range, and for a
        `sample` with fewer relevant rows than it takes: ``log(1 - confidence) /
        log(recall)``, 59 for the defaults.

    See Also
    --------
    sklearn_activelearn.evaluation.recall_estimate : The recall so far.

    Notes
    -----
    Let r rows be found. The target is missed if there are K = ⌊r / recall⌋ + 1 or more
    in all. If there were K, the next random row would be relevant with probability
    (K - r) / U, U being the number of unread rows; so the likelihood of what was drawn
    under any other number of relevant rows, divided by that under K, is a martingale,
    whatever the model reads in between. The audit ends when the ratio for no more
    relevant rows than were found reaches 1 / (1 - confidence), which happens with
    probability ``1 - confidence`` at most if the target is missed. If none of the
    random rows is relevant, it reads about 3 U / (K - r) of them at a confidence of
    .95, as a hypergeometric test of these rows would.

    References
    ----------
    .. [1] M. W. Callaghan, F. Müller-Hansen, "Statistical Stopping Criteria for
       Automated Screening in Systematic Reviews", Systematic Reviews 9:273, 2020.
    .. [2] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021 ("sample").
    .. [3] I. Waudby-Smith, A. Ramdas, "Confidence Sequences for Sampling without
       Replacement", NeurIPS 2020 (martingales of likelihoods).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.pool import RecallTarget
    >>> X, y = load_digits(return_X_y=True)
    >>> is_eight = y == 8
    >>> learner = RelevanceSamplingClassifier(
    ...     positive=True, batch_size=0.05, budget=None, random_state=0,
    ...     stopping=RecallTarget(),
    ... ).fit(X / 16, is_eight)
    >>> print(f"{is_eight[learner.queried_indices_].sum()} of {is_eight.sum()} eights "
    ...       f"in {learner.n_queries_} of {len(X)} rows")
    173 of 174 eights in 907 of 1797 rows
    """

    recall: float = 0.95
    confidence: float = 0.95
    method: Literal["audit", "sample", "hypergeometric"] = "audit"
    positive: Label | None = None
    sample: tuple[ArrayLike, ArrayLike] | None = None

    @property
    def draws(self) -> bool:
        """Whether it is an audit."""
        return self.method == "audit"

    def __post_init__(self):
        if isinstance(self.sample, list | tuple) and len(self.sample) == 2:
            # rules are looked up by their values, and arrays cannot be
            sample = (tuple(np.asarray(part).tolist()) for part in self.sample)
            object.__setattr__(self, "sample", tuple(sample))

    def check(self) -> None:
        """Raise if a parameter is out of its range, or the sample is too small."""
        check_number(self.recall, "recall", 0, 1, closed="right")
        check_number(self.confidence, "confidence", 0, 1)
        check_option(self.method, "method", METHODS)
        if (self.sample is None) == (self.method == "sample"):
            raise ValueError('sample=(rows, y) goes with method="sample".')
        if self.method == "audit":
            return
        if self.recall == 1:
            raise ValueError(
                f'recall=1 takes method="audit": "{self.method}" cannot tell it from a '
                "recall just below."
            )
        if self.sample is not None:
            self._check_sample()

    def _check_sample(self):
        if len(self.sample) != 2 or len(self.sample[0]) != len(self.sample[1]):
            raise ValueError("sample must be a tuple of row numbers and their labels.")
        rows = np.asarray(self.sample[0])
        if rows.dtype.kind not in "iu" or (rows < 0).any():
            raise ValueError("sample must have row numbers, no mask, and their labels.")
        if len(np.unique(rows)) < len(rows):
            raise ValueError("sample has a row more than once.")
        # which class is relevant may be for the learner to say
        labels = list(self.sample[1])
        wanted = labels if self.positive is None else [self.positive]
        self._check_sample_size(max(map(labels.count, set(wanted)), default=0))

    def _check_sample_size(self, n_relevant):
        n_least = int(np.ceil(log(self._alpha) / log(self.recall) - 1e-9))
        if n_relevant < n_least:
            most = self._alpha ** (1 / n_relevant) if n_relevant else 0.0
            raise ValueError(
                f"sample has {n_relevant} relevant rows, which can certify a recall of "
                f"{np.floor(1000 * most) / 1000:g}; {self.recall:g} takes {n_least}."
            )

    def check_classes(
        self, classes: Sequence[Label], positive: Label | None = None
    ) -> None:
        """Raise if `positive` is no class, or has too few rows in the sample."""
        if self.positive is not None and self.positive not in classes:
            raise ValueError(
                f"RecallTarget: positive must be one of the classes, {[*classes]}, got "
                f"{self.positive!r}. If its labels are still to come, pass all classes "
                "to teach."
            )
        wanted = self._positive_of(classes, positive)
        if self.sample is not None and wanted in classes:  # else the learner says so
            self._check_sample_size(len(self._relevant_sample(wanted)))

    @property
    def _alpha(self):
        return 1 - self.confidence

    def _positive_of(self, classes, wanted):
        """Return the label of the relevant rows; None: the learner wants no class."""
        known = (label for label in (self.positive, wanted) if label is not None)
        return next(known, max(classes))

    def _positive_for(self, progress):
        classes = progress.model.classes_.tolist()
        return self._positive_of(classes, progress.positive)

    def _relevant_sample(self, positive):
        return [row for row, y in zip(*self.sample, strict=True) if y == positive]

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        is_relevant = np.asarray(progress.labels == self._positive_for(progress))
        if not is_relevant.any():
            return False, memory
        return METHODS[self.method](self, progress, is_relevant, memory)

    def n_random(self, memory: Any) -> int:
        """Return how many rows of the audit are missed yet, if no more are relevant."""
        return int((memory or {}).get("n_random", 0))

    def _by_test(self, progress, is_relevant, memory):
        reads = progress.asked.reads(is_relevant)
        p = hypergeometric_p(reads.relevant, reads.n_rows, self.recall)
        return p < self._alpha, memory

    def _by_sample(self, progress, is_relevant, memory):
        relevant = self._relevant_sample(self._positive_for(progress))
        n_wanted = rank_in_sample(len(relevant), self.recall, self._alpha)
        labelled = progress.asked.rows[progress.asked.places >= 0]
        return int(np.isin(relevant, labelled).sum()) >= n_wanted, memory

    def _by_audit(self, progress, is_relevant, memory):
        asked = progress.asked
        reads = asked.reads(is_relevant, only=AUDIT)
        total = least_bad_total(reads.found, self.recall)
        if total - reads.found > reads.n_unread:
            return True, memory
        if not (asked.purposes == AUDIT).any():
            memory = self._expected(progress, is_relevant, memory)
            n_since = int(np.argmax(np.append(reads.relevant[::-1], True)))
            place = n_since, reads.n_rows, self.recall
            if not is_audit_due(reads.found, memory["expected"], *place):
                return False, memory
        n_missing = rows_missing(reads, total, self.recall, self._alpha)
        return n_missing == 0, {**(memory or {}), "n_random": float(n_missing)}

    def _expected(self, progress, is_relevant, memory):
        """Return how many relevant rows are unread by estimate, to remember it."""
        n_known = len(is_relevant)
        if memory and n_known < STEP * memory["n_labels"]:
            return memory
        expected = np.inf
        if not is_relevant.all():
            known = progress.model, progress.rows, is_relevant
            share = float(relevance_probabilities(*known, progress.of_left).mean())
            asked = progress.asked  # those that may be bought are all left, or a sample
            expected = share * (asked.n_rows - len(asked.rows))
        # whole numbers would be models
        return {"n_labels": float(n_known), "expected": min(expected, 1e300)}


#: How each method judges.
METHODS = {
    "audit": RecallTarget._by_audit,
    "sample": RecallTarget._by_sample,
    "hypergeometric": RecallTarget._by_test,
}


def rows_missing(reads: Reads, total: int, recall: float, alpha: float) -> int:
    """Return how many random rows are missed yet, if no more are relevant; 0: none."""
    enough = log(1 / alpha)

    def is_certain(n_more):
        more = np.zeros(n_more, dtype=bool)
        relevant = np.append(reads.relevant, more).astype(bool)
        drawn = np.append(reads.drawn, ~more).astype(bool)
        return (
            log_evidence(Reads(relevant, drawn, reads.n_rows), total, recall) >= enough
        )

    low, high = 0, reads.n_unread
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_certain(middle) else (middle + 1, high)
    return low
