"""What the labels that a learner bought anyway say of its model."""

from math import floor

from ..evaluation import Estimate, explored_score, online_score
from ..evaluation._recall import estimate_of, price_of, read_by
from ..pool import PoolClassifier, RecallTarget
from ..pool.stopping._base import find_rules
from ._decisions import SKIP

#: Lower bounds below this one say nothing.
LOW_RECALL = 0.1


def own_score_of(learner) -> Estimate | None:
    """Return the accuracy of a learner from its own labels, None if they tell none."""
    if isinstance(learner, PoolClassifier):
        if not learner._follows_from_labels():
            return None
        found = explored_score(learner)
    else:
        try:
            error = online_score(learner)
        except ValueError:  # it lets rows pass that it might have erred on
            return None
        ends = 1 - error.high, 1 - error.low
        found = Estimate(1 - error.value, *ends, error.n_labels, error.confidence)
    return found if found.n_labels else None


def own_score_sentence(learner, estimate):
    """Return it in words."""
    low, high = (f"{100 * end:.0f}" for end in (estimate.low, estimate.high))
    n = estimate.n_labels
    rows, how = "the rows so far", f"{n} labels, each before it was taught"
    if isinstance(learner, PoolClassifier):
        rows, how = "rows like these", f"{n} random row{'s' * (n > 1)} that it bought"
    return (
        f"With {learner.n_taught_} labels the model is right on {estimate.value:.0%} "
        f"of {rows} (95 %: {low}–{high}), judged by {how}."
    )


def recall_sentence(recorded, decisions, stop_reason):
    """Return what was found of a class, and what the rest costs, in words.

    Parameters
    ----------
    recorded : RecordedLearner
        Of the session.
    decisions : dict of int to Decision or None
        What the rows are, by number, that the learner is kept from.
    stop_reason : str or None
        Why the session has ended, if it has.

    Returns
    -------
    sentence : str or None
        None unless the learner stops at a recall.
    """
    learner = recorded.learner
    if not isinstance(learner, PoolClassifier):
        return None
    rules = find_rules(learner.stopping)
    target = next((rule for rule in rules if isinstance(rule, RecallTarget)), None)
    if target is None:
        return None
    if not recorded.taught:
        return "No row has a label yet."
    positive = target._positive_of(learner.classes_.tolist(), learner.positive)
    skipped = [row for row, each in decisions.items() if each and each.label is SKIP]
    aside = {
        row: each and each.label == positive
        for row, each in decisions.items()
        if row not in recorded.taught and row not in skipped
    }
    if stop_reason == RecallTarget.__name__ and None not in aside.values():
        n_found = list(recorded.taught.values()).count(positive) + sum(aside.values())
        return (
            f"A recall of {target.recall:.0%} is certain, at a confidence of "
            f"{target.confidence:.0%}: {n_found} found in "
            f"{len(recorded.taught) + len(aside)} rows read."
        )
    try:
        args = learner, recorded.pool, target.positive, recorded.ids, skipped, aside
        reads, probabilities = read_by(*args)
    except ValueError as error:
        more = ""
        if stop_reason == "budget":
            more = " The budget is spent: a larger one goes on."
        return f"{error}{more}"
    price = price_of(reads, probabilities, target.recall, target.confidence)
    bound = estimate_of(reads, target.confidence, True, probabilities)
    # unread rows that are out since an earlier learner are none that could be drawn
    are_out = any(row in aside and aside[row] is None for row in recorded.asked_before)
    if are_out or bound.low < LOW_RECALL:
        return str(price)
    return (
        f"{price} At least {floor(100 * bound.low)}% are found, at a confidence of "
        f"{target.confidence:.0%}, by {bound.n_drawn} random rows."
    )
