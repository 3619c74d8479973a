"""Several people: votes, disputes, final labels, agreement, and the long form."""

import json
import shutil
import warnings
from enum import StrEnum
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.labeling import quick_folder, read_rows
from tests.reference.people import LabelVotes, Votes, cohens_kappa, nominal_alpha
from tests.reference.session_files import asked, n_answers, taught

X, _ = make_classification(16, 3, n_informative=3, n_redundant=0, random_state=2)
IDS, CLASSES = list(range(100, 116)), ["a", "b", "c"]
PEOPLE = ["ann", "bob", "cat", "dan"]
LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=3, batch_size=2, budget=7, random_state=0
)


#: Labels of which a row may have several, and the sets that stand for the classes.
SEVERAL = {"classes": None, "labels": CLASSES}
SETS = {"a": ["a"], "b": ["a", "c"], "c": []}
FINDER = RelevanceSamplingClassifier(
    GaussianNB(), positive="a", n_initial=3, batch_size=2, budget=7, random_state=0
)


def opened(path, learner=LEARNER, **options):
    options = {"ids": IDS, "classes": CLASSES, "votes": 2, **options}
    return LabelingSession(learner, X, path, **options)


def disagree(session, id, *labels):
    """Have people vote on a row, in the order of their names."""
    for who, label in zip(PEOPLE, labels, strict=False):
        session.label(id, label, who)


def test_names_of_numpy_and_of_enumerations_are_stored_as_texts(path):
    class Person(StrEnum):
        BOB = "bob"

    with opened(path) as session:
        first = session.next("ann")
        session.label(first, np.array(["a"])[0], np.array(["ann"])[0])
        session.skip(first, np.str_("dark"), who=Person.BOB)
        session.note(first, np.str_("see"), np.str_("ann"))
        other = session.next("ann")
    with opened(path) as session:
        assert [each.who for each in session.answers(first).answers] == ["ann", "bob"]
        assert session.next("ann") == other


# --- votes beside the model


actions = st.lists(
    st.tuples(
        st.sampled_from(["next", "next", "vote", "skip", "undo", "final", "reopen"]),
        st.sampled_from(PEOPLE),
        st.sampled_from(CLASSES),
        st.integers(0, len(IDS) - 1),
    ),
    max_size=40,
)


