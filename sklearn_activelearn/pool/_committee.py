"""Query by committee: buy the row on which several models disagree."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.special import rel_entr

from .._docstrings import CANDIDATES, documented
from .._scores import check_user_values, entropy, of_padded, probabilities_of
from .._typing import (
    Classifier,
    Estimators,
    Floats,
    ParamGrid,
    Scoring,
    Seed,
    Stopping,
)
from .._validation import check_option
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
        1 for the class that a member predicts, 0 for the others.
    weights : ndarray of shape (n_members,)
        Positive weights of the members, of sum 1.
    """
    return entropy(np.tensordot(weights, votes, axes=1))


def consensus_kl(probabilities, weights):
    """Return the mean divergence of the members from their weighted mean.

    Parameters
    ----------
    probabilities : ndarray of shape (n_members, n_samples, n_classes)
        Class probabilities of each member.
    weights : ndarray of shape (n_members,)
        Weights of the members, of sum 1; members of weight 0 are left out.
    """
    counts = weights > 0
    probabilities, weights = probabilities[counts], weights[counts]
    consensus = np.tensordot(weights, probabilities, axes=1)
    # a share of the smallest number rounds to 0, which makes the divergence infinite
    consensus = np.maximum(consensus, np.finfo(np.float64).tiny)
    return np.tensordot(weights, rel_entr(probabilities, consensus).sum(axis=2), axes=1)


def votes_of(member, X):
    """Return 1 for the predicted class, 0 for the others."""
    return (of_padded(member.predict, X)[:, None] == member.classes_).astype(float)


#: Values of `disagreement`: the function, its answers of a member, and the method that
#: a member needs for them.
DISAGREEMENTS = {
    "vote_entropy": (vote_entropy, votes_of, "predict"),
    "consensus_kl": (consensus_kl, probabilities_of, "predict_proba"),
}


@documented(CANDIDATES)
class QueryByCommitteeClassifier(PoolClassifier):
    r"""Pool learner that buys the row on which several models disagree.

    A committee of candidate models, each trained on the labels bought, votes on
    every row; a vote weighs as much as the model's accuracy in cross-validation.
    The best candidate predicts.

    Parameters
    ----------
    {estimator, param_grid, estimators}
    disagreement : {"vote_entropy", "consensus_kl"} or callable, default="vote_entropy"
        The entropy of the votes, or the mean Kullback-Leibler divergence of the
        members' probabilities from their mean, which needs `predict_proba`. A callable
        ``disagreement(probabilities, weights)`` needs it, too. It gets probabilities of
        shape (n_members, n_samples, n_classes) and weights of shape (n_members,) and of
        sum 1, and returns a utility for each row, of shape (n_samples,); the highest
        are bought.
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
    With :math:`w_m` the `vote_weights_`, :math:`V_k` the sum of the
    :math:`w_m` that vote for class k, and :math:`\bar p = \sum_m w_m p_m`, the
    utility of a row is :math:`-\sum_k V_k \log V_k` or
    :math:`\sum_m w_m \mathrm{KL}(p_m \| \bar p)`. Votes tie on many rows; ties
    are broken at random.

    Accuracy in cross-validation on chosen rows is biased. While the second largest
    class has one label, validation is impossible and all candidates weigh the same.

    Candidates are trained from scratch each time, also with `warm_start`.

    References
    ----------
    .. [1] H. S. Seung, M. Opper, H. Sompolinsky, "Query by Committee", COLT 1992.
    .. [2] A. McCallum, K. Nigam, "Employing EM and Pool-Based Active Learning for
       Text Classification", ICML 1998, equation 6 (the divergence).
    .. [3] A. Ali, R. Caruana, A. Kapoor, "Active Learning with Model Selection",
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

    best_index_: int
    cv_scores_: Floats
    estimators_: list[Any]
    model_names_: list[str]
    vote_weights_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        param_grid: ParamGrid | None = None,
        estimators: Estimators | None = None,
        disagreement: Literal["vote_entropy", "consensus_kl"]
        | Callable[..., Any] = "vote_entropy",
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
        self.disagreement = disagreement
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

    @property
    def _rule(self):
        """The disagreement, the answers it needs, and the method for them."""
        if callable(self.disagreement):
            return self.disagreement, probabilities_of, "predict_proba"
        return DISAGREEMENTS[self.disagreement]

    @property
    def _needs(self):
        return self._rule[2]

    _advice_without_method = (
        'Use disagreement="vote_entropy", or wrap it in '
        "sklearn.calibration.CalibratedClassifierCV."
    )

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

    def _check_parameters(self):
        if not callable(self.disagreement):
            check_option(self.disagreement, "disagreement", DISAGREEMENTS)
        super()._check_parameters()

    def _passive_baseline(self):
        return passive_baseline(self)

    def _utility(self, X):
        disagreement, answer, _ = self._rule
        answers = np.array([answer(member, X) for member in self.estimators_])
        utility = disagreement(answers, self.vote_weights_)
        if callable(self.disagreement):
            utility = check_user_values("disagreement", utility, answers.shape[1])
        return utility
