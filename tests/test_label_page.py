"""The page: what it sends and shows, and whom its server refuses."""

import json
import re
import socket
import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from sklearn_activelearn.labeling.storage import _schema
from tests.reference.labeling import quick_folder

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")
testclient = pytest.importorskip(
    "starlette.testclient", reason="Starlette is not installed"
)
from sklearn_activelearn.labeling.front_ends import _page  # noqa: E402

#: Everything that a browser loads.
SOURCE = "".join(file.read_text() for file in _page.FILES.values())
TOKEN = "a" * 32
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
EVIL = "<img src=x onerror=alert(1)>"


def open_desk(folder, n_rows=60, kind="text", items=None, pictures=None, **settings):
    X = np.random.RandomState(0).randn(n_rows, 3)
    learner = UncertaintySamplingClassifier(budget=None, random_state=0)
    settings = {"classes": ["good", "bad"], "ahead": 1, **settings}
    settings["items"] = items or [f"{EVIL} {i}" for i in range(n_rows)]
    settings["ids"] = list(range(1, n_rows + 1))
    session = LabelingSession(learner, X, folder / "labels.sqlite", **settings)
    return LabelingView(session, kind, folder=pictures)


@pytest.fixture
def session_view(folder):
    session_view = open_desk(folder)
    with session_view.session:
        yield session_view


def client_of(session_view):
    """Return a client whose requests reach the app without a socket."""
    url = "http://127.0.0.1:8000"
    app = app_of(session_view)
    return testclient.TestClient(app, url, raise_server_exceptions=False)


@pytest.fixture
def client(session_view):
    with client_of(session_view) as client:
        yield client


def app_of(session_view):
    server = SimpleNamespace(
        token=TOKEN,
        requests=_page.PageRequests(session_view),
        remove_redirect=lambda: None,
    )
    return _page.make_app(server)


def ask(client, verb, status=200, **body):
    response = client.post(f"/api/{verb}", json=body, headers=HEADERS)
    assert response.status_code == status, response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    found = response.json()
    if found.get("is_training"):  # it is stored; the next row follows, as on the page
        return ask(client, "next", who=body.get("who"), last=found["last"])
    return found


