"""Score of the model from labels that a session has bought, without held-out rows."""

import re

import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import explored_score, online_score
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.labeling import answer_rows
from tests.tools import problem

X, y = problem(80, 3, noise=0.2)


def labelled(learner, path, n=30, **settings):
    """Return a session with so many labels."""
    ids, classes = list(range(80)), ["no", "yes"]
    session = LabelingSession(learner, X, path, ids=ids, classes=classes, **settings)
    answer_rows(session, lambda row: y[row].item(), n)
    session.next()
    return session


@pytest.mark.usefixtures("quick_blend")
@pytest.mark.parametrize(
    "learner",
    [
        HybridSamplingClassifier(explore=0.3, batch_size=5, random_state=0),
        MinMarginClassifier(explore=0.2, random_state=0),
    ],
)
def test_random_rows_of_a_pool_learner(learner, path):
    with labelled(learner, path) as session:
        said = session.advice()
        estimate = explored_score(session.learner)
        assert estimate.n_labels > 3
        assert f"right on {estimate.value:.0%} of rows like these" in said
        assert f"judged by {estimate.n_labels} random rows" in said


def test_before_there_is_a_model_it_is_only_that(path):
    """Random rows will tell: that nothing does would be untrue."""
    learner = HybridSamplingClassifier(random_state=0)
    with labelled(learner, path, n=0) as session:
        assert session.advice().startswith("There is no model yet.")
    others = MinMarginClassifier(random_state=0), DKMClassifier(random_state=0)
    for i, learner in enumerate(others):
        with labelled(learner, path.with_name(f"{i}"), n=0) as session:
            assert "nothing tells how good the model is" in session.advice()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("", "after 10 more labels."),
        ("n", "after 9 more labels and a second class is known."),
        ("nnnny", "after 5 more labels."),
        ("nnnnnnnny", "after 1 more label."),
    ],
)
def test_how_many_labels_a_first_model_needs(labels, said, path):
    learner = HybridSamplingClassifier(n_initial=10, random_state=0)
    with labelled(learner, path, n=0) as session:
        for letter in labels:
            session.label(session.next(), {"n": "no", "y": "yes"}[letter])
        expected = f"There is no model yet. It is trained {said}"
        assert session.advice() == expected
        with pytest.raises(ValueError, match=re.escape(expected)):
            session.predictions()


def test_known_labels_are_learned_when_a_row_is_shown(path):
    learner = HybridSamplingClassifier(n_initial=10, random_state=0)
    ids, classes = list(range(80)), ["no", "yes"]
    with LabelingSession(learner, X, path, ids=ids, classes=classes) as session:
        no = [id for id in range(30) if y[id] == "no"]
        session.import_labels(dict.fromkeys(no, "no"))
        assert "is trained after 1 more label and a second class" in session.advice()
        with pytest.raises(ValueError, match=r"Row 3 has no label: leave it out\."):
            session.import_labels({2: "yes", 3: None})
        known = {id: y[id].item() for id in range(30)}
        assert session.import_labels(known) == 30 - len(no)
        assert session.advice() == (
            "There is no model yet: the 30 known labels are learned when the first row "
            "is shown."
        )
        session.next()
        assert "known labels" not in session.advice()


@pytest.mark.parametrize("test_size", [0, 6])
def test_few_labels_give_no_estimate(test_size, path):
    learner = UncertaintySamplingClassifier(
        GaussianNB(), explore=0.3, n_initial=4, budget=12, random_state=0
    )
    with labelled(learner, path, n=18, test_size=test_size) as session:
        said, report = session.advice(), session.report()
        kind = "held-out" if test_size else "random"
        pattern = (
            rf"\d {kind} rows have labels: from 10 on, they tell how good the model"
        )
        assert re.match(pattern, said), said
        assert report.curve == []
        assert "%" not in said


def test_labels_of_a_stream_learner(path):
    with labelled(CBGZClassifier(b=0.5, random_state=0), path) as session:
        said = session.advice()
        error = online_score(session.learner)
        assert f"right on {1 - error.value:.0%} of the rows so far" in said
        assert f"95 %: {1 - error.high:.0%}".rstrip("%") in said


@pytest.mark.parametrize(
    "learner", [DKMClassifier(random_state=0), FASSLBoostClassifier(random_state=0)]
)
def test_labels_that_tell_nothing(learner, path):
    with labelled(learner, path) as session:
        assert "nothing tells how good the model is" in session.advice()


@pytest.mark.usefixtures("quick_blend")
def test_held_out_rows_come_first(path):
    learner = HybridSamplingClassifier(explore=0.3, batch_size=5, random_state=0)
    with labelled(learner, path, n=25, test_size=10) as session:
        assert "held-out rows" in session.advice()
