"""A session in a notebook, and how far a long replay is."""

import sys
from html import escape
from time import monotonic

from ._view import rows_left

WIDTH, HEIGHT = 320, 120
MARGINS = 44, 20, 16, 36  #: beside it on the left, above, on the right, below

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


def sentence_of(session):
    """Return where a session stands, in a sentence."""
    status = session.status()
    counts = {label: n for label, n in status.by_class.items() if n}
    each = ", ".join(f"{label}: {n:,}" for label, n in counts.items())
    done = f"{sum(counts.values()):,} of {len(session.ids):,} rows are labelled"
    parts = [done + (each and f" ({each})")]
    if status.skipped:
        parts.append(f"{status.skipped:,} skipped")
    if status.pending:
        parts.append(f"{status.pending:,} wait for a label")
    if status.left is not None:
        n_rows = rows_left(status, len(session.ids)) - status.pending
        parts.append(f"{min(status.left, n_rows):,} labels are left to buy")
    if status.stop_reason is not None:
        parts.append(f"it has ended ({status.stop_reason})")
    return f"LabelingSession: {', '.join(parts)}."


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
    left, top, right, bottom = MARGINS
    width, height = WIDTH + left + right, HEIGHT + top + bottom
    heights = {f"{share:.0%}": (1 - share) * HEIGHT for share in (0, 0.5, 1)}
    places = {f"{n:,}": n / last * WIDTH for n in {0, last // 2, last}}
    numbers = [
        f"<text x='-6' y='{y + 4:.0f}' text-anchor='end'>{share}</text>"
        f"<path d='M-3 {y:.1f}H0' stroke='currentColor'/>"
        for share, y in heights.items()
    ]
    numbers += [
        f"<text x='{x:.1f}' y='{HEIGHT + 16}' text-anchor='middle'>{n}</text>"
        f"<path d='M{x:.1f} {HEIGHT}v3' stroke='currentColor'/>"
        for n, x in places.items()
    ]
    return (
        f"<svg width='{width}' height='{height}' role='img' "
        f"viewBox='{-left} {-top} {width} {height}' "
        "style='font:11px sans-serif' fill='currentColor'>"
        f"<title>{title}</title>"
        f"<path d='M0 0V{HEIGHT}H{WIDTH}' fill='none' stroke='currentColor'/>"
        f"{''.join(numbers)}"
        f"<text x='{WIDTH // 2}' y='{HEIGHT + 30}' text-anchor='middle'>labels</text>"
        f"<text x='0' y='-6'>{escape(measure)}; dashed: a constant answer</text>"
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
