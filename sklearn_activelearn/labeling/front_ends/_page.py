"""Labelling in the browser: a page, and a server for this machine only."""

import asyncio
import atexit
import builtins
import json
import os
import re
import secrets
import socket
import sys
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread, current_thread
from time import sleep
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from ._keys import QUIT
from ._view import (
    LabelingView,
    describe_answer,
    describe_curve,
    describe_listed,
    describe_note,
    describe_people,
    describe_usage,
    plot_curve,
)

LONGEST_BODY = 2**16  #: bytes
LONGEST_NAME, LONGEST_TEXT = 100, 2_000  #: letters that people type
N_LISTED = 20  #: rows on a page of a list
#: Threads for requests that never wait for training, and for waiting requests.
N_QUICK, N_WAITING = 32, 64
HOST = "127.0.0.1"
#: Names of this machine. Another name in the Host header belongs to a page that had
#: its address pointed here.
LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
#: The page and its style and modules, by address.
FILES = {
    "/" if file.name == "index.html" else f"/{file.name}": file
    for file in files(__package__).joinpath("page").iterdir()
    if Path(file.name).suffix in MEDIA_TYPES
}
PREPARING = "Getting ready: the rows are being read"
#: Keys of the page alone.
USAGE = {
    "=": "in an opened row with several votes: the next class decides for all",
    "+ −": "enlarge or shrink an image; the arrow keys move it",
    "Esc": "go one step back",
}
NOBODY = "No answer has a name. Add ?who=NAME to the address to label under a name."
REDIRECT = """<!doctype html><meta charset="utf-8"><title>Label</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Label</a>
"""

#: Servers of this process, by the resolved path of the session.
SERVERS: dict[str, Any] = {}


def respond(content, status=200):
    """Return JSON in ASCII: texts may have surrogates, which UTF-8 cannot encode."""
    data = json.dumps(content, allow_nan=False).encode()
    return Response(data, status, HEADERS, "application/json")


class PageRequests:
    """The requests of the page about one session.

    Each method takes the body of a request and the name of the person, and returns
    the answer as JSON, or a response.

    Parameters
    ----------
    view : LabelingView
        Session that the page shows.
    """

    def __init__(self, view):
        self._view, self._session = view, view.session
        self._classes = {f"{label}": label for label in view.session.classes}

    def start(self, body, who):
        """Return what stays the same while people label, and the progress."""
        view = self._view
        return {
            "title": view.title,
            "guide": view.guide,
            "may_decide": view.may_decide(who),
            **view.keys.as_json(),
            "usage": describe_usage(view.keys, USAGE),
            "prefixes": view.keys.describe_prefixes(but=[QUIT]),
            **view.progress(who),
        }

    def next(self, body, who):
        """Return the row to label; waits for training."""
        return self._shown(self._view.next(who, body.get("last", "")))

    def label(self, body, who):
        """Label a row."""
        found = get_id(body), self._get_label(body), who, self._get_tags(body)
        return self._shown(self._view.label(*found))

    def skip(self, body, who):
        """Skip a row, with or without a reason."""
        reason = get_text(body, "reason", LONGEST_TEXT) or None
        tags = self._get_tags(body)
        return self._shown(self._view.skip(get_id(body), who, reason, tags))

    def undo(self, body, who):
        """Undo the person's last answer."""
        return self._shown(self._view.undo(who))

    def changes(self, body, who):
        """Return the progress and a row, unless the page has this version of both."""
        version = self._session.version
        if version == body.get("version"):
            return {"version": version}
        row = None
        if "id" in body:
            row = self._row(self._session.answers(get_id(body), viewer=who))
        return {"version": version, "row": row, **self._view.progress(who)}

    def advice(self, body, who):
        """Return the learning curve and the advice."""
        curve, advice = self._session.report()
        return {
            "advice": advice,
            "plot": plot_curve(curve),
            "words": describe_curve(curve) if curve else "",
        }

    def image(self, body, who):
        """Return the image of a row."""
        from ._items import image_data

        kind, item = self._view.item(get_id(body))
        if kind != "image":
            raise ValueError("These rows are not images.")
        # the path is checked at every request: a link may have changed
        data, media_type = image_data(item, self._view.folder)
        return Response(data, media_type=media_type, headers=HEADERS)

    def review(self, body, who):
        """Return a part of a list of rows."""
        from ._items import excerpt

        found = self._view.review(
            get_text(body, "list", LONGEST_NAME) or "labelled",
            get_text(body, "text", LONGEST_TEXT),
            who=who,
            start=body.get("start", 0),
            limit=N_LISTED,
            refresh=body.get("refresh") is True,
        )
        rows = []
        for row in found.rows:
            kind, item = self._view.item(row.id)
            title, about = describe_listed(row)
            at = row.answers[-1].at if row.answers else None
            shown = {"title": title, "about": about, "excerpt": excerpt(item, kind)}
            rows.append({"id": row.id, **shown, "at": at})
        return {**found._asdict(), "rows": rows}

    def people(self, body, who):
        """Return what each person has done, and how far people agree."""
        return {"lines": describe_people(self._session) or [NOBODY]}

    def correct(self, body, who):
        """Label a row that was opened from a list."""
        is_final = body.get("final") is True
        self._session.label(
            get_id(body), self._get_label(body), who, final=is_final,
            tags=self._get_tags(body),
        )  # fmt: skip
        return self.changes(body, who)

    def tag(self, body, who):
        """Give the person's answer to a row that was opened from a list other tags."""
        said = self._view.tag(get_id(body), self._get_tags(body) or [], who)
        return {"said": said, **self.changes(body, who)}

    def withdraw(self, body, who):
        """Undo the person's last answer to a row."""
        self._session.undo(who, id=get_id(body))
        return self.changes(body, who)

    def reopen(self, body, who):
        """Show all skipped rows again."""
        n_rows = len(self._session.reopen(None, who))
        return {"n_rows": n_rows, **self._view.progress(who)}

    def note(self, body, who):
        """Store a note on a row."""
        self._session.note(get_id(body), get_text(body, "text", LONGEST_TEXT), who)
        return self.changes(body, who)

    def _get_tags(self, body):
        tags = body.get("tags") if self._session.tags else None
        if not (tags is None or isinstance(tags, list)):
            raise ValueError("tags must be a list of tags.")
        return tags  # the session refuses other names

    def _get_label(self, body):
        name = body.get("label")
        if self._view.keys.several and isinstance(name, list):
            return name  # the session refuses other names
        if not isinstance(name, str):
            raise ValueError("label must be one of the classes.")
        return self._classes.get(name, name)  # the session refuses other names

    def _shown(self, shown):
        row = None if shown.row is None else self._row(shown.row)
        return {**shown._asdict(), "row": row}

    def _row(self, row):
        from ._items import shown_item

        kind, item = self._view.item(row.id)
        return {**plain_row(row), "kind": kind, "item": shown_item(item, kind)}


