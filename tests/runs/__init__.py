"""Whole programs at toy size, in a browser and a terminal too; the benchmarks' code."""
