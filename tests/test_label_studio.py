"""Label Studio hands out the rows of a session; a server of the test stands for it."""

import io
import random
import signal
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from itertools import pairwise
from time import monotonic, sleep

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import CBGZClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends._terminal import label_by_lines
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from tests.reference.label_studio import LEGACY, REFRESH, USERS, LabelStudio, serving
from tests.reference.labeling import started
from tests.reference.session_files import n_answers, select, taught, waiting

pytest.importorskip("httpx", reason="httpx is not installed")
from sklearn_activelearn.labeling.front_ends import _label_studio, _label_studio_api

N = 24
WORDS = {"good": ["fine", "lovely", "great"], "bad": ["poor", "awful", "nasty"]}
ANN, BOB = USERS.values()


def make_texts(n=N, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.choice(["good", "bad"], n)
    return [
        " ".join(rng.choice([*WORDS[each], "the", "soup", "was"], 6))
        for each in classes
    ]


TEXTS = make_texts()


def numbers_of(texts):
    """Return the number of good and of bad words in each text, and a third number."""
    kinds = [*WORDS.values(), ["the", "soup"]]
    counts = [[sum(map(text.split().count, kind)) for kind in kinds] for text in texts]
    return np.array(counts, dtype=float)


def truth(studio, task):
    """Return the class that a text is written for."""
    good, bad, _ = numbers_of([studio.tasks[task]["data"]["text"]])[0]
    return "good" if good > bad else "bad"


def opened(path, studio, **options):
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, budget=14, random_state=0
    )
    texts = [task["data"]["text"] for task in studio.tasks.values()]
    options = {"classes": ["good", "bad"], "ahead": 1, "items": texts, **options}
    return LabelingSession(
        learner, numbers_of(texts), path, ids=[*studio.tasks], **options
    )


@pytest.fixture
def studio():
    return LabelStudio(TEXTS)


@pytest.fixture
def url(studio):
    with serving(studio) as url:
        yield url


