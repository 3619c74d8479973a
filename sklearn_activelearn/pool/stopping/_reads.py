"""The rows of a pool that were read, and how likely the others are relevant."""

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

    def reads(self, is_relevant: Bools, only: str | None = None) -> Reads:
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
        """
        drawn = self.drawn
        if only is not None:
            drawn &= self.purposes == only
        drawn &= np.cumsum(self.places == OUT) == 0
        known = self.places >= 0
        n_skipped = int(np.count_nonzero(self.places == SKIPPED))
        return Reads(
            is_relevant[self.places[known]], drawn[known], self.n_rows - n_skipped
        )


def relevance_probabilities(
    model: Any, rows: Any, is_relevant: Bools, X: Any
) -> Floats:
    """Return for each row of X the probability that it is relevant.

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
    X : array-like
        Further rows.
    """
    if not n_rows(X):
        return np.zeros(0)
    logistic = LogisticRegression(C=100, solver="liblinear", random_state=0)
    numbers = as_numbers(rows), as_numbers(X)
    if all(each is not None and are_finite(each) for each in numbers):
        judge = make_pipeline(Normalizer(), logistic).fit(numbers[0], is_relevant)
        return judge.predict_proba(numbers[1])[:, 1]
    n_rarer = min(np.count_nonzero(is_relevant), np.count_nonzero(~is_relevant))
    if n_rarer < 2:
        return np.full(n_rows(X), np.mean(is_relevant))
    method = "decision_function"
    if not hasattr(model, method):
        method = "predict_proba"
    folds = StratifiedKFold(min(5, int(n_rarer)), shuffle=True, random_state=0)
    scores = cross_val_predict(clone(model), rows, is_relevant, cv=folds, method=method)
    judge = logistic.fit(scores.reshape(len(scores), -1)[:, -1:], is_relevant)
    further = getattr(clone(model).fit(rows, is_relevant), method)(X)
    return judge.predict_proba(further.reshape(len(further), -1)[:, -1:])[:, 1]


def are_finite(X):
    """Whether numbers, dense or sparse, are all finite."""
    return bool(np.isfinite(X.data if hasattr(X, "indptr") else X).all())
