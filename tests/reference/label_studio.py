"""A server with the routes of Label Studio that the library uses, for this machine.

It hands out tasks as Label Studio 1.23 does. People act through methods.
"""

import json
import random
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import RLock, Thread
from time import sleep
from urllib.parse import parse_qs, urlsplit

CONFIG = (
    '<View><Text name="text" value="$text"/><Choices name="label" toName="text" '
    'choice="single"><Choice value="good"/><Choice value="bad"/></Choices></View>'
)
PARSED = {
    "label": {
        "type": "Choices",
        "to_name": ["text"],
        "inputs": [{"type": "Text", "valueType": None, "value": "text"}],
        "labels": ["good", "bad"],
    }
}
LEGACY, REFRESH = "0123456789abcdef", "a.refresh.token"
USERS = {1: "ann@example.org", 2: "bob@example.org"}


def now():
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


class LabelStudio:
    """A project with tasks, annotations and predictions, and the server for it.

    Attributes
    ----------
    project : dict
        The settings of project 7.
    tasks, annotations, predictions : dict of int to dict
        By number.
    log : list of str
        Method and path of each request that changed something.
    fail : callable or None
        ``fail(method, path)`` returns a status, "hang" or "drop", or None.
    garble : callable or None
        ``garble(content)`` returns another answer, as JSON.
    """

    def __init__(self, texts):
        self.lock = RLock()
        self.project = {
            "id": 7, "created_at": now(), "title": "Reviews", "label_config": CONFIG,
            "parsed_label_config": PARSED, "sampling": "Sequential sampling",
            "model_version": "", "show_collab_predictions": True,
            "maximum_annotations": 1,
        }  # fmt: skip
        self.tasks, self.annotations, self.predictions = {}, {}, {}
        self.log, self.fail, self.garble, self._number = [], None, None, 100
        self.access, self.legacy = {"first"}, {LEGACY}
        self.refresh = {REFRESH}
        self.files = {}
        self._random = random.Random(0)
        self.add_tasks(texts)

    def _next_number(self):
        self._number += 1
        return self._number

    # --- people

    def add_tasks(self, texts):
        with self.lock:
            for text in texts:
                number = self._next_number()
                data = text if isinstance(text, dict) else {"text": text}
                self.tasks[number] = {"id": number, "data": data, "updated_at": now()}

    def delete_task(self, number):
        with self.lock:
            del self.tasks[number]
            for store in self.annotations, self.predictions:
                for key in [k for k, v in store.items() if v["task"] == number]:
                    del store[key]

    def next_task(self, user=1):
        """Return the number of the task that a person is given; None without one."""
        with self.lock:
            solved = {}
            for each in self.annotations.values():
                solved.setdefault(each["task"], []).append(each)
            left = []
            for number in self.tasks:
                given = solved.get(number, [])
                n_given = sum(not each["was_cancelled"] for each in given)
                has_own = any(each["completed_by"] == user for each in given)
                if not has_own and n_given < self.project["maximum_annotations"]:
                    left.append(number)
            version = self.project["model_version"]
            if self.project["sampling"] != "Uncertainty sampling":
                return min(left, default=None)
            ranked = [
                (each["score"], each["task"])
                for each in self.predictions.values()
                if each["model_version"] == version and each["task"] in left
            ]
            if not ranked:
                return self._random.choice(left) if left else None
            n_people = len({each["completed_by"] for each in self.annotations.values()})
            if n_people > 1:
                return self._random.choice(sorted(ranked)[: n_people + 1])[1]
            return min(ranked)[1]

    def annotate(self, task, label, user=1, **more):
        """Store an annotation, and return its number; None cancels."""
        with self.lock:
            number = self._next_number()
            self.annotations[number] = {
                "id": number, "task": task, "completed_by": user, "ground_truth": False,
                "was_cancelled": label is None, "result": self.result(label), **more,
            }  # fmt: skip
            self._touch(number)
        return number

    def change(self, number, label=None, **more):
        with self.lock:
            annotation = self.annotations[number]
            if label is not None:
                annotation |= {"result": self.result(label), "was_cancelled": False}
            annotation |= more
            self._touch(number)

    def delete(self, number, *, leaves_trace=True):
        """Delete an annotation; if several are deleted at once, there is no trace."""
        with self.lock:
            if leaves_trace:
                self._touch(number)
            del self.annotations[number]

    def _touch(self, number):
        annotation = self.annotations[number]
        annotation["updated_at"] = self.tasks[annotation["task"]]["updated_at"] = now()

    @staticmethod
    def result(label):
        if label is None or label == []:
            return []
        value = {"choices": label if isinstance(label, list) else [label]}
        return [
            {"from_name": "label", "to_name": "text", "type": "choices", "value": value}
        ]

    def predict(self, task, score, version):
        number = self._next_number()
        self.predictions[number] = {
            "task": task, "score": score, "model_version": version, "result": [],
        }  # fmt: skip

    # --- the API

    def answer(self, method, path, query, body):
        """Return the status and the JSON for a request."""
        route = f"{method} {path}"
        if match := re.fullmatch(r"(GET|PATCH) /api/projects/7/", route):
            return 200, self._project(body if match[1] == "PATCH" else {})
        if route == "GET /api/tasks/":
            return self._list_tasks(query)
        if match := re.fullmatch(r"GET /api/tasks/(\d+)/", route):
            task = self.tasks.get(int(match[1]))
            return (200, task) if task else (404, {"detail": "Not found."})
        if route == "GET /api/users/":
            return 200, [{"id": id, "email": email} for id, email in USERS.items()]
        if route == "GET /api/projects/7/model-versions/":
            versions = [each["model_version"] for each in self.predictions.values()]
            return 200, {name: versions.count(name) for name in versions}
        if route == "DELETE /api/projects/7/model-versions/":
            name = body["model_version"]
            gone = [
                k for k, v in self.predictions.items() if v["model_version"] == name
            ]
            for key in gone:
                del self.predictions[key]
            return 200, {"deleted_predictions": len(gone)}
        if route == "POST /api/predictions/":
            return (201, {}) if self._store_prediction(body) else (400, {})
        return 404, {"detail": "Not found."}

    def _project(self, changes):
        if version := changes.get("model_version"):
            known = {each["model_version"] for each in self.predictions.values()}
            if version not in known:
                raise ValueError("Model version doesn't exist")
        self.project |= changes
        cancelled = [each["was_cancelled"] for each in self.annotations.values()]
        return {
            **self.project,
            "task_number": len(self.tasks),
            "total_annotations_number": cancelled.count(False),
            "skipped_annotations_number": cancelled.count(True),
        }

    def _list_tasks(self, query):
        found = []
        for task in self.tasks.values():
            own = [v for v in self.annotations.values() if v["task"] == task["id"]]
            found.append({**task, "annotations": own if query.get("fields") else []})
        how = json.loads(query.get("query", "{}"))
        if items := how.get("filters", {}).get("items"):
            limit = {item["filter"].rpartition(":")[2]: item["value"] for item in items}
            found = [
                task
                for task in found
                if ("id" in limit and task["id"] > limit["id"])
                or ("id" not in limit and task["annotations"])
            ]
        if how.get("ordering") == ["-tasks:updated_at"]:
            found.sort(key=lambda task: task["updated_at"], reverse=True)
        size, page = int(query["page_size"]), int(query["page"])
        found = found[size * (page - 1) : size * page]
        if not found and page > 1:
            return 404, {"detail": "Invalid page."}
        return 200, {"tasks": found}

    def _store_prediction(self, body):
        """Label Studio leaves out what it does not accept, without a word."""
        if body["task"] not in self.tasks or not 0 <= body["score"] <= 1:
            return False
        self.predictions[self._next_number()] = body
        return True

    def is_allowed(self, header):
        kind, _, token = (header or "").partition(" ")
        return token in {"Bearer": self.access, "Token": self.legacy}.get(kind, ())

    def refresh_token(self, body):
        if body["refresh"] not in self.refresh:
            return 401, {"detail": "Token is invalid"}
        return 200, {"access": sorted(self.access)[0]}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do(self):
        studio, parts = self.server.studio, urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or "{}")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        failure = studio.fail and studio.fail(self.command, parts.path)
        if failure == "drop":
            self.close_connection = True
            return
        if failure == "hang":
            sleep(1)
        with studio.lock:
            if self.command != "GET":
                studio.log.append(f"{self.command} {parts.path}")
            try:
                if isinstance(failure, int):
                    status, content = failure, {"detail": "failure"}
                elif parts.path == "/api/token/refresh/":
                    status, content = studio.refresh_token(body)
                elif not studio.is_allowed(self.headers.get("Authorization")):
                    status, content = 401, {"detail": "Invalid token."}
                elif parts.path in studio.files:
                    status, content = 200, studio.files[parts.path]
                else:
                    status, content = studio.answer(
                        self.command, parts.path, query, body
                    )
            except ValueError as error:
                status, content = 400, {"detail": f"{error}"}
        if studio.garble:
            content = studio.garble(json.loads(json.dumps(content)))
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_DELETE = do


@contextmanager
def serving(studio, port=0):
    """Serve a project on this machine, and give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.studio, server.daemon_threads = studio, True
    server.block_on_close = False
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
