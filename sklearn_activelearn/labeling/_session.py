"""Labelling session: people label the rows that a learner chooses."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from copy import copy
from datetime import date
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np

from ..base import (
    ActiveClassifier,
    check_flags,
    check_number,
    check_option,
    is_missing_label,
)
from ..sources import find_empty_rows, is_frame, take, to_pandas
from ..utils.typing import (
    Change,
    Classes,
    Classifier,
    FilePath,
    Id,
    Ids,
    Label,
    RowsLike,
    Scoring,
)
from . import _annotations, _lists, _scores
from ._annotations import Annotation, Differences
from ._answers import (
    DISPUTED,
    GIVEN,
    LABELLED,
    QUEUE,
    SKIPPED,
    TEST,
    RowFacts,
    add_answer,
    answers_of,
    count_answers,
    count_rows,
    find_free_row,
    last_answer,
    lease_row,
    put_note,
    withdraw_answers,
)
from ._export import (
    Columns,
    Form,
    export_labels,
    write_predictions,
)
from ._ids import check_text, find_ids
from ._import import RowsByContent, read_answers
from ._learner import SessionLearner, Worker, forget_progress, record_teaching
from ._lists import ReviewList, ReviewPage, ReviewRow, RowLabel
from ._opening import Arguments, Resumption, begin, plan_beginning
from ._output import check_table_file, columns_shown
from ._people import (
    Agreement,
    measure_agreement,
    measure_agreement_by_label,
    read_votes,
)
from ._schema import (
    SEVERAL,
    change_learner,
    check_row_labels,
    current_learner,
    from_column,
    get_pool,
    get_settings,
    label_kind,
    put_settings,
    to_column,
)
from ._scores import CurvePoint, Predictions, Report
from ._storage import OPEN, Storage, identity_of, is_begun
from .front_ends._view import html_of, sentence_of

if TYPE_CHECKING:
    from .front_ends._label_studio import LabelStudioLoop
    from .front_ends._page import PageServer


class Status(NamedTuple):
    """Progress of a session, or of one person, as numbers of rows."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the held-out rows, rows with a label
    skipped: int  # of these, rows that get no label
    pending: int  # of these, rows that are not decided
    left: int | None  # labels that the budget still allows; None: no limit
    n_test: int  # held-out rows
    n_taught: int  # labels that the learner was taught
    by_class: dict[Label, int]  # rows with each label
    stop_reason: str | None
    disputed: int = 0  # rows on which people disagree
    test_left: int = 0  # held-out rows that are not decided
    empty: int = 0  # rows without content, which are not asked for
    labelled: int = 0  # rows with a label, asked for or not
    no_label: int = 0  # of these, rows whose answer is that no label applies


class Look(NamedTuple):
    """The row to label, and the progress at the same moment."""

    row: ReviewRow | None  # None: there is no row for this person now
    status: Status
    own: Status  # of this person
    version: int
    is_training: bool  # True: the learner is choosing the next rows


class Upcoming(NamedTuple):
    """Rows in the order in which people are to label them."""

    ids: list[Id]
    n_asked: int  # the first rows, which the learner has asked for
    training: Future | None  # done when the learner has asked for further rows


LearnerT = TypeVar("LearnerT", bound=ActiveClassifier)


