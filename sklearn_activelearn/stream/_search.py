"""Grid search in which settings of a stream learner share passes over the data."""

from collections import defaultdict
from contextlib import suppress
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
from sklearn.utils import gen_even_slices, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from ..base._labels import encode, find_classes
from ..base._linear import labels_of
from ..base._validation import check_finite_row, check_rows, merge_repeated_entries
from ..base._verbs import unfitted_copy
from ..kernels._rows import Rows, first_not_finite, squares
from ..sources._containers import take
from ..sources._source import Source
from ..utils._compat import (
    STANDARD_SCORER,
    CallbackSupportMixin,
    GridSearchCV,
    linked_to_documentation,
    run_parallel,
    with_callbacks,
)
from ..utils.typing import Bools, RowsLike
from ._base import StreamClassifier
from ._pass import LANES, BatchedPass

#: The parameter of a proxy that holds the number of its setting.
NUMBER = "#"  # no estimator has a parameter of this name


class SharedSetting(NamedTuple):
    """A setting that can share a pass."""

    number: int  # in the grid
    transformer: object  # the steps before the learner, not fitted; or None
    transformer_key: object  # equal for settings with the same transformer
    learner: object  # not fitted


class Matrix(NamedTuple):
    """Finite rows, with derived numbers that every pass over them needs."""

    rows: object
    squares: object  # sum of squares of each dense row, (n_samples,); or None


class Part(NamedTuple):
    """The rows of a fold, as transformed by one transformer."""

    transformer: object  # fitted; None for no transformer
    checker: object  # a learner that has seen these features
    matrix: Matrix
    train: np.ndarray  # row numbers to learn from
    labels: np.ndarray  # labels of these rows
    scored: dict  # matrix and row numbers (None for all) to score


class Fitted(NamedTuple):
    """A setting that has been fitted in a shared pass."""

    learner: object  # without weights, unless they are to be kept
    transformer: object  # fitted; None for no transformer
    scores: dict  # scores of the rows of `Part.scored`


