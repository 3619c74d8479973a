"""Readings of a paper: what it leaves open, crossed, and which of it decides a claim.

A factor is a question that a paper leaves open, its levels are the answers. A reading
has a level of each factor.
"""

from itertools import product

import numpy as np

from benchmarks.results import as_text


def crossed(factors):
    """Return all readings, each once: a dict from factor to level."""
    return [
        dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())
    ]


def shares(readings, answers, factor):
    """Return for each level of a factor the share of its readings that agree."""
    of = {}
    for reading, answer in zip(readings, answers, strict=True):
        of.setdefault(reading[factor], []).append(answer)
    return {level: float(np.mean(found)) for level, found in of.items()}


def deciding(readings, answers):
    """Return the factor whose levels have the most different shares, and its shares.

    The first of equals; None and nothing if all readings give the same answer.
    """
    found = {factor: shares(readings, answers, factor) for factor in readings[0]}
    spread = {
        factor: max(of.values()) - min(of.values()) for factor, of in found.items()
    }
    factor = max(spread, key=spread.get)
    return (factor, found[factor]) if spread[factor] > 0 else (None, {})


def common(readings, answers):
    """Return the levels that all readings which agree have in common."""
    agreeing = [
        reading for reading, answer in zip(readings, answers, strict=True) if answer
    ]
    return {
        factor: agreeing[0][factor]
        for factor in readings[0]
        if agreeing
        and len({reading[factor] for reading in readings}) > 1
        and len({reading[factor] for reading in agreeing}) == 1
    }


def summary(readings, answers_of, facts=()):
    """Return a row for each claim: how many readings it holds in, and what decides.

    Parameters
    ----------
    readings : list of dict
        All with the same factors.
    answers_of : dict of str: list of bool
        For each claim whether it holds under each reading.
    facts : list of list of bool
        For each other fact that the paper prints whether each reading reproduces it.
    """
    rows = []
    n_facts = np.sum([np.zeros(len(readings)), *facts], axis=0)
    for claim, answers in answers_of.items():
        factor, of = deciding(readings, answers)
        shown = [f"{as_text(level)} {share:.0%}" for level, share in of.items()]
        levels = common(readings, answers)
        rows.append(
            {
                "claim": claim,
                "readings": len(readings),
                "held": sum(answers),
                "share": float(np.mean(answers)),
                "decided_by": factor or "",
                "shares": "; ".join(shown),
                "all_have": "; ".join(
                    f"{name}: {as_text(level)}" for name, level in levels.items()
                ),
                "most_facts": int(np.max(n_facts[answers], initial=0)),
            }
        )
    return rows


def by_level(readings, answers_of):
    """Return a row for each claim and level of a factor: the share of its readings."""
    return [
        {"claim": claim, "factor": factor, "level": level, "share": share}
        for claim, answers in answers_of.items()
        for factor in readings[0]
        for level, share in shares(readings, answers, factor).items()
    ]
