"""Transformers that turn the rows of tables, texts and images into numbers.

They need pandas.
"""

# ruff: noqa: F401
# The encoders are for users. The other names are for front ends: they read tables as
# the commands do, and files of models name the parts of an encoder.
from ._column_kinds import (
    Column,
    NoColumns,
    blank_gaps,
    describe_kinds,
    find_kinds,
    read_cells,
    read_columns,
)
from ._embeddings import load_encoder, vectors_of
from ._encoders import (
    ImageEncoder,
    RowEncoder,
    TableEncoder,
    TextEncoder,
    VectorEncoder,
    make_encoder,
    round_numbers,
)
from ._image_files import IMAGE_TYPES, image_path
from ._references import drop_duplicates
from ._tables import (
    FILE,
    cell_text,
    cells_of,
    check_package,
    join_tables,
    joined_texts,
    list_columns,
    read_table,
)
from ._text_numbers import PartsVectorizer, TextVectorizer

__all__ = ["ImageEncoder", "TableEncoder", "TextEncoder", "VectorEncoder"]