#: Everything that the page may ask for, by the last part of the address.
VERBS = [name for name in vars(PageRequests) if not name.startswith("_")]
#: Requests that may wait for training.
WAITING = {"next", "undo", "advice", "withdraw", "reopen"}


def plain_row(row):
    """Return a row of a review as JSON, labels as the page shows them."""

    def name(label):
        return label if isinstance(label, list | None) else f"{label}"

    answers = [
        {**each._asdict(), "label": name(each.label), "words": describe_answer(each)}
        for each in row.answers
    ]
    notes = [{**each._asdict(), "words": describe_note(each)} for each in row.notes]
    return {
        "id": row.id, "state": row.state, "label": name(row.label),
        "answers": answers, "notes": notes,
    }  # fmt: skip


def get_text(body, name, longest):
    """Return a text of a request, an empty one by default."""
    value = body.get(name) or ""
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name} must be a text of at most {longest} letters.")
    return value


def get_id(body):
    """Return the id of a row in a request."""
    from ..storage._labels import is_id

    if not is_id(body.get("id")):
        raise ValueError("id must be a text or a whole number.")
    return body["id"]


def make_app(server):
    """Return the application that serves the page.

    Parameters
    ----------
    server : PageServer
        Its ``token`` is required of every request; its ``requests`` are None and
        ``preparing`` is shown until a session is there.
    """
    quick, waiting = ThreadPoolExecutor(N_QUICK), ThreadPoolExecutor(N_WAITING)

    def route_file(path, file):
        content = file.read_bytes()
        media_type = MEDIA_TYPES[Path(file.name).suffix]

        async def send(request):
            check_host(request)
            return Response(content, media_type=media_type, headers=HEADERS)

        return Route(path, send)

    def route_verb(name):
        threads = waiting if name in WAITING else quick

        async def answer(request):
            check_host(request)
            check_caller(request, server.token)
            server.remove_redirect()
            body = await read_body(request)
            if server.requests is None:
                return respond({"preparing": server.preparing})
            loop = asyncio.get_running_loop()
            try:
                who = get_text(body, "who", LONGEST_NAME) or None
                call = getattr(server.requests, name)
                found = await loop.run_in_executor(threads, call, body, who)
            except (ValueError, TypeError, KeyError) as error:
                raise HTTPException(400, str(error)) from error
            except OSError as error:  # the same request works when the cause is gone
                raise HTTPException(503, error.strerror or str(error)) from error
            return found if isinstance(found, Response) else respond(found)

        return Route(f"/api/{name}", answer, methods=["POST"])

    return Starlette(
        routes=[
            *(route_file(path, file) for path, file in FILES.items()),
            *map(route_verb, VERBS),
        ],
        exception_handlers={HTTPException: refuse, Exception: fail},
    )


async def refuse(request, error):
    """Answer with a status and a sentence."""
    return respond({"error": error.detail}, error.status_code)


