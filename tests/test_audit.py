"""What holds for everything public: it is tested, documented and small."""

import ast
import inspect
import os
import site
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

import sklearn_activelearn
from sklearn_activelearn import (
    batch,
    datasets,
    evaluation,
    exceptions,
    labeling,
    losses,
    pool,
    preprocessing,
    sources,
    stream,
    testing,
)
from sklearn_activelearn.pool import PoolClassifier
from tests import test_stopping
from tests.docstrings import names, parts_of
from tests.learners import DEFAULTS, LEARNERS
from tests.test_bad_input import BAD_PARAMS, THEIRS

PACKAGE = Path(sklearn_activelearn.__file__).parent
VERBS = ("query", "teach", "learn", "fit", "partial_fit")


def public(module):
    return [getattr(module, name) for name in module.__all__]


def is_learner(item):
    return inspect.isclass(item) and hasattr(item, "query")


def is_loss(item):
    return inspect.isclass(item) and issubclass(item, losses.MarginLoss)


MODULES = [
    sklearn_activelearn,
    batch,
    datasets,
    evaluation,
    exceptions,
    labeling,
    losses,
    pool,
    preprocessing,
    sources,
    stream,
    testing,
]
#: Its parameters are those of scikit-learn's search; tests/test_search.py audits it.
SEARCHES = [sklearn_activelearn.OnePassSearchCV]
CLASSES = [
    item
    for item in public(sklearn_activelearn)
    if inspect.isclass(item) and item not in SEARCHES
]
OTHERS = [
    item
    for module in MODULES[1:]
    for item in public(module)
    if item not in CLASSES + SEARCHES and not is_loss(item)
]
each_public = pytest.mark.parametrize(
    "item", CLASSES + OTHERS, ids=lambda item: item.__name__
)
each_with_parameters = pytest.mark.parametrize(
    "item",
    [
        item
        for item in dict.fromkeys(CLASSES + public(pool))
        if ClassDoc(item)["Parameters"]
    ],
    ids=lambda item: item.__name__,
)
each_class = pytest.mark.parametrize("item", CLASSES, ids=lambda item: item.__name__)


def test_every_learner_is_in_the_list():
    public_learners = {item for item in CLASSES if is_learner(item)}
    assert {type(row) for row in LEARNERS} == public_learners
    assert {type(row) for row in DEFAULTS} == public_learners


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_names_are_sorted_and_exist(module):
    assert module.__all__ == sorted(module.__all__)
    assert all(
        item.__module__.startswith("sklearn_activelearn") for item in public(module)
    )


@each_class
def test_no_parameter_is_called_like_a_method(item):
    # for pool learners without these
    defaults = ("initial", "batch", "embedding", "explore", "n_jobs", "positive")
    defaults += ("n_candidates",)
    parameters = set(inspect.signature(item).parameters).difference(defaults)
    assert not [name for name in parameters if hasattr(item, name)]


@each_class
def test_all_parameters_but_the_first_are_keywords(item):
    others = list(inspect.signature(item).parameters.values())[1:]
    assert {parameter.kind for parameter in others} <= {inspect.Parameter.KEYWORD_ONLY}


@each_public
def test_docstring(item):
    doc = ClassDoc(item) if inspect.isclass(item) else FunctionDoc(item)
    assert doc["Summary"]
    assert len(doc["Summary"]) == 1
    if item not in CLASSES and doc["Attributes"]:  # a result, made by others
        return
    assert names(doc["Parameters"]) == list(inspect.signature(item).parameters)
    assert all(entry.desc for entry in doc["Parameters"])
    assert doc["Raises"] or not doc["Parameters"]
    assert any(line.startswith(">>>") for line in doc["Examples"])
    assert any(line and not line.startswith((">>>", "...")) for line in doc["Examples"])
    assert doc["References" if inspect.isclass(item) else "Returns"]


@each_with_parameters
def test_defaults_are_documented(item):
    parameters = inspect.signature(item).parameters
    for entry in ClassDoc(item)["Parameters"]:
        for name in entry.name.split(","):
            default = parameters[name.strip()].default
            quoted = f'"{default}"' if isinstance(default, str) else str(default)
            if default is inspect.Parameter.empty:
                assert "default" not in entry.type, name
            else:
                assert entry.type.endswith(f"default={quoted}"), name


@each_with_parameters
def test_types_say_what_is_refused(item):
    """The tests of bad parameters read them; else they want a row of their own."""
    for entry in ClassDoc(item)["Parameters"]:
        tested = BAD_PARAMS.keys() | test_stopping.BAD_PARAMS.keys() | THEIRS
        assert all(parts_of(entry.type)) or set(names([entry])) <= tested, entry.name


@pytest.mark.usefixtures("quick_blend")
@each_class
def test_attributes_are_documented_and_exist(item):
    frame = pd.DataFrame({"a": [0.0, 1.0] * 9, "b": 1.0})
    params, taken = {"random_state": 0, "budget": 12}, item().get_params()
    learner = item(**{name: params[name] for name in params if name in taken})
    learner.fit(frame, [0, 1] * 9)
    documented = names(ClassDoc(item)["Attributes"])
    fitted = {
        name
        for name in {*vars(learner), *dir(type(learner))}
        if name.endswith("_") and not name.startswith("_")
    }
    assert set(documented) == fitted
    for name in set(documented) - {"stop_reason_"}:  # None while nothing stops it
        assert getattr(learner, name) is not None


@each_class
def test_every_public_method_is_documented(item):
    methods = {
        name: method
        for name, method in inspect.getmembers(item, inspect.isfunction)
        if not name.startswith("_")
        and method.__module__.startswith("sklearn_activelearn")
    }
    verbs = VERBS if is_learner(item) else ("fit",)
    assert {*verbs, "predict"} <= methods.keys()
    for name, method in methods.items():
        doc = FunctionDoc(method)
        assert doc["Summary"], name
        if name in ("make_rule", "make_trainer") and item is not PoolClassifier:
            continue  # documented where they are to be overridden
        parameters = [p for p in inspect.signature(method).parameters if p != "self"]
        assert names(doc["Parameters"]) == parameters, name
        assert doc["Returns"], name
        if name in VERBS:
            assert doc["Raises"], name


@pytest.mark.parametrize(
    "item",
    [item for module in MODULES for item in public(module) if inspect.isclass(item)],
    ids=lambda item: item.__name__,
)
def test_few_classes_of_ours_are_above_one(item):
    ours = [c for c in item.__mro__ if c.__module__.startswith("sklearn_activelearn")]
    assert len(ours) <= 5


def test_a_tree_that_is_not_compiled_says_how_to_build_it(tmp_path):
    for file in PACKAGE.rglob("*.py"):
        copy = tmp_path / PACKAGE.name / file.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text())
    run = subprocess.run(
        # -S: without the import hook of an editable install
        [sys.executable, "-S", "-c", "import sklearn_activelearn"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(site.getsitepackages())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: sklearn_activelearn is not compiled")
    assert "pip install" in last


def test_a_name_is_defined_in_one_place():
    homes = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                homes[node.name].add(file)
    assert not {name: files for name, files in homes.items() if len(files) > 1}
