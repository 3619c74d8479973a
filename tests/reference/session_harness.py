"""Break sessions: kill their processes, and cut, damage or craft their files."""

import json
import os
import signal
import sqlite3
import threading
import time
import traceback
import warnings
from collections import Counter
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import cycle

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    CBGZClassifier,
    QueryByBoostingClassifier,
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession, export, recover_labels
from sklearn_activelearn.labeling.storage._schema import COLUMNS, Connection, put
from sklearn_activelearn.pool import RecallTarget
from tests.reference.labeling import quick_folder
from tests.reference.session_files import select

X, y = make_classification(30, 4, random_state=1)
PLAIN = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, random_state=0
)
LEARNERS = [
    PLAIN,
    QueryByBoostingClassifier(n_estimators=2, n_initial=4, batch_size=4, budget=25),
    CBGZClassifier(b=1.0),
    UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, stopping="stable_predictions"
    ),
]
#: Learners that are where they were after a kill.
EXACT = {0, 3}


# --- kills

#: Numbers of labels, and what a session is opened with until there are so many.
ALWAYS_THE_SAME = [(30, {})]
CHANGING = [
    (7, {"n": 22, "test_size": 3}),
    (11, {"n": 26, "test_size": 3, "change": "pool"}),
    (16, {"n": 26, "change": "test_size"}),
    (21, {"n": 26, "shift": 1.0, "change": "features"}),
    (30, {"classes": [1, 0, 2], "shift": 1.0, "change": ("classes", "pool")}),
]
LONGER = [(30, {"n": n, "change": "pool"}) for n in (14, 22, 30)]  # for streams


def label_all(learner, plan, path, ahead, tell, several=False):
    """Label to the end; tell of each row before it is shown, and after it is stored."""
    place = path.with_name("step")
    first = int(place.read_text() or 0) if place.exists() else 0
    for step, (n_labels, what) in enumerate(plan[first:], start=first):
        place.with_name("new").write_text(f"{step}")
        place.with_name("new").replace(place)
        options = {"test_size": 5, "classes": [0, 1], **what}
        answers = y.tolist()
        if several:
            names = ["no", "yes", "maybe"]
            options["labels"] = [names[code] for code in options.pop("classes")]
            answers = [["yes"] * code for code in answers]
        n = options.pop("n", 30)
        pool, labels = X[:n] + options.pop("shift", 0.0), labels_of(path)
        with LabelingSession(
            learner, pool, path, ids=list(range(n)), ahead=ahead, **options
        ) as session:
            n_stored = len(labels)
            while n_stored < n_labels and (id := session.next()) is not None:
                tell(f"shown {id}")
                session.label(id, answers[id])
                tell(f"kept {id}")
                n_stored += 1
            session.next()
    tell("end -1")


def label_together(learner, plan, path, ahead, tell):
    """Let three people label at the same time."""
    options = {"ids": list(range(30)), "classes": [0, 1], "ahead": ahead, "votes": 2}
    with LabelingSession(learner, X, path, **options) as session:

        def work(who):
            while (id := session.next(who)) is not None:
                session.label(id, int(y[id]), who)
                tell(f"kept {who}{id}")

        people = [threading.Thread(target=work, args=who) for who in "abc"]
        for person in people:
            person.start()
        for person in people:
            person.join()
    tell("end -1")


#: A session of rows that have one label, and sessions of rows that may have several,
#: in which the learner is taught all of them, or searches for one.
ONE = {"classes": ["no", "yes", "maybe"], "learner": PLAIN, "tags": ["a", "b"]}
SEVERAL = {"labels": ["no", "yes", "maybe"], "learner": PLAIN, "tags": ["a", "b"]}
FINDING = SEVERAL | {
    "learner": RelevanceSamplingClassifier(
        GaussianNB(), positive="yes", n_initial=4, batch_size=3, random_state=0
    )
}
#: Sessions in which a third of the rows equal other rows, and one that counts rows.
TWINS = ONE | {"items": [f"text {row % 20}" for row in range(30)]}
FINDING_TWINS = TWINS | {
    "learner": RelevanceSamplingClassifier(
        GaussianNB(), positive="yes", n_initial=4, batch_size=3, random_state=0,
        stopping=RecallTarget(),
    )
}  # fmt: skip
SETS = {"no": [], "yes": ["yes", "maybe"], "maybe": ["maybe"]}


