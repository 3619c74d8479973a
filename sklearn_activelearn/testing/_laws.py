"""The seven laws, each a function of an unfitted learner and of data."""

import pickle
from functools import wraps
from warnings import catch_warnings

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.utils import get_tags

from ..exceptions import OneClassWarning


def law(sentence, *, streams=True, pools=True):
    """Have a check name its law where it fails, and say for which learners it is."""

    def decorate(check):
        @wraps(check)
        def checked(learner, *data, **how):
            try:
                with catch_warnings(action="ignore", category=OneClassWarning):
                    return check(learner, *data, **how)
            except AssertionError as error:
                raise AssertionError(f"{sentence} {error}") from error
            except Exception as error:
                name = type(error).__name__
                raise AssertionError(f"{sentence} It raised {name}: {error}") from error

        checked.law, checked.streams, checked.pools = sentence, streams, pools
        return checked

    return decorate


def demand(is_so, otherwise):
    """Raise `AssertionError` with a sentence, unless it is so."""
    if not is_so:
        raise AssertionError(otherwise)


def is_pool(learner):
    """Whether a learner takes a whole pool, and not a stream."""
    return learner._group is None


def fresh(prototype, **params):
    """Return an unfitted copy whose random numbers are known."""
    if "random_state" in prototype.get_params(deep=False):
        params = {"random_state": 0, **params}
    return clone(prototype).set_params(**params)


def state(learner):
    """Return all that a learner knows, comparable with `==`, bit for bit.

    Left out are parameters, `queried_indices_`, which counts in the X of a call, and
    what rows are recognised by.
    """
    known = set(vars(learner)) - set(learner.get_params())
    known -= {"queried_indices_", "_known_by", "_ids"}
    return {name: frozen(vars(learner)[name]) for name in known}


