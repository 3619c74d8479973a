"""Packages and extension modules; everything else is in pyproject.toml."""

import os
import shutil
import subprocess
import sys
from glob import glob

import Cython
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError
from setuptools.modified import newer_group

# No -march and no contraction to fused multiply-add so that every x86 build gives the
# same bits; nobody reads errno, for which square roots could not be taken in vectors.
# Debug information would make a wheel four times as large.
FLAGS = []
if sys.platform != "win32":
    FLAGS = ["-ffp-contract=off", "-fno-math-errno", "-g0"]
PACKAGE = "sklearn_activelearn"
NEEDS_COMPILER = (
    "sklearn-activelearn is built with a C compiler. If there is none, install one: "
    "gcc or clang (Debian and Ubuntu: apt install build-essential, macOS: xcode-select "
    "--install), or the Build Tools of Visual Studio on Windows"
)
#: A change of these compiles all modules again.
SHARED = [
    "setup.py",
    *glob(f"{PACKAGE}/**/*.h", recursive=True),
    *glob(f"{PACKAGE}/**/*.pxd", recursive=True),
]
#: The functions of scipy that modules call, so that a build need not install scipy.
DECLARATIONS = f"{PACKAGE}/kernels/declarations"
#: What Cython writes for all modules that have memoryviews, compiled only once.
UTILITIES = "kernels/_cyutility"
#: The slowest first. More optimisation than this was measured to be no faster.
MODULES = {
    "stream/_pass": "-O3",
    "stream/second_order/_state": "-O3",
    "pool/alms/_logistic": "-O3",
    "stream/_state": "-O2",
    "stream/_rules": "-O2",
    "losses": "-O2",
    UTILITIES: "-O1",
    "kernels/_rows": "-O3",
    "batch/_columns": "-O2",
    "batch/_trees": "-O2",
    "base/_interrupts": "-O1",
    "pool/graph/_gains": "-O2",
}

EXTENSIONS = [
    Extension(
        f"{PACKAGE}.{module.replace('/', '.')}",
        [] if module == UTILITIES else [f"{PACKAGE}/{module}.pyx"],
        depends=SHARED,
        include_dirs=[PACKAGE, f"{PACKAGE}/kernels"],
        extra_compile_args=FLAGS and [optimisation, *FLAGS],
    )
    for module, optimisation in MODULES.items()
]


class BuildOnce(build_ext):
    """Compile only what is not compiled in this tree already.

    pip builds in a folder of its own with a Cython of its own, all new each time, so
    that every source would look changed. A module in its place in the tree is kept if
    it is newer than all of the tree that it is made of; its name says which Python it
    is for.
    """

    def finalize_options(self):
        """Compile as many modules at a time as there are cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def is_in_place(self, ext):
        """Tell whether a module is there and newer than what it is made of."""
        module = self.get_ext_filename(ext.name)
        made_of = [*ext.sources, *ext.depends]
        return os.path.exists(module) and not newer_group(made_of, module)

    def build_extensions(self):
        """Find what is compiled; modules of two versions of Cython share nothing."""
        usable = not self.force and is_of_this_cython(f"{PACKAGE}/{UTILITIES}.c")
        self.kept = [ext for ext in self.extensions if usable and self.is_in_place(ext)]
        self.translate([ext for ext in self.extensions if ext not in self.kept])
        super().build_extensions()

    def translate(self, extensions):
        """Write the C files of modules beside their sources.

        There is a process for each core, not for each module, because Cython takes a
        second to start, and one more for the utilities.
        """
        sources = [source for ext in extensions for source in ext.sources]
        n = min(self.parallel, len(sources))
        shared = f"--shared={PACKAGE}.{UTILITIES.replace('/', '.')}"
        calls = [[shared, "-I", DECLARATIONS, *sources[k::n]] for k in range(n)]
        for ext in extensions:
            path = f"{ext.name.replace('.', '/')}.c"
            if not ext.sources and sources:
                calls.append([f"--generate-shared={path}"])
            ext.sources = [path]
        cython = [sys.executable, "-m", "cython"]
        running = [subprocess.Popen([*cython, *call]) for call in calls]
        codes = [process.wait() for process in running]
        if any(codes):
            raise SystemExit("Cython could not translate all modules; see above.")

    def build_extension(self, ext):
        """Compile a module, or take it from its place."""
        if ext not in self.kept:
            try:
                super().build_extension(ext)
            except CompileError as error:
                raise CompileError(f"{error}. {NEEDS_COMPILER}") from None
            return
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(self.get_ext_filename(ext.name), target)


def is_of_this_cython(path):
    """Tell whether a C file is there and was written by the Cython at hand."""
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return file.readline() == f"/* Generated by Cython {Cython.__version__} */\n"


setup(
    packages=find_packages(include=[f"{PACKAGE}*"]),
    ext_modules=EXTENSIONS,
    cmdclass={"build_ext": BuildOnce},
)
