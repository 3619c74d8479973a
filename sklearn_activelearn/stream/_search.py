"""Grid search over settings that share passes over the data."""

from collections import defaultdict
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import parallel_config
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.metrics import accuracy_score, check_scoring, get_scorer_names
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from .._base import unfitted_copy
from .._compat import (
    STANDARD_SCORER,
    CallbackSupportMixin,
    GridSearchCV,
    with_callbacks,
)
from .._labels import encode, find_classes
from .._rows import Rows, squares
from .._typing import Bools, RowsLike
from .._validation import (
    check_finite_row,
    check_rows,
    finish_rows,
    labels_need_no_change,
)
from ..sources._containers import take
from ..sources._source import Source
from ._base import StreamClassifier, check_class_parameters, labels_of
from ._batched_pass import BatchedPass
from ._products import LANES


class SharedSetting(NamedTuple):
    """A setting that can share a pass."""

    candidate: int  # its number in the grid
    transformer: object  # what comes before the learner, not fitted; None for nothing
    transformer_key: object  # the same for settings with the same transformer
    learner: object  # not fitted


class Matrix(NamedTuple):
    """Rows that are finite, and what every pass over them needs."""

    rows: object
    squares: object  # sum of each dense row, ndarray of shape (n_samples,); or None


class Part(NamedTuple):
    """The rows of a fold, as one transformer makes them."""

    transformer: object  # fitted; None for nothing
    checker: object  # a learner that has seen these features
    matrix: Matrix
    train: np.ndarray  # its rows to learn from
    labels: np.ndarray  # of these
    scored: dict  # matrix and row numbers, None for all, to score; or an exception


class Fitted(NamedTuple):
    """What a pass made of a setting."""

    learner: object  # without its weights, unless they are to be kept
    transformer: object  # fitted; None for nothing
    scores: dict  # of the rows of `Part.scored`, or the exception


def shared_setting(candidate, params, estimator):
    """Return how a setting can share a pass, or None.

    Parameters
    ----------
    candidate : int
        Its number.
    params : dict
        What the grid sets.
    estimator : estimator
        With these parameters.
    """
    transformer, key, learner = None, None, estimator
    if type(estimator) is Pipeline:
        *before, (last, learner) = estimator.steps
        if estimator.transform_input is not None:
            return None
        if before:
            transformer = estimator[:-1]
            key = tuple(
                (name, id(value))
                for name, value in sorted(params.items())
                if name != last and not name.startswith(f"{last}__")
            )
    if not (isinstance(learner, StreamClassifier) and learner._may_share_passes()):
        return None
    return SharedSetting(candidate, transformer, key, learner)


