"""Query by committee: ask for the row on which the candidate models disagree."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .._docstrings import CANDIDATES, documented
from .._typing import (
    Classifier,
    Embedding,
    Estimators,
    Floats,
    Initial,
    ParamGrid,
    Scoring,
    Seed,
    Stopping,
)
from .._validation import check_option
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._training import CandidateTrainer, candidate_set
from ._utilities import DISAGREEMENTS, own_utility, probabilities_of

#: The committee that needs no parameter.
DEFAULT_GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}


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
        Entropy of the votes, or the mean Kullback-Leibler divergence of the
        members' probabilities from their mean, which needs `predict_proba`. Or
        ``disagreement(probabilities, weights)``, which needs it, too: a utility for
        each row, of shape (n_samples,), higher is bought sooner; `probabilities` are
        of shape (n_members, n_samples, n_classes), `weights` of shape (n_members,) and
        of sum 1.
    {cv, scoring, n_initial, initial, batch_size, batch, embedding, explore,
    n_candidates, budget, stopping}
    n_jobs : int, default=None
        Threads that score the pool and processes that cross-validate, as in
        joblib.
    {random_state}

    Attributes
    ----------
    {estimator_}
    estimators_ : list of classifier
        All candidates, trained likewise.
    {cv_scores_}
    vote_weights_ : ndarray of shape (n_candidates,)
        What the votes weigh: accuracies in cross-validation, scaled to sum 1.
    {model_names_, best_index_, attributes_of_all}

    {raises}

    See Also
    --------
    PassiveClassifier : The same candidates on random rows.
    UncertaintySamplingClassifier : One model.

    Notes
    -----
    With :math:`w_m` the `vote_weights_`, :math:`V_k` the sum of the
    :math:`w_m` that vote for class k, and :math:`\bar p = \sum_m w_m p_m`, the
    utility of a row is :math:`-\sum_k V_k \log V_k` or
    :math:`\sum_m w_m \mathrm{KL}(p_m \| \bar p)`. Votes tie on many rows; ties
    are broken at random.

    Accuracy in cross-validation on rows that were chosen is biased. With one
    label of a class there is nothing to validate on; all candidates weigh the same.

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

    _search_grid = {"disagreement": ["vote_entropy", "consensus_kl"]}

    _samples = True

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
        initial: Initial = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
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
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _rule(self):
        """The disagreement, what it asks each member, and the method for that."""
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

    _passive_baseline = passive_baseline

    def _utility(self, X):
        disagreement, answer, _ = self._rule
        answers = np.array([answer(member, X) for member in self.estimators_])
        utility = disagreement(answers, self.vote_weights_)
        if callable(self.disagreement):
            utility = own_utility("disagreement", utility, answers.shape[1])
        return utility
