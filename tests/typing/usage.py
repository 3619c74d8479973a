"""What users write, with the type of everything that they get.

A type checker reads these functions, and `tests/runs/test_types.py` runs them: each
``assert_type`` holds for the type checker and for the value.
"""

import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, assert_type

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_activelearn
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    ASSLBoostClassifier,
    BatchMarginLossClassifier,
    CBGZClassifier,
    COMBClassifier,
    DecisionStumpClassifier,
    DKMClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    HybridSamplingClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    OnePassSearchCV,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    RankAverageClassifier,
    RelevanceSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    SSMarginBoostClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.datasets import make_low_noise, make_outlier_line, make_twonorm
from sklearn_activelearn.evaluation import (
    ActiveTest,
    Comparison,
    CostCurveDisplay,
    Estimate,
    ExperimentInterrupted,
    LabelCurve,
    LabelCurveDisplay,
    LossDisplay,
    ModelSelectionDisplay,
    RecallCurve,
    RecallCurveDisplay,
    RecallEstimate,
    RecallPrice,
    advice,
    compare,
    compare_recall,
    doubtful_labels,
    explored_score,
    label_curve,
    make_priced_scorer,
    n_queries_scorer,
    online_score,
    recall_curve,
    recall_estimate,
    recall_price,
    recall_so_far,
    tune_labels_to_target,
)
from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.labeling import LabelingSession, export, load_model, save_model
from sklearn_activelearn.losses import (
    HingeLoss,
    LogRampLoss,
    MarginLoss,
    RampLoss,
    RootRampLoss,
    SigmoidLoss,
    SmoothHingeLoss,
    SmoothRampLoss,
    make_loss,
)
from sklearn_activelearn.pool import (
    AllOf,
    ClassificationChange,
    Known,
    LabelPrice,
    MarginExhausted,
    NoError,
    NoNewClass,
    OneModel,
    PoolClassifier,
    Progress,
    Purchase,
    RecallTarget,
    StablePredictions,
    StoppingRule,
    Trained,
    Trainer,
)
from sklearn_activelearn.preprocessing import ImageEncoder, TableEncoder, TextEncoder
from sklearn_activelearn.sources import ParquetSource, Source, as_memmap
from sklearn_activelearn.stream import (
    Clock,
    ConstantRule,
    InverseMarginRule,
    LossUpdate,
    PerceptronUpdate,
    QueryRule,
    StreamClassifier,
    UpdateRule,
    rank_probability,
)
from sklearn_activelearn.testing import check_learner

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Labels = NDArray[Any]
RowNumbers = NDArray[np.int64]


def problem() -> tuple[Floats, Labels]:
    """Return rows that are easy to tell apart, and labels."""
    X, y = make_twonorm(80, 4, random_state=0)
    return X, np.where(y == y[0], "yes", "no")


def use_data_sets() -> None:
    """Synthetic problems."""
    X, y = make_twonorm(20, 3, random_state=0)
    assert_type(X, Floats)
    assert_type(y, Ints)
    X, y = make_outlier_line(20, distance=50.0, random_state=0)
    assert_type(X, Floats)
    assert_type(y, Ints)
    X, y = make_low_noise(20, 3, alpha=1.0, margin=0.5, random_state=0)
    assert_type(y, Ints)
    _, _, u = make_low_noise(20, 3, coef=True, random_state=0)
    assert_type(u, Floats)


def use_warnings() -> None:
    """Stop where a learner warns."""
    with warnings.catch_warnings(action="error", category=OneClassWarning):
        MinMarginClassifier().fit(*problem())


def use_ids() -> None:
    """Every verb that takes ids, and what ids may be."""
    X, y = problem()
    learner = MinMarginClassifier(n_initial=4, random_state=0)
    names = np.array([f"row {i}" for i in range(len(X))])
    rows = learner.query(X, ids=names)
    assert_type(rows, RowNumbers)
    assert_type(learner.pending(X, ids=list(names)), RowNumbers)
    learner.skip(X[rows[:1]], ids=names[rows[:1]])
    assert_type(learner.teach(X[rows], y[rows], ids=names[rows]), MinMarginClassifier)
    learner.correct(X[rows], y[rows], ids=names[rows])
    learner.learn(X, lambda rows: y[rows], ids=pd.Index(names))
    fresh = MinMarginClassifier(n_initial=4, random_state=0)
    record = learner.record()
    taught = [
        int(record["ids"][entry].removeprefix("row ")) for entry in record["taught"]
    ]
    restored = fresh.restore(X, record, y[taught], ids=names)
    assert_type(restored, MinMarginClassifier)
    stream = CBGZClassifier(random_state=0)
    rows = stream.query(X, ids=range(len(X)))
    stream.teach(X[rows], y[rows], ids=rows, classes=["no", "yes"])


