"""Active label propagation, slow and obvious: every system solved, every label tried.

Zhu, Lafferty & Ghahramani (2003): Gaussian fields and harmonic functions.
"""

import numpy as np


def rbf_weights(X, gamma):
    """Edges between all nodes."""
    n = len(X)
    return np.array(
        [
            [np.exp(-gamma * np.sum((X[i] - X[j]) ** 2)) * (i != j) for j in range(n)]
            for i in range(n)
        ]
    )


def knn_weights(X, n_neighbors):
    """An edge where one is among the nearest of the other; distances must differ."""
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        distances = [np.sum((X[i] - X[j]) ** 2) if i != j else np.inf for j in range(n)]
        for j in np.argsort(distances)[: min(n_neighbors, n - 1)]:
            W[i, j] = W[j, i] = 1
    return W


def component(W, start):
    """Nodes that can be reached."""
    found, left = {start}, [start]
    while left:
        for j in np.flatnonzero(W[left.pop()]):
            if j not in found:
                found.add(int(j))
                left.append(j)
    return sorted(found)


def is_lost(W, known):
    """Nodes that no clamped node can be reached from."""
    return np.array([not set(component(W, i)) & set(known) for i in range(len(W))])


def harmonic(W, known, prior):
    """Class probabilities of all nodes.

    Free nodes are the mean of their neighbours, D_uu f_u - W_uu f_u = W_ul f_l; those
    of a component without a clamped node get the prior.

    Parameters
    ----------
    W : weights
    known : dict
        Class code of each clamped node, or its class probabilities.
    prior : probabilities of the classes
    """
    f = np.tile(np.asarray(prior, dtype=float), (len(W), 1))
    for i, code in known.items():
        f[i] = code if np.ndim(code) else np.eye(len(prior))[code]
    laplacian = np.diag(W.sum(axis=1)) - W
    clamped = list(known)
    u = [i for i in np.flatnonzero(~is_lost(W, known)) if i not in known]
    if u:
        f[u] = np.linalg.solve(
            laplacian[np.ix_(u, u)], W[np.ix_(u, clamped)] @ f[clamped]
        )
    return f


def risk(f):
    """Wrong labels to expect."""
    return sum(1 - max(row) for row in f)


def expected_risk(W, known, prior, k):
    """Risk once node k is labelled, in the mean over the labels it may have."""
    f = harmonic(W, known, prior)
    return sum(
        f[k, code] * risk(harmonic(W, {**known, k: code}, prior))
        for code in range(len(prior))
    )


def best_candidates(W, known, prior, candidates, tolerance=1e-6):
    """List the candidates that may be bought next.

    Those of components without a label come first, then those of least expected risk.
    """
    lost = is_lost(W, known)
    candidates = [i for i in candidates if lost[i]] or list(candidates)
    risks = [expected_risk(W, known, prior, i) for i in candidates]
    return [
        i
        for i, value in zip(candidates, risks, strict=True)
        if value <= min(risks) + tolerance
    ]


def average(weights, f):
    """Class probabilities of a new row: the mean of the nodes around it."""
    return sum(w * row for w, row in zip(weights, f, strict=True)) / sum(weights)


def change_bound(W, known, prior, k):
    """How much the label of node k may change: its own change, times a bound.

    Node i takes over G_ik / G_kk of it, where G is the inverse of the Laplacian between
    the free nodes, and G_kk >= 1 / d_k.
    """
    if is_lost(W, known)[k]:
        return 0.0
    f = harmonic(W, known, prior)
    u = [i for i in component(W, k) if i not in known]
    laplacian = np.diag(W.sum(axis=1)) - W
    green = np.linalg.inv(laplacian[np.ix_(u, u)])
    return (1 - f[k] @ f[k]) * green[u.index(k)].sum() * W[k].sum()
