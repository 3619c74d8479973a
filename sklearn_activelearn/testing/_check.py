"""All laws at once, on small data."""

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import get_tags

from .._base import ActiveClassifier
from .._validation import check_budget, is_share
from . import _laws
from . import _laws as _ledger_laws
from ._laws import fresh, is_pool

#: What is checked, in this order.
CHECKS = (
    _laws.check_unbought_labels,
    _laws.check_simulation,
    _laws.check_chunks,
    _laws.check_purity,
    _laws.check_reproducible,
    _laws.check_containers,
    _laws.check_bill,
    _ledger_laws.check_no_row_twice,
    _ledger_laws.check_ids,
    _ledger_laws.check_requests,
    _ledger_laws.check_errors,
    _ledger_laws.check_corrections,
)


def check_learner(
    learner: ActiveClassifier, *, on_fail: Literal["raise"] | None = "raise"
) -> list[dict[str, Any]]:
    """Check that a learner keeps the laws of active learning.

    As `sklearn.utils.estimator_checks.check_estimator` checks that it is an estimator;
    a learner should pass both. The laws are listed in the user guide.

    Parameters
    ----------
    learner : PoolClassifier or StreamClassifier
        With parameters; cloned, never changed. Pool learners get a budget of two
        thirds of the rows, so that some stay without a label, and 4 for a larger
        `n_initial`, so that the model decides on most of them.
    on_fail : {"raise", None}, default="raise"
        Whether to raise at the first law that is broken, or to go on.

    Returns
    -------
    results : list of dict
        One for each check: ``check_name``; ``law``, a sentence; ``status``, "passed",
        "failed" or "skipped" (a law of the other kind of learner); ``exception``, what
        was raised, or None.

    Raises
    ------
    AssertionError
        For a law that is broken, if `on_fail` is "raise". It names the law.
    TypeError, ValueError
        For what is no learner, or another `on_fail`.

    Examples
    --------
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.testing import check_learner
    >>> results = check_learner(CBGZClassifier(b=0.3))
    >>> print({result["status"] for result in results} - {"skipped"})
    {'passed'}
    """
    if not isinstance(learner, ActiveClassifier):
        raise TypeError(
            "check_learner needs an instance of a PoolClassifier or StreamClassifier, "
            f"got {learner!r}."
        )
    if on_fail not in ("raise", None):
        raise ValueError(f"on_fail must be 'raise' or None, got {on_fail!r}.")
    results = []
    for check in CHECKS:
        result = {"check_name": check.__name__, "law": check.law, "exception": None}
        results.append(result)
        if not (check.pools if is_pool(learner) else check.streams):
            result["status"] = "skipped"
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FitFailedWarning)
                for X, y in problems(get_tags(learner).classifier_tags.multi_class):
                    check(ready(learner, len(X)), X, y)
            result["status"] = "passed"
        except AssertionError as error:
            if on_fail == "raise":
                raise
            result |= {"status": "failed", "exception": error}
    return results


def problems(multi_class):
    """Yield rows of numbers, many of them 0, and labels that mostly follow them."""
    for n_samples, names in [(27, ["no", "yes"]), (18, [3, 5, 9])]:
        if len(names) > 2 and not multi_class:
            continue
        rng, labels = np.random.RandomState(0), np.array(names)
        # exact in single precision, and no score within rounding of another
        X = rng.randint(-9999, 10000, size=(n_samples, 4)) / 4096
        X[rng.uniform(size=X.shape) < 0.3] = 0.0
        X[10:13] = X[:3]  # rows may be equal
        scores = X @ rng.standard_normal((4, len(labels)))
        codes = (scores + 0.3 * rng.standard_normal(scores.shape)).argmax(axis=1)
        codes[: len(labels)] = range(len(labels))
        yield X, labels[codes]


def ready(learner, n_samples):
    """Return a copy whose model decides on some rows of a pool, and not on all.

    A budget that is a share of a stream becomes the number that it stands for.
    """
    given, params = learner.get_params(deep=False), {}
    if is_pool(learner):
        if "budget" in given:
            params["budget"] = 2 * n_samples // 3
        if "n_initial" in given:
            params["n_initial"] = min(given["n_initial"], 4)
    elif is_share(given.get("budget")):
        params["budget"] = check_budget(given["budget"], n_samples)
    return fresh(learner, **params)
