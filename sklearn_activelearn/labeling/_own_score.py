"""What the labels that a learner bought anyway say of its model."""

from ..evaluation import Estimate, explored_score, online_score, recall_price
from ..pool import PoolClassifier, RecallTarget
from ..pool.stopping._registry import find_rules


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


def recall_sentence(recorded, stop_reason):
    """Return what was found of a class, and what the rest costs, in words.

    Parameters
    ----------
    recorded : RecordedLearner
        Of the session.
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
    if stop_reason == RecallTarget.__name__:
        positive = target._positive_of(learner.classes_.tolist())
        n_found = list(recorded.taught.values()).count(positive)
        return (
            f"A recall of {target.recall:.0%} is certain, at a confidence of "
            f"{target.confidence:.0%}: {n_found} found in {len(recorded.taught)} rows "
            "read."
        )
    try:
        price = recall_price(
            learner,
            recorded.pool,
            recall=target.recall,
            confidence=target.confidence,
            positive=target.positive,
            ids=recorded.ids,
        )
    except ValueError as error:
        more = ""
        if stop_reason == "budget":
            more = " The budget is spent: a larger one goes on."
        return f"{error}{more}"
    return str(price)