async def fail(request, error):
    """Answer that the server failed, without the reason."""
    sentence = "The server failed. The reason is in the terminal where it runs."
    return respond({"error": sentence}, 500)


def check_host(request):
    """Refuse requests to a foreign host name that resolves to this machine."""
    if not LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise HTTPException(421, "This server is for this machine only.")


def check_caller(request, token):
    """Refuse other sites, and requests without the token."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise HTTPException(403, "Another site has sent this request.")
    given = request.headers.get("authorization", "").encode()
    if not secrets.compare_digest(given, f"Bearer {token}".encode()):
        raise HTTPException(401, "Open the address that the command printed last.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise HTTPException(415, "The content type must be application/json.")


async def read_body(request):
    """Return the JSON object in the body of a request."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LONGEST_BODY:
            raise HTTPException(413, f"The body has more than {LONGEST_BODY} bytes.")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "The body must be a JSON object.")
    return body


class PageServer:
    """Serves the page in a thread, from before the session is open.

    A notebook shows it as a link.

    Parameters
    ----------
    port : int, default=0
        Port on this machine. 0 takes a free one.

    Attributes
    ----------
    address : str
        Address of the page with the token: whoever has it, on this machine, can label.
    preparing : str
        Shown on the page until a session is there.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, port=0):
        self._listener = socket.create_server((HOST, port))
        self.token = secrets.token_hex(16)
        port = self._listener.getsockname()[1]
        self.address: str = f"http://{HOST}:{port}/#token={self.token}"
        self.requests = self.session = self._redirect = None
        self.preparing = PREPARING
        config = uvicorn.Config(
            make_app(self),
            lifespan="off",
            ws="none",
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        arguments = {"sockets": [self._listener]}
        self._thread = Thread(target=self._server.run, kwargs=arguments, daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def __repr__(self):
        return f"PageServer({self.address!r})"

    def _repr_html_(self):
        link = escape(self.address)
        return f"<a href='{link}' target='_blank' rel='noreferrer'>Label here</a>"

    @property
    def is_running(self):
        """True while the server answers."""
        return self._thread.is_alive()

    def show(self, view):
        """Show a session from now on.

        Parameters
        ----------
        view : LabelingView
            Session to label.
        """
        self.session, self.requests = view.session, PageRequests(view)

    def open_browser(self):
        """Open the page in the browser.

        Every user of the machine can read the arguments of its processes. The browser
        is therefore given a file that only this user can read, which leads to the
        address. The first request of the page removes it.
        """
        self._redirect = Path(mkdtemp(prefix="sklearn_activelearn_"))
        file = self._redirect / "label.html"
        file.write_text(REDIRECT.format(address=escape(self.address)))
        webbrowser.open(file.as_uri())

    def remove_redirect(self):
        """Remove the file that leads to the address."""
        folder, self._redirect = self._redirect, None
        if folder is not None:
            rmtree(folder, ignore_errors=True)

    def wait(self) -> None:
        """Wait until the server ends. Ctrl-C ends the server, not the program."""
        with suppress(KeyboardInterrupt):
            while self._thread.is_alive():
                sleep(0.5)  # a join that Ctrl-C interrupts would count as ended
        self.close()

    def close(self) -> None:
        """End the server. A second call does nothing."""
        atexit.unregister(self.close)
        self.remove_redirect()
        self._server.should_exit = True
        if self._thread is not current_thread():
            self._thread.join()
        self._listener.close()

    def close_for(self, session):
        """End the server if it still shows this session."""
        if self.session is session:
            self.close()


def serve(
    session, port=0, open=True, *, kind=None, folder=None, title="", guide="",
    show_prediction=False, show_reasons=False, block=None,
):  # fmt: skip
    """Show the page of a session; see `LabelingSession.serve`."""
    # scikit-learn: the page of the command answers before it is imported
    from ...base import check_flags, check_number, check_option

    check_number(port, "port", 0, closed="left", integer=True)
    check_flags(open=open, show_reasons=show_reasons)
    if kind is not None:
        check_option(kind, "kind", ("text", "table", "image"))
    if session.classes is None:
        raise ValueError("The page needs all classes from the start: pass classes.")
    session.check_open()
    folder = None if folder is None else Path(folder).resolve()
    view = LabelingView(
        session, kind, folder=folder, show_prediction=show_prediction,
        show_reasons=show_reasons, title=title, guide=guide,
    )  # fmt: skip
    path = os.path.realpath(session.path)
    server = SERVERS.get(path)
    is_new = server is None or not server.is_running
    if is_new:
        server = SERVERS[path] = PageServer(port)
    server.show(view)
    session._server = server
    if open and is_new:
        server.open_browser()
    if block is None:
        block = not (hasattr(sys, "ps1") or hasattr(builtins, "__IPYTHON__"))
    if block:
        print(f"Open {server.address}\nCtrl-C ends it.", flush=True)
        server.wait()
    return server