class LabelingSession(Generic[LearnerT]):
    """Session in which people label the rows that a learner chooses.

    Everything is stored in a file. A session begins if the file does not exist, and
    goes on otherwise. A label is on the disk before `label` returns. The session works
    on a clone of the learner.

    Parameters
    ----------
    learner : learner
        Any pool or stream learner of this package. Its seeds must be integers or None;
        seeds that are None are drawn once and stored.
    pool : rows of shape (n_samples, n_features)
        Rows for the learner, always in the same order; a stream learner gets them as
        the stream.
    path : str or path
        The file. A file ``.lock`` beside it is locked while the session is open. If an
        earlier session of the same process has the file open, it hands the file over
        and stores nothing more.
    items : rows, default=None
        What people see, in the order of the pool: texts, a DataFrame. None: the pool.
        Rows without content (blank texts, rows of blank cells) are set aside: the
        learner never asks for them.
    ids : list of str or int, or str, default=None
        Unique ids of the rows, or the name of the column of items or pool that has
        them. None: the index of a DataFrame, else hashes of the values of the rows.
    classes : list, default=None
        All labels, at least two, of which each row has one. None: as in the file; in a
        new session any label may be given, by pool learners only.
    labels : list of str, default=None
        All labels, at least two, of which each row has any number, also none. The
        learner is taught an indicator matrix; one that searches for a class
        (`positive`) is taught whether the row has this label. None: see `classes`.
    test_size : int >= 0, default=None
        Number of held-out rows: random rows that are labelled first and never taught.
        Their labels are paid from the budget. None: as in the file, or 0.
    votes : int >= 1, default=None
        Number of people who label each row; with several votes, ``who`` is required.
        The most frequent label is taught; in a tie one more person is asked. None: as
        in the file, or 1.
    ahead : {0, 1}, default=0
        0: `next` waits for training. 1: the next row comes from the model of the batch
        before, and the learner trains while the person labels.
    change : str, tuple of str or dict, default=()
        What may differ from the file: "pool" (more rows at the end), "features",
        "classes", "test_size", "votes", "learner". A dict maps these words to None, and
        "classes" to a dict of classes to rename or merge:
        ``change={"classes": {"old": "new"}}``.

    Attributes
    ----------
    learner : learner
        The trained clone. Do not change it. It knows the rows by their numbers.
    path : Path
        The file.
    ids : list
        Ids of all rows, in the order of the pool.
    classes : list or None
        All labels.
    labels : list or None
        All labels, if a row may have several; else None.
    votes : int
        Number of people who label each row.
    stop_reason : str or None
        Why no more rows are asked for: "budget", the name of a stopping rule, "no
        rows"; "disputed" if only rows are left on which people disagree.
    test_ids, empty_ids : list
        Ids of the held-out rows, and of the rows without content.
    version : int
        Grows with each stored change, but not with leases.
    lease : float
        Seconds for which a row is kept for the person who was given it; 1800.

    Raises
    ------
    ValueError, TypeError
        If the learner refuses its arguments; if the file is damaged or no session; if
        it was begun with other rows or parameters: the message says what differs and
        which word of ``change`` accepts it. Nothing was written. A larger budget needs
        no ``change``.
    BlockingIOError
        If another process has the session open.
    OSError
        If the file cannot be written.

    Notes
    -----
    A session that is opened again builds its learner from the file. Learners with
    `restore` are where they were, bit for bit. Other learners are taught the same
    labels in the same calls: rows that they asked for are shown first, but the next
    request may differ.

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

    def __init__(
        self, learner: LearnerT, pool: RowsLike, path: FilePath, *,
        items: RowsLike | None = None, ids: Ids | str | None = None,
        classes: Classes | None = None, labels: Sequence[str] | None = None,
        test_size: int | None = None, votes: int | None = None,
        ahead: Literal[0, 1] = 0,
        change: Change | tuple[Change, ...] | Mapping[Change, Any] = (),
    ):  # fmt: skip
        self.path = Path(path)
        items = to_pandas(items)
        self._items = to_pandas(pool) if items is None else items
        self._ids = find_ids(ids, to_pandas(pool), items)
        empty = find_empty_rows(self._items)
        if None not in (classes, labels):
            raise ValueError(
                "Pass classes= if each row has one of them, or labels= if a row may "
                "have several, not both."
            )
        args = Arguments(
            self.path, learner, pool, items, self._ids,
            labels if classes is None else classes, labels is not None, test_size,
            votes, ahead, change, empty,
        )  # fmt: skip
        owner = OPEN.get(identity_of(os.path.realpath(path)))
        if owner is not None and owner._process == os.getpid():
            owner._hand_over(args)
        plan = None if self.path.exists() else plan_beginning(args)
        self._storage = Storage(self.path)
        try:
            self._begin_or_resume(args, plan)
            build = partial(
                SessionLearner, ids=self._ids, template=learner, pool=pool, empty=empty
            )
            self._worker = Worker(self._storage, self._ids, build)
            with self._storage.reading() as db:
                settings = get_settings(db)
                _lists.create_list_tables(db, self._ids.at(empty))
        except BaseException:
            self._storage.close()
            raise
        self.ids: list[Id] = self._ids.all
        self.empty_ids: list[Id] = self._ids.at(empty)
        self.classes: list[Label] | None = settings["classes"]
        is_several = settings["label_kind"] == SEVERAL
        self.labels: list[str] | None = self.classes if is_several else None
        self.votes: int = settings["votes"]
        self._ahead, self._process = ahead, os.getpid()
        self._server, self._loop, self._texts = None, None, _lists.ItemTexts(self.row)
        self._search, self._doubts = ThreadPoolExecutor(1, "doubtful"), None
        self._searched, self._preview = 0, (None, 0, [])
        OPEN[self._storage.identity] = self

    def _begin_or_resume(self, args, plan):
        with self._storage.reading() as db:
            resumption = Resumption(db, args) if is_begun(get_settings(db)) else None
        if resumption is None:
            plan = plan or plan_beginning(args)
            with self._storage.writing() as db:
                begin(db, plan)
        elif resumption.is_needed:
            with self._storage.writing() as db:
                resumption.apply(db)
                if resumption.is_beginning:
                    record_teaching(db)
                    change_learner(db, is_settled=0)

    def _hand_over(self, args):
        """Give the file to a session of this process that is opened with `args`."""
        with self._storage.reading() as db:
            Resumption(db, args)
        self._close(
            "This session has handed its file to a session that was opened later in "
            "the same process. Use the later one."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __str__(self) -> str:
        return sentence_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    def close(self) -> None:
        """Wait for training, then close page, file and lock; may be called again."""
        if self._loop is not None:
            self._loop.close()
        if self._server is not None:
            self._server.close_for(self)
        self._close("The session is closed.")

    def _close(self, refusal):
        try:
            if OPEN.get(self._storage.identity) is self:
                del OPEN[self._storage.identity]
            self._storage.refuse(refusal)
            self._worker.close()
            self._search.shutdown()
        finally:  # also if Ctrl-C comes while the learner is trained
            self._storage.close()

    def serve(
        self, port: int = 0, open: bool = True, *,
        kind: Literal["text", "table", "image"] | None = None,
        folder: FilePath | None = None, title: str = "", guide: str = "",
        show_prediction: bool = False, block: bool | None = None,
    ) -> "PageServer":  # fmt: skip
        """Show the page of this session in the browser, on this machine only.

        In a notebook the call returns at once. If the page of an earlier session with
        the same file is still open, it shows this session from now on, at the same
        address.

        Parameters
        ----------
        port : int, default=0
            Port of the page; 0: a free one.
        open : bool, default=True
            Whether to open the page in the browser, unless it is open already.
        kind : {"text", "table", "image"}, default=None
            How rows are shown; image paths given as texts need "image". None: by the
            type of the item. Paths, images of Pillow and arrays of two or three
            dimensions are images; rows of frames, dicts and arrays are tables.
        folder : str or path, default=None
            Folder below which image files must lie. None: anywhere.
        title : str, default=""
            Title of the project.
        guide : str, default=""
            Guidelines in Markdown. Text below a heading that is the name of a class
            describes the class.
        show_prediction : bool, default=False
            Whether to show the prediction of the model before the label is given.
        block : bool, default=None
            Whether to wait until Ctrl-C. None: only in scripts.

        Returns
        -------
        page : PageServer
            ``address``, ``wait()`` and ``close()``. It ends with the session.

        Raises
        ------
        ValueError
            If the session has no classes, or is closed.
        OSError
            If the port is in use.
        ImportError
            If Starlette or uvicorn is not installed.
        """
        from .front_ends._page import serve

        return serve(
            self, port, open, kind=kind, folder=folder, title=title, guide=guide,
            show_prediction=show_prediction, block=block,
        )  # fmt: skip

    def serve_label_studio(
        self, url: str, project: int, *,
        token_file: FilePath | None = None, control: str | None = None,
        show_prediction: bool = False, keep_order: bool = False,
        interval: float = 1.0, block: bool | None = None,
    ) -> "LabelStudioLoop":  # fmt: skip
        """Let a project of Label Studio hand out the rows that the learner chooses.

        People label in Label Studio. The annotations become answers of this session;
        cancelled ones are skips, and the ground truth decides. The tasks are ordered by
        predictions of this session, and only these are ever deleted. At the end, the
        project gets its settings back.

        Parameters
        ----------
        url : str
            Address of Label Studio.
        project : int
            Number of the project. Its tasks are the rows: the ids of the session are
            their numbers.
        token_file : str or path, default=None
            File with a personal access token or a legacy token. None: the environment
            variable ``LABEL_STUDIO_API_KEY`` holds the token.
        control : str, default=None
            Name of the ``<Choices>`` whose choices are the classes. None: the only one.
        show_prediction : bool, default=False
            Whether people see the class that the model predicts. They tend to agree
            with it.
        keep_order : bool, default=False
            Whether the order stays in the project at the end.
        interval : float, default=1.0
            Seconds between two looks at the project.
        block : bool, default=None
            Whether to wait until Ctrl-C. None: only in scripts.

        Returns
        -------
        loop : LabelStudioLoop
            ``wait()`` and ``close()``. It ends with the session.

        Raises
        ------
        ValueError
            If the choices are not the classes of the session, no row is a task, the
            session has a stream learner or is closed, or there is no token.
        ConnectionError
            If Label Studio cannot be reached or refuses the token. Later, such errors
            are printed, and the loop goes on.
        ImportError
            If httpx is not installed.
        """
        from .front_ends._label_studio import serve_label_studio

        return serve_label_studio(
            self, url, project, token_file=token_file, control=control,
            show_prediction=show_prediction, keep_order=keep_order, interval=interval,
            block=block,
        )  # fmt: skip

    # --- the learner and its rows

    @property
    def learner(self) -> LearnerT:
        return self._worker.own.learner

    @property
    def stop_reason(self) -> str | None:
        return self.status().stop_reason

    @property
    def version(self) -> int:
        return self._storage.version

    @property
    def test_ids(self) -> list[Id]:
        with self._storage.reading() as db:
            return db.column(
                "SELECT id FROM requests WHERE purpose = 'test' ORDER BY number"
            )

    def check_open(self) -> None:
        """Raise ValueError if the session is closed or has handed over its file."""
        self._storage.check_open()

    def row(self, id: Id) -> Any:
        """Return the item of a row.

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
            If the id does not exist.
        """
        row = self._ids.row(id)
        return self._items.iloc[row] if is_frame(self._items) else self._items[row]

    def next(self, who: str | None = None) -> Id | None:
        """Return the row to label: the same one until it is answered.

        Parameters
        ----------
        who : str, default=None
            The person, if there are several. Two people never get the same row unless
            each row has several votes. After `lease` seconds a row may go to another
            person.

        Returns
        -------
        id : str, int or None
            None if nothing is left for this person.

        Raises
        ------
        ValueError
            Without `who` if rows have several votes; if the session is closed.
        Exception
            Errors of the learner if it cannot be trained. The labels are stored.
        """
        while True:
            id, job = self._find_row(who)
            if job is None:
                return id
            job.result()

    def look(self, who: str | None = None, *, wait: bool = True) -> Look:
        """Return the row to label and the progress, all from one moment.

        Parameters
        ----------
        who : str, default=None
            As for `next`.
        wait : bool, default=True
            Whether to wait for training. Without waiting, ``is_training`` says that the
            next rows are being chosen.

        Returns
        -------
        look : Look
            ``row``, ``status``, ``own``, ``version`` and ``is_training``.

        Raises
        ------
        ValueError, Exception
            As `next`.
        """
        while True:
            with self._storage.lock:
                id, job = self._find_row(who)
                if job is None or not wait:
                    return self._look_at(id, who, job)
            job.result()

    def answer_and_look(
        self, id: Id, label: RowLabel | None, who: str | None = None, *,
        reason: str | None = None,
    ) -> Look:  # fmt: skip
        """Label or skip a row, and return the next row without waiting for training.

        Parameters
        ----------
        id : str or int
            The row.
        label : label, list of str or None
            The label, or all labels of the row; None: the row is skipped.
        who : str, default=None
            The person.
        reason : str, default=None
            Why the row is skipped.

        Returns
        -------
        look : Look
            As `look` returns it.

        Raises
        ------
        ValueError
            As `label` and `skip`.
        """
        with self._storage.lock:
            self._answer(id, label, who, reason=reason, then_lease=True)
            found, job = None, None
            with suppress(OSError, ValueError):  # the answer is stored already
                found, job = self._find_row(who)
            return self._look_at(found, who, job)

    def upcoming(self, n: int) -> Upcoming:
        """Return the next rows, for a tool that hands out rows by itself.

        The call does not wait for training, but starts it in time, as `look` does: with
        ``ahead=1`` as soon as the last rows that were asked for are being labelled.

        Parameters
        ----------
        n : int >= 0
            Number of rows to return after the rows that the learner has asked for. They
            are the rows that it would ask for now. Whoever labels one of them before it
            is asked for gives a label that the budget does not pay for.

        Returns
        -------
        upcoming : Upcoming
            ``ids`` of the rows; ``n_asked``, the number of rows at the beginning that
            the learner has asked for; and ``training``, None while no further rows are
            being chosen, else a future that is done when they are.

        Raises
        ------
        ValueError
            If the session is closed.
        """
        check_number(n, "n", 0, closed="left", integer=True)
        with self._storage.lock:
            self._storage.check_open()
            asked, first = self._read_queue()
            if first is None:
                job = self._worker.find_rows()
            elif self._ahead:
                self._worker.look_ahead(first, goes_past=True)
                job = self._worker.job
            else:
                job = self._worker.job
            own = self._worker.own
        if self._preview[:2] != (own, n):
            self._preview = own, n, self._ids.at(own.preview(n) if n else [])
        with self._storage.reading() as db:
            known = {*db.column("SELECT id FROM rows WHERE queue IS NULL"), *asked}
        later = [id for id in self._preview[2] if id not in known]
        return Upcoming(asked + later, len(asked), job)

    def _read_queue(self):
        """Return the rows that wait for an answer, and the first undisputed one."""
        with self._storage.reading() as db:
            sql = "SELECT id, state FROM rows WHERE queue NOT NULL ORDER BY queue"
            rows = db.execute(sql).fetchall()
        undisputed = (id for id, state in rows if state != DISPUTED)
        return [id for id, _ in rows], next(undisputed, None)

    def _find_row(self, who):
        """Return the row to label, and the job to wait for if there is none yet."""
        with self._storage.lock:
            self._storage.check_open()
            self._check_who(who, self.votes)
            with self._storage.reading() as db:
                id = find_free_row(db, who, time())
            if id is None:
                return None, self._worker.find_rows()
            self._lease(id, who)
            if self._ahead:
                self._worker.look_ahead(id)
            return id, None

    def _lease(self, id, who):
        now = time()
        with self._storage.reading() as db:
            sql = "SELECT until FROM leases WHERE id = ? AND who IS ?"
            until = db.value(sql, id, who) or 0.0
        if who is not None and until <= now + self.lease / 2:
            with self._storage.writing(is_change=False) as db:
                lease_row(db, id, who, now + self.lease)

    def _look_at(self, id, who, job):
        row = None if id is None else self.answers(id, viewer=who)
        return Look(row, *self._statuses(who), self.version, job is not None)

    @staticmethod
    def _check_who(who, votes=1, is_final=False):
        """Raise ValueError unless this is a name, or None where no name is needed."""
        if who is None and is_final:
            raise ValueError(
                "A final label needs the name of the person who decides: pass who=."
            )
        if who is None and votes == 1:
            return
        if who is None:
            raise ValueError(
                f"Each row gets {votes} votes: pass who=, the voter's name."
            )
        if not isinstance(who, str) or not who.strip():
            raise ValueError(f"who must be a name, got {who!r}.")
        check_text(who)

    # --- answers

    def label(
        self, id: Id, label: RowLabel, who: str | None = None, *, final: bool = False
    ) -> None:
        """Store the label of a row. It is on the disk when this returns.

        Any row may be labelled, asked for or not, and again: the last label counts.

        Parameters
        ----------
        id : str or int
            The row.
        label : str, int, float, bool or list of str
            One of the classes, if they are known. If a row may have several labels
            (`labels`), the list of its labels; an empty list says that none applies.
        who : str, default=None
            The person.
        final : bool, default=False
            Whether the label decides, whatever people have voted. A final label needs
            `who` and counts as no vote. Without votes, only another final label
            replaces it.

        Raises
        ------
        ValueError
            For an id that does not exist, a label that is no class, and another label
            of a row that a stream learner has learned, because it cannot unlearn; as
            `next`.
        """
        if label is None:
            raise ValueError("A label must be a text or a number, got None.")
        check_flags(final=final)
        self._answer(id, label, who, is_final=bool(final))

    def skip(self, id: Id, reason: str | None = None, who: str | None = None) -> None:
        """Store that a row that was asked for gets no label.

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
            For a row that was not asked for, or that is decided and whose label the
            learner knows; as `next`.
        """
        self._answer(id, None, who, reason=reason)

    def _answer(self, id, label, who, *, is_final=False, reason=None, then_lease=False):
        """Store an answer, and lease the next row in the same transaction."""
        self._check_who(who, self.votes, is_final)
        reason = check_text(str(reason)) if reason else None
        with self._storage.writing() as db:
            settings = get_settings(db)
            self._store_answer(db, settings, id, label, who, is_final, reason)
            if then_lease and who is not None:
                found = find_free_row(db, who, now := time())
                if found is not None:
                    lease_row(db, found, who, now + self.lease)

    def _store_answer(
        self, db, settings, id, label, who, is_final=False, reason=None, at=None, *,
        is_import=False,
    ):  # fmt: skip
        """Check and store an answer; return False if the person has just given it.

        In an import, an answer is also left out if the person gave it before others.
        """
        id, votes, kind = self._ids.own(id), settings["votes"], settings["label_kind"]
        facts = RowFacts.read(db, id)[id]
        answers, is_one_vote = facts.answers, 1 in (votes, facts.votes)
        finals = [each for each in answers if each["is_final"]]
        taught = from_column(facts.taught[0], kind) if facts.taught else None
        if label is not None:
            label = self._plain_label(db, label, settings)
            before = finals if is_final else answers
            if is_import or not (is_final or is_one_vote):
                before = [
                    each
                    for each in answers
                    if (each["who"], each["is_final"]) == (who, is_final)
                ]
            column = to_column(label)
            if before and (before[-1]["label"], before[-1]["who"]) == (column, who):
                return False
            if self._worker.own.is_stream and taught not in (None, label):
                raise ValueError(
                    f"Row {id!r} is learned as {taught!r}: a stream learner cannot "
                    "unlearn it."
                )
        elif facts.purpose is None:
            raise ValueError(f"Row {id!r} was not asked for: it cannot be skipped.")
        if finals and not is_final and is_one_vote:
            final = from_column(finals[-1]["label"], kind)
            raise ValueError(
                f"{finals[-1]['who']} has decided that row {id!r} is {final!r}. Undo "
                "that, or label the row with final=True."
            )
        # a vote on a disputed row may be a skip, whatever the learner knows of the row
        skips_decided = label is None and facts.entry(votes, kind)[0][QUEUE] is None
        if skips_decided and taught is not None:
            raise ValueError(
                f"The learner knows the label of row {id!r}: undo the label, or give "
                "another one."
            )
        if kind is None and label is not None:
            settings["label_kind"] = label_kind(label)
            put_settings(db, label_kind=settings["label_kind"])
        add_answer(
            db, votes, facts, label=label, who=who, is_final=is_final, reason=reason,
            at=at,
        )  # fmt: skip
        return True

    @staticmethod
    def _plain_label(db, label, settings):
        """Return a label as it is stored; raise ValueError for other values."""
        label = label.item() if isinstance(label, np.generic) else label
        kind, classes = settings["label_kind"], settings["classes"]
        if kind == SEVERAL:
            return check_row_labels(label, classes)
        if (own_kind := label_kind(label)) is None:
            raise ValueError(f"A label must be a text or a number, got {label!r}.")
        if kind is not None and own_kind != kind:
            example = db.value("SELECT label FROM answers WHERE label NOT NULL")
            known = classes or [from_column(example, kind)]
            raise ValueError(
                f"The label {label!r} is a {own_kind}, but it must be a {kind}, like "
                f"the other labels: {', '.join(map(repr, known))}."
            )
        if classes is not None:
            if label not in classes:
                raise ValueError(f"The label {label!r} is not among {classes}.")
            return classes[classes.index(label)]
        return check_text(label) if isinstance(label, str) else label

    def undo(self, who: str | None = None, *, id: Id | None = None) -> Id:
        """Withdraw the last label or skip of a person; the row is shown first again.

        A pool learner is rebuilt without the label. Rows that it asked for because of
        the label stay asked for.

        Parameters
        ----------
        who : str, default=None
            The person.
        id : str or int, default=None
            Withdraw the last answer to this row; an earlier answer counts again. None:
            the last answer to any row.

        Returns
        -------
        id : str or int
            The row.

        Raises
        ------
        ValueError
            If there is nothing to withdraw, or a stream learner knows it; as `next`.
        """
        self._check_who(who, self.votes)
        wanted = None if id is None else self._ids.own(id)

        def find(db):
            last = last_answer(db, who, wanted)
            if last is None:
                raise ValueError("There is nothing to undo.")
            is_taught = db.row("SELECT 1 FROM taught WHERE id = ?", last["id"])
            if self._worker.own.is_stream and is_taught:
                raise ValueError(
                    f"Row {last['id']!r} is learned: a stream learner cannot unlearn."
                )
            return {last["id"]: [last]}

        (found,) = self._withdraw(find, who, is_lease_wanted=True)
        return found

    def reopen(
        self, ids: Iterable[Id] | None = None, who: str | None = None
    ) -> list[Id]:
        """Show skipped rows again: their skips are withdrawn, whoever gave them.

        A pool learner is rebuilt once. To label a skipped row, `label` is enough.

        Parameters
        ----------
        ids : list of str or int, default=None
            Skipped rows; None: all.
        who : str, default=None
            The person who asks for it.

        Returns
        -------
        ids : list of str or int
            The rows, in the order in which they are shown.

        Raises
        ------
        ValueError
            For a row that is not skipped, and if a stream learner has passed it.
        """
        self._check_who(who)
        wanted = None if ids is None else [self._ids.own(id) for id in ids]

        def find(db):
            sql = "SELECT id FROM rows WHERE state = 'skipped'"
            if self._worker.own.is_stream:
                sql += " AND id NOT IN (SELECT id FROM taught)"
            skipped = dict.fromkeys(db.column(f"{sql} ORDER BY decided"))
            found = {}
            for id in reversed(skipped if wanted is None else dict.fromkeys(wanted)):
                if id not in skipped:
                    raise ValueError(
                        f"Row {id!r} cannot be shown again: it is not skipped, or a "
                        "stream learner is past it."
                    )
                found[id] = [
                    each for each in answers_of(db, id) if each["label"] is None
                ]
            return found

        return [*reversed(self._withdraw(find, who))]

    def _withdraw(self, find, by, *, is_lease_wanted=False):
        """Withdraw the answers that `find` returns by row; return the rows.

        The learner is rebuilt if it was taught one of them.
        """
        while True:
            with self._storage.lock:
                self._storage.check_open()
                with self._storage.reading() as db:
                    found, job = find(db), self._worker.job
                    # a query that is under way neither knows nor asks for the rows
                    sql = """SELECT 1 FROM requests WHERE id = ?
                      AND id NOT IN (SELECT id FROM taught)"""
                    is_separate = all(db.row(sql, id) for id in found)
                if job is None or is_separate:
                    job = self._store_withdrawal(found, by, is_lease_wanted)
                    break
            wait_for([job])  # otherwise the result would depend on the time
        if job is not None:
            job.result()
        return [*found]

    def _store_withdrawal(self, found, by, is_lease_wanted):
        must_forget = False
        with self._storage.writing() as db:
            votes = get_settings(db)["votes"]
            for id, answers in found.items():
                numbers = [each["number"] for each in answers]
                must_forget |= withdraw_answers(db, votes, numbers, id, by)
                is_open = (
                    db.value("SELECT queue FROM rows WHERE id = ?", id) is not None
                )
                # a person who decides has no vote that others would wait for
                is_decider = answers[-1]["is_final"] and votes > 1
                if is_lease_wanted and by is not None and is_open and not is_decider:
                    lease_row(db, id, by, time() + self.lease)
            change_learner(db, stop_reason=None)
            if must_forget:
                forget_progress(db)
                # now, because Ctrl-C may come when the answers are stored
                self._worker.must_rebuild = True
        return self._worker.catch_up() if must_forget else None

    def note(self, id: Id, text: str, who: str | None = None) -> None:
        """Store a note on a row, in place of an earlier note of this person.

        Parameters
        ----------
        id : str or int
            Any row.
        text : str
            The note; an empty text deletes it.
        who : str, default=None
            The person.

        Raises
        ------
        ValueError
            For an id that does not exist, and if `text` is not a text.
        """
        id = self._ids.own(id)
        self._check_who(who)
        if not isinstance(text, str):
            raise ValueError(f"A note must be a text, got {text!r}.")
        text = check_text(text).strip()
        with self._storage.writing() as db:
            known = db.value(
                "SELECT text FROM notes WHERE id = ? AND who IS ?", id, who
            )
            if text != (known or ""):
                put_note(db, get_settings(db)["votes"], id, text, who)

    def import_labels(
        self,
        path: FilePath,
        *,
        id_field: str | None = None,
        columns: Mapping[str, list] | None = None,
    ) -> int:
        """Read labels from a file of another tool, of `export`, or of another session.

        Tasks of Label Studio and examples of Prodigy and doccano belong to the row with
        their id, or else to the only row that has their content. A warning says how
        many rows were found by their content.

        Parameters
        ----------
        path : str or path
            ``.csv`` with the columns id and label, and who if there are several people;
            ``.json``; ``.jsonl`` of Prodigy or doccano; or another session: its labels
            and skips, with people and times. Skipped rows of the long form are left
            out.
        id_field : str, default=None
            Name of the field, or column, of the file that holds the ids of the rows.
            None: id.
        columns : dict of str to list, default=None
            Further columns of the rows, as for `export`: a field of the file with the
            name of a column is compared with it.

        Returns
        -------
        n_rows : int
            Number of labels that were new.

        Raises
        ------
        ValueError
            For an id that does not exist, a label that is no class (labels of another
            session are left out with a warning), and a file of another kind. Nothing
            was stored.
        """
        with self._storage.writing() as db:
            settings = get_settings(db)
            known = self._count_classes(db, settings, count_rows(db)[1])
            rows = RowsByContent(self._ids, self._items, columns, id_field)
            found = read_answers(
                path, rows, settings, get_pool(db), known, self._storage.identity
            )
            n_new, answered = 0, {*db.column("SELECT id FROM rows WHERE answered")}
            for id, label, who, is_final, reason, at in found:
                self._check_who(who, settings["votes"], is_final)
                if label is None and id in answered:
                    continue
                if label is None:
                    add_answer(
                        db, settings["votes"], RowFacts.read(db, id)[id], label=None,
                        who=who, reason=reason, at=at,
                    )  # fmt: skip
                else:
                    try:
                        label = self._plain_label(db, label, settings)
                    except ValueError as error:
                        raise ValueError(f"Row {id!r}: {error}") from error
                    what = id, label, who, is_final, None, at
                    n_new += self._store_answer(db, settings, *what, is_import=True)
        return n_new

    def take_annotations(
        self, annotations: Iterable[tuple], ids: Iterable[Id] | None = None
    ) -> Differences:
        """Store what people have done in another tool since the last call.

        A new annotation is an answer, a changed one a correction. The answer of an
        annotation that is gone is withdrawn. Other answers are not touched. All changes
        are on the disk when this returns. If one is refused, nothing is stored.

        Parameters
        ----------
        annotations : iterable of tuple
            In the order in which they were made or changed: number of the annotation in
            the other tool, id of the row, label (None: the person has skipped the row),
            name of the person, whether the label decides whatever others say, and the
            time in UTC (None: now).
        ids : iterable of str or int, default=None
            Rows of which all annotations are given. None: all rows.

        Returns
        -------
        differences : Differences
            Numbers of annotations that are ``new``, ``changed`` and ``withdrawn``.

        Raises
        ------
        ValueError
            For a row that does not exist, a label that is no class, a person without a
            name, and a change of a label that a stream learner has learned.
        """
        annotations = [Annotation(*each) for each in annotations]
        wanted = None if ids is None else {self._ids.own(id) for id in ids}
        while True:
            with self._storage.lock:
                self._storage.check_open()
                with self._storage.reading() as db:
                    plan = self._plan_changes(db, annotations, wanted)
                    sql = "SELECT 1 FROM taught WHERE id = ?"
                    is_separate = not any(db.row(sql, id) for id in plan.rows)
                    job = self._worker.job
                if not (plan.added or plan.gone):
                    return plan.differences
                if job is None or is_separate:
                    with self._storage.writing() as db:
                        votes = get_settings(db)["votes"]
                        if must_forget := _annotations.carry_out(db, plan, votes):
                            forget_progress(db)
                            self._worker.must_rebuild = True
                        if plan.gone:
                            change_learner(db, stop_reason=None)
                    job = self._worker.catch_up() if must_forget else None
                    break
            wait_for([job])  # otherwise the result would depend on the time
        if job is not None:
            job.result()
        return plan.differences

    def _plan_changes(self, db, annotations, ids):
        settings = get_settings(db)
        plain = []
        for each in annotations:
            self._check_who(each.who, is_final=each.is_final)
            label = each.label
            if label is not None:
                label = self._plain_label(db, label, settings)
            plain.append(each._replace(id=self._ids.own(each.id), label=label))
        kind = settings["label_kind"]
        plan = _annotations.plan_changes(db, kind, plain, ids)
        if self._worker.own.is_stream:
            for id in _annotations.find_unlearnable(db, plan, kind):
                raise ValueError(
                    f"Row {id!r} is learned: a stream learner cannot unlearn."
                )
        return plan

    # --- progress and people

    def status(self, who: str | None = None) -> Status:
        """Return the progress of the session.

        Parameters
        ----------
        who : str, default=None
            A person: ``answered``, ``skipped`` and ``by_class`` count the rows that
            they have answered, and ``pending`` the rows that wait for their answer.

        Returns
        -------
        status : Status
            Numbers of rows: ``asked``, ``answered``, ``skipped``, ``pending``,
            ``left`` in the budget, ``n_test``, ``n_taught``, ``by_class``,
            ``disputed``, ``test_left``, ``empty``, ``labelled`` and ``no_label``; and
            ``stop_reason``. A row with several labels counts for each of them in
            ``by_class``.

        Raises
        ------
        ValueError
            If `who` is not a name.
        """
        self._check_who(who)
        return self._statuses(who)[1]

    def _statuses(self, who):
        """Return the progress of the session, and of a person, at the same moment."""
        with self._storage.reading() as db:
            status = self._read_status(db)
            if who is None:
                return status, status
            counts = count_answers(db, who).get(who, {})
            return status, self._status_of_person(db, status, who, counts)

    def people(self) -> dict[str | None, Status]:
        """Return the progress of each person who has answered.

        Returns
        -------
        people : dict of str or None to Status
            As `status` of each person; None for answers without a name.
        """
        with self._storage.reading() as db:
            status = self._read_status(db)
            return {
                who: self._status_of_person(db, status, who, counts)
                for who, counts in count_answers(db, everybody=True).items()
            }

    def _read_status(self, db):
        settings, learner = get_settings(db), current_learner(db)
        states, labels = count_rows(db)
        of_test = {state: n for (kind, state), n in states.items() if kind == TEST}
        wanted = {state: 0 for (_, state) in states}
        for (kind, state), n in states.items():
            wanted[state] += n * (kind != GIVEN)
        n_test = sum(of_test.values())
        n_wanted, n_skipped = sum(wanted.values()), wanted.get(SKIPPED, 0)
        n_labelled = wanted.get(LABELLED, 0)
        n_disputed = sum(n for (_, state), n in states.items() if state == "disputed")
        budget = learner["budget"]
        return Status(
            asked=n_wanted - n_test,
            answered=n_labelled,
            skipped=n_skipped,
            pending=n_wanted - n_labelled - n_skipped,
            left=None if budget is None else budget - (n_wanted - n_test),
            n_test=n_test,
            n_taught=db.value("SELECT count(*) FROM taught WHERE label NOT NULL"),
            by_class=self._count_classes(db, settings, labels),
            stop_reason=self._find_stop_reason(db, learner),
            disputed=n_disputed,
            test_left=n_test - of_test.get(LABELLED, 0) - of_test.get(SKIPPED, 0),
            empty=len(self.empty_ids),
            labelled=sum(labels.values()),
            no_label=labels.get(to_column([]), 0),
        )

    def _status_of_person(self, db, status, who, counts):
        counts = dict(counts)
        n_skipped = counts.pop(None, 0)
        sql = """SELECT count(*) FROM rows WHERE queue IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM answers WHERE answers.id = rows.id AND who IS ?
          AND withdrawn_at IS NULL)"""
        return status._replace(
            answered=sum(counts.values()),
            skipped=n_skipped,
            pending=db.value(sql, who),
            by_class=self._count_classes(db, get_settings(db), counts),
            labelled=sum(counts.values()),
            no_label=counts.get(to_column([]), 0),
        )

    @staticmethod
    def _count_classes(db, settings, counts):
        """Return the number of rows with each label; classes without rows as 0."""
        kind, found = (
            settings["label_kind"],
            dict.fromkeys(settings["classes"] or (), 0),
        )
        for column, n in counts.items():
            label = from_column(column, kind)
            for each in label if kind == SEVERAL else [label] * bool(n):
                found[each] = found.get(each, 0) + n
        return found

    @staticmethod
    def _find_stop_reason(db, learner):
        states = {*db.column("SELECT DISTINCT state FROM rows WHERE queue NOT NULL")}
        if states - {"disputed"} or db.row("SELECT 1 FROM rows WHERE is_news"):
            return None
        is_disputed = states and learner["stop_reason"] is not None
        return "disputed" if is_disputed else learner["stop_reason"]

    def disputed(self) -> dict[Id, dict[str, RowLabel | None]]:
        """Return the rows on which people disagree.

        One more person may vote on them, somebody may change their vote, or `label`
        with ``final=True`` decides.

        Returns
        -------
        votes : dict of id to dict of str to label
            For each row the vote of each person, None for a skip. Rows are in the order
            in which they became disputed. With several labels a row, `answers` names
            the labels on which the votes are tied.
        """
        with self._storage.reading() as db:
            sql = "SELECT id FROM rows WHERE state = 'disputed' ORDER BY answered"
            kind, found = get_settings(db)["label_kind"], {}
            for id in db.column(sql):
                votes = (each for each in answers_of(db, id) if not each["is_final"])
                found[id] = {v["who"]: from_column(v["label"], kind) for v in votes}
            return found

    def agreement(self) -> Agreement:
        """Return how far people agree, beyond chance.

        Returns
        -------
        agreement : Agreement
            ``measure``: "Cohen's kappa" [1]_ for two people, "Krippendorff's alpha"
            [2]_ (nominal, with missing votes) for more; its ``value``, nan if there are
            no such rows or all votes are equal; ``n_rows`` with at least two votes;
            ``n_people`` who gave these votes; and ``share``, the share of equal pairs
            of votes on a row. The last vote of each person counts. Skips, final labels,
            votes without a name, and votes of people who were asked because of a
            disagreement do not count. If a row may have several labels, ``by_label``
            has Krippendorff's alpha of each label (given or not), and ``value`` is the
            mean of the values that are defined.

        References
        ----------
        .. [1] J. Cohen. A coefficient of agreement for nominal scales. Educational and
           Psychological Measurement 20, 37-46, 1960.
        .. [2] K. Krippendorff. Content Analysis: An Introduction to Its Methodology.
           Sage, 2nd edition, 2004. Chapter 11.
        """
        with self._storage.reading() as db:
            settings = get_settings(db)
            votes = read_votes(db, settings["votes"])
        if settings["label_kind"] == SEVERAL:
            return measure_agreement_by_label(votes, settings["classes"])
        return measure_agreement(votes)

    # --- review

    def review(
        self, kind: ReviewList = "labelled", *, text: str = "",
        label: RowLabel | None = None, who: str | None = None,
        since: str | date | None = None, until: str | date | None = None,
        start: int = 0, limit: int = 50, viewer: str | None = None,
        refresh: bool = False,
    ) -> ReviewPage:  # fmt: skip
        """Return a part of a list of rows that were answered or noted.

        The call does not wait for training. Open a row with `answers` and `row`,
        correct it with `label`, withdraw an answer with `undo`.

        Parameters
        ----------
        kind : {"labelled", "skipped", "disputed", "doubtful", "noted", "empty"}
            "labelled", "skipped": rows that somebody has labelled or skipped, the last
            one first. "disputed": rows on which people disagree. "doubtful": labels
            that a model trained without them contradicts, the most doubtful first, as
            `doubtful`, without rows that were answered since; a thread looks for them,
            and the page is empty until they are found. "noted": rows with notes, the
            last one first. "empty": rows without content.
        text : str, default=""
            Words that must all occur in the item, the id, the notes or the reasons of
            skips. Case is ignored.
        label : label, default=None
            Label of the row, or of a vote while the row is not decided. If a row may
            have several, one of them; an empty list for rows to which none applies.
        who : str, default=None
            A person who has answered the row.
        since, until : str or date, default=None
            First time, and the time before which the row was answered: a date or a
            time, as an object or in ISO 8601, UTC unless it says otherwise.
        start : int >= 0, default=0
            Number of rows of the list to leave out.
        limit : int >= 1, default=50
            Largest number of rows to return.
        viewer : str, default=None
            Person who sees the page. While a row waits for more votes, they see only
            their own vote and note, because votes are to be independent.
        refresh : bool, default=False
            Whether to look for doubtful rows again.

        Returns
        -------
        page : ReviewPage
            ``rows``, each as `answers` returns it, doubtful ones with ``predicted``,
            the label that the model prefers; ``n_rows`` in the whole list; for doubtful
            rows ``n_labels`` with which they were found, ``is_computing``, and
            ``error``, the reason why they cannot be found.

        Raises
        ------
        ValueError, TypeError
            For another kind, if `since` or `until` is no date, and, if a row may have
            several labels, for a label that the session does not have.
        """
        check_option(kind, "kind", tuple(_lists.LISTS))
        check_number(start, "start", 0, closed="left", integer=True)
        check_number(limit, "limit", 1, closed="left", integer=True)
        search = {"label": to_column(label), "who": who, "viewer": viewer}
        search["words"] = text.casefold().split()
        search["since"] = _lists.stored_time(since, "since")
        search["until"] = _lists.stored_time(until, "until")
        doubts, n_labels, is_computing, error = [], None, False, ""
        if kind == "doubtful":
            doubts, n_labels, is_computing, error = self._look_for_doubtful(refresh)
        predicted = {id: label for id, label, _ in doubts}
        with self._storage.reading() as db:
            settings = get_settings(db)
            _lists.check_searched_label(label, settings)
            if kind == "doubtful":
                _lists.put_doubtful(db, doubts)
            ids, n_rows = _lists.find_page(
                db, settings, kind, search, start, limit, self._texts
            )
            rows = [
                _lists.read_row(db, settings, id, viewer, predicted.get(id))
                for id in ids
            ]
        return ReviewPage(rows, n_rows, n_labels, is_computing, error)

    def _look_for_doubtful(self, refresh):
        """Start the search if need be; return rows, labels, state and error."""
        found = self._doubts
        is_over = found is not None and found.done()
        has_failed = is_over and found.exception() is not None
        if has_failed and self._searched != self.version:
            refresh = True  # there may be more labels now
        if found is None or (is_over and refresh):
            self._searched = self.version
            self._doubts = found = self._search.submit(self._find_doubtful)
        if not found.done():
            return [], None, True, ""
        if found.exception() is not None:  # whatever an estimator raises
            return [], None, False, f"{found.exception()}"
        rows, labels = found.result()
        rows = [row for row in rows if row[1] != labels[row[0]]]
        return rows[: _scores.N_DOUBTFUL], len(labels), False, ""

    def answers(self, id: Id, *, viewer: str | None = None) -> ReviewRow:
        """Return a row with the answers that count and the notes.

        Parameters
        ----------
        id : str or int
            The row.
        viewer : str, default=None
            As for `review`.

        Returns
        -------
        row : ReviewRow
            ``id``; ``state``: "labelled", "skipped", "disputed", or "open" if the row
            is not decided; ``label``, None unless it is labelled; ``answers``, each
            with ``who``, ``label`` (None for a skip), ``at``, ``reason`` and
            ``is_final``; ``notes``, each with ``who``, ``text`` and ``at``; and
            ``tied``, the labels on which votes are tied. If a row may have several
            labels, each label is a list.

        Raises
        ------
        ValueError
            If the id does not exist.
        """
        id = self._ids.own(id)
        with self._storage.reading() as db:
            return _lists.read_row(db, get_settings(db), id, viewer)

    def doubtful(self, n: int = 20, estimator: Classifier | None = None) -> list[Id]:
        """Return rows whose labels should be checked.

        Nothing is changed. Call `label` for wrong labels, and `label` with
        ``final=True`` for right ones that should not be listed again.

        Parameters
        ----------
        n : int >= 1, default=20
            Maximum number of rows.
        estimator : classifier, default=None
            Model to train, as for `evaluation.doubtful_labels`. None: the model of the
            learner.

        Returns
        -------
        ids : list of str or int
            The most doubtful row first, among all rows with a label that is not final,
            including held-out rows.

        Raises
        ------
        ValueError
            Before two classes have labels; if a row may have several; without
            `estimator`, for stream learners and boosting, whose models are not trained
            on labelled rows alone.
        TypeError
            As `evaluation.doubtful_labels`.
        """
        check_number(n, "n", 1, closed="left", integer=True)
        return [id for id, *_ in self._find_doubtful(estimator)[0]][:n]

    def _find_doubtful(self, estimator=None):
        """Return doubtful rows without a final label, and the labels of all rows by id.

        Each row is its id, its predicted label, and the number of its last answer.
        """
        with self._storage.reading() as db:
            kind, own = get_settings(db)["label_kind"], self._worker.own
            if kind == SEVERAL:
                raise ValueError("Doubtful labels need rows with one label each.")
            found = db.execute(
                """SELECT id, label, answered, EXISTS (SELECT 1 FROM standing
                  JOIN answers USING (number) WHERE standing.id = rows.id AND is_final)
                FROM rows WHERE state = 'labelled' ORDER BY decided"""
            ).fetchall()
        labels = {id: from_column(label, kind) for id, label, *_ in found}
        answered = {id: number for id, _, number, is_final in found if not is_final}
        ranked = _scores.rank_doubtful(labels, own, self._ids, estimator)
        rows = [(*row, answered[row[0]]) for row in ranked if row[0] in answered]
        return rows, labels

    # --- the model

    def predictions(self, ids: Ids | None = None) -> Predictions:
        """Return predictions of the model.

        Parameters
        ----------
        ids : list of str or int, default=None
            Rows; None: all.

        Returns
        -------
        predictions : Predictions
            ``ids``, ``labels``, ``probabilities`` of shape (n_rows, n_classes) (None
            if the model has none), and ``classes``.

        Raises
        ------
        ValueError
            If there is no model yet; for an id that does not exist.
        """
        own = self._worker.own
        rows = None if ids is None else self._ids.rows(ids)
        if not own.has_model:
            raise ValueError(_scores.describe_missing_model(self.status()))
        labels, probabilities = own.predict(
            own.pool if rows is None else take(own.pool, rows)
        )
        names = self.ids if rows is None else self._ids.at(rows)
        return Predictions(names, labels, probabilities, own.label_names)

    def machine_label(self, id: Id) -> tuple[Label, float | None] | None:
        """Return the machine's label of a row and its confidence in the label.

        Parameters
        ----------
        id : str or int
            The row. Show the label after the person's answer only.

        Returns
        -------
        label : tuple or None
            Label, and confidence or None; None if the machine has no label.
        """
        row, params = self._ids.row(id), self.learner.get_params(deep=False)

        def of_row(name):
            given = params.get(name)
            if given is None:
                return None
            return given.get(row) if isinstance(given, dict) else given[row]

        label = of_row("machine_labels")
        if is_missing_label(label) or label == "":
            return None
        return label, of_row("machine_confidence")

    def model(self) -> Any:
        """Return the model, trained on all labels but the labels of held-out rows.

        It includes labels that the learner of the session does not know yet: a copy is
        taught, and the session does not change.

        Returns
        -------
        model : classifier
            ``estimator_`` of a pool learner; a stream learner itself.

        Raises
        ------
        ValueError
            If there are no labels of two classes yet.
        Exception
            Errors of the learner if it cannot be trained.
        """
        own = self._train_on_all()
        return own.learner if own.is_stream else own.learner.estimator_

    def _train_on_all(self, needs_model=True):
        """Return a copy of the learner that knows all labels that it may be taught."""
        if (job := self._worker.catch_up()) is not None:
            job.result()
        with self._storage.reading() as db:
            own, kind = copy(self._worker.own), get_settings(db)["label_kind"]
            sql = "SELECT id, label FROM rows WHERE is_news ORDER BY decided"
            news = [
                (self._ids.row(id), from_column(label, kind))
                for id, label in db.execute(sql)
            ]
        if news:
            own.teach(news)
        if needs_model and not own.has_model:
            raise ValueError(_scores.describe_missing_model(self.status()))
        return own

    def curve(self, scoring: Scoring | None = None) -> list[CurvePoint]:
        """Return the score of each model on the held-out rows.

        Parameters
        ----------
        scoring : str or callable, default=None
            As for `label_curve`, but only measures of predicted labels, because nothing
            else is stored. None: accuracy, or balanced accuracy where one class has
            more than 70 % of the labels of the held-out rows. If a row may have several
            labels: the micro-averaged F1; the accuracy then counts rows on which all
            labels are right.

        Returns
        -------
        points : list of CurvePoint
            ``n_labels``, ``accuracy``, ``n_test``, ``score``, ``constant`` (score of
            the most frequent class as a constant prediction) and ``measure``, the name
            of the score; empty without held-out rows. After a change that lets a
            learner begin again, the curve begins again, too.

        Raises
        ------
        ValueError
            For several measures, unknown ones, and measures that need more than labels.
        """
        with self._storage.reading() as db:
            history = _scores.read_history(db, self._worker.own.target)
        return _scores.compute_curve(history, scoring)

    def report(self, scoring: Scoring | None = None) -> Report:
        """Return the curve and the advice at one moment.

        Between a call of `curve` and a call of `advice`, another model may be trained
        or another label be given, so that one of them is ahead of the other.

        Parameters
        ----------
        scoring : str or callable, default=None
            As for `curve`.

        Returns
        -------
        report : Report
            ``curve`` as of `curve`, without points of fewer than ten rows, and
            ``advice`` as of `advice`.

        Raises
        ------
        ValueError
            As `curve`.
        """
        own = self._worker.own
        # rows without content are not asked for: they do not count as unread
        others = dict.fromkeys(self._ids.rows(self.empty_ids), (SKIPPED, None))
        with self._storage.reading() as db:
            history = _scores.read_history(db, own.target)
            kind = get_settings(db)["label_kind"]
            stop_reason = self._find_stop_reason(db, current_learner(db))
            for row in (*own.test.tolist(), *own.earlier.tolist(), *own.pending):
                sql = "SELECT state, label FROM rows WHERE id = ?"
                state, label = db.row(sql, self.ids[row])
                others[row] = state, from_column(label, kind)
        waiting = [others.pop(row)[0] for row in own.pending].count(LABELLED)
        curve = [
            point
            for point in _scores.compute_curve(history, scoring)
            if point.n_test >= _scores.FEWEST
        ]
        if own.has_machine_labels:
            checked = self._train_on_all(needs_model=False).check_machine_labels()
            return Report(curve, str(checked or "The learner has no label yet."))
        found = _scores.describe_recall(own, others, stop_reason)
        if found and waiting:
            found += f"\nLabels of an unfinished batch, not counted yet: {waiting}."
        if not history.n_test:
            return Report(curve, found or self._advise_without_test(own))
        if history.models:
            n_rows = len(self.ids)
            judged = _scores.advise_on_test(history, scoring, stop_reason, n_rows)
        else:
            judged = _scores.describe_missing_model(self.status())
        return Report(curve, f"{found}\n{judged}" if found else judged)

    def test_labels(self) -> dict[Id, Label]:
        """Return the labels of the held-out rows that have one, by id."""
        with self._storage.reading() as db:
            kind = get_settings(db)["label_kind"]
            sql = """SELECT id, label FROM requests JOIN rows USING (id)
              WHERE purpose = 'test' AND state = 'labelled' ORDER BY number"""
            return {id: from_column(label, kind) for id, label in db.execute(sql)}

    def advice(self, scoring: Scoring | None = None) -> str:
        """Return what is known about the score and about the worth of more labels.

        The score is about the model that chose the last rows; labels that were given
        later count as soon as it chooses further rows. It is compared with an earlier
        model that had at most half of the labels.

        Without held-out rows, the labels that the learner has bought are used
        (`explored_score`, or `online_score` of a stream learner). If the learner stops
        at a recall (`RecallTarget`), lines on what was found, what is left and what
        certainty costs come first (`recall_price`). For machine labels it is the
        certificate, or its expected cost (`CheckedLabels`).

        Parameters
        ----------
        scoring : str or callable, default=None
            As for `curve`.

        Returns
        -------
        advice : str
            Sentences; the part on recall has several lines.

        Raises
        ------
        ValueError
            As `curve`.
        """
        return self.report(scoring).advice

    def _advise_without_test(self, own):
        if estimate := _scores.score_learner(own.learner):
            return _scores.describe_score(own, estimate)
        if not own.has_model and getattr(own.learner, "explore", 0):
            # from then on, random rows tell
            return _scores.describe_missing_model(self.status())
        return (
            "No rows are held out (test_size), so nothing tells how good the model is: "
            "rows that the learner chose would mislead."
        )

    # --- results

    def export(
        self, path: FilePath, form: Form = "wide", columns: Columns | None = None
    ) -> int:
        """Write the labels, and the items of their rows, to a file.

        Parameters
        ----------
        path : str or path
            ``.csv``, or ``.json`` for Label Studio, as for the function `export`.
        form : {"wide", "long"}, default="wide"
            A line for each row that has a label, or for each answer.
        columns : dict of str to sequence, default=None
            As for `export_predictions`; for a CSV.

        Returns
        -------
        n_lines : int
            Number of lines or tasks that were written.

        Raises
        ------
        ValueError, OSError
            As the function `export`.
        """
        with self._storage.reading() as db:
            columns = columns or columns_shown(self._items)
            return export_labels(db, path, form, self.row, columns, self._ids.row)

    def export_predictions(self, path: FilePath, columns: Columns | None = None) -> int:
        """Write a line for each row: its label, or else the prediction of the model.

        Parameters
        ----------
        path : str or path
            ``.csv`` or ``.parquet`` (needs pyarrow), with the columns id, label,
            probability (of a prediction, by `model`; empty for labels that people gave,
            and if the model has none), who (gave the label) and origin ("predicted", or
            as in an export), and the items. With machine labels, rows that nobody has
            read have these labels, and the origin "machine".
        columns : dict of str to sequence, default=None
            Columns to write instead of the items: a cell for each row of the pool.
            "input" is put in front of a name that comes twice.

        Returns
        -------
        n_predicted : int
            Number of labels that no person gave. Rows without content have none.

        Raises
        ------
        ValueError
            As `model`, and for a path that holds a session or has another suffix.
        OSError
            If the file cannot be written; a file that existed is unchanged.
        """
        check_table_file(path := Path(path))
        own = self._train_on_all(not self._worker.own.has_machine_labels)
        with self._storage.reading() as db:
            columns, empty = columns or columns_shown(self._items), {*self.empty_ids}
            return write_predictions(db, path, own, self.ids, columns, empty)
