"""Sessions that change when they are opened: what follows, and what is refused."""

import warnings
from contextlib import suppress
from time import sleep
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession
from tests.learners import explores
from tests.reference.labeling import answer_rows, quick_folder
from tests.reference.session_files import asked, select, taught, waiting
from tests.test_labeling_session import (
    FAMILIES,
    POOL,
    RESTORED,
    STREAM,
    opinion,
    record_by_row,
)

ALL, codes = make_classification(60, 4, n_informative=3, n_redundant=0, random_state=3)
Y = np.array(["bad", "good", "ugly"])[codes + (np.arange(60) % 9 == 8)]
IDS = [f"row {i}" for i in range(60)]
N = 40  # rows at the beginning

plain = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, budget=25, random_state=0
)
stopping = clone(plain).set_params(stopping="stable_predictions")
#: Budgets that pay for more held-out rows.
LEARNERS = {name: clone(FAMILIES[name]).set_params(budget=25) for name in POOL}
LEARNERS |= {"plain": plain, "stopping": stopping} | {n: FAMILIES[n] for n in STREAM}
LEARNERS["boosting"].set_params(budget=0.5)
stream = LEARNERS["coins"]


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
            learners = [LEARNERS["margin"], LEARNERS["plain"]]
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
        return label if label in (self.options["classes"] or ["bad"]) else "good"


def label_all(session, setting, n=None, who=None):
    """Answer rows as long as there are any; return their ids."""
    return answer_rows(session, setting.label, n, who)


# --- the law


STEPS = ["label"] * 3 + ["wrong", "skip", "undo", "again", "unasked", "open"]
WORDS = ["pool", "features", "classes", "test_size", "votes", "learner"]


@st.composite
def plans(draw, words):
    """Draw steps, of which some are words of changes."""
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=8, max_size=30))
    for _ in range(draw(st.integers(0, 3)) if words else 0):
        place = draw(st.integers(0, len(steps)))
        chosen = draw(st.lists(st.sampled_from(words), max_size=2, unique=True))
        steps.insert(place, tuple(chosen))
    return steps


def go(learner, path, steps, opens, ahead):
    """Take steps; return what was seen on the way, and the session's end.

    The session is opened again, which waits for the training, in a step "open" if
    `opens` is True, and before each step if it is "often".
    """
    setting, seen = Setting(learner, ahead=ahead), []
    session, last = setting.open(path), "row 0"
    for i, step in enumerate(steps):
        who = "ann" if i % 2 else "bob"
        if opens == "often":
            session.close()
            session = setting.open(path)
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
                label = ["good", "bad"][i % 2] if step == "wrong" else setting.label(id)
                session.label(id, label, who)
    for _ in range(4):
        for who in "ann", "bob", "cy", "dan":
            if (id := session.next(who)) is not None:
                seen.append(id)
                session.label(id, setting.label(id), who)
    session.close()  # when what is under way has ended
    requests = asked(session)
    assert len(set(requests)) == len(requests)
    said, learner, record = None, session.learner, None
    with suppress(ValueError):  # no model yet
        said = opinion(session)
    if hasattr(learner, "record") and hasattr(learner, "n_queries_"):
        record = record_by_row(learner.record())
    return seen, requests, said, record, session.status(), session.curve()


