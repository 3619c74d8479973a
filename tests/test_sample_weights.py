"""Weights of rows: stream learners and the blend, as scikit-learn passes them."""

import dask.array
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import (
    BlendClassifier,
    CBGZClassifier,
    DKMClassifier,
    HybridSamplingClassifier,
    MarginLossClassifier,
    OnePassSearchCV,
    PassiveClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.batch._forests import QuickExtraTrees
from sklearn_activelearn.stream import StreamClassifier
from tests.learners import STREAM_LEARNERS, each, each_stream_learner
from tests.tools import fresh, group_of

X, y = make_classification(120, n_informative=3, flip_y=0.2, random_state=0)
WEIGHTS = np.random.default_rng(0).choice([0, 0.1, 1, 5], len(y))
BLEND = BlendClassifier(
    [("linear", LogisticRegression()), ("bayes", GaussianNB())], random_state=0
)
FIRST_ORDER = [
    each for each in STREAM_LEARNERS
    if isinstance(each, StreamClassifier) and getattr(each, "update", "") != "dkm"
]  # fmt: skip


def assert_same(learner, other):
    np.testing.assert_array_equal(
        learner.decision_function(X), other.decision_function(X)
    )
    counts = "n_queries_", "n_taught_", "n_updates_", "n_seen_"
    assert [getattr(learner, c) for c in counts] == [getattr(other, c) for c in counts]


@each_stream_learner
@pytest.mark.parametrize("shuffle", [True, False])
def test_a_row_of_weight_0_is_not_there(prototype, shuffle):
    there = WEIGHTS > 0
    learner = fresh(prototype, shuffle=shuffle).fit(X, y, WEIGHTS)
    alone = fresh(prototype, shuffle=shuffle).fit(X[there], y[there], WEIGHTS[there])
    assert_same(learner, alone)
    bought = np.flatnonzero(there)[alone.queried_indices_]
    np.testing.assert_array_equal(learner.queried_indices_, bought)


@each_stream_learner
def test_weights_of_1_change_nothing(prototype):
    assert_same(fresh(prototype).fit(X, y, np.ones(len(y))), fresh(prototype).fit(X, y))


@each_stream_learner
def test_fit_is_the_stream_in_parts_and_the_loop(prototype):
    learner = fresh(prototype, shuffle=False).fit(X, y, sample_weight=WEIGHTS)
    in_parts, by_hand = fresh(prototype), fresh(prototype)
    there = np.flatnonzero(WEIGHTS)
    # a chunk in which all rows have weight 0, and cuts at multiples of the group
    in_parts.partial_fit(X[:3], y[:3], [0, 1], sample_weight=np.zeros(3))
    size = 5 * group_of(prototype)
    for start in range(0, len(there), size):
        end = there[start + size] if start + size < len(there) else len(y)
        rows = slice(there[start] if start else 0, end)
        in_parts.partial_fit(X[rows], y[rows], sample_weight=WEIGHTS[rows])
    assert_same(learner, in_parts)
    group = group_of(prototype)
    for start in range(0, len(there), group):
        rows = there[start : start + group]
        bought = rows[by_hand.query(X[rows])]
        given = {"sample_weight": WEIGHTS[bought]}
        by_hand.teach(X[bought], y[bought], [0, 1], **given)
    assert_same(learner, by_hand)


@each([DKMClassifier(), RLSSamplingClassifier()])
def test_rows_that_are_not_in_memory(prototype):
    X_dask = dask.array.from_array(X, chunks=(50, -1))
    learner = fresh(prototype, shuffle=False).fit(X_dask, y, WEIGHTS)
    in_memory = fresh(prototype, shuffle=False).fit(X, y, WEIGHTS)
    assert_same(learner, in_memory)
    bought = in_memory.queried_indices_
    np.testing.assert_array_equal(learner.queried_indices_, bought)


def taught(prototype, rows, weights=None):
    """Return the last weights of a learner that is taught row by row."""
    learner = fresh(prototype)
    if "average" in learner.get_params():
        learner.set_params(average=False)
    weights = np.ones(len(rows)) if weights is None else weights
    for row, weight in zip(rows, weights, strict=True):
        learner.teach(X[[row]], y[[row]], [0, 1], sample_weight=[weight])
    return np.append(learner.coef_, learner.intercept_)


@each([each for each in FIRST_ORDER if each.class_weight is None])
@pytest.mark.parametrize("weight", [0.25, 3.0])
def test_a_weight_multiplies_the_step(prototype, weight):
    is_seed = isinstance(
        prototype, DKMClassifier
    )  # the first label, whatever its weight
    for rows in [[7, 8], [*range(20)], *[[7]][is_seed:]]:
        before = taught(prototype, rows[:-1]) if rows[:-1] else 0
        once = taught(prototype, rows) - before
        weights = [*np.ones(len(rows) - 1), weight]
        found = taught(prototype, rows, weights) - before
        np.testing.assert_allclose(found, weight * once, rtol=1e-9, atol=1e-12)


@each([DKMClassifier(update="dkm"), CBGZClassifier(update="dkm")])
def test_a_reflection_counts_at_most_once(prototype):
    rows = np.arange(40)
    once = taught(prototype, rows)
    heavy = taught(prototype, rows, np.full(40, 7.0))
    # learned twice in turn, the second time there is no mistake
    twice = taught(prototype, rows.repeat(2))
    np.testing.assert_allclose(heavy, once, rtol=1e-12)
    np.testing.assert_allclose(twice, once, rtol=1e-12)
    assert abs(taught(prototype, rows, np.full(40, 0.5)) - once).max() > 0.1


@pytest.mark.parametrize("solver", ["primal", "dual"])
@pytest.mark.parametrize("class_weight", [None, {0: 0.3}])
def test_least_squares_with_a_weight_of_2_is_the_row_twice(solver, class_weight):
    params = {"variant": "all", "solver": solver, "class_weight": class_weight}
    prototype, rows = RLSSamplingClassifier(**params), np.arange(30)
    weights = np.where(rows % 3, 1, 2)
    found = taught(prototype, rows, weights)
    np.testing.assert_allclose(found, taught(prototype, rows.repeat(weights)))


def test_balanced_classes_count_the_weights():
    learner = fresh(CBGZClassifier(class_weight="balanced"))
    learner.teach(X[:30], y[:30], [0, 1], sample_weight=np.where(y[:30], 8.0, 0.5))
    n_labels = np.bincount(y[:30]) * [0.5, 8]
    np.testing.assert_allclose(learner._learned.class_sums.n_labels, n_labels)


def test_purchases_that_ignore_the_model_ignore_weights():
    prototype = RandomSamplingClassifier(rate=0.3)
    halves = fresh(prototype).fit(X, y, np.full(len(y), 0.5))
    bought = fresh(prototype).fit(X, y).queried_indices_
    np.testing.assert_array_equal(halves.queried_indices_, bought)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-WEIGHTS, "must be at least 0"),
        (WEIGHTS[:-1], "weight for each row"),
        (WEIGHTS[:, None], "weight for each row"),
        (np.where(WEIGHTS, np.nan, 1), "NaN"),
        (np.where(WEIGHTS, np.inf, 1), "infinity"),
    ],
)
@each([CBGZClassifier(), BlendClassifier([("linear", LogisticRegression())])])
def test_wrong_weights(prototype, weights, message):
    model = clone(prototype)
    verbs = [getattr(model, v, None) for v in ("fit", "partial_fit", "teach")]
    for verb in filter(None, verbs):
        classes = [] if verb == model.fit else [[0, 1]]
        with pytest.raises(ValueError, match=message):
            verb(X, y, *classes, sample_weight=weights)
    assert not hasattr(model, "classes_")
    with pytest.raises(ValueError, match="not only zeros"):
        model.fit(X, y, 0 * WEIGHTS)


