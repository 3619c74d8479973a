"""Labelling in Label Studio: its project hands out the rows that a session chooses.

If the sampling of a project is "Uncertainty sampling", Label Studio hands out the tasks
that have a prediction of the project's model version, by ascending score. The loop
writes such predictions, with one model version a round, and reads annotations. It
polls, because Label Studio calls no loopback addresses.
"""

import builtins
import re
import secrets
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event, Thread, current_thread
from time import monotonic
from typing import Any

from ...base import check_number
from .._annotations import Annotation
from ._label_studio_api import (
    ROUND,
    USERS,
    VERSIONS,
    Client,
    LabelStudioError,
    find_control,
    time_of,
    token_reader,
)
from ._view import describe_counts, describe_curve, describe_ending

ORDER = "Uncertainty sampling"
LABEL_STUDIO = "Label Studio"  #: name under which the loop itself skips rows
#: Settings of a project that the loop may change, and restores.
CHANGED = (
    "sampling",
    "show_collab_predictions",
    "maximum_annotations",
    "model_version",
)
#: Further fields of a project that are read in each round.
COUNTS = ("task_number", "total_annotations_number", "skipped_annotations_number")
LONGEST_PAUSE = 30.0  #: seconds between two attempts while Label Studio is away
REPORT_PAUSE = 30.0  #: seconds between two lines on the score of the model
RECENT_PAGE = 20  #: tasks that are read in one request in each round
#: Label Studio gives changes the time before they are stored: seconds to look back.
OVERLAP = timedelta(seconds=5)
#: Rows that are ranked behind those asked for, so that nobody waits for a training. In
#: a project of 20,000 tasks Label Studio takes a third of a second to store a rank.
N_LATER = 10
#: Ranks are written as thousandths: a score must lie between 0 and 1.
RANK_UNIT = 1e-3