few = settings(max_examples=settings.default.max_examples // 5)


@pytest.mark.parametrize("name", sorted(RESTORED))
@few
@given(data=st.data(), ahead=st.integers(0, 1))
def test_a_session_goes_on_wherever_it_is_opened_again(name, data, ahead):
    words = [word for word in WORDS if word != "learner"]
    steps = data.draw(plans(words if name in ("plain", "spread", "stopping") else []))
    with quick_folder() as folder, warnings.catch_warnings():
        live = go(LEARNERS[name], folder / "live", steps, False, ahead)
        again = go(LEARNERS[name], folder / "again", steps, True, ahead)
    assert again == live


@pytest.mark.parametrize(
    ("word", "n"), [("features", 3), ("learner", 4), ("features", 5)]
)
def test_the_time_that_training_takes_changes_nothing(word, n):
    query, shown = UncertaintySamplingClassifier.query, []
    for seconds in (0, 0.01):

        def wait_and_query(*args, seconds=seconds, **options):
            sleep(seconds)
            return query(*args, **options)

        setting = Setting(plain, ahead=1)
        with (
            quick_folder() as folder,
            patch.object(UncertaintySamplingClassifier, "query", wait_and_query),
        ):
            with setting.open(folder / "a") as session:
                first = label_all(session, setting, n)
            for change in "test_size", word:
                setting.change(change)
            with setting.open(folder / "a", ("test_size", word)) as session:
                shown.append([*first, *label_all(session, setting)])
    assert shown[0] == shown[1]


@few
@example(["unasked"] * 2 + ["wrong", "label", "open", "open", "skip", "skip", "unasked"]
         + ["wrong", "unasked", "undo", "skip"])  # fmt: skip
@given(steps=plans([]))
def test_the_time_of_each_training_changes_nothing(steps):
    query = UncertaintySamplingClassifier.query

    def slow_query(*args, **options):
        sleep(0.003)
        return query(*args, **options)

    with quick_folder() as folder, warnings.catch_warnings():
        fast = go(plain, folder / "fast", steps, "often", 1)
        with patch.object(UncertaintySamplingClassifier, "query", slow_query):
            slow = go(plain, folder / "slow", steps, False, 1)
    assert slow == fast


SOME = ["boosting", "coins", "groups", "models", "plain", "spread", "warm start"]


@pytest.mark.parametrize("name", sorted(LEARNERS) if explores() else SOME)
@few
@given(data=st.data(), ahead=st.integers(0, 1))
def test_a_changed_session_keeps_its_labels(name, data, ahead):
    steps = data.draw(plans(["pool"] if name in STREAM else WORDS))
    with quick_folder() as folder, warnings.catch_warnings():
        *_, status, _ = go(LEARNERS[name], folder / "file", steps, True, ahead)
        known = taught(folder / "file")
        decided = select(
            folder / "file",
            "SELECT id, labels.label FROM labels JOIN taught USING (id) "
            "WHERE kind != 'test' AND taught.label IS labels.label",
        )
    assert known == dict(decided) or name in STREAM or known.items() >= {*decided}
    assert status.n_taught == len(known)


# --- what follows from each word


def begun(path, n=12, learner=plain, **options):
    """Label some rows, with one skipped; return the setting."""
    setting = Setting(learner, **options)
    with setting.open(path) as session:
        label_all(session, setting, n - 1)
        session.skip(session.next())
    return setting


def labelled(session):
    """Return row numbers and labels of rows that are not held out, as decided."""
    found = select(
        session,
        "SELECT id, label FROM labels WHERE kind != 'test'",
    )
    return [IDS.index(id) for id, _ in found], [label for _, label in found]


def test_rows_at_the_end_are_offered_to_the_same_learner(path):
    setting = begun(path)
    with setting.open(path) as session:
        out = waiting(session)
        assert out
    setting.change("pool")
    loop = clone(plain)
    with setting.open(path, "pool") as session:
        assert session.learner.n_queries_ == session.status().asked
        assert session.ids == IDS[: N + 7]
        assert session.status().left == plain.budget - 3 - session.status().asked
        assert label_all(session, setting, len(out)) == out
        found = session.next()
        loop.restore(
            setting.pool, session.learner.record(), labelled(session)[1],
            ids=np.arange(N + 7),
        )  # fmt: skip
        assert opinion(session)[1] == loop.predict_proba(setting.pool).tobytes()
        shown = [found, *label_all(session, setting)]
        assert {*shown} & {*IDS[N:]}
    with setting.open(path) as session:
        assert session.stop_reason == "budget"
        assert len(session.predictions().ids) == N + 7


@pytest.mark.parametrize(
    ("word", "budget"), [("features", 25), ("classes", 25), ("learner", 0.5)]
)
def test_another_learner_is_taught_all_labels_in_one_call(path, word, budget):
    setting = begun(path, learner=clone(plain).set_params(budget=budget))
    total = 25 if budget == 25 else 20
    with setting.open(path) as session:
        out, before = waiting(session), asked(session)
        curve = session.curve()
    if word == "learner":
        setting.learner = clone(setting.learner).set_params(batch_size=4)
    else:
        setting.change(word)
    with setting.open(path, word) as session:
        loop = clone(setting.learner).set_params(budget=total - 3 - len(before))
        rows, labels = labelled(session)
        loop.teach(setting.pool[rows], labels, classes=setting.options["classes"])
        assert session.learner.n_queries_ == 0
        assert opinion(session)[1] == loop.predict_proba(setting.pool).tobytes()
        assert waiting(session) == out
        assert session.status().left == total - 3 - len(before)
        assert label_all(session, setting, len(out)) == out
        first = session.next()
        test = [IDS.index(id) for id in session.test_ids]
        more = [IDS.index(id) for id in out]
        loop.teach(setting.pool[more], [setting.label(id) for id in out])
        exclude = [*test, *(IDS.index(id) for id in before)]
        expected = loop.query(setting.pool, exclude=np.array(exclude))
        assert first == IDS[expected[0]]
        assert len(session.curve()) == 1 < len(curve)
        label_all(session, setting)
        assert session.status().asked == total - 3
        assert session.stop_reason == "budget"


@pytest.mark.parametrize("name", ["warm start", "boosting", "models"])
def test_more_rows_are_a_new_beginning_for_a_learner_with_a_history(path, name):
    setting = begun(path, learner=LEARNERS[name])
    setting.change("pool")
    with setting.open(path, "pool") as session:
        assert session.learner.n_queries_ == 0
        assert session.learner.n_taught_ == len(taught(session))
        assert session.status().left == session.learner.budget


def test_the_same_learner_keeps_its_seeds(path):
    setting = begun(path, learner=clone(plain).set_params(random_state=None))
    for word in "pool", "features":
        setting.change(word)
        setting.open(path, word).close()
    first, second = select(path, "SELECT seeds FROM learners")
    assert first == second != "{}"


def test_rows_at_the_end_of_a_stream_are_offered(path):
    setting = Setting(stream)
    with setting.open(path) as session:
        label_all(session, setting, 3)
        shown = label_all(session, setting)
        assert session.stop_reason == "no rows"
    setting.change("pool")
    with setting.open(path, "pool") as session:
        assert session.stop_reason is None
        more = label_all(session, setting)
        assert {*more} <= {*IDS[N : N + 7]}
        assert more
        assert session.status().n_taught == len([*shown, *more])


def test_more_rows_are_put_aside_among_those_that_nobody_asked_for(path):
    setting = begun(path)
    with setting.open(path) as session:
        session.label("row 39", "good")
        known = {*asked(session), *session.test_ids, "row 39"}
        n_models = len(session.curve())
    setting.options["test_size"] = 10
    with setting.open(path, "test_size") as session:
        status = session.status()
        assert (status.n_test, status.left) == (10, 25 - 10 - status.asked)
        drawn = label_all(session, setting, 5)
        assert not {*drawn} & known
        assert "3 held-out rows have labels" in session.advice()  # of the last model
        label_all(session, setting, 5)
        curve = session.curve()
        assert [point.n_test for point in curve][n_models - 1 :] == [3] + [10] * (
            len(curve) - n_models
        )
        assert len(curve) > n_models
        assert "7 of the held-out rows were drawn later" in session.advice()
        label_all(session, setting)
        assert not {*drawn} & {*asked(session)}
    assert select(path, "SELECT count(*) FROM learners") == [1]
    setting.change("pool")
    with setting.open(path, "pool") as session:
        assert (
            "they do not represent the 7 rows that were added since" in session.advice()
        )


def test_models_are_compared_on_rows_that_all_of_them_have_seen(path):
    setting = begun(
        path, n=16, learner=clone(plain).set_params(budget=40, batch_size=2)
    )
    setting.options["test_size"] = 12
    with setting.open(path, "test_size") as session:
        label_all(session, setting, 11)
        assert "of 12 held-out rows" in session.advice()
        assert "of 3 predictions have changed" in session.advice()
        label_all(session, setting)
        assert "of 12 predictions have changed" in session.advice()


def test_the_last_model_is_judged_on_rows_that_are_put_aside_later(path):
    setting = begun(path)
    with setting.open(path) as session:
        label_all(session, setting)
        curve = session.curve()
    setting.learner = clone(plain).set_params(budget=30)
    setting.options["test_size"] = 8
    with setting.open(path, "test_size") as session:
        assert len(label_all(session, setting)) == 5
        *before, last = session.curve()
        assert (last.n_labels, last.n_test) == (curve[-1].n_labels, 8)
        assert before == curve


def test_classes_that_grew_may_be_declared(path):
    setting = Setting(plain, classes=None)
    with setting.open(path) as session:
        for id in IDS[:6]:
            session.label(id, "good" if Y[IDS.index(id)] == "good" else "bad")
    setting.options["classes"] = ["bad", "good", "ugly"]
    with setting.open(path, "classes") as session:
        assert session.classes == ["bad", "good", "ugly"]


def test_votes_rise_for_rows_that_are_not_decided(path):
    setting = begun(path, learner=plain)
    setting.options["votes"] = 2
    with setting.open(path, "votes") as session:
        with pytest.raises(ValueError, match="Each row gets 2 votes"):
            session.next()
        n_taught = session.status().n_taught
        id = session.next("ann")
        session.label(id, "good", "ann")
        assert session.answers(id).label is None
        session.label(id, "good", "bob")
        assert session.answers(id).label == "good"
        first = select(session, "SELECT id FROM labels")[0]
        session.label(first, "bad", "ann")  # it has one vote, as before
        assert session.answers(first).label == "bad"
        assert session.status().n_taught == n_taught
    with setting.open(path) as session:
        assert session.answers(first).label == "bad"


def taught_and_split(session, setting, n_labels):
    """Let two people label, then two others disagree on a row; return it and theirs."""
    while session.status().n_taught < n_labels:
        for who in "ann", "bob":
            if (id := session.next(who)) is not None:
                session.label(id, setting.label(id), who)
    first = next(iter(taught(session)))
    (other,) = {"good", "bad"} - {setting.label(first)}
    session.label(first, other, "cy")
    session.label(first, other, "dan")  # two against two: not decided
    return first, other


def test_decisions_of_the_past_follow_from_the_votes_of_their_time(path):
    setting = Setting(plain, votes=2, test_size=0)
    with setting.open(path) as session:
        first, other = taught_and_split(session, setting, 10)
        model, n_taught = opinion(session), session.status().n_taught
        assert model is not None
    setting.options["votes"] = 4
    with setting.open(path, "votes") as session:
        assert opinion(session) == model
        assert len(taught(session)) == n_taught
        session.label(first, other, "eve")
        assert session.answers(first).label == other


def test_what_another_learner_was_taught_is_forgotten(path):
    setting = Setting(plain, votes=2, test_size=0)
    with setting.open(path) as session:
        first, _ = taught_and_split(session, setting, 8)
    setting.change("features")
    with setting.open(path, "features") as session:
        assert first not in taught(session)
        assert session.undo("dan") == first  # decided again
        assert first not in taught(session)
        assert first in select(session, "SELECT id FROM labels")


def test_classes_are_renamed_and_merged(path):
    setting = begun(path)

    def open_with(classes, names):
        setting.options["classes"] = classes
        return setting.open(path, {"classes": names})

    setting.options["classes"] = ["fine", "bad", "ugly"]
    with pytest.raises(ValueError, match=r"'good', which is not among the.*change={"):
        setting.open(path, "classes")
    before = dict(select(path, "SELECT id, label FROM labels"))
    now = {"good": "fine", "bad": "bad"}
    labels = {id: now[label] for id, label in before.items()}
    for _ in range(2):  # the same call, repeated
        with open_with(["fine", "bad", "ugly"], {"good": "fine"}) as session:
            assert session.classes == ["fine", "bad", "ugly"]
            assert dict(select(path, "SELECT id, label FROM labels")) == labels
            assert session.status().n_taught == len(taught(session)) > 0
            assert session.predictions().labels
    sql = "SELECT DISTINCT label, renamed_from FROM answers WHERE renamed_from NOT NULL"
    assert select(path, sql) == [("fine", "good")]
    merged = {"bad": "poor", "ugly": "poor", "good": "poor"}
    n_fine = [*labels.values()].count("fine")
    with open_with(["fine", "poor"], merged) as session:
        assert session.status().by_class == {
            "fine": n_fine, "poor": len(labels) - n_fine
        }  # fmt: skip
    merged = {"fine": "poor"}
    for classes in (["fine", "other"], ["fine", "poor"], ["other", "some"]):
        with pytest.raises(ValueError, match="The classes after renaming are"):
            open_with(classes, merged)
    for classes, names in (["poor", "other"], merged), (None, {"good": "fine"}):
        with open_with(classes, names) as session:  # a name of the past adds no class
            assert session.status().by_class == {"poor": len(labels), "other": 0}
            assert session.curve() == []
    # the first names, of those who gave the labels
    assert {*select(path, sql)} == {("poor", "good"), ("poor", "bad")}


def test_labels_that_nobody_has_declared_are_renamed(path):
    setting = begun(path, classes=None)
    before = dict(select(path, "SELECT id, label FROM labels"))
    with setting.open(path, {"classes": {"good": "fine"}}) as session:
        assert session.classes is None
        assert {*session.status().by_class} == {"fine", "bad"}
    after = dict(select(path, "SELECT id, label FROM labels"))
    assert after == {id: before[id].replace("good", "fine") for id in before}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"good": 3}, "'good' must be renamed to a text, got 3"),
        ({"god": "bad"}, r"no class 'god' to rename. The classes are 'good', 'bad'."),
        # repeated, it would swap again
        ({"good": "bad", "bad": "good"}, "'bad' is to be renamed itself"),
    ],
)
def test_classes_that_cannot_be_renamed(path, names, message):
    setting = begun(path, classes=["good", "bad"])
    with pytest.raises(ValueError, match=message):
        setting.open(path, {"classes": names})
    new = path.with_name("new.sqlite")
    for word, what in ("classes", "class"), ("tags", "tag"):
        with pytest.raises(
            ValueError, match=rf"has no {what} 'a' .*: the session is new"
        ):
            setting.open(new, {word: {"a": "b"}})
    assert not new.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ["good"]}, "must be a dict of old to new names, got ['good']"),
        (
            {"classes": {"good": ["fine"]}},
            "texts or numbers as new names, got ['fine']",
        ),
        ({"classes": {"good": "\ud800"}}, "unpaired surrogate"),
        ({"classes": {"good": "  "}}, "The class 'good' needs a new name, got '  '"),
        ({"tags": {"old": 5}}, "tags must be texts that are not empty"),
        ({"tags": {"old": " z "}}, "without spaces at their ends, got [' z ']"),
        ({"votes": 3}, "change['votes'] must be None, got 3: what is new is passed"),
    ],
)
def test_a_change_that_is_misshapen(path, refused, change, message):
    setting = begun(path, classes=["good", "bad"], tags=["old"])
    assert message in refused(setting, change)
    setting.open(path).close()


