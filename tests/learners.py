"""The one list of learners that the suite runs over.

A new learner joins every law by adding a row here: its defaults, and whatever
settings take another path through the code.
"""

import re
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import settings
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics.pairwise import manhattan_distances, polynomial_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    ASSLBoostClassifier,
    CBGZClassifier,
    COMBClassifier,
    DKMClassifier,
    ErrorSamplingClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    HybridSamplingClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    RelevanceSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    SSMarginBoostClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.losses import MarginLoss, RampLoss, RootRampLoss
from sklearn_activelearn.pool import AllOf, ErrorTarget, LabelPrice, NoError, NoNewClass
from sklearn_activelearn.testing import _guarantees as guarantees
from tests.tools import NaiveBayes


def coin_of(margins):
    """Return a query probability of one's own."""
    return np.maximum(0.2, 1 / (1 + margins))


def overlap_of(X, Z):
    """Return a custom kernel."""
    return 1 / (1 + manhattan_distances(X, Z))


def gini(probabilities):
    """Return an uncertainty of one's own."""
    return 1 - (probabilities**2).sum(axis=1)


def halved(X):
    """Return an embedding of one's own."""
    return X / 2


class TanhLoss(MarginLoss):
    """A loss of one's own."""

    parameters = ("width",)

    def __init__(self, width=1.0):
        self.width = width

    def value(self, z):
        return 1 - np.tanh(z / self.width)

    def derivative(self, z):
        return (np.tanh(z / self.width) ** 2 - 1) / self.width


#: One row a family, for tests whose code is the same for all of it. With the profile
#: `explore` they run over every learner.
FAMILIES = []


def family(row):
    """Have a row stand for its family."""
    FAMILIES.append(row)
    return row


LINEAR_STREAM_LEARNERS = [
    DKMClassifier(),
    DKMClassifier(update="dkm"),
    DKMClassifier(R=2, threshold="uniform"),
    DKMClassifier(R=1, threshold=0.7, fit_intercept=False, eta0=0.5),
    family(CBGZClassifier()),
    CBGZClassifier(b="adaptive"),
    CBGZClassifier(b="adaptive", eta0=10.0, normalize=False),
    CBGZClassifier(b=0.5, update="dkm"),
    CBGZClassifier(b=1.0, average=False),
    CBGZClassifier(b=2.0, normalize=False, fit_intercept=False),
    CBGZClassifier(b=0.3, patience=4),
    MarginLossClassifier(),
    MarginLossClassifier(RampLoss(t=2.0), average=False),
    MarginLossClassifier(RootRampLoss(s=0.3), learning_rate="invscaling"),
    MarginLossClassifier("sigmoid", eta0=1.0, n_warm_start=5),
    MarginLossClassifier("smooth_ramp", normalize=True, fit_intercept=False),
    MarginLossClassifier("hinge", query_probability=coin_of, patience=6),
    MarginLossClassifier(TanhLoss(width=2.0), n_warm_start=3),
    MarginLossClassifier(learning_rate="adaptive"),
    MarginLossClassifier(
        "sigmoid", learning_rate="adaptive", n_warm_start=3, fit_intercept=False
    ),
    GreedyOnlineClassifier(),
    family(GreedyOnlineClassifier(m=2, loss="ramp", normalize=True)),
    GreedyOnlineClassifier(m=1, learning_rate="invscaling"),
    GreedyOnlineClassifier(
        m=3, loss="ramp", learning_rate="adaptive", average=False, normalize=True
    ),
    RandomSamplingClassifier(),
    RandomSamplingClassifier(rate=0.3, normalize=False),
    RandomSamplingClassifier(rate=0.4, update="dkm"),
    RandomSamplingClassifier(rate=0.9, budget=7),
    family(RLSSamplingClassifier()),
    RLSSamplingClassifier(60.0, variant="next", solver="dual"),
    RLSSamplingClassifier(60.0, variant="next_mistake"),
    RLSSamplingClassifier(
        60.0, variant="mistake", solver="primal", fit_intercept=False
    ),
    RLSSamplingClassifier(
        9.0, variant="next", transient=True, normalize=False, patience=5
    ),
    RLSSamplingClassifier(variant="all", max_stored=4),
    RLSSamplingClassifier(60.0, solver="coordinate_descent"),
    SecondOrderPerceptronClassifier(),
    SecondOrderPerceptronClassifier(0.3, normalize=False, fit_intercept=False),
    SOLEClassifier(),
    SOLEClassifier(0.5, a=2.0, query_probability="margin", solver="primal"),
    SOLEClassifier(0.2, max_stored=3, normalize=False),
    SOLEClassifier(query_probability=coin_of),
    SOLEClassifier(
        0.3, solver="coordinate_descent", normalize=False, class_weight="balanced"
    ),
    CBGZClassifier(b=0.3, class_weight="balanced"),
    MarginLossClassifier(learning_rate="adaptive", class_weight="balanced"),
    GreedyOnlineClassifier(m=2, average=False, class_weight="balanced"),
    RLSSamplingClassifier(60.0, variant="next", class_weight="balanced"),
]

