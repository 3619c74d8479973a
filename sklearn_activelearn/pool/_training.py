"""How a learner makes its model from the rows that have labels."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn import config_context, metrics
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags

from .._base import has_plain_parameters, unfitted_copy
from .._labels import encode
from .._typing import Classifier, Labels, RowsLike
from .._validation import check_flag, check_number
from ..sources._containers import take
from ._input_checks import check_classifier, check_has, check_pool, common_input_tags
from ._ledger import Labelled, Pool
from ._utilities import log_loss, probabilities_of_all

if TYPE_CHECKING:
    from ._base import PoolClassifier


class Known(NamedTuple):
    """What there is to train on.

    Attributes
    ----------
    prototypes : list of classifier
        Clones of the trainer's `estimators` with seeds, to be cloned again.
    labelled : object
        ``labelled.rows`` are the rows that were taught, in order, in the user's
        container; ``labelled.codes`` the numbers of their labels in `classes`.
    purposes : ndarray of str of shape (n_labelled,)
        What each label was bought for; "" to learn from.
    classes : ndarray of shape (n_classes,)
        All labels that are known.
    pool : object
        ``pool.X`` are all rows, if the trainer keeps the pool, and ``pool.unlabelled``
        the numbers of those without labels.
    n_before : int
        Labels that the model before was trained on.
    seed : int
        For what the trainer draws itself.
    """

    prototypes: list[Any]
    labelled: Labelled
    purposes: Labels
    classes: Labels
    pool: Pool
    n_before: int
    seed: int

    @property
    def labels(self) -> Labels:
        """The labels of the rows that were taught."""
        return self.classes[self.labelled.codes]

    @classmethod
    def of(cls, learner: "PoolClassifier") -> Self:
        """Return what a pool learner knows."""
        ledger = learner._ledger
        return cls(
            learner._prototypes,
            learner._labelled,
            ledger.purposes[ledger.taught],
            learner.classes_,
            learner._pool,
            learner._n_trained,
            learner._seed,
        )


class Trained(NamedTuple):
    """What a training leaves.

    Attributes
    ----------
    model : classifier
        What predicts: the learner's ``estimator_``. It has `classes_`.
    attributes : dict
        Further fitted attributes of the learner, by name.
    memory : object
        What the trainer wants to find again in ``before.memory``.
    has_ended : bool
        Whether no further labels are wanted, if ``why_ended()`` says why.
    """

    model: Any
    attributes: dict[str, Any] = {}
    memory: Any = None
    has_ended: bool = False


class Trainer:
    """Base of the trainers: how a pool learner makes its model from labelled rows.

    A trainer holds parameters only. A subclass sets `estimators` and provides
    ``train(known, before)``. A learner returns its trainer from ``_make_trainer()``.

    Attributes
    ----------
    estimators : list of classifier
        Unfitted; rows must suit all of them.
    keeps_pool : bool
        Whether it learns from rows without labels, too.
    goes_on : bool
        Whether a model depends on those before it, and not on its labels alone.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 2.3.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn_activelearn.pool import Trained, Trainer
    >>> class LastLabels(Trainer):
    ...     def __init__(self, estimator, n_labels):
    ...         self.estimators, self.n_labels = [estimator], n_labels
    ...
    ...     def train(self, known, before):
    ...         last = slice(-self.n_labels, None)
    ...         model = clone(known.prototypes[0])
    ...         return Trained(model.fit(known.labelled.rows[last], known.labels[last]))
    """

    estimators: Sequence[Any]
    keeps_pool: bool = False
    goes_on: bool = False

    def train(self, known: Known, before: Trained | None) -> Trained:
        """Return a model of what is known.

        Parameters
        ----------
        known : Known
            What there is to train on: labels of two classes or more.
        before : Trained or None
            What it returned last, None for nothing; left as it is.

        Returns
        -------
        trained : Trained
            The model, and what else is left.
        """
        raise NotImplementedError(f"{type(self).__name__} needs train(known, before).")

    def check(self) -> None:
        """Raise if a parameter is out of its range, or an estimator will not do."""
        for estimator in self.estimators:
            check_classifier(estimator)

    def models(self) -> Sequence[Any]:
        """Return what has the methods that the model will have."""
        return self.estimators

    def check_rows(
        self, learner: "PoolClassifier", X: RowsLike, *y: ArrayLike, **how: Any
    ) -> Any:
        """Return rows, and labels if given any, as `check_pool` does."""
        return check_pool(learner, self.estimators, X, *y, **how)

    def adapt_tags(self, tags: Any) -> None:
        """Tell in the tags of a learner what its estimators can do."""
        tags.input_tags = common_input_tags(self.estimators)
        tags.classifier_tags = get_tags(self.estimators[0]).classifier_tags
        tags.classifier_tags.multi_label = False

    def why_ended(self) -> str | None:
        """Return why no labels are wanted after `has_ended`, None if they are."""


class OneModel(Trainer):
    """Trains one estimator on all labels, or goes on from the last model.

    Parameters
    ----------
    estimator : classifier
        What to train.
    incremental : bool, default=False
        Whether new labels are taught by its `partial_fit`.

    Raises
    ------
    TypeError, ValueError
        From the learner that has it, for what is no classifier, or cannot be taught
        incrementally.

    References
    ----------
    .. [1] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, 2009, Section 2.3.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_activelearn.pool import OneModel
    >>> print(OneModel(GaussianNB()).estimators)
    [GaussianNB()]
    """

    def __init__(self, estimator: Classifier, incremental: bool = False):
        self.estimators, self.incremental = [estimator], incremental

    def check(self) -> None:
        """Refuse an estimator that cannot be taught incrementally, if it shall be."""
        super().check()
        (estimator,) = self.estimators
        if check_flag(self.incremental, "incremental") and not hasattr(
            estimator, "partial_fit"
        ):
            raise TypeError(
                f"incremental=True needs an estimator with partial_fit, which "
                f"{estimator} lacks."
            )

    @property
    def goes_on(self) -> bool:
        """Whether it goes on from the last model."""
        return self.incremental or starts_warm(*self.estimators)

    def train(self, known: Known, before: Trained | None) -> Trained:
        """Return the next model; the present one is copied before it goes on."""
        (prototype,), labelled = known.prototypes, known.labelled
        classes = known.classes
        present = before.model if before and self.goes_on else None
        if present is not None and not same_settings(present, prototype):
            present = None  # the user has changed the estimator
        if self.incremental:
            goes_on = present is not None and np.array_equal(present.classes_, classes)
            start = known.n_before if goes_on else 0
            model = deepcopy(present) if goes_on else unfitted_copy(prototype)
            rows = take(labelled.rows, slice(start, None))
            labels = classes[labelled.codes[start:]]
            return Trained(model.partial_fit(rows, labels, classes=classes))
        if present is not None and keeps_its_solution(present):
            seen = classes[np.unique(labelled.codes)]
            if np.array_equal(present.classes_, seen):
                labels = classes[labelled.codes]
                return Trained(deepcopy(present).fit(labelled.rows, labels))
        # its parameters passed scikit-learn's checks when it was trained before; an
        # estimator with others inside may try parameters that did not
        is_known = before is not None and before.memory is prototype
        is_checked = is_known and has_plain_parameters(prototype)
        with config_context(skip_parameter_validation=is_checked or None):
            return Trained(train(prototype, labelled, classes), memory=prototype)


def seeded(estimator, seed):
    """Return a clone that draws the same random numbers whenever it is trained.

    A `random_state` that is no number is set, here and in nested estimators.
    """
    estimator = clone(estimator)
    seeds = {
        name: seed
        for name, value in estimator.get_params().items()
        if name.split("__")[-1] == "random_state" and not isinstance(value, Integral)
    }
    return estimator.set_params(**seeds)


def keeps_its_solution(model):
    """Whether training a model again goes on from its solution with all labels.

    With `warm_start`, models with coefficients do. Ensembles do not: they keep what
    was trained on fewer labels and would add to it.
    """
    return starts_warm(model) and (hasattr(model, "coef_") or hasattr(model, "coefs_"))


def starts_warm(estimator):
    """Whether an estimator has `warm_start`, and it is true."""
    return getattr(estimator, "warm_start", False) is True


def train(prototype, labelled, classes):
    """Return a clone that was trained on all rows."""
    return unfitted_copy(prototype).fit(labelled.rows, classes[labelled.codes])


def same_settings(first, second):
    """Whether two estimators are of one class with equal parameters."""
    return type(first) is type(second) and (
        joblib.hash(first.get_params()) == joblib.hash(second.get_params())
    )


def check_scoring(scoring, candidates):
    """Raise if it is no scoring, or a candidate lacks the probabilities it needs."""
    if not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            "scoring must be the name of a scikit-learn scorer or "
            f"scorer(estimator, X, y), got {scoring!r}."
        )
    if isinstance(scoring, str) and scoring not in metrics.get_scorer_names():
        raise ValueError(
            f"scoring={scoring!r} is not a scorer of scikit-learn; "
            "sklearn.metrics.get_scorer_names() lists them."
        )
    metrics.check_scoring(candidates[0], scoring)
    if scoring == "neg_log_loss":
        for candidate in candidates:
            hint = "Wrap it in sklearn.calibration.CalibratedClassifierCV."
            check_has("predict_proba", candidate, 'scoring="neg_log_loss"', hint)


def scorer_of(scoring, classes):
    """Return ``scorer(model, X, y)``, higher is better, for a name or the user's."""
    if scoring == "accuracy":
        return accuracy
    if scoring == "neg_log_loss":
        return partial(neg_log_loss, classes)
    return metrics.get_scorer(scoring)


