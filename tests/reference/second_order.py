"""The second-order samplers, slow and obvious, written from the papers.

Cavallanti, Cesa-Bianchi & Gentile (2008), equation (2) and Figure 1; the label-
efficient probability of Cesa-Bianchi, Gentile & Zaniboni (2006). Everything is
asked of the products of rows, so that a kernel may stand in, and every row has
its quadratic form computed and its system solved again. Nothing is shared with
the package.
"""

import numpy as np

from tests.reference.first_order import uniform


def rows_as_seen(X, normalize, fit_intercept):
    """The rows as the learner sees them."""
    norms = np.linalg.norm(X, axis=1, keepdims=True) if normalize else 1.0
    Z = X / np.where(norms > 0, norms, np.inf)
    if fit_intercept:
        Z = np.column_stack([Z, np.ones(len(Z))])
        if normalize:
            Z = Z / np.sqrt(2)
    return Z


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


class Ridge:
    """Least squares on the rows that are held, solved again whenever it is asked.

    G holds the products of all rows, Y the targets of a row of each class.
    """

    def __init__(self, G, y, n_classes, a):
        self.G, self.y, self.a, self.held, self.r = G, y, a, [], 0.0
        self.targets = np.where(np.eye(n_classes), 1.0, -1.0)
        if n_classes == 2:
            self.targets = np.array([[1.0, -1.0], [-1.0, 1.0]])
        self.weights = np.ones(len(y))

    def solve(self, rows, Y):
        """Coefficients of rows, each and its target times the root of its weight."""
        roots = np.sqrt(self.weights[rows])[:, None]
        products = roots * self.G[np.ix_(rows, rows)] * roots.T
        return roots * np.linalg.solve(self.a * np.eye(len(rows)) + products, roots * Y)

    @property
    def alpha(self):
        """Coefficients of the rows held, for each class."""
        Y = self.held_targets()
        return self.solve(self.held, Y) if self.held else Y

    def held_targets(self):
        return self.targets[self.y[np.array(self.held, dtype=int)]]

    def scores(self, t):
        return self.G[t, self.held] @ self.alpha

    def shrunk(self, t):
        """Equation (2): the present row is there, without its label. Fills in r."""
        held, G = self.held, self.G
        self.r = G[t, t] / self.a
        if held:
            self.r -= G[t, held] @ self.solve(held, G[held, t][:, None])[:, 0] / self.a
        both = [*held, t]
        Y = np.vstack([self.held_targets(), np.zeros(self.targets.shape[1])])
        return G[t, both] @ self.solve(both, Y)

    def bought(self):
        """A label is there, and may be stored."""

    def store(self, t, max_stored):
        self.held.append(t)
        if np.isfinite(max_stored):
            self.held = self.held[-int(max_stored) :]


class Descent(Ridge):
    """The same, until a multiple of `every` rows may be held: then by single steps.

    A step solves for the coefficients of one row. 128 rows at random follow on the new
    one. From then on r is that of the diagonal of A.
    """

    def __init__(self, Z, y, n_classes, a, every):
        super().__init__(Z @ Z.T, y, n_classes, a)
        self.Z, self.every, self.descends = Z, every, False

    def bought(self):
        if not self.descends and (len(self.held) + 1) % self.every == 0:
            self.known, self.descends = self.alpha, True

    @property
    def alpha(self):
        return self.known if self.descends else super().alpha

    def shrunk(self, t):
        if not self.descends:
            return super().shrunk(t)
        diagonal = self.a + self.weights[self.held] @ self.Z[self.held] ** 2
        self.r = np.sum(self.Z[t] ** 2 / diagonal)
        return self.scores(t) / (1 + self.r)

    def store(self, t, max_stored):
        super().store(t, max_stored)
        if self.descends:
            self.known = np.vstack([self.known, np.zeros(self.targets.shape[1])])
            n = len(self.held)
            self.step(n - 1)
            for s in range(128):
                self.step(int(n * uniform(0, 128 * n + s)))

    def step(self, i):
        row = self.held[i]
        weight, others = self.weights[row], np.delete(np.arange(len(self.held)), i)
        rest = self.G[row, self.held][others] @ self.known[others]
        error = self.targets[self.y[row]] - rest
        self.known[i] = weight * error / (self.a + weight * self.G[row, row])


def run(
    model, y, n_classes, query_rule, *, mistakes_only, seed, next_row=False,
    next_mistake=False, budget=np.inf, patience=np.inf, max_stored=np.inf, classes=None,
):  # fmt: skip
    """One pass. Returns rows bought and held, and the weights of the latter.

    next_mistake: a small margin buys the row, which is not stored. If it was predicted
    wrongly, the next row is bought and stored, whatever its margin. During the
    transient each row is bought and stored.
    """
    probability, starting = query_rule
    bought, n_updates, idle, wanted = [], 0, 0, not next_mistake
    for t in range(len(y)):
        scores, shrunk = model.scores(t), model.shrunk(t)
        r, n_held = model.r, len(model.held)
        ranked = np.sort(shrunk)
        margin = (ranked[-1] - ranked[-2]) / 2
        # rows that contradict each other leave a margin of 0, up to rounding
        rounding = 1e-12 * model.G[t, t] / model.a
        if margin * (1 + r) <= rounding:
            margin = 0.0
        may_ask = len(bought) < budget and idle < patience
        if may_ask:
            in_transient = starting(t + 1, n_held)
            q = 1.0 if in_transient else probability(margin, r, t + 1, n_held)
            if next_row:
                # nothing is known before the first row: it is wanted
                now, wanted = wanted or in_transient, q == 1 and not in_transient
                q = float(now)
            elif next_mistake:
                # step 3 stores its rows, and no mistake on them schedules another
                is_small = q == 1 and not in_transient
                is_wanted, wanted = wanted or in_transient, False
                q = float(is_small or is_wanted)
        if may_ask and classes is not None and classes.searches(len(bought)):
            q = 1.0
        if not (may_ask and uniform(seed, t) < q):
            idle += may_ask
            continue
        idle = 0
        bought.append(t)
        model.bought()
        rivals = np.where(np.arange(n_classes) == y[t], -np.inf, scores)
        if classes is not None:
            classes.add(y[t], q, scores, scores)
            model.weights[t] = classes.weight(y[t])
        if next_mistake:
            # within rounding, the first class of a tie is predicted
            predicted = int(np.argmax((scores.max() - scores) / 2 <= rounding))
            searched = not (is_small or is_wanted)
            wanted = predicted != y[t] and (is_small or searched)
            if not is_wanted:
                continue
        if mistakes_only and (scores[y[t]] - rivals.max()) / 2 > rounding:
            continue
        model.store(t, max_stored)
        n_updates += 1
    return {
        "bought": bought, "held": model.held, "n_updates": n_updates,
        "alpha": model.alpha,
    }  # fmt: skip