KERNEL_STREAM_LEARNERS = [
    family(RLSSamplingClassifier(60.0, kernel="rbf", gamma=0.1)),
    RLSSamplingClassifier(60.0, variant="next", kernel=overlap_of, max_stored=5),
    SOLEClassifier(0.2, kernel=partial(polynomial_kernel, degree=2)),
    SOLEClassifier(0.2, kernel="rbf", max_stored=5, class_weight="balanced"),
]

STREAM_LEARNERS = [*LINEAR_STREAM_LEARNERS, *KERNEL_STREAM_LEARNERS]

COMMITTEE = [("bayes", NaiveBayes()), ("blunt", NaiveBayes(alpha=9.0))]

POOL_LEARNERS = [
    MinMarginClassifier(),
    MinMarginClassifier(SVC(kernel="rbf"), n_initial=3, batch_size=4),
    MinMarginClassifier(LinearSVC(), n_initial=5, budget=0.5),
    family(
        MinMarginClassifier(
            Perceptron(max_iter=9, tol=None, warm_start=True),
            n_initial=2,
            batch_size=2,
            budget=12,
        )
    ),
    MinMarginClassifier(n_initial=4, stopping=["margin_exhausted"]),
    family(MinMarginClassifier(n_initial=3, batch_size=3, n_candidates=5, budget=15)),
    UncertaintySamplingClassifier(),
    family(
        UncertaintySamplingClassifier(
            NaiveBayes(), measure="entropy", n_initial=4, budget=12
        )
    ),
    UncertaintySamplingClassifier(NaiveBayes(), measure="margin", budget=15),
    UncertaintySamplingClassifier(
        LogisticRegression(warm_start=True), n_initial=3, budget=9
    ),
    UncertaintySamplingClassifier(
        NaiveBayes(), n_initial=3, batch_size=2, stopping="stable_predictions"
    ),
    family(
        UncertaintySamplingClassifier(
            NaiveBayes(),
            measure=gini,
            n_initial=4,
            initial="herding",
            batch_size=3,
            batch="herding",
            budget=13,
        )
    ),
    MinMarginClassifier(
        n_initial=3,
        batch_size=4,
        batch="cluster",
        embedding=halved,
        explore=0.3,
        budget=15,
    ),
    family(
        UncertaintyHerdingClassifier(
            NaiveBayes(), radius="local", n_initial=3, batch_size=4
        )
    ),
    UncertaintyHerdingClassifier(
        LinearSVC(),
        embedding=MaxAbsScaler(),
        radius=1.5,
        n_coverage=9,
        n_candidates=4,
        batch_size=3,
        explore=0.4,
        budget=16,
    ),
    family(
        HybridSamplingClassifier(NaiveBayes(), n_initial=4, batch_size=2, budget=14)
    ),
    HybridSamplingClassifier(
        LinearSVC(),
        explore=0.3,
        n_coverage=9,
        n_candidates=5,
        n_initial=3,
        initial="herding",
        batch_size=4,
        budget=16,
    ),
    RelevanceSamplingClassifier(),
    family(
        RelevanceSamplingClassifier(
            NaiveBayes(), n_initial=3, batch_size=0.4, budget=16
        )
    ),
    RelevanceSamplingClassifier(
        NaiveBayes(),
        batch_size=0.2,
        batch="cluster",
        explore=0.2,
        n_candidates=9,
        budget=14,
    ),
    ErrorSamplingClassifier(),
    family(
        ErrorSamplingClassifier(
            estimator=NaiveBayes(),
            n_initial=2,
            batch_size=3,
            stopping=ErrorTarget(0.3),
            budget=16,
        )
    ),
    QueryByCommitteeClassifier(estimators=COMMITTEE, cv=2, n_initial=3, budget=12),
    QueryByCommitteeClassifier(
        NaiveBayes(), param_grid={"alpha": [0.01, 1.0]}, cv=3, batch_size=3, budget=16
    ),
    PassiveClassifier(),
    PassiveClassifier(estimators=COMMITTEE, n_initial=3, batch_size=5, budget=12),
    PassiveClassifier(
        NaiveBayes(),
        n_initial=2,
        stopping=[
            AllOf([NoNewClass(5), "classification_change"]),
            NoError(4),
            LabelPrice(cost=30, label=1, n_labels=6),
        ],
    ),
    ActiveLabelPropagationClassifier(),
    family(
        ActiveLabelPropagationClassifier("rbf", n_initial=3, batch_size=3, budget=16)
    ),
    ActiveLabelPropagationClassifier(
        n_neighbors=2, n_candidates=4, n_initial=3, batch_size=3, budget=16
    ),
    ALMSClassifier(
        param_grid={"C": [0.01, 1.0]},
        n_candidates=1,
        n_pairs=1,
        cv=2,
        n_initial=8,
        batch_size=4,
        budget=12,
    ),
    family(
        ALMSClassifier(
            NaiveBayes(),
            param_grid={"alpha": [0.01, 9.0]},
            n_candidates=2,
            n_pairs=1,
            n_initial=6,
            batch_size=5,
            budget=11,
        )
    ),
    ALMSClassifier(
        LogisticRegression(tol=0.01),  # trained for each row and class, if not jointly
        param_grid={"C": [0.01, 1.0]},
        validation="pool",
        n_candidates=2,
        cv=2,
        n_initial=6,
        batch_size=3,
        budget=12,
    ),
    ALMSClassifier(
        estimators=[("bayes", NaiveBayes()), ("linear", LinearSVC())],
        n_candidates=1,
        n_pairs=1,
        cv=2,
        n_initial=6,
        batch_size=6,
        budget=12,
    ),
]

