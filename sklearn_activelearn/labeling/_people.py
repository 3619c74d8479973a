"""What several people say of the same rows, and how far they agree."""

from collections import Counter
from itertools import chain, islice
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.metrics import cohen_kappa_score

from .._typing import Id, Label
from ._decisions import SKIP, votes_among


class Agreement(NamedTuple):
    """How far people agree, beyond what chance would do."""

    measure: str  # "Cohen's kappa" or "Krippendorff's alpha"
    value: float  # 1: always; 0: as by chance; nan: it cannot be told
    n_rows: int  # rows with at least two votes
    n_people: int  # who have given these
    share: float  # of pairs of votes to a row that are equal; nan without rows


def votes_to_compare(state):
    """Return the votes for each row that has several: labels by name.

    People who were asked because others disagree are left out, as they would make it
    depend on the disagreement how often a row counts.
    """
    rows = []
    for id, answers in state.answers.items():
        n_votes = state.votes_of(id)
        n_votes = n_votes if n_votes > 1 else None
        votes = dict(islice(votes_among(answers).items(), n_votes))
        named = {
            who: vote.label
            for who, vote in votes.items()
            if who is not None and vote.label is not SKIP
        }
        if len(named) > 1:
            rows.append(named)
    return rows


def agreement_of(rows):
    """Return how far people agree.

    Parameters
    ----------
    rows : list of dict of str to label
        The votes for each row, two or more.
    """
    people = list(dict.fromkeys(who for votes in rows for who in votes))
    n_pairs = sum(len(votes) * (len(votes) - 1) for votes in rows)
    counts = (n for votes in rows for n in Counter(votes.values()).values())
    share = sum(n * (n - 1) for n in counts) / n_pairs if rows else float("nan")
    if len(people) > 2:
        measure, value = "Krippendorff's alpha", nominal_alpha(rows)
    else:
        measure, value = "Cohen's kappa", cohens_kappa(rows, people)
    return Agreement(measure, value, len(rows), len(people), share)


def cohens_kappa(rows, people):
    """Return Cohen's kappa of two people; nan where it is 0/0."""
    if not rows:
        return float("nan")
    both = [[votes[who] for votes in rows] for who in people]
    codes = {label: code for code, label in enumerate(dict.fromkeys(chain(*both)))}
    first, second = ([codes[label] for label in labels] for labels in both)
    with catch_warnings(), np.errstate(invalid="ignore"):
        simplefilter("ignore")
        return float(cohen_kappa_score(first, second))


def nominal_alpha(rows):
    """Return Krippendorff's alpha of nominal labels; nan where it is 0/0."""
    n, totals, observed = 0, Counter(), 0.0
    for votes in rows:
        counts = Counter(votes.values())
        m = counts.total()
        observed += (m * m - sum(k * k for k in counts.values())) / (m - 1)
        totals += counts
        n += m
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1 - observed / expected if expected else float("nan")


class People:
    """What a session says of the people who answer."""

    _lock: Any
    _state: Any

    def disputed(self) -> dict[Id, dict[str, Label | None]]:
        """Return the rows on which people disagree.

        One more person may vote on them, somebody may vote otherwise, or `label` with
        ``final=True`` decides.

        Returns
        -------
        votes : dict of id to dict of str to label
            For each row the vote of each person, None for a skip. Rows are in the order
            in which they came to be disputed.
        """
        with self._lock:
            return {
                id: {
                    who: vote.label
                    for who, vote in votes_among(self._state.answers[id]).items()
                }
                for id in self._state.disputes
            }

    def agreement(self) -> Agreement:
        """Return how far people agree, beyond what chance would do.

        Returns
        -------
        agreement : Agreement
            ``measure``, "Cohen's kappa" [1]_ for two people, for more "Krippendorff's
            alpha" [2]_ (nominal, with missing votes); its ``value``, nan if there are
            no such rows or all votes are equal; ``n_rows`` with at least two votes;
            ``n_people`` who gave these; and the ``share`` of pairs of votes to a row
            that are equal. The last vote of each person counts; skips, final labels,
            votes without a name, and those of people who were asked because of a
            disagreement do not.

        References
        ----------
        .. [1] J. Cohen. A coefficient of agreement for nominal scales. Educational and
           Psychological Measurement 20, 37-46, 1960.
        .. [2] K. Krippendorff. Content Analysis: An Introduction to Its Methodology.
           Sage, 2nd edition, 2004. Chapter 11.
        """
        with self._lock:
            return agreement_of(votes_to_compare(self._state))