def use_verbs_of_a_pool_learner() -> None:
    """Every verb of a pool learner."""
    X, y = problem()
    learner = MinMarginClassifier(LogisticRegression(), n_initial=4, random_state=0)
    rows = learner.query(X)
    assert_type(rows, RowNumbers)
    assert_type(learner.pending(X), RowNumbers)
    assert_type(learner.stop_reason_, str | None)
    assert_type(learner.teach(X[rows], y[rows]), MinMarginClassifier)
    rows, probabilities = learner.query(X, limit=3, return_probability=True)
    assert_type(rows, RowNumbers)
    assert_type(probabilities, Floats)
    learner.skip(X[rows], refund=True)
    rows, utilities = learner.query(X, candidates=range(40), return_utility=True)
    assert_type(utilities, Floats)
    assert_type(learner.skip(), MinMarginClassifier)
    found = learner.query(X, exclude=y == "no", return_probability=True,
                          return_utility=True)  # fmt: skip
    assert_type(found, tuple[RowNumbers, Floats, Floats])
    learner.teach(csr_matrix(X)[found[0]].toarray(), list(y[found[0]]))
    learner.partial_fit(X, y, classes=["no", "yes"])
    assert_type(learner.learn(X, lambda rows: y[rows]), MinMarginClassifier)
    labels = y[learner.queried_indices_]
    assert_type(learner.correct(X[learner.queried_indices_], labels),
                MinMarginClassifier)  # fmt: skip
    assert_type(learner.fit(X, y), MinMarginClassifier)
    assert_type(learner.record(), dict[str, Any])
    labels = y[learner.queried_indices_]
    assert_type(learner.restore(X, learner.record(), labels), MinMarginClassifier)
    assert_type(learner.partial_fit(X, y), MinMarginClassifier)
    assert_type(learner.predict(X), Labels)
    assert_type(learner.predict_proba(X), Floats)
    assert_type(learner.decision_function(X), Floats)
    assert_type(learner.score(X, y), float)
    assert_type(learner.set_params(budget=None), MinMarginClassifier)
    assert_type(learner.get_params(deep=False), dict[str, Any])


def use_counts_of_a_pool_learner() -> None:
    """What a pool learner knows of itself."""
    X, y = problem()
    learner = MinMarginClassifier(budget=20, random_state=0).fit(X, y)
    assert_type(learner.classes_, Labels)
    assert_type(learner.n_features_in_, int)
    assert_type(learner.n_queries_, int)
    assert_type(learner.n_pending_, int)
    assert_type(learner.n_skipped_, int)
    assert_type(learner.n_taught_, int)
    assert_type(learner.queried_indices_, RowNumbers)
    assert_type(learner.stop_reason_, str | None)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    assert_type(learner.fit(frame, y).feature_names_in_, Labels)


def use_pool_learners() -> None:
    """The parameters and the results of each pool learner."""
    X, y = problem()
    sampling = UncertaintySamplingClassifier(
        LogisticRegression(), measure="entropy", n_initial=4, initial="herding",
        batch_size=5, batch="cluster", embedding=StandardScaler(), n_candidates=40,
        budget=20, stopping=["stable_predictions", NoError(5)], n_jobs=1,
        random_state=0,
    )  # fmt: skip
    assert_type(sampling.fit(X, y).n_queries_, int)
    sampling.set_params(measure=lambda probabilities: -probabilities.max(axis=1))
    hybrid = HybridSamplingClassifier(explore=0.2, initial="mixed", budget=20)
    assert_type(hybrid.fit(X, y).queried_indices_, RowNumbers)
    herding = UncertaintyHerdingClassifier(radius="local", budget=20, random_state=0)
    assert_type(herding.fit(X, y).temperature_, float)
    relevance = RelevanceSamplingClassifier(
        LogisticRegression(), positive="yes", positive_weight=2.0, n_initial=2,
        initial="random", batch_size=0.1, batch="top", embedding=None, explore=0.1,
        n_candidates=None, budget=20, stopping=None, n_jobs=None, random_state=0,
    )  # fmt: skip
    assert_type(relevance.fit(X, y).n_queries_, int)
    ranks = RankAverageClassifier([("one", LogisticRegression())]).fit(X, y)
    assert_type(ranks.decision_function(X), Floats)
    assert_type(ranks.member_scores(X), Floats)
    assert_type(ranks.predict(X), Labels)
    assert_type(ranks.set_params(one__C=2.0), RankAverageClassifier)
    assert_type(ranks.get_params(deep=False), dict[str, Any])
    assert_type(ranks.estimators_, list[Any])
    estimators = [("one", LogisticRegression()), ("two", LogisticRegression(C=0.1))]
    committee = QueryByCommitteeClassifier(
        LogisticRegression(), param_grid={"C": [0.1, 1.0]}, cv=2, budget=20,
        disagreement="consensus_kl", random_state=0,
    ).fit(X, y)  # fmt: skip
    assert_type(committee.best_index_, int)
    assert_type(committee.cv_scores_, Floats)
    assert_type(committee.model_names_, list[str])
    assert_type(committee.vote_weights_, Floats)
    assert_type(committee.estimators_, list[Any])
    passive = PassiveClassifier(estimators=estimators, budget=20, random_state=0)
    assert_type(passive.fit(X, y).cv_scores_, Floats)
    assert_type(passive.best_index_, int)
    assert_type(passive.model_names_, list[str])
    alms = ALMSClassifier(
        estimators=estimators, n_initial=6, n_candidates=2, n_pairs=1, budget=7,
        cv=2, random_state=0,
    ).fit(X, y)  # fmt: skip
    assert_type(alms.allocation_, Labels)
    assert_type(alms.labeled_indices_, dict[str, RowNumbers])
    assert_type(alms.model_probabilities_, Floats)
    assert_type(alms.voi_history_, Floats)
    assert_type(alms.best_index_, int)
    assert_type(alms.model_names_, list[str])
    assert_type(alms.predict_proba(X), Floats)
    grid = ALMSClassifier(param_grid={"C": [0.1, 1.0]}, budget=14, random_state=0)
    assert_type(grid.fit(X, y).best_params_, dict[str, Any])
    propagation = ActiveLabelPropagationClassifier(
        kernel="knn", n_candidates=50, budget=15
    )
    assert_type(propagation.fit(X, y).label_distributions_, Floats)
    assert_type(propagation.transduction_, Labels)


