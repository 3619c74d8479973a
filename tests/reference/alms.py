"""Active learning with model selection, slow and obvious, written from the paper.

Ali, Caruana & Kapoor (2014): Algorithm 1 and Sections 3.1 to 3.3. Every model is
trained again for every pair and every candidate. A model has ``fit(X, y)`` and
``predict_proba(X)``; y are whole numbers from 0 on, and column c of what a model
says is class c, whichever classes it was trained on.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .pool import folds_of, seed_of

EPS = np.finfo(float).eps


class Logistic:
    """L2 logistic regression, intercept unpenalised: Newton with backtracking."""

    def __init__(self, lam, fit_intercept=True):
        self.lam = lam
        self.fit_intercept = fit_intercept

    def rows(self, X):
        return np.column_stack([X, np.ones(len(X))]) if self.fit_intercept else X

    def fit(self, X, y):
        A, sign = self.rows(X), 2 * y - 1
        penalty = np.full(A.shape[1], float(self.lam))
        if self.fit_intercept:
            penalty[-1] = 0

        def objective(w):
            return np.logaddexp(0, -sign * (A @ w)).sum() + penalty @ w**2 / 2

        w = np.zeros(A.shape[1])
        for _ in range(100):
            p = 1 / (1 + np.exp(-(A @ w)))
            slope = A.T @ (p - y) + penalty * w
            curvature = (A.T * (p * (1 - p))) @ A + np.diag(penalty + 1e-14)
            step = np.linalg.solve(curvature, -slope)
            size = 1.0
            while objective(w + size * step) > objective(w) and size > 1e-10:
                size /= 2
            w = w + size * step
            if -slope @ step < 1e-20:
                break
        self.w = w
        return self

    def predict_proba(self, X):
        margin = self.rows(X) @ self.w
        return 1 / (1 + np.exp(np.column_stack([margin, -margin])))


class Exact(ClassifierMixin, BaseEstimator):
    """The same, as scikit-learn would have it."""

    def __init__(self, lam=1.0):
        self.lam = lam

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = Logistic(self.lam).fit(X, y)
        return self

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def log_loss(y, probabilities):
    return -np.log(np.clip(probabilities[y], EPS, 1))


def model_probabilities(errors, temperature=None):
    """Equation 3, scaled to sum 1, or a softmax of minus the errors."""
    if len(errors) == 1:
        return np.ones(1)
    if temperature is not None:
        p = np.exp((min(errors) - np.array(errors)) / temperature)
        return p / p.sum()
    p = 1 - np.exp(errors) / np.exp(errors).sum()
    return p / p.sum()


def lower_end(losses):
    """Lower end of the 95 % interval of a mean loss (footnote 3)."""
    spread = np.std(losses, ddof=1) if len(losses) > 1 else 0
    return max(0, np.mean(losses) - 1.96 * spread / np.sqrt(len(losses)))


def compute_voi(models, T, V, candidate=None, *, temperature):
    """ComputeVOI; the candidate is one more row of V that is not trained on (3.3)."""
    (X_T, y_T), (X_V, y_V) = T, V
    own = len(y_V)
    if candidate is not None:
        X_V, y_V = np.vstack([X_V, candidate[0]]), np.append(y_V, candidate[1])
    P, L = [], []
    for i in range(len(y_V)):
        for j in range(len(y_V)):
            if i == j:
                continue
            kept = [k for k in range(own) if k not in (i, j)]
            X = np.vstack([X_T, X_V[kept]])
            y = np.append(y_T, y_V[kept])
            said = [model.fit(X, y).predict_proba(X_V[[i, j]]) for model in models]
            losses = [log_loss(y_V[i], p[0]) for p in said]
            P.append(model_probabilities(losses, temperature))
            L.append([log_loss(y_V[j], p[1]) for p in said])
    return -np.mean(P, axis=0) @ np.mean(L, axis=0)


def one_round(models, T, V, pool, *, temperature=None, label="predicted"):
    """P_t(M), the estimated labels, VOI_T and VOI_V of each row of the pool.

    With ``label="expected"`` the values are means over both labels.
    """
    (X_T, y_T), (X_V, y_V) = T, V
    errors, said = [], []
    for model in models:
        model.fit(X_T, y_T)
        losses = [
            log_loss(y, p) for y, p in zip(y_V, model.predict_proba(X_V), strict=True)
        ]
        errors.append(lower_end(losses))
        said.append(model.predict_proba(pool))
    weights = model_probabilities(errors, temperature)
    mean = sum(w * p for w, p in zip(weights, said, strict=True))
    guesses = mean.argmax(axis=1)
    training, selection = [], []
    how = {"temperature": temperature}
    for x, p in zip(pool, mean, strict=True):
        shares = p if label == "expected" else np.eye(len(p))[p.argmax()]
        value_T = value_V = 0
        for code, share in enumerate(shares):
            if share:
                more = np.vstack([X_T, x]), np.append(y_T, code)
                value_T += share * compute_voi(models, more, V, **how)
                value_V += share * compute_voi(models, T, V, (x, code), **how)
        training.append(value_T)
        selection.append(value_V)
    return weights, guesses, np.array(training), np.array(selection)


def purchases(models, X, y, *, n_initial, budget, random_state, **how):
    """List (row, purpose) in order, and what was found in each later round."""
    seed = seed_of(random_state)
    bought, rounds, n_draws = [], [], 0

    def rows_for(purpose):
        return [row for row, what in bought if what == purpose]

    while len(bought) < budget:
        rng = np.random.default_rng((seed, n_draws))
        n_draws += 1
        asked = [row for row, _ in bought]
        left = np.array([i for i in range(len(X)) if i not in asked])
        T, V = rows_for("train"), rows_for("validation")
        if len(bought) < n_initial or len(set(y[T])) < 2 or len(V) < 2:
            wanted = max(n_initial - len(bought), 1)
            for row in rng.permutation(left)[:wanted].tolist():
                bought.append((row, ["train", "validation"][len(bought) % 2]))
            continue
        rng.permutation(left)  # which candidates to look at: all
        found = one_round(models, (X[T], y[T]), (X[V], y[V]), X[left], **how)
        _, _, training, selection = found
        if training.max() > selection.max():
            bought.append((int(left[training.argmax()]), "train"))
        else:
            bought.append((int(rng.permutation(left)[0]), "validation"))
        rounds.append(found)
    return bought, rounds


def values_on_pool(models, known, pool):
    """Expected error reduction (Roy & McCallum 2001), models weighted by equation 3.

    The loss of a model is its entropy on the pool, trained with each row and class; the
    errors in equation 3 are those in cross-validation.
    """
    X, y = known
    losses = cross_validated_losses(models, X, y, 5)
    weights = model_probabilities([lower_end(each) for each in losses])
    said = [model.fit(X, y).predict_proba(pool) for model in models]
    mean = sum(w * p for w, p in zip(weights, said, strict=True))
    values = np.zeros(len(pool))
    for k, x in enumerate(pool):
        for code in (0, 1):
            for weight, model in zip(weights, models, strict=True):
                model.fit(np.vstack([X, x]), np.append(y, code))
                p = np.clip(model.predict_proba(pool), EPS, 1)
                entropy = -(p * np.log(p)).sum(axis=1).mean()
                values[k] -= mean[k, code] * weight * entropy
    return weights, values


def purchases_on_pool(models, X, y, *, n_initial, budget, random_state):
    """List rows in order, and the weights and values in each later round."""
    seed = seed_of(random_state)
    bought, rounds = [], []
    while len(bought) < budget:
        # one draw of random numbers for each call; the first call buys n_initial rows
        n_draws = max(len(bought) - n_initial + 1, 0)
        left = np.array([i for i in range(len(X)) if i not in bought])
        if len(bought) < n_initial or len(set(y[bought])) < 2:
            rng = np.random.default_rng((seed, n_draws))
            wanted = max(n_initial - len(bought), 1)
            bought += rng.permutation(left)[:wanted].tolist()
            continue
        weights, values = values_on_pool(models, (X[bought], y[bought]), X[left])
        bought.append(int(left[values.argmax()]))
        rounds.append((weights, values))
    return bought, rounds


def cross_validated_losses(models, X, y, n_folds):
    """Losses of each model on the folds that it went without; 0 without folds."""
    losses = np.zeros((len(models), len(y)))
    for train, test in folds_of(y, n_folds):
        for number, model in enumerate(models):
            said = model.fit(X[train], y[train]).predict_proba(X[test])
            losses[number, test] = list(map(log_loss, y[test], said))
    return losses


def best_on_validation(models, T, V):
    """Index of the model with the smallest mean loss on V, trained on T."""
    losses = [
        np.mean([log_loss(y, p) for y, p in zip(V[1], said, strict=True)])
        for said in (model.fit(*T).predict_proba(V[0]) for model in models)
    ]
    return int(np.argmin(losses))


def best_in_cross_validation(models, X, y, n_folds):
    """Index of the model with the smallest loss on folds that it went without.

    Rows of each class go to the folds one after another; of equals the middle one.
    """
    losses = cross_validated_losses(models, X, y, n_folds).sum(axis=1)
    best = [m for m in range(len(models)) if losses[m] < losses.min() + 1e-9]
    return best[(len(best) - 1) // 2]


def best_left_one_out(models, T, V):
    """Index of the model with the smallest loss on rows of V that it went without."""
    (X_T, y_T), (X_V, y_V) = T, V
    losses = np.zeros(len(models))
    for i in range(len(y_V)):
        X = np.vstack([X_T, np.delete(X_V, i, axis=0)])
        y = np.append(y_T, np.delete(y_V, i))
        for number, model in enumerate(models):
            said = model.fit(X, y).predict_proba(X_V[i : i + 1])[0]
            losses[number] += log_loss(y_V[i], said)
    return int(losses.argmin())
