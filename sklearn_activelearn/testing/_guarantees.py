"""The guarantees of all learners as checks, and `check_learner`, which runs them.

A check is a function of an unfitted learner, rows and labels. It raises AssertionError
if the learner breaks the guarantee.
"""

import pickle
import warnings
from functools import partial, wraps
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import get_tags

from ..base._labels import classes_of
from ..base._parameters import check_budget, is_share
from ..base._verbs import ActiveClassifier
from ..exceptions import ColdStartWarning, OneClassWarning

#: The checks, in the order in which they run.
CHECKS = []


def guarantee(sentence, *, streams=True, pools=True):
    """Register a check; its errors begin with the sentence that it checks."""

    def decorate(check):
        @wraps(check)
        def checked(learner, *data, **options):
            try:
                with warnings.catch_warnings(action="ignore", category=OneClassWarning):
                    return check(learner, *data, **options)
            except AssertionError as error:
                raise AssertionError(f"{sentence} {error}") from error
            except Exception as error:
                name = type(error).__name__
                raise AssertionError(f"{sentence} It raised {name}: {error}") from error

        checked.guarantee, checked.streams, checked.pools = sentence, streams, pools
        CHECKS.append(checked)
        return checked

    return decorate


def check_learner(
    learner: ActiveClassifier, *, on_fail: Literal["raise"] | None = "raise"
) -> list[dict[str, Any]]:
    """Check that a learner keeps the guarantees of active learning.

    `sklearn.utils.estimator_checks.check_estimator` checks that it is an estimator. A
    learner should pass both. The guarantees are listed in the user guide.

    Parameters
    ----------
    learner : PoolClassifier or StreamClassifier
        An instance with parameters. It is cloned, never changed. Pool learners get a
        budget of two thirds of the rows, so that some rows stay unlabelled, and an
        `n_initial` of at most 4, so that the model chooses most rows.
    on_fail : {"raise", None}, default="raise"
        Whether to raise at the first guarantee that is broken, or to run all checks.

    Returns
    -------
    results : list of dict
        One for each check, with the keys ``check_name``; ``guarantee``, a sentence;
        ``status``, which is "passed", "failed" or "skipped" (a guarantee of the other
        kind of learner); and ``exception``, the error that was raised, or None.

    Raises
    ------
    AssertionError
        If a guarantee is broken and `on_fail` is "raise". The message names the
        guarantee.
    TypeError, ValueError
        If `learner` is not a learner, or `on_fail` is not one of its options.

    Examples
    --------
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.testing import check_learner
    >>> results = check_learner(CBGZClassifier(b=0.3))
    >>> print({result["status"] for result in results} - {"skipped"})
    {'passed'}
    """
    if not isinstance(learner, ActiveClassifier):
        raise TypeError(
            "learner must be an instance of PoolClassifier or StreamClassifier, got "
            f"{learner!r}."
        )
    if on_fail not in ("raise", None):
        raise ValueError(f"on_fail must be 'raise' or None, got {on_fail!r}.")
    results = []
    for check in CHECKS:
        result = {"check_name": check.__name__, "guarantee": check.guarantee}
        result["exception"] = None
        results.append(result)
        if not (check.pools if is_pool(learner) else check.streams):
            result["status"] = "skipped"
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FitFailedWarning)
                warnings.simplefilter("ignore", ColdStartWarning)
                for X, y in make_problems(get_tags(learner)):
                    check(with_small_budget(learner, len(X)), X, y)
            result["status"] = "passed"
        except AssertionError as error:
            if on_fail == "raise":
                raise
            result |= {"status": "failed", "exception": error}
    return results


def make_problems(tags):
    """Yield rows of numbers, many of them 0, and labels that mostly follow them.

    A learner that takes several labels for a row gets them in the last problem.
    """
    for n_samples, names in [(27, ["no", "yes"]), (18, [3, 5, 9])]:
        if len(names) > 2 and not tags.classifier_tags.multi_class:
            continue
        rng, labels = np.random.RandomState(0), np.array(names)
        # float32 represents the values exactly, and no two scores are almost equal
        X = rng.randint(-9999, 10000, size=(n_samples, 4)) / 4096
        X[rng.uniform(size=X.shape) < 0.3] = 0.0
        X[10:13] = X[:3]  # some rows are equal
        scores = X @ rng.standard_normal((4, len(labels)))
        codes = (scores + 0.3 * rng.standard_normal(scores.shape)).argmax(axis=1)
        codes[: len(labels)] = range(len(labels))
        if tags.target_tags.single_output:
            yield X, labels[codes]
    if tags.classifier_tags.multi_label:
        yield X, (scores > 0).astype(np.int64)


