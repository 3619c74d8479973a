"""Query by committee: buy the row on which several models disagree."""

from functools import partial

import numpy as np

from ..base._scores import (
    entropy,
    of_padded,
    predict_labels,
    utility_of_label_sets,
)
from ..utils.typing import (
    Classifier,
    Estimators,
    ParamGrid,
    Scoring,
    Seed,
    Stopping,
)
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rule import Rule
from ._selection import UNCERTAIN
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


class CommitteeRule(Rule):
    """The rows on which weighted votes disagree most."""

    takes_label_sets = True
    reason = UNCERTAIN

    def utility(self, model, X):
        """Return the entropy of the votes."""
        votes = [
            of_padded(partial(predict_labels, member), X)[:, None] == member.classes_
            for member in model.models
        ]
        return vote_entropy(np.array(votes, dtype=float), model.weights)

    def label_set_utility(self, model, X):
        """Return the entropy of the votes for the label with the highest entropy."""
        votes = [of_padded(partial(predict_labels, each), X) for each in model.models]
        share = np.tensordot(model.weights, np.array(votes), axes=1)
        return utility_of_label_sets(entropy, 1 - share, share)


class QueryByCommitteeClassifier(PoolClassifier):
    r"""Pool learner that buys the row on which several models disagree.

    A committee of candidate models, each trained on the labels bought, votes on
    every row; a vote weighs as much as the model's accuracy in cross-validation.
    The best candidate predicts.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier. It is cloned, never changed. None: ``LogisticRegression()``.

    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`. Each combination is a
        candidate. None: `C` from 0.01 to 100 if `estimator` is None, otherwise a single
        candidate.

    estimators : list of (str, classifier), default=None
        Candidate models with their names, instead of `estimator` and `param_grid`.

    cv : int >= 2, default=5
        Number of folds of the stratified cross-validation; fewer while a class has
        fewer labels.

    scoring : str or callable, default="accuracy"
        Score that selects the best candidate by cross-validation: the name of a scorer
        of scikit-learn, such as "neg_log_loss", or ``scorer(estimator, X, y)``.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    n_candidates : int >= 1, default=None
        Number of rows that are considered for each batch: a new random sample of the
        rows that may be bought, never smaller than the batch. Stopping rules see the
        same rows. None: all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row lies inside the margin of an SVM.
        "stable_predictions": successive models agree. The user guide describes more
        rules. None: spend the budget.

    n_jobs : int, default=None
        Number of threads that score the pool and of processes that cross-validate, as
        in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The candidate with the highest score in cross-validation, trained on all labels
        taught. Of equal candidates, the middle one of the list.

    estimators_ : list of classifier
        All candidates, trained on all labels.

    cv_scores_ : ndarray of shape (n_candidates,)
        Scores in cross-validation; 1 if there is a single candidate, or a single label
        of the second class.

    vote_weights_ : ndarray of shape (n_candidates,)
        Weights of the votes: accuracies in cross-validation, scaled to sum 1.

    model_names_ : list of str
        Names, or parameters, of the candidates.

    best_index_ : int
        Position of `estimator_` among the candidates.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were skipped and not taught later.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, both `param_grid` and `estimators` are given, a candidate
        lacks a required method or its tags refuse the rows, or a label is not one
        of the classes.

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
    ...     estimators=committee, batch_size=5, budget=30, random_state=0
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

    def make_rule(self):
        """Return the rule."""
        return CommitteeRule()

    def make_trainer(self):
        """Return the trainer of the candidates."""
        given = self.estimator, self.param_grid, self.estimators
        candidates = candidate_set(*given, DEFAULT_GRID)
        return CandidateTrainer(
            candidates,
            cv=self.cv,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            trains_all=True,
        )

    _passive_baseline = passive_baseline