class Crowd:
    """A session with several people, and the model of their votes.

    Parameters
    ----------
    path : path
        Of the session.
    **options : dict
        Of the session.
    """

    def __init__(self, path, **options):
        self.path, self.options = path, options
        self.is_several = "labels" in options
        self.session = opened(path, **options)
        self.model = (LabelVotes if self.is_several else Votes)(options["votes"])

    def act(self, what, who, label, row):
        """Let a person do something, where they may."""
        id, session = IDS[row], self.session
        label = SETS[label] if self.is_several else label
        if what == "next":
            id = session.next(who)
            if id is None:
                return
            assert who not in self.model.votes(id)
            assert not self.model.decision(id)
        if what == "reopen":
            self.reopen()
        elif what == "undo":
            self.undo(who)
        elif what == "skip":
            try:
                session.skip(id, who=who)
            except ValueError:  # nobody asked for it, or the learner knows its label
                assert self.model.decision(id) or id not in self.asked()
                return
            self.model.answer(id, who, None)
        else:
            is_final = what == "final"
            session.label(id, label, who, final=is_final)
            self.model.answer(id, who, label, is_final)

    def undo(self, who):
        row = self.model.undo(who)
        if row is None:
            with pytest.raises(ValueError, match="nothing to undo"):
                self.session.undo(who)
        else:
            assert self.session.undo(who) == row

    def reopen(self):
        """Go on with what is on the disk, in a copy of the file."""
        self.session.close()
        copy = self.path.with_name(f"{self.path.name}+")
        shutil.copy(self.path, copy)
        before = self.known()
        self.path, self.session = copy, opened(copy, **self.options)
        assert self.known() == before

    def known(self):
        each = [self.session.status(who) for who in (None, *PEOPLE)]
        return each, list(self.session.disputed().items())

    def check(self):
        """Check that the session says what the model says."""
        for _ in range(20):  # the next rows may be stored in between
            version = self.session.version
            try:
                return self.check_unchanging()
            except AssertionError:
                if self.session.version == version:
                    raise
        raise AssertionError("The session does not come to rest.")

    def check_unchanging(self):
        status, model = self.session.status(), self.model
        decisions = {id: model.decision(id) for id in IDS}
        labels = [label for each in decisions.values() for label in each]
        assert status.by_class == self.count(labels)
        assert self.session.disputed() == model.disputed()
        assert status.disputed == len(model.disputed())
        undecided = {id for id in self.asked() if not decisions[id]}
        assert status.pending == len(undecided)
        if undecided - model.disputed().keys():
            assert status.stop_reason is None
        for who in PEOPLE:
            own, given = self.session.status(who), [*model.own(who).values()]
            assert own.by_class == self.count(given)
            assert own.skipped == given.count(None)
            assert own.answered == len(given) - given.count(None)
            assert own.pending == sum(
                id not in model.own(who) and not decisions[id] for id in self.asked()
            )
        rows = [row for row in map(model.votes, IDS) if len(row) > 1]
        assert self.session.agreement().n_rows <= len(rows)

    def count(self, labels):
        """Return how many rows have each label."""
        if self.is_several:
            labels = [label for each in labels for label in each or ()]
        return {label: labels.count(label) for label in CLASSES}

    def asked(self):
        return [*self.session.test_ids, *asked(self.session)]

    def finish(self):
        """Have people answer until nobody gets a row; disputes are left at most."""
        for _ in range(len(IDS) * len(PEOPLE)):
            rows = [(who, self.session.next(who)) for who in PEOPLE]
            rows = [(who, id) for who, id in rows if id is not None]
            if not rows:
                break
            who, id = rows[0]
            label = CLASSES[PEOPLE.index(who) % 3]
            label = SETS[label] if self.is_several else label
            self.session.label(id, label, who)
            self.model.answer(id, who, label)
        assert self.session.stop_reason is not None
        is_disputed = any(id in self.model.disputed() for id in self.asked())
        assert (self.session.stop_reason == "disputed") == is_disputed

    def check_taught(self):
        """The learner knows the decided labels of rows that were not put aside."""
        expected = {id: self.model.decision(id) for id in IDS}
        test = self.session.test_ids
        known = taught(self.session)
        if self.is_several:
            known = {id: json.loads(label) for id, label in known.items()}
        assert known == {
            id: label
            for id, decision in expected.items()
            for label in decision
            if label is not None and id not in test
        }


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(
    actions=actions,
    n_votes=st.integers(2, 3),
    ahead=st.integers(0, 1),
    test_size=st.sampled_from([0, 2]),
    several=st.sampled_from([{}, SEVERAL, SEVERAL | {"learner": FINDER}]),
)
def test_votes_are_counted_as_they_are_by_hand(
    actions, n_votes, ahead, test_size, several
):
    options = {"votes": n_votes, "ahead": ahead, "test_size": test_size, **several}
    with quick_folder() as folder, warnings.catch_warnings():
        crowd = Crowd(folder / "a", **options)
        for action in actions:
            crowd.act(*action)
            crowd.check()
        crowd.finish()
        for id in list(crowd.session.disputed()):
            label = ["b"] if several else "b"
            crowd.session.label(id, label, "eve", final=True)
            crowd.model.answer(id, "eve", label, is_final=True)
        crowd.finish()
        assert crowd.session.disputed() == {}
        crowd.check()
        crowd.check_taught()
        crowd.reopen()
        crowd.check_taught()
        crowd.session.close()


def test_people_who_take_votes_back_do_not_wait_for_each_other(path):
    with opened(path) as session:
        first = session.next("ann")
        disagree(session, first, "a", "b", "a")
        assert [session.undo("ann"), session.undo("bob")] == [first, first]
        assert session.next("ann") == first  # who was the first to take it back
        assert session.next("bob") != first


def test_nobody_waits_for_a_person_whose_vote_stands_or_who_decided(path):
    with opened(path) as session:
        first = session.next("ann")
        session.label(first, "a", "ann")
        session.label(first, "b", "ann", final=True)
        assert session.undo("ann") == first
        assert session.next("ann") != first
        session.label(first, "b", "eve", final=True)
        assert session.undo("eve") == first  # who has decided, and need not vote
        assert session.next("bob") == first