def accuracy(model, X, y):
    """Share of right predictions."""
    return np.mean(model.predict(X) == y)


def neg_log_loss(classes, model, X, y):
    """Minus the mean log loss; the model and the rows may not know all classes."""
    p = probabilities_of_all(model, X, classes)
    return -log_loss(encode(y, classes), p).mean()


def cv_scores(prototypes, labelled, classes, scorers, cv, n_jobs):
    """Return the scores of candidates in K-fold cross-validation.

    The folds are those of `stratified_folds`; each counts as many rows as it has. With
    one row of the second largest class there is nothing to choose by, and all scores
    are 1; so are those of a candidate without a rival, which needs no validation.

    Returns
    -------
    scores : ndarray of shape (n_scorers, n_candidates)
        Higher is better.
    """
    fold, n_folds = stratified_folds(labelled.codes, cv)
    if n_folds < 2 or len(prototypes) == 1:
        return np.ones((len(scorers), len(prototypes)))
    labels = classes[labelled.codes]
    found = Parallel(n_jobs=n_jobs)(
        delayed(held_out_scores)(prototype, labelled.rows, labels, fold == k, scorers)
        for prototype in prototypes
        for k in range(n_folds)
    )
    found = np.reshape(found, (len(prototypes), n_folds, len(scorers)))
    if not np.isfinite(found).all():
        raise ValueError(
            f"scoring must be finite, got {found[~np.isfinite(found)][0]} in "
            f"cross-validation on {len(labels)} labels."
        )
    return np.einsum("pks,k->sp", found, np.bincount(fold)) / len(labels)