def use_boosting() -> None:
    """The boosting learners."""
    X, y = problem()
    stump = DecisionStumpClassifier(criterion="gini").fit(X, y, sample_weight=None)
    assert_type(stump.predict(X), Labels)
    assert_type(stump.predict_proba(X), Floats)
    assert_type(stump.score(X, y), float)
    assert_type(stump.error_, float)
    assert_type(stump.feature_, int)
    assert_type(stump.threshold_, float)
    assert_type(stump.side_probabilities_, Floats)
    for learner in (
        ASSLBoostClassifier(stump, n_estimators=3, budget=12, random_state=0),
        COMBClassifier(stump, n_estimators=3, budget=12, random_state=0),
        FASSLBoostClassifier(stump, shrinkage=0.5, budget=12, random_state=0),
        QueryByBoostingClassifier(stump, n_estimators=3, budget=12, random_state=0),
        SSMarginBoostClassifier(stump, n_estimators=3, n_initial=12, budget=12),
    ):
        assert_type(learner.fit(X, y).cost_curve_, Floats)
        assert_type(learner.query(X, limit=0, return_utility=True),
                    tuple[RowNumbers, Floats])  # fmt: skip


def use_stopping_rules() -> None:
    """The stopping rules and their parameters."""
    X, y = problem()
    learner = UncertaintySamplingClassifier(
        stopping=[
            AllOf([NoNewClass(n_labels=10), "no_error"]),
            ClassificationChange(threshold=0.1, patience=2),
            LabelPrice(cost=10.0, label=0.5, n_labels=10),
            NoError(n_labels=10),
            RecallTarget(recall=0.9, confidence=0.9, positive="yes"),
            StablePredictions(threshold=0.9, patience=2),
        ],
        random_state=0,
    ).fit(X, y)
    MinMarginClassifier(stopping=MarginExhausted(), budget=20).fit(X, y)
    MinMarginClassifier(LogisticRegression(), initial=X[:1]).query(X)
    MinMarginClassifier(initial=lambda rows: rows[:, 0]).query(X)
    assert_type(learner.stop_reason_, str | None)
    assert_type(AllOf(["no_error", NoNewClass()]).needs, tuple[str, ...])
    assert_type(NoError().n_labels, int)


def use_verbs_of_a_stream_learner() -> None:
    """Every verb of a stream learner."""
    X, y = problem()
    learner = CBGZClassifier(b="adaptive", update="dkm", random_state=0)
    learner.teach(X[:4], y[:4], classes=np.unique(y))
    rows = learner.query(X)
    assert_type(rows, RowNumbers)
    assert_type(learner.pending(X), RowNumbers)
    assert_type(learner.skip(X[rows]), CBGZClassifier)
    rows, probabilities = learner.query(X, return_probability=True)
    assert_type(probabilities, Floats)
    assert_type(learner.teach(X[rows], y[rows]), CBGZClassifier)

    def oracle(rows: NDArray[np.int64]) -> list[str]:
        return ["no"] * len(rows)

    assert_type(learner.learn(X, oracle, candidates=[3, 1]), CBGZClassifier)
    assert_type(learner.partial_fit(X, y), CBGZClassifier)
    assert_type(learner.fit(X, y), CBGZClassifier)
    assert_type(learner.predict(X), Labels)
    assert_type(learner.decision_function(csr_matrix(X)), Floats)
    assert_type(learner.score(X, y), float)
    assert_type(learner.get_params(), dict[str, Any])
    assert_type(learner.set_params(b=2.0), CBGZClassifier)
    assert_type(learner.classes_, Labels)
    assert_type(learner.coef_, Floats)
    assert_type(learner.intercept_, Floats)
    assert_type(learner.n_queries_, int)
    assert_type(learner.n_pending_, int)
    assert_type(learner.n_seen_, int)
    assert_type(learner.n_skipped_, int)
    assert_type(learner.n_taught_, int)
    assert_type(learner.n_updates_, int)
    assert_type(learner.queried_indices_, RowNumbers)
    assert_type(learner.stop_reason_, str | None)


