"""Differences between versions of scikit-learn and backends of joblib.

scikit-learn has no types. The stub of this module adds them to its base classes.
"""

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


__all__ = [
    "CALLBACK_ATTRIBUTES",
    "STANDARD_SCORER",
    "BaseComposition",
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassifierMixin",
    "GridSearchCV",
    "available_if",
    "run_parallel",
    "with_callbacks",
]


def run_parallel(Parallel, calls, **settings):
    """Yield the results of calls as they come, or all at the end.

    Some backends of joblib, such as multiprocessing, have no generators.
    """
    try:
        parallel = Parallel(**settings)
    except ValueError:
        parallel = Parallel(**{**settings, "return_as": "list"})
    yield from parallel(calls)


#: Attributes of an estimator while its callbacks run.
CALLBACK_ATTRIBUTES = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")

#: Class of scorers that use the predictions of an estimator only, not the rows.
STANDARD_SCORER = type(make_scorer(accuracy_score))