class LabelStudioLoop:
    """The loop between a session and a project of Label Studio.

    Parameters
    ----------
    session : LabelingSession
        A session of a pool learner. The ids of its rows are the numbers of the tasks.
    client : Client
        The server.
    project : int
        Number of the project.
    control : str, default=None
        Name of the control, as for `find_control`.
    tasks : list of dict, default=None
        The tasks with their annotations, if they were just read.
    show_prediction : bool, default=False
        Whether people see the class that the model predicts.
    keep_order : bool, default=False
        Whether predictions and settings stay as they are when the loop ends.
    ends_with_new_tasks : bool, default=False
        Whether the loop ends when tasks are added, so that a session with more rows can
        take over.
    interval : float, default=1.0
        Seconds between two rounds.
    tell : callable, default=print
        It is called with each sentence on the progress.

    Attributes
    ----------
    has_new_tasks : bool
        True if tasks were added to the project.
    """

    def __init__(
        self, session, client, project, *, control=None, tasks=None,
        show_prediction=False, keep_order=False, ends_with_new_tasks=False,
        interval=1.0, tell=None,
    ):  # fmt: skip
        check_number(interval, "interval", 0, integer=False)
        self.session, self.client, self.project = session, client, project
        self._show_prediction, self._keep_order = show_prediction, keep_order
        self._ends_with_new_tasks = ends_with_new_tasks
        self._interval, self._tell = interval, tell or partial(print, flush=True)
        stored = client.project(project)
        self.control = find_control(stored, control)
        self._check_session()
        self._ids = {f"{id}": id for id in session.ids}
        self._classes = {f"{label}": label for label in session.classes}
        self._users, self._counts_read, self.has_new_tasks = {}, None, False
        self._n_annotations, self._seen = {}, None
        self._version, self._versions, self._round = None, None, 0
        self._ranked, self._deleted, self._unknown = [], set(), set()
        self._said, self._problem = None, None
        self._report, self._reported, self._training = None, -REPORT_PAUSE, None
        self._ended, self._thread = Event(), None
        self._tasks = client.all_tasks(project) if tasks is None else tasks
        self._known_tasks = {task["id"] for task in self._tasks}
        self._task_number = len(self._known_tasks)
        if not any(f"{number}" in self._ids for number in self._known_tasks):
            raise ValueError(
                f"No row has the number of a task of project {project} as its id."
            )
        self._begin(stored)

    def continue_with(self, session, tasks):
        """Go on with a session that has rows for new tasks.

        Parameters
        ----------
        session : LabelingSession
            The same file with more rows.
        tasks : list of dict
            The new tasks.
        """
        self.session, self.has_new_tasks = session, False
        self._ids = {f"{id}": id for id in session.ids}
        self._known_tasks |= {task["id"] for task in tasks}
        self._take(tasks)

    def _check_session(self):
        session, classes = self.session, self.control.classes
        session.check_open()
        if session.status().twins:
            raise ValueError(
                "Label Studio shows each task, also an equal one. Begin the session "
                "with twins='ask'."
            )
        if not hasattr(session.learner, "correct"):
            raise ValueError(
                "Label Studio needs a pool learner: a stream learner cannot order rows."
            )
        if (session.labels is not None) != self.control.is_several:
            choice = "multiple" if session.labels else "single"
            raise ValueError(
                f'To label the rows of this session, set choice="{choice}" in the '
                f"control {self.control.name!r}, or begin another session (--out)."
            )
        if {*map(str, session.classes or ())} != {*classes}:
            raise ValueError(
                f"The classes of the session, {session.classes}, must be the choices "
                f"of the control {self.control.name!r}: {classes}."
            )

    # --- what the session stores about the project

    def _begin(self, project):
        """Store the settings of the project, unless an earlier loop has done so."""
        name = f"{project['id']} {project['created_at']}"
        with self.session._file.writing(is_change=False) as facts:
            state = {"project": name, **(facts.settings.get("label_studio") or {})}
            if state["project"] != name:
                raise ValueError(
                    f"{self.session.path} belongs to another project of Label Studio. "
                    "Name another file."
                )
            state.setdefault("key", secrets.token_hex(4))
            if state.get("before") is None:
                state["before"] = {each: project.get(each) for each in CHANGED}
            facts.put_settings(label_studio=state)
        self._before = {each: state["before"].get(each) for each in CHANGED}
        self._prefix = f"sklearn-activelearn {state['key']} "

    # --- the loop

    def run(self):
        """Go on until `close`, Ctrl-C or new tasks; restore the settings at the end.

        The settings stay as they are while a session with more rows takes over.
        """
        n_failed = 0
        try:
            while not (self._ended.is_set() or self._must_hand_over):
                try:
                    self.step()
                except (LabelStudioError, OSError, ValueError) as error:
                    self._say_problem(error)
                    n_failed += 1
                else:
                    self._say_problem(None)
                    n_failed = 0
                pause = self._interval * 2 ** min(n_failed, 10)
                self._ended.wait(min(pause, max(LONGEST_PAUSE, self._interval)))
        finally:
            if not self._must_hand_over:
                self.restore()

    @property
    def _must_hand_over(self):
        return self.has_new_tasks and self._ends_with_new_tasks

    def step(self):
        """Read annotations, choose rows, and write their ranks if they have changed."""
        fields = ",".join(("id", *CHANGED, *COUNTS))
        path = f"/api/projects/{self.project}/"
        project = self.client.get(path, ROUND, include=fields)
        self.read_annotations(project)
        if project["task_number"] < self._task_number:
            self._skip_deleted(self.session.upcoming(N_LATER).ids)
        self._task_number = project["task_number"]
        upcoming = self.session.upcoming(N_LATER)
        self._watch_training(upcoming.training)
        # of many held-out rows, only the first are ranked at a time
        rows = [id for id in upcoming.ids if id not in self._deleted][: 2 * N_LATER]
        order = project["sampling"], project["model_version"]
        if rows and self._must_rank(rows, upcoming.n_asked):
            self.write_ranks(rows, min(upcoming.n_asked or len(rows), len(rows)))
        elif rows and order != (ORDER, self._version):
            self._tell(
                f"Somebody has changed the order of project {self.project}. It is set "
                "again."
            )
            self._set_order(self._version)
        self._describe_progress()

    def _must_rank(self, rows, n_asked):
        """Return True if people would not get the rows asked for in their order."""
        waiting, votes = {*rows}, self.session.votes
        shown = [  # Label Studio does not hand out rows with enough answers any more
            id
            for id in self._ranked
            if id in waiting or sum(self._n_annotations.get(id, ())) < votes
        ]
        n = min(n_asked, len(shown))
        n_enough = len(rows) / 2
        if n_asked <= len(rows):
            n_enough = max(n_enough, n_asked)
        return shown[:n] != rows[:n] or len(shown) < n_enough

    def _watch_training(self, training):
        """Raise the error of the last training."""
        done, self._training = self._training, training
        if done is not None and done.done() and done.exception() is not None:
            raise ValueError(f"The model cannot be trained: {done.exception()}")

    # --- annotations

    def read_annotations(self, project):
        """Store annotations that are new, changed or gone."""
        if self._tasks is not None:
            self._take(self._tasks)
            self._tasks = None
        else:
            self._take(self._recent_tasks())
        counts = [project[name] for name in COUNTS[1:]]
        known = [sum(each) for each in zip(*self._n_annotations.values(), strict=True)]
        if counts != (known or [0, 0]) and counts != self._counts_read:
            # several annotations at once are deleted without a trace
            limits = {"total_annotations": 0, "cancelled_annotations": 0}
            tasks = self.client.all_tasks(self.project, **limits)
            left = {self._ids.get(f"{task['id']}") for task in tasks}
            empty = {id for id, n in self._n_annotations.items() if sum(n)} - left
            if project["task_number"] < self._task_number:
                empty -= self._find_deleted(empty)  # their labels are kept
            self._take(tasks, empty)
            self._counts_read = counts

    def _recent_tasks(self):
        """Return the tasks that have changed since the last round."""
        found, page, query = [], 1, {"ordering": ["-tasks:updated_at"]}
        while True:
            tasks = self.client.tasks(self.project, page, RECENT_PAGE, **query)
            recent = [task for task in tasks if time_of(task) >= self._seen - OVERLAP]
            found, page = found + recent, page + 1
            if len(recent) < RECENT_PAGE:
                return found

    def _take(self, tasks, empty=()):
        """Hand the annotations of tasks to the session; rows in `empty` have none."""
        if not (tasks or empty):
            return
        seen = [time_of(task) for task in tasks]
        rows, found = [*empty], []
        counts = dict.fromkeys(empty, (0, 0))
        for task in tasks:
            if task["id"] not in self._known_tasks:
                self._announce_new_tasks()
            if (id := self._ids.get(f"{task['id']}")) is None:
                continue
            given = task["annotations"]
            chosen = {each for one in given for each in self._choices_of(one)[0]}
            unknown = chosen - self._classes.keys()
            if not unknown:
                rows.append(id)  # of which answers may be withdrawn
            elif not unknown <= self._unknown:
                self._unknown |= unknown
                self._tell(
                    "Annotations with choices that are no classes are left alone: "
                    f"{', '.join(sorted(unknown))}."
                )
            n_cancelled = sum(each["was_cancelled"] for each in given)
            counts[id] = len(given) - n_cancelled, n_cancelled
            found += [(time_of(each), self._read(id, each)) for each in given]
        found = sorted((each for each in found if each[1]), key=lambda pair: pair[0])
        annotations = [each for _, each in found]
        self.session.take_annotations(annotations, rows)
        # afterwards: if the session cannot store them, they are read again
        self._n_annotations |= counts
        self._seen = max([*seen, self._seen or datetime.min.replace(tzinfo=UTC)])

    def _read(self, id, annotation):
        """Return an `Annotation`, or None if it has no class."""
        label, (chosen, tags) = None, self._choices_of(annotation)
        if not annotation["was_cancelled"]:
            if not {*chosen} <= self._classes.keys():
                return None
            label = [self._classes[choice] for choice in chosen]
            if not self.control.is_several:
                if len(chosen) != 1:
                    return None
                (label,) = label
            elif not chosen and annotation["result"]:
                return None  # of other controls
        return Annotation(
            annotation["id"],
            id,
            label,
            self._name_of(annotation["completed_by"]),
            bool(annotation["ground_truth"]) and label is not None,
            time_of(annotation).isoformat(timespec="milliseconds"),
            tags,
        )

    def _choices_of(self, annotation):
        """Return what was chosen in the control, and tags chosen in another one."""
        own, others = [], []
        for result in annotation["result"] or ():
            is_own = result.get("from_name") == self.control.name
            choices = result.get("value", {}).get("choices", ())
            (own if is_own else others).extend(map(str, choices))
        return own, [each for each in others if each in self.session.tags]

    def _name_of(self, user):
        """Return the address of a user, or their number if it is not known."""
        if isinstance(user, dict):
            return user.get("email") or f"user {user.get('id')}"
        if user not in self._users:
            users = self.client.get("/api/users/", USERS)
            self._users |= {each["id"]: each["email"] for each in users}
            self._users.setdefault(user, f"user {user}")
        return self._users[user] or f"user {user}"

    def _announce_new_tasks(self):
        if not self.has_new_tasks:
            self.has_new_tasks = True
            self._tell(
                f"Tasks were added to project {self.project}."
                + ("" if self._ends_with_new_tasks else " Open the session again with "
                   "them and change='pool'; until then they have no rank.")
            )  # fmt: skip

    def _find_deleted(self, rows):
        """Return the rows whose tasks were deleted."""
        found = set()
        for id in {*rows} - self._deleted:
            try:
                self.client.get(f"/api/tasks/{id}/")
            except LabelStudioError as error:
                if error.status != 404:
                    raise
                found.add(id)
        self._deleted |= found
        return found

    def _skip_deleted(self, rows):
        """Skip rows whose tasks were deleted, so that nobody waits for them."""
        for id in self._find_deleted(rows):
            self._tell(f"Task {id} was deleted in Label Studio: its row is skipped.")
            with suppress(ValueError):  # nobody has asked for the row
                self.session.skip(id, "The task was deleted.", LABEL_STUDIO)

    # --- predictions

    def write_ranks(self, rows, n_first):
        """Write a prediction with its rank as the score for each of these rows.

        The order is in force as soon as the first of them are written. They are written
        one by one, because Label Studio takes seconds for an import in a large project.
        """
        if self._versions is None:
            self._versions = self._read_versions()
            rounds = [int(name.rpartition(" ")[2]) for name in self._versions]
            self._round = max([*rounds, self._round])
        self._round += 1
        version = f"{self._prefix}{self._round}"
        self._versions.append(version)  # even if the answer to the request is lost
        results = self._results_of(rows)
        try:
            for rank, (id, result) in enumerate(zip(rows, results, strict=True), 1):
                prediction = {
                    "task": int(id),
                    "score": rank * RANK_UNIT,
                    "model_version": version,
                    "result": result,
                }
                self.client.request("POST", "/api/predictions/", json=prediction)
                if rank == n_first:
                    self._set_order(version)
                    self._version = version
                if rank >= n_first:
                    self._ranked = rows[:rank]
        except LabelStudioError as error:
            if error.status in (400, 404):
                self._skip_deleted(rows)
            raise
        self._delete_versions(but=version)

    def _results_of(self, rows):
        """Return what the predictions show: the predicted classes, or nothing."""
        results = [[] for _ in rows]
        if self._show_prediction:
            with suppress(ValueError):  # no model yet
                for result, label in zip(
                    results, self.session.predictions(rows).labels, strict=True
                ):
                    labels = label if self.control.is_several else [f"{label}"]
                    if not labels:
                        continue
                    result.append(
                        {
                            "from_name": self.control.name,
                            "to_name": self.control.to_name,
                            "type": "choices",
                            "value": {"choices": labels},
                        }
                    )
        return results

    def _set_order(self, version):
        changes: dict[str, Any] = {"sampling": ORDER, "model_version": version}
        if self._show_prediction:
            changes["show_collab_predictions"] = True
        if self.session.votes > (self._before["maximum_annotations"] or 1):
            changes["maximum_annotations"] = self.session.votes
        path = f"/api/projects/{self.project}/"
        self.client.request("PATCH", path, json=changes)

    def _read_versions(self):
        """Return the model versions of this session that have predictions."""
        path = f"/api/projects/{self.project}/model-versions/"
        pattern = re.compile(re.escape(self._prefix) + r"\d+")
        return [
            name for name in self.client.get(path, VERSIONS) if pattern.fullmatch(name)
        ]

    def _delete_versions(self, but=None):
        """Delete all predictions of this session, except for one version."""
        path = f"/api/projects/{self.project}/model-versions/"
        for name in [name for name in self._versions if name != but]:
            self.client.request("DELETE", path, json={"model_version": name})
            self._versions.remove(name)

    def restore(self):
        """Give the project its settings back, and delete the predictions."""
        if self._keep_order or self._before is None:
            return
        try:
            with suppress(ValueError):  # the session is closed
                self._take(self._recent_tasks() if self._seen else ())
            before, path = self._before, f"/api/projects/{self.project}/"
            settings = {"sampling": before["sampling"]}
            if self._show_prediction:
                settings["show_collab_predictions"] = before["show_collab_predictions"]
            if self.session.votes > (before["maximum_annotations"] or 1):
                settings["maximum_annotations"] = before["maximum_annotations"]
            self.client.request("PATCH", path, json=settings)
            version = {"model_version": before["model_version"] or ""}
            with suppress(LabelStudioError):  # its predictions are gone meanwhile
                self.client.request("PATCH", path, json=version)
            self._versions = self._read_versions()
            self._delete_versions()
            self._before = None
            with (
                suppress(ValueError),
                self.session._file.writing(is_change=False) as facts,
            ):
                state = facts.settings["label_studio"]
                facts.put_settings(label_studio={**state, "before": None})
        except (LabelStudioError, OSError, ValueError) as error:
            self._tell(
                f"The settings of project {self.project} are not restored: {error} The "
                "same command restores them when it ends."
            )

    # --- what is said

    def _say_problem(self, error):
        """Say what is wrong once, and that it is over."""
        if error is None and self._problem is not None:
            self._tell("Label Studio answers again.")
        elif error is not None and f"{error}" != self._problem:
            self._tell(f"{error} Labels are safe; the next attempt follows.")
        self._problem = None if error is None else f"{error}"

    def _describe_progress(self):
        """Say how many rows are labelled, and now and then how good the model is."""
        status = self.session.status()
        counts = describe_counts(status, status)
        has_ended = status.stop_reason is not None
        if has_ended:
            counts += f". {describe_ending(status)}"
        if counts == self._said:
            return
        self._said = counts
        self._tell(counts)
        if monotonic() - self._reported >= REPORT_PAUSE or has_ended:
            curve, advice = self.session.report()
            report = [*([describe_curve(curve)] if curve else []), advice]
            if report != self._report:
                self._tell("\n".join(report))
            self._report, self._reported = report, monotonic()

    # --- in the background

    def __repr__(self):
        return f"LabelStudioLoop({self.client.url!r}, {self.project!r})"

    def start(self):
        """Run the loop in a thread."""
        self._thread = Thread(target=self.run, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the loop ends. Ctrl-C ends the loop, not the program."""
        with suppress(KeyboardInterrupt):
            while self._thread is not None and self._thread.is_alive():
                self._thread.join(0.5)
        self.close()

    def close(self) -> None:
        """End the loop and restore the settings. A second call does nothing."""
        self._ended.set()
        if self._thread not in (None, current_thread()):
            self._thread.join()
        self.client.close()


def serve_label_studio(
    session, url, project, *, token_file=None, control=None, show_prediction=False,
    keep_order=False, interval=1.0, block=None,
):  # fmt: skip
    """Order the tasks of a project; see `LabelingSession.serve_label_studio`."""
    client = Client(url, token_reader(token_file))
    try:
        loop = LabelStudioLoop(
            session, client, project, control=control, interval=interval,
            show_prediction=show_prediction, keep_order=keep_order,
        )  # fmt: skip
    except LabelStudioError as error:
        client.close()
        raise ConnectionError(f"{error}") from error
    except BaseException:
        client.close()
        raise
    if session._loop is not None:
        session._loop.close()
    session._loop = loop
    loop.start()
    if block is None:
        block = not (hasattr(sys, "ps1") or hasattr(builtins, "__IPYTHON__"))
    if block:
        loop.wait()
    return loop