def use_stream_learners() -> None:
    """The parameters and the results of each stream learner."""
    X, y = problem()
    assert_type(DKMClassifier(R=8).fit(X, y).threshold_, float)
    random = RandomSamplingClassifier(rate=0.5, eta0=2.0, budget=0.5, random_state=0)
    assert_type(random.fit(X, y).n_updates_, int)
    margin = MarginLossClassifier(
        loss=RootRampLoss(s=0.3), n_warm_start=5, learning_rate="invscaling"
    )
    assert_type(margin.fit(X, y).coef_, Floats)
    greedy = GreedyOnlineClassifier(m=3, loss="hinge", random_state=0)
    assert_type(greedy.fit(X, y).intercept_, Floats)
    assert_type(rank_probability(5, 2), Floats)
    rls = RLSSamplingClassifier(lam=1.0, variant="all", random_state=0).fit(X, y)
    assert_type(rls.is_dual_, bool)
    assert_type(rls.decision_function(X), Floats)
    second = SecondOrderPerceptronClassifier(a=2.0, kernel="rbf", max_stored=20)
    assert_type(second.fit(X, y).n_queries_, int)
    sole = SOLEClassifier(b=0.1, query_probability="margin", solver="dual")
    assert_type(sole.fit(X, y).predict(X), Labels)
    batch = BatchMarginLossClassifier("smooth_ramp", alpha=0.01, random_state=0)
    assert_type(batch.fit(X, y), BatchMarginLossClassifier)
    assert_type(batch.coef_, Floats)
    assert_type(batch.n_iter_, int)
    assert_type(batch.n_restarts_, int)
    assert_type(batch.objective_, float)
    assert_type(batch.decision_function(X), Floats)


def use_search() -> None:
    """A grid search over a stream learner."""
    X, y = problem()
    grid = {"b": np.array([0.1, 1.0]), "eta0": [1.0, 2.0]}
    search = OnePassSearchCV(CBGZClassifier(random_state=0), grid, cv=2, n_jobs=1)
    assert_type(search.fit(X, y), OnePassSearchCV)
    assert_type(search.best_params_, dict[str, Any])
    assert_type(search.best_index_, int | np.integer[Any])
    assert_type(search.cv_results_, dict[str, Any])
    assert_type(search.fused_, NDArray[np.bool_])
    assert_type(search.n_labels_read_, int)
    assert_type(search.predict(X), Labels)
    assert_type(search.score(X, y), float)


def use_losses() -> None:
    """Margin losses, and one of a user."""

    class Squared(MarginLoss):
        convex = True

        def __init__(self, power: float = 2.0):
            self.power = power

        def value(self, z: Floats) -> Floats:
            return np.maximum(1 - z, 0) ** self.power

        def derivative(self, z: Floats) -> Floats:
            return -2 * np.maximum(1 - z, 0)

    own: list[MarginLoss] = [
        HingeLoss(), LogRampLoss(t=1.5), RampLoss(t=2.0), RootRampLoss(t=1.0, s=0.5),
        SigmoidLoss(), SmoothHingeLoss(h=0.3), SmoothRampLoss(t=1.0, h=0.5),
        make_loss("log_ramp"), Squared(),
    ]  # fmt: skip
    for loss in own:
        assert_type(loss.query_probability([0.0, 1.0]), Floats)
        assert_type(loss.get_params(), dict[str, Any])
        assert_type(loss.parameters, tuple[str, ...])
        assert_type(loss.name, str | None)
        assert_type(loss.convex, bool)
        assert_type(loss.corner, float)
    assert_type(RootRampLoss().s, float)
    assert_type(SmoothRampLoss().h, float)
    assert_type(LogRampLoss().set_params(t=2.0).t, float)
    assert_type(RampLoss().value([0.0]), Floats)
    assert_type(RampLoss().derivative(np.zeros(2)), Floats)


def use_curves() -> None:
    """Label curves, and what is made of them."""
    X, y = problem()
    learner = CBGZClassifier(random_state=0)
    curve = label_curve(learner, X, y, cv=3, scoring="accuracy", n_repeats=1, n_jobs=1,
                        at=range(5, 30, 5), progress=False, random_state=0)  # fmt: skip
    assert_type(curve, LabelCurve)
    for array in (curve.n_labels, curve.scores, curve.n_bought, curve.final_scores,
                  curve.n_offered, curve.n_held_out, curve.runs):  # fmt: skip
        assert_type(array, np.ndarray)
    assert_type(curve.mean, Floats)
    assert_type(curve.std, Floats)
    assert_type(curve.carried_scores, Floats)
    assert_type(curve.scores_at([5, 10]), Floats)
    assert_type(curve.labels_for(0.1), float)
    assert_type(curve.to_dict(), dict[str, Any])
    assert_type(LabelCurve.from_json(curve.to_json()), LabelCurve)
    assert_type(LabelCurve.from_dict(curve.to_dict()), LabelCurve)
    assert_type(curve.area(start=10, stop=20), Floats)
    several = label_curve(learner, X, y, scoring=["accuracy", "roc_auc"], cv=2)
    assert_type(several.by("roc_auc"), LabelCurve)
    assert_type(several.others, dict[str, LabelCurve])
    assert_type(several.scoring, str)
    assert_type(several.best, float)
    assert_type(several.constant_scores, np.ndarray)
    assert_type(several.constant_score, float)
    pipeline = make_pipeline(StandardScaler(), DKMClassifier(random_state=0))
    other = label_curve(pipeline, X, y, cv=3, random_state=0)
    comparison = curve.compare(other, at=[10], test="corrected_t", confidence=0.9)
    assert_type(comparison.test, str)
    assert_type(comparison.confidence, float)
    assert_type(comparison.n_runs, int)
    assert_type(comparison.p_value, np.ndarray)
    assert_type(comparison.area_mean, float)
    assert_type(comparison.area_p_value, float)
    assert_type(str(comparison), str)
    needed = curve.labels_to_target(0.2)
    assert_type(needed.error, float)
    assert_type(needed.labels, np.ndarray)
    assert_type(needed.counted, Floats)
    assert_type(needed.mean, float)
    assert_type(needed.std, float)
    assert_type(needed.n_failed, int)
    print(needed.to_frame(), curve.to_frame(), comparison.to_frame())