def test_only_rows_that_nobody_has_dealt_with_are_held_out(path):
    setting = begun(path, learner=clone(plain).set_params(budget=60))
    with setting.open(path) as session:
        free = [id for id in IDS[:N] if id not in {*asked(session), *session.test_ids}]
        assert waiting(session)
        session.label(free.pop(), "good")
    setting.options["test_size"] += len(free) + 1
    with pytest.raises(ValueError, match=f"only {len(free)} rows were neither"):
        setting.open(path, "test_size")


def test_the_last_tag_may_go(path):
    setting = begun(path, tags=["old"])
    setting.options["tags"] = []
    with setting.open(path, "tags") as session:
        assert session.tags == []


def test_items_in_another_order_are_refused(path, refused):
    items = [f"text {i}" for i in range(N)]
    setting = begun(path, items=items)
    said = refused(setting, WORDS, items=[*items[1:], items[0]])
    assert f"{path} has the same items in another order. {CANNOT}" in said
    setting.options["items"] = [*items[:5], "mended", *items[6:]]
    setting.open(path).close()


def test_classes_of_a_session_without_answers_need_no_word(path):
    for learner in plain, stream:
        setting = Setting(learner)
        setting.open(path).close()
        path.with_name("in.csv").write_text("id,label\nrow 1,nice\n")
        with setting.open(path) as session:
            session.next()
            with pytest.raises(ValueError, match="'nice' is not among"):
                session.import_labels(path.with_name("in.csv"))
        setting.options["classes"] = ["good", "nice"]
        with setting.open(path) as session:
            assert session.classes == ["good", "nice"]
            assert session.import_labels(path.with_name("in.csv")) == 1
        path.unlink()


