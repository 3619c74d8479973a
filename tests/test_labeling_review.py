"""The review of a session: lists, search, notes, and answers taken back by row."""

import shutil
from datetime import UTC, date, datetime, timedelta
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import CBGZClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.labeling import quick_folder
from tests.reference.session_files import select, waiting

rng = np.random.RandomState(0)
X = np.round(rng.standard_normal((40, 2)), 3)
Y = np.where(X[:, 0] > 0, "yes", "no")
ITEMS = [f"Text {i}: {'wärme' if i % 2 else 'KÄLTE'}" for i in range(40)]
LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=2, budget=None, random_state=0
)


def opened(path, learner=LEARNER, **options):
    options = {"ids": list(range(40)), "classes": ["yes", "no"], **options}
    return LabelingSession(learner, X, path, items=ITEMS, **options)


@pytest.fixture
def session(path):
    with opened(path) as session:
        yield session


def ids_of(page):
    assert page.n_rows >= len(page.rows)
    return [row.id for row in page.rows]


def answered(session, n, skips=(), who=None):
    """Answer so many rows; return their ids."""
    ids = []
    for i in range(n):
        ids.append(session.next(who))
        if i in skips:
            session.skip(ids[-1], f"blurred {i}", who)
        else:
            session.label(ids[-1], str(Y[ids[-1]]), who)
    return ids


class TestLists:
    def test_the_last_answer_comes_first(self, session):
        ids = answered(session, 8, skips=(2, 5))
        labelled = [id for i, id in enumerate(ids) if i not in (2, 5)]
        assert ids_of(session.review()) == labelled[::-1]
        assert ids_of(session.review("skipped")) == [ids[5], ids[2]]
        session.label(ids[0], "no")
        assert ids_of(session.review())[0] == ids[0]
        (row,) = session.review(start=0, limit=1).rows
        assert (row.state, row.label) == ("labelled", "no")
        assert [answer.label for answer in row.answers] == ["no"]
        skipped = session.answers(ids[2])
        assert (skipped.state, skipped.label) == ("skipped", None)
        assert skipped.answers[0].reason == "blurred 2"
        assert session.answers(session.next())[:5] == (
            session.next(),
            "open",
            None,
            [],
            [],
        )

    def test_pages_are_the_whole_list(self, session):
        answered(session, 9)
        pages = [session.review(start=start, limit=4) for start in (0, 4, 8, 12)]
        assert [page.n_rows for page in pages] == [9] * 4
        assert [len(page.rows) for page in pages] == [4, 4, 1, 0]
        assert [id for page in pages for id in ids_of(page)] == ids_of(session.review())

    def test_search(self, session):
        ids = answered(session, 8, skips=(2,), who="ann")
        session.label(ids[7], "no", "bob")
        session.note(ids[1], "Ask Émile", "bob")
        odd = [id for id in reversed(ids) if id % 2 and id != ids[2]]
        assert set(ids_of(session.review(text="WÄRME text"))) == set(odd)
        assert ids_of(session.review(text="wärme kälte")) == []
        assert ids_of(session.review(text="émile")) == [ids[1]]
        assert ids_of(session.review("skipped", text="blur")) == [ids[2]]
        assert ids_of(session.review(who="bob")) == [ids[7]]
        assert ids[7] not in ids_of(session.review(who="ann"))
        assert set(ids_of(session.review(label="no"))) == {
            id for id in ids if id != ids[2] and (Y[id] == "no" or id == ids[7])
        }
        assert ids_of(session.review("noted")) == [ids[1]]

    def test_search_by_date(self, session):
        answered(session, 3)
        now, minute = datetime.now(UTC), timedelta(minutes=1)
        for early in (now - minute, f"{now - minute:%Y-%m-%dT%H:%M}", date(2020, 2, 1)):
            assert session.review(since=early).n_rows == 3
            assert session.review(until=early).n_rows == 0
        here = (now + minute).astimezone()
        assert session.review(since=here).n_rows == 0
        assert session.review(until=here).n_rows == 3

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"kind": "all"}, "kind must be"),
            ({"since": "yesterday"}, "since must be a date"),
            ({"until": 3}, "until must be a date"),
            ({"limit": 0}, "limit"),
            ({"start": -1}, "start"),
        ],
    )
    def test_what_is_refused(self, session, options, error):
        with pytest.raises((ValueError, TypeError), match=error):
            session.review(**options)

    def test_frames_are_searched_and_numbers_are_not(self, path):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"name": ["Ann", "Bob"] * 20, "size": range(2, 42)})
        learner = UncertaintySamplingClassifier(GaussianNB(), random_state=0)
        for items, n_found in ((frame, 3), (X, 0)):
            file = path.with_name(f"{n_found}.sqlite")
            with LabelingSession(learner, X, file, items=items) as session:
                for id in session.ids[:6]:
                    session.label(id, "yes")
                assert session.review(text="bob").n_rows == n_found

    def test_votes_stay_independent(self, path):
        with opened(path, votes=2) as session:
            for who, label in ("ann", "yes"), ("bob", "no"):
                session.label(0, label, who)
            session.label(1, "yes", "ann")
            session.skip(session.next("ann"), who="ann")
            assert [row.state for row in session.review().rows] == ["open", "disputed"]
            assert ids_of(session.review(viewer="bob")) == [0]
            assert ids_of(session.review(viewer="ann")) == [1, 0]
            assert ids_of(session.review("disputed", viewer="bob")) == [0]
            assert session.review("skipped", viewer="bob").n_rows == 0
            session.note(1, "clearly yes", "ann")
            session.note(0, "hard", "ann")
            assert session.answers(1, viewer="bob")[3:5] == ([], [])
            assert len(session.answers(1, viewer="ann").notes) == 1
            assert len(session.answers(0, viewer="bob").notes) == 1
            assert [a.who for a in session.answers(1).answers] == ["ann"]
            assert set(ids_of(session.review(label="no"))) == {0}
            session.label(0, "no", "eve", final=True)
            row = session.answers(0)
            assert (row.state, row.label) == ("labelled", "no")
            assert [a.is_final for a in row.answers] == [False, False, True]
        with opened(path.with_name("three"), votes=3) as session:
            for who in "ann", "bob":
                session.label(0, "yes", who)
            for who, viewer, n_rows in ("ann", "bob", 0), ("bob", "bob", 1):
                assert session.review(who=who, viewer=viewer).n_rows == n_rows


