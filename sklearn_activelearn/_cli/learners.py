"""Learners by name and as text."""

import ast
from difflib import get_close_matches

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import all_estimators

import sklearn_activelearn

from .. import losses
from .options import UsageError, choices, class_name

#: What people write for a constant.
WORDS = {"true": True, "false": False, "none": None}


def parse_learner(text):
    """Return the learner that NAME[:param=value,...] describes.

    Raises
    ------
    UsageError
        For an unknown name, with the known ones, and for a value that the learner
        refuses.
    """
    name = class_name(text)
    learner = getattr(sklearn_activelearn, name)()
    known = sorted(learner.get_params())
    try:
        params = parse_params(text.partition(":")[2])
        for param in params:
            owner, _, nested = param.partition("__")
            if owner not in known:
                raise ValueError(f"no parameter {param!r}; {choices(param, known)}")
            if nested and not hasattr(params.get(owner), "set_params"):
                raise ValueError(f"{param!r} needs {owner}=NAME(), too")
        learner.set_params(**params)
        trial, model = clone(learner), params.get("estimator")
        if isinstance(model, Pipeline) and is_classifier(model):
            trial.set_params(estimator=model[-1])  # transformers refuse no rows
        trial.query(np.empty((0, 1)))
    except (TypeError, ValueError) as error:
        raise UsageError(f"--learner: {name}: {error}") from error
    return learner


def parse_params(text):
    """Return the parameters in param=value,...; a bare word is a string.

    A value may be a loss, or a classifier or transformer of scikit-learn, as in
    ``loss=RampLoss(t=2)`` and
    ``estimator=make_pipeline(StandardScaler(),SVC(C=10))``. What
    `evaluation.Comparison.option` writes is read again.
    """
    try:
        call = ast.parse(f"dict({text})", mode="eval").body
        if call.args:
            raise SyntaxError
        return keywords_of(call)
    except (SyntaxError, AttributeError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not of the form param=value,p=value") from None


def keywords_of(call):
    """Return the values of a call's keywords; ``**`` is refused."""
    if any(word.arg is None for word in call.keywords):
        raise SyntaxError
    return {word.arg: value_of(word.value) for word in call.keywords}


def value_of(node):
    """Return a constant, a word, a loss, an estimator, or a list of these."""
    if isinstance(node, ast.Name):
        return WORDS.get(node.id, node.id)
    if isinstance(node, ast.Call):
        args = [value_of(each) for each in node.args]
        return build_object(node.func.id, args, keywords_of(node))
    if isinstance(node, ast.List | ast.Tuple):
        values = [value_of(each) for each in node.elts]
        return values if isinstance(node, ast.List) else tuple(values)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise SyntaxError from None


def build_object(name, args, params):
    """Return a loss, or an estimator of scikit-learn, with these parameters."""
    kinds = {kind.__name__: kind for kind in losses.LOSSES.values()}
    kinds["BlendClassifier"] = sklearn_activelearn.BlendClassifier
    kinds |= {"Pipeline": Pipeline, "make_pipeline": make_pipeline}
    if name not in kinds:
        kinds |= all_estimators(type_filter=["classifier", "transformer"])
    if name not in kinds:
        close = get_close_matches(name, kinds, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"no loss and no estimator of scikit-learn has the name {name!r}{hint}"
        )
    try:
        return kinds[name](*args, **params)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