def shared_setting(number, params, estimator):
    """Return a setting as a `SharedSetting`; None if it cannot share a pass.

    Parameters
    ----------
    number : int
        Number of the setting.
    params : dict
        Parameters that the grid sets.
    estimator : estimator
        The estimator with these parameters.
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
    return SharedSetting(number, transformer, key, learner)


def finite_matrix(X):
    """Return checked rows as a `Matrix`; raise for NaN and infinity.

    Sums of squares are computed once for all folds, together with the check.
    """
    if issparse(X):
        X = merge_repeated_entries(X)
        if not get_config()["assume_finite"]:
            check_finite_row(X, first_not_finite(Rows(X)))
        return Matrix(X, None)
    sums = squares(Rows(X))
    is_wrong = np.isnan(sums)
    if is_wrong.any() and not get_config()["assume_finite"]:
        check_finite_row(X, int(is_wrong.argmax()))
    return Matrix(X, sums)


class SharedFits:
    """Fits of settings that share passes, one fold at a time.

    Parameters
    ----------
    settings : list of SharedSetting
        The settings.
    X, y : rows and labels, as the user gave them
        All rows and labels.
    keep_weights : bool
        Whether the learners have to predict later.
    score_train : bool
        Whether training rows are scored, too.
    """

    def __init__(self, settings, X, y, *, keep_weights, score_train):
        self.X, self.y = X, y
        self.keep_weights, self.score_train = keep_weights, score_train
        self.settings, self.spare = defaultdict(list), []
        for each in settings:
            self.settings[each.transformer_key].append(each)
        for each in self.settings.get(None, [])[:1]:  # folds are read in place
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
        results : dict of int to Fitted
            By number of the setting. A setting is left out if something raises: fitted
            by itself it raises its own error.
        seconds : float
            Duration of the fit.
        """
        start, results = perf_counter(), {}
        for settings in self.settings.values():
            with suppress(Exception):
                part = self._prepare(settings[0], train, test)
                classes = find_classes(part.labels)
                codes = np.full(part.matrix.rows.shape[0], -1, dtype=np.int32)
                codes[part.train] = encode(part.labels, classes)
                for group in self._group_learners(settings, part, classes):
                    with suppress(Exception):
                        results.update(self._run(group, part, codes))
        return results, perf_counter() - start

    def _prepare(self, one, train, test):
        """Return the rows of a fold for settings with the same transformer."""
        wanted = {"test": test} | ({"train": train} if self.score_train else {})
        if one.transformer is None:
            scored = {name: (self.matrix, rows) for name, rows in wanted.items()}
            matrix, labels = self.matrix, self.labels[train]
            if np.bincount(train).max(initial=0) > 1:  # repeated rows need own numbers
                matrix = finite_matrix(matrix.rows[train])
                train = np.arange(len(train))
            return Part(None, self.checker, matrix, train, labels, scored)
        transformer, checker = clone(one.transformer), clone(one.learner)
        y = take(self.y, train)
        rows = transformer.fit_transform(take(self.X, train), y)
        rows, labels = checker._check_rows(rows, y, reset=True)
        scored = {}
        for name, numbers in wanted.items():
            others = transformer.transform(take(self.X, numbers))
            others = check_rows(checker, others, reset=False)
            scored[name] = finite_matrix(others), None
        numbers = np.arange(len(labels))
        return Part(transformer, checker, finite_matrix(rows), numbers, labels, scored)

    def _group_learners(self, settings, part, classes):
        """Return the learners that share a pass, in groups, before their first row.

        Learners with ``random_state=None`` get the same random numbers and order of
        rows.
        """
        groups, seeds = defaultdict(list), None
        for each in settings:
            learner = unfitted_copy(each.learner)
            learner._check_parameters()
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
            groups[key].append((each.number, learner))
        if not issparse(part.matrix.rows):
            return list(groups.values())
        # CSR rows read all weights of a feature together: a dozen of them at most, so
        # that other data need not leave the caches
        n_vectors = 1 if len(classes) == 2 else len(classes)
        n_most = max(LANES // n_vectors, 1)
        return [
            group[some]
            for group in groups.values()
            for some in gen_even_slices(len(group), -(-len(group) // n_most))
        ]

    def _run(self, group, part, codes):
        """Run the learners of a group over a fold, side by side."""
        lead, n_train = group[0][1], len(part.train)
        matrix = part.matrix.rows
        rows = Rows(matrix)
        order = lead._order(n_train)
        order = part.train if order is None else part.train[order]
        place = np.empty(rows.n_rows, dtype=np.int64)
        place[part.train] = np.arange(n_train)
        limits = [learner._limits(n_train) for _, learner in group]
        passes = [
            learner._join_batched_pass(rows, codes, order, own)
            for (_, learner), own in zip(group, limits, strict=True)
        ]
        batched = BatchedPass(passes, part.matrix.squares, self.spare)
        batched.run()
        if self.keep_weights:
            batched.hand_back()
        batched.average()
        scores = {
            name: batched.scores(
                Rows(scored.rows), numbers, lead.normalize, scored.squares
            )
            for name, (scored, numbers) in part.scored.items()
        }
        self.spare += batched.memory
        results = {}
        for k, (number, learner) in enumerate(group):
            with suppress(ValueError):  # of a learner whose weights overflow
                learner._finish_pass(passes[k], matrix, limits[k])
                learner.queried_indices_ = place[learner.queried_indices_]
                own = {name: table[k] for name, table in scores.items()}
                results[number] = Fitted(learner, part.transformer, own)
        return results


class SearchRecord:
    """The folds of a search, and the settings that are fitted.

    The proxies of a search get numbers of parts instead of rows, which scikit-learn
    selects quickly. Part 2 k has the training rows of fold k, part 2 k + 1 its test
    rows. All parts together stand for all rows.

    Parameters
    ----------
    X, y : rows and labels
        All rows and labels, as the user gave them.
    folds : list of (train, test)
        Row numbers.
    results : list of dict
        Results of `SharedFits.fit`, one for each fold.
    n_settings : int
        Number of settings in the grid.

    Attributes
    ----------
    parts : ndarray of int of shape (2 * n_folds,)
        Numbers of all parts.
    fused : ndarray of bool of shape (n_settings,)
        Whether a setting shared passes.
    n_queries : ndarray of shape (n_settings, n_folds)
        Labels bought; NaN for estimators that do not count them.
    """

    def __init__(self, X, y, folds, results, n_settings):
        self.X, self.y, self.folds, self.results = X, y, folds, results
        self.parts = np.arange(2 * len(folds))
        self.fused = np.array(
            [any(k in found for found in results) for k in range(n_settings)],
            dtype=bool,
        )
        self.n_queries = np.full((n_settings, len(folds)), np.nan)

    def rows(self, parts):
        """Return the rows of a part, or all rows."""
        return self._select(self.X, parts)

    def labels(self, parts):
        """Return the labels of these rows."""
        return self._select(self.y, parts)

    def _select(self, values, parts):
        if len(parts) > 1:
            return values
        fold, is_test = divmod(int(parts[0]), 2)
        return take(values, self.folds[fold][is_test])


def model_has(method):
    """Return a decorator for proxy methods that need a method of the fitted model."""
    return available_if(lambda self: hasattr(self.model or self.fitted.learner, method))


class ProxyEstimator(ClassifierMixin, BaseEstimator):
    """A setting as scikit-learn's search sees it: fitting looks up a shared fit.

    Parameters
    ----------
    estimator : estimator
        The estimator that is tuned.
    record : SearchRecord
        Folds and results.
    """

    def __init__(self, estimator, record):
        self.estimator = estimator
        self.record = record

    def __sklearn_clone__(self):
        return ProxyEstimator(self.estimator, self.record)

    def __sklearn_tags__(self):
        return get_tags(self.estimator)

    def set_params(self, **params):
        """Take the number and the parameters of a setting."""
        self.number, self.params = params.pop(NUMBER), params
        return self

    def fit(self, parts, y=None):
        """Look up the setting among the shared fits, or fit it."""
        record, fold, self.model, self.fitted = self.record, None, None, None
        if len(parts) == 1:
            fold = int(parts[0]) // 2
            self.fitted = record.results[fold].get(self.number)
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
        return (self.model or self.fitted.learner).classes_

    @model_has("decision_function")
    def decision_function(self, parts):
        """Return the scores of the classes."""
        if self.fitted is None:
            return self.model.decision_function(self.record.rows(parts))
        return self.fitted.scores["test" if parts[0] % 2 else "train"]

    @model_has("predict_proba")
    def predict_proba(self, parts):
        """Return the probabilities of the classes; shared fits have none."""
        return self.model.predict_proba(self.record.rows(parts))

    def predict(self, parts):
        """Return the most likely class of each row."""
        if self.fitted is None:
            return self.model.predict(self.record.rows(parts))
        return labels_of(self.decision_function(parts), self.classes_)

    def score(self, parts, y=None):
        """Return the result of the estimator's `score`."""
        y = self.record.labels(parts)
        if self.fitted is None:
            return self.model.score(self.record.rows(parts), y)
        predicted = self.predict(parts)
        is_plain = type(y) is np.ndarray and y.dtype.kind in "biuU"
        if is_plain and y.shape == predicted.shape:
            # the same number, without checks that take longer than counting
            return float(np.mean(y == predicted))
        return accuracy_score(y, predicted)

    def fitted_estimator(self):
        """Return the fitted estimator itself."""
        if self.fitted is None:
            return self.model
        if not isinstance(self.estimator, Pipeline):
            return self.fitted.learner
        before = self.fitted.transformer.steps if self.fitted.transformer else []
        return Pipeline([*before, (self.estimator.steps[-1][0], self.fitted.learner)])


class ProxyScorer:
    """A scorer that gets the labels of a part.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)``. A custom scorer gets the fitted estimator and its
        rows; scorers of scikit-learn get the proxy, which is quicker.
    """

    def __init__(self, scorer):
        self.scorer = scorer
        self.needs_estimator = not isinstance(scorer, STANDARD_SCORER)

    def __repr__(self):
        return repr(self.scorer)

    def __call__(self, proxy, parts):
        labels = proxy.record.labels(parts)
        if not self.needs_estimator:
            return self.scorer(proxy, parts, labels)
        return self.scorer(proxy.fitted_estimator(), proxy.record.rows(parts), labels)


def proxy_scoring(estimator, scoring):
    """Return scoring for proxies, and whether it needs the fitted estimators.

    Invalid scoring stays as it is; scikit-learn raises its error.
    """
    if isinstance(scoring, list | tuple):
        check_scoring(estimator, scoring)  # refuses repeated names
        scoring = {name: name for name in scoring}
    if isinstance(scoring, dict):
        found = {name: proxy_scoring(estimator, each) for name, each in scoring.items()}
        needs_estimators = any(needs for _, needs in found.values())
        return {name: scorer for name, (scorer, _) in found.items()}, needs_estimators
    if callable(scoring) or scoring in get_scorer_names():
        scorer = ProxyScorer(check_scoring(estimator, scoring))
        return scorer, scorer.needs_estimator
    return scoring, False


def last_step(estimator):
    """Return the last step of a pipeline, however deep; another estimator itself."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return estimator


@linked_to_documentation
class OnePassSearchCV(GridSearchCV, CallbackSupportMixin):
    """`GridSearchCV` for one-pass learners: all settings in one pass a fold.

    A replacement for scikit-learn's `GridSearchCV` with the same results. It reads the
    data once for each fold, not once for each setting: the settings of a first-order
    learner go over the rows together. Each buys the labels and learns the weights that
    it would by itself, bit for bit. Settings that cannot share a pass are fitted one by
    one.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Learner to tune. `CBGZClassifier`, `DKMClassifier`, `MarginLossClassifier`,
        `GreedyOnlineClassifier` and `RandomSamplingClassifier` share passes. The
        transformers of a pipeline are fitted once for each fold and each of their
        settings.

    param_grid : dict or list of dict
        Values by parameter name, as for `GridSearchCV`. Settings share a pass if they
        have the same transformers, `normalize`, `m`, and order of rows (`shuffle` and
        `random_state`). With ``random_state=None`` all settings of a fold get the same
        random numbers and order.

    scoring : str, callable, list, tuple or dict, default=None
        As for `GridSearchCV`. A custom callable gets fitted estimators; scorers of
        scikit-learn are quicker.

    n_jobs : int, default=None
        Number of folds to fit in parallel, in threads: a pass releases the GIL. A
        backend set by ``joblib.parallel_config`` is used instead.

    refit : bool, str or callable, default=True
        As for `GridSearchCV`. A callable may weigh the score against the labels, as in
        the example.

    cv : int, splitter or iterable, default=None
        As for `GridSearchCV`.

    verbose : int, default=0
        As for `GridSearchCV`.

    pre_dispatch : int or str, default="2*n_jobs"
        As for `GridSearchCV`.

    error_score : "raise" or number, default=numpy.nan
        Score of a setting that cannot be fitted, for example because its weights
        overflow. The other settings of its pass continue.

    return_train_score : bool, default=False
        As for `GridSearchCV`.

    Attributes
    ----------
    cv_results_ : dict of ndarrays
        The results of `GridSearchCV`, and

        - ``mean_n_queries``, ``std_n_queries``, ``split0_n_queries`` ...: labels bought
          from the training rows of a fold; NaN for estimators that do not count them.

        The time of a shared pass is divided among its settings.

    fused_ : ndarray of bool of shape (n_candidates,)
        Whether a setting shared passes; the others were fitted one by one.

    n_labels_read_ : int
        Number of labels that the search itself has read: all of them. Every row is
        scored in some fold, so that tuning needs a labelled sample. `mean_n_queries` is
        the number of labels that a setting would buy on new data of this kind.

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
    thread needs memory for 2 S K d numbers, and the search for S K n scores. A custom
    scorer adds 2 S K d numbers for each fold. With sparse rows only 12 vectors go over
    a fold together, which takes 24 d numbers (2 K d for K > 12) instead of 2 S K d.

    Metadata for `fit` other than `groups` is passed to every estimator, as by
    `GridSearchCV`. Then no setting shares a pass, and labels are not counted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier, OnePassSearchCV
    >>> X, y = load_digits(return_X_y=True)
    >>> grid = {"b": [0.01, 0.03, 0.1, 0.3, 1.0]}
    >>> search = OnePassSearchCV(CBGZClassifier(random_state=0), grid, cv=3).fit(X, y)
    >>> print(search.fused_.all())
    True

    Select the setting that buys the fewest labels among the settings whose score is at
    most .02 below the best:

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
            Rows, or the input of the transformers.
        y : array-like of shape (n_samples,)
            All labels.
        **params : dict
            `groups` for the splitter, or other metadata.

        Returns
        -------
        self : object
            The search.
        """
        only_groups = {*params} <= {"groups"}
        is_routed = params and get_config()["enable_metadata_routing"]
        is_pairwise = get_tags(self.estimator).input_tags.pairwise
        if y is None or not only_groups or is_routed or is_pairwise:
            super().fit(X, y, **params)
            self.fused_ = np.zeros(len(self.cv_results_["params"]), dtype=bool)
            self.n_labels_read_ = 0 if y is None else len(y)
            return self
        return self._fit(*indexable(X, y), params)

    @with_callbacks
    def _fit(self, X, y, groups):
        settings = list(ParameterGrid(self.param_grid))
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        numbers = np.arange(len(y))
        folds = [
            (numbers[train], numbers[test]) for train, test in cv.split(X, y, **groups)
        ]
        scoring, needs_estimators = proxy_scoring(self.estimator, self.scoring)
        info = {"estimator": self, "X": X, "y": y}
        task = self._init_callback_context(max_subtasks=len(folds) + 1)
        task.call_on_fit_task_begin(**info)
        shared = self._shared_fits(settings, X, y, needs_estimators)
        outcomes = []
        if shared is not None:
            fits = run_parallel(
                Parallel,
                [(delayed(shared.fit)(*fold) for fold in folds)],
                n_jobs=self.n_jobs,
                pre_dispatch=self.pre_dispatch,
                prefer="threads",
                return_as="generator",
            )
            for outcome in fits:
                fold_task = task.subcontext("fold").call_on_fit_task_begin(**info)
                fold_task.call_on_fit_task_end(**info)
                outcomes.append(outcome)
        results = [found for found, _ in outcomes] or [{} for _ in folds]
        record = SearchRecord(X, y, folds, results, len(settings))
        times = [seconds / max(len(found), 1) for found, seconds in outcomes]

        def completed(found):
            return complete_results(found, settings, record, times)

        def choose_setting(found):
            return self.refit(completed(found))

        # scikit-learn scores, ranks and refits; each setting carries its number, by
        # which the proxy finds in the record what a pass has fitted already
        grid = [
            {name: [value] for name, value in {**each, NUMBER: number}.items()}
            for number, each in enumerate(settings)
        ]
        # a class of the same name, since errors of scikit-learn name it
        make_search = type(type(self).__name__, (GridSearchCV,), {})
        inner = make_search(
            ProxyEstimator(clone(self.estimator), record),
            grid,
            scoring=scoring,
            cv=[*record.parts.reshape(-1, 2, 1)],
            refit=choose_setting if callable(self.refit) else self.refit,
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

    def _shared_fits(self, settings, X, y, keep_weights):
        """Return the fits of the settings that can share passes; None if none can."""
        shared = []
        for number, params in enumerate(settings):
            estimator = clone(self.estimator).set_params(**clone(params, safe=False))
            shared.append(shared_setting(number, params, estimator))
        shared = [each for each in shared if each is not None]
        if not shared:
            return None
        try:
            return SharedFits(
                shared,
                X,
                y,
                keep_weights=keep_weights,
                score_train=self.return_train_score,
            )
        except (ValueError, TypeError):  # wrong rows: the fit of each fold says why
            return None

    def _take_over(self, inner, results, settings):
        """Take the attributes of the search over proxies."""
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
        scoring = self.scoring
        if isinstance(scoring, list | tuple | set):
            scoring = {name: name for name in scoring}
        if isinstance(scoring, dict):
            self.scorer_ = {
                name: check_scoring(self.estimator, each)
                for name, each in scoring.items()
            }
        else:
            self.scorer_ = check_scoring(self.estimator, scoring)


def complete_results(found, settings, record, times):
    """Return results with the labels bought and the true settings and times."""
    results = {
        name: value for name, value in found.items() if name != f"param_{NUMBER}"
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
