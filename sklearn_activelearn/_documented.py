"""Texts that the docstrings of several classes share, each written once.

Names in braces, alone on their lines, stand for the texts of these names in a table::

    @documented(POOL)
    class MinMarginClassifier(PoolClassifier):

with ``{n_initial, initial, batch_size}`` in its docstring where these parameters are to
stand. `documented` puts the texts in at import, in the docstrings of a class and of its
methods; a name without a text is a KeyError. It also puts an empty line between the
entries of a class, which its source does without.

To share a parameter or an attribute, move its entry to the first of the tables below
that all its classes use, directly or by way of those that extend it, and leave its name
in braces. The text of a table stands for that of the same name in the table it extends.
To say something else in one class, write the entry there. What is no entry, such as a
section or a paragraph, is indented under a name in braces, and may hold names in braces
itself. tests/test_docstrings.py finds texts that are written twice and texts that no
class uses.
"""

import re
from inspect import isfunction
from textwrap import dedent, indent

NAMES = r"\**[A-Za-z]\w*(?:,\s+\**[A-Za-z]\w*)*"
MARKER = re.compile(rf"^( *)\{{({NAMES})\}}$", re.MULTILINE)
NEXT_ENTRY = re.compile(rf"(\n( *)    \S.*)\n(?=\2{NAMES} : )")


def documented(table):
    """Put the texts of a table into the docstrings of a class and of its methods."""

    def fill(item):
        members = [
            getattr(member, "__func__", member) for member in vars(item).values()
        ]
        for function in filter(isfunction, members):
            function.__doc__ = filled(function.__doc__, table)
        if item.__doc__:  # python -OO leaves none
            item.__doc__ = NEXT_ENTRY.sub(r"\1\n\n", filled(item.__doc__, table))
        return item

    return fill


def filled(docstring, table):
    """Return a docstring with texts in place of their names."""

    def text_of(marker):
        names = re.split(r",\s+", marker[2])
        text = "\n".join(table[name] for name in names)
        return indent(filled(text, table), marker[1])

    return docstring and MARKER.sub(text_of, docstring)


def texts(entries):
    """Return a table of texts by name."""
    table = {}
    for entry in re.split(r"\n(?=\S)", entries.strip()):
        head, _, body = entry.partition("\n")
        name = head.partition(" : ")[0].strip("{}")
        table[name] = dedent(body) if head.startswith("{") else entry
    return table
