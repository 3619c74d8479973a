"""The blend of candidate models: its weights, its predictions, and in a learner."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_activelearn import (
    BlendClassifier,
    HybridSamplingClassifier,
    PassiveClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import load_model, save_model
from tests.learners import explores, seldom
from tests.reference import blend as reference
from tests.test_estimator_checks import NO_REPETITION
from tests.tools import problem

CANDIDATES = [
    ("linear", LogisticRegression()), ("linear C=9", LogisticRegression(C=9)),
    ("bayes", GaussianNB()), ("svm", SVC()),
]  # fmt: skip


BLENDS = [
    BlendClassifier([("svm", LinearSVC()), ("bayes", GaussianNB())], cv=2),
    BlendClassifier(cv=2, random_state=0),  # slow
]


@pytest.mark.every_learner
@parametrize_with_checks(
    BLENDS if explores() else BLENDS[:1],
    expected_failed_checks=lambda blend: NO_REPETITION,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@seldom
@given(
    seed=st.integers(0, 2**32 - 1), n_rows=st.integers(20, 35),
    n_classes=st.integers(2, 4), first=st.floats(0.1, 0.9), cv=st.integers(2, 6),
)  # fmt: skip
def test_weights_are_those_of_the_reference(seed, n_rows, n_classes, first, cv):
    rng = np.random.default_rng(seed)
    shares = np.append(first, np.full(n_classes - 1, (1 - first) / (n_classes - 1)))
    y = np.sort(rng.choice(n_classes, n_rows, p=shares))[::-1] * 3
    counts = np.sort(np.unique(y, return_counts=True)[1])
    X = rng.normal(size=(n_rows, 2)) + y[:, None] / 4
    if len(counts) < 2 or counts[-2] < 4:  # a fold without variance is no problem here
        return
    model = BlendClassifier(CANDIDATES, cv=cv).fit(X, y)
    members = [candidate for _, candidate in CANDIDATES]
    losses, temperatures, weights, skill = reference.weigh(members, X, y, cv)
    assert model.cv_skill_ == pytest.approx(skill, abs=1e-4)
    np.testing.assert_allclose([*model.cv_log_losses_.values()], losses, rtol=1e-5)
    np.testing.assert_allclose(model.weights_, weights[weights > 0], rtol=1e-4)
    kept = np.array(temperatures)[weights > 0]
    np.testing.assert_allclose(model.temperatures_, kept, rtol=1e-4)
    expected = np.zeros((n_rows, len(counts)))
    for member, t, w in zip(members, temperatures, weights, strict=True):
        trained = clone(member).fit(X, y)
        expected += w * np.array(
            [reference.softmax(reference.scores_of_row(trained, row), t) for row in X]
        )
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-3, atol=1e-9)
    best = np.sort(expected, axis=1)
    is_clear = best[:, -1] - best[:, -2] > 1e-3
    labels = np.unique(y)[expected.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X)[is_clear], labels[is_clear])


def test_candidates_without_weight_are_left_out():
    X, y = make_moons(120, noise=0.1, random_state=0)
    candidates = [("constant", DummyClassifier()), ("svm", SVC(C=10))]
    candidates += [(f"C={C}", LogisticRegression(C=C)) for C in (1e-9, 1e-8, 1)]
    model = BlendClassifier(candidates).fit(X, y)
    assert "svm" in model.member_names_
    assert "C=1e-09" not in model.member_names_
    assert model.weights_.min() >= 0.03
    assert model.weights_.sum() == pytest.approx(1)
    assert {*model.cv_log_losses_} == {name for name, _ in candidates}
    assert [type(each) for each in model.estimators_].count(SVC) == 1


@pytest.mark.parametrize("labels", [["b"] * 15 + ["a"] * 4, ["b"] * 30 + ["a"]])
def test_too_few_labels_train_the_first_candidate(labels):
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    model = BlendClassifier(CANDIDATES).fit(X, labels)
    alone = LogisticRegression().fit(X, labels)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    assert model.member_names_ == ["linear"]
    assert np.isnan([*model.cv_log_losses_.values()]).all()


def test_labels_near_chance_are_told():
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(160, 3)), rng.integers(0, 2, 160)
    model = BlendClassifier(CANDIDATES).fit(X, noise)
    assert model.is_near_chance_
    assert model.cv_skill_ < 0.03
    few = BlendClassifier(CANDIDATES).fit(X[:79], noise[:79])
    assert few.cv_skill_ < 0.03
    assert not few.is_near_chance_
    clear = BlendClassifier(CANDIDATES).fit(X, X[:, 0] > 0)
    assert clear.cv_skill_ > 0.5
    assert not clear.is_near_chance_
    half = np.where(rng.random(160) < 0.5, noise, X[:, 0] > 0).astype(int)
    weak = BlendClassifier(CANDIDATES).fit(X, half)
    assert 0.05 < weak.cv_skill_ < 0.3
    assert not weak.is_near_chance_
    # it comes from the same rows as the weights
    later = clone(clear).fit_in_order(X[:100], X[:100, 0] > 0)
    again = clone(clear).fit_in_order(X[:120], X[:120, 0] > 0, later)
    assert again.cv_skill_ == later.cv_skill_ != clear.cv_skill_
    unknown = BlendClassifier(CANDIDATES).fit(X[:10], noise[:10])
    assert np.isnan(unknown.cv_skill_)
    assert not unknown.is_near_chance_


def test_the_first_rows_may_be_of_one_class():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.arange(30) > 24
    model = BlendClassifier(CANDIDATES).fit_in_order(X, y)
    assert model.member_names_ == ["linear"]
    assert BlendClassifier(CANDIDATES).fit(X, y).member_names_ != ["linear"]


def test_classes_with_one_label_are_predicted_too():
    X = np.random.default_rng(0).normal(size=(41, 2)) * 0.1
    y = np.arange(41) % 2
    X[y == 1] += 1
    X[40], y[40] = 9, 2
    model = BlendClassifier([CANDIDATES[0], CANDIDATES[-1]]).fit(X, y)
    assert model.predict(X[40:]) == [2]
    assert model.score(X, y) == 1


def test_the_default_candidates_are_better_than_the_first_where_that_is_wrong():
    X, y = make_moons(300, noise=0.15, random_state=1)
    model = BlendClassifier(cv=2, random_state=0).fit(X[:60], y[:60])
    linear = LogisticRegression().fit(X[:60], y[:60])
    assert model.score(X[60:], y[60:]) > linear.score(X[60:], y[60:]) + 0.05
    assert {"logistic C=1", "SVC C=10", "forest"} < {*model.cv_log_losses_}


def test_the_default_candidates_of_sparse_rows():
    X, y = problem(60, 5)
    negative = {*BlendClassifier(cv=2).fit(csr_array(X), y).cv_log_losses_}
    assert negative == {"logistic C=1", "logistic C=10", "linear SVC"}
    counts = csr_array(np.abs(X))
    positive = {*BlendClassifier(cv=2).fit(counts, y).cv_log_losses_}
    assert positive - negative == {"naive Bayes"}


def test_rare_classes_weigh_as_much_as_others():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 12 == 0
    X = rng.normal(size=(400, 3)) + 1.2 * y[:, None]
    plain = LogisticRegression().fit(X[:200], y[:200]).predict(X[200:])
    model = BlendClassifier(cv=2, random_state=0).fit(X[:200], y[:200])
    names = {"balanced logistic", "balanced SVC", "balanced forest"}
    assert names < {*model.cv_log_losses_}
    rare = y[200:]
    assert model.predict(X[200:])[rare].mean() > plain[rare].mean() + 0.2


def test_weights_in_the_order_of_labelling_do_not_depend_on_the_past():
    X, y = make_moons(120, noise=0.3, random_state=0)
    previous = None
    for n in (15, 25, 41, 79, 85):
        model = BlendClassifier(CANDIDATES[:3], random_state=0)
        model = previous = clone(model).fit_in_order(X[:n], y[:n], previous)
        alone = clone(model).fit_in_order(X[:n], y[:n])
        np.testing.assert_array_equal(model.weights_, alone.weights_)
        p = model.predict_proba(X[100:120])
        np.testing.assert_array_equal(p, alone.predict_proba(X[100:120]))
    assert n == 85
    first = clone(model).fit(X[:80], y[:80])
    np.testing.assert_array_equal(model.weights_, first.weights_)
    assert previous.cv_log_losses_ == first.cv_log_losses_


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"estimators": []}, ValueError, "at least one"),
        ({"estimators": [LogisticRegression()]}, TypeError, "list of"),
        ({"estimators": [("a", SVC()), ("a", SVC())]}, ValueError, "not unique"),
        ({"estimators": [("a", SVC)]}, TypeError, "must be an instance"),
        ({"estimators": [("a", "drop")]}, TypeError, "must be a classifier"),
        ({"cv": 1}, ValueError, "cv"),
    ],
)
def test_wrong_parameters_are_refused(options, error, words):
    X, y = problem(30, 3)
    with pytest.raises(error, match=words):
        BlendClassifier(**options).fit(X, y)
    learner = HybridSamplingClassifier(BlendClassifier(**options))
    with pytest.raises(error, match=words):
        learner.fit(X, y)
    assert not hasattr(learner, "n_queries_")


def test_the_first_candidate_chooses_rows_while_there_are_few_labels():
    X, y = (part[:400] for part in load_digits(return_X_y=True))
    options = {"batch_size": 10, "budget": 60, "random_state": 0}
    blend = HybridSamplingClassifier(BlendClassifier(CANDIDATES[1:]), **options)
    rows = blend.fit(X, y).queried_indices_
    assert blend.estimator_.row_estimator_ is blend.estimator_
    first = HybridSamplingClassifier(CANDIDATES[1][1], **options).fit(X, y)
    np.testing.assert_array_equal(rows[:40], first.queried_indices_[:40])
    assert {*rows[40:]} != {*first.queried_indices_[40:]}


def test_the_first_candidate_chooses_rows_of_rare_classes():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 9 == 0
    X = rng.normal(size=(200, 2)) + y[:, None]
    model = BlendClassifier(CANDIDATES).fit(X, y)
    expected = LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.row_estimator_.predict_proba(X), expected)


def test_random_rows_train_the_same_blend():
    X, y = make_moons(300, noise=0.2, random_state=0)
    model = BlendClassifier(CANDIDATES, cv=3)
    learner = HybridSamplingClassifier(model, random_state=0)
    passive = learner._passive_baseline().set_params(budget=70).fit(X, y)
    assert type(passive) is PassiveClassifier
    rows = passive.queried_indices_
    model = BlendClassifier(CANDIDATES, cv=3).fit_in_order(X[rows], y[rows])
    assert passive.estimator_.cv_log_losses_ == model.cv_log_losses_
    np.testing.assert_array_equal(passive.predict_proba(X), model.predict_proba(X))


def test_any_learner_blends_and_its_history_does_not_matter():
    X, y = make_moons(200, noise=0.2, random_state=0)
    model = BlendClassifier(CANDIDATES[1:3], cv=3)
    learner = UncertaintySamplingClassifier(
        model, batch_size=7, budget=45, random_state=0
    )
    whole = clone(learner).fit(X, y)
    parts = clone(learner)
    while len(rows := parts.query(X)):
        parts.teach(X[rows], y[rows])
        parts = pickle.loads(pickle.dumps(parts))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    rows = whole.queried_indices_[:9]
    whole.correct(X[rows], 1 - y[rows])
    assert (parts.predict_proba(X) != whole.predict_proba(X)).any()
    whole.correct(X[rows], y[rows])
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("kind", [None, np.asarray, csr_array])
def test_the_model_is_saved_and_taken_home(tmp_path, kind):
    X, y = problem(80, 4)
    if kind is not None:  # several labels for a row
        y, X = np.array(X[:, :3] > 0, int), np.repeat(np.maximum(X, 0), 20, axis=1)
        X = kind(X)
    model = BlendClassifier(cv=2)
    learner = HybridSamplingClassifier(model, budget=40, n_initial=40, random_state=0)
    model = learner.fit(X, y).estimator_
    path = tmp_path / "model.skops"
    save_model(model, path)
    p = load_model(path).predict_proba(X)
    np.testing.assert_array_equal(p, model.predict_proba(X))


@pytest.mark.parametrize("damage", ["child", "loop", "feature"])
def test_a_damaged_tree_is_refused(tmp_path, damage):
    X, y = problem(80, 4)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    state = forest.estimators_[1].tree_.__getstate__()
    nodes = state["nodes"].copy()
    root = {"child": ("left_child", 10**6), "loop": ("right_child", 0)}
    name, value = root.get(damage, ("feature", 4))
    nodes[name][0] = value
    forest.estimators_[1].tree_.__setstate__(state | {"nodes": nodes})
    check_refused(forest, tmp_path)


def check_refused(model, folder):
    path = folder / "model.skops"
    save_model(model, path)
    with pytest.raises(ValueError, match="damaged model"):
        load_model(path)


def test_damaged_rows_of_a_kernel_are_refused(tmp_path):
    X, y = problem(80, 4)
    model = KernelRidge().fit(csr_array(X), y == y[0])
    model.X_fit_.indices[0] = 10**6
    check_refused(model, tmp_path)


@pytest.mark.parametrize("kind", [RandomForestClassifier, GradientBoostingClassifier])
def test_trees_of_more_features_than_their_model_are_refused(tmp_path, kind):
    X, y = problem(80, 4)
    model = make_pipeline(StandardScaler(), kind(n_estimators=2).fit(X, y))
    save_model(model, tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops")[-1].n_features_in_ == 4
    model[-1].n_features_in_ = 3
    check_refused(model, tmp_path)
    for tree in np.ravel(model[-1].estimators_):
        tree.n_features_in_ = 3
    check_refused(model, tmp_path)
    for tree in np.ravel(model[-1].estimators_):
        del tree.n_features_in_
    check_refused(model, tmp_path)


def test_class_weights_name_labels_in_cross_validation():
    X, y = problem(60, 3)
    weighted = LogisticRegression(class_weight={"no": 1, "yes": 9})
    candidates = [("weighted", weighted), ("bayes", GaussianNB())]
    model = BlendClassifier(candidates).fit(X, y)
    losses, *_ = reference.weigh([member for _, member in candidates], X, y)
    np.testing.assert_allclose([*model.cv_log_losses_.values()], losses, rtol=1e-5)


class NoScores(GaussianNB):
    """A classifier that fails quietly."""

    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


def test_candidates_without_finite_scores_are_left_out():
    X, y = problem(60, 3)
    candidates = [("none", NoScores()), ("bayes", GaussianNB())]
    model = BlendClassifier(candidates).fit(X, y)
    assert model.member_names_ == ["bayes"]
    assert np.isnan(model.cv_log_losses_["none"])
    np.testing.assert_allclose(model.weights_, [1])


def test_a_failed_first_fit_is_no_fit():
    model = BlendClassifier()
    with pytest.raises(ValueError, match="only one class"):
        model.fit(np.eye(3), [1, 1, 1])
    with pytest.raises(NotFittedError):
        model.predict(np.eye(3))
    with pytest.raises(NotFittedError):
        _ = model.row_estimator_


def test_a_pool_learner_scales_by_the_pool():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(5, 3, 300), rng.random(300) < 0.02, rng.random(300)]
    )
    y = (X[:, 0] > 5).astype(int)
    learner = HybridSamplingClassifier(batch_size=5, budget=30, random_state=0)
    while len(rows := learner.query(X)):
        learner.teach(X[rows], y[rows])
    scaler, alone = learner.estimator_.scaler_, BlendClassifier(random_state=0)
    np.testing.assert_allclose(scaler.mean_, [X[:, 0].mean(), 0, X[:, 2].mean()])
    np.testing.assert_allclose(scaler.scale_, [X[:, 0].std(), 1, X[:, 2].std()])
    known = alone.fit(X[:50], y[:50]).scaler_
    np.testing.assert_allclose(known.mean_[0], X[:50, 0].mean())
    assert BlendClassifier(CANDIDATES).fit(X[:50], y[:50]).scaler_ is None
    record, labels = learner.record(), y[learner.record()["rows"]]
    again = clone(learner).restore(X, record, labels)
    np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))
    inside = clone(learner).set_params(estimator=BlendClassifier(CANDIDATES))
    inside.query(X)
    assert inside._state.scaler is None


@pytest.mark.parametrize("n", [12, 45])
@pytest.mark.parametrize("n_queries", [0, 1])
def test_labels_before_the_first_pool_are_restored(n, n_queries):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) * [1, 5, 20, 100]
    y = (X / [1, 5, 20, 100]).sum(axis=1) > 0
    learner = HybridSamplingClassifier(random_state=0).teach(X[:n], y[:n])
    before, labels = learner.predict_proba(X), y[:n].tolist()
    for _ in range(n_queries):
        learner.query(X)
        np.testing.assert_array_equal(learner.predict_proba(X), before)
    again = clone(learner).restore(X, learner.record(), labels)
    np.testing.assert_array_equal(again.predict_proba(X), before)
    for some in (slice(n, n + 2), slice(n + 2, n + 4)):
        for each in (learner, again):
            each.teach(X[some], y[some])
        np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))
        np.testing.assert_array_equal(again.query(X), learner.query(X))
    learner.correct(X[:1], ~y[:1]).correct(X[:1], y[:1])
    np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))


@pytest.mark.parametrize("n_rows", [30, 31])
def test_a_pool_of_fewer_rows_than_labels_does_not_scale_them(n_rows):
    X = np.random.default_rng(0).normal(size=(80, 2)) * [1, 50]
    y = X[:, 0] > 0
    learner = HybridSamplingClassifier(random_state=0)
    learner.query(X)
    learner.teach(X[:30], y[:30])
    assert learner.estimator_.scaler_.n_samples_seen_ == 80
    pool = slice(30, 30 + n_rows)
    row = 30 + learner.query(X[pool])[0]
    learner.teach(X[[row]], y[[row]])
    scaled_by = X[pool] if n_rows == 31 else X[[*range(30), row]]
    np.testing.assert_allclose(learner.estimator_.scaler_.mean_, scaled_by.mean(axis=0))


def test_a_large_pool_is_scaled_by_a_sample():
    X = np.random.default_rng(0).normal(size=(3_000, 2)) * [1, 50]
    learner = PassiveClassifier(BlendClassifier(), n_initial=40, random_state=0)
    rows = learner.query(X)
    scaler = learner.teach(X[rows], X[rows, 0] > 0).estimator_.scaler_
    assert scaler.n_samples_seen_ == 2_000
    np.testing.assert_allclose(scaler.scale_, [1, 50], rtol=0.05)
