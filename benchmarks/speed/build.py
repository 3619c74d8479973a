"""Building: seconds of the processor for each step, lines of C and size of each module.

A copy of the sources is built by the package's own commands, one module at a time:
Cython translates all modules, then the compiler compiles each. Last, `pip wheel` builds
the whole package in a new environment. Its seconds, less the seconds of the steps, are
the work of pip: most of it installs setuptools and Cython.

    python -m benchmarks.speed.build [--quick]
"""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

import setuptools  # noqa: F401, the import provides distutils

from benchmarks.speed import _results
from benchmarks.speed._interleave import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sklearn_activelearn"


def copy_sources(folder):
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("*.c", "*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / PACKAGE, Path(folder, PACKAGE), ignore=ignored)


def seconds_of(call, *arguments):
    """Return the processor seconds that a call and its child processes take."""
    before = os.times()
    call(*arguments)
    return sum(os.times()[:4]) - sum(before[:4])


def built(only):
    """Build in the present folder; yield the line of each step."""
    run_setup = importlib.import_module("distutils.core").run_setup
    distribution = run_setup("setup.py", ["-q"], stop_after="commandline")
    distribution.ext_modules = [
        ext for ext in distribution.ext_modules if not only or ext.name == only
    ]
    command = distribution.get_command_obj("build_ext")
    kind, times = type(command), {}
    translate, build_extension = kind.translate, kind.build_extension

    def timed_translation(self, extensions):
        times["Cython"] = seconds_of(translate, self, extensions)

    def timed_compilation(self, ext):
        times[ext.name] = seconds_of(build_extension, self, ext)

    kind.translate, kind.build_extension = timed_translation, timed_compilation
    command.parallel = 1
    distribution.run_command("build_ext")
    yield "Cython", times.pop("Cython"), 0, 0
    for name, seconds in times.items():
        source = Path(*name.split(".")).with_suffix(".c")
        lines = source.read_text(encoding="utf-8").count("\n")
        (library,) = Path("build").glob(f"lib*/{name.replace('.', '/')}.*")
        yield name.partition(".")[2], seconds, lines, library.stat().st_size / 1000


def pip_wheel(folder):
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "dist"]
    subprocess.run([*command, "."], cwd=folder, check=True)


def benchmark(quick, rounds):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as new:
        copy_sources(folder)
        with chdir(folder):
            lines = [*built(f"{PACKAGE}.base._interrupts" if quick else None)]
        _, *numbers = zip(*lines, strict=True)
        if not quick:
            copy_sources(new)
            own = seconds_of(pip_wheel, new) - sum(numbers[0])
            lines.append(("pip and its environment", own, 0, 0))
            numbers[0] = (*numbers[0], own)
    lines.append(("all", *map(sum, numbers)))
    header = ["step or module", "seconds", "lines of C", "kB"]
    written = [
        [name, f"{s:.1f}", f"{n:,}" if n else "", f"{kb:.0f}" if kb else ""]
        for name, s, n, kb in lines
    ]
    _results.write("compile_times.csv", header, written, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