def test_a_budget_of_a_changed_learner_is_what_is_left(path):
    setting = begun(path)  # 9 asked, 3 held out
    setting.learner = clone(plain).set_params(budget=16)
    with setting.open(path, "learner") as session:
        assert session.learner.n_queries_ == 10  # the same learner
        assert session.status().left == 3
    setting.learner = clone(plain).set_params(budget=12)
    with pytest.raises(ValueError, match="A budget of 12 does not pay for 3 held-out"):
        setting.open(path, "learner")
    setting.learner = clone(plain).set_params(budget=None, batch_size=2)
    with setting.open(path, "learner") as session:
        assert session.status().left is None
    setting.learner = clone(plain).set_params(budget=30, batch_size=2)
    with setting.open(path, "learner") as session:
        assert session.status().left == 17


def test_a_share_counts_the_rows_that_have_come(path):
    setting = begun(path, learner=clone(plain).set_params(budget=0.5))
    setting.n = 60
    with setting.open(path, "pool") as session:
        status = session.status()
        assert status.asked + status.left == 30 - 3
        label_all(session, setting)
        assert session.status().asked == 27


def test_a_budget_that_grows_counts_what_others_have_bought(path):
    setting = begun(path)
    setting.change("features")
    with setting.open(path, "features") as session:
        label_all(session, setting)
        assert session.status().asked == 25 - 3
    setting.learner = clone(plain).set_params(budget=30)
    for _ in range(2):
        with setting.open(path) as session:
            label_all(session, setting)
            assert session.status().asked == 30 - 3
            assert session.status().left == 0


