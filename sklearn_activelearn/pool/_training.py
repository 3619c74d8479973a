"""Training of pool learners: what a trainer learns from, trainers, and candidates."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn import config_context, get_config, metrics
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from ..base._coded_classifiers import fit_on_labels
from ..base._labels import encode, stratified_folds
from ..base._parameters import (
    check_classifier,
    check_has,
    check_number,
    has_plain_parameters,
)
from ..base._scores import (
    label_probabilities,
    predict_labels,
    probabilities_of_all,
)
from ..base._transaction import shallow_copy
from ..base._validation import (
    InputForm,
    check_metadata,
    check_pool,
    check_scale,
    common_input_tags,
)
from ..base._verbs import unfitted_copy
from ..batch import BlendClassifier
from ..batch._blend import fit_scaler
from ..sources._containers import n_rows, take, to_memory
from ..sources._source import Source
from ..utils._compat import (
    cached_property,
)
from ..utils.typing import Classifier, Labels, RowsLike
from ._ledger import KeptPool, Labelled

#: Logarithms of probabilities are taken of no smaller number.
EPS = np.finfo(np.float64).eps

#: Squares of smaller numbers are 0, or have few digits.
SMALLEST_SCALE = np.sqrt(np.finfo(np.float64).tiny)

#: Number of random pool rows that scale the default model, and a number that makes this
#: draw differ from other draws.
MOST_SCALED, SCALE = 2_000, 5


class Known(NamedTuple):
    """Labelled rows and whatever else a trainer may learn from.

    Attributes
    ----------
    prototypes : list of classifier
        Clones of the trainer's `estimators` with seeds. Clone them before training.
    labelled : object
        ``labelled.rows`` are the labelled rows, in the order of teaching and in the
        user's container; ``labelled.codes`` are the numbers of their labels in
        `classes`.
    purposes : ndarray of str of shape (n_labelled,)
        Purpose of each label; "" for training.
    classes : ndarray of shape (n_classes,) or (n_sets, n_labels)
        All known classes, or the label sets that rows have, if they have several
        labels.
    pool : object
        If the trainer keeps the pool, ``pool.X`` are all rows, and ``pool.unlabelled``
        the numbers of the rows without a label.
    n_before : int
        Number of labels with which the previous model was trained.
    seed : int
        Seed of the trainer's random numbers.
    label_names : ndarray of shape (n_labels,) or None
        Names of several labels for a row, for warnings.
    scaler : StandardScaler or None
        Fitted on the pool, for a default blend. None: the labelled rows scale
        themselves, as long as no pool is known that has at least as many rows.
    """

    prototypes: list[Any]
    labelled: Labelled
    purposes: Labels
    classes: Labels
    pool: KeptPool
    n_before: int
    seed: int
    label_names: Labels | None = None
    scaler: Any = None

    @property
    def labels(self) -> Labels:
        """The labels of the labelled rows."""
        return self.classes[self.labelled.codes]


class Trained(NamedTuple):
    """Result of a training.

    Attributes
    ----------
    model : classifier
        The learner's ``estimator_``, which predicts. It has `classes_`.
    attributes : dict
        Further fitted attributes of the learner, by name.
    memory : object
        The trainer finds it again in ``before.memory``.
    rule_model : object
        Object that the query rule asks for utilities; None: the model.
    """

    model: Any
    attributes: dict[str, Any] = {}
    memory: Any = None
    rule_model: Any = None

    @property
    def asked(self) -> Any:
        """The object that the query rule asks."""
        return self.model if self.rule_model is None else self.rule_model


class Trainer:
    """Base class of trainers, which make the model of a pool learner from its labels.

    A trainer holds parameters only. A subclass sets `estimators` and provides
    ``train(known, before)``. A learner returns its trainer from ``make_trainer()``.

    Attributes
    ----------
    estimators : list of classifier
        Unfitted classifiers; rows must suit all of them.
    keeps_pool : bool
        True if it learns from rows without labels, too.
    goes_on : bool
        True if a model depends on the models before it, not on its labels alone.
    takes_metadata : bool
        True if it passes ``labelled.metadata``, such as ``sample_weight``, to `fit` of
        its estimators.
    is_default : bool
        True if the user has given no estimator. Rows with numbers that the default
        cannot learn from are then refused.

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
    takes_metadata: bool = False
    is_default: bool = False

    @property
    def follows_from_labels(self) -> bool:
        """True if the model follows from the labels and their order alone."""
        return not (self.goes_on or self.keeps_pool)

    def train(self, known: Known, before: Trained | None) -> Trained:
        """Train a model on the known labels.

        Parameters
        ----------
        known : Known
            Labelled rows of two or more classes.
        before : Trained or None
            The last result, None for the first training. It must not be changed.

        Returns
        -------
        trained : Trained
            The model and further results.
        """
        raise NotImplementedError(f"{type(self).__name__} needs train(known, before).")

    def for_pool(self, known: Known, trained: Trained) -> Trained:
        """Return the result of a training for the present pool, before a query.

        Parameters
        ----------
        known : Known
            Labelled rows and, if the trainer keeps the pool, the pool.
        trained : Trained
            Last result.

        Returns
        -------
        trained : Trained
            The same result, or one with what the rule needs to know of the pool.
        """
        return trained

    def check(self) -> None:
        """Raise if a parameter is outside its range, or an estimator unsuitable."""
        for estimator in self.estimators:
            # a blend of unsuitable candidates has no tags that could be checked
            if isinstance(estimator, BlendClassifier):
                estimator.check_parameters()
            check_classifier(estimator, several_labels=True)

    def check_scale(self, X: RowsLike, names: Labels | None) -> None:
        """Refuse numbers with which the solver of a default estimator may not end."""
        check_scale(X, names)
        is_read = hasattr(X, "dtype") and not isinstance(X, Source)
        if not is_read or X.dtype.kind != "f" or not n_rows(X):
            return
        largest = max(X.max(), -X.min())  # no copy
        if isinstance(self.estimators[0], LinearSVC) and 0 < largest < SMALLEST_SCALE:
            raise ValueError(
                f"The largest number in X is {largest:.0e}: squares of such features "
                "are 0, and LinearSVC may not end. Scale the features."
            )

    @property
    def needs_scaler(self) -> bool:
        """True if an estimator is a blend of the default candidates."""
        blends = [e for e in self.estimators if isinstance(e, BlendClassifier)]
        return any(blend.estimators is None for blend in blends)

    def fit_scaler(self, X: RowsLike, seed: int) -> Any:
        """Return what scales a pool for a blend of the default candidates, or None.

        It is fitted to random rows of a large pool. The next training on more labels
        uses it. A model that is trained stays as it is, because a query changes no
        predictions.
        """
        if issparse(X) or not n_rows(X):
            return None
        if n_rows(X) > MOST_SCALED:
            rng = np.random.default_rng((seed, 0, SCALE))
            some = rng.choice(n_rows(X), MOST_SCALED, replace=False, shuffle=False)
            X = take(X, np.sort(some))
        return fit_scaler(to_memory(X))

    @cached_property
    def input_form(self) -> InputForm:
        """Form of the rows that the estimators take."""
        return InputForm.of(self.estimators)

    def models(self) -> Sequence[Any]:
        """Return objects that have the methods of the future model."""
        return self.estimators

    def check_rows(
        self, learner: Classifier, X: RowsLike, *y: ArrayLike, **how: Any
    ) -> Any:
        """Return validated rows, and labels if there are any."""
        return check_pool(learner, self.input_form, X, *y, **how)

    def adapt_tags(self, tags: Any) -> None:
        """Set the tags of a learner to the abilities of its estimators."""
        tags.input_tags = common_input_tags(self.estimators)
        found = get_tags(self.estimators[0]).classifier_tags
        tags.classifier_tags = found or tags.classifier_tags  # None: no classifier
        for estimator in self.estimators:
            single_output = get_tags(estimator).target_tags.single_output
            tags.target_tags.single_output &= single_output


