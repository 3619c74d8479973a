"""The rule that ends the search for all rows of a class."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from ...base._parameters import check_number
from ...sources._containers import as_numbers, n_rows
from ...utils._statistics import is_audit_due, least_bad_total, n_draws_missing
from ...utils.typing import Bools, Floats, Label
from ._base import AUDIT, Progress, StoppingRule

#: The unread rows are estimated again when the number of labels has grown by this
#: factor.
STEP = 1.1


@dataclass(frozen=True)
class RecallTarget(StoppingRule):
    """Stop when a share of the relevant rows has been found (audit).

    With the stated confidence over all random draws, at least the share `recall` of the
    relevant rows of the pool have labels at the stop. At some point the learner stops
    choosing rows and draws random unread rows (their purpose is "audit"), until enough
    of them are irrelevant. The confidence holds for every ranking, also if some
    relevant rows are unlike all others. The audit begins where it is cheapest,
    according to the probabilities of the unread rows.

    Parameters
    ----------
    recall : float in (0, 1], default=0.95
        Share of the relevant rows to find.
    confidence : float in (0, 1), default=0.95
        Probability with which at least this share is found.
    positive : str, int, float, bool or None, default=None
        Label of the relevant rows. None: the class that the learner searches for, or
        else the last class.

    Raises
    ------
    TypeError or ValueError
        From the learner, for a parameter outside its range.

    See Also
    --------
    sklearn_activelearn.evaluation.recall_estimate : The recall so far.

    Notes
    -----
    Let r rows be found. The target is missed if there are K = ⌊r / recall⌋ + 1 or more
    relevant rows in total. If there were K, the next random row would be relevant with
    probability (K - r) / U, where U is the number of unread rows. The likelihood of the
    random rows under any other number of relevant rows, divided by the likelihood under
    K, is therefore a martingale, whatever the model reads in between. The audit ends
    when the ratio for r relevant rows in total reaches 1 / (1 - confidence). If the
    target is missed, this happens with probability ``1 - confidence`` at most. If none
    of the random rows is relevant, the audit reads about 3 U / (K - r) of them at a
    confidence of .95, the number that a hypergeometric test of these rows needs.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, "Confidence Sequences for Sampling without
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
    positive: Label | None = None

    draws = True

    def check(self) -> None:
        """Raise an error if a parameter is outside its range."""
        check_number(self.recall, "recall", 0, 1, closed="right")
        check_number(self.confidence, "confidence", 0, 1)

    def check_classes(self, classes: Sequence[Label]) -> None:
        """Raise an error if `positive` is not one of the classes."""
        if self.positive is not None and self.positive not in classes:
            raise ValueError(
                f"RecallTarget: positive must be one of the classes, {[*classes]}, got "
                f"{self.positive!r}. If its labels are still to come, pass all classes "
                "to teach."
            )

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Decide whether to stop."""
        positive = self.positive
        if positive is None:
            positive = progress.positive
        if positive is None:
            positive = max(progress.model.classes_.tolist())
        is_relevant = np.asarray(progress.labels == positive)
        if not is_relevant.any():
            return False, memory
        asked = progress.asked
        reads = asked.reads(is_relevant, only=AUDIT)
        total = least_bad_total(reads.found, self.recall)
        if total - reads.found > reads.n_unread:
            return True, memory
        if not (asked.purposes == AUDIT).any():
            memory = expected_unread(progress, is_relevant, memory)
            n_since = int(np.argmax(np.append(reads.relevant[::-1], True)))
            place = n_since, reads.n_rows, self.recall
            if not is_audit_due(reads.found, memory["expected"], *place):
                return False, memory
        n_missing = n_draws_missing(reads, self.recall, self.confidence)
        return n_missing == 0, {**(memory or {}), "n_random": float(n_missing)}

    def n_random(self, memory: Any) -> int:
        """Return the number of random rows that the audit still needs."""
        return int((memory or {}).get("n_random", 0))


def expected_unread(progress: Progress, is_relevant: Bools, memory: Any) -> Any:
    """Return the memory of a rule: the expected number of relevant unread rows.

    It is computed again only after enough new labels.
    """
    n_known = len(is_relevant)
    if memory and n_known < STEP * memory["n_labels"]:
        return memory
    expected = np.inf
    if not is_relevant.all():
        known = progress.model, progress.rows, is_relevant
        share = float(relevance_probabilities(*known, progress.of_left).mean())
        # the rows that may be bought may be a sample: count all rows that are left
        expected = share * (progress.asked.n_rows - len(progress.asked.rows))
    # floats, because whole numbers would stand for models
    return {"n_labels": float(n_known), "expected": min(expected, 1e300)}


class NotNumbers(ValueError):
    """Raised for rows that are not finite numbers."""


def relevance_probabilities(
    model: Any,
    rows: Any,
    is_relevant: Bools,
    predict_unread: Callable[[Callable[[Any], Floats]], Floats],
) -> Floats:
    """Return the probability that each unread row is relevant.

    Numbers are judged by a logistic regression with little regularisation on rows of
    length 1. Of the methods that were tried, the sum of its probabilities over unread
    texts came closest to the number of relevant texts. For other rows the scores of the
    model, from cross-validation, are turned into probabilities.

    Parameters
    ----------
    model : classifier
        The learner's model.
    rows : array-like
        Labelled rows, at least one of them relevant and one irrelevant.
    is_relevant : ndarray of bool of shape (n_labelled,)
        True for the relevant rows.
    predict_unread : callable
        ``predict_unread(function)`` returns the values of a function of rows for the
        unread rows, as `Progress.of_left`.
    """
    logistic = LogisticRegression(C=100, solver="liblinear", random_state=0)
    with suppress(NotNumbers):
        judge = make_pipeline(Normalizer(), logistic)
        judge.fit(finite_numbers(rows), is_relevant)
        return predict_unread(partial(positive_share, judge, finite_numbers))
    n_rarer = min(np.count_nonzero(is_relevant), np.count_nonzero(~is_relevant))
    if n_rarer < 2:
        return predict_unread(lambda X: np.full(n_rows(X), np.mean(is_relevant)))
    method = "decision_function"
    if not hasattr(model, method):
        method = "predict_proba"
    folds = StratifiedKFold(min(5, int(n_rarer)), shuffle=True, random_state=0)
    scores = cross_val_predict(clone(model), rows, is_relevant, cv=folds, method=method)
    judge = logistic.fit(last_column(scores), is_relevant)
    score = getattr(clone(model).fit(rows, is_relevant), method)
    return predict_unread(
        partial(positive_share, judge, lambda X: last_column(score(X)))
    )


def positive_share(judge, features, X):
    """Return the probabilities of the second class, from features of rows."""
    return judge.predict_proba(features(X))[:, 1]


def last_column(scores):
    """Return the scores of the last class as a column."""
    return scores.reshape(len(scores), -1)[:, -1:]


def finite_numbers(X):
    """Return rows as finite numbers, dense or sparse."""
    numbers = as_numbers(X)
    values = numbers.data if hasattr(numbers, "indptr") else numbers
    if values is None or not np.isfinite(values).all():
        raise NotNumbers(
            "X contains text, NaN or infinity, but finite numbers are needed."
        )
    return numbers
