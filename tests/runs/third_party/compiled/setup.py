"""Compiles the rules of `own_rule`."""

from Cython.Build import cythonize
from setuptools import setup

setup(name="own-rule", ext_modules=cythonize("own_rule.pyx", language_level=3))