def use_comparisons() -> None:
    """Labels saved, and rows read to a recall."""
    X, y = problem()
    comparison = compare(X, y, [CBGZClassifier()], cv=2, n_repeats=1, random_state=1)
    assert_type(comparison, Comparison)
    assert_type(comparison.verdict.text, str)
    assert_type(comparison.table(), list[dict[str, Any]])
    assert_type(comparison.to_text("rows"), str)
    (result,) = comparison.results
    assert_type(result.savings.needed, float)
    assert_type(result.curve, LabelCurve)
    assert_type(result.errors, Floats)
    assert_type(result.gain, tuple[float, float, float])
    assert_type(comparison.plot(), LabelCurveDisplay)
    search = compare_recall(X, y, positive="yes", n_runs=1)
    assert_type(search.curves, dict[str, RecallCurve])
    assert_type(search.plot(), RecallCurveDisplay)


def use_tuning() -> None:
    """Settings for few labels."""
    X, y = problem()
    learner, grid = CBGZClassifier(), {"b": [0.3, 3.0]}
    tuning = tune_labels_to_target(learner, grid, X, y, error=0.2, cv=2, random_state=0)
    assert_type(tuning.best_estimator, CBGZClassifier)
    assert_type(tuning.best_params, dict[str, Any])
    print(tuning.to_frame())
    try:
        label_curve(learner, X, y, cv=2, random_state=0)
    except ExperimentInterrupted as stop:
        print(stop.result)


def use_estimates() -> None:
    """What labels say of a model, and a model of labels."""
    X, y = problem()
    doubtful = doubtful_labels(LogisticRegression(), X, y, cv=3, random_state=0)
    assert_type(doubtful.indices, RowNumbers)
    assert_type(doubtful.confidence, Floats)
    assert_type(doubtful.predicted, Labels)
    learner = CBGZClassifier(random_state=0).fit(X, y)
    pooled = HybridSamplingClassifier(budget=20, random_state=0).fit(X, y)
    assert_type(explored_score(pooled, scoring="balanced_accuracy"), Estimate)
    online = online_score(learner, window=None, confidence=0.9)
    assert_type(online, Estimate)
    assert_type(online.n_rows, int | None)
    assert_type(online.value, float)
    recall = recall_estimate(
        [True, False], [False, True], 5, confidence=0.9, always_valid=True,
        probabilities=[0.5, 0.1, 0.0],
    )  # fmt: skip
    assert_type(recall, RecallEstimate)
    assert_type(recall.most_relevant, int)
    taught = MinMarginClassifier(random_state=0).fit(X, y)
    so_far = recall_so_far(
        taught, X, positive="yes", confidence=0.9, always_valid=False, exclude=None
    )
    assert_type(so_far, RecallEstimate)
    price = recall_price(
        taught, X, recall=0.9, confidence=0.9, positive="yes", ids=None, exclude=None
    )
    assert_type(price, RecallPrice)
    assert_type(price.p_reached, float)
    assert_type(price.n_certain, int)
    model = LogisticRegression().fit(X[:40], y[:40])
    test = ActiveTest(model, labelled=(X[:40], y[:40]), mix=0.5, random_state=0)
    rows = test.query(X[40:], limit=12)
    assert_type(rows, RowNumbers)
    assert_type(test.pending(X[40:]), RowNumbers)
    assert_type(test.teach(X[40:][rows[2:]], y[40:][rows[2:]]), ActiveTest)
    assert_type(test.skip(), ActiveTest)
    estimate = test.estimate(0.9, always_valid=True)
    assert_type(estimate, Estimate)
    assert_type(estimate.low, float)
    assert_type(estimate.high, float)
    assert_type(estimate.n_labels, int)
    assert_type(estimate.confidence, float)
    assert_type(test.n_queries_, int)
    assert_type(test.n_pending_, int)
    assert_type(test.n_skipped_, int)
    assert_type(test.n_taught_, int)
    assert_type(test.get_params(), dict[str, Any])
    worth = advice([(10, y[:20]), (40, y[1:21])], y[:20], n_labels=20)
    assert_type(worth.gain, Estimate)
    assert_type(worth.n_before, int)
    assert_type(worth.n_changed, int)
    assert_type(worth.n_right, int)
    assert_type(worth.n_wrong, int)
    assert_type(n_queries_scorer(learner, X, y), int)
    scorer = make_priced_scorer(0.01, scoring="balanced_accuracy")
    assert_type(scorer(learner, X, y), float)


