"""Learners by name and as text."""

import ast
from difflib import get_close_matches

import numpy as np
from sklearn.base import clone
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
            if param not in known:
                raise ValueError(f"no parameter {param!r}; {choices(param, known)}")
        learner.set_params(**params)
        clone(learner).query(np.empty((0, 1)))
    except (TypeError, ValueError) as error:
        raise UsageError(f"--learner: {name}: {error}") from error
    return learner


def parse_params(text):
    """Return the parameters in param=value,...; a bare word is a string.

    A value may be a loss or a classifier of scikit-learn with constants, as in
    ``loss=RampLoss(t=2)`` and ``estimator=SVC(C=10)``.
    """
    try:
        return keywords_of(ast.parse(f"dict({text})", mode="eval").body)
    except (SyntaxError, AttributeError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not of the form param=value,p=value") from None


def keywords_of(call):
    """Return the values of a call's keywords; other arguments are refused."""
    if call.args or any(word.arg is None for word in call.keywords):
        raise SyntaxError
    return {word.arg: value_of(word.value) for word in call.keywords}


def value_of(node):
    """Return a constant, a word, a loss or a classifier."""
    if isinstance(node, ast.Name):
        return WORDS.get(node.id, node.id)
    if isinstance(node, ast.Call):
        return build_object(node.func.id, keywords_of(node))
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise SyntaxError from None


def build_object(name, params):
    """Return a loss, or a classifier of scikit-learn, with these parameters."""
    kinds = {kind.__name__: kind for kind in losses.LOSSES.values()}
    kinds["BlendClassifier"] = sklearn_activelearn.BlendClassifier
    if name not in kinds:
        kinds |= all_estimators(type_filter="classifier")
    if name not in kinds:
        close = get_close_matches(name, kinds, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"no loss and no classifier of scikit-learn has the name {name!r}{hint}"
        )
    try:
        return kinds[name](**params)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
