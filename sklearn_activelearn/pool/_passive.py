"""Passive learning: random rows, the baseline of every pool learner."""

from .._base import make_baseline
from .._docstrings import CANDIDATES, documented
from .._typing import Classifier, Estimators, Floats, ParamGrid, Scoring, Seed, Stopping
from ._base import PoolClassifier
from ._training import CandidateTrainer, candidate_set
from .stopping._base import find_rules


@documented(CANDIDATES)
class PassiveClassifier(PoolClassifier):
    """Pool learner that buys random rows: the baseline to beat.

    With a candidate set, cross-validation on the labels bought chooses the model;
    these labels are an unbiased sample, so the choice is too.

    Parameters
    ----------
    {estimator}
    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`: every combination
        is a candidate. None: one candidate.
    {estimators, cv, scoring}
    n_initial : int >= 1, default=10
        Labels of the first purchase.
    batch_size : int >= 1, default=1
        Labels bought at a time.
    {budget, stopping}
    n_jobs : int, default=None
        Processes that cross-validate, as in joblib.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows, and of the estimators if they have none of their own.

    Attributes
    ----------
    {estimator_, cv_scores_, model_names_, best_index_, attributes_of_all}

    {raises}

    See Also
    --------
    RandomSamplingClassifier : Random labels of a stream, in one pass.
    MinMarginClassifier, UncertaintySamplingClassifier : What it is compared with.

    Notes
    -----
    No model is needed to choose the rows. `fit`, `partial_fit` and `learn` train
    at the end only (or for an oracle or a callback that predicts meanwhile),
    always from scratch. A stopping rule needs a model after each purchase.

    ``query(X, return_probability=True)`` gives the share of the rows offered that
    were bought in that draw.

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

    _start = _select = PoolClassifier._at_random

    _search_grid = {"param_grid": [None, {"C": [0.1, 10.0]}]}

    best_index_: int
    cv_scores_: Floats
    model_names_: list[str]

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

    @property
    def _uses_model(self):
        return bool(find_rules(self.stopping))

    def _make_trainer(self):
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
    """Return passive learning of a pool learner's models, without a limit.

    Parameters
    ----------
    learner : PoolClassifier
        Stays as it is.
    estimator : classifier, optional
        The model, if it is not one of the learner's estimators.
    """
    baseline = make_baseline(learner, PassiveClassifier(), stopping=None)
    if estimator is not None:
        return baseline.set_params(estimator=estimator)
    if baseline.estimators or baseline.param_grid:
        return baseline
    trainer = learner._make_trainer()  # a default is not the same for all
    if len(trainer.estimators) == 1:
        return baseline.set_params(estimator=trainer.estimators[0])
    names = trainer.candidates.names
    return baseline.set_params(
        estimators=list(zip(names, trainer.estimators, strict=True))
    )