def test_a_pool_learner_may_follow_a_stream_learner(path):
    setting = begun(path, learner=stream)
    setting.learner = plain
    with setting.open(path, "learner") as session:
        before = set(asked(session))
        shown = label_all(session, setting)
        assert not {*shown} & before
        assert session.status().asked == plain.budget - 3
        assert session.undo() == shown[-1]


def test_a_larger_budget_and_more_rows_are_the_same_learner(path):
    setting = begun(path)
    setting.learner = clone(plain).set_params(budget=30)
    setting.change("pool")
    with setting.open(path, "pool") as session:
        assert session.learner.n_queries_ > 0
        assert session.status().asked + session.status().left == 27
        first = session.next()
    setting.learner = clone(plain).set_params(budget=28)
    setting.change("pool")
    with setting.open(path, ("pool", "learner")) as session:
        assert session.learner.n_queries_ > 0
        assert session.status().asked + session.status().left == 25
        assert session.next() == first


# --- what is refused


@pytest.fixture
def refused(path):
    """Open with what must be refused; return the message."""

    def check(setting, change=(), **options):
        before = {p.name: p.read_bytes() for p in path.parent.iterdir()}
        with pytest.raises((ValueError, TypeError)) as error:
            LabelingSession(
                **{
                    "learner": setting.learner,
                    "pool": setting.pool,
                    "ids": IDS[: setting.n],
                    **setting.options,
                    **options,
                },
                path=path,
                change=change,
            )
        assert {p.name: p.read_bytes() for p in path.parent.iterdir()} == before
        return f"{error.value}"

    return check


