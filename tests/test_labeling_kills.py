"""Processes that are killed at any moment: no label is lost, no row shown twice.

``pytest tests/test_labeling_kills.py --hypothesis-profile=explore`` kills a thousand.
"""

import os
import signal
import time
import traceback
from itertools import cycle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    CBGZClassifier,
    QueryByBoostingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling._journal import Journal
from tests.reference.labeling import quick_folder

X, y = make_classification(30, 4, random_state=1)
LEARNERS = [
    UncertaintySamplingClassifier(GaussianNB(), n_initial=4, batch_size=3),
    QueryByBoostingClassifier(n_estimators=2, n_initial=4, batch_size=4, budget=25),
    CBGZClassifier(b=1.0),
    UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, stopping="stable_predictions"
    ),
]


#: Up to how many labels a session is opened with what.
ALWAYS_THE_SAME = [(30, {})]
CHANGING = [
    (7, {"n": 22, "test_size": 3}),
    (11, {"n": 26, "test_size": 3, "change": "pool"}),
    (16, {"n": 26, "change": "test_size"}),
    (21, {"n": 26, "shift": 1.0, "change": "features"}),
    (30, {"classes": [1, 0, 2], "shift": 1.0, "change": ("classes", "pool")}),
]
LONGER = [(30, {"n": n, "change": "pool"}) for n in (14, 22, 30)]  # for streams


def label_all(learner, plan, path, ahead, tell):
    """Label to the end; tell of each row before it is shown, and after it is kept."""
    n_changes = len(events_of_kind(path, "change"))
    for n_labels, what in plan[n_changes:]:
        options = {"test_size": 5, "classes": [0, 1], **what}
        n = options.pop("n", 30)
        pool, n_stored = X[:n] + options.pop("shift", 0.0), len(labels_of(path))
        with LabelingSession(
            learner, pool, path, ids=list(range(n)), ahead=ahead, **options
        ) as session:
            while n_stored < n_labels and (id := session.next()) is not None:
                tell(f"shown {id}")
                session.label(id, int(y[id]))
                tell(f"kept {id}")
                n_stored += 1
            session.next()  # begins what a kill may have ended, before the change
    tell("end -1")


def killed(n_lines, seconds, *arguments):
    """Do that in a process that is killed; return what it told.

    That is so many seconds after so many lines.
    """
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            label_all(*arguments, lambda said: os.write(writes, f"{said}\n".encode()))
        except BaseException:
            os.write(writes, f"error {traceback.format_exc()!r}\n".encode())
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads) as pipe:
        told = [line for _, line in zip(range(n_lines), pipe, strict=False)]
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
        told += pipe
    os.waitpid(process, 0)
    return [line.split(maxsplit=1) for line in told]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.every_learner
def test_nothing_is_lost_when_a_session_is_killed(request, changes):
    explores = request.config.getoption("--hypothesis-profile") == "explore"
    rng = np.random.default_rng(None if explores else 0)
    n_kills, n_ended = (1000 if explores else 24), 0
    for number, settings in enumerate(cycle((L, a) for L in LEARNERS for a in (0, 1))):
        learner, ahead = settings
        learner.set_params(random_state=number)
        plan = ALWAYS_THE_SAME
        if changes:
            plan = LONGER if isinstance(learner, CBGZClassifier) else CHANGING
        with quick_folder() as folder:
            told = []
            label_all(learner, plan, folder / "whole", ahead, told.append)
            expected = [int(each.split()[1]) for each in told[:-1:2]]
            kept = []
            while True:
                when = rng.integers(16), rng.choice([0.002, 0.02]) * rng.random()
                told = killed(*when, learner, plan, folder / "killed", ahead)
                n_kills -= 1
                assert "error" not in dict(told), told
                shown = [int(id) for what, id in told if what == "shown"]
                assert shown == expected[len(kept) :][: len(shown)]
                acknowledged = [int(id) for what, id in told if what == "kept"]
                stored = labels_of(folder / "killed")
                assert stored[: len(kept) + len(acknowledged)] == kept + acknowledged
                assert stored == expected[: len(stored)]
                kept = stored
                if "end" in dict(told):
                    n_ended += 1
                    n_changes = len(events_of_kind(folder / "killed", "change"))
                    assert n_changes == len(plan) - 1
                    break
                if n_kills <= 0:
                    break
        if n_kills <= 0:
            break
    assert n_ended > 0


def events_of_kind(path, kind):
    """Return the bodies of events in the file."""
    if not path.exists() or not path.stat().st_size:
        return []
    return [event.body for event in Journal.read(path) if event.kind == kind]


def labels_of(path):
    """Return the rows that have a label in the file, in order."""
    return [body["id"] for body in events_of_kind(path, "label")]
