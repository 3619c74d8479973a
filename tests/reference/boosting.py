"""Boosting with and without labels for two classes, slow and obvious.

A label is -1 or 1; a committee is a list of (weight, member), a member a function that
gives each row a number from -1 to 1. The random draws are those of the learners.
"""

import numpy as np

from sklearn_activelearn import DecisionStumpClassifier
from tests.reference.pool import drawn, highest, seed_of


def score(committee, X):
    """F(x) of each row."""
    F = np.zeros(len(X))
    for weight, member in committee:
        F = F + weight * member(X)
    return F


def signs(F):
    """What a committee makes of rows: no opinion is -1."""
    return np.where(F > 0, 1, -1)


def nearest(X, bought, y):
    """The label of the nearest labelled row, the first one bought of equals."""
    distances = ((X[:, None] - X[bought][None]) ** 2).sum(axis=2)
    return y[bought][distances.argmin(axis=1)]


def cost(F, y, bought, alpha):
    """C_S(F), equation 2.3."""
    terms = [
        np.exp(-y[i] * F[i]) if i in bought else alpha * np.exp(-abs(F[i]))
        for i in range(len(y))
    ]
    return sum(terms) / len(y)


def weights_of(F, targets, bought, alpha):
    """The terms of the cost, of the largest one."""
    trust = np.array([1.0 if i in bought else alpha for i in range(len(F))])
    margins = targets * F
    least = margins[trust > 0].min()
    return trust * np.exp(np.minimum(least - margins, 0))


def stump(X, targets, weights):
    kept = weights > 0
    return DecisionStumpClassifier().fit(X[kept], targets[kept], weights[kept])


def discrete(committee, X, targets, bought, alpha):
    """A step of Algorithm 1; return the committee and the weighted error."""
    weights = weights_of(score(committee, X), targets, bought, alpha)
    member = stump(X, targets, weights).predict
    error = weights[member(X) != targets].sum() / weights.sum()
    half_a_row = 0.5 / (len(bought) + alpha * (len(X) - len(bought)))
    capped = max(error, half_a_row)
    omega = 0.5 * np.log((1 - capped) / capped)
    return [*committee, (omega, member)] if omega > 1e-12 else committee, error


def gentle(committee, X, targets, bought, alpha):
    """A Newton step, equation 2.8."""
    weights = weights_of(score(committee, X), targets, bought, alpha)
    fitted = stump(X, targets, weights)
    if len(fitted.classes_) == 1:
        return [*committee, (1.0, lambda X: np.full(len(X), fitted.classes_[0]))]
    return [*committee, (1.0, lambda X: 2 * fitted.predict_proba(X)[:, 1] - 1)]


def boosted(committee, X, targets, bought, alpha, n_estimators):
    """QBB (alpha = 0) and COMB: AdaBoost again; targets stay as they are."""
    committee = []
    for _ in range(n_estimators):
        longer, error = discrete(committee, X, targets, bought, alpha)
        if longer is committee:
            break
        committee = longer
        if error < 1e-12:
            break
    return committee


def minimised(committee, X, targets, bought, alpha, n_estimators, tol):
    """ASSL-Boost: Newton steps until the cost stalls; targets stay as they are."""
    committee = []
    trust = np.array([1.0 if i in bought else alpha for i in range(len(X))])
    before = np.mean(trust)
    for _ in range(n_estimators):
        committee = gentle(committee, X, targets, bought, alpha)
        now = np.mean(trust * np.exp(-targets * score(committee, X)))
        if before - now <= tol * before:
            break
        before = now
    return committee


def grown(
    committee,
    X,
    targets,
    bought,
    alpha,
    n_new,
    shrinkage=1.0,
    n_initial_estimators=None,
):
    """FASSL-Boost: a step for each new label; 1 step at first is Algorithm 1."""
    n_steps = n_new
    if n_initial_estimators and n_new == len(bought):
        n_steps = n_initial_estimators
    for _ in range(n_steps):
        longer, _ = discrete(committee, X, targets, bought, alpha)
        for omega, member in longer[len(committee) :]:
            committee = [*committee, (shrinkage * omega, member)]
    return committee


def purchases(build, X, y, alpha, *, n_initial, budget, random_state):
    """List the rows that are bought, in order, and the last committee.

    ``build(committee, X, targets, bought, alpha, n_new)`` makes the next committee.
    """
    seed, bought, committee, n_trained, n_rounds = seed_of(random_state), [], [], 0, 0
    while len(bought) < min(budget, len(X)):
        rng = np.random.default_rng((seed, n_rounds))
        left = np.array([i for i in range(len(X)) if i not in bought])
        if len(bought) < n_initial or len(set(y[bought])) < 2:
            wanted = max(n_initial - len(bought), 1)
            wanted = min(wanted, budget - len(bought))
            bought += drawn(X, left, wanted, rng)
        else:
            bought += highest(-2 * np.abs(score(committee, X))[left], left, 1, rng)
        n_rounds += 1
        if len(set(y[bought])) == 2:
            F = score(committee, X)
            guessed = signs(F) if committee else nearest(X, bought, y)
            targets = np.array(
                [y[i] if i in bought else guessed[i] for i in range(len(X))]
            )
            n_new = len(bought) - n_trained
            now = alpha(len(bought)) if callable(alpha) else alpha
            committee = build(committee, X, targets, bought, now, n_new)
            n_trained = len(bought)
    return bought, committee
