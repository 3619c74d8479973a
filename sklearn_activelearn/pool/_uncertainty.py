"""Uncertainty sampling: buy the row whose class is least certain."""

from collections.abc import Callable
from typing import Any, Literal

from ..base._scores import (
    check_user_values,
    entropy,
    least_confident,
    probabilities_of,
    smallest_margin,
)
from ..base._validation import check_option
from ..utils._docstrings import POOL, documented
from ..utils._typing import Classifier, Embedding, Initial, Seed, Stopping
from ._base import PoolClassifier
from ._passive import passive_baseline

#: Values of `measure`: utilities of class probabilities.
MEASURES = {
    "least_confident": least_confident,
    "margin": smallest_margin,
    "entropy": entropy,
}


@documented(POOL)
class UncertaintySamplingClassifier(PoolClassifier):
    r"""Pool learner that buys the row whose class is least certain.

    Around any classifier with `predict_proba`: train on the labels bought, buy
    the row whose class the model is least certain of, and again.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with `predict_proba`. Cloned, never changed. None:
        ``LogisticRegression()``.
    measure : {"least_confident", "margin", "entropy"} or callable, default="margin"
        The measure of uncertainty: a low probability of the most probable class, a
        small gap between the two highest probabilities, or a high entropy. For two
        classes all three buy the same rows. A callable ``measure(probabilities)`` gets
        probabilities of shape (n_samples, n_classes), a block of the pool at a time,
        and returns a utility for each row, of shape (n_samples,); the highest are
        bought.
    {n_initial, initial, batch_size, batch, embedding, explore, n_candidates, budget,
    stopping, incremental, n_jobs, random_state}

    Attributes
    ----------
    {estimator_, attributes_of_all}

    {raises}

    See Also
    --------
    MinMarginClassifier : For classifiers without probabilities.
    QueryByCommitteeClassifier : Uses the disagreement of several models instead.

    Notes
    -----
    The utility of a row is :math:`1 - \max_k p_k`, :math:`p_{(2)} - p_{(1)}` or
    :math:`-\sum_k p_k \log p_k`. Ties are broken at random.

    A classifier without probabilities gets them from `CalibratedClassifierCV`,
    which needs as many labels of each class as it has folds: raise `n_initial`.

    References
    ----------
    .. [1] D. D. Lewis, W. A. Gale, "A Sequential Algorithm for Training Text
       Classifiers", SIGIR 1994, Figure 1.
    .. [2] B. Settles, "Active Learning Literature Survey", University of
       Wisconsin-Madison, TR 1648, 2009, section 3.1 (the three measures).

    Examples
    --------
    A pool of raw texts, labelled by a person:

    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> texts = ["cheap pills", "meeting at noon", "pills for free", "lunch at noon",
    ...          "free money", "notes of the meeting"] * 5
    >>> model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    >>> learner = UncertaintySamplingClassifier(model, n_initial=6, random_state=0)
    >>> rows = learner.query(texts)
    >>> labels = ["spam" if "pills" in texts[i] or "free" in texts[i] else "ham"
    ...           for i in rows]
    >>> learner = learner.teach([texts[i] for i in rows], labels)
    >>> learner.predict(["pills", "noon"]).tolist()
    ['spam', 'ham']
    """

    _needs = "predict_proba"
    _advice_without_method = (
        "Wrap it in sklearn.calibration.CalibratedClassifierCV, or use "
        "MinMarginClassifier, which needs decision_function."
    )

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        measure: Literal["least_confident", "margin", "entropy"]
        | Callable[..., Any] = "margin",
        n_initial: int = 10,
        initial: Initial = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
        n_candidates: int | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        incremental: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.measure = measure
        self.incremental = incremental
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.explore = explore
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if not callable(self.measure):
            check_option(self.measure, "measure", MEASURES)

    def _passive_baseline(self):
        return passive_baseline(self)

    def _utility(self, X):
        probabilities = probabilities_of(self.estimator_, X)
        if not callable(self.measure):
            return MEASURES[self.measure](probabilities)
        return check_user_values(
            "measure", self.measure(probabilities), len(probabilities)
        )
