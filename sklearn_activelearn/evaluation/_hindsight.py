"""The best of several settings, found with all labels."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from ._curves import area_under_label_curve
from ._runs import label_curve


def best_in_hindsight(estimator, param_grid, X, y, **options):
    """Run a learner with each setting and return the one with the best label curve.

    The oracle that active learning with model selection is compared with: it knows the
    parameters in advance that others have to find with the labels they buy.

    Parameters
    ----------
    estimator : active learner
        Cloned for each setting.
    param_grid : dict or list of dict
        Its parameters to try, as for `GridSearchCV`.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Data.
    y : array-like of shape (n_rows,)
        All labels.
    **options : dict
        Of `label_curve`. With an int as `random_state` all settings meet the same
        folds and rows.

    Returns
    -------
    params : dict
        The setting whose curve has the largest area; the first of equals.
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
    {'estimator__var_smoothing': 1.0}
    """
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no setting: {param_grid!r}.")
    curves = [
        label_curve(clone(estimator).set_params(**params), X, y, **options)
        for params in settings
    ]
    best = int(np.argmax([area_under_label_curve(curve).mean() for curve in curves]))
    return settings[best], curves[best]
