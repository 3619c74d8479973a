"""The learner of a session: rebuilt from the file, trained and asked in one thread."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from itertools import compress, groupby, islice
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np

from .. import ErrorSamplingClassifier
from ..base import check_classes, is_missing_label, shallow_copy
from ..pool import PoolClassifier, RecallTarget
from ..pool.stopping._base import find_rules
from ..sources import n_rows, take
from ._description import seeded_clone
from .storage._decisions import QUERY, TEST, Taught
from .storage._labels import SEVERAL, from_column
from .storage._schema import next_number, put, to_json

#: Largest number of rows of a stream that are offered in one call.
LONGEST_CHUNK = 1000
#: Progress of a learner that was never asked.
NO_PROGRESS = {
    "n_rounds": 0,
    "n_offered": 0,
    "stop_reason": None,
    "has_stopped": False,
    "stopping": [],
    "drawn_from": 0,  # of learners with machine labels
    "reached": [],
}


class Outcome(NamedTuple):
    """Rows that a learner asks for, and the learner after it has asked."""

    learner: Any
    rows: list  # row numbers in the pool
    probabilities: list
    position: int  # of a stream: the first row that it has not seen
    stop_reason: str | None  # why there are no rows
    query_reasons: list = []  # why each row is asked for, in a word


class LearnerLabels:
    """Labels of a session as the learner is taught them.

    Several labels of a row become an indicator matrix. A learner that searches for one
    class (`positive`) is taught whether this label is among them.

    Parameters
    ----------
    classes : list or None
        All labels.
    kind : str or None
        Kind of the labels.
    learner : learner
        It is taught.

    Attributes
    ----------
    classes : list or None
        Classes of the learner.
    is_matrix : bool
        True if the learner is taught several labels of a row.
    """

    def __init__(self, classes, kind, learner):
        self._wanted = getattr(learner, "positive", None) if kind == SEVERAL else None
        self.classes = classes
        self.is_matrix = kind == SEVERAL and self._wanted is None
        if self._wanted is not None:
            if self._wanted not in classes:
                raise ValueError(
                    f"positive must be one of the labels {classes}, got "
                    f"{self._wanted!r}."
                )
            self.classes = [self._wanted, f"not {self._wanted}"]

    def encode(self, labels):
        """Return labels of rows as `teach` takes them."""
        if self.is_matrix:
            rows = [[name in each for name in self.classes] for each in labels]
            return np.array(rows, dtype=int).reshape(-1, len(self.classes))
        if self._wanted is not None:
            labels = [self.classes[self._wanted not in each] for each in labels]
        return np.array(labels)

    def as_taught(self, labels):
        """Return labels of rows as the classes of a learner that searches for one."""
        return labels if self._wanted is None else self.encode(labels).tolist()

    def decode(self, predicted, classes):
        """Return predictions of a model with these classes as labels of rows."""
        if self.is_matrix:
            names = sorted(classes.tolist())
            places = np.argsort(classes)
            rows = np.asarray(predicted)[:, places] == 1
            return [[*compress(names, row)] for row in rows]
        if self._wanted is not None:
            return [[self._wanted] * (each == self._wanted) for each in predicted]
        return predicted.tolist()

    def columns_of(self, classes):
        """Return which classes of the learner are labels of the session."""
        return slice(None) if self._wanted is None else classes == self._wanted


class SessionLearner:
    """A learner with what the session knows about its rows.

    Each call works on a copy of the learner, which takes its place at the end.

    Parameters
    ----------
    facts : Facts
        What the file says. They are read now and not kept.
    ids : Ids
        Ids of the rows.
    template : learner
        The learner that the user gave.
    pool : rows
        Its pool.
    empty : list of int
        Numbers of rows without content, which are never asked for.

    Attributes
    ----------
    learner : learner
        The trained clone.
    taught : dict of int to label
        Labels that the learner was taught, by row number.
    last_call : int
        The last teach call of the file that the learner knows.
    test, earlier : ndarray of int64
        Held-out rows, and rows that were requested before this learner was built and
        that it has no record of.
    counts_rows : bool
        True if the learner certifies a recall, which is a share of rows: it is offered
        all twins, and an answer is taught to each of them. Other learners know the
        first one only.
    """

    def __init__(self, facts, ids, template, pool, empty):
        stored = facts.learner
        self.pool, self._row, self._ids = pool, ids.row, ids
        rules = find_rules(getattr(template, "stopping", None))
        self.counts_rows = any(isinstance(rule, RecallTarget) for rule in rules)
        self._kind = facts.settings["label_kind"]
        self.ids = np.arange(n_rows(pool), dtype=np.int64)
        can_restore = hasattr(template, "restore") and (
            stored["progress"] is not None or not stored["queries"]
        )
        decisions = facts.decisions
        asked, test, earlier = {}, [], []
        for request in decisions.requests:
            is_first = request.twin is None or not self.counts_rows
            row = self._row(request.id if is_first else request.twin)
            is_own = can_restore and request.learner == stored["number"]
            if request.purpose == TEST:
                test.append(row)
            elif is_own:
                asked[row] = request
            else:
                earlier.append(row)
        self.test, self.earlier = (
            np.array(rows, dtype=np.int64) for rows in (test, earlier)
        )
        copies = ids.copies
        if self.counts_rows:
            copies = [row for each in test for row in self.find_twins(each)]
        closed = {*test, *earlier, *empty, *copies}
        self._closed = np.array([*closed], dtype=np.int64)
        budget = stored["budget"]
        budget = None if budget is None else budget - len(self.earlier)
        self.learner = seeded_clone(template, stored["seeds"], budget)
        self.target = LearnerLabels(facts.settings["classes"], self._kind, self.learner)
        self.position, self.taught = stored["position"], {}
        self.pending = {*asked}
        given = sorted(decisions.taught, key=attrgetter("call", "place"))
        self.last_call = max((each.changed for each in given), default=0)
        if not can_restore:
            for _, call in groupby(given, key=attrgetter("call")):
                self.teach(call)
        else:  # a new learner, too: it sees the pool before its first labels
            self._restore(asked, given, stored["progress"] or NO_PROGRESS)

    def find_twins(self, row):
        """Return the rows with the content of a row, with this row."""
        return self._ids.rows(self._ids.twins(self._ids.all[row]))

    def _read_labels(self, facts):
        """Yield row numbers and labels, None for a skip, of rows with id and label."""
        for each in facts:
            rows, label = [self._row(each.id)], from_column(each.label, self._kind)
            for row in self.find_twins(rows[0]) if self.counts_rows else rows:
                yield row, label

    def _restore(self, asked, given, progress):
        """Restore a pool learner from its requests and the labels it was taught."""
        entries = [(each.query, False, row) for row, each in asked.items()]
        entries += [
            (each.query, True, row)  # taught after this query, and nobody asked for it
            for each in given
            for row, label in self._read_labels([each])
            if row not in asked and label is not None
        ]
        rows = [row for *_, row in sorted(entries, key=itemgetter(0, 1))]
        place = {row: n for n, row in enumerate(rows)}
        labels, taught, skipped, totals = [], [], [], {}
        for call, facts in groupby(given, key=attrgetter("call")):
            for row, label in self._read_labels(facts):
                if label is not None:
                    taught.append(place[row])
                    labels.append(label)
                    self.taught[row] = label
                elif row in place:
                    skipped.append(place[row])
            totals[call] = len(labels)
        classes = declared = self.target.classes
        if classes is not None and not self.target.is_matrix:
            classes = check_classes(classes).tolist()
        is_declared = bool(labels) and classes is not None
        record = {
            "rows": [row if row in asked else None for row in rows],
            "ids": rows,
            # a row that nobody asked for was given with certainty, for no purpose
            "probabilities": [
                asked[row].probability if row in asked else 1.0 for row in rows
            ],
            "purposes": [
                asked[row].purpose.replace(QUERY, "") if row in asked else ""
                for row in rows
            ],
            "taught": taught,
            "skipped": skipped,
            # without calls in which rows were skipped alone
            "calls": [[n, declared or []] for n in sorted({*totals.values()} - {0})],
            "classes": classes if is_declared else None,
            "declared": declared if is_declared else [],
            "may_grow": not is_declared,
            "several_labels": is_declared and self.target.is_matrix,
            "n_queries": len(asked),
            **progress,
        }
        y = self.target.encode(labels) if labels else labels
        self.learner.restore(self.pool, record, y, ids=self.ids)
        self.pending -= {*self.taught, *(rows[n] for n in skipped)}

    @property
    def is_stream(self):
        return not isinstance(self.learner, PoolClassifier)

    @property
    def model(self):
        """The model of a pool learner as it was last trained; None without one."""
        return getattr(self.learner, "estimator_", None)

    @property
    def has_model(self):
        """Return True if the learner can predict; a pool learner needs two classes."""
        known = self.target.encode([*self.taught.values()]).tolist()
        return len({*map(str, known)}) >= (1 if self.is_stream else 2)

    def ask(self):
        """Return what the learner asks for next; this learner stays as it is."""
        learner = shallow_copy(self.learner)
        if self.is_stream:
            return self._ask_stream(learner)
        rows, probabilities, query_reasons = learner.query(
            self.pool, exclude=self._closed, return_probability=True,
            return_reason=True, ids=self.ids,
        )  # fmt: skip
        stop = None if len(rows) else learner.stop_reason_
        return Outcome(
            learner, rows.tolist(), probabilities.tolist(), 0, stop,
            query_reasons.tolist(),
        )  # fmt: skip

    def preview(self, n):
        """Return up to n rows that the learner would ask for next in one batch.

        The learner does not change. A stream learner, which may let rows pass, and a
        learner without `batch_size` return nothing.
        """
        if self.is_stream or "batch_size" not in self.learner.get_params(deep=False):
            return []
        learner = shallow_copy(self.learner)
        learner.batch_size = n
        with catch_warnings(action="ignore"):  # `ask` has given them already
            rows = learner.query(self.pool, exclude=self._closed, ids=self.ids)
        return rows.tolist()

    def _ask_stream(self, learner):
        """Ask up to the first row that is bought, as the sequential algorithm does."""
        closed, group = {*self._closed.tolist(), *self.taught}, learner._group
        left = range(self.position, n_rows(self.pool))
        n_wanted = LONGEST_CHUNK + -LONGEST_CHUNK % group
        rows = list(islice((row for row in left if row not in closed), n_wanted))
        if not rows:
            return Outcome(learner, [], [], self.position, "no rows")
        outcome = self._query_chunk(shallow_copy(learner), rows[-1] + 1, closed)
        if outcome.stop_reason:  # the rows may be wanted when the budget is raised
            return outcome._replace(learner=learner, position=self.position)
        if not outcome.rows:
            return outcome
        n_seen = rows.index(outcome.rows[0]) + 1
        n_seen += -n_seen % group
        return self._query_chunk(learner, rows[:n_seen][-1] + 1, closed)

    def _query_chunk(self, learner, end, closed):
        chunk = slice(self.position, end)
        exclude = [
            row - self.position for row in range(self.position, end) if row in closed
        ]
        rows, probabilities, query_reasons = learner.query(
            take(self.pool, chunk), exclude=np.array(exclude, dtype=np.int64),
            return_probability=True, return_reason=True, ids=self.ids[chunk],
        )  # fmt: skip
        stop = None if len(rows) else learner.stop_reason_
        rows = (rows + self.position).tolist()
        return Outcome(
            learner, rows, probabilities.tolist(), end, stop, query_reasons.tolist()
        )

    def teach(self, facts):
        """Teach labels of rows, new and corrected; None says that no label will come.

        Parameters
        ----------
        facts : iterable of Taught or Row
            The rows, each with an id and a label.
        """
        learner, labels = shallow_copy(self.learner), [*self._read_labels(facts)]
        skipped = [
            row for row, label in labels if label is None and row in self.pending
        ]
        known = [(row, label) for row, label in labels if label is not None]
        new = [(row, label) for row, label in known if row not in self.taught]
        corrected = [
            (row, label) for row, label in known if self.taught.get(row, label) != label
        ]
        if skipped:
            learner.skip(take(self.pool, skipped), ids=self.ids[skipped])
        if corrected:
            learner.correct(**self._rows_and_labels(corrected))
        if new:
            learner.teach(**self._rows_and_labels(new), classes=self.target.classes)
        self.learner = learner
        self.taught = {**self.taught, **dict(known)}
        self.pending = self.pending - {row for row, _ in labels}

    def _rows_and_labels(self, pairs):
        rows, labels = map(list, zip(*pairs, strict=True))
        X = take(self.pool, rows)
        return {"X": X, "y": self.target.encode(labels), "ids": self.ids[rows]}

    def news(self, decisions):
        """Return the teach calls of the file that the learner does not know."""
        changed = [each for each in decisions.taught if each.changed > self.last_call]
        changed.sort(key=attrgetter("changed", "place"))
        calls = groupby(changed, key=attrgetter("changed"))
        return [(number, [*call]) for number, call in calls]

    def record_query(self, n_rows):
        """Return the changes of the last query to the record of the learner.

        Returns
        -------
        progress : dict or None
            Counts, and what the stopping rules remember; None if the
            learner has no record.
        purposes : list of str
            Purpose of each of the `n_rows` rows that were asked for.
        """
        record = None
        if hasattr(self.learner, "record"):
            with suppress(TypeError):  # a stopping rule of the user remembers an object
                record = self.learner.record()
        if record is None:
            return None, [""] * n_rows
        purposes = record["purposes"]
        progress = {name: record[name] for name in NO_PROGRESS if name in record}
        return progress, purposes[len(purposes) - n_rows :]

    @property
    def has_machine_labels(self):
        """True if the learner checks labels of a machine."""
        return isinstance(self.learner, ErrorSamplingClassifier)

    def machine_label(self, row):
        """Return the machine's label of a row and its confidence; None without one."""
        params = self.learner.get_params(deep=False)

        def of_row(name):
            given = params.get(name)
            if given is None:
                return None
            return given.get(row) if isinstance(given, dict) else given[row]

        label = of_row("machine_labels")
        if is_missing_label(label) or label == "":
            return None
        return label, of_row("machine_confidence")

    def check_machine_labels(self):
        """Return the `CheckedLabels` of a learner with machine labels, else None."""
        if not self.has_machine_labels or not self.taught:
            return None
        return self.learner.result(self.pool, exclude=self._closed, ids=self.ids)

    def predict(self, X):
        """Return labels and, if the learner has them, probabilities."""
        target, classes = self.target, self.learner.classes_
        labels = target.decode(self.learner.predict(X), classes)
        if not hasattr(self.learner, "predict_proba"):
            return labels, None
        return labels, self.learner.predict_proba(X)[:, target.columns_of(classes)]

    def predict_ids(self, ids):
        """Return labels and probabilities of rows, of twins the first one's."""
        own, place = [*map(self._ids.own, ids)], {}
        for id in own:
            place.setdefault(id, len(place))
        is_all = own == self._ids.all
        X = self.pool if is_all else take(self.pool, self._ids.rows(place))
        labels, shares = self.predict(X)
        places = [place[id] for id in own]
        shares = None if shares is None else shares[places]
        return [labels[each] for each in places], shares

    @property
    def label_names(self):
        """Labels that the model can predict, in the order of its probabilities."""
        classes = self.learner.classes_
        return classes[self.target.columns_of(classes)].tolist()


