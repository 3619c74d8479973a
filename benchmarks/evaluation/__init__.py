"""Honest scores and stopping rules: coverage, widths, regret."""
