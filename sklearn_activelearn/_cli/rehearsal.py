"""``label --rehearse``: a session whose answers are the known labels."""

import numpy as np
from sklearn.base import clone

from ..sources._containers import take
from .options import print_sentences

#: Orders of random rows, of which the mean is shown.
N_ORDERS = 5


def rehearse(session, X, known):
    """Answer with the known labels, and print how good the model was on the way.

    Parameters
    ----------
    session : LabelingSession
        With held-out rows.
    X : rows
        The pool.
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
    random = score_random_rows(session, X, known, [each.n_labels for each in shown])
    for point, score in zip(shown, random, strict=True):
        print(
            f"{point.n_labels:6} labels: {point.score:.0%} of {point.n_test} "
            f"(random rows: {score:.0%}; constant prediction: {point.constant:.0%})"
        )
    if shown:
        print_sentences(
            f"The table shows the {shown[0].measure} on the held-out rows, whose "
            f"labels are not counted. Random rows: the mean of {N_ORDERS} orders."
        )
    if n_unknown := sum(row_id not in known for row_id in session.test_ids):
        print_sentences(
            f"{n_unknown} of the held-out rows have no known label, and do not count."
        )
    print_sentences(session.advice())


def score_random_rows(session, X, known, numbers):
    """Return the mean scores of the same model with the labels of random rows.

    Parameters
    ----------
    session : LabelingSession
        Its learner has the model, its held-out rows judge it.
    X : rows
        The pool.
    known : dict
        Labels by id.
    numbers : list of int
        Numbers of labels.
    """
    if not numbers:
        return []
    place = {row_id: row for row, row_id in enumerate(session.ids)}
    test_ids = list(session.test_labels())
    X_test = take(X, [place[row_id] for row_id in test_ids])
    held_out = {*session.test_ids}
    rows = np.array([place[row_id] for row_id in known if row_id not in held_out])
    y = np.array([known[session.ids[row]] for row in rows])
    baseline, scores = session.learner._passive_baseline(), []
    for seed in range(N_ORDERS):
        order = np.random.default_rng(seed).permutation(len(rows))
        for n in numbers:
            first = order[:n]
            predicted = [y[first[0]]] * len(test_ids)  # labels of one class only
            if len({*y[first].tolist()}) > 1:
                learner = clone(baseline).set_params(random_state=seed)
                learner.teach(take(X, rows[first]), y[first], classes=session.classes)
                predicted = learner.predict(X_test).tolist()
            scores.append(
                session.score_test_predictions(
                    dict(zip(test_ids, predicted, strict=True))
                )
            )
    return np.mean(np.reshape(scores, (N_ORDERS, len(numbers))), axis=0).tolist()