def test_a_vote_on_a_row_that_the_learner_knows_may_be_a_skip(path):
    """Who is asked because two people disagree need not give a label."""
    with opened(path) as session:
        for label in "abc":  # the first query
            first = session.next("ann")
            disagree(session, first, label, label)
        session.next("ann")
        assert first in taught(session)
        session.label(first, "a", "bob")
        assert session.next("cat") == first
        session.skip(first, who="cat")
        assert session.next("cat") != first
        assert session.disputed() == {first: {"ann": "c", "bob": "a", "cat": None}}
        session.skip(first, who="bob")  # two of three skip it
        while (id := session.next("ann")) is not None:
            disagree(session, id, "a", "a")
        assert first not in taught(session)
        assert session.learner.n_taught_ == len(taught(session))
    with opened(path) as session:
        assert (session.status().skipped, session.disputed()) == (1, {})


def test_without_votes_a_final_label_stays(path):
    with opened(path, votes=1) as session:
        session.label(100, "a")
        session.label(100, "b", "eve", final=True)
        with pytest.raises(ValueError, match="eve has decided that row 100 is 'b'"):
            session.label(100, "a", "ann")
        session.next()
        first = asked(session)[0]
        session.label(first, "b", "eve", final=True)
        with pytest.raises(ValueError, match=r"eve has decided that row .* is 'b'"):
            session.skip(first)
        assert session.status().by_class["b"] == 2
        session.label(103, "a", "ann")
        session.label(103, "b", "bob")
        session.label(103, "a", "ann")  # given again, it is the last one
        assert session.status().by_class["a"] == 1
        session.undo("ann")
        session.undo("ann")
        session.undo("bob")
        session.label(100, "c", "fay", final=True)
        assert session.undo("fay") == 100
        assert session.undo("eve") == first
        assert session.undo("eve") == 100
        assert session.status().by_class == {"a": 1, "b": 0, "c": 0}


@pytest.mark.parametrize(
    ("answer", "how", "error", "message"),
    [
        ("a", {"final": True}, ValueError, "A final label needs the name"),
        ("a", {"who": "eve", "final": 1}, TypeError, "final must be True or False"),
        ("z", {"who": "eve", "final": True}, ValueError, "'z' is not among"),
        ("a", {"who": " ", "final": True}, ValueError, "who must be a name"),
    ],
)
@pytest.mark.parametrize("votes", [1, 2])
def test_bad_final_labels_write_nothing(path, votes, answer, how, error, message):
    with opened(path, votes=votes) as session:
        n_before = n_answers(path)
        with pytest.raises(error, match=message):
            session.label(100, answer, **how)
        with pytest.raises(ValueError, match="who must be a name"):
            session.status(who=" ")
        assert n_answers(path) == n_before


# --- agreement


def agree(folder, rows):
    """Return the agreement of a session in which people have given these votes."""
    labels = sorted({label for votes in rows for label in votes.values()} | {"x", "y"})
    with opened(folder / "votes", votes=4, classes=labels) as session:
        for id, votes in zip(IDS, rows, strict=False):
            for who, label in votes.items():
                session.label(id, label, who)
        return session.agreement()


#: Krippendorff's example of four observers and twelve units, . for no value.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
tables = st.lists(
    st.dictionaries(st.sampled_from(PEOPLE), st.sampled_from("xyz"), min_size=2),
    min_size=1,
    max_size=15,
)


def test_alpha_of_the_published_example(folder):
    units = [
        {who: v for who, v in zip(PEOPLE, column, strict=True) if v != "."}
        for column in zip(*OBSERVERS, strict=True)
    ]
    found = agree(folder, units)
    assert found.measure == "Krippendorff's alpha"
    assert (round(found.value, 3), *found[2:4]) == (0.743, 11, 4)


