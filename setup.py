"""Packages and extension modules; everything else is in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

# -O3 because the reductions need unrolling, no -march and no contraction to
# fused multiply-add so that every x86 build gives the same bits.
FLAGS = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
HEADERS = ["sklearn_activelearn/_rows.h", "sklearn_activelearn/_kernels.h"]
#: What `sklearn-activelearn reproduce` runs is kept beside the other benchmarks.
PAPERS = "sklearn_activelearn._papers"
MODULES = [
    "_interrupts",
    "_rows",
    "_margin_loss",
    "losses",
    "batch/_columns",
    "stream/_rules",
    "stream/_linear_state",
    "stream/_pass",
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
        depends=HEADERS,
        include_dirs=["sklearn_activelearn"],
        extra_compile_args=FLAGS,
    )
    for module in MODULES
]

setup(
    packages=[*find_packages(include=["sklearn_activelearn*"]), PAPERS],
    package_dir={PAPERS: "benchmarks/papers"},
    # translated one after the other, as Cython has it, and compiled at the same time
    ext_modules=cythonize(EXTENSIONS, quiet=True),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
