"""Tables of the docs: CSV files whose last columns say what machine they are from."""

import csv
import platform
from pathlib import Path

import numpy
import scipy
import sklearn

FOLDER = Path("docs/results")
MACHINE = ["processor", "caches", "versions"]


def processor():
    """Return the name of the processor."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def caches():
    """Return the sizes of the second and third level of the cache, "" if not known."""
    sizes = []
    for level in (2, 3):
        size = Path(f"/sys/devices/system/cpu/cpu0/cache/index{level}/size")
        sizes.append(size.read_text().strip() if size.exists() else "")
    return sizes


def versions():
    """Return those of Python and of the libraries that the times depend on."""
    libraries = {"numpy": numpy, "scipy": scipy, "scikit-learn": sklearn}
    named = [f"{name} {each.__version__}" for name, each in libraries.items()]
    return ", ".join([f"Python {platform.python_version()}", *named])


def rounded(number):
    """Return a number with three digits, as text."""
    return f"{float(f'{number:.3g}'):,.10g}"


def write(name, header, lines):
    """Write a table of the docs.

    Parameters
    ----------
    name : str
        Of the file in ``docs/results``.
    header : list of str
        Of all columns but those of `MACHINE`.
    lines : iterable of sequences
        What is in these columns.
    """
    machine = processor(), ", ".join(caches()), versions()
    write_to(FOLDER / name, [*header, *MACHINE], ([*line, *machine] for line in lines))


def write_to(path, header, lines):
    """Write a table, and print where it is.

    Raises
    ------
    ValueError
        If a line has not as many cells as the header; nothing is written.
    """
    path, lines = Path(path), [list(line) for line in lines]
    for line in lines:
        if len(line) != len(header):
            raise ValueError(f"{path.name}: {line} has not the cells of {header}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *lines])
    print(f"\nwrote {path}")