class TestAnswers:
    def test_label_skip_undo(self, client, session_view):
        start = ask(client, "start")
        assert start["counts"].startswith("0 labelled")
        known = {"label": "good", "keys": ["1", "g"], "own": "", "number": "1"}
        assert start["classes"][0] == known
        first = ask(client, "next")
        assert first["row"]["kind"] == "text"
        row = first["row"]["id"]
        assert ask(client, "next")["row"] == first["row"]  # until it is answered
        second = ask(client, "label", id=row, label="good")
        assert second["row"]["id"] != row
        assert second["last"].startswith(f"Row {row}: good")
        assert second["counts"].startswith("1 labelled (good: 1)")
        changes = ask(client, "changes", version=first["version"], id=row)
        assert changes["row"]["label"] == "good"
        for name in ("version", "counts", "share"):
            assert changes[name] == second[name]
        version = second["version"]
        for _ in range(9):  # the learner may have asked for more rows meanwhile
            again = ask(client, "changes", version=version)
            version = again["version"]
        assert again == {"version": version}
        third = ask(client, "skip", id=second["row"]["id"])
        assert "1 skipped" in third["counts"]
        assert ask(client, "undo")["row"] == second["row"]
        assert ask(client, "undo")["row"] == first["row"]
        assert session_view.session.status().answered == 0

    def test_several_labels_are_a_list_and_nothing_else(self, folder):
        view = open_desk(folder, classes=None, labels=["good", "bad"])
        with view.session, client_of(view) as client:
            assert ask(client, "start")["several"]
            row = ask(client, "next")["row"]["id"]
            for label in (None, "good", 3, {}, ["x"], [["good"]], [None]):
                ask(client, "label", 400, id=row, label=label)
            assert ask(client, "next")["row"]["id"] == row
            assert view.session.status().skipped == 0
            shown = ask(client, "label", id=row, label=["good", "bad"])
            assert shown["last"].startswith(f"Row {row}: good, bad")
            other = shown["row"]["id"]
            shown = ask(client, "label", id=other, label=[])
            assert shown["last"].startswith(f"Row {other}: no label applies")
            rows = ask(client, "review", list="labelled", text="class:")["rows"]
            assert [(each["id"], each["title"]) for each in rows] == [
                (other, "no label applies")
            ]

    def test_people_who_disagree_read_so(self, folder):
        session_view = open_desk(folder, votes=2)
        with session_view.session, client_of(session_view) as client:
            for who, label in ("ann", "good"), ("bob", "bad"):
                view = ask(client, "next", who=who)
                while view["row"] is not None:
                    row = view["row"]["id"]
                    view = ask(client, "label", id=row, label=label, who=who)
            n = session_view.session.status().disputed
            assert n > 0
            assert view["ending"].startswith(
                f"Only rows on which people disagree are left: {n}. Somebody who"
            )
            assert f"{n} by you, {n} disputed" in view["counts"]
            assert view["share"] == 1

    def test_nobody_waits_for_the_training_of_another_person(
        self, client, session_view, monkeypatch
    ):
        learner, is_free = session_view.session.learner, threading.Event()
        query, session_view.session._ahead = type(learner).query, 0

        def slow(self, *args, **options):
            is_free.wait(20)
            return query(self, *args, **options)

        first = ask(client, "next", who="ann")["row"]["id"]
        for _ in range(9):
            row = ask(client, "next", who="bob")["row"]["id"]
            session_view.session.label(row, "good", "bob")
        monkeypatch.setattr(type(learner), "query", slow)
        with ThreadPoolExecutor(3) as threads:
            waits = [
                threads.submit(ask, client, "next", who=who) for who in ("bob", "cid")
            ]
            try:
                assert ask(client, "advice")["plot"] == ""
                waits += [threads.submit(ask, client, "skip", id=first, who="ann")]
                while session_view.session.status().skipped == 0:
                    assert not any(wait.done() for wait in waits)
            finally:
                is_free.set()
            rows = [each.result(10)["row"]["id"] for each in waits]
        assert len(set(rows)) == 3

    def test_a_label_is_stored_though_the_model_cannot_predict(self, folder):
        view = open_desk(folder, n_rows=16)
        view = LabelingView(view.session, "text")
        with (
            view.session as session,
            patch.object(session, "predictions", side_effect=RuntimeError),
        ):
            id = session.next()
            view.label(id, "good")
            assert session.answers(id).label == "good"

    @pytest.mark.parametrize("show_prediction", [False, True])
    def test_the_model_speaks_after_or_before_the_label(self, folder, show_prediction):
        view = open_desk(folder, n_rows=16)
        view = LabelingView(view.session, "text", show_prediction=show_prediction)
        with view.session:
            shown = view.next()
            for i in range(15):
                if not show_prediction:
                    assert shown.prediction == ""
                shown = view.label(shown.row.id, ["good", "bad"][i % 2])
                shown = view.next(last=shown.last) if shown.is_training else shown
            said = shown.prediction if show_prediction else shown.last
            assert re.search(r"The model: \w+ \d+%, \w+ \d+%$", said)
            shown = view.label(shown.row.id, "good")
            shown = view.next() if shown.is_training else shown
        assert shown.row is None
        assert shown.ending == "All rows are labelled or skipped."
        assert shown.share == 1

    def test_markup_stays_text(self, client):
        response = client.post("/api/next", json={}, headers=HEADERS)
        assert response.headers["content-type"] == "application/json"
        assert response.json()["row"]["item"].startswith(EVIL)
        assert "innerHTML" not in SOURCE
        assert "insertAdjacentHTML" not in SOURCE

    def test_progress(self, folder):
        session_view = open_desk(folder, test_size=12)
        with session_view.session, client_of(session_view) as client:
            view = ask(client, "next")
            for i in range(32):
                label = ["good", "bad"][i % 2]
                view = ask(client, "label", id=view["row"]["id"], label=label)
            found = ask(client, "advice")
        assert found["advice"]
        assert found["plot"].startswith("<svg ")
        assert re.match(r"(Accuracy|Balanced accuracy) \d+% on 12 test", found["words"])

    @pytest.mark.parametrize(
        ("verb", "body", "why"),
        [
            ("label", {"id": 1, "label": "ugly"}, "ugly"),
            ("label", {"id": 99, "label": "good"}, "99"),
            ("label", {"id": 1}, "label must be"),
            ("label", {"id": [1], "label": "good"}, "id must be"),
            ("label", {"id": True, "label": "good"}, "id must be"),
            ("skip", {"id": "x"}, "x"),
            ("skip", {}, "id must be"),
            ("undo", {}, ""),
            ("next", {"who": 7}, "who must be"),
            ("skip", {"id": 1, "reason": 7}, "reason must be"),
            ("review", {"list": "secret"}, "kind must be"),
            ("review", {"text": 7}, "text must be"),
            ("review", {"text": "x" * 2001}, "text must be"),
            ("review", {"text": "since:now"}, "'now' is not a day"),
            ("review", {"start": -1}, "must be >= 0"),
            ("review", {"start": True}, "start"),
            ("correct", {"id": 1, "label": "ugly"}, "ugly"),
            ("correct", {"id": 1, "label": "good", "final": True}, "needs the name"),
            ("withdraw", {"id": 1}, "nothing to undo"),
            ("note", {"id": 99, "text": "x"}, "99"),
            ("note", {"id": 1, "text": "x" * 2001}, "text must be"),
            ("changes", {"version": 99, "id": 99}, "99"),
            ("image", {"id": 1}, "not images"),
        ],
    )
    def test_a_bad_request_changes_nothing(self, client, session_view, verb, body, why):
        ask(client, "next")
        error = ask(client, verb, status=400, **body)["error"]
        assert why in error
        assert error.endswith(".")
        status = session_view.session.status()
        assert (status.answered, status.skipped) == (0, 0)

    def test_a_busy_file_is_said_and_then_it_works(self, folder, monkeypatch):
        monkeypatch.setattr(_schema, "WRITING_WAIT", 0.1)
        session_view = open_desk(folder)
        client = client_of(session_view)
        row = ask(client, "next")["row"]["id"]
        holder = sqlite3.connect(folder / "labels.sqlite", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            error = ask(client, "label", status=503, id=row, label="good")["error"]
            assert "labels.sqlite is held by another program" in error
        assert ask(client, "advice")["advice"]
        holder.close()
        assert ask(client, "label", id=row, label="good")["row"]["id"] != row
        assert session_view.session.status().answered == 1
        session_view.session.close()


class TestImages:
    @pytest.fixture
    def client(self, folder):
        pictures = folder / "pictures"
        pictures.mkdir()
        (pictures / "a.png").write_bytes(b"pixels")
        (folder / "secret.png").write_bytes(b"secret")
        items = ["a.png", "../secret.png", "gone.png", str(folder / "secret.png")]
        session_view = open_desk(folder, 4, "image", items, pictures)
        with session_view.session, client_of(session_view) as client:
            yield client

    def test_an_image_is_fetched_with_the_token(self, client):
        response = client.post("/api/image", json={"id": 1}, headers=HEADERS)
        assert response.content == b"pixels"
        assert response.headers["content-type"] == "image/png"
        assert client.post("/api/image", json={"id": 1}).status_code == 401

    @pytest.mark.parametrize("row_id", [2, 3, 4])
    def test_other_files_are_refused(self, client, row_id):
        error = ask(client, "image", status=400, id=row_id)["error"]
        assert "outside" in error or "no such file" in error


@pytest.fixture(scope="module")
def refusing():
    with quick_folder() as folder:
        session_view = open_desk(folder)
        with session_view.session, client_of(session_view) as client:
            yield client, session_view, session_view.next().row.id


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "headers"),
        [
            (401, {"Authorization": ""}),
            (401, {"Authorization": "Bearer " + "b" * 32}),
            (401, {"Authorization": f"Bearer {TOKEN}é".encode()}),
            (401, {"Authorization": TOKEN}),
            (403, {"Origin": "http://evil.example"}),
            (403, {"Origin": "null"}),
            (403, {"Origin": "http://127.0.0.1:9"}),
            (403, {"Origin": "https://127.0.0.1:8000"}),
            (415, {"Content-Type": "text/plain"}),
            (415, {"Content-Type": "application/x-www-form-urlencoded"}),
            (415, {"Content-Type": ""}),
            (421, {"Host": "evil.example"}),
            (421, {"Host": "127.0.0.1.evil.example"}),
            (421, {"Host": "10.0.0.1:8000"}),
            (421, {"Host": ""}),
        ],
    )
    @pytest.mark.parametrize("verb", sorted(_page.VERBS))
    def test_strangers(self, refusing, verb, status, headers):
        client, session_view, row = refusing
        body = json.dumps({"id": row, "label": "good", "text": "a note"})
        sent = HEADERS | {"Content-Type": "application/json"} | headers
        response = client.post(f"/api/{verb}", content=body, headers=sent)
        assert response.status_code == status
        assert response.json()["error"].endswith(".")
        assert "content-security-policy" in response.headers
        status = session_view.session.status()
        assert (status.answered, status.skipped) == (0, 0)
        assert session_view.session.review("noted").n_rows == 0

    def test_same_origin_is_let_in(self, client):
        origin = {"Origin": "http://localhost:9999", "Host": "localhost:9999"}
        response = client.post("/api/next", json={}, headers=HEADERS | origin)
        assert response.status_code == 200

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (413, b'{"who": "' + b"x" * 2**16 + b'"}'),
            (400, b"{"),
            (400, b"[]"),
            (400, b"[" * 60_000),
            (400, b'{"who": "\xff"}'),
            (400, b""),
        ],
    )
    @pytest.mark.parametrize("verb", sorted(_page.VERBS))
    def test_bodies(self, refusing, verb, status, body):
        client, *_ = refusing
        headers = HEADERS | {"Content-Type": "application/json"}
        response = client.post(f"/api/{verb}", content=body, headers=headers)
        assert response.status_code == status
        assert response.json()["error"]

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            *(("GET", f"/api/{verb}", 405) for verb in sorted(_page.VERBS)),
            ("POST", "/", 405),
            ("POST", "/api/delete", 404),
            ("GET", "/etc/passwd", 404),
            ("GET", "/../_page.py", 404),
            ("GET", "/%2e%2e/_page.py", 404),
            ("POST", "/main.js", 405),
        ],
    )
    def test_there_is_nothing_else(self, client, method, path, status):
        headers = HEADERS | {"Content-Type": "application/json"}
        response = client.request(method, path, headers=headers)
        assert response.status_code == status
        assert response.json()["error"]

    def test_a_mistake_of_ours_tells_nothing(self, client, monkeypatch):
        def broken(self, who=None, last=""):
            raise RuntimeError("secret")

        monkeypatch.setattr(LabelingView, "next", broken)
        assert "secret" not in ask(client, "next", status=500)["error"]