class TestDoubtful:
    def found(self, session, **options):
        """Wait until doubtful rows were looked for; return the page."""
        page = session.review("doubtful", **options)
        while page.is_computing:
            sleep(0.01)
            page = session.review("doubtful")
        return page

    def test_they_are_found_in_a_thread(self, session):
        ids = answered(session, 30)
        wrong = max(ids, key=lambda id: X[id, 0])
        session.label(wrong, "no")
        first = session.review("doubtful")
        assert first.is_computing or first.n_labels == 30
        page = self.found(session)
        assert (page.n_labels, page.is_computing, page.error) == (30, False, "")
        assert page.rows[0].id == wrong
        assert (page.rows[0].label, page.rows[0].predicted) == ("no", "yes")
        assert all(row.predicted != row.label for row in page.rows)
        session.label(wrong, "yes")
        assert wrong not in ids_of(session.review("doubtful"))
        session.label(wrong, "no")  # answered since: not until they are found again
        assert wrong not in ids_of(session.review("doubtful"))
        assert wrong in ids_of(self.found(session, refresh=True))
        assert session.doubtful()[0] == wrong
        session.label(wrong, "no", "eve", final=True)
        assert wrong not in session.doubtful()

    def test_why_none_can_be_found(self, session):
        page = self.found(session)
        assert "two classes" in page.error
        assert page.rows == []


class TestNotes:
    def test_a_note_replaces_the_last_one_of_a_person(self, path):
        with opened(path) as session:
            session.note(3, " first ", "ann")
            session.note(3, "second", "ann")
            session.note(3, "other", "bob")
            session.note(5, "mine")
            session.note(5, "mine")
            session.note(7, "gone")
            session.note(7, "  ")
            before = session.review("noted")
        assert [row.id for row in before.rows] == [5, 3]
        assert [note.text for note in before.rows[1].notes] == ["second", "other"]
        assert select(path, "SELECT count(*) FROM notes") == [3]
        with opened(path) as session:
            assert session.review("noted") == before

    @pytest.mark.parametrize(
        ("id", "text", "who"),
        [(99, "x", None), (1, 3, None), (1, "\ud800", None), (1, "x", "")],
    )
    def test_what_is_refused(self, session, id, text, who):
        with pytest.raises(ValueError, match=r"."):
            session.note(id, text, who)
        assert session.review("noted").n_rows == 0