def operate(options, seed, path, tell):
    """Label, tag, correct, skip, undo and note at random; tell the facts after each."""
    rng = np.random.default_rng(seed)
    with LabelingSession(pool=X, path=path, ids=list(range(30)), **options) as session:
        while True:
            id, what = session.next(), rng.choice(["label", "skip", "undo", "note"])
            id = int(rng.integers(30)) if id is None or rng.random() < 0.3 else id
            label = ["no", "yes", "maybe"][rng.integers(3)]
            with suppress(ValueError):  # nothing to undo, or no row to skip
                if what == "label" or rng.random() < 0.3:
                    several = "labels" in options
                    tags = [[], ["a"], ["b"], ["a", "b"], None][rng.integers(5)]
                    session.label(id, SETS[label] if several else label, tags=tags)
                elif what == "note":
                    session.note(id, f"a note {rng.integers(100)}")
                elif what == "undo":
                    session.undo()
                else:
                    session.skip(id)
            tell(f"kept {json.dumps(facts_told(path))}")


def facts_told(path):
    """Return answers and notes without times: {number of answer or row: content}."""
    answers = "json_array(number, id, label, tags, withdrawn_at IS NULL)"
    answers = select(path, f"SELECT {answers} FROM answers")
    notes = select(path, "SELECT json_array('note', id, text) FROM notes")
    return {f"{each[:2]}": each for each in map(json.loads, [*answers, *notes])}


def check_kills_of_operations(n, options, seed=0):
    """Kill a process that works on a session; return the number of operations."""
    rng, n_done, before = np.random.default_rng(seed), 0, {}
    with quick_folder() as folder, warnings.catch_warnings(action="ignore"):
        path = folder / "killed"
        while n_done < n:
            when = rng.integers(1, 12), rng.choice([0.002, 0.02]) * rng.random()
            told = run_and_kill(operate, *when, options, [seed, n_done], path)
            assert "error" not in dict(told), told
            if told:
                n_done, before = n_done + len(told), json.loads(told[-1][1])
            if path.exists():
                now = facts_told(path)
                # all that was told, and at most one operation that was not told yet
                lost = {name for name in before if name not in now}
                assert all("note" in name for name in lost)
                assert sum(now[name] != before.get(name) for name in now) <= 1
                with LabelingSession(
                    pool=X, path=path, ids=list(range(30)), **options
                ) as session:
                    assert session.status().labelled == len(
                        select(path, "SELECT id FROM labels")
                    )
                    check_twins(session, path.with_suffix(".csv"))
                before = facts_told(path)
    return n_done


def check_twins(session, path):
    """Check that rows of equal content have one label and one prediction."""
    session.export(path)
    files = [path.read_text().splitlines()[1:]]
    with suppress(ValueError):  # no model yet
        session.export_predictions(path)
        files.append(path.read_text().splitlines()[1:])
    items, found = [session.row(id) for id in session.ids], {}
    for number, lines in enumerate(files):
        for line in lines:
            id, label, *_ = line.split(",")
            found.setdefault((number, f"{items[int(id)]}"), []).append(label)
    counts = Counter(map(str, items))
    for (_, item), labels in found.items():
        assert len({*labels}) == 1
        assert len(labels) == counts[item]


def labels_of(path):
    """Return the rows that have a label in the file, in order."""
    if not path.exists() or not path.stat().st_size:
        return []
    if not select(path, "SELECT name FROM sqlite_master WHERE name = 'answers'"):
        return []
    return select(path, "SELECT id FROM answers ORDER BY number")


def run_and_kill(work, n_lines, seconds, *arguments):
    """Run a function in a process that is killed; return the lines that it told.

    The process is killed when it has told `n_lines` lines and some seconds have passed.
    """
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            work(*arguments, lambda said: os.write(writes, f"{said}\n".encode()))
        except BaseException:
            os.write(writes, f"error {traceback.format_exc()!r}\n".encode())
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads) as pipe:
        told = [line for _, line in zip(range(n_lines), pipe, strict=False)]
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
        told += [line for line in pipe if line.endswith("\n")]  # not cut by the kill
    os.waitpid(process, 0)
    return [line.split(maxsplit=1) for line in told]


