"""Labelling in the browser: one page, and a server for this machine only."""

import asyncio
import base64
import hashlib
import json
import re
import secrets
import socket
from asyncio import Future
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from threading import Thread, current_thread
from time import sleep

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

LONGEST_BODY = 2**16  # bytes
LONGEST_NAME = 100
HOST = "127.0.0.1"
TICK = 0.5  # seconds
MOMENT = 0.05  # seconds for which an answer waits for the next row
#: Threads of each kind; as many people may wait for a row at the same time.
N_THREADS = {"answers": 32, "waiting": 64, "reading": 4, "progress": 1}
#: What the page may ask for.
VERBS = {
    "start", "next", "label", "skip", "undo", "progress", "image", "review", "open",
    "people", "correct", "withdraw", "reopen", "note",
}  # fmt: skip
#: Names of this machine; another one in the Host header is that of a page that had
#: its address pointed here.
LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
FOLDER = files(__package__).joinpath("page")
SCRIPTS = "base", "row", "typeahead", "keys", "label", "review", "dialogs", "begin"


def page_text():
    """Return the page: one file, with its style and its script."""
    names = [f"{name}.js" for name in SCRIPTS]
    texts = [FOLDER.joinpath(name).read_text(encoding="utf-8") for name in names]
    style = FOLDER.joinpath("style.css").read_text(encoding="utf-8")
    page = FOLDER.joinpath("index.html").read_text(encoding="utf-8")
    page = page.replace("<style></style>", f"<style>\n{style}</style>")
    return page.replace("<script></script>", f"<script>\n{''.join(texts)}</script>")


PAGE = page_text()


def csp_hashes(element):
    """Return the hashes of the page's own scripts or styles, as a policy has them."""
    bodies = re.findall(f"<{element}>(.*?)</{element}>", PAGE, re.DOTALL)
    digests = [hashlib.sha256(body.encode()).digest() for body in bodies]
    return " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)


HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; script-src {csp_hashes('script')}; "
        f"style-src {csp_hashes('style')}; connect-src 'self'; img-src blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageResponse(Response):
    """JSON in ASCII: a text may have half a character, which UTF-8 cannot hold."""

    media_type = "application/json"

    def render(self, content):
        """Return the bytes of it."""
        return json.dumps(content, allow_nan=False).encode()


class PageServer:
    """Serves the page in a thread, also while the session is not open yet.

    Parameters
    ----------
    port : int, default=0
        On this machine; 0: a free one.

    Attributes
    ----------
    address : str
        Of the page, with the token.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, port=0):
        self._listener = socket.create_server((HOST, port))
        self._token = secrets.token_hex(16)
        port = self._listener.getsockname()[1]
        self.address = f"http://{HOST}:{port}/#token={self._token}"
        self._verbs = self._session = None
        config = uvicorn.Config(
            make_app(lambda: self._verbs, self._token),
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

    @property
    def is_running(self):
        """Whether somebody may be served."""
        return self._thread.is_alive()

    def show(self, session, verbs):
        """Show a session from now on, by its verbs."""
        self._session, self._verbs = session, verbs

    def shows(self, session):
        """Whether it is this session that is shown."""
        return self._session is session

    def wait(self):
        """Wait until the server ends; Ctrl-C ends it."""
        try:
            while self._thread.is_alive():
                sleep(TICK)  # a join that Ctrl-C interrupts takes it for ended
        finally:
            self.close()

    def close(self):
        """End the server; twice is fine."""
        self._server.should_exit = True
        if self._thread is not current_thread():
            self._thread.join()
        self._listener.close()


def make_app(find_verbs, token):
    """Return the application that shows a session to those who have the token.

    Parameters
    ----------
    find_verbs : callable
        It returns the verbs of the page by name, None while they are got ready.
    token : str
        The secret.
    """
    threads = {name: ThreadPoolExecutor(n) for name, n in N_THREADS.items()}

    async def page(request):
        check_host(request)
        return Response(PAGE, media_type="text/html", headers=HEADERS)

    async def api(request):
        check_host(request)
        check_caller(request, token)
        name, verbs = request.path_params["verb"], find_verbs()
        if name not in VERBS:
            raise HTTPException(404, "There is nothing at this address.")
        body = await read_body(request)
        who = name_of(body)
        if verbs is None:
            return PageResponse({"preparing": True}, headers=HEADERS)
        try:
            found = await carry_out(verbs, name, threads, body, who)
        except (ValueError, KeyError) as error:
            raise HTTPException(400, str(error)) from error
        except OSError as error:  # the file: it works again when that is mended
            sentence = error.strerror or str(error)
            raise HTTPException(503, sentence) from error
        if hasattr(found, "media_type"):
            return Response(found.data, media_type=found.media_type, headers=HEADERS)
        return PageResponse(found, headers=HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/api/{verb}", api, methods=["POST"]),
        ],
        exception_handlers={HTTPException: refuse, Exception: fail},
    )


async def carry_out(verbs, name, threads, body, who):
    """Carry out a verb, and show the next row if it is there in a moment."""
    loop, verb = asyncio.get_running_loop(), verbs[name]
    found = await loop.run_in_executor(threads[verb.threads], verb.call, body, who)
    if not verb.then_next:
        return found
    last, found = found
    if found is not None:
        return found
    following = loop.run_in_executor(
        threads["waiting"], verbs["next"].call, {"last": last}, who
    )
    following.add_done_callback(Future.exception)  # or else it is logged
    done, _ = await asyncio.wait([following], timeout=MOMENT)
    return following.result() if done else {"waiting": True, "last": last}


async def refuse(request, error):
    """Answer with a status and a sentence."""
    return PageResponse({"error": error.detail}, error.status_code, headers=HEADERS)


async def fail(request, error):
    """Say that it is not the person's fault."""
    sentence = "The server failed; the reason is in the terminal where it runs."
    return PageResponse({"error": sentence}, 500, headers=HEADERS)


def check_host(request):
    """Refuse a page whose name was made to lead to this machine."""
    if not LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise HTTPException(421, "This server is for this machine only.")


def check_caller(request, token):
    """Refuse other sites, and whoever does not have the token."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise HTTPException(403, "Another site has sent this.")
    given = request.headers.get("authorization", "").encode()
    if not secrets.compare_digest(given, f"Bearer {token}".encode()):
        raise HTTPException(401, "Open the address that the command printed last.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise HTTPException(415, "JSON is needed.")


async def read_body(request):
    """Return the object in a request's body."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LONGEST_BODY:
            raise HTTPException(413, f"More than {LONGEST_BODY} bytes are refused.")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "A JSON object is needed.")
    return body


def name_of(body):
    """Return who has sent a request, None if it does not say."""
    who = body.get("who") or None
    if who is not None and (not isinstance(who, str) or len(who) > LONGEST_NAME):
        raise HTTPException(
            400, f"who must be a text of at most {LONGEST_NAME} letters."
        )
    return who
