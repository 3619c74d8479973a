"""What type checkers know of the package, and that it is so."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc

from sklearn_activelearn import _compat, losses, stream
from sklearn_activelearn._base import ActiveClassifier
from sklearn_activelearn._typing import Label, QueryOptions
from sklearn_activelearn.pool._base import PoolClassifier
from tests.docstrings import names
from tests.test_audit import MODULES, PACKAGE, each_with_parameters, public
from tests.typing import usage

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tests" / "typing"

#: Public things whose type is that of what a user passed, or has no types.
ANY = {
    "ALMSClassifier.best_estimator_": "the user's",
    "LabelingSession.model": "the user's",
    "LabelingSession.row": "an item of the user's",
    "OnePassSearchCV.best_estimator_": "the user's",
    "OnePassSearchCV.inverse_transform": "what the transformers return",
    "OnePassSearchCV.transform": "what the transformers return",
    "Progress": "a model and rows of the user's",
    "Progress.X": "rows in a container of any kind",
    "Progress.model": "the user's",
    "Progress.rows": "rows in a container of any kind",
    "Trained": "a model of the user's, and what a trainer remembers",
    "Trained.memory": "what a trainer remembers is its own affair",
    "Trained.model": "the user's",
    "adapt_tags": "scikit-learn's",
    "check_model": "the user's",
    "check_rows": "in a container of any kind",
    "blank": "pyarrow may have no types",
    "derivative": "a loss of a user's may take arrays only",
    "estimator_": "the user's",
    "fit_transform": "an array or a sparse matrix",
    "get_metadata_routing": "scikit-learn's",
    "load_model": "what somebody has saved",
    "judge": "what a rule remembers is its own affair",
    "n_random": "what a rule remembers is its own affair",
    "model_after": "the user's",
    "n_queries_scorer": "X and y are not looked at",
    "scaler_": "scikit-learn's",
    "take": "in a container of any kind",
    "to_frame": "pandas may have no types",
    "transform": "an array or a sparse matrix",
    "value": "as derivative",
    "vectorizer_": "scikit-learn's",
}

#: How a type parameter is filled in where one is needed.
FILLED = {
    "LabelingSession": "LabelingSession[sklearn_activelearn.DKMClassifier]",
}


def members(item):
    """List the public methods and attributes of a class."""
    documented = names(ClassDoc(item)["Attributes"])
    return sorted({*documented, *(n for n in dir(item) if not n.startswith("_"))})


def questions():
    """Return a module that reveals all public types, and what each line is about."""
    lines, about = ["import sklearn_activelearn"], {}

    def ask(what, expression, indent=""):
        lines.append(f"{indent}reveal_type({expression})")
        about[len(lines)] = what

    for module in MODULES[1:]:
        lines.append(f"import {module.__name__}")
        for name, item in zip(module.__all__, public(module), strict=True):
            ask(name, f"{module.__name__}.{name}")
            if not inspect.isclass(item):
                continue
            kind = f"{module.__name__}.{FILLED.get(name, name)}"
            lines.append(f"def of_{name}(it: {kind}) -> None:")
            for member in members(item):
                ask(f"{name}.{member}", f"it.{member}", "    ")
    return "\n".join(lines) + "\n", about


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return what mypy says of the examples, and of each public name."""
    folder = tmp_path_factory.mktemp("mypy")
    code, about = questions()
    (folder / "questions.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--hide-error-context"]
    run = subprocess.run(
        [*command, f"--cache-dir={folder}", EXAMPLES, folder / "questions.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode < 2, run.stdout + run.stderr
    found, complaints = {}, []
    for line in run.stdout.splitlines():
        match = re.search(r'questions\.py:(\d+): note: Revealed type is "(.*)"$', line)
        if match:
            found[about[int(match[1])]] = match[2]
        elif "note: " not in line and not line.startswith(("Found", "Success")):
            complaints.append(line)
    return found, complaints


def test_examples_are_right_and_mistakes_are_noticed(checked):
    _, complaints = checked
    assert not complaints, "\n".join(complaints)


def test_every_public_name_has_a_type(checked):
    found, _ = checked
    assert len(found) == len(questions()[1])
    loose = {
        name
        for name, kind in found.items()
        if re.search(r"^Any$|-> Any(?=\)?$|, def)|(?<!\*)\b\w+: Any(?= =|[,)])", kind)
    }
    excused = {name for name in loose if {name, name.rpartition(".")[2]} & ANY.keys()}
    assert not "\n".join(f"{n}: {found[n]}" for n in sorted(loose - excused))
    used = {*excused, *(name.rpartition(".")[2] for name in excused)}
    assert {*ANY} - used <= {"blank", "to_frame"}  # who has stubs knows more


def test_examples_use_every_public_name():
    code = (EXAMPLES / "usage.py").read_text("utf-8")
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    assert not {name for module in MODULES for name in module.__all__} - used


def alternatives(kind):
    """List the members of a union; any other type is its own only one."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def is_of_type(value, kind):
    """Whether a value is what a type says, as far as can be seen."""
    kinds, origin, args = alternatives(kind), get_origin(kind), get_args(kind)
    if len(kinds) > 1:
        return any(is_of_type(value, each) for each in kinds)
    if kind in (Any, None):
        return kind is Any or value is None
    if origin is tuple and args[-1] is not Ellipsis:
        return len(value) == len(args) and all(map(is_of_type, value, args))
    if origin in (tuple, list):
        return isinstance(value, origin) and all(is_of_type(v, args[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            is_of_type(key, args[0]) and is_of_type(item, args[1])
            for key, item in value.items()
        )
    if origin is np.ndarray:
        number = get_args(args[1])[0]
        number = get_origin(number) or number
        return isinstance(value, np.ndarray) and (
            number is Any or np.issubdtype(value.dtype, number)
        )
    return isinstance(value, origin or kind)


def noticed(value, kind):
    assert is_of_type(value, kind), f"{value!r} is no {kind}"
    return value


@pytest.mark.parametrize(
    "example", [name for name in vars(usage) if name.startswith("use_")]
)
@pytest.mark.filterwarnings("ignore")
def test_values_are_of_the_types_that_examples_say(example, monkeypatch):
    monkeypatch.setattr(usage, "assert_type", noticed)
    plt.switch_backend("agg")
    getattr(usage, example)()
    plt.close("all")


def defined(tree):
    """Return the statements that annotate or define a name, by name."""
    named = {n.name: n for n in tree.body if hasattr(n, "name")}
    return named | {n.target.id: n for n in tree.body if isinstance(n, ast.AnnAssign)}


def stub(name):
    """Return what a stub defines: assignments, functions, and classes with theirs."""
    found = defined(ast.parse((PACKAGE / f"{name}.pyi").read_text("utf-8")))
    classes = {n: node for n, node in found.items() if isinstance(node, ast.ClassDef)}
    return found, {name: defined(node) for name, node in classes.items()}


def parameters(node):
    """List the names of a function's parameters in a stub, and its plain defaults."""
    args = node.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    plain = args.args[len(args.args) - len(args.defaults) :]
    default = dict(zip([a.arg for a in plain], args.defaults, strict=True))
    default |= zip([a.arg for a in args.kwonlyargs], args.kw_defaults, strict=True)
    more = [a.arg for a in (args.vararg, args.kwarg) if a]
    return [a.arg for a in named] + more, {
        name: ast.literal_eval(value)
        for name, value in default.items()
        if value is not None and ast.unparse(value) != "..."
    }


def is_as_declared(node, function):
    """Whether a function has the parameters that a stub says, with their defaults."""
    declared, defaults = parameters(node)
    true = inspect.signature(function).parameters
    return declared == list(true) and all(
        true[name].default == default for name, default in defaults.items()
    )


@pytest.mark.parametrize(
    ("signature", "method"),
    [("Query", ActiveClassifier.query), ("PoolQuery", PoolClassifier.query)],
)
def test_overloads_are_those_of_the_method(signature, method):
    code = (PACKAGE / "_typing.py").read_text("utf-8")
    node = defined(ast.parse(code))[signature]
    overloads = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    flags = [name for name in inspect.signature(method).parameters if "return" in name]
    assert len(overloads) == 2 ** len(flags)
    true = inspect.signature(method).parameters
    for each in overloads:
        declared, defaults = parameters(each)
        assert {*declared} - {"options"} | {*QueryOptions.__annotations__} == {*true}
        assert all(true[name].default == value for name, value in defaults.items())


def test_the_stub_of_the_losses_is_as_they_are():
    found, inside = stub("losses")
    assert {*found} == {*losses.__all__}
    assert is_as_declared(found["make_loss"], losses.make_loss)
    base = losses.MarginLoss
    assert {n for n in inside["MarginLoss"] if n != "__init__"} == {
        n for n in dir(base) if not n.startswith("_")
    }
    for name, node in inside["MarginLoss"].items():
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            function = getattr(base, name)
            assert name == "__init__" or is_as_declared(node, function), name
    for name in inside.keys() - {"MarginLoss"}:
        loss = getattr(losses, name)()
        assert isinstance(loss, base)
        own = {n for n in inside[name] if n != "__init__"}
        assert own == set(loss.get_params()), name
        if own:
            _, defaults = parameters(inside[name]["__init__"])
            assert defaults == loss.get_params()


#: Base classes of the rules.
BASES = {"QueryRule", "UpdateRule"}
#: Arguments without a default, of the public rules.
ARGUMENTS = {
    "ConstantRule": {"rate": 0.3},
    "InverseMarginRule": {"b": 0.3},
    "PerceptronUpdate": {},
    "LossUpdate": {"loss": losses.RampLoss()},
}


def answers(rule):
    """List what a rule answers to a few margins, of mistakes too if it is asked."""
    clock = stream.Clock(n_taught=1)
    if isinstance(rule, stream.QueryRule):
        return [rule.probability(z, 1.0, clock, []) for z in (0.0, 0.5)]
    return [rule.step(z, 1.0, 1.0, clock) for z in (-3.0, 0.0, 0.5)]


def test_the_stubs_of_the_rules_are_as_they_are():
    _, inside = stub("stream/_rules")
    assert {*inside} == BASES | {*ARGUMENTS}
    for name, members in inside.items():
        kind = getattr(stream, name)
        names, defaults = parameters(members.pop("__init__"))
        public_names = {n for n in dir(kind) if not n.startswith("_")}
        if name in BASES:
            assert {*members} == public_names
            assert names == ["self"]
        else:
            given = ARGUMENTS[name]
            assert {*members} <= public_names
            assert names == ["self", *given, *defaults]
            assert answers(kind(**given)) == answers(kind(**given, **defaults))
        for member, node in members.items():
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                assert is_as_declared(node, getattr(kind, member)), member


@pytest.mark.parametrize("kind", [stream.QueryRule, stream.UpdateRule])
def test_flags_of_rules_are_of_the_types_of_their_stub(kind):
    _, inside = stub("stream/_rules")
    for name, node in inside[kind.__name__].items():
        if isinstance(node, ast.AnnAssign):
            assert type(getattr(kind(), name)).__name__ == node.annotation.id, name
            setattr(kind(), name, 1)
        elif node.decorator_list:
            with pytest.raises(AttributeError, match="not writable"):
                setattr(kind(), name, True)


def test_the_stub_of_scikit_learn_is_as_it_is():
    found, inside = stub("_compat")
    assert {*found} == {*_compat.__all__}
    made = ("set_fit_request", "set_partial_fit_request", "set_score_request")
    elsewhere = {"predict", *made}  # in each class
    for name, defined in inside.items():
        kind = getattr(_compat, name)
        for member, node in defined.items():
            if member in elsewhere or isinstance(node, ast.AnnAssign):
                continue
            if member == "set_callbacks" and not hasattr(kind, member):
                continue  # scikit-learn < 1.9
            assert is_as_declared(node, getattr(kind, member)), f"{name}.{member}"


@each_with_parameters
def test_types_are_those_of_the_docstring(item):
    parameters = inspect.signature(item).parameters
    for entry in ClassDoc(item)["Parameters"]:
        for name in (name.strip() for name in entry.name.split(",")):
            parts = alternatives(parameters[name].annotation)
            words = [w for p in parts if get_origin(p) is Literal for w in get_args(p)]
            documented, _, default = entry.type.partition(", default=")
            choices = set(re.findall(r'"\w+"|\bTrue\b|\bFalse\b', documented))
            assert {
                f'"{w}"' if isinstance(w, str) else str(w) for w in words
            } == choices
            if documented.startswith("label"):
                assert set(parts) == {*get_args(Label), type(None)}
                continue
            for word, plain in (("int", int), ("float", float), ("bool", bool)):
                assert (plain in parts) == bool(re.search(rf"\b{word}\b", documented))
            is_none = default == "None" or documented.endswith("or None")
            assert (type(None) in parts) == is_none, name
