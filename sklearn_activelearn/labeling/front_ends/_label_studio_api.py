"""Requests to Label Studio: tokens, projects, their labelling interface, and tasks."""

import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import httpx

TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"
TIMEOUT = 60.0  #: seconds for a request
PAGE = 200  #: tasks that are read in one request


def time_of(item):
    """Return when a task or an annotation was last changed."""
    return datetime.fromisoformat(item["updated_at"]).astimezone(UTC)


def is_time(value):
    """Return True for a time that is not in the future, give or take a time zone."""
    try:
        now = datetime.now(UTC)
        return time_of({"updated_at": value}) < now + timedelta(days=1)
    except (ValueError, OverflowError, TypeError):
        return False


#: Shapes of answers, for `has_shape`: what the library reads, as it is documented.
RESULT = {"from_name?": object, "value?": {"choices?": [object]}}
ANNOTATION = {
    "id": int,
    "result": ([RESULT], None),
    "was_cancelled": bool,
    "completed_by": (int, {"id?": int, "email?": (str, None)}, None),
    "ground_truth": bool,
    "updated_at": is_time,
}
TASK = {"id": int, "data": dict, "updated_at": is_time, "annotations": [ANNOTATION]}
CONTROL = {
    "type": str,
    "to_name?": [str],
    "inputs?": [{"type": str, "value": str}],
    "labels?": [str],
}
PROJECT = {
    "id": int,
    "created_at": str,
    "label_config": str,
    "parsed_label_config": ({}, None),
}
ROUND = {
    "sampling": (str, None),
    "model_version": (str, None),
    "task_number": int,
    "total_annotations_number": int,
    "skipped_annotations_number": int,
}
USERS = [{"id": int, "email": (str, None)}]
VERSIONS = ({}, [str])


def has_shape(value, shape):
    """Return True if a value of JSON has a shape.

    Parameters
    ----------
    value : object
        The value.
    shape : dict, list, tuple, type, callable or None
        A dict of the fields that are needed, or, with a question mark, may be missing;
        a list with the shape of each element; a tuple of shapes of which one is enough.
    """
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            has_shape(value[name.rstrip("?")], each)
            if name.rstrip("?") in value
            else name.endswith("?")
            for name, each in shape.items()
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(v, *shape) for v in value)
    if isinstance(shape, tuple):
        return any(has_shape(value, each) for each in shape)
    if shape is int:  # of a column of SQLite
        return type(value) is int and abs(value) < 2**63
    if isinstance(shape, type):
        return isinstance(value, shape)
    return value is None if shape is None else shape(value)