@pytest.mark.parametrize("word", WORDS)
def test_without_the_word_the_error_names_it(path, refused, word):
    setting = begun(path)
    setting.change(word)
    others = tuple(set(WORDS) - {word})
    for change in (), others:
        said = refused(setting, change)
        assert said.endswith(f"To accept the change, pass change='{word}'.")
        assert said.startswith((f"{path} had other settings: {word}", "The pool is no"))
    setting.open(path, word).close()


def test_the_error_names_all_words_that_are_missing(path, refused):
    setting = begun(path)
    for word in "pool", "features", "votes":
        setting.change(word)
    said = refused(setting)
    assert "none of its 40 rows are among the 47 rows, as if another column" in said
    assert "votes was 1 and is now 3" in said
    assert said.endswith("pass change=('pool', 'features', 'votes').")
    said = refused(setting, ("pool", "votes"))
    assert said.endswith("pass change=('pool', 'features', 'votes').")


def test_words_that_are_none(path, refused):
    setting = begun(path)
    for change in "clases", ("pool", "x"), (1,):
        assert "change must be among pool, features, cl" in refused(setting, change)
    assert "a word, a tuple of words or a dict, got None" in refused(setting, None)
    path.unlink()
    assert "change must be among" in refused(setting, "x")


CANNOT = "A session cannot change that"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pool": ALL[5:N], "ids": IDS[5:N]}, "5 of its 40 rows are missing and 0 are"),
        ({"ids": IDS[:N][::-1]}, "its rows have other ids"),
        ({"pool": ALL[:47], "ids": [*IDS[40:47], *IDS[:40]]}, "missing and"),
        ({"test_size": 2}, r"test_size can only grow"),
        ({"votes": 1}, r"votes can only grow"),
        ({"learner": stream}, "stream learners keep their learner"),
    ],
)
def test_what_cannot_change_names_the_way_out(path, refused, change, message):
    setting = Setting(plain, votes=2)
    with setting.open(path) as session:
        for id in IDS[:9]:
            session.label(id, setting.label(id), "ann")
            session.label(id, setting.label(id), "bob")
    said = refused(setting, WORDS, **change)
    assert CANNOT in said
    assert message in said
    assert said.endswith(f"another file and call its import_labels({str(path)!r}).")


