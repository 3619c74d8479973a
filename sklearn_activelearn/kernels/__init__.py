"""Compiled access to rows, and the C headers that several rooms share."""