def record_teaching(facts):
    """Store the next labels to teach: the decisions that the learner does not know.

    Returns
    -------
    must_forget : bool
        True if a label that the learner knows has become a skip.
    """
    news = facts.decisions.news
    changed = 1 + max((each.changed for each in facts.decisions.taught), default=0)
    is_corrected = must_forget = False
    for place, row in enumerate(news):
        if row.has_taught_label:
            taught = row.taught._replace(label=row.label, changed=changed)
            is_corrected, must_forget = True, must_forget or row.label is None
        else:
            query = facts.learner["queries"]
            taught = Taught(row.id, row.label, changed, place, changed, query)
        facts.put_taught(taught)
    facts.change_learner(is_settled=1, **({"stop_reason": None} if news else {}))
    if is_corrected:
        facts.forget_progress()
    return must_forget


class Worker:
    """Teaches the learner and lets it ask, in one thread.

    Parameters
    ----------
    file : SessionFile
        The file.
    ids : Ids
        Ids of the rows.
    build : callable
        ``build(facts)`` returns a `SessionLearner`.

    Attributes
    ----------
    own : SessionLearner
        The learner after the last call that has ended.
    must_rebuild : bool
        True if the learner knows labels that the file has withdrawn.
    """

    def __init__(self, file, ids, build):
        self._file, self._ids, self._build = file, ids, build
        self._job, self._asks_after = None, 0
        self.must_rebuild, self._is_closed = False, False
        self._rebuild()
        self._thread = ThreadPoolExecutor(1, "training")

    def _rebuild(self):
        with self._file.reading() as facts:
            self.must_rebuild = False
            self.own = self._build(facts)

    @property
    def job(self):
        """The job that finds the next rows; None while there is none."""
        is_running = self._job is not None and not self._job.done()
        return self._job if is_running else None

    def find_rows(self):
        """Start to choose the next rows; call it with the lock held.

        Returns
        -------
        job : Future or None
            It is done when the learner has asked; None if the learner has nothing to
            ask for.
        """
        with self._file.writing() as facts:
            learner = facts.learner
            if self._is_asking(learner):
                return self._job
            if learner["stop_reason"] is not None and not facts.decisions.has_news:
                return None
            # what is taught is fixed now: later answers are for the next call
            if not learner["is_settled"] and record_teaching(facts):
                self.must_rebuild = self.must_rebuild or not self.own.is_stream
        self._asks_after = learner["queries"]
        self._job = self._thread.submit(self._ask, self._asks_after)
        return self._job

    def _is_asking(self, learner):
        """Return True if a job will store rows.

        A job that has stored its rows counts as ended, although its thread may not
        have: otherwise what is shown would depend on the time.
        """
        return self.job is not None and self._asks_after == learner["queries"]

    def look_ahead(self, id, *, goes_past=False):
        """Start to choose the next rows when the first row of the last query is shown.

        With `goes_past`, an answer to any row of the last query is enough. A stream
        learner that was taught nothing would let all rows pass.
        """
        with self._file.reading() as facts:
            learner, decisions = facts.learner, facts.decisions
            if self._is_asking(learner):
                return
            if self.own.is_stream and not self.own.taught:
                return
            # rows that an earlier learner asked for start nothing: whether this
            # learner has asked by then would depend on the time
            request = decisions[id].request
            is_own = request is not None and (
                request.purpose == TEST or request.learner == learner["number"]
            )
            # a row that nobody answers must not hold up people who go on without it
            is_begun = goes_past and any(
                not decisions[each].is_queued
                for each in facts.db.column(
                    "SELECT id FROM requests WHERE learner = ? AND query = ?",
                    learner["number"],
                    learner["queries"],
                )
            )
            if is_begun or (is_own and request.query == learner["queries"]):
                self.find_rows()

    def catch_up(self):
        """Start to teach what the file knows; nothing is done after `close`."""
        return None if self._is_closed else self._thread.submit(self._catch_up)

    def close(self):
        """Wait until the thread has ended."""
        self._is_closed = True
        self._thread.shutdown()

    def train_on_all(self):
        """Return a copy of the learner that knows all labels that it may be taught."""
        if (job := self.catch_up()) is not None:
            job.result()
        with self._file.reading() as facts:
            own, news = copy(self.own), facts.decisions.news
        if news:
            own.teach(news)
        return own

    def _catch_up(self):
        """Teach the learner the labels of the file that it does not know."""
        if self.must_rebuild:
            self._rebuild()
        own = copy(self.own)
        with self._file.reading() as facts:
            calls = own.news(facts.decisions)
        for number, call in calls:
            own.teach(call)
            own.last_call = number
        self.own = own

    def _ask(self, n_queries):
        with self._file.reading() as facts:
            if facts.learner["queries"] != n_queries:
                return  # the job was started twice, because Ctrl-C came in between
        self._catch_up()
        own, outcome = copy(self.own), self.own.ask()
        predicted = self._predict_test(own)
        own.learner, own.position = outcome.learner, outcome.position
        own.pending = own.pending | {*outcome.rows}
        progress, purposes = own.record_query(len(outcome.rows))
        with self._file.writing(is_worker=True) as facts:
            query = facts.learner["queries"] + 1
            for id, probability, purpose, query_reason in zip(
                self._ids.at(outcome.rows), outcome.probabilities, purposes,
                outcome.query_reasons, strict=True,
            ):  # fmt: skip
                first = self._ids.own(id)
                facts.add_request(
                    first, purpose or QUERY, float(probability), query,
                    query_reason=query_reason, twin=None if id == first else id,
                )  # fmt: skip
            facts.change_learner(
                queries=query, is_settled=0, stop_reason=outcome.stop_reason,
                position=outcome.position, progress=progress,
            )  # fmt: skip
            if predicted is not None:
                put(
                    facts.db, "models", number=next_number(facts.db, "models"),
                    learner=facts.learner["number"], n_labels=len(own.taught),
                    predicted=to_json(predicted),
                )  # fmt: skip
        self.own = own

    def _predict_test(self, own):
        """Return predictions for the held-out rows, None if they are stored already."""
        if not len(own.test) or not own.has_model:
            return None
        with self._file.reading() as facts:
            last = facts.db.row(
                "SELECT n_labels, predicted FROM models WHERE learner = "
                "(SELECT max(number) FROM learners) ORDER BY number DESC LIMIT 1"
            )
        known = None if last is None else (last[0], len(json.loads(last[1])))
        if known == (len(own.taught), len(own.test)):
            return None
        return own.predict(take(own.pool, own.test))[0]
