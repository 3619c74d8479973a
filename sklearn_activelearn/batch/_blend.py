"""A blend of classifiers of several kinds, weighted by cross-validation."""

from functools import cache
from typing import Any, Self
from warnings import catch_warnings

import joblib
import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import expit, softmax
from scipy.stats import entropy
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..base._coded_classifiers import fit_on_labels
from ..base._labels import classes_of, stratified_folds
from ..base._parameters import check_number
from ..base._scores import (
    LABEL_SET_SCORES,
    KnownPredictions,
    find_scorer,
    fit_temperature,
    label_probabilities,
    label_scores,
    score_method_of,
    scores_of,
)
from ..base._transaction import shallow_copy
from ..base._validation import InputForm, check_pool
from ..base._verbs import draw_seeds, seeded
from ..sources._containers import n_rows, take, to_memory
from ..utils._compat import BaseEstimator, ClassifierMixin
from ..utils.typing import Estimators, Floats, Labels, RowsLike, Scoring, Seed
from ._forests import QuickExtraTrees, QuickForest
from ._members import CombinedClassifier

#: Fewest rows from which weights are found. Fewer rows train the first candidate only.
FEWEST_ROWS = 20

#: From this number of rows on, a smaller skill says that labels are near chance. On
#: random labels it is smaller in nine of ten trainings, and with a larger number the
#: alarms that are false grow faster (`benchmarks.sets.chance`).
ROWS_TO_TELL, SMALLEST_SKILL = 80, 0.03

#: Candidates with a smaller weight are left out.
SMALLEST_WEIGHT = 0.03

#: Fewest rows from which weights are found that are good enough to choose rows.
FEWEST_TO_CHOOSE = 40

#: Number of steps of expectation maximisation that find the weights of the stack.
N_STEPS = 60

#: Smallest probability of a class according to a candidate without decision values, and
#: the probability of a label that no row had.
FLOOR = 0.005

#: Logits of the common threshold of several labels that are tried.
COMMON_THRESHOLDS = np.linspace(-4.0, 0.0, 11)

#: Rows with a label that make its own threshold count as much as the common one.
POSITIVES_TO_TRUST = 5

#: From this number of sparse rows on, a logistic regression uses the words themselves.
MOST_IN_SPAN = 1_000

#: Sparse rows with larger numbers are scaled for a logistic regression of all labels.
LARGE = 100

#: If one class has a larger share of the labels, the others are rare.
COMMON = 0.7


