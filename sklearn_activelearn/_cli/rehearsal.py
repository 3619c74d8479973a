"""``label --rehearse``: how it would have gone, with answers that are known."""

import numpy as np
from sklearn.base import clone

from ..labeling._decisions import SKIP
from ..labeling._reports import Scores, test_of
from ..sources._containers import take
from .checks import print_sentences

#: Orders of random rows, of which the mean is shown.
N_ORDERS = 5


def rehearse(session, X, known):
    """Answer from what is known, and print how good the model was on the way.

    Parameters
    ----------
    session : LabelingSession
        With rows put aside.
    X : rows
        Its pool.
    known : dict
        Labels by id.
    """
    while (row_id := session.next()) is not None:
        if row_id in known:
            session.label(row_id, known[row_id])
        else:
            session.skip(row_id)
    points = session.curve()
    shown = points[:: max(1, len(points) // 10)]
    at_random = random_scores(session, X, known, [point.n_labels for point in shown])
    truth, history = test_of(session._state, ())
    answer = Scores(truth, history, None).answer if history else None
    for point, score in zip(shown, at_random, strict=True):
        print(
            f"{point.n_labels:6} labels: {point.score:.0%} of {point.n_test} "
            f"(random rows: {score:.0%}; always {answer!r}: {point.constant:.0%})"
        )
    if shown:
        print_sentences(
            f"Shown is the {shown[0].measure} on the rows put aside, whose labels are "
            f"not counted here. Random rows: the mean of {N_ORDERS} orders."
        )
    if n_unknown := sum(id not in known for id in session._state.test):
        print_sentences(
            f"{n_unknown} of the rows put aside have no known label, and do not count."
        )
    print_sentences(session.advice())


def random_scores(session, X, known, numbers):
    """Return the scores of the same model with so many labels of random rows.

    Parameters
    ----------
    session : LabelingSession
        Its learner has the model, its rows put aside judge it.
    X : rows
        Its pool.
    known : dict
        Labels by id.
    numbers : list of int
        How many labels.

    Returns
    -------
    scores : list of float
        The means over `N_ORDERS` orders of the rows.
    """
    if not numbers:
        return []
    state, place = session._state, {id: row for row, id in enumerate(session.ids)}
    truth, _ = test_of(state, ())
    decided = [place[id] for id in state.test if has_label(state, id)]
    X_test = take(X, decided)
    rows = np.array([place[id] for id in known if id not in state.test])
    y = np.array([known[session.ids[row]] for row in rows])
    baseline, scores = session.learner._passive_baseline(), []
    for seed in range(N_ORDERS):
        order = np.random.default_rng(seed).permutation(len(rows))
        history = []
        for n in numbers:
            first = order[:n]
            predicted = y[first][:1].tolist() * len(truth)  # of one class only
            if len({*y[first].tolist()}) > 1:
                learner = clone(baseline).set_params(random_state=seed)
                learner.teach(take(X, rows[first]), y[first], classes=session.classes)
                predicted = learner.predict(X_test).tolist()
            history.append((n, predicted))
        scores.append(Scores(truth, history, None).values)
    return np.mean(scores, axis=0).tolist()


def has_label(state, id):
    """Whether a row is decided, and not skipped."""
    decision = state.decision(id)
    return decision is not None and decision.label is not SKIP
