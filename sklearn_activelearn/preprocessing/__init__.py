"""Transformers that turn the rows of tables, texts and images into numbers.

They need pandas.
"""

from ._encoders import ImageEncoder, TableEncoder, TextEncoder, VectorEncoder

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder", "VectorEncoder"]
