"""Hypothesis profiles: the same few examples every time, or many new ones.

``pytest --hypothesis-profile=explore`` looks for examples that nobody has seen.
"""

from hypothesis import settings

settings.register_profile("suite", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=500, deadline=None)
settings.load_profile("suite")
