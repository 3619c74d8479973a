"""The settings of a search that can share passes, and what they make of a fold."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._beginning import unfitted_copy
from .._containers import take
from .._labels import encode, find_classes
from .._rows import Rows, squares
from .._validation import check_finite_row, check_rows, finish_rows
from ..sources._base import Source
from ._base import StreamClassifier
from ._batched_pass import BatchedPass
from ._classes import check_class_parameters
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
