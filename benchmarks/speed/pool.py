"""Pool learners: time of a query, and how much of it is not the estimator's own.

A run buys labels one by one. `refit` is the estimator's `fit`, `scoring` its
`decision_function` or `predict_proba`, both measured inside it; what is left of the
run is the learner's own: cloning, collecting the labelled rows, choosing, bookkeeping.
The runs of all learners take turns; medians over the rounds. All buy the same number
of labels after the same number of random ones; the error is that of the last model on
rows held out, mean over the seeds.

The peer, scikit-activeml, is run if it can be imported (extra `benchmark`).

    python -m benchmarks.speed.pool [--rounds 5] [--quick]
"""

from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from benchmarks import data
from benchmarks.speed._interleave import main
from sklearn_activelearn import (
    MinMarginClassifier,
    PassiveClassifier,
    UncertaintySamplingClassifier,
)

N_INITIAL = 10
SPENT = {"refit": 0.0, "scoring": 0.0}


def timed(estimator_class):
    """Return a subclass that counts the seconds of its `fit` and its scores."""

    def clocked(part, name):
        def method(self, *args, **kwargs):
            started = perf_counter()
            try:
                return getattr(estimator_class, name)(self, *args, **kwargs)
            finally:
                SPENT[part] += perf_counter() - started

        return method

    methods = {"fit": clocked("refit", "fit")}
    score = "predict_proba" if hasattr(estimator_class, "predict_proba") else None
    score = "predict_proba" if estimator_class is LogisticRegression else score
    score = "decision_function" if estimator_class in (SVC, LinearSVC) else score
    methods[score] = clocked("scoring", score)
    methods["__init__"] = estimator_class.__init__
    return type(estimator_class.__name__, (estimator_class,), methods)
