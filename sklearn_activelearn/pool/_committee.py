"""Query by committee: buy the row on which several models disagree."""

import numpy as np

from ..base._scores import entropy, of_padded
from ..utils._docstrings import CANDIDATES, documented
from ..utils._typing import (
    Classifier,
    Estimators,
    ParamGrid,
    Scoring,
    Seed,
    Stopping,
)
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._training import CandidateTrainer, candidate_set

#: Parameters of the default committee of logistic regressions.
DEFAULT_GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}


def vote_entropy(votes, weights):
    """Return the entropy of the weighted votes.

    Parameters
    ----------
    votes : ndarray of shape (n_members, n_samples, n_classes)
        1 for the class that a member predicts, else 0.
    weights : ndarray of shape (n_members,)
        Weights of the members, of sum 1.
    """
    return entropy(np.tensordot(weights, votes, axes=1))


@documented(CANDIDATES)
class QueryByCommitteeClassifier(PoolClassifier):
    r"""Pool learner that buys the row on which several models disagree.

    A committee of candidate models, each trained on the labels bought, votes on
    every row; a vote weighs as much as the model's accuracy in cross-validation.
    The best candidate predicts.

    Parameters
    ----------
    {estimator, param_grid, estimators}
    {cv, scoring, n_initial, batch_size, explore, n_candidates, budget, stopping}
    n_jobs : int, default=None
        Number of threads that score the pool and of processes that cross-validate, as
        in joblib.
    {random_state}

    Attributes
    ----------
    {estimator_}
    estimators_ : list of classifier
        All candidates, trained on all labels.
    {cv_scores_}
    vote_weights_ : ndarray of shape (n_candidates,)
        Weights of the votes: accuracies in cross-validation, scaled to sum 1.
    {model_names_, best_index_, attributes_of_all}

    {raises}

    See Also
    --------
    PassiveClassifier : Trains the same candidates on random rows.
    UncertaintySamplingClassifier : Trains one model.

    Notes
    -----
    With :math:`w_m` the `vote_weights_` and :math:`V_k` the sum of the :math:`w_m`
    that vote for class k, the utility of a row is the entropy of the votes,
    :math:`-\sum_k V_k \log V_k`. Votes tie on many rows; ties are broken at random.

    Accuracy in cross-validation on chosen rows is biased. While the second largest
    class has one label, validation is impossible and all candidates weigh the same.

    Candidates are trained from scratch each time, also with `warm_start`.

    References
    ----------
    .. [1] H. S. Seung, M. Opper, H. Sompolinsky, "Query by Committee", COLT 1992.
    .. [2] A. Ali, R. Caruana, A. Kapoor, "Active Learning with Model Selection",
       AAAI 2014, section "Query by Committee" (the weighted committee).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_activelearn import QueryByCommitteeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> linear = LogisticRegression(max_iter=500)
    >>> committee = [("bayes", GaussianNB()), ("linear", linear)]
    >>> learner = QueryByCommitteeClassifier(
    ...     estimators=committee, budget=30, random_state=0
    ... ).fit(X, y)
    >>> print(learner.model_names_[learner.best_index_], learner.n_queries_)
    bayes 30
    """

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        param_grid: ParamGrid | None = None,
        estimators: Estimators | None = None,
        cv: int = 5,
        scoring: Scoring = "accuracy",
        n_initial: int = 10,
        batch_size: int = 1,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.estimators = estimators
        self.cv = cv
        self.scoring = scoring
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_trainer(self):
        given = self.estimator, self.param_grid, self.estimators
        candidates = candidate_set(*given, DEFAULT_GRID)
        return CandidateTrainer(
            candidates,
            cv=self.cv,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            trains_all=True,
        )

    def _passive_baseline(self):
        return passive_baseline(self)

    def _utility(self, X):
        votes = [
            of_padded(member.predict, X)[:, None] == member.classes_
            for member in self.estimators_
        ]
        return vote_entropy(np.array(votes, dtype=float), self.vote_weights_)
