"""Texts that the docstrings of several classes share are written once."""

import ast
import pydoc
import re
from collections import defaultdict
from pathlib import Path

import pytest

import sklearn_activelearn
from sklearn_activelearn import evaluation
from sklearn_activelearn.utils import _docstrings
from sklearn_activelearn.utils._docstrings import MARKER, NAMES, texts_of

PACKAGE = Path(sklearn_activelearn.__file__).parent
TABLES = {
    name: texts_of(item)
    for name, item in vars(_docstrings).items()
    if name.isupper() and isinstance(item, type)
}

#: Sections of which each class has its own.
NOT_SHARED = {"See Also", "References", "Examples"}


def table_of(node):
    """Return the name of the table that a class uses, None without one."""
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "documented":
            return call.args[0].id
    return None


NODES = [
    node
    for file in sorted(PACKAGE.rglob("*.py"))
    for node in ast.parse(file.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef | ast.FunctionDef)
]
CLASSES = [
    node for node in NODES if isinstance(node, ast.ClassDef) and node.name not in TABLES
]
DOCUMENTED = [node for node in CLASSES if table_of(node)]
each_documented = pytest.mark.parametrize(
    "node", DOCUMENTED, ids=lambda node: node.name
)


def docstrings(node):
    """Return the docstrings in a class or a function, as they are written."""
    kinds = ast.ClassDef | ast.FunctionDef
    inner = [item for item in ast.walk(node) if isinstance(item, kinds)]
    return list(filter(None, map(ast.get_docstring, inner)))


def names_in(text):
    """Return the names in braces."""
    return [
        name for _, names in MARKER.findall(text) for name in re.split(r",\s+", names)
    ]


def paragraphs(text):
    """Yield the lines of each entry and each paragraph that classes may share."""
    section, lines = None, []
    following = [*text.splitlines()[1:], ""]
    for line, below in zip(text.splitlines(), following, strict=True):
        if re.fullmatch("-{3,}", below):
            section = line
        elif section not in NOT_SHARED and line and not re.fullmatch("-{3,}", line):
            lines.append(line)
        is_last_of_entry = line.startswith(" ") and not below.startswith(" ")
        if lines and (not below or is_last_of_entry):
            yield lines
            lines = []


def words(lines):
    return " ".join(" ".join(lines).split())


def test_no_paragraph_is_written_in_two_classes():
    found = defaultdict(set)
    for node in CLASSES:
        # elsewhere a name and a line about it may happen to be the same
        shortest = 2 if table_of(node) else 3
        for lines in paragraphs(MARKER.sub("", ast.get_docstring(node) or "")):
            if len(lines) >= shortest:
                found[words(lines)].add(node.name)
    assert len(found) > 100
    assert not {text: names for text, names in found.items() if len(names) > 1}


@each_documented
def test_no_class_writes_out_a_text_of_its_table(node):
    shared = TABLES[table_of(node)].values()
    shared = {words(lines) for text in shared for lines in paragraphs(text)}
    written = {words(lines) for doc in docstrings(node) for lines in paragraphs(doc)}
    assert not shared & written


def test_every_text_is_used():
    used = set()
    for node in DOCUMENTED:
        table = TABLES[table_of(node)]
        names = [name for doc in docstrings(node) for name in names_in(doc)]
        names += [inner for name in names for inner in names_in(table[name])]
        used |= {table[name] for name in names}
    assert not {
        (table, name)
        for table, entries in TABLES.items()
        for name, text in entries.items()
        if text not in used
    }


def test_names_in_braces_are_in_classes_that_have_a_table():
    others = [n for n in NODES if n not in DOCUMENTED and n.name not in TABLES]
    assert not [
        (node.name, names_in(doc))
        for node in others
        for doc in docstrings(node)
        if names_in(doc)
    ]


@pytest.mark.parametrize(
    ("module", "shared"),
    [
        (sklearn_activelearn, "queried_indices_ : ndarray of int"),
        (evaluation, "ax : matplotlib Axes"),
    ],
    ids=["learners", "displays"],
)
def test_help_has_texts_in_place_of_names(module, shared):
    items = [getattr(module, name) for name in module.__all__]
    pages = [pydoc.render_doc(item, renderer=pydoc.plaintext) for item in items]
    assert sum(shared in page for page in pages) >= 3
    in_braces = re.compile(rf"^[ |]*\{{{NAMES}\}}$", re.MULTILINE)
    assert not [found for page in pages for found in in_braces.findall(page)]


def test_without_docstrings_there_is_nothing_to_fill():
    classes = {node.name for node in DOCUMENTED}
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        own = classes & {*re.findall(r"^class (\w+)", source, re.MULTILINE)}
        if not own:
            continue
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        module = {"__name__": ".".join(parts), "__package__": ".".join(parts[:-1])}
        # as python -OO does; with that option all libraries would be compiled, too
        exec(compile(source, file, "exec", dont_inherit=True, optimize=2), module)
        assert {module[name].__doc__ for name in own} == {None}
