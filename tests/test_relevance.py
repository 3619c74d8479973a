"""Relevance sampling: what is bought, from which start, in which batches."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_activelearn import RankAverageClassifier, RelevanceSamplingClassifier
from sklearn_activelearn.exceptions import OneClassWarning
from tests.learners import seldom
from tests.reference import pool as reference
from tests.tools import fresh, problem, streams

X, y = problem(80, 4, noise=0.5)
LOGISTIC = LogisticRegression()


@pytest.mark.parametrize(
    ("estimator", "positive", "batch_size"),
    [
        (LOGISTIC, None, 0.3),
        (LOGISTIC, 0, 1),
        (GaussianNB(), None, 1),
        (GaussianNB(), 1, 0.3),
    ],
)
@seldom
@given(stream=streams(min_rows=5, max_rows=16, min_features=2))
def test_purchases_are_those_of_the_reference(estimator, positive, batch_size, stream):
    X, y = stream
    label = None if positive is None else np.unique(y)[positive].item()
    params = {"n_initial": 3, "batch_size": batch_size, "budget": 8}
    learner = RelevanceSamplingClassifier(estimator, positive=label)
    learner = fresh(learner, **params).fit(X, y)
    label = np.unique(y)[-1] if label is None else label
    utility = reference.relevance(estimator, label)
    expected = reference.purchases(
        utility, X, y, random_state=0, **params, needed=label
    )
    assert learner.queried_indices_.tolist() == expected


def test_likely_rows_of_a_sure_model_differ():
    """Probabilities that round to 1 are told apart."""
    rng = np.random.default_rng(0)
    rows = np.append(rng.standard_normal(40), np.linspace(12, 20, 9))[:, None]
    labels = rows[:40, 0] > 0
    learner = RelevanceSamplingClassifier(GaussianNB(), batch_size=5, random_state=0)
    learner.teach(rows[:40] + 8 * labels[:, None], labels)
    model = learner.estimator_
    assert np.all(model.predict_proba(rows[40:])[:, 1] == 1)
    expected = 40 + np.argsort(-np.diff(model.predict_joint_log_proba(rows[40:]))[:, 0])
    rows[:40] += 8 * labels[:, None]
    assert learner.query(rows).tolist() == expected[:5].tolist()


class TestStart:
    def test_random_rows_until_both_classes_are_known(self):
        labels = np.zeros(60, dtype=int)
        labels[[7, 31]] = 1
        learner = RelevanceSamplingClassifier(budget=None, random_state=3)
        rows = X[:60]
        learner.fit(rows, labels)
        until = int(np.argmax(labels[learner.queried_indices_])) + 1
        again, worth = fresh(learner, random_state=3), []
        for _ in range(until + 5):
            asked, value = again.query(rows, return_utility=True)
            worth += value.tolist()
            again.teach(rows[asked], labels[asked])
        assert until > 1
        assert np.isnan(worth[:until]).all()
        assert np.isfinite(worth[until:]).all()

    @pytest.mark.parametrize(
        "initial", [lambda rows: rows[:, 1], X[[4]]], ids=["function", "rows"]
    )
    def test_initial_is_followed_until_both_classes_are_known(self, initial):
        labels = np.where(np.arange(80) == 66, "yes", "no")
        learner = RelevanceSamplingClassifier(initial=initial, random_state=0)
        given = fresh(learner, budget=80, n_initial=80).fit(X, labels).queried_indices_
        learner.set_params(budget=80).fit(X, labels)
        until = given.tolist().index(66) + 1
        assert learner.queried_indices_[:until].tolist() == given[:until].tolist()

    def test_the_positive_class_of_three_is_waited_for(self):
        labels = np.array(["a", "b", "c"])[np.arange(80) % 3]
        learner = RelevanceSamplingClassifier(positive="b", budget=80, random_state=0)
        learner.teach(X[:4:3], labels[:4:3], classes=["a", "b", "c"])
        learner.teach(X[[2]], labels[[2]])
        _, worth = learner.query(X, return_utility=True)
        assert np.isnan(worth).all()
        learner.teach(X[[1]], labels[[1]])
        _, worth = learner.query(X, return_utility=True)
        assert np.isfinite(worth).all()


class TestBatches:
    def test_a_share_of_the_labels_so_far(self):
        learner = RelevanceSamplingClassifier(batch_size=0.25, budget=None)
        sizes, n = [], 4
        learner.teach(X[:4], y[:4])
        while len(rows := learner.query(X)):
            sizes.append((n, len(rows)))
            learner.teach(X[rows], y[rows])
            n += len(rows)
        *whole, (n_last, last) = sizes
        assert all(size == n // 4 for n, size in whole)
        assert last == 80 - n_last
        assert len(sizes) == 16

    def test_one_row_at_least(self):
        learner = RelevanceSamplingClassifier(batch_size=0.01).teach(X[:6], y[:6])
        assert len(learner.query(X)) == 1


class TestPositiveWeight:
    @pytest.mark.parametrize("positive", [None, "no"])
    @pytest.mark.parametrize(
        "estimator",
        [
            LinearSVC(C=0.1, class_weight="balanced"),
            make_pipeline(StandardScaler(), LinearSVC(class_weight="balanced")),
            RankAverageClassifier([("a", LinearSVC(class_weight="balanced"))]),
        ],
        ids=["svm", "pipeline", "member"],
    )
    def test_of_all_labels_of_a_class_together(self, estimator, positive):
        labels = np.where(X[:, 1] > 1, "yes", "no")
        learner = RelevanceSamplingClassifier(
            estimator, positive=positive, random_state=0
        ).teach(X, labels)
        params = learner.estimator_.get_params()
        (weights,) = (v for k, v in params.items() if k.endswith("class_weight"))
        label, other = ("yes", "no") if positive is None else ("no", "yes")
        counts = {each: np.count_nonzero(labels == each) for each in (label, other)}
        total = {each: counts[each] * weights[each] for each in counts}
        assert total[label] == pytest.approx(10 * total[other])
        assert sum(total.values()) == pytest.approx(80)

    @pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
    def test_of_members_that_a_rank_average_has_by_default(self, wrap):
        model = wrap(RankAverageClassifier())
        learner = RelevanceSamplingClassifier(model).teach(X, y)
        params = learner.estimator_.get_params()
        weights = [v for k, v in params.items() if k.endswith("class_weight")]
        assert len(weights) == 2
        assert all(isinstance(each, dict) for each in weights)

    def test_weights_of_the_user_are_left(self):
        learner = RelevanceSamplingClassifier(LinearSVC(class_weight={"yes": 3}))
        assert learner.teach(X, y).estimator_.class_weight == {"yes": 3}


class TestScores:
    def test_scores_of_the_wrong_shape(self):
        class Odd(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                self.classes_ = np.unique(y)
                return self

            def predict(self, X):
                return np.repeat(self.classes_[0], len(X))

            def decision_function(self, X):
                return np.ones((len(X), 5))

        learner = RelevanceSamplingClassifier(Odd(), random_state=0)
        learner.teach(X[:9], y[:9])
        with pytest.raises(ValueError, match="must have a column for each class"):
            learner.query(X)


class TestPositive:
    @pytest.mark.parametrize("verb", ["fit", "teach"])
    def test_a_misspelt_label_is_refused_before_anything_is_bought(self, verb):
        learner = RelevanceSamplingClassifier(positive="yep", random_state=0)
        before = dict(vars(learner))
        how = {"classes": ["no", "yes"]} if verb == "teach" else {}
        with pytest.raises(ValueError, match=r"\['no', 'yes'\], got 'yep'"):
            getattr(learner, verb)(X, y, **how)
        assert vars(learner) == before

    def test_it_is_refused_once_two_other_classes_are_known(self):
        learner = RelevanceSamplingClassifier(positive="yep", random_state=0)
        learner.teach(X[:9], y[:9])
        with pytest.raises(ValueError, match="pass all classes to teach"):
            learner.query(X)
        assert len(learner.set_params(positive="yes").query(X)) == 1

    def test_the_class_may_come_after_the_first_rows(self):
        learner = RelevanceSamplingClassifier(positive="yes", n_initial=3)
        learner.teach(X[:3], ["no"] * 3)
        assert len(learner.query(X)) == 1  # one class: nothing is misspelt yet

    def test_none_is_the_last_class(self):
        for last in ("yes", "zebra"):
            labels = np.where(y == "yes", last, "no")
            learner = partial(RelevanceSamplingClassifier, budget=30, random_state=0)
            named = learner(positive=last).fit(X, labels).queried_indices_
            bought = learner().fit(X, labels).queried_indices_
            assert bought.tolist() == named.tolist()


class TestWarningsOfOneClass:
    def test_a_search_without_a_relevant_row_asks_for_one(self):
        learner = RelevanceSamplingClassifier(positive="yes", budget=10, random_state=0)
        with pytest.warns(OneClassWarning) as caught:
            learner.learn(X, lambda rows: np.full(len(rows), "no"), ["no", "yes"])
        assert "teach it one that is known" in str(caught[0].message)
        assert "balanced accuracy" not in str(caught[0].message)

    def test_one_prediction_is_no_harm_to_a_search(self):
        labels = np.where(np.arange(len(X)) % 9 == 3, "yes", "no")
        model = LinearSVC(C=1e-9, class_weight={"yes": 1})
        learner = RelevanceSamplingClassifier(
            model, positive="yes", budget=60, random_state=0
        )
        with pytest.warns(OneClassWarning, match="search does not suffer") as caught:
            learner.fit(X, labels)
        assert "balanced accuracy" not in str(caught[0].message)
