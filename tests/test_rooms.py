"""The rooms of the package: each imports only from the rooms below it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import sklearn_activelearn

ROOT = Path(sklearn_activelearn.__file__).parent
#: From the ground to the roof. Rooms on one floor do not import each other. The face is
#: the package itself, with the names that users import.
FLOORS = [
    {"utils", "kernels", "exceptions"},
    {"sources"},
    {"base"},
    {"losses"},
    {"batch", "stream", "preprocessing", "testing", "datasets"},
    {"pool"},
    {"audit"},
    {"evaluation"},
    {"face"},
    {"labeling"},
    {"_cli"},
    {"__main__"},
]
FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}
#: Private names of the rooms below that the applications import.
MOST_PRIVATE_NAMES = 9
MOST_MODULES = 20

FILES = sorted(
    path
    for path in ROOT.rglob("*")
    if path.suffix in (".py", ".pyx", ".pxd") and "declarations" not in path.parts
)


def room_of(module):
    """Return the room of a module, which is a tuple of names below the package."""
    return module[0] if module and module[0] in FLOOR_OF else "face"


def module_of(path):
    names = path.relative_to(ROOT).with_suffix("").parts
    return names[:-1] if names[-1] == "__init__" else names


@cache
def is_module(module):
    path = ROOT.joinpath(*module)
    suffixes = (".py", ".pyx", ".pxd")
    return path.is_dir() or any(
        path.with_suffix(suffix).exists() for suffix in suffixes
    )


@cache
def imports_of(path):
    """Return the modules of the package that a file imports, and the imported names.

    Imports in functions and imports for type checkers count like all others.
    """
    text = path.read_text(encoding="utf-8")
    package = path.relative_to(ROOT).parent.parts
    if path.suffix == ".py":
        found = [
            ("." * node.level + (node.module or ""), [each.name for each in node.names])
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom)
        ]
    else:
        pattern = r"^\s*from (\.[.\w]*) c?import (.*)$"
        lines = re.findall(pattern, text, flags=re.MULTILINE)
        found = [(module, re.findall(r"\w+", names)) for module, names in lines]
    out = []
    for name, imported in found:
        if name.split(".")[0] == "sklearn_activelearn":
            module = tuple(name.split(".")[1:])
        elif name.startswith("."):
            n_dots = len(name) - len(name.lstrip("."))
            above = package[: len(package) - (n_dots - 1)]
            module = (*above, *(part for part in name[n_dots:].split(".") if part))
        else:
            continue
        for each in imported:
            is_part = is_module((*module, each)) and (module, each) != ((), "losses")
            out.append(((*module, each) if is_part else module, each))
    return out


def arrows():
    """Return pairs of modules of which the first imports the second."""
    return {
        (module_of(path), target) for path in FILES for target, _ in imports_of(path)
    }


def test_no_arrow_climbs():
    climbing = [
        f"{'.'.join(source)} imports {'.'.join(target)}"
        for source, target in sorted(arrows())
        if room_of(source) != room_of(target)
        and room_of(source) != "face"
        and FLOOR_OF[room_of(target)] >= FLOOR_OF[room_of(source)]
    ]
    assert climbing == []


def find_circle(graph):
    """Return the nodes of a circle of a graph, or nothing."""
    left = {node: set(targets) for node, targets in graph.items()}
    while True:
        free = [node for node, targets in left.items() if not targets & left.keys()]
        if not free:
            return sorted(left)
        for node in free:
            del left[node]
        if not left:
            return []


def test_no_module_imports_itself_in_a_circle():
    graph = {module_of(path): set() for path in FILES}
    for source, target in arrows():
        if source != target[: len(source)] and target != source[: len(target)]:
            graph[source].add(target)
    assert find_circle(graph) == []


def test_the_scripts_of_the_page_have_no_circle():
    folder = ROOT / "labeling/front_ends/page"
    graph = {
        path.name: set(re.findall(r'from "\./(\w+\.js)"', path.read_text("utf-8")))
        for path in folder.glob("*.js")
    }
    assert len(graph) > 5
    assert find_circle(graph) == []


def test_a_circle_is_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}
    assert find_circle(graph) == ["a", "b", "c"]


def test_the_root_has_public_modules_only():
    names = {path.stem for path in ROOT.iterdir() if path.is_file()}
    private = {name for name in names if name.startswith("_")}
    assert private == {"__init__", "__main__"}


@pytest.mark.parametrize("room", sorted(FLOOR_OF.keys() - {"face"}))
def test_a_folder_is_short_enough_to_read(room):
    if (ROOT / room).is_dir():
        modules = {path.stem for path in (ROOT / room).iterdir() if path in FILES}
        assert len(modules - {"__init__"}) <= MOST_MODULES


def test_applications_import_what_users_import():
    private = {
        (target, name)
        for path in FILES
        if module_of(path) and module_of(path)[0] in ("labeling", "_cli")
        for target, name in imports_of(path)
        if target
        and target[0] not in ("labeling", "_cli")
        and any(part.startswith("_") for part in target)
    }
    assert len(private) <= MOST_PRIVATE_NAMES, sorted(private)