@pytest.mark.parametrize("word", ["features", "classes", "test_size", "votes"])
def test_streams_get_more_rows_only(path, refused, word):
    setting = begun(path, learner=stream)
    setting.change(word)
    if word == "features":
        setting.change("pool")
    said = refused(setting, WORDS)
    assert f"{CANNOT}: stream learners keep their {word}." in said


def test_what_the_learner_refuses(path, refused):
    setting = begun(path)
    gaps = setting.pool.copy()
    gaps[7, 1] = np.nan
    assert "NaN" in refused(setting, "features", pool=gaps)
    more = np.vstack([setting.pool, gaps[5:9]])
    assert "NaN" in refused(setting, "pool", pool=more, ids=IDS[: N + 4])
    setting.learner = clone(plain).set_params(batch_size=0)
    assert "batch_size" in refused(setting, "learner")
    broken = UncertaintySamplingClassifier(GaussianNB(priors=[2, 3]), random_state=0)
    assert "cannot be taught the labels of" in refused(
        setting, "learner", learner=broken
    )
    assert "needs a learner" in refused(setting, "learner", learner=GaussianNB())


def test_a_learner_is_tried_before_the_first_label(path, refused):
    setting = Setting(plain, classes=None, labels=["late", "rude"])
    setting.open(path).close()
    finds = RelevanceSamplingClassifier(GaussianNB(), positive="odd", budget=25)
    said = refused(setting, "learner", learner=finds)
    assert "positive must be one of the labels ['late', 'rude'], got 'odd'" in said
    one = LEARNERS["models"]
    assert "Several labels" in refused(setting, "learner", learner=one)
    setting.open(path).close()


def test_ids_that_do_not_tell_rows_apart_refuse_features(path):
    frame, again = pd.DataFrame(ALL[:N]), {"change": "features"}
    options = {"classes": ["good", "bad"]}
    LabelingSession(plain, frame, path, **options).close()
    with pytest.raises(ValueError, match="Ids made of numbers do not tell"):
        LabelingSession(plain, frame + 1, path, **options, **again)
    named = {**options, "ids": list(range(N))}
    LabelingSession(plain, frame + 1, path, **named, **again).close()
    path.unlink()
    # but if the same things are shown, they are the same rows
    items = [f"text {i}" for i in range(N)]
    options |= {"items": items, "ids": range(N)}
    LabelingSession(plain, frame, path, **options).close()
    LabelingSession(plain, frame + 1, path, **options, **again).close()
    options["items"] = [*items[:-1], "another text"]
    with pytest.raises(ValueError, match="Ids made of numbers do not tell"):
        LabelingSession(plain, frame + 2, path, **options, **again)


def test_ids_made_of_values_can_be_kept_for_other_features(path):
    with LabelingSession(plain, ALL[:N], path) as session:
        ids = session.ids
    with pytest.raises(ValueError, match="of the same rows, pass the same ids="):
        LabelingSession(plain, ALL[:N] + 1, path, change="features")
    with LabelingSession(plain, ALL[:N] + 1, path, ids=ids, change="features") as again:
        assert again.ids == ids
    frame = pd.DataFrame(ALL[:N], columns=list("abcd"))
    path.unlink()
    options = {"items": None, "ids": None}
    LabelingSession(plain, ALL[:N], path, **options).close()
    with LabelingSession(plain, ALL[:47], path, change="pool", **options) as session:
        assert len(session.ids) == 47
    path.unlink()
    named = {"ids": IDS[:N]}
    LabelingSession(plain, frame, path, **named).close()
    frame.columns = list("abce")
    with pytest.raises(ValueError, match="its rows have other columns"):
        LabelingSession(plain, frame, path, **named)
    LabelingSession(plain, frame, path, change="features", **named).close()


