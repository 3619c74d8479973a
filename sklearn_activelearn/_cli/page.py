"""The page of ``label --web``: it answers before anything else is imported."""

import os
from contextlib import contextmanager

from .options import UsageError


@contextmanager
def open_page(args):
    """Give the server of the page, which says that rows are got ready; None without."""
    if not args.web or any((args.rehearse, args.export, args.predict, args.save_model)):
        yield None
        return
    from ..labeling._page import PageServer

    try:
        page = PageServer(args.port)
    except OSError as error:
        reason = os.strerror(error.errno)
        raise UsageError(f"--port: {args.port}: {reason}") from error
    try:
        announce(page.address)
        yield page
    finally:
        page.close()


def label_in_browser(session_view, page):
    """Show the session on the page until Ctrl-C."""
    page.show(session_view)
    try:
        page.wait()
    except KeyboardInterrupt:
        print()  # after ^C


def announce(address):
    """Tell where the page is."""
    print(f"Open {address}")
    print("It works on this machine only. Several people: add ?who=NAME before the #.")
    print("Ctrl-C ends it; labels are saved as they are given.", flush=True)
