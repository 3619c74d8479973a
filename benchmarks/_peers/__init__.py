"""Competitors, one file each: how they choose labels from a stream, and their speed.

A file names its PACKAGE. It may hold METHODS, rows of `benchmarks.sets.streams`, and
`passes` and `loops`, lines of `benchmarks.speed.peers`. Who is not installed is left
out, with a line that says so.
"""

from importlib import import_module
from importlib.metadata import version

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


def package_of(module):
    """Return the name and version of what a competitor's file stands for."""
    return f"{module.PACKAGE} {version(module.PACKAGE)}"