class TestTakenBack:
    def test_all_skips_of_several_votes_go(self, path):
        with opened(path, votes=2) as session:
            id = session.next("ann")
            session.skip(id, who="ann")
            session.skip(id, who="bob")
            assert session.reopen(who="ann") == [id]
            assert session.answers(id).answers == []
            assert session.next("bob") == session.next("ann") == id

    def test_an_answer_to_any_row(self, session):
        ids = answered(session, 9)
        assert session.undo(id=ids[2]) == ids[2]
        assert session.answers(ids[2]).state == "open"
        assert session.next() == ids[2]
        sql = "SELECT id FROM labels WHERE id NOT IN (SELECT id FROM taught)"
        n_new = len(select(session, sql))
        assert session.status().n_taught == 8 - n_new
        with pytest.raises(ValueError, match="nothing to undo"):
            session.undo(id=ids[2])
        with pytest.raises(ValueError, match="no row with the id"):
            session.undo(id=99)
        with pytest.raises(ValueError, match="nothing to undo"):
            session.undo("ann", id=ids[0])

    @pytest.mark.parametrize("ahead", [0, 1])
    def test_skipped_rows_are_shown_again(self, path, ahead):
        with opened(path, ahead=ahead) as session:
            ids = answered(session, 12, skips=(1, 4, 9), who="ann")
            session.next("ann")
            skipped = [ids[9], ids[4], ids[1]]
            with pytest.raises(ValueError, match="not skipped"):
                session.reopen([ids[1], ids[2]])
            assert ids_of(session.review("skipped")) == skipped
            assert session.reopen([ids[9]], "bob") == [ids[9]]
            assert session.reopen() == [ids[1], ids[4]]
            assert session.reopen() == []
            status = session.status()
            assert (status.skipped, status.answered) == (0, 9)
            shown = []
            for _ in range(3):
                shown.append(session.next("eve"))
                session.label(shown[-1], "yes", "eve")
            assert shown == [ids[1], ids[4], ids[9]]

    def test_a_stream_learner_passes_rows_for_good(self, path):
        learner = CBGZClassifier(b=1.0, budget=None, random_state=0)
        with opened(path, learner) as session:
            ids = answered(session, 6, skips=(3,))
            session.next()
            with pytest.raises(ValueError, match="not skipped, or a stream learner"):
                session.reopen([ids[3]])
            assert session.reopen() == []
            session.label(ids[3], "yes")
            with pytest.raises(ValueError, match="cannot unlearn"):
                session.undo(id=ids[0])


actions = st.lists(
    st.tuples(
        st.sampled_from(
            ["label", "label", "label", "skip", "note", "correct", "undo", "reopen"]
        ),
        st.integers(0, 30),
    ),
    min_size=5,
    max_size=30,
)


def known(session):
    lists = [session.review(kind) for kind in ("labelled", "skipped", "noted")]
    return lists, session.status(), session.people(), waiting(session)


@given(actions=actions)
def test_what_is_taken_back_is_the_same_after_a_break(actions):
    with quick_folder() as folder:
        path, labels = folder / "0", {}
        session = opened(path)
        for number, (what, n) in enumerate(actions, start=1):
            if what in ("label", "skip"):
                id = session.next()
                labels[id] = "yes" if n % 2 else "no"
                if what == "label":
                    session.label(id, labels[id])
                else:
                    labels[id] = None
                    session.skip(id, f"{n}")
            elif what == "note":
                session.note(n, f"note {n % 3}" if n % 4 else "")
            elif what == "reopen":
                expected = {id for id, label in labels.items() if label is None}
                assert set(session.reopen()) == expected
                labels = {id: label for id, label in labels.items() if label}
            elif labels:
                id = [*labels][n % len(labels)]
                if what == "correct":
                    session.label(id, labels.setdefault(id, "yes") or "yes")
                    labels[id] = session.answers(id).label
                else:
                    session.undo(id=id)
                    after = session.answers(id)
                    if after.state == "open":
                        del labels[id]
                    else:
                        labels[id] = after.label
            found = {row.id: row.label for row in session.review().rows}
            found |= {row.id: None for row in session.review("skipped").rows}
            assert found == labels
            if number % 7 == 0:  # the file as it is, opened elsewhere
                copy = folder / f"{number}"
                shutil.copy(path, copy)
                before = known(session), session.next()
                session.close()
                path, session = copy, opened(copy)
                assert (known(session), session.next()) == before
        session.close()
