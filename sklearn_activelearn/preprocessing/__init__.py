"""Transformers that turn the rows of tables, texts and images into numbers.

They need pandas.
"""

from ._encoders import ImageEncoder, TableEncoder, TextEncoder, VectorEncoder

# files of models name these parts of an encoder
from ._texts import PartsVectorizer as PartsVectorizer
from ._texts import TextVectorizer as TextVectorizer

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder", "VectorEncoder"]