class Folds:
    """Fits of settings that share passes, one fold at a time.

    Parameters
    ----------
    plans : list of Plan
        The settings.
    X, y : rows and labels, as the user gave them
        All of them.
    keep_weights : bool
        Whether the learners have to predict later.
    score_train : bool
        Whether training rows are scored, too.
    """

    def __init__(self, plans, X, y, *, keep_weights, score_train):
        self.X, self.y = X, y
        self.keep_weights, self.score_train = keep_weights, score_train
        self.parts, self.spare = defaultdict(list), []
        for each in plans:
            self.parts[each.transformer_key].append(each)
        for each in self.parts.get(None, [])[:1]:  # folds are read in place
            self.checker = clone(each.learner)
            rows, self.labels = self.checker._check_rows(X, y, reset=True)
            if isinstance(rows, Source):
                raise TypeError("Rows that are not in memory cannot be shared.")
            self.matrix = finite_matrix(rows)

    def fit(self, train, test):
        """Fit and score all settings.

        Parameters
        ----------
        train, test : ndarray of int
            Row numbers.

        Returns
        -------
        results : dict
            By candidate: `Fitted`, or the exception that stopped it.
        """
        results = {}
        for plans in self.parts.values():
            try:
                part = self._prepare(plans[0], train, test)
                classes = find_classes(part.labels)
                groups = self._group_settings(plans, part, classes, results)
            except Exception as error:
                results.update((each.candidate, error) for each in plans)
                continue
            codes = np.full(part.matrix.rows.shape[0], -1, dtype=np.int32)
            codes[part.train] = encode(part.labels, classes)
            for group in groups.values():
                n_vectors = len(group[0][1]._weights.intercept)
                parts = groups_that_share(group, n_vectors, issparse(part.matrix.rows))
                for some in parts:  # an error has those of one begin again, not all
                    results.update(self._lead(some, part, codes))
        return results

    def _prepare(self, one, train, test):
        """Return the rows of a fold for settings with the same transformer."""
        wanted = {"test": test} | ({"train": train} if self.score_train else {})
        if one.transformer is None:
            scored = {name: (self.matrix, rows) for name, rows in wanted.items()}
            matrix, labels = self.matrix, self.labels[train]
            if repeats_any(train, matrix.rows.shape[0]):
                # each needs a number of its own
                matrix = finite_matrix(matrix.rows[train])
                train = np.arange(len(train))
            return Part(None, self.checker, matrix, train, labels, scored)
        transformer, checker = clone(one.transformer), clone(one.learner)
        y = take(self.y, train)
        rows = transformer.fit_transform(take(self.X, train), y)
        rows, labels = checker._check_rows(rows, y, reset=True)
        scored = {}
        for name, numbers in wanted.items():
            try:
                others = transformer.transform(take(self.X, numbers))
                others = check_rows(checker, others, reset=False)
                scored[name] = finite_matrix(others), None
            except Exception as error:
                scored[name] = error
        numbers = np.arange(len(labels))
        return Part(transformer, checker, finite_matrix(rows), numbers, labels, scored)

    def _group_settings(self, plans, part, classes, results):
        """Return learners that are ready to set out, by what lets them share a pass.

        A learner that cannot leaves its exception in `results`. Those with
        ``random_state=None`` get the same coins and order of rows.
        """
        groups, seeds = defaultdict(list), None
        for each in plans:
            learner = unfitted_copy(each.learner)
            try:
                learner._check_parameters()
                check_class_parameters(learner, classes)
            except Exception as error:
                results[each.candidate] = error
                continue
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(part.checker, name):
                    setattr(learner, name, getattr(part.checker, name))
            learner._reset()
            learner._set_classes(classes)
            if learner.random_state is None:
                seeds = seeds or (learner._coin_seed, learner._shuffle_seed)
                learner._coin_seed, learner._shuffle_seed = seeds
            order_key = learner._shuffle_seed if learner.shuffle else None
            key = order_key, learner._group, learner.normalize
            groups[key].append((each.candidate, learner))
        return groups

    def _lead(self, group, part, codes):
        """Return what becomes of a group; an error of one stops nobody else."""
        try:
            return self._run(group, part, codes)
        except Exception as error:
            if len(group) == 1:
                return {group[0][0]: error}
            results = {}
            for one in group:
                results.update(self._lead([one], part, codes))
            return results

    def _run(self, group, part, codes):
        """Lead the learners of a group over a fold, side by side."""
        lead, n_train = group[0][1], len(part.train)
        matrix = part.matrix.rows
        rows = Rows(matrix)
        order = lead._order(n_train)
        order = part.train if order is None else part.train[order]
        place = np.empty(rows.n_rows, dtype=np.int64)
        place[part.train] = np.arange(n_train)
        passes, limits, results = [], [], {}
        for _, learner in group:
            limits.append(learner._limits(n_train))
            passes.append(learner._join_batched_pass(rows, codes, order, limits[-1]))
        batched = BatchedPass(passes, part.matrix.squares, self.spare)
        outcomes, scores = batched.run(), self._score(batched, part, lead.normalize)
        self.spare += batched.memory
        for k, (candidate, learner) in enumerate(group):
            try:
                learner._finish_pass(passes[k], outcomes[k], matrix, limits[k])
            except ValueError as error:
                results[candidate] = error
                continue
            learner.queried_indices_ = place[learner.queried_indices_]
            own = {
                name: table if isinstance(table, Exception) else table[k]
                for name, table in scores.items()
            }
            results[candidate] = Fitted(learner, part.transformer, own)
        return results

    def _score(self, batched, part, normalize):
        """Return the scores of all learners of a pass that is over."""
        if self.keep_weights:
            batched.hand_back()
        batched.average()
        return {
            name: found
            if isinstance(found, Exception)
            else batched.scores(
                Rows(found[0].rows), found[1], normalize, found[0].squares
            )
            for name, found in part.scored.items()
        }


