"""Whole programs at toy size: benchmarks, examples, a rule that is added."""
