"""Ratios of interleaved runs."""
