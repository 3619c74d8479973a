"""Estimates from few labels: whether intervals hold, and how wide they are."""
