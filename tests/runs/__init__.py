"""Whole programs at toy size, and the tests of the benchmarks' own code."""
