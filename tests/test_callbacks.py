"""Callbacks of scikit-learn on pool learners: progress, scores, an early end."""

import pickle

import numpy as np
import pytest

from sklearn_activelearn import MinMarginClassifier, UncertaintySamplingClassifier
from tests.learners import each_pool_default, each_pool_family
from tests.tools import RecordingOracle, fresh, frozen, problem, responses, state

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9")

X, y = problem(80, 4, noise=0.5)
CLASSES = ["no", "yes"]


def test_scores_of_each_round():
    monitor = callback.ScoringMonitor(scoring="accuracy")
    learner = UncertaintySamplingClassifier(budget=20, batch_size=2, random_state=0)
    learner.set_callbacks(monitor).fit(X, y)
    scores = [
        row["accuracy"]
        for row in monitor.get_logs().data
        if row["task_name"] == "query"
    ]
    assert len(scores) == 6
    assert scores[-1] == learner.score(X, y)
    for k, score in enumerate(scores):
        until = fresh(UncertaintySamplingClassifier(), budget=10 + 2 * k, batch_size=2)
        assert until.fit(X, y).score(X, y) == score


def test_a_progress_bar(capsys):
    pytest.importorskip("rich")
    learner = MinMarginClassifier(budget=20, random_state=0)
    learner.set_callbacks(callback.ProgressBar()).fit(X, y)
    out = capsys.readouterr().out
    assert out.count("MinMarginClassifier") >= 1


def test_a_callback_may_stop_it():
    class Stop:
        def setup(self, estimator, context):
            pass

        teardown = on_fit_task_begin = setup

        def on_fit_task_end(self, estimator, context):
            return estimator.n_queries_ >= 14

    learner = MinMarginClassifier(random_state=0).set_callbacks(Stop()).fit(X, y)
    assert learner.n_queries_ == 14


@each_pool_default
def test_an_interrupted_simulation_keeps_what_was_bought(prototype):
    class Interrupt:
        def setup(self, estimator, context):
            self.rounds = 0

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            self.rounds += 1
            if self.rounds == 4:
                raise KeyboardInterrupt

        def on_fit_task_end(self, estimator, context):
            pass

    learner = fresh(prototype, batch_size=1).set_callbacks(Interrupt())
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    n_bought = learner.n_queries_
    assert n_bought == len(learner.queried_indices_) > learner.n_initial
    learner.score(X, y)
    learner.set_callbacks()
    n_next = min(learner.batch_size, (learner.budget or np.inf) - n_bought)
    assert len(learner.query(X)) == n_next


@each_pool_family
def test_a_pickle_made_while_it_learns_goes_on(prototype):
    saved = {}
    learner = fresh(prototype, budget=0.3)
    learner.set_callbacks(callback.ScoringMonitor(scoring="accuracy"))

    def oracle(rows):
        saved[learner.n_queries_] = pickle.dumps(learner)
        return y[rows]

    learner.learn(X, oracle, classes=CLASSES)
    finished = state(pickle.loads(pickle.dumps(learner)))
    for n_bought, pickled in [*saved.items()][:: max(1, len(saved) // 3)]:
        again = pickle.loads(pickled)
        assert set(vars(again)) <= {*vars(learner), "estimator_"}
        bought = learner.queried_indices_[:n_bought]
        left = np.setdiff1d(np.arange(80), bought)
        again.set_callbacks()
        again.learn(X, RecordingOracle(y), classes=CLASSES, candidates=left)
        rows = np.append(bought, again.queried_indices_)
        assert rows.tolist() == learner.queried_indices_.tolist()
        again.set_callbacks(*learner._skl_callbacks)
        assert state(again).keys() == finished.keys()
        assert frozen(responses(again, X)) == frozen(responses(learner, X))