class OneModel(Trainer):
    """Trainer of one estimator on all labels.

    Parameters
    ----------
    estimator : classifier or None
        The estimator. None: `default`.
    default : classifier, default=None
        The estimator to use if `estimator` is None. None: ``LogisticRegression()``.

    Raises
    ------
    TypeError, ValueError
        When the learner is used: if the estimator is not a classifier.

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

    takes_metadata = True

    def __init__(
        self,
        estimator: Classifier | None,
        default: Classifier | None = None,
    ):
        self.is_default = estimator is None
        if estimator is None:
            estimator = LogisticRegression() if default is None else default
        self.estimators = [estimator]

    @property
    def goes_on(self) -> bool:
        """True if a training goes on from the last model."""
        (estimator,) = self.estimators
        return getattr(estimator, "warm_start", False) is True

    def train(self, known: Known, before: Trained | None) -> Trained:
        """Return the next model; the last one is copied before it goes on."""
        (prototype,), classes = known.prototypes, known.classes
        labelled, last = known.labelled, before.model if before else None
        if before and self.goes_on:
            present = classes[np.unique(labelled.codes)]
            if can_continue(last, prototype, present):
                model = fit_with(deepcopy(last), labelled, classes, known.label_names)
                return Trained(model)
        if hasattr(prototype, "fit_in_order"):
            return Trained(train(known, prototype, last))
        is_plain = has_plain_parameters(prototype)
        model = shallow_copy(prototype) if is_plain else clone(prototype)
        # parameters without other estimators passed scikit-learn's checks before
        is_checked = is_plain and before is not None and before.memory is prototype
        with config_context(skip_parameter_validation=is_checked or None):
            model = fit_with(model, labelled, classes, known.label_names)
            return Trained(model, memory=prototype)


def train(known, prototype, previous=None):
    """Return a clone trained on all labelled rows; `previous` may save time."""
    rows, names = known.labelled.rows, known.label_names
    if hasattr(prototype, "fit_in_order"):
        model = clone(prototype)
        given = rows, known.labels, previous, names
        weights = requested(model, known.labelled.metadata)
        return model.fit_in_order(*given, known.scaler, **weights)
    model = unfitted_copy(prototype)
    return fit_with(model, known.labelled, known.classes, names)


def held_out_models(trainer, known, trained, parts):
    """Yield models that are trained on parts of a learner's labels.

    A blend's weights come from all labels, because finding them takes ten times as long
    as training with them.

    Parameters
    ----------
    trainer : Trainer
        Trainer whose model follows from its labels.
    known : Known
        All labels.
    trained : Trained or None
        Last result of the trainer.
    parts : iterable of ndarray of int
        Positions of labels of two or more classes, in the order of teaching.
    """
    blend = None
    if type(trainer) is OneModel and hasattr(known.prototypes[0], "refit"):
        is_trained = known.n_before == len(known.labelled)
        blend = (trained if is_trained else trainer.train(known, trained)).model
    for positions in parts:
        part = known.labelled.part(positions)
        if blend is not None:
            weights = requested(blend, part.metadata)
            yield blend.refit(part.rows, known.classes[part.codes], **weights)
        else:
            purposes = known.purposes[positions]
            here = known._replace(labelled=part, purposes=purposes)
            yield trainer.train(here, None).model


def fit_with(model, labelled, classes, label_names=None):
    """Fit a model on labelled rows, with the metadata that it requests."""
    rows, labels = labelled.rows, classes[labelled.codes]
    if labelled.metadata:
        with config_context(enable_metadata_routing=True):  # in other processes, too
            metadata = requested(model, labelled.metadata)
            return fit_on_labels(model, rows, labels, label_names, **metadata)
    return fit_on_labels(model, rows, labels, label_names)


def requested(model, metadata):
    """Return the metadata that `fit` of a model requests."""
    if not metadata:
        return {}
    with config_context(enable_metadata_routing=True):  # in other processes, too
        router = route_to_fit("learner", [model])
        return process_routing(router, "fit", **metadata).estimator_0.fit


def check_fit_params(estimators, given, n_rows):
    """Return values of rows for `fit` of the estimators, if they request them.

    Parameters
    ----------
    estimators : list of classifier
        Estimators of a trainer.
    given : dict
        Values of each row, by name.
    n_rows : int
        Number of rows.
    """
    if not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"{', '.join(given)} cannot reach the estimator: metadata routing is off. "
            "Call sklearn.set_config(enable_metadata_routing=True), and "
            "set_fit_request of the estimator."
        )
    for estimator in estimators:  # raises if not requested
        values = requested(estimator, given)
        if isinstance(get_routing_for_object(estimator), MetadataRouter):
            process_routing(estimator, "fit", **values)
    return {name: check_metadata(given[name], name, n_rows) for name in given}


def route_to_fit(owner, estimators):
    """Return a router from `fit` of the owner to `fit` of each estimator."""
    router = MetadataRouter(owner=owner)
    for number, estimator in enumerate(estimators):
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router.add(method_mapping=mapping, **{f"estimator_{number}": estimator})
    return router


def can_continue(model, prototype, classes):
    """Return True if a training may go on from a model.

    It has coefficients: an ensemble with ``warm_start`` would keep members that were
    trained on fewer labels. The user has not changed the estimator since, and the
    labels have the same classes.
    """
    has_coefficients = hasattr(model, "coef_") or hasattr(model, "coefs_")
    if not has_coefficients or type(model) is not type(prototype):
        return False
    settings = [joblib.hash(each.get_params()) for each in (model, prototype)]
    return settings[0] == settings[1] and np.array_equal(model.classes_, classes)


def check_scoring(scoring, candidates):
    """Refuse an unknown scoring, and candidates without the probabilities it needs."""
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
    """Return ``scorer(model, X, y)``, higher is better."""
    if scoring == "accuracy":
        return accuracy
    if scoring == "neg_log_loss":
        return partial(neg_log_loss, classes)
    return metrics.get_scorer(scoring)


def accuracy(model, X, y):
    """Return the share of right predictions; of label sets all must be right."""
    is_right = predict_labels(model, X) == y
    return np.mean(is_right if y.ndim == 1 else is_right.all(axis=1))


def neg_log_loss(classes, model, X, y):
    """Return minus the mean log loss, also if the model does not know all classes."""
    if y.ndim == 2:
        p = label_probabilities(model, X)
        return np.log(np.maximum(np.where(y, p, 1 - p), EPS)).mean()
    p = probabilities_of_all(model, X, classes)
    return np.log(np.maximum(p[np.arange(len(y)), encode(y, classes)], EPS)).mean()


def cv_scores(known, scorers, cv, n_jobs):
    """Return the scores of candidates in stratified K-fold cross-validation.

    Folds are weighted by their numbers of rows. All scores are 1 while the second
    largest class has one row, and for a single candidate, which needs no validation.

    Returns
    -------
    scores : ndarray of shape (n_scorers, n_candidates)
        Higher is better.
    """
    prototypes, labelled = known.prototypes, known.labelled
    fold, n_folds = stratified_folds(labelled.codes, cv, known.classes.ndim == 2)
    if n_folds < 2 or len(prototypes) == 1:
        return np.ones((len(scorers), len(prototypes)))
    found = Parallel(n_jobs=n_jobs)(
        delayed(held_out_scores)(
            prototype, labelled, known.classes, fold == k, scorers, known.label_names
        )
        for prototype in prototypes
        for k in range(n_folds)
    )
    found = np.reshape(found, (len(prototypes), n_folds, len(scorers)))
    if not np.isfinite(found).all():
        raise ValueError(
            f"scoring must be finite, got {found[~np.isfinite(found)][0]} in "
            f"cross-validation on {len(labelled)} labels."
        )
    return np.einsum("pks,k->sp", found, np.bincount(fold)) / len(labelled)


def held_out_scores(prototype, labelled, classes, is_test, scorers, label_names):
    """Train on all folds but one, and score on that one."""
    training, test = map(
        labelled.part, (np.flatnonzero(~is_test), np.flatnonzero(is_test))
    )
    model = fit_with(clone(prototype), training, classes, label_names)
    return [scorer(model, test.rows, classes[test.codes]) for scorer in scorers]


def middle_of_best(scores):
    """Return the position of the highest score, the middle one of equal scores.

    Equal candidates are mostly neighbours in a grid. The first one of them would be the
    weakest or the strongest penalty just because the grid was written in that order.
    """
    best = np.flatnonzero(np.isclose(scores, scores.max(), rtol=1e-9, atol=1e-12))
    return int(best[(len(best) - 1) // 2])


class CommitteeVotes(NamedTuple):
    """Models, and the weights of their votes, of sum 1."""

    models: list[Any]
    weights: np.ndarray


@dataclass(frozen=True)
class CandidateSet:
    """Models to choose from.

    Parameters
    ----------
    names : list of str
        Names of the candidates.
    settings : list of dict
        Parameters that the grid sets in each.
    given : list of classifier
        Each candidate without these parameters.
    is_default : bool
        True if the user has given no estimator.
    """

    names: list
    settings: list
    given: list
    is_default: bool = False

    @cached_property
    def estimators(self):
        """The candidates, unfitted."""
        return [
            clone(estimator).set_params(**params) if params else estimator
            for estimator, params in zip(self.given, self.settings, strict=True)
        ]


def candidate_set(estimator, param_grid, estimators, default_grid=None):
    """Return the candidates of a learner with these parameters.

    Parameters
    ----------
    estimator, param_grid, estimators
        As for the learners.
    default_grid : dict or None
        The grid if neither an estimator nor a grid is given.
    """
    if estimators is not None:
        if estimator is not None or param_grid is not None:
            raise ValueError(
                "Pass either estimators, or estimator and param_grid, not both."
            )
        try:
            names, candidates = zip(*estimators, strict=True)
        except (TypeError, ValueError, AttributeError):
            raise ValueError(
                "estimators must be a list of (name, classifier), at least one, got "
                f"{estimators!r}."
            ) from None
        if len(set(names)) < len(names):
            raise ValueError(f"estimators has a name twice: {list(names)}.")
        return CandidateSet(list(names), [{}] * len(names), list(candidates))
    if estimator is None and param_grid is None:
        param_grid = default_grid
    is_default = estimator is None
    estimator = LogisticRegression() if is_default else estimator
    if param_grid is None:
        names = [type(estimator).__name__]
        return CandidateSet(names, [{}], [estimator], is_default)
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no candidate: {param_grid!r}.")
    names = [str(params) for params in settings]
    return CandidateSet(names, settings, [estimator] * len(names), is_default)


class CandidateTrainer(Trainer):
    """Trainer of candidates; the best one in cross-validation is the model.

    Parameters
    ----------
    candidates : CandidateSet
        The candidates.
    cv, scoring, n_jobs
        As for `PassiveClassifier`.
    trains_all : bool
        True: train all candidates on all labels, and weigh their votes.
    """

    takes_metadata = True

    def __init__(self, candidates, *, cv, scoring, n_jobs, trains_all):
        self.candidates = candidates
        self.cv, self.scoring = cv, scoring
        self.n_jobs, self.trains_all = n_jobs, trains_all
        self.is_default = candidates.is_default

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    def check(self):
        """Raise if a parameter is outside its range, or a candidate has no score."""
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_scoring(self.scoring, self.estimators)

    def train(self, known, before):
        """Return the best candidate, trained from scratch."""
        scorings = [self.scoring, *(["accuracy"] if self.trains_all else [])]
        scores, *accuracies = cv_scores(
            known,
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
            previous = before.model if before else None
            model = train(known, known.prototypes[best], previous)
            return Trained(model, attributes)
        models = [train(known, prototype) for prototype in known.prototypes]
        (votes,) = accuracies
        votes = votes if votes.any() else votes + 1
        committee = CommitteeVotes(models, votes / votes.sum())
        attributes |= {"estimators_": models, "vote_weights_": committee.weights}
        return Trained(models[best], attributes, rule_model=committee)
