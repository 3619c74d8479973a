"""Hypothesis profiles: the same few examples every time, or many new ones.

``pytest --hypothesis-profile=explore`` looks for examples that nobody has seen.
"""

import os

# before any library is loaded: matrices are small here, and the threads of several
# test processes would fight
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import settings

settings.register_profile("suite", max_examples=10, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=500, deadline=None)
settings.load_profile("suite")
