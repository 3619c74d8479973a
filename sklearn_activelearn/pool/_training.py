"""How a learner makes its model from the rows that have labels."""

from collections.abc import Sequence
from copy import deepcopy
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import get_tags

from .._beginning import is_plain, unfitted_copy
from .._containers import take
from .._typing import Classifier, Labels, RowsLike
from .._validation import check_flag
from ._input_checks import check_classifier, check_pool, common_input_tags
from ._labelled import Labelled
from ._pool import Pool

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
        ledger = learner._requests
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
        is_checked = is_known and is_plain(prototype)
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
