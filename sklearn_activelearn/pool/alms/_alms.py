"""Active learning with model selection (ALMS)."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._docstrings import CANDIDATES, documented
from ..._typing import (
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
from ..._validation import check_limit, check_option
from ..._warnings import warn_user
from ...sources._containers import hash_rows, take
from .._base import NEEDS_SAMPLE, PoolClassifier
from .._passive import passive_baseline
from .._selection import (
    draw_rows,
    find_best_different,
    random_purchase,
    ranked_purchase,
)
from .._training import Known, candidate_set
from ._models import TRAIN, VALIDATION, Allocation, ALMSTrainer, in_turn
from ._newton import NotSolved
from ._value_of_information import values_of_information

#: Candidates and pairs if models are refitted and none are given.
FEW = 10


class Round(NamedTuple):
    """What was known of the candidates when a label was chosen."""

    names: list
    probabilities: np.ndarray


def most_valuable(
    trainer,
    known,
    X,
    rows,
    n_wanted,
    seed,
    *,
    n_candidates,
    n_pairs,
    batch_size,
    pairing,
    label,
    may_be_few,
):
    """Choose rows for the set for which a label is worth more.

    Parameters
    ----------
    trainer : ALMSTrainer
        Trains the candidates.
    known : Known
        What they are trained on.
    X : rows
        The pool.
    rows : ndarray of int
        Those of its row numbers that may be bought.
    n_wanted : int
        How many.
    seed : tuple of int
        Of the random numbers of this round.
    n_candidates, n_pairs, batch_size, pairing, label
        As for `ALMSClassifier`.
    may_be_few : bool
        Whether to consider a few rows and pairs only where models are refitted.

    Returns
    -------
    bought : Purchase
        The rows.
    values : tuple of float
        The largest value of a label for training, and for validation.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows)
    if may_be_few and not trainer.shares(known):
        n_candidates, n_pairs = n_candidates or FEW, n_pairs or FEW
    offered = np.sort(order[: max(n_candidates or len(rows), batch_size)])
    training, selection = values_of_information(
        trainer.engine(known, take(X, offered), len(offered)),
        trainer.weights,
        temperature=trainer.temperature,
        pairing=pairing,
        label=label,
        n_pairs=n_pairs,
        n_jobs=trainer.n_jobs,
        rng=rng,
    )
    values = training.max(), selection.max()
    if values[0] > values[1]:
        traits = [lambda some: hash_rows(X, offered[some])]
        chosen = find_best_different(training, n_wanted, seed, traits)
        return ranked_purchase(offered[chosen], training[chosen], TRAIN), values
    chosen = rng.permutation(rows)[:n_wanted]
    return random_purchase(chosen, n_wanted / len(rows), VALIDATION), values


#: The candidates if none are given.
DEFAULT_GRID = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}


