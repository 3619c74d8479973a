"""The best of several settings, found with all labels."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from .._typing import Estimator, ParamGrid, RowsLike
from ._curves import LabelCurve, area_under_label_curve, check_range
from ._runs import check_grid, label_curve


def best_in_hindsight(
    estimator: Estimator,
    param_grid: ParamGrid,
    X: RowsLike,
    y: ArrayLike,
    **options: Any,
) -> tuple[dict[str, Any], LabelCurve]:
    """Run a learner with each setting and return the one with the best label curve.

    The oracle that active learning with model selection is compared with: it knows the
    parameters in advance that others have to find with the labels they buy.

    Parameters
    ----------
    estimator : active learner
        Cloned for each setting.
    param_grid : dict or list of dict
        Its parameters to try, as for `GridSearchCV`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        All labels.
    **options : dict
        Of `label_curve`. With an int as `random_state` all settings meet the same
        folds and rows.

    Returns
    -------
    params : dict
        The setting whose curve has the largest area, over the label counts at which
        some setting still buys; the first of equals.
    curve : LabelCurve
        Its curve.

    Raises
    ------
    TypeError, ValueError
        As `label_curve`, and for a grid with no setting.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> from sklearn_activelearn.evaluation import best_in_hindsight
    >>> X, y = load_iris(return_X_y=True)
    >>> params, curve = best_in_hindsight(
    ...     UncertaintySamplingClassifier(GaussianNB(), budget=20),
    ...     {"estimator__var_smoothing": [1e-9, 1.0]}, X, y, random_state=0,
    ... )
    >>> params
    {'estimator__var_smoothing': 1e-09}
    """
    settings = check_grid(param_grid)
    curves = [
        label_curve(clone(estimator).set_params(**params), X, y, **options)
        for params in settings
    ]
    start = max(check_range(None, None, [curve])[0] for curve in curves)
    stop = max(int(curve.n_labels[-1]) for curve in curves)
    areas = [area_under_label_curve(curve, start, stop).mean() for curve in curves]
    best = int(np.argmax(areas))
    return settings[best], curves[best]
