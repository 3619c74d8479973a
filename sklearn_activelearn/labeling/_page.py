"""Labelling in the browser: one page, and a server for this machine only."""

import asyncio
import base64
import hashlib
import json
import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ._images import IMAGE_TYPES

LONGEST_BODY = 2**16  # bytes
LONGEST_NAME = 100
N_PEOPLE = 32  # who may wait for a row at the same time
READS = ("progress", "image")
#: Names of this machine; another one in the Host header is that of a page that had
#: its address pointed here.
LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
PAGE = files(__package__).joinpath("page/index.html").read_text(encoding="utf-8")


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


def serve(view, listener, announce=print):
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    view : LabelingView
        What the page shows, and where answers go.
    listener : socket
        Bound to an address of this machine.
    announce : callable, default=print
        Called with the address of the page, which holds the token.
    """
    token = secrets.token_hex(16)
    config = uvicorn.Config(
        make_app(view, token),
        lifespan="off",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    announce(f"http://127.0.0.1:{listener.getsockname()[1]}/#token={token}")
    uvicorn.Server(config).run(sockets=[listener])


def make_app(view, token):
    """Return the application that shows a session to those who have the token."""
    # answers may wait for training; who asks only how far the work is waits for nobody
    people, readers = ThreadPoolExecutor(N_PEOPLE), ThreadPoolExecutor(1)
    verbs = {
        "next": lambda body, who: shown_state(view, view.next(who)),
        "label": lambda body, who: shown_state(
            view, view.label(row_id(body), text(body, "label"), who)
        ),
        "skip": lambda body, who: shown_state(view, view.skip(row_id(body), who)),
        "undo": lambda body, who: shown_state(view, view.undo(who)),
        "progress": lambda body, who: view.progress(),
        "image": lambda body, who: image(view.image(row_id(body))),
    }

    async def page(request):
        check_host(request)
        return Response(PAGE, media_type="text/html", headers=HEADERS)

    async def api(request):
        check_host(request)
        check_caller(request, token)
        verb = verbs.get(request.path_params["verb"])
        if verb is None:
            raise HTTPException(404, "There is nothing at this address.")
        body = await read_body(request)
        who = text(body, "who") if body.get("who") else None
        loop = asyncio.get_running_loop()
        try:
            threads = readers if request.path_params["verb"] in READS else people
            found = await loop.run_in_executor(threads, verb, body, who)
        except (ValueError, KeyError) as error:
            raise HTTPException(400, str(error)) from error
        except OSError as error:  # the file: it works again when that is mended
            sentence = error.strerror or str(error)
            raise HTTPException(503, sentence) from error
        if isinstance(found, Response):
            return found
        return JSONResponse(found, headers=HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/api/{verb}", api, methods=["POST"]),
        ],
        exception_handlers={HTTPException: refuse, Exception: fail},
    )


async def refuse(request, error):
    """Answer with a status and a sentence."""
    return JSONResponse({"error": error.detail}, error.status_code, headers=HEADERS)


async def fail(request, error):
    """Say that it is not the person's fault."""
    sentence = "The server failed; the reason is in the terminal where it runs."
    return JSONResponse({"error": sentence}, 500, headers=HEADERS)


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


def text(body, name):
    """Return a short text of a request."""
    value = body.get(name)
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise HTTPException(
            400, f"{name} must be a text of at most {LONGEST_NAME} letters."
        )
    return value


def row_id(body):
    """Return the id of a row in a request."""
    value = body.get("id")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise HTTPException(400, "id must be a text or a whole number.")
    return value


def shown_state(view, row_view):
    """Return what the page shows, as JSON."""
    row = (
        None
        if row_view.row_id is None
        else {"id": row_view.row_id, "item": row_view.item}
    )
    return {
        "kind": view.kind,
        "classes": view.keys.as_json(),
        "row": row,
        "reason": row_view.reason,
        "counts": row_view.counts,
        "share": row_view.share,
        "last": row_view.last,
        "prediction": row_view.prediction,
    }


def image(path):
    """Return what is in the file of an image."""
    kind = IMAGE_TYPES[path.suffix.lower()]
    return Response(path.read_bytes(), media_type=kind, headers=HEADERS)