def use_displays() -> None:
    """Pictures."""
    X, y = problem()
    learner = CBGZClassifier(random_state=0)
    curve = label_curve(learner, X, y, cv=2, random_state=0)
    drawn = LabelCurveDisplay({"CBGZ": curve}, passive=curve, target=0.1).plot()
    assert_type(drawn, LabelCurveDisplay)
    assert_type(drawn.ax_, Axes)
    assert_type(drawn.figure_, Figure)
    assert_type(drawn.lines_, list[Line2D])
    assert_type(drawn.plot(kind="score", band=0.5), LabelCurveDisplay)
    found = recall_curve(y, [[0, 1, 2], [3, 4]], positive="yes")
    assert_type(found, RecallCurve)
    assert_type(found.wss(0.95), Floats)
    assert_type(found.rows_read(), Floats)
    assert_type(found.recall([1, 2]), Floats)
    assert_type(found.n_relevant, int)
    recalls = RecallCurveDisplay(found, recall=0.9).plot(band=0.5)
    assert_type(recalls, RecallCurveDisplay)
    assert_type(recalls.lines_, list[Line2D])
    losses = LossDisplay(["hinge", RampLoss()]).plot(kind="derivative")
    assert_type(losses.lines_, list[Line2D])
    boosted = COMBClassifier(n_estimators=3, budget=12, random_state=0).fit(X, y)
    costs = CostCurveDisplay.from_estimator(boosted)
    assert_type(costs, CostCurveDisplay)
    assert_type(costs.lines_, list[Line2D])
    alms = ALMSClassifier(param_grid={"C": [0.1, 1.0]}, budget=14, random_state=0)
    alms.fit(X, y)
    allocation = ModelSelectionDisplay.from_estimator(alms, kind="allocation")
    assert_type(allocation.lines_, list[Line2D])
    assert_type(allocation.plot(kind="probabilities").image_, AxesImage)


def use_session() -> None:
    """A session of labelling."""
    X, y = problem()
    learner = UncertaintySamplingClassifier(budget=14, n_initial=4, random_state=0)
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "labels.sqlite")
    with LabelingSession(
        learner, X, path, ids=list(range(len(X))), classes=["no", "yes"], test_size=4,
        ahead=0, change=("pool", "classes"),
    ) as session:  # fmt: skip
        assert_type(session, LabelingSession[UncertaintySamplingClassifier])
        assert_type(session.learner, UncertaintySamplingClassifier)
        assert_type(session.ids, list[str | int])
        assert_type(session.classes, list[str | int | float | bool] | None)
        assert_type(session.lease + 0.5, float)
        while (id := session.next()) is not None:
            assert_type(id, str | int)
            session.label(id, str(y[int(id)]))
        session.label(0, "no", "me", final=True)
        for votes in session.disputed().values():
            assert_type(votes, dict[str, str | int | float | bool | None])
        agreement = session.agreement()
        assert_type(agreement.measure, str)
        assert_type(agreement.value, float)
        assert_type(agreement.n_rows, int)
        assert_type(agreement.n_people, int)
        assert_type(agreement.share, float)
        assert_type(session.doubtful(), list[str | int])
        model = LogisticRegression()
        assert_type(session.doubtful(3, estimator=model), list[str | int])
        assert_type(session.stop_reason, str | None)
        assert_type(session.undo(), str | int)
        session.note(1, "unclear", "me")
        page = session.review("noted", text="clear", since="2026-01-31", limit=3)
        assert_type(page.n_rows, int)
        for row in page.rows:
            assert_type(row.id, str | int)
            assert_type(row.label, str | int | float | bool | None)
            assert_type(row.answers[0].who if row.answers else None, str | None)
            assert_type(row.notes[0].text, str)
        assert_type(session.answers(1).state, str)
        assert_type(session.undo("me", id=0), str | int)
        assert_type(session.reopen(), list[str | int])
        for status in session.people().values():
            assert_type(status.answered, int)
        again = session.next(who="me")
        assert again is not None
        session.skip(again, reason="cannot tell", who="me")
        print(session.row(again))
        status = session.status()
        assert_type(status.asked, int)
        assert_type(status.answered, int)
        assert_type(status.left, int | None)
        assert_type(status.by_class, dict[str | int | float | bool, int])
        assert_type(status.stop_reason, str | None)
        assert_type(session.status("me").disputed, int)
        predictions = session.predictions([0, 1])
        assert_type(predictions.ids, list[str | int])
        assert_type(predictions.labels, list[str | int | float | bool])
        assert_type(predictions.probabilities, Floats | None)
        assert_type(predictions.classes, list[str | int | float | bool])
        for point in session.curve():
            assert_type(point.n_labels, int)
            assert_type(point.accuracy, float)
            assert_type(point.n_test, int)
            assert_type(point.score, float)
            assert_type(point.constant, float)
        assert_type(session.advice("f1_macro"), str)
        assert_type(session.export(os.path.join(folder, "labels.csv")), int)
        assert_type(session.import_labels(os.path.join(folder, "labels.csv")), int)
        home = os.path.join(folder, "all.csv")
        columns = {"number": list(range(len(session.ids)))}
        assert_type(session.export_predictions(home, columns), int)
        model = session.model()
        session.close()
    place = os.path.join(folder, "model.joblib")
    assert_type(save_model(model, place), int)
    load_model(place, trust=True).predict(X)
    assert_type(export(path, os.path.join(folder, "again.csv"), "long"), int)


