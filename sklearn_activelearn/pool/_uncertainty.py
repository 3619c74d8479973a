"""Uncertainty sampling: buy the row whose class is least certain."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ..base._parameters import check_option
from ..base._scores import (
    check_user_values,
    entropy,
    label_probabilities,
    least_confident,
    of_padded,
    probabilities_of,
    smallest_margin,
    utility_of_label_sets,
)
from ..utils.typing import Classifier, Embedding, Initial, Seed, Stopping
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rule import Rule
from ._selection import UNCERTAIN

#: Values of `measure`: utilities of class probabilities.
MEASURES = {
    "least_confident": least_confident,
    "margin": smallest_margin,
    "entropy": entropy,
}


class UncertaintyRule(Rule):
    """The rows whose class is least certain.

    Parameters
    ----------
    measure : str or callable
        As for `UncertaintySamplingClassifier`.
    """

    needs = "predict_proba"
    reason = UNCERTAIN
    takes_label_sets = True
    advice = (
        "Wrap it in sklearn.calibration.CalibratedClassifierCV, or use "
        "MinMarginClassifier, which needs decision_function."
    )

    def __init__(self, measure):
        self.measure = measure

    def check(self):
        """Raise an error for an unknown measure."""
        if not callable(self.measure):
            check_option(self.measure, "measure", MEASURES)

    def utility(self, model, X):
        """Return the uncertainty of the class probabilities."""
        return self._uncertainty(probabilities_of(model, X))

    def label_set_utility(self, model, X):
        """Return the uncertainty of the least certain label."""
        p = of_padded(partial(label_probabilities, model), X)
        return utility_of_label_sets(self._uncertainty, 1 - p, p)

    def _uncertainty(self, probabilities):
        if not callable(self.measure):
            return MEASURES[self.measure](probabilities)
        return check_user_values(
            "measure", self.measure(probabilities), len(probabilities)
        )


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

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"random", "herding", "mixed"}, callable or rows, default="random"
        Rule for the first rows. "random": random rows, no two of them equal. "herding":
        rows that cover the pool; each is similar to as many rows as possible that are
        not similar to an earlier one (MaxHerding). "mixed": two in five rows are
        random, the others cover the pool. A function ``initial(X)`` gets rows of the
        pool, a block at a time, and returns a number for each; the rows with the
        highest numbers come first. Rows of the wanted kind, of shape (n, n_features):
        rows of the pool with the highest cosine to one of them come first, in the
        `embedding` if there is one.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Rule that makes a batch of useful rows. "top": the most useful rows. The other
        rules choose among the most useful rows, ten times the number of rows wanted.
        "cluster": the most useful row of each of `batch_size` clusters (k-means).
        "herding": the rows that cover the others best. Equal rows are bought together
        only if no other rows are left.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    n_candidates : int >= 1, default=None
        Number of rows that are considered for each batch: a new random sample of the
        rows that may be bought, never smaller than the batch. Stopping rules see the
        same rows. None: all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row lies inside the margin of an SVM.
        "stable_predictions": successive models agree. The user guide describes more
        rules. None: spend the budget.

    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The estimator, trained on all labels taught.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were skipped and not taught later.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

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
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.measure = measure
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

    def make_rule(self):
        """Return the rule."""
        return UncertaintyRule(self.measure)

    _passive_baseline = passive_baseline
