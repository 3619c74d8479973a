"""The rule that ends the check of machine labels."""

from bisect import bisect_left
from dataclasses import dataclass
from math import floor, log
from typing import Any, NamedTuple

import numpy as np

from ...base._parameters import check_number
from ...utils._statistics import most_wrong_unread
from ._base import AllOf, Progress, StoppingRule, find_rules

#: Errors, and sizes of the sample that were the cheapest of those tried on 5,000 rows.
ERRORS, SIZES = (0.01, 0.02, 0.05), (600, 400, 250)


class ErrorPlan(NamedTuple):
    """Sample that a certificate needs.

    Attributes
    ----------
    n_rows : int
        Number of rows that get a label.
    n_allowed : int
        Number of labels that may be wrong.
    n_sample : int
        Size of the random sample, which people label first.
    n_wrong : int
        Number of sample rows with a wrong machine label that may be unread at the end.
    """

    n_rows: int
    n_allowed: int
    n_sample: int
    n_wrong: int

    def __str__(self) -> str:
        return (
            f"A random sample of {self.n_sample:,} of {self.n_rows:,} rows is labelled "
            f"first. The certificate allows {self.n_allowed:,} wrong labels, and "
            f"{self.n_wrong} wrong machine labels in the unread part of the sample."
        )


@dataclass(frozen=True)
class ErrorTarget(StoppingRule):
    r"""Stop when at most a share of the labels of a pool is wrong (machine labels).

    A rule for `ErrorSamplingClassifier`. The learner first asks for a random sample,
    which the ranking does not see, and then reads rows in the order of the ranking. The
    sample rows that the ranking has not reached show how many wrong machine labels are
    still unread. With the stated confidence over all random draws, at most the share
    `error` of the labels is wrong at the stop, whatever the ranking is.

    Parameters
    ----------
    error : float in (0, 1), default=0.02
        Share of the labels that may be wrong.
    confidence : float in (0, 1), default=0.95
        Probability with which at most this share is wrong.
    n_sample : int >= 1, default=None
        Size of the random sample. None: 600 rows at 1 %, 400 at 2 %, 250 at 5 % and
        sizes between them, at most half of the rows, or the smallest sample that
        suffices if it is larger.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a parameter outside its range, for a sample that is too
        small, or if the learner has no machine labels.

    See Also
    --------
    sklearn_activelearn.ErrorSamplingClassifier : Checks machine labels.

    Notes
    -----
    Of N rows, :math:`M = \lfloor e N \rfloor` may be wrong. The rule stops when at most
    c of the m sample rows are unread and have a wrong machine label, where c is the
    largest x with :math:`F(x; N, M + 1, m) \le 1 - \textit{confidence}`, and F the
    hypergeometric distribution function of the number of wrong rows in the sample if
    M + 1 rows are wrong and unread. Since the set of wrong unread rows only shrinks,
    and does not depend on the sample, it is enough to consider the last moment at which
    more than M are left: the rule has stopped by then with a probability of at most
    ``1 - confidence``. Wrong sample rows are corrected, but do not count towards M.
    The rule also stops when at most M rows are unread.

    References
    ----------
    .. [1] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021 (a random sample drawn before the ranking).

    Examples
    --------
    >>> from sklearn_activelearn.pool import ErrorTarget
    >>> plan = ErrorTarget(error=0.02).plan(5000)
    >>> plan.n_sample, plan.n_allowed, plan.n_wrong
    (400, 100, 3)
    """

    error: float = 0.02
    confidence: float = 0.95
    n_sample: int | None = None

    def check(self) -> None:
        """Raise an error if a parameter is outside its range."""
        check_number(self.error, "error", 0, 1)
        check_number(self.confidence, "confidence", 0, 1)
        if self.n_sample is not None:
            limits = {"closed": "left", "integer": True}
            check_number(self.n_sample, "n_sample", 1, **limits)

    def plan(self, n_rows: int) -> ErrorPlan:
        """Return the sample that a certificate for a number of rows needs.

        Parameters
        ----------
        n_rows : int
            Number of rows that get a label.

        Returns
        -------
        plan : ErrorPlan
            The size of the sample and the numbers that end the check.

        Raises
        ------
        ValueError
            If `n_sample` is too small for a certificate.
        """
        n_allowed = self._n_allowed(n_rows)

        def most_wrong(n_drawn):
            return most_wrong_unread(n_rows, n_allowed, n_drawn, 1 - self.confidence)

        n_sample = self.n_sample
        if n_sample is None:
            usual = round(np.exp(np.interp(log(self.error), *np.log([ERRORS, SIZES]))))
            n_sample = min(usual, n_rows // 2)
        n_sample = min(n_sample, n_rows)
        if (n_wrong := most_wrong(n_sample)) < 0:
            smallest = bisect_left(range(n_rows), 0, lo=n_sample, key=most_wrong)
            if self.n_sample is not None:
                raise ValueError(
                    f"n_sample={n_sample} is too small to certify an error of "
                    f"{self.error:g} among {n_rows} rows: at least {smallest} rows are "
                    "needed."
                )
            n_sample, n_wrong = smallest, most_wrong(smallest)
        return ErrorPlan(n_rows, n_allowed, n_sample, n_wrong)

    def _n_allowed(self, n_rows):
        return floor(self.error * n_rows * (1 + 1e-12))  # .29 * 100 is below 29

    def n_excess(self, sample: Any) -> int:
        """Return how many wrong sample rows have to be read before the certificate.

        Parameters
        ----------
        sample : CheckedSample
            The sample of the learner.

        Returns
        -------
        n_excess : int
            0 or less: the certificate can be given, unless rows have no label.
        """
        n_allowed = self._n_allowed(sample.n_rows)
        if sample.n_unread <= n_allowed:
            return 0  # even if all unread rows are wrong
        n_allowed -= sample.n_outside
        given = sample.n_rows, n_allowed, sample.n_drawn, 1 - self.confidence
        return sample.n_wrong - most_wrong_unread(*given)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        if progress.sample is None:
            raise TypeError(
                "ErrorTarget needs a learner with machine labels: use "
                "ErrorSamplingClassifier."
            )
        is_met = self.n_excess(progress.sample) <= 0 and not progress.sample.n_gaps
        return is_met, memory


def find_error_target(stopping: Any) -> ErrorTarget | None:
    """Return the first `ErrorTarget` among rules, also in `AllOf`; None for none."""
    for rule in find_rules(stopping):
        if isinstance(rule, AllOf):
            rule = find_error_target(rule.rules)
        if isinstance(rule, ErrorTarget):
            return rule
    return None
