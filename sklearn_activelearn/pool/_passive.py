"""Passive learning: buy random rows, the baseline of every pool learner."""

from ..base._verbs import make_baseline
from ..utils._docstrings import CANDIDATES, documented
from ..utils._typing import Classifier, Estimators, ParamGrid, Scoring, Seed, Stopping
from ._base import PoolClassifier
from ._selection import draw_rows
from ._training import CandidateTrainer, candidate_set
from .stopping._base import find_rules


@documented(CANDIDATES)
class PassiveClassifier(PoolClassifier):
    """Pool learner that buys random rows: the baseline to beat.

    With several candidates, cross-validation on the labels bought chooses the model.
    The labels are a random sample, so the choice is unbiased.

    Parameters
    ----------
    {estimator}
    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`: every combination
        is a candidate. None: one candidate.
    {estimators, cv, scoring}
    n_initial : int >= 1, default=10
        Number of labels of the first purchase.
    batch_size : int >= 1, default=1
        Number of labels bought at a time.
    {budget, stopping}
    n_jobs : int, default=None
        Number of processes that cross-validate, as in joblib.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows, and of estimators without a seed.

    Attributes
    ----------
    {estimator_, cv_scores_, model_names_, best_index_, attributes_of_all}

    {raises}

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

    def _select(self, X, rows, n_wanted, seed):
        return draw_rows(rows, n_wanted, seed)

    _select_without_model = _select

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
    trainer = learner._make_trainer()  # a default is not the same for all
    if len(trainer.estimators) == 1:
        return baseline.set_params(estimator=trainer.estimators[0])
    names = trainer.candidates.names
    return baseline.set_params(
        estimators=list(zip(names, trainer.estimators, strict=True))
    )
