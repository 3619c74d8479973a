"""What a person who pays for labels relies on, as functions like the seven laws."""

import numpy as np

from ._law import demand, law
from ._tools import (
    AnswerSheet,
    fresh,
    frozen,
    is_pool,
    pickled,
    responses,
    state,
    unlimited,
    without_budget,
)


@law("No row is sold twice.", streams=False)
def check_no_row_twice(learner, X, y):
    """Ask until nothing is left: no row that was taught, is out or was skipped."""
    learner, known, skipped = unlimited(learner), {0}, 0
    learner.teach(X[:1], y[:1], classes=np.unique(y))
    while len(rows := learner.query(X)):
        demand(not known & {*rows.tolist()}, "query returns a row that it had before.")
        demand(len({*rows.tolist()}) == len(rows), "query returns a row two times.")
        known |= {*rows.tolist()}
        out = learner.query(X, limit=1)  # nothing has come back yet
        demand(not known & {*out.tolist()}, "query returns a row that is out.")
        known |= {*out.tolist()}
        learner.teach(X[rows], y[rows])
        if len(out):
            learner.skip(X[out])
            skipped += 1
    if learner.stop_reason_ == "no rows":
        demand(len(known) == len(X), "Rows are left over.")
    demand(learner.n_skipped_ == skipped, "n_skipped_ is not what was skipped.")
    oracle = AnswerSheet(y)
    learner.learn(X, oracle)
    demand(not oracle.asked, "learn asks for rows that are not for sale.")


@law("With ids, rows are recognised by nothing else.", streams=False)
def check_ids(learner, X, y):
    """Buy with ids and without; then offer the same rows with other values."""
    X = X + np.arange(1, len(X) + 1)[:, None] / 1024  # all different
    names = np.array([f"row {i}" for i in range(len(X))], dtype=object)
    plain, named = fresh(learner), fresh(learner)
    known = []
    while len(rows := plain.query(X)) and len(known) < len(X) // 2:
        same = named.query(X, ids=names)
        demand(rows.tolist() == same.tolist(), "It asks for other rows with ids.")
        plain.teach(X[rows], y[rows])
        named = pickled(named).teach(X[rows], y[rows], ids=names[rows])
        known += names[rows].tolist()
    same = frozen(responses(plain, X)) == frozen(responses(named, X))
    demand(same, "It has another model with ids.")
    rows = named.query(2 * X[::-1], ids=names[::-1], limit=2)
    sold_again = {*names[::-1][rows]} & {*known}
    demand(not sold_again, "It asks again for rows whose values have changed.")


@law("Every request can be seen and ended.")
def check_requests(learner, X, y):
    """Look at what is out, through a pickle; skip it, with and without a refund.

    Returns
    -------
    n_out : int
        How many rows were asked for.
    """
    X = X + np.arange(1, len(X) + 1)[:, None] / 1024  # all different
    learner = fresh(learner)
    demand(learner.pending(X).size == 0, "Rows are pending before the first query.")
    learner.teach(X[:9], y[:9], classes=np.unique(y))
    demand(learner.n_queries_ == 0, "Rows that nobody asked for are on the bill.")
    demand(len(learner.predict(X)) == len(X), "It does not predict once it was taught.")
    rows = learner.query(X)
    n, before = len(rows), state(learner)
    learner = pickled(learner)
    demand(state(learner) == before, "A pickle is not what was pickled.")
    demand(learner.n_pending_ == n, "n_pending_ is not what query returned.")
    for pool, where in (
        (X, rows), (X[::-1], len(X) - 1 - rows), (X * (1 + 2.0**-50), rows),
    ):  # fmt: skip
        is_found = np.array_equal(learner.pending(pool), where)
        demand(is_found, "pending is not what query returned.")
    for wrong in (X[:1] + 99, np.vstack([X[rows[:1]], X[:1] + 99])):
        refuses(
            learner, lambda X=wrong: learner.skip(X), "skip of a row that is not out"
        )
    if n:
        learner.skip(X[rows[:1]], refund=True)
        counts = learner.n_pending_, learner.n_skipped_, learner.n_queries_
        demand(counts == (n - 1, 1, n - 1), "skip with a refund is not counted.")
        learner.skip()
        counts = learner.n_pending_, learner.n_skipped_, learner.n_queries_
        demand(counts == (0, n, n - 1), "skip is not counted.")
    demand(learner.n_taught_ == 9, "n_taught_ is not what was taught.")
    return n