class BlendClassifier(CombinedClassifier):
    r"""Classifier that blends models of several kinds, for tens to hundreds of labels.

    With few labels nobody knows which kind of model suits them, and choosing one by
    cross-validation often chooses the wrong one. A weighted mean of calibrated
    probabilities is rarely worse than the best candidate by much, and often better.

    Parameters
    ----------
    estimators : list of (str, classifier), default=None
        Candidates with their names. Each has `decision_function` or `predict_proba`.
        Cloned, never changed. The first one is used alone while there are too few
        labels. None: for dense rows logistic regressions with ``C`` of 1, 0.1 and 100,
        support vector machines with ``C`` of 1 and 10, a random forest, and extremely
        randomised trees; for sparse rows logistic regressions with ``C`` of 10 and 1, a
        linear support vector machine, and, without negative values, complement naive
        Bayes. If more than 70 % of the labels are of one class, also models with
        ``class_weight="balanced"``. For several labels for a row: logistic regression,
        kernel ridge regression and, for dense rows, extremely randomised trees.
        Each is trained once for all labels. Columns of dense rows are standardised,
        unless they hold nothing but 0 and 1.

    cv : int >= 2, default=5
        Largest number of folds of the cross-validation.

    scoring : str or callable, default="f1_micro"
        Score for which the thresholds of several labels for a row are chosen: the name
        of a scorer of predicted labels, such as ``"f1_macro"``, ``"accuracy"`` or
        ``"neg_hamming_loss"``, or ``scorer(estimator, X, y)``, whose estimator can
        predict all rows of `X` at once and nothing else. Without effect on one label
        for each row.

    random_state : int, RandomState instance or None, default=None
        Seed of candidates without a seed.

    Attributes
    ----------
    estimators_ : list of classifier
        The members: candidates with a weight, trained on all rows as `scaler_` returns
        them.

    scaler_ : StandardScaler or None
        Scales the rows for the default candidates. None: rows are not scaled.

    member_names_ : list of str
        Their names.

    weights_ : ndarray of shape (n_members,)
        Their weights, of sum 1.

    temperatures_ : ndarray of shape (n_members,)
        Their scores are divided by these numbers.

    thresholds_ : ndarray of shape (n_labels,)
        Probabilities from which on each of several labels for a row is predicted, at
        most one half. Infinite for a label that no row had, 0 for one that all rows
        had. Empty for one label for each row.

    cv_log_losses_ : dict of str to float
        Log loss of each candidate in cross-validation, lower is better; balanced over
        the classes if one class has more than 70 % of the labels. NaN if there were too
        few rows, and for candidates whose scores are NaN or infinite.

    cv_skill_ : float
        Share of the log loss of the class frequencies that the blend removes in
        cross-validation: 1 for perfect probabilities, 0 for labels that are as
        uncertain as without the features. Balanced over the classes if one has more
        than 70 % of the labels. NaN if there were too few rows, and for several labels
        for a row.

    is_near_chance_ : bool
        True if ``cv_skill_`` comes from 80 rows or more and is less than 0.03: so far
        the labels are nearly as uncertain as without the features. They are noise, many
        are wrong, or the features do not say what is labelled.

    row_estimator_ : classifier
        The model with which `HybridSamplingClassifier` chooses rows: the first
        candidate while the weights come from fewer than 40 rows, or if more than 70 %
        of their labels are of one class, because balanced models find fewer rows of
        the other classes; else the blend itself.

    first_estimator_ : classifier
        The first candidate, trained on all rows. With it `HybridSamplingClassifier`
        looks for uncertain rows in a large pool, because it is quick by default; the
        blend chooses among the rows that it finds.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted; the numbers of the columns, if `y` is an indicator matrix.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of X have string names.

    Raises
    ------
    ValueError, TypeError
        From `fit`: no candidates, two of one name, one without scores, a parameter out
        of its range, labels of one class, and whatever a candidate refuses.

    See Also
    --------
    HybridSamplingClassifier : Buys labels for this model.
    sklearn.ensemble.StackingClassifier : Trains a further model on the predictions.

    Notes
    -----
    With :math:`s_m` the scores of candidate m (decision values, or logarithms of
    probabilities) and :math:`T_m` its temperature, the probabilities are

    .. math:: p(x) = \sum_m w_m \, \mathrm{softmax}(s_m(x) / T_m).

    Temperatures and weights come from one stratified cross-validation. A temperature
    minimises the log loss, with a normal prior of its logarithm. Weights are the mean
    of two: weights that maximise the likelihood of the mixture (60 steps of
    expectation maximisation), and equal weights for the best candidate of each class
    of estimators. Candidates with less than 3 %, or with scores that are NaN or
    infinite, are left out. If one class has more than 70 % of the labels, all classes
    weigh the same, and the probabilities of rare classes are often higher than their
    frequency.

    Of several labels for a row each is a problem of two classes. The members share
    temperatures and weights, which come from all labels of all rows together.
    With few labelled rows the
    probability of a label rarely passes one half, so each label has a threshold. On the
    held-out rows, :math:`t_0` is the threshold in common with the best `scoring`, and
    :math:`t_k` the one that predicts label k as often as its :math:`n_k` rows have it.
    The logits of the thresholds are

    .. math::

        \min\left(0, \frac{n_k \, \mathrm{logit}(t_k) + 5 \, \mathrm{logit}(t_0)}
        {n_k + 5}\right),

    so a label with one positive row has nearly the common threshold.

    While there are fewer than 20 rows, or the second largest class has one, the first
    candidate is the only member.

    References
    ----------
    .. [1] P. Smyth, D. Wolpert, "Linearly Combining Density Estimators via Stacking",
       Machine Learning 36, 1999 (the weights).
    .. [2] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural
       Networks", ICML 2017, section 4.2 (the temperature).
    .. [3] Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR
       2001 (thresholds that keep the share of a label, and tuned ones).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn_activelearn import BlendClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, train_size=90, random_state=0)
    >>> model = BlendClassifier(random_state=0).fit(X, y)
    >>> print(f"accuracy {model.score(X_test, y_test):.2f}")
    accuracy 0.90
    """

    _takes_label_sets = True

    cv_log_losses_: dict[str, float]
    cv_skill_: float
    is_near_chance_: bool
    estimators_: list[Any]
    member_names_: list[str]
    temperatures_: Floats
    thresholds_: Floats
    weights_: Floats

    def __init__(
        self,
        estimators: Estimators | None = None,
        *,
        cv: int = 5,
        scoring: Scoring = "f1_micro",
        random_state: Seed = None,
    ):
        self.estimators = estimators
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _default_members(self):
        return [("logistic regression", LogisticRegression(max_iter=1_000))]

    def fit(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the weights from all rows, and train the members on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.
        y : array-like of shape (n_samples,), or (n_samples, n_labels)
            Labels of two or more classes, or an indicator matrix of several labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0, for one label for each row. Each candidate
            is trained with them, and held-out rows count by them. A row of weight 0 is
            left out. None: all rows have the weight 1.

        Returns
        -------
        self : object
            The classifier.

        Raises
        ------
        ValueError, TypeError
            For no candidates, two of one name, one without scores, a parameter out of
            its range, labels of one class, and whatever a candidate refuses.
        """
        return self._fit(X, y, n_rows, sample_weight=sample_weight)

    def fit_in_order(
        self,
        X: RowsLike,
        y: ArrayLike,
        previous: "BlendClassifier | None" = None,
        label_names: Labels | None = None,
        scaler: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit on rows in the order in which they were labelled, again and again.

        The weights come from the first 20, 40, 80, ... rows, the largest of these
        numbers, so that they are not found again for each label. Pool learners call
        this instead of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        previous : BlendClassifier, default=None
            A blend that was fitted on some of the first rows. Its weights are taken
            over if they come from the same rows, labels and parameters, so that the
            result is the same without it.
        label_names : ndarray of shape (n_labels,), default=None
            Names of several labels for a row, for warnings. None: the columns of y.
        scaler : StandardScaler, default=None
            Scales the rows for the default candidates, fitted on more rows than the
            labelled ones. None: it is fitted on these.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0, for one label for each row. Each candidate
            is trained with them, and held-out rows count by them. A row of weight 0 is
            left out. None: all rows have the weight 1.

        Returns
        -------
        self : object
            The classifier.

        Raises
        ------
        ValueError, TypeError
            As `fit`.
        """
        given = previous, label_names, scaler, sample_weight
        return self._fit(X, y, n_doubled, *given)

    def check_parameters(self) -> list[Any]:
        """Raise if a parameter is outside its range; return unfitted candidates.

        Returns
        -------
        candidates : list of classifier
            Those of `estimators`, or one that takes the rows of the default candidates.

        Raises
        ------
        ValueError, TypeError
            For no candidates, two of one name, one without scores, or a wrong `cv`.
        """
        _, members = self._checked_members()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        if isinstance(self.scoring, str):
            check_name_of_label_set_score(self.scoring)
        else:  # a function may need the rows of `fit`
            find_scorer(self.scoring)
        return members

    def _fit(
        self, X, y, n_weighed_of, previous=None, label_names=None, scaler=None,
        sample_weight=None,
    ):  # fmt: skip
        checked = self.check_parameters()
        self._scaler = scaler
        X, y, classes, weights = self._check_training(checked, X, y, sample_weight)
        n = n_weighed_of(X)
        rows, labels = take(X, slice(n)), y[:n]
        of_rows = None if weights is None else weights[:n]
        (seed,) = draw_seeds(self.random_state, 1).tolist()
        # all rows decide on the default candidates, which are trained on all of them
        named = self.estimators or default_candidates(X, labels, of_rows)
        names = [name for name, _ in named]
        weighed = getattr(previous, "_weighed", (None,))
        settings = self.cv, self.scoring, self.estimators, names, scaler, of_rows
        key = hash_or_none(rows, labels, seed, *settings)
        if key is None or key != weighed[0]:
            candidates = [seeded(candidate, seed % 2**32) for _, candidate in named]
            scaled = scale(self._fit_scaler(rows, of_rows), rows)
            found = self._weigh_candidates(
                candidates, scaled, labels, label_names, of_rows
            )
            weighed = key, candidates, *found
        self._weighed = weighed
        self._row_takers = checked if self.estimators is None else weighed[1]
        self._is_first_needed = n < FEWEST_TO_CHOOSE or is_unequal(labels, of_rows)
        self.cv_log_losses_ = dict(zip(names, weighed[2].tolist(), strict=True))
        self.cv_skill_ = weighed[-1]
        self.is_near_chance_ = n >= ROWS_TO_TELL and self.cv_skill_ < SMALLEST_SKILL
        return self._train_members(X, y, classes, weights, label_names)

    def refit(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "BlendClassifier":
        """Train the members on other rows, and keep the weights.

        Costs a small part of `fit`, which trains each candidate once a fold. Meant for
        rows that are nearly the same, as in a cross-validation of the blend.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights in the training of the members, for one label for each row. They are
            at least 0, and 0 leaves a row out. None: 1.

        Returns
        -------
        blend : BlendClassifier
            Another blend; this one stays as it is.

        Raises
        ------
        ValueError, TypeError
            For labels of one class, and whatever a member refuses.
        """
        check_is_fitted(self, "estimators_")
        blend = shallow_copy(self)
        trained_on = blend._check_training(self._row_takers, X, y, sample_weight)
        return blend._train_members(*trained_on)

    def _train_members(self, X, y, classes, sample_weight, label_names=None):
        """Train the candidates that have a weight."""
        self.scaler_ = self._fit_scaler(X, sample_weight)
        X = scale(self.scaler_, X)
        _, candidates, _, temperatures, weights, thresholds, _ = self._weighed
        members = np.flatnonzero(weights)
        needed = {0, *members.tolist()}
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        trained = {
            m: fit_on_labels(clone(candidates[m]), X, y, label_names, **given)
            for m in needed
        }
        self.classes_, self.first_estimator_ = classes, trained[0]
        if self.scaler_ is not None:
            self.first_estimator_ = make_pipeline(self.scaler_, trained[0])
        if y.ndim == 2:  # labels that do not vary are predicted so
            thresholds = np.where(y.max(axis=0) == 0, np.inf, thresholds)
            thresholds = np.where(y.min(axis=0) == 1, 0.0, thresholds)
        self.thresholds_ = thresholds
        self.estimators_ = [trained[m] for m in members]
        names = list(self.cv_log_losses_)
        self.member_names_ = [names[m] for m in members]
        self.weights_, self.temperatures_ = weights[members], temperatures[members]
        return self

    def _fit_scaler(self, X, sample_weight):
        """Return a scaler of the rows; None for rows that are not scaled."""
        if self.estimators is not None or issparse(X):
            return None
        return self._scaler or fit_scaler(X, sample_weight)

    def _weigh_candidates(self, candidates, X, y, label_names, sample_weight):
        """Return log losses, temperatures, weights, thresholds, and the skill.

        There are thresholds for several labels for a row only. Each label counts as a
        row of two classes.
        """
        n_candidates, is_several = len(candidates), y.ndim == 2
        losses, temperatures = np.full(n_candidates, np.nan), np.ones(n_candidates)
        weights = np.eye(n_candidates)[0]  # the first candidate alone
        thresholds = np.full(y.shape[1] if is_several else 0, 0.5)
        nothing_found = losses, temperatures, weights, thresholds, np.nan
        codes = np.unique(y, return_inverse=True, axis=0)[1].ravel()
        fold, n_folds = np.zeros(len(y)), 1
        if len(y) >= FEWEST_ROWS and len(np.bincount(codes)) > 1:
            fold, n_folds = stratified_folds(codes, self.cv, is_several)
        if n_folds < 2:
            return nothing_found
        held_out = [
            scores_of_fold(candidates, X, y, fold == k, label_names, sample_weight)
            for k in range(n_folds)
        ]
        usable = [
            m
            for m in range(n_candidates)
            if all(np.isfinite(scores[m]).all() for scores, *_ in held_out)
        ]
        if not usable:
            return nothing_found
        counts = np.bincount(y.ravel() if is_several else codes, sample_weight)
        of_class = np.ones(len(counts))
        if is_unequal(y, sample_weight):
            of_class = counts.sum() / (len(counts) * counts)
        importance = [of_class[right] * weight for _, _, right, weight in held_out]
        p = []
        for m in usable:
            parts = [(scores[m], columns) for scores, columns, *_ in held_out]
            temperatures[m] = fit_temperature(parts, importance)
            p += [
                np.concatenate(
                    [
                        softmax(scores / temperatures[m], axis=1)[
                            np.arange(len(columns)), columns
                        ]
                        for scores, columns in parts
                    ]
                )
            ]
        p, importance = np.array(p).T, np.concatenate(importance)
        p = np.maximum(p, np.finfo(float).tiny)
        losses[usable] = -(importance @ np.log(p)) / importance.sum()
        by_kind = weights_by_kind(
            losses[usable], [kind_of(candidates[m]) for m in usable]
        )
        weights[:] = 0
        weights[usable] = (stack_weights(p, importance) + by_kind) / 2
        weights[weights < SMALLEST_WEIGHT] = 0
        weights /= weights.sum()
        if is_several:
            order = np.argsort(fold, kind="stable")  # as the rows were held out
            right = y[order]
            p = (p @ weights[usable]).reshape(right.shape)
            p = np.where(right, p, 1 - p)
            thresholds = find_thresholds(p, right, take(X, order), self.scoring)
            return losses, temperatures, weights, thresholds, np.nan
        loss = -(importance @ np.log(p @ weights[usable])) / importance.sum()
        shares = of_class * counts / counts.sum()
        skill = 1 - loss / entropy(shares)
        return losses, temperatures, weights, thresholds, float(skill)

    @property
    def row_estimator_(self) -> Any:
        """The model with which `HybridSamplingClassifier` chooses rows."""
        check_is_fitted(self, "estimators_")
        return self.first_estimator_ if self._is_first_needed else self

    def predict_proba(self, X: RowsLike) -> Floats:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Weighted mean of the members' probabilities; of several labels for a row
            the probability of each.
        """
        check_is_fitted(self, "estimators_")
        form = InputForm.of(self._row_takers)
        X = to_memory(check_pool(self, form, X, reset=False, min_rows=1))
        X = scale(self.scaler_, X)
        members = zip(self.estimators_, self.temperatures_, self.weights_, strict=True)
        if len(self.thresholds_):
            p = sum(
                weight * expit(bounded_label_logits(member, X) / temperature)
                for member, temperature, weight in members
            )
            # temperatures are for labels that vary
            p[:, np.isinf(self.thresholds_)] = FLOOR
            p[:, self.thresholds_ == 0] = 1 - FLOOR
            return p
        return sum(
            weight * softmax(bounded_logits(member, X) / temperature, axis=1)
            for member, temperature, weight in members
        )

    def predict(self, X: RowsLike) -> Labels:
        """Return the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the candidates take
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Classes, or an indicator matrix of the labels that reach their threshold.
        """
        probabilities = self.predict_proba(X)
        if len(self.thresholds_):
            return (probabilities >= self.thresholds_).astype(np.int64)
        best = probabilities.argmax(axis=1)
        return self.classes_[best]


def fit_scaler(X, sample_weight=None):
    """Return a scaler that leaves columns of 0 and 1 as they are.

    Among few rows a rare category is rarer still. Divided by its standard deviation
    there, it would outweigh the numbers.
    """
    X = np.asarray(X)
    with np.errstate(all="ignore"):  # too large numbers are refused in a training
        scaler = StandardScaler().fit(X, sample_weight=sample_weight)
    is_binary = ((X == 0) | (X == 1)).all(axis=0)
    scaler.mean_[is_binary], scaler.scale_[is_binary] = 0, 1
    return scaler


def scale(scaler, X):
    """Return rows for the candidates."""
    return X if scaler is None else scaler.transform(X)


def is_unequal(y, sample_weight=None):
    """Return True if one class has most of the labels, one for each row."""
    if y.ndim == 2:
        return False
    counts = np.bincount(np.unique(y, return_inverse=True)[1], sample_weight)
    return counts.max() > COMMON * counts.sum()


class LabelRegression(ClassifierMixin, BaseEstimator):
    """Classifier of several labels for a row around a regressor.

    The regressor predicts all columns of the indicator matrix at once, which takes a
    fraction of the time of a classifier for each label. With a squared loss, trees
    split as classifiers by the Gini index do.

    Parameters
    ----------
    regressor : regressor
        Takes several targets. Cloned, never changed.
    """

    def __init__(self, regressor):
        self.regressor = regressor

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.regressor).input_tags.sparse
        return tags

    def fit(self, X, y):
        """Train on the labels less their shares: not all regressors have intercepts."""
        self.classes_, self.shares_ = classes_of(y), y.mean(axis=0)
        self.regressor_ = clone(self.regressor).fit(X, y - self.shares_)
        return self

    def decision_function(self, X):
        """Return 1 for a label that a row surely has, and -1 for one that it lacks."""
        return 2 * (self.regressor_.predict(X) + self.shares_) - 1

    def predict(self, X):
        """Return an indicator matrix."""
        return (self.decision_function(X) > 0).astype(np.int64)


def kind_of(candidate):
    """Return the class of a candidate, of the last step, or of the model in it."""
    last = getattr(candidate, "steps", [[candidate]])[-1][-1]
    if isinstance(last, LabelRegression):
        return type(last.regressor)
    is_wrapper = isinstance(last, OneVsRestClassifier)
    return type(last.estimator if is_wrapper else last)


def label_set_candidates(X):
    """Return candidates that train one model for all labels of a row.

    With a model for each label, most of the time goes into calls, not into numbers. A
    network without hidden layers is a logistic regression for each label, with an
    `alpha` of 1 / C. Its weights lie in the span of the rows: while rows are few, their
    coordinates in the span are quicker to learn from than thousands of words.
    """
    # slow to import, and of use for several labels only
    from sklearn.decomposition import KernelPCA
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.neural_network import MLPClassifier

    C, kernel, penalty = (10, "cosine", 0.1) if issparse(X) else (1, "rbf", 0.3)
    name = f"logistic C={C}"
    logistic = MLPClassifier((), solver="lbfgs", alpha=1 / C, max_iter=1_000)
    ridge = LabelRegression(KernelRidge(penalty, kernel=kernel))
    if issparse(X):
        steps = []
        if X.nnz and abs(X).max() > LARGE:  # it would end before it has learned
            steps.append(MaxAbsScaler())
        if n_rows(X) < min(MOST_IN_SPAN, X.shape[1]):
            steps.append(KernelPCA(MOST_IN_SPAN, kernel="linear"))
            name += " in the span of the rows"
        logistic = make_pipeline(*steps, logistic) if steps else logistic
        return [(name, logistic), ("kernel ridge", ridge)]
    trees = LabelRegression(ExtraTreesRegressor(50, max_features="sqrt"))
    return [
        (name, logistic),
        ("kernel ridge", ridge),
        ("extra trees", trees),
    ]


def default_candidates(X, y, sample_weight=None):
    """Return candidates with their names, for rows like X and labels like y."""
    if y.ndim == 2:
        return label_set_candidates(X)
    weighs_classes = is_unequal(y, sample_weight)
    balanced = {"class_weight": "balanced"}
    if issparse(X):
        found = [
            ("logistic C=10", LogisticRegression(C=10, max_iter=1_000)),
            ("logistic C=1", LogisticRegression(max_iter=1_000)),
            ("linear SVC", LinearSVC(max_iter=10_000)),
        ]
        if weighs_classes:
            found += [
                (f"balanced {name}", clone(each).set_params(**balanced))
                for name, each in found
            ]
        if not X.nnz or X.data.min() >= 0:
            found.append(("naive Bayes", ComplementNB()))
        return found
    found = [
        (f"logistic C={C}", LogisticRegression(C=C, max_iter=1_000))
        for C in (1, 0.1, 100)
    ]
    found += [(f"SVC C={C}", SVC(C=C)) for C in (1, 10)]
    found += [("forest", QuickForest()), ("extra trees", QuickExtraTrees())]
    if weighs_classes:
        forest = QuickForest(min_samples_leaf=3, **balanced)
        found += [
            ("balanced logistic", LogisticRegression(max_iter=1_000, **balanced)),
            ("balanced SVC", SVC(C=10, **balanced)),
            ("balanced forest", forest),
        ]
    return found


def hash_or_none(*values):
    """Return a hash of the values, None if one of them cannot be pickled."""
    try:
        return joblib.hash(values)
    except Exception:  # whatever pickling raises
        return None


def n_doubled(X):
    """Return the largest of 20, 40, 80, ... that is not more than the rows of X."""
    n, most = FEWEST_ROWS, n_rows(X)
    while 2 * n <= most:
        n *= 2
    return n


def bounded_logits(model, X):
    """Return scores whose softmax are probabilities, a column for each class.

    Unlike `logits_of` it takes the decision values of a model that has both, and no
    probability is below `FLOOR`: forests give probabilities of exactly 0.
    """
    if score_method_of(model) == "predict_proba":
        return np.log(np.maximum(model.predict_proba(X), FLOOR))
    scores = scores_of(model, X)
    return np.column_stack([0 * scores, scores]) if scores.ndim == 1 else scores


def bounded_label_logits(model, X):
    """Return the scores of each label, as `bounded_logits` of each alone."""
    if score_method_of(model) != "predict_proba":
        return label_scores(model, X)
    p = np.clip(label_probabilities(model, X), FLOOR, 1 - FLOOR)
    return np.log(p) - np.log(1 - p)


def scores_of_fold(candidates, X, y, is_test, label_names=None, sample_weight=None):
    """Train candidates on the rows of the other folds.

    Rows of a class that the other folds lack are left out.

    Returns
    -------
    scores : list of ndarray of shape (n_test, n_seen)
        Logits of the rows of this fold, of each candidate.
    columns : ndarray of int of shape (n_test,)
        Columns of the logits of their classes.
    codes : ndarray of int of shape (n_test,)
        Codes of their classes among all classes.
    weights : ndarray of shape (n_test,), or float
        Their weights; 1 without `sample_weight`.
    """
    training = np.flatnonzero(~is_test)
    if y.ndim == 2:
        rows, others = take(X, training), take(X, np.flatnonzero(is_test))
        models = [
            fit_on_labels(clone(each), rows, y[training], label_names)
            for each in candidates
        ]
        logits = [bounded_label_logits(model, others).ravel() for model in models]
        scores = [np.column_stack([0 * each, each]) for each in logits]
        return scores, y[is_test].ravel(), y[is_test].ravel(), 1.0
    seen = np.unique(y[training])
    test = np.flatnonzero(is_test & np.isin(y, seen))
    rows, others = take(X, training), take(X, test)
    # the labels themselves, because parameters such as class_weight may name them
    given, weights = {}, 1.0
    if sample_weight is not None:
        given, weights = {"sample_weight": sample_weight[training]}, sample_weight[test]
    models = [
        fit_on_labels(clone(each), rows, y[training], **given) for each in candidates
    ]
    scores = [bounded_logits(model, others) for model in models]
    codes = np.searchsorted(np.unique(y), y[test])
    return scores, np.searchsorted(seen, y[test]), codes, weights


def stack_weights(p, importance):
    """Return the weights of a mixture with the highest likelihood.

    Parameters
    ----------
    p : ndarray of shape (n_rows, n_candidates)
        Probability that each candidate gives to the class of each row.
    importance : ndarray of shape (n_rows,)
        Weights of the rows.
    """
    weights = np.full(p.shape[1], 1 / p.shape[1])
    for _ in range(N_STEPS):
        shares = weights * p
        shares /= shares.sum(axis=1, keepdims=True)
        weights = importance @ shares / importance.sum()
    return weights


@cache  # hybrid learners check it in each call, and a score takes milliseconds
def check_name_of_label_set_score(scoring):
    """Raise if a score of this name cannot be computed from predicted label sets."""
    scorer, y = find_scorer(scoring), np.eye(2, dtype=np.int64)
    try:
        scorer(KnownPredictions(y, np.arange(2)), y, y)
    except (AttributeError, ValueError):
        raise ValueError(
            f"scoring={scoring!r} is not a score of predicted labels when a row has "
            f"several labels. Use {LABEL_SET_SCORES}."
        ) from None


def find_thresholds(p, y, X, scoring):
    """Return the probability from which on to predict each label, at most one half.

    Parameters
    ----------
    p : ndarray of shape (n_samples, n_labels)
        Probabilities of held-out rows.
    y : ndarray of int of shape (n_samples, n_labels)
        Their labels.
    X : rows
        Rows, for a scorer that wants some.
    scoring : str or callable
        As for the blend.
    """
    logits, scorer = np.log(p) - np.log1p(-p), find_scorer(scoring)
    columns = np.arange(y.shape[1])
    with catch_warnings(action="ignore", category=UndefinedMetricWarning):
        scores = [
            scorer(KnownPredictions((logits >= common).astype(np.int64), columns), X, y)
            for common in COMMON_THRESHOLDS
        ]
    common = COMMON_THRESHOLDS[np.argmax(scores)]
    # between the logits of the last row that is predicted and the first that is not, if
    # as many rows are predicted to have a label as have it
    counts = y.sum(axis=0)
    ordered = np.sort(np.pad(logits, ((1, 1), (0, 0)), mode="edge"), axis=0)[::-1]
    own = (ordered[counts, columns] + ordered[counts + 1, columns]) / 2
    trust = counts / (counts + POSITIVES_TO_TRUST)
    return expit(np.minimum(trust * own + (1 - trust) * common, 0.0))


def weights_by_kind(losses, kinds):
    """Return equal weights for the candidates with the lowest loss of their kind."""
    weights = np.zeros(len(losses))
    for kind in dict.fromkeys(kinds):
        of_kind = [m for m, each in enumerate(kinds) if each is kind]
        weights[min(of_kind, key=losses.__getitem__)] = 1
    return weights / weights.sum()


#: Files name it by its public path.
BlendClassifier.__module__ = "sklearn_activelearn.batch"
