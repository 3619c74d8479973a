"""Differences between versions of scikit-learn and Python, and scikit-learn's classes.

scikit-learn has no types. The stub of this module adds them to its base classes.
"""

import functools
import sys

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.metaestimators import available_if

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks

    class _NoCallbacks:
        """A context without callbacks, which never stops a fit."""

        def call_on_fit_task_begin(self, **info):
            return self

        def call_on_fit_task_end(self, **info):
            return False

        def subcontext(self, name):
            return self

    class CallbackSupportMixin:
        """A learner without `set_callbacks`."""

        def _init_callback_context(self, max_subtasks):
            return _NoCallbacks()

    def with_callbacks(fit):
        """Return the method as it is."""
        return fit


if sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):
        """A cached property that threads of different learners do not wait for.

        In Python 3.11 all objects of a class share a lock.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return vars(instance).setdefault(self.attrname, self.func(instance))


__all__ = [
    "CALLBACK_ATTRIBUTES",
    "STANDARD_SCORER",
    "BaseComposition",
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassifierMixin",
    "GridSearchCV",
    "available_if",
    "cached_property",
    "with_callbacks",
]

#: Attributes of an estimator while its callbacks run.
CALLBACK_ATTRIBUTES = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")

#: Class of scorers that use the predictions of an estimator only, not the rows.
STANDARD_SCORER = type(make_scorer(accuracy_score))
