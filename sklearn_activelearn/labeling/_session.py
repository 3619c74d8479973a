"""A learner, the rows, and a file that outlives both."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from time import time
from typing import Any, Generic, Literal, NamedTuple, Self

from .._typing import Change, Classes, FilePath, Id, Ids, Label, LearnerT, RowsLike
from ..sources._containers import is_frame
from . import _reports as reports
from ._commands import assign_event, check_who, label_event, skip_event
from ._database import patient
from ._doubtful import DoubtfulSearch
from ._event_log import EventLog
from ._ids import find_ids
from ._import import import_events
from ._people import People
from ._results import Results
from ._resume import check_resume, learner_maker, open_journal
from ._review import Review
from ._view import html_of, sentence_of
from ._worker import Worker


class Look(NamedTuple):
    row: Any
    status: Any
    own: Any
    version: int
    is_training: bool


class LabelingSession(reports.Reports, Review, People, Results, Generic[LearnerT]):
    """A learner, the rows, and a file that outlives both.

    Without such a file the session begins, else it goes on: the next row is the one
    that an uninterrupted session would show. It works on a clone of the learner.

    Parameters
    ----------
    learner : learner
        Any pool or stream learner of this package. Its seeds may be whole numbers or
        None, which are drawn once and stored.
    pool : rows of shape (n_samples, n_features)
        What the learner gets, in one order for good; for a stream learner the stream.
    path : str or path
        The file; ``.lock`` beside it is locked, too. A session of this process that
        has it open gives it to this one, and refuses further calls.
    items : rows, default=None
        What is shown, in the order of the pool: texts, a DataFrame. None: the pool.
    ids : list of str or int, or str, default=None
        Names of the rows, all different, or the column of the items or the pool that
        has them. None: the index of a DataFrame, else made of the values of the rows.
    classes : list, default=None
        All labels, at least two. None: they grow, for pool learners only.
    test_size : int >= 0, default=0
        Random rows put aside: labelled first, out of the budget, and never taught.
    votes : int >= 1, default=1
        How many people label each row; ``who`` is required then. The most frequent
        label is taught; in a tie one more person is asked.
    ahead : {0, 1}, default=0
        0: `next` waits for training. 1: it comes from the model of one batch before,
        and training happens while the person labels.
    change : str or tuple of str, default=()
        What may differ from the file: "pool" (rows at the end), "features", "classes",
        "test_size", "votes", "learner". The user guide tells what becomes of each.

    Attributes
    ----------
    learner : learner
        The clone as it stands: it predicts. Do not change it. The ids that it knows
        are the numbers of the rows in the pool.
    ids : list
        Of all rows, in the order of the pool.
    classes : list or None
        As given.
    votes : int
        As given.
    stop_reason : str or None
        Why no more rows are wanted: "budget", the name of a stopping rule, "no rows";
        "disputed" if only rows on which people disagree are left.
    lease : float
        Seconds for which a row is kept for the person who was given it; 1800.

    Raises
    ------
    ValueError, TypeError
        For what the learner refuses, texts with gaps, a file that is no session or is
        damaged, or was begun with other rows or parameters: the message says what
        differs and which word of ``change`` allows it, nothing was written. A larger
        budget is welcome.
    BlockingIOError
        If another process has it open, or another program holds it for seconds.
    OSError
        If the file cannot be written or is gone: such a call has stored nothing.

    Warns
    -----
    UserWarning
        For other versions of packages, other rows asked for now, and a torn last event.

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

    lease: float = 30 * 60
    _repr_html_ = html_of
    __str__ = sentence_of

    def serve(
        self, port: int = 0, open: bool = True, *,
        kind: Literal["text", "table", "image"] | None = None,
        folder: FilePath | None = None, title: str = "", guide: str = "",
        show_prediction: bool = False, block: bool | None = None,
    ):  # fmt: skip
        """Show the page of this session, on this machine only.

        In a notebook it returns at once. If the page of an earlier session with the
        same file is still there, it shows this one from now on, at the same address:
        a cell that makes a session and serves it may be run again.

        Parameters
        ----------
        port : int, default=0
            Of the page; 0: a free one.
        open : bool, default=True
            Whether to open it in the browser, unless it is there already.
        kind : {"text", "table", "image"}, default=None
            How rows are shown; paths of images that are texts need "image". None: paths of
            `pathlib`, images of Pillow and arrays of two or three dimensions as images,
            rows of frames, dicts and arrays as tables, all else as text.
        folder : str or path, default=None
            Where the files of images must lie, to which their paths are relative then.
            None: anywhere.
        title : str, default=""
            What the project is called.
        guide : str, default=""
            What the classes mean, in Markdown; what is below a heading that is the name
            of a class describes that class.
        show_prediction : bool, default=False
            Whether to show what the model believes before the label, too.
        block : bool, default=None
            Whether to wait until Ctrl-C, which ends the page and not the script. None: in
            scripts, not where code is typed.

        Returns
        -------
        page : Page
            ``address``; ``wait()`` and ``close()``. It ends with the session, too.

        Raises
        ------
        ValueError
            If the session was begun without its classes, or is closed.
        OSError
            If the port is taken.
        ImportError
            If Starlette or uvicorn is not installed.
        """
        from ._page import serve

        return serve(
            self, port, open, kind=kind, folder=folder, title=title, guide=guide,
            show_prediction=show_prediction, block=block,
        )  # fmt: skip

    def __init__(
        self, learner: LearnerT, pool: RowsLike, path: FilePath, *,
        items: RowsLike | None = None, ids: Ids | str | None = None,
        classes: Classes | None = None, test_size: int = 0, votes: int = 1,
        ahead: Literal[0, 1] = 0, change: Change | tuple[Change, ...] = (),
    ):  # fmt: skip
        self._ids = find_ids(ids, pool, items)
        self._items = pool if items is None else items
        settings = {"classes": classes, "test_size": test_size, "votes": votes}
        arguments = Path(path), learner, pool, items, self._ids, settings, ahead, change
        self._journal = open_journal(*arguments)
        try:
            self._log = EventLog(self._journal)
            self._lock = self._log.lock
            self._log.record(*check_resume(self._state, *arguments))
            make = learner_maker(self._state, self._ids, learner, pool)
            self._worker = Worker(self._log, self._ids, make)
        except BaseException:
            self._journal.close()
            raise
        self.ids: list[Id] = self._ids.all
        self.classes: list[Label] | None = self._state.begin["classes"]
        self.votes: int = self._state.begin["votes"]
        self._ahead, self._server = ahead, None
        self._doubts = DoubtfulSearch()

    @property
    def _state(self):
        self._log.check_kept()
        return self._log.state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def path(self):
        return Path(self._journal.path)

    @property
    def version(self):
        return sum(map(len, self._state.answers.values())) + len(self._state.notes)

    def check_open(self):
        self._log.check_open()

    def wait_for_change(self, version, timeout):
        from time import monotonic, sleep

        end = monotonic() + timeout
        while self.version == version and monotonic() < end:
            sleep(0.05)
        return self.version

    def _see(self, who, id):
        row = None if id is None else self.answers(id, viewer=who)
        return Look(row, self.status(), self.status(who), self.version, False)

    def look(self, who=None, *, wait=True):
        return self._next_with(partial(self._see, who), who)

    def answer_and_look(self, id, label, who=None, *, reason=None):
        look = partial(self._see, who)
        if label is None:
            found = self._skip_then(look, id, reason, who)
        else:
            found = self._label_then(look, id, label, who)
        return found or Look(None, self.status(), self.status(who), self.version, True)

    def close(self) -> None:
        """Wait for training, close page, file and lock; twice is fine."""
        if self._server is not None:
            self._server.close_for(self)
        self._worker.close("The session is closed.")

    @property
    def learner(self) -> LearnerT:
        """The learner as it stands."""
        return self._worker.recorded.learner

    @property
    def stop_reason(self) -> str | None:
        """Why no more rows are wanted; None while there may be some."""
        with self._lock:
            return self._state.ended

    def next(self, who: str | None = None) -> Id | None:
        """Return the row to label: the same one until it is answered.

        Parameters
        ----------
        who : str, default=None
            The person, if there are several: no two of them get the same row unless
            each row has several votes. After `lease` seconds it may go to another one.

        Returns
        -------
        id : str, int or None
            None if nothing is left for this person.

        Raises
        ------
        ValueError
            Without `who` if rows have several votes; if the session is closed.
        Exception
            What the learner raises if it cannot be trained. The labels are stored.
        """
        return self._next_with(lambda id: id, who)

    @patient
    def _next_with(self, look, who):
        """Return what `look` returns for the row to label, with the lock held."""

        def assign(record):
            check_who(who, self._state.begin["votes"])
            return self._assigned(record, look, who)

        while True:
            id, found = self._log.together(assign)
            if id is not None:
                self._look_ahead(id)
                return found
            with self._lock:
                self._log.check_open(who)
                if self._state.next_for(who, time()) is not None:
                    continue
                job = self._worker.find_rows()
            if job is None:
                return found
            job.result()

    def _answer_then(self, look, who, find_events):
        """Record events; return what `look` returns for the next row if it is there."""

        def answer(record):
            record(*find_events())
            return self._assigned(record, look, who)

        id, found = patient(self._log.together)(answer)
        if id is None:
            return None
        # the answer is stored; who wants a row hears of it
        with suppress(OSError, ValueError):
            self._look_ahead(id)
        return found

    def _label_then(self, look, id, label, who):
        """Label a row; return what `look` returns for the next one if it is there."""
        find_events = partial(self._label_events, id, label, who)
        return self._answer_then(look, who, find_events)

    def _skip_then(self, look, id, reason, who):
        """Skip a row; return what `look` returns for the next one if it is there."""
        find_events = partial(self._skip_events, id, reason, who)
        return self._answer_then(look, who, find_events)

    def _assigned(self, record, look, who):
        """Return the row that a person is to label, None for none, and a look at it."""
        id = self._state.next_for(who, now := time())
        if id is not None:
            record(*assign_event(self._state, id, who, now, self.lease))
        return id, look(id)

    def _look_ahead(self, id):
        if self._ahead:
            self._worker.look_ahead(id)

    def row(self, id: Id) -> Any:
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

    @patient
    def label(
        self, id: Id, label: Label, who: str | None = None, *, final: bool = False
    ) -> None:
        """Store the label of a row. It is on the disk when this returns.

        Any row may be labelled, asked for or not, and again: the last label counts.

        Parameters
        ----------
        id : str or int
            The row.
        label : str, int, float or bool
            One of the classes, if they are known.
        who : str, default=None
            The person.
        final : bool, default=False
            Whether this decides, whatever people answer; it needs `who`, and counts as
            no vote. Without votes only another final label may replace it.

        Raises
        ------
        ValueError
            For an id that is not there, a label that is no class, another label for a
            row that a stream learner has learned, as it cannot unlearn; as `next`.
        """
        find_events = partial(self._label_events, id, label, who, final)
        self._log.together(lambda record: record(*find_events()))

    @patient
    def skip(self, id: Id, reason: str | None = None, who: str | None = None) -> None:
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
        find_events = partial(self._skip_events, id, reason, who)
        self._log.together(lambda record: record(*find_events()))

    def predictions(self, ids: Ids | None = None) -> reports.Predictions:
        """Return what the model says of rows.

        Parameters
        ----------
        ids : list of str or int, default=None
            These rows; None: all.

        Returns
        -------
        predictions : Predictions
            ``ids``, ``labels``, ``probabilities`` (n_rows, n_classes; None if the model
            has none), ``classes``.

        Raises
        ------
        ValueError
            If there is no model yet; for an id that is not there.
        """
        self._log.check_kept()
        return reports.predictions_of(self._worker.recorded, self._ids, ids)

    @patient
    def import_labels(self, path: FilePath) -> int:
        """Read labels from a file that `export` or Label Studio wrote, or a session.

        Parameters
        ----------
        path : str or path
            ``.csv`` with the columns id and label, who if there are several people,
            ``.json``, or another session: its labels and skips, with who and when.
            Of the long form skipped rows are left out.

        Returns
        -------
        n_rows : int
            How many labels were new.

        Raises
        ------
        ValueError
            For an id that is not there, a label that is no class (which a session
            leaves out, with a warning), a file of another kind. Nothing was stored.
        """
        with self._lock:
            self._log.check_open()
            state, ids, is_stream = self._known
            events = import_events(path, ids, state, is_stream, self._journal.path)
            self._log.record(*events)
        return sum(kind == "label" for kind, _ in events)

    def _label_events(self, id, label, who, is_final=False):
        return label_event(*self._known, id, label, who, is_final)

    def _skip_events(self, id, reason, who):
        check_who(who, self._state.begin["votes"])
        return [skip_event(self._state, self._ids, id, reason, who)]

    @property
    def _known(self):
        """What labels are checked against."""
        return self._state, self._ids, self._worker.recorded.is_stream
