"""The pool loop, slow and obvious: everything again in every round.

The random draws are the ones of the learners: a generator for each round.
"""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state


def margin(estimator):
    """Tong & Koller's Simple: minus the smallest distance to the boundary."""

    def utility(X, y, x):
        scores = clone(estimator).fit(X, y).decision_function(x[None])[0]
        if np.ndim(scores) == 0:
            return -abs(scores)
        *_, second, first = sorted(scores)
        return second - first

    return utility


def uncertainty(estimator, measure):
    """Lewis & Gale: what the probabilities of the classes leave open."""

    def utility(X, y, x):
        p = clone(estimator).fit(X, y).predict_proba(x[None])[0]
        if measure == "least_confident":
            return 1 - max(p)
        if measure == "margin":
            *_, second, first = sorted(p)
            return second - first
        return -sum(q * np.log(q) for q in p if q > 0)

    return utility


def relevance(estimator, label):
    """Lewis & Gale's relevance sampling: how likely the row is of one class."""

    def utility(X, y, x):
        model = clone(estimator).fit(X, y)
        classes = sorted(set(y))
        if len(classes) == 2 and hasattr(model, "decision_function"):
            score = model.decision_function(x[None])[0]
            return score if label == classes[1] else -score
        likelihood = model.predict_proba(x[None])[0]
        own, others = np.finfo(float).tiny, 0.0
        for p, c in zip(likelihood, classes, strict=True):
            if c == label:
                own = max(own, p)
            else:
                others += p
        return np.log(own) - np.log(max(others, np.finfo(float).tiny))

    return utility


def rank_sum(estimators, label):
    """Of each row, the sum of the ranks that several models give to it."""

    def utilities(X, y, x):
        total = np.zeros(len(x))
        for estimator in estimators:
            scores = [relevance(estimator, label)(X, y, row) for row in x]
            for i, score in enumerate(scores):
                lower = sum(other < score for other in scores)
                equal = sum(other == score for other in scores)
                total[i] += lower + (equal + 1) / 2
        return total

    return utilities


def committee(estimators, cv):
    """Entropy of the votes of all candidates, weighted by accuracies of K folds."""

    def utility(X, y, x):
        weights = np.array([accuracy(e, X, y, cv) for e in estimators])
        weights = weights / weights.sum()
        members = [clone(e).fit(X, y) for e in estimators]
        votes = dict.fromkeys(np.unique(y), 0.0)
        for weight, member in zip(weights, members, strict=True):
            votes[member.predict(x[None])[0]] += weight
        return -sum(v * np.log(v) for v in votes.values() if v > 0)

    return utility


def accuracy(estimator, X, y, cv):
    """Accuracy in stratified folds: of each class, one row after another."""
    if not (folds := folds_of(y, cv)):
        return 1.0
    hits = 0
    for train, test in folds:
        model = clone(estimator).fit(X[train], y[train])
        hits += sum(model.predict(X[test]) == y[test])
    return hits / len(y)


def folds_of(y, n_folds):
    """List the rows of each fold without and with it; none if a class has one row.

    The rows go to the folds one after another, class by class.
    """
    labels, counts = np.unique(y, return_counts=True)
    n_folds = min(n_folds, sorted(counts)[-2])
    rows = [i for label in labels for i in range(len(y)) if y[i] == label]
    tests = [rows[k::n_folds] for k in range(n_folds if n_folds > 1 else 0)]
    return [(sorted(set(rows) - set(test)), test) for test in tests]


def seed_of(random_state):
    """Return the seed that a learner draws in its first call."""
    rng = check_random_state(random_state)
    return int(rng.randint(np.iinfo(np.int64).max, size=1)[0])


def purchases(
    utility,
    X,
    y,
    *,
    n_initial,
    batch_size,
    budget,
    random_state,
    needed=None,
    together=None,
):
    """List the rows that are bought, in order.

    A batch may be a share of the labels; rows are random until the label `needed` and
    another one are known. In place of `utility`, `together` values all rows at once.
    """
    seed = seed_of(random_state)
    bought, n_rounds = [], 0
    while len(bought) < min(budget, len(X)):
        rng = np.random.default_rng((seed, n_rounds))
        left = np.array([i for i in range(len(X)) if i not in bought])
        known = set(y[bought])
        is_share = isinstance(batch_size, float)
        batch = max(1, int(batch_size * len(bought))) if is_share else batch_size
        wanted = n_initial - len(bought) if len(bought) < n_initial else batch
        wanted = min(wanted, budget - len(bought))
        lacks_one = len(known) < 2 or (needed is not None and needed not in known)
        if len(bought) < n_initial or lacks_one or (utility or together) is None:
            draw = passive if (utility or together) is None else drawn
            bought += draw(X, left, wanted, rng)
        else:
            if together:
                worth = together(X[bought], y[bought], X[left])
            else:
                worth = np.array([utility(X[bought], y[bought], X[i]) for i in left])
            order = highest(worth, left, len(left), rng)
            bought += equal_last(X, order)[:wanted]
        n_rounds += 1
    return bought


def passive(X, left, wanted, rng):
    """Draw rows, equal or not."""
    return rng.permutation(left)[:wanted].tolist()


def drawn(X, left, wanted, rng):
    """Draw one row of each value, the values in random order, then the others."""
    order = rng.permutation(len(left))
    first, again = [], []
    for i in left[order]:
        (again if any(all(X[i] == X[j]) for j in first) else first).append(int(i))
    if again:
        first = [first[k] for k in rng.permutation(len(first))]
    return [*first, *again][:wanted]


def equal_last(X, rows):
    """List rows that are equal to an earlier one after all others."""
    first, again = [], []
    for i in rows:
        (again if any(all(X[i] == X[j]) for j in first) else first).append(int(i))
    return [*first, *again]


def highest(worth, left, wanted, rng):
    """List those of the rows left that are worth most; equal ones are shuffled."""
    size = np.median(np.abs(worth)) or max(abs(worth))
    unit = np.sqrt(np.finfo(float).eps) * size or 1.0
    worth = [round(value / unit) for value in worth]
    order = sorted(range(len(left)), key=lambda i: -worth[i])
    coins = dict(zip(order, rng.random(len(left)), strict=True))
    order.sort(key=lambda i: (-worth[i], coins[i]))
    return left[order[:wanted]].tolist()
