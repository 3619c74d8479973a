"""Passive learning: buy random rows, the baseline of every pool learner."""

from ..base._verbs import make_baseline
from ..utils.typing import Classifier, Estimators, ParamGrid, Scoring, Seed, Stopping
from ._base import PoolClassifier
from ._rule import RandomRule
from ._training import CandidateTrainer, candidate_set
from .stopping._base import find_rules


class PassiveClassifier(PoolClassifier):
    """Pool learner that buys random rows: the baseline to beat.

    With several candidates, cross-validation on the labels bought chooses the model.
    The labels are a random sample, so the choice is unbiased.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier. It is cloned, never changed. None: ``LogisticRegression()``.

    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`: every combination
        is a candidate. None: one candidate.

    estimators : list of (str, classifier), default=None
        Candidate models with their names, instead of `estimator` and `param_grid`.

    cv : int >= 2, default=5
        Number of folds of the stratified cross-validation; fewer while a class has
        fewer labels.

    scoring : str or callable, default="accuracy"
        Score that selects the best candidate by cross-validation: the name of a scorer
        of scikit-learn, such as "neg_log_loss", or ``scorer(estimator, X, y)``.

    n_initial : int >= 1, default=10
        Number of labels of the first purchase.

    batch_size : int >= 1, default=1
        Number of labels bought at a time.

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
        Number of processes that cross-validate, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the rows, and of estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The candidate with the highest score in cross-validation, trained on all labels
        taught. Of equal candidates, the middle one of the list.

    cv_scores_ : ndarray of shape (n_candidates,)
        Scores in cross-validation; 1 if there is a single candidate, or a single label
        of the second class.

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
    RandomSamplingClassifier : Buys random rows of a stream, in one pass.
    MinMarginClassifier, UncertaintySamplingClassifier : Buy informative rows.

    Notes
    -----
    No model is needed to choose the rows. `fit`, `partial_fit` and `learn` train once,
    at the end and from scratch, unless a stopping rule needs a model after each
    purchase, or an oracle or a callback predicts before the end.

    ``query(X, return_probability=True)`` gives the share of the rows offered that
    the purchase has bought.

    References
    ----------
    .. [1] A. Ali, R. Caruana, A. Kapoor, "Active Learning with Model Selection",
       AAAI 2014, section "Baselines" (passive learning with cross-validation).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_activelearn import PassiveClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = PassiveClassifier(
    ...     LogisticRegression(max_iter=500), param_grid={"C": [0.01, 1.0, 100.0]},
    ...     budget=30, random_state=0,
    ... ).fit(X, y)
    >>> print(learner.model_names_[learner.best_index_], learner.n_queries_)
    {'C': 1.0} 30
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
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def make_rule(self):
        """Return the rule."""
        return RandomRule(uses_model=bool(find_rules(self.stopping)))

    def make_trainer(self):
        """Return the trainer of the candidates."""
        candidates = candidate_set(self.estimator, self.param_grid, self.estimators)
        return CandidateTrainer(
            candidates,
            cv=self.cv,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            trains_all=False,
        )

    def _passive_baseline(self):
        return passive_baseline(self)


def passive_baseline(learner, estimator=None):
    """Return a passive learner with the models of a pool learner and no budget.

    Parameters
    ----------
    learner : PoolClassifier
        The pool learner, which stays as it is.
    estimator : classifier, optional
        The model, unless the models are the estimators of the learner.
    """
    baseline = make_baseline(learner, PassiveClassifier(), stopping=None)
    if estimator is not None:
        return baseline.set_params(estimator=estimator, estimators=None)
    if baseline.estimators or baseline.param_grid:
        return baseline
    trainer = learner.make_trainer()  # a default is not the same for all
    if len(trainer.estimators) == 1:
        return baseline.set_params(estimator=trainer.estimators[0])
    names = trainer.candidates.names
    return baseline.set_params(
        estimators=list(zip(names, trainer.estimators, strict=True))
    )
