"""Experiments: published tables and speed ratios."""