POOL_LEARNERS += [
    QueryByBoostingClassifier(n_estimators=4, n_initial=4, budget=12),
    QueryByBoostingClassifier(
        NaiveBayes(), n_estimators=3, n_initial=3, batch_size=3, budget=12
    ),
    COMBClassifier(n_estimators=10, batch_size=5, budget=40),
    COMBClassifier(
        alpha=1.0, n_estimators=3, n_initial=5, batch_size=4, init=NaiveBayes()
    ),
    ASSLBoostClassifier(n_estimators=10, batch_size=5, budget=40),
    ASSLBoostClassifier(
        NaiveBayes(), alpha=0.0, n_estimators=3, tol=0.1, n_initial=5, batch_size=5
    ),
    SSMarginBoostClassifier(n_estimators=6, n_initial=4, batch_size=4, budget=15),
    family(FASSLBoostClassifier(n_initial=6, batch_size=3, budget=20)),
    FASSLBoostClassifier(alpha=0.5, shrinkage=0.3, n_initial=3, budget=12),
    FASSLBoostClassifier(NaiveBayes(), alpha=0.0, batch_size=3, n_initial=4, budget=15),
    FASSLBoostClassifier(n_initial=3, batch_size=2, stopping="stable_predictions"),
]

LEARNERS = [*STREAM_LEARNERS, *POOL_LEARNERS]

