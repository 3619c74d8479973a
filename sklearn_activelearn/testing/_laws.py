"""The seven laws, each a function of an unfitted learner and of data."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags

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
)


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