def finite_matrix(X):
    """Return checked rows as a `Matrix`; raise for NaN and infinity.

    Sums are taken once for all folds, in one go with the check.
    """
    if issparse(X):
        return Matrix(finish_rows(X, finite=True), None)
    sums = squares(Rows(X))
    is_wrong = np.isnan(sums)
    if is_wrong.any() and not get_config()["assume_finite"]:
        check_finite_row(X, int(is_wrong.argmax()))
    return Matrix(X, sums)


def repeats_any(numbers, n_rows):
    """Whether one of so many rows is among these twice."""
    is_there = np.zeros(n_rows, dtype=bool)
    is_there[numbers] = True
    return np.count_nonzero(is_there) < len(numbers)


def groups_that_share(learners, n_each, sparse):
    """Return learners in the groups that are led side by side.

    Parameters
    ----------
    learners : list
        To be grouped.
    n_each : int
        Weight vectors of a learner.
    sparse : bool
        Whether rows are CSR. The weights of a feature are then read together: of a
        dozen vectors at most, so that others need not leave the caches for them.

    Returns
    -------
    groups : list of list
        Of nearly equal size.
    """
    n = len(learners)
    n_groups = -(-n // max(LANES // n_each, 1)) if sparse else 1
    return [
        learners[k * n // n_groups : (k + 1) * n // n_groups] for k in range(n_groups)
    ]


#: The parameter that says which setting of the grid a proxy is.
CANDIDATE = "#"  # no estimator has one of that name


class SearchState:
    """What is known of a search.

    Parameters
    ----------
    X, y : rows and labels
        As the user gave them.
    folds : list of (train, test)
        Row numbers.
    results : list of dict
        For each fold what `Folds.fit` returned.
    n_candidates : int
        Settings in the grid.

    Attributes
    ----------
    parts : ndarray of int of shape (2 * n_folds,)
        Part 2 k has the training rows of fold k, part 2 k + 1 its test rows. All of
        them together stand for all rows.
    fused : ndarray of bool of shape (n_candidates,)
        Settings that shared passes.
    n_queries : ndarray of shape (n_candidates, n_folds)
        Labels bought; NaN where nobody counted them.
    """

    def __init__(self, X, y, folds, results, n_candidates):
        self.X, self.y, self.folds, self.results = X, y, folds, results
        self.parts = np.arange(2 * len(folds))
        self.fused = np.array(
            [any(k in found for found in results) for k in range(n_candidates)],
            dtype=bool,
        )
        self.n_queries = np.full((n_candidates, len(folds)), np.nan)

    def rows(self, parts):
        """Return the rows that a part, or all parts, stand for."""
        return self._taken(self.X, parts)

    def labels(self, parts):
        """Return the labels of these rows."""
        return self._taken(self.y, parts)

    def _taken(self, values, parts):
        if len(parts) > 1:
            return values
        fold, is_test = divmod(int(parts[0]), 2)
        return take(values, self.folds[fold][is_test])


def has(method):
    """Return whether a proxy that is fitted has a method."""
    return available_if(lambda self: hasattr(self.model or self.fitted.learner, method))


class ProxyEstimator(ClassifierMixin, BaseEstimator):
    """An estimator of a search.

    Parameters
    ----------
    estimator : estimator
        What it stands for.
    record : SearchState
        What is known.
    """

    def __init__(self, estimator, record):
        self.estimator = estimator
        self.record = record

    def __sklearn_clone__(self):
        return ProxyEstimator(self.estimator, self.record)

    def __sklearn_tags__(self):
        return get_tags(self.estimator)

    def set_params(self, **params):
        """Become a setting of the grid."""
        self.number, self.params = params.pop(CANDIDATE), params
        return self

    def fit(self, parts, y=None):
        """Look up what a pass made of this setting, or fit it."""
        record, fold, self.model, self.fitted = self.record, None, None, None
        if len(parts) == 1:
            fold = int(parts[0]) // 2
            self.fitted = record.results[fold].get(self.number)
        if isinstance(self.fitted, Exception):
            raise self.fitted
        if self.fitted is None:
            self.model = clone(self.estimator).set_params(**self.params)
            self.model.fit(record.rows(parts), record.labels(parts))
            learner = last_step(self.model)
        else:
            learner = self.fitted.learner
            learner._warn_after_run()
        if fold is not None:
            n_queries = getattr(learner, "n_queries_", np.nan)
            record.n_queries[self.number, fold] = n_queries
        return self

    @property
    def classes_(self):
        """Labels, sorted."""
        return (
            self.model.classes_ if self.fitted is None else self.fitted.learner.classes_
        )

    @has("decision_function")
    def decision_function(self, parts):
        """Return the scores of the classes."""
        if self.fitted is None:
            return self.model.decision_function(self.record.rows(parts))
        scores = self.fitted.scores["test" if parts[0] % 2 else "train"]
        if isinstance(scores, Exception):
            raise scores
        return scores

    @has("predict_proba")
    def predict_proba(self, parts):
        """Return the probabilities of the classes; no learner of a pass has them."""
        return self.model.predict_proba(self.record.rows(parts))

    def predict(self, parts):
        """Return the most likely class of each row."""
        if self.fitted is None:
            return self.model.predict(self.record.rows(parts))
        return labels_of(self.decision_function(parts), self.classes_)

    def score(self, parts, y=None):
        """Return what the estimator's own `score` does."""
        y = self.record.labels(parts)
        if self.fitted is None:
            return self.model.score(self.record.rows(parts), y)
        predicted = self.predict(parts)
        if type(y) is np.ndarray and labels_need_no_change(y, len(predicted)):
            # the same number, without checks that take longer than to count
            return float(np.mean(y == predicted))
        return accuracy_score(y, predicted)

    def unwrapped(self):
        """Return the fitted estimator itself."""
        if self.fitted is None:
            return self.model
        if not isinstance(self.estimator, Pipeline):
            return self.fitted.learner
        before = self.fitted.transformer.steps if self.fitted.transformer else []
        return Pipeline([*before, (self.estimator.steps[-1][0], self.fitted.learner)])


class ProxyScorer:
    """A scorer that is told the labels of a part.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)``. One that is no standard scorer of scikit-learn's
        gets to see the fitted estimator and its rows.
    """

    def __init__(self, scorer):
        self.scorer = scorer
        self.unwraps = not isinstance(scorer, STANDARD_SCORER)

    def __repr__(self):
        return repr(self.scorer)

    def __call__(self, proxy, parts):
        labels = proxy.record.labels(parts)
        if not self.unwraps:
            return self.scorer(proxy, parts, labels)
        return self.scorer(proxy.unwrapped(), proxy.record.rows(parts), labels)


def scoring_of_proxies(estimator, scoring):
    """Return scoring that proxies of an estimator can be scored with.

    What is no scoring stays as it is, to be refused by scikit-learn.
    """
    if isinstance(scoring, list | tuple):
        check_scoring(estimator, scoring)  # refuses names that come twice
        scoring = {name: name for name in scoring}
    if isinstance(scoring, dict):
        return {
            name: scoring_of_proxies(estimator, each) for name, each in scoring.items()
        }
    if callable(scoring) or scoring in get_scorer_names():
        return ProxyScorer(check_scoring(estimator, scoring))
    return scoring


def unwraps(scoring):
    """Return whether scoring gets to see estimators."""
    if isinstance(scoring, dict):
        return any(unwraps(scorer) for scorer in scoring.values())
    return isinstance(scoring, ProxyScorer) and scoring.unwraps


def last_step(estimator):
    """Return what a pipeline ends in."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return estimator


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