def test_weights_may_be_a_column():
    table = np.column_stack([X, WEIGHTS])
    column = CBGZClassifier(random_state=0).fit(X, y, sample_weight=table[:, -1])
    assert_same(column, CBGZClassifier(random_state=0).fit(X, y, sample_weight=WEIGHTS))


def test_a_negative_weight_is_refused_before_labels_are_stored(routing):
    learner = UncertaintySamplingClassifier(
        clone(BLEND).set_fit_request(sample_weight=True), n_initial=20, random_state=0
    )
    rows = learner.query(X)
    weights = np.ones(len(rows))
    weights[3] = -1
    with pytest.raises(ValueError, match=r"sample_weight\[3\] is -1.0"):
        learner.teach(X[rows], y[rows], sample_weight=weights)
    assert learner.n_pending_ == len(rows)
    learner.teach(X[rows], y[rows], sample_weight=abs(weights))


def test_streams_take_no_other_values():
    with pytest.raises(TypeError, match="groups"):
        CBGZClassifier().teach(X, y, [0, 1], groups=y)


# Scikit-learn passes them


def test_a_pipeline_names_the_step():
    pipeline = make_pipeline(StandardScaler(), fresh(CBGZClassifier()))
    pipeline.fit(X, y, cbgzclassifier__sample_weight=WEIGHTS)
    rows = StandardScaler().fit_transform(X)
    assert pipeline[-1].n_seen_ == np.count_nonzero(WEIGHTS)
    expected = fresh(CBGZClassifier()).fit(rows, y, WEIGHTS)
    np.testing.assert_array_equal(pipeline[-1].coef_, expected.coef_)


