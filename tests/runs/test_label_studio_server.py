"""The loop with a real Label Studio, which is installed in an environment of its own.

Install it with ``python3 -m venv FOLDER`` and ``FOLDER/bin/pip install label-studio``.
Then run ``LABEL_STUDIO=FOLDER/bin/label-studio pytest -s`` on this file: it takes about
a quarter of an hour, and prints the version and what it has measured.
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from time import monotonic, sleep

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends._terminal import label_by_lines
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from tests.reference.label_studio import CONFIG
from tests.reference.session_files import select, waiting
from tests.test_label_studio import make_texts, numbers_of, settle

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
from sklearn_activelearn.labeling.front_ends import _label_studio  # noqa: E402

PROGRAM = os.environ.get("LABEL_STUDIO") or shutil.which("label-studio")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="Label Studio is not installed"),
]
ANN, BOB, PASSWORD = "ann@example.org", "bob@example.org", "a long password"
N_ROWS, N_LABELS, N_KILLS = 300, 100, 10


def free_port():
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """A Label Studio with a database in a folder."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        argv = ["start", "--no-browser", "--internal-host", "127.0.0.1"]
        argv += ["--port", str(self.port), "--username", ANN, "--password", PASSWORD]
        more = {
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.folder),
            "LATEST_VERSION_CHECK": "false",
            "COLLECT_ANALYTICS": "false",
        }
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        with open(self.folder / "log.txt", "a") as log:
            self.process = subprocess.Popen(
                [PROGRAM, *argv], cwd=self.folder, env={**environment, **more},
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        end = monotonic() + 300
        while monotonic() < end:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/version", timeout=5).is_success:
                    return
            sleep(0.5)
        raise TimeoutError((self.folder / "log.txt").read_text()[-2000:])

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Person:
    """Somebody who is logged in and labels, as the page of Label Studio does."""

    def __init__(self, server, email, invitation=None):
        self.http = httpx.Client(base_url=server.url, timeout=60, follow_redirects=True)
        page = invitation or "/user/login/"
        form = self.http.get(page).text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1]
        login = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": token}
        login |= {"allow_newsletters": "false", "how_find_us": "Other"}
        self.http.post(page, data=login, headers={"Referer": server.url})
        token = self.http.cookies["csrftoken"]
        self.http.headers.update({"X-CSRFToken": token, "Referer": server.url})
        assert self.ask("GET", "/api/current-user/whoami")["email"] == email

    def ask(self, method, path, **options):
        answer = self.http.request(method, path, **options)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def next_task(self, project):
        """Return the task that "Label All Tasks" shows."""
        return self.ask("GET", f"/api/projects/{project}/next")

    def annotate(self, task, label):
        choice = {"from_name": "label", "to_name": "text", "type": "choices"}
        result = [{**choice, "value": {"choices": [label]}}]
        path = f"/api/tasks/{task}/annotations/"
        return self.ask("POST", path, json={"result": result})["id"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("label_studio"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def people(server):
    ann = Person(server, ANN)
    invitation = ann.ask("GET", "/api/invite")["invite_url"]
    bob = Person(server, BOB, invitation)
    yield ann, bob
    ann.http.close()
    bob.http.close()


@pytest.fixture(scope="module")
def token(people, tmp_path_factory):
    """The file with a personal access token."""
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text(people[0].ask("POST", "/api/token/")["token"])
    return file


def make_project(ann, texts):
    config = {"title": "Reviews", "label_config": CONFIG}
    project = ann.ask("POST", "/api/projects/", json=config)["id"]
    path = f"/api/projects/{project}/import"
    ann.ask("POST", path, json=[{"text": text} for text in texts])
    return project


def truth(text):
    good, bad, _ = numbers_of([text])[0]
    return "good" if good > bad else "bad"


def opened(path, texts, tasks):
    learner = UncertaintySamplingClassifier(
        LogisticRegression(), batch_size=5, budget=N_LABELS, random_state=0
    )
    return LabelingSession(
        learner, numbers_of(texts), path, ids=tasks, items=texts, ahead=1,
        classes=["good", "bad"], test_size=20,
    )  # fmt: skip


def test_the_order_and_the_file_are_those_of_the_terminal(
    server, people, token, tmp_path, capsys
):
    ann, _ = people
    texts = make_texts(N_ROWS)
    project = make_project(ann, texts)
    client = _label_studio.Client(server.url, _label_studio.token_reader(token))
    tasks = [task["id"] for task in client.all_tasks(project)]
    text_of = dict(zip(tasks, texts, strict=True))
    path, seconds = tmp_path / "studio.sqlite", []
    with opened(path, texts, tasks) as session:
        loop = _label_studio.LabelStudioLoop(
            session, client, project, tell=lambda text: None
        )
        write = loop.write_ranks

        def write_and_measure(*args):
            start = monotonic()
            write(*args)
            seconds.append(monotonic() - start)

        loop.write_ranks = write_and_measure
        settle(loop)
        handed_out = []
        while session.stop_reason is None:
            task = ann.next_task(project)["id"]
            assert task == waiting(session)[0]
            handed_out.append(task)
            ann.annotate(task, truth(text_of[task]))
            settle(loop)
        loop.restore()
    assert len({*handed_out}) == N_LABELS
    other = tmp_path / "terminal.sqlite"
    with opened(other, texts, tasks) as session:
        view = LabelingView(session, "text")
        lines = (truth(text_of[session.next(ANN)]) for _ in range(N_LABELS))
        label_by_lines(view, ANN, lines)
    for table in "requests", "answers":
        columns = {"requests": "id, purpose, query", "answers": "id, label, who"}[table]
        sql = f"SELECT {columns} FROM {table} ORDER BY number"
        assert select(path, sql) == select(other, sql)
    assert select(path, "SELECT * FROM taught") == select(other, "SELECT * FROM taught")
    found = client.project(project)
    assert (found["sampling"], found["model_version"]) == ("Sequential sampling", "")
    assert client.get(f"/api/projects/{project}/model-versions/") == {}
    client.close()
    version = httpx.get(f"{server.url}/api/version").json()["release"]
    capsys.readouterr()
    with capsys.disabled():
        print(f"\nLabel Studio {version}: {len(handed_out)} tasks in order;")
        print(f"ranks written in {np.median(seconds):.2f} s ({len(seconds)} rounds)")


def start_loop(server, project, token, path, log):
    learner = f"UncertaintySampling:batch_size=5,budget={N_LABELS},random_state=0"
    argv = ["label", "--label-studio", server.url, "--project", str(project)]
    argv += ["--token-file", str(token), "--out", str(path), "--learner", learner]
    return subprocess.Popen(
        [sys.executable, "-m", "sklearn_activelearn", *argv], stdout=log, stderr=log
    )


def test_two_people_and_kills_of_either_side(server, people, token, tmp_path):
    texts = make_texts(N_ROWS, seed=1)
    project = make_project(people[0], texts)
    path, rng, given = tmp_path / "labels.sqlite", random.Random(0), {}
    kills = {*rng.sample(range(5, N_LABELS - 5), N_KILLS)}
    with open(tmp_path / "log.txt", "w") as log:
        loop = start_loop(server, project, token, path, log)
        for n in range(N_LABELS):
            if n in kills:
                sleep(2 * rng.random())
                if rng.random() < 0.5:
                    loop.kill()
                    loop.wait()
                    loop = start_loop(server, project, token, path, log)
                else:
                    server.kill()
                    server.start()
            person = people[rng.randrange(2)]
            task = person.next_task(project)
            label = truth(task["data"]["text"])
            person.annotate(task["id"], label)
            assert f"{task['id']}" not in given
            given[f"{task['id']}"] = label
            sleep(rng.random() / 2)
        end = monotonic() + 120
        while monotonic() < end:
            with suppress(Exception):  # the file may not be there yet
                if len(select(path, "SELECT id FROM labels")) == len(given):
                    break
            assert loop.poll() is None, (tmp_path / "log.txt").read_text()
            sleep(0.5)
        loop.send_signal(signal.SIGINT)
        loop.wait(60)
    assert dict(select(path, "SELECT id, label FROM labels")) == given
    assert {*select(path, "SELECT DISTINCT who FROM answers")} == {ANN, BOB}
    found = people[0].ask("GET", f"/api/projects/{project}/")
    assert (found["sampling"], found["model_version"]) == ("Sequential sampling", "")
    assert people[0].ask("GET", f"/api/projects/{project}/model-versions/") == {}
    print((tmp_path / "log.txt").read_text()[-1500:])
