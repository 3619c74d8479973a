"""Learners by name, as text, and the passive learner to compare each with."""

import ast
from difflib import get_close_matches

import sklearn_activelearn
from sklearn_activelearn import (
    MarginLossClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    stream,
)
from sklearn_activelearn.pool._base import PoolClassifier

#: What people write for a constant.
WORDS = {"true": True, "false": False, "none": None}


def public_learners():
    """Return the active learners of the package by name."""
    public = {n: getattr(sklearn_activelearn, n) for n in sklearn_activelearn.__all__}
    return {name: value for name, value in public.items() if hasattr(value, "learn")}


def quick_learners():
    """Return the names of those that choose labels and never refit a model."""
    return [
        name
        for name, learner in public_learners().items()
        if name in stream.__all__ and learner is not SecondOrderPerceptronClassifier
    ]


def parse_learner(text):
    """Return the learner that NAME[:param=value,...] describes.

    "Classifier" may be left out of the name.

    Raises
    ------
    ValueError
        For a name that does not exist, with those that do.
    """
    name, _, settings = text.partition(":")
    learners = public_learners()
    name = name if name in learners else f"{name}Classifier"
    if name not in learners:
        name = name.removesuffix("Classifier")
        raise ValueError(f"there is no learner {name!r}; {choices(name, learners)}")
    learner = learners[name]()
    known = sorted(learner.get_params())
    params = parse_params(settings)
    for param in params:
        if param not in known:
            raise ValueError(f"{name} has no {param!r}; {choices(param, known)}")
    return learner.set_params(**params)


def parse_params(text):
    """Return the parameters in param=value,...; a bare word is a string."""
    try:
        call = ast.parse(f"dict({text})", mode="eval").body
        if call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        return {
            word.arg: WORDS.get(word.value.id, word.value.id)
            if isinstance(word.value, ast.Name)
            else ast.literal_eval(word.value)
            for word in call.keywords
        }
    except (SyntaxError, ValueError, AttributeError):
        raise ValueError(f"{text!r} is not of the form param=value,p=value") from None


def choices(name, names):
    """Return what a misspelt or shortened name may have meant, and all there are."""
    longer = [n for n in names if name and n.lower().startswith(name.lower())]
    close = longer or get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}, of " if close else "there are "
    return f"{hint}{', '.join(names)}"


def name_of(learner):
    """Return a learner as code on one line."""
    return " ".join(repr(learner).split()).removesuffix("()")


def passive_twin(learner):
    """Return passive learning of the same model: it buys every label."""
    params = learner.get_params(deep=False)
    if isinstance(learner, PoolClassifier):
        twin, everything = PassiveClassifier(), {"stopping": None}
    elif "variant" in params:
        twin = RLSSamplingClassifier()
        everything = {"variant": "all", "patience": None}
    elif "max_stored" in params:
        twin, everything = SecondOrderPerceptronClassifier(), {"patience": None}
    elif "loss" in params:
        twin = MarginLossClassifier()
        everything = {"loss": "hinge", "query_probability": "tight", "patience": None}
    else:
        twin, everything = RandomSamplingClassifier(), {"rate": 1.0, "patience": None}
    shared = {name: params[name] for name in params if name in twin.get_params()}
    twin.set_params(**{**shared, **everything, "budget": None})
    if isinstance(twin, PassiveClassifier) and not (twin.estimators or twin.param_grid):
        candidates = learner._unfitted()  # a default is not the same for all
        if len(candidates) == 1:
            return twin.set_params(estimator=candidates[0])
        names = learner._candidates()[0]
        return twin.set_params(estimators=list(zip(names, candidates, strict=True)))
    return twin