def with_small_budget(learner, n_samples):
    """Return a copy whose model chooses some rows of a pool, but not all of them.

    A budget that is a share of a stream becomes the corresponding number of labels.
    """
    given, params = learner.get_params(deep=False), {}
    if is_pool(learner):
        if "budget" in given:
            params["budget"] = 2 * n_samples // 3
        if "n_initial" in given:
            params["n_initial"] = min(given["n_initial"], 4)
    elif is_share(given.get("budget")):
        params["budget"] = check_budget(given["budget"], n_samples)
    return fresh(learner, **params)


def demand(condition, message):
    """Raise AssertionError with a message unless a condition is true."""
    if not condition:
        raise AssertionError(message)


def is_pool(learner):
    """Return True for a learner that takes a whole pool, not a stream."""
    return hasattr(learner, "correct")  # a stream learner cannot unlearn a label


def fresh(prototype, **params):
    """Return an unfitted copy with a fixed seed and the given parameters."""
    if "random_state" in prototype.get_params(deep=False):
        params = {"random_state": 0, **params}
    return clone(prototype).set_params(**params)


def unlimited(learner, *names):
    """Return a copy with None for the given parameters; default: budget, stopping."""
    names = {*(names or ("budget", "stopping"))} & {*learner.get_params(deep=False)}
    return fresh(learner, **dict.fromkeys(names))


def pickled(learner):
    """Return the learner after a pickle round trip."""
    return pickle.loads(pickle.dumps(learner))


def state(learner):
    """Return the fitted state of a learner, comparable with `==`, bit for bit.

    It omits the parameters, and whether rows are known by ids or by values. It also
    omits `queried_indices_`, whose row numbers depend on how X is divided into calls.
    """
    known = set(vars(learner)) - set(learner.get_params())
    known -= {"queried_indices_", "_known_by", "_ids", "_next_rows", "_parts"}
    return {name: frozen(vars(learner)[name]) for name in known}


