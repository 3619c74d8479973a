"""The options of ``label`` that say what people type and read."""

import argparse
from pathlib import Path


def add_keys(add):
    """Add the options of keys, the guide and the title."""
    add(
        "--keys",
        metavar="CLASS=KEY,...",
        type=key_names,
        default={},
        help="keys of your own, one character each, as in spam=x,ham=h",
    )
    add(
        "--guide",
        metavar="FILE.md",
        type=Path,
        help="what the classes mean, a key away (!) in the terminal and on the page",
    )
    add("--title", metavar="TEXT", default="", help="what your project is called")


def key_names(text):
    """Return the key of each class in a list with commas."""
    found = {}
    for part in text.split(","):
        name, is_there, key = (each.strip() for each in part.rpartition("="))
        if not is_there or not name:
            raise argparse.ArgumentTypeError(f"{part!r} is not CLASS=KEY")
        if name in found:
            raise argparse.ArgumentTypeError(f"{name!r} is there twice")
        found[name] = key
    return found
