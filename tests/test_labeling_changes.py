"""Sessions that change when they are opened: what follows, and what is refused."""

import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    GreedyOnlineClassifier,
    MinMarginClassifier,
    QueryByBoostingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession, export
from sklearn_activelearn.labeling._journal import Journal
from tests.reference.labeling import quick_folder

ALL, codes = make_classification(60, 4, n_informative=3, n_redundant=0, random_state=3)
Y = np.array(["bad", "good", "ugly"])[codes + (np.arange(60) % 9 == 8)]
IDS = [f"row {i}" for i in range(60)]
N = 40  # rows at the beginning

plain = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, budget=25, random_state=0
)
stream = CBGZClassifier(b=0.5, random_state=0)
LEARNERS = {
    "plain": plain,
    "stopping": clone(plain).set_params(stopping="stable_predictions"),
    "incremental": MinMarginClassifier(
        Perceptron(), incremental=True, n_initial=3, batch_size=2, budget=22,
        random_state=0,
    ),
    "boosting": QueryByBoostingClassifier(
        n_estimators=2, n_initial=4, batch_size=3, budget=0.5, random_state=0
    ),
    "semi-supervised": COMBClassifier(
        n_estimators=2, n_initial=4, budget=24, random_state=0
    ),
    "models": ALMSClassifier(
        LogisticRegression(), param_grid={"C": [0.1, 1.0]}, n_initial=4, budget=21,
        random_state=0,
    ),
    "coins": stream,
    "groups": GreedyOnlineClassifier(m=4, random_state=0),
}  # fmt: skip
STREAMS = {"coins", "groups"}


@pytest.fixture
def path():
    with quick_folder() as folder:
        yield folder / "labels.sqlite"


class Setting:
    """The arguments of an opening, and what changes do to them."""

    def __init__(self, learner, **options):
        self.learner, self.n, self.shift = learner, N, 0.0
        self.options = {"classes": ["good", "bad"], "test_size": 3, **options}

    def change(self, word):
        """Let what the word means be another one."""
        if word == "pool":
            self.n = min(self.n + 7, 60)
        elif word == "features":
            self.shift += 1.0
        elif word == "classes":
            self.options["classes"] = ["good", "bad", "ugly"]
        elif word == "learner":
            learners = [LEARNERS["incremental"], LEARNERS["plain"]]
            others = [each for each in learners if type(each) is not type(self.learner)]
            self.learner = others[0]
        else:
            self.options[word] = self.options.get(word, 1) + 2

    @property
    def pool(self):
        return ALL[: self.n] + self.shift * np.sin(ALL[: self.n])

    def open(self, path, change=()):
        return LabelingSession(
            self.learner, self.pool, path, ids=IDS[: self.n], change=change,
            **self.options,
        )  # fmt: skip

    def label(self, id):
        """Return the right label, as far as there is such a class."""
        label = Y[IDS.index(id)]
        return label if label in self.options["classes"] else "good"


def opinion(session):
    """Return what the model says of all rows, bit for bit."""
    if not session._worker.recorded.has_model:
        return None
    found = session.predictions()
    p = found.probabilities
    return found.labels, None if p is None else p.tobytes()


def label_all(session, setting, n=None, who=None):
    """Answer rows as long as there are any; return their ids."""
    shown = []
    while len(shown) != n and (id := session.next(who)) is not None:
        session.label(id, setting.label(id), who)
        shown.append(id)
    return shown


# --- the law


STEPS = ["label", "label", "label", "skip", "undo", "again", "unasked", "open"]
WORDS = ["pool", "features", "classes", "test_size", "votes", "learner"]


@st.composite
def plans(draw, words):
    """Draw steps, of which some are words of changes."""
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=8, max_size=30))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(steps)))
        chosen = draw(st.lists(st.sampled_from(words), max_size=2, unique=True))
        steps.insert(place, tuple(chosen))
    return steps


def go(learner, path, steps, opens, ahead):
    """Take steps; return what was seen on the way, and the session's end."""
    setting, seen = Setting(learner, ahead=ahead), []
    session, last = setting.open(path), "row 0"
    for i, step in enumerate(steps):
        who = "ann" if i % 2 else "bob"
        if isinstance(step, tuple):
            session.close()
            for word in step:
                setting.change(word)
            session = setting.open(path, step)
        elif step == "open" and opens:
            session.close()
            session = setting.open(path)
        elif step == "undo":
            try:
                seen.append(session.undo(who))
            except ValueError as error:
                seen.append(str(error))
        elif step in ("again", "unasked"):
            with suppress(ValueError):  # a stream cannot unlearn
                id = IDS[i] if step == "unasked" else last
                session.label(id, ["good", "bad"][i % 2], who)
        elif step != "open":
            seen.append(id := session.next(who))
            last = id or last
            if id is not None and step == "skip":
                with suppress(ValueError):  # of a row with one vote, which is learned
                    session.skip(id, who=who)
            elif id is not None:
                session.label(id, setting.label(id), who)
    for _ in range(4):
        for who in "ann", "bob", "cy", "dan":
            if (id := session.next(who)) is not None:
                seen.append(id)
                session.label(id, setting.label(id), who)
    session.close()  # when what is under way has ended
    asked = list(session._log.state.asked)
    assert len(set(asked)) == len(asked)
    return seen, asked, opinion(session), session.status(), session.curve()


few = settings(max_examples=settings.default.max_examples // 3)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.every_learner
@few
@given(data=st.data(), ahead=st.integers(0, 1))
def test_a_changed_session_goes_on_wherever_it_is_opened_again(name, data, ahead):
    steps = data.draw(plans(["pool"] if name in STREAMS else WORDS))
    with quick_folder() as folder, warnings.catch_warnings():
        live = go(LEARNERS[name], folder / "live", steps, False, ahead)
        again = go(LEARNERS[name], folder / "again", steps, True, ahead)
    assert again == live
