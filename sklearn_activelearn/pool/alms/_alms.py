"""Active learning with model selection (ALMS)."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ...base._labels import stratified_folds
from ...base._parameters import check_has, check_limit, check_number, check_option
from ...exceptions import warn_user
from ...sources._containers import hash_rows, take
from ...utils._statistics import lower_ends
from ...utils.typing import (
    Classifier,
    Estimators,
    Floats,
    Labels,
    ParamGrid,
    RowNumbers,
    RowsLike,
    Seed,
    Stopping,
)
from .._base import NEEDS_ALL, NEEDS_SAMPLE, PoolClassifier
from .._passive import passive_baseline
from .._rule import Rule
from .._selection import (
    draw_rows,
    find_best_different,
    random_purchase,
    ranked_purchase,
)
from .._training import (
    Trained,
    Trainer,
    candidate_set,
    middle_of_best,
    train,
)
from ._candidate_models import (
    JointModels,
    RefittedModels,
    calibrated,
    can_train_jointly,
    shared_key,
    split,
)
from ._logistic import NotSolved
from ._value_of_information import (
    model_probabilities,
    values_of_information,
    values_on_pool,
)

#: Purposes of a label.
TRAIN, VALIDATION = "train", "validation"

#: Values of `validation`.
LABELS, POOL = "labels", "pool"

#: The candidates if none are given.
DEFAULT_GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}

#: Default number of candidate rows, and of pairs, where models are refitted.
FEW = 10


class PastRounds(NamedTuple):
    """Past rounds of a learner.

    Attributes
    ----------
    voi_history : ndarray of shape (n_rounds, 2)
        Highest values of a label.
    past : tuple
        Names and probabilities of the models.
    """

    voi_history: Floats = np.empty((0, 2))
    past: tuple = ()


class Weighed(NamedTuple):
    """Result of a training, for the next one and for the rule.

    Attributes
    ----------
    probabilities : ndarray of shape (n_models,)
        Probability that each candidate is the best.
    refits : bool
        True once joint training has failed: the models are refitted from then on.
    """

    probabilities: Floats
    refits: bool


class ALMSRule(Rule):
    """Rows whose label is worth most, for the set for which it is worth more.

    Parameters
    ----------
    trainer : ALMSTrainer
        Trainer of the candidates.
    n_candidates, n_pairs
        As for `ALMSClassifier`.
    """

    reason = "informative"
    samples = False

    def __init__(self, trainer, n_candidates, n_pairs):
        self.trainer, self.n_candidates, self.n_pairs = trainer, n_candidates, n_pairs
        self.needs_pool = NEEDS_SAMPLE if n_candidates is None else ""
        if trainer.validation == POOL:
            self.needs_pool = NEEDS_ALL

    def check(self):
        """Raise an error for a number that is not at least 1."""
        check_limit(self.n_candidates, "n_candidates", 1)
        check_limit(self.n_pairs, "n_pairs", 1)

    def can_choose(self, ledger, classes):
        """Return True if models can be trained on one set and judged by the other."""
        if self.trainer.validation == POOL:
            return super().can_choose(ledger, classes)
        is_validation = are_validation(ledger)
        return is_validation.sum() >= 2 and can_validate(
            ledger.labelled.codes, is_validation
        )

    def select_first(self, round):
        """Draw random rows for the two sets in turn."""
        drawn = draw_rows(round.rows, round.n_wanted, round.seed, TRAIN)
        if self.trainer.validation == POOL:
            return drawn
        return in_turn(drawn, round.ledger.n_queries)

    def select(self, round):
        """Choose rows for the set for which a label is worth more."""
        return try_jointly(
            lambda refits: self._most_valuable(round, refits),
            round.trained.memory.refits,
        )

    def _most_valuable(self, round, refits):
        X, rows, n_wanted, seed = round.X, round.rows, round.n_wanted, round.seed
        rng, known = np.random.default_rng(seed), round.known
        n_candidates, n_pairs = self.n_candidates, self.n_pairs
        if not self.trainer.is_joint(known, refits):
            n_candidates, n_pairs = n_candidates or FEW, n_pairs or FEW
        order, n_batch = rng.permutation(rows), round.choice.batch_size
        offered = np.sort(order[: max(n_candidates or len(rows), n_batch)])
        is_by_pool = self.trainer.validation == POOL
        if is_by_pool:
            places = np.searchsorted(rows, offered)
            given = known, take(X, rows), places, refits
            training = self.trainer.values_on_pool(*given)
            values = training.max(), np.nan
        else:
            training, selection = self.trainer.values_of_information(
                known, take(X, offered), n_pairs, rng, refits
            )
            values = training.max(), selection.max()
        memory = round.memory or PastRounds()
        now = self.trainer.candidates.names, round.trained.memory.probabilities
        memory = PastRounds(
            np.vstack([memory.voi_history, values]), (*memory.past, now)
        )
        if is_by_pool or values[0] > values[1]:
            traits = [lambda some: hash_rows(X, offered[some])]
            chosen = find_best_different(training, n_wanted, seed, traits)
            bought = ranked_purchase(offered[chosen], training[chosen], TRAIN)
        else:
            chosen = rng.permutation(rows)[:n_wanted]
            bought = random_purchase(chosen, n_wanted / len(rows), VALIDATION)
        return bought._replace(memory=memory)


def are_validation(ledger):
    """Return for each label whether it is used for validation."""
    return ledger.purposes[ledger.taught] == VALIDATION


def try_jointly(step, refits):
    """Run ``step(refits)``; if joint training fails, refit each model."""
    try:
        return step(refits)
    except NotSolved:
        warn_user(
            "Some logistic regressions could not be trained jointly; they are "
            "refitted from now on, which takes much longer. Scale the features.",
        )
        return step(True)


class ALMSClassifier(PoolClassifier):
    r"""Pool learner that trains a set of models and chooses the best of them.

    One budget pays for two sets of labels. The training set is chosen row by row to
    improve the more promising candidates. The validation set is drawn at random and
    tells which candidates are promising. Each label goes to the set where it is worth
    more. The candidate that is best in cross-validation is trained on both sets.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier. It is cloned, never changed. None: ``LogisticRegression()``.

    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`. Each combination is a
        candidate. None: `C` from 0.01 to 100 if `estimator` is None, otherwise a single
        candidate.

    estimators : list of (str, classifier), default=None
        The candidates with their names, instead of `estimator` and `param_grid`: any
        classifiers with `predict_proba` or `decision_function`.

    validation : {"labels", "pool"}, default="labels"
        Rows on which the loss of the models is estimated. "labels": random rows whose
        labels are bought for this. "pool": the rows that may be bought, without labels.
        Then all labels are for training, and the row bought is the row with the lowest
        expected loss on the pool (see the notes). With one candidate, this is expected
        error reduction.

    n_candidates : int >= 1, default=None
        Number of random rows of the pool that are considered in each round. None: all
        rows, or 10 where models are refitted (see the notes).

    n_pairs : int >= 1, default=None
        Number of random pairs of validation rows that are left out. None: all pairs, or
        10 where models are refitted. Without effect if ``validation="pool"``.

    cv : int >= 2, default=5
        Folds of the stratified cross-validation that chooses the model by its log loss
        on all labels. Of equal candidates the middle one of the list is chosen.

    n_initial : int >= 1, default=10
        Random labels bought first, in turn for training and for validation. More random
        labels follow until the training set has two classes and the validation set two
        rows.

    batch_size : int >= 1, default=1
        Labels bought at a time after the first ones, all for the same set.

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
        Threads (models trained jointly) or processes (refitted models) that compute the
        value of information, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of all random rows and pairs, of the choice among ties, and of estimators
        that have no seed.

    Attributes
    ----------
    estimator_ : classifier
        The chosen candidate, trained on all labels taught.

    best_index_ : int
        Position of the chosen candidate among the candidates.

    best_params_ : dict
        Parameters of the chosen candidate in the grid. Empty without a grid.

    model_names_ : list of str
        Names, or parameters, of the candidates.

    model_probabilities_ : ndarray of shape (n_rounds + 1, n_models)
        Probability that each candidate is the best: one row for each round in which a
        label was chosen, and the last row for the present. Another set of candidates
        starts a new history.

    voi_history_ : ndarray of shape (n_rounds, 2)
        Largest value of a label for training, and for validation, in each round in
        which they were compared. NaN for validation if ``validation="pool"``.

    allocation_ : ndarray of str of shape (n_taught,)
        "train" or "validation" for each label, in the order of teaching.

    labeled_indices_ : dict of ndarray of int
        For "train" and for "validation", the row numbers of the labels taught in the
        pool from which they were bought. Rows that nobody asked for have no number.

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
        From every method, before anything is bought or changed: a parameter out
        of its range, both `param_grid` and `estimators`, a candidate with neither
        `predict_proba` nor `decision_function` or with decision values for pairs of
        classes, rows that the candidates' tags refuse, labels outside the classes.

    See Also
    --------
    PassiveClassifier : The same candidates on random rows.
    QueryByCommitteeClassifier : The same candidates, no validation set.
    UncertaintySamplingClassifier : One model.

    Notes
    -----
    The models :math:`M`, trained on the training set :math:`T`, have the probabilities

    .. math:: P(M) = 1 - \exp(e(M)) / \sum_{M'} \exp(e(M')),

    scaled to sum 1, where :math:`e` is the lower end of the 95 % interval of the log
    loss on the validation set :math:`V`, or 0 if it is negative. A row x is tried with
    the label that their mean prediction :math:`\tilde y` makes most probable. The value
    of information is :math:`-\bar P \cdot \bar L`, averages over all pairs i, j of V:
    the models are trained on everything but i and j, :math:`P` is found from the loss
    at i alone, and :math:`L` is the loss at j. Equation 5 has no minus sign, but a row
    is better the lower its expected loss is. For training, x belongs to the training
    rows. For validation, x belongs to V and is never trained on. If the largest value
    is one for training, that row is bought for T. Otherwise a random row is bought for
    V, because a chosen row would not be a fair sample. Random rows are drawn from the
    unlabelled rows, so V is slightly biased nevertheless.

    With ``validation="pool"`` the loss of a model is the loss that it expects itself,
    the mean entropy of its predictions for all rows that may be bought. Models are
    trained on all labels and on x with each class in turn, and the losses are averaged
    with the probabilities that :math:`\tilde y` is found from. :math:`P` is found from
    the losses in the cross-validation that chooses the model. With one model this is
    the algorithm of Roy and McCallum, to which the paper says that ALMS reduces
    (section 3). It is little use for choosing among models: a model that is too sure of
    itself expects the lowest loss.

    A candidate without `predict_proba` gets Platt's sigmoid, fitted on V or, in
    leave-two-out, on the rest of V. With fewer than 5 rows or a missing class the
    probabilities are :math:`1 / (1 + e^{-f})`. The chosen model uses the sigmoid in
    `predict_proba`, but not in `predict`.

    For two classes, ``LogisticRegression`` with L2 penalty, alone or at the end of a
    `Pipeline` whose transformers need no labels, is trained jointly for all candidates
    and all rows left out, a hundred to a thousand times faster than by refitting. The
    transformers are trained only once, on the last pool and the labelled rows that are
    not in it. All other candidates are refitted, and so is everything, with a warning,
    where numbers are too large for joint training.

    Rows that nobody asked for are training data, because they are no random sample.

    References
    ----------
    .. [1] A. Ali, R. Caruana, A. Kapoor, "Active Learning with Model Selection",
       AAAI 2014, Algorithm 1, equations 1 to 5, footnote 3.
    .. [2] N. Roy, A. McCallum, "Toward Optimal Active Learning through Sampling
       Estimation of Error Reduction", ICML 2001.

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
    ...     param_grid={"logisticregression__C": [0.01, 1.0, 100.0]},
    ...     n_candidates=20, batch_size=5, budget=30, random_state=0,
    ... ).fit(X[:400], y[:400])
    >>> print(f"{learner.score(X[400:], y[400:]):.2f}", learner.best_params_)
    0.93 {'logisticregression__C': 100.0}
    """

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        param_grid: ParamGrid | None = None,
        estimators: Estimators | None = None,
        validation: Literal["labels", "pool"] = "labels",
        n_candidates: int | None = None,
        n_pairs: int | None = None,
        cv: int = 5,
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
        self.validation = validation
        self.n_candidates = n_candidates
        self.n_pairs = n_pairs
        self.cv = cv
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def allocation_(self) -> Labels:
        """Set for which each label is used, in the order of teaching."""
        return np.where(self._is_validation, VALIDATION, TRAIN)

    @property
    def labeled_indices_(self) -> dict[str, RowNumbers]:
        """Rows of the pool whose labels were bought, for each of the two sets."""
        rows = self._ledger.rows[self._ledger.taught]
        return {
            name: rows[(rows >= 0) & (self.allocation_ == name)]
            for name in (TRAIN, VALIDATION)
        }

    @property
    def model_probabilities_(self) -> Floats:
        """Probability that each candidate is the best, in past rounds and now."""
        check_is_fitted(self, "best_index_")
        past = [p for names, p in self._memory.past if names == self.model_names_]
        return np.array([*past, self._state.trained.memory.probabilities])

    @property
    def voi_history_(self) -> Floats:
        """Highest value of a label for training, and for choosing, in each round."""
        return self._memory.voi_history

    @property
    def _memory(self):
        return self._state.rule_memory or PastRounds()

    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities of the chosen model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet. If the model has only
            decision values, a sigmoid fitted on the validation set.
        """
        learner = self._predicting_copy()
        labelled = learner._ledger.labelled
        rows = np.flatnonzero(learner._is_validation)
        labels = learner.classes_[labelled.codes[rows]]
        model = calibrated(learner.estimator_, labelled.rows, rows, labels)
        learner.estimator_ = model
        return learner._answer(learner._state.target.probabilities, X)

    @property
    def _is_validation(self):
        return are_validation(self._ledger) & (self.validation == LABELS)

    def make_rule(self):
        """Return the rule."""
        return ALMSRule(self.make_trainer(), self.n_candidates, self.n_pairs)

    def make_trainer(self):
        """Return the trainer of the candidates."""
        given = self.estimator, self.param_grid, self.estimators
        candidates = candidate_set(*given, DEFAULT_GRID)
        return ALMSTrainer(candidates, self.cv, self.n_jobs, self.validation)

    _passive_baseline = passive_baseline


class ALMSTrainer(Trainer):
    """Trains the candidates, estimates the value of labels, chooses the model.

    Parameters
    ----------
    candidates : CandidateSet
        The models to choose from.
    cv, n_jobs
        As for `ALMSClassifier`.
    validation : {"labels", "pool"}
        As for `ALMSClassifier`.
    """

    #: Probability that each model is the best, for losses of shape (n_models, ...).
    weigh = staticmethod(model_probabilities)

    #: Labels for training differ from labels for validation.
    follows_from_labels = False

    def __init__(self, candidates, cv, n_jobs, validation=LABELS):
        self.candidates, self.cv, self.n_jobs = candidates, cv, n_jobs
        self.validation = validation
        self.is_default = candidates.is_default

    @property
    def estimators(self):
        return self.candidates.estimators

    @property
    def keeps_pool(self):
        """True if transformers are trained on the pool, for joint training."""
        return all(map(can_train_jointly, self.estimators)) and any(
            split(estimator)[0] for estimator in self.estimators
        )

    def is_joint(self, known, refits=False):
        """Return True if the models are trained jointly."""
        is_possible = len(known.classes) == 2 and not refits
        return is_possible and all(map(can_train_jointly, known.prototypes))

    def check(self):
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_option(self.validation, "validation", (LABELS, POOL))
        for estimator in self.estimators:
            if hasattr(estimator, "predict_proba"):
                continue
            if not hasattr(estimator, "decision_function"):
                raise TypeError(
                    f"ALMSClassifier needs candidates with predict_proba or "
                    f"decision_function; {estimator} has neither. Use other candidates."
                )
            check_has("decision_function", estimator, "ALMSClassifier")

    def models_on(self, known, X=None, refits=False):
        """Return the candidates as `values_of_information` needs them.

        Parameters
        ----------
        known : Known
            Labelled rows, and which of them validate.
        X : rows, optional
            Rows whose labels may be bought.
        refits : bool
            True if joint training has failed.
        """
        is_validation = self.is_validation(known)
        if not self.is_joint(known, refits):
            return RefittedModels(
                known.prototypes, known.labelled, is_validation, known.classes, X
            )

        fit = partial(fit_transformers, known=known)
        return JointModels(known.prototypes, known.labelled, is_validation, X, fit)

    def is_validation(self, known):
        """Return True for the labelled rows that validate."""
        return (known.purposes == VALIDATION) & (self.validation == LABELS)

    def values_on_pool(self, known, X, candidates, refits=False):
        """Return minus the expected loss on X once each candidate has its label."""
        models = self.models_on(known, X, refits)
        losses = self.losses_to_choose_by(self.models_on(known, None, refits), known)
        weights = self.weigh(lower_ends(losses))
        return values_on_pool(models, weights, candidates, self.n_jobs)

    def values_of_information(self, known, X, n_pairs, rng, refits=False):
        """Return the value of each row of X for training, and for choosing a model."""
        models = self.models_on(known, X, refits)
        return values_of_information(models, self.weigh, n_pairs, self.n_jobs, rng)

    def train(self, known, before):
        """Return the chosen candidate, trained on both sets."""
        refits = before is not None and before.memory.refits
        return try_jointly(lambda refits: self._train(known, refits), refits)

    def _train(self, known, refits):
        models, m = self.models_on(known, None, refits), len(known.prototypes)
        probabilities = np.full(m, 1 / m)
        losses = self.losses_to_choose_by(models, known)
        if self.validation == POOL:
            probabilities = self.weigh(lower_ends(losses))
        elif can_validate(known.labelled.codes, self.is_validation(known)):
            probabilities = self.weigh(lower_ends(models.trained()[0]))
        best = middle_of_best(-losses.mean(axis=1))
        attributes = {
            "model_names_": self.candidates.names,
            "best_index_": best,
            "best_params_": self.candidates.settings[best],
        }
        model = self._trained_on_all(known, known.prototypes[best], refits)
        return Trained(model, attributes, Weighed(probabilities, refits))

    def losses_to_choose_by(self, models, known):
        """Return the losses of each model in K-fold cross-validation on all labels.

        With one row of the second class there are no folds, and all losses are 0.
        """
        fold, n_folds = stratified_folds(known.labelled.codes, self.cv)
        losses = np.zeros((len(self.candidates.names), len(fold)))
        if n_folds > 1:
            folds = [np.flatnonzero(fold == k) for k in range(n_folds)]
            workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
            found = workers(map(delayed(models.without_fold), folds))
            for rows, part in zip(folds, found, strict=True):
                losses[:, rows] = part
        return losses

    def _trained_on_all(self, known, prototype, refits):
        before, model = split(prototype)
        if before is None or not self.is_joint(known, refits):
            return train(known, prototype)
        fitted = fit_transformers(before, known)
        labels = known.classes[known.labelled.codes]
        model = clone(model).fit(fitted.transform(known.labelled.rows), labels)
        steps = [*fitted.steps, (prototype.steps[-1][0], model)]
        return clone(prototype).set_params(steps=steps)


def fit_transformers(before, known):
    """Fit transformers on the pool and the labelled rows."""
    return known.pool.fitted(shared_key(before), clone(before).fit, known.labelled.rows)


def can_validate(codes, is_validation):
    """Return True if models can be trained on one set and judged by the other."""
    return bool(is_validation.any()) and len(np.unique(codes[~is_validation])) > 1


def in_turn(bought, n_before):
    """Return a random purchase whose rows go to the two sets in turn."""
    turns = (n_before + np.arange(len(bought.rows))) % 2
    return bought._replace(purposes=np.where(turns == 0, TRAIN, VALIDATION))