@given(tables)
def test_agreement_is_what_the_formulas_give(rows):
    with quick_folder() as folder:
        found = agree(folder, rows)
    people = sorted({who for votes in rows for who in votes})
    given = {label for votes in rows for label in votes.values()}
    pairs = [
        votes[one] == votes[other]
        for votes in rows
        for one in votes
        for other in votes
        if one < other
    ]
    assert found.share == pytest.approx(np.mean(pairs))
    assert (found.n_rows, found.n_people) == (len(rows), len(people))
    if len(given) == 1:
        assert isnan(found.value)
    elif len(people) == 2:
        assert found.measure == "Cohen's kappa"
        assert found.value == pytest.approx(cohens_kappa(rows, *people))
    else:
        assert found.measure == "Krippendorff's alpha"
        assert found.value == pytest.approx(nominal_alpha(rows))


def test_who_settles_a_dispute_has_no_say_in_the_agreement(path):
    with opened(path) as session:
        assert isnan(session.agreement().value)
        assert session.agreement().n_rows == 0
        disagree(session, 100, "a", "a")
        disagree(session, 101, "b", "b")
        disagree(session, 102, "a", "b", "b")
        session.label(103, "a", "ann")
        session.label(103, "b", "eve", final=True)
        disagree(session, 104, "a", "a")
        shown = session.next("ann")
        assert shown not in range(100, 105)
        session.label(shown, "a", "ann")
        session.skip(shown, who="bob")
        found = session.agreement()
        pairs = [("a", "a"), ("b", "b"), ("a", "b"), ("a", "a")]
        rows = [{"ann": one, "bob": other} for one, other in pairs]
        assert (found.n_rows, found.n_people) == (4, 2)
        assert found.value == pytest.approx(cohens_kappa(rows, "ann", "bob"))
        assert found.share == 0.75


# --- the long form


def answers_in(path):
    """Return the lines without the time."""
    names = "id", "label", "who", "kind"
    return [tuple(line[name] for name in names) for line in read_rows(path)]


def test_who_voted_for_another_label_is_not_named(folder, path):
    with opened(path, votes=3) as session:
        disagree(session, IDS[0], "a", "b", "a")
        session.export(folder / "out.csv")
    (line,) = read_rows(folder / "out.csv")
    assert (line["label"], line["who"]) == ("a", "ann;cat")


def test_bad_forms_write_nothing(folder, path):
    with opened(path) as session:
        with pytest.raises(ValueError, match="form must be one of"):
            session.export(folder / "out.csv", form="tall")
        with pytest.raises(ValueError, match=r"The long form is written as \.csv"):
            session.export(folder / "out.json", form="long")
    assert not list(folder.glob("out*"))


@settings(max_examples=settings.default.max_examples // 4)
@given(
    answers=st.lists(
        st.tuples(
            st.sampled_from(IDS[:4]),
            st.sampled_from(CLASSES),
            st.sampled_from(["ann", "=1;2", "\\bob"]),
            st.booleans(),
        ),
        max_size=12,
    ),
    votes=st.integers(1, 3),
)
def test_the_long_form_comes_back(answers, votes):
    with quick_folder() as folder:
        with opened(folder / "a", votes=votes) as session:
            for id, label, who, is_final in answers:
                try:
                    session.label(id, label, who, final=is_final)
                except ValueError:  # a final one has decided
                    assert votes == 1
            n = session.export(folder / "out.csv", form="long")
            lines = answers_in(folder / "out.csv")
            assert session.import_labels(folder / "out.csv") == 0
            expected = session.status(), session.disputed(), session.agreement()[2:]
        with opened(folder / "b", votes=votes) as session:
            assert session.import_labels(folder / "out.csv") == n
            found = session.status(), session.disputed(), session.agreement()[2:]
            session.export(folder / "again.csv", form="long")
        assert repr(found) == repr(expected)  # nan is not equal to itself
        assert answers_in(folder / "again.csv") == lines


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("101,b,,final", "A final label needs the name"),
        ("101,z,eve,final", "'z' is not among"),
        ("99,b,eve,final", "no row with the id '99'"),
    ],
)
def test_a_bad_line_of_the_long_form_brings_nothing(folder, path, line, message):
    (folder / "in.csv").write_text(f"id,label,who,kind\n100,a,ann,vote\n{line}\n")
    with opened(path) as session:
        n_before = n_answers(path)
        with pytest.raises(ValueError, match=message):
            session.import_labels(folder / "in.csv")
        assert n_answers(path) == n_before
