"""What people are told if labels are nearly as uncertain as chance."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import BlendClassifier, HybridSamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends._view import (
    LabelingView,
    describe_near_chance,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(140, 3))
NOISE = rng.integers(0, 2, 140)
CLEAR = (X[:, 0] > 0).astype(int)
SAID = "So far the labels are nearly as uncertain as chance: in cross-validation the "


def open_view(path, learner=None, **settings):
    """Return the view of a session with twenty rows a purchase."""
    given = {"batch_size": 20, "budget": 140, "random_state": 0}
    learner = learner or HybridSamplingClassifier(**given)
    settings = {"ids": list(range(140)), "classes": ["no", "yes"], **settings}
    return LabelingView(LabelingSession(learner, X, path, **settings), "table")


def answer(view, y, n, who=None):
    """Answer rows; return what was said after each."""
    told, shown = [], view.next(who)
    for _ in range(n):
        shown = view.label(shown.row.id, ["no", "yes"][y[shown.row.id]], who)
        if shown.is_training:  # as the front ends do
            shown = view.next(who, shown.last)
        told.append(shown.last)
    return told


@pytest.mark.usefixtures("quick_blend")
@pytest.mark.parametrize("test_size", [0, 20])
def test_it_is_said_once_and_stays_in_the_advice(path, test_size):
    view = open_view(path, test_size=test_size)
    with view.session:
        told = answer(view, NOISE, 90 + test_size)
        n_told = [n for n, last in enumerate(told, 1) if SAID in last]
        assert n_told == [90 + test_size]
        assert told[-1].startswith("Row ")
        skill = view.session._worker.own.model.cv_skill_
        assert told[-1].endswith(
            f". {SAID}model removes {max(skill, 0):.0%} of their uncertainty. Before "
            "you label more, see whether people agree on the same rows (votes), and "
            "whether other columns say more about the classes."
        )
        advice = view.session.advice()
        assert advice.count(SAID) == 1
        assert not advice.startswith(SAID)
        assert not any(SAID in last for last in answer(view, NOISE, 5))


@pytest.mark.usefixtures("quick_blend")
def test_each_person_is_told(path):
    view = open_view(path)
    with view.session:
        assert SAID in answer(view, NOISE, 90, "ann")[-1]
        assert view.next("bob").last.startswith(SAID)
        assert view.next("bob").last == ""


@pytest.mark.usefixtures("quick_blend")
def test_skips_and_an_opened_session_tell_it_too(path):
    view = open_view(path)
    with view.session:
        told = answer(view, NOISE, 89)
        shown = view.skip(view.next().row.id)
        shown = view.next(last=shown.last) if shown.is_training else shown
        assert not any(SAID in last for last in told)
        assert "skipped" in shown.last
        assert SAID in shown.last
    view = open_view(path)
    with view.session:
        assert view.next().last.startswith(SAID)


@pytest.mark.usefixtures("quick_blend")
def test_labels_that_the_rows_tell_are_left_alone(path):
    view = open_view(path)
    with view.session:
        told = answer(view, CLEAR, 100)
        assert not any(SAID in last for last in told)
        assert SAID not in view.session.advice()


def test_other_models_say_nothing(path):
    model = LogisticRegression()
    learner = HybridSamplingClassifier(model, batch_size=20, random_state=0)
    view = open_view(path, learner)
    with view.session:
        answer(view, NOISE, 100)
        assert SAID not in view.session.advice()
    assert describe_near_chance(None) == ""
    few = BlendClassifier([("linear", model)]).fit(X[:10], NOISE[:10])
    assert describe_near_chance(few) == ""


@pytest.mark.parametrize(("skill", "said"), [(-0.4, "0%"), (0.031, "3%")])
def test_the_share_of_the_uncertainty_is_not_negative(skill, said):
    model = SimpleNamespace(is_near_chance_=True, cv_skill_=skill)
    assert f"the model removes {said} of their uncertainty" in describe_near_chance(
        model
    )