#: Learners that take several labels for a row, around models that do or that do not.
LABEL_SET_LEARNERS = [
    UncertaintySamplingClassifier(NaiveBayes(), measure=gini, n_initial=4, budget=12),
    UncertaintySamplingClassifier(
        ClassifierChain(LogisticRegression()), n_initial=3, batch_size=3, budget=9
    ),
    MinMarginClassifier(OneVsRestClassifier(LinearSVC()), n_initial=3, batch_size=2),
    UncertaintyHerdingClassifier(NaiveBayes(), n_initial=3, batch_size=4, budget=12),
    HybridSamplingClassifier(NaiveBayes(), n_initial=4, batch_size=2, budget=14),
    HybridSamplingClassifier(n_initial=4, batch_size=6, budget=16),
    QueryByCommitteeClassifier(
        estimators=[("bayes", NaiveBayes()), ("tree", DecisionTreeClassifier())],
        cv=2,
        n_initial=3,
        batch_size=3,
        budget=12,
    ),
    PassiveClassifier(
        MultiOutputClassifier(NaiveBayes()), n_initial=3, batch_size=5, budget=12
    ),
]

#: Learners that look at no margin and so may buy before they were taught.
MARGIN_FREE = [
    row
    for row in STREAM_LEARNERS
    if isinstance(row, RandomSamplingClassifier | SecondOrderPerceptronClassifier)
    or getattr(row, "m", 2) == 1
    or getattr(row, "variant", "") == "all"
]

#: Learners whose state does not tell in which order labels came in.
TIMELESS = [
    *STREAM_LEARNERS,
    *(row for row in POOL_LEARNERS if not row.make_trainer().goes_on),
]

#: Learners whose verbs go different ways through the code, and that are quick.
WAYS = {
    "first order": CBGZClassifier(b=5.0),
    "margin loss": MarginLossClassifier("sigmoid", n_warm_start=3),
    "greedy": GreedyOnlineClassifier(m=2, budget=20),
    "second order": SOLEClassifier(5.0),
    "dual": SOLEClassifier(5.0, solver="dual"),
    "matrix": RLSSamplingClassifier(9.0, variant="mistake", solver="primal"),
    "stored rows": RLSSamplingClassifier(variant="all", solver="dual", normalize=False),
    "kernel": RLSSamplingClassifier(60.0, kernel="rbf", gamma=0.1),
    "passive": PassiveClassifier(NaiveBayes()),
    "uncertainty": UncertaintySamplingClassifier(NaiveBayes()),
    "warm start": MinMarginClassifier(
        Perceptron(max_iter=9, tol=None, warm_start=True)
    ),
    "graph": ActiveLabelPropagationClassifier(n_neighbors=3),
    "COMB": COMBClassifier(n_estimators=2),
    "FASSL": FASSLBoostClassifier(),
    "ALMS": ALMSClassifier(
        NaiveBayes(), param_grid={"alpha": [0.1, 9.0]}, n_candidates=1, n_pairs=1
    ),
}


def ways(names, **params):
    """Return some of the ways, with parameters."""
    return {name: clone(WAYS[name]).set_params(**params) for name in names.split(", ")}


#: The first row of each class, for tests where settings make no difference.
STREAM_DEFAULTS = list({type(row): row for row in reversed(STREAM_LEARNERS)}.values())
POOL_DEFAULTS = list({type(row): row for row in reversed(POOL_LEARNERS)}.values())
DEFAULTS = [*STREAM_DEFAULTS, *POOL_DEFAULTS]


@cache
def name_of(prototype):
    """Return a one-line test id, the same in every process."""
    return re.sub(r"\s+", " ", re.sub(r" at 0x\w+", "", repr(prototype)))


