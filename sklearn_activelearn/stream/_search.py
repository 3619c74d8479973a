"""Grid search over settings that share passes over the data."""

from time import perf_counter
from typing import Any, Self

import numpy as np
from joblib import parallel_config
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.parallel import Parallel, delayed

from .._compat import CallbackSupportMixin, GridSearchCV, with_callbacks
from .._typing import Bools, RowsLike
from ._search_folds import Folds, shared_setting
from ._search_proxy import (
    CANDIDATE,
    ProxyEstimator,
    SearchState,
    scoring_of_proxies,
    unwraps,
)


class OnePassSearchCV(GridSearchCV, CallbackSupportMixin):
    """`GridSearchCV` for one-pass learners: all settings in one pass a fold.

    A drop-in for scikit-learn's `GridSearchCV`, with the same results. It reads the
    data once a fold and not once a setting: the settings of a first-order learner go
    over the rows side by side, and each buys the labels and learns the weights that it
    would alone, bit for bit. Settings that cannot share a pass are fitted one by one.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        What to tune. `CBGZClassifier`, `DKMClassifier`, `MarginLossClassifier`,
        `GreedyOnlineClassifier` and `RandomSamplingClassifier` share passes. The
        transformers of a pipeline are fitted once for each fold and each of their
        settings.

    param_grid : dict or list of dict
        Values by parameter name, as for `GridSearchCV`. Settings share a pass if they
        have the same transformers, `normalize`, `m`, and order of rows (`shuffle` and
        `random_state`). With ``random_state=None`` all settings of a fold get the same
        coins and order.

    scoring : str, callable, list, tuple or dict, default=None
        As for `GridSearchCV`. A callable of your own gets fitted estimators; those of
        scikit-learn are quicker.

    n_jobs : int, default=None
        Folds in parallel, as threads: a pass releases the GIL. A backend that
        ``joblib.parallel_config`` names is used instead.

    refit : bool, str or callable, default=True
        As for `GridSearchCV`. A callable may weigh the score against the labels, see
        the example.

    cv : int, splitter or iterable, default=None
        As for `GridSearchCV`.

    verbose : int, default=0
        As for `GridSearchCV`.

    pre_dispatch : int or str, default="2*n_jobs"
        As for `GridSearchCV`.

    error_score : "raise" or number, default=numpy.nan
        Score of a setting that cannot be fitted, as one whose weights overflow. The
        others of its pass go on.

    return_train_score : bool, default=False
        As for `GridSearchCV`.

    Attributes
    ----------
    cv_results_ : dict of ndarrays
        What `GridSearchCV` has, and

        - ``mean_n_queries``, ``std_n_queries``, ``split0_n_queries`` ...: labels bought
          from the training rows of a fold; NaN for estimators that do not count them.

        The time of a shared pass is divided among its settings.

    fused_ : ndarray of bool of shape (n_candidates,)
        Settings that shared passes. The others were fitted one by one.

    n_labels_read_ : int
        Labels that the search itself has read: all. Every row is scored in some fold,
        so tuning like this takes a labelled sample. What `mean_n_queries` counts is
        what a setting would buy on new data of this kind.

    best_estimator_, best_params_, best_score_, best_index_
        As for `GridSearchCV`, as are `scorer_`, `n_splits_`, `refit_time_`,
        `multimetric_`, `classes_`, `n_features_in_` and `feature_names_in_`.

    Raises
    ------
    ValueError, TypeError
        As for `GridSearchCV`.

    See Also
    --------
    sklearn_activelearn.evaluation.tune_labels_to_target : Tunes for few labels.

    Notes
    -----
    With S settings, K weight vectors (one for two classes), n rows and d features, a
    thread needs room for 2 S K d numbers, and the search for S K n, the scores. A
    scorer of your own adds 2 S K d for each fold. Of sparse rows, a dozen vectors go
    over a fold together, and their 24 d numbers (2 K d for K > 12) take the place of
    2 S K d.

    Metadata for `fit` other than `groups` is given to every estimator as `GridSearchCV`
    does; then no setting shares a pass, and labels are not counted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier, OnePassSearchCV
    >>> X, y = load_digits(return_X_y=True)
    >>> grid = {"b": [0.01, 0.03, 0.1, 0.3, 1.0]}
    >>> search = OnePassSearchCV(CBGZClassifier(random_state=0), grid, cv=3).fit(X, y)
    >>> print(search.fused_.all())
    True

    Take the setting that buys the fewest labels among those that score at most .02
    less than the best:

    >>> def fewest_labels(results):
    ...     scores = results["mean_test_score"]
    ...     good = scores >= scores.max() - 0.02
    ...     return int((results["mean_n_queries"] + 1e9 * ~good).argmin())
    >>> search.set_params(refit=fewest_labels).fit(X, y).best_params_
    {'b': 0.3}
    """

    fused_: Bools
    n_labels_read_: int

    def fit(self, X: RowsLike, y: ArrayLike | None = None, **params: Any) -> Self:
        """Search the grid.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, or what the transformers take.
        y : array-like of shape (n_samples,)
            All labels.
        **params : dict
            `groups` for the splitter, or other metadata.

        Returns
        -------
        self : object
            The search.
        """
        if y is None or self._routes(params) or is_pairwise(self.estimator):
            super().fit(X, y, **params)
            self.fused_ = np.zeros(len(self.cv_results_["params"]), dtype=bool)
            self.n_labels_read_ = 0 if y is None else len(y)
            return self
        return self._fit(*indexable(X, y), params)

    def _routes(self, params):
        """Return whether metadata goes elsewhere than to the splitter."""
        groups_only = {*params} <= {"groups"}
        return not groups_only or (params and get_config()["enable_metadata_routing"])

    @with_callbacks
    def _fit(self, X, y, groups):
        settings = list(ParameterGrid(self.param_grid))
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        numbers = np.arange(len(y))
        folds = [
            (numbers[train], numbers[test]) for train, test in cv.split(X, y, **groups)
        ]
        scoring = scoring_of_proxies(self.estimator, self.scoring)
        info = {"estimator": self, "X": X, "y": y}
        task = self._init_callback_context(max_subtasks=len(folds) + 1)
        task.call_on_fit_task_begin(**info)
        shared = self._shared(settings, X, y, unwraps(scoring))
        outcomes = []
        if shared is not None:
            parallel = Parallel(
                n_jobs=self.n_jobs,
                pre_dispatch=self.pre_dispatch,
                prefer="threads",
                return_as="generator",
            )
            for outcome in parallel(delayed(timed)(shared, *fold) for fold in folds):
                fold_task = task.subcontext("fold").call_on_fit_task_begin(**info)
                fold_task.call_on_fit_task_end(**info)
                outcomes.append(outcome)
        results = [found for found, _ in outcomes] or [{} for _ in folds]
        record = SearchState(X, y, folds, results, len(settings))
        times = [seconds / max(len(found), 1) for found, seconds in outcomes]

        def completed(found):
            return self._completed(found, settings, record, times)

        # errors of scikit-learn name the class
        inner = type(type(self).__name__, (GridSearchCV,), {})(
            ProxyEstimator(clone(self.estimator), record),
            [
                {name: [value] for name, value in {**each, CANDIDATE: number}.items()}
                for number, each in enumerate(settings)
            ],
            scoring=scoring,
            cv=[*record.parts.reshape(-1, 2, 1)],
            refit=(lambda found: self.refit(completed(found)))
            if callable(self.refit)
            else self.refit,
            error_score=self.error_score,
            return_train_score=self.return_train_score,
            n_jobs=None if record.fused.all() else self.n_jobs,
            pre_dispatch=self.pre_dispatch,
            verbose=self.verbose,
        )
        last_task = task.subcontext("score and refit").call_on_fit_task_begin(**info)
        with parallel_config(backend="threading"):
            inner.fit(record.parts)
        self._take_over(inner, completed(inner.cv_results_), settings)
        self.fused_, self.n_labels_read_ = record.fused, len(y)
        last_task.call_on_fit_task_end(**info)
        task.call_on_fit_task_end(**info)
        return self

    def _shared(self, settings, X, y, keep_weights):
        """Return the fits of the settings that can share passes; None if none can."""
        plans = []
        for number, params in enumerate(settings):
            estimator = clone(self.estimator).set_params(**clone(params, safe=False))
            plans.append(shared_setting(number, params, estimator))
        plans = [each for each in plans if each is not None]
        if not plans:
            return None
        try:
            return Folds(
                plans,
                X,
                y,
                keep_weights=keep_weights,
                score_train=self.return_train_score,
            )
        except (ValueError, TypeError):  # rows that no pass can read: each fold says so
            return None

    def _completed(self, found, settings, record, times):
        """Return results with the labels bought, without a trace of proxies."""
        results = {
            name: value for name, value in found.items() if name != f"param_{CANDIDATE}"
        }
        results["params"] = settings
        if record.fused.any():
            fit_times = results["mean_fit_time"], results["std_fit_time"]
            for array, value in zip(fit_times, (np.mean, np.std), strict=True):
                array[record.fused] = value(times)
        for k, n_queries in enumerate(record.n_queries.T):
            results[f"split{k}_n_queries"] = n_queries
        results["mean_n_queries"] = record.n_queries.mean(axis=1)
        results["std_n_queries"] = record.n_queries.std(axis=1)
        return results

    def _take_over(self, inner, results, settings):
        """Become the search that has been done with proxies."""
        for name in (
            "multimetric_",
            "best_index_",
            "best_score_",
            "refit_time_",
            "n_splits_",
        ):
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))
        self.cv_results_ = results
        if hasattr(self, "best_index_"):
            self.best_params_ = settings[self.best_index_]
        if self.refit:
            self.best_estimator_ = inner.best_estimator_.model
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        self.scorer_ = self._scorer()

    def _scorer(self):
        """Return what `GridSearchCV` keeps as its scorer."""
        scoring = self.scoring
        if callable(scoring) or scoring is None or isinstance(scoring, str):
            return check_scoring(self.estimator, scoring)
        names = (
            scoring if isinstance(scoring, dict) else {each: each for each in scoring}
        )
        return {
            name: check_scoring(self.estimator, each) for name, each in names.items()
        }


def is_pairwise(estimator):
    """Return whether rows have a column for each row."""
    return get_tags(estimator).input_tags.pairwise


def timed(shared, train, test):
    """Return what `Folds.fit` does, and the seconds it took."""
    start = perf_counter()
    return shared.fit(train, test), perf_counter() - start
