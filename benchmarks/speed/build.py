"""Compilation: seconds of the processor, lines of C and size of each compiled module.

The modules are built one after the other from a copy of the sources, each by Cython and
then by the compiler, with the package's own flags. Seconds are those of the processor,
so that another program at the same time does little harm.

    python -m benchmarks.speed.build [--quick]
"""

import os
import shutil
import tempfile
from contextlib import chdir
from distutils.core import run_setup
from pathlib import Path

from benchmarks.speed import _results
from benchmarks.speed._interleave import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sklearn_activelearn"


def built(module, folder):
    """Build one module of the tree in a folder; return what is printed of it."""
    with chdir(folder):
        distribution = run_setup("setup.py", ["-q"], stop_after="commandline")
        (extension,) = (e for e in distribution.ext_modules if e.name == module)
        distribution.ext_modules = [extension]
        before = os.times()
        distribution.run_command("build_ext")
        after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])
    source = Path(folder, *module.split(".")).with_suffix(".c")
    lines = source.read_text(encoding="utf-8").count("\n")
    (library,) = Path(folder, "build").glob(f"lib*/{module.replace('.', '/')}.*")
    return seconds, lines, library.stat().st_size / 1000


def show(line):
    name, seconds, n_lines, kilobytes = line
    print(f"  {seconds:7.1f} {n_lines:10,} {kilobytes:6.0f}  {name}", flush=True)


def benchmark(quick, rounds):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        ignored = shutil.ignore_patterns("*.c", "*.so", "*.pyd", "__pycache__")
        shutil.copytree(ROOT / PACKAGE, Path(folder, PACKAGE), ignore=ignored)
        with chdir(folder):
            extensions = run_setup("setup.py", stop_after="init").ext_modules
        modules = [extension.name for extension in extensions]
        if quick:
            modules = [f"{PACKAGE}._interrupts"]
        print(f"\n  {'seconds':>7} {'lines of C':>10} {'kB':>6}")
        lines = []
        for module in modules:
            lines.append([module.partition(".")[2], *built(module, folder)])
            show(lines[-1])
    _, *numbers = zip(*lines, strict=True)
    lines.append(["all", *map(sum, numbers)])
    show(lines[-1])
    if not quick:
        written = [[n, f"{s:.1f}", f"{c:,}", f"{k:.0f}"] for n, s, c, k in lines]
        header = ["module", "seconds", "lines of C", "kB"]
        _results.write("compile_times.csv", header, written)


if __name__ == "__main__":
    main(__doc__, benchmark)