def frozen(value):
    """Return an object that compares equal only for values with the same bits."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return value.dtype.str, value.shape, frozen(value.ravel().tolist())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float) and np.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if issparse(value):
        return frozen([value.data, value.indices, value.indptr, value.shape])
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return pickle.dumps(value)
    if isinstance(value, partial):
        return frozen([value.func, value.args, value.keywords])
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, frozen(value.__getstate__())
    if type(value).__module__.startswith("sklearn.") and not callable(value):
        return pickle.dumps(value)  # compiled parts of an estimator
    if type(value).__module__.startswith("sklearn_activelearn.stream."):
        return frozen(value.__reduce__())  # compiled parts of a learner
    return value


def responses(learner, X):
    """Return all predictions of a learner for rows."""
    names = ("predict", "decision_function", "predict_proba")
    return [getattr(learner, name)(X) for name in names if hasattr(learner, name)]


def same_responses(first, second, X):
    """Return True if two learners make the same predictions, bit for bit."""
    return frozen(responses(first, X)) == frozen(responses(second, X))


class RecordingOracle:
    """An oracle that knows all labels and remembers the rows that it was asked for.

    Parameters
    ----------
    y : array-like
        The label of each row.
    """

    def __init__(self, y):
        self.y = np.asarray(y)
        self.asked = []

    def __call__(self, rows):
        self.asked += rows.tolist()
        return self.y[rows]


def loop_over_stream(learner, X, y, classes):
    """Run `query` and `teach` over a stream; return the learner and its purchases."""
    purchases = []
    for i in range(0, len(X), learner._group):
        chunk = slice(i, i + learner._group)
        rows = learner.query(X[chunk])
        learner = pickled(learner)
        learner.teach(X[chunk][rows], y[chunk][rows], classes=classes)
        learner = pickled(learner)
        purchases += (i + rows).tolist()
    return learner, purchases


def loop_over_pool(learner, X, y, classes, candidates=None):
    """Run `query` and `teach` over a pool; return the learner and its purchases."""
    purchases = []
    while len(rows := learner.query(X, candidates=candidates)):
        demand(len(purchases) <= len(X), "A loop of query and teach does not end.")
        learner = pickled(learner)
        learner.teach(X[rows], y[rows], classes=classes)
        learner = pickled(learner)
        purchases += rows.tolist()
    return learner, purchases


@guarantee("The same random_state gives the same learner.")
def check_reproducible(learner, X, y):
    """Fit a learner and its clone, and fit again."""
    seeded = "random_state" in learner.get_params(deep=False)
    learner = fresh(learner, **{"random_state": 0} if seeded else {}).fit(X, y)
    again = clone(learner).fit(X, y)
    same_rows = np.array_equal(again.queried_indices_, learner.queried_indices_)
    cause = "Does it draw random numbers that random_state does not seed?"
    demand(same_rows, f"A clone buys other rows. {cause}")
    demand(state(again) == state(learner), f"A clone learns something else. {cause}")
    demand(state(learner.fit(X, y)) == state(again), "fit does not forget everything.")


@guarantee("Labels of rows that were not bought have no influence.")
def check_unbought_labels(learner, X, y, seed=0):
    """Replace the labels of rows that were not bought."""
    rng, classes = np.random.RandomState(seed), classes_of(y)
    learned = fresh(learner).partial_fit(X, y, classes=classes)
    wrong = y[rng.randint(len(y), size=len(y))]
    wrong[learned.queried_indices_] = y[learned.queried_indices_]
    misled = fresh(learner).partial_fit(X, wrong, classes=classes)
    demand(state(misled) == state(learned), "partial_fit learned other labels, too.")
    learned = fresh(learner).fit(X, y)
    unbought = np.setdiff1d(np.arange(len(y)), learned.queried_indices_)
    wrong = y.copy()  # `fit` reads the set of classes, so this set stays
    wrong[unbought] = rng.permutation(y[unbought])
    misled = fresh(learner).fit(X, wrong)
    demand(state(misled) == state(learned), "fit learned other labels, too.")
    same_rows = np.array_equal(misled.queried_indices_, learned.queried_indices_)
    demand(same_rows, "fit bought other rows.")


@guarantee("fit, partial_fit, learn, and query with teach give the same learner.")
def check_simulation(learner, X, y, uses_model=True):
    """Run the loop in all ways.

    `uses_model`: a pool learner must buy more than its first rows, which are chosen
    without a model, unless a stopping rule ends the run.
    """
    classes = classes_of(y)
    in_order = {"shuffle": False} if "shuffle" in learner.get_params() else {}
    fitted = fresh(learner, **in_order).fit(X, y)
    bought, expected = fitted.queried_indices_.tolist(), state(fitted)
    if uses_model and is_pool(learner) and fitted.stop_reason_ in ("budget", "no rows"):
        differs = np.reshape(y[bought] != y[bought[0]], (len(bought), -1))
        n_of_one_class = np.argmax(differs.any(axis=1))
        n_first = max(fitted.n_initial, n_of_one_class + 1)
        demand(len(bought) > n_first, "The model chose no row.")
    streamed = fresh(learner).partial_fit(X, y, classes=classes)
    demand(streamed.queried_indices_.tolist() == bought, "partial_fit buys other rows.")
    demand(state(streamed) == expected, "partial_fit learns something else.")
    oracle = RecordingOracle(y)
    asked = fresh(learner).learn(X, oracle, classes=classes)
    demand(oracle.asked == bought, "learn asks for other rows.")
    demand(asked.queried_indices_.tolist() == bought, "learn reports other rows.")
    demand(state(asked) == expected, "learn learns something else.")
    loop = loop_over_pool if is_pool(learner) else loop_over_stream
    looped, purchases = loop(fresh(learner), X, y, classes)
    demand(purchases == bought, "query, with pickles in between, buys other rows.")
    demand(state(looped) == expected, "query and teach learn something else.")


@guarantee("A stream may be cut into partial_fit calls anywhere.", pools=False)
def check_chunks(learner, X, y, cuts=(1, 5, 6)):
    """Cut a stream before the given groups of rows."""
    classes = classes_of(y)
    whole = fresh(learner).partial_fit(X, y, classes=classes)
    ends = [learner._group * cut for cut in cuts if learner._group * cut < len(X)]
    parts, purchases = fresh(learner), []
    for start, stop in zip([0, *ends], [*ends, len(X)], strict=True):
        parts.partial_fit(X[start:stop], y[start:stop], classes=classes)
        purchases += (start + parts.queried_indices_).tolist()
    demand(purchases == whole.queried_indices_.tolist(), "It buys other rows.")
    demand(state(parts) == state(whole), "It learns something else.")


@guarantee("predict and query leave predictions unchanged.")
def check_purity(learner, X, y):
    """Predict, score and query a fitted learner."""
    learner = fresh(learner).fit(X, y)
    before, predicted = state(learner), frozen(responses(learner, X))
    learner.score(X, y)
    demand(frozen(responses(learner, X)) == predicted, "It predicts something else.")
    demand(state(learner) == before, "Prediction changes the learner.")
    _, first = np.unique(y, return_index=True, axis=0)
    taught = np.union1d(first, np.arange(len(X) // 2))  # all classes, not all rows
    learner = unlimited(learner).teach(X[taught], y[taught], classes=classes_of(y))
    predicted, rows = frozen(responses(learner, X)), learner.query(X)
    if is_pool(learner):
        demand(len(rows) or learner.stop_reason_, "query returns no rows.")
    demand(frozen(responses(learner, X)) == predicted, "query changes predictions.")


def containers_for(learner):
    """Yield functions that convert an array to other containers."""
    yield lambda X: X.astype(np.float32)
    yield np.asfortranarray
    if get_tags(learner).input_tags.sparse:
        yield csr_array
        yield lambda X: csr_array(X.astype(np.float32))


@guarantee("Dense, CSR and float32 rows give the same purchases.", pools=False)
def check_containers(learner, X, y, converts=None, slack=None):
    """Fit on rows in other containers; predictions agree up to rounding."""
    expected = fresh(learner).fit(X, y)
    scores = expected.decision_function(X)
    slack = 1e-9 * np.abs(scores).max() if slack is None else slack
    for convert in converts or containers_for(learner):
        other = fresh(learner).fit(convert(X), y)
        same_rows = np.array_equal(other.queried_indices_, expected.queried_indices_)
        demand(same_rows, "It buys other rows.")
        for found in (
            other.decision_function(X),
            expected.decision_function(convert(X)),
        ):
            is_close = np.allclose(found, scores, rtol=1e-7, atol=slack)
            demand(is_close, "It predicts something else.")


@guarantee("n_queries_ is the number of labels asked for, and at most the budget.")
def check_budget_is_kept(learner, X, y, budget=7):
    """Buy with a small budget.

    Returns
    -------
    asked : list of int
        Rows that the oracle was asked for.
    """
    has_budget = "budget" in learner.get_params(deep=False)
    limit, params = (budget, {"budget": budget}) if has_budget else (np.inf, {})
    oracle, classes = RecordingOracle(y), classes_of(y)
    asking = fresh(learner, **params).learn(X, oracle, classes=classes)
    asked = [*oracle.asked]
    demand(asking.n_queries_ == len(asked), "n_queries_ is not what learn asked for.")
    same_rows = asking.queried_indices_.tolist() == asked
    demand(same_rows, "queried_indices_ is not what learn asked for.")
    demand(len(asked) <= limit, "learn buys more than the budget.")
    if not is_pool(learner):
        demand(asking.n_seen_ == len(X), "n_seen_ is not the number of rows.")
    asking.learn(X, oracle)  # with what is left of the budget
    demand(asking.n_queries_ == len(oracle.asked), "A second learn is not counted.")
    demand(asking.n_queries_ <= limit, "A second learn exceeds the budget.")
    loop, n_asked = fresh(learner, **params), 0
    for _ in range(3):
        n_asked += len(loop.query(X))
        demand(loop.n_queries_ == n_asked, "n_queries_ is not what query returned.")
        demand(n_asked <= limit, "query exceeds the budget while labels are pending.")
    loop.teach(X[:2], y[:2], classes=classes)
    demand(loop.n_queries_ == n_asked, "teach counts labels that nobody asked for.")
    return asked


@guarantee("No row is asked for twice.", streams=False)
def check_no_row_twice(learner, X, y):
    """Ask until no row is left, while some are pending and some are skipped."""
    learner, known, skipped = unlimited(learner), {0}, 0
    learner.teach(X[:1], y[:1], classes=classes_of(y))
    while len(rows := learner.query(X)):
        demand(not known & {*rows.tolist()}, "query returns a row that it had before.")
        demand(len({*rows.tolist()}) == len(rows), "query returns a row two times.")
        known |= {*rows.tolist()}
        pending = learner.query(X, limit=1)  # before any label has come
        demand(not known & {*pending.tolist()}, "query returns a row that is pending.")
        known |= {*pending.tolist()}
        learner.teach(X[rows], y[rows])
        if len(pending):
            learner.skip(X[pending])
            skipped += 1
    if learner.stop_reason_ == "no rows":
        demand(len(known) == len(X), "Some rows were never offered.")
    demand(learner.n_skipped_ == skipped, "n_skipped_ is not what was skipped.")
    oracle = RecordingOracle(y)
    learner.learn(X, oracle)
    demand(not oracle.asked, "learn asks for rows that are not available.")


@guarantee("With ids, rows are recognised by their ids only.", streams=False)
def check_ids(learner, X, y):
    """Buy with ids and without; then offer the same rows with other values."""
    X = distinct_rows(X)
    names = np.array([f"row {i}" for i in range(len(X))], dtype=object)
    plain, named = fresh(learner), fresh(learner)
    known = []
    while len(rows := plain.query(X)) and len(known) < len(X) // 2:
        same = named.query(X, ids=names)
        demand(rows.tolist() == same.tolist(), "It asks for other rows with ids.")
        plain.teach(X[rows], y[rows])
        named = pickled(named).teach(X[rows], y[rows], ids=names[rows])
        known += names[rows].tolist()
    demand(same_responses(plain, named, X), "It has another model with ids.")
    rows = named.query(2 * X[::-1], ids=names[::-1], limit=2)
    asked_again = {*names[::-1][rows]} & {*known}
    demand(not asked_again, "It asks again for rows whose values have changed.")


def distinct_rows(X):
    """Return rows that are all different."""
    return X + np.arange(1, len(X) + 1)[:, None] / 1024


@guarantee("Pending rows are known until they are taught or skipped.")
def check_pending(learner, X, y):
    """Look at pending rows, also after a pickle; skip them with and without a refund.

    Returns
    -------
    n_pending : int
        Number of rows that were asked for.
    """
    X, learner = distinct_rows(X), fresh(learner)
    demand(learner.pending(X).size == 0, "Rows are pending before the first query.")
    learner.teach(X[:9], y[:9], classes=classes_of(y))
    demand(learner.n_queries_ == 0, "Labels that nobody asked for are counted.")
    demand(len(learner.predict(X)) == len(X), "It does not predict once it was taught.")
    rows = learner.query(X)
    n, before = len(rows), state(learner)
    learner = pickled(learner)
    demand(state(learner) == before, "A pickle has another state.")
    demand(learner.n_pending_ == n, "n_pending_ is not what query returned.")
    for pool, where in ((X, rows), (X[::-1], len(X) - 1 - rows)):
        is_found = np.array_equal(learner.pending(pool), where)
        demand(is_found, "pending is not what query returned.")
    unknown = X[:1] + 99
    for wrong in (unknown, np.vstack([X[rows[:1]], unknown])):
        demand_error(
            learner,
            lambda X=wrong: learner.skip(X),
            "skip of a row that is not pending",
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


def demand_error(learner, call, what):
    """Demand that a call raises an error and changes nothing."""
    before = state(learner), repr(learner.get_params())
    try:
        call()
    except (ValueError, TypeError):
        after = state(learner), repr(learner.get_params())
        demand(after == before, f"After the error of {what}, the learner has changed.")
    else:
        raise AssertionError(f"There was no error for {what}.")


@guarantee("A call that raises has changed nothing.")
def check_errors(learner, X, y):
    """Call verbs with wrong arguments, and learn from an oracle that fails."""
    classes, short = classes_of(y), X[:3]
    learner = fresh(learner).fit(X, y)
    other = "neither" if y.dtype.kind == "U" else -1
    other = [other] * y.shape[1] if y.ndim == 2 else other
    labels = np.array([*y[:2].tolist(), other])
    for what, call in {
        "rows without a column": lambda: learner.query(X[:, 1:]),
        "candidates that are not rows": lambda: learner.query(X, candidates=[len(X)]),
        "an unknown label": lambda: learner.teach(short, labels, classes=classes),
        "too few labels": lambda: learner.teach(short, y[:2]),
        "fewer labels than rows": lambda: learner.partial_fit(X, y[:-1]),
        "an oracle that is not callable": lambda: learner.learn(X, y),
    }.items():
        demand_error(learner, call, what)
    expected = fresh(learner)
    oracle = RecordingOracle(y)
    expected.learn(X, oracle, classes)
    for n_answers in {0, len(oracle.asked) // 2, len(oracle.asked) - 1} - {-1}:
        check_failing_oracle(learner, X, y, n_answers, expected)


def check_failing_oracle(learner, X, y, n_answers, expected):
    """Learn from an oracle that raises after some answers, and then go on."""
    learner, asked, fails = fresh(learner), [], [True]

    def oracle(rows):
        if fails and len(asked) >= n_answers:
            fails.clear()
            raise ConnectionError("The oracle is not available.")
        asked.extend(rows.tolist())
        return y[rows]

    try:
        learner.learn(X, oracle, classes_of(y))
    except ConnectionError:
        rest = 0 if is_pool(learner) else learner.n_seen_
        demand(learner.n_queries_ == len(asked), "A label that was given is lost.")
        learner.learn(X[rest:], lambda rows: oracle(rows + rest))
    else:
        demand(fails, "learn does not pass on the error of its oracle.")
    demand(learner.n_queries_ == len(asked), "A label is not counted once.")
    demand(
        asked == expected.queried_indices_.tolist(),
        "learn, called again after an error of its oracle, asks for other rows.",
    )
    same = same_responses(learner, expected, X)
    demand(same, "learn, called again after an error, learns something else.")


@guarantee("learn refuses other calls that change the learner, and loses no label.")
def check_concurrent_calls(learner, X, y):
    """Teach a learner while its `learn` asks the oracle."""
    learner, refused = fresh(learner), []

    def oracle(rows):
        before = learner.n_taught_
        try:
            learner.teach(X[:1], y[:1])
        except RuntimeError:
            refused.append(learner.n_taught_ == before)
        else:
            refused.append(False)
        return y[rows]

    learner.learn(X, oracle, classes_of(y))
    demand(all(refused), "teach is possible while learn asks its oracle.")
    demand(learner.n_taught_ == learner.n_queries_, "A label is lost or added.")


@guarantee("Labels can be corrected.", streams=False)
def check_corrections(learner, X, y, rows=None, changed=None):
    """Teach wrong labels and correct them, and compare with the right labels.

    Returns
    -------
    corrected, right : learner
        The learner that was corrected, and the learner that was taught right labels.
    """
    X = X + np.arange(len(X))[:, None] / 1024  # all rows are different
    rows = np.arange(8) if rows is None else np.asarray(rows)
    changed = rows[[0, 3, 6]] if changed is None else np.asarray(changed)
    wrong, classes = y.copy(), classes_of(y)
    if y.ndim == 2:
        wrong[changed] = 1 - y[changed]
    else:
        wrong[changed] = np.roll(classes, 1)[np.searchsorted(classes, y[changed])]
    right, corrected = (
        teach_in_parts(unlimited(learner, "budget"), X, labels, rows)
        for labels in (y, wrong)
    )
    corrected = pickled(corrected)
    corrected.correct(X[changed], y[changed])
    same_classes = np.array_equal(corrected.classes_, right.classes_)
    demand(same_classes, "The classes differ.")
    demand(same_responses(corrected, right, X), "Its predictions differ.")
    demand(corrected.n_queries_ == right.n_queries_, "n_queries_ differs.")
    same_rows = corrected.query(X).tolist() == right.query(X).tolist()
    demand(same_rows, "It asks for other rows.")
    unknown = X[:1] + 99
    demand_error(corrected, lambda: corrected.correct(unknown, y[:1]), "an unknown row")
    return corrected, right


def teach_in_parts(learner, X, y, rows):
    """Query a pool, and teach the learner rows in three calls."""
    learner.query(X, limit=0)
    for part in np.split(rows, [3, 4]):
        learner.teach(X[part], y[part])
    return learner
