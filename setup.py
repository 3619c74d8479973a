"""The extension list; everything else is in pyproject.toml."""

import sys

from setuptools import Extension, setup

# -O3 because the reductions need unrolling, no -march and no contraction to
# fused multiply-add so that every x86 build gives the same bits.
HEADERS = ("_rows.h", "_kernels.h")
FLAGS = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]

setup(
    ext_modules=[
        Extension(
            f"sklearn_activelearn.stream.{name}",
            [f"sklearn_activelearn/stream/{name}.pyx"],
            depends=[f"sklearn_activelearn/stream/{header}" for header in HEADERS],
            extra_compile_args=FLAGS,
        )
        for name in ("_rows", "_rules", "_pass")
    ]
)