@documented(CANDIDATES)
class ALMSClassifier(PoolClassifier):
    r"""Pool learner that trains a set of models and chooses the best of them.

    One budget pays for two sets of labels: a training set, chosen row by row for what
    it does for the more promising candidates, and a validation set, drawn at random,
    that says which ones these are. Each label goes where it is worth more. In the end
    the candidate that is best in cross-validation is trained on both.

    Parameters
    ----------
    {estimator, param_grid}
    estimators : list of (str, classifier), default=None
        The candidates with their names, instead of the two above: any classifiers with
        `predict_proba` or `decision_function`.
    voi : {"auto", "gram", "refit"}, default="auto"
        How the value of information is computed. "refit": by training all candidates
        again for each row and each pair of validation rows. "gram": the same for
        ``LogisticRegression`` with L2 penalty and two classes, a hundred to a thousand
        times faster; a third class is an error. "auto": "gram" if possible, else
        "refit" with at most 10 rows and 10 pairs unless `n_candidates` and `n_pairs`
        say otherwise; with a warning from where "gram" fails on numbers too large.
    label : {"predicted", "expected"}, default="predicted"
        Which label a row is tried with, since its own is not known: the one that the
        models, weighted by their probabilities, take for most probable, as in the
        paper's equation 4; or each class in turn, the values being averaged with the
        models' probabilities of the classes, which takes about as many times as long.
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
    selection : {"cv", "validation", "leave_one_out"}, default="cv"
        How the model is chosen: by its loss in cross-validation on both sets; on the
        validation set when trained on the training set, as in the paper; or on each
        row of the validation set when trained on all other rows of both sets. Of equals
        the middle one of the list. It has no influence on what is bought.
    cv : int >= 2, default=5
        Folds of that cross-validation, which always chooses as long as there is no
        validation set.
    n_initial : int >= 1, default=10
        Random labels bought first, in turn for training and for validation; more
        follow until the training set has two classes and the validation set two rows.
    batch_size : int >= 1, default=1
        Labels bought at a time after that, all for one of the sets.
    {explore, budget, stopping}
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
    {model_names_}
    model_probabilities_ : ndarray of shape (n_rounds + 1, n_models)
        How probably each candidate was the best whenever the next label was chosen,
        and how probably it is now. Another candidate set starts over.
    voi_history_ : ndarray of shape (n_rounds, 2)
        The largest value of a label for training, and for validation, whenever they
        were compared.
    allocation_ : ndarray of str of shape (n_taught,)
        "train" or "validation" for each label, in the order in which they were taught.
    labeled_indices_ : dict of ndarray of int
        For "train" and "validation" the row numbers, in the pool that they were bought
        from, of the labels taught. Rows that nobody asked for have none.
    {attributes_of_all}

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
    on the validation set :math:`V`, or 0 if it is negative. With their mean prediction
    :math:`\tilde y` as the label of a row x (or averaged over labels, see `label`), the
    value of information is :math:`-\bar P \cdot \bar L`: over all pairs i, j of V,
    the models are trained on everything but i and j,
    :math:`P` is found from the loss at i alone and :math:`L` is the loss at j.
    For training, x is one of the rows trained on; for validation, one of V, and never
    trained on. If the largest value is one for training, that row is bought for T. Else
    a random row is bought for V: one that was chosen would not be a fair sample.
    Random rows are drawn from what is left, so V is slightly biased all the same.

    A candidate without `predict_proba` gets a sigmoid fitted on V (Platt's), within
    leave-two-out on what is left of V, and with fewer than 5 rows or a class missing
    :math:`1 / (1 + e^{-f})`. So has the chosen model in `predict_proba`; `predict` is
    its own.

    With "gram", transformers of a `Pipeline` are not trained again each time but once,
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
    ...     param_grid={"logisticregression__C": [0.01, 1.0, 100.0]},
    ...     n_candidates=20, budget=30, random_state=0,
    ... ).fit(X[:400], y[:400])
    >>> print(f"{learner.score(X[400:], y[400:]):.2f}", learner.best_params_)
    0.97 {'logisticregression__C': 100.0}
    """

    #: Whether models could not be trained together, and are refitted instead.
    _gave_up = False

    best_index_: int
    best_params_: dict[str, Any]
    model_names_: list[str]
    voi_history_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        param_grid: ParamGrid | None = None,
        estimators: Estimators | None = None,
        voi: Literal["auto", "gram", "refit"] = "auto",
        label: Literal["predicted", "expected"] = "predicted",
        n_candidates: int | None = None,
        n_pairs: int | None = None,
        loss: Literal["log_loss", "brier"] | Callable[..., Any] = "log_loss",
        temperature: float | None = None,
        pairing: Literal["averaged", "paired"] = "averaged",
        selection: Literal["cv", "validation", "leave_one_out"] = "cv",
        cv: int = 5,
        n_initial: int = 10,
        batch_size: int = 1,
        explore: float = 0.0,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.estimators = estimators
        self.voi = voi
        self.label = label
        self.n_candidates = n_candidates
        self.n_pairs = n_pairs
        self.loss = loss
        self.temperature = temperature
        self.pairing = pairing
        self.selection = selection
        self.cv = cv
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.explore = explore
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def allocation_(self) -> Labels:
        """What each label is for, in the order in which they were taught."""
        return self._allocation().names

    @property
    def labeled_indices_(self) -> dict[str, RowNumbers]:
        """Rows of the pool whose labels were bought, for each of the two sets."""
        return self._allocation().divided(self._ledger.rows[self._ledger.taught])

    @property
    def model_probabilities_(self) -> Floats:
        """How probable each candidate was before each of these rounds, and is now."""
        check_is_fitted(self, "best_index_")
        rounds = [past.probabilities for past in self._past]
        return np.array([*rounds, self._trained.memory])

    @property
    def best_estimator_(self) -> Any:
        """The model that predicts: `estimator_`."""
        return self.estimator_

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
        model, X = self._model(), self._rows_to_predict(X)
        model = self._allocation().calibrated(model, self.classes_)
        return self._probabilities(model, X)

    def _follows_from_labels(self):
        return False  # it tells labels for training from those for validation

    def _allocation(self):
        return Allocation.of(self._ledger.labelled, self._ledger)

    def _is_cold_start(self, n_first):
        return n_first > 0 or not self._allocation().is_enough

    def _start(self, X, rows, n_wanted, seed):
        return in_turn(draw_rows(rows, n_wanted, seed), self.n_queries_)

    def _make_trainer(self):
        given = self.estimator, self.param_grid, self.estimators
        gave_up = self.voi == "auto" and self._gave_up
        return ALMSTrainer(
            candidate_set(*given, DEFAULT_GRID),
            voi="refit" if gave_up else self.voi,
            loss=self.loss,
            temperature=self.temperature,
            selection=self.selection,
            cv=self.cv,
            n_jobs=self.n_jobs,
        )

    def _passive_baseline(self):
        return passive_baseline(self)

    def _why_in_memory(self, trainer):
        return NEEDS_SAMPLE if self.n_candidates is None else ""

    def _check_parameters(self):
        super()._check_parameters()
        check_option(self.pairing, "pairing", ("averaged", "paired"))
        check_option(self.label, "label", ("predicted", "expected"))
        for name in ("n_candidates", "n_pairs"):
            check_limit(getattr(self, name), name, 1)

    def _reset(self):
        super()._reset()
        self.voi_history_, self._past, self._gave_up = np.empty((0, 2)), (), False

    def _replace_classes(self, classes):
        self._make_trainer().check_number_of(classes)
        super()._replace_classes(classes)

    def _select(self, X, rows, n_wanted, seed):
        return self._or_refitted(self._most_valuable, X, rows, n_wanted, seed)

    def _most_valuable(self, X, rows, n_wanted, seed):
        names = ("n_candidates", "n_pairs", "batch_size", "pairing", "label")
        options = {name: getattr(self, name) for name in names}
        options["may_be_few"] = self.voi == "auto"
        bought, values = most_valuable(
            self._make_trainer(), Known.of(self), X, rows, n_wanted, seed, **options
        )
        self.voi_history_ = np.vstack([self.voi_history_, values])
        now = Round(self.model_names_, self._trained.memory)
        self._past = (*self._past, now)
        return bought

    def _train(self):
        self._or_refitted(super()._train)
        if self._past and self._past[-1].names != self.model_names_:
            self._past = ()

    def _or_refitted(self, step, *args):
        """Take a step; if ``voi="auto"`` fails, take it again with refitted models."""
        try:
            return step(*args)
        except NotSolved:
            shares = self._make_trainer().shares(Known.of(self))
            if self.voi != "auto" or not shares:
                raise
            warn_user(
                "Some logistic regressions could not be trained together; they are "
                "refitted from now on, which takes much longer. Scale the features.",
            )
            self._gave_up = True
            return step(*args)
