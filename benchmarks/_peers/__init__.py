"""Competitors, one file each: how they choose labels from a stream, and their speed.

A file may hold METHODS, rows of `benchmarks.sets.streams`, and `cases`, lines of
`benchmarks.speed.peers`. Who is not installed is left out, with a line that says so.
"""

from importlib import import_module

NAMES = ["scikit_learn", "vowpal_wabbit", "river", "skactiveml", "modal"]


def installed():
    """Return the modules of the competitors that can be imported."""
    modules = []
    for name in NAMES:
        try:
            modules.append(import_module(f"{__name__}.{name}"))
        except ImportError as error:
            print(f"without {name}: {error}")
    return modules