@pytest.fixture(autouse=True)
def token(monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", LEGACY)


@pytest.fixture
def said():
    return []


@pytest.fixture
def make(url, said):
    """Return a function that makes a loop, whose sentences are in `said`."""
    clients = []

    def make(session, **options):
        reader = _label_studio.token_reader(options.pop("token_file", None))
        clients.append(_label_studio.Client(url, reader))
        options = {"interval": 0.01, "tell": said.append, **options}
        return _label_studio.LabelStudioLoop(session, clients[-1], 7, **options)

    yield make
    for client in clients:
        client.close()


def settle(loop):
    """Carry out rounds until no model is trained."""
    loop.step()
    while loop._training is not None:
        wait([loop._training])
        loop.step()


@pytest.fixture
def work(path, studio, make):
    """Return a function that opens a session, and has a loop carry out its rounds."""
    with ExitStack() as stack:

        def work(**options):
            session = stack.enter_context(opened(path, studio, **options))
            loop = make(session)
            settle(loop)
            return session, loop

        yield work


def label_next(studio, loop, user=1):
    """Let a person label the task that they are given, and return its number."""
    settle(loop)
    task = studio.next_task(user)
    studio.annotate(task, truth(studio, task), user)
    return task


def asked_rows(path):
    return select(path, "SELECT id, purpose, query FROM requests ORDER BY number")


def labels_of(path):
    return select(path, "SELECT id, label FROM labels")


class TestOrder:
    def test_the_file_is_the_one_of_the_terminal(self, path, studio, make):
        with opened(path, studio, test_size=4) as session:
            loop = make(session)
            while session.stop_reason is None:
                label_next(studio, loop)
                settle(loop)
        other = path.with_name("terminal.sqlite")
        with opened(other, studio, test_size=4) as session:
            view = LabelingView(session, "text")
            lines = (truth(studio, session.next(ANN)) for _ in range(N))
            label_by_lines(view, ANN, lines)
        assert len(labels_of(path)) == 14
        sql = "SELECT number, id, label, who, withdrawn_at FROM answers"
        assert select(path, sql) == select(other, sql)
        assert asked_rows(path) == asked_rows(other)
        assert labels_of(path) == labels_of(other)
        sql = "SELECT * FROM taught"
        assert select(path, sql) == select(other, sql)

    def test_rows_behind_those_asked_for_are_ranked_too(self, path, studio, work):
        session, loop = work()
        for _ in range(5):
            label_next(studio, loop)
        settle(loop)
        upcoming = session.upcoming(100)
        ranked = sorted(studio.predictions.values(), key=lambda p: p["score"])
        answered = {id for id, _ in labels_of(path)}
        shown = [p["task"] for p in ranked if p["task"] not in answered]
        assert shown[: upcoming.n_asked] == waiting(session)
        assert upcoming.ids[: upcoming.n_asked] == waiting(session)
        assert len(shown) > 8
        # the budget pays for 14 rows
        assert len({*upcoming.ids}) == len(upcoming.ids) == 9
        session.note(upcoming.ids[-1], "A note is no answer.")
        assert session.upcoming(100).ids == upcoming.ids
        task = upcoming.ids[-1]
        asked = session.status().asked
        studio.annotate(task, "good")
        loop.step()
        assert session.answers(task).label == "good"
        assert session.status().asked == asked  # it is a gift

    def test_a_row_that_nobody_answers_holds_up_nobody(self, studio, work):
        session, loop = work()
        stuck = studio.next_task()
        for _ in range(9):
            settle(loop)
            task = next(row for row in waiting(session) if row != stuck)
            studio.annotate(task, truth(studio, task))
        settle(loop)
        assert stuck in waiting(session)
        assert session.status().asked > 9

    def test_only_what_changed_is_written(self, studio, work):
        _, loop = work()
        studio.log.clear()
        settle(loop)
        assert studio.log == []
        # the next of four first rows changes nothing
        label_next(studio, loop)
        assert studio.log == []

    def test_an_order_that_somebody_changes_is_set_again(self, studio, said, work):
        _, loop = work()
        studio.project["sampling"] = "Sequential sampling"
        loop.step()
        assert studio.project["sampling"] == "Uncertainty sampling"
        assert sum("changed the order" in each for each in said) == 1

    def test_the_order_is_in_force_before_the_last_rank(
        self, studio, monkeypatch, work
    ):
        monkeypatch.setattr(_label_studio, "N_LATER", 4)
        session, loop = work()
        for _ in range(6):
            assert label_next(studio, loop) in session.ids
        settle(loop)
        # from the second round on, the end of a round deletes the ranks before
        start = studio.log.index("DELETE /api/projects/7/model-versions/")
        steps = pairwise(studio.log[start:])
        assert ("PATCH /api/projects/7/", "POST /api/predictions/") in steps
        assert studio.next_task() == waiting(session)[0]

    def test_predictions_are_shown_only_if_asked_for(self, studio, make, work):
        studio.project["show_collab_predictions"] = False
        session, loop = work()
        for _ in range(6):
            label_next(studio, loop)
        settle(loop)
        assert all(not p["result"] for p in studio.predictions.values())
        assert studio.project["show_collab_predictions"] is False
        loop = make(session, show_prediction=True)
        settle(loop)
        shown = {p["task"]: p["result"] for p in studio.predictions.values()}
        assert studio.project["show_collab_predictions"] is True
        labels = session.predictions([*shown]).labels
        assert [*shown.values()] == [*map(studio.result, labels)]
        loop.restore()
        assert studio.project["show_collab_predictions"] is False


class TestAnnotations:
    def test_what_was_there_before_is_known(self, path, studio, make):
        tasks = [*studio.tasks]
        for task in tasks[:8]:
            studio.annotate(task, truth(studio, task))
        with opened(path, studio) as session:
            settle(make(session))
            assert session.status().n_taught == 8
            assert session.answers(tasks[0]).answers[0].who == ANN
            assert not {*waiting(session)} & {*tasks[:8]}

    def test_cancelled_changed_and_deleted(self, studio, work):
        session, loop = work()
        first, second, third, fourth, *_ = waiting(session)
        number = studio.annotate(fourth, "bad", user=1)
        studio.annotate(fourth, "bad", user=2)
        studio.change(number, "good")  # the last word
        number = studio.annotate(first, "good")
        cancelled = studio.annotate(second, None)
        elsewhere = session.label(third, "bad", ANN)
        loop.step()
        assert elsewhere is None
        assert session.answers(fourth).label == "good"
        assert [session.answers(id).state for id in (first, second)] == [
            "labelled",
            "skipped",
        ]
        studio.change(number, "bad")
        studio.change(cancelled, "good")
        loop.step()
        assert session.answers(first).label == "bad"
        assert session.answers(second).label == "good"
        assert len(session.answers(first).answers) == 1
        studio.delete(number)
        loop.step()
        assert session.answers(first).state == "open"
        assert session.answers(third).label == "bad"  # given in another place
        assert waiting(session)[0] == first

    def test_a_label_that_the_learner_knows_is_unlearned(self, studio, work):
        session, loop = work()
        numbers = {}
        for _ in range(10):
            settle(loop)
            task = studio.next_task()
            numbers[task] = studio.annotate(task, truth(studio, task))
        settle(loop)
        assert len(taught(session)) > 4
        task = next(iter(numbers))
        studio.delete(numbers[task])
        other = [*numbers][1]
        studio.change(numbers[other], was_cancelled=True, result=[])
        settle(loop)
        assert not taught(session).keys() & {task, other}
        assert session.answers(other).state == "skipped"

    def test_annotations_that_vanish_without_a_trace(self, studio, work):
        session, loop = work()
        first, second, *_ = waiting(session)
        number = studio.annotate(first, "good")
        studio.annotate(second, "good")
        loop.step()
        studio.delete(number, leaves_trace=False)
        loop.step()
        assert session.answers(first).state == "open"
        assert session.answers(second).state == "labelled"

    def test_the_ground_truth_decides(self, studio, work):
        session, loop = work()
        task = studio.next_task()
        number = studio.annotate(task, "good", 1, ground_truth=True)
        studio.annotate(task, "bad", 2)
        loop.step()
        assert session.answers(task).label == "good"
        studio.change(number, ground_truth=False)
        loop.step()
        row = session.answers(task)
        assert (row.label, row.answers[-1].who) == ("good", ANN)

    def test_other_controls_and_other_choices_are_left_alone(self, studio, work):
        session, loop = work()
        first, second, third, *_ = waiting(session)
        text = {"from_name": "why", "type": "textarea", "value": {"text": ["x"]}}
        studio.annotate(first, "good")
        studio.change(max(studio.annotations), result=[text, *studio.result("bad")])
        studio.annotate(second, "bad")
        studio.change(max(studio.annotations), result=[text])
        studio.annotate(third, "a choice that was removed")
        loop.step()
        states = [session.answers(id).state for id in (first, second, third)]
        assert states == ["labelled", "open", "open"]

    def test_tags_are_choices_of_another_control(self, path, studio, make):
        def tags(*names):
            value = {"choices": [*names]}
            return {"from_name": "tags", "type": "choices", "value": value}

        with opened(path, studio, tags=["old", "odd"]) as session:
            loop = make(session)
            settle(loop)
            first, second, third, *_ = waiting(session)
            result = [tags("odd", "unknown", "old"), *studio.result("bad")]
            number = studio.annotate(first, "bad", result=result)
            studio.annotate(second, None, result=[tags("old")])  # cancelled
            studio.annotate(third, "good", user=2, result=studio.result("good"))
            loop.step()
            found = [session.answers(id).answers[0] for id in (first, second, third)]
            assert [each.tags for each in found] == [["old", "odd"], ["old"], []]
            assert [each.label for each in found] == ["bad", None, "good"]
            result = [tags("odd"), *studio.result("bad")]
            studio.change(number, result=result)  # another tag, the same label
            loop.step()
            (only,) = session.answers(first).answers
            assert (only.tags, only.label, only.who) == (["odd"], "bad", ANN)
            version = session.version
            settle(loop)
            loop.step()
            assert session.version == version  # nothing is new
        with opened(path, studio) as session:
            assert session.answers(first).answers[0].tags == ["odd"]
            assert session.review("skipped", tag="old").n_rows == 1

    def test_several_choices(self, path, studio, make):
        several = {"classes": None, "labels": ["good", "bad"]}
        config = studio.project["label_config"]
        for kind, options in ("multiple", several), ("single", {}):
            session = opened(path, studio, **options)
            wrong = {"multiple": "single", "single": "multiple"}[kind]
            studio.project["label_config"] = config.replace("single", wrong)
            with (
                session,
                pytest.raises(ValueError, match=f'set choice="{kind}" in the'),
            ):
                make(session)
            path.unlink()
        with opened(path, studio, **several) as session:
            studio.project["label_config"] = config.replace("single", "multiple")
            loop = make(session, show_prediction=True)
            given = {}
            for k in range(6):
                settle(loop)
                task = studio.next_task()
                label = [truth(studio, task)]
                given[task] = [[], label, ["bad", "good"]][k % 3]
                studio.annotate(task, given[task])
                loop.step()
                assert session.answers(task).label == given[task]
            assert given.keys() == {id for id, _ in labels_of(path)}
            studio.change(min(studio.annotations), ["good"])
            loop.step()
            assert session.answers(next(iter(given))).label == ["good"]
            settle(loop)
            task = studio.next_task()
            studio.annotate(task, "good")
            text = {"from_name": "why", "type": "textarea", "value": {"text": ["x"]}}
            studio.change(max(studio.annotations), result=[text])
            loop.step()
            assert session.answers(task).state == "open"  # it is of another control

    def test_a_choice_that_is_renamed_withdraws_nothing(self, studio, said, work):
        session, loop = work()
        task = studio.next_task()
        number = studio.annotate(task, "good")
        loop.step()
        studio.change(number, "excellent")
        loop.step()
        loop.step()
        assert session.answers(task).label == "good"
        assert sum("left alone: excellent" in each for each in said) == 1

    def test_two_people_vote(self, studio, work):
        session, loop = work(votes=2)
        for k in range(12):
            user = 1 + k % 2
            settle(loop)
            task = studio.next_task(user)
            label = truth(studio, task)
            if user == 2 and k == 3:
                label = {"good": "bad", "bad": "good"}[label]
            studio.annotate(task, label, user)
        settle(loop)
        assert studio.project["maximum_annotations"] == 2
        people = session.people()
        given = {who: sum(s.by_class.values()) for who, s in people.items()}
        assert given == {ANN: 6, BOB: 6}
        loop.restore()
        assert studio.project["maximum_annotations"] == 1

    def test_tasks_that_are_deleted(self, studio, said, work):
        session, loop = work()
        known = label_next(studio, loop)
        settle(loop)
        task = studio.next_task()
        studio.delete_task(task)
        studio.delete_task(known)
        settle(loop)
        assert session.answers(task).state == "skipped"
        assert session.answers(known).state == "labelled"  # it was paid for
        assert studio.next_task() == waiting(session)[0]
        assert any("was deleted" in each for each in said)


class TestPredictionsOfOthers:
    def test_only_own_ones_are_deleted(self, path, studio, make):
        task = [*studio.tasks][5]
        studio.predict(task, 0.5, "their model")
        studio.predict(task, 0.5, "sklearn-activelearn 00000000 3")
        studio.project["model_version"] = "their model"
        others = {**studio.predictions}
        with opened(path, studio) as session:
            loop = make(session)
            for _ in range(8):
                label_next(studio, loop)
            settle(loop)
            assert others.items() <= studio.predictions.items()
            own = [
                each["model_version"]
                for key, each in studio.predictions.items()
                if key not in others
            ]
            assert {*own} == {studio.project["model_version"]}
            loop.restore()
        assert studio.predictions == others
        assert studio.project["model_version"] == "their model"
        assert studio.project["sampling"] == "Sequential sampling"

    def test_the_order_is_kept_if_wanted(self, path, studio, make):
        with opened(path, studio) as session:
            loop = make(session, keep_order=True)
            settle(loop)
            first = waiting(session)[0]
            loop.restore()
        assert studio.next_task() == first


#: Answers, and parts of answers, that are not as documented.
ODD = [
    None, [], {}, "", 0, -1.5, True, [None], [[]], {"detail": "Not found."}, "never",
    {"tasks": None}, {"tasks": [{}]}, [{"id": "x"}], 2**70, "\ud800", {"id": {}},
]  # fmt: skip


def garble(answer, rng):
    """Return an answer of which a random part is odd, or gone."""
    if not isinstance(answer, dict | list) or not answer or rng.random() < 0.15:
        return rng.choice(ODD)
    place = rng.choice([*(answer if isinstance(answer, dict) else range(len(answer)))])
    if isinstance(answer, dict) and rng.random() < 0.15:
        del answer[place]
    else:
        answer[place] = garble(answer[place], rng)
    return answer


class TestOddAnswers:
    @pytest.mark.parametrize("odd", ODD)
    def test_the_loop_goes_on_and_says_so_once(self, path, studio, make, said, odd):
        with opened(path, studio) as session:
            loop = make(session)
            task = label_next(studio, loop)
            settle(loop)
            before = [*said]
            studio.garble = lambda _: odd
            with pytest.raises(_label_studio.LabelStudioError, match="documented"):
                loop.step()
            loop.start()
            wait_until(lambda: any("Labels are safe" in each for each in said))
            problem = said[len(before) :]
            assert "/api/projects/7/ with something else than is doc" in problem[0]
            other = studio.next_task() or task
            studio.annotate(other, truth(studio, other))
            studio.garble = None
            wait_until(lambda: session.answers(other).state == "labelled")
            assert loop._thread.is_alive()
            loop.close()
            assert session.answers(task).state == "labelled"
        assert said.count("Label Studio answers again.") == 1

    @pytest.mark.parametrize("seed", range(8))
    def test_a_random_server(self, path, studio, seed, work):
        """Garbled answers at random moments: no error of ours, and all labels stay."""
        rng = random.Random(seed)
        _, loop = work()
        for _ in range(12):
            settle(loop)
            if (task := studio.next_task()) is None:
                break
            studio.annotate(task, truth(studio, task), rng.choice([1, 2]))
            studio.garble = lambda answer: (
                garble(answer, rng) if rng.random() < 0.7 else answer
            )
            for _ in range(4):
                with suppress(_label_studio.LabelStudioError):
                    loop.step()
            studio.garble = None
        settle(loop)
        given = {a["task"]: truth(studio, a["task"])
                 for a in studio.annotations.values()}  # fmt: skip
        assert dict(labels_of(path)) == given

    @pytest.mark.parametrize("odd", [*ODD, b"[" * 100_000, b"\xff", b"{"])
    def test_the_first_answer(self, path, studio, make, odd):
        studio.garble = lambda _: odd
        with opened(path, studio) as session:
            with pytest.raises(_label_studio.LabelStudioError, match="something else"):
                make(session)
            assert labels_of(path) == []

    @pytest.mark.parametrize("kind", ["url", "text", None])
    def test_texts_that_are_stored_elsewhere_are_said(
        self, path, studio, url, capsys, kind
    ):
        config = studio.project["label_config"]
        if kind:
            tag = f'value="$text" valueType="{kind}"'
            studio.project["label_config"] = config.replace('value="$text"', tag)
        out = path.parent / "none" / "a.sqlite"
        command = f"label --label-studio {url} --project 7 --out {out}".split()
        assert main(command) == 2
        is_said = 'stored elsewhere (valueType="url")' in capsys.readouterr().err
        assert is_said == (kind == "url")

    def test_a_garbled_interface_is_a_sentence(self, path, studio, url, command):
        argv = f"label --label-studio {url} --project 7 --out {path}".split()
        config = studio.project["label_config"]
        parsed = studio.project["parsed_label_config"]
        cases = [
            {"label_config": "<View"},
            {"label_config": "<View/>"},
            {"parsed_label_config": {"label": 3}},
            {"parsed_label_config": {"label": {"type": "Choices"}}},
            {"parsed_label_config": {"label": {**parsed["label"], "inputs": []}}},
        ]
        for change in cases:
            studio.project |= {"label_config": config, "parsed_label_config": parsed}
            studio.project |= change
            assert "labelling interface" in command(*argv, code=2).err
        assert not path.exists()


class TestFailures:
    @pytest.mark.parametrize("failure", [500, 502, 429, "hang", "drop"])
    def test_it_goes_on_when_the_server_is_back(
        self, path, studio, make, said, failure, monkeypatch
    ):
        monkeypatch.setattr(_label_studio_api, "TIMEOUT", 0.2)
        with opened(path, studio) as session:
            loop = make(session)
            loop.step()
            n_requests = iter(range(3))
            studio.fail = lambda *_: failure if next(n_requests, None) else None
            loop.start()
            wait_until(lambda: any("again" in each for each in said))
            task = studio.next_task()
            studio.annotate(task, "good")
            wait_until(lambda: session.answers(task).label == "good")
            loop.close()
        problem = next(each for each in said if "Labels are safe" in each)
        assert "127.0.0.1" in problem
        assert said.count("Label Studio answers again.") == 1

    def test_a_failure_at_any_request_loses_nothing(self, path, studio, work):
        _, loop = work()
        for k in range(14):
            settle(loop)
            task = studio.next_task()
            studio.annotate(task, truth(studio, task))
            n_left = iter(range(k % 9))
            studio.fail = lambda *_, n=n_left: 500 if next(n, None) is None else None
            for _ in range(2):
                try:
                    loop.step()
                except _label_studio.LabelStudioError:
                    break
            studio.fail = None
        settle(loop)
        given = {a["task"] for a in studio.annotations.values()}
        assert {id for id, _ in labels_of(path)} == given
        versions = {p["model_version"] for p in studio.predictions.values()}
        assert versions <= {studio.project["model_version"]}

    def test_a_token_that_is_lost_and_replaced(self, path, studio, make, tmp_path):
        file = tmp_path / "token"
        file.write_text(f"{LEGACY}\n")
        with opened(path, studio) as session:
            loop = make(session, token_file=file)
            loop.step()
            studio.legacy = {"another"}
            with pytest.raises(_label_studio.LabelStudioError, match="refuses the tok"):
                loop.step()
            file.write_text("another")
            loop.step()
            file.unlink()
            studio.legacy = {}
            with pytest.raises(
                ValueError, match=r"file of the token, .* cannot be read"
            ):
                loop.step()

    def test_access_tokens_are_renewed(self, studio, monkeypatch, work):
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", REFRESH)
        studio.legacy = set()
        _, loop = work()
        loop.step()
        studio.access = {"second"}
        loop.step()
        studio.refresh = set()
        studio.access = {"third"}
        with pytest.raises(_label_studio.LabelStudioError, match="refuses the tok"):
            loop.step()

    def test_the_token_is_sent_to_the_server_only(self, studio, url):
        other = LabelStudio([])
        other.files["/image.png"] = b"png"
        other.is_allowed = lambda header: header is None
        client = _label_studio.Client(url, _label_studio.token_reader())
        with serving(other) as there:
            assert client.download(f"{there}/image.png") == b"png"
        client.close()

    def test_settings_that_cannot_be_restored_are_restored_later(
        self, path, studio, make, said
    ):
        studio.predict(next(iter(studio.tasks)), 0.5, "theirs")
        studio.project["model_version"] = "theirs"
        with opened(path, studio) as session:
            loop = make(session)
            settle(loop)
            studio.fail = lambda *_: 500
            loop.restore()
            assert "not restored" in said[-1]
        studio.fail = None
        with opened(path, studio) as session:
            loop = make(session)
            settle(loop)
            assert studio.project["model_version"] != "theirs"
            loop.restore()
        assert studio.project["model_version"] == "theirs"
        assert len(studio.predictions) == 1


class TestResume:
    def test_changes_meanwhile_are_seen(self, path, studio, make):
        with opened(path, studio) as session:
            loop = make(session)
            tasks = [label_next(studio, loop) for _ in range(6)]
            settle(loop)
            loop.restore()
        numbers = {a["task"]: key for key, a in studio.annotations.items()}
        studio.delete(numbers[tasks[0]])
        other = {"good": "bad", "bad": "good"}[truth(studio, tasks[1])]
        studio.change(numbers[tasks[1]], other)
        n_answers = select(path, "SELECT count(*) FROM answers")
        with opened(path, studio) as session:
            settle(make(session))
            assert session.answers(tasks[0]).state == "open"
            assert session.answers(tasks[1]).label == other
            assert session.answers(tasks[2]).label == truth(studio, tasks[2])
        assert select(path, "SELECT count(*) FROM answers")[0] == n_answers[0] + 1

    def test_another_project_is_refused(self, path, studio, make):
        with opened(path, studio) as session:
            make(session)
            studio.project["created_at"] = "2020-01-01T00:00:00Z"
            with pytest.raises(ValueError, match="belongs to another project"):
                make(session)


class TestServe:
    def test_in_a_thread(self, path, studio, url, capsys):
        with opened(path, studio) as session:
            loop = session.serve_label_studio(url, 7, interval=0.01, block=False)
            wait_until(lambda: studio.project["model_version"])
            task = studio.next_task()
            studio.annotate(task, truth(studio, task))
            wait_until(lambda: session.answers(task).label)
            assert "LabelStudioLoop" in repr(loop)
        assert studio.project["sampling"] == "Sequential sampling"
        assert not studio.predictions
        assert "1 labelled" in capsys.readouterr().out

    def test_what_is_refused(self, path, studio, url, monkeypatch):
        how = {"ids": [*studio.tasks], "classes": ["good", "bad"]}
        pool = UncertaintySamplingClassifier(GaussianNB(), random_state=0)
        stream, X = CBGZClassifier(b=1.0, random_state=0), numbers_of(TEXTS)
        wrong = (
            {"classes": ["good", "bad", "ugly"]},
            {"ids": [f"t{i}" for i in range(N)]},
        )
        for number, (learner, change, why) in enumerate((
            (pool, wrong[0], "must be the choices"),
            (pool, wrong[1], "No row has the number of a task"),
            (stream, {}, "needs a pool learner"),
        )):  # fmt: skip
            file, refused = (
                path.with_name(f"{number}"),
                pytest.raises(ValueError, match=why),
            )
            with LabelingSession(learner, X, file, **how | change) as session, refused:
                session.serve_label_studio(url, 7, block=False)
        twice = path.with_name("twice"), studio
        with (
            opened(*twice, items=["a text"] * N) as session,
            pytest.raises(ValueError, match="twins='ask'"),
        ):
            session.serve_label_studio(url, 7, block=False)
        with opened(path, studio) as session:
            missing = {"token_file": path.with_name("token.txt")}
            for address, project, options, why in (
                (url, 8, {}, "has no project 8, or the acc"),
                (url, 7, {"control": "kind"}, "no control 'kind'"),
                ("localhost:8080", 7, {}, "no address"),
                (f"{url}/projects/7/data", 7, {}, "Pass the part before /projects"),
                (url, 7, missing, "token.txt, cannot be read: No such"),
                (url, 7, {}, "no token"),
            ):
                if why == "no token":
                    monkeypatch.delenv("LABEL_STUDIO_API_KEY")
                with pytest.raises((ValueError, ConnectionError), match=why):
                    session.serve_label_studio(address, project, block=False, **options)


class TestControls:
    def test_several_controls(self):
        project = {**LabelStudio([]).project}
        kind = {**project["parsed_label_config"]["label"], "labels": ["x", "y"]}
        project["parsed_label_config"] = {
            **project["parsed_label_config"],
            "kind": kind,
        }
        project["label_config"] = project["label_config"].replace(
            "</View>", '<Choices name="kind" toName="text" choice="multiple"/></View>'
        )
        with pytest.raises(ValueError, match="2 controls"):
            _label_studio.find_control(project)
        assert _label_studio.find_control(project, "label").classes == ["good", "bad"]
        assert _label_studio.find_control(project, "kind").is_several
        assert not _label_studio.find_control(project, "label").is_several
        with pytest.raises(ValueError, match="has no <Choices>"):
            _label_studio.find_control({**project, "parsed_label_config": {}})


COMMAND = ["label", "--project", "7", "--learner", "UncertaintySampling:n_initial=4"]


def wait_until(is_true, seconds=10):
    end = monotonic() + seconds
    while not is_true():
        assert monotonic() < end, "it took too long"
        sleep(0.01)


class TestCommand:
    @pytest.mark.usefixtures("ctrl_c")
    def test_it_labels_takes_new_tasks_and_ends(self, path, studio, url):
        argv = [*COMMAND, "--label-studio", url, "--out", str(path)]
        with started("-m", "sklearn_activelearn", *argv, "--test-size", "2") as process:
            wait_until(lambda: studio.project["model_version"], 30)
            for _ in range(2):
                n_before = n_answers(path)
                task = studio.next_task()
                studio.annotate(task, truth(studio, task))
                wait_until(lambda n=n_before: n_answers(path) > n, 30)
            studio.add_tasks(make_texts(3, seed=1))
            new = [*studio.tasks][-3:]
            studio.annotate(new[0], truth(studio, new[0]))
            wait_until(lambda: len(labels_of(path)) == 3, 30)
            assert studio.project["sampling"] == "Uncertainty sampling"
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
            assert process.returncode == 0, out
        assert "Labels in" in out.splitlines()[-1]
        assert ": 3. The same command resumes." in out
        assert "1 labelled (" in out
        assert studio.project["sampling"] == "Sequential sampling"
        assert not studio.predictions

    def test_what_the_command_refuses(self, path, url, command, monkeypatch):
        argv = [*COMMAND, "--label-studio", url, "--out", str(path)]
        for more, what in {
            ("--web",): "--label-studio and --web do not go together",
            ("rows.csv",): "--label-studio and a file do not go together",
            ("--label-studio-control", "x"): "There is no control 'x'",
        }.items():
            assert what in command(*argv, *more, code=2).err
        alone = ["label", "--label-studio", url, "--out", path]
        assert "--label-studio needs --project" in command(*alone, code=2).err
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", "wrong")
        assert "refuses the token" in command(*argv, code=2).err
        assert not path.exists()

    def test_several_choices_images_and_tables(self, path, studio, url, monkeypatch):
        image = pytest.importorskip("PIL.Image")
        loop = _label_studio.LabelStudioLoop
        monkeypatch.setattr(loop, "run", loop.step)
        config = studio.project["label_config"]
        for several in True, False:
            multiple = config.replace("single", "multiple") if several else config
            studio.project["label_config"] = multiple
            assert main([*COMMAND, "--label-studio", url, "--out", str(path)]) == 0
            sql = "SELECT value FROM settings WHERE name = 'label_kind'"
            assert ("several" in f"{select(path, sql)[0]}") == several
            path.unlink()
        for task in studio.tasks.values():
            file = io.BytesIO()
            image.new("L", (8, 8), task["id"] % 250).save(file, "PNG")
            studio.files[f"/data/upload/{task['id']}.png"] = file.getvalue()
            task["data"] = {"image": f"/data/upload/{task['id']}.png"}
        control = studio.project["parsed_label_config"]["label"]
        inputs = [{"type": "Image", "valueType": None, "value": "image"}]
        parsed = {"label": {**control, "inputs": inputs}}
        studio.project["parsed_label_config"] = parsed
        assert main([*COMMAND, "--label-studio", url, "--out", str(path)]) == 0
        path.unlink()
        for task in studio.tasks.values():
            task["data"] = {"price": task["id"] / 7, "task": None}
        parsed["label"]["inputs"] = [{**inputs[0], "type": "Table"}]
        assert main([*COMMAND, "--label-studio", url, "--out", str(path)]) == 0
        ids = select(path, "SELECT id FROM requests")
        assert {*ids} <= {f"{number}" for number in studio.tasks}

    def test_vectors_by_the_number_of_the_task(
        self, path, studio, url, monkeypatch, tmp_path, capsys, command
    ):
        loop = _label_studio.LabelStudioLoop
        monkeypatch.setattr(loop, "run", loop.step)
        table = pd.DataFrame({"task": [*studio.tasks], "x": 1.0, "y": -1.0})
        table.to_csv(tmp_path / "vectors.csv", index=False)
        argv = [*COMMAND, "--label-studio", url, "--out", str(path)]
        argv += ["--features", str(tmp_path / "vectors.csv")]
        assert main(argv) == 0
        ids = select(path, "SELECT id FROM requests")
        assert {*ids} <= {f"{number}" for number in studio.tasks}
        studio.add_tasks(make_texts(1, seed=1))
        capsys.readouterr()
        assert f"{max(studio.tasks)}" in command(*argv, code=2).err