def check_kills(n_kills, changes, seed=0, several=False):
    """Kill labelling processes; return the number of sessions that were finished."""
    rng, n_ended = np.random.default_rng(seed), 0
    learners, work = range(1 if several else 4), partial(label_all, several=several)
    pairs = cycle((learner, ahead) for learner in learners for ahead in (0, 1))
    for number, (which, ahead) in enumerate(pairs):
        learner = LEARNERS[which].set_params(random_state=number)
        plan = ALWAYS_THE_SAME
        if changes:
            plan = LONGER if which == 2 else CHANGING
        with quick_folder() as folder, warnings.catch_warnings(action="ignore"):
            told = []
            work(learner, plan, folder / "whole", ahead, told.append)
            (folder / "step").unlink()
            expected = [int(each.split()[1]) for each in told[:-1:2]]
            stored = []
            while True:
                when = rng.integers(16), rng.choice([0.002, 0.02]) * rng.random()
                path = folder / "killed"
                told = run_and_kill(work, *when, learner, plan, path, ahead)
                n_kills -= 1
                assert "error" not in dict(told), told
                kept = stored + [int(id) for what, id in told if what == "kept"]
                stored = labels_of(path)
                assert stored[: len(kept)] == kept
                assert len({*stored}) == len(stored)
                shown = [int(id) for what, id in told if what == "shown"]
                if shown and stored[len(kept) :]:  # stored, and killed before it told
                    assert stored[len(kept) :] == shown[-1:]
                if which in EXACT:
                    assert stored == expected[: len(stored)]
                if "end" in dict(told):
                    n_ended += 1
                    break
                if n_kills <= 0:
                    return n_ended
        if n_kills <= 0:
            break
    return n_ended


def check_kills_of_people(n_kills, seed=0):
    """Kill processes in which three people label; return the number of kills."""
    rng, n_done = np.random.default_rng(seed), 0
    while n_done < n_kills:
        with quick_folder() as folder, warnings.catch_warnings(action="ignore"):
            path, told, stored = folder / "killed", [], []
            while "end" not in dict(told) and n_done < n_kills:
                when = rng.integers(40), 0.02 * rng.random()
                told = run_and_kill(label_together, *when, PLAIN, [], path, n_done % 2)
                n_done += 1
                assert "error" not in dict(told), told
                kept = [said.strip() for what, said in told if what == "kept"]
                before = stored
                stored = []
                if labels_of(path):
                    stored = select(path, "SELECT who || id FROM answers")
                assert {*before, *kept} <= {*stored}
                assert len({*stored}) == len(stored)
    return n_done


# --- damaged files


def make_session(path, several=None):
    """Make a session with votes, notes, skips, a final label and a withdrawn one."""
    with open_again(path, several) as session:
        for n in range(12):
            for who in "ann", "bob":
                if (id := session.next(who)) is not None:
                    label = ["no", "yes"][int(y[id] ^ (n % 5 == 4))]
                    session.label(id, SETS[label] if several else label, who)
        session.skip(session.next("ann"), "blurred", "ann")
        session.undo("bob")
        session.note(3, "a note", "ann")
        for id in list(session.disputed())[:1]:
            session.label(id, [] if several else "no", "eve", final=True)


def open_again(path, several=None):
    """Open the session of `make_session`."""
    options = several or {"learner": PLAIN, "classes": ["no", "yes"]}
    return LabelingSession(
        pool=X, path=path, ids=list(range(30)), test_size=4, votes=2, **options
    )


def facts_of(path):
    """Return what a session must not lose."""
    tables = "answers", "requests", "taught", "notes"
    return {name: select(path, f"SELECT * FROM {name}") for name in tables}


def check_file(path, content, facts=None, several=None):
    """Open a file with this content; return "opened" or "refused".

    It must be refused with a sentence that names the file, and is then unchanged, or
    have all facts.
    """
    path.write_bytes(content)
    for name in (f"{path}-journal", f"{path}.csv"):
        if os.path.exists(name):
            os.remove(name)
    try:
        with open_again(path, several) as session:
            session.status(), session.people(), session.review(), session.advice()
            if facts is None:
                id = session.next("cat")
                if id is not None:
                    session.label(id, SETS["yes"] if several else "yes", "cat")
    except (ValueError, OSError) as error:
        said = f"{error}"
        assert said.isprintable(), said
        assert facts is None or path.name in said, said
        assert path.read_bytes() == content or facts is None
        if facts is not None:
            assert "Traceback" not in said
        try:
            export(path, f"{path}.csv")
        except (ValueError, OSError) as second:
            said = f"{second}"
        assert said.isprintable(), said
        return "refused"
    if facts is not None and content:  # an empty file is a new session
        assert facts_of(path) == facts
    return "opened"