@pytest.mark.parametrize("search", [GridSearchCV, OnePassSearchCV])
def test_searches_and_pipelines_route_them(routing, search):
    learner = fresh(CBGZClassifier()).set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=True)
    pipeline = make_pipeline(scaler, learner)
    grid, scoring = {"cbgzclassifier__b": [0.1, 1.0]}, "accuracy"
    found = search(pipeline, grid, cv=2, scoring=scoring)
    with pytest.raises(ValueError, match="not requested for"):
        found.fit(X, y, sample_weight=WEIGHTS)
    scorer = get_scorer(scoring).set_score_request(sample_weight=True)
    found.set_params(scoring=scorer).fit(X, y, sample_weight=WEIGHTS)
    best = clone(pipeline).set_params(**found.best_params_)
    best.fit(X, y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(
        found.best_estimator_.decision_function(X), best.decision_function(X)
    )
    assert best[-1].n_seen_ == np.count_nonzero(WEIGHTS)


@each([DKMClassifier(), BLEND])
def test_weights_reach_the_fits_that_ask_for_them(routing, prototype):
    given = {"params": {"sample_weight": WEIGHTS}, "cv": 2, "return_estimator": True}
    with pytest.raises(UnsetMetadataPassedError):
        cross_validate(prototype, X, y, **given)
    learner = clone(prototype).set_params(random_state=0)
    learner.set_score_request(sample_weight=True)
    taken = learner.set_fit_request(sample_weight=True)
    weighted = cross_validate(taken, X, y, **given)["estimator"][0]
    ignored = clone(learner).set_fit_request(sample_weight=False)
    plain = cross_validate(ignored, X, y, **given)["estimator"][0]
    train, _ = next(StratifiedKFold(2).split(X, y))
    alone = clone(learner).fit(X[train], y[train], WEIGHTS[train])
    np.testing.assert_array_equal(weighted.predict(X), alone.predict(X))
    np.testing.assert_array_equal(
        plain.predict(X), clone(learner).fit(X[train], y[train]).predict(X)
    )
    assert (plain.predict(X) != weighted.predict(X)).any()


def test_bagging_buys_a_row_that_is_drawn_twice_once():
    bagged = BaggingClassifier(MarginLossClassifier(), 3, random_state=0).fit(X, y)
    for learner, rows in zip(
        bagged.estimators_, bagged.estimators_samples_, strict=True
    ):
        assert learner.n_seen_ == len(np.unique(rows)) < len(rows)


# The blend


DEFAULT = BlendClassifier(random_state=0, cv=2)


@each([BLEND, DEFAULT])
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_the_blend_leaves_out_rows_of_weight_0(prototype, container):
    if container is csr_array and prototype is BLEND:
        pytest.skip("naive Bayes takes dense rows")
    there = WEIGHTS > 0
    rows = container(X)
    model = clone(prototype).fit(rows, y, WEIGHTS)
    alone = clone(prototype).fit(rows[there], y[there], WEIGHTS[there])
    np.testing.assert_array_equal(model.predict_proba(rows), alone.predict_proba(rows))
    ones = clone(prototype).fit(rows, y, np.ones(len(y)))
    plain = clone(prototype).fit(rows, y)
    np.testing.assert_allclose(ones.predict_proba(rows), plain.predict_proba(rows))
    assert abs(model.predict_proba(rows) - plain.predict_proba(rows)).max() > 0.05


def test_members_of_the_blend_are_trained_with_the_weights():
    there = WEIGHTS > 0
    model = clone(BLEND).fit(X, y, WEIGHTS)
    linear = LogisticRegression().fit(X, y, WEIGHTS)
    np.testing.assert_allclose(model.first_estimator_.coef_, linear.coef_)
    refitted = clone(BLEND).fit(X, y).refit(X, y, WEIGHTS)
    np.testing.assert_allclose(refitted.first_estimator_.coef_, linear.coef_)
    scaler = clone(DEFAULT).fit(X, y, WEIGHTS).scaler_
    mean = np.average(X[there], axis=0, weights=WEIGHTS[there])
    np.testing.assert_allclose(scaler.mean_, mean)
    few = clone(DEFAULT).fit(X[:19], y[:19], WEIGHTS[:19] * 2)
    repeated = np.arange(19).repeat((WEIGHTS[:19] * 20).astype(int))
    scaled = few.scaler_.transform(X[repeated])
    twice = LogisticRegression(C=0.1, max_iter=1000, tol=1e-8).fit(scaled, y[repeated])
    np.testing.assert_allclose(few.estimators_[0].coef_, twice.coef_, atol=1e-3)


def test_candidates_are_weighed_by_the_weights_of_held_out_rows():
    rng = np.random.default_rng(0)
    signal, noise = rng.normal(size=(2, 300))
    rows = np.column_stack([signal, noise])
    labels = np.where(np.arange(300) < 150, signal > 0, noise > 0) * 1

    class Column(LogisticRegression):
        def __init__(self, column=0):
            super().__init__()
            self.column = column

        def fit(self, X, y, sample_weight=None):
            return super().fit(X[:, [self.column]], y, sample_weight)

        def decision_function(self, X):
            return super().decision_function(X[:, [self.column]])

    blend = BlendClassifier([("signal", Column(0)), ("noise", Column(1))])
    weights = np.where(np.arange(300) < 150, 1.0, 0.01)
    early = clone(blend).fit(rows, labels, weights).cv_log_losses_
    late = clone(blend).fit(rows, labels, weights[::-1].copy()).cv_log_losses_
    assert early["signal"] < 0.3 < 0.6 < early["noise"]
    assert late["noise"] < 0.3 < 0.6 < late["signal"]


def test_a_rare_class_of_large_weight_is_not_rare():
    labels = (np.arange(120) % 6 == 0) * 1
    names = {*clone(DEFAULT).fit(X, labels).cv_log_losses_}
    assert any("balanced" in name for name in names)
    heavy = clone(DEFAULT).fit(X, labels, np.where(labels, 5.0, 1.0))
    assert not any("balanced" in name for name in heavy.cv_log_losses_)


def test_trees_of_the_blend_follow_the_weights():
    rows, labels = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    trees = QuickExtraTrees(random_state=0).fit(rows, labels, np.array([1, 1, 1, 9.0]))
    np.testing.assert_allclose(trees.predict_proba(rows)[0], [0.25, 0.75])
    balanced = QuickExtraTrees(class_weight="balanced", random_state=0)
    balanced.fit(rows, labels, np.array([1, 1, 1, 9.0]))
    np.testing.assert_allclose(balanced.predict_proba(rows)[0], [0.1, 0.9])


def test_the_blend_refuses_weights_that_it_cannot_use():
    blend = BlendClassifier([("near", KNeighborsClassifier())])
    with pytest.raises(TypeError, match=r"KNeighborsClassifier.*sample_weight"):
        blend.fit(X, y, WEIGHTS)
    assert not hasattr(blend, "estimators_")
    with pytest.raises(ValueError, match="one label for each row"):
        BlendClassifier().fit(X, np.column_stack([y, 1 - y]), WEIGHTS)
    with pytest.raises(ValueError, match="only one class"):
        BlendClassifier().fit(X, y, y)


@pytest.mark.parametrize(
    "kind", [UncertaintySamplingClassifier, HybridSamplingClassifier, PassiveClassifier]
)
def test_pool_learners_train_the_blend_with_the_weights_of_rows_bought(kind, routing):
    blend = clone(BLEND).set_fit_request(sample_weight=True)
    params = {"n_initial": 20, "batch_size": 20, "budget": 80, "random_state": 0}
    learner = kind(blend, **params).fit(X, y, sample_weight=WEIGHTS)
    rows = learner.queried_indices_
    expected = clone(BLEND).fit_in_order(X[rows], y[rows], sample_weight=WEIGHTS[rows])
    found = learner.predict_proba(X)
    np.testing.assert_allclose(found, expected.predict_proba(X))
    unweighted = clone(BLEND).fit_in_order(X[rows], y[rows])
    assert abs(found - unweighted.predict_proba(X)).max() > 0.05
    # weights found for these rows without their weights are not taken over
    again = clone(BLEND).fit_in_order(
        X[rows], y[rows], unweighted, sample_weight=WEIGHTS[rows]
    )
    np.testing.assert_array_equal(again.weights_, expected.weights_)
