"""Agreement of people who voted on the same rows."""

import json
from collections import Counter
from itertools import chain
from math import isnan
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.metrics import cohen_kappa_score


class Agreement(NamedTuple):
    """Agreement beyond chance."""

    measure: str  # "Cohen's kappa" or "Krippendorff's alpha"
    value: float  # 1: perfect; 0: as by chance; nan: undefined
    n_rows: int  # rows with at least two votes
    n_people: int  # people who gave these votes
    share: float  # share of equal pairs of votes on a row; nan without rows
    by_label: dict[str, float] | None = (
        None  # alpha of each label, if rows have several
    )


def read_votes(decisions):
    """Return the votes on each row that has several, as labels by person.

    Votes of people who were asked because others disagree are left out: they would let
    the weight of a row depend on the disagreement.
    """
    votes = []
    for row in decisions.rows.values():
        first = {vote.who: vote.number for vote in reversed(row.votes)}
        last = {vote.who: vote.label for vote in row.votes}
        wanted = decisions.count_wanted(row)
        for place, who in enumerate(sorted(first, key=first.get)):
            is_asked = wanted == 1 or place < wanted
            if who is not None and is_asked and last[who] is not None:
                votes.append((first[who], row.id, who, last[who]))
    rows = {}
    for _, id, who, label in sorted(votes, key=itemgetter(0)):
        rows.setdefault(id, {})[who] = label
    return [named for named in rows.values() if len(named) > 1]


def measure_agreement(rows):
    """Return the share of equal votes, and kappa of two people or alpha of more.

    Parameters
    ----------
    rows : list of dict of str to label
        Two or more votes on each row.
    """
    people = list(dict.fromkeys(who for votes in rows for who in votes))
    n_pairs = sum(len(votes) * (len(votes) - 1) for votes in rows)
    counts = (n for votes in rows for n in Counter(votes.values()).values())
    share = sum(n * (n - 1) for n in counts) / n_pairs if rows else float("nan")
    if len(people) > 2:
        measure, value = "Krippendorff's alpha", krippendorff_alpha(rows)
    else:
        measure, value = "Cohen's kappa", cohen_kappa(rows, people)
    return Agreement(measure, value, len(rows), len(people), share)


def measure_agreement_by_label(rows, labels):
    """Return the agreement on each label, and the mean; a vote is a list of JSON."""
    found, by_label = measure_agreement(rows), {}
    for label in labels:
        given = [
            {who: label in json.loads(vote) for who, vote in votes.items()}
            for votes in rows
        ]
        by_label[label] = krippendorff_alpha(given)
    defined = [value for value in by_label.values() if not isnan(value)]
    mean = fmean(defined) if defined else float("nan")
    measure = "Krippendorff's alpha, mean of the labels"
    return found._replace(measure=measure, value=mean, by_label=by_label)


def cohen_kappa(rows, people):
    """Return Cohen's kappa of two people; nan if it is undefined."""
    if not rows:
        return float("nan")
    both = [[votes[who] for votes in rows] for who in people]
    codes = {label: code for code, label in enumerate(dict.fromkeys(chain(*both)))}
    first, second = ([codes[label] for label in labels] for labels in both)
    with catch_warnings(), np.errstate(invalid="ignore"):
        simplefilter("ignore")
        return float(cohen_kappa_score(first, second))


def krippendorff_alpha(rows):
    """Return Krippendorff's alpha of nominal labels; nan if it is undefined."""
    n, totals, observed = 0, Counter(), 0.0
    for votes in rows:
        counts = Counter(votes.values())
        m = counts.total()
        observed += (m * m - sum(k * k for k in counts.values())) / (m - 1)
        totals += counts
        n += m
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1 - observed / expected if expected else float("nan")
