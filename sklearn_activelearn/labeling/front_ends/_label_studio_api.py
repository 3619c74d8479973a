"""Requests to Label Studio: tokens, projects, their labelling interface, and tasks."""

import json
import os
import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import httpx

TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"
TIMEOUT = 60.0  #: seconds for a request
PAGE = 200  #: tasks that are read in one request


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
    """

    name: str
    to_name: str
    kind: str
    field: str
    classes: list[str]
    is_several: bool


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
    found = {key: each for key, each in parsed.items() if each["type"] == "Choices"}
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
    tags = ElementTree.fromstring(project["label_config"]).iter("Choices")
    choice = {tag.get("name"): tag.get("choice") for tag in tags}
    shown = control["inputs"][0]
    return Control(
        name, control["to_name"][0], shown["type"], shown["value"], control["labels"],
        choice.get(name) == "multiple",
    )  # fmt: skip


def token_reader(file=None):
    """Return a function that reads the token from a file, or from the environment."""

    def read():
        if file is None:
            token = os.environ.get(TOKEN_VARIABLE, "")
        else:
            token = Path(file).read_text(encoding="utf-8-sig")
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
        host = httpx.URL(self.url).host
        is_here = host in ("localhost", "127.0.0.1", "::1")
        # a proxy does not know this machine
        self._http = httpx.Client(timeout=TIMEOUT, trust_env=not is_here)
        self._authorization = None

    def close(self):
        """Close the connections."""
        self._http.close()

    def get(self, path, **query):
        """Return the JSON at a path."""
        return self.request("GET", path, params=query)

    def request(self, method, path, **options):
        """Send a request and return the JSON of the answer.

        Raises
        ------
        LabelStudioError
            If it failed, whatever the reason.
        """
        answer = self._send(method, path, **options)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
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
        return f"Bearer {answer.json()['access']}"

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
        return self.get(f"/api/projects/{number}/")

    def tasks(self, project, page, size, **query):
        """Return a page of tasks with their annotations."""
        query = {"query": json.dumps(query)} if query else {}
        try:
            return self.get(
                "/api/tasks/", project=project, page=page, page_size=size,
                fields="all", **query,
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
