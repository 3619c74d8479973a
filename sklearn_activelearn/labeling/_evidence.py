"""Where a session stands, and what the rows put aside say about the model."""

from math import comb, sqrt
from typing import Any, NamedTuple

from .._containers import take
from ._answers import SKIP


class Status(NamedTuple):
    """Where a session stands."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the rows put aside, those with a label
    skipped: int  # of these, those without one for good
    pending: int  # of these, the others
    left: int | None  # labels that the budget allows yet; None: no limit
    n_test: int  # rows put aside
    n_taught: int  # labels that the learner was told
    by_class: dict  # how many rows have each label
    stop_reason: str | None


class CurvePoint(NamedTuple):
    """How good a model was on the rows put aside."""

    n_labels: int  # that it was trained on
    accuracy: float
    n_test: int  # rows put aside that have a label now


class Predictions(NamedTuple):
    """What the model says of all rows of the pool."""

    ids: list
    labels: list
    probabilities: Any  # ndarray of shape (n_rows, n_classes); None: it has none
    classes: list


def status_of(book):
    """Return where the session stands."""
    by_class = dict.fromkeys(book.begin["classes"] or (), 0)
    decisions = filter(None, map(book.decision, book.answers))
    labels = {decision.id: decision.label for decision in decisions}
    for label in labels.values():
        if label is not SKIP:
            by_class[label] = by_class.get(label, 0) + 1
    wanted = {**book.test, **book.asked}
    n_skipped = sum(id in labels and labels[id] is SKIP for id in wanted)
    n_pending = sum(id not in labels for id in wanted)
    return Status(
        asked=len(book.asked),
        answered=len(wanted) - n_skipped - n_pending,
        skipped=n_skipped,
        pending=n_pending,
        left=None if book.budget is None else book.budget - len(book.asked),
        n_test=len(book.test),
        n_taught=sum(label is not SKIP for label in book.told.values()),
        by_class=by_class,
        stop_reason=book.ended,
    )


def predictions_of(player, ids, rows):
    """Return what the model says of rows of the pool; None: of all.

    Raises
    ------
    ValueError
        If there is no model yet.
    """
    if not player.has_model:
        raise ValueError("There is no model yet: it needs labels of two classes.")
    X = player.pool if rows is None else take(player.pool, rows)
    labels, probabilities = player.predict(X)
    names = ids.all if rows is None else ids.at(rows)
    return Predictions(names, labels, probabilities, player.learner.classes_.tolist())


def hits_of(book):
    """Return for each model its labels, and whether it was right on each test row."""
    decisions = map(book.decision, book.test)
    truth = [decision.label if decision else None for decision in decisions]
    for model in book.models:
        pairs = zip(model["test"], truth, strict=True)
        hits = [said == label for said, label in pairs if label is not None]
        if hits:
            yield model["n_taught"], hits


def curve_of(book):
    """Return a point for each model."""
    return [
        CurvePoint(n_labels, sum(hits) / len(hits), len(hits))
        for n_labels, hits in hits_of(book)
    ]


def advice_of(book):
    """Return one sentence on whether more labels are worth it."""
    models = list(hits_of(book))
    if not book.test:
        return (
            "No rows were put aside (test_size), so nothing tells how good the model "
            "is: rows that the learner chose mislead."
        )
    if not models:
        return "There is no model yet: go on labelling."
    (n_labels, hits), n = models[-1], len(models[-1][1])
    accuracy = sum(hits) / n
    error = sqrt(max(accuracy * (1 - accuracy), 1 / n) / n)
    now = (
        f"With {n_labels} labels the model is right on {accuracy:.0%} of {n} rows put "
        f"aside (give or take {2 * error:.0%})"
    )
    earlier = [model for model in models if model[0] <= n_labels // 2]
    if not earlier:
        return f"{now}; it is too early to say whether more labels help."
    n_then, then = earlier[-1]
    gained = sum(a > b for a, b in zip(hits, then, strict=True))
    lost = sum(a < b for a, b in zip(hits, then, strict=True))
    if gained > lost and chance(gained, lost) <= 0.1:
        return f"{now}, better than with {n_then}: more labels probably help."
    if book.ended:
        return f"{now}, and the session has ended ({book.ended})."
    return (
        f"{now}; nothing shows that it is better than with {n_then}: more labels may "
        "not be worth their price, or more rows put aside are needed to see it."
    )


def chance(gained, lost):
    """Return how probable so many gains or more are if gains and losses are alike."""
    n = gained + lost
    return sum(comb(n, k) for k in range(gained, n + 1)) / 2**n
