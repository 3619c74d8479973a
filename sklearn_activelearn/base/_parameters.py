"""Validation of parameters: numbers, options, flags, class weights and estimators."""

import math
from collections.abc import Mapping
from numbers import Integral, Number, Real

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_scalar, get_tags

#: The number that means "no limit" in the compiled loop.
UNLIMITED = np.iinfo(np.intp).max


def check_number(value, name, low, high=None, *, closed="neither", integer=False):
    """Return a finite number in an interval; raise an error that names the parameter.

    Parameters
    ----------
    value : object
        Value of the parameter.
    name : str
        Name of the parameter.
    low, high : float
        Ends of the interval. If `high` is None, there is no upper end.
    closed : {"neither", "left", "right", "both"}
        Ends that belong to the interval.
    integer : bool
        Whether the number must be whole. Numbers above `UNLIMITED` become `UNLIMITED`.
    """
    is_number = type(value) is int or (type(value) is float and not integer)
    has_one_end = low is not None and high is None
    if is_number and has_one_end and low < value < math.inf:  # usual, quickly
        return min(value, UNLIMITED) if integer else value
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a number, not {value!r}.")
    if isinstance(value, Real) and not (
        isinstance(value, Integral) or math.isfinite(value)
    ):
        raise ValueError(f"{name} must be finite, got {value}.")
    check_scalar(
        value,
        name,
        Integral if integer else Real,
        min_val=low,
        max_val=high,
        include_boundaries=closed,
    )
    return min(int(value), UNLIMITED) if integer else value


def check_count_or_share(value, name):
    """Raise unless it is a whole number of at least 1, or a share below 1."""
    if is_share(value):
        check_number(value, name, 0, 1)
    else:
        check_number(value, name, 1, closed="left", integer=True)


def check_option(value, name, options):
    """Return a value that is one of the options; raise for others."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {sorted(options)}, got {value!r}.")
    return value


def check_flags(**values):
    """Raise unless these parameters, with their names, are True or False."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {value!r}.")


def check_limit(value, name, low=0):
    """Return a whole number of at least `low`, or `UNLIMITED` for None."""
    if value is None:
        return UNLIMITED
    return check_number(value, name, low, closed="left", integer=True)


def check_budget(budget, n_offered):
    """Return the number of labels that may be bought.

    A float is a share of `n_offered` rows.
    """
    if budget is None:
        return UNLIMITED
    if not is_share(budget):
        return check_limit(budget, "budget")
    if not 0 <= budget <= 1:
        raise ValueError(
            f"budget must lie in [0, 1] if it is a float, a share of the rows, got "
            f"{budget}. Pass an int for a number of labels."
        )
    return int(budget * n_offered + 1e-9)


def is_share(number):
    """Return True for a share, such as a budget of 0.1, and False for a count."""
    return isinstance(number, Real) and not isinstance(number, Integral)


def check_class_weight(class_weight, classes=None):
    """Raise unless it is None, "balanced" or weights > 0 of known classes."""
    if class_weight is None:
        return
    demand = "class_weight must be None, 'balanced' or a dict of weights by class"
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"{demand}, got {class_weight!r}.")
        return
    if not isinstance(class_weight, Mapping):
        kind = type(class_weight).__name__
        raise TypeError(f"{demand}, got an instance of {kind}.")
    for label, weight in class_weight.items():
        check_number(weight, f"class_weight[{label!r}]", 0)
    known = class_weight if classes is None else classes.tolist()
    for label in class_weight:
        if label not in known:
            raise ValueError(
                f"class_weight has {label!r}, which is not one of the classes {known}."
            )


def is_count(value):
    """Return True for a whole number >= 0 that fits an int64."""
    return is_whole(value) and 0 <= value < 2**63


def is_whole(value):
    """Return True for a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


#: Types of parameters that estimators may share.
CONSTANTS = (str, Number, type(None))


#: The most frequent of these types, which are recognised faster.
PLAIN_TYPES = {str, int, float, bool, type(None)}


def has_plain_parameters(prototype):
    """Return True if an unfitted estimator holds no other objects."""
    for value in vars(prototype).values():
        if type(value) not in PLAIN_TYPES and not isinstance(value, CONSTANTS):
            return False
    return True


def check_classifier(estimator, name="estimator", several_labels=False):
    """Refuse an object that is no classifier, or that needs a kernel matrix.

    Parameters
    ----------
    estimator : object
        Unfitted.
    name : str
        Its name in messages.
    several_labels : bool
        Whether it may predict several labels for each row, and nothing else.
    """
    if isinstance(estimator, type):
        raise TypeError(f"{name} must be an instance, got the class {estimator!r}.")
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(f"{name} must be a classifier, got {estimator!r}.")
    tags = get_tags(estimator)
    if not several_labels:
        check_single_output([estimator], name)
    if tags.input_tags.pairwise:
        raise ValueError(
            f"{estimator} needs a precomputed kernel, which a pool does not have: "
            "name the kernel or pass a callable."
        )


def check_single_output(estimators, name="estimator"):
    """Refuse estimators that predict several labels for each row, and nothing else."""
    for estimator in estimators:
        if not get_tags(estimator).target_tags.single_output:
            raise TypeError(
                f"{name} must predict one label for each row; {estimator!r} predicts "
                "several labels at once. Use the classifier inside it."
            )


def has_method(model, method):
    """Return True if a classifier has a method, or will have it once it is trained."""
    # a stacking classifier without a final estimator trains a logistic regression, and
    # shows the methods of that one afterwards
    if getattr(model, "final_estimator", model) is None:
        from sklearn.linear_model import LogisticRegression  # slow to import

        model = LogisticRegression
    return hasattr(model, method)


def check_has(methods, model, user, advice=""):
    """Refuse a model without the method that its user needs, or one of several.

    Decision values for pairs of classes are refused, too.
    """
    if isinstance(methods, str):
        methods = (methods,)
    found = (method for method in methods if has_method(model, method))
    method = next(found, methods[-1])
    if not has_method(model, method):
        problem = f"{user} needs an estimator with {method}, which {model} lacks."
        raise TypeError(f"{problem} {advice}".strip())
    if method != "decision_function" or not hasattr(model, "get_params"):
        return
    for name, value in model.get_params().items():
        if name.split("__")[-1] == "decision_function_shape" and value == "ovo":
            raise ValueError(
                f'{model} has decision values for pairs of classes; set {name}="ovr".'
            )
