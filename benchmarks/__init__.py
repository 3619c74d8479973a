"""Experiments: published tables and speed ratios."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are files, not windows