@contextmanager
def made_session(several=None):
    """Give the path of a session in a folder, its content and its facts."""
    with quick_folder() as folder, warnings.catch_warnings(action="ignore"):
        path = folder / "x.sqlite"
        make_session(path, several)
        yield path, path.read_bytes(), facts_of(path)


def check_truncations(n, seed=0):
    """Cut a session at random places; return what came of it."""
    rng, found = np.random.default_rng(seed), Counter()
    with made_session() as (path, content, facts):
        for length in rng.integers(1, len(content), size=n).tolist():
            found[check_file(path, content[:length], facts)] += 1
    return found


def check_damages(n, seed=0):
    """Change random bytes of a session, up to a page; return what came of it."""
    rng, found = np.random.default_rng(seed), Counter()
    with made_session() as (path, content, facts):
        used = np.flatnonzero(np.frombuffer(content, np.uint8))  # most bytes are 0
        for number in range(n):
            start = int(rng.choice(used if number % 5 else len(content)))
            damaged = bytearray(content)
            if number % 2:  # one bit
                damaged[start] ^= 1 << int(rng.integers(8))
            else:
                length = int(rng.choice([1, 4, 100, 4096]))
                part = damaged[start : start + length]
                damaged[start : start + length] = rng.bytes(len(part))
            result = check_file(path, bytes(damaged), facts)
            found[result] += 1
            if result == "refused":
                path.write_bytes(damaged)
                found["of"] += len(facts["answers"])
                with suppress(ValueError):  # no answer is intact
                    out = path.with_name("answers.csv")
                    found["answers recovered"] += recover_labels(path, out)
    return found


# --- crafted files

VALUES = [
    None, 0, 1, -1, 7, 2**31, 2**63 - 1, -(2**63), 0.5, 1e300, "", "no", "yes", "x",
    "ann", "null", "[]", "{}", "[1]", '{"class": "x"}', "\x1b[2J", b"bytes",
    "2026-01-01T00:00:00+00:00", "[[[[" * 5000, "1e400", '["yes"]', '["yes", "no"]',
]  # fmt: skip


def change_json(rng, value):
    """Return a value of JSON of which a part is another one."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = list(value)[rng.integers(len(value))]
        if rng.random() < 0.2:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: change_json(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.6:
        place = int(rng.integers(len(value)))
        return [
            change_json(rng, each) if n == place else each
            for n, each in enumerate(value)
        ]
    values = [None, True, -1, 3, 1e9, "x", "", [], {}, [None], {"a": []}, 2**70, "\x07"]
    return values[rng.integers(len(values))]


def change_text(rng, text):
    """Return JSON of which a part is changed; what was crafted before stays."""
    try:
        return json.dumps(change_json(rng, json.loads(text)))
    except (TypeError, ValueError, RecursionError):
        return text


def craft(rng, path):
    """Change a row of a table, with a valid checksum."""
    with closing(sqlite3.connect(path, factory=Connection)) as db, db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA ignore_check_constraints = ON")
        table = list(COLUMNS)[rng.integers(len(COLUMNS))]
        rows = db.execute(f"SELECT * FROM {table}").fetchall()
        if not rows:
            return
        row = dict(rows[rng.integers(len(rows))])
        del row["checksum"]
        name = list(row)[rng.integers(len(row))]
        how = rng.random()
        if how < 0.15:
            db.execute(
                f"DELETE FROM {table} WHERE {next(iter(row))} IS ?",
                (row[next(iter(row))],),
            )
        elif how < 0.55 and isinstance(row[name], str) and row[name][:1] in "[{":
            row[name] = change_text(rng, row[name])
        elif how < 0.65 and table == "settings":
            row["value"] = change_text(rng, row["value"])
        else:
            row[name] = VALUES[rng.integers(len(VALUES))]
        with suppress(sqlite3.Error, TypeError, OverflowError):
            put(db, table, **row)


def check_crafted(n, seed=0, several=None):
    """Open sessions with crafted rows: each works, or is refused with a sentence."""
    rng, found = np.random.default_rng(seed), Counter()
    with made_session(several) as (path, content, _):
        for _ in range(n):
            path.write_bytes(content)
            for _ in range(1 + int(rng.integers(3))):
                craft(rng, path)
            found[check_file(path, path.read_bytes(), several=several)] += 1
    return found
