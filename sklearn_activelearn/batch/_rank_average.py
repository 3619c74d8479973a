"""The rank average of several classifiers."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from ..base._coded_classifiers import fit_on_labels
from ..base._scores import score_of_class
from ..base._validation import InputForm, check_pool
from ..sources._containers import to_memory
from ..utils.typing import Estimators, Floats, Labels, RowsLike
from ._members import CombinedClassifier


class RankAverageClassifier(CombinedClassifier):
    r"""Classifier of two classes that averages the ranks of other classifiers' scores.

    Scores of different models have different scales; ranks have one scale. A row that
    several models rank first comes before a row that only one of them ranks first.

    Parameters
    ----------
    estimators : list of (str, classifier), default=None
        The members with their names. Each has `decision_function` or `predict_proba`.
        Cloned, never changed. None: a linear SVM and a logistic regression, both
        balanced.

    Attributes
    ----------
    estimators_ : list of classifier
        The members, trained.

    named_estimators_ : dict
        The same by name.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of X have string names.

    Raises
    ------
    ValueError, TypeError
        From `fit`: no members, two of one name, one without scores, labels of one class
        or of more than two, and whatever a member refuses. From all methods: scores of
        a member that are NaN or infinite.

    See Also
    --------
    RelevanceSamplingClassifier : Uses the ranks among the rows that may be bought.

    Notes
    -----
    `decision_function` ranks a row among the rows of `fit`, so that its value does not
    depend on the other rows of the call. With :math:`s_k` the score of member k and
    :math:`F_k` the share of the rows of `fit` with lower scores, interpolated linearly:

    .. math:: f(x) = \frac{1}{K} \sum_{k=1}^K \bigl( F_k(s_k(x)) - F_k(0) \bigr).

    It is positive where the members predict the second class.

    References
    ----------
    .. [1] J. A. Aslam, M. Montague, "Models for Metasearch", SIGIR 2001, section 3
       (Borda fuse).

    Examples
    --------
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from sklearn_activelearn import RankAverageClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> half = make_column_transformer(("passthrough", slice(0, 32)))
    >>> members = [("upper half", make_pipeline(half, LinearSVC(C=0.01))),
    ...            ("all", LinearSVC(C=0.01))]
    >>> model = RankAverageClassifier(members).fit(X[:900], y[:900] == 8)
    >>> print(f"accuracy {model.score(X[900:], y[900:] == 8):.2f}")
    accuracy 0.94
    """

    def __init__(self, estimators: Estimators | None = None):
        self.estimators = estimators

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _default_members(self):
        svm = LinearSVC(C=0.1, class_weight="balanced", random_state=0)
        logistic = LogisticRegression(class_weight="balanced")
        return [("svm", svm), ("logistic", logistic)]

    def fit(self, X: RowsLike, y: ArrayLike) -> Self:
        """Train the members.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the members take
            Rows.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self : object
            The classifier.

        Raises
        ------
        ValueError, TypeError
            For no members, two of one name, one without finite scores, labels of one
            class or of more than two, and whatever a member refuses.
        """
        names, members = self._checked_members()
        X, y, classes, _ = self._check_training(members, X, y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}."
            )
        members = [fit_on_labels(clone(member), X, y) for member in members]
        self.classes_, self.estimators_ = classes, members
        self.named_estimators_ = dict(zip(names, members, strict=True))
        self._scales = [*map(scale_of, scores_by(self.named_estimators_, X).T)]
        return self

    def decision_function(self, X: RowsLike) -> Floats:
        """Return mean ranks among the rows of `fit`, as shares of these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the members take
            Rows.

        Returns
        -------
        ranks : ndarray of shape (n_samples,)
            Mean rank, less the mean rank of a score of 0.
        """
        check_is_fitted(self, "estimators_")
        form = InputForm.of(self.estimators_)
        X = check_pool(self, form, X, reset=False, min_rows=1)
        scores = scores_by(self.named_estimators_, to_memory(X))
        ranks = [
            shares_on(scale, own) - shares_on(scale, 0.0)
            for scale, own in zip(self._scales, scores.T, strict=True)
        ]
        return np.mean(ranks, axis=0)

    def predict(self, X: RowsLike) -> Labels:
        """Return the second class where `decision_function` is positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the members take
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Classes.
        """
        is_second = self.decision_function(X) > 0
        return self.classes_[is_second.astype(int)]


def scores_by(members, X):
    """Return the scores of trained members, given by name, a column for each."""
    columns = []
    for name, member in members.items():
        columns.append(score_of_class(member, X, 1))
        if not (is_finite := np.isfinite(columns[-1])).all():
            row = int(is_finite.argmin())
            raise ValueError(
                f"Scores must be finite, got {columns[-1][row]} for row {row} from the "
                f"member {name!r}. Leave it out, or scale the features."
            )
    return np.column_stack(columns)


def scale_of(scores):
    """Return distinct scores and the share of lower scores, as rows of an array."""
    values, counts = np.unique(scores, return_counts=True)
    return np.array([values, (np.cumsum(counts) - counts / 2) / len(scores)])


def shares_on(scale, scores):
    """Return the share of lower scores, interpolated and extrapolated linearly."""
    values, shares = scale
    inside = np.clip(scores, values[0], values[-1])
    width = values[-1] - values[0]
    slope = 1 / width if width > 0 else 1.0
    return np.interp(inside, values, shares) + slope * (scores - inside)


#: Files name it by its public path.
RankAverageClassifier.__module__ = "sklearn_activelearn.batch"
