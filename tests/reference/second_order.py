"""The second-order samplers, slow and obvious, written from the papers.

Cavallanti, Cesa-Bianchi & Gentile (2008), equation (2) and Figure 1; the label-
efficient probability of Cesa-Bianchi, Gentile & Zaniboni (2006). Everything is
asked of the products of rows, so that a kernel may stand in, and every row has
its quadratic form computed and its system solved again. Nothing is shared with
the package.
"""

import numpy as np

from tests.reference.first_order import uniform


def gram(K, normalize, fit_intercept):
    """Products of the rows as the learner sees them, from those as they are."""
    K = np.asarray(K, dtype=float)
    if normalize:
        norms = np.sqrt(K.diagonal())
        norms = np.where(norms > 0, norms, np.inf)
        K = K / norms[:, None] / norms
    if fit_intercept:
        K = K + 1
        if normalize:
            K = K / 2
    return K


def small_margin(lam, transient_dims=None):
    """Step 4 of Figure 1, and step 3 if it is not dropped."""

    def probability(margin, r, t, n_stored):
        if n_stored == 0:
            return 1.0
        return float(margin**2 <= 128 * np.log(t) / (lam * n_stored))

    def starting(t, n_stored):
        if transient_dims is None:
            return False
        return n_stored <= 16 / lam**2 * max(transient_dims, np.log(t))

    return probability, starting


def label_efficient(b, potential=True):
    def probability(margin, r, t, n_stored):
        extra = margin**2 * (1 + r) / 2 if potential else 0.0
        return b / (b + margin + extra)

    return probability, lambda t, n_stored: False


def of_margin(function):
    def probability(margin, r, t, n_stored):
        return float(function(np.array([margin]))[0])

    return probability, lambda t, n_stored: False


def everything():
    return lambda margin, r, t, n_stored: 1.0, lambda t, n_stored: False


def run(
    G, y, n_classes, query_rule, *, mistakes_only, a, seed, next_row=False,
    budget=np.inf, patience=np.inf, max_stored=np.inf, classes=None,
):  # fmt: skip
    """One pass. Returns rows bought and held, and the weights of the latter."""
    probability, starting = query_rule
    held, bought, n_updates, idle, wanted = [], [], 0, 0, True
    targets = np.where(np.eye(n_classes), 1.0, -1.0)
    if n_classes == 2:
        targets = np.array([[1.0, -1.0], [-1.0, 1.0]])

    weights = np.ones(len(y))

    def solve(rows, Y):
        """Coefficients of rows, each and its target times the root of its weight."""
        roots = np.sqrt(weights[rows])[:, None]
        products = roots * G[np.ix_(rows, rows)] * roots.T
        return roots * np.linalg.solve(a * np.eye(len(rows)) + products, roots * Y)

    for t in range(len(y)):
        Y = targets[y[held]] if held else np.zeros((0, n_classes))
        # equation (2): the present row is there, without its label
        both = [*held, t]
        shrunk = G[t, both] @ solve(both, np.vstack([Y, np.zeros(n_classes)]))
        scores = G[t, held] @ solve(held, Y) if held else np.zeros(n_classes)
        r = G[t, t] / a
        if held:
            r -= G[t, held] @ solve(held, G[held, t][:, None])[:, 0] / a
        ranked = np.sort(shrunk)
        margin = (ranked[-1] - ranked[-2]) / 2
        # rows that contradict each other leave a margin of 0, up to rounding
        rounding = 1e-12 * G[t, t] / a
        if margin * (1 + r) <= rounding:
            margin = 0.0
        may_ask = len(bought) < budget and idle < patience
        n_held = len(held)
        if may_ask:
            in_transient = starting(t + 1, n_held)
            q = 1.0 if in_transient else probability(margin, r, t + 1, n_held)
            if next_row:
                # nothing is known before the first row: it is wanted
                now, wanted = wanted or in_transient, q == 1 and not in_transient
                q = float(now)
        if may_ask and classes is not None and classes.searches(len(bought)):
            q = 1.0
        if not (may_ask and uniform(seed, t) < q):
            idle += may_ask
            continue
        idle = 0
        bought.append(t)
        rivals = np.where(np.arange(n_classes) == y[t], -np.inf, scores)
        if classes is not None:
            classes.add(y[t], q, scores, scores)
            weights[t] = classes.weight(y[t])
        if mistakes_only and (scores[y[t]] - rivals.max()) / 2 > rounding:
            continue
        held.append(t)
        n_updates += 1
        held = held[-int(max_stored) :] if np.isfinite(max_stored) else held
    Y = targets[y[held]] if held else np.zeros((0, n_classes))
    return {
        "bought": bought, "held": held, "n_updates": n_updates,
        "alpha": solve(held, Y) if held else Y,
    }  # fmt: skip
