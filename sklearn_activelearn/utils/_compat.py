"""Support for several versions of scikit-learn and Python, and backends of joblib."""

import functools
import sys
from itertools import chain

import numpy as np
from joblib import effective_n_jobs, parallel_config
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
    "count_threads",
    "linked_to_documentation",
    "run_parallel",
    "to_numpy",
    "with_callbacks",
]


def count_threads(n_jobs):
    """Return the number of threads that work on the same rows.

    None: 1, or what the context of joblib says.

    A backend of joblib that has no shared memory, such as dask, is left for whole runs
    and folds: sending it blocks of rows takes longer than the work on them.
    """
    with parallel_config(require="sharedmem"):
        return effective_n_jobs(n_jobs)


def run_parallel(Parallel, groups, **settings):
    """Yield the results of groups of calls as they come.

    Some backends of joblib, such as multiprocessing, have no generators: the results
    of a group come together, and the next group begins only then.
    """
    try:
        parallel = Parallel(**settings)
    except ValueError:
        parallel = Parallel(**{**settings, "return_as": "list"})
    else:
        groups = [chain.from_iterable(groups)]
    for calls in groups:
        yield from parallel(calls)


def to_numpy(X):
    """Return the array of another library as one of NumPy, and others as they are."""
    is_other = not isinstance(X, np.ndarray) and hasattr(X, "__dlpack__")
    return np.from_dlpack(X) if is_other else X


#: Page of a class, to which scikit-learn's HTML representation links.
PAGE = (
    "https://sklearn-activelearn.readthedocs.io/en/latest/generated/api/"
    "sklearn_activelearn.{name}.html"
)


def name_of_page(estimator):
    """Return the shortest public name of a class, in which its page is named."""
    name, module = type(estimator).__name__, type(estimator).__module__
    package, section = module.split(".")[:2]
    is_exported = hasattr(sys.modules[package], name)
    return {"name": name if is_exported else f"{section}.{name}"}


def linked_to_documentation(item):
    """Link the HTML representation of a class, and of its subclasses, to its page."""
    item._doc_link_module, item._doc_link_template = "sklearn_activelearn", PAGE
    item._doc_link_url_param_generator = name_of_page
    return item


#: Attributes of an estimator while its callbacks run.
CALLBACK_ATTRIBUTES = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")

#: Class of scorers that use the predictions of an estimator only, not the rows.
STANDARD_SCORER = type(make_scorer(accuracy_score))