class TestPolicy:
    @pytest.mark.parametrize("path", sorted(_page.FILES))
    def test_only_files_of_the_page_run(self, client, path):
        response = client.get(path)
        assert response.status_code == 200
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-content-type-options"] == "nosniff"
        policy = dict(
            part.split(" ", 1)
            for part in response.headers["content-security-policy"].split("; ")
        )
        assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'"
        other = {"Host": "evil.example"}
        assert client.get(path, headers=other).status_code == 421

    def test_the_page_has_no_other_address_and_no_inline_code(self):
        assert re.findall(r"https?://", SOURCE) == []
        html = _page.FILES["/"].read_text()
        assert not re.search(r"\son\w+=|style=|<style|<script>|@import", html)
        assert re.findall(r"(?:src|href)=\"(.*?)\"", html) == ["style.css", "main.js"]


@pytest.fixture
def server():
    """A server in a thread; returns a function that opens a client."""
    uvicorn = pytest.importorskip("uvicorn")
    listener = socket.create_server(("127.0.0.1", 0))
    with quick_folder() as folder, open_desk(folder, n_rows=100).session as session:
        session_view = LabelingView(session, "text")
        app = app_of(session_view)
        running = uvicorn.Server(
            uvicorn.Config(app, lifespan="off", log_level="warning")
        )
        thread = threading.Thread(target=running.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", session_view
        running.should_exit = True
        thread.join()
    listener.close()


def test_six_people_at_once(server):
    address, session_view = server
    each = 4

    def work(number):
        who, given = f"person {number}", []
        with httpx.Client(base_url=address, headers=HEADERS, timeout=60) as client:
            view = ask(client, "next", who=who)
            for i in range(each):
                row, label = view["row"]["id"], ["good", "bad"][(number + i) % 2]
                given.append((row, label))
                view = ask(client, "label", id=row, label=label, who=who)
        return given

    with ThreadPoolExecutor(6) as people:
        given = [answer for part in people.map(work, range(6)) for answer in part]
    assert max(Counter(row for row, _ in given).values()) == 1
    status = session_view.session.status()
    assert status.answered == len(given) == 6 * each
    assert status.by_class == {"good": 3 * each, "bad": 3 * each}
