"""Linear classifier fitted in batch to any margin loss."""

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..base._labels import encode, find_classes
from ..base._linear import LinearPredictor
from ..base._parameters import check_flags, check_number
from ..base._transaction import shallow_copy
from ..base._validation import check_rows
from ..exceptions import warn_user
from ..kernels._rows import Rows, scores
from ..losses import MarginLoss, SmoothHingeLoss, make_loss
from ..utils._compat import BaseEstimator, ClassifierMixin, linked_to_documentation
from ..utils.typing import RowsLike, Seed

#: Number of entries of X that are processed together, to stay in the cache.
BLOCK = 2**17

#: Scale on which the maximum over rivals is smoothed; margins from 1 on are large.
TEMPERATURE = 0.1


class Objective:
    """Mean loss and penalty as a function of the flat parameters, with gradient.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Labelled rows.
    codes : ndarray of int of shape (n_samples,)
        Classes of the rows.
    n_classes : int
        Number of classes; two share one weight vector.
    loss, alpha, fit_intercept
        Parameters of `BatchMarginLossClassifier`; `loss` is a `MarginLoss`.
    """

    def __init__(self, X, codes, n_classes, loss, alpha, fit_intercept):
        self.X = X
        self.codes = codes
        self.n_classes = n_classes
        self.loss = loss
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_vectors = 1 if n_classes == 2 else n_classes
        self.n_weights = self.n_vectors * X.shape[1]
        self.n_parameters = self.n_weights + fit_intercept * self.n_vectors

    def split(self, point):
        """Return weights and intercepts."""
        coef = point[: self.n_weights].reshape(self.n_vectors, -1)
        if self.fit_intercept:
            return coef, point[self.n_weights :]
        return coef, np.zeros(self.n_vectors)

    def join(self, coef, intercept):
        """Return weights and intercepts as flat parameters."""
        return np.concatenate([coef.ravel(), intercept])[: self.n_parameters]

    def random_point(self, rng):
        """Return weights in a random direction; the median row has a score of 1."""
        # much longer weights would put most rows where a bounded loss is flat
        coef = rng.standard_normal((self.n_vectors, self.X.shape[1]))
        intercept = np.zeros(self.n_vectors)
        sizes = np.abs(scores(Rows(self.X), coef, intercept, False))
        return self.join(coef / (np.median(sizes) or 1.0), intercept)

    def __call__(self, point):
        """Return the objective and its gradient."""
        coef, intercept = self.split(point)
        n_rows = self.X.shape[0]
        total = 0.0
        coef_slope, intercept_slope = np.zeros_like(coef.T), np.zeros(self.n_vectors)
        size = max(1, BLOCK * n_rows // max(1, self.X.size))
        for start in range(0, n_rows, size):
            rows = slice(start, start + size)
            # the line search compares values whose difference float32 would lose
            X = self.X[rows].astype(np.float64, copy=False)
            z, z_slope = margins(X @ coef.T + intercept, self.codes[rows])
            total += self.loss.value(z).sum()
            score_slope = self.loss.derivative(z)[:, None] * z_slope
            coef_slope += X.T @ score_slope
            intercept_slope += score_slope.sum(axis=0)
        value = total / n_rows + self.alpha / 2 * np.sum(coef**2)
        slope = self.join(
            coef_slope.T / n_rows + self.alpha * coef, intercept_slope / n_rows
        )
        return value, slope


def margins(scores, codes):
    """Return z of each row and its derivatives by the scores of the row.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Scores; one column for two classes.
    codes : ndarray of int of shape (n_samples,)
        Classes of the rows.

    Returns
    -------
    z : ndarray of shape (n_samples,)
        Signed margins.
    slope : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Derivatives of z.
    """
    if scores.shape[1] == 1:
        sign = 2.0 * codes[:, None] - 1.0
        return (sign * scores)[:, 0], sign
    own = np.arange(len(codes)), codes
    rivals = scores / TEMPERATURE
    rivals[own] = -np.inf
    # half the gap: with two vectors w and -w this is the margin of two classes
    z = (scores[own] - TEMPERATURE * logsumexp(rivals, axis=1)) / 2
    slope = -softmax(rivals, axis=1) / 2
    slope[own] = 0.5
    return z, slope


#: Status of L-BFGS-B when the limit of iterations is reached.
LIMIT_REACHED = 1


@linked_to_documentation
class BatchMarginLossClassifier(LinearPredictor, ClassifierMixin, BaseEstimator):
    """Linear classifier that minimises a margin loss, convex or not, in batch.

    The model that min-margin sampling fits again after each purchase. With
    ``loss="smooth_hinge"`` it is a linear support vector machine. With a ramp or the
    sigmoid, rows far on the wrong side have no influence.

    Parameters
    ----------
    loss : str or MarginLoss, default="smooth_hinge"
        Loss to minimise: the name of a loss of `sklearn_activelearn.losses`, or an
        object such as ``SmoothRampLoss(t=2.0)`` or a custom loss. "smooth_hinge",
        "smooth_ramp" and "sigmoid" are suitable; the other losses have corners, near
        which the solver may stop early or take long.

    alpha : float >= 0, default=0.0001
        Weight of the penalty relative to the mean loss, as in scikit-learn's
        `SGDClassifier`.

    n_restarts : int >= 0, default=3
        Number of starts after the first one if the loss is not convex; the lowest
        objective is kept. The first restart begins at the solution of the smooth hinge
        (with the `h` of the loss, if it has one), the others in random directions.

    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised. False: separators
        through the origin.

    max_iter : int >= 1, default=1000
        Largest number of iterations of each start.

    tol : float > 0, default=1e-05
        A start ends when no derivative of the objective is larger than this.

    warm_start : bool, default=False
        Whether to start at the solution of the last `fit` instead of zero, if it had
        the same classes and number of features.

    random_state : int, RandomState instance or None, default=None
        Seed of the random directions, which two or more restarts need.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features. One row for two classes: the weights of
        ``classes_[1]``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts; zero without `fit_intercept`.

    objective_ : float
        Smallest value of the objective found.

    n_iter_ : int
        Number of iterations of all starts together.

    n_restarts_ : int
        Number of starts after the first one; 0 for a convex loss.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of X have string names.

    Raises
    ------
    ValueError, TypeError
        From `fit`: a parameter out of its range, NaN or infinity in X, labels
        of one class or continuous ones, rows so large that the objective
        overflows.

    Warns
    -----
    ConvergenceWarning
        If the best start reached `max_iter`.

    See Also
    --------
    MarginLossClassifier : Learns the same losses online from labels that it chooses.
    sklearn_activelearn.losses : The losses.

    Notes
    -----
    L-BFGS-B minimises, over n rows with labels y in {-1, +1} ::

        1/n sum_i l(z_i) + alpha/2 |w|^2,    z = y (w.x + b)

    With K > 2 classes each class has a score f_c = w_c.x + b_c, ``|w|^2`` is the sum
    over all classes, and z = (f_c - max over r != c of f_r) / 2 for a row of class c.
    The maximum over the rivals is smoothed: 0.1 log sum exp(f_r / 0.1), which exceeds
    it by at most 0.1 log(K - 1). This keeps smooth losses smooth and convex losses
    convex; where several rivals have the same score, as at the start, the maximum has
    no gradient.

    Dense and CSR rows of float64 or float32 are read in place; sums are float64.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Section 3.
    .. [2] O. Chapelle, "Training a Support Vector Machine in the Primal", Neural
       Computation 19(5), 2007.

    Examples
    --------
    A tenth of the rows lies far on the wrong side, and misleads the hinge:

    >>> import numpy as np
    >>> from sklearn_activelearn import BatchMarginLossClassifier
    >>> rng = np.random.RandomState(0)
    >>> X = rng.standard_normal((300, 2))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> X[:30, 0] *= -50
    >>> for loss in ("smooth_hinge", "smooth_ramp", "sigmoid"):
    ...     learner = BatchMarginLossClassifier(loss, random_state=0).fit(X, y)
    ...     print(f"{loss:12} {learner.score(X, y):.2f}")
    smooth_hinge 0.59
    smooth_ramp  0.89
    sigmoid      0.89
    """

    def __init__(
        self,
        loss: str | MarginLoss = "smooth_hinge",
        *,
        alpha: float = 1e-4,
        n_restarts: int = 3,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-5,
        warm_start: bool = False,
        random_state: Seed = None,
    ):
        self.loss = loss
        self.alpha = alpha
        self.n_restarts = n_restarts
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: RowsLike, y: ArrayLike) -> Self:
        """Minimise the loss over labelled rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Labelled rows.
        y : array-like of shape (n_samples,)
            Labels of the rows.

        Returns
        -------
        self : object
            The classifier.

        Raises
        ------
        ValueError, TypeError
            For a parameter out of its range, NaN or infinity, labels of one
            class or continuous ones, or an objective that overflows.
        """
        loss, model = self._check_parameters(), shallow_copy(self)
        X, y = check_rows(model, X, y, reset=True, finite=True)
        classes = find_classes(y)
        objective = Objective(
            X, encode(y, classes), len(classes), loss, self.alpha, self.fit_intercept
        )
        runs = self._runs(objective, self._first_point(objective, classes))
        best = min(runs, key=lambda run: run.fun)
        if not np.isfinite(best.fun):
            raise ValueError("The objective overflows: X is too large. Scale the rows.")
        if best.status == LIMIT_REACHED:
            warn_user(
                f"Not converged within max_iter={self.max_iter} iterations. Raise "
                "max_iter or tol, scale X, or use a smooth loss.",
                ConvergenceWarning,
            )
        model.classes_ = classes
        model.coef_, model.intercept_ = objective.split(best.x)
        model.objective_ = float(best.fun)
        model.n_iter_ = sum(run.nit for run in runs)
        model.n_restarts_ = 0 if loss.convex else self.n_restarts
        self.__dict__ = vars(model)  # a call that raises has changed nothing
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self):
        """Check all parameters and return the loss."""
        loss = make_loss(self.loss)
        check_number(self.alpha, "alpha", 0, closed="left")
        check_number(self.tol, "tol", 0)
        for name, low in (("n_restarts", 0), ("max_iter", 1)):
            check_number(getattr(self, name), name, low, closed="left", integer=True)
        check_flags(fit_intercept=self.fit_intercept, warm_start=self.warm_start)
        return loss

    def _first_point(self, objective, classes):
        if (
            self.warm_start
            and np.array_equal(getattr(self, "classes_", None), classes)
            and self.coef_.shape[1] == objective.X.shape[1]
        ):
            return objective.join(self.coef_, self.intercept_)
        return np.zeros(objective.n_parameters)

    def _runs(self, objective, first_point):
        """Return the results of the solver, one for each start."""
        runs = [self._minimize(objective, first_point)]
        if objective.loss.convex or self.n_restarts == 0:
            return runs
        convex = copy(objective)
        convex.loss = SmoothHingeLoss(objective.loss.corner)
        # the convex optimum is often near a good one of the loss that is not convex
        hinge = self._minimize(convex, first_point)
        runs.append(self._minimize(objective, hinge.x))
        runs[-1].nit += hinge.nit
        rng = check_random_state(self.random_state)
        for _ in range(self.n_restarts - 1):
            runs.append(self._minimize(objective, objective.random_point(rng)))
        return runs

    def _minimize(self, objective, point):
        return minimize(
            objective,
            point,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": self.max_iter,
                # searches along a line may need several values an iteration; only
                # `max_iter` shall end a start early, and only `tol` end it normally
                "maxfun": 10 * self.max_iter,
                "gtol": self.tol,
                "ftol": 64 * np.finfo(float).eps,
                "maxls": 50,
            },
        )
