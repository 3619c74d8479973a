"""Where a session stands, and what the rows put aside say about the model."""

from math import sqrt
from operator import eq
from typing import NamedTuple

from .._containers import take
from .._typing import Floats, Id, Label
from ..evaluation import advice

#: How many further labels the advice is about, at most.
AHEAD = 50


class Status(NamedTuple):
    """Where a session stands."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the rows put aside, those with a label
    skipped: int  # of these, those without one for good
    pending: int  # of these, the others
    left: int | None  # labels that the budget allows yet; None: no limit
    n_test: int  # rows put aside
    n_taught: int  # labels that the learner was taught
    by_class: dict[Label, int]  # how many rows have each label
    stop_reason: str | None


class CurvePoint(NamedTuple):
    """How good a model was on the rows put aside."""

    n_labels: int  # that it was trained on
    accuracy: float
    n_test: int  # rows put aside that have a label now


class Predictions(NamedTuple):
    """What the model says of all rows of the pool."""

    ids: list[Id]
    labels: list[Label]
    probabilities: Floats | None  # of shape (n_rows, n_classes); None: it has none
    classes: list[Label]


def status_of(state):
    """Return where the session stands."""
    by_class = dict.fromkeys(state.begin["classes"] or (), 0)
    by_class |= +state.by_class
    n_wanted = len(state.test) + len(state.asked)
    return Status(
        asked=len(state.asked),
        answered=n_wanted - state.n_skipped - state.n_pending,
        skipped=state.n_skipped,
        pending=state.n_pending,
        left=None if state.budget is None else state.budget - len(state.asked),
        n_test=len(state.test),
        n_taught=state.n_taught,
        by_class=by_class,
        stop_reason=state.ended,
    )


def predictions_of(recorded, ids, wanted):
    """Return what the model says of the rows with these ids; None: of all.

    Raises
    ------
    ValueError
        If there is no model yet, or for an id that is not there.
    """
    rows = None if wanted is None else [ids.row(id) for id in wanted]
    if not recorded.has_model:
        raise ValueError("There is no model yet: it needs labels of two classes.")
    X = recorded.pool if rows is None else take(recorded.pool, rows)
    labels, probabilities = recorded.predict(X)
    names = ids.all if rows is None else ids.at(rows)
    return Predictions(names, labels, probabilities, recorded.learner.classes_.tolist())


def test_of(state):
    """Return the labels of the rows put aside, and the predictions of each model.

    Returns
    -------
    truth : list
        Of those rows that have a label now.
    history : list of (int, list)
        For each model, its labels and its predictions for these rows.
    """
    decisions = map(state.decision, state.test)
    truth = [decision.label if decision else None for decision in decisions]
    known = [i for i, label in enumerate(truth) if label is not None]
    history = [
        (model["n_taught"], [model["test"][i] for i in known]) for model in state.models
    ]
    return [truth[i] for i in known], history if known else []


def share_right(predicted, truth):
    """Return the share of predictions that are right."""
    return sum(map(eq, predicted, truth)) / len(truth)


def curve_of(state):
    """Return a point for each model."""
    truth, history = test_of(state)
    return [
        CurvePoint(n_labels, share_right(predicted, truth), len(truth))
        for n_labels, predicted in history
    ]


def advice_of(state):
    """Return what is known about the worth of more labels, in a sentence or two."""
    if not state.test:
        return (
            "No rows were put aside (test_size), so nothing tells how good the model "
            "is: rows that the learner chose mislead."
        )
    truth, history = test_of(state)
    if not history:
        return "There is no model yet: go on labelling."
    (n_labels, predicted), n = history[-1], len(truth)
    share = share_right(predicted, truth)
    error = sqrt(max(share * (1 - share), 1 / n) / n)
    now = (
        f"With {n_labels} labels the model is right on {share:.0%} of {n} rows put "
        f"aside (give or take {2 * error:.0%})"
    )
    if state.ended:
        now += f", and the session has ended ({state.ended})"
    if min(n_then for n_then, _ in history) > n_labels / 2:
        return f"{now}. It is too early to say whether more labels help."
    return f"{now}. {advice(history, truth, n_labels=min(AHEAD, n_labels))}"