def frozen(value):
    """Return something that is equal only for values with the same bits."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return value.dtype.str, value.shape, frozen(value.ravel().tolist())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if issparse(value):
        return frozen([value.data, value.indices, value.indptr, value.shape])
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return pickle.dumps(value)
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, frozen(value.__getstate__())
    if type(value).__module__.startswith("sklearn.") and not callable(value):
        return pickle.dumps(value)  # compiled parts of an estimator
    if type(value).__module__.startswith("sklearn_activelearn.stream."):
        return frozen(value.__reduce__())  # compiled parts of a learner
    return value


def responses(learner, X):
    """Return all that a learner predicts."""
    names = ("predict", "decision_function", "predict_proba")
    return [getattr(learner, name)(X) for name in names if hasattr(learner, name)]


def pickled(learner):
    """Return a learner that went through a pickle."""
    return pickle.loads(pickle.dumps(learner))


class AnswerSheet:
    """An oracle that remembers what it was asked.

    Parameters
    ----------
    y : array-like
        The label of every row.
    """

    def __init__(self, y):
        self.y = np.asarray(y)
        self.asked = []

    def __call__(self, rows):
        self.asked += rows.tolist()
        return self.y[rows]


def without_budget(learner):
    """Return a copy that no budget stops, as far as that can be set."""
    names = {"budget"} & set(learner.get_params(deep=False))
    return fresh(learner, **dict.fromkeys(names))


def unlimited(learner):
    """Return a copy that no budget and no rule stops, as far as that can be set."""
    names = {"budget", "stopping"} & set(learner.get_params(deep=False))
    return fresh(learner, **dict.fromkeys(names))


def by_row(learner, X, y, classes):
    """Offer a stream group by group; return the learner and its purchases."""
    purchases = []
    for i in range(0, len(X), learner._group):
        chunk = slice(i, i + learner._group)
        rows = learner.query(X[chunk])
        learner = pickled(learner)
        learner.teach(X[chunk][rows], y[chunk][rows], classes=classes)
        learner = pickled(learner)
        purchases += (i + rows).tolist()
    return learner, purchases


def by_pool(learner, X, y, classes, candidates=None):
    """Offer a pool until nothing is wanted; return the same."""
    purchases = []
    while len(rows := learner.query(X, candidates=candidates)):
        demand(len(purchases) <= len(X), "A loop of query and teach does not end.")
        learner = pickled(learner)
        learner.teach(X[rows], y[rows], classes=classes)
        learner = pickled(learner)
        purchases += rows.tolist()
    return learner, purchases


@law("Law 1: labels that were not bought have no influence.")
def check_unbought_labels(learner, X, y, seed=0):
    """Replace the labels that were not bought: nothing changes."""
    rng, classes = np.random.RandomState(seed), np.unique(y)
    learned = fresh(learner).partial_fit(X, y, classes=classes)
    lies = rng.choice(classes, size=len(y))
    lies[learned.queried_indices_] = y[learned.queried_indices_]
    misled = fresh(learner).partial_fit(X, lies, classes=classes)
    demand(state(misled) == state(learned), "partial_fit learned other labels, too.")
    learned = fresh(learner).fit(X, y)
    unbought = np.setdiff1d(np.arange(len(y)), learned.queried_indices_)
    lies = y.copy()  # the same labels on other rows: fit reads the set of classes
    lies[unbought] = rng.permutation(y[unbought])
    misled = fresh(learner).fit(X, lies)
    demand(state(misled) == state(learned), "fit learned other labels, too.")
    same_rows = np.array_equal(misled.queried_indices_, learned.queried_indices_)
    demand(same_rows, "fit bought other rows.")


@law("Law 2: simulation is the protocol: fit, partial_fit, learn, query with teach.")
def check_simulation(learner, X, y, uses_model=True):
    """All ways to run the loop buy the same rows and end in the same state.

    `uses_model`: a pool learner must buy more than its first rows, which are chosen
    without a model, unless a rule stops it.
    """
    classes = np.unique(y)
    in_order = {"shuffle": False} if "shuffle" in learner.get_params() else {}
    fitted = fresh(learner, **in_order).fit(X, y)
    bought, expected = fitted.queried_indices_.tolist(), state(fitted)
    if uses_model and is_pool(learner) and fitted.stop_reason_ in ("budget", "no rows"):
        n_of_one_class = np.argmax(y[bought] != y[bought[0]])
        n_first = max(fitted.n_initial, n_of_one_class + 1)
        demand(len(bought) > n_first, "It bought no row by its model.")
    streamed = fresh(learner).partial_fit(X, y, classes=classes)
    demand(streamed.queried_indices_.tolist() == bought, "partial_fit buys other rows.")
    demand(state(streamed) == expected, "partial_fit learns something else.")
    oracle = AnswerSheet(y)
    asked = fresh(learner).learn(X, oracle, classes=classes)
    demand(oracle.asked == bought, "learn asks for other rows.")
    demand(asked.queried_indices_.tolist() == bought, "learn reports other rows.")
    demand(state(asked) == expected, "learn learns something else.")
    by_hand = by_pool if is_pool(learner) else by_row
    looped, purchases = by_hand(fresh(learner), X, y, classes)
    demand(purchases == bought, "query, with pickles in between, buys other rows.")
    demand(state(looped) == expected, "query and teach learn something else.")


@law("Law 3: chunks of a stream do not matter.", pools=False)
def check_chunks(learner, X, y, cuts=(1, 5, 6)):
    """Cut a stream before these groups of rows: nothing changes."""
    classes = np.unique(y)
    whole = fresh(learner).partial_fit(X, y, classes=classes)
    ends = [learner._group * cut for cut in cuts if learner._group * cut < len(X)]
    parts, purchases = fresh(learner), []
    for start, stop in zip([0, *ends], [*ends, len(X)], strict=True):
        parts.partial_fit(X[start:stop], y[start:stop], classes=classes)
        purchases += (start + parts.queried_indices_).tolist()
    demand(purchases == whole.queried_indices_.tolist(), "It buys other rows.")
    demand(state(parts) == state(whole), "It learns something else.")


@law("Law 4: prediction is pure, and query does not change it.")
def check_purity(learner, X, y):
    """Predict, score and query: predictions stay, and predicting changes nothing."""
    learner = fresh(learner).fit(X, y)
    before, predicted = state(learner), frozen(responses(learner, X))
    learner.score(X, y)
    demand(frozen(responses(learner, X)) == predicted, "It predicts something else.")
    demand(state(learner) == before, "Prediction changes the learner.")
    _, first = np.unique(y, return_index=True)
    taught = np.union1d(first, np.arange(len(X) // 2))  # of all classes, and not all
    learner = unlimited(learner).teach(X[taught], y[taught], classes=np.unique(y))
    predicted, rows = frozen(responses(learner, X)), learner.query(X)
    if is_pool(learner):
        demand(len(rows) or learner.stop_reason_, "query returns no rows.")
    demand(frozen(responses(learner, X)) == predicted, "query changes predictions.")


@law("Law 5: the same random_state has the same result.")
def check_reproducible(learner, X, y, seed=0):
    """Fit again, fit a clone: the same purchases, the same state."""
    seeded = "random_state" in learner.get_params(deep=False)
    learner = fresh(learner, **{"random_state": seed} if seeded else {}).fit(X, y)
    again = clone(learner).fit(X, y)
    same_rows = np.array_equal(again.queried_indices_, learner.queried_indices_)
    demand(same_rows, "A clone buys other rows.")
    demand(state(again) == state(learner), "A clone learns something else.")
    demand(state(learner.fit(X, y)) == state(again), "fit does not forget everything.")


def in_containers(learner):
    """Yield what makes other containers of an array, of which none matters."""
    yield lambda X: X.astype(np.float32)
    yield np.asfortranarray
    if get_tags(learner).input_tags.sparse:
        yield csr_array
        yield lambda X: csr_array(X.astype(np.float32))


@law("Law 6: dense, sparse and single precision give the same.", pools=False)
def check_containers(learner, X, y, converts=None, slack=None):
    """Fit on rows in another container: the same purchases, weights up to rounding."""
    expected = fresh(learner).fit(X, y)
    scores = expected.decision_function(X)
    slack = 1e-9 * np.abs(scores).max() if slack is None else slack
    for convert in converts or in_containers(learner):
        other = fresh(learner).fit(convert(X), y)
        same_rows = np.array_equal(other.queried_indices_, expected.queried_indices_)
        demand(same_rows, "It buys other rows.")
        for found in (
            other.decision_function(X),
            expected.decision_function(convert(X)),
        ):
            is_close = np.allclose(found, scores, rtol=1e-7, atol=slack)
            demand(is_close, "It predicts something else.")


@law("Law 7: the bill is right.")
def check_bill(learner, X, y, budget=7):
    """Buy with a small budget: each label is counted once, and no more are bought.

    Returns
    -------
    asked : list of int
        Rows that the oracle was asked for.
    """
    has_budget = "budget" in learner.get_params(deep=False)
    limit, params = (budget, {"budget": budget}) if has_budget else (np.inf, {})
    oracle, classes = AnswerSheet(y), np.unique(y)
    asking = fresh(learner, **params).learn(X, oracle, classes=classes)
    asked = [*oracle.asked]
    demand(asking.n_queries_ == len(asked), "n_queries_ is not what learn asked for.")
    same_rows = asking.queried_indices_.tolist() == asked
    demand(same_rows, "queried_indices_ is not what learn asked for.")
    demand(len(asked) <= limit, "learn buys more than the budget.")
    if not is_pool(learner):
        demand(asking.n_seen_ == len(X), "n_seen_ is not the number of rows.")
    asking.learn(X, oracle)  # the same budget goes on
    demand(asking.n_queries_ == len(oracle.asked), "A second learn is not counted.")
    demand(asking.n_queries_ <= limit, "A second learn exceeds the budget.")
    loop, n_asked = fresh(learner, **params), 0
    for _ in range(3):
        n_asked += len(loop.query(X))
        demand(loop.n_queries_ == n_asked, "n_queries_ is not what query returned.")
        demand(n_asked <= limit, "query exceeds the budget while labels are out.")
    loop.teach(X[:2], y[:2], classes=classes)
    demand(loop.n_queries_ == n_asked, "teach is on the bill.")
    return asked


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
    for pool, where in ((X, rows), (X[::-1], len(X) - 1 - rows)):
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
