"""A session in a notebook, and how far a long replay is."""

import sys
from html import escape
from time import monotonic

WIDTH, HEIGHT = 320, 120

#: After so many seconds a replay says how far it is, and then as often.
PATIENCE = 1.0


def html_of(session):
    """Return a table of the status, the curve as a picture, and the advice."""
    status = session.status()
    counts = ", ".join(f"{label}: {n}" for label, n in status.by_class.items())
    facts = {
        "Rows asked for": status.asked,
        "Put aside": status.n_test,
        "Labelled": status.answered,
        "Skipped": status.skipped,
        "Waiting for a label": status.pending,
        "People disagree": status.disputed,
        "Labels left": "no limit" if status.left is None else status.left,
        "By class": counts,
        "Ended": status.stop_reason or "no",
    }
    lines = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td>{escape(str(value))}</td></tr>"
        for name, value in facts.items()
    )
    picture = svg_of(session.curve())
    return f"<table>{lines}</table>{picture}<p>{escape(session.advice())}</p>"


def svg_of(curve):
    """Return the scores against the labels, from 0 to 1, and a constant answer's."""
    if len(curve) < 2:
        return ""
    last, measure = curve[-1].n_labels or 1, curve[-1].measure.capitalize()
    points = " ".join(
        f"{point.n_labels / last * WIDTH:.1f},{(1 - point.score) * HEIGHT:.1f}"
        for point in curve
    )
    constant = f"{(1 - curve[-1].constant) * HEIGHT:.1f}"
    title = (
        f"{measure} on {curve[-1].n_test} rows put aside against labels, 0 to {last}"
    )
    return (
        f"<svg width='{WIDTH}' height='{HEIGHT}' role='img' style='overflow:visible'>"
        f"<title>{title}</title>"
        f"<path d='M0 0V{HEIGHT}H{WIDTH}' fill='none' stroke='currentColor'/>"
        f"<path d='M0 {constant}H{WIDTH}' stroke='gray' stroke-dasharray='4'/>"
        f"<polyline points='{points}' fill='none' stroke='#0072b2' stroke-width='2'/>"
        "</svg>"
    )


def reported(calls, out=None):
    """Yield calls that are made again; say in a terminal how far it is.

    Parameters
    ----------
    calls : list
        All of them.
    out : file, default=None
        Where to say it; None: the standard error.
    """
    out, reported_at = out or sys.stderr, monotonic()
    for n, call in enumerate(calls, start=1):
        yield call
        if out.isatty() and monotonic() - reported_at >= PATIENCE:
            reported_at = monotonic()
            print(f"\rRepeating call {n:,} of {len(calls):,} ", end="", file=out)
            out.flush()
