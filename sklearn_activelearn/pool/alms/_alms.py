"""Active learning with model selection (ALMS)."""

import numpy as np
from joblib import Parallel
from sklearn.model_selection import ParameterGrid

from ..._containers import take
from ..._validation import check_number, check_option
from .._base import PoolClassifier
from .._candidates import CandidateSet, cv_accuracies
from .._choice import best, drawn, ranked
from .._input_checks import refuse_pairwise_scores
from ._allocation import TRAIN, VALIDATION, TwoSets
from ._gram_models import why_not
from ._training import Together, anew_if_that_fails
from ._value_of_information import (
    LOSSES,
    loss_of,
    losses_without_one,
    lower_ends,
    model_probabilities,
    values_of_information,
)

#: Candidates and pairs if models are refitted and nothing was said.
FEW = 10


class ALMSClassifier(Together, CandidateSet, TwoSets, PoolClassifier):
    r"""Pool learner that trains a set of models and chooses the best of them.

    One budget pays for two sets of labels: a training set, chosen row by row for what
    it does for the more promising candidates, and a validation set, drawn at random,
    that says which ones these are. Each label goes where it is worth more. In the end
    the best candidate is trained on both.

    Parameters
    ----------
    estimator : classifier, default=None
        Cloned, never changed. None: ``LogisticRegression()``.

    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`: every combination
        is a candidate. None: with `estimator` also None, `C` from 0.01 to 100; else
        one candidate only.

    estimators : list of (str, classifier), default=None
        The candidates with their names, instead of the two above: any classifiers with
        `predict_proba` or `decision_function`.

    voi : {"auto", "gram", "refit"}, default="auto"
        How the value of information is computed. "refit": by training all candidates
        anew for each row and each pair of validation rows. "gram": the same for
        ``LogisticRegression`` with L2 penalty and two classes, a hundred to a thousand
        times faster; a third class is an error. "auto": "gram" if possible, else
        "refit" with at most 10 rows and 10 pairs unless `n_candidates` and `n_pairs`
        say otherwise; with a warning from where "gram" fails on numbers too large.

    n_candidates : int >= 1, default=None
        Look at so many random rows of the pool in each round. None: all.

    n_pairs : int >= 1, default=None
        Leave out so many random pairs of validation rows. None: all.

    loss : {"log_loss", "brier"} or callable, default="log_loss"
        Proper scoring loss: ``loss(codes, probabilities) -> losses`` of shape
        (n_samples,) for positions in `classes_`, shape (n_samples,), and class
        probabilities, shape (n_samples, n_classes); finite where these are 0, too.

    temperature : float > 0, default=None
        None: models are as probable as the paper has it, which is nearly uniform. A
        number: softmax of minus the losses over it.

    pairing : {"averaged", "paired"}, default="averaged"
        Whether the probabilities from row i and the losses on row j are averaged over
        all pairs and then multiplied, as in the paper, or multiplied for each pair.

    selection : {"validation", "leave_one_out", "cv"}, default="validation"
        How the model is chosen: by its loss on the validation set when trained on the
        training set, as in the paper; on each row of the validation set when trained on
        all other rows of both sets; or by its accuracy in cross-validation on both.

    cv : int >= 2, default=5
        Folds of that cross-validation, which also chooses as long as there is no
        validation set.

    n_initial : int >= 1, default=10
        Random labels bought first, in turn for training and for validation; more
        follow until the training set has two classes and the validation set two rows.

    batch_size : int >= 1, default=1
        Labels bought at a time after that, all for one of the sets.

    budget : int >= 0, float in [0, 1] or None, default=100
        Labels it may buy between one `fit` and the next, or their share of the
        rows offered: those bought and those for sale, at the call where they were most
        numerous; each `partial_fit` adds its own. Raise it with `set_params` to go on.
        None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row lies inside the margin.
        "stable_predictions": stop when successive models agree. The first rule
        of a list that is met ends it. None: the budget is spent.

    n_jobs : int, default=None
        Processes ("refit") or threads ("gram") that compute the value of information,
        as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of all random rows and pairs, of the choice among ties, and of the
        estimators if they have none of their own.

    Attributes
    ----------
    estimator_, best_estimator_ : classifier
        The candidate chosen, trained on all labels taught.

    best_index_ : int
        Which of the candidates it is.

    best_params_ : dict
        Its parameters in the grid; empty without a grid.

    candidate_names_ : list of str
        Names, or parameters, of the candidates.

    model_probabilities_ : ndarray of shape (n_rounds + 1, n_models)
        How probably each candidate was the best whenever the next label was chosen,
        and how probably it is now. Another candidate set begins anew.

    voi_history_ : ndarray of shape (n_rounds, 2)
        The largest value of a label for training, and for validation, whenever they
        were compared.

    allocation_ : ndarray of str of shape (n_taught,)
        "train" or "validation" for each label, in the order in which they were taught.

    labeled_indices_ : dict of ndarray of int
        For "train" and "validation" the row numbers, in the pool that they were bought
        from, of the labels taught. Rows that nobody asked for have none.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. They grow with `teach` unless `fit` or `classes` told them.

    n_queries_ : int
        Labels bought since the last `fit`.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
        bought, in order.

    n_pending_ : int
        Rows asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Rows skipped, and not taught later.

    n_taught_ : int
        Labels taught, bought or not.

    stop_reason_ : str or None
        Why the last purchase was none: "budget", the name of the stopping rule, "no
        rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have any.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, both `param_grid` and `estimators`, a candidate with neither
        `predict_proba` nor `decision_function`, one with decision values for pairs of
        classes, one that does not go with ``voi="gram"``, rows that the candidates'
        tags refuse, labels outside the classes. Later, a `loss` that is not finite.

    See Also
    --------
    PassiveClassifier : The same candidates on random rows.
    QueryByCommitteeClassifier : The same candidates, no validation set.
    UncertaintySamplingClassifier : One model.

    Notes
    -----
    The models :math:`M`, trained on the training set :math:`T`, have the probabilities

    .. math:: P(M) = 1 - \exp(e(M)) / \sum_{M'} \exp(e(M')),

    scaled to sum 1, where :math:`e` is the lower end of the 95 % interval of the loss
    on the validation set :math:`V`. With their mean prediction :math:`\tilde y` as the
    label of a row x, the value of information is :math:`-\bar P \cdot \bar L`: over
    all pairs i, j of V, the models are trained on everything but i and j,
    :math:`P` is found from the loss at i alone and :math:`L` is the loss at j.
    For training, x is one of the rows trained on; for validation, one of V, and never
    trained on. If the largest value is one for training, that row is bought for T. Else
    a random row is bought for V: one that was chosen would not be a fair sample.
    Random rows are drawn from what is left, so V is slightly biased all the same.

    A candidate without `predict_proba` gets a sigmoid fitted on V (Platt's), within
    leave-two-out on what is left of V, and with fewer than 5 rows or a class missing
    :math:`1 / (1 + e^{-f})`. So has the chosen model in `predict_proba`; `predict` is
    its own.

    With "gram", transformers of a `Pipeline` are not trained anew each time but once,
    on the last pool and the labelled rows that are not in it; they must not need
    labels. Wrap trained ones in ``sklearn.frozen.FrozenEstimator`` to have the same
    with "refit".

    Rows that nobody asked for are training data: they are no random sample.

    References
    ----------
    .. [1] A. Ali, R. Caruana, A. Kapoor, "Active Learning with Model Selection",
       AAAI 2014, Algorithm 1, equations 1 to 5, footnote 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_activelearn import ALMSClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ALMSClassifier(
    ...     make_pipeline(StandardScaler(), LogisticRegression()),
    ...     {"logisticregression__C": [0.01, 1.0, 100.0]},
    ...     n_candidates=20, budget=30, random_state=0,
    ... ).fit(X[:400], y[:400])
    >>> print(f"{learner.score(X[400:], y[400:]):.2f}", learner.best_params_)
    0.97 {'logisticregression__C': 100.0}
    """

    _default_grid = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}

    def __init__(
        self,
        estimator=None,
        param_grid=None,
        *,
        estimators=None,
        voi="auto",
        n_candidates=None,
        n_pairs=None,
        loss="log_loss",
        temperature=None,
        pairing="averaged",
        selection="validation",
        cv=5,
        n_initial=10,
        batch_size=1,
        budget=100,
        stopping=None,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            n_initial=n_initial,
            batch_size=batch_size,
            budget=budget,
            stopping=stopping,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.estimator = estimator
        self.param_grid = param_grid
        self.estimators = estimators
        self.voi = voi
        self.n_candidates = n_candidates
        self.n_pairs = n_pairs
        self.loss = loss
        self.temperature = temperature
        self.pairing = pairing
        self.selection = selection
        self.cv = cv

    @property
    def model_probabilities_(self):
        """How probable each candidate was before each of these rounds, and is now."""
        return np.array([*self._past, self._present])

    @property
    def best_estimator_(self):
        """The model that predicts: `estimator_`."""
        return self.estimator_

    def _check_parameters(self):
        super()._check_parameters()
        check_option(self.voi, "voi", ("auto", "gram", "refit"))
        check_option(self.pairing, "pairing", ("averaged", "paired"))
        check_option(self.selection, "selection", ("cv", "leave_one_out", VALIDATION))
        if not callable(self.loss):
            check_option(self.loss, "loss", LOSSES)
        loss_of(self.loss)(np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]]))
        for name in ("n_candidates", "n_pairs"):
            if getattr(self, name) is not None:
                check_number(getattr(self, name), name, 1, closed="left", integer=True)
        if self.temperature is not None:
            check_number(self.temperature, "temperature", 0)
        for estimator in self._unfitted():
            if not hasattr(estimator, "predict_proba") and not hasattr(
                estimator, "decision_function"
            ):
                raise TypeError(
                    f"ALMSClassifier needs candidates with predict_proba or "
                    f"decision_function; {estimator} has neither."
                )
            if not hasattr(estimator, "predict_proba"):
                refuse_pairwise_scores(estimator)
            if self.voi == "gram" and (reason := why_not(estimator)):
                raise ValueError(
                    f'voi="gram" does not go with {estimator}: {reason}. Use "refit".'
                )

    def _settings(self):
        """Return what the grid sets in each candidate."""
        grid = self.param_grid
        if grid is None and self.estimator is None and self.estimators is None:
            grid = self._default_grid
        return [{}] * len(self._prototypes) if grid is None else ParameterGrid(grid)

    def _begin(self):
        super()._begin()
        self.voi_history_, self._past = np.empty((0, 2)), ()
        for name in ("_present", "best_index_", "best_params_", "candidate_names_"):
            self.__dict__.pop(name, None)

    @anew_if_that_fails
    def _select(self, X, rows, n_wanted, seed):
        rng = np.random.default_rng(seed)
        order = rng.permutation(rows)
        n_candidates, n_pairs = self.n_candidates, self.n_pairs
        if self.voi == "auto" and not self._shares:
            n_candidates, n_pairs = n_candidates or FEW, n_pairs or FEW
        n_candidates = max(n_candidates or len(rows), self.batch_size)
        offered = np.sort(order[:n_candidates])
        training, selection = values_of_information(
            self._trainings(take(X, offered), len(offered)),
            self._weights,
            temperature=self.temperature,
            pairing=self.pairing,
            n_pairs=n_pairs,
            n_jobs=self.n_jobs,
            rng=rng,
        )
        values = training.max(), selection.max()
        self.voi_history_ = np.vstack([self.voi_history_, values])
        self._past = (*self._past, self._present)
        if values[0] > values[1]:
            chosen = best(training, n_wanted, seed)
            return ranked(offered[chosen], training[chosen], TRAIN)
        chosen = rng.permutation(rows)[:n_wanted]
        return drawn(chosen, n_wanted / len(rows), VALIDATION)

    def _weights(self, losses):
        """Return how probable each model is, given its losses on the validation set."""
        return model_probabilities(lower_ends(losses), self.temperature)

    @anew_if_that_fails
    def _train(self):
        names = self._candidates()[0]
        if names != getattr(self, "candidate_names_", names):
            self._past = ()
        self.candidate_names_ = names
        models, m = self._trainings(), len(self._prototypes)
        self._present = np.full(m, 1 / m)
        if self._can_validate:
            losses, _ = models.trained()
            self._present = self._weights(losses)
        if self.selection == "cv" or not self._can_validate:
            known = self._labelled, self.classes_
            losses = 1 - cv_accuracies(self._prototypes, *known, self.cv, self.n_jobs)
        else:
            if self.selection == "leave_one_out":
                rows = np.arange(models.n_validation)
                nobody = np.empty(0, dtype=int)
                workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
                losses, _ = losses_without_one(workers, models, rows, nobody)
            losses = losses.mean(axis=1)
        self.best_index_ = int(losses.argmin())
        self.best_params_ = self._settings()[self.best_index_]
        self.estimator_ = self._trained_on_all(self._prototypes[self.best_index_])