def use_encoders() -> None:
    """Rows with names for their columns."""
    rows = {"age": ["31", "", "47"], "note": ["a fine film", "", "a dull one"]}
    table = TableEncoder(text=["note"], dates="day-first")
    assert_type(table.fit(rows), TableEncoder)
    table.transform(pd.DataFrame(rows))
    assert_type(table.treated_as_, list[str])
    assert_type(table.feature_names_in_, Labels)
    assert_type(table.n_features_in_, int)
    assert_type(TextEncoder(["note"]).fit(rows), TextEncoder)
    ImageEncoder("file", folder="pictures")


def use_sources() -> None:
    """Rows that are not in memory."""
    X, _ = problem()
    folder = tempfile.mkdtemp()
    pd.DataFrame(X, columns=["a", "b", "c", "d"]).to_parquet(f"{folder}/rows.parquet")
    source = ParquetSource(f"{folder}/rows.parquet", columns=["a", "b"])
    assert_type(source.shape, tuple[int, int])
    assert_type(source.columns, list[str])
    assert_type(len(source), int)
    assert_type(MinMarginClassifier(random_state=0).query(source), RowNumbers)
    mapped = as_memmap(source, f"{folder}/rows.npy", dtype=np.float32)
    assert_type(mapped, np.memmap[Any, Any])


class GiniSampling(PoolClassifier):
    """A pool learner with a utility, and a parameter of its own."""

    _needs = "predict_proba"

    def __init__(
        self,
        estimator: LogisticRegression | None = None,
        *,
        power: float = 2.0,
        budget: int | float | None = 100,
        stopping: StoppingRule | None = None,
        random_state: int | None = None,
    ):
        super().__init__(
            estimator, budget=budget, stopping=stopping, random_state=random_state
        )
        self.power = power

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.power <= 1:
            raise ValueError("power must be > 1.")

    def _utility(self, X: Any) -> Floats:
        utility: Floats = -(self.estimator_.predict_proba(X) ** self.power).sum(axis=1)
        return utility


class RecentLabels(Trainer):
    """A trainer of a user."""

    def __init__(self, estimator: LogisticRegression, half_life: float):
        self.estimators, self.half_life = [estimator], half_life

    def check(self) -> None:
        super().check()
        assert self.half_life > 0

    def train(self, known: Known, before: Trained | None) -> Trained:
        assert_type(known.prototypes, list[Any])
        assert_type(known.labels, Labels)
        assert_type(known.classes, Labels)
        assert_type(known.purposes, Labels)
        assert_type(known.labelled.codes, np.ndarray)
        assert_type(known.pool.unlabelled, RowNumbers)
        assert_type(known.n_before, int)
        assert_type(known.seed, int)
        age = np.arange(len(known.labels))[::-1]
        weight = 0.5 ** (age / self.half_life)
        model = clone(known.prototypes[0])
        n_trainings = before.memory + 1 if before else 1
        return Trained(
            model.fit(known.labelled.rows, known.labels, weight),
            attributes={"n_trainings_": n_trainings},
            memory=n_trainings,
        )


class RecentRandom(PoolClassifier):
    """A pool learner with a trainer, and a choice of rows without scores."""

    n_trainings_: int

    def __init__(self, *, budget: int = 20, random_state: int | None = None):
        super().__init__(budget=budget, random_state=random_state)

    def _make_trainer(self) -> Trainer:
        return RecentLabels(LogisticRegression(), half_life=5.0)

    def _select(self, X: Any, rows: Ints, n_wanted: int, seed: Any) -> Purchase:
        chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
        bought = Purchase(chosen, np.full(len(chosen), n_wanted / len(rows)))
        assert_type(bought.rows, Ints)
        assert_type(bought.probabilities, Floats)
        assert_type(bought.utilities, Floats | None)
        assert_type(bought.purposes, str | Labels)
        return bought._replace(utilities=np.full(len(chosen), np.nan))


@dataclass(frozen=True)
class EnoughOfEachClass(StoppingRule):
    """A stopping rule of a user."""

    n_labels: int = 5
    needs = ("predict",)

    def check(self) -> None:
        if self.n_labels < 1:
            raise ValueError("n_labels must be >= 1.")

    def judge(self, progress: Progress, memory: int | None) -> tuple[bool, int]:
        assert_type(progress.labels, Labels)
        assert_type(progress.left, Ints)
        assert_type(progress.of_left(progress.model.predict), Labels)
        assert_type(progress.of_all(progress.model.predict), Labels)
        assert_type(progress.model_after(n_labels=3), Any)
        print(progress.X, progress.rows)
        _, counts = np.unique(progress.labels, return_counts=True)
        return bool(counts.min() >= self.n_labels), (memory or 0) + 1


def use_own_pool_learners() -> None:
    """Pool learners, a trainer and a stopping rule of users."""
    X, y = problem()
    rule = EnoughOfEachClass(n_labels=8)
    learner = GiniSampling(power=1.5, stopping=rule, random_state=0).fit(X, y)
    assert_type(learner, GiniSampling)
    assert_type(learner.power, float)
    assert_type(learner.stop_reason_, str | None)
    assert_type(learner.n_queries_, int)
    assert_type(learner.query(X, return_utility=True), tuple[RowNumbers, Floats])
    recent = RecentRandom(random_state=0).fit(X, y)
    assert_type(recent.n_trainings_, int)
    assert_type(recent.queried_indices_, RowNumbers)
    assert_type(OneModel(LogisticRegression(), incremental=False).goes_on, bool)
    trained = Trained(LogisticRegression())
    assert_type(trained.attributes, dict[str, Any])


