"""The blend of candidates, step by step, one row and one candidate at a time."""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from .pool import folds_of


def softmax(scores, temperature):
    """Return probabilities from the scores of a row."""
    shifted = np.array(scores) / temperature
    exponentials = np.exp(shifted - shifted.max())
    return exponentials / exponentials.sum()


def scores_of_row(model, row):
    """Return a score for each class of the model."""
    if not hasattr(model, "decision_function"):
        return np.log(np.maximum(model.predict_proba([row])[0], 0.005))
    scores = np.ravel(model.decision_function([row]))
    return np.array([0.0, scores[0]]) if len(scores) == 1 else scores


def held_out(candidate, X, y, cv):
    """Return scores, the column of the right class, and the label of each row."""
    found = []
    for train, test in folds_of(y, cv):
        model = clone(candidate).fit(X[train], y[train])
        for row in sorted(test):
            if y[row] in model.classes_:
                column = [*model.classes_].index(y[row])
                found.append((scores_of_row(model, X[row]), column, y[row]))
    return found


def best_temperature(found, importance):
    """Return the temperature with the highest posterior density."""

    def negative_log_posterior(log_temperature):
        t = np.exp(log_temperature)
        loss = log_temperature**2 / 2
        for (scores, column, _), w in zip(found, importance, strict=True):
            loss -= w * np.log(softmax(scores, t)[column])
        return loss

    bounds = {"bounds": (-10, 10), "method": "bounded"}
    return np.exp(minimize_scalar(negative_log_posterior, **bounds).x)


def weigh(candidates, X, y, cv=5):
    """Return log losses, temperatures, weights and skill of the candidates."""
    counts = {label: np.sum(y == label) for label in np.unique(y)}
    is_unequal = max(counts.values()) > 0.7 * len(y)
    losses, temperatures, columns = [], [], []
    for candidate in candidates:
        found = held_out(candidate, X, y, cv)
        importance = [1 / counts[label] if is_unequal else 1.0 for *_, label in found]
        if is_unequal:
            importance = np.multiply(importance, len(y) / len(counts))

        t = best_temperature(found, importance)
        p = np.array([softmax(scores, t)[column] for scores, column, _ in found])
        losses.append(-np.average(np.log(p), weights=importance))
        temperatures.append(t)
        columns.append(p)
    stack = np.full(len(candidates), 1 / len(candidates))
    for _ in range(60):
        total = np.zeros(len(candidates))
        for row in range(len(p)):
            share = [w * column[row] for w, column in zip(stack, columns, strict=True)]
            total += importance[row] * np.array(share) / sum(share)
        stack = total / sum(importance)
    kinds = [type(candidate) for candidate in candidates]
    best = [
        all(
            losses[m] < losses[other] or (losses[m] == losses[other] and m <= other)
            for other in range(len(candidates))
            if kinds[other] is kinds[m]
        )
        for m in range(len(candidates))
    ]
    weights = (stack + np.array(best) / len({*kinds})) / 2
    weights[weights < 0.03] = 0
    weights /= weights.sum()
    loss = -np.average(np.log(np.transpose(columns) @ weights), weights=importance)
    shares = [1 / len(counts) if is_unequal else n / len(y) for n in counts.values()]
    return losses, temperatures, weights, 1 + loss / np.dot(shares, np.log(shares))


def thresholds(p, y):
    """Return the thresholds of several labels that are best for micro F1.

    Parameters
    ----------
    p : ndarray of shape (n_rows, n_labels)
        Probabilities of held-out rows.
    y : ndarray of shape (n_rows, n_labels)
        Their labels.
    """
    logits = np.log(p / (1 - p))
    best, common = -1.0, None
    for step in range(11):
        threshold = -4 + 0.4 * step
        right = predicted = 0
        for row in range(len(y)):
            for label in range(y.shape[1]):
                if logits[row, label] >= threshold:
                    predicted += 1
                    right += y[row, label]
        score = 2 * right / (predicted + y.sum())
        if score > best + 1e-12:
            best, common = score, threshold
    found = []
    for label in range(y.shape[1]):
        n = int(y[:, label].sum())
        ordered = sorted(logits[:, label], reverse=True)
        own = (ordered[n - 1] + ordered[n]) / 2  # n rows are above it
        logit = min((n * own + 5 * common) / (n + 5), 0)
        found.append(1 / (1 + np.exp(-logit)))
    return np.array(found)