def held_out_scores(prototype, rows, labels, is_test, scorers):
    """Train on all folds but one, score that one."""
    training, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    model = clone(prototype).fit(take(rows, training), labels[training])
    given = take(rows, test), labels[test]
    return [scorer(model, *given) for scorer in scorers]


def middle_of_best(scores):
    """Return which candidate has the highest score, the middle one of equals.

    Candidates that nothing tells apart are neighbours in a grid, most often: the first
    of them would be the weakest penalty, or the strongest, by no more than the order
    in which the grid was written.
    """
    best = np.flatnonzero(np.isclose(scores, scores.max(), rtol=1e-9, atol=1e-12))
    return int(best[(len(best) - 1) // 2])


def stratified_folds(codes, n_folds):
    """Return the fold of each row, and how many folds there are.

    As many as are wanted, or fewer while the second largest class has fewer rows: each
    training set needs two classes.
    """
    n_folds = min(n_folds, np.sort(np.bincount(codes))[-2])
    fold = np.empty(len(codes), dtype=int)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n_folds
    return fold, n_folds


#: Folds, if there are labels enough.
N_FOLDS = 5

#: The logarithm of a temperature lies between minus this and this.
WIDEST = 10.0

#: No probability of a model is taken for smaller than this.
SMALLEST = 1e-12


class CalibratedModel(OneModel):
    """Trains one estimator on all labels, and finds its temperature.

    Parameters
    ----------
    estimator : classifier
        What to train.
    calibrate : bool
        Whether the temperature is another than 1.
    """

    def __init__(self, estimator, calibrate):
        super().__init__(estimator, incremental=False)
        self.calibrate = calibrate

    def train(self, known, before):
        """Return the model, with `temperature_`."""
        trained, temperature = super().train(known, before), 1.0
        if self.calibrate:
            given = known.labelled, known.classes
            temperature = temperature_of(known.prototypes[0], *given)
        return trained._replace(attributes={"temperature_": temperature})


def temperature_of(prototype, labelled, classes):
    """Return the temperature with the highest posterior density.

    The likelihood is that of the labels, predicted in stratified cross-validation; the
    logarithm of the temperature has a standard normal prior, which decides while
    labels are few. A fold on whose rows the estimator cannot be trained is left out.
    """
    fold, n_folds = stratified_folds(labelled.codes, N_FOLDS)
    if n_folds < 2:
        return 1.0
    scores = []
    for k in range(n_folds):
        try:
            scores.append(held_out_logits(prototype, labelled, classes, fold == k))
        except Exception:  # too few rows to train on, say
            continue

    def loss(log_temperature):
        parts = [
            log_softmax(logits / np.exp(log_temperature), axis=1)[
                np.arange(len(right)), right
            ].sum()
            for logits, right in scores
        ]
        return log_temperature**2 / 2 - sum(parts)

    found = minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded")
    return float(np.exp(found.x))


def held_out_logits(prototype, labelled, classes, is_test):
    """Return the logits of one fold of rows, and the columns of their classes.

    Rows of a class that the others do not have are left out.
    """
    training, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    seen = np.unique(labelled.codes[training])
    test = test[np.isin(labelled.codes[test], seen)]
    rows = take(labelled.rows, training)
    model = unfitted_copy(prototype).fit(rows, classes[labelled.codes[training]])
    logits = logits_of(model, take(labelled.rows, test))
    return logits, np.searchsorted(seen, labelled.codes[test])


def logit_method_of(model):
    """Return the name of the method that `logits_of` asks."""
    has_probabilities = hasattr(model, "predict_proba")
    return "predict_proba" if has_probabilities else "decision_function"


def logits_of(model, X):
    """Return scores of each class whose softmax are probabilities."""
    if logit_method_of(model) == "predict_proba":
        return np.log(np.maximum(model.predict_proba(X), SMALLEST))
    scores = model.decision_function(X)
    return np.column_stack([0 * scores, scores]) if scores.ndim == 1 else scores


@dataclass(frozen=True)
class CandidateSet:
    """The models to choose from.

    Parameters
    ----------
    names : list of str
        What they are called.
    settings : list of dict
        What the grid sets in each.
    given : list of classifier
        Each before that.
    """

    names: list
    settings: list
    given: list

    @cached_property
    def estimators(self):
        """The candidates, unfitted."""
        return [
            clone(estimator).set_params(**params) if params else estimator
            for estimator, params in zip(self.given, self.settings, strict=True)
        ]


def candidate_set(estimator, param_grid, estimators, default_grid=None):
    """Return the candidates that a learner's parameters describe.

    Parameters
    ----------
    estimator, param_grid, estimators
        As for the learners.
    default_grid : dict or None
        The grid if nothing is given.
    """
    if estimators is not None:
        if estimator is not None or param_grid is not None:
            raise ValueError(
                "Pass either estimators, or estimator and param_grid, not both."
            )
        try:
            names, candidates = zip(*estimators, strict=True)
        except (TypeError, ValueError):
            raise ValueError(
                "estimators must be a list of (name, classifier), at least one, got "
                f"{estimators!r}."
            ) from None
        if len(set(names)) < len(names):
            raise ValueError(f"estimators has a name twice: {list(names)}.")
        return CandidateSet(list(names), [{}] * len(names), list(candidates))
    if estimator is None and param_grid is None:
        param_grid = default_grid
    estimator = LogisticRegression() if estimator is None else estimator
    if param_grid is None:
        return CandidateSet([type(estimator).__name__], [{}], [estimator])
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no candidate: {param_grid!r}.")
    names = [str(params) for params in settings]
    return CandidateSet(names, settings, [estimator] * len(names))


class CandidateTrainer(Trainer):
    """Trains candidates; the best in cross-validation is the model.

    Parameters
    ----------
    candidates : CandidateSet
        What to train.
    cv, scoring, n_jobs
        As for `PassiveClassifier`.
    trains_all : bool
        Whether the others are trained on all labels, too, and vote.
    """

    def __init__(self, candidates, *, cv, scoring, n_jobs, trains_all):
        self.candidates = candidates
        self.cv, self.scoring = cv, scoring
        self.n_jobs, self.trains_all = n_jobs, trains_all

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    def check(self):
        """Raise if a parameter is out of its range, or a candidate cannot be scored."""
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_scoring(self.scoring, self.estimators)

    def train(self, known, before):
        """Return the best candidate, from scratch."""
        rows = known.labelled, known.classes
        scorings = [self.scoring, *(["accuracy"] if self.trains_all else [])]
        scores, *accuracies = cv_scores(
            known.prototypes,
            *rows,
            [scorer_of(scoring, known.classes) for scoring in scorings],
            self.cv,
            self.n_jobs,
        )
        best = middle_of_best(scores)
        attributes = {
            "model_names_": self.candidates.names,
            "cv_scores_": scores,
            "best_index_": best,
        }
        if not self.trains_all:
            return Trained(train(known.prototypes[best], *rows), attributes)
        models = [train(prototype, *rows) for prototype in known.prototypes]
        (votes,) = accuracies
        votes = votes if votes.any() else votes + 1
        attributes |= {"estimators_": models, "vote_weights_": votes / votes.sum()}
        return Trained(models[best], attributes)
