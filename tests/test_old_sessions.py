"""Files of released versions open, and go on as they would have then."""

import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession

DATA = Path(__file__).parent / "data"

#: What version 0.1.0 showed next in these files, and why it ended. Each was made by
#: `answers` with n = 14; of the labels two were undone, one after it had been taught.
OLD = {
    "session_0_1_0_votes": (
        [28, 32, 0, 9, 37, 9, 21, 17, 15, 22, 1, 22, 29, 7, 25, 38, 31, 35, 33, 20],
        "budget",
    ),
    "session_0_1_0_rule": (
        [28, 32, 0, 9, 37, 9, 21, 17, 15, 22, 1, 22],
        "stable_predictions",
    ),
}


rng = np.random.RandomState(0)
X = np.round(rng.standard_normal((40, 2)), 3)
Y = np.where(X[:, 0] + 0.3 * rng.standard_normal(40) > 0, "yes", "no")


def answers(session, n):
    """Answer at most n rows, with a skip and two undos; return their ids."""
    shown = []
    for i in range(n):
        who = "ann" if i % 2 else "bob"
        if (id := session.next(who)) is None:
            break
        shown.append(id)
        if i == 4:
            session.skip(id, who=who)
        else:
            session.label(id, Y[id], who)
        if i in (3, 9):
            session.undo("ann")
    return shown


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("n", [40, 12])
def test_a_file_of_version_0_1_goes_on(name, n, tmp_path):
    rule = "stable_predictions" if name.endswith("rule") else None
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=2, budget=30, stopping=rule,
        random_state=0,
    )  # fmt: skip
    path = tmp_path / "labels.sqlite"
    shutil.copy(DATA / f"{name}.sqlite", path)

    def opened():
        with warnings.catch_warnings():  # of other versions of the packages
            warnings.simplefilter("ignore", UserWarning)
            return LabelingSession(
                learner, X, path, ids=list(range(40)), classes=["yes", "no"],
                test_size=3,
            )  # fmt: skip

    session = opened()
    assert session.status().n_taught == 6
    shown = answers(session, n)
    if n < 40:  # closed and opened in between
        session.close()
        session = opened()
        while (id := session.next()) is not None:
            shown.append(id)
            session.label(id, Y[id])
    expected, reason = OLD[name]
    assert shown == expected
    assert session.stop_reason == reason
    session.close()


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("words", [("pool", "test_size"), ("pool", "classes")])
def test_a_file_of_version_0_1_can_be_changed(name, words, folder):
    rule = "stable_predictions" if name.endswith("rule") else None
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=2, budget=30, stopping=rule,
        random_state=0,
    )  # fmt: skip
    pool = np.vstack([X, X[:6] + 0.5])
    options = {"classes": ["yes", "no", "unclear"], "test_size": 5}
    if "classes" not in words:
        options["classes"].pop()
    if "test_size" not in words:
        options["test_size"] = 3
    both = []
    for n in 40, 3:  # without and with a break
        path = folder / f"{n}.sqlite"
        shutil.copy(DATA / f"{name}.sqlite", path)
        shown, change, more = [], words, [...] * n
        while len(more) == n:
            with warnings.catch_warnings():  # of other versions of the packages
                warnings.simplefilter("ignore", UserWarning)
                session = LabelingSession(
                    learner, pool, path, ids=list(range(46)), change=change, **options
                )
            with session:
                if change:
                    # without their memory, rules begin with the learner
                    is_beginning = "classes" in words or rule is not None
                    assert (session.learner.n_queries_ == 0) == is_beginning
                    assert session.status().n_test == options["test_size"]
                    assert session.status().n_taught == (8 if is_beginning else 6)
                more = answered(session, n)
                shown, change = shown + more, ()
        both.append([shown, session.stop_reason, session.status()])
    assert both[0] == both[1]
    assert session.stop_reason in ("budget", "stable_predictions")
    assert max(shown) >= 40


def answered(session, n):
    """Answer at most n rows; return their ids."""
    shown = []
    while len(shown) < n and (id := session.next()) is not None:
        session.label(id, Y[id % 40])
        shown.append(id)
    return shown
