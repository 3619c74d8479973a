"""A learner, the rows, and a file that outlives both."""

from functools import partial
from pathlib import Path
from time import time

import numpy as np

from .._containers import is_frame, n_rows, take
from ._answers import SKIP
from ._checks import check_who, plain_label
from ._display import html_of
from ._evidence import Predictions, advice_of, curve_of, status_of
from ._export import read_labels, write_labels
from ._ids import find_ids
from ._opening import check_again, opened
from ._player import Player
from ._settings import ready
from ._work import Record, Work


class LabelingSession:
    """A learner, the rows, and a file that outlives both.

    The session is begun if there is no such file, else taken up where it was: the next
    row is the one that an uninterrupted session would show. It works on a clone of the
    learner.

    Parameters
    ----------
    learner : learner
        Any pool or stream learner of this package. Its seeds may be whole numbers or
        None, which are drawn once and stored.
    pool : rows of shape (n_samples, n_features)
        What the learner gets, in one order for good; for a stream learner the stream.
    path : str or path
        The file, an SQLite database. Beside it ``path + ".lock"`` is locked while the
        session is open.
    items : rows, default=None
        What a person is shown, in the order of the pool: texts, a DataFrame. None: the
        pool itself.
    ids : list of str or int, or str, default=None
        Names of the rows, all different, or the column of the items or the pool that
        has them. None: the index of a DataFrame, else made of the values of the rows.
    classes : list, default=None
        All labels, at least two. None: they grow, for pool learners only.
    test_size : int >= 0, default=0
        So many random rows are put aside: labelled first, never taught. They are paid
        for out of the learner's budget.
    votes : int >= 1, default=1
        How many people label each row; ``who`` is required then. The most frequent
        label is taught; if there are two of them, one more person is asked.
    ahead : {0, 1}, default=0
        0: `next` waits for training. 1: the next row comes from the model of one batch
        before, and training happens while the person labels.

    Attributes
    ----------
    learner : learner
        The clone as it stands: it predicts. Do not change it.
    ids : list
        Of all rows, in the order of the pool.
    classes : list or None
        As told.
    stop_reason : str or None
        Why no more rows are wanted: "budget", the name of a stopping rule, "no rows".
    lease : float
        Seconds for which a row is kept for the person who was given it; 1800.

    Raises
    ------
    ValueError, TypeError
        For what the learner refuses, a file that is no session or is damaged, and one
        that was begun with other rows or other parameters; the message says what
        differs. A larger budget is welcome. Nothing was written then.
    BlockingIOError
        If the session is open elsewhere.
    FileNotFoundError
        If there is no such folder.

    Warns
    -----
    UserWarning
        If the session was begun with other versions of the packages, if the learner
        would ask for other rows now, and if the last event was not written completely.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> from sklearn_activelearn.labeling import LabelingSession
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = X / X.max(axis=0)
    >>> learner = UncertaintySamplingClassifier(budget=30, random_state=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "labels.sqlite")
    >>> with LabelingSession(learner, X, path, ids=list(range(len(X)))) as session:
    ...     while (id := session.next()) is not None:
    ...         session.label(id, "benign" if y[id] else "malignant")
    >>> session.stop_reason
    'budget'
    """

    lease = 30 * 60

    def __init__(
        self, learner, pool, path, *, items=None, ids=None, classes=None,
        test_size=0, votes=1, ahead=0,
    ):  # fmt: skip
        self._ids, self._pool = find_ids(ids, pool, items), pool
        self._items = pool if items is None else items
        if n_rows(self._items) != n_rows(pool):
            raise ValueError(
                f"There are {n_rows(self._items)} items for {n_rows(pool)} rows."
            )
        settings = {"classes": classes, "test_size": test_size, "votes": votes}
        arguments = learner, pool, self._ids, settings, ahead
        path = Path(path)
        self._journal = opened(path, *arguments)
        try:
            self._record = Record(self._journal)
            self._book, self._lock = self._record.book, self._record.lock
            self._enter(*check_again(path, self._book, *arguments))
            self._work = Work(self._record, self._ids, partial(self._player, learner))
        except BaseException:
            self._journal.close()
            raise
        self._ahead, self._is_open = ahead, True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Wait for training, close the file and give up the lock; twice is fine."""
        with self._lock:
            self._is_open = False
        self._work.close()
        self._journal.close()

    @property
    def ids(self):
        """Ids of all rows, in the order of the pool."""
        return self._ids.all

    @property
    def classes(self):
        """All labels as told when the session began; None if they grow."""
        return self._book.begin["classes"]

    @property
    def learner(self):
        """The learner as it stands."""
        return self._work.player.learner

    @property
    def stop_reason(self):
        """Why no more rows are wanted; None while there may be some."""
        with self._lock:
            return self._book.ended

    def next(self, who=None):
        """Return the row to label: the same one until it is answered.

        Parameters
        ----------
        who : str, default=None
            The person, if there are several: no two of them get the same row unless
            each row has several votes. After `lease` seconds it may go to another one.

        Returns
        -------
        id : str, int or None
            None if nothing is left to do for this person.

        Raises
        ------
        ValueError
            Without `who` if rows have several votes; if the session is closed.
        Exception
            What the learner raises if it cannot be trained. The labels are stored.
        """
        while True:
            with self._lock:
                self._check(who)
                now = time()
                id = self._book.next_for(who, now)
                if id is not None:
                    self._keep(id, who, now)
                    if self._ahead:
                        self._work.look_ahead(id)
                    return id
                job = self._work.find_rows()
            if job is None:
                return None
            job.result()

    def row(self, id):
        """Return what to show of a row.

        Parameters
        ----------
        id : str or int
            As `next` returns it.

        Returns
        -------
        item : object
            The item, or the row of the pool; of a DataFrame a Series.

        Raises
        ------
        ValueError
            For an id that is not there.
        """
        row = self._ids.row(id)
        return self._items.iloc[row] if is_frame(self._items) else self._items[row]

    def label(self, id, label, who=None):
        """Store the label of a row. It is on the disk when this returns.

        Any row may be labelled, also one that was not asked for, and again: the last
        label counts, and stands where the first one stood.

        Parameters
        ----------
        id : str or int
            The row.
        label : str, int, float or bool
            One of the classes, if they are known.
        who : str, default=None
            The person.

        Raises
        ------
        ValueError
            For an id that is not there, a label that is no class, another label for a
            row that a stream learner has learned, as it cannot unlearn; as `next`.
        """
        with self._lock:
            self._enter(*self._labelled([(id, label, who)]))

    def skip(self, id, reason=None, who=None):
        """Note that a row that was asked for gets no label.

        Parameters
        ----------
        id : str or int
            The row.
        reason : str, default=None
            Why.
        who : str, default=None
            The person.

        Raises
        ------
        ValueError
            For a row that was not asked for, or whose label the learner knows; as
            `next`.
        """
        with self._lock:
            self._check(who)
            id = self._ids.own(id)
            if id not in self._book.asked and id not in self._book.test:
                raise ValueError(f"Row {id!r} was not asked for: nothing to skip.")
            if self._book.told.get(id, SKIP) is not SKIP:
                raise ValueError(
                    f"The learner knows the label of row {id!r}: undo it, or label it "
                    "otherwise."
                )
            body = {"id": id, "who": who, "reason": reason and str(reason)}
            self._enter(("skip", body))

    def undo(self, who=None):
        """Take back the last label or skip of a person; the row comes first again.

        If a pool learner knows it already, it is made anew without. What it asked for
        since stays asked for.

        Parameters
        ----------
        who : str, default=None
            The person.

        Returns
        -------
        id : str or int
            The row.

        Raises
        ------
        ValueError
            If there is nothing to take back, or if a stream learner has learned it, as
            it cannot unlearn; as `next`.
        """
        with self._lock:
            self._check(who)
            last = self._book.last_answer(who)
            if last is None:
                raise ValueError("There is nothing to undo.")
            id, told = last.id, self._book.told.get(last.id, self)
            if self._work.player.is_stream and last.id in self._book.told:
                raise ValueError(f"Row {id!r} is learned: a stream cannot unlearn it.")
            until = None if who is None else time() + self.lease
            body = {"event": last.event, "id": id, "who": who, "until": until}
            self._enter(("undo", body))
            if self._book.told.get(id, self) == told:
                return id
            job = self._work.begin_anew()
        job.result()
        return id

    def status(self):
        """Return where the session stands.

        Returns
        -------
        status : Status
            Numbers of rows: ``asked``, ``answered``, ``skipped``, ``pending``,
            ``left`` in the budget, ``n_test``, ``n_taught``, ``by_class``; and
            ``stop_reason``.
        """
        with self._lock:
            return status_of(self._book)

    def predictions(self, ids=None):
        """Return what the model says of rows.

        Parameters
        ----------
        ids : list of str or int, default=None
            These rows; None: all.

        Returns
        -------
        predictions : Predictions
            ``ids``, ``labels``, ``probabilities`` (ndarray of shape (n_samples,
            n_classes), None if the model has none), ``classes``.

        Raises
        ------
        ValueError
            If there is no model yet; for an id that is not there.
        """
        rows = slice(None) if ids is None else [self._ids.row(id) for id in ids]
        player = self._work.player
        if not player.has_model:
            raise ValueError("There is no model yet: it needs labels of two classes.")
        labels, probabilities = player.predict(take(self._pool, rows))
        classes = player.learner.classes_.tolist()
        ids = self.ids if ids is None else ids
        return Predictions(ids, labels, probabilities, classes)

    def curve(self):
        """Return how good each model was on the rows put aside.

        Returns
        -------
        points : list of CurvePoint
            ``n_labels``, ``accuracy``, ``n_test``; empty without such rows.
        """
        with self._lock:
            return curve_of(self._book)

    def advice(self):
        """Return what the rows put aside say about going on.

        Returns
        -------
        advice : str
            One sentence.
        """
        with self._lock:
            return advice_of(self._book)

    def export(self, path):
        """Write the labels to a file, with what is shown of each row.

        Parameters
        ----------
        path : str or path
            ``.csv`` or ``.json`` (Label Studio's).

        Returns
        -------
        n_rows : int
            How many rows have a label.

        Raises
        ------
        ValueError
            For another kind of file.
        """
        with self._lock:
            return write_labels(self._book, path, self.row)

    def import_labels(self, path):
        """Read labels from a file that `export` or Label Studio wrote.

        Parameters
        ----------
        path : str or path
            ``.csv`` with the columns id and label, who if there are several people, or
            ``.json``.

        Returns
        -------
        n_rows : int
            How many labels were new.

        Raises
        ------
        ValueError
            For an id that is not there, a label that is no class, a file of another
            kind. Nothing was stored then.
        """
        with self._lock:
            labels = {str(label): label for label in status_of(self._book).by_class}
            records = self._labelled(
                (self._ids.from_text(id), labels.get(label, label), who)
                for id, label, who in read_labels(path)
            )
            self._enter(*records)
            return len(records)

    def _repr_html_(self):
        return html_of(self)

    def _check(self, who):
        if not self._is_open:
            raise ValueError("The session is closed.")
        check_who(who, self._book.begin["votes"])

    def _labelled(self, labels):
        """Return what to note for these ids, labels and people, if all are right."""
        records, known = [], self.classes
        example = self._book.any_label()
        for id, label, who in labels:
            self._check(who)
            id = self._ids.own(id)
            label = plain_label(label, known, example)
            told = self._book.told.get(id, SKIP)
            if self._work.player.is_stream and told not in (SKIP, label):
                raise ValueError(
                    f"Row {id!r} is learned as {told!r}: a stream learner cannot "
                    "unlearn it."
                )
            own = [a for a in self._book.answers.get(id, ()) if a.who == who]
            if not own or own[-1].label != label or own[-1].label is SKIP:
                records.append(("label", {"id": id, "label": label, "who": who}))
        return records

    def _enter(self, *records):
        self._record.enter(*records)

    def _keep(self, id, who, now):
        """Note that a row is this person's, unless it is for long yet."""
        if who is not None and not self._book.is_held(id, who, now + self.lease / 2):
            body = {"id": id, "who": who, "until": now + self.lease}
            self._enter(("assign", body))

    def _player(self, learner):
        """Return a player of the learner that has seen nothing."""
        begin = self._book.begin
        test = np.array(self._ids.rows(begin["test"]), dtype=np.int64)
        learner = ready(learner, begin["seeds"], begin["budget"])
        return Player(learner, self._pool, test, begin["classes"])
