"""Uncertainty sampling: ask for the row whose class is least certain."""

from collections.abc import Callable
from typing import Any, Literal

from sklearn.linear_model import LogisticRegression

from .._typing import Classifier, Embedding, Seed, Stopping
from .._validation import check_option
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._training import OneModel
from ._utility import MEASURES, own_utility, probabilities_of


class UncertaintySamplingClassifier(PoolClassifier):
    r"""Pool learner that buys the row whose class is least certain.

    Around any classifier with `predict_proba`: train on the labels bought, buy
    the row that the model knows least about, and again.

    Parameters
    ----------
    estimator : classifier, default=None
        Has `predict_proba`. Cloned, never changed. None:
        ``LogisticRegression()``.

    measure : {"least_confident", "margin", "entropy"} or callable, default="margin"
        What counts as uncertain: a low probability of the most probable class, a
        small gap to the second, or a high entropy. For two classes all three buy
        the same rows. Or ``measure(probabilities)``: a utility for each row, of shape
        (n_samples,), higher is bought sooner; `probabilities` are of shape (n_samples,
        n_classes). It gets a large pool a block at a time.

    n_initial : int >= 1, default=10
        Labels bought before the first model; then further ones, chosen likewise,
        `batch_size` at a time, while all are of one class.

    initial : {"random", "herding"}, default="random"
        Which rows are the first ones: random ones, no two of them equal, or such that
        cover the pool, each chosen to be similar to as many rows as possible that no
        earlier one is similar to (MaxHerding).

    batch_size : int >= 1, default=1
        Labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Which rows are a batch: those that are worth most; or, among ten times as many
        of these, the first of each of `batch_size` clusters (k-means), or those that
        cover the others best. Equal rows are bought together only if no others are
        left.

    embedding : transformer, callable or None, default=None
        What distances between rows are measured in, fitted once on each pool, without
        labels. None, for numbers: texts (of which fewer than 1 number in 20 is not
        zero) are divided by their lengths; other rows are left as they are if all have
        one length; else each column is divided by its standard deviation or, if it is
        mostly zero, by its largest absolute value.

    n_candidates : int >= 1, default=None
        How many of the rows that may be bought are looked at for each purchase, drawn
        anew each time; at least as many as are bought. Stopping rules see the same
        ones. None: all.

    budget : int >= 0, float in [0, 1] or None, default=100
        Labels it may buy between one `fit` and the next, or their share of the
        rows offered: those bought and those for sale, at the call where they were most
        numerous; each `partial_fit` adds its own. Raise it with `set_params` to go on.
        None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row lies inside the margin.
        "stable_predictions": stop when successive models agree. Others: see the
        guide. The first rule of a list that is met ends it. None: the budget is spent.

    incremental : bool, default=False
        Teach the estimator new labels with its `partial_fit` instead of training
        it on all of them again.

    n_jobs : int, default=None
        Threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among ties, and of the estimator
        if that has none of its own.

    Attributes
    ----------
    estimator_ : classifier
        The estimator, trained on all labels taught.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. They grow with `teach` unless `fit` or `classes` told them.

    n_queries_ : int
        Labels bought since the last `fit`.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
        bought, in order.

    n_pending_ : int
        Rows asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Rows skipped, and not taught later.

    n_taught_ : int
        Labels taught, bought or not.

    stop_reason_ : str or None
        Why the last purchase was none: "budget", the name of the stopping rule, "no
        rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have any.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, an estimator without `predict_proba`, rows that its tags
        refuse, labels outside the classes.

    See Also
    --------
    MinMarginClassifier : For classifiers without probabilities.
    QueryByCommitteeClassifier : Disagreement of several models instead.

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
    A pool of raw texts, labelled by someone who is paid for it:

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
    _otherwise = (
        "Wrap it in sklearn.calibration.CalibratedClassifierCV, or use "
        "MinMarginClassifier, which needs decision_function."
    )

    _search_grid = {"measure": ["least_confident", "entropy"]}

    _samples = True

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        measure: Literal["least_confident", "margin", "entropy"]
        | Callable[..., Any] = "margin",
        n_initial: int = 10,
        initial: Literal["random", "herding"] = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
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
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_trainer(self):
        estimator = LogisticRegression() if self.estimator is None else self.estimator
        return OneModel(estimator, self.incremental)

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
        return own_utility("measure", self.measure(probabilities), len(probabilities))
