"""What the labels that a learner bought anyway say of its model."""

from ..evaluation import Estimate, explored_score, online_score
from ..pool import PoolClassifier


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
