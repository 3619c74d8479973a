"""Loops to compare with, compiled on the spot."""

import importlib.util
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import sklearn_activelearn


@cache
def compiled(name):
    """Return the module of that ``.pyx`` file here, with the package's flags."""
    package = Path(sklearn_activelearn.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"{name}.pyx")
        source.write_text(Path(__file__).with_name(source.name).read_text())
        flags = f"-O3 -ffp-contract=off -I{package}"
        subprocess.run(
            [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "-q", str(source)],
            env={**os.environ, "CFLAGS": flags, "PYTHONPATH": str(package.parent)},
            check=True,
            capture_output=True,
            cwd=folder,
        )
        (library,) = Path(folder).glob("*.so")
        spec = importlib.util.spec_from_file_location(name, library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module
