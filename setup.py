"""Packages and extension modules; everything else is in pyproject.toml."""

import os
import shutil
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

# -O3 because the reductions need unrolling, no -march and no contraction to
# fused multiply-add so that every x86 build gives the same bits. Debug information
# would make a wheel four times as large.
FLAGS = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]
#: A change of these compiles all modules again.
SHARED = [
    "setup.py",
    *glob("sklearn_activelearn/**/*.h", recursive=True),
    *glob("sklearn_activelearn/**/*.pxd", recursive=True),
]
#: What `sklearn-activelearn reproduce` runs is kept beside the other benchmarks.
PAPERS = "sklearn_activelearn._papers"
MODULES = [
    "_interrupts",
    "_rows",
    "_margin_loss",
    "losses",
    "batch/_columns",
    "stream/_rule_base",
    "stream/_rules",
    "stream/_linear_state",
    "stream/_adaptive_state",
    "stream/_batched_pass",
    "stream/_class_weights",
    "stream/_pass",
    "stream/_tally",
    "stream/_updates",
    "stream/second_order/_inverse",
    "stream/second_order/_state",
    "stream/second_order/_stored_rows",
    "pool/alms/_leave_two_out",
    "pool/alms/_newton",
]

EXTENSIONS = [
    Extension(
        f"sklearn_activelearn.{module.replace('/', '.')}",
        [f"sklearn_activelearn/{module}.pyx"],
        depends=SHARED,
        include_dirs=["sklearn_activelearn"],
        extra_compile_args=FLAGS,
    )
    for module in MODULES
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
        """Translate one after the other, as Cython has it; compile at the same time."""
        kept = () if self.force else filter(self.is_in_place, self.extensions)
        self.kept = list(kept)
        new = [ext for ext in self.extensions if ext not in self.kept]
        for ext, translated in zip(new, cythonize(new, quiet=True), strict=True):
            ext.sources = translated.sources
        super().build_extensions()

    def build_extension(self, ext):
        """Compile a module, or take it from its place."""
        if ext not in self.kept:
            super().build_extension(ext)
            return
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(self.get_ext_filename(ext.name), target)


setup(
    packages=[*find_packages(include=["sklearn_activelearn*"]), PAPERS],
    package_dir={PAPERS: "benchmarks/papers"},
    ext_modules=EXTENSIONS,
    cmdclass={"build_ext": BuildOnce},
)