def refuses(learner, call, what):
    """Demand that a call raises an error, and that nothing has happened."""
    before = state(learner), repr(learner.get_params())
    try:
        call()
    except (ValueError, TypeError):
        after = state(learner), repr(learner.get_params())
        demand(after == before, f"After the error of {what}, the learner has changed.")
    else:
        raise AssertionError(f"There was no error for {what}.")


@law("An error means that nothing happened.")
def check_errors(learner, X, y):
    """Call verbs with what must be refused, and learn from an oracle that fails."""
    classes, short = np.unique(y), X[:3]
    learner = fresh(learner).fit(X, y)
    other = "neither" if y.dtype.kind == "U" else -1
    labels = np.array([*y[:2].tolist(), other])
    for what, call in {
        "rows without a column": lambda: learner.query(X[:, 1:]),
        "candidates that are no rows": lambda: learner.query(X, candidates=[len(X)]),
        "a label of no class": lambda: learner.teach(short, labels, classes=classes),
        "too few labels": lambda: learner.teach(short, y[:2]),
        "an answer sheet too short": lambda: learner.partial_fit(X, y[:-1]),
        "an oracle that is none": lambda: learner.learn(X, y),
    }.items():
        refuses(learner, call, what)
    expected = fresh(learner)
    oracle = AnswerSheet(y)
    expected.learn(X, oracle, classes)
    for n_answers in {0, len(oracle.asked) // 2, len(oracle.asked) - 1} - {-1}:
        check_oracle_that_fails(learner, X, y, n_answers, expected)


def check_oracle_that_fails(learner, X, y, n_answers, expected):
    """Learn from an oracle that raises after some answers, and then go on."""
    learner, asked, fails = fresh(learner), [], [True]

    def oracle(rows):
        if fails and len(asked) >= n_answers:
            fails.clear()
            raise ConnectionError("The oracle is away.")
        asked.extend(rows.tolist())
        return y[rows]

    try:
        learner.learn(X, oracle, np.unique(y))
    except ConnectionError:
        rest = 0 if is_pool(learner) else learner.n_seen_
        demand(learner.n_queries_ == len(asked), "A label that was given is lost.")
        learner.learn(X[rest:], lambda rows: oracle(rows + rest))
    else:
        demand(fails, "learn does not pass on what its oracle raises.")
    demand(learner.n_queries_ == len(asked), "A label is not counted once.")
    demand(
        asked == expected.queried_indices_.tolist(),
        "learn, called again after an error of its oracle, asks for other rows.",
    )
    same = frozen(responses(learner, X)) == frozen(responses(expected, X))
    demand(same, "learn, called again after an error, learns something else.")


@law("Answers can be corrected.", streams=False)
def check_corrections(learner, X, y, rows=None, changed=None):
    """Teach wrong labels and correct them: as if they had been right.

    Returns
    -------
    corrected, right : learner
        The one that was corrected, and the one that it should be.
    """
    X = X + np.arange(len(X))[:, None] / 1024  # all different
    rows = np.arange(8) if rows is None else np.asarray(rows)
    changed = rows[[0, 3, 6]] if changed is None else np.asarray(changed)
    wrong, classes = y.copy(), np.unique(y)
    wrong[changed] = np.roll(classes, 1)[np.searchsorted(classes, y[changed])]
    right, corrected = (
        taught_in_parts(without_budget(learner), X, labels, rows)
        for labels in (y, wrong)
    )
    corrected = pickled(corrected)
    corrected.correct(X[changed], y[changed])
    same_classes = np.array_equal(corrected.classes_, right.classes_)
    demand(same_classes, "The classes are others.")
    same = frozen(responses(corrected, X)) == frozen(responses(right, X))
    demand(same, "Its predictions are others.")
    demand(corrected.n_queries_ == right.n_queries_, "The bill is another.")
    same_rows = corrected.query(X).tolist() == right.query(X).tolist()
    demand(same_rows, "It asks for other rows.")
    refuses(corrected, lambda: corrected.correct(X[:1] + 99, y[:1]), "an unknown row")
    return corrected, right


def taught_in_parts(learner, X, y, rows):
    """Show a learner the pool, and teach it some rows in three calls."""
    learner.query(X, limit=0)
    for part in np.split(rows, [3, 4]):
        learner.teach(X[part], y[part])
    return learner