#: Values of their parameters that searches try.
SEARCH_GRIDS = {
    QueryByCommitteeClassifier: {"cv": [2, 3]},
    SSMarginBoostClassifier: {"alpha": [0.01, 0.1]},
    HybridSamplingClassifier: {"explore": [0.0, 0.3]},
    ErrorSamplingClassifier: {"batch_size": [0.2, 0.5]},
    MinMarginClassifier: {
        "estimator": [LinearSVC(C=0.1), LinearSVC()],
        "stopping": [None, "margin_exhausted"],
    },
    PassiveClassifier: {"param_grid": [None, {"C": [0.1, 10.0]}]},
    RelevanceSamplingClassifier: {"batch_size": [1, 0.2]},
    UncertaintySamplingClassifier: {"measure": ["least_confident", "entropy"]},
    UncertaintyHerdingClassifier: {"calibrate": [True, False]},
    ASSLBoostClassifier: {"alpha": [0.01, 0.1]},
    COMBClassifier: {"alpha": [0.01, 0.1]},
    FASSLBoostClassifier: {"alpha": [0.01, 0.1], "shrinkage": [0.2, 1.0]},
    QueryByBoostingClassifier: {"n_estimators": [5, 20]},
    ActiveLabelPropagationClassifier: {"kernel": ["knn", "rbf"]},
    CBGZClassifier: {"b": [0.03, "adaptive"], "eta0": [1.0, 2.0]},
    DKMClassifier: {"R": [1, 8], "threshold": ["max", "uniform", 0.5]},
    GreedyOnlineClassifier: {"m": [2, 5], "loss": ["hinge", "ramp"]},
    MarginLossClassifier: {
        "loss": [RampLoss(), RampLoss(t=2.0), RootRampLoss(), "sigmoid"],
        "eta0": [0.01, 0.1],
    },
    RandomSamplingClassifier: {"rate": [0.1, 1.0], "update": ["perceptron", "dkm"]},
    SecondOrderPerceptronClassifier: {
        "a": [0.1, 1.0],
        "kernel": ["linear", "rbf"],
        "gamma": [None, 0.3],
    },
    RLSSamplingClassifier: {
        "lam": [30.0, 1000.0],
        "variant": ["next", "current", "mistake"],
        "solver": ["dual", "primal"],
    },
    SOLEClassifier: {"b": [0.03, 0.3], "a": [0.5, 1.0]},
}


def explores():
    """Whether there is time for every learner, and for many examples."""
    return settings.get_current_profile_name() == "explore"


def each(prototypes):
    """Run over learners; what is drawn for many of them is drawn less often."""
    rows = pytest.mark.parametrize("prototype", prototypes, ids=name_of)
    return lambda test: rows(drawn_for(len(prototypes), test))


def drawn_for(n_rows, test):
    """Draw four examples in place of ten of a property that holds for many rows."""
    is_slow = hasattr(test, "hypothesis") and n_rows >= 8 and not explores()
    return seldom(test) if is_slow else test


def seldom(test):
    """Draw four examples in place of ten of a property that is slow to check."""
    most = settings.default.max_examples
    return settings(max_examples=most if explores() else most * 2 // 5)(test)


each_default = each(DEFAULTS)
each_stream_default = each(STREAM_DEFAULTS)
each_pool_default = each(POOL_DEFAULTS)


def families_of(learners):
    """Return one row a family, or all rows when there is time to explore."""
    return [row for row in learners if explores() or row in FAMILIES]


def each_family_of(learners):
    """Run over one row a family; `explore` runs what is marked so over all."""

    def decorate(test):
        return pytest.mark.every_learner(each(families_of(learners))(test))

    return decorate


def checks_of(learner):
    """Return the checks of the guarantees that a learner of this kind gives."""
    kind = "pools" if guarantees.is_pool(learner) else "streams"
    return [check for check in guarantees.CHECKS if getattr(check, kind)]


def each_class_and_family_of(learners):
    """Run over one row a class and one a family; `explore` runs over all learners.

    What a setting changes has tests of its own, mostly against a slow twin.
    """
    families = families_of(learners)
    others = {type(row): row for row in reversed(learners)}
    for row in families:
        others.pop(type(row), None)
    rows = [row for row in learners if row in [*families, *others.values()]]
    return lambda test: pytest.mark.every_learner(each(rows)(test))


def ways_in(learners):
    """Return the first learner for each way in which rows are checked, or all."""
    first = {}
    for row in learners:
        trainer = row.make_trainer() if hasattr(row, "make_trainer") else None
        checks = type(row)._check_rows, getattr(type(trainer), "check_rows", None)
        first.setdefault(checks, row)
    return learners if explores() else list(first.values())


def each_way_in(test):
    """Run over one learner for each way in; `explore` does over all classes."""
    return pytest.mark.every_learner(each(ways_in(DEFAULTS))(test))


each_stream_learner = each_class_and_family_of(STREAM_LEARNERS)
each_linear_stream_learner = each_class_and_family_of(LINEAR_STREAM_LEARNERS)
each_pool_learner = each_class_and_family_of(POOL_LEARNERS)
each_family = each_family_of(LEARNERS)
each_stream_family = each_family_of(STREAM_LEARNERS)
each_pool_family = each_family_of(POOL_LEARNERS)
