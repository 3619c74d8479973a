"""The methods, each one row, and the models that they teach.

A method is anything with `query`, `teach` and `predict` that buys a batch at a time. A
competitor is a module of PEERS with its rows.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchmarks.papers.label_propagation import RandomLabelPropagation
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    BlendClassifier,
    DecisionStumpClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)

#: What all methods teach; "own": a model of the method's.
MODELS = {
    "logistic": LogisticRegression(tol=1e-3, max_iter=300),
    "svc": SVC(),
    "default": LogisticRegression(max_iter=1_000),
    "forest": RandomForestClassifier(100, random_state=0),
    "own": None,
}
#: The models whose C is chosen for each data set.
TUNED = ["logistic", "svc"]
#: What every other method of a model is held against.
BASELINES = ["margin", "random"]


class Method(NamedTuple):
    """A way to buy labels.

    Attributes
    ----------
    make : callable
        Returns a learner, given a model and `n_initial`, `batch_size`, `budget` and
        `random_state`.
    models : tuple of str
        Which of MODELS it can teach.
    classes : int, optional
        How many there must be.
    dense : bool
        Whether rows must be.
    """

    make: Callable
    models: tuple = ("logistic", "svc")
    classes: int | None = None
    dense: bool = False


def margin(model, **settings):
    """Return the learner that buys the smallest gaps between two classes."""
    if hasattr(model, "predict_proba"):
        return UncertaintySamplingClassifier(model, measure="margin", **settings)
    return MinMarginClassifier(model, **settings)


def committee(model, **settings):
    """Return a committee of three values of C, around the chosen one."""
    grid = {"C": [factor * model.C for factor in (0.1, 1.0, 10.0)]}
    return QueryByCommitteeClassifier(model, param_grid=grid, cv=3, **settings)


def coverage(model, *, n_initial, batch_size, budget, random_state):
    """Return the learner all of whose rows are first ones, a batch at a time."""
    settings = {"n_initial": budget, "budget": budget, "random_state": random_state}
    learner = margin(model, initial="herding", **settings)
    learner.query = partial(learner.query, limit=batch_size)
    return learner


def other_order(model, *, random_state, number, **settings):
    """Return a learner that buys random rows in another order of a split."""
    seed = 1_000 * number + random_state
    return PassiveClassifier(BlendClassifier(), random_state=seed, **settings)


def own(learner):
    """Return the function that makes a learner that has a model already."""
    return lambda _, **settings: learner(**settings)


STUMPS = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=20)
OWN = ("own",)
ANY = ("logistic", "svc", "default", "forest")

METHODS = {
    "random": Method(PassiveClassifier, ANY),
    "margin": Method(margin, ANY),
    "hybrid": Method(HybridSamplingClassifier, ANY),
    "committee": Method(committee),
    "herding start": Method(partial(margin, initial="herding")),
    "cluster batches": Method(partial(margin, batch="cluster")),
    "herding batches": Method(partial(margin, batch="herding")),
    "herding start and batches": Method(
        partial(margin, initial="herding", batch="herding")
    ),
    "MaxHerding": Method(coverage),
    "Uncertainty Herding": Method(UncertaintyHerdingClassifier),
    "Uncertainty Herding, T = 1": Method(
        partial(UncertaintyHerdingClassifier, calibrate=False)
    ),
    "Uncertainty Herding, local": Method(
        partial(UncertaintyHerdingClassifier, calibrate=False, radius="local")
    ),
    "blend": Method(own(HybridSamplingClassifier), OWN),
    "blend, half random": Method(
        own(partial(HybridSamplingClassifier, explore=0.5)), OWN
    ),
    "blend, random": Method(own(partial(PassiveClassifier, BlendClassifier())), OWN),
    "blend, random 2": Method(partial(other_order, number=1), OWN),
    "blend, random 3": Method(partial(other_order, number=2), OWN),
    "stumps, random": Method(own(partial(PassiveClassifier, STUMPS)), OWN, classes=2),
    "FASSL-Boost": Method(own(FASSLBoostClassifier), OWN, classes=2, dense=True),
    "graph, random": Method(own(RandomLabelPropagation), OWN),
    "label propagation": Method(own(ActiveLabelPropagationClassifier), OWN),
    "label propagation, 100 candidates": Method(
        own(partial(ActiveLabelPropagationClassifier, n_candidates=100)), OWN
    ),
}

#: Modules with a dict METHODS.
PEERS = ["skactiveml"]


def all_methods():
    """Return the methods by name, with the methods of installed peers."""
    methods = dict(METHODS)
    for peer in PEERS:
        try:
            methods |= import_module(f"benchmarks.sets._peers_{peer}").METHODS
        except ModuleNotFoundError as error:
            print(f"without {peer}: {error}")
    return methods


def applicable(methods, model, X, y):
    """Return the methods that run with a model on such rows and labels."""
    n_classes = len(np.unique(y))
    return {
        name: method
        for name, method in methods.items()
        if model in method.models
        and method.classes in (None, n_classes)
        and not (method.dense and issparse(X))
    }
