"""The page of a session that was made in Python."""

import builtins
import os
import sys
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, Literal

from .._typing import FilePath
from .._validation import check_flag, check_number, check_option

#: The servers of this process, by the file of the session.
SERVERS: dict[str, Any] = {}


class Page:
    """The page of a session: its address, shown as a link in a notebook.

    Attributes
    ----------
    address : str
        With the token: whoever has it, on this machine, may label.
    """

    def __init__(self, server):
        self._server = server
        self.address: str = server.address

    def __repr__(self) -> str:
        return f"Page({self.address!r})"

    def _repr_html_(self) -> str:
        link = escape(self.address)
        return f"<a href='{link}' target='_blank' rel='noreferrer'>Label here</a>"

    def wait(self) -> None:
        """Wait until Ctrl-C, or until somebody calls `close`."""
        with suppress(KeyboardInterrupt):
            self._server.wait()

    def close(self) -> None:
        """Close the page; the session stays open."""
        self._server.close()


def serve(
    self, port: int = 0, open: bool = True, *,
    kind: Literal["text", "table", "image"] | None = None,
    folder: FilePath | None = None, title: str = "", guide: str = "",
    show_prediction: bool = False, block: bool | None = None,
) -> Page:  # fmt: skip
    """Show the page of this session, on this machine only.

    In a notebook it returns at once. If the page of an earlier session with the
    same file is still there, it shows this one from now on, at the same address:
    a cell that makes a session and serves it may be run again.

    Parameters
    ----------
    port : int, default=0
        Of the page; 0: a free one.
    open : bool, default=True
        Whether to open it in the browser, unless it is there already.
    kind : {"text", "table", "image"}, default=None
        How rows are shown; paths of images that are texts need "image". None: paths of
        `pathlib`, images of Pillow and arrays of two or three dimensions as images,
        rows of frames, dicts and arrays as tables, all else as text.
    folder : str or path, default=None
        Where the files of images must lie, to which their paths are relative then.
        None: anywhere.
    title : str, default=""
        What the project is called.
    guide : str, default=""
        What the classes mean, in Markdown; what is below a heading that is the name
        of a class describes that class.
    show_prediction : bool, default=False
        Whether to show what the model believes before the label, too.
    block : bool, default=None
        Whether to wait until Ctrl-C, which ends the page and not the script. None: in
        scripts, not where code is typed.

    Returns
    -------
    page : Page
        ``address``; ``wait()`` and ``close()``. It ends with the session, too.

    Raises
    ------
    ValueError
        If the session was begun without its classes, or is closed.
    OSError
        If the port is taken.
    ImportError
        If Starlette or uvicorn is not installed.
    """
    check_number(port, "port", 0, closed="left", integer=True)
    check_flag(open, "open")
    if kind is not None:
        check_option(kind, "kind", ("text", "table", "image"))
    if self.classes is None:
        raise ValueError("The page needs all labels from the start: give classes.")
    self._log.check_open()
    from ._page import PageServer
    from ._verbs import verbs_of
    from ._view import LabelingView

    view = LabelingView(
        self,
        kind,
        folder=None if folder is None else Path(folder).resolve(),
        show_prediction=show_prediction,
        title=title,
        guide=guide,
    )
    path = os.path.realpath(self._journal.path)
    server = SERVERS.get(path)
    is_new = server is None or not server.is_running
    if is_new:
        server = SERVERS[path] = PageServer(port)
    server.show(self, verbs_of(view))
    self._server, page = server, Page(server)
    if open and is_new:
        webbrowser.open(page.address)
    if block is None:
        block = not (hasattr(sys, "ps1") or hasattr(builtins, "__IPYTHON__"))
    if block:
        print(f"Open {page.address}\nCtrl-C ends it.", flush=True)
        page.wait()
    return page


def end_page(self):
    """Close the page unless another session is shown there by now."""
    if self._server is not None and self._server.shows(self):
        self._server.close()
