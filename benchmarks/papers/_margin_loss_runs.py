"""Runs of `margin_loss`: rows drawn with replacement, errors looked at on the way."""

from contextlib import suppress
from warnings import catch_warnings, simplefilter

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.losses import RampLoss, make_loss

BLOCK = 1000  # rows drawn at a time
#: The thresholds of a ramp that decreases, within how many labels it does, and the
#: rows drawn at a time until then.
THRESHOLDS, WITHIN, STEP = (10.0, 1.0), 1000, 10


class Finished(Exception):
    """Ends `learn` from within the oracle."""


class Watcher:
    """An oracle that looks at the learner's error every so many labels.

    Weights are put by and scored together, 50 at a time: one product of matrices.

    Parameters
    ----------
    learner : learner
        Who asks.
    X, y : arrays
        Held-out rows and labels.
    every, limit : int
        Labels between two looks, and labels in all.
    stop_at : float or None
        End the run when the error is at most this.
    """

    def __init__(self, learner, X, y, *, every, limit, stop_at=None):
        self.learner, self.X, self.positive = learner, X, (y == 1)[:, None]
        self.every, self.limit, self.stop_at = every, limit, stop_at
        self.labels, self.weights, self.errors = None, [], []

    def __call__(self, rows):
        """Answer, but first look at the learner before that label."""
        self.look()
        if len(self.weights) == 50:
            self.score()
        if self.learner.n_queries_ >= self.limit:
            raise Finished
        return self.labels[rows]

    def look(self):
        """Put the weights by if it is time."""
        n_queries = self.learner.n_queries_
        if n_queries and n_queries % self.every == 0:
            self.weights.append(self.learner.coef_[0].astype(np.float32))

    def score(self):
        """Turn the weights put by into errors."""
        if self.weights:
            predicted = self.X @ np.stack(self.weights, axis=1) > 0
            self.errors += (predicted != self.positive).mean(axis=0).tolist()
            self.weights = []
        if self.stop_at is not None and min(self.errors, default=1) <= self.stop_at:
            raise Finished


def run(learner, rows, *, seed, start=None, **watching):
    """Train a fresh learner on rows drawn with replacement; return its errors.

    Parameters
    ----------
    learner : learner
        With its parameters.
    rows : tuple of arrays
        Training rows and labels, held-out rows and labels.
    seed : int
        Of the draws and the coins.
    start : {"normal", "threshold"}, optional
        "normal": start from weights drawn from N(0, I) instead of 0. "threshold": from
        a ramp with a large threshold, which decreases.
    **watching
        For `Watcher`.

    Returns
    -------
    errors : list of float
        After every so many labels.
    final : float
        Error at the end.
    n_labels : int
        Labels bought.
    """
    X, y, X_held, y_held = rows
    rng = np.random.RandomState(seed)
    learner = clone(learner).set_params(random_state=seed)
    if start == "normal":
        # a row nobody asked for moves zero weights by eta0 times the slope at 0
        slope = make_loss(learner.loss).derivative(0.0)
        normal = rng.standard_normal((1, X.shape[1])) / (learner.eta0 * -slope)
        learner.teach(normal, [1], classes=[0, 1])
    watcher = Watcher(learner, X_held, y_held, **watching)
    n_idle = 0
    with suppress(Finished), config_context(assume_finite=True), catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # to fall silent is a result here
        simplefilter("ignore", OneClassWarning)  # and so is to predict one class
        while learner.patience is None or n_idle < learner.patience:
            n_rows = BLOCK
            if start == "threshold":
                t = threshold(learner)
                learner.set_params(loss=RampLoss(t=t))
                n_rows = STEP if t > THRESHOLDS[-1] else BLOCK
            drawn = rng.randint(X.shape[0], size=n_rows)
            watcher.labels = y[drawn]
            learner.learn(X[drawn], watcher, classes=[0, 1])
            bought = learner.queried_indices_
            n_idle = n_rows - 1 - bought[-1] if len(bought) else n_idle + n_rows
        watcher.look()
    with suppress(Finished):
        watcher.score()
    final = 1 - learner.score(X_held, y_held)
    return watcher.errors, final, learner.n_queries_


def threshold(learner):
    """Return the threshold of a ramp that decreases with the labels bought."""
    first, last = THRESHOLDS
    n_labels = getattr(learner, "n_queries_", 0)
    return max(first - (first - last) * n_labels / WITHIN, last)


def runs(learner, rows, seeds, jobs, **kwargs):
    """Return the errors, the final errors and the labels of a run for each seed."""
    done = Parallel(jobs)(
        delayed(run)(learner, rows, seed=seed, **kwargs) for seed in seeds
    )
    return [[found[k] for found in done] for k in range(3)]


def labels_needed(errors, target, every, limit):
    """Return the labels until the target; the limit if it was not reached."""
    reached = np.flatnonzero(np.array(errors) <= target)
    return every * (int(reached[0]) + 1) if reached.size else limit