class LabelStudioError(Exception):
    """A request that failed; the message is a sentence."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class Control(NamedTuple):
    """A choice in the labelling interface of a project.

    Attributes
    ----------
    name, to_name : str
        Names of the choice, and of the object that it belongs to.
    kind : str
        Type of the object, such as "Text" or "Image".
    field : str
        Field of a task's data that the object shows.
    classes : list of str
        The choices.
    is_several : bool
        True if several of them can be chosen.
    is_address : bool
        True if the field holds the address of what is shown.
    """

    name: str
    to_name: str
    kind: str
    field: str
    classes: list[str]
    is_several: bool
    is_address: bool


def find_control(project, name=None):
    """Return the `Control` of a project.

    Parameters
    ----------
    project : dict
        As the API returns it.
    name : str, default=None
        Name of the control. None: the only one.

    Raises
    ------
    ValueError
        If there is no such control.
    """
    parsed = project.get("parsed_label_config") or {}
    controls = {key: each for key, each in parsed.items() if has_shape(each, CONTROL)}
    found = {key: each for key, each in controls.items() if each["type"] == "Choices"}
    names = ", ".join(map(repr, found)) or "none"
    if name is None and len(found) != 1:
        raise ValueError(
            f"The project has {len(found)} controls <Choices> ({names}). Name one of "
            "them as the control (--label-studio-control)."
            if found
            else "The labelling interface of the project has no <Choices>. Add one, "
            'with choice="single", or "multiple" if a task may have several labels.'
        )
    if name is not None and name not in found:
        raise ValueError(f"There is no control {name!r} of type Choices: {names}.")
    name = name or next(iter(found))
    control = found[name]
    tags = {tag.get("name"): tag for tag in read_config(project["label_config"])}
    if not (name in tags and control.get("inputs") and control.get("to_name")):
        raise ValueError(
            f"The labelling interface of the project does not say what {name!r} labels."
        )
    shown, to_name = control["inputs"][0], control["to_name"][0]
    is_address = to_name in tags and tags[to_name].get("valueType") == "url"
    return Control(
        name, to_name, shown["type"], shown["value"], control.get("labels", []),
        tags[name].get("choice") == "multiple", is_address,
    )  # fmt: skip


def read_config(config):
    """Return the tags of a labelling interface."""
    try:
        return [*ElementTree.fromstring(config).iter()]
    except ElementTree.ParseError as error:
        raise ValueError(
            f"The labelling interface of the project is no XML: {error}."
        ) from None


def token_reader(file=None):
    """Return a function that reads the token from a file, or from the environment."""

    def read():
        if file is None:
            token = os.environ.get(TOKEN_VARIABLE, "")
        else:
            try:
                token = Path(file).read_text(encoding="utf-8-sig")
            except OSError as error:
                raise ValueError(
                    f"The file of the token, {file}, cannot be read: {error.strerror}."
                ) from error
        if not (token := token.strip()).isascii() or not token:
            raise ValueError(
                f"There is no token in {file or TOKEN_VARIABLE}. Copy one from Account "
                "& Settings in Label Studio."
            )
        return token

    return read


class Client:
    """The requests to a Label Studio server.

    Parameters
    ----------
    url : str
        Address of the server.
    read_token : callable
        It returns a personal access token or a legacy token. It is called again if
        the token is refused.
    """

    def __init__(self, url, read_token):
        self.url, self._read_token = url.rstrip("/"), read_token
        if not re.match(r"https?://[^/]", self.url):
            raise ValueError(f"{url!r} is no address. It begins with http or https.")
        if "/projects/" in self.url:
            raise ValueError(
                f"{url!r} is the page of a project. Pass the part before /projects, "
                "and the number of the project by itself (--project)."
            )
        host = httpx.URL(self.url).host
        is_here = host in ("localhost", "127.0.0.1", "::1")
        # a proxy does not know this machine
        self._http = httpx.Client(timeout=TIMEOUT, trust_env=not is_here)
        self._authorization = None

    def close(self):
        """Close the connections."""
        self._http.close()

    def get(self, path, shape=object, /, **query):
        """Return the JSON at a path, which must have a shape, as for `has_shape`."""
        found = self.request("GET", path, params=query)
        self._check_shape(found, shape, path)
        return found

    def _check_shape(self, found, shape, path):
        if not has_shape(found, shape):
            raise LabelStudioError(
                f"{self.url} answers {path} with something else than is documented: "
                f"{json.dumps(found)[:100]}."
            )

    def request(self, method, path, **options):
        """Send a request and return the JSON of the answer.

        Raises
        ------
        LabelStudioError
            If it failed, whatever the reason.
        """
        return self._read_json(self._send(method, path, **options), path)

    def _read_json(self, answer, path):
        if not answer.content:
            return None
        try:
            return answer.json()
        except (ValueError, RecursionError):
            raise LabelStudioError(
                f"{self.url} answers {path} with something else than JSON. Is it the "
                "address of Label Studio?"
            ) from None

    def download(self, path):
        """Return the bytes at an address, which may be a path of the server."""
        return self._send("GET", path, follow_redirects=True).content

    def _send(self, method, path, **options):
        for _ in range(2):
            if self._authorization is None:
                self._authorization = self._authorize()
            headers = {"Authorization": self._authorization}
            answer = self._try(method, path, headers=headers, **options)
            if answer.status_code != 401:
                break
            self._authorization = None  # an access token ends after minutes
        self._check(answer, path)
        return answer

    def _authorize(self):
        token = self._read_token()
        if token.count(".") != 2:
            return f"Token {token}"
        path = "/api/token/refresh/"
        answer = self._try("POST", path, json={"refresh": token})
        self._check(answer, path)
        found = self._read_json(answer, path)
        self._check_shape(
            found,
            {"access": lambda token: isinstance(token, str) and token.isascii()},
            path,
        )
        return f"Bearer {found['access']}"

    def _try(self, method, path, **options):
        address = path if "://" in path else self.url + path
        if not address.startswith(f"{self.url}/"):  # the token is for the server only
            options.pop("headers", None)
        try:
            return self._http.request(method, address, **options)
        except httpx.TimeoutException:
            sentence = f"{self.url} did not answer within {TIMEOUT:g} seconds."
        except httpx.HTTPError as error:
            sentence = (
                f"{self.url} cannot be reached ({error or type(error).__name__})."
            )
        raise LabelStudioError(sentence)

    def _check(self, answer, path):
        status = answer.status_code
        if answer.is_success:
            return
        if status == 401:
            sentence = f"{self.url} refuses the token (401). Replace it by a valid one."
        elif answer.is_redirect:
            there = answer.headers.get("location", "")
            sentence = f"{self.url} redirects to {there}. Pass that address."
        else:
            text = "" if status >= 500 else f": {answer.text[:200]}"
            sentence = f"{self.url} answers {status} to {path}{text}."
        raise LabelStudioError(sentence, status)

    def project(self, number):
        """Return a project."""
        try:
            return self.get(f"/api/projects/{number}/", PROJECT)
        except LabelStudioError as error:
            if error.status != 404:
                raise
            raise LabelStudioError(
                f"{self.url} has no project {number}, or the account of the token may "
                "not see it.",
                404,
            ) from error

    def tasks(self, project, page, size, **query):
        """Return a page of tasks with their annotations."""
        query = {"query": json.dumps(query)} if query else {}
        try:
            return self.get(
                "/api/tasks/", {"tasks": [TASK]}, project=project, page=page,
                page_size=size, fields="all", **query,
            )["tasks"]  # fmt: skip
        except LabelStudioError as error:
            if error.status == 404 and page > 1:  # behind the last page
                return []
            raise

    def all_tasks(self, project, on_progress=None, **limits):
        """Return all tasks in the order of their numbers.

        A task is returned if at least one of its fields in `limits` exceeds the limit.
        """
        items = [
            {"filter": f"filter:tasks:{name}", "operator": "greater", "type": "Number",
             "value": limit} for name, limit in limits.items()
        ]  # fmt: skip
        filters = {"conjunction": "or", "items": items}
        query = {"filters": filters} if limits else {}
        found, page = [], []
        while not found or len(page) == PAGE:
            page = self.tasks(project, len(found) // PAGE + 1, PAGE, **query)
            found += page
            if on_progress:
                on_progress(len(found))
            if not page:
                break
        return sorted(found, key=lambda task: task["id"])