class AdaptiveInverse(QueryRule):
    """A query rule of a user that remembers the largest norm."""

    uses_norm = True

    def __init__(self, b: float):
        self.b = b

    def initial_memory(self, n_dims: int) -> list[float]:
        return [0.0]

    def probability(
        self, margin: float, norm: float, clock: Clock, memory: Floats
    ) -> float:
        assert_type(clock.n_seen, int)
        assert_type(clock.n_queries, int)
        assert_type(clock.n_taught, int)
        assert_type(clock.n_idle, int)
        assert_type(clock.n_held, int)
        b = self.b * max(norm, float(memory[0])) * (1 + clock.n_updates)
        return b / (b + margin) if b > 0 else 1.0

    def observe(self, margin: float, norm: float, clock: Clock, memory: Floats) -> None:
        memory[0] = max(norm, memory[0])

    def learned(self, mistake: bool, clock: Clock, memory: Floats) -> None:
        assert_type(mistake, bool)


class PassiveAggressive(UpdateRule):
    """An update rule of a user."""

    uses_norm = True

    def step(
        self, z: float, squared_norm: float, probability: float, clock: Clock
    ) -> float:
        return max(1 - z, 0) / squared_norm if squared_norm > 0 else 0.0


class AdaptiveInverseClassifier(StreamClassifier):
    """A stream learner of a user."""

    def __init__(
        self,
        b: float = 1.0,
        *,
        budget: int | float | None = None,
        shuffle: bool = True,
        random_state: int | None = None,
    ):
        super().__init__(budget=budget, shuffle=shuffle, random_state=random_state)
        self.b = b

    def _make_rules(self) -> tuple[QueryRule, UpdateRule]:
        return AdaptiveInverse(self.b), PassiveAggressive()


def use_own_stream_learners() -> None:
    """A stream learner of a user, and rules."""
    X, y = problem()
    learner = AdaptiveInverseClassifier(b=0.5, random_state=0)
    assert_type(learner.fit(X, y), AdaptiveInverseClassifier)
    assert_type(learner.coef_, Floats)
    assert_type(learner.n_updates_, int)
    assert_type(learner.query(X), RowNumbers)
    rules: list[QueryRule] = [
        ConstantRule(0.3),
        InverseMarginRule(b=0.5),
        AdaptiveInverse(2.0),
    ]
    for rule in rules:
        memory = np.append(rule.initial_memory(3), 0.0)
        q = rule.probability(0.5, norm=1.0, clock=Clock(n_seen=3), memory=memory)
        assert_type(q, float)
        for flag in (rule.uses_norm, rule.ignores_margin, rule.is_threshold,
                     rule.seeds, rule.falls, rule.delays, rule.is_python):  # fmt: skip
            assert_type(flag, bool)
        assert_type(rule.group, int)
    assert_type(ConstantRule(0.3).probability(1.0, 1.0, clock=None, memory=[]), float)
    update = LossUpdate(HingeLoss(), eta0=0.1, power_t=0.5, n_warm_start=3)
    assert_type(update.step(0.5, 1.0, probability=0.5, clock=None), float)
    assert_type(update.seeds, bool)
    assert_type(PerceptronUpdate(eta0=2.0).is_python, bool)


class Grid(Source):
    """A source of a user."""

    def __init__(self, n: int):
        self.n, self.shape, self.dtype = n, (n * n, 2), np.dtype(float)

    def _take(self, rows: RowNumbers) -> Floats:
        return np.column_stack(divmod(rows, self.n)) / self.n


def use_own_sources() -> None:
    """A source of a user."""
    pool = Grid(10)
    assert_type(len(pool), int)
    assert_type(pool.shape, tuple[int, ...])
    assert_type(pool.prepared(lambda rows, numbers: rows + 1), Grid)
    for part, block in pool.blocks():
        assert_type(part, slice)
        print(block)
    assert_type(pool.answers(lambda rows: rows[:, 0]), Labels)
    print(pool.take([3, 1]), [*pool.map(len)])
    learner = GiniSampling(budget=20, random_state=0)
    assert_type(learner.learn(pool, lambda rows: pool.take(rows)[:, 0] > 0.5),
                GiniSampling)  # fmt: skip


def use_checks() -> None:
    """What learners of users are checked for."""
    results = check_learner(GiniSampling(), on_fail=None)
    assert_type(results, list[dict[str, Any]])
    assert_type(check_learner(AdaptiveInverseClassifier()), list[dict[str, Any]])
    assert {result["status"] for result in results} <= {"passed", "skipped"}


def use_modules() -> None:
    """Public modules as attributes, and what users write around learners."""
    assert_type(sklearn_activelearn.pool.NoError().n_labels, int)
    assert_type(sklearn_activelearn.__version__, str)
    initial: Literal["random", "herding"] = "herding"
    learner = MinMarginClassifier(initial=initial)
    answers: dict[int, str] = {}

    def oracle(rows: NDArray[np.int64]) -> ArrayLike:
        return [answers.setdefault(row, "yes" if row % 2 else "no") for row in rows]

    ask: Callable[[NDArray[np.int64]], ArrayLike] = oracle
    X, _ = problem()
    assert_type(learner.learn(X, ask), MinMarginClassifier)
