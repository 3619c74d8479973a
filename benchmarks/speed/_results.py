"""Tables of the docs: CSV files whose last columns say what machine they are from."""

import platform
from pathlib import Path

import numpy
import scipy
import sklearn

from benchmarks.results import show_table, write_csv

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
    """Return the versions of Python and of the libraries that the times depend on."""
    libraries = {"numpy": numpy, "scipy": scipy, "scikit-learn": sklearn}
    named = [f"{name} {each.__version__}" for name, each in libraries.items()]
    return ", ".join([f"Python {platform.python_version()}", *named])


def rounded(number):
    """Return a number with three digits, as text."""
    return f"{float(f'{number:.3g}'):,.10g}"


def write(name, header, lines, quick=False):
    """Print a table, and write it to the docs unless it is of a toy run.

    Parameters
    ----------
    name : str
        Of the file in ``docs/results``.
    header : list of str
        Of all columns but those of `MACHINE`.
    lines : list of sequences
        What is in these columns.
    quick : bool
        Whether the run was a toy.

    Raises
    ------
    ValueError
        If a line has not as many cells as the header; nothing is written.
    """
    for line in lines:
        if len(line) != len(header):
            raise ValueError(f"{name}: {line} has not the cells of {header}.")
    show_table(header, lines)
    if not quick:
        machine = processor(), ", ".join(caches()), versions()
        rows = [[*line, *machine] for line in lines]
        write_csv(FOLDER / name, [*header, *MACHINE], rows)
