"""Labelling session: people label the rows that a learner chooses."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path
from time import time
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    get_args,
)

from ..base import (
    ActiveClassifier,
    check_flags,
    check_number,
    check_option,
)
from ..sources import find_empty_rows, is_frame, to_pandas
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
from ._agreement import (
    Agreement,
    measure_agreement,
    measure_agreement_by_label,
    read_votes,
)
from ._annotations import (
    Annotation,
    Differences,
    carry_out,
    plan_changes,
)
from ._answers import ImportedAnswer, check_person, store_answer, store_answers
from ._doubtful_rows import DoubtfulRows
from ._export import Columns, Form, export_labels, write_predictions
from ._ids import check_text, find_ids
from ._import import RowsByContent, join_twins, read_answers
from ._plan import Arguments, plan_session, store_plan
from ._progress import Status, count_classes, read_status, read_status_of
from ._report import (
    CurvePoint,
    Predictions,
    Report,
    compute_curve,
    describe_missing_model,
    make_report,
    read_history,
    read_test_ids,
)
from ._review import (
    ItemTexts,
    ReviewList,
    ReviewPage,
    ReviewRow,
    RowLabel,
    Search,
    check_searched_label,
    check_searched_tag,
    find_page,
    list_rows,
    read_row,
    stored_time,
)
from ._table_files import check_table_file, columns_shown
from ._worker import SessionLearner, Worker
from .front_ends._view import describe_near_chance, html_of, sentence_of
from .storage._decisions import DISPUTED, LABELLED, SKIPPED
from .storage._file import OPEN, SessionFile, identity_of
from .storage._labels import SEVERAL, from_column

if TYPE_CHECKING:
    from .front_ends._label_studio import LabelStudioLoop
    from .front_ends._page import PageServer


class Look(NamedTuple):
    """The row to label, and the progress at the same moment."""

    row: ReviewRow | None  # None: there is no row for this person now
    status: Status
    own: Status  # of this person
    version: int
    is_training: bool  # True: the learner is choosing the next rows
    near_chance: str  # what to do if labels are nearly as uncertain as chance, or ""


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
        "classes", "tags", "test_size", "votes", "learner". A dict maps these words to
        None, and "classes" or "tags" to a dict of names to rename or merge:
        ``change={"classes": {"old": "new"}}``.
    tags : list of str, default=None
        Tags, of which an answer may have any number beside its label. Learners never
        see them. None: as in the file, or none.
    twins : {"once", "ask"}, default=None
        "once": rows with the same text, or the same cells of a table, are asked for
        once, and the answer counts for all of them (`find_twins`); case and spaces do
        not count. Learners are taught the first of them. A learner that stops at a
        recall (`RecallTarget`), which is a share of rows, is taught each. "ask": each
        row is asked for. None: as in the file, or "once", but "ask" for machine labels.

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
    tags : list of str
        All tags.
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
        tags: Sequence[str] | None = None, twins: Literal["once", "ask"] | None = None,
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
            votes, ahead, tags, twins, change, empty,
        )  # fmt: skip
        owner = OPEN.get(identity_of(os.path.realpath(path)))
        if owner is not None and owner._process == os.getpid():
            owner._hand_over(args)
        # a refused beginning makes no file
        plan = None if self.path.exists() else plan_session(args)
        self._file = None
        try:
            self._file = SessionFile(self.path)
            with self._file.reading() as facts:
                if plan is None or facts.is_begun:
                    plan = plan_session(args, facts)
            if plan.is_needed:
                with self._file.writing() as facts:
                    store_plan(facts, plan)
            build = partial(
                SessionLearner, ids=self._ids, template=learner, pool=pool, empty=empty
            )
            self._worker = Worker(self._file, self._ids, build)
            with self._file.reading() as facts:
                settings = facts.settings
            self.ids: list[Id] = self._ids.all
            self.empty_ids: list[Id] = self._ids.at(empty)
            self.classes: list[Label] | None = settings["classes"]
            is_several = settings["label_kind"] == SEVERAL
            self.labels: list[str] | None = self.classes if is_several else None
            self.votes: int = settings["votes"]
            self.tags: list[str] = settings["tags"]
            self._ahead, self._process = ahead, os.getpid()
            self._server, self._loop = None, None
            self._texts = ItemTexts(self.row, self.find_twins)
            self._doubtful = DoubtfulRows(self._file, self._worker, self._ids)
            self._preview = (None, 0, [])
            OPEN[self._file.identity] = self
        except BaseException:
            if self._file is not None:
                self._file.close()
            raise

    def _hand_over(self, args):
        """Give the file to a session of this process that is opened with `args`."""
        with self._file.reading() as facts:
            plan_session(args, facts)  # refused: this session goes on
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
            self._file.refuse(refusal)
            self._worker.close()
            self._doubtful.close()
        finally:  # also if Ctrl-C comes while the learner is trained
            self._file.close()
            # last: if Ctrl-C comes before, the next session asks this one to close
            if OPEN.get(self._file.identity) is self:
                del OPEN[self._file.identity]

    def serve(
        self, port: int = 0, open: bool = True, *,
        kind: Literal["text", "table", "image"] | None = None,
        folder: FilePath | None = None, title: str = "", guide: str = "",
        show_prediction: bool = False, show_reasons: bool = False,
        block: bool | None = None,
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
        show_reasons : bool, default=False
            Whether to show why the learner asks for each row, in a sentence that does
            not tell what the model expects.
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
            show_prediction=show_prediction, show_reasons=show_reasons, block=block,
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
        return self._file.version

    @property
    def test_ids(self) -> list[Id]:
        with self._file.reading() as facts:
            return read_test_ids(facts)

    def check_open(self) -> None:
        """Raise ValueError if the session is closed or has handed over its file."""
        self._file.check_open()

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

    def find_twins(self, id: Id) -> list[Id]:
        """Return the ids of the rows that share their answers with a row.

        Parameters
        ----------
        id : str or int
            The row.

        Returns
        -------
        ids : list of str or int
            Rows with the same content, this row too. The first one is asked for, and
            has the answers and notes. With ``twins="ask"`` the row alone.

        Raises
        ------
        ValueError
            If the id does not exist.
        """
        return [*self._ids.twins(id)]

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
            ``row``, ``status``, ``own``, ``version``, ``is_training`` and
            ``near_chance``.

        Raises
        ------
        ValueError, Exception
            As `next`.
        """
        while True:
            with self._file.lock:
                id, job = self._find_row(who)
                if job is None or not wait:
                    return self._look_at(id, who, job)
            job.result()

    def answer_and_look(
        self, id: Id, label: RowLabel | None, who: str | None = None, *,
        reason: str | None = None, tags: Iterable[str] | None = None,
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
        tags : list of str, default=None
            As for `label`.

        Returns
        -------
        look : Look
            As `look` returns it.

        Raises
        ------
        ValueError
            As `label` and `skip`.
        """
        with self._file.lock:
            self._answer(id, label, who, reason=reason, then_lease=True, tags=tags)
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
        with self._file.lock:
            self._file.check_open()
            with self._file.reading() as facts:
                rows = facts.decisions.queue
            asked = [row.id for row in rows]
            undisputed = (row.id for row in rows if row.state != DISPUTED)
            if (first := next(undisputed, None)) is None:
                job = self._worker.find_rows()
            elif self._ahead:
                self._worker.look_ahead(first, goes_past=True)
                job = self._worker.job
            else:
                job = self._worker.job
            own = self._worker.own
        if self._preview[:2] != (own, n):
            ids = self._ids.at(own.preview(n) if n else [])
            self._preview = own, n, [*dict.fromkeys(map(self._ids.own, ids))]
        with self._file.reading() as facts:
            rows = facts.decisions.rows
            known = {
                id
                for id, row in rows.items()
                if (row.requests or row.answers) and not row.is_queued
            }
        later = [id for id in self._preview[2] if id not in known.union(asked)]
        return Upcoming(asked + later, len(asked), job)

    def _find_row(self, who):
        """Return the row to label, and the job to wait for if there is none yet."""
        with self._file.lock:
            self._file.check_open()
            check_person(who, self.votes)
            with self._file.reading() as facts:
                row = facts.decisions.find_free_row(who, time())
            if row is None:
                return None, self._worker.find_rows()
            self._lease(row.id, who)
            if self._ahead:
                self._worker.look_ahead(row.id)
            return row.id, None

    def _lease(self, id, who):
        """Keep a row for a person, unless the lease has most of its time left."""
        now = time()
        with self._file.reading() as facts:
            until = facts.decisions.leases.get(id, {}).get(who, 0.0)
        is_late = until <= now + self.lease / 2
        if who is not None and is_late:
            with self._file.writing(is_change=False) as facts:
                facts.lease(id, who, now + self.lease)

    def _look_at(self, id, who, job):
        row = None if id is None else self.answers(id, viewer=who)
        near_chance = describe_near_chance(self._worker.own.model)
        statuses = self._statuses(who)
        return Look(row, *statuses, self.version, job is not None, near_chance)

    # --- answers

    def label(
        self, id: Id, label: RowLabel, who: str | None = None, *,
        final: bool = False, tags: Iterable[str] | None = None,
    ) -> None:  # fmt: skip
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
        tags : list of str, default=None
            Tags of the session that this person gives the row. None: the tags that
            they gave it before.

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
        self._answer(id, label, who, is_final=bool(final), tags=tags)

    def skip(
        self, id: Id, reason: str | None = None, who: str | None = None, *,
        tags: Iterable[str] | None = None,
    ) -> None:  # fmt: skip
        """Store that a row that was asked for gets no label.

        Parameters
        ----------
        id : str or int
            The row.
        reason : str, default=None
            Why.
        who : str, default=None
            The person.
        tags : list of str, default=None
            As for `label`.

        Raises
        ------
        ValueError
            For a row that was not asked for, or that is decided and whose label the
            learner knows; as `next`.
        """
        self._answer(id, None, who, reason=reason, tags=tags)

    def _answer(
        self, id, label, who, *, is_final=False, reason=None, then_lease=False,
        tags=None,
    ):  # fmt: skip
        """Store an answer, and lease the next row in the same transaction."""
        check_person(who, self.votes, is_final)
        reason = check_text(str(reason)) if reason else None
        with self._file.writing() as facts:
            store_answer(
                facts, self._ids.own(id), label, who, is_final, reason,
                is_stream=self._worker.own.is_stream, tags=tags,
            )  # fmt: skip
            if then_lease and who is not None:
                row = facts.decisions.find_free_row(who, now := time())
                if row is not None:
                    facts.lease(row.id, who, now + self.lease)

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
        check_person(who, self.votes)
        wanted = None if id is None else self._ids.own(id)

        def find(facts):
            last = facts.decisions.last_answer(who, wanted)
            if last is None:
                raise ValueError("There is nothing to undo.")
            if self._worker.own.is_stream and facts.decisions[last.id].taught:
                raise ValueError(
                    f"Row {last.id!r} is learned: a stream learner cannot unlearn."
                )
            return {last.id: [last]}

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
        check_person(who)
        wanted = None if ids is None else [self._ids.own(id) for id in ids]

        def find(facts):
            skipped = [
                row
                for row in facts.decisions.rows.values()
                if row.state == SKIPPED
                and not (self._worker.own.is_stream and row.taught)
            ]
            skipped.sort(key=lambda row: row.decided)
            skipped = {row.id: row for row in skipped}
            found = {}
            for id in reversed(skipped if wanted is None else dict.fromkeys(wanted)):
                if id not in skipped:
                    raise ValueError(
                        f"Row {id!r} cannot be shown again: it is not skipped, or a "
                        "stream learner is past it."
                    )
                answers = skipped[id].answers
                found[id] = [each for each in answers if each.label is None]
            return found

        return [*reversed(self._withdraw(find, who))]

    def _withdraw(self, find, by, *, is_lease_wanted=False):
        """Withdraw the answers that `find` returns by row; return the rows."""

        def is_separate(facts, found):
            rows = [facts.decisions[id] for id in found]
            return all(row.request is not None and not row.taught for row in rows)

        def carry_out(facts, found):
            must_forget = False
            for id, answers in found.items():
                must_forget |= facts.withdraw(answers, by)
                # a person who decides has no vote that others would wait for
                is_decider = answers[-1].is_final and facts.decisions.votes > 1
                is_kept = is_lease_wanted and by is not None and not is_decider
                if is_kept and facts.decisions[id].is_queued:
                    facts.lease(id, by, time() + self.lease)
            facts.change_learner(stop_reason=None)
            return must_forget

        return [*self._change_past(find, is_separate, carry_out)]

    def _change_past(self, plan, is_separate, carry_out):
        """Withdraw answers, and build the learner again if it was taught one of them.

        Parameters
        ----------
        plan : callable
            ``plan(facts)`` returns what is to be done, which is returned.
        is_separate : callable
            ``is_separate(facts, planned)`` is True if a query that is under way neither
            knows nor asks for the rows.
        carry_out : callable
            ``carry_out(facts, planned)`` stores it, and returns True if the learner was
            taught one of the answers.
        """
        while True:
            with self._file.lock:
                self._file.check_open()
                job = self._worker.job
                with self._file.reading() as facts:
                    planned = plan(facts)
                    can_begin = job is None or is_separate(facts, planned)
                if can_begin:
                    with self._file.writing() as facts:
                        if must_forget := carry_out(facts, planned):
                            facts.forget_progress()
                            # now, because Ctrl-C may come when the answers are stored
                            self._worker.must_rebuild = True
                    job = self._worker.catch_up() if must_forget else None
                    break
            wait_for([job])  # otherwise the result would depend on the time
        if job is not None:
            job.result()
        return planned

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
        check_person(who)
        if not isinstance(text, str):
            raise ValueError(f"A note must be a text, got {text!r}.")
        text = check_text(text).strip()
        with self._file.writing() as facts:
            notes = {each.who: each.text for each in facts.decisions[id].notes}
            if text != notes.get(who, ""):
                facts.put_note(id, text, who)

    def import_labels(
        self,
        path: FilePath | Mapping[Id, RowLabel],
        *,
        id_field: str | None = None,
        columns: Mapping[str, list] | None = None,
    ) -> int:
        """Read labels from a file of another tool, of `export`, or of another session.

        Tasks of Label Studio and examples of Prodigy and doccano belong to the row with
        their id, or else to the only row that has their content. A warning says how
        many have no row.

        Parameters
        ----------
        path : str, path or dict of id to label
            Labels by id, or a file: ``.csv`` with the columns id and label, and who if
            there are several people; ``.json``; ``.jsonl`` of Prodigy or doccano; or
            another session: its labels and skips, with people and times. Skipped rows
            of the long form are left out. Labels of equal rows that differ are left out
            with a warning.
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
        with self._file.writing() as facts:
            if isinstance(path, Mapping):
                for id, label in path.items():
                    if label is None:
                        raise ValueError(f"Row {id!r} has no label: leave it out.")
                found = [ImportedAnswer(id, label) for id, label in path.items()]
            else:
                known = count_classes(facts, facts.decisions.count_labels())
                rows = RowsByContent(self._ids, self._items, columns, id_field)
                found = read_answers(
                    path, rows, facts.settings, facts.read_pool(), known,
                    self._file.identity,
                )  # fmt: skip
            found = join_twins(found, self._ids, facts.settings["votes"])
            return store_answers(facts, found, self._worker.own.is_stream)

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
            name of the person, whether the label decides whatever others say, the time
            in UTC (None: now), and the tags; the last three may be left out.
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
        found = [each._replace(id=self._ids.own(each.id)) for each in annotations]
        wanted = None if ids is None else {*ids}
        if wanted is not None:  # of twins only if all are given
            wanted = {id for id in wanted if wanted.issuperset(self._ids.twins(id))}

        def plan(facts):
            is_stream = self._worker.own.is_stream
            return plan_changes(facts, found, wanted, is_stream=is_stream)

        def is_separate(facts, planned):
            return not any(facts.decisions[id].taught for id in planned.rows)

        return self._change_past(plan, is_separate, carry_out).differences

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
            Numbers of rows: ``asked``, ``answered``, ``skipped``, ``pending``, ``left``
            in the budget, ``n_test``, ``n_taught``, ``by_class``, ``disputed``,
            ``test_left``, ``empty``, ``labelled``, ``no_label`` and ``to_label``; and
            ``stop_reason``. A row with several labels counts for each of them in
            ``by_class``. Of equal rows that are asked for once the first counts, and
            ``twins`` is the number of the others. ``seconds_per_label`` is the median
            time between two answers of a person; of several people who answer side by
            side, of all together. A gap of more than three minutes is a break, and with
            fewer than ten answers it is None. ``minutes_left`` is a range of minutes
            for the ``to_label`` rows, without breaks, that holds in nine of ten cases.

        Raises
        ------
        ValueError
            If `who` is not a name.
        """
        check_person(who)
        return self._statuses(who)[1]

    def _statuses(self, who):
        """Return the progress of the session, and of a person, at the same moment."""
        with self._file.reading() as facts:
            status = read_status(facts, self._ids, len(self.empty_ids))
            own = status if who is None else read_status_of(facts, who, status)
            return status, own

    def people(self) -> dict[str | None, Status]:
        """Return the progress of each person who has answered.

        Returns
        -------
        people : dict of str or None to Status
            As `status` of each person; None for answers without a name.
        """
        with self._file.reading() as facts:
            status = read_status(facts, self._ids, len(self.empty_ids))
            return {
                who: read_status_of(facts, who, status)
                for who in facts.decisions.people_in_order()
            }

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
        with self._file.reading() as facts:
            kind = facts.decisions.kind
            rows = list_rows(facts.decisions, "disputed")
            return {
                row.id: {vote.who: from_column(vote.label, kind) for vote in row.votes}
                for row in rows
            }

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
        with self._file.reading() as facts:
            votes = read_votes(facts.decisions)
        if self.labels is not None:
            return measure_agreement_by_label(votes, self.labels)
        return measure_agreement(votes)

    # --- review

    def review(
        self, kind: ReviewList = "labelled", *, text: str = "",
        label: RowLabel | None = None, who: str | None = None,
        since: str | date | None = None, until: str | date | None = None,
        start: int = 0, limit: int = 50, viewer: str | None = None,
        refresh: bool = False, tag: str | None = None,
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
        tag : str, default=None
            A tag that somebody has given the row.

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
        check_option(kind, "kind", get_args(ReviewList))
        check_number(start, "start", 0, closed="left", integer=True)
        check_number(limit, "limit", 1, closed="left", integer=True)
        search = Search(
            viewer, label, who, stored_time(since, "since"),
            stored_time(until, "until"), text.casefold().split(), tag,
        )  # fmt: skip
        predicted, n_labels, is_computing, error = {}, None, False, ""
        if kind == "doubtful":
            predicted, n_labels, is_computing, error = self._doubtful.look(refresh)
        check_searched_label(label, self.labels)
        check_searched_tag(tag, self.tags)
        with self._file.reading() as facts:
            ids = self.empty_ids if kind == "empty" else predicted
            ids, n_rows = find_page(
                facts.decisions, kind, search, ids, start, limit, self._texts
            )
            rows = [
                read_row(facts.decisions, id, viewer, predicted.get(id)) for id in ids
            ]
        return ReviewPage(rows, n_rows, n_labels, is_computing, error)

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
            is not decided; ``label``, None unless it is labelled; ``query_reason``, the
            word for why the learner asked for it, as ``return_reason`` of `query`;
            ``answers``, each with ``who``, ``label`` (None for a skip), ``at``,
            ``reason``, ``is_final`` and ``tags``; ``notes``, each with ``who``,
            ``text`` and ``at``; and ``tied``, the labels on which votes are tied. If a
            row may have several labels, each label is a list.

        Raises
        ------
        ValueError
            If the id does not exist.
        """
        id = self._ids.own(id)
        with self._file.reading() as facts:
            return read_row(facts.decisions, id, viewer)

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
        rows, _ = self._doubtful.find(estimator)
        return [row.id for row in rows[:n]]

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
        ids = self.ids if ids is None else self._ids.at(self._ids.rows(ids))
        self._check_model(own)
        return Predictions(ids, *own.predict_ids(ids), own.label_names)

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
        return self._worker.own.machine_label(self._ids.row(id))

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
        own = self._worker.train_on_all()
        self._check_model(own)
        return own.learner if own.is_stream else own.learner.estimator_

    def _check_model(self, own):
        if not own.has_model:
            raise ValueError(describe_missing_model(self.status()))

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
        with self._file.reading() as facts:
            history = read_history(facts, self._worker.own.target)
        return compute_curve(history, scoring)

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
        empty = self._ids.rows(self.empty_ids)
        return make_report(self._file, self._worker, self._ids, empty, scoring)

    def test_labels(self) -> dict[Id, Label]:
        """Return the labels of the held-out rows that have one, by id."""
        with self._file.reading() as facts:
            decisions = facts.decisions
            rows = [decisions[id] for id in read_test_ids(facts)]
            return {
                row.id: from_column(row.label, decisions.kind)
                for row in rows
                if row.state == LABELLED
            }

    def advice(self, scoring: Scoring | None = None) -> str:
        """Return what is known about the score and about the worth of more labels.

        The score is about the model that chose the last rows; labels that were given
        later count as soon as it chooses further rows. It is compared with an earlier
        model that had at most half of the labels.

        Without held-out rows, the labels that the learner has bought are used
        (`explored_score`, or `online_score` of a stream learner). If the learner stops
        at a recall (`RecallTarget`), lines on what was found, what is left and what
        certainty costs come first (`recall_price`). For machine labels it is the
        certificate, or its expected cost (`CheckedLabels`). If the labels are nearly as
        uncertain as chance (``is_near_chance_`` of `BlendClassifier`), the last
        sentence says so, and what to do.

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

    # --- results

    def export(
        self, path: FilePath, form: Form = "wide", columns: Columns | None = None, *,
        tag: str | None = None,
    ) -> int:  # fmt: skip
        """Write the labels, and the items of their rows, to a file.

        Parameters
        ----------
        path : str or path
            ``.csv``, or ``.json`` for Label Studio, as for the function `export`.
        form : {"wide", "long"}, default="wide"
            A line for each row that has a label, or for each answer.
        columns : dict of str to sequence, default=None
            As for `export_predictions`; for a CSV.
        tag : str, default=None
            As for the function `export`.

        Returns
        -------
        n_lines : int
            Number of lines or tasks that were written.

        Raises
        ------
        ValueError, OSError
            As the function `export`.
        """
        with self._file.reading() as facts:
            columns = columns or columns_shown(self._items)
            return export_labels(
                facts, path, form, self.row, columns, self._ids.row, tag
            )

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
        own = self._worker.train_on_all()
        if not own.has_machine_labels:
            self._check_model(own)
        with self._file.reading() as facts:
            columns, empty = columns or columns_shown(self._items), {*self.empty_ids}
            return write_predictions(facts, path, own, self.ids, columns, empty)
