"""Label curves against the loop of `query` and `teach` written by hand."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_activelearn import (
    CBGZClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.pool import OneModel
from tests.learners import each_stream_family
from tests.tools import curve_of, fresh, group_of

X = np.random.RandomState(0).standard_normal((120, 4))
noise = 0.3 * np.random.RandomState(1).standard_normal(120)
y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + noise > 0, "yes", "no")
SPLITS = [(np.arange(80), np.arange(80, 120)), (np.arange(30, 120), np.arange(30))]


FEW = [(np.arange(40), np.arange(80, 110)), (np.arange(30, 75), np.arange(30))]


def recorder(prototype):
    """Return the learner in a class that notes what each run is offered."""
    runs = []

    def learn(self, X, oracle, classes=None, *, candidates=None):
        offered = X if candidates is None else X[candidates]
        runs.append((offered, self.random_state))
        return super(noting, self).learn(X, oracle, classes, candidates=candidates)

    noting = type("Noting", (type(prototype),), {"learn": learn})
    return noting(**prototype.get_params(deep=False)), runs


@each_stream_family
def test_curve_equals_the_loop_by_hand(prototype):
    noting, runs = recorder(prototype)
    curve = label_curve(noting, X, y, cv=FEW, random_state=0)
    assert curve.n_offered.tolist() == [40, 45]
    assert len({seed for _, seed in runs}) == 2
    for run, (offered, seed) in enumerate(runs):
        train, test = FEW[run]
        rows = [train[(X[train] == row).all(axis=1)].item() for row in offered]
        assert sorted(rows) == train.tolist()
        assert rows != sorted(rows)
        learner, scores = fresh(prototype, random_state=seed), []
        for start in range(0, len(rows), group_of(prototype)):
            chunk = np.array(rows[start : start + group_of(prototype)])
            bought = chunk[learner.query(X[chunk])]
            if len(bought):
                learner.teach(X[bought], y[bought], classes=["no", "yes"])
                scores.append(learner.score(X[test], y[test]))
        assert curve.n_bought[run] == len(scores)
        assert curve.final_scores[run] == scores[-1]
        known = ~np.isnan(curve.scores[run])
        assert curve.n_labels[known].tolist() == list(range(1, len(scores) + 1))
        assert curve.scores[run][known].tolist() == scores


@each_stream_family
def test_scores_at_some_counts(prototype):
    everywhere = label_curve(prototype, X, y, cv=FEW, random_state=0)
    last = int(everywhere.n_labels[-1])
    at = [200, 5, 3, 5, last]
    some = label_curve(prototype, X, y, cv=FEW, at=at, random_state=0)
    assert some.n_labels.tolist() == sorted(set(at))
    np.testing.assert_array_equal(
        some.scores[:, :-1], everywhere.scores[:, some.n_labels[:-1] - 1]
    )
    assert np.isnan(some.scores[:, -1]).all()
    np.testing.assert_array_equal(some.n_bought, everywhere.n_bought)
    np.testing.assert_array_equal(some.final_scores, everywhere.final_scores)


@pytest.mark.parametrize("inside", [True, False])
def test_batches_are_scored_when_they_are_taught(inside):
    learner = MinMarginClassifier(SVC(), n_initial=4, batch_size=3, budget=10)
    learner = make_pipeline(StandardScaler(), learner) if inside else learner
    arguments = {"cv": SPLITS, "random_state": 0}
    batches = label_curve(learner, X, y, **arguments)
    assert batches.n_labels.tolist() == [4, 7, 10]
    assert len(set(batches.scores.ravel().tolist())) > 3
    curve = label_curve(learner, X, y, at=range(1, 13), **arguments)
    np.testing.assert_array_equal(curve.scores[:, 3:6], batches.scores[:, [0] * 3])
    np.testing.assert_array_equal(curve.scores[:, 6:9], batches.scores[:, [1] * 3])
    np.testing.assert_array_equal(curve.scores[:, 9], batches.scores[:, 2])
    assert np.isnan(curve.scores[:, [0, 1, 2, 10, 11]]).all()
    between = label_curve(learner, X, y, at=[5, 9], **arguments)
    np.testing.assert_array_equal(between.scores, batches.scores[:, :2])
    np.testing.assert_array_equal(between.final_scores, batches.final_scores)


def share_bought(learner, X, y):
    """Score a learner by nothing but its labels."""
    return learner.n_queries_ / 100


def test_until_ends_a_run():
    learner = RandomSamplingClassifier(rate=1.0)
    arguments = {"cv": SPLITS, "scoring": share_bought}
    curve = label_curve(learner, X, y, until=0.93, **arguments)
    assert curve.n_labels.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert curve.scores.tolist() == [[0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]] * 2
    assert curve.n_bought.tolist() == [7, 7]
    assert curve.final_scores.tolist() == [0.07, 0.07]
    at_the_end = label_curve(learner, X, y, until=0.2, **arguments)
    assert at_the_end.n_bought.tolist() == [80, 80]
    never = label_curve(learner, X, y, until=0.0, **arguments)
    assert never.n_bought.tolist() == [80, 90]
    at = label_curve(learner, X, y, until=0.93, at=[5, 10, 20], **arguments)
    assert at.n_bought.tolist() == [10, 10]
    assert at.scores[:, :2].tolist() == [[0.05, 0.1]] * 2


@pytest.mark.parametrize("percent", [1, 5, 15, 20, 30, 82])
def test_an_error_of_exactly_the_target_ends_a_run(percent):
    # 1 - .95 is a little more than .05 in floating point
    curve = label_curve(
        RandomSamplingClassifier(rate=1.0), X, y, cv=SPLITS[:1], until=percent / 100,
        scoring=lambda learner, X, y: (100 - percent) / 100,
    )  # fmt: skip
    assert curve.n_bought.tolist() == [1]


def test_folds():
    noting, runs = recorder(RandomSamplingClassifier())
    curve = label_curve(noting, X, y, cv=3, n_repeats=2, random_state=0)
    assert curve.n_offered.tolist() == [80] * 6
    everything = {row.tobytes() for row in X}
    folds = [everything - {row.tobytes() for row in offered} for offered, _ in runs]
    assert set.union(*folds[:3]) == set.union(*folds[3:]) == everything
    assert not any(fold in folds[3:] for fold in folds[:3])


def test_runs():
    learner = RandomSamplingClassifier(rate=0.5)
    how = {"cv": 3, "n_repeats": 2, "at": [2, 9, 20]}
    curve = label_curve(learner, X, y, random_state=1, **how)
    assert curve.scores.shape == (6, len(curve.n_labels))
    assert len({tuple(row) for row in curve.scores.tolist()}) == 6
    with parallel_config("threading"):
        again = label_curve(learner, X, y, random_state=1, n_jobs=2, **how)
    np.testing.assert_array_equal(again.scores, curve.scores)
    other = label_curve(learner, X, y, random_state=2, **how)
    assert other.final_scores.tolist() != curve.final_scores.tolist()
    assert learner.get_params() == RandomSamplingClassifier(rate=0.5).get_params()
    assert not hasattr(learner, "classes_")


def test_a_run_is_named_after_all_its_rows():
    rows, test = np.arange(80), np.arange(81, 110)
    folds = [(rows, test), (rows[::-1], test), (rows + 1, test), (rows, test + 1)]
    names = [
        label_curve(
            RandomSamplingClassifier(), X, y, cv=[fold], at=[1], random_state=seed
        ).runs.item()
        for fold, seed in [*((fold, 0) for fold in folds), (folds[0], 0), (folds[0], 1)]
    ]
    assert names[4] == names[0]
    assert len(set(names)) == 5


def test_pipeline_is_fitted_on_the_rows_that_are_offered():
    learner = CBGZClassifier(b=0.5)
    piped = label_curve(
        make_pipeline(StandardScaler(), learner), X, y, cv=SPLITS, random_state=0
    )
    train, test = SPLITS[0]
    scaler = StandardScaler().fit(X[train])
    by_hand = label_curve(
        learner, scaler.transform(X), y, cv=[(train, test)], random_state=0
    )
    n = len(by_hand.n_labels)
    np.testing.assert_allclose(piped.scores[0, :n], by_hand.scores[0])


@pytest.mark.parametrize("n_inner", [1, 2, 3])
def test_pipelines_in_pipelines(n_inner):
    steps = [StandardScaler(), PCA(2), CBGZClassifier(b=0.5)]
    flat = label_curve(make_pipeline(*steps), X, y, cv=SPLITS, random_state=0)
    inner = make_pipeline(*steps[-n_inner:])
    nested = make_pipeline(*steps[:-n_inner], inner)
    curve = label_curve(nested, X, y, cv=SPLITS, random_state=0)
    np.testing.assert_array_equal(curve.scores, flat.scores)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"estimator": Perceptron()}, TypeError, "learn"),
        ({"estimator": make_pipeline(Perceptron())}, TypeError, "learn"),
        ({"at": [0, 3]}, ValueError, "at"),
        ({"at": []}, ValueError, "at"),
        ({"n_repeats": 0}, ValueError, "n_repeats"),
        ({"until": "soon"}, (TypeError, ValueError), "until"),
        ({"until": np.nan}, ValueError, "until"),
        ({"cv": 1}, ValueError, "n_splits"),
        ({"scoring": "beauty"}, ValueError, "scoring"),
        ({"scoring": []}, ValueError, "empty"),
        ({"scoring": 3}, ValueError, "name or a function"),
        ({"scoring": ["accuracy", "accuracy"]}, ValueError, "accuracy. twice"),
        ({"scoring": ["accuracy", "f1"], "until": 0.1}, ValueError, "one measure"),
        ({"scoring": "neg_log_loss"}, ValueError, "predict_proba, which CBGZ"),
        ({"scoring": "recall:maybe"}, ValueError, "classes are no, yes"),
        ({"scoring": "accuracy:yes"}, ValueError, "take a class"),
        ({"scoring": "f1", "y": np.arange(120) % 3}, ValueError, "f1_macro"),
        ({"scoring": "r2"}, ValueError, "'r2': could not"),
        ({"y": y[:-1]}, ValueError, "inconsistent"),
        ({"y": X[:, 0]}, ValueError, "continuous"),
        ({"X": np.where(X > 2, np.nan, X)}, ValueError, "NaN"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_arguments(changes, error, words):
    arguments = {"estimator": CBGZClassifier(), "X": X, "y": y, **changes}
    with pytest.raises(error, match=words):
        label_curve(**arguments)


def test_labels_for_an_error_that_stays():
    curve = curve_of(range(1, 6), [[0.5, 0.9, 0.7, 0.9, 0.95]])
    assert curve.labels_for(0.1) == 4  # the dip at 2 does not stay
    assert curve.labels_for(0.5) == 1
    assert curve.labels_for(0.01) == np.inf


def test_one_class_is_warned_of_once_for_all_runs():
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=2_600) < 0.02).astype(int)
    X = rng.standard_normal((2_600, 2)) + y[:, None]
    learner = CBGZClassifier(b=0.5)
    with pytest.warns(OneClassWarning, match=r"in \d of 2 runs.* rare, set") as notes:
        label_curve(learner, X, y, cv=2, at=[20], random_state=0)
    assert len(notes) == 1
    assert notes[0].filename == __file__


def test_a_model_of_random_rows_goes_on_from_the_one_before():
    """It is trained once for each label count; `learn` trains the last one itself."""
    sizes = []

    class Watched(LogisticRegression):
        def fit_in_order(self, X, y, previous=None, *more):
            sizes.append((len(y), previous.n_rows_ if previous else None))
            self.n_rows_ = len(y)
            return self.fit(X, y)

    learner = PassiveClassifier(Watched(), n_initial=10, batch_size=5, budget=30)
    how = {"cv": SPLITS[:1], "scoring": ["accuracy", "neg_log_loss"], "random_state": 0}
    curve = label_curve(learner, X, y, at=[10, 20, 25, 30], **how)
    assert sizes == [(10, None), (20, 10), (25, 20), (30, None)]
    sizes.clear()  # between 20 and 25 labels nothing is trained
    label_curve(learner, X, y, at=[20, 22, 24], **how)
    assert sizes == [(20, None), (30, None)]
    plain = clone(learner).set_params(estimator=LogisticRegression())
    expected = label_curve(plain, X, y, at=[10, 20, 25, 30], **how)
    for scoring in how["scoring"]:
        assert curve.by(scoring).scores.tolist() == expected.by(scoring).scores.tolist()


def test_scores_do_not_depend_on_earlier_scores():
    """A model with warm_start does not start from a model of an earlier score."""

    class Lazy(PassiveClassifier):
        def make_trainer(self):
            return OneModel(self.estimator)

    learner = Lazy(
        LogisticRegression(warm_start=True, max_iter=2), n_initial=10, batch_size=5
    )
    how = {"cv": SPLITS, "scoring": "neg_log_loss", "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        often = label_curve(learner, X, y, at=[10, 15, 20, 30], **how)
        once = label_curve(learner, X, y, at=[30], **how)
    assert often.scores[:, -1].tolist() == once.scores[:, 0].tolist()
