"""The contract of every learner: `query` and `teach`, and the loops built on them.

::

    rows = learner.query(X)            # which rows of X are worth paying for?
    learner.teach(X[rows], labels)     # here are their labels

`learn` runs that loop with an oracle, `fit` and `partial_fit` run it with an
answer sheet. A label is paid for when `query` asks for it; the request is
remembered until the row is taught, however late that is.

Every verb works on a shallow copy of the learner that takes its place only if
all went well, so an error leaves the learner as it was. This needs one habit
of all code below a verb: *replace* fitted attributes, never write into them.
"""

from collections import defaultdict
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from ._containers import n_rows, take
from ._requests import Requests
from ._validation import (
    check_candidates,
    check_classes,
    check_limit,
    check_rows,
    check_rows_and_labels,
    encode,
    find_classes,
)

#: Learners whose `learn` is under way.
learning = set()


class ActiveClassifier(ClassifierMixin, BaseEstimator):
    """Base of all learners: the verbs, the bill and the requests.

    A subclass provides these methods; rows and codes have passed the door
    (`_validation`):

    - ``_check_parameters()``: raise if a parameter is out of its range;
    - ``_begin()``: set the fitted state to that of a learner that has seen
      nothing, with ``n_queries_ = 0`` and the random numbers seeded;
    - ``_choose(X, candidates, limit)``: pick rows to buy, return their numbers
      and what to remember of each, a `Note`;
    - ``_absorb(X, codes, notes)``: learn labels; the note of a row nobody asked
      for is None;
    - ``_simulate(X, codes, shuffle)``: the sequential loop on an answer sheet;
    - ``_ask(X, answer, candidates)``: the same with the rows that may be bought, None
      for all, and an oracle: ``answer(rows, keep)`` calls ``keep(labels)``, which has
      the labels for good when it ends, also if it is called again.

    It may replace the door, ``_check_rows``, what it makes of the classes it is
    told, ``_expect``, and what follows once labels are safe, ``_settle``.
    """

    def query(self, X, *, candidates=None, limit=None, return_probability=False):
        """Choose the rows of X whose labels are worth paying for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The next rows of the stream, or the unlabelled pool. May be empty.
        candidates : array-like of int, default=None
            Rows of X that may be bought, in the order in which to look at
            them; the others are left alone. None: all, as they come.
        limit : int >= 0, default=None
            At most so many rows. A stream learner has seen the other rows all
            the same; they do not come again.
        return_probability : bool, default=False
            Also return the probability with which each row was bought.
            Weighting by its inverse is valid only for rules whose probability
            is never 0.

        Returns
        -------
        rows : ndarray of int64 of shape (n_queries,)
            Row numbers of X, in the order in which to label them. These labels
            are now on the bill.
        probabilities : ndarray of shape (n_queries,)
            Only with `return_probability`.

        Raises
        ------
        ValueError
            For NaN or infinity in X, a wrong number of features, `candidates`
            that are no rows of X, or a parameter out of its range.
        """
        with self._changing() as learner:
            X = learner._enter(X, min_rows=0)
            candidates = check_candidates(candidates, n_rows(X))
            rows, notes = learner._choose(X, candidates, check_limit(limit, "limit"))
            learner._requests = learner._requests.add(take(X, rows), notes)
        if return_probability:
            return rows, np.array([note.probability for note in notes])
        return rows

    def teach(self, X, y, classes=None):
        """Learn the labels of rows, asked for or not, in any order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows; those that were asked for are recognised by their values, so
            keep ``X[rows]`` instead of computing it again.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Needed unless the learner knows them.

        Returns
        -------
        self : object
            The learner. Rows that nobody asked for cost nothing.

        Raises
        ------
        ValueError
            For a label outside the classes, rows that do not match `y` or the
            features, NaN or infinity.
        """
        with self._changing() as learner:
            X, y = learner._enter(X, y, min_rows=0, finite=True)
            if len(y) or classes is not None:
                learner._expect(classes, y)
                codes = encode(y, learner.classes_)
                learner._requests, notes = learner._requests.take(X)
                learner._absorb(X, codes, notes)
        self._settle()
        return self

    def learn(self, X, oracle, classes=None, *, candidates=None):
        """Run the loop of `query` and `teach` over X, buying labels of an oracle.

        While the oracle is asked, the learner is as it was just before the row
        in question: the oracle may call `predict`, score it or pickle it, but not
        change it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The stream or the pool.
        oracle : callable
            ``oracle(rows) -> labels``: gets row numbers of X, returns one label
            for each. Called for bought rows only.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Needed unless the learner knows them.
        candidates : array-like of int, default=None
            Rows of X that may be bought, as for `query`; a stream learner looks at
            them in this order, without a copy of X. None: all, as they come.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            As for `query` and `teach`, and for an oracle that returns a wrong
            number of labels. Whatever the oracle raises passes through. What
            was taught until then stays learned; the clock, the random numbers
            and the bill stand just before the row that failed, so the call can
            be made again with the rest of X (for a stream learner, from row, or
            candidate, ``n_seen_`` on, counted since the call). A label that the
            oracle has returned is learned even if Ctrl-C comes right after it.
        """
        if not callable(oracle):
            raise TypeError(
                f"oracle must be callable, got an instance of {type(oracle).__name__}."
            )
        with self._changing() as learner:
            # all of X is looked at before the first label is paid for
            X = learner._enter(X, min_rows=0, finite=True)
            candidates = check_candidates(candidates, n_rows(X))
            learner._expect(classes)

        def answer(rows, keep):
            # asked and noted in one compiled step: no signal handler runs in between
            labels = defaultdict(partial(oracle, rows))
            try:
                keep(one_for_each(rows, labels["paid for"]))
            except BaseException:
                with suppress(Exception):  # what failed for another reason fails again
                    if labels:
                        keep(one_for_each(rows, labels["paid for"]))
                raise

        try:
            learning.add(self)
            self._ask(X, answer, candidates)
        finally:
            learning.discard(self)
        return self

    def fit(self, X, y):
        """Simulate active learning on labelled data, from scratch.

        The label of a row is used only if the learner buys it; the set of
        classes is read up front.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The stream or the pool.
        y : array-like of shape (n_rows,)
            The answer sheet.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            For NaN or infinity, labels of one class or continuous ones, or a
            parameter out of its range.
        """
        with self._changing() as learner:
            X, codes = learner._enter_anew(X, y)
            learner._simulate(X, codes, getattr(self, "shuffle", False))
        return self

    def partial_fit(self, X, y, classes=None):
        """Simulate active learning on more labelled data, from where it stands.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The next rows, taken in order.
        y : array-like of shape (n_rows,)
            The answer sheet.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Needed unless the learner knows them.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            As for `fit`, and for a label outside the classes.
        """
        with self._changing() as learner:
            X, codes = learner._enter_more(X, y, classes)
            learner._simulate(X, codes, False)
        return self

    @property
    def n_pending_(self):
        """Rows that were asked for and not taught yet."""
        if not hasattr(self, "_requests"):
            raise AttributeError("the learner has not seen a row yet")
        return len(self._requests)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @contextmanager
    def _changing(self):
        """Yield a draft on behalf of a verb, if the learner may be changed now."""
        if self in learning:
            raise RuntimeError(
                "learn is under way: its oracle may look at the learner, not change it."
            )
        with self._draft() as learner:
            yield learner

    @contextmanager
    def _draft(self):
        """Yield a copy to work on, which takes the learner's place on success."""
        learner = self._copy()
        yield learner
        self.__dict__ = learner.__dict__

    def _copy(self):
        learner = type(self).__new__(type(self))
        learner.__dict__.update(self.__dict__)
        return learner

    def _enter(self, X, *y, min_rows=1, finite=False):
        """Return validated rows, and labels if given any.

        They are the first ones of a learner that has not begun.
        """
        self._check_parameters()
        begins = not hasattr(self, "n_queries_")
        out = self._check_rows(X, *y, reset=begins, min_rows=min_rows, finite=finite)
        if begins:
            self._begin()
            self._requests = Requests()
        return out

    def _enter_anew(self, X, y):
        """Forget everything; return validated rows and the codes of their labels."""
        self._check_parameters()
        X, y = self._check_rows(X, y, reset=True)
        classes = find_classes(y)
        self._begin()
        self._requests = Requests()
        self._set_classes(classes)
        return X, encode(y, classes)

    def _enter_more(self, X, y, classes):
        """Return validated rows and the codes of their labels."""
        X, y = self._enter(X, y)
        self._expect(classes, y)
        return X, encode(y, self.classes_)

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        """Return rows, and labels if given any, that are fit for the learner."""
        check = check_rows_and_labels if y else check_rows
        return check(self, X, *y, reset=reset, min_rows=min_rows, finite=finite)

    def _expect(self, classes, y=()):
        """Learn which labels can occur, or check that it is the same ones.

        The labels `y` that came in with them, if any did, are not looked at here.
        """
        known = getattr(self, "classes_", None)
        if classes is None and known is None:
            raise ValueError(
                "classes must be passed on the first call: a label that has not "
                "been bought yet is not known otherwise."
            )
        if classes is None or np.array_equal(classes, known):
            return
        classes = check_classes(classes)
        if known is None:
            self._set_classes(classes)
        elif not np.array_equal(classes, known):
            raise ValueError(
                f"classes {classes.tolist()} are not those of earlier calls, "
                f"{known.tolist()}."
            )

    def _set_classes(self, classes):
        self.classes_ = classes

    def _settle(self):
        """Do what may fail, after `teach` has stored the labels."""

    def _draw_seeds(self, n_seeds):
        """Draw whole numbers for the generators of a learner that begins."""
        return check_random_state(self.random_state).randint(
            np.iinfo(np.int64).max, size=n_seeds, dtype=np.int64
        )


def one_for_each(rows, labels):
    """Return an oracle's labels for these rows as an array, if they are as many."""
    labels = np.asarray(labels)
    if labels.shape != (len(rows),):
        raise ValueError(
            f"oracle returned labels of shape {labels.shape} for {len(rows)} rows; "
            "one label for each row is needed."
        )
    return labels
