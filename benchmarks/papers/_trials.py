"""How many trials there are, and where what they found is stored."""

import json
import os
from functools import partial
from pathlib import Path

from sklearn_activelearn._cli.options import number

#: The type of an option that is a count: `at_least(2)`.
at_least = partial(number, int)


def add_cache(parser):
    """Add ``--cache`` to the options of an experiment."""
    parser.add_argument(
        "--cache", metavar="DIR", type=made, help="store trials, and read those stored"
    )


def made(text):
    """Return a folder, which is made if need be: before the long run."""
    folder = Path(text)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def stored(folder, name, compute):
    """Return what a trial found: from its file if there is one.

    Parameters
    ----------
    folder : Path or None
        Where the files are; None: nothing is stored.
    name : sequence
        All that the result depends on: the words of the file's name.
    compute : callable
        Runs the trial; its result must be JSON.
    """
    if folder is None:
        return compute()
    file = folder / f"{'-'.join(map(str, name)).replace('/', '_')}.json"
    if file.exists():
        return json.loads(file.read_text(encoding="utf-8"))
    found = compute()
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(file)
    return found