# --- labels of another session


def test_answers_of_another_session(path):
    setting = Setting(plain, votes=2, test_size=0)
    old = path.with_name("old.sqlite")
    with setting.open(old) as session:
        for id, first, second in ("row 1", "good", "good"), ("row 2", "good", "bad"):
            session.label(id, first, "ann")
            session.label(id, second, "bob")
        skipped = session.next("ann")
        for who in "ann", "bob":
            session.skip(skipped, "blurred", who)
        session.label("row 3", "bad", "ann")
        session.label("row 3", "good", "ann")
        session.label("row 4", "good", "ann")
        session.label("row 4", "bad", "bob")
        session.label("row 4", "bad", "cat", final=True)
    columns = "SELECT id, who, at, reason FROM answers"
    there = select(old, columns)
    with setting.open(path) as session:
        assert session.import_labels(old) == 8  # the last one of each person
        assert session.import_labels(old) == 0
        assert session.answers(skipped).label is None
        assert session.answers("row 2").label is None
        assert session.answers("row 4").label == "bad"
        here = select(path, columns)
        when = {(id, who): at for id, who, at, _ in there}
        assert all(at == when[id, who] for id, who, at, _ in here)
        assert len(here) == len(when) == 10
        assert [why for *_, why in here if why] == ["blurred"] * 2
        with pytest.warns(UserWarning, match="1 rows on which people disagree"):
            session.export(path.with_name("labels.csv"))
    assert there[1][2] in path.with_name("labels.csv").read_text()
    single = Setting(plain, votes=1, test_size=0)
    path.unlink()
    with single.open(path) as session:  # what was decided there
        assert session.import_labels(old) == 2
        assert session.answers("row 1").label == "good"
        assert session.answers("row 4").label == "bad"
        assert session.answers("row 4").answers[0].is_final
        assert session.answers("row 1").answers[0].who == "bob"
        shown = label_all(session, single)
        assert skipped not in shown


def test_numbers_of_rows_are_no_names_in_another_session(path):
    X, there = ALL[:30].copy(), path.with_name("there.sqlite")
    X[20] = X[21]
    how = {"ids": list(range(30)), "classes": ["good", "bad"]}
    with LabelingSession(plain, X, there, **how) as session:
        for id in (2, 5, 7, 20, 29):
            session.label(id, "good" if id % 2 else "bad")
    same = path.with_name("same.sqlite")
    with LabelingSession(plain, X, same, **how) as session:
        assert session.import_labels(there) == 5
        assert session.answers(20).label == "bad"
    how["ids"] = list(range(25))
    left_out = pytest.warns(
        UserWarning, match="Left out of .*: 2 rows that are not here"
    )
    with LabelingSession(plain, X[5:], path, **how) as session, left_out:
        assert session.import_labels(there) == 3  # without 2 and one of two equal rows
    labels = dict(select(path, "SELECT id, label FROM labels"))
    assert labels == {0: "good", 2: "good", 24: "good"}


def test_classes_are_of_one_kind(path):
    with pytest.raises(ValueError, match="all be texts or all be numbers"):
        LabelingSession(plain, ALL, path, classes=["no", "yes", 3])
    begun(path)
    for option in ({"votes": "9"}, {"test_size": 1.5}):
        with pytest.raises((TypeError, ValueError), match=next(iter(option))):
            Setting(plain, **option).open(path)


def test_labels_of_a_session_that_is_open(path):
    setting = begun(path)
    other = path.with_name("other.sqlite")
    with setting.open(path) as session, setting.open(other) as second:
        assert second.import_labels(path) == 11
        with pytest.raises(ValueError, match="is the session that is open"):
            session.import_labels(path)
        link = path.with_name("link")
        link.symlink_to(path)
        with pytest.raises(ValueError, match="is the session that is open"):
            session.import_labels(link)
        assert len(label_all(session, setting, 1)) == 1
