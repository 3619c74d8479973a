"""The rows of a pool that were read, and how likely the others are relevant."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from ..._containers import as_numbers, n_rows
from ..._recall_bounds import Reads
from ..._typing import Bools, Floats, Ints, Labels
from .._explore import EXPLORED
from .._ledger import OUT, SKIPPED, Ledger

#: What a label is for that was drawn to test whether all relevant rows are found.
AUDIT = "audit"


class AskedRows(NamedTuple):
    """The rows of a pool that were asked for or taught, in order.

    Attributes
    ----------
    rows : ndarray of int64
        Their numbers in the pool.
    places : ndarray of int64
        Positions among the labelled rows; -1 for rows that are out, -2 for skipped
        ones.
    probabilities : ndarray of float64
        With which they were bought.
    purposes : ndarray of str
        What they were bought for.
    n_rows : int
        How many rows there are: these, and those that may be bought.
    """

    rows: Ints
    places: Ints
    probabilities: Floats
    purposes: Labels
    n_rows: int

    @classmethod
    def of(cls, ledger: Ledger, n_left: int) -> "AskedRows":
        """Return those of a ledger, with so many rows left."""
        (kept,) = np.nonzero(ledger.found >= 0)
        columns = ledger.found, ledger.places, ledger.probabilities, ledger.purposes
        return cls(*(column[kept] for column in columns), n_left + len(kept))

    @property
    def drawn(self) -> Bools:
        """Whether each was drawn at random from all rows that were left."""
        drawn = np.zeros(len(self.rows), dtype=bool)
        is_new = self.probabilities[1:] != self.probabilities[:-1]
        for part in np.split(np.arange(len(drawn)), np.flatnonzero(is_new) + 1):
            if len(part) and self.probabilities[part[0]] < 1:
                n_left = self.n_rows - part[0]
                share = self.probabilities[part[0]]
                drawn[part] = np.isclose(share * n_left, len(part), rtol=1e-9)
        return drawn

    def explored(self, shares: Iterable[float]) -> list[tuple[int, Ints]]:
        """Return where purchases began, and which of their rows were explored.

        The explored rows of a purchase have one probability, share * n / U, of n rows
        from U. Its beginning is where n is a whole number and they have places of it.
        Where there are several, as may be if n is larger than share * U, the rows are
        left out. Where there is none, the purchase was made from some of the rows only;
        others from these may have one by chance, and all before it are left out.

        Parameters
        ----------
        shares : iterable of float
            Which shares of a purchase may have been explored.
        """
        (at,) = np.nonzero(self.purposes == EXPLORED)
        p, purchases = self.probabilities[at], []
        groups = np.split(at, np.flatnonzero(p[1:] != p[:-1]) + 1)
        for group in groups if len(at) else ():
            found = set()
            for share in shares:
                begin = np.arange(max(group[0] - ceil(1 / share), 0), group[0] + 1)
                n = self.probabilities[group[0]] * (self.n_rows - begin) / share
                is_it = np.isclose(n, n.round(), rtol=1e-9, atol=0) & (n > 0.5)
                is_it &= begin + n.round() > group[-1]
                is_it &= np.abs(share * n - len(group)) < 1
                found |= {*begin[is_it].tolist()}
            if not found:
                purchases.clear()
            elif len(found) == 1:
                purchases.append((found.pop(), group))
        return purchases

    def reads(
        self,
        is_relevant: Bools,
        only: str | None = None,
        shares: Iterable[float] = (),
    ) -> Reads:
        """Return the rows that have labels.

        Rows that were skipped are left out, as if they were not in the pool; rows that
        are out are unread. Those drawn after the first one that is out do not count as
        drawn before its label comes: whether labels come soon may depend on them.

        Parameters
        ----------
        is_relevant : ndarray of bool of shape (n_labelled,)
            In the order in which they were taught.
        only : str, optional
            Of the rows that were drawn, those for this purpose count as such.
        shares : iterable of float, default=()
            Those of `explored`, whose rows were drawn before the others of a purchase
            were chosen, and come before these.
        """
        drawn, order = self.drawn, np.arange(len(self.rows), dtype=float)
        for begin, group in self.explored(shares):
            drawn[group], order[group] = True, begin - 0.5
        if only is not None:
            drawn &= self.purposes == only
        order = np.argsort(order, kind="stable")
        places, drawn = self.places[order], drawn[order]
        drawn &= np.cumsum(places == OUT) == 0
        known = places >= 0
        n_skipped = int(np.count_nonzero(places == SKIPPED))
        return Reads(is_relevant[places[known]], drawn[known], self.n_rows - n_skipped)


class NotNumbers(ValueError):
    """Some rows are no finite numbers."""


def relevance_probabilities(
    model: Any,
    rows: Any,
    is_relevant: Bools,
    answers: Callable[[Callable[[Any], Floats]], Floats],
) -> Floats:
    """Return for each of some rows the probability that it is relevant.

    Numbers are judged by a logistic regression on rows of length 1, that is hardly
    regularised: of the ways that were tried its sum over unread texts came closest to
    the number of relevant ones. Of other rows, the scores of the model in a
    cross-validation are turned into probabilities.

    Parameters
    ----------
    model : classifier
        The learner's.
    rows : array-like
        Labelled ones, with at least one relevant and one other.
    is_relevant : ndarray of bool of shape (n_labelled,)
        Which of these are.
    answers : callable
        Returns what a function of rows answers for those that are to be judged, as
        `Progress.of_left`.
    """
    logistic = LogisticRegression(C=100, solver="liblinear", random_state=0)
    with suppress(NotNumbers):
        judge = make_pipeline(Normalizer(), logistic)
        judge.fit(finite_numbers(rows), is_relevant)
        return answers(partial(positive_share, judge, finite_numbers))
    n_rarer = min(np.count_nonzero(is_relevant), np.count_nonzero(~is_relevant))
    if n_rarer < 2:
        return answers(lambda X: np.full(n_rows(X), np.mean(is_relevant)))
    method = "decision_function"
    if not hasattr(model, method):
        method = "predict_proba"
    folds = StratifiedKFold(min(5, int(n_rarer)), shuffle=True, random_state=0)
    scores = cross_val_predict(clone(model), rows, is_relevant, cv=folds, method=method)
    judge = logistic.fit(last_column(scores), is_relevant)
    score = getattr(clone(model).fit(rows, is_relevant), method)
    return answers(partial(positive_share, judge, lambda X: last_column(score(X))))


def positive_share(judge, features, X):
    """Return the probabilities of the second class, by features of rows."""
    return judge.predict_proba(features(X))[:, 1]


def last_column(scores):
    """Return scores for the last class as a column."""
    return scores.reshape(len(scores), -1)[:, -1:]


def finite_numbers(X):
    """Return rows as finite numbers, dense or sparse."""
    numbers = as_numbers(X)
    values = numbers.data if hasattr(numbers, "indptr") else numbers
    if values is None or not np.isfinite(values).all():
        raise NotNumbers("A row is no finite numbers.")
    return numbers
